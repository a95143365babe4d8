"""What bears on a question comes out, with an account of it."""

from collections.abc import Mapping, Sequence

from recollect.context.prompt_builder import build_system_message
from recollect.context.prompt_templates import system_prompt
from recollect.library.base import Door
from recollect.serialization import parsers, serializers
from recollect.serialization.serializers import Shape


class Recalling(Door):
    def search(
        self,
        query: str,
        *,
        user_id: str | None = None,
        chat_id: str | None = None,
        limit: int | None = None,
        as_of: object = None,
        mode: str | None = None,
        settings: Mapping[str, object] | None = None,
        receipt: bool = True,
    ) -> Shape:
        """
        What bears on a question, best first, each with its score and the parts it is made of.

        ``receipt=False`` leaves none, and does not count in the metrics: for trying out, or while somebody types.
        """
        scope = self._scope(user_id, chat_id)
        call = {**(settings or {}), **({"recall.limit": limit} if limit is not None else {})}
        policy = self._policy(scope, call, mode)
        asked, then = parsers.question(query), parsers.moment(as_of)
        found = self._runtime.engine.recall(scope, asked, policy, as_of=then, keep=receipt)
        return {**serializers.found(found), "receipt": found.id if receipt else None}

    def context(
        self,
        query: str,
        *,
        user_id: str | None = None,
        chat_id: str | None = None,
        budget: int | None = None,
        context_ids: Sequence[str] = (),
        mode: str | None = None,
        settings: Mapping[str, object] | None = None,
    ) -> Shape:
        """The block for the next prompt under ``text``, and its receipt: what is in it, what is not, and why."""
        scope = self._scope(user_id, chat_id)
        call = {**(settings or {}), **({"assemble.budget": budget} if budget is not None else {})}
        policy = self._policy(scope, call, mode)
        receipt = self._runtime.engine.context(
            scope, parsers.question(query), policy, context_ids=context_ids
        )
        return {"text": receipt.text, "tokens": receipt.tokens, "receipt": serializers.receipt(receipt)}

    def build_system_message(
        self,
        *,
        rag_query: str,
        system: str | None = None,
        context_ids: Sequence[str] = (),
        fallback_memories: Sequence[str] = (),
        rules_for_request: str | None = None,
        user_id: str | None = None,
        chat_id: str | None = None,
        settings: Mapping[str, object] | None = None,
    ) -> str:
        """
        A whole system message: the host's own, untouched and first, then the memory block, then rules.

        Without one of the host's it begins with the prompt `system`. `fallback_memories` stand in where nothing is
        recalled.
        """
        scope = self._scope(user_id, chat_id)
        policy = self._policy(scope, settings)
        receipt = self._runtime.engine.context(
            scope,
            parsers.question(rag_query),
            policy,
            context_ids=context_ids,
            fallback=fallback_memories,
        )
        first = system_prompt(policy.assemble.locale, self._runtime.prompts) if system is None else system
        return build_system_message(first, receipt.text, rules_for_request)

    def why(self, receipt_id: str = "last", *, user_id: str | None = None) -> Shape:
        """The receipt of a recall: what was injected, what was left out and why, scores, timings."""
        return serializers.receipt(self._runtime.store.receipts.get(self._scope(user_id), receipt_id))

    def why_not(
        self, query: str, memory_id: str, *, user_id: str | None = None, chat_id: str | None = None
    ) -> Shape:
        """Why a memory or message would not be recalled for a question."""
        scope = self._scope(user_id, chat_id)
        policy = self._policy(scope)
        asked = parsers.question(query)
        return serializers.absence(self._runtime.engine.why_not(scope, asked, memory_id, policy))

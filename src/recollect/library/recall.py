"""What bears on a question comes out, with an account of it."""

from collections.abc import Mapping, Sequence

from recollect.context.prompt_builder import build_system_message
from recollect.context.prompt_templates import load_system_prompt
from recollect.library.base import MemoryBase
from recollect.serialization import parsers, serializers
from recollect.serialization.serializers import JsonObject


class MemoryRecallMixin(MemoryBase):
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
    ) -> JsonObject:
        """
        What bears on a question, best first, each with its score and the parts it is made of.

        ``receipt=False`` leaves none, and does not count in the metrics: for trying out, or while somebody types.
        """
        scope = self._scope(user_id, chat_id)
        call = {**(settings or {}), **({"recall.limit": limit} if limit is not None else {})}
        policy = self._policy(scope, call, mode)
        query_text, as_of_time = parsers.replace_surrogates(query), parsers.parse_timestamp(as_of)
        receipt_found = self._application.engine.recall(
            scope, query_text, policy, as_of=as_of_time, save_receipt=receipt
        )
        return {
            **serializers.serialize_search_results(receipt_found),
            "receipt": receipt_found.id if receipt else None,
        }

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
    ) -> JsonObject:
        """The block for the next prompt under ``text``, and its receipt: what is in it, what is not, and why."""
        scope = self._scope(user_id, chat_id)
        call = {**(settings or {}), **({"context.budget": budget} if budget is not None else {})}
        policy = self._policy(scope, call, mode)
        receipt = self._application.engine.build_context(
            scope, parsers.replace_surrogates(query), policy, context_ids=context_ids
        )
        return {
            "text": receipt.text,
            "tokens": receipt.tokens,
            "receipt": serializers.serialize_receipt(receipt),
        }

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
        receipt = self._application.engine.build_context(
            scope,
            parsers.replace_surrogates(rag_query),
            policy,
            context_ids=context_ids,
            fallback=fallback_memories,
        )
        system_message = (
            load_system_prompt(policy.context.locale, self._application.prompts) if system is None else system
        )
        return build_system_message(system_message, receipt.text, rules_for_request)

    def why(self, receipt_id: str = "last", *, user_id: str | None = None) -> JsonObject:
        """The receipt of a recall: what was injected, what was left out and why, scores, timings."""
        return serializers.serialize_receipt(
            self._application.store.receipts.get(self._scope(user_id), receipt_id)
        )

    def why_not(
        self, query: str, memory_id: str, *, user_id: str | None = None, chat_id: str | None = None
    ) -> JsonObject:
        """Why a memory or message would not be recalled for a question."""
        scope = self._scope(user_id, chat_id)
        policy = self._policy(scope)
        query_text = parsers.replace_surrogates(query)
        return serializers.serialize_why_not(
            self._application.engine.explain_absence(scope, query_text, memory_id, policy)
        )

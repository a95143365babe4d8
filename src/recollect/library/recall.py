"""Search, context assembly and receipts."""

from collections.abc import Mapping, Sequence

from recollect.context.prompt_builder import build_system_message
from recollect.context.prompt_templates import load_system_prompt
from recollect.domain.recall import ContextBlockRequest, RecallRequest
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
        Return the passages relevant to a query, best first, each with its score and the parts of the score.

        ``receipt=False`` stores no receipt and is not counted in the metrics: for previews, such as search as you type.
        """
        scope = self._scope(user_id, chat_id)
        call = {**(settings or {}), **({"recall.limit": limit} if limit is not None else {})}
        policy = self._policy(scope, call, mode)
        query_text, as_of_time = parsers.replace_surrogates(query), parsers.parse_timestamp(as_of)
        request = RecallRequest(
            scope=scope,
            query=query_text,
            policy=policy,
            as_of=as_of_time,
            save_receipt=receipt,
        )
        saved_receipt = self._application.services.recall.search(request)
        return {
            **serializers.serialize_search_results(saved_receipt),
            "receipt": saved_receipt.id if receipt else None,
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
        """Return the memory block for a prompt (``text``), with its receipt: what was included, left out, and why."""
        scope = self._scope(user_id, chat_id)
        call = {**(settings or {}), **({"context.budget": budget} if budget is not None else {})}
        policy = self._policy(scope, call, mode)
        request = ContextBlockRequest(
            scope=scope,
            query=parsers.replace_surrogates(query),
            policy=policy,
            context_ids=context_ids,
        )
        receipt = self._application.services.recall.context(request).receipt
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
        Return a complete system message: the host's own, unchanged and first, then the memory block, then rules.

        Without a host message it begins with the prompt `system`. `fallback_memories` are used if nothing is recalled.
        """
        scope = self._scope(user_id, chat_id)
        policy = self._policy(scope, settings)
        request = ContextBlockRequest(
            scope=scope,
            query=parsers.replace_surrogates(rag_query),
            policy=policy,
            context_ids=context_ids,
            fallback=fallback_memories,
        )
        receipt = self._application.services.recall.context(request).receipt
        system_message = (
            load_system_prompt(policy.context.locale, self._application.prompts) if system is None else system
        )
        return build_system_message(system_message, receipt.text, rules_for_request)

    def why(self, receipt_id: str = "last", *, user_id: str | None = None) -> JsonObject:
        """Return the receipt of a recall: what was injected, what was left out and why, scores, timings."""
        return serializers.serialize_receipt(
            self._application.services.receipts.get(self._scope(user_id), receipt_id)
        )

    def why_not(
        self, query: str, memory_id: str, *, user_id: str | None = None, chat_id: str | None = None
    ) -> JsonObject:
        """Explain why a memory or message would not be recalled for a query."""
        scope = self._scope(user_id, chat_id)
        policy = self._policy(scope)
        query_text = parsers.replace_surrogates(query)
        return serializers.serialize_why_not(
            self._application.services.recall.explain_absence(scope, query_text, memory_id, policy)
        )

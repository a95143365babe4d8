"""`memory.receipts`: what was injected, what was left out and why, and whether that was right."""

from collections.abc import Sequence
from dataclasses import dataclass

from recollect.domain.feedback import RelevanceFeedback, RelevanceLabel
from recollect.domain.outcomes import WhyNot
from recollect.domain.receipt import Receipt
from recollect.library.session import LibrarySession
from recollect.serialization import parsers


@dataclass(frozen=True, slots=True)
class ReceiptsNamespace:
    _session: LibrarySession

    def get(self, receipt_id: str = "last", *, user_id: str | None = None) -> Receipt:
        """Return the receipt of a recall: what was injected, what was left out and why, scores, timings."""
        return self._session.services.receipts.get(self._session.scope(user_id), receipt_id)

    def list(
        self, *, chat_id: str | None = None, user_id: str | None = None, limit: int = 20
    ) -> Sequence[Receipt]:
        """Return receipts, newest first."""
        scope = self._session.scope(user_id, chat_id)
        return self._session.services.receipts.list(scope, limit=limit)

    def why_not(
        self, query: str, memory_id: str, *, user_id: str | None = None, chat_id: str | None = None
    ) -> WhyNot:
        """Explain why a memory or message would not be recalled for a query."""
        scope = self._session.scope(user_id, chat_id)
        return self._session.services.recall.explain_absence(
            scope, parsers.replace_surrogates(query), memory_id, self._session.policy(scope)
        )

    def feedback(
        self, receipt_id: str, item_id: str, *, relevant: bool = True, user_id: str | None = None
    ) -> RelevanceFeedback:
        """Record whether a passage of a receipt (or of the ``last`` one) was relevant to the query."""
        scope = self._session.scope(user_id)
        return self._session.services.tuning.add_feedback(scope, receipt_id, item_id, relevant=relevant)

    def list_feedback(self, *, user_id: str | None = None, limit: int = 100) -> Sequence[RelevanceFeedback]:
        """Return relevance feedback, newest first."""
        return self._session.services.tuning.list_feedback(self._session.scope(user_id), limit=limit)

    def labels(self, *, user_id: str | None = None) -> Sequence[RelevanceLabel]:
        """Return labelled queries built from feedback, as accepted by `settings.tune`."""
        return self._session.services.tuning.labels(self._session.scope(user_id))

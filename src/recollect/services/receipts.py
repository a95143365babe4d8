"""Receipts of past recalls: read one, list them, find the receipt of a message."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from recollect.domain.message import Message, Role
from recollect.domain.receipt import Receipt
from recollect.domain.scope import Scope
from recollect.errors import NotFound
from recollect.ports.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceiptService:
    store: Store

    def get(self, scope: Scope, receipt_id: str) -> Receipt:
        """Return a receipt by id, or the newest with `last`; raise NotFound if there is none."""
        return self.store.receipts.get(scope, receipt_id)

    def list(self, scope: Scope, *, limit: int = 20, with_texts: bool = False) -> Sequence[Receipt]:
        """Return receipts, newest first; with a chat in the scope, only those of that chat."""
        return self.store.receipts.list(scope, limit=limit, with_texts=with_texts)

    def of_messages(self, scope: Scope, messages: Sequence[Message]) -> Mapping[str, Receipt]:
        """Return the receipt of each user message: of the injected block, else the last with the same query."""
        questions = [message for message in messages if message.role is Role.USER]
        recent = self.store.receipts.list(scope, limit=2 * len(questions))
        receipt_by_id = {receipt.id: receipt for receipt in recent}
        receipt_by_query = {receipt.query: receipt for receipt in reversed(recent)}
        injected_receipt_ids = self.store.injections.receipt_ids(scope)
        receipts: dict[str, Receipt] = {}
        for question in questions:
            receipt_id = injected_receipt_ids.get(question.id)
            receipt = (
                receipt_by_query.get(question.content)
                if receipt_id is None
                else receipt_by_id.get(receipt_id) or self._find(scope, receipt_id)
            )
            if receipt is not None:
                receipts[question.id] = receipt
        return receipts

    def _find(self, scope: Scope, receipt_id: str) -> Receipt | None:
        try:
            return self.store.receipts.get(scope, receipt_id)
        except NotFound:
            # Receipts are deleted after `receipts.keep_days`.
            return None

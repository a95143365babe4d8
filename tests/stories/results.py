"""What the library returns, as tests read it."""

from collections.abc import Iterable

from recollect.domain.memory import Memory
from recollect.domain.message import Message
from recollect.domain.receipt import ReceiptItem
from recollect.domain.summary import Summary


def texts(results: Iterable[Memory | Message | ReceiptItem | Summary]) -> list[str]:
    """Return the texts of memories, messages, passages or summaries, sorted."""
    return sorted(each.content if isinstance(each, Message) else each.text for each in results)

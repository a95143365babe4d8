"""What the stories of the five designs share: a memory with a preset, and a model that knows what to say."""

from collections.abc import Mapping, Sequence

from recollect import Memory
from recollect.adapters.embedders.hashing import HashingEmbedder
from recollect.domain.receipt import Receipt
from recollect.ports.chat_model import ChatModel, ModelMessage
from recollect.ports.embedder import Embedder
from recollect.ports.store import Store
from recollect.testing.chat_models import ScriptedChatModel
from recollect.testing.clock import FrozenClock

PRESETS = ("default", "smart", "companion", "dev", "facts", "agent")


def open_memory(
    store: Store,
    preset: str,
    *,
    model: ChatModel | None = None,
    embedder: Embedder | None = None,
    clock: FrozenClock | None = None,
    **settings: object,
) -> Memory:
    """A memory with nobody working in the background; `recall__limit` is the setting recall.limit."""
    named = {name.replace("__", "."): value for name, value in settings.items()}
    return Memory(
        store=store,
        embedder=embedder or HashingEmbedder(),
        chat_model=model,
        clock=clock or FrozenClock(),
        settings={"preset": preset, "worker": False, **named},
    )


def scripted_model(answers: Mapping[str, str], otherwise: str) -> ScriptedChatModel:
    """A model that has an answer to questions that hold certain words, and one for all others."""

    def answer(turns: Sequence[ModelMessage]) -> str:
        prompts = "\n".join(turn.content for turn in turns)
        return next((said for words, said in answers.items() if words in prompts), otherwise)

    return ScriptedChatModel(answer)


def user_messages(*texts: str) -> list[dict[str, object]]:
    return [{"role": "user", "content": text} for text in texts]


def exchange_messages(question: str, reply: str) -> list[dict[str, object]]:
    return [{"role": "user", "content": question}, {"role": "assistant", "content": reply}]


def context_text(memory: Memory, query: str, *, chat: str = "today", **settings: object) -> str:
    return context_receipt(memory, query, chat=chat, **settings).text


def context_receipt(memory: Memory, query: str, *, chat: str = "today", **settings: object) -> Receipt:
    named = {name.replace("__", "."): value for name, value in settings.items()}
    return memory.context(query, chat_id=chat, settings=named).receipt

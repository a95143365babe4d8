"""Extractive answers without a language model: quote the recalled passages, labelled as quotes; return greetings."""

from collections.abc import Mapping, Sequence

from recollect.context.plain_text import to_single_line
from recollect.domain.message import Role
from recollect.domain.policy import TriagePolicy
from recollect.domain.reason import ReasonCode
from recollect.domain.receipt import ReceiptItem
from recollect.text.language import detect_language
from recollect.text.triviality import triviality_reason

NO_MODEL_LABELS = {
    "en": "(no language model: quoting memory)",
    "pt": "(sem modelo de linguagem: citando a memória)",
}
NO_MEMORY_ANSWERS = {
    "en": "I remember nothing about that yet.",
    "pt": "Ainda não me lembro de nada sobre isso.",
}
_ABILITIES = {
    "en": "Tell me something about yourself, or ask about what you told me: I quote it. A language model would phrase"
    " answers; none is configured.",
    "pt": "Conte algo sobre você ou pergunte sobre o que já me contou: eu cito. Um modelo de linguagem redigiria as"
    " respostas; nenhum está configurado.",
}
#: Answers to messages without content, by why they have none; other ones only get the abilities.
_SMALL_TALK_ANSWERS: Mapping[ReasonCode, Mapping[str, str]] = {
    ReasonCode.GREETING: {"en": "Hello!", "pt": "Olá!"},
    ReasonCode.THANKS: {"en": "You're welcome!", "pt": "De nada!"},
    ReasonCode.FAREWELL: {"en": "Goodbye!", "pt": "Até logo!"},
}
_SMALL_TALK = frozenset(
    (
        *_SMALL_TALK_ANSWERS,
        *(ReasonCode.ACKNOWLEDGEMENT, ReasonCode.COURTESY, ReasonCode.LAUGHTER, ReasonCode.SMALL_TALK),
    )
)
#: Short messages are judged too.
_TRIAGE_POLICY = TriagePolicy(min_chars=0)
MAX_QUOTES = 5
MAX_QUOTE_CHARS = 400


def quote_memories(query: str, items: Sequence[ReceiptItem]) -> str:
    """
    Return the best recalled passages as a list, labelled in the language of the query.

    A greeting or another message without content is answered in kind, with what can be asked.
    """
    locale = "pt" if detect_language(query) == "pt" else "en"
    reason = triviality_reason(query, Role.USER, _TRIAGE_POLICY)
    if reason in _SMALL_TALK:
        reply = _SMALL_TALK_ANSWERS.get(reason, {}).get(locale, "")
        return f"{reply} {_ABILITIES[locale]}".strip()
    quotes = [f"- {_format_quote(item)}" for item in items[:MAX_QUOTES]]
    return "\n".join([NO_MODEL_LABELS[locale], *(quotes or [NO_MEMORY_ANSWERS[locale]])])


def _format_quote(item: ReceiptItem) -> str:
    text = to_single_line(item.text)
    quote = text if len(text) <= MAX_QUOTE_CHARS else text[: MAX_QUOTE_CHARS - 1] + "…"
    return f"{quote} ({item.created_at:%Y-%m-%d})"

"""Judge a message by rules, in English and Portuguese, without any language model."""

from datetime import datetime

from recollect.domain.extraction import Fact, Judgement
from recollect.domain.message import Role
from recollect.extraction.rules.en.language import ENGLISH
from recollect.extraction.rules.extractor import facts
from recollect.extraction.rules.importance import importance, message_type, summary
from recollect.extraction.rules.pt.language import PORTUGUESE
from recollect.extraction.rules.sentences import visible
from recollect.text.identifiers import looks_like_code
from recollect.text.language import detect

_LANGUAGES = {"en": ENGLISH, "pt": PORTUGUESE}


def judge(text: str, *, role: Role, said_at: datetime, language: str | None = None) -> Judgement:
    """
    Say what a message is worth and which facts the speaker states in it.

    Only users state facts; every fact cites the characters it rests on.
    """
    if role not in {Role.USER, Role.ASSISTANT}:
        return Judgement(importance=0, reason=f"{role} text is never learned from")
    spoken = _spoken_in(text, language)
    found = _facts(text, said_at, spoken) if role is Role.USER else []
    shown = visible(text)
    kind = message_type(found, code=_mostly_code(text, shown))
    worth = importance(found, shown, kind)
    return Judgement(
        importance=worth,
        message_type=kind,
        summary=summary(found, shown, spoken) if worth else None,
        facts=tuple(found),
        reason="judged by rules" if worth else "nothing to keep",
    )


def _spoken_in(text: str, language: str | None) -> str:
    tag = (language or detect(text) or "").split("-")[0].casefold()
    return tag if tag in _LANGUAGES else "en"


def _facts(text: str, said_at: datetime, spoken: str) -> list[Fact]:
    # A short or mixed message may be taken for the wrong language; the rules of the other one do no harm.
    other = next(code for code in _LANGUAGES if code != spoken)
    return facts(text, said_at, _LANGUAGES[spoken]) or facts(text, said_at, _LANGUAGES[other])


def _mostly_code(text: str, shown: str) -> bool:
    hidden = len(text.split()) - len(shown.split())
    return "```" in text or (hidden > len(shown.split()) and looks_like_code(text))

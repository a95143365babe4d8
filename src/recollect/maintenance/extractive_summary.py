"""Says in few words what a conversation came to, from its own sentences, when there is no model to do it."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from recollect.domain.message import SPEAKERS, Message, Role
from recollect.errors import AnswerUnreadable
from recollect.maintenance.mood import MOODS, feeling
from recollect.maintenance.sentence_cues import CLAUSE_END, CONTEXT, COURTESY, DECISIONS, GOALS, PREFERENCES
from recollect.maintenance.sentences import clipped, sentences
from recollect.text.analyzer import STOP_WORDS, folded
from recollect.text.language import detect
from recollect.text.tokens import clip_to, estimate

_GOAL_WORDS = 14
_TOPICS = 3
_BULLET_WORDS = 24
_LONGEST_SENTENCE = 400

_WORDS = {
    "en": {"goal": "User wants to", "topic": "User discussing", "user": "User", "before": "before"},
    "pt": {"goal": "Usuário quer", "topic": "Usuário discutindo", "user": "Usuário", "before": "antes"},
}
_LABELS = {
    "en": ("Decision", "Preference", "Context"),
    "pt": ("Decisão", "Preferência", "Contexto"),
}
#: What the speaker calls theirs is somebody else's in a summary.
_OTHERS = {
    "en": {
        "my": "their",
        "our": "their",
        "me": "them",
        "us": "them",
        "i": "they",
        "i'm": "they are",
        "mine": "theirs",
    },
    "pt": {"meu": "seu", "minha": "sua", "meus": "seus", "minhas": "suas", "nosso": "seu", "nossa": "sua"},
}
_TERM = re.compile(r"[^\W\d_][\w.+#-]*[\w+#]")
_COMMON = STOP_WORDS | frozenset(
    """
    very much want wants need needs like help please make thing things something really know think going get got use
    using good time today now here yes okay thanks hello work works working try trying still again extremely super
    completely always never sempre nunca doesn't don't can't i'm
    quero preciso gostaria ajuda favor fazer coisa coisas algo muito bem aqui hoje agora sim obrigado obrigada tudo vou
    vamos esta estou pode podemos acho ainda novo entao assim sobre tambem tenho fica ficou dar deu funciona nada tao
    demais
    """.split()
)
_MOOD_WORDS = re.compile("|".join(mood.named for mood in MOODS))
_MOOD_TAIL = re.compile(r",? ?(?:slightly|very|levemente|muito) [\w ]{3,20}(?=[.;]|\Z)", re.IGNORECASE)
_BULLET = re.compile(r"\s*(?:[-*•]|\d{1,2}[.)])\s+")
_FENCED = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_STOP = re.compile(r"[.!?…][\"'”)]?(?=\s|\Z)")


def due(assistant_messages_since_last: int, every: int) -> bool:
    """Whether it is time for another summary: so many answers after the last one, whoever else spoke between."""
    return every > 0 and assistant_messages_since_last >= every


def session_summary(
    previous: str | None,
    messages: Sequence[Message],
    *,
    locale: str,
    max_tokens: int = 80,
    max_words: int = 30,
) -> str:
    """
    One dense sentence: what the user is after now, how they feel, and, where there is room, what it was before.

    As long as they say nothing new they are after what they were; a mood that is not heard again has passed.
    Empty when there is nothing to tell.
    """
    words = _WORDS.get(locale, _WORDS["en"])
    said = [message.content for message in messages if message.role is Role.USER]
    told = [sentence for text in said for sentence in sentences(text) if not COURTESY.match(sentence)]
    before = _state(" ".join((previous or "").split()), words)
    now = _goal(told, words) or _topic(told, words)
    felt = feeling([" ".join(sentences(text)) for text in said])
    state = now or before or (words["user"] if felt else "")
    sentence = f"{state}, {felt.told(locale)}" if felt else state
    if now and before and folded(before) != folded(now):
        full = f"{sentence}; {words['before']}: {_without_user(before, words)}."
        if len(full.split()) <= max_words and estimate(full) <= max_tokens:
            return full
    return _fitted(sentence, max_tokens, max_words)


def conversation_summary(messages: Sequence[Message], *, max_tokens: int = 200) -> str:
    """
    Bullets: decisions, then preferences and limits, then what else will matter; empty when nothing does.

    Only what user and assistant said, never code.
    """
    spoken = [message for message in messages if message.role in SPEAKERS]
    points = _distinct(point for message in spoken for point in _points(message))
    language = "pt" if detect(" ".join(message.content[:100] for message in spoken)) == "pt" else "en"
    kept: list[_Point] = []
    for point in sorted(points, key=lambda point: -point.worth):
        if estimate(_listed([*kept, point], language)) <= max_tokens:
            kept.append(point)
    order = {id(point): place for place, point in enumerate(points)}
    return _listed(sorted(kept, key=lambda point: (point.group, order[id(point)])), language)


def validated(text: str, max_tokens: int) -> str:
    """
    What a model wrote, within its size: whole bullets or whole sentences, no code.

    Raises AnswerUnreadable when nothing is left, so that silence is never taken for a summary.
    """
    shown = _unquoted(_FENCED.sub("", text).strip())
    if not shown:
        raise AnswerUnreadable(
            "The model gave no summary. The last one stays; retry the job, or choose another model."
        )
    if estimate(shown) <= max_tokens:
        return shown
    lines = [line.rstrip() for line in shown.splitlines() if line.strip()]
    units, glue = (lines, "\n") if any(map(_BULLET.match, lines)) else (_split(shown), " ")
    kept: list[str] = []
    for unit in units:
        if estimate(glue.join([*kept, unit])) > max_tokens:
            break
        kept.append(unit)
    return glue.join(kept) or _cut(units[0], max_tokens)


def _unquoted(text: str) -> str:
    inner = text[1:-1]
    if text[:1] + text[-1:] in {'""', "“”"} and not set(inner) & set('"“”'):
        return inner.strip()
    return text


@dataclass(frozen=True, slots=True, kw_only=True)
class _Point:
    text: str
    group: int  #: 0 decision, 1 preference, 2 context
    worth: float


def _points(message: Message) -> Iterator[_Point]:
    for sentence in sentences(message.content):
        group = _group(sentence, message.role)
        if group is not None:
            yield _Point(
                text=clipped(sentence, _BULLET_WORDS),
                group=group,
                worth=_worth(sentence, group, message.role),
            )


def _group(sentence: str, role: Role) -> int | None:
    """What an assistant likes is nobody's preference, and what is asked is neither decided nor preferred."""
    if len(sentence) > _LONGEST_SENTENCE or len(sentence.split()) < 3 or COURTESY.match(sentence):
        return None
    asked = sentence.endswith("?")
    if DECISIONS.search(sentence) and not asked:
        return 0
    if PREFERENCES.search(sentence) and not asked and role is Role.USER:
        return 1
    return 2 if CONTEXT.search(sentence) and not (asked and role is Role.ASSISTANT) else None


def _worth(sentence: str, group: int, role: Role) -> float:
    long_words = sum(len(word) > 4 or not word.islower() for word in set(sentence.split()))
    return (3 - group) * 4 + (2 if role is Role.USER else 0) + min(long_words, 8) / 4


def _distinct(points: Iterable[_Point]) -> list[_Point]:
    """Each thing once; of two that share most of their words the first is kept."""
    kept: list[tuple[_Point, set[str]]] = []
    for point in points:
        words = {folded(word) for word in _TERM.findall(point.text)} - STOP_WORDS
        if words and not any(len(words & other) >= 0.7 * min(len(words), len(other)) for _, other in kept):
            kept.append((point, words))
    return [point for point, _ in kept]


def _listed(points: Sequence[_Point], language: str) -> str:
    labels = _LABELS[language]
    return "\n".join(f"- {labels[point.group]}: {point.text.rstrip('.')}" for point in points)


def _goal(told: Sequence[str], words: dict[str, str]) -> str | None:
    """The last thing the user said they are after."""
    for sentence in reversed(told):
        language = "pt" if detect(sentence) == "pt" else "en"
        match = GOALS[language].search(sentence)
        if match is None:
            continue
        rest = sentence[match.end() :].strip()
        end = CLAUSE_END.search(rest)
        aim = clipped(rest[: end.start()] if end else rest, _GOAL_WORDS)
        if len(aim.split()) > 1:
            return f"{words['goal']} {_of_others(aim, language)}"
    return None


def _of_others(aim: str, language: str) -> str:
    others = _OTHERS[language]
    return " ".join(others.get(word.lower(), word) for word in aim.split())


def _topic(told: Sequence[str], words: dict[str, str]) -> str | None:
    """What was talked about most, the later the more."""
    counts: dict[str, float] = {}
    shown: dict[str, str] = {}
    for place, sentence in enumerate(told, start=1):
        for word in _TERM.findall(sentence):
            key = folded(word)
            if len(key) > 3 and key not in _COMMON and not _MOOD_WORDS.fullmatch(key):
                counts[key] = counts.get(key, 0.0) + 1 + place / len(told)
                shown.setdefault(key, word)
    topics = [shown[key] for key in sorted(counts, key=lambda key: -counts[key])[:_TOPICS]]
    return f"{words['topic']} {', '.join(topics)}" if topics else None


def _state(previous: str, words: dict[str, str]) -> str:
    """What the last summary said the user was after, without their mood and what was before that."""
    first = previous.strip().split(f"; {words['before']}:")[0]
    bare = _MOOD_TAIL.sub("", first).strip().rstrip(".")
    return "" if bare == words["user"] else bare


def _without_user(state: str, words: dict[str, str]) -> str:
    return state.removeprefix(words["topic"]).removeprefix(words["goal"]).removeprefix(words["user"]).strip()


def _fitted(sentence: str, max_tokens: int, max_words: int) -> str:
    if not sentence:
        return ""
    text = clipped(" ".join(sentence.split()).rstrip("."), max_words)
    whole = text if text.endswith("…") else f"{text}."
    return whole if estimate(whole) <= max_tokens else _cut(text, max_tokens)


def _cut(text: str, max_tokens: int) -> str:
    """At a word, with a sign that there was more; never over the size."""
    # In rare scripts the sign can cost more at the end of a text than by itself.
    for size in range(max_tokens - 1, 0, -1):
        room = clip_to(text, size)
        kept = room if len(room) == len(text) else room.rpartition(" ")[0] or room
        shown = f"{kept.rstrip(' ,;:')}…" if kept.strip() else ""
        if estimate(shown) <= max_tokens:
            return shown
    return ""


def _split(text: str) -> list[str]:
    parts, place = [], 0
    for stop in _STOP.finditer(text):
        parts.append(text[place : stop.end()].strip())
        place = stop.end()
    return [part for part in (*parts, text[place:].strip()) if part]

"""Extractive summaries of conversations, built from their own sentences without a language model."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from recollect.domain.message import CHAT_ROLES, Message, Role
from recollect.errors import AnswerUnreadable
from recollect.maintenance.mood import MOOD_NAMES_PATTERN, detect_mood
from recollect.maintenance.sentence_cues import (
    CLAUSE_END_PATTERN,
    CONTEXT_PATTERN,
    COURTESY_PATTERN,
    DECISION_PATTERN,
    GOAL_PATTERNS,
    PREFERENCE_PATTERN,
)
from recollect.maintenance.sentences import split_sentences, truncate_words
from recollect.text.analyzer import STOP_WORDS, fold_text
from recollect.text.language import detect_language
from recollect.text.tokens import estimate_tokens, truncate_to_tokens

_MAX_GOAL_WORDS = 14
_MAX_QUOTED_WORDS = 16
_MAX_BULLET_WORDS = 24
_MAX_SENTENCE_CHARS = 400

_SUMMARY_PHRASES = {
    "en": {"goal": "User wants to", "topic": "User said", "user": "User", "previous_state": "before"},
    "pt": {
        "goal": "Usuário quer",
        "topic": "Usuário disse",
        "user": "Usuário",
        "previous_state": "antes",
    },
}
_BULLET_LABELS = {
    "en": ("Decision", "Preference", "Context"),
    "pt": ("Decisão", "Preferência", "Contexto"),
}
#: First-person words and their third-person form in a summary.
_THIRD_PERSON_PRONOUNS = {
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
_TERM_PATTERN = re.compile(r"[^\W\d_][\w.+#-]*[\w+#]")
_COMMON_WORDS = STOP_WORDS | frozenset(
    """
    very much want wants need needs like help please make thing things something really know think going get got use
    using good time today now here yes okay thanks hello work works working try trying still again extremely super
    completely always never sempre nunca doesn't don't can't i'm
    quero preciso gostaria ajuda favor fazer coisa coisas algo muito bem aqui hoje agora sim obrigado obrigada tudo vou
    vamos esta estou pode podemos acho ainda novo entao assim sobre tambem tenho fica ficou dar deu funciona nada tao
    demais
    """.split()
)
_MOOD_SUFFIX_PATTERN = re.compile(
    r",? ?(?:slightly|very|levemente|muito) [\w ]{3,20}(?=[.;]|\Z)", re.IGNORECASE
)
_BULLET_PATTERN = re.compile(r"\s*(?:[-*•]|\d{1,2}[.)])\s+")
_CODE_FENCE_PATTERN = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_SENTENCE_END_PATTERN = re.compile(r"[.!?…][\"'”)]?(?=\s|\Z)")


def is_summary_due(assistant_messages_since_last: int, every: int) -> bool:
    """Return whether the assistant has answered often enough since the last summary; 0 turns summaries off."""
    return every > 0 and assistant_messages_since_last >= every


def summarize_session(
    previous: str | None,
    messages: Sequence[Message],
    *,
    locale: str,
    max_tokens: int = 80,
    max_words: int = 30,
) -> str:
    """
    Return one sentence: the user's current goal or main statement, their mood, and, if it fits, the previous goal.

    Without a new one, the goal or statement of the previous summary is repeated; a mood is not. Empty if there is
    nothing to say.
    """
    phrases = _SUMMARY_PHRASES.get(locale, _SUMMARY_PHRASES["en"])
    user_texts = [message.content for message in messages if message.role is Role.USER]
    user_sentences = [
        sentence
        for text in user_texts
        for sentence in split_sentences(text)
        if not COURTESY_PATTERN.match(sentence)
    ]
    previous_state = _parse_state(" ".join((previous or "").split()), phrases)
    current_state = _find_goal(user_sentences, phrases) or _find_topic(user_sentences, phrases)
    mood = detect_mood([" ".join(split_sentences(text)) for text in user_texts])
    state = current_state or previous_state or (phrases["user"] if mood else "")
    sentence = f"{state}, {mood.describe(locale)}" if mood else state
    if current_state and previous_state and fold_text(previous_state) != fold_text(current_state):
        full = f"{sentence}; {phrases['previous_state']}: {_strip_subject(previous_state, phrases)}."
        if len(full.split()) <= max_words and estimate_tokens(full) <= max_tokens:
            return full
    return _fit_sentence(sentence, max_tokens, max_words)


def summarize_conversation(messages: Sequence[Message], *, max_tokens: int = 200) -> str:
    """
    Return bullets with decisions, then preferences and limits, then other context; empty if there is none.

    Only user and assistant messages are used, without their code.
    """
    chat_messages = [message for message in messages if message.role in CHAT_ROLES]
    points = _deduplicate(point for message in chat_messages for point in _extract_points(message))
    language = (
        "pt"
        if detect_language(" ".join(message.content[:100] for message in chat_messages)) == "pt"
        else "en"
    )
    selected: list[_SummaryPoint] = []
    for point in sorted(points, key=lambda point: -point.score):
        if estimate_tokens(_format_bullets([*selected, point], language)) <= max_tokens:
            selected.append(point)
    order = {id(point): position for position, point in enumerate(points)}
    return _format_bullets(sorted(selected, key=lambda point: (point.group, order[id(point)])), language)


def validate_summary(text: str, max_tokens: int) -> str:
    """
    Return a model's summary without code, truncated to whole bullets or sentences within the limit.

    Raises AnswerUnreadable when nothing is left, so that an empty reply is never stored as a summary.
    """
    summary = _strip_quotes(_CODE_FENCE_PATTERN.sub("", text).strip())
    if not summary:
        raise AnswerUnreadable(
            "The model returned an empty summary. The previous one is kept; retry the job or choose another model."
        )
    if estimate_tokens(summary) <= max_tokens:
        return summary
    lines = [line.rstrip() for line in summary.splitlines() if line.strip()]
    units, separator = (
        (lines, "\n") if any(map(_BULLET_PATTERN.match, lines)) else (_split_at_stops(summary), " ")
    )
    fitting_units: list[str] = []
    for unit in units:
        if estimate_tokens(separator.join([*fitting_units, unit])) > max_tokens:
            break
        fitting_units.append(unit)
    return separator.join(fitting_units) or _truncate_tokens(units[0], max_tokens)


def _strip_quotes(text: str) -> str:
    inner = text[1:-1]
    if text[:1] + text[-1:] in {'""', "“”"} and not set(inner) & set('"“”'):
        return inner.strip()
    return text


@dataclass(frozen=True, slots=True, kw_only=True)
class _SummaryPoint:
    text: str
    group: int  #: 0 decision, 1 preference, 2 context
    score: float


def _extract_points(message: Message) -> Iterator[_SummaryPoint]:
    for sentence in split_sentences(message.content):
        group = _classify_sentence(sentence, message.role)
        if group is not None:
            yield _SummaryPoint(
                text=truncate_words(sentence, _MAX_BULLET_WORDS),
                group=group,
                score=_score_sentence(sentence, group, message.role),
            )


def _classify_sentence(sentence: str, role: Role) -> int | None:
    """Return the group of a sentence: 0 decision, 1 preference, 2 context; None if it is none of them."""
    if len(sentence) > _MAX_SENTENCE_CHARS or len(sentence.split()) < 3 or COURTESY_PATTERN.match(sentence):
        return None
    # Questions are no decisions or preferences, and an assistant has no preferences of its own.
    is_question = sentence.endswith("?")
    if DECISION_PATTERN.search(sentence) and not is_question:
        return 0
    if PREFERENCE_PATTERN.search(sentence) and not is_question and role is Role.USER:
        return 1
    return 2 if CONTEXT_PATTERN.search(sentence) and not (is_question and role is Role.ASSISTANT) else None


def _score_sentence(sentence: str, group: int, role: Role) -> float:
    long_words = sum(len(word) > 4 or not word.islower() for word in set(sentence.split()))
    return (3 - group) * 4 + (2 if role is Role.USER else 0) + min(long_words, 8) / 4


def _deduplicate(points: Iterable[_SummaryPoint]) -> list[_SummaryPoint]:
    """Drop points that share 70 % of their words with an earlier one."""
    distinct_points: list[tuple[_SummaryPoint, set[str]]] = []
    for point in points:
        words = {fold_text(word) for word in _TERM_PATTERN.findall(point.text)} - STOP_WORDS
        if words and not any(
            len(words & other) >= 0.7 * min(len(words), len(other)) for _, other in distinct_points
        ):
            distinct_points.append((point, words))
    return [point for point, _ in distinct_points]


def _format_bullets(points: Sequence[_SummaryPoint], language: str) -> str:
    labels = _BULLET_LABELS[language]
    return "\n".join(f"- {labels[point.group]}: {point.text.rstrip('.')}" for point in points)


def _find_goal(user_sentences: Sequence[str], phrases: dict[str, str]) -> str | None:
    """Return the last goal the user stated."""
    for sentence in reversed(user_sentences):
        language = "pt" if detect_language(sentence) == "pt" else "en"
        match = GOAL_PATTERNS[language].search(sentence)
        if match is None:
            continue
        rest = sentence[match.end() :].strip()
        end = CLAUSE_END_PATTERN.search(rest)
        goal = truncate_words(rest[: end.start()] if end else rest, _MAX_GOAL_WORDS)
        if len(goal.split()) > 1:
            return f"{phrases['goal']} {_to_third_person(goal, language)}"
    return None


def _to_third_person(goal: str, language: str) -> str:
    pronouns = _THIRD_PERSON_PRONOUNS[language]
    return " ".join(pronouns.get(word.lower(), word) for word in goal.split())


def _find_topic(user_sentences: Sequence[str], phrases: dict[str, str]) -> str | None:
    """Quote the statement with the most frequent terms; terms of later sentences count up to twice."""
    terms_by_sentence = [set(_terms(sentence)) for sentence in user_sentences]
    counts: dict[str, float] = {}
    for position, terms in enumerate(terms_by_sentence, start=1):
        for term in terms:
            counts[term] = counts.get(term, 0.0) + 1 + position / len(user_sentences)
    scores = [sum(counts[term] for term in terms) for terms in terms_by_sentence]
    # Of equal ones, the last.
    best = max(range(len(scores)), key=lambda place: (scores[place], place), default=None)
    if best is None or not scores[best]:
        return None
    quoted = truncate_words(user_sentences[best].strip('"“” '), _MAX_QUOTED_WORDS).rstrip(".")
    return f"{phrases['topic']} “{quoted}”"


def _terms(sentence: str) -> Iterator[str]:
    for word in _TERM_PATTERN.findall(sentence):
        term = fold_text(word)
        if len(term) > 3 and term not in _COMMON_WORDS and not MOOD_NAMES_PATTERN.fullmatch(term):
            yield term


def _parse_state(previous: str, phrases: dict[str, str]) -> str:
    """Return the goal or topic of the previous summary, without mood and earlier goal."""
    first = previous.strip().split(f"; {phrases['previous_state']}:")[0]
    state = _MOOD_SUFFIX_PATTERN.sub("", first).strip().rstrip(".")
    return "" if state == phrases["user"] else state


def _strip_subject(state: str, phrases: dict[str, str]) -> str:
    return (
        state.removeprefix(phrases["topic"])
        .removeprefix(phrases["goal"])
        .removeprefix(phrases["user"])
        .strip()
    )


def _fit_sentence(sentence: str, max_tokens: int, max_words: int) -> str:
    if not sentence:
        return ""
    text = truncate_words(" ".join(sentence.split()).rstrip("."), max_words)
    full_sentence = text if text.endswith("…") else f"{text}."
    return (
        full_sentence if estimate_tokens(full_sentence) <= max_tokens else _truncate_tokens(text, max_tokens)
    )


def _truncate_tokens(text: str, max_tokens: int) -> str:
    """Truncate at a word and append an ellipsis, within the limit."""
    # In rare scripts the ellipsis can cost more tokens after a text than alone.
    for size in range(max_tokens - 1, 0, -1):
        prefix = truncate_to_tokens(text, size)
        head = prefix if len(prefix) == len(text) else prefix.rpartition(" ")[0] or prefix
        truncated_text = f"{head.rstrip(' ,;:')}…" if head.strip() else ""
        if estimate_tokens(truncated_text) <= max_tokens:
            return truncated_text
    return ""


def _split_at_stops(text: str) -> list[str]:
    parts, position = [], 0
    for stop in _SENTENCE_END_PATTERN.finditer(text):
        parts.append(text[position : stop.end()].strip())
        position = stop.end()
    return [part for part in (*parts, text[position:].strip()) if part]

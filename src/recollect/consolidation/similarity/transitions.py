"""Detect facts that end another one: a retracted or reversed preference, a job that ended, a goal that was reached."""

from dataclasses import replace

from recollect.consolidation.similarity.statement import Statement, parse_statement, shared_language
from recollect.domain.memory import Kind, Memory
from recollect.domain.message import Role
from recollect.text.analyzer import fold_text, stem
from recollect.text.languages.en import ENGLISH
from recollect.text.languages.pt import PORTUGUESE

#: Irregular past forms with their base verb.
_IRREGULAR_PAST_VERBS = dict(
    pair.split(":")
    for pair in (
        "ran:run swam:swim bought:buy sold:sell wrote:write written:write read:read built:build won:win got:get "
        "became:become went:go made:make found:find left:leave quit:quit lost:lose did:do rode:ride flew:fly "
        "correu:correr nadou:nadar fez:fazer foi:ir virou:virar abriu:abrir"
    ).split()
)
#: Words that express an intention, not its object.
_INTENT_WORDS = frozenset(
    """
    want goal dream aim plan plans planning hope hopes hoping intend intends ambition resolution like trying training
    saving preparing would to meta objetivo sonho planeja espera gostaria sonha tentando treinando for para
    """.split()
)
#: Words that express a time, not the object of a goal.
_TIME_WORDS = frozenset(
    """
    year month week day today yesterday tomorrow next last this soon someday spring summer autumn fall winter end by
    ano mes semana dia hoje ontem amanha proximo proxima passado passada vem fim ate verao inverno
    """.split()
).union(*(language.calendar.months for language in (ENGLISH, PORTUGUESE)))


def retracts(existing_memory: Memory, new_memory: Memory) -> bool:
    """Whether a negated fact retracts a memory: "doesn't like coffee any more" after "loves black coffee"."""
    if (
        existing_memory.user != new_memory.user
        or existing_memory.speaker is not new_memory.speaker
        or existing_memory.id == new_memory.id
    ):
        return False
    if is_job_at_employer(existing_memory, new_memory):
        return True
    language = shared_language(existing_memory.text, new_memory.text)
    existing_statement, new_statement = (
        parse_statement(existing_memory.text, language),
        parse_statement(new_memory.text, language),
    )
    if (
        existing_statement.is_negated
        or not new_statement.is_negated
        or len(new_statement.words) < 2
        or existing_memory.kind is not new_memory.kind
    ):
        return False
    return existing_statement.words[:1] == new_statement.words[:1] and _stems(
        new_statement, language
    ) <= _stems(existing_statement, language)


def reverses(existing_memory: Memory, new_memory: Memory) -> bool:
    """Whether two preferences say the opposite of the same thing: "doesn't like coffee" and "likes coffee"."""
    if (
        existing_memory.user != new_memory.user
        or existing_memory.speaker is not new_memory.speaker
        or existing_memory.kind is not Kind.PREFERENCE
        or new_memory.kind is not Kind.PREFERENCE
        or existing_memory.attribute != new_memory.attribute
    ):
        return False
    language = shared_language(existing_memory.text, new_memory.text)
    existing_statement, new_statement = (
        parse_statement(existing_memory.text, language),
        parse_statement(new_memory.text, language),
    )
    return (
        existing_statement.is_negated != new_statement.is_negated
        and len(new_statement.words) > 1
        and existing_statement.words == new_statement.words
    )


def fulfils_goal(goal: Memory, event: Memory) -> bool:
    """Whether an event fulfils a goal: it contains all significant words of the goal."""
    if goal.kind is not Kind.GOAL or event.kind is not Kind.EVENT or goal.user != event.user:
        return False
    language = shared_language(goal.text, event.text)
    goal_statement, event_statement = (
        parse_statement(goal.text, language),
        parse_statement(event.text, language),
    )
    goal_stems = _stems(goal_statement, language, excluded=_INTENT_WORDS | _TIME_WORDS)
    return (
        not (goal_statement.is_negated or event_statement.is_negated)
        and len(goal_stems) > 1
        and goal_stems <= _stems(event_statement, language)
    )


def is_job_at_employer(job: Memory, employer: Memory) -> bool:
    """Whether a job names the employer of another memory: "is a nurse at Mercy" and "works at Mercy"."""
    if job.attribute != "job" or employer.attribute != "employer" or not employer.value:
        return False
    value = fold_text(employer.value).split()
    words = fold_text(job.text).split()
    return any(words[place : place + len(value)] == value for place in range(1, len(words)))


def _stems(statement: Statement, language: str, excluded: frozenset[str] = frozenset()) -> set[str]:
    return {
        stem(_IRREGULAR_PAST_VERBS.get(word, word), language)
        for word in statement.words
        if word not in excluded and not word.isdecimal()
    }


def repeats(existing_memory: Memory, new_memory: Memory) -> bool:
    """Whether the assistant's statement contains all significant words of a memory."""
    if new_memory.speaker is not Role.ASSISTANT or existing_memory.user != new_memory.user:
        return False
    language = shared_language(existing_memory.text, new_memory.text)
    existing_stems = _stems(parse_statement(existing_memory.text, language), language)
    return bool(existing_stems) and existing_stems <= _stems(
        parse_statement(new_memory.text, language), language
    )


def echoes(memory: Memory, sentence: str) -> bool:
    """Whether a sentence of the assistant contains all significant words of a memory."""
    return repeats(memory, replace(memory, text=sentence, speaker=Role.ASSISTANT))

"""What turns a page: a taste that is taken back, a job that ended, a goal that was reached."""

from recollect.consolidation.similarity.statement import Statement, language_of, read
from recollect.domain.memory import Kind, Memory
from recollect.domain.message import Role
from recollect.text.analyzer import folded, stem

#: Past forms that do not look like their verb.
_VERBS = dict(
    pair.split(":")
    for pair in (
        "ran:run swam:swim bought:buy sold:sell wrote:write written:write read:read built:build won:win got:get "
        "became:become went:go made:make found:find left:leave quit:quit lost:lose did:do rode:ride flew:fly "
        "correu:correr nadou:nadar fez:fazer foi:ir virou:virar abriu:abrir"
    ).split()
)
#: Say that something is wanted, not what.
_WANTING = frozenset(
    """
    want goal dream aim plan plans planning hope hopes hoping intend intends ambition resolution like trying training
    saving preparing would to meta objetivo sonho planeja espera gostaria sonha tentando treinando for para
    """.split()
)
#: Say when, not what.
_TIMES = frozenset(
    """
    january february march april may june july august september october november december year month week day today
    yesterday tomorrow next last this soon someday spring summer autumn fall winter end by
    janeiro fevereiro marco abril maio junho julho agosto setembro outubro novembro dezembro ano mes semana dia hoje
    ontem amanha proximo proxima passado passada vem fim ate verao inverno
    """.split()
)


def takes_back(known: Memory, said: Memory) -> bool:
    """Whether a denial denies what is known: "doesn't like coffee any more" after "loves black coffee"."""
    if known.user != said.user or known.speaker is not said.speaker or known.id == said.id:
        return False
    if employs(known, said):
        return True
    language = language_of(known.text, said.text)
    was, denied = read(known.text, language), read(said.text, language)
    if was.denied or not denied.denied or len(denied.words) < 2 or known.kind is not said.kind:
        return False
    return was.words[:1] == denied.words[:1] and _stems(denied, language) <= _stems(was, language)


def reached(goal: Memory, event: Memory) -> bool:
    """Whether something that happened is what somebody wanted to do."""
    if goal.kind is not Kind.OBJ or event.kind is not Kind.EVT or goal.user != event.user:
        return False
    language = language_of(goal.text, event.text)
    wanted, happened = read(goal.text, language), read(event.text, language)
    aim = _stems(wanted, language, without=_WANTING | _TIMES)
    return not (wanted.denied or happened.denied) and len(aim) > 1 and aim <= _stems(happened, language)


def employs(job: Memory, employer: Memory) -> bool:
    """Whether a job is with an employer that is named alone: "is a nurse at Mercy", "works at Mercy"."""
    if job.attribute != "job" or employer.attribute != "employer" or not employer.value:
        return False
    value = folded(employer.value).split()
    words = folded(job.text).split()
    return any(words[place : place + len(value)] == value for place in range(1, len(words)))


def _stems(statement: Statement, language: str, without: frozenset[str] = frozenset()) -> set[str]:
    return {
        stem(_VERBS.get(word, word), language)
        for word in statement.words
        if word not in without and not word.isdecimal()
    }


def echoes(known: Memory, said: Memory) -> bool:
    """Whether an assistant only says what is known, in the same words and perhaps some around them."""
    if said.speaker is not Role.ASSISTANT or known.user != said.user:
        return False
    language = language_of(known.text, said.text)
    told = _stems(read(known.text, language), language)
    return bool(told) and told <= _stems(read(said.text, language), language)

"""
One fact, one item: a fact, its source message, an echo of the assistant and near duplicates are folded into one.

Candidates are taken best first. What says the same as an item that is kept is folded into it, and the receipt names
that item. Of a memory and its source message the memory stays if it covers most of what the message says, since it is
shorter; otherwise the message stays, and the memories that it contains are folded into it. An answer that repeats what
the user said is folded, whatever its rank. O(n²) comparisons of word sets for the about ten relevant candidates.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from recollect.domain.candidate import Candidate, Rejection, ScoredCandidate, Source
from recollect.domain.memory import Memory
from recollect.domain.message import ChunkKind, Role
from recollect.retrieval import reasons
from recollect.retrieval.excerpts import says_the_same, sentences_of, share_of_words
from recollect.retrieval.provenance import source_message_id, states
from recollect.retrieval.selection import SelectedCandidates
from recollect.text.analyzer import fold_text

MIN_RELEVANCE_RATIO = 1.25
#: Share of the content words of each sentence of a message that its memories must have to replace it.
MIN_COVERAGE = 0.6
#: Share of an answer's content words that the message before it contains, if the answer only confirms it.
MIN_ECHO = 0.5
#: The same for an answer that begins with a confirmation and follows the message.
MIN_CONFIRMED_ECHO = 0.2
#: First words of an answer that confirms what the user said.
_CONFIRMATIONS = (
    "noted", "agreed", "understood", "got it", "will do", "done", "deal", "okay", "ok", "sure", "of course", "right",
    "then", "so", "no problem", "perfect", "congratulations", "combinado", "anotado", "entendido", "certo", "fechado",
    "claro", "ok", "perfeito", "entao", "parabens", "corrigido", "beleza", "feito",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class _Fold:
    item: ScoredCandidate
    into: Candidate


def fold_repeats(selection: SelectedCandidates, memories: Sequence[Memory] = ()) -> SelectedCandidates:
    """Return the selection without repeats; `memories` are those made from the messages among the candidates."""
    sources = {memory.id: memory.spans[0].message_id for memory in memories if memory.spans}
    folds = _fold_messages(selection.candidates, sources)
    for key, before in _fold_echoes(selection.candidates).items():
        into = folds[before.candidate.key].into if before.candidate.key in folds else before.candidate
        answer = next(each for each in selection.candidates if each.candidate.key == key)
        folds[key] = _Fold(item=answer, into=into)
    remaining = [each for each in selection.candidates if each.candidate.key not in folds]
    unique: list[ScoredCandidate] = []
    # What the user said comes before what the assistant made of it.
    for scored in sorted(remaining, key=lambda each: each.candidate.role is Role.ASSISTANT):
        twin = next((each for each in unique if _repeats(scored.candidate, each.candidate)), None)
        if twin is None:
            unique.append(scored)
        else:
            folds[scored.candidate.key] = _Fold(item=scored, into=twin.candidate)
    kept = {each.candidate.key for each in unique}
    rejections = [
        Rejection(scored=fold.item, reason=reasons.says_the_same(fold.into)) for fold in folds.values()
    ]
    return SelectedCandidates(
        candidates=tuple(each for each in selection.candidates if each.candidate.key in kept),
        rejections=(*rejections, *selection.rejections),
    )


def _fold_messages(
    candidates: Sequence[ScoredCandidate], sources: Mapping[str, str]
) -> dict[tuple[Source, str], _Fold]:
    """Fold each message into its memories if they cover it, and otherwise its memories into the message."""
    folds: dict[tuple[Source, str], _Fold] = {}
    for scored in candidates:
        message_id = source_message_id(scored.candidate)
        if message_id is None or _is_code(scored.candidate):
            continue
        own = [
            each
            for each in candidates
            if each.candidate.source is Source.MEMORY
            and sources.get(each.candidate.id) == message_id
            and states(scored.candidate.text, each.candidate.text)
        ]
        if not own:
            continue
        joined = " ".join(each.candidate.text for each in own)
        is_covered = all(
            share_of_words(sentence.text, joined) >= MIN_COVERAGE
            for sentence in sentences_of(scored.candidate.text)
            if sentence.has_content
        )
        # A memory that is far more relevant than its whole message carries the answer.
        if is_covered or max(map(_relevance, own)) >= MIN_RELEVANCE_RATIO * _relevance(scored) > 0:
            folds[scored.candidate.key] = _Fold(item=scored, into=own[0].candidate)
        else:
            folds |= {each.candidate.key: _Fold(item=each, into=scored.candidate) for each in own}
    return folds


def _repeats(candidate: Candidate, other: Candidate) -> bool:
    if says_the_same(other.text, candidate.text):
        return True
    if candidate.role is not Role.ASSISTANT or other.role is Role.ASSISTANT or _is_code(candidate):
        return False
    return (
        candidate.chat == other.chat
        and _confirms(candidate.text)
        and share_of_words(candidate.text, other.text) >= MIN_ECHO
    )


def _fold_echoes(
    candidates: Sequence[ScoredCandidate],
) -> dict[tuple[Source, str], ScoredCandidate]:
    """Return the message of the user that an answer only confirms, by the key of the answer."""
    questions = {
        each.candidate.position.passage_id: each
        for each in candidates
        if each.candidate.position is not None and each.candidate.role is Role.USER
    }
    echoes: dict[tuple[Source, str], ScoredCandidate] = {}
    for scored in candidates:
        answer = scored.candidate
        if answer.role is not Role.ASSISTANT or answer.position is None or _is_code(answer):
            continue
        before = questions.get(answer.position.previous_id or 0)
        if before is None:
            continue
        min_share = MIN_CONFIRMED_ECHO if _confirms(answer.text) else MIN_ECHO
        if share_of_words(answer.text, before.candidate.text) >= min_share:
            echoes[answer.key] = before
    return echoes


def _confirms(text: str) -> bool:
    opening = fold_text(text).lstrip()
    return any(
        opening.startswith(phrase) and not opening[len(phrase) : len(phrase) + 1].isalpha()
        for phrase in _CONFIRMATIONS
    )


def _relevance(scored: ScoredCandidate) -> float:
    return scored.parts.get("relevance", 0.0)


def _is_code(candidate: Candidate) -> bool:
    return candidate.chunk_kind is ChunkKind.CODE or "```" in candidate.text

"""
Which part of a message may enter a prompt: what it states.

Searches find everything; a prompt leaves out what the user asked, thanks, greetings, offers of help, and messages that
asked not to be stored. A message that states something beside these is reduced to it.
"""

import re
from collections.abc import Callable, Iterator
from typing import Final

from recollect.domain.candidate import Candidate, Source
from recollect.domain.message import ChunkKind, Role
from recollect.retrieval.excerpts import has_phrase, split_excerpts
from recollect.retrieval.relevance_lexicon import REQUEST_WORDS
from recollect.text.analyzer import fold_text

#: Returns whether a sentence of a speaker says nothing: thanks, greetings, laughter, general questions.
SentenceTest = Callable[[str, Role], bool]

#: Longer ones without a question mark usually state something, too.
MAX_QUESTION_WORDS: Final = 14
MAX_REQUEST_WORDS: Final = 6
_QUESTION_START = re.compile(
    r"(?:(?:so|ok|okay|hey|and|also|but|quick one|quick question|então|entao|e|mas|oi)[,: ]+)*"
    r"(?:what(?:'?s| is| are| was| were| do| does| should| would| can)\b|how (?:do|does|did|can|should|much|many|long"
    r"|old|is|are)\b|who(?:'?s| is| are| was)\b|where(?:'?s| is| are| do| can)\b|when(?:'?s| is| do| does)\b"
    r"|which (?:one|of|is)\b|why (?:is|do|does|did|are)\b|(?:can|could|would|will) (?:you|u)\b|do (?:you|u|i)\b"
    r"|is (?:it|there|that)\b|are there\b|qual\b|quais\b|quanto (?:é|e|custa|tempo|foi)\b|quantos?\b|quantas?\b"
    r"|como (?:é|e|faço|faco|se|que|posso|eu)\b|onde (?:é|fica|eu|posso)\b|quando (?:é|foi)\b|quem (?:é|foi)\b"
    r"|por ?que\b|o que (?:é|e|significa|eu)\b|(?:você|voce|vc) (?:pode|sabe|consegue)\b|(?:pode|podes|consegue) me\b)",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+|\n+")
#: Requests to keep a message out of the memory.
_OFF_RECORD: Final = (
    " don't remember this ", " dont remember this ", " do not remember this ", " don't store this ",
    " dont store this ", " do not store this ", " don't save this ", " dont save this ", " do not save this ",
    " don't keep this ", " don't store that ", " don't save that ", " don't remember that ", " off the record ",
    " between you and me ", " forget i said ", " forget that i said ", " don't write this down ", " don't log this ",
    " nao guarde isso ", " nao guarda isso ", " nao guardes isto ", " nao guardes isso ", " nao memorize isso ",
    " nao salve isso ", " nao salva isso ", " nao registre isso ", " nao registres isto ", " nao anote isso ",
    " nao anota isso ", " nao lembre disso ", " nao armazene isso ", " nao grave isso ", " esquece o que eu disse ",
    " esqueca o que eu disse ", " so entre nos ", " entre nos dois ", " fica so entre nos ",
)  # fmt: skip


def asks_not_to_store(text: str) -> bool:
    return has_phrase(text, _OFF_RECORD)


def eligible_text(candidate: Candidate, is_small_talk: SentenceTest) -> str:
    """Return what a passage states; empty if that is nothing. Memories and code are returned whole."""
    role, text = candidate.role, candidate.text
    if candidate.source not in {Source.MESSAGE, Source.CHUNK} or role is None:
        return text
    if role is Role.USER and asks_not_to_store(text):
        return ""
    if candidate.chunk_kind is ChunkKind.CODE or "```" in text or "~~~" in text:
        # An excerpt may end inside a code block.
        return f"{text}\n```" if text.count("```") % 2 else text
    spans = [
        (run.start + start, run.start + end)
        for run in split_excerpts(text, by_assistant=role is Role.ASSISTANT)
        for start, end in _sentence_spans(run.text)
        if not (is_small_talk(run.text[start:end], role) or _is_asking(run.text[start:end], role))
    ]
    # A quotation: what lies between two statements stays, since it may be what the second one answers.
    return text[spans[0][0] : spans[-1][1]] if spans else ""


def _sentence_spans(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for match in (*_SENTENCE_END.finditer(text), None):
        end = len(text) if match is None else match.start()
        if text[start:end].strip():
            yield start, end
        start = end if match is None else match.end()


def _is_asking(sentence: str, role: Role) -> bool:
    """Whether a sentence of the user asks for something without a question mark."""
    if role is not Role.USER:
        return False
    words = fold_text(sentence).split()
    if len(words) <= MAX_QUESTION_WORDS and _QUESTION_START.match(sentence):
        return True
    return len(words) <= MAX_REQUEST_WORDS and words[0].strip(",.!") in REQUEST_WORDS

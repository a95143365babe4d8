"""Rewrite English clauses in the third person."""

from collections.abc import Sequence
from itertools import pairwise

from recollect.extraction.rules.lexicon import word_set
from recollect.extraction.rules.tokens import Word

EMPHASIS = word_set("really truly totally absolutely definitely strongly quite")
LIGHT = word_set(
    "just also still currently actually finally recently already now honestly personally even basically "
    "officially both kinda lately literally simply mainly"
)
_PAST = word_set(
    "got bought sold had lost left met quit went chose grew began became won broke gave took made built "
    "found said told fell came was were would will can could may might must should used split ran put let "
    "set cut felt did"
)
_IRREGULAR = {"am": "is", "are": "is", "were": "was", "have": "has", "do": "does", "go": "goes"}
_BEFORE_VERB = (
    EMPHASIS
    | LIGHT
    | word_set(
        "always usually often rarely never sometimes normally typically generally mostly only no longer not"
    )
)
_LY_VERBS = word_set("fly apply rely reply supply imply comply multiply bully rally")
_HEARER = word_set("me please let us")
_DROPPED = word_set("i we my our me myself us ourselves")


def normalize_speaker(words: Sequence[Word]) -> list[Word]:
    """Take "my wife and I" for "I": what both do the speaker does."""
    told: list[Word] = []
    for word in words:
        if word.fold == "i" and len(told) > 2 and told[-1].fold == "and" and _is_couple(told):
            told = told[:-3]
        told.append(word)
    return told


def _is_couple(told: Sequence[Word]) -> bool:
    """Whether "my wife and" stands at the beginning of a clause, with nothing but spaces in between."""
    my, kin, link = told[-3:]
    begins = len(told) == 3 or my.start - told[-4].end > 1
    return my.fold in {"my", "our"} and begins and link.start - kin.end == 1


def to_third_person(words: Sequence[Word], *, verb: bool = False) -> list[str | None]:
    """
    Retell "hate cilantro" as "hates cilantro": the first verb changes and the one behind each "I", and "my" goes.

    ``verb`` says that the first verb stands before these words.
    """
    told: list[str | None] = []
    for word in words:
        # "US" is a country.
        if word.fold in _DROPPED and not (len(word.text) > 1 and word.text.isupper()):
            told.append(None)
            # What follows "I" is a verb; what follows a "my" at the beginning is its subject.
            verb = word.fold in {"my", "our"} or (verb and word.fold not in {"i", "we"})
        elif verb or word.fold in _BEFORE_VERB or _is_adverb(word.fold):
            told.append(word.text)
        else:
            told.append(_third_person(word))
            verb = True
    return _contracted(told)


def _is_adverb(fold: str) -> bool:
    return fold.endswith("ly") and fold not in _LY_VERBS


def _third_person(word: Word) -> str:
    fold = word.fold
    if fold in _IRREGULAR:
        return _IRREGULAR[fold]
    if fold in _PAST or fold.endswith("ed") or not (fold.isalpha() and fold.isascii()):
        return word.text.lower()
    if fold.endswith("y") and fold[-2:-1] not in set("aeiou"):
        return f"{fold[:-1]}ies"
    return f"{fold}es" if fold.endswith(("s", "sh", "ch", "x", "o", "z")) else f"{fold}s"


def _contracted(told: list[str | None]) -> list[str | None]:
    shown = [(place, text) for place, text in enumerate(told) if text is not None]
    for (place, text), (after, following) in pairwise(shown):
        if following == "not" and text in {"do", "does", "can", "did"}:
            told[place], told[after] = "can't" if text == "can" else f"{text}n't", None
    return told


def to_infinitive(words: Sequence[Word]) -> list[str | None]:
    """An English order reads as well without its hearer."""
    told: list[str | None] = [None if word.fold in _HEARER else word.text for word in words]
    for place, (word, after) in enumerate(pairwise(words)):
        if word.fold == "to" and after.fold == "me":
            told[place] = None
    return _contracted([text.lower() if text and place == 0 else text for place, text in enumerate(told)])

"""English word classes and conditions that several rules share."""

from collections.abc import Mapping, Sequence

from recollect.extraction.rules.conditions import (
    begins,
    both,
    capital,
    capital_within,
    either,
    has,
    lacks,
    lasting,
    named_or_ends,
    not_beginning,
    noun_phrase,
)
from recollect.extraction.rules.en import word_lists as en
from recollect.extraction.rules.lexicon import TECHNOLOGY, listed
from recollect.extraction.rules.rule_index import Condition, Writer
from recollect.extraction.rules.tokens import Word

STOPS = listed(
    "at for in with from who of on by since near that which where as to until because and when while after "
    "before if about during over under than instead using through around ago now anymore "
    "me us myself"
)
CLASSES: Mapping[str, frozenset[str]] = {
    "kin": en.KIN,
    "diet": en.DIETS,
    "condition": en.CONDITIONS,
    "state": en.STATES,
    "nation": en.NATIONALITIES,
    "feeling": en.FEELINGS,
    "strong": en.STRONG,
    "very": en.VERY,
    "often": listed("always usually often rarely never sometimes normally typically generally mostly only"),
    "degree": listed("severely very mildly highly deathly slightly a bit"),
    "about": listed("about with of that because by since for at to"),
    "a": listed("a an the my our"),
    "occasion": en.OCCASIONS,
    "lesson": en.LESSONS,
    "paper": listed(
        "visa passport licence license contract lease insurance permit warranty mortgage sabbatical"
    ),
    "count": en.COUNTS,
    "body": en.BODY,
    "treatment": en.TREATMENTS,
    "dwelling": en.DWELLING,
    "tongue": en.LANGUAGES,
    "fired": listed(
        "fired laid promoted hired engaged married divorced dumped robbed evicted rejected scammed "
        "hospitalised hospitalized admitted demoted made"
    ),
}
rules = Writer(classes=CLASSES)

JOB: Condition = noun_phrase(
    STOPS,
    named_or_ends(en.JOBS, ("er", "or", "ist", "ian", "eer", "man", "woman", "smith"), never=en.NOT_JOBS),
)
HOMES = listed(
    "house home apartment flat town village country place neighbourhood neighborhood dorm countryside farm"
)
PLACE: Condition = either(
    capital, both(begins(CLASSES["a"]), either(capital_within(5), has(HOMES, within=4)))
)
TECH: Condition = both(
    either(has(TECHNOLOGY), capital_within(3)), lacks(listed("here cookies example snippet above below"))
)
GOAL: Condition = both(
    either(
        begins(en.LIFE_VERBS),
        both(begins(en.MAYBE_LIFE_VERBS), has(en.LIFE_THINGS | en.LONG_TIME, within=10)),
    ),
    not_beginning("learn more", "learn about", "learn how", "get more", "read more", "buy some", "stop here"),
    lacks(listed("you it its these those")),
)
LASTING: Condition = both(
    lasting(listed("year years months decade decades"), listed("since")),
    lacks(en.MOMENTARY | en.FEELINGS | listed("it them this")),
)
WEEKLY = listed(
    "every each weekly mondays tuesdays wednesdays thursdays fridays saturdays sundays weekends twice mornings evenings"
)
_GENERIC = listed(
    "sea beach ocean mountains outdoors cold heat winter summer rain snow gym city countryside dark night "
    "sun theatre theater cinema opera water woods forest internet office"
)


def lasting_taste(rest: Sequence[Word]) -> bool:
    """Not "the colour", "using it" or "something": those are about what was just said."""
    folds = (
        " ".join(word.fold for word in rest).replace("these days", "").replace("anything with", "").split()
    )
    if _DEICTIC & set(folds) or META & set(folds):
        return False
    if folds[:1] != ["to"] and STOPS & set(folds[:1]):
        return False
    short = folds[:1] == ["the"] and len(folds) <= 3 and not any(word.capital for word in rest)
    return not short or bool(_GENERIC & set(folds))


_DEICTIC = listed("it them that these those something this other's another everything anything")
#: Speaks of the answer, not of a taste.
META = listed(
    "idea ideas suggestion suggestions recommendation recommendations option options approach title sound "
    "look answer response list happens happened how concept opinion aspect aspects"
)

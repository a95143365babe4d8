"""English word classes and conditions shared by the rules."""

from collections.abc import Mapping, Sequence

from recollect.extraction.rules.conditions import (
    both,
    capitalized_within,
    either,
    has,
    is_capitalized,
    lacks,
    lasts_long,
    listed_or_ends_with,
    not_starting_with,
    noun_phrase,
    starts_with,
)
from recollect.extraction.rules.en import word_lists as en
from recollect.extraction.rules.lexicon import TECHNOLOGIES, word_set
from recollect.extraction.rules.rule_index import Condition, RuleFactory
from recollect.extraction.rules.tokens import Word

STOPS = word_set(
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
    "often": word_set("always usually often rarely never sometimes normally typically generally mostly only"),
    "degree": word_set("severely very mildly highly deathly slightly a bit"),
    "about": word_set("about with of that because by since for at to"),
    "a": word_set("a an the my our"),
    "occasion": en.OCCASIONS,
    "lesson": en.LESSONS,
    "paper": word_set(
        "visa passport licence license contract lease insurance permit warranty mortgage sabbatical"
    ),
    "count": en.COUNTS,
    "body": en.BODY,
    "treatment": en.TREATMENTS,
    "dwelling": en.DWELLING,
    "tongue": en.LANGUAGES,
    "fired": word_set(
        "fired laid promoted hired engaged married divorced dumped robbed evicted rejected scammed "
        "hospitalised hospitalized admitted demoted made"
    ),
}
make_rules = RuleFactory(classes=CLASSES)

JOB: Condition = noun_phrase(
    STOPS,
    listed_or_ends_with(
        en.JOBS, ("er", "or", "ist", "ian", "eer", "man", "woman", "smith"), excluded=en.NOT_JOBS
    ),
)
HOMES = word_set(
    "house home apartment flat town village country place neighbourhood neighborhood dorm countryside farm"
)
PLACE: Condition = either(
    is_capitalized, both(starts_with(CLASSES["a"]), either(capitalized_within(5), has(HOMES, within=4)))
)
TECH: Condition = both(
    either(has(TECHNOLOGIES), capitalized_within(3)),
    lacks(word_set("here cookies example snippet above below")),
)
GOAL: Condition = both(
    either(
        starts_with(en.LIFE_VERBS),
        both(starts_with(en.MAYBE_LIFE_VERBS), has(en.LIFE_THINGS | en.LONG_TIME, within=10)),
    ),
    not_starting_with(
        "learn more", "learn about", "learn how", "get more", "read more", "buy some", "stop here"
    ),
    lacks(word_set("you it its these those")),
)
LASTING: Condition = both(
    lasts_long(word_set("year years months decade decades"), word_set("since")),
    lacks(en.MOMENTARY | en.FEELINGS | word_set("it them this")),
)
WEEKLY = word_set(
    "every each weekly mondays tuesdays wednesdays thursdays fridays saturdays sundays weekends twice mornings evenings"
)
_GENERIC = word_set(
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
    short = folds[:1] == ["the"] and len(folds) <= 3 and not any(word.is_capitalized for word in rest)
    return not short or bool(_GENERIC & set(folds))


_DEICTIC = word_set("it them that these those something this other's another everything anything")
#: Speaks of the answer, not of a taste.
META = word_set(
    "idea ideas suggestion suggestions recommendation recommendations option options approach title sound "
    "look answer response list happens happened how concept opinion aspect aspects"
)

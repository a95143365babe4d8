"""English rules for events, emotions and decisions of the user."""

from collections.abc import Sequence
from itertools import pairwise

from recollect.domain.memory import Kind
from recollect.extraction.rules.conditions import (
    at_least,
    at_most,
    both,
    capitalized_within,
    either,
    has,
    lacks,
    not_starting_with,
    starts_with,
)
from recollect.extraction.rules.en import word_lists as en
from recollect.extraction.rules.en.word_classes import CLASSES, PLACE, TECH, make_rules
from recollect.extraction.rules.lexicon import TECHNOLOGIES, word_set
from recollect.extraction.rules.patterns import WordPattern
from recollect.extraction.rules.tokens import Word

BIO, EVT, EMO, DEC = Kind.BIOGRAPHY, Kind.EVENT, Kind.EMOTION, Kind.DECISION

_WHEN = word_set(
    "january february march april may june july august september october november december monday tuesday "
    "wednesday thursday friday saturday sunday tomorrow week month month-end sprint quarter"
)
_REGULARLY = word_set(
    "every only never fridays mondays tuesdays wednesdays thursdays weekly daily nightly monthly twice"
)
_PRODUCT = word_set(
    "app application site website game platform saas tool bot startup product store shop mvp marketplace thesis "
    "dissertation book novel memoir"
)


NO_ORDER = word_set(
    "mind been had happy seen heard thought knew tried give good great nice glad say saw went got did was were"
)


def _no_pointing(rest: Sequence[Word]) -> bool:
    """Only "this week" and the like may be pointed at."""
    following = (after.fold for word, after in pairwise(rest) if word.fold == "this")
    return all(fold in _WHEN for fold in following) and (not rest or rest[-1].fold != "this")


def dated(rest: Sequence[Word]) -> bool:
    return any(word.fold in _WHEN or word.is_number for word in rest)


HAPPENED = [
    *make_rules(
        EVT,
        0.8,
        "got|was|were|am been|being|getting? @fired off|redundant?, have been "
        "fired|laid|promoted|hired|dumped|evicted off?",
        bare=True,
        needs=not_starting_with("up"),
    ),
    *make_rules(
        EVT,
        0.9,
        "was|got|were been? diagnosed with, have been diagnosed with, had surgery, had a "
        "miscarriage|stroke, had a heart attack",
        bare=True,
    ),
    *make_rules(
        EVT,
        0.8,
        "graduated|retired|resigned, have? quit|lost|left my|our job|company, quit|left my, quit|stopped "
        "smoking|drinking, lost my|our @kin|house|home|licence|license",
        bare=True,
    ),
    *make_rules(
        EVT,
        0.8,
        "have? moved|relocated|emigrated|immigrated back? to, am|are moving back? to, have? moved|relocated "
        "from * *? to",
        attribute="lives_in",
        needs=PLACE,
    ),
    *make_rules(EVT, 0.8, "moved in with|together, moved out", bare=True),
    *make_rules(
        EVT,
        0.8,
        "bought|sold|purchased|adopted|rescued",
        needs=either(has(en.EVENTS_BOUGHT | en.HAVABLE, within=5), has(word_set("called named"))),
    ),
    *make_rules(
        EVT,
        0.7,
        "bought|purchased a|an|my|some|our, got|received a|an|my|some brand? new",
        needs=lacks(word_set("error message email ticket coffee lunch warning idea")),
    ),
    *make_rules(
        EVT,
        0.7,
        "visited|attended|toured, hiked at?, participated|volunteered|competed|performed in|at",
        needs=both(capitalized_within(6), not_starting_with("on", "in", "last")),
    ),
    *make_rules(
        EVT,
        0.7,
        "completed|finished|earned @a",
        needs=has(
            word_set(
                "certification course degree training marathon program bootcamp thesis dissertation "
                "diploma phd master's mba"
            ),
            within=6,
        ),
    ),
    *make_rules(
        EVT,
        0.8,
        "had a|our|my, am|are having|expecting a|our?",
        needs=has(word_set("baby son daughter twins girl boy miscarriage child"), within=4),
    ),
    *make_rules(
        EVT,
        0.8,
        "broke up, split up, separated, got back together, fell in love, came out, won the|a|an",
        bare=True,
        needs=lacks(word_set("game match argument bet")),
    ),
    *make_rules(
        EVT,
        0.8,
        "got @a, started|start|landed @a",
        needs=both(
            has(
                word_set(
                    "job promotion offer internship scholarship raise visa citizenship puppy kitten dog "
                    "cat degree phd therapy business company position role"
                ),
                within=5,
            ),
            lacks(word_set("error")),
        ),
    ),
    *make_rules(
        EVT,
        0.8,
        "joined, started|start working at|for|as, got into, was|got accepted|admitted to|into|at|by, am starting at",
        needs=either(
            capitalized_within(3), has(word_set("programme program course school university college phd"))
        ),
    ),
    *make_rules(
        EVT,
        0.8,
        "have? signed|enrolled|enroled|registered up? for|in|on",
        needs=has(
            word_set(
                "course class classes programme program marathon race gym school degree bootcamp lessons"
            )
        ),
    ),
    *make_rules(
        EVT,
        0.8,
        """
        my|our @dwelling|car|bike flooded|burned|burnt|collapsed
        my|our @dwelling|car|bike|phone|wallet was|got robbed|stolen|burgled|flooded|damaged|towed
        """,
        bare=True,
    ),
    *make_rules(EVT, 0.8, "broke|sprained|fractured|tore|injured|dislocated my *? @body", bare=True),
    *make_rules(
        EVT,
        0.8,
        "had|have a|an|my|the *? *? @treatment, am having|getting a|an|my|the *? *? @treatment",
        needs=dated,
    ),
    *make_rules(
        EVT, 0.8, "gave up, have given up", needs=both(at_most(6), lacks(word_set("on hope trying it this")))
    ),
    *make_rules(EVT, 0.8, "passed|failed my|the|a", needs=has(en.EXAMS, within=4)),
    *make_rules(
        EVT,
        0.8,
        "ran|swam|climbed|cycled|walked|did|completed|finished|won @a?",
        needs=has(en.FEATS, within=5),
    ),
    *make_rules(
        EVT,
        0.8,
        "have? published|launched|released|opened|defended|founded|submitted @a",
        needs=both(has(en.WORKS, within=4), lacks(word_set("error crash crashes bug"))),
    ),
    *make_rules(
        EVT,
        0.8,
        "am|are flying|travelling|traveling|going|moving to, fly|travel|leave to|for",
        needs=both(capitalized_within(3), dated),
    ),
    *make_rules(
        EVT,
        0.8,
        "my|our @paper expires|ends|starts|begins|runs out?",
        needs=dated,
    ),
    *make_rules(EVT, 0.8, "my|our *? *? @occasion is|are on|at|in?", needs=dated),
    *make_rules(
        EVT, 0.8, "am|are getting married, found out i? am|are? pregnant, am|are expecting", bare=True
    ),
]

FELT = [
    *make_rules(
        EMO,
        0.8,
        "am|feel|felt @very @feeling @about, am|feel @strong @about, am @very stressed|burned|burnt out "
        "@about",
        bare=True,
        needs=lacks(word_set("this error bug code")),
    ),
    *make_rules(EMO, 0.8, "have been feeling? @very? @feeling, have been @very? burned|burnt out", bare=True),
    *make_rules(EMO, 0.7, "miss my|our @kin", bare=True),
    # A passing feeling with its cause: it decays unless it recurs.
    *make_rules(
        EMO,
        0.7,
        "am|feel @feeling about, am|feel @feeling again about",
        needs=lacks(word_set("this that it error bug code")),
    ),
    *make_rules(
        EMO, 0.7, "am scared|afraid|terrified|ashamed of", needs=lacks(word_set("this error bug code"))
    ),
    *make_rules(
        EMO,
        0.8,
        """
        @often get|feel|become|am @very? @feeling, am @often @very? @feeling, @often panic|cry|freeze|procrastinate
        get|feel @very? @feeling when|whenever|before|around|if|every, have panic attacks
        """,
        bare=True,
    ),
]

CHOICES = [
    *make_rules(
        DEC,
        0.9,
        """
        have? decided|agreed to|on|that|against, have? decided we|i am|are|will going? to?
        have? settled on, are|am going|sticking with
        have made the? decision to
        """,
        needs=both(
            either(at_least(2), starts_with(en.LIFE_VERBS)), lacks(word_set("flow you it this these those"))
        ),
    ),
    *make_rules(
        DEC,
        0.9,
        "have? chosen|chose, went with",
        needs=either(has(TECHNOLOGIES), has(word_set("over instead rather"))),
    ),
    *make_rules(
        DEC,
        0.9,
        "have? picked|adopted, standardised|standardized on, we use, will use, we are using",
        needs=both(TECH, not_starting_with("on")),
    ),
    *make_rules(
        DEC,
        0.9,
        "have? migrated|switched from|to|off|away, are|am migrating|switching from|to|off|away",
        needs=TECH,
    ),
    *make_rules(
        DEC,
        0.9,
        "have? moved from|to|off|away, are|am moving from|to|off|away",
        needs=both(has(TECHNOLOGIES), TECH),
    ),
    *make_rules(
        DEC,
        0.8,
        "am|are working on @a, am|are building|developing|creating|making|writing|designing @a, have built @a",
        needs=has(_PRODUCT, within=6),
    ),
    *make_rules(
        Kind.GOAL,
        0.7,
        "will",
        needs=both(has(word_set("by before"), within=20), dated, lacks(word_set("you it this"))),
    ),
    *make_rules(
        Kind.GOAL,
        0.7,
        "am? committing|committed to, promised, have promised|committed to?",
        needs=both(
            has(word_set("by before this"), within=20), dated, lacks(word_set("you it")), _no_pointing
        ),
    ),
    *make_rules(DEC, 0.9, "we use", needs=has(word_set("instead rather"))),
    *make_rules(DEC, 0.85, "we? do not use, we never use, avoid using, are|am not using", needs=TECH),
    *make_rules(
        DEC, 0.85, "we follow|deploy|host|write|run all? of? our?", needs=has(TECHNOLOGIES, within=8)
    ),
    *make_rules(DEC, 0.85, "we deploy|release|ship", needs=has(_REGULARLY, within=6)),
]

FEELING_PATTERNS = tuple(
    WordPattern.parse(text, CLASSES)
    for text in (
        "i always? get|feel|become|am @very? @feeling",
        "i always? panic|cry|freeze|procrastinate|shut",
        "i always? have panic attacks",
    )
)

FEELING_CAUSE_PATTERNS = (
    WordPattern.parse("always? make|makes me feel? @very? @feeling|panic|cry|freeze", CLASSES),
)

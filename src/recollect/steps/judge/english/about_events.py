"""What English speakers say of events, feelings, decisions, their people and their projects."""

from collections.abc import Mapping, Sequence

from recollect.model.memory import Kind
from recollect.steps.judge.conditions import (
    both,
    capital_within,
    either,
    has,
    lacks,
    nominal,
    not_beginning,
)
from recollect.steps.judge.english import words as en
from recollect.steps.judge.english.about_self import AIMS, LIFE, TASTES
from recollect.steps.judge.english.classes import CLASSES, JOB, PLACE, TECH, rules
from recollect.steps.judge.grammar import Subject
from recollect.steps.judge.lexicon import TECHNOLOGY, listed
from recollect.steps.judge.phrases import Pattern
from recollect.steps.judge.rulebook import Book
from recollect.steps.judge.words import Word

BIO, EVT, EMO, DEC = Kind.BIO, Kind.EVT, Kind.EMO, Kind.DEC

_WHEN = listed(
    "january february march april may june july august september october november december monday tuesday "
    "wednesday thursday friday saturday sunday tomorrow week month month-end sprint quarter"
)
_PRODUCT = listed(
    "app application site website game platform saas tool bot startup product store shop mvp marketplace"
)


_NO_ORDER = listed(
    "mind been had happy seen heard thought knew tried give good great nice glad say saw went got did was were"
)


def _dated(rest: Sequence[Word]) -> bool:
    return any(word.fold in _WHEN or word.number for word in rest)


HAPPENED = [
    *rules(
        EVT,
        0.8,
        "got|was|were|am been|being|getting? @fired off|redundant?, have been "
        "fired|laid|promoted|hired|dumped|evicted off?",
        bare=True,
        needs=not_beginning("up"),
    ),
    *rules(
        EVT,
        0.9,
        "was|got|were been? diagnosed with, have been diagnosed with, had surgery, had a "
        "miscarriage|stroke, had a heart attack",
        bare=True,
    ),
    *rules(
        EVT,
        0.8,
        "graduated|retired|resigned, quit|lost|left my|our job|company, quit|left my, quit|stopped "
        "smoking|drinking, lost my @kin|house|home|licence|license",
        bare=True,
    ),
    *rules(
        EVT,
        0.8,
        "moved|relocated|emigrated|immigrated back? to, am moving back? to",
        attribute="lives_in",
        needs=PLACE,
    ),
    *rules(EVT, 0.8, "moved in with|together, moved out", bare=True),
    *rules(
        EVT,
        0.8,
        "bought|sold|purchased|adopted|rescued",
        needs=has(en.EVENTS_BOUGHT | en.HAVABLE, within=5),
    ),
    *rules(
        EVT,
        0.7,
        "bought|purchased a|an|my|some|our, got|received a|an|my|some brand? new",
        needs=lacks(listed("error message email ticket coffee lunch warning idea")),
    ),
    *rules(EVT, 0.7, "visited|attended|toured|hiked", needs=capital_within(6)),
    *rules(
        EVT,
        0.7,
        "completed|finished|earned @a",
        needs=has(
            listed(
                "certification course degree training marathon program bootcamp thesis dissertation "
                "diploma phd master's mba"
            ),
            within=6,
        ),
    ),
    *rules(
        EVT,
        0.8,
        "had a|our|my, am|are having|expecting a|our?",
        needs=has(listed("baby son daughter twins girl boy miscarriage child"), within=4),
    ),
    *rules(
        EVT,
        0.8,
        "broke up, split up, separated, got back together, fell in love, came out, won the|a|an",
        bare=True,
        needs=lacks(listed("game match argument bet")),
    ),
    *rules(
        EVT,
        0.8,
        "got @a, started|start|landed @a",
        needs=both(
            has(
                listed(
                    "job promotion offer internship scholarship raise visa citizenship puppy kitten dog "
                    "cat degree phd therapy business company position role"
                ),
                within=5,
            ),
            lacks(listed("error")),
        ),
    ),
    *rules(
        EVT,
        0.8,
        "joined, started|start working at|for|as, got into, was accepted to|into|at|by, am starting at",
        needs=capital_within(3),
    ),
    *rules(EVT, 0.8, "passed|failed my|the|a", needs=has(en.EXAMS, within=4)),
    *rules(EVT, 0.8, "am|are getting married, found out i? am|are? pregnant, am|are expecting", bare=True),
]

FELT = [
    *rules(
        EMO,
        0.8,
        "am|feel|felt @very @feeling @about, am|feel @strong @about, am @very stressed|burned|burnt out "
        "@about",
        bare=True,
        needs=lacks(listed("this error bug code")),
    ),
    *rules(EMO, 0.8, "have been feeling? @very? @feeling, have been @very? burned|burnt out", bare=True),
    *rules(EMO, 0.7, "am scared|afraid|terrified|ashamed of", needs=lacks(listed("this error bug code"))),
    *rules(
        EMO,
        0.8,
        """
        @often get|feel|become|am @very? @feeling, am @often @very? @feeling, @often panic|cry|freeze|procrastinate
        get @very? @feeling when|whenever|before|around|if|every, have panic attacks
        """,
        bare=True,
    ),
]

CHOICES = [
    *rules(
        DEC,
        0.9,
        """
        have? decided|agreed to|on|that|against, have? settled on, are|am going|sticking with
        have made the? decision to
        """,
        needs=lacks(listed("flow you it this these those")),
    ),
    *rules(
        DEC,
        0.9,
        "have? chosen|chose, went with",
        needs=either(has(TECHNOLOGY), has(listed("over instead rather"))),
    ),
    *rules(
        DEC, 0.9, "picked|adopted|standardised|standardized on?, we use, will use, we are using", needs=TECH
    ),
    *rules(
        DEC,
        0.9,
        "have? migrated|switched|moved from|to|off|away, are|am migrating|switching|moving from|to|off|away",
        needs=TECH,
    ),
    *rules(
        DEC,
        0.8,
        "am|are working on @a, am|are building|developing|creating|making|writing|designing @a, have built @a",
        needs=has(_PRODUCT, within=6),
    ),
    *rules(
        Kind.OBJ,
        0.7,
        "will, am committing|committed to, promised, have promised|committed to?",
        needs=both(has(listed("by before"), within=20), _dated, lacks(listed("you it this"))),
    ),
    *rules(DEC, 0.85, "we? do not use, we never use, avoid using", needs=TECH),
    *rules(DEC, 0.85, "we follow|deploy|host|write|run", needs=has(TECHNOLOGY, within=8)),
]

KIN = [
    *rules(
        EVT,
        0.9,
        """
        died, passed away, was diagnosed with, was|were born, had surgery, graduated|retired
        got|is|are getting? married|engaged|divorced|pregnant|hired|fired|promoted
        """,
        bare=True,
    ),
    *rules(EVT, 0.8, "moved to|in|out|back, bought|sold|had a|an", needs=lacks(listed("file"))),
    *rules(BIO, 1.0, "is|are @degree? @degree? allergic|intolerant to"),
    *rules(BIO, 1.0, "is|are|was a|an", needs=JOB),
    *rules(BIO, 1.0, "is|are|turned|turns <n>, is|are @state|@nation|@diet|@condition", bare=True),
    *rules(
        BIO,
        1.0,
        """
        lives|live|works|work|studies|study|teaches|comes in|at|for|as|with|from|near|on
        speaks|speak|plays, is|are from|studying|based
        is|are in high|middle|college|kindergarten|school|preschool|grade|hospital
        """,
        bare=True,
    ),
    *rules(BIO, 1.0, "has|have|suffers", needs=both(nominal, has(en.HAVABLE, within=5))),
    *rules(
        BIO,
        1.0,
        "loves|love|likes|like|hates|hate|prefers|prefer|enjoys, can not stand, does not like|eat|drink, "
        "eats|drinks",
        needs=lacks(listed("it this when")),
    ),
    *rules(BIO, 1.0, "birthday is on?"),
    *rules(
        BIO,
        1.0,
        "starts|start|started|goes",
        needs=has(
            listed("school kindergarten college university daycare preschool nursery grade job"), within=5
        ),
    ),
]

PROJECT = [
    *rules(
        DEC,
        0.9,
        """
        uses|use|runs|run|follows|follow|requires|require|supports|support|targets|relies|depends on|in?
        is|are written|built|hosted|deployed|based|implemented|made in|with|on|using
        will use|run|support|be, must not?, needs|need|has|have to, should not?, cannot, can not
        """,
        needs=lacks(listed("here crash crashes error errors bug help crashed working you")),
    ),
    *rules(
        DEC,
        0.85,
        "is|are in?",
        wide=True,
        needs=both(
            has(TECHNOLOGY, within=10),
            lacks(listed("slow slower down broken faster better not wrong failing")),
        ),
    ),
    *rules(BIO, 1.0, "is called|named"),
    *rules(DEC, 0.9, "is|are on|by?", needs=both(_dated, lacks(listed("slow down broken crashing old")))),
]

ORDERS = [
    *rules(
        DEC,
        0.9,
        "always|never, do not ever",
        needs=both(
            lacks(_NO_ORDER),
            lambda rest: bool(rest) and not rest[0].fold.endswith("ing"),
            not_beginning("a", "an", "the", "up", "in", "so", "my"),
        ),
    ),
    *rules(DEC, 0.85, "let us use|adopt, let us go|stick with", needs=has(TECHNOLOGY, within=4)),
    *rules(DEC, 0.95, "use|follow|apply|prefer", needs=has(en.ARCHITECTURE, within=6)),
    *rules(
        Kind.PREF,
        0.9,
        "call me, you can|may call me, people|everyone|everybody|friends call|calls me",
        attribute="called",
        says="wants to be called {x}",
        needs=either(capital_within(1), lambda rest: len(rest) == 1),
    ),
]

FEELS = tuple(
    Pattern.parse(text, CLASSES)
    for text in (
        "i always? get|feel|become|am @very? @feeling",
        "i always? panic|cry|freeze|procrastinate|shut",
        "i always? have panic attacks",
    )
)

BRINGS = (Pattern.parse("always? make|makes me feel? @very? @feeling", CLASSES),)

BOOKS: Mapping[Subject, Book] = {
    Subject.SPEAKER: Book.of(FELT, HAPPENED, TASTES, AIMS, CHOICES, LIFE),
    Subject.KIN: Book.of(KIN),
    Subject.THING: Book.of(PROJECT),
    Subject.ORDER: Book.of(ORDERS),
}

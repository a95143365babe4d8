"""English rules for family, projects and named persons, and for orders to the assistant."""

from collections.abc import Mapping

from recollect.domain.memory import Kind
from recollect.extraction.rules.conditions import (
    both,
    capitalized_within,
    either,
    has,
    is_noun_phrase,
    lacks,
    not_starting_with,
)
from recollect.extraction.rules.en import word_lists as en
from recollect.extraction.rules.en.event_rules import CHOICES, FELT, HAPPENED, NO_ORDER, dated
from recollect.extraction.rules.en.self_rules import AIMS, LIFE, TASTES
from recollect.extraction.rules.en.word_classes import JOB, PLACE, make_rules
from recollect.extraction.rules.grammar import SubjectType
from recollect.extraction.rules.lexicon import TECHNOLOGIES, word_set
from recollect.extraction.rules.rule_index import RuleIndex

BIO, EVT, DEC = Kind.BIOGRAPHY, Kind.EVENT, Kind.DECISION

KIN = [
    *make_rules(
        EVT,
        0.9,
        """
        died, passed away, divorced|separated|remarried, split up
        was|were diagnosed with, was|were born, had surgery, graduated|retired
        got|is|are getting? married|engaged|divorced|pregnant|hired|fired|promoted
        """,
        bare=True,
    ),
    *make_rules(EVT, 0.8, "moved|relocated back? to", attribute="lives_in", needs=PLACE),
    *make_rules(BIO, 1.0, "lives|live in", attribute="lives_in", needs=PLACE),
    *make_rules(EVT, 0.8, "moved to|in|out|back, bought|sold|had a|an", needs=lacks(word_set("file"))),
    *make_rules(BIO, 1.0, "is|are @degree? @degree? allergic|intolerant to"),
    *make_rules(BIO, 1.0, "is|are|was a|an", needs=JOB),
    *make_rules(
        BIO,
        1.0,
        "is|are|turned|turns <n>|@count, has turned <n>|@count, is|are @state|@nation|@diet|@condition",
        bare=True,
    ),
    *make_rules(
        BIO,
        1.0,
        """
        lives|live|works|work|studies|study|teaches|comes in|at|for|as|with|from|near|on
        speaks|speak|plays, is|are from|studying|based
        is|are in high|middle|college|kindergarten|school|preschool|grade|hospital
        """,
        bare=True,
    ),
    *make_rules(BIO, 1.0, "has|have|suffers", needs=both(is_noun_phrase, has(en.HAVABLE, within=5))),
    *make_rules(
        BIO,
        1.0,
        "loves|love|likes|like|hates|hate|prefers|prefer|enjoys, can not stand, does not like|eat|drink, "
        "eats|drinks",
        needs=lacks(word_set("it this when")),
    ),
    *make_rules(BIO, 1.0, "birthday is on?, taught me|us"),
    *make_rules(
        BIO, 1.0, "works|work offshore|nights|remotely|abroad|away|part-time|full-time|shifts", bare=True
    ),
    *make_rules(
        BIO,
        1.0,
        "starts|start|started|goes",
        needs=has(
            word_set("school kindergarten college university daycare preschool nursery grade job"), within=5
        ),
    ),
]

NAMED = [
    *make_rules(BIO, 1.0, "lives|live in", attribute="lives_in", needs=PLACE),
    *make_rules(BIO, 1.0, "works|work at|for", attribute="employer", needs=PLACE),
    *make_rules(BIO, 1.0, "is @degree? @degree? allergic|intolerant to"),
    *make_rules(BIO, 0.8, "prefers, would rather", needs=lacks(word_set("it this that you"))),
    *make_rules(Kind.GOAL, 0.7, "wants|asked|expects|needs me|us to", needs=dated),
    *make_rules(
        DEC, 0.8, "has? decided|agreed|committed to|on|against", needs=lacks(word_set("it this you"))
    ),
]

RULES = make_rules(
    DEC,
    0.9,
    "must|shall|should not?, has|have|needs|need to, may|can not? only?",
    needs=lacks(word_set("you error errors")),
)

PROJECT = [
    *make_rules(
        DEC,
        0.9,
        "must|should be out|ready|done|finished|live|released|shipped|delivered|submitted|online by|before|on",
        attribute="deadline",
        needs=dated,
    ),
    *make_rules(
        DEC,
        0.9,
        """
        uses|use|runs|run|follows|follow|requires|require|supports|support|targets|relies|depends on|in?
        is|are written|built|hosted|deployed|based|implemented|made in|with|on|using
        will use|run|support|be, must not?, needs|need|has|have to, should not?, cannot, can not
        """,
        needs=lacks(word_set("here crash crashes error errors bug help crashed working you")),
    ),
    *make_rules(
        DEC,
        0.85,
        "is|are in?",
        wide=True,
        needs=both(
            has(TECHNOLOGIES, within=10),
            lacks(word_set("slow slower down broken faster better not wrong failing")),
        ),
    ),
    *make_rules(BIO, 1.0, "is called|named"),
    *make_rules(DEC, 0.85, "insists|insist on, wants|expects", needs=lacks(word_set("this that it you me"))),
    *make_rules(
        DEC, 0.9, "is|are on|by?", needs=both(dated, lacks(word_set("slow down broken crashing old")))
    ),
]

ORDERS = [
    *make_rules(
        DEC,
        0.9,
        "answer|reply|respond|write|speak|talk to? me? back? only? in @tongue",
        needs=has(word_set("unless whenever always only even when")),
    ),
    *make_rules(
        DEC,
        0.9,
        "always|never, do not ever",
        needs=both(
            lacks(NO_ORDER),
            lambda rest: bool(rest) and not rest[0].fold.endswith("ing"),
            not_starting_with("a", "an", "the", "up", "in", "so", "my"),
        ),
    ),
    *make_rules(
        DEC,
        0.9,
        "do not use|add|include|write|send|call|say|start",
        needs=has(word_set("ever again emojis emoji answers replies responses jargon slang"), within=8),
    ),
    *make_rules(
        DEC,
        0.9,
        "stop",
        needs=both(
            lambda rest: rest[:1] != [] and rest[0].fold.endswith("ing"),
            has(word_set("answer answers reply replies response responses message messages"), within=8),
        ),
    ),
    *make_rules(DEC, 0.85, "let us use|adopt, let us go|stick with", needs=has(TECHNOLOGIES, within=4)),
    *make_rules(DEC, 0.95, "use|follow|apply|prefer", needs=has(en.ARCHITECTURE, within=6)),
    *make_rules(
        Kind.PREFERENCE,
        0.9,
        "call me, you can|may call me, people|everyone|everybody|friends call|calls me",
        attribute="called",
        says="wants to be called {x}",
        needs=either(capitalized_within(1), lambda rest: len(rest) == 1),
    ),
]

RULE_INDEXES: Mapping[SubjectType, RuleIndex] = {
    SubjectType.SPEAKER: RuleIndex.from_rules(FELT, HAPPENED, TASTES, AIMS, CHOICES, LIFE),
    SubjectType.KIN: RuleIndex.from_rules(KIN),
    SubjectType.NAMED: RuleIndex.from_rules(NAMED),
    SubjectType.RULE: RuleIndex.from_rules(RULES),
    SubjectType.THING: RuleIndex.from_rules(PROJECT),
    SubjectType.ORDER: RuleIndex.from_rules(ORDERS),
}

"""English rules for biography, preferences and goals of the user."""

from recollect.domain.memory import Kind
from recollect.extraction.rules.conditions import (
    at_most,
    both,
    capitalized_within,
    either,
    has,
    is_age,
    is_capitalized,
    is_noun_phrase,
    lacks,
    not_starting_with,
    starts_with,
)
from recollect.extraction.rules.en import word_lists as en
from recollect.extraction.rules.en.word_classes import (
    CLASSES,
    GOAL,
    HOMES,
    JOB,
    LASTING,
    PLACE,
    WEEKLY,
    lasting_taste,
    make_rules,
)
from recollect.extraction.rules.lexicon import TECHNOLOGIES, word_set

BIO, PREF, OBJ = Kind.BIOGRAPHY, Kind.PREFERENCE, Kind.GOAL

_NAMES = [
    *make_rules(BIO, 1.0, "my full|first|real|given? name is", attribute="name", says="name: {x}"),
    *make_rules(
        PREF,
        0.9,
        "go by, prefer to be called, like to be called",
        attribute="called",
        says="wants to be called {x}",
        needs=is_capitalized,
    ),
    *make_rules(
        BIO,
        1.0,
        "am <n> years|year|yrs old?, turned <n>",
        attribute="age",
        says="is {x} years old",
        bare=True,
    ),
    *make_rules(BIO, 1.0, "am turning <n>|@count, turn <n>|@count", bare=True),
    *make_rules(BIO, 1.0, "am in my early|mid|late|mid-?", needs=starts_with(en.DECADES)),
    *make_rules(BIO, 1.0, "am <n>", attribute="age", says="is {x} years old", bare=True, needs=at_most(0)),
    *make_rules(BIO, 1.0, "my age is", attribute="age", says="is {x} years old", needs=is_age),
    *make_rules(BIO, 1.0, "my birthday is on?", attribute="birthday", says="birthday: {x}"),
    *make_rules(BIO, 1.0, "was born on|in|at, was born and raised in", attribute="born"),
]

_PLACES = [
    *make_rules(
        BIO,
        1.0,
        "live|reside in|near|on|at, am living in|near, am based in|near|out",
        attribute="lives_in",
        needs=either(PLACE, capitalized_within(6), both(starts_with(word_set("a an")), has(HOMES))),
    ),
    *make_rules(
        BIO,
        1.0,
        "have lived in this|the|our *? house|flat|apartment|place|city|town|village",
        needs=has(word_set("since for all")),
    ),
    *make_rules(
        BIO,
        1.0,
        "am|come from a family of, am the eldest|oldest|youngest|middle|only, never met my @kin, share custody",
        bare=True,
    ),
    *make_rules(BIO, 1.0, "live alone|with|off, am living with|alone", bare=True),
    *make_rules(
        BIO,
        1.0,
        "share|rent|own a|an|my *? @dwelling, my|our @dwelling is|has",
        needs=lacks(word_set("mess messy")),
    ),
    *make_rules(BIO, 1.0, "have lived|been in|living in?", attribute="lives_in", needs=both(PLACE, LASTING)),
    *make_rules(
        BIO,
        1.0,
        "grew up in?, was raised, lived in, used to live|work|be|study|play|smoke|drink|own|have",
        bare=True,
    ),
    *make_rules(BIO, 1.0, "am|come originally? from", attribute="from", needs=PLACE),
    *make_rules(BIO, 1.0, "am @state, am half? @nation, am @condition blind|intolerant|handed?", bare=True),
]

_WORK = [
    *make_rules(BIO, 1.0, "stopped working at|for", attribute="employer", negated=True),
    *make_rules(BIO, 1.0, "work as a|an?|the?", attribute="job"),
    *make_rules(
        BIO,
        1.0,
        "work at|for|with, am working at|for|with",
        attribute="employer",
        needs=either(is_capitalized, starts_with(CLASSES["a"])),
    ),
    *make_rules(
        BIO,
        1.0,
        "work in|from|remotely|nights|shifts|part|full|night|freelance, am employed by|at|as",
        bare=True,
    ),
    *make_rules(BIO, 1.0, "am a|an|the, have been a|an", attribute="job", needs=JOB),
    *make_rules(BIO, 1.0, "my job|profession|occupation title? is", attribute="job"),
    *make_rules(
        BIO,
        1.0,
        "teach|own|wear|weigh|rent|breed, run|drive|ride a|an|my|our|the, manage a|the|my",
        needs=lacks(word_set("this that it script tests test command code function")),
    ),
    *make_rules(
        BIO,
        1.0,
        "study|studied|majored in?, am studying|majoring in?",
        needs=lacks(word_set("this it code example for")),
    ),
    *make_rules(
        BIO,
        1.0,
        "am doing|pursuing|finishing|completing|starting, have",
        needs=both(is_noun_phrase, has(en.SCHOOLING, within=4)),
    ),
    *make_rules(BIO, 1.0, "am in high|middle|grad|law|med|medical|nursing|business school", bare=True),
    *make_rules(
        BIO, 1.0, "go to|attend", needs=has(word_set("university college school academy church"), within=6)
    ),
]

_BODY = [
    *make_rules(
        BIO, 1.0, "have got? a|an|my? bad|weak|chronic|injured|artificial|herniated *? @body", bare=True
    ),
    *make_rules(
        BIO,
        1.0,
        "get|have migraines|headaches|hives|seizures|nosebleeds|cramps from|when|whenever|every|after",
        bare=True,
    ),
    *make_rules(BIO, 1.0, "am hard of hearing, am partially|visually sighted|impaired|deaf", bare=True),
    *make_rules(
        BIO, 1.0, "take * *? *? every|daily|nightly|twice", bare=True, needs=lacks(word_set("now while once"))
    ),
    *make_rules(BIO, 1.0, "am <n> m|cm|ft|feet|foot|inches|kg|metres|meters tall?", bare=True),
    *make_rules(BIO, 1.0, "am @degree? @degree? allergic to", each=True),
    *make_rules(
        BIO,
        1.0,
        "am @degree? intolerant|sensitive to, suffer from, live with",
        needs=lacks(word_set("this that")),
    ),
    *make_rules(
        BIO,
        1.0,
        "have got?, do not have",
        needs=both(
            is_noun_phrase, has(en.HAVABLE, within=5), lacks(word_set("question error problem issue"))
        ),
    ),
    *make_rules(
        BIO,
        1.0,
        "have|take|attend a|an|my? *? @lesson",
        needs=has(WEEKLY, within=6),
    ),
    *make_rules(BIO, 1.0, "am fluent in, speak", each=True, needs=has(en.LANGUAGES, within=5)),
    *make_rules(BIO, 1.0, "my native|first|mother language|tongue is", attribute="native_language"),
    *make_rules(BIO, 1.0, "play the?, have been playing the?", needs=has(en.PLAYABLE, within=3)),
    *make_rules(BIO, 1.0, "have been", needs=LASTING),
    *make_rules(
        BIO,
        1.0,
        "my|our car|bike|laptop|phone|computer|bank|insurer is",
        needs=either(starts_with(word_set("a an")), is_capitalized),
    ),
    *make_rules(BIO, 1.0, "my timezone|time-zone|postcode|hometown is, my time zone is"),
    *make_rules(BIO, 1.0, "have", needs=both(starts_with(en.LIVED), LASTING)),
    *make_rules(
        BIO,
        1.0,
        "my blood|shoe|dress? type|height|weight|email|phone|address|pronouns|salary|size|rent|commute "
        "number|address? is|are|takes",
    ),
]

_NAMED_FAVOURITE = both(
    has(word_set("is are"), within=6),
    not_starting_with("is", "are", "one is"),
    lacks(word_set("this that it")),
)

LIFE = [*_NAMES, *_PLACES, *_WORK, *_BODY]

TASTES = [
    *make_rules(PREF, 0.9, "am not a|an? @diet", attribute="diet", negated=True, bare=True),
    *make_rules(
        PREF,
        0.9,
        "am a|an? strictly|mostly|lifelong? @diet, have been a|an? @diet, went|turned|became @diet",
        attribute="diet",
        bare=True,
    ),
    *make_rules(
        PREF, 0.9, "am on a|the, follow a", attribute="regime", needs=has(word_set("diet"), within=5)
    ),
    *make_rules(PREF, 0.8, "love|hate|like it when", needs=lacks(word_set("this happens you"))),
    *make_rules(
        PREF,
        0.8,
        """
        love|adore|hate|detest|loathe|despise|like|enjoy|dislike
        do not like|enjoy|love, can not stand|bear, have been loving|enjoying, am loving
        """,
        each=True,
        needs=lasting_taste,
    ),
    *make_rules(
        PREF,
        0.8,
        """
        am not? a|an? big|huge? fan of, am not? into, do not do well with, am obsessed with, am passionate about
        have always loved|liked|hated
        """,
        each=True,
        needs=lasting_taste,
    ),
    *make_rules(PREF, 0.8, "have always been fascinated|interested|passionate", needs=lasting_taste),
    *make_rules(
        PREF,
        0.8,
        "prefer|avoid, would rather|prefer, tend to prefer|avoid",
        needs=both(lasting_taste, lacks(word_set("die we starve"))),
    ),
    *make_rules(
        PREF, 0.7, "am very? sceptical|skeptical|wary|suspicious|distrustful of|about", needs=lasting_taste
    ),
    *make_rules(
        PREF,
        0.7,
        "find",
        needs=both(
            lasting_taste,
            has(
                word_set("exhausting boring annoying fascinating relaxing depressing overrated stressful"),
                within=10,
            ),
        ),
    ),
    *make_rules(
        PREF,
        0.8,
        "@often "
        "eat|drink|read|cook|watch|listen|wake|go|run|take|use|work|buy|wear|sleep|skip|walk|train|write|play",
        wide=True,
        bare=True,
        needs=lacks(word_set("error anxious nervous stressed scared sad this these")),
    ),
    *make_rules(
        PREF,
        0.8,
        "do not eat|drink|smoke|cook|watch|use|wear, can not eat|drink|have, never eat|drink|smoke|watch|cook",
        needs=lacks(word_set("it this that")),
    ),
    *make_rules(PREF, 0.8, "do not drink|smoke, never drink|smoke", bare=True),
    *make_rules(
        PREF,
        0.8,
        "eat|drink|smoke, am eating|drinking|smoking|having",
        needs=lacks(word_set("it this that")),
        ended=True,
    ),
    *make_rules(
        PREF,
        0.7,
        "use, am using, have been using",
        needs=both(either(starts_with(TECHNOLOGIES), is_capitalized), lacks(word_set("here this"))),
    ),
    *make_rules(
        PREF,
        0.8,
        "my all-time? favourite|favorite",
        attribute="favourite",
        needs=_NAMED_FAVOURITE,
    ),
    *make_rules(
        PREF,
        0.8,
        "run|meditate|swim|cook|cycle|garden|knit|paint|draw|read|walk|train|exercise|journal",
        needs=has(word_set("every daily weekly weekends mornings twice times"), within=6),
    ),
]

TASTES += make_rules(PREF, 0.8, "support", needs=both(is_capitalized, lacks(TECHNOLOGIES | {"i"})))
TASTES += make_rules(PREF, 0.8, "am more of a|an", needs=lacks(word_set("question comment")))
TASTES += make_rules(
    PREF,
    0.8,
    "would like|prefer",
    needs=both(
        has(word_set("answers replies responses explanations"), within=6), lacks(word_set("these those it"))
    ),
)

AIMS = [
    *make_rules(OBJ, 0.7, "am|are trying for a|another", bare=True),
    *make_rules(
        OBJ,
        0.7,
        "plan|intend on, am|are planning on",
        needs=starts_with(
            word_set(
                "selling moving buying retiring quitting leaving emigrating adopting studying travelling starting"
            )
        ),
    ),
    *make_rules(
        OBJ,
        0.7,
        "need to lose|quit|save|stop|pay",
        needs=has(word_set("kilos kg pounds weight smoking drinking debt money mortgage loan"), within=4),
    ),
    *make_rules(
        OBJ,
        0.7,
        "want to, would like|love to, hope|aim|intend|plan to, am hoping|aiming|planning to, dream of",
        needs=GOAL,
    ),
    *make_rules(
        OBJ,
        0.7,
        "am planning a|an|on|my|our?",
        needs=has(
            word_set("wedding trip move holiday vacation sabbatical party moving travelling retiring"),
            within=6,
        ),
    ),
    *make_rules(
        OBJ,
        0.7,
        "am|are trying to",
        needs=both(
            either(
                starts_with(word_set("quit lose stop learn save become conceive eat cut reduce")),
                both(
                    starts_with(word_set("get be")),
                    has(word_set("debt pregnant fit shape healthier better job"), within=5),
                ),
            ),
            not_starting_with("learn more", "learn about", "learn how", "get a", "get the"),
        ),
    ),
    *make_rules(
        OBJ,
        0.7,
        """
        am|are saving up|money? for|to, am training for, am preparing|studying|practising|practicing for
        am|are looking to buy|move|adopt|hire
        """,
        needs=lacks(word_set("meeting presentation call this")),
    ),
    *make_rules(
        OBJ,
        0.7,
        "am learning|teaching to|myself?, have been learning, started learning",
        needs=lacks(word_set("this that here where how what about more")),
    ),
    *make_rules(
        OBJ,
        0.7,
        "my main|biggest|long-term|ultimate|life|next|first|new|current|big? "
        "goal|dream|aim|ambition|resolution this|for|next? year? "
        "is to?",
        says="{head}: {x}",
    ),
    *make_rules(OBJ, 0.7, "my plan is to"),
]

"""What English speakers say of their lives, tastes and aims."""

from recollect.domain.memory import Kind
from recollect.extraction.rules.conditions import (
    age,
    at_most,
    begins,
    both,
    capital,
    capital_within,
    either,
    has,
    lacks,
    nominal,
    not_beginning,
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
    rules,
)
from recollect.extraction.rules.lexicon import TECHNOLOGY, listed

BIO, PREF, OBJ = Kind.BIO, Kind.PREF, Kind.OBJ

_NAMES = [
    *rules(BIO, 1.0, "my full|first|real|given? name is", attribute="name", says="name: {x}"),
    *rules(
        PREF,
        0.9,
        "go by, prefer to be called, like to be called",
        attribute="called",
        says="wants to be called {x}",
        needs=capital,
    ),
    *rules(
        BIO,
        1.0,
        "am <n> years|year|yrs old?, turned <n>",
        attribute="age",
        says="is {x} years old",
        bare=True,
    ),
    *rules(BIO, 1.0, "am turning <n>|@count, turn <n>|@count", bare=True),
    *rules(BIO, 1.0, "am in my early|mid|late|mid-?", needs=begins(en.DECADES)),
    *rules(BIO, 1.0, "am <n>", attribute="age", says="is {x} years old", bare=True, needs=at_most(0)),
    *rules(BIO, 1.0, "my age is", attribute="age", says="is {x} years old", needs=age),
    *rules(BIO, 1.0, "my birthday is on?", attribute="birthday", says="birthday: {x}"),
    *rules(BIO, 1.0, "was born on|in|at, was born and raised in", attribute="born"),
]

_PLACES = [
    *rules(
        BIO,
        1.0,
        "live|reside in|near|on|at, am living in|near, am based in|near|out",
        attribute="lives_in",
        needs=either(PLACE, capital_within(6), both(begins(listed("a an")), has(HOMES))),
    ),
    *rules(
        BIO,
        1.0,
        "have lived in this|the|our *? house|flat|apartment|place|city|town|village",
        needs=has(listed("since for all")),
    ),
    *rules(
        BIO,
        1.0,
        "am|come from a family of, am the eldest|oldest|youngest|middle|only, never met my @kin, share custody",
        bare=True,
    ),
    *rules(BIO, 1.0, "live alone|with|off, am living with|alone", bare=True),
    *rules(
        BIO,
        1.0,
        "share|rent|own a|an|my *? @dwelling, my|our @dwelling is|has",
        needs=lacks(listed("mess messy")),
    ),
    *rules(BIO, 1.0, "have lived|been in|living in?", attribute="lives_in", needs=both(PLACE, LASTING)),
    *rules(
        BIO,
        1.0,
        "grew up in?, was raised, lived in, used to live|work|be|study|play|smoke|drink|own|have",
        bare=True,
    ),
    *rules(BIO, 1.0, "am|come originally? from", attribute="from", needs=PLACE),
    *rules(BIO, 1.0, "am @state, am half? @nation, am @condition blind|intolerant|handed?", bare=True),
]

_WORK = [
    *rules(BIO, 1.0, "stopped working at|for", attribute="employer", negated=True),
    *rules(BIO, 1.0, "work as a|an?|the?", attribute="job"),
    *rules(
        BIO,
        1.0,
        "work at|for|with, am working at|for|with",
        attribute="employer",
        needs=either(capital, begins(CLASSES["a"])),
    ),
    *rules(
        BIO,
        1.0,
        "work in|from|remotely|nights|shifts|part|full|night|freelance, am employed by|at|as",
        bare=True,
    ),
    *rules(BIO, 1.0, "am a|an|the, have been a|an", attribute="job", needs=JOB),
    *rules(BIO, 1.0, "my job|profession|occupation title? is", attribute="job"),
    *rules(
        BIO,
        1.0,
        "teach|own|wear|weigh|rent|breed, run|drive|ride a|an|my|our|the, manage a|the|my",
        needs=lacks(listed("this that it script tests test command code function")),
    ),
    *rules(
        BIO,
        1.0,
        "study|studied|majored in?, am studying|majoring in?",
        needs=lacks(listed("this it code example for")),
    ),
    *rules(
        BIO,
        1.0,
        "am doing|pursuing|finishing|completing|starting, have",
        needs=both(nominal, has(en.SCHOOLING, within=4)),
    ),
    *rules(BIO, 1.0, "am in high|middle|grad|law|med|medical|nursing|business school", bare=True),
    *rules(BIO, 1.0, "go to|attend", needs=has(listed("university college school academy church"), within=6)),
]

_BODY = [
    *rules(BIO, 1.0, "have got? a|an|my? bad|weak|chronic|injured|artificial|herniated *? @body", bare=True),
    *rules(
        BIO,
        1.0,
        "get|have migraines|headaches|hives|seizures|nosebleeds|cramps from|when|whenever|every|after",
        bare=True,
    ),
    *rules(BIO, 1.0, "am hard of hearing, am partially|visually sighted|impaired|deaf", bare=True),
    *rules(
        BIO, 1.0, "take * *? *? every|daily|nightly|twice", bare=True, needs=lacks(listed("now while once"))
    ),
    *rules(BIO, 1.0, "am <n> m|cm|ft|feet|foot|inches|kg|metres|meters tall?", bare=True),
    *rules(BIO, 1.0, "am @degree? @degree? allergic to", each=True),
    *rules(
        BIO,
        1.0,
        "am @degree? intolerant|sensitive to, suffer from, live with",
        needs=lacks(listed("this that")),
    ),
    *rules(
        BIO,
        1.0,
        "have got?, do not have",
        needs=both(nominal, has(en.HAVABLE, within=5), lacks(listed("question error problem issue"))),
    ),
    *rules(
        BIO,
        1.0,
        "have|take|attend a|an|my? *? @lesson",
        needs=has(WEEKLY, within=6),
    ),
    *rules(BIO, 1.0, "am fluent in, speak", each=True, needs=has(en.LANGUAGES, within=5)),
    *rules(BIO, 1.0, "my native|first|mother language|tongue is", attribute="native_language"),
    *rules(BIO, 1.0, "play the?, have been playing the?", needs=has(en.PLAYABLE, within=3)),
    *rules(BIO, 1.0, "have been", needs=LASTING),
    *rules(
        BIO,
        1.0,
        "my|our car|bike|laptop|phone|computer|bank|insurer is",
        needs=either(begins(listed("a an")), capital),
    ),
    *rules(BIO, 1.0, "my timezone|time-zone|postcode|hometown is, my time zone is"),
    *rules(BIO, 1.0, "have", needs=both(begins(en.LIVED), LASTING)),
    *rules(
        BIO,
        1.0,
        "my blood|shoe|dress? type|height|weight|email|phone|address|pronouns|salary|size|rent|commute "
        "number|address? is|are|takes",
    ),
]

_NAMED_FAVOURITE = both(
    has(listed("is are"), within=6), not_beginning("is", "are", "one is"), lacks(listed("this that it"))
)

LIFE = [*_NAMES, *_PLACES, *_WORK, *_BODY]

TASTES = [
    *rules(PREF, 0.9, "am not a|an? @diet", attribute="diet", negated=True, bare=True),
    *rules(
        PREF,
        0.9,
        "am a|an? strictly|mostly|lifelong? @diet, have been a|an? @diet, went|turned|became @diet",
        attribute="diet",
        bare=True,
    ),
    *rules(PREF, 0.9, "am on a|the, follow a", attribute="regime", needs=has(listed("diet"), within=5)),
    *rules(PREF, 0.8, "love|hate|like it when", needs=lacks(listed("this happens you"))),
    *rules(
        PREF,
        0.8,
        """
        love|adore|hate|detest|loathe|despise|like|enjoy|dislike
        do not like|enjoy|love, can not stand|bear, have been loving|enjoying, am loving
        """,
        each=True,
        needs=lasting_taste,
    ),
    *rules(
        PREF,
        0.8,
        """
        am not? a|an? big|huge? fan of, am not? into, do not do well with, am obsessed with, am passionate about
        have always loved|liked|hated
        """,
        each=True,
        needs=lasting_taste,
    ),
    *rules(PREF, 0.8, "have always been fascinated|interested|passionate", needs=lasting_taste),
    *rules(
        PREF,
        0.8,
        "prefer|avoid, would rather|prefer, tend to prefer|avoid",
        needs=both(lasting_taste, lacks(listed("die we starve"))),
    ),
    *rules(
        PREF, 0.7, "am very? sceptical|skeptical|wary|suspicious|distrustful of|about", needs=lasting_taste
    ),
    *rules(
        PREF,
        0.7,
        "find",
        needs=both(
            lasting_taste,
            has(
                listed("exhausting boring annoying fascinating relaxing depressing overrated stressful"),
                within=10,
            ),
        ),
    ),
    *rules(
        PREF,
        0.8,
        "@often "
        "eat|drink|read|cook|watch|listen|wake|go|run|take|use|work|buy|wear|sleep|skip|walk|train|write|play",
        wide=True,
        bare=True,
        needs=lacks(listed("error anxious nervous stressed scared sad this these")),
    ),
    *rules(
        PREF,
        0.8,
        "do not eat|drink|smoke|cook|watch|use|wear, can not eat|drink|have, never eat|drink|smoke|watch|cook",
        needs=lacks(listed("it this that")),
    ),
    *rules(PREF, 0.8, "do not drink|smoke, never drink|smoke", bare=True),
    *rules(
        PREF,
        0.7,
        "use, am using, have been using",
        needs=both(either(begins(TECHNOLOGY), capital), lacks(listed("here this"))),
    ),
    *rules(
        PREF,
        0.8,
        "my all-time? favourite|favorite",
        attribute="favourite",
        needs=_NAMED_FAVOURITE,
    ),
    *rules(
        PREF,
        0.8,
        "run|meditate|swim|cook|cycle|garden|knit|paint|draw|read|walk|train|exercise|journal",
        needs=has(listed("every daily weekly weekends mornings twice times"), within=6),
    ),
]

TASTES += rules(PREF, 0.8, "support", needs=both(capital, lacks(TECHNOLOGY | {"i"})))
TASTES += rules(PREF, 0.8, "am more of a|an", needs=lacks(listed("question comment")))
TASTES += rules(
    PREF,
    0.8,
    "would like|prefer",
    needs=both(
        has(listed("answers replies responses explanations"), within=6), lacks(listed("these those it"))
    ),
)

AIMS = [
    *rules(OBJ, 0.7, "am|are trying for a|another", bare=True),
    *rules(
        OBJ,
        0.7,
        "plan|intend on, am|are planning on",
        needs=begins(
            listed(
                "selling moving buying retiring quitting leaving emigrating adopting studying travelling starting"
            )
        ),
    ),
    *rules(
        OBJ,
        0.7,
        "need to lose|quit|save|stop|pay",
        needs=has(listed("kilos kg pounds weight smoking drinking debt money mortgage loan"), within=4),
    ),
    *rules(
        OBJ,
        0.7,
        "want to, would like|love to, hope|aim|intend|plan to, am hoping|aiming|planning to, dream of",
        needs=GOAL,
    ),
    *rules(
        OBJ,
        0.7,
        "am planning a|an|on|my|our?",
        needs=has(
            listed("wedding trip move holiday vacation sabbatical party moving travelling retiring"), within=6
        ),
    ),
    *rules(
        OBJ,
        0.7,
        "am|are trying to",
        needs=both(
            either(
                begins(listed("quit lose stop learn save become conceive eat cut reduce")),
                both(
                    begins(listed("get be")),
                    has(listed("debt pregnant fit shape healthier better job"), within=5),
                ),
            ),
            not_beginning("learn more", "learn about", "learn how", "get a", "get the"),
        ),
    ),
    *rules(
        OBJ,
        0.7,
        """
        am|are saving up|money? for|to, am training for, am preparing|studying|practising|practicing for
        am|are looking to buy|move|adopt|hire
        """,
        needs=lacks(listed("meeting presentation call this")),
    ),
    *rules(
        OBJ,
        0.7,
        "am learning|teaching to|myself?, have been learning, started learning",
        needs=lacks(listed("this that here where how what about more")),
    ),
    *rules(
        OBJ,
        0.7,
        "my main|biggest|long-term|ultimate|life|next|first|new|current|big? "
        "goal|dream|aim|ambition|resolution this|for|next? year? "
        "is to?",
        says="{head}: {x}",
    ),
    *rules(OBJ, 0.7, "my plan is to"),
]

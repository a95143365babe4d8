"""How English speakers put things: questions, suppositions, quotations, requests."""

from recollect.extraction.rules.en import word_lists as en
from recollect.extraction.rules.en.event_rules import BRINGS, FEELS
from recollect.extraction.rules.en.relation_rules import BOOKS
from recollect.extraction.rules.en.verbs import EMPHASIS, LIGHT, order, spoken, third
from recollect.extraction.rules.en.word_classes import STOPS
from recollect.extraction.rules.grammar import Language, Signs
from recollect.extraction.rules.lexicon import listed
from recollect.extraction.rules.patterns import Pattern, Phrases

_SHORT = {
    "i'm": "i am", "im": "i am", "i've": "i have", "ive": "i have", "i'd": "i would", "i'll": "i will",
    "we're": "we are", "we've": "we have", "we'd": "we would", "we'll": "we will",
    "you're": "you are", "you've": "you have", "you'd": "you would", "you'll": "you will",
    "he's": "he is", "she's": "she is", "it's": "it is", "that's": "that is", "there's": "there is",
    "they're": "they are", "they've": "they have", "they'll": "they will", "it'll": "it will",
    "he'd": "he would", "she'd": "she would", "what's": "what is", "who's": "who is",
    "where's": "where is", "how's": "how is", "here's": "here is", "let's": "let us", "name's": "name is",
    "don't": "do not", "dont": "do not", "doesn't": "does not", "didn't": "did not", "can't": "can not",
    "cant": "can not", "cannot": "can not", "couldn't": "could not", "won't": "will not", "wouldn't": "would not",
    "isn't": "is not", "aren't": "are not", "wasn't": "was not", "weren't": "were not", "haven't": "have not",
    "hasn't": "has not", "hadn't": "had not", "shouldn't": "should not", "gotta": "got to", "wanna": "want to",
    "gonna": "going to",
}  # fmt: skip

_MUST = listed("must shall has have needs need")

_SIGNS = Signs(
    asking=Phrases.listed(
        "what, why, how, who, whom, whose, which, where, when, is, are, am, was, were, do, does, did, can, "
        "could, would, should, shall, will, may, might, have you, has, any, give me, tell me, show me, "
        "write, suggest, recommend, help, explain, describe, generate, make, create, list, find, "
        "summarise, summarize, fix, check, review, convert, rewrite, draft, let us, thoughts, ideas, "
        "simple, please suggest, please help, please write"
    ),
    doubt=Phrases.listed(
        "maybe, perhaps, i wish, i guess, i think, i suppose, might, probably, who knows, not sure, i "
        "would kill, i could eat, what if, wondering, i was wondering, as if, hypothetically, i doubt"
    ),
    unreal=Phrases.listed(
        "if, according to, suppose, supposing, let us say, assume, assuming, say i, in case, were i, had i, would have"
    ),
    staged=Phrases.listed(
        "imagine, pretend, act as, role play, roleplay, role-play, let us pretend, let us play, you are a, "
        "write a story, write me a story, write a poem, write a short story, write a scene, write a "
        "dialogue, write a script, tell me a story, story where, story in which, a story about, once upon "
        "a time, write a song, write a letter, write an email, write a tweet, write a post, write a "
        "message, write a bio, in the style of, in the voice of, translate, correct this, correct the, "
        "correct my, proofread, rewrite this, rewrite the following, paraphrase, summarise this, summarize "
        "this, fix the grammar, check the grammar, check my grammar, improve this sentence, the following "
        "text, the following email, the following sentence, in character, user story, as a developer, as a "
        "user, as an admin, as a customer"
    ),
    pasted=Phrases.listed(
        "email, mail, letter, text, message, sentence, paragraph, quote, comment, review, wrote, writes, "
        "says, said, reads, log, output, transcript, excerpt, article, post, tweet, prompt, example, "
        "paste, script, lyrics, ticket, persona, profile, answer, response, sample, character, dialogue, conversation, "
        "description, bio, caption, headline, user, bot, human, customer, assistant, interviewer"
    ),
    letter=Phrases.listed("dear, to whom it may concern"),
    joke=Phrases.listed("just kidding, jk, kidding, joking, just joking, not really lol"),
    keep=Phrases.listed(
        "remember that, remember, do not forget that, do not forget, never forget that, keep in mind that, "
        "keep in mind, bear in mind that, bear in mind, make a note that, make a note, take note that, "
        "take note, note for later, save this, memorise that, memorize that, for future reference, for the "
        "record"
    ),
    decides=Phrases.listed(
        "decision made, decision on, decision is, final decision, we agreed, i agreed, and agreed, we decided, "
        "i decided, have decided, and decided, we settled, have agreed"
    ),
    files=Phrases.listed("for the file, for the record, worth filing, worth noting, worth remembering"),
    views=Phrases.listed("my take, my view, my opinion"),
    polite=listed("please can could would you also and always so ok hey hi just"),
    leads=Phrases.listed("from now on, going forward, as of today, starting today, starting now"),
    every_time=Phrases.listed("every time, whenever, each time, any time, anytime"),
    pointing=Phrases.listed(
        "this, that, it, its, their, his, these, those, them, here, your, you, him, her, he, she, they, "
        "the first, the second, the third, the last, the previous, the next, the idea, the answer, the "
        "way, the result, the results, the style, the text, the paragraph, the version, the design, the "
        "suggestion, the option, the one, the new, the other, the following, how, what, to see, to know, "
        "to ask, to hear, to have a, seeing, the file, the code, the function, the above, number, option, "
        "the fact, the sound, the look, the error, the bug, the wrong, a different, another, one, some, "
        "more, both, all"
    ),
    over=Phrases.listed("any more, anymore, any longer"),
    no_longer=Phrases.listed("no longer"),
)

ENGLISH = Language(
    code="en",
    contractions=_SHORT,
    clitics=frozenset(),
    abbreviations=listed("mr mrs ms dr st prof sr jr vs etc e.g i.e eg ie approx no inc ltd dept"),
    pronouns=listed("i we"),
    own=listed("my our"),
    articles=listed("the this that a an"),
    others=listed(
        "he she it they you this that these those there his her their its your people someone somebody "
        "everyone who nobody"
    ),
    kin=en.KIN,
    acquaintances=en.ACQUAINTANCES,
    partners=en.PARTNERS,
    trades=en.JOBS - en.TRAITS,
    things=en.THINGS,
    bare_things=listed("everything deadline stack"),
    quantities={
        **dict.fromkeys(("all", "every", "each"), _MUST),
        **dict.fromkeys(("no", "nothing", "none", "nobody"), _MUST | {"may", "can", "should"}),
    },
    thing_verbs=listed(
        "is are uses use runs run follows follow requires require supports support targets relies depends "
        "must needs need has have should will cannot can was were does do insists insist wants expects"
    ),
    called=tuple(Pattern.parse(text, {}) for text in ("name is", "is|are called|named", "called|named")),
    theirs=tuple(
        Pattern.parse(text, {})
        for text in ("her|his|their|its name|names is|are", "she|he|it is called|named")
    ),
    introduced=tuple(Pattern.parse(text, {}) for text in ("i am", "this is")),
    here=Phrases.listed("here"),
    not_names=en.NOT_NAMES,
    copulas=listed("is are"),
    favourites=listed("favourite favorite favourites favorites"),
    aims=listed("goal dream aim ambition resolution"),
    feels=FEELS,
    brings=BRINGS,
    replies=listed("answer reply respond write speak talk"),
    tongues=en.LANGUAGES,
    spoken=spoken,
    before_is=frozenset(),
    nearer=listed("older younger little big eldest youngest twin late dear baby new elder middle"),
    future=listed(
        "will going getting moving having expecting starting starts flying travelling fly travel leave must "
        "is expires ends begins runs expires ends begins runs"
    ),
    soft=listed("and or plus nor"),
    when=listed("when whenever while after before once since until as"),
    degree=listed("am been be feel felt feeling is are was were get getting got"),
    imperatives=listed(
        "use write answer give keep show explain include avoid stick always never please reply respond add "
        "do start tell "
        "make put call be"
    ),
    hard=listed("but because although though whereas which then therefore however so"),
    resumes=listed(
        "was were want need think noticed know feel miss have had would could should can will am is are "
        "get got find found see saw realized realised wondering"
    ),
    stops=STOPS,
    fillers=en.FILLERS,
    unsaid=listed(
        "got moved started bought lost quit graduated passed joined decided chose switched migrated "
        "promised adopted committing"
    ),
    trailing=LIGHT | listed("right too though lol haha please thanks tho well to"),
    hearer=listed("you your yours"),
    adverbs=LIGHT,
    emphasis=EMPHASIS,
    negations=listed("not"),
    signs=_SIGNS,
    books=BOOKS,
    third=third,
    infinitive=order,
    lessons=(
        (
            Phrases.listed("did not like, did not enjoy, hated, disliked, could not stand, left early"),
            Phrases.listed(
                "crowded, packed, so many people, too many people, full of people, was full, too full"
            ),
            "avoids crowded places",
        ),
        (
            Phrases.listed("did not like, did not enjoy, hated, disliked, could not stand, left early"),
            Phrases.listed("noisy, too loud, so loud, very loud"),
            "avoids noisy places",
        ),
    ),
)

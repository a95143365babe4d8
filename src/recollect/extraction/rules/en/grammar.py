"""The `Grammar` and `Cues` of English."""

from recollect.extraction.rules.en import word_lists as en
from recollect.extraction.rules.en.event_rules import FEELING_CAUSE_PATTERNS, FEELING_PATTERNS
from recollect.extraction.rules.en.relation_rules import RULE_INDEXES
from recollect.extraction.rules.en.verbs import (
    EMPHASIS,
    LIGHT,
    normalize_speaker,
    to_infinitive,
    to_third_person,
)
from recollect.extraction.rules.en.word_classes import STOPS
from recollect.extraction.rules.grammar import Cues, Grammar
from recollect.extraction.rules.lexicon import word_set
from recollect.extraction.rules.patterns import PhraseSet, WordPattern
from recollect.text.languages.en import ENGLISH

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

_MUST = word_set("must shall has have needs need")

_CUES = Cues(
    question=PhraseSet.parse(
        "what, why, how, who, whom, whose, which, where, when, is, are, am, was, were, do, does, did, can, "
        "could, would, should, shall, will, may, might, have you, has, any, give me, tell me, show me, "
        "write, suggest, recommend, help, explain, describe, generate, make, create, list, find, "
        "summarise, summarize, fix, check, review, convert, rewrite, draft, let us, thoughts, ideas, "
        "simple, please suggest, please help, please write"
    ),
    doubt=PhraseSet.parse(
        "maybe, perhaps, i wish, i guess, i think, i suppose, might, probably, who knows, not sure, i "
        "would kill, i could eat, what if, wondering, i was wondering, as if, hypothetically, i doubt"
    ),
    hypothetical=PhraseSet.parse(
        "if, according to, suppose, supposing, let us say, assume, assuming, say i, in case, were i, had i, would have"
    ),
    fiction=PhraseSet.parse(
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
    quotation_label=PhraseSet.parse(
        "email, mail, letter, text, message, sentence, paragraph, quote, comment, review, wrote, writes, "
        "says, said, reads, log, output, transcript, excerpt, article, post, tweet, prompt, example, "
        "paste, script, lyrics, ticket, persona, profile, answer, response, sample, character, dialogue, conversation, "
        "description, bio, caption, headline, user, bot, human, customer, assistant, interviewer"
    ),
    letter_opening=PhraseSet.parse("dear, to whom it may concern"),
    joke=PhraseSet.parse("just kidding, jk, kidding, joking, just joking, not really lol"),
    earnest=PhraseSet.parse("no joke, not joking, not kidding, no kidding"),
    remember_request=PhraseSet.parse(
        "remember that, remember, do not forget that, do not forget, never forget that, keep in mind that, "
        "keep in mind, bear in mind that, bear in mind, make a note that, make a note, take note that, "
        "take note, note for later, save this, memorise that, memorize that, for future reference, for the "
        "record"
    ),
    decision_heading=PhraseSet.parse(
        "decision made, decision on, decision is, final decision, we agreed, i agreed, and agreed, we decided, "
        "i decided, have decided, and decided, we settled, have agreed"
    ),
    note_heading=PhraseSet.parse(
        "for the file, for the record, worth filing, worth noting, worth remembering"
    ),
    opinion_heading=PhraseSet.parse("my take, my view, my opinion"),
    politeness_words=word_set("please can could would you also and always so ok hey hi just"),
    standing_instruction=PhraseSet.parse(
        "from now on, going forward, as of today, starting today, starting now"
    ),
    every_time=PhraseSet.parse("every time, whenever, each time, any time, anytime"),
    deictic=PhraseSet.parse(
        "this, that, it, its, their, his, these, those, them, here, your, you, him, her, he, she, they, "
        "the first, the second, the third, the last, the previous, the next, the idea, the answer, the "
        "way, the result, the results, the style, the text, the paragraph, the version, the design, the "
        "suggestion, the option, the one, the new, the other, the following, how, what, to see, to know, "
        "to ask, to hear, to have a, seeing, the file, the code, the function, the above, number, option, "
        "the fact, the sound, the look, the error, the bug, the wrong, a different, another, one, some, "
        "more, both, all"
    ),
    any_more=PhraseSet.parse("any more, anymore, any longer"),
    no_longer=PhraseSet.parse("no longer"),
)

ENGLISH_GRAMMAR = Grammar(
    language=ENGLISH,
    contractions=_SHORT,
    clitics=frozenset(),
    abbreviations=word_set("mr mrs ms dr st prof sr jr vs etc e.g i.e eg ie approx no inc ltd dept"),
    pronouns=word_set("i we"),
    possessives=word_set("my our"),
    articles=word_set("the this that a an"),
    other_subjects=word_set(
        "he she it they you this that these those there his her their its your people someone somebody "
        "everyone who nobody"
    ),
    kin=en.KIN,
    acquaintances=en.ACQUAINTANCES,
    partners=en.PARTNERS,
    trades=en.JOBS - en.TRAITS,
    project_nouns=en.THINGS,
    bare_project_nouns=word_set("everything deadline stack"),
    quantifiers={
        **dict.fromkeys(("all", "every", "each"), _MUST),
        **dict.fromkeys(("no", "nothing", "none", "nobody"), _MUST | {"may", "can", "should"}),
    },
    project_verbs=word_set(
        "is are uses use runs run follows follow requires require supports support targets relies depends "
        "must needs need has have should will cannot can was were does do insists insist wants expects"
    ),
    kin_name_patterns=tuple(
        WordPattern.parse(text, {}) for text in ("name is", "is|are called|named", "called|named")
    ),
    mentioned_name_patterns=tuple(
        WordPattern.parse(text, {})
        for text in ("her|his|their|its name|names is|are", "she|he|it is called|named")
    ),
    introduction_patterns=tuple(WordPattern.parse(text, {}) for text in ("i am", "this is")),
    introduction_suffixes=PhraseSet.parse("here"),
    not_names=en.NOT_NAMES,
    copulas=word_set("is are"),
    favourite_words=word_set("favourite favorite favourites favorites"),
    goal_nouns=word_set("goal dream aim ambition resolution"),
    feeling_patterns=FEELING_PATTERNS,
    feeling_cause_patterns=FEELING_CAUSE_PATTERNS,
    reply_verbs=word_set("answer reply respond write speak talk"),
    answer_languages=en.LANGUAGES,
    normalize_speaker=normalize_speaker,
    words_before_is=frozenset(),
    kin_modifiers=word_set("older younger little big eldest youngest twin late dear baby new elder middle"),
    future_words=word_set(
        "will going getting moving having expecting starting starts flying travelling fly travel leave must "
        "is expires ends begins runs expires ends begins runs"
    ),
    list_conjunctions=word_set("and or plus nor"),
    temporal_conjunctions=word_set("when whenever while after before once since until as"),
    degree_verbs=word_set("am been be feel felt feeling is are was were get getting got"),
    imperatives=word_set(
        "use write answer give keep show explain include avoid stick always never please reply respond add "
        "do start tell "
        "make put call be"
    ),
    clause_conjunctions=word_set("but because although though whereas which then therefore however so"),
    list_ending_verbs=word_set(
        "was were want need think noticed know feel miss have had would could should can will am is are "
        "get got find found see saw realized realised wondering"
    ),
    value_end_words=STOPS,
    fillers=en.FILLERS,
    subjectless_verbs=word_set(
        "got moved started bought lost quit graduated passed joined decided chose switched migrated "
        "promised adopted committing"
    ),
    trailing_fillers=LIGHT | word_set("right too though lol haha please thanks tho well to"),
    second_person=word_set("you your yours"),
    adverbs=LIGHT,
    emphasis_adverbs=EMPHASIS,
    negations=word_set("not"),
    cues=_CUES,
    rule_indexes=RULE_INDEXES,
    to_third_person=to_third_person,
    to_infinitive=to_infinitive,
    aversion_rules=(
        (
            PhraseSet.parse("did not like, did not enjoy, hated, disliked, could not stand, left early"),
            PhraseSet.parse(
                "crowded, packed, so many people, too many people, full of people, was full, too full"
            ),
            "avoids crowded places",
        ),
        (
            PhraseSet.parse("did not like, did not enjoy, hated, disliked, could not stand, left early"),
            PhraseSet.parse("noisy, too loud, so loud, very loud"),
            "avoids noisy places",
        ),
    ),
)

"""
The subject of a sentence and the form of its finite verb, as one feature: "first:past", "kin:be_a", "other:modal".

The verbs that state nothing lasting (modals, "I think", "I wonder", "quero saber") are few and can be listed; any other
verb counts by its form, so that the feature covers verbs that no word list contains. There is no parser: the verb is
taken to be the first word after the subject that is no adverb. O(words).
"""

from collections.abc import Mapping, Sequence

from recollect.extraction.rules.lexicon import word_set

_ENGLISH_SUBJECTS: Mapping[str, str] = {
    **dict.fromkeys(word_set("i we"), "first"),
    **dict.fromkeys(word_set("you u"), "second"),
    **dict.fromkeys(word_set("he she they"), "other"),
    **dict.fromkeys(word_set("it this that these those there"), "it"),
}
_ENGLISH_CONTRACTIONS: Mapping[str, tuple[str, str]] = {
    "im": ("first", "be"), "ive": ("first", "have"), "youre": ("second", "be"), "hes": ("other", "be"),
    "shes": ("other", "be"), "theyre": ("other", "be"), "its": ("it", "be"), "thats": ("it", "be"),
}  # fmt: skip
_ENGLISH_ENDINGS = {"m": "be", "re": "be", "s": "be", "ve": "have", "ll": "will", "d": "modal"}
_ENGLISH_ADVERBS = word_set(
    "just also really still already now then only usually actually even never always often sometimes all both "
    "currently finally kind sort of honestly literally probably mostly basically mainly almost so very quite"
)
_ENGLISH_VERBS: Mapping[str, str] = {
    **dict.fromkeys(word_set("am is are"), "be"),
    **dict.fromkeys(word_set("was were"), "was"),
    **dict.fromkeys(word_set("have has had"), "have"),
    **dict.fromkeys(word_set("will gonna won't wont"), "will"),
    **dict.fromkeys(word_set("can could should might may must would shall wouldn't couldn't shouldn't"), "modal"),
    **dict.fromkeys(
        word_set("don't dont doesn't doesnt can't cant cannot isn't isnt aren't haven't havent hasn't hasnt"), "not"
    ),
    **dict.fromkeys(word_set("didn't didnt wasn't wasnt weren't"), "was_not"),
    **dict.fromkeys(
        word_set(
            "think guess wonder know hope suppose mean believe feel see understand remember forget wish imagine bet "
            "swear reckon thought wondered guessed hoped knew felt saw heard read asked asking ask say said tried try "
            "love'd look looked noticed realised realized promise doubt assume dunno kept keep notice"
        ),
        "mental",
    ),
    **dict.fromkeys(word_set("want wanted need needed wanna gotta hope plan"), "want"),
    **dict.fromkeys(word_set("like love hate prefer enjoy adore loathe likes loves hates prefers"), "like"),
    **dict.fromkeys(
        word_set(
            "got went came told bought sold made took left lost found met broke fell quit gave put paid spent grew "
            "began brought built chose drew drank drove ate fought flew held led let rode ran sent shot sang sat "
            "slept spoke stood swam taught woke won wore wrote became did cut hit hurt set shut"
        ),
        "past",
    ),
}  # fmt: skip
_ENGLISH_DETERMINERS = word_set("a an the my our his her their")
#: Verb forms that are more often nouns or prepositions without a pronoun before them.
_ENGLISH_NOUNS = word_set("like love plan need hope look read")
_ENGLISH_POSSESSIVES = word_set("my our")
_INDEFINITE = word_set("a an one some somebody someone people everyone everybody um uma alguem uns umas todo")
_PORTUGUESE_FIRST = word_set("eu nos")
_PORTUGUESE_POSSESSIVES = word_set("meu minha meus minhas nosso nossa nossos nossas")
_PORTUGUESE_VERBS: Mapping[str, tuple[str, str]] = {
    **dict.fromkeys(word_set("sou somos"), ("first", "be")),
    **dict.fromkeys(word_set("estou to tou estamos ando"), ("first", "stay")),
    **dict.fromkeys(word_set("sao"), ("third", "be")),
    **dict.fromkeys(word_set("ta esta estao tao"), ("third", "stay")),
    **dict.fromkeys(word_set("tenho temos"), ("first", "have")),
    **dict.fromkeys(word_set("tem"), ("third", "have")),
    **dict.fromkeys(word_set("vou vamos"), ("first", "will")),
    **dict.fromkeys(word_set("vai vao"), ("third", "will")),
    **dict.fromkeys(
        word_set("quero queria queremos preciso precisava precisamos gostaria gostava pretendo"), ("first", "want")
    ),
    **dict.fromkeys(
        word_set(
            "acho achei sei penso pensei imagino espero lembro esqueci vi li ouvi entendi entendo percebi percebo "
            "tentei tento duvido confesso juro prometo digo disse falei perguntei ri fiquei consigo"
        ),
        ("first", "mental"),
    ),
    **dict.fromkeys(word_set("gosto adoro odeio detesto prefiro amo curto"), ("first", "like")),
    **dict.fromkeys(
        word_set("posso poderia devia deveria podia seria teria faria iria fosse tivesse"), ("any", "modal")
    ),
    **dict.fromkeys(
        word_set("fui fiz tive pedi recebi perdi vendi decidi abri consegui escolhi dormi sai"), ("first", "past")
    ),
    **dict.fromkeys(
        word_set(
            "moro trabalho estudo uso tomo como bebo corro toco jogo treino ensino vendo vivo faco cuido pago ganho "
            "escrevo leio falo aprendo durmo acordo chego saio conduzo dirijo cobro atendo moramos usamos rodamos"
        ),
        ("first", "present"),
    ),
    **dict.fromkeys(word_set("foi foram fez fizeram teve veio disseram deu saiu caiu"), ("third", "past")),
}  # fmt: skip
_PORTUGUESE_FIRST_ENDINGS = ("ei", "amos", "emos", "imos")
_PORTUGUESE_PAST_ENDINGS = ("ou", "eu", "iu", "aram", "eram", "iram")
_PORTUGUESE_NOT_VERBS = word_set("meu seu teu eu sou vou dou lei rei museu estou nos")
#: "Como" is also "as", and "to" (tô) may be English.
_AMBIGUOUS_VERBS = word_set("como para to")
_BEFORE_AMBIGUOUS_VERBS = word_set("eu nao so nunca e") | {""}
_BEFORE_FIRST_PERSON_VERBS = word_set("eu nao nunca sempre ja so me tambem")
_MAX_SUBJECT_WORDS = 4


def predicate(words: Sequence[str], language: str) -> str:
    """Return the subject and the verb form of a sentence given by its folded words; "none" if they are not found."""
    if not words:
        return "none"
    found = _portuguese(words) if language == "pt" else _english(words)
    if found is None:
        return "none"
    subject, form = found
    if words[0] in _INDEFINITE and subject not in {"first", "kin"}:
        subject = "indefinite"
    return f"{subject}:{form}"


def _english(words: Sequence[str]) -> tuple[str, str] | None:
    for position, word in enumerate(words):
        if word in _ENGLISH_CONTRACTIONS:
            subject, verb = _ENGLISH_CONTRACTIONS[word]
            return subject, _with_complement(verb, words, position + 1)
        pronoun, _, ending = word.partition("'")
        if pronoun in _ENGLISH_SUBJECTS:
            if ending in _ENGLISH_ENDINGS:
                return _ENGLISH_SUBJECTS[pronoun], _with_complement(
                    _ENGLISH_ENDINGS[ending], words, position + 1
                )
            if not ending:
                return _ENGLISH_SUBJECTS[pronoun], _english_form(words, position + 1)
        if word in _ENGLISH_POSSESSIVES:
            return _owned(words, position)
        if word in _ENGLISH_VERBS and position and word not in _ENGLISH_NOUNS:
            return "noun", _english_form(words, position)
    return None


def _owned(words: Sequence[str], position: int) -> tuple[str, str] | None:
    """Return the predicate of "my boss …": its verb follows within a few words."""
    for place in range(position + 2, min(position + 2 + _MAX_SUBJECT_WORDS, len(words))):
        if words[place] in _ENGLISH_VERBS or words[place].endswith("ed"):
            return "kin", _english_form(words, place)
    if any(word.endswith("'s") for word in words[position + 1 : position + 1 + _MAX_SUBJECT_WORDS]):
        return "kin", "be"
    return "kin", "other"


def _english_form(words: Sequence[str], position: int) -> str:
    while position < len(words) and words[position] in _ENGLISH_ADVERBS:
        position += 1
    if position >= len(words):
        return "none"
    word = words[position]
    form = _ENGLISH_VERBS.get(word)
    if form is not None:
        return _with_complement(form, words, position + 1)
    if word.endswith("ed") and len(word) > 4:
        return "past"
    return "present"


def _with_complement(form: str, words: Sequence[str], position: int) -> str:
    """Tell "I'm a nurse", "I'm training" and "I've been diagnosed" apart."""
    if form not in {"be", "was", "have"}:
        return form
    while position < len(words) and words[position] in _ENGLISH_ADVERBS:
        position += 1
    following = words[position] if position < len(words) else ""
    if following in _ENGLISH_DETERMINERS or following[:1].isdecimal():
        return f"{form}_a"
    if following == "not":
        return f"{form}_not"
    if following == "been" or (following.endswith("ed") and len(following) > 4):
        return f"{form}_done"
    if following.endswith("ing") and len(following) > 4:
        return f"{form}_doing"
    return form


def _portuguese(words: Sequence[str]) -> tuple[str, str] | None:
    owner: str | None = None
    for position, word in enumerate(words):
        if word in _PORTUGUESE_POSSESSIVES and owner is None:
            owner = "kin"
        elif word in _PORTUGUESE_FIRST and owner is None:
            owner = "first"
        elif word in {"ele", "ela", "eles", "elas"} and owner is None:
            owner = "other"
        found = _portuguese_verb(words, position)
        if found is None:
            continue
        person, form = found
        before = words[position - 1] if position else ""
        if before in {"nao", "nunca", "nem"}:
            form = f"{form}_not"
        if person == "first":
            return "first", form
        return owner or ("any" if person == "any" else "noun"), form
    return None if owner is None else (owner, "other")


def _portuguese_verb(words: Sequence[str], position: int) -> tuple[str, str] | None:
    word = words[position].partition("-")[0]
    before = words[position - 1] if position else ""
    is_other_word = word in _AMBIGUOUS_VERBS and before not in _BEFORE_AMBIGUOUS_VERBS
    if word in _PORTUGUESE_VERBS and not is_other_word:
        return _PORTUGUESE_VERBS[word]
    if is_other_word or word in _PORTUGUESE_NOT_VERBS or len(word) < 4:
        return None
    if word.endswith(_PORTUGUESE_FIRST_ENDINGS):
        return "first", "past"
    if word.endswith(_PORTUGUESE_PAST_ENDINGS):
        return "third", "past"
    return ("first", "present") if word.endswith("o") and before in _BEFORE_FIRST_PERSON_VERBS else None

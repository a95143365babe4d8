"""Turns text into the words it is found by. The index and the question go through the same door."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from typing import Final

import Stemmer

from recollect.text.language import detect_language
from recollect.text.text_cache import TextCache

#: Scripts without spaces: Thai and its neighbours, Chinese, Japanese, Korean.
_UNSPACED_CHARS: Final = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u1100-\u11ff\u3005-\u3007\u3040-\u30ff\u3130-\u318f"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
#: Accents that stand as characters of their own, and the vowel signs of India.
_COMBINING_CHARS: Final = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed\u0900-\u0dff"
)

#: No step can be taken back, so that no text makes it slow. Plain ASCII has a door of its own since it is most of what
#: people write.
_FLAG_PATTERN: Final = r"(?<![\w-])--[A-Za-z][\w-]*+"
_ASCII_TOKEN_PATTERN: Final = re.compile(
    rf"\w++(?:['.\-/:@](?=[^\W_])\w++)*+(?:\+\+|\#(?!\w))?+|{_FLAG_PATTERN}", re.ASCII
)
_TOKEN_PATTERN: Final = re.compile(
    rf"(?:[A-Za-z0-9_]++|[^\W{_UNSPACED_CHARS}])"
    rf"(?:[A-Za-z0-9_]++|['\u2019.\-/:@](?=[^\W_{_UNSPACED_CHARS}])|[^\W{_UNSPACED_CHARS}]++|[{_COMBINING_CHARS}]++)*+(?:\+\+|\#(?!\w))?+"
    rf"|{_FLAG_PATTERN}|[{_UNSPACED_CHARS}]++"
)
_SUBTOKEN_PATTERN: Final = re.compile(rf"(?:[^\W_]|[{_COMBINING_CHARS}])+")
_CAMEL_CASE_PATTERN: Final = re.compile(
    r"[A-ZÀ-ÖØ-Þ]+(?![a-zß-öø-ÿ])|[A-ZÀ-ÖØ-Þ]?[a-zß-öø-ÿ]+|\d+|[^\W\d_A-Za-zÀ-ÖØ-öø-ÿ]+"
)
_ACRONYM_PLURAL_PATTERN: Final = re.compile(r"[A-Z]{2,}s")
_CONTRACTION_PATTERN: Final = re.compile(r"(\w+)'(s|t|re|ve|ll|d|m)")
_JOINER_CHARS: Final = frozenset("._/:@+#")
#: Of longer names the beginning is enough.
_MAX_TERM_CHARS: Final = 64

_STEMMER_NAMES: Final = {
    "en": "english",
    "pt": "portuguese",
    "es": "spanish",
    "fr": "french",
    "de": "german",
    "it": "italian",
    "ru": "russian",
}
#: The index keeps one stem, in the language of the text; a question does not show its language so well, and is asked in
#: each of these.
_QUERY_LANGUAGES: Final = tuple(language for language in _STEMMER_NAMES if language != "ru")

#: Portuguese endings without their accents, and the ending as the stemmer knows it. Plurals become singulars first: to
#: the stemmer alone reuniões and reunião are two words.
_PORTUGUESE_ENDINGS: Final = {
    "coes": "ção", "cao": "ção", "oes": "ão", "aes": "ão", "aos": "ão", "ao": "ão",
    "encias": "ência", "encia": "ência", "ancias": "ância", "ancia": "ância",
    "aveis": "ável", "avel": "ável", "iveis": "ível", "ivel": "ível",
    "issimos": "íssimo", "issimas": "íssima", "issimo": "íssimo", "issima": "íssima",
}  # fmt: skip
_PORTUGUESE_ENDING_PATTERN: Final = re.compile(rf"(?<=\w)(?:{'|'.join(_PORTUGUESE_ENDINGS)})$")

STOP_WORDS: Final = frozenset(
    """
    a about am an and any are as at be been being but by can could did didn do does doesn doing don for from had has
    have he her hers him his how i if in into is it its just let me my of on or our ours s she should so some than that
    the their theirs them then there these they this those to too us was we were what when where which who whom whose
    why will with would you your yours t d m re ve ll im ive dont didnt doesnt whats thats
    ao aos as com como da das de dela delas dele deles do dos e ela elas ele eles em era essa essas esse esses esta
    estas este estes eu foi ha isso isto ja la lhe lhes mais mas me meu meus mim minha minhas na nao nas nem no nos
    nossa nosso num numa o os ou para pela pelas pelo pelos por pra pro qual quais quando que quem se sem ser seu seus
    sou sua suas tambem te tem tenho ter teu tua um uma umas uns voce voces
    """.split()
)


def index_terms(text: str) -> list[tuple[str, ...]]:
    """Return the words of a text for the index, in order: each with the forms it is found by, the main one first."""
    language = detect_language(text)
    cache_by_token = _form_cache(language if language in _STEMMER_NAMES else "en")
    # No word has a space in it, so that what stands between two spaces is looked up whole.
    return [token_forms for token in text.split() for token_forms in cache_by_token[token]]


def query_terms(query: str, limit: int = 32) -> tuple[tuple[str, ...], ...]:
    """
    Return the words of a question, each with the forms it may stand under in the index.

    Words that stand in every text are left out, unless there are no others.
    """
    language = detect_language(query)
    content_terms: dict[str, tuple[str, ...]] = {}
    stop_terms: dict[str, tuple[str, ...]] = {}
    for raw in _token_pattern(query).findall(query):
        for word, alternatives in _query_forms(raw, language):
            (stop_terms if word in STOP_WORDS else content_terms).setdefault(word, alternatives)
            if len(content_terms) >= limit:
                return tuple(content_terms.values())
    return tuple((content_terms or stop_terms).values())[:limit]


def match_expression(terms: Iterable[Sequence[str]]) -> str:
    """Return the question in FTS5's own language; every form is quoted, so that no text is read as syntax."""
    return " OR ".join('"' + form.replace('"', '""') + '"' for forms in terms for form in forms)


class _AccentFolding(dict[int, str]):
    """Letters without their accents. Letters of their own, such as й and が, stay what they are."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        bare = unicodedata.normalize("NFD", character)[0]
        if "\u0300" <= character <= "\u036f":
            bare = ""
        elif bare >= "\u0400":
            bare = character
        self[code] = bare
        return bare


_ACCENT_FOLDING: Final = _AccentFolding(
    str.maketrans(
        {"ø": "o", "ł": "l", "đ": "d", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th", "ё": "е", "’": "'"}
    )
)


def fold_text(text: str) -> str:
    """Return the text with width, case and accents taken away."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFKC", text).casefold().translate(_ACCENT_FOLDING)


@lru_cache(maxsize=32_768)
def stem(word: str, language: str) -> str:
    """Return the stem of a folded word; a language without stemmer counts as English."""
    if len(word) < 3 or not word.isalpha():
        return word
    if language == "pt":
        word = _PORTUGUESE_ENDING_PATTERN.sub(lambda ending: _PORTUGUESE_ENDINGS[ending.group()], word)
    # Stemmers keep their place in themselves: one that two threads share gives wrong stems.
    stemmer = Stemmer.Stemmer(_STEMMER_NAMES.get(language, "english"), 0)
    return fold_text(stemmer.stemWord(word))


def _token_pattern(text: str) -> re.Pattern[str]:
    return _ASCII_TOKEN_PATTERN if text.isascii() else _TOKEN_PATTERN


@cache
def _form_cache(language: str) -> TextCache[tuple[tuple[str, ...], ...]]:
    """What stands between two spaces, with the words in it."""

    def analyze(run: str) -> tuple[tuple[str, ...], ...]:
        return tuple(
            found for raw in _token_pattern(run).findall(run) for found in _index_forms(raw, language)
        )

    return TextCache(analyze)


def _index_forms(raw: str, language: str) -> tuple[tuple[str, ...], ...]:
    """The words in one run of characters, each with the forms it is kept under."""
    if raw.isascii() and raw.isalpha() and (raw.islower() or raw.istitle()):
        return ((stem(raw.lower()[:_MAX_TERM_CHARS], _stem_language(raw, language)),),)
    if _is_unspaced(raw):
        return tuple((form,) for form in _bigrams(raw))
    whole, words = _split_token(raw)
    word_forms = [(stem(word, _stem_language(word, language)),) for word in words]
    if not word_forms:
        return (whole,) if whole else ()
    return (tuple(dict.fromkeys((*word_forms[0], *whole))), *word_forms[1:])


def _query_forms(raw: str, language: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    if _is_unspaced(raw):
        yield from ((form, (form,)) for form in _bigrams(raw))
        return
    whole, words = _split_token(raw)
    yield from ((form, (form,)) for form in whole)
    for word in words:
        languages = _QUERY_LANGUAGES if word.isascii() else (_stem_language(word, language),)
        yield word, tuple(dict.fromkeys((word, *(stem(word, each) for each in languages))))


def _stem_language(word: str, language: str) -> str:
    """The language a word is stemmed in: letters say it for Russian, the text for the others."""
    if not word.isascii():
        return "ru" if "\u0400" <= word[0] <= "\u04ff" else language
    return language if language in _STEMMER_NAMES and language != "ru" else "en"


def _split_token(raw: str) -> tuple[tuple[str, ...], list[str]]:
    """A name whole, if it is one, and the plain words in it."""
    if raw.isalpha() and (raw.islower() or raw.istitle() or raw.isupper()):
        return (), [fold_text(raw)[:_MAX_TERM_CHARS]]
    if _ACRONYM_PLURAL_PATTERN.fullmatch(raw):
        return (), [raw[:-1].lower()[:_MAX_TERM_CHARS]]
    normalized = raw.replace("\u2019", "'")
    if contraction := _CONTRACTION_PATTERN.fullmatch(normalized):
        word = contraction[1] if contraction[2] == "s" else contraction[1] + contraction[2]
        return (), [fold_text(word)[:_MAX_TERM_CHARS]]
    if raw[-1] in "+#":
        return (fold_text(raw)[:_MAX_TERM_CHARS],), []
    humps = [hump for part in _SUBTOKEN_PATTERN.finditer(raw) for hump in _split_camel_case(raw, part)]
    return _identifier_forms(raw, len(humps)), [
        fold_text(raw[begin:end])[:_MAX_TERM_CHARS] for begin, end in humps
    ]


def _identifier_forms(raw: str, word_count: int) -> tuple[str, ...]:
    """The whole of an identifier, and the file's name at the end of a path."""
    name = fold_text(raw)[:_MAX_TERM_CHARS]
    if raw.startswith("--") or not _JOINER_CHARS.isdisjoint(raw):
        last = name.rpartition("/")[2]
        return (name, last) if last != name and "." in last else (name,)
    return (name,) if word_count > 1 and raw.isalnum() else ()


def _split_camel_case(raw: str, part: re.Match[str]) -> list[tuple[int, int]]:
    """The words written into one: two in calculateTotal, three in HTTPServer2, one in Lisboa and ÉVORA."""
    text = part.group()
    if text == text.lower() or (text.isalpha() and (text.istitle() or text.isupper())):
        return [part.span()]
    spans = [hump.span() for hump in _CAMEL_CASE_PATTERN.finditer(raw, part.start(), part.end())]
    return spans or [part.span()]


def _bigrams(run: str) -> list[str]:
    """Characters two by two; one alone stands for itself."""
    normalized = unicodedata.normalize("NFKC", run).casefold()
    return [normalized[i : i + 2] for i in range(max(len(normalized) - 1, 1))]


def _is_unspaced(raw: str) -> bool:
    return not raw.isascii() and _UNSPACED_START_PATTERN.match(raw) is not None


_UNSPACED_START_PATTERN: Final = re.compile(f"[{_UNSPACED_CHARS}]")

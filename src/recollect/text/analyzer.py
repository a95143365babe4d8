"""
The text analyzer: tokenization, folding, identifier splitting and stemming for the full-text index and its queries.

Pipeline: split into tokens (a word, an identifier, a path, a flag, a run of an unspaced script) → fold width (NFKC),
case and accents → split identifiers at camel case and punctuation, keeping the whole → stem with Snowball. Chinese,
Japanese, Korean and Thai, which write no spaces, become character bigrams.

Asymmetry: the index stores one stem per word, in the language detected for the text, because a long text shows its
language. A short query does not, so each of its words is expanded to its stems in six languages, and any may match.
Stop words are indexed, but dropped from queries that contain other words.

Invariants: every form that `index_terms` stores for a word is among the forms of `query_terms` for that word, provided
that the text's language is one of the six (Russian is recognized by its letters). A change of the forms requires
a rebuild of the index. All patterns are possessive, so tokenization is linear in the text even for hostile input.
Whitespace-separated runs are cached per language, which makes repeated words a dictionary lookup.

Example: "calculateTotal() falhou nas reuniões" (pt) is indexed as ("calculat", "calculatetotal"), ("total",), … with
"reuniões" as the stem of "reunião"; the query "reunião" has that stem among its forms.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Final

import Stemmer

from recollect.text.language import detect_language
from recollect.text.languages import LANGUAGES
from recollect.text.text_cache import TextCache

#: Scripts without spaces: Thai and its neighbours, Chinese, Japanese, Korean.
_UNSPACED_CHARS: Final = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u1100-\u11ff\u3005-\u3007\u3040-\u30ff\u3130-\u318f"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
#: Combining accents, and the vowel signs of Indic scripts.
_COMBINING_CHARS: Final = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed\u0900-\u0dff"
)

#: Possessive quantifiers prevent backtracking, so that no text makes matching slow. ASCII, which is most text, has a
#: simpler and faster pattern.
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
#: Separate terms and forms in joined terms; no form contains a control character.
TERM_SEPARATOR: Final = "\x1e"
FORM_SEPARATOR: Final = "\x1d"
#: Longer terms are truncated.
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
#: The index stores one stem, in the language of the text. The language of a short query is uncertain, so its words are
#: stemmed in each of these.
_QUERY_LANGUAGES: Final = tuple(language for language in _STEMMER_NAMES if language != "ru")

#: Portuguese endings without accents, and the accented singular ending that the stemmer expects. Without this, the
#: stemmer gives reuniões and reunião different stems.
_PORTUGUESE_ENDINGS: Final = {
    "coes": "ção", "cao": "ção", "oes": "ão", "aes": "ão", "aos": "ão", "ao": "ão",
    "encias": "ência", "encia": "ência", "ancias": "ância", "ancia": "ância",
    "aveis": "ável", "avel": "ável", "iveis": "ível", "ivel": "ível",
    "issimos": "íssimo", "issimas": "íssima", "issimo": "íssimo", "issima": "íssima",
}  # fmt: skip
_PORTUGUESE_ENDING_PATTERN: Final = re.compile(rf"(?<=\w)(?:{'|'.join(_PORTUGUESE_ENDINGS)})$")

STOP_WORDS: Final = frozenset(word for language in LANGUAGES.values() for word in language.stop_words)


def index_terms(text: str) -> list[tuple[str, ...]]:
    """Return the terms of a text for the index, in order: each as a tuple of forms, the main one first."""
    return [tuple(term.split(FORM_SEPARATOR)) for term in join_index_terms(text).split(TERM_SEPARATOR)[1:]]


def join_index_terms(text: str) -> str:
    """
    Return the terms of `index_terms` as one string, with a TERM_SEPARATOR before each term and a FORM_SEPARATOR between
    its forms. A list of tuples takes five times as long.
    """
    language = detect_language(text)
    terms_by_run = _term_cache(language if language in _STEMMER_NAMES else "en")
    # No token contains a space, so each whitespace-separated run is looked up whole.
    return "".join(map(terms_by_run.__getitem__, text.split()))


def query_terms(query: str, limit: int = 32) -> tuple[tuple[str, ...], ...]:
    """
    Return the terms of a query, each as a tuple of the forms it may have in the index.

    Stop words are left out unless there are no other words.
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


class _AccentFolding(dict[int, str]):
    """Maps letters to their base letters. Distinct letters such as й and が are kept."""

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
    """Return the text with width, case and accents folded."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFKC", text).casefold().translate(_ACCENT_FOLDING)


@lru_cache(maxsize=32_768)
def stem(word: str, language: str) -> str:
    """Return the stem of a folded word; languages without a stemmer use the English one."""
    if len(word) < 3 or not word.isalpha():
        return word
    if language == "pt":
        word = _PORTUGUESE_ENDING_PATTERN.sub(lambda ending: _PORTUGUESE_ENDINGS[ending.group()], word)
    # Stemmer objects have state: one shared by two threads gives wrong stems.
    stemmer = Stemmer.Stemmer(_STEMMER_NAMES.get(language, "english"), 0)
    return fold_text(stemmer.stemWord(word))


def _token_pattern(text: str) -> re.Pattern[str]:
    return _ASCII_TOKEN_PATTERN if text.isascii() else _TOKEN_PATTERN


@cache
def _term_cache(language: str) -> TextCache[str]:
    """Return a cache from whitespace-separated runs to their terms, joined."""

    def analyze(run: str) -> str:
        terms = [forms for raw in _token_pattern(run).findall(run) for forms in _index_forms(raw, language)]
        return "".join([TERM_SEPARATOR + FORM_SEPARATOR.join(forms) for forms in terms])

    return TextCache(analyze)


def _index_forms(raw: str, language: str) -> tuple[tuple[str, ...], ...]:
    """Return the terms of one token, each with the forms stored in the index."""
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
    """Return the language to stem a word in: Russian by its letters, otherwise the text's language."""
    if not word.isascii():
        return "ru" if "\u0400" <= word[0] <= "\u04ff" else language
    return language if language in _STEMMER_NAMES and language != "ru" else "en"


def _split_token(raw: str) -> tuple[tuple[str, ...], list[str]]:
    """Return the whole forms of an identifier, if the token is one, and its words."""
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
    """Return a whole identifier, and the file name at the end of a path."""
    name = fold_text(raw)[:_MAX_TERM_CHARS]
    if raw.startswith("--") or not _JOINER_CHARS.isdisjoint(raw):
        last = name.rpartition("/")[2]
        return (name, last) if last != name and "." in last else (name,)
    return (name,) if word_count > 1 and raw.isalnum() else ()


def _split_camel_case(raw: str, part: re.Match[str]) -> list[tuple[int, int]]:
    """Return the spans of camel-case words: two in calculateTotal, three in HTTPServer2, one in Lisboa and ÉVORA."""
    text = part.group()
    if text == text.lower() or (text.isalpha() and (text.istitle() or text.isupper())):
        return [part.span()]
    spans = [hump.span() for hump in _CAMEL_CASE_PATTERN.finditer(raw, part.start(), part.end())]
    return spans or [part.span()]


def _bigrams(run: str) -> list[str]:
    """Return the character bigrams of a run; a single character is returned as it is."""
    normalized = unicodedata.normalize("NFKC", run).casefold()
    return [normalized[i : i + 2] for i in range(max(len(normalized) - 1, 1))]


def _is_unspaced(raw: str) -> bool:
    return not raw.isascii() and _UNSPACED_START_PATTERN.match(raw) is not None


_UNSPACED_START_PATTERN: Final = re.compile(f"[{_UNSPACED_CHARS}]")

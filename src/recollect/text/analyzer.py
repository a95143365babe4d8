"""Turns text into the words it is found by. The index and the query go through the same door."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache

import snowballstemmer

from recollect.text.language import detect

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f"
#: One step a character: no text makes it go back. A word may be held together by what names are joined with.
_SCAN = re.compile(
    rf"[{_CJK}]++|(?:--?(?=[A-Za-z]))?[^\W_{_CJK}](?:[^\W{_CJK}]++|['’.\-/:@](?=\w))*+(?:\+\+|\#(?!\w))?+"
)
_PARTS = re.compile(r"[^\W_]+")
_HUMPS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_A-Za-z]+")
_JOINERS = frozenset("._/:@+#")
_LONGEST = 64

_STEMMERS = {
    "en": "english",
    "pt": "portuguese",
    "es": "spanish",
    "de": "german",
    "fr": "french",
    "it": "italian",
    "ru": "russian",
}
#: Portuguese endings as they are without accents, and as the stemmer knows them. Plurals come first.
_ENDINGS = (
    ("coes", "ção"), ("cao", "ção"), ("oes", "ão"), ("aes", "ão"), ("aos", "ão"), ("ao", "ão"),
    ("encias", "ências"), ("encia", "ência"), ("ancias", "âncias"), ("ancia", "ância"),
    ("aveis", "áveis"), ("avel", "ável"), ("iveis", "íveis"), ("ivel", "ível"),
    ("issimo", "íssimo"), ("issima", "íssima"),
)  # fmt: skip

STOP_WORDS = frozenset(
    """
    a about am an and any are as at be been but by can could did do does doing for from had has have he her hers him his
    how i if in into is it its just let me my of on or our she should so some than that the their them then there these
    they this those to too us was we were what when where which who whom whose why will with would you your yours
    ao aos as com como da das de dela dele do dos e ela ele eles em era essa esse esta estas este eu foi ha isso isto ja
    lhe mais mas meu minha meus minhas na nas nem no nos num numa o os ou para pela pelo por pra pro qual quais quando
    que quem se sem ser seu sua seus suas so sou te tem tenho um uma umas uns voce voces nao s t m re ve ll d
    """.split()
)


def folded(text: str) -> str:
    """Width, case and accents do not matter."""
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text).casefold())
    return "".join(c for c in decomposed if not unicodedata.combining(c))


def tokens(text: str) -> list[tuple[str, ...]]:
    """The words of a text, in order, for the index: each with the forms it is found by."""
    language = _stemmed_as(detect(text))
    return [forms for raw in _SCAN.findall(text) for forms in _indexed(raw, language)]


def terms(query: str, limit: int = 32) -> tuple[tuple[str, ...], ...]:
    """The words of a question, each with the forms it may stand under in the index."""
    language = _stemmed_as(detect(query))
    wanted: dict[str, tuple[str, ...]] = {}
    stopped: dict[str, tuple[str, ...]] = {}
    for raw in _SCAN.findall(query):
        for word, forms in _asked(raw, language):
            (stopped if word in STOP_WORDS else wanted).setdefault(word, forms)
    return tuple((wanted or stopped).values())[:limit]


def match_expression(wanted: Iterable[Sequence[str]]) -> str:
    """The question in FTS5's own language; every form is quoted, so that no text is ever read as syntax."""
    return " OR ".join('"' + form.replace('"', '""') + '"' for forms in wanted for form in forms)


@lru_cache(maxsize=100_000)
def _indexed(raw: str, language: str) -> tuple[tuple[str, ...], ...]:
    if _is_cjk(raw[0]):
        return tuple((form,) for form in _bigrams(raw))
    whole, words = _taken_apart(raw)
    stems = [stem(word, language) for word in words]
    if whole and whole not in stems:
        return ((*stems[:1], whole), *((stemmed,) for stemmed in stems[1:]))
    return tuple((stemmed,) for stemmed in stems)


def _asked(raw: str, language: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    if _is_cjk(raw[0]):
        yield from ((form, (form,)) for form in _bigrams(raw))
        return
    whole, words = _taken_apart(raw)
    if whole:
        yield whole, (whole,)
    for word in words:
        yield word, tuple(dict.fromkeys((word, *(stem(word, each) for each in ("en", "pt", language)))))


def _taken_apart(raw: str) -> tuple[str | None, tuple[str, ...]]:
    """An identifier whole, if it is one, and the plain words in it."""
    bare = raw.replace("’", "'")
    flag = bare.startswith("-")
    name = bare.lstrip("-")
    if name.endswith(("'s", "'S")):
        name = name[:-2]
    joined = name.replace("'", "")
    words = [folded(hump)[:_LONGEST] for part in _PARTS.findall(joined) for hump in _split(part)]
    is_name = flag or any(c in _JOINERS for c in joined) or len(_humps_of(joined)) > 1
    whole = folded(bare if flag else joined)[:_LONGEST] if is_name else None
    return whole, tuple(words)


def _split(part: str) -> list[str]:
    humps = _humps_of(part)
    return humps if len(humps) > 1 else [part]


def _humps_of(part: str) -> list[str]:
    """A name like calculateTotal is two words, HTTPServer2 three; Lisboa and ÉVORA are one."""
    if not part.isascii() or part.islower() or (part.isalpha() and (part.isupper() or part.istitle())):
        return [part]
    return _HUMPS.findall(part)


@lru_cache(maxsize=100_000)
def stem(word: str, language: str) -> str:
    """The stem of a folded word."""
    if len(word) < 3 or not word.isalpha():
        return word
    if language == "pt":
        word = next((word[: -len(end)] + accented for end, accented in _ENDINGS if _ends(word, end)), word)
    stemmer = _stemmer(_STEMMERS.get(language, "english"))
    return folded(stemmer.stemWord(word))


def _ends(word: str, ending: str) -> bool:
    return len(word) > len(ending) + 1 and word.endswith(ending)


@cache
def _stemmer(name: str) -> snowballstemmer.stemmer:
    return snowballstemmer.stemmer(name)


def _stemmed_as(language: str) -> str:
    return language if language in _STEMMERS else "en"


def _is_cjk(character: str) -> bool:
    return re.match(f"[{_CJK}]", character) is not None


def _bigrams(run: str) -> list[str]:
    """Characters in pairs; one alone stands for itself."""
    text = unicodedata.normalize("NFKC", run)
    return [text[i : i + 2] for i in range(len(text) - 1)] or [text]

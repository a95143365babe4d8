"""Code identifiers in texts: functions, classes, files, flags, error codes, versions."""

import re
from typing import Final

_FENCED_CODE_PATTERN: Final = re.compile(
    r"^[ \t]*+(?:```|~~~)[^\n]*+\n(.*?)(?:^[ \t]*+(?:```|~~~)|\Z)", re.DOTALL | re.MULTILINE
)
_INLINE_CODE_PATTERN: Final = re.compile(r"`([^`\n]{1,200})`")
_NAME_PATTERN: Final = re.compile(r"[^\W\d]\w{2,}")

_FILE_EXTENSIONS: Final = (
    "bat|bash|c|cc|cfg|conf|cpp|cs|css|csv|db|diff|dockerfile|env|exe|go|gz|h|hpp|html|ini|ipynb|java|jpeg|jpg|js|json"
    "|jsonl|jsx|kt|lock|log|lua|md|mjs|patch|pdf|php|pl|png|proto|ps1|py|pyi|rb|rs|rst|scala|sh|sql|sqlite|svelte|svg"
    "|swift|tar|tf|toml|ts|tsv|tsx|txt|vue|wasm|xml|yaml|yml|zip"
)

_IDENTIFIER_PATTERN: Final = re.compile(
    r"""
      (?<!\w)[a-z]+\d*[A-Z]\w*                                   # calculateTotal
    | (?<!\w)(?!Mc[A-Z])[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+\w*     # HttpServer, but not McDonald
    | (?<!\w)[A-Z]{2,}[a-z]{2,}\w*                               # HTTPServer2
    | (?<!\w)(?:E\d{3,5}|[A-Z]{2,5}\d{4,6}|[A-Z]{2,5}(?:-\d{3,6}){1,2})(?!\w)   # E0308, ORA-00942
    | (?<![\w.])(?:v\d{1,4}(?:\.\d{1,4}){0,3}|\d{1,3}(?:\.\d{1,3}){2})
      (?:[.-]?(?:a|b|rc|alpha|beta|dev)\.?\d*)?(?![\w.]*\d)     # v2, 1.2.3rc1, but not 12.05.2024
    | (?<![\w-])--[a-z][\w-]+                                    # --dry-run
    | (?<!\w)[A-Za-z](?:\+\+|\#)(?!\w)                           # C++, C#
    """,
    re.VERBOSE,
)
_UNDERSCORE_PATTERN: Final = re.compile(r"(?<!\w)(?=\w*_)\w{3,}")
_DOTTED_NAME_PATTERN: Final = re.compile(r"(?<![\w.@/-])[^\W\d]\w+(?:\.[^\W\d]\w+)+(?!\w)")
_CALL_PATTERN: Final = re.compile(r"(?<!\w)([^\W\d]\w*)\((?!(?:[aeo]?s|[aeo])\))")
_PATH_PATTERN: Final = re.compile(
    rf"(?<![\w./~:-])(?:(?:~|\.{{1,2}}|/[\w.-]++)/(?:[\w.-]++/)*+[\w.-]+(?<!\.)|(?:[\w.-]++/)*+[\w-]+(?:\.[\w-]+)*\.(?:{_FILE_EXTENSIONS})(?!\w))"
)

#: Keywords and common names of programming languages, which say nothing about the topic.
_LANGUAGE_KEYWORDS: Final = frozenset(
    """
    and any args async await bool boolean break case catch char class console const continue data def default del dict
    echo elif else end enum except export extends false final finally float fn for foreach from func function get global
    goto how import include int integer interface lambda let list local log long match module namespace new nil none not
    null number object package pass print private protected public raise require return self set static str string
    struct super switch than that the then this throw true try tuple type typeof undefined use using val value var void
    what when where while with yield you
    """.split()
)
#: Brand names in camel case.
_BRAND_NAMES: Final = frozenset(
    """
    airpods chatgpt deepseek doordash ebay facetime fedex icloud imac imessage ios ipad iphone ipod linkedin macbook
    macos mastercard openai paypal playstation powerpoint tiktok whatsapp youtube
    """.split()
)
_DOMAIN_SUFFIXES: Final = (".com", ".org", ".net", ".edu", ".gov", ".br", ".pt", ".uk", ".de")


def extract_identifiers(text: str) -> frozenset[str]:
    """Return the code identifiers of a text, casefolded."""
    names = {
        *_IDENTIFIER_PATTERN.findall(text),
        *_DOTTED_NAME_PATTERN.findall(text),
        *_CALL_PATTERN.findall(text),
        *_PATH_PATTERN.findall(text),
    }
    names.update(filter(_has_inner_underscore, _UNDERSCORE_PATTERN.findall(text)))
    if "`" in text or "~~~" in text:
        names.update(_code_identifiers(text))
    return frozenset(name for name in map(str.casefold, names) if _is_informative(name))


def looks_like_code(query: str) -> bool:
    """Return whether a query contains a code fence or a code identifier."""
    return "```" in query or bool(extract_identifiers(query))


def _code_identifiers(text: str) -> set[str]:
    fenced_code = _FENCED_CODE_PATTERN.findall(text)
    inline_code = _INLINE_CODE_PATTERN.findall(text)
    spans = {span for span in inline_code if " " not in span and any(map(str.isalpha, span))}
    return spans | {name for code in (*fenced_code, *inline_code) for name in _NAME_PATTERN.findall(code)}


def _has_inner_underscore(name: str) -> bool:
    """Return whether an underscore joins words; around a word it is Markdown emphasis."""
    bare = name.strip("_")
    dunder = name.startswith("__") and name.endswith("__")
    return any(map(str.isalpha, bare)) and ("_" in bare or dunder)


def _is_informative(name: str) -> bool:
    return (
        name not in _LANGUAGE_KEYWORDS
        and name.rstrip("s") not in _BRAND_NAMES
        and not name.endswith(_DOMAIN_SUFFIXES)
    )

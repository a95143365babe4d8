"""Finds the names that programmers use: functions, files, flags, error codes, versions."""

import re

_FENCED = re.compile(r"(?:```|~~~)[^\n]*\n(.*?)(?:```|~~~|\Z)", re.DOTALL)
_INLINE = re.compile(r"`([^`\n]{1,200})`")
_NAME = re.compile(r"[^\W\d]\w*")
_KINDS = re.compile(
    r"""
      (?P<flag>(?<![\w-])--?[A-Za-z][\w-]*[\w])            # --dry-run, -rf
    | (?P<file>(?<![\w/.])[\w.-]*(?:/[\w.-]+)+)             # src/app/main.py
    | (?P<dotted>\b[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+\b)       # foo.bar.baz, node.js, main.py
    | (?P<version>\bv?\d+(?:\.\d+){1,3}(?:-?[a-z]+\d*)?\b)  # 1.2.3, v2.0rc1
    | (?P<snake>\b[A-Za-z]\w*_\w+\b)                        # my_func, ERR_CONN
    | (?P<camel>\b[a-z]+\d*[A-Z]\w*\b)                      # calculateTotal
    | (?P<pascal>\b[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]*)+\b)     # HttpServer
    | (?P<acronym>\b[A-Z]{2,}[a-z]+[a-z0-9]*\w*\b)          # HTTPServer
    | (?P<code>\b[A-Z]{1,5}-?\d{2,6}\b)                     # E0308, CVE-2024
    | (?P<call>\b[A-Za-z_]\w*(?=\(\)|\((?=[^\s)])))         # f(x), but not an aside (like this)
    | (?P<language>(?<!\w)[A-Za-z](?:\+\+|\#))              # C++, C#
    """,
    re.VERBOSE,
)
#: Shorter names in code are letters like i and x.
_SHORTEST = 3
_COMMON = frozenset(
    "and the for not return def class function import from const let var true false null none e.g i.e".split()
)


def identifiers(text: str) -> frozenset[str]:
    """The code identifiers of a text, casefolded."""
    found = {match.group().casefold() for match in _KINDS.finditer(text)}
    if "`" in text or "~~~" in text:
        for code in (*_FENCED.findall(text), *_INLINE.findall(text)):
            found |= {name.casefold() for name in _NAME.findall(code) if len(name) >= _SHORTEST}
    return frozenset(name for name in found if name not in _COMMON)


def looks_like_code(query: str) -> bool:
    """Whether a question names code."""
    return bool(identifiers(query)) or "```" in query

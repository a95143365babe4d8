"""API keys and tokens that are known by their shape: a prefix, a length, an alphabet."""

import re
import string
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from recollect.ingestion.secret_match import Finding, follows, places

_WORD = frozenset(string.ascii_letters + string.digits + "_")
_RUN = re.compile(r"[A-Za-z0-9]+")
#: A run this long of letters mixed with digits is not a word, nor a name somebody chose.
_DENSE = 14
_PEM_END = re.compile(r"-----END [A-Z0-9 ]{0,48}PRIVATE KEY(?: BLOCK)?-----")
_PEM_BEGIN = re.compile(r"-----BEGIN [A-Z0-9 ]{0,48}PRIVATE KEY(?: BLOCK)?-----")
_PEM_LINES = re.compile(r"(?:(?:\\r|\\n|\s){1,6}[A-Za-z0-9+/=]{16,}+)++")
_LONGEST_PEM = 20_000

#: No key is shorter.
_SHORTEST = 19
#: Some have no beginning of their own, and are looked for where there is a sign of them.
_MAILCHIMP = re.compile(r"[0-9a-f]{32}-us\d{1,2}(?![A-Za-z0-9])")
_DISCORD = re.compile(r"[MNO][A-Za-z0-9_-]{22,27}+\.[A-Za-z0-9_-]{6,7}+\.[A-Za-z0-9_-]{27,}+")
_TELEGRAM = re.compile(r"[0-9]{8,10}:AA[A-Za-z0-9_-]{32,}+")


@dataclass(frozen=True, slots=True)
class Shape:
    """How a kind of key begins, and what must follow; each character is taken once."""

    kind: str
    starts: tuple[str, ...]
    rest: re.Pattern[str]
    certain: Callable[[str], bool] = bool
    #: It may not begin after these, so that a failed try is not repeated inside the same run.
    not_after: frozenset[str] = _WORD


def dense(value: str) -> bool:
    """Whether a value looks made by a machine: a long run of letters with digits among them."""
    return any(_is_mixed(run) for run in _RUN.findall(value) if len(run) >= _DENSE)


def _is_mixed(run: str) -> bool:
    digits = sum(map(str.isdigit, run))
    return 2 <= digits < len(run) or (digits == 1 and not run.islower() and not run.isupper())


def _shape(kind: str, starts: str, rest: str, certain: Callable[[str], bool] = bool) -> Shape:
    return Shape(kind, tuple(starts.split()), re.compile(rest), certain)


_END = r"(?![A-Za-z0-9])"
_TAIL = r"[A-Za-z0-9_-]"

SHAPES = (
    _shape("anthropic key", "sk-ant-", rf"{_TAIL}{{20,}}+", dense),
    _shape("openrouter key", "sk-or-", rf"{_TAIL}{{20,}}+", dense),
    _shape("openai key", "sk-", rf"{_TAIL}{{20,}}+", dense),
    _shape("github token", "ghp_ gho_ ghu_ ghs_ ghr_", r"[A-Za-z0-9]{30,}+"),
    _shape("github token", "github_pat_", r"[A-Za-z0-9_]{36,}+"),
    _shape("gitlab token", "glpat- glptt- gldt- glrt-", rf"{_TAIL}{{20,}}+"),
    _shape("aws access key", "AKIA ASIA", rf"[A-Z2-7]{{16}}{_END}", lambda key: not key.isalpha()),
    _shape("google key", "AIza", rf"{_TAIL}{{35,}}+"),
    _shape("google token", "ya29. GOCSPX-", rf"{_TAIL}{{20,}}+"),
    _shape("slack token", "xox", r"[a-z](?:\.xox[a-z])?-[A-Za-z0-9-]{10,}+", dense),
    _shape("slack token", "xapp-", r"[A-Za-z0-9-]{10,}+", dense),
    _shape("slack webhook", "hooks.slack.com/", r"(?:services|workflows|triggers)/[A-Za-z0-9_/-]{20,}+"),
    _shape("stripe key", "sk_live_ rk_live_ sk_test_ rk_test_", r"[A-Za-z0-9]{16,}+"),
    _shape("stripe webhook secret", "whsec_", r"[A-Za-z0-9+/=]{20,}+"),
    _shape("twilio key", "SK AC", rf"[0-9a-f]{{32}}{_END}"),
    _shape("sendgrid key", "SG.", rf"{_TAIL}{{16,}}+\.{_TAIL}{{16,}}+"),
    _shape("mailgun key", "key-", rf"[0-9a-f]{{32}}{_END}"),
    _shape("npm token", "npm_", r"[A-Za-z0-9]{36,}+"),
    _shape("pypi token", "pypi-AgE", rf"{_TAIL}{{30,}}+"),
    _shape("hugging face token", "hf_", r"[A-Za-z0-9]{30,}+"),
    _shape("groq key", "gsk_", r"[A-Za-z0-9]{30,}+"),
    _shape("xai key", "xai-", r"[A-Za-z0-9]{40,}+"),
    _shape("perplexity key", "pplx-", r"[A-Za-z0-9]{32,}+"),
    _shape("replicate token", "r8_", r"[A-Za-z0-9]{30,}+"),
    _shape("digitalocean token", "dop_v1_ doo_v1_ dor_v1_", r"[0-9a-f]{48,}+"),
    _shape("shopify token", "shpat_ shpca_ shppa_ shpss_", r"[0-9a-fA-F]{32,}+"),
    _shape("databricks token", "dapi", rf"[0-9a-f]{{32}}(?:-\d)?{_END}"),
    _shape("vault token", "hvs. hvb.", rf"{_TAIL}{{24,}}+"),
    _shape("docker token", "dckr_pat_", rf"{_TAIL}{{20,}}+"),
    _shape("linear key", "lin_api_", r"[A-Za-z0-9]{30,}+"),
    _shape("notion token", "ntn_ secret_", r"[A-Za-z0-9]{40,}+", dense),
    _shape("figma token", "figd_", rf"{_TAIL}{{30,}}+"),
    _shape("atlassian token", "ATATT3", r"[A-Za-z0-9_=-]{40,}+"),
    _shape("square token", "sq0atp- sq0csp- sq0idp-", rf"{_TAIL}{{20,}}+"),
    _shape("new relic key", "NRAK-", r"[A-Z0-9]{27,}+"),
    _shape("planetscale token", "pscale_tkn_ pscale_pw_ pscale_oauth_", rf"{_TAIL}{{30,}}+"),
    _shape("age key", "AGE-SECRET-KEY-1", r"[0-9A-Z]{40,}+"),
    _shape("azure key", "AccountKey= SharedAccessKey=", r"[A-Za-z0-9+/]{40,}+={0,2}"),
    Shape(
        "web token",
        ("eyJ",),
        re.compile(rf"{_TAIL}{{8,}}+\.eyJ{_TAIL}{{8,}}+(?:\.{_TAIL}*+){{0,3}}"),
        not_after=_WORD | {"-"},
    ),
)
_SHORTEST_DISCORD = 58


def keys(text: str) -> Iterator[Finding]:
    """Every key in the text, the surest kinds first; the same words may be found as two kinds."""
    # Most words are far too short to be keys: to look for signs of one among the others alone takes no time.
    long = " ".join(word for word in text.split() if len(word) >= _SHORTEST)
    if not long:
        return
    for shape in SHAPES:
        for start in shape.starts:
            if start in long:
                yield from _of_shape(shape, start, text)
    if "-us" in long:
        yield from _free("mailchimp key", _MAILCHIMP, text)
    if ":AA" in long:
        yield from _free("telegram token", _TELEGRAM, text)
    if len(long) >= _SHORTEST_DISCORD:
        yield from (
            found for found in _free("discord token", _DISCORD, text) if dense(text[found.start : found.end])
        )


def _free(kind: str, pattern: re.Pattern[str], text: str) -> Iterator[Finding]:
    for match in pattern.finditer(text):
        if not follows(text, match.start(), _WORD):
            yield Finding(kind=kind, start=match.start(), end=match.end())


def _of_shape(shape: Shape, start: str, text: str) -> Iterator[Finding]:
    done = 0
    for place in places(text, start):
        # What was taken as part of one key cannot begin another, or a long run would be walked again and again.
        if place < done or follows(text, place, shape.not_after):
            continue
        if match := shape.rest.match(text, place + len(start)):
            done = match.end()
            if shape.certain(match.group()):
                yield Finding(kind=shape.kind, start=place, end=done)


def private_keys(text: str) -> Iterator[Finding]:
    """Blocks from BEGIN to END; of a block that was cut off, the lines that can only be the key's."""
    place = 0
    while begin := _PEM_BEGIN.search(text, place):
        place = begin.end()
        limit = text.find("-----BEGIN", place, place + _LONGEST_PEM)
        end = _PEM_END.search(text, place, place + _LONGEST_PEM if limit < 0 else limit)
        found = end or _PEM_LINES.match(text, place)
        if found:
            place = found.end()
            yield Finding(kind="private key", start=begin.start(), end=place)

"""Detect API keys and tokens by their format: prefix, length and alphabet."""

import re
import string
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from recollect.ingestion.secret_match import SecretMatch, find_all, is_preceded_by

_WORD_CHARACTERS = frozenset(string.ascii_letters + string.digits + "_")
_ALPHANUMERIC_RUN_PATTERN = re.compile(r"[A-Za-z0-9]+")
#: A run of letters and digits this long is neither a word nor a chosen name.
_MIN_RANDOM_RUN_CHARS = 14
_PEM_END_PATTERN = re.compile(r"-----END [A-Z0-9 ]{0,48}PRIVATE KEY(?: BLOCK)?-----")
_PEM_BEGIN_PATTERN = re.compile(r"-----BEGIN [A-Z0-9 ]{0,48}PRIVATE KEY(?: BLOCK)?-----")
_PEM_BODY_PATTERN = re.compile(r"(?:(?:\\r|\\n|\s){1,6}[A-Za-z0-9+/=]{16,}+)++")
_MAX_PEM_CHARS = 20_000

#: The shortest key of any known format.
_MIN_KEY_CHARS = 19
#: Formats without a fixed prefix; searched only if a characteristic substring occurs.
_MAILCHIMP_KEY_PATTERN = re.compile(r"[0-9a-f]{32}-us\d{1,2}(?![A-Za-z0-9])")
_DISCORD_TOKEN_PATTERN = re.compile(r"[MNO][A-Za-z0-9_-]{22,27}+\.[A-Za-z0-9_-]{6,7}+\.[A-Za-z0-9_-]{27,}+")
_TELEGRAM_TOKEN_PATTERN = re.compile(r"[0-9]{8,10}:AA[A-Za-z0-9_-]{32,}+")


@dataclass(frozen=True, slots=True)
class KeyFormat:
    """The prefixes of a kind of key and the pattern that must follow them. Patterns are possessive."""

    kind: str
    prefixes: tuple[str, ...]
    suffix_pattern: re.Pattern[str]
    is_valid: Callable[[str], bool] = bool
    #: A key does not start after these, so that a failed match is not retried inside the same run.
    forbidden_before: frozenset[str] = _WORD_CHARACTERS


def looks_random(value: str) -> bool:
    """Return whether a value looks generated: a long run of letters mixed with digits."""
    return any(
        _is_mixed(run)
        for run in _ALPHANUMERIC_RUN_PATTERN.findall(value)
        if len(run) >= _MIN_RANDOM_RUN_CHARS
    )


def _is_mixed(run: str) -> bool:
    digits = sum(map(str.isdigit, run))
    return 2 <= digits < len(run) or (digits == 1 and not run.islower() and not run.isupper())


def _key_format(kind: str, prefixes: str, suffix: str, is_valid: Callable[[str], bool] = bool) -> KeyFormat:
    return KeyFormat(kind, tuple(prefixes.split()), re.compile(suffix), is_valid)


_END_OF_KEY = r"(?![A-Za-z0-9])"
_KEY_CHARACTER = r"[A-Za-z0-9_-]"

KEY_FORMATS = (
    _key_format("anthropic key", "sk-ant-", rf"{_KEY_CHARACTER}{{20,}}+", looks_random),
    _key_format("openrouter key", "sk-or-", rf"{_KEY_CHARACTER}{{20,}}+", looks_random),
    _key_format("openai key", "sk-", rf"{_KEY_CHARACTER}{{20,}}+", looks_random),
    _key_format("github token", "ghp_ gho_ ghu_ ghs_ ghr_", r"[A-Za-z0-9]{30,}+"),
    _key_format("github token", "github_pat_", r"[A-Za-z0-9_]{36,}+"),
    _key_format("gitlab token", "glpat- glptt- gldt- glrt-", rf"{_KEY_CHARACTER}{{20,}}+"),
    _key_format(
        "aws access key", "AKIA ASIA", rf"[A-Z2-7]{{16}}{_END_OF_KEY}", lambda key: not key.isalpha()
    ),
    _key_format("google key", "AIza", rf"{_KEY_CHARACTER}{{35,}}+"),
    _key_format("google token", "ya29. GOCSPX-", rf"{_KEY_CHARACTER}{{20,}}+"),
    _key_format("slack token", "xox", r"[a-z](?:\.xox[a-z])?-[A-Za-z0-9-]{10,}+", looks_random),
    _key_format("slack token", "xapp-", r"[A-Za-z0-9-]{10,}+", looks_random),
    _key_format("slack webhook", "hooks.slack.com/", r"(?:services|workflows|triggers)/[A-Za-z0-9_/-]{20,}+"),
    _key_format("stripe key", "sk_live_ rk_live_ sk_test_ rk_test_", r"[A-Za-z0-9]{16,}+"),
    _key_format("stripe webhook secret", "whsec_", r"[A-Za-z0-9+/=]{20,}+"),
    _key_format("twilio key", "SK AC", rf"[0-9a-f]{{32}}{_END_OF_KEY}"),
    _key_format("sendgrid key", "SG.", rf"{_KEY_CHARACTER}{{16,}}+\.{_KEY_CHARACTER}{{16,}}+"),
    _key_format("mailgun key", "key-", rf"[0-9a-f]{{32}}{_END_OF_KEY}"),
    _key_format("npm token", "npm_", r"[A-Za-z0-9]{36,}+"),
    _key_format("pypi token", "pypi-AgE", rf"{_KEY_CHARACTER}{{30,}}+"),
    _key_format("hugging face token", "hf_", r"[A-Za-z0-9]{30,}+"),
    _key_format("groq key", "gsk_", r"[A-Za-z0-9]{30,}+"),
    _key_format("xai key", "xai-", r"[A-Za-z0-9]{40,}+"),
    _key_format("perplexity key", "pplx-", r"[A-Za-z0-9]{32,}+"),
    _key_format("replicate token", "r8_", r"[A-Za-z0-9]{30,}+"),
    _key_format("digitalocean token", "dop_v1_ doo_v1_ dor_v1_", r"[0-9a-f]{48,}+"),
    _key_format("shopify token", "shpat_ shpca_ shppa_ shpss_", r"[0-9a-fA-F]{32,}+"),
    _key_format("databricks token", "dapi", rf"[0-9a-f]{{32}}(?:-\d)?{_END_OF_KEY}"),
    _key_format("vault token", "hvs. hvb.", rf"{_KEY_CHARACTER}{{24,}}+"),
    _key_format("docker token", "dckr_pat_", rf"{_KEY_CHARACTER}{{20,}}+"),
    _key_format("linear key", "lin_api_", r"[A-Za-z0-9]{30,}+"),
    _key_format("notion token", "ntn_ secret_", r"[A-Za-z0-9]{40,}+", looks_random),
    _key_format("figma token", "figd_", rf"{_KEY_CHARACTER}{{30,}}+"),
    _key_format("atlassian token", "ATATT3", r"[A-Za-z0-9_=-]{40,}+"),
    _key_format("square token", "sq0atp- sq0csp- sq0idp-", rf"{_KEY_CHARACTER}{{20,}}+"),
    _key_format("new relic key", "NRAK-", r"[A-Z0-9]{27,}+"),
    _key_format("planetscale token", "pscale_tkn_ pscale_pw_ pscale_oauth_", rf"{_KEY_CHARACTER}{{30,}}+"),
    _key_format("age key", "AGE-SECRET-KEY-1", r"[0-9A-Z]{40,}+"),
    _key_format("azure key", "AccountKey= SharedAccessKey=", r"[A-Za-z0-9+/]{40,}+={0,2}"),
    KeyFormat(
        "web token",
        ("eyJ",),
        re.compile(rf"{_KEY_CHARACTER}{{8,}}+\.eyJ{_KEY_CHARACTER}{{8,}}+(?:\.{_KEY_CHARACTER}*+){{0,3}}"),
        forbidden_before=_WORD_CHARACTERS | {"-"},
    ),
)
_MIN_DISCORD_TOKEN_CHARS = 58


def find_keys(text: str) -> Iterator[SecretMatch]:
    """Yield every key in the text, the most specific formats first; matches of two formats may overlap."""
    # Most words are too short to be keys, so the prefixes are searched among the long ones only.
    long_words = " ".join(word for word in text.split() if len(word) >= _MIN_KEY_CHARS)
    if not long_words:
        return
    for key_format in KEY_FORMATS:
        for prefix in key_format.prefixes:
            if prefix in long_words:
                yield from _find_key_format(key_format, prefix, text)
    if "-us" in long_words:
        yield from _find_pattern("mailchimp key", _MAILCHIMP_KEY_PATTERN, text)
    if ":AA" in long_words:
        yield from _find_pattern("telegram token", _TELEGRAM_TOKEN_PATTERN, text)
    if len(long_words) >= _MIN_DISCORD_TOKEN_CHARS:
        yield from (
            match
            for match in _find_pattern("discord token", _DISCORD_TOKEN_PATTERN, text)
            if looks_random(text[match.start : match.end])
        )


def _find_pattern(kind: str, pattern: re.Pattern[str], text: str) -> Iterator[SecretMatch]:
    for match in pattern.finditer(text):
        if not is_preceded_by(text, match.start(), _WORD_CHARACTERS):
            yield SecretMatch(kind=kind, start=match.start(), end=match.end())


def _find_key_format(key_format: KeyFormat, prefix: str, text: str) -> Iterator[SecretMatch]:
    previous_end = 0
    for position in find_all(text, prefix):
        # A key cannot start inside another one, or a long run would be scanned once per prefix in it.
        if position < previous_end or is_preceded_by(text, position, key_format.forbidden_before):
            continue
        if match := key_format.suffix_pattern.match(text, position + len(prefix)):
            previous_end = match.end()
            if key_format.is_valid(match.group()):
                yield SecretMatch(kind=key_format.kind, start=position, end=previous_end)


def find_private_keys(text: str) -> Iterator[SecretMatch]:
    """Yield PEM blocks from BEGIN to END; of a truncated block the base64 lines after BEGIN."""
    position = 0
    while begin := _PEM_BEGIN_PATTERN.search(text, position):
        position = begin.end()
        limit = text.find("-----BEGIN", position, position + _MAX_PEM_CHARS)
        end = _PEM_END_PATTERN.search(text, position, position + _MAX_PEM_CHARS if limit < 0 else limit)
        block_end = end or _PEM_BODY_PATTERN.match(text, position)
        if block_end:
            position = block_end.end()
            yield SecretMatch(kind="private key", start=begin.start(), end=position)

"""Secrets that only the words around them give away: "my password is ...", `token = ...`, user:password@host."""

import re
from collections.abc import Callable, Iterator

from recollect.ingestion.secret_keys import dense
from recollect.ingestion.secret_match import Finding, places

_OPEN = "[\"'`“”«‘’*]{0,3}[ \\t]{0,2}"
#: What a value cannot hold: spaces, quotes, angle brackets, and the marks of a mask.
_VALUE = "([^\\s\"'`“”«»‘’‹›<>]{3,256}+)"
_PASSWORDS = (
    "password",
    "passwd",
    "passphrase",
    "passcode",
    "pwd",
    "senha",
    "palavra-passe",
    "palavra passe",
    "contraseña",
    "contrasena",
)
#: Only these are parts of other words: "resenha" and "desenha" are no passwords, "dbpassword" is one.
_ALONE = frozenset({"pwd", "senha"})
_TOKENS = ("token", "secret", "key", "chave da api", "chave de api", "chave api")
_WHOSE = re.compile(
    r"(?<![^\W\d_])(?:api|access|auth|secret|private|client|refresh|bearer|bot|session|encryption|signing)[ _-]?\Z"
)
_FOR = r"(?:[ \t]{1,3}(?:for|of|to|on|at|do|da|de|no|na|pro|pra|para|del)(?:[ \t]{1,3}[\w.@-]{1,24}){1,3}?)?"
_IS = (
    r"(?:[\"'\]*]{0,3}[ \t]{0,4}(?::=|=>|->|={1,3}|:)[ \t]{0,4}"
    r"|[ \t]{1,3}(?:is|was|é|era|eh|será|will be)[ \t:]{1,4})"
)

_SAID = re.compile(f"{_FOR}{_IS}{_OPEN}{_VALUE}")
_OPTION = re.compile(f"[ =]{_OPEN}{_VALUE}")
_ELEMENT = re.compile(f">{_VALUE}</")
_OWN = re.compile(r"(?<![^\W_])(?:my|our|minha|nossa)[ \t](?:[\w-]{1,16}[ \t])?\Z")
_OWN_WORD = re.compile(
    rf"{_FOR}[ \t]{{1,3}}(?:is|é|era|was)[ \t]{{1,3}}{_OPEN}([^\W\d_]{{5,40}}+)"
    r"(?=[\"'`”»’*]?[ \t]{0,4}(?:[.!,;\n]|\Z))"
)
_WHOSE_PIN = re.compile(
    r"(?<![^\W_])(?:my|our|meu|nosso|o|the|card)[ \t]{1,3}(?:[\w-]{1,16}[ \t]{1,3}){0,2}\Z"
)
_PIN = re.compile(
    r"(?:[ \t](?:code|do|da|of|for|de)(?:[ \t][\w-]{1,16}){0,3}?)?"
    r"(?:[ \t]{0,3}[:=][ \t]{0,3}|[ \t]{1,3}(?:is|é|era)[ \t]{1,3})(\d{4,8})(?![\w-]|[.,]\d)"
)
_BEARER = re.compile(r"[ \t]{1,4}[\"']?([a-z0-9._~+/=-]{16,4096}+)")
_BASIC = re.compile(r"[\"']?[ \t]{0,3}[:=][ \t]{0,3}[\"']?basic[ \t]{1,4}([a-z0-9+/=_-]{8,4096}+)")
_URL = re.compile(r"[^\s:/@\"'<>‹›]{0,128}+:([^\s/\"'<>‹›]{4,300}+)")
_AWS_SECRET = re.compile(
    r"[ _-]?(?:access[ _-]?)?(?:key)?[\"']?[ \t]{0,4}(?::=|=>|=|:|is|é)[ \t]{0,4}[\"'`]?([a-z0-9/+]{40})(?![a-z0-9/+=])"
)
_SEEDS = (
    "seed phrase",
    "seed words",
    "recovery phrase",
    "recovery words",
    "mnemonic phrase",
    "backup phrase",
    "frase de recuperação",
    "frase de recuperacao",
    "frase semente",
    "frase secreta",
)
_SEED = re.compile(r"(?:[ \t](?:is|é))?[ \t]{0,3}:?[ \t\n]{0,3}[\"']?((?:[a-z]{3,8} ){11,23}[a-z]{3,8})")
#: How far before a word its owner may stand.
_REACH = 40

_TRAILING = ".,;:)]}"
_SYMBOLS = frozenset("@#$%^&*!+=~?|\\")
#: A call, an attribute, a variable, a constant's name, a path or an address: what fetches a secret is not the secret.
_CODE = re.compile(
    r"[^\W\d][\w.-]*[(\[{]|[^\W\d]\w*(?:\.[^\W\d]\w*)+\Z|[{(\[/]|~/|&\w+\Z|%(?:\w?\Z|\(|\w+%\Z)"
    r"|\$(?:[A-Z_{(]|[a-z_]+\d?\Z)|\\[$n]|https?:|[A-Za-z]:\\|[A-Z][A-Z_]+\d?\Z|\.\."
)
_RULE = re.compile(
    r"(?:(?:required|nullable|string|min|max|confirmed)[|:,]"
    r"|(?:u?int|float|n?varchar|char|utf|str|string|bytes|sha|md|base|bcrypt|argon|aes|scrypt|[iufv])-?\d{1,4}\w{0,3}\Z"
    r"|\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}\Z|\d{1,2}[:h]\d{2}\Z|\d+[.,]\d+\Z|\d+(?:%|\+|[a-z]{1,3})\Z|\d{1,3}-[a-z]+\Z)"
)
_STAND_IN = re.compile(
    r"[x*•.\-_#]+\Z|1password\Z|(?:your|my|the|seu|sua|new|old|some|user|db|api|example|dummy|fake|change|nova|insert|enter|"
    r"password|passwd|pass|pwd|senha|secret|token|key|none|null|true|false|undefined)"
    r"(?:[_. -]?(?:your|my|the|here|aqui|me|this|value|password|passwd|pass|pwd|senha|secret|token|key|api|access|hash|"
    r"field|input))*\d?\Z"
)
_NEXT_FIELD = re.compile(r"&[\w.-]{1,40}=")
_UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\Z")
_MIXED_RUN = re.compile(r"[A-Za-z0-9]{10,}")

#: How a password may be: "my password is weak" tells no secret.
_STATES = frozenset(
    """
    wrong weak strong secure safe unsafe short simple easy hard complex unique invalid incorrect correct right fine good
    great long empty blank public private gone lost stuck different similar there here always never still only really
    very quite just about terrible ridiculous obvious random temporary permanent another working something anything
    nothing everything important sensitive hidden awful stupid horrible useless annoying boring secret
    fraca forte segura insegura curta simples facil fácil dificil difícil longa grande complexa unica única errada certa
    correta incorreta invalida inválida diferente igual vazia horrivel horrível péssima pessima antiga velha mesma outra
    muito sempre nunca ainda apenas bastante temporaria temporária provisoria provisória aleatoria aleatória publica
    pública secreta sensivel sensível importante segredo estranha enorme óbvia obvia chata
    """.split()
)
_STATE_ENDINGS = ("ed", "ing", "ado", "ada", "ido", "ida", "ável", "ível", "able", "ible", "mente")


def said(text: str, small: str) -> Iterator[Finding]:
    """Every secret that is called one; ``small`` is the text in small letters, place for place."""
    for kind, words, pattern, holds in _FOLLOWING:
        for word in words:
            for place in places(small, word):
                yield from _value(kind, pattern.match(small, place + len(word)), text, holds)
    for word in _PASSWORDS:
        for place in places(small, word):
            if not (word in _ALONE and place and small[place - 1].isalpha()):
                yield from _password(text, small, place, place + len(word))
    for word in _TOKENS:
        for place in places(small, word):
            if _names_a_token(word, small, place):
                yield from _token(text, small, place, place + len(word))
    for place in places(small, "pin"):
        if (match := _PIN.match(small, place + 3)) and _before(_WHOSE_PIN, small, place):
            yield from _value("pin", match, text, bool)
    yield from _in_urls(text)


def _password(text: str, small: str, start: int, end: int) -> Iterator[Finding]:
    yield from _value("password", _SAID.match(small, end), text, _is_password)
    yield from _value("password", _ELEMENT.match(small, end), text, _is_password)
    if small.startswith("--", start - 2):
        yield from _value("password", _OPTION.match(small, end), text, _is_password)
    if (match := _OWN_WORD.match(small, end)) and _before(_OWN, small, start):
        yield from _value("password", match, text, _is_chosen_word)


def _token(text: str, small: str, start: int, end: int) -> Iterator[Finding]:
    yield from _value("token", _SAID.match(small, end), text, _is_token)
    if "--" in small[max(0, start - 6) : start]:
        yield from _value("token", _OPTION.match(small, end), text, _is_token)


def _names_a_token(word: str, small: str, place: int) -> bool:
    """Whether it is a token's name: any key may be of a piano, but an api key is one."""
    if word.startswith("chave") or _before(_WHOSE, small, place):
        return True
    return word != "key" and not (place and small[place - 1].isalpha())


def _before(pattern: re.Pattern[str], small: str, place: int) -> bool:
    return pattern.search(small[max(0, place - _REACH) : place]) is not None


def _value(
    kind: str, match: re.Match[str] | None, text: str, holds: Callable[[str], bool]
) -> Iterator[Finding]:
    if match is None:
        return
    start, end = match.span(1)
    value = text[start:end]
    if following := _NEXT_FIELD.search(value):
        value = value[: following.start()]
    value = value.rstrip(_TRAILING)
    if value and holds(value):
        yield Finding(kind=kind, start=start, end=start + len(value))


def _in_urls(text: str) -> Iterator[Finding]:
    for place in places(text, "://"):
        match = _URL.match(text, place + 3)
        if match is None:
            continue
        value, at, host = match[1].rpartition("@")
        if at and host and len(value) > 2 and not _stands_in(value) and not value.isdigit():
            yield Finding(kind="password", start=match.start(1), end=match.start(1) + len(value))


def _is_password(value: str) -> bool:
    """Words alone may be anything; digits or signs among the letters are what passwords are made of."""
    if len(value) < 4 or _stands_in(value) or _RULE.match(value.casefold()):
        return False
    signs = any(c in _SYMBOLS for c in value[:-1])
    return any(map(str.isdigit, value)) or (signs and len(value) >= 6 and any(map(str.isalpha, value)))


def _is_aws_secret(value: str) -> bool:
    return sum(map(str.isdigit, value)) >= 2 and value.lower() != value.upper()


def _is_token(value: str) -> bool:
    if _stands_in(value) or _RULE.match(value.casefold()):
        return False
    runs = _MIXED_RUN.findall(value)
    return _UUID.match(value.casefold()) is not None or any(map(_is_mixed, runs))


def _is_mixed(run: str) -> bool:
    return 2 <= sum(map(str.isdigit, run)) <= len(run) - 2


def _is_chosen_word(value: str) -> bool:
    small = value.casefold()
    return small not in _STATES and not small.endswith(_STATE_ENDINGS)


def _stands_in(value: str) -> bool:
    return _CODE.match(value) is not None or _STAND_IN.match(value.casefold()) is not None


_FOLLOWING: tuple[tuple[str, tuple[str, ...], re.Pattern[str], Callable[[str], bool]], ...] = (
    ("aws secret key", ("secret",), _AWS_SECRET, _is_aws_secret),
    ("bearer token", ("bearer",), _BEARER, dense),
    ("credentials", ("authorization",), _BASIC, bool),
    ("seed phrase", _SEEDS, _SEED, bool),
)

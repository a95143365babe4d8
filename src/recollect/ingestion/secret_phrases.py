"""Detect secrets by the label around them: "my password is ...", `token = ...`, user:password@host."""

import re
from collections.abc import Callable, Iterator

from recollect.ingestion.secret_keys import looks_random
from recollect.ingestion.secret_match import SecretMatch, find_all

_OPENING_QUOTE = "[\"'`“”«‘’*]{0,3}[ \\t]{0,2}"
#: A value has no spaces, quotes, angle brackets or placeholder quotes.
_SECRET_VALUE = "([^\\s\"'`“”«»‘’‹›<>]{3,256}+)"  # noqa: S105 - not a password
_PASSWORD_LABELS = (
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
#: Labels that must not follow a letter: "resenha" and "desenha" are other words, "dbpassword" is a label.
_WHOLE_WORD_LABELS = frozenset({"pwd", "senha"})
_TOKEN_LABELS = ("token", "secret", "key", "chave da api", "chave de api", "chave api")
_TOKEN_QUALIFIER_PATTERN = re.compile(
    r"(?<![^\W\d_])(?:api|access|auth|secret|private|client|refresh|bearer|bot|session|encryption|signing)[ _-]?\Z"
)
_PURPOSE = (
    r"(?:[ \t]{1,3}(?:for|of|to|on|at|do|da|de|no|na|pro|pra|para|del)(?:[ \t]{1,3}[\w.@-]{1,24}){1,3}?)?"
)
_ASSIGNMENT = (
    r"(?:[\"'\]*]{0,3}[ \t]{0,4}(?::=|=>|->|={1,3}|:)[ \t]{0,4}"
    r"|[ \t]{1,3}(?:is|was|é|era|eh|será|will be)[ \t:]{1,4})"
)

_ASSIGNMENT_PATTERN = re.compile(f"{_PURPOSE}{_ASSIGNMENT}{_OPENING_QUOTE}{_SECRET_VALUE}")
_CLI_OPTION_PATTERN = re.compile(f"[ =]{_OPENING_QUOTE}{_SECRET_VALUE}")
_XML_ELEMENT_PATTERN = re.compile(f">{_SECRET_VALUE}</")
_POSSESSIVE_PATTERN = re.compile(r"(?<![^\W_])(?:my|our|minha|nossa)[ \t](?:[\w-]{1,16}[ \t])?\Z")
_WORD_PASSWORD_PATTERN = re.compile(
    rf"{_PURPOSE}[ \t]{{1,3}}(?:is|é|era|was)[ \t]{{1,3}}{_OPENING_QUOTE}([^\W\d_]{{5,40}}+)"
    r"(?=[\"'`”»’*]?[ \t]{0,4}(?:[.!,;\n]|\Z))"
)
_PIN_OWNER_PATTERN = re.compile(
    r"(?<![^\W_])(?:my|our|meu|nosso|o|the|card)[ \t]{1,3}(?:[\w-]{1,16}[ \t]{1,3}){0,2}\Z"
)
_PIN_PATTERN = re.compile(
    r"(?:[ \t](?:code|do|da|of|for|de)(?:[ \t][\w-]{1,16}){0,3}?)?"
    r"(?:[ \t]{0,3}[:=][ \t]{0,3}|[ \t]{1,3}(?:is|é|era)[ \t]{1,3})(\d{4,8})(?![\w-]|[.,]\d)"
)
_BEARER_PATTERN = re.compile(r"[ \t]{1,4}[\"']?([a-z0-9._~+/=-]{16,4096}+)")
_BASIC_AUTH_PATTERN = re.compile(
    r"[\"']?[ \t]{0,3}[:=][ \t]{0,3}[\"']?basic[ \t]{1,4}([a-z0-9+/=_-]{8,4096}+)"
)
_URL_CREDENTIALS_PATTERN = re.compile(r"[^\s:/@\"'<>‹›]{0,128}+:([^\s/\"'<>‹›]{4,300}+)")
_AWS_SECRET_PATTERN = re.compile(
    r"[ _-]?(?:access[ _-]?)?(?:key)?[\"']?[ \t]{0,4}(?::=|=>|=|:|is|é)[ \t]{0,4}[\"'`]?([a-z0-9/+]{40})(?![a-z0-9/+=])"
)
_SEED_PHRASE_LABELS = (
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
_SEED_PHRASE_PATTERN = re.compile(
    r"(?:[ \t](?:is|é))?[ \t]{0,3}:?[ \t\n]{0,3}[\"']?((?:[a-z]{3,8} ){11,23}[a-z]{3,8})"
)
#: How far before a label its qualifier or owner is searched.
_LOOKBEHIND_CHARS = 40

_TRAILING_PUNCTUATION = ".,;:)]}"
_PASSWORD_SYMBOLS = frozenset("@#$%^&*!+=~?|\\")
#: A call, attribute, variable, constant, path or URL: code that reads a secret does not contain it.
_CODE_PATTERN = re.compile(
    r"[^\W\d][\w.-]*[(\[{]|[^\W\d]\w*(?:\.[^\W\d]\w*)+\Z|[{(\[/]|~/|&\w+\Z|%(?:\w?\Z|\(|\w+%\Z)"
    r"|\$(?:[A-Z_{(]|[a-z_]+\d?\Z)|\\[$n]|https?:|[A-Za-z]:\\|[A-Z][A-Z_]+\d?\Z|\.\."
)
_VALIDATION_RULE_PATTERN = re.compile(
    r"(?:(?:required|nullable|string|min|max|confirmed)[|:,]"
    r"|(?:u?int|float|n?varchar|char|utf|str|string|bytes|sha|md|base|bcrypt|argon|aes|scrypt|[iufv])-?\d{1,4}\w{0,3}\Z"
    r"|\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}\Z|\d{1,2}[:h]\d{2}\Z|\d+[.,]\d+\Z|\d+(?:%|\+|[a-z]{1,3})\Z|\d{1,3}-[a-z]+\Z)"
)
_PLACEHOLDER_PATTERN = re.compile(
    r"[x*•.\-_#]+\Z|1password\Z|(?:your|my|the|seu|sua|new|old|some|user|db|api|example|dummy|fake|change|nova|insert|enter|"
    r"password|passwd|pass|pwd|senha|secret|token|key|none|null|true|false|undefined)"
    r"(?:[_. -]?(?:your|my|the|here|aqui|me|this|value|password|passwd|pass|pwd|senha|secret|token|key|api|access|hash|"
    r"field|input))*\d?\Z"
)
_NEXT_FIELD_PATTERN = re.compile(r"&[\w.-]{1,40}=")
_UUID_PATTERN = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\Z")
_ALPHANUMERIC_RUN_PATTERN = re.compile(r"[A-Za-z0-9]{10,}")

#: Adjectives and adverbs: "my password is weak" contains no password.
_PASSWORD_ADJECTIVES = frozenset(
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
_ADJECTIVE_ENDINGS = ("ed", "ing", "ado", "ada", "ido", "ida", "ável", "ível", "able", "ible", "mente")


def find_labelled_secrets(text: str, lowercase: str) -> Iterator[SecretMatch]:
    """Yield every labelled secret; ``lowercase`` is the text in lower case with the same positions."""
    for kind, words, pattern, is_valid in _LABELLED_PATTERNS:
        for word in words:
            for position in find_all(lowercase, word):
                yield from _find_value(kind, pattern.match(lowercase, position + len(word)), text, is_valid)
    for word in _PASSWORD_LABELS:
        for position in find_all(lowercase, word):
            if not (word in _WHOLE_WORD_LABELS and position and lowercase[position - 1].isalpha()):
                yield from _find_password(text, lowercase, position, position + len(word))
    for word in _TOKEN_LABELS:
        for position in find_all(lowercase, word):
            if _is_token_label(word, lowercase, position):
                yield from _find_token(text, lowercase, position, position + len(word))
    for position in find_all(lowercase, "pin"):
        if (match := _PIN_PATTERN.match(lowercase, position + 3)) and _matches_before(
            _PIN_OWNER_PATTERN, lowercase, position
        ):
            yield from _find_value("pin", match, text, bool)
    yield from _find_url_passwords(text)


def _find_password(text: str, lowercase: str, start: int, end: int) -> Iterator[SecretMatch]:
    yield from _find_value("password", _ASSIGNMENT_PATTERN.match(lowercase, end), text, _is_password)
    yield from _find_value("password", _XML_ELEMENT_PATTERN.match(lowercase, end), text, _is_password)
    if lowercase.startswith("--", start - 2):
        yield from _find_value("password", _CLI_OPTION_PATTERN.match(lowercase, end), text, _is_password)
    if (match := _WORD_PASSWORD_PATTERN.match(lowercase, end)) and _matches_before(
        _POSSESSIVE_PATTERN, lowercase, start
    ):
        yield from _find_value("password", match, text, _is_word_password)


def _find_token(text: str, lowercase: str, start: int, end: int) -> Iterator[SecretMatch]:
    yield from _find_value("token", _ASSIGNMENT_PATTERN.match(lowercase, end), text, _is_token)
    if "--" in lowercase[max(0, start - 6) : start]:
        yield from _find_value("token", _CLI_OPTION_PATTERN.match(lowercase, end), text, _is_token)


def _is_token_label(label: str, lowercase: str, position: int) -> bool:
    """Return whether the label names a token: "key" alone may be a piano key, "api key" is a label."""
    if label.startswith("chave") or _matches_before(_TOKEN_QUALIFIER_PATTERN, lowercase, position):
        return True
    return label != "key" and not (position and lowercase[position - 1].isalpha())


def _matches_before(pattern: re.Pattern[str], lowercase: str, position: int) -> bool:
    return pattern.search(lowercase[max(0, position - _LOOKBEHIND_CHARS) : position]) is not None


def _find_value(
    kind: str, match: re.Match[str] | None, text: str, is_valid: Callable[[str], bool]
) -> Iterator[SecretMatch]:
    if match is None:
        return
    start, end = match.span(1)
    value = text[start:end]
    if next_field := _NEXT_FIELD_PATTERN.search(value):
        value = value[: next_field.start()]
    value = value.rstrip(_TRAILING_PUNCTUATION)
    if value and is_valid(value):
        yield SecretMatch(kind=kind, start=start, end=start + len(value))


def _find_url_passwords(text: str) -> Iterator[SecretMatch]:
    for position in find_all(text, "://"):
        match = _URL_CREDENTIALS_PATTERN.match(text, position + 3)
        if match is None:
            continue
        value, at, host = match[1].rpartition("@")
        if at and host and len(value) > 2 and not _is_placeholder(value) and not value.isdigit():
            yield SecretMatch(kind="password", start=match.start(1), end=match.start(1) + len(value))


def _is_password(value: str) -> bool:
    """Return whether a value looks like a password: it has digits, or symbols among its letters."""
    if len(value) < 4 or _is_placeholder(value) or _VALIDATION_RULE_PATTERN.match(value.casefold()):
        return False
    has_symbols = any(c in _PASSWORD_SYMBOLS for c in value[:-1])
    return any(map(str.isdigit, value)) or (has_symbols and len(value) >= 6 and any(map(str.isalpha, value)))


def _is_aws_secret(value: str) -> bool:
    return sum(map(str.isdigit, value)) >= 2 and value.lower() != value.upper()


def _is_token(value: str) -> bool:
    if _is_placeholder(value) or _VALIDATION_RULE_PATTERN.match(value.casefold()):
        return False
    runs = _ALPHANUMERIC_RUN_PATTERN.findall(value)
    return _UUID_PATTERN.match(value.casefold()) is not None or any(map(_is_mixed, runs))


def _is_mixed(run: str) -> bool:
    return 2 <= sum(map(str.isdigit, run)) <= len(run) - 2


def _is_word_password(value: str) -> bool:
    lowercase = value.casefold()
    return lowercase not in _PASSWORD_ADJECTIVES and not lowercase.endswith(_ADJECTIVE_ENDINGS)


def _is_placeholder(value: str) -> bool:
    return _CODE_PATTERN.match(value) is not None or _PLACEHOLDER_PATTERN.match(value.casefold()) is not None


_LABELLED_PATTERNS: tuple[tuple[str, tuple[str, ...], re.Pattern[str], Callable[[str], bool]], ...] = (
    ("aws secret key", ("secret",), _AWS_SECRET_PATTERN, _is_aws_secret),
    ("bearer token", ("bearer",), _BEARER_PATTERN, looks_random),
    ("credentials", ("authorization",), _BASIC_AUTH_PATTERN, bool),
    ("seed phrase", _SEED_PHRASE_LABELS, _SEED_PHRASE_PATTERN, bool),
)

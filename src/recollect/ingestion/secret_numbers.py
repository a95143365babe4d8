"""Detect payment cards, bank accounts and identity numbers, mostly by their check digits."""

import re
import string
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from recollect.ingestion.secret_match import SecretMatch, find_all, is_preceded_by

#: Length of an IBAN by country.
IBAN_LENGTHS: Mapping[str, int] = {
    "AD": 24, "AE": 23, "AL": 28, "AT": 20, "AZ": 28, "BA": 20, "BE": 16, "BG": 22, "BH": 22, "BR": 29, "BY": 28,
    "CH": 21, "CR": 22, "CY": 28, "CZ": 24, "DE": 22, "DK": 18, "DO": 28, "EE": 20, "EG": 29, "ES": 24, "FI": 18,
    "FO": 18, "FR": 27, "GB": 22, "GE": 22, "GI": 23, "GL": 18, "GR": 27, "GT": 28, "HR": 21, "HU": 28, "IE": 22,
    "IL": 23, "IQ": 23, "IS": 26, "IT": 27, "JO": 30, "KW": 30, "KZ": 20, "LB": 28, "LC": 32, "LI": 21, "LT": 20,
    "LU": 20, "LV": 21, "MC": 27, "MD": 24, "ME": 22, "MK": 19, "MR": 27, "MT": 31, "MU": 30, "NL": 18, "NO": 15,
    "PK": 24, "PL": 28, "PS": 29, "PT": 25, "QA": 29, "RO": 24, "RS": 22, "SA": 24, "SC": 31, "SE": 24, "SI": 19,
    "SK": 24, "SM": 27, "ST": 25, "SV": 28, "TL": 23, "TN": 24, "TR": 26, "UA": 29, "VA": 22, "VG": 24, "XK": 20,
}  # fmt: skip

#: Prefix of the card number and allowed number of digits, by brand.
_CARD_BRANDS: tuple[tuple[re.Pattern[str], tuple[int, ...]], ...] = (
    (re.compile(r"4"), (13, 16, 19)),
    (re.compile(r"5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720"), (16,)),
    (re.compile(r"3[47]"), (15,)),
    (re.compile(r"6011|64[4-9]|65"), (16, 19)),
    (re.compile(r"30[0-5]|36|3[89]"), (14, 16)),
    (re.compile(r"35(?:2[89]|[3-8])"), (16,)),
    (re.compile(r"62|81"), (16, 17, 18, 19)),
    (re.compile(r"50(?:18|20|38|41|67|90)|6304|67[56]|606282|6362|6363"), (16, 18, 19)),
)

_DIGIT_PATTERN = re.compile(r"\d")
_NUMBER_JOINERS = frozenset(string.ascii_letters + string.digits + "_.,/#+-")
_ALPHANUMERICS = frozenset(string.ascii_letters + string.digits)
#: Nine or more digits with at most one separator between two; the other patterns search only inside these.
_DIGIT_CLUSTER_PATTERN = re.compile(r"[0-9](?:[ .\u00a0/-]?[0-9]){8,}+")
_DIGIT_SEPARATOR = r"[ .\u00a0-]"
_CARD_PATTERN = re.compile(
    rf"[0-9](?:\d{{12,18}}|\d{{3}}(?:{_DIGIT_SEPARATOR}\d{{4}}){{3}}(?:{_DIGIT_SEPARATOR}?\d{{1,3}})?|\d{{3}}{_DIGIT_SEPARATOR}\d{{6}}{_DIGIT_SEPARATOR}\d{{4,5}})"
    r"(?![\w/-]|[.,]\d)"
)
#: Labels before a number of that length that is not a card.
_NON_CARD_LABEL_PATTERN = re.compile(
    r"(?<![^\W_])(?:order|pedido|tracking|rastre\w{1,8}|invoice|fatura|nota|protocolo?|ticket|isbn|imei|ean|gtin|sku|serial|"
    r"id|phone|tel|telefone|celular|whatsapp|n[ºo°]|timestamp|chave)(?:[\W_]|id|n[ºo°]|number|número|code|código|is|é){0,6}?$"
)
_CARD_LABEL_PATTERN = re.compile(r"card|cart[aã]o|visa|master|amex|cr[eé]dit|d[eé]bit|elo\b")
#: The check digits of an IBAN; the country code precedes them.
_IBAN_CHECK_DIGITS_PATTERN = re.compile(r"[0-9][0-9](?=[ -]?[A-Za-z0-9]{4})")
_CNPJ_PATTERN = re.compile(r"[0-9A-Z]{2}(?:\.[0-9A-Z]{3}){2}/[0-9A-Z]{4}-\d{2}(?![\w-])")
_CNPJ_SLASH_OFFSET = 10  #: offset of the slash in a CNPJ

#: Words and signs allowed between a label and its number.
_LABEL_FILLER = r"(?:[\W_]|n[uú]mero|number|is|é|e|do|da|meu|minha|o|n[ºo°]){0,6}?"


@dataclass(frozen=True, slots=True)
class _FormattedNumber:
    """A number recognized by its punctuation."""

    kind: str
    pattern: re.Pattern[str]
    is_valid: Callable[[str], bool] = bool


@dataclass(frozen=True, slots=True)
class _LabelledNumber:
    """A number recognized only by the label before it."""

    kind: str
    labels: tuple[str, ...]
    pattern: re.Pattern[str]
    is_valid: Callable[[str], bool] = bool


def _labelled_number(
    kind: str, labels: tuple[str, ...], number: str, is_valid: Callable[[str], bool] = bool
) -> _LabelledNumber:
    pattern = re.compile(rf"(?![^\W_]){_LABEL_FILLER}({number})(?![\w/-]|[.,]\d)")
    return _LabelledNumber(kind, labels, pattern, is_valid)


def _mod11_check_digit(values: Sequence[int], weights: Sequence[int]) -> int:
    remainder = sum(value * weight for value, weight in zip(values, weights, strict=True)) % 11
    return 0 if remainder < 2 else 11 - remainder


def _extract_digits(text: str) -> str:
    return "".join(c for c in text if "0" <= c <= "9")


def is_valid_luhn(digits: str) -> bool:
    """Return whether the digits pass the Luhn check of payment cards."""
    doubled = (int(digit) * 2 for digit in digits[-2::-2])
    return (sum(map(int, digits[-1::-2])) + sum(n - 9 if n > 9 else n for n in doubled)) % 10 == 0


def is_valid_iban(iban: str) -> bool:
    """Return whether an IBAN passes the mod-97 check, with A as 10 to Z as 35."""
    return int("".join(str(int(c, 36)) for c in iban[4:] + iban[:4])) % 97 == 1


def is_valid_cpf(text: str) -> bool:
    """Return whether a Brazilian CPF has valid check digits. Eleven equal digits pass the sum but are never issued."""
    values = [int(digit) for digit in _extract_digits(text)]
    if len(values) != 11 or len(set(values)) == 1:
        return False
    first = _mod11_check_digit(values[:9], range(10, 1, -1))
    return values[9:] == [first, _mod11_check_digit([*values[:9], first], range(11, 1, -1))]


def is_valid_cnpj(text: str) -> bool:
    """Return whether a Brazilian CNPJ has valid check digits. Letters, allowed since 2026, count as ASCII code - 48."""
    characters = [c for c in text.upper() if c.isascii() and c.isalnum()]
    values = [ord(c) - 48 for c in characters]
    if len(values) != 14 or len(set(values)) == 1:
        return False
    weights = (6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2)
    first = _mod11_check_digit(values[:12], weights[1:])
    return values[12:] == [first, _mod11_check_digit([*values[:12], first], weights)]


def is_valid_pis(text: str) -> bool:
    """Return whether a Brazilian PIS number has a valid check digit."""
    values = [int(digit) for digit in _extract_digits(text)]
    if len(values) != 11 or len(set(values)) == 1:
        return False
    return values[10] == _mod11_check_digit(values[:10], (3, 2, 9, 8, 7, 6, 5, 4, 3, 2))


def is_valid_nif(text: str) -> bool:
    """Return whether a Portuguese NIF, or a Spanish NIF or NIE (ending in a letter), has a valid check character."""
    if text[-1].isalpha():
        number = text.casefold().replace("-", "")
        whole = number[:-1].translate(str.maketrans("xyz", "012"))
        return "trwagmyfpdxbnjzsqvhlcke"[int(whole) % 23] == number[-1]
    values = [int(digit) for digit in _extract_digits(text)]
    return values[0] in {1, 2, 3, 5, 6, 7, 8, 9} and values[8] == _mod11_check_digit(
        values[:8], range(9, 1, -1)
    )


_FORMATTED_NUMBERS = (
    _FormattedNumber("cpf", re.compile(r"[0-9]\d\d\.\d{3}\.\d{3}-\d{2}(?![\w-])"), is_valid_cpf),
    _FormattedNumber("pis", re.compile(r"[0-9]\d\d\.\d{5}\.\d{2}-\d(?![\w-])"), is_valid_pis),
    _FormattedNumber("ssn", re.compile(r"(?!000|666|9)[0-9]\d\d-(?!00)\d{2}-(?!0000)\d{4}(?![\w/-]|[.,]\d)")),
)
_LABELLED_NUMBERS = (
    _labelled_number("cpf", ("cpf",), r"\d{3}[ .]?\d{3}[ .]?\d{3}[ -]?\d{2}", is_valid_cpf),
    _labelled_number("cnpj", ("cnpj",), r"[0-9a-z]{12}\d{2}", is_valid_cnpj),
    _labelled_number("pis", ("pis", "pasep", "nis", "nit"), r"\d{11}", is_valid_pis),
    _labelled_number("ssn", ("ssn", "social security"), r"\d{9}|\d{3} \d{2} \d{4}"),
    _labelled_number(
        "nif",
        ("nif", "nie", "dni", "contribuinte"),
        r"\d{3} ?\d{3} ?\d{3}|[xyz]?-?\d{7,8}-?[a-z]",
        is_valid_nif,
    ),
    _labelled_number(
        "card code",
        ("cvv", "cvv2", "cvc", "cvc2", "código de segurança", "codigo de seguranca", "security code"),
        r"\d{3,4}",
    ),
)


def find_numbers(text: str, lowercase: str) -> Iterator[SecretMatch]:
    """Yield every such number; ``lowercase`` is the text in lower case with the same positions."""
    if not _DIGIT_PATTERN.search(text):  # as in most messages
        return
    yield from _find_ibans(text)
    yield from _find_cnpjs(text)
    for cluster in _DIGIT_CLUSTER_PATTERN.finditer(text):
        yield from _find_cards(text, lowercase, cluster.start(), cluster.end() + 2)
        for number_format in _FORMATTED_NUMBERS:
            for match in number_format.pattern.finditer(text, cluster.start(), cluster.end() + 2):
                if not is_preceded_by(text, match.start(), _NUMBER_JOINERS) and number_format.is_valid(
                    match.group()
                ):
                    yield SecretMatch(kind=number_format.kind, start=match.start(), end=match.end())
    for labelled_number in _LABELLED_NUMBERS:
        for label in labelled_number.labels:
            yield from _find_labelled(label, labelled_number, lowercase)


def _find_labelled(label: str, labelled_number: _LabelledNumber, lowercase: str) -> Iterator[SecretMatch]:
    for position in find_all(lowercase, label):
        match = labelled_number.pattern.match(lowercase, position + len(label))
        if (
            match
            and not is_preceded_by(lowercase, position, _ALPHANUMERICS)
            and labelled_number.is_valid(match[1])
        ):
            yield SecretMatch(kind=labelled_number.kind, start=match.start(1), end=match.end(1))


def _find_cnpjs(text: str) -> Iterator[SecretMatch]:
    for position in find_all(text, "/"):
        start = position - _CNPJ_SLASH_OFFSET
        match = _CNPJ_PATTERN.match(text, start) if start >= 0 else None
        if match and not is_preceded_by(text, start, _NUMBER_JOINERS) and is_valid_cnpj(match.group()):
            yield SecretMatch(kind="cnpj", start=start, end=match.end())


def _find_cards(text: str, lowercase: str, start: int, end: int) -> Iterator[SecretMatch]:
    for match in _CARD_PATTERN.finditer(text, start, end):
        digits = _extract_digits(match.group())
        before = lowercase[max(0, match.start() - 32) : match.start()]
        is_standalone = not is_preceded_by(text, match.start(), _NUMBER_JOINERS)
        if (
            is_standalone
            and _has_card_brand(digits)
            and is_valid_luhn(digits)
            and _is_likely_card(digits, before)
        ):
            yield SecretMatch(kind="payment card", start=match.start(), end=match.end())


def _is_likely_card(digits: str, before: str) -> bool:
    if _CARD_LABEL_PATTERN.search(before):
        return True
    # Thirteen digits are more often a phone number or an ISBN than an old card.
    return len(digits) > 13 and not _NON_CARD_LABEL_PATTERN.search(before)


def _has_card_brand(digits: str) -> bool:
    return any(len(digits) in lengths and brand.match(digits) for brand, lengths in _CARD_BRANDS)


def _find_ibans(text: str) -> Iterator[SecretMatch]:
    for match in _IBAN_CHECK_DIGITS_PATTERN.finditer(text):
        start = match.start() - 2
        length = IBAN_LENGTHS.get(text[start : start + 2].upper()) if start >= 0 else None
        if length is None or is_preceded_by(text, start, _ALPHANUMERICS):
            continue
        end = _iban_end(text, start, length)
        if end is not None:
            yield SecretMatch(kind="iban", start=start, end=end)


def _iban_end(text: str, start: int, length: int) -> int | None:
    characters, position = "", start
    while len(characters) < length and position < len(text):
        if text[position].isascii() and text[position].isalnum():
            characters += text[position]
        elif text[position] not in " -" or text[position - 1] in " -":
            return None
        position += 1
    is_complete = position == len(text) or not text[position].isalnum()
    return position if is_complete and len(characters) == length and is_valid_iban(characters) else None

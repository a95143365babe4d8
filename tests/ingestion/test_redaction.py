import re
from random import Random
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.ingestion.benign_texts import CODE, ENGLISH, PORTUGUESE
from tests.ingestion.fake_secrets import (
    ALPHANUMERIC,
    DIGITS,
    HEX,
    KEY_FACTORIES,
    PlantedSecret,
    make_private_key,
    plant_secrets,
    random_string,
)

from recollect.ingestion.redaction import Redaction, redact
from recollect.ingestion.secret_match import SecretMatch
from recollect.ingestion.secret_numbers import (
    is_valid_cnpj,
    is_valid_cpf,
    is_valid_iban,
    is_valid_luhn,
    is_valid_nif,
    is_valid_pis,
)

_PLACEHOLDER_PATTERN = re.compile("‹[^‹›]{2,30}›")
_LEAK_CHARS = 5


def find_leaks(value: str, text: str) -> list[str]:
    """Return substrings of the value that occur outside the placeholders."""
    visible_text = _PLACEHOLDER_PATTERN.sub("‹›", text)
    pieces = (value[i : i + _LEAK_CHARS] for i in range(max(1, len(value) - _LEAK_CHARS + 1)))
    return [piece for piece in pieces if piece in visible_text]


@pytest.mark.parametrize("secret", list(plant_secrets(seed=1)), ids=lambda secret: secret.kind)
def test_a_secret_is_replaced_by_its_kind(secret: PlantedSecret) -> None:
    redaction = redact(secret.text)

    assert find_leaks(secret.value, redaction.text) == []
    assert f"‹{secret.kind}›" in redaction.text
    assert [match.kind for match in redaction.matches] == [secret.kind]


def test_thousands_of_generated_secrets_are_detected() -> None:
    secrets = [secret for seed in range(2, 12) for secret in plant_secrets(seed)]

    missed = [secret for secret in secrets if find_leaks(secret.value, redact(secret.text).text)]

    assert len(secrets) > 3000
    assert len({secret.kind for secret in secrets}) > 40
    assert missed == []


@pytest.mark.parametrize("line", [*ENGLISH, *PORTUGUESE, *CODE])
def test_benign_texts_are_unchanged(line: str) -> None:
    assert redact(line) == Redaction(text=line)


def make_benign_lines(rng: Random) -> list[str]:
    digits = random_string(rng, DIGITS, 24)
    return [
        f"request {UUID(int=rng.getrandbits(128))} took {rng.randint(1, 9999)} ms",
        f"commit {random_string(rng, HEX, 40)} by ana",
        f"sha256:{random_string(rng, HEX, 64)}",
        f"call +55 {digits[:2]} 9{digits[2:6]}-{digits[6:10]} or ({digits[10:12]}) {digits[12:16]}-{digits[16:20]}",
        f"call +1 {digits[:3]}-{digits[3:6]}-{digits[6:10]}",
        f"{rng.randint(1990, 2030)}-{rng.randint(1, 12):02}-{rng.randint(10, 28)}T10:{digits[:2]}:07.{digits[:6]}Z",
        f"order number {digits[:16]} for pedido {digits[4:20]}",
        f"v{rng.randint(0, 20)}.{rng.randint(0, 40)}.{rng.randint(0, 99)} build {digits[:8]}",
        f"ts=17{digits[:11]} value={rng.random()}",
        f"total R$ {rng.randint(1, 999)}.{digits[:3]}.{digits[3:6]},{digits[6:8]}",
        f"isbn 978-{digits[0]}-{digits[1:4]}-{digits[4:9]}-{digits[9]}",
        f"at 0x{random_string(rng, HEX, 16)} in frame {rng.randint(1, 99)}",
        f"{rng.randint(1, 255)}.{rng.randint(0, 255)}.{rng.randint(0, 255)}.{rng.randint(1, 254)}:{digits[:5]}",
        f"lat {rng.uniform(-90, 90)}, lon {rng.uniform(-180, 180)}",
    ]


def test_at_most_one_benign_line_in_a_thousand_is_redacted() -> None:
    rng = Random(7)
    lines = [line for _ in range(300) for line in make_benign_lines(rng)]

    false_positives = [line for line in lines if redact(line).matches]

    assert len(lines) > 4000
    assert len(false_positives) * 1000 <= len(lines), false_positives


def test_matches_are_positions_in_the_original_text() -> None:
    key = "gh" + "p_" + random_string(Random(3), ALPHANUMERIC, 36)
    text = f"first {key}, then my password is tiger42!, and {key}."

    redaction = redact(text)

    assert redaction.text == "first ‹github token›, then my password is ‹password›, and ‹github token›."
    assert [(match.kind, text[match.start : match.end]) for match in redaction.matches] == [
        ("github token", key),
        ("password", "tiger42!"),
        ("github token", key),
    ]


def test_a_secret_revealed_by_a_placeholder_is_redacted_too() -> None:
    card = next(number for last in DIGITS if is_valid_luhn(number := "453914880343646" + last))
    text = make_private_key(Random(5), "PRIVATE KEY") + card

    redaction = redact(text)

    assert redaction.text == "‹private key›‹payment card›"
    assert [text[match.start : match.end] for match in redaction.matches][1] == card


def test_overlapping_matches_are_redacted_as_one() -> None:
    key = "s" + "k-" + random_string(Random(4), ALPHANUMERIC, 48)

    redaction = redact(f'password = "{key}"')

    assert redaction == Redaction(
        text='password = "‹openai key›"',
        matches=(SecretMatch(kind="openai key", start=12, end=12 + len(key)),),
    )


def test_a_truncated_private_key_is_redacted_to_its_end() -> None:
    block = make_private_key(Random(9), "RSA PRIVATE KEY").rpartition("\n")[0]

    redaction = redact(f"look:\n{block}\nand then it stopped")

    assert redaction.text == "look:\n‹private key›\nand then it stopped"


def test_letters_whose_lower_case_is_longer_do_not_shift_a_match() -> None:
    redaction = redact("İİİ my password is tiger42, İ")

    assert redaction.text == "İİİ my password is ‹password›, İ"


def test_only_the_password_of_a_url_is_redacted() -> None:
    redaction = redact("postgres://ana:p@ss42@db:5432/app?x=1")

    assert redaction.text == "postgres://ana:‹password›@db:5432/app?x=1"


def test_a_key_is_detected_next_to_other_long_words() -> None:
    address = "https://example.org/a/long/path/to/a/page-without-secrets.html"
    key = "AKIA" + "QR7ZK3M2XW4TBY6N"

    assert redact(f"{address} {key} {address}").text == f"{address} ‹aws access key› {address}"


def test_numbers_in_non_ascii_digits_are_detected() -> None:
    assert redact("o cvv é ١٢٣").text == "o cvv é ‹card code›"


@given(st.text(max_size=300))
def test_redaction_is_idempotent_for_any_text(text: str) -> None:
    redaction = redact(text)

    assert redact(redaction.text) == Redaction(text=redaction.text)


_FRAGMENTS = st.sampled_from([
    "password", " is ", "senha: ", "my ", "=", '"', "4111", " ", "-", ".", "@", "://", "sk-", "eyJ", "AKIA", "‹", "›",
    "PT50", "cpf ", "1234567890", "abcDEF123456", "token", "api_key", "bearer ", "\n", "a", "0",
])  # fmt: skip


@given(st.lists(_FRAGMENTS, max_size=40).map("".join))
def test_redaction_is_idempotent_for_fragments_of_secrets(text: str) -> None:
    redaction = redact(text)

    assert redact(redaction.text) == Redaction(text=redaction.text)
    assert (
        "".join(_text_between_matches(redaction, text)) == _PLACEHOLDER_PATTERN.sub("", redaction.text)
        or "‹" in text
    )


def _text_between_matches(redaction: Redaction, text: str) -> list[str]:
    position, parts = 0, []
    for match in redaction.matches:
        parts.append(text[position : match.start])
        position = match.end
    return [*parts, text[position:]]


@given(st.integers(), st.sampled_from(KEY_FACTORIES), st.text(" :;()\n", max_size=3))
def test_a_key_is_detected_for_any_random_seed(seed: int, key: tuple[str, object], gap: str) -> None:
    kind, make = key
    assert callable(make)
    value = make(Random(seed))

    redaction = redact(f"this one{gap or ' '}{value}{gap or ' '}is mine")

    assert find_leaks(value, redaction.text) == []
    assert f"‹{kind}›" in redaction.text


_HUGE_CHARS = 100_000


@pytest.mark.parametrize(
    "piece",
    [
        "sk-", "sk-ant-", "eyJ", "-eyJ", "eyJaaaaaaaaa.", "SG.aaaaaaaaaaaaaaaaaaa", "-----BEGIN RSA PRIVATE KEY-----",
        "1", "1 ", "4111 ", "1111-", "password is ", "password for a b c ", "my password is ", "senha do a do a do ",
        "://a:", "://a:b@", "a", "PT50 ", "PT50", "cpf: é é ", "123.", "bearer a", "xoxb-", "seed phrase abc def ",
        "abc ", "the the pin ", "token = ", "--password ", "‹password› ", "Ma-", "12345678:AA", "İ", "\\n", " ", "_-",
    ],
)  # fmt: skip
def test_redaction_of_repeated_fragments_terminates(piece: str) -> None:
    text = (piece * (_HUGE_CHARS // len(piece) + 1))[:_HUGE_CHARS]

    redaction = redact(text)

    assert redact(redaction.text).matches == ()


@pytest.mark.parametrize(
    ("check", "valid", "invalid"),
    [
        (is_valid_luhn, "7992739871" + "3", "7992739871" + "4"),
        (is_valid_iban, "GB82WEST" + "12345698765432", "GB83WEST" + "12345698765432"),
        (is_valid_cpf, "529.982.247" + "-25", "529.982.247" + "-26"),
        (is_valid_cpf, "529982247" + "25", "111111111" + "11"),
        (is_valid_cnpj, "11.222.333/0001" + "-81", "11.222.333/0001" + "-82"),
        (is_valid_cnpj, "12.ABC.345/01DE" + "-35", "12.ABC.345/01DE" + "-36"),
        (is_valid_pis, "120.56412.54" + "-5", "120.56412.54" + "-8"),
        (is_valid_nif, "12345678" + "9", "12345678" + "0"),
        (is_valid_nif, "12345678" + "z", "12345678" + "a"),
        (is_valid_nif, "x1234567" + "l", "x1234567" + "m"),
    ],
)
def test_check_digits_distinguish_valid_numbers_from_invalid_ones(
    check: object, valid: str, invalid: str
) -> None:
    assert callable(check)

    assert (check(valid), check(invalid)) == (True, False)

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

_MASK_PATTERN = re.compile("‹[^‹›]{2,30}›")
_LEAK_CHARS = 5


def find_leaks(value: str, text: str) -> list[str]:
    """Pieces of the value that can still be read outside the masks."""
    shown = _MASK_PATTERN.sub("‹›", text)
    pieces = (value[i : i + _LEAK_CHARS] for i in range(max(1, len(value) - _LEAK_CHARS + 1)))
    return [piece for piece in pieces if piece in shown]


@pytest.mark.parametrize("secret", list(plant_secrets(seed=1)), ids=lambda secret: secret.kind)
def test_a_secret_is_replaced_by_what_it_is(secret: PlantedSecret) -> None:
    found = redact(secret.text)

    assert find_leaks(secret.value, found.text) == []
    assert f"‹{secret.kind}›" in found.text
    assert [finding.kind for finding in found.matches] == [secret.kind]


def test_thousands_of_made_up_secrets_are_found() -> None:
    secrets = [secret for seed in range(2, 12) for secret in plant_secrets(seed)]

    missed = [secret for secret in secrets if find_leaks(secret.value, redact(secret.text).text)]

    assert len(secrets) > 3000
    assert len({secret.kind for secret in secrets}) > 40
    assert missed == []


@pytest.mark.parametrize("line", [*ENGLISH, *PORTUGUESE, *CODE])
def test_what_people_write_every_day_is_left_alone(line: str) -> None:
    assert redact(line) == Redaction(text=line)


def everyday_numbers(rng: Random) -> list[str]:
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


def test_one_everyday_line_in_a_thousand_at_most_is_taken_for_a_secret() -> None:
    rng = Random(7)
    lines = [line for _ in range(300) for line in everyday_numbers(rng)]

    wrong = [line for line in lines if redact(line).matches]

    assert len(lines) > 4000
    assert len(wrong) * 1000 <= len(lines), wrong


def test_places_are_those_of_the_original_text() -> None:
    key = "gh" + "p_" + random_string(Random(3), ALPHANUMERIC, 36)
    text = f"first {key}, then my password is tiger42!, and {key}."

    found = redact(text)

    assert found.text == "first ‹github token›, then my password is ‹password›, and ‹github token›."
    assert [(finding.kind, text[finding.start : finding.end]) for finding in found.matches] == [
        ("github token", key),
        ("password", "tiger42!"),
        ("github token", key),
    ]


def test_a_secret_that_a_mask_uncovers_is_masked_as_well() -> None:
    card = next(number for last in DIGITS if is_valid_luhn(number := "453914880343646" + last))
    text = make_private_key(Random(5), "PRIVATE KEY") + card

    found = redact(text)

    assert found.text == "‹private key›‹payment card›"
    assert [text[finding.start : finding.end] for finding in found.matches][1] == card


def test_what_is_found_twice_is_masked_once_and_as_a_whole() -> None:
    key = "s" + "k-" + random_string(Random(4), ALPHANUMERIC, 48)

    found = redact(f'password = "{key}"')

    assert found == Redaction(
        text='password = "‹openai key›"',
        matches=(SecretMatch(kind="openai key", start=12, end=12 + len(key)),),
    )


def test_a_private_key_that_was_cut_off_is_masked_as_far_as_it_goes() -> None:
    block = make_private_key(Random(9), "RSA PRIVATE KEY").rpartition("\n")[0]

    found = redact(f"look:\n{block}\nand then it stopped")

    assert found.text == "look:\n‹private key›\nand then it stopped"


def test_letters_that_grow_when_made_small_do_not_move_a_secret() -> None:
    found = redact("İİİ my password is tiger42, İ")

    assert found.text == "İİİ my password is ‹password›, İ"


def test_a_url_keeps_everything_but_its_password() -> None:
    found = redact("postgres://ana:p@ss42@db:5432/app?x=1")

    assert found.text == "postgres://ana:‹password›@db:5432/app?x=1"


def test_a_key_is_found_beside_other_long_words() -> None:
    address = "https://example.org/a/long/path/to/a/page-without-secrets.html"
    key = "AKIA" + "QR7ZK3M2XW4TBY6N"

    assert redact(f"{address} {key} {address}").text == f"{address} ‹aws access key› {address}"


def test_a_number_is_found_in_any_digits() -> None:
    assert redact("o cvv é ١٢٣").text == "o cvv é ‹card code›"


@given(st.text(max_size=300))
def test_masking_twice_is_masking_once_for_any_text(text: str) -> None:
    once = redact(text)

    assert redact(once.text) == Redaction(text=once.text)


_FRAGMENTS = st.sampled_from([
    "password", " is ", "senha: ", "my ", "=", '"', "4111", " ", "-", ".", "@", "://", "sk-", "eyJ", "AKIA", "‹", "›",
    "PT50", "cpf ", "1234567890", "abcDEF123456", "token", "api_key", "bearer ", "\n", "a", "0",
])  # fmt: skip


@given(st.lists(_FRAGMENTS, max_size=40).map("".join))
def test_masking_twice_is_masking_once_for_texts_made_of_secrets_parts(text: str) -> None:
    once = redact(text)

    assert redact(once.text) == Redaction(text=once.text)
    assert "".join(_text_between_masks(once, text)) == _MASK_PATTERN.sub("", once.text) or "‹" in text


def _text_between_masks(masked: Redaction, text: str) -> list[str]:
    place, parts = 0, []
    for finding in masked.matches:
        parts.append(text[place : finding.start])
        place = finding.end
    return [*parts, text[place:]]


@given(st.integers(), st.sampled_from(KEY_FACTORIES), st.text(" :;()\n", max_size=3))
def test_a_key_is_found_whatever_was_drawn(seed: int, key: tuple[str, object], gap: str) -> None:
    kind, make = key
    assert callable(make)
    value = make(Random(seed))

    found = redact(f"this one{gap or ' '}{value}{gap or ' '}is mine")

    assert find_leaks(value, found.text) == []
    assert f"‹{kind}›" in found.text


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
def test_no_text_makes_it_walk_in_circles(piece: str) -> None:
    text = (piece * (_HUGE_CHARS // len(piece) + 1))[:_HUGE_CHARS]

    found = redact(text)

    assert redact(found.text).matches == ()


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
def test_check_digits_tell_real_numbers_from_others(check: object, valid: str, invalid: str) -> None:
    assert callable(check)

    assert (check(valid), check(invalid)) == (True, False)

"""Generated secrets: composed at run time, so that no file contains anything that looks like one."""

import string
from collections.abc import Callable, Iterator
from random import Random
from typing import NamedTuple

LETTERS = string.ascii_letters
DIGITS = string.digits
ALPHANUMERIC = LETTERS + DIGITS
HEX = "0123456789abcdef"
BASE32 = string.ascii_uppercase + "234567"
URL_SAFE = ALPHANUMERIC + "_-"
PASSWORD_CHARS = ALPHANUMERIC + "@#!%"


class PlantedSecret(NamedTuple):
    kind: str
    before: str
    value: str
    after: str

    @property
    def text(self) -> str:
        return self.before + self.value + self.after


def random_string(rng: Random, alphabet: str, size: int) -> str:
    """Return random characters with at least two digits, so that the result is never a word."""
    while True:
        value = "".join(rng.choices(alphabet, k=size))
        mixed = sum(map(str.isdigit, value)) >= 2 and (alphabet == DIGITS or any(map(str.isalpha, value)))
        if mixed and value[0] not in "-_" and value[-1] not in "-_":
            return value


def _make_luhn_number(rng: Random, prefix: str, size: int) -> str:
    body = prefix + random_string(rng, DIGITS, size - 1 - len(prefix))
    total = 0
    for index, digit in enumerate(reversed(body)):
        doubled = int(digit) * (2 if index % 2 == 0 else 1)
        total += doubled - 9 if doubled > 9 else doubled
    return body + str(-total % 10)


def _group_digits(digits: str, gap: str) -> str:
    if len(digits) == 15:
        return gap.join((digits[:4], digits[4:10], digits[10:]))
    return gap.join(digits[i : i + 4] for i in range(0, len(digits), 4))


def _make_iban(rng: Random, country: str, size: int) -> str:
    body = random_string(rng, DIGITS, size - 4)
    number = "".join(str(int(c, 36)) for c in body + country + "00")
    return f"{country}{98 - int(number) % 97:02}{body}"


def _check_digit(values: list[int], weights: list[int]) -> int:
    rest = sum(value * weight for value, weight in zip(values, weights, strict=True)) % 11
    return 0 if rest < 2 else 11 - rest


def _make_cpf(rng: Random) -> str:
    body = [int(digit) for digit in random_string(rng, DIGITS, 9)]
    body.append(_check_digit(body, list(range(10, 1, -1))))
    body.append(_check_digit(body, list(range(11, 1, -1))))
    return "".join(map(str, body))


def _make_cnpj(rng: Random, alphabet: str) -> str:
    characters = random_string(rng, alphabet, 12)
    values = [ord(c) - 48 for c in characters]
    weights = [6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2]
    values.append(_check_digit(values, weights[1:]))
    values.append(_check_digit(values, weights))
    return characters + "".join(map(str, values[12:]))


def _make_pis(rng: Random) -> str:
    body = [int(digit) for digit in random_string(rng, DIGITS, 10)]
    return "".join(map(str, [*body, _check_digit(body, [3, 2, 9, 8, 7, 6, 5, 4, 3, 2])]))


def _make_nif(rng: Random) -> str:
    body = [2, *(int(digit) for digit in random_string(rng, DIGITS, 7))]
    return "".join(map(str, [*body, _check_digit(body, list(range(9, 1, -1)))]))


def _punctuate(digits: str, *cuts: int) -> str:
    parts = [digits[a:b] for a, b in zip((0, *cuts), (*cuts, len(digits)), strict=True)]
    return ".".join(parts[:-1]) + "-" + parts[-1]


SecretFactory = Callable[[Random], str]


def _make_key_factory(prefix: str, alphabet: str, size: int) -> SecretFactory:
    return lambda rng: prefix + random_string(rng, alphabet, size)


#: Keys with a recognizable format, detected in any context.
KEY_FACTORIES: tuple[tuple[str, SecretFactory], ...] = (
    ("openai key", _make_key_factory("s" + "k-", ALPHANUMERIC, 48)),
    ("openai key", _make_key_factory("s" + "k-proj-", URL_SAFE, 120)),
    ("openai key", _make_key_factory("s" + "k-", HEX, 32)),
    ("anthropic key", _make_key_factory("s" + "k-ant-api03-", URL_SAFE, 93)),
    ("openrouter key", _make_key_factory("s" + "k-or-v1-", HEX, 64)),
    ("github token", _make_key_factory("gh" + "p_", ALPHANUMERIC, 36)),
    ("github token", _make_key_factory("gh" + "o_", ALPHANUMERIC, 36)),
    (
        "github token",
        lambda rng: (
            "github_pat_" + random_string(rng, ALPHANUMERIC, 22) + "_" + random_string(rng, ALPHANUMERIC, 59)
        ),
    ),
    ("gitlab token", _make_key_factory("gl" + "pat-", ALPHANUMERIC, 20)),
    ("aws access key", _make_key_factory("AK" + "IA", BASE32, 16)),
    ("aws access key", _make_key_factory("AS" + "IA", BASE32, 16)),
    ("google key", _make_key_factory("AI" + "za", URL_SAFE, 35)),
    ("google token", _make_key_factory("GOC" + "SPX-", URL_SAFE, 28)),
    ("google token", _make_key_factory("ya" + "29.", URL_SAFE, 80)),
    (
        "slack token",
        lambda rng: (
            f"xo{'xb'}-{random_string(rng, DIGITS, 12)}-{random_string(rng, DIGITS, 12)}"
            f"-{random_string(rng, ALPHANUMERIC, 24)}"
        ),
    ),
    (
        "slack token",
        lambda rng: (
            f"xa{'pp'}-1-A{random_string(rng, DIGITS, 10)}-{random_string(rng, DIGITS, 13)}"
            f"-{random_string(rng, HEX, 64)}"
        ),
    ),
    (
        "slack webhook",
        lambda rng: (
            f"hooks.{'slack'}.com/services/T{random_string(rng, ALPHANUMERIC, 8)}"
            f"/B{random_string(rng, ALPHANUMERIC, 8)}/{random_string(rng, ALPHANUMERIC, 24)}"
        ),
    ),
    ("stripe key", _make_key_factory("sk" + "_live_", ALPHANUMERIC, 24)),
    ("stripe key", _make_key_factory("rk" + "_live_", ALPHANUMERIC, 24)),
    ("stripe webhook secret", _make_key_factory("wh" + "sec_", ALPHANUMERIC, 32)),
    ("twilio key", _make_key_factory("S" + "K", HEX, 32)),
    ("twilio key", _make_key_factory("A" + "C", HEX, 32)),
    (
        "sendgrid key",
        lambda rng: "S" + f"G.{random_string(rng, URL_SAFE, 22)}.{random_string(rng, URL_SAFE, 43)}",
    ),
    ("mailgun key", _make_key_factory("ke" + "y-", HEX, 32)),
    ("mailchimp key", lambda rng: random_string(rng, HEX, 32) + "-us" + "12"),
    ("npm token", _make_key_factory("np" + "m_", ALPHANUMERIC, 36)),
    ("pypi token", _make_key_factory("py" + "pi-AgE", URL_SAFE, 150)),
    ("hugging face token", _make_key_factory("h" + "f_", LETTERS + DIGITS, 34)),
    ("groq key", _make_key_factory("gs" + "k_", ALPHANUMERIC, 52)),
    ("xai key", _make_key_factory("xa" + "i-", ALPHANUMERIC, 80)),
    ("perplexity key", _make_key_factory("pp" + "lx-", ALPHANUMERIC, 48)),
    ("replicate token", _make_key_factory("r" + "8_", ALPHANUMERIC, 37)),
    ("digitalocean token", _make_key_factory("dop" + "_v1_", HEX, 64)),
    ("shopify token", _make_key_factory("shp" + "at_", HEX, 32)),
    ("databricks token", _make_key_factory("da" + "pi", HEX, 32)),
    ("vault token", _make_key_factory("hv" + "s.", URL_SAFE, 90)),
    ("docker token", _make_key_factory("dckr" + "_pat_", URL_SAFE, 27)),
    ("linear key", _make_key_factory("lin" + "_api_", ALPHANUMERIC, 40)),
    ("notion token", _make_key_factory("nt" + "n_", ALPHANUMERIC, 46)),
    ("figma token", _make_key_factory("fi" + "gd_", URL_SAFE, 40)),
    ("atlassian token", _make_key_factory("ATA" + "TT3", URL_SAFE, 180)),
    ("square token", _make_key_factory("sq0" + "atp-", URL_SAFE, 22)),
    ("new relic key", _make_key_factory("NR" + "AK-", string.ascii_uppercase + DIGITS, 27)),
    ("planetscale token", _make_key_factory("pscale" + "_tkn_", URL_SAFE, 43)),
    (
        "telegram token",
        lambda rng: random_string(rng, DIGITS, 10) + ":" + "AA" + random_string(rng, URL_SAFE, 33),
    ),
    (
        "discord token",
        lambda rng: (
            f"M{random_string(rng, ALPHANUMERIC, 23)}.{random_string(rng, ALPHANUMERIC, 6)}"
            f".{random_string(rng, ALPHANUMERIC, 38)}"
        ),
    ),
    ("age key", _make_key_factory("AGE-SECRET" + "-KEY-1", string.ascii_uppercase + DIGITS, 58)),
    ("azure key", lambda rng: "Account" + "Key=" + random_string(rng, ALPHANUMERIC, 86) + "=="),
    (
        "web token",
        lambda rng: (
            f"ey{'J'}{random_string(rng, ALPHANUMERIC, 30)}.ey{'J'}{random_string(rng, URL_SAFE, 60)}"
            f".{random_string(rng, URL_SAFE, 43)}"
        ),
    ),
    ("payment card", lambda rng: _make_luhn_number(rng, "4", 16)),
    ("payment card", lambda rng: _group_digits(_make_luhn_number(rng, "4", 16), " ")),
    ("payment card", lambda rng: _group_digits(_make_luhn_number(rng, "53", 16), "-")),
    ("payment card", lambda rng: _group_digits(_make_luhn_number(rng, "2221", 16), " ")),
    ("payment card", lambda rng: _make_luhn_number(rng, "37", 15)),
    ("payment card", lambda rng: _group_digits(_make_luhn_number(rng, "34", 15), " ")),
    ("payment card", lambda rng: _make_luhn_number(rng, "6011", 16)),
    ("payment card", lambda rng: _make_luhn_number(rng, "36", 14)),
    ("payment card", lambda rng: _make_luhn_number(rng, "3530", 16)),
    ("payment card", lambda rng: _make_luhn_number(rng, "62", 19)),
    ("payment card", lambda rng: _group_digits(_make_luhn_number(rng, "636297", 16), ".")),
    ("iban", lambda rng: _make_iban(rng, "DE", 22)),
    ("iban", lambda rng: _group_digits(_make_iban(rng, "PT", 25), " ")),
    ("iban", lambda rng: _group_digits(_make_iban(rng, "ES", 24), " ")),
    ("iban", lambda rng: _make_iban(rng, "BR", 29)),
    ("cpf", lambda rng: _punctuate(_make_cpf(rng), 3, 6, 9)),
    ("cnpj", lambda rng: (n := _make_cnpj(rng, DIGITS)) and f"{n[:2]}.{n[2:5]}.{n[5:8]}/{n[8:12]}-{n[12:]}"),
    (
        "cnpj",
        lambda rng: (
            (n := _make_cnpj(rng, DIGITS + "ABCDEFGH")) and f"{n[:2]}.{n[2:5]}.{n[5:8]}/{n[8:12]}-{n[12:]}"
        ),
    ),
    ("pis", lambda rng: _punctuate(_make_pis(rng), 3, 8, 10)),
    (
        "ssn",
        lambda rng: f"5{random_string(rng, DIGITS, 2)}-4{rng.randint(1, 9)}-7{random_string(rng, DIGITS, 3)}",
    ),
)

#: Text before and after a key.
CONTEXTS = (
    ("here it is: ", ""),
    ("A chave nova é ", ", guarda bem."),
    ('client = Client("', '")'),
    ("export KEY=", "\nmake deploy"),
    ("(", ")"),
)

#: Secrets that are recognized only by the label before them.
LABELLED_SECRETS: tuple[tuple[str, str, SecretFactory, str], ...] = (
    ("aws secret key", "aws_secret_access_key = ", _make_key_factory("", ALPHANUMERIC + "/+", 40), "\n"),
    ("aws secret key", "AWS_SECRET_ACCESS_KEY=", _make_key_factory("", ALPHANUMERIC + "/+", 40), ""),
    ("aws secret key", '"secretKey": "', _make_key_factory("", ALPHANUMERIC, 40), '",'),
    ("bearer token", "Authorization: Bearer ", _make_key_factory("", ALPHANUMERIC, 40), ""),
    (
        "bearer token",
        "curl -H 'authorization: bearer ",
        _make_key_factory("", URL_SAFE, 64),
        "' https://example.com",
    ),
    ("credentials", "Authorization: Basic ", _make_key_factory("", ALPHANUMERIC, 28), ""),
    ("password", "postgresql://app:", _make_key_factory("", ALPHANUMERIC, 14), "@db.example.com:5432/app"),
    (
        "password",
        "the URL is mongodb+srv://root:",
        _make_key_factory("p", ALPHANUMERIC + "@!", 12),
        "@cluster0.example.net/?x=1",
    ),
    ("password", "redis://:", _make_key_factory("", ALPHANUMERIC, 10), "@cache:6379/0"),
    ("password", "password = ", _make_key_factory("", PASSWORD_CHARS, 12), ""),
    ("password", 'password: "', _make_key_factory("", PASSWORD_CHARS, 12), '"'),
    ("password", 'DB_PASSWORD="', _make_key_factory("", PASSWORD_CHARS, 16), '"'),
    ("password", '{"password": "', _make_key_factory("", PASSWORD_CHARS, 10), '", "user": "ana"}'),
    ("password", "<password>", _make_key_factory("", ALPHANUMERIC, 10), "</password>"),
    ("password", "mysql --password=", _make_key_factory("", ALPHANUMERIC, 10), " app"),
    (
        "password",
        "https://example.com/login?user=ana&password=",
        _make_key_factory("", ALPHANUMERIC, 10),
        "&next=/home",
    ),
    ("password", "my password is ", _make_key_factory("", ALPHANUMERIC, 9), "."),
    ("password", "My wifi password is ", _make_key_factory("casa", DIGITS, 4), ", write it down"),
    ("password", "the password for the router is ", _make_key_factory("", PASSWORD_CHARS, 9), ""),
    ("password", "**Password:** ", _make_key_factory("", ALPHANUMERIC, 10), ""),
    ("password", "senha: ", _make_key_factory("", ALPHANUMERIC, 9), ""),
    ("password", "Minha senha é ", _make_key_factory("", ALPHANUMERIC, 9), "!"),
    ("password", "a senha do wifi é ", _make_key_factory("gato", DIGITS, 4), "."),
    ("password", "minha senha é ", lambda rng: random_string(rng, DIGITS, 6), ", anota aí"),
    ("password", "my password is ", lambda rng: rng.choice(("dragonfly", "butterscotch", "marmalade")), "."),
    (
        "password",
        "minha senha é ",
        lambda rng: rng.choice(("jabuticaba", "carambola", "paralelepipedo")),
        ".",
    ),
    ("token", 'api_key = "', _make_key_factory("", ALPHANUMERIC, 32), '"'),
    ("token", "ACCESS_TOKEN=", _make_key_factory("", HEX, 40), ""),
    ("token", "clientSecret: '", _make_key_factory("", ALPHANUMERIC, 24), "',"),
    ("token", "my api key is ", _make_key_factory("", ALPHANUMERIC, 32), ""),
    ("token", "a chave da API é ", _make_key_factory("", ALPHANUMERIC, 32), "."),
    ("cpf", "meu CPF é ", _make_cpf, ""),
    ("cpf", "cpf: ", _make_cpf, "\n"),
    ("cnpj", "CNPJ ", lambda rng: _make_cnpj(rng, DIGITS), ", São Paulo"),
    ("pis", "PIS/PASEP: ", _make_pis, ""),
    ("ssn", "my SSN is ", lambda rng: "52" + random_string(rng, DIGITS, 7), ""),
    ("nif", "o meu NIF é ", _make_nif, ""),
    (
        "nif",
        "NIF: ",
        lambda rng: (n := random_string(rng, DIGITS, 8)) + "TRWAGMYFPDXBNJZSQVHLCKE"[int(n) % 23],
        "",
    ),
    ("pin", "my pin is ", lambda rng: random_string(rng, DIGITS, 4), "."),
    ("pin", "o PIN do cartão é ", lambda rng: random_string(rng, DIGITS, 6), ""),
    ("card code", "CVV: ", lambda rng: random_string(rng, DIGITS, 3), ""),
    ("payment card", "cartão nº ", lambda rng: _make_luhn_number(rng, "4", 13), ""),
    ("seed phrase", "My seed phrase is: ", lambda rng: " ".join(_random_words(rng, 12)), ""),
)


def _random_words(rng: Random, count: int) -> list[str]:
    return ["".join(rng.choices("abdeilmnorstu", k=rng.randint(3, 7))) for _ in range(count)]


def make_private_key(rng: Random, label: str) -> str:
    dashes = "-" * 5
    lines = "\n".join(random_string(rng, ALPHANUMERIC + "+/", 64) for _ in range(6))
    return f"{dashes}BEGIN {label}{dashes}\n{lines}\n{dashes}END {label}{dashes}"


def plant_secrets(seed: int) -> Iterator[PlantedSecret]:
    """Yield each kind of secret in each context; the seed determines the values."""
    rng = Random(seed)
    for kind, make in KEY_FACTORIES:
        for before, after in CONTEXTS:
            yield PlantedSecret(kind, before, make(rng), after)
    for kind, before, make, after in LABELLED_SECRETS:
        yield PlantedSecret(kind, before, make(rng), after)
    for label in ("RSA PRIVATE KEY", "OPENSSH PRIVATE KEY", "PRIVATE KEY", "PGP PRIVATE KEY BLOCK"):
        yield PlantedSecret("private key", "here:\n", make_private_key(rng, label), "\nthanks")

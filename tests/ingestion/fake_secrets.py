"""Secrets that nobody ever had: put together at run time, so that no file holds anything that looks like one."""

import string
from collections.abc import Callable, Iterator
from random import Random
from typing import NamedTuple

LETTERS = string.ascii_letters
DIGITS = string.digits
WORDS = LETTERS + DIGITS
HEX = "0123456789abcdef"
BASE32 = string.ascii_uppercase + "234567"
WIDE = WORDS + "_-"
CHOSEN = WORDS + "@#!%"


class Planted(NamedTuple):
    kind: str
    before: str
    value: str
    after: str

    @property
    def text(self) -> str:
        return self.before + self.value + self.after


def drawn(rng: Random, alphabet: str, size: int) -> str:
    """Letters and digits as a machine draws them; never so few digits that it might be a word."""
    while True:
        value = "".join(rng.choices(alphabet, k=size))
        mixed = sum(map(str.isdigit, value)) >= 2 and (alphabet == DIGITS or any(map(str.isalpha, value)))
        if mixed and value[0] not in "-_" and value[-1] not in "-_":
            return value


def _luhn(rng: Random, prefix: str, size: int) -> str:
    body = prefix + drawn(rng, DIGITS, size - 1 - len(prefix))
    total = 0
    for place, digit in enumerate(reversed(body)):
        doubled = int(digit) * (2 if place % 2 == 0 else 1)
        total += doubled - 9 if doubled > 9 else doubled
    return body + str(-total % 10)


def _grouped(digits: str, gap: str) -> str:
    if len(digits) == 15:
        return gap.join((digits[:4], digits[4:10], digits[10:]))
    return gap.join(digits[i : i + 4] for i in range(0, len(digits), 4))


def _iban(rng: Random, country: str, size: int) -> str:
    body = drawn(rng, DIGITS, size - 4)
    number = "".join(str(int(c, 36)) for c in body + country + "00")
    return f"{country}{98 - int(number) % 97:02}{body}"


def _check(values: list[int], weights: list[int]) -> int:
    rest = sum(value * weight for value, weight in zip(values, weights, strict=True)) % 11
    return 0 if rest < 2 else 11 - rest


def _cpf(rng: Random) -> str:
    body = [int(digit) for digit in drawn(rng, DIGITS, 9)]
    body.append(_check(body, list(range(10, 1, -1))))
    body.append(_check(body, list(range(11, 1, -1))))
    return "".join(map(str, body))


def _cnpj(rng: Random, alphabet: str) -> str:
    signs = drawn(rng, alphabet, 12)
    values = [ord(c) - 48 for c in signs]
    weights = [6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2]
    values.append(_check(values, weights[1:]))
    values.append(_check(values, weights))
    return signs + "".join(map(str, values[12:]))


def _pis(rng: Random) -> str:
    body = [int(digit) for digit in drawn(rng, DIGITS, 10)]
    return "".join(map(str, [*body, _check(body, [3, 2, 9, 8, 7, 6, 5, 4, 3, 2])]))


def _nif(rng: Random) -> str:
    body = [2, *(int(digit) for digit in drawn(rng, DIGITS, 7))]
    return "".join(map(str, [*body, _check(body, list(range(9, 1, -1)))]))


def _dotted(digits: str, *cuts: int) -> str:
    parts = [digits[a:b] for a, b in zip((0, *cuts), (*cuts, len(digits)), strict=True)]
    return ".".join(parts[:-1]) + "-" + parts[-1]


Maker = Callable[[Random], str]


def _keyed(prefix: str, alphabet: str, size: int) -> Maker:
    return lambda rng: prefix + drawn(rng, alphabet, size)


#: Keys by their own shape: they are found wherever they stand.
KEYS: tuple[tuple[str, Maker], ...] = (
    ("openai key", _keyed("s" + "k-", WORDS, 48)),
    ("openai key", _keyed("s" + "k-proj-", WIDE, 120)),
    ("openai key", _keyed("s" + "k-", HEX, 32)),
    ("anthropic key", _keyed("s" + "k-ant-api03-", WIDE, 93)),
    ("openrouter key", _keyed("s" + "k-or-v1-", HEX, 64)),
    ("github token", _keyed("gh" + "p_", WORDS, 36)),
    ("github token", _keyed("gh" + "o_", WORDS, 36)),
    ("github token", lambda rng: "github" + "_pat_" + drawn(rng, WORDS, 22) + "_" + drawn(rng, WORDS, 59)),
    ("gitlab token", _keyed("gl" + "pat-", WORDS, 20)),
    ("aws access key", _keyed("AK" + "IA", BASE32, 16)),
    ("aws access key", _keyed("AS" + "IA", BASE32, 16)),
    ("google key", _keyed("AI" + "za", WIDE, 35)),
    ("google token", _keyed("GOC" + "SPX-", WIDE, 28)),
    ("google token", _keyed("ya" + "29.", WIDE, 80)),
    (
        "slack token",
        lambda rng: f"xo{'xb'}-{drawn(rng, DIGITS, 12)}-{drawn(rng, DIGITS, 12)}-{drawn(rng, WORDS, 24)}",
    ),
    (
        "slack token",
        lambda rng: f"xa{'pp'}-1-A{drawn(rng, DIGITS, 10)}-{drawn(rng, DIGITS, 13)}-{drawn(rng, HEX, 64)}",
    ),
    (
        "slack webhook",
        lambda rng: (
            f"hooks.{'slack'}.com/services/T{drawn(rng, WORDS, 8)}/B{drawn(rng, WORDS, 8)}/{drawn(rng, WORDS, 24)}"
        ),
    ),
    ("stripe key", _keyed("sk" + "_live_", WORDS, 24)),
    ("stripe key", _keyed("rk" + "_live_", WORDS, 24)),
    ("stripe webhook secret", _keyed("wh" + "sec_", WORDS, 32)),
    ("twilio key", _keyed("S" + "K", HEX, 32)),
    ("twilio key", _keyed("A" + "C", HEX, 32)),
    ("sendgrid key", lambda rng: "S" + f"G.{drawn(rng, WIDE, 22)}.{drawn(rng, WIDE, 43)}"),
    ("mailgun key", _keyed("ke" + "y-", HEX, 32)),
    ("mailchimp key", lambda rng: drawn(rng, HEX, 32) + "-us" + "12"),
    ("npm token", _keyed("np" + "m_", WORDS, 36)),
    ("pypi token", _keyed("py" + "pi-AgE", WIDE, 150)),
    ("hugging face token", _keyed("h" + "f_", LETTERS + DIGITS, 34)),
    ("groq key", _keyed("gs" + "k_", WORDS, 52)),
    ("xai key", _keyed("xa" + "i-", WORDS, 80)),
    ("perplexity key", _keyed("pp" + "lx-", WORDS, 48)),
    ("replicate token", _keyed("r" + "8_", WORDS, 37)),
    ("digitalocean token", _keyed("dop" + "_v1_", HEX, 64)),
    ("shopify token", _keyed("shp" + "at_", HEX, 32)),
    ("databricks token", _keyed("da" + "pi", HEX, 32)),
    ("vault token", _keyed("hv" + "s.", WIDE, 90)),
    ("docker token", _keyed("dckr" + "_pat_", WIDE, 27)),
    ("linear key", _keyed("lin" + "_api_", WORDS, 40)),
    ("notion token", _keyed("nt" + "n_", WORDS, 46)),
    ("figma token", _keyed("fi" + "gd_", WIDE, 40)),
    ("atlassian token", _keyed("ATA" + "TT3", WIDE, 180)),
    ("square token", _keyed("sq0" + "atp-", WIDE, 22)),
    ("new relic key", _keyed("NR" + "AK-", string.ascii_uppercase + DIGITS, 27)),
    ("planetscale token", _keyed("pscale" + "_tkn_", WIDE, 43)),
    ("telegram token", lambda rng: drawn(rng, DIGITS, 10) + ":" + "AA" + drawn(rng, WIDE, 33)),
    ("discord token", lambda rng: f"M{drawn(rng, WORDS, 23)}.{drawn(rng, WORDS, 6)}.{drawn(rng, WORDS, 38)}"),
    ("age key", _keyed("AGE-SECRET" + "-KEY-1", string.ascii_uppercase + DIGITS, 58)),
    ("azure key", lambda rng: "Account" + "Key=" + drawn(rng, WORDS, 86) + "=="),
    (
        "web token",
        lambda rng: f"ey{'J'}{drawn(rng, WORDS, 30)}.ey{'J'}{drawn(rng, WIDE, 60)}.{drawn(rng, WIDE, 43)}",
    ),
    ("payment card", lambda rng: _luhn(rng, "4", 16)),
    ("payment card", lambda rng: _grouped(_luhn(rng, "4", 16), " ")),
    ("payment card", lambda rng: _grouped(_luhn(rng, "53", 16), "-")),
    ("payment card", lambda rng: _grouped(_luhn(rng, "2221", 16), " ")),
    ("payment card", lambda rng: _luhn(rng, "37", 15)),
    ("payment card", lambda rng: _grouped(_luhn(rng, "34", 15), " ")),
    ("payment card", lambda rng: _luhn(rng, "6011", 16)),
    ("payment card", lambda rng: _luhn(rng, "36", 14)),
    ("payment card", lambda rng: _luhn(rng, "3530", 16)),
    ("payment card", lambda rng: _luhn(rng, "62", 19)),
    ("payment card", lambda rng: _grouped(_luhn(rng, "636297", 16), ".")),
    ("iban", lambda rng: _iban(rng, "DE", 22)),
    ("iban", lambda rng: _grouped(_iban(rng, "PT", 25), " ")),
    ("iban", lambda rng: _grouped(_iban(rng, "ES", 24), " ")),
    ("iban", lambda rng: _iban(rng, "BR", 29)),
    ("cpf", lambda rng: _dotted(_cpf(rng), 3, 6, 9)),
    ("cnpj", lambda rng: (n := _cnpj(rng, DIGITS)) and f"{n[:2]}.{n[2:5]}.{n[5:8]}/{n[8:12]}-{n[12:]}"),
    (
        "cnpj",
        lambda rng: (
            (n := _cnpj(rng, DIGITS + "ABCDEFGH")) and f"{n[:2]}.{n[2:5]}.{n[5:8]}/{n[8:12]}-{n[12:]}"
        ),
    ),
    ("pis", lambda rng: _dotted(_pis(rng), 3, 8, 10)),
    ("ssn", lambda rng: f"5{drawn(rng, DIGITS, 2)}-4{rng.randint(1, 9)}-7{drawn(rng, DIGITS, 3)}"),
)

#: Sentences a key may stand in.
PLACES = (
    ("here it is: ", ""),
    ("A chave nova é ", ", guarda bem."),
    ('client = Client("', '")'),
    ("export KEY=", "\nmake deploy"),
    ("(", ")"),
)

#: Secrets that only the words before them give away.
TOLD: tuple[tuple[str, str, Maker, str], ...] = (
    ("aws secret key", "aws_secret_access_key = ", _keyed("", WORDS + "/+", 40), "\n"),
    ("aws secret key", "AWS_SECRET_ACCESS_KEY=", _keyed("", WORDS + "/+", 40), ""),
    ("aws secret key", '"secretKey": "', _keyed("", WORDS, 40), '",'),
    ("bearer token", "Authorization: Bearer ", _keyed("", WORDS, 40), ""),
    ("bearer token", "curl -H 'authorization: bearer ", _keyed("", WIDE, 64), "' https://example.com"),
    ("credentials", "Authorization: Basic ", _keyed("", WORDS, 28), ""),
    ("password", "postgresql://app:", _keyed("", WORDS, 14), "@db.example.com:5432/app"),
    (
        "password",
        "the URL is mongodb+srv://root:",
        _keyed("p", WORDS + "@!", 12),
        "@cluster0.example.net/?x=1",
    ),
    ("password", "redis://:", _keyed("", WORDS, 10), "@cache:6379/0"),
    ("password", "password = ", _keyed("", CHOSEN, 12), ""),
    ("password", 'password: "', _keyed("", CHOSEN, 12), '"'),
    ("password", 'DB_PASSWORD="', _keyed("", CHOSEN, 16), '"'),
    ("password", '{"password": "', _keyed("", CHOSEN, 10), '", "user": "ana"}'),
    ("password", "<password>", _keyed("", WORDS, 10), "</password>"),
    ("password", "mysql --password=", _keyed("", WORDS, 10), " app"),
    ("password", "https://example.com/login?user=ana&password=", _keyed("", WORDS, 10), "&next=/home"),
    ("password", "my password is ", _keyed("", WORDS, 9), "."),
    ("password", "My wifi password is ", _keyed("casa", DIGITS, 4), ", write it down"),
    ("password", "the password for the router is ", _keyed("", CHOSEN, 9), ""),
    ("password", "**Password:** ", _keyed("", WORDS, 10), ""),
    ("password", "senha: ", _keyed("", WORDS, 9), ""),
    ("password", "Minha senha é ", _keyed("", WORDS, 9), "!"),
    ("password", "a senha do wifi é ", _keyed("gato", DIGITS, 4), "."),
    ("password", "minha senha é ", lambda rng: drawn(rng, DIGITS, 6), ", anota aí"),
    ("password", "my password is ", lambda rng: rng.choice(("dragonfly", "butterscotch", "marmalade")), "."),
    (
        "password",
        "minha senha é ",
        lambda rng: rng.choice(("jabuticaba", "carambola", "paralelepipedo")),
        ".",
    ),
    ("token", 'api_key = "', _keyed("", WORDS, 32), '"'),
    ("token", "ACCESS_TOKEN=", _keyed("", HEX, 40), ""),
    ("token", "clientSecret: '", _keyed("", WORDS, 24), "',"),
    ("token", "my api key is ", _keyed("", WORDS, 32), ""),
    ("token", "a chave da API é ", _keyed("", WORDS, 32), "."),
    ("cpf", "meu CPF é ", _cpf, ""),
    ("cpf", "cpf: ", _cpf, "\n"),
    ("cnpj", "CNPJ ", lambda rng: _cnpj(rng, DIGITS), ", São Paulo"),
    ("pis", "PIS/PASEP: ", _pis, ""),
    ("ssn", "my SSN is ", lambda rng: "52" + drawn(rng, DIGITS, 7), ""),
    ("nif", "o meu NIF é ", _nif, ""),
    ("nif", "NIF: ", lambda rng: (n := drawn(rng, DIGITS, 8)) + "TRWAGMYFPDXBNJZSQVHLCKE"[int(n) % 23], ""),
    ("pin", "my pin is ", lambda rng: drawn(rng, DIGITS, 4), "."),
    ("pin", "o PIN do cartão é ", lambda rng: drawn(rng, DIGITS, 6), ""),
    ("card code", "CVV: ", lambda rng: drawn(rng, DIGITS, 3), ""),
    ("payment card", "cartão nº ", lambda rng: _luhn(rng, "4", 13), ""),
    ("seed phrase", "My seed phrase is: ", lambda rng: " ".join(_plain_words(rng, 12)), ""),
)


def _plain_words(rng: Random, count: int) -> list[str]:
    return ["".join(rng.choices("abdeilmnorstu", k=rng.randint(3, 7))) for _ in range(count)]


def private_key(rng: Random, label: str) -> str:
    dashes = "-" * 5
    lines = "\n".join(drawn(rng, WORDS + "+/", 64) for _ in range(6))
    return f"{dashes}BEGIN {label}{dashes}\n{lines}\n{dashes}END {label}{dashes}"


def planted(seed: int) -> Iterator[Planted]:
    """One of each kind in each place; another seed, other secrets."""
    rng = Random(seed)
    for kind, make in KEYS:
        for before, after in PLACES:
            yield Planted(kind, before, make(rng), after)
    for kind, before, make, after in TOLD:
        yield Planted(kind, before, make(rng), after)
    for label in ("RSA PRIVATE KEY", "OPENSSH PRIVATE KEY", "PRIVATE KEY", "PGP PRIVATE KEY BLOCK"):
        yield Planted("private key", "here:\n", private_key(rng, label), "\nthanks")

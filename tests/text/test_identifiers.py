import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.text.identifiers import extract_identifiers, looks_like_code


@pytest.mark.spec("K4", "TR-9")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("where is calculateTotal used", {"calculatetotal"}),
        ("rename my_func_name please", {"my_func_name"}),
        ("HttpServer and HTTPServer2", {"httpserver", "httpserver2"}),
        ("MAX_RETRIES is too low", {"max_retries"}),
        ("what does parse(row) return", {"parse"}),
        ("call cart.calculateTotal()", {"cart.calculatetotal", "calculatetotal"}),
        ("import foo.bar.baz first", {"foo.bar.baz"}),
        ("open src/app/main.py", {"src/app/main.py"}),
        ("see main.py and README.md.", {"main.py", "readme.md"}),
        ("look at /etc/hosts", {"/etc/hosts"}),
        ("./configure --dry-run", {"./configure", "--dry-run"}),
        ("E0308 and ERR_CONN_42", {"e0308", "err_conn_42"}),
        ("TS2345, ORA-00942, CVE-2024-3094", {"ts2345", "ora-00942", "cve-2024-3094"}),
        ("upgrade to v1.2.3 or 2.10.4", {"v1.2.3", "2.10.4"}),
        ("C++ or C#, not node.js", {"c++", "c#", "node.js"}),
        ("__init__ is special", {"__init__"}),
        ("what does `retry budget` mean", {"retry", "budget"}),
        ("use `npm-check` here", {"npm-check", "npm", "check"}),
        ("a função calculaçãoTotal(x) falha", {"calculaçãototal"}),
    ],
)
def test_names_from_code_are_found_in_a_sentence(text: str, expected: set[str]) -> None:
    assert extract_identifiers(text) == expected


@pytest.mark.spec("K4")
def test_names_in_a_fenced_block_are_found_without_its_keywords() -> None:
    text = (
        "What is wrong?\n```python\ndef total(rows):\n    return sum(row.price for row in rows)\n```\nThanks"
    )

    assert extract_identifiers(text) == {"total", "rows", "sum", "row.price", "row", "price"}


@pytest.mark.spec("K4")
def test_a_block_that_is_never_closed_reaches_to_the_end() -> None:
    assert extract_identifiers("~~~\nsalt pepper") == {"salt", "pepper"}


@pytest.mark.spec("TR-9")
@pytest.mark.parametrize(
    "text",
    [
        "first class ticket",
        "import duties",
        "the function of the class is const",
        "Ordinary words here. Another sentence ends. Then one more!",
        "and/or, he/she, 24/7",
        "the file(s) you sent, caro(a) amigo(a)",
        "it cost 10.50 on 12.05.2024, or R$ 1.200,00",
        "I watch YouTube on two iPhones and use LinkedIn",
        "COVID-19, vitamin B12, A4 paper at 5pm",
        "e.g. this, i.e. that, at 9 a.m. in the U.S. of course",
        "visit example.com or write to me@example.com",
        "that was _really_ good",
        "wait--what? she said -- no",
        "PDFs and CEOs at McDonald (yesterday)",
        "São Paulo é linda. Óbvio!",
        "/ask what's my name",
        "",
    ],
)
def test_ordinary_words_are_no_identifiers(text: str) -> None:
    assert extract_identifiers(text) == frozenset()
    assert not looks_like_code(text)


@pytest.mark.spec("TR-9")
@pytest.mark.parametrize(
    "query",
    ["calculateTotal", "my_func", "why does `foo` fail", "fix main.py", "```\nx\n```", "what is E0308?"],
)
def test_a_question_that_names_code_looks_like_code(query: str) -> None:
    assert looks_like_code(query)


def test_letters_differ_in_nothing_but_case() -> None:
    assert extract_identifiers("calculateTotal") == extract_identifiers("CalculateTotal")


@given(st.text(st.characters(exclude_categories=())))
def test_every_identifier_occurs_in_the_text(text: str) -> None:
    assert all(name in text.casefold() for name in extract_identifiers(text))


@pytest.mark.parametrize(
    "unit",
    [
        "a",
        "a.",
        "a_",
        "`",
        "``` ",
        "```\n",
        "/a",
        "aA",
        "--a",
        "(",
        "a(",
        "1.",
        "v1",
        "A",
        "a/",
        "~/",
        "-",
        "_",
        "E0",
        "\ud800",
    ],
)
def test_no_text_is_slow(unit: str) -> None:
    text = unit * (100_000 // len(unit))

    assert all(name in text.casefold() for name in extract_identifiers(text))

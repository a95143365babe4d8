from collections.abc import Callable, Iterable

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.text.analyzer import fold_text, index_terms, query_terms, stem

ANY_TEXT = st.text(st.characters(exclude_categories=()))


def analyze(text: str) -> list[tuple[str, ...]]:
    return index_terms(text)


def matches(question: str, text: str) -> bool:
    forms = {form for word in index_terms(text) for form in word}
    return any(form in forms for alternatives in query_terms(question) for form in alternatives)


def make_tokenizer(
    _connection: apsw.Connection, _arguments: list[str]
) -> Callable[[bytes, int, str | None], Iterable[str | tuple[str, ...]]]:
    def tokenize(utf8: bytes, flags: int, _locale: str | None) -> Iterable[str | tuple[str, ...]]:
        text = utf8.decode("utf-8", "replace")
        if flags & apsw.FTS5_TOKENIZE_QUERY:
            return [text]
        return list(index_terms(text))

    return tokenize


def build_index(*texts: str) -> apsw.Connection:
    db = apsw.Connection(":memory:")
    db.register_fts5_tokenizer("analyzer", make_tokenizer)
    db.execute("CREATE TABLE messages (id INTEGER PRIMARY KEY, content TEXT)")
    db.execute(
        "CREATE VIRTUAL TABLE found USING fts5(content, content=messages, content_rowid=id, tokenize=analyzer)"
    )
    db.executemany("INSERT INTO messages (content) VALUES (?)", [(text,) for text in texts])
    db.execute("INSERT INTO found (found) VALUES ('rebuild')")
    return db


def search(db: apsw.Connection, question: str) -> list[str]:
    expression = " OR ".join(f'"{form}"' for forms in query_terms(question) for form in forms)
    if not expression:
        return []
    return [
        row[0]
        for row in db.execute("SELECT content FROM found WHERE found MATCH ? ORDER BY rank", (expression,))
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("calculateTotal", [("calcul", "calculatetotal"), ("total",)]),
        ("my_func_name", [("my", "my_func_name"), ("func",), ("name",)]),
        ("foo.bar.baz", [("foo", "foo.bar.baz"), ("bar",), ("baz",)]),
        ("src/app/main.py", [("src", "src/app/main.py", "main.py"), ("app",), ("main",), ("py",)]),
        ("--dry-run", [("dri", "--dry-run"), ("run",)]),
        ("ERR_CONN_42", [("err", "err_conn_42"), ("conn",), ("42",)]),
        ("v1.2.3", [("v1", "v1.2.3"), ("2",), ("3",)]),
        ("C++", [("c++",)]),
        ("C#", [("c#",)]),
        ("node.js", [("node", "node.js"), ("js",)]),
        ("PDFs", [("pdf",)]),
        ("state-of-the-art", [("state",), ("of",), ("the",), ("art",)]),
    ],
)
def test_a_name_is_kept_whole_and_taken_apart(text: str, expected: list[tuple[str, ...]]) -> None:
    assert analyze(text) == expected


@given(
    st.lists(
        st.sampled_from("calculateTotal() --dry-run C++, a.b/c.py #tag don’t reuniões 東京都 --- Is".split())
    ),
    st.sampled_from("\t\n\r\x0b\x0c\x1c\x85\u00a0\u2003\u2028\u3000"),
)
def test_any_space_parts_words(written: list[str], space: str) -> None:
    assert index_terms(space.join(written)) == index_terms(" ".join(written))


def test_consecutive_capitals_are_split() -> None:
    assert [word[-1] for word in index_terms("the HTTPServer2 is slow")] == [
        "the",
        "httpserver2",
        "server",
        "2",
        "is",
        "slow",
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The dogs were running.", ["the", "dog", "were", "run"]),
        ("Ana's dogs don't bark", ["ana", "dog", "dont", "bark"]),
        ("Ana’s dogs don’t bark", ["ana", "dog", "dont", "bark"]),
        ("as reuniões e as receitas", ["as", "reunia", "e", "as", "receit"]),
        ("ＦＵＬＬ width letters", ["full", "width", "letter"]),
        ("сегодня хорошие книги", ["сегодн", "хорош", "книг"]),
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
    ],
)
def test_words_are_folded_and_stemmed_in_their_language(text: str, expected: list[str]) -> None:
    assert [word[0] for word in index_terms(text)] == expected


@pytest.mark.spec("TR-18")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("我喜欢苹果", ["我喜", "喜欢", "欢苹", "苹果"]),
        ("猫", ["猫"]),
        ("日本語 です", ["日本", "本語", "です"]),
        ("한국어 단어", ["한국", "국어", "단어"]),
        ("ﾊﾟﾝ", ["パン"]),
        ("GPTは便利", ["gpt", "は便", "便利"]),
    ],
)
def test_scripts_without_spaces_are_kept_in_pairs(text: str, expected: list[str]) -> None:
    assert [word[0] for word in index_terms(text)] == expected


def test_a_word_is_kept_under_its_stem_in_the_language_of_the_text() -> None:
    assert analyze("the houses are old") == [("the",), ("hous",), ("are",), ("old",)]
    assert ("haus",) in analyze("die Häuser sind schön und alt")


@pytest.mark.spec("TR-18")
@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("reunião", "as reuniões foram adiadas para o mês que vem"),
        ("reuniao", "a REUNIÃO foi adiada"),
        ("reunioes", "a reunião foi adiada"),
        ("pães", "comprei pão na padaria"),
        ("irmãos", "o meu irmão mora em Lisboa"),
        ("receita vegetariana", "gosto de receitas vegetarianas"),
        ("quando eu viajei", "vamos viajar em julho"),
        ("alergias", "ela tem alergia a amendoim"),
        ("running shoes", "I run every morning"),
        ("allergy", "she has many allergies"),
        ("Häuser", "ich habe ein Haus gekauft und es ist alt"),
        ("haus", "die Häuser sind schön und alt"),
        ("книга", "я купил новые книги"),
        ("café", "I like cafe au lait"),
        ("calculate the total", "function calculateTotal(items)"),
        ("calculateTotal()", "function calculateTotal(items)"),
        ("main.py", "open src/app/main.py"),
        ("func", "my_func_name"),
        ("苹果", "我喜欢吃苹果"),
        ("C++", "I write C++ and C#"),
    ],
)
def test_a_question_finds_another_form_of_the_word(question: str, text: str) -> None:
    assert matches(question, text)


@pytest.mark.parametrize(
    ("question", "text"), [("C++", "C is older"), ("C#", "I write C++"), ("cat", "category"), ("が", "か")]
)
def test_a_question_does_not_find_another_word(question: str, text: str) -> None:
    assert not matches(question, text)


def test_a_question_is_asked_in_english_and_portuguese() -> None:
    assert query_terms("receitas") == (("receitas", "receita", "receit"),)


def test_small_words_are_not_asked_for() -> None:
    assert [
        alternatives[0] for alternatives in query_terms("what is the name of my dog, o nome do meu cão?")
    ] == [
        "name",
        "dog",
        "nome",
        "cao",
    ]


def test_small_words_are_asked_for_when_there_are_no_others() -> None:
    assert query_terms("to be") == (("to",), ("be",))


def test_a_word_is_asked_for_once_and_a_long_question_is_cut() -> None:
    assert len(query_terms("dog dog Dog DOG")) == 1
    assert len(query_terms(" ".join(f"word{n}" for n in range(100)))) == 32
    assert len(query_terms("one two three four", limit=2)) == 2


def test_nothing_asked_is_nothing_to_match() -> None:
    assert query_terms(" ?! ") == ()


@pytest.mark.spec("TR-1")
@pytest.mark.parametrize(
    "question",
    [
        "what's my name?",
        "state-of-the-art",
        "foo.bar",
        "C++",
        "a AND",
        "calculateTotal()",
        'NEAR("x")',
        "content:x*",
        "^-",
    ],
)
def test_no_question_is_read_as_syntax(question: str) -> None:
    db = build_index("My name is Ana; state of the art; foo.bar; C++; and calculateTotal(x)", "nothing")

    assert all("Ana" in text for text in search(db, question))


@pytest.mark.spec("TR-1")
@settings(max_examples=300)
@given(ANY_TEXT)
def test_any_question_can_be_asked(question: str) -> None:
    search(build_index("some text"), question)


@pytest.mark.spec("E9", "TR-18")
def test_the_index_finds_through_fts5() -> None:
    db = build_index("As reuniões são às terças", "the function calculateTotal adds", "我喜欢吃苹果")

    assert search(db, "reunião") == ["As reuniões são às terças"]
    assert search(db, "total calculated") == ["the function calculateTotal adds"]
    assert search(db, "苹果") == ["我喜欢吃苹果"]


@given(ANY_TEXT)
def test_every_form_can_be_seen(text: str) -> None:
    assert all(form and form == form.strip() for word in index_terms(text) for form in word)


@given(ANY_TEXT)
def test_a_text_finds_itself(text: str) -> None:
    assert not query_terms(text) or matches(text, text)


@pytest.mark.parametrize(
    "unit",
    [
        "a",
        "a.",
        "a_",
        "--a",
        "'",
        "a'",
        "aA",
        "A",
        "中",
        "ﾊﾟ",
        "́",
        "é",
        "+",
        "C++",
        "_",
        "-",
        "ก็",
        "1.",
        "\x00",
        "\ud800",
    ],
)
def test_no_text_is_slow(unit: str) -> None:
    text = unit * (100_000 // len(unit))

    assert len(index_terms(text)) <= len(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ação", "acao"),
        ("Straße", "strasse"),
        ("ﬁne", "fine"),
        ("Øl", "ol"),
        ("йод", "йод"),
        ("Ёлка", "елка"),
        ("ガ", "ガ"),
    ],
)
def test_folding_takes_accents_but_no_letters(text: str, expected: str) -> None:
    assert fold_text(text) == expected


@pytest.mark.parametrize(
    ("language", "word", "same"),
    [
        ("pt", "nacoes", "nacao"),
        ("pt", "caes", "cao"),
        ("pt", "maos", "mao"),
        ("pt", "frequencias", "frequencia"),
        ("pt", "possiveis", "possivel"),
        ("en", "allergies", "allergy"),
        ("xx", "dogs", "dog"),
    ],
)
def test_forms_of_a_word_have_one_stem(language: str, word: str, same: str) -> None:
    assert stem(word, language) == stem(same, language)

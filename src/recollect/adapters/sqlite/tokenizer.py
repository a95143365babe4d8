"""Our analyzer as an FTS5 tokenizer: each user's words are a vocabulary of their own."""

from collections.abc import Callable, Iterable
from typing import TypeAlias

import apsw

from recollect.text.analyzer import forms

Word: TypeAlias = str | tuple[str, ...]
Tokenize: TypeAlias = Callable[[bytes, int, str | None], Iterable[Word]]

SEPARATOR = "\x1f"


def word(user_no: int, form: str) -> str:
    """A word as it stands in the index."""
    return f"{user_no}{SEPARATOR}{form}"


def marker(user_no: int, chat_no: int) -> str:
    """The word that every passage of a chat begins with."""
    return word(user_no, f"{SEPARATOR}{chat_no}")


def tokenizer(_connection: apsw.Connection, _arguments: list[str]) -> Tokenize:
    def tokenize(utf8: bytes, flags: int, _locale: str | None) -> Iterable[Word]:
        text = utf8.decode("utf-8", "replace")
        if flags & apsw.FTS5_TOKENIZE_QUERY:
            return [text]
        user_no, chat_no, content = text.split(SEPARATOR, 2)
        prefix = user_no + SEPARATOR
        found: list[Word] = [marker(int(user_no), int(chat_no))]
        found += [
            prefix + word_forms[0] if len(word_forms) == 1 else tuple([prefix + form for form in word_forms])
            for word_forms in forms(content)
        ]
        return found

    return tokenize

"""
FTS5 tokenizer that uses `recollect.text.analyzer`, and the length of what it indexed.

Each term is prefixed with its user's number, so that users have separate vocabularies and posting lists.
"""

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import TypeAlias

import apsw

from recollect.text.analyzer import FORM_SEPARATOR, TERM_SEPARATOR, join_index_terms

Token: TypeAlias = str | tuple[str, ...]
Tokenize: TypeAlias = Callable[[bytes, int, str | None], Iterable[Token]]

FIELD_SEPARATOR = "\x1f"


def register_fulltext(connection: apsw.Connection) -> None:
    """Give a connection what the full-text index and its triggers need."""
    connection.register_fts5_tokenizer("recollect", make_tokenizer)
    connection.create_scalar_function("token_count", token_count, 1, deterministic=True)


@lru_cache(maxsize=10_000)
def token_count(sizes: bytes) -> int:
    """Return the length of a passage from FTS5's record of its columns: SQLite's variable-length integers."""
    total = value = 0
    for byte in sizes:
        # Seven bits a byte; the high bit is set on all but the last.
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            total, value = total + value, 0
    return total


def index_term(user_no: int, form: str) -> str:
    """Return a term in the form it is indexed."""
    return f"{user_no}{FIELD_SEPARATOR}{form}"


def chat_marker(user_no: int, chat_no: int) -> str:
    """Return the marker term that every passage of a chat contains."""
    return index_term(user_no, f"{FIELD_SEPARATOR}{chat_no}")


def make_tokenizer(_connection: apsw.Connection, _arguments: list[str]) -> Tokenize:
    def tokenize(utf8: bytes, flags: int, _locale: str | None) -> Iterable[Token]:
        text = utf8.decode("utf-8", "replace")
        if flags & apsw.FTS5_TOKENIZE_QUERY:
            return [text]
        user_no, chat_no, content = text.split(FIELD_SEPARATOR, 2)
        terms, prefix = join_index_terms(content), user_no + FIELD_SEPARATOR
        tokens = terms.replace(TERM_SEPARATOR, TERM_SEPARATOR + prefix).split(TERM_SEPARATOR)
        # The first separator precedes the first term.
        tokens[0] = chat_marker(int(user_no), int(chat_no))
        if FORM_SEPARATOR not in terms:
            return tokens
        prefixed_separator = FORM_SEPARATOR + prefix
        return [
            tuple(token.replace(FORM_SEPARATOR, prefixed_separator).split(FORM_SEPARATOR))
            if FORM_SEPARATOR in token
            else token
            for token in tokens
        ]

    return tokenize

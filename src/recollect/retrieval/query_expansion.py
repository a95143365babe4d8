"""Rewrite the query before it is embedded."""

from recollect.text.analyzer import fold_text

PERSONAL_PHRASES = (
    " i ", " my ", " me ", " am i ", " do i ", " what s my ", " what is my ",
    " eu ", " meu ", " minha ", " meus ", " minhas ", " mim ",
)  # fmt: skip
PERSONAL_QUERY_SUFFIX = " height weight physical attributes user facts"


def strip_command(query: str) -> str:
    """Return the query without a leading slash command: "/ask what's my name" becomes "what's my name"."""
    text = query.strip()
    if text.startswith("/"):
        command, _, rest = text.partition(" ")
        if rest.strip() and command[1:].replace("-", "").isalnum():
            return rest.strip()
    return text


def is_personal(query: str) -> bool:
    words = "".join(c if c.isalnum() else " " for c in fold_text(query))
    spaced = f" {' '.join(words.split())} "
    return any(phrase in spaced for phrase in PERSONAL_PHRASES)


def expand_query(query: str, *, max_chars: int) -> str:
    """Append words typical of personal facts to short queries in the first person."""
    if query and len(query) <= max_chars and is_personal(query):
        return query + PERSONAL_QUERY_SUFFIX
    return query

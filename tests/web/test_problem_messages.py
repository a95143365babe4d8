"""The web app translates the server's errors."""

import json
import re
from pathlib import Path

from recollect import errors

MESSAGES_FILE = Path(__file__).parents[2] / "web" / "src" / "i18n" / "problem-messages.ts"


def _translated_sentences() -> set[str]:
    """First column of the translation table."""
    rows = re.findall(r'^  \[\s*("(?:[^"\\]|\\.)*"),', MESSAGES_FILE.read_text("utf-8"), re.MULTILINE)
    return {json.loads(row) for row in rows}


def test_every_error_is_translated() -> None:
    error_types = [
        each
        for each in vars(errors).values()
        if isinstance(each, type) and issubclass(each, errors.RecollectError)
    ]
    # A sentence may continue on the next line of its docstring.
    docs = [" ".join((each.__doc__ or "").split()) for each in error_types]
    sentences = {sentence for doc in docs for sentence in re.findall(r"\S.*?\.(?=\s|$)", doc)}

    assert sentences
    assert sentences <= _translated_sentences(), "Add these to web/src/i18n/problem-messages.ts."

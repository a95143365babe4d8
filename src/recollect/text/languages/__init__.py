"""
Languages that are analyzed. To add one, write its folder, modelled on `es/`, and add it to `LANGUAGES`.

`tests/text/test_languages.py` says what its words must do.
"""

from collections.abc import Mapping
from typing import Final

from recollect.text.languages.en import ENGLISH
from recollect.text.languages.es import SPANISH
from recollect.text.languages.language import Language
from recollect.text.languages.pt import PORTUGUESE

#: By code. In rules for all languages the words of an earlier one come first.
LANGUAGES: Final[Mapping[str, Language]] = {
    language.code: language for language in (ENGLISH, PORTUGUESE, SPANISH)
}


def find_language(code: str) -> Language | None:
    """Return a language by its ISO 639-1 code; None if its words are not known here."""
    return LANGUAGES.get(code)

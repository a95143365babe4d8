"""Find what was put into a message from memory, so that nothing is learned from it a second time."""

import re

#: Stands for each character that was injected: places stay what they are, and no message holds it.
BLANK = "\0"

_OPEN = re.compile(r"<memory nonce=[^<>\n]{0,200}>")
_CLOSE = "</memory>"
_HEADED = re.compile(
    r"^(?:## Relevant memory|## Memória relevante"
    r"|### CONTEXT FROM OTHER RECENT CHATS \(MEMORY\):|### CONTEXTO DE OUTROS CHATS RECENTES \(MEMÓRIA\):"
    r"|\[(?:LONG-TERM )?MEMORY\]|\[MEMÓRIA(?: DE LONGO PRAZO)?\]"
    r"|Relevant Facts \(Global Context\):|Fatos relevantes \(contexto global\):)[ \t]*\r?\n"
    r"(?:[-•] [^\n]*(?:\n|\Z))+",
    re.MULTILINE,
)


def strip_injected(text: str) -> str:
    """The text without the blocks that recall put into it."""
    return blanked(text).replace(BLANK, "")


def blanked(text: str) -> str:
    """The text with a blank for each injected character, and as long as before."""
    return _HEADED.sub(_blank, _without_fences(text))


def _blank(found: re.Match[str]) -> str:
    return BLANK * len(found.group())


def _without_fences(text: str) -> str:
    parts: list[str] = []
    at = 0
    while opening := _OPEN.search(text, at):
        close = text.find(_CLOSE, opening.end())
        # A block that was cut before its end is injected to the last character.
        end = close + len(_CLOSE) if close >= 0 else len(text)
        parts += (text[at : opening.start()], BLANK * (end - opening.start()))
        at = end
    return "".join([*parts, text[at:]])

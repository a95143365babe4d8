"""Find what was put into a message from memory, so that nothing is learned from it a second time."""

import re

#: Stands for each character that was injected: places stay what they are, and no message holds it.
BLANK = "\0"

_OPEN = re.compile(r"<memory nonce=[^<>\n]{0,200}>")
_CLOSE = "</memory>"
#: Headings over a list of memories or messages, in each format and language.
_LISTS = (
    "## Relevant memory", "## Memória relevante", "## Recent messages", "## Mensagens recentes",
    "### CONTEXT FROM OTHER RECENT CHATS (MEMORY):", "### CONTEXTO DE OUTROS CHATS RECENTES (MEMÓRIA):",
    "### RECENT MESSAGES:", "### MENSAGENS RECENTES:", "[MEMORY]", "[MEMÓRIA]", "[LONG-TERM MEMORY]",
    "[MEMÓRIA DE LONGO PRAZO]", "[RECENT HISTORY]", "[HISTÓRICO RECENTE]",
    "Relevant Facts (Global Context):", "Fatos relevantes (contexto global):",
    "Related Conversation History (Semantic Context):", "Histórico de conversas relacionado (contexto semântico):",
    "Current Conversation (Recent History):", "Conversa atual (histórico recente):",
)  # fmt: skip
#: Headings over a few sentences.
_PARAGRAPHS = (
    "## About the user", "## Sobre o usuário", "## Earlier in this conversation", "## Antes nesta conversa",
    "## This conversation so far", "## Esta conversa até agora", "### ABOUT THE USER:", "### SOBRE O USUÁRIO:",
    "### EARLIER IN THIS CHAT (SUMMARIES):", "### ANTES NESTE CHAT (RESUMOS):", "### THIS CHAT SO FAR:",
    "### ESTE CHAT ATÉ AGORA:", "[ABOUT THE USER]", "[SOBRE O USUÁRIO]", "[EARLIER IN THIS CONVERSATION]",
    "[ANTES NESTA CONVERSA]", "[CURRENT CONTEXT]", "[CONTEXTO ATUAL]", "About the User (Profile):",
    "Sobre o usuário (perfil):", "Earlier in This Conversation (Summaries):", "Antes nesta conversa (resumos):",
    "This Conversation So Far (Session Summary):", "Esta conversa até agora (resumo da sessão):",
)  # fmt: skip
_ITEM = r"[-•] [^\n]*+(?:\n|\Z)(?:[ \t]++[^\n]*+(?:\n|\Z))*+"
_LINE = r"[ \t]*+[^\s][^\n]*+(?:\n|\Z)"
_HEADED = re.compile(
    rf"^(?:(?:{'|'.join(map(re.escape, _LISTS))})[ \t]*\r?\n(?:{_ITEM})++"
    rf"|(?:{'|'.join(map(re.escape, _PARAGRAPHS))})[ \t]*\r?\n(?:{_LINE})++)",
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

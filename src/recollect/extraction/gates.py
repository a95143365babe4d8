"""
Message-level gates: recognize messages whose first person is not the user.

A translation exercise, a role play, a draft of fiction, a pasted text and a review are written in the first person
of somebody
else. Role play is gated as a whole. The others are gated as a whole only if the foreign text is not delimited
(quotation
marks, a code block, a mail header); delimited text is blanked, and the user's own sentences around it are read.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from recollect.extraction.rules.tokens import fold
from recollect.text.quotation import QuotedSpan, blank_spans

_MAX_SCANNED_CHARS = 6000
#: A quoted part of this size is the text that the message is about.
_MIN_BLOCK_WORDS = 5


class GateKind(StrEnum):
    TRANSLATION = "translation"
    ROLEPLAY = "roleplay"
    FICTION = "fiction"
    PASTED = "pasted"
    REVIEW = "review"


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageGate:
    kind: GateKind
    is_closed: bool  #: the whole message is gated, not only its quoted parts
    cue: str  #: the words that show it


_CUES: tuple[tuple[GateKind, re.Pattern[str]], ...] = (
    (
        GateKind.ROLEPLAY,
        re.compile(
            r"\b(?:role[- ]?play\w*|(?:stay|reply|answer|speak|talk) in (?:your )?character|in character\b"
            r"|you(?: are|'re|re) (?:now )?(?:the |a |an |my |captain |inspector |dr |king |queen |lord |"
            r"lady )?[^.?!,]{1,40}"
            r"(?: and|,|\.|;) i(?: am|'m|m) (?:the |a |an |your |captain )?\w+"
            r"|(?:i'll|i will|let me) be the \w+(?: \w+)? and you(?:'ll| will)? (?:be|are)|"
            r"pretend (?:that )?(?:you|i|we)\b|act as (?:a|an|my|the|if)\b"
            r"|let'?s (?:play|do|continue|keep going with) (?:that |the |a |our )?[^.?!]{0,25}\b(?:game|"
            r"scene|campaign|role)"
            r"|em personagem|no personagem|na personagem|voce e o meu? \w+ e eu sou|"
            r"tu e[s]? [^.?!]{1,40} e eu sou|eu sou [^.?!]{1,60}[,;.] (?:e )?(?:tu e|voce é|voce e|tu és|"
            r"tu é|vc é)"
            r"|vamos (?:brincar|jogar|continuar)\b[^.?!]{0,40}(?::|rpg|cena|personagem|historia)|"
            r"jogo de papeis|(?:finge|finja|faz de conta|faça de conta|faca de conta) que"
            r"|campanha de rpg|mestre de rpg|interprete o papel|interpreta o papel|faz o papel|faça o papel|"
            r"faca o papel)"
        ),
    ),
    (
        GateKind.TRANSLATION,
        re.compile(
            r"\b(?:translat\w+|into (?:english|german|french|spanish|italian|portuguese|dutch|japanese)\b"
            r"|(?:exercise|exercises) (?:book|from|for my)|traduz\w*|traducao|tradução|passa(?:r|"
            r"e)? (?:isso )?(?:para|pro) (?:o )?(?:ingles|espanhol|frances|portugues|alemao)"
            r"|exercicio (?:da|do|de)|verte para|verter para)\b"
        ),
    ),
    (
        GateKind.FICTION,
        re.compile(
            r"\b(?:(?:my|of a|of the|of my|for my|this) (?:novel|short story|story|poem|screenplay|monologue|novella)"
            r"|short (?:story|monologue)|fanfic\w*|lyrics|narrator|protagonist|first[- ]person (?:story|scene)"
            r"|(?:words|verse|chorus|text) (?:for|of) (?:a|the|my) song"
            r"|(?:wrote|writing|written|working on) (?:a|some|this|words for a) (?:song|poem|story|scene|monologue)"
            r"|my (?:main )?character|chapter (?:one|two|three|\d+)|opening (?:line|paragraph|page)s? of"
            r"|(?:meu|do meu|no meu|pro meu|para o meu|deste|de um|um) (?:conto|romance|roteiro|monologo|soneto)"
            r"|(?:meu|escrevi um|fiz um) poema|letra (?:de|da|pra|para) (?:uma )?(?:musica|cancao|samba|fado)"
            r"|(?:a|o) (?:protagonista|narrador|narradora)|(?:meu|minha) personagem"
            r"|primeiro capitulo|capitulo (?:um|dois|\d+))\b"
        ),
    ),
    (
        GateKind.REVIEW,
        re.compile(
            r"\b(?:(?:a|this|the|some|somebody's|someone's|customer|product|online) reviews?\b|resenhas?|"
            r"avaliacao (?:de|do|da|que|que)|comentario (?:de|do) (?:um |uma )?(?:cliente|leitor)|"
            r"critica (?:de|do|da) (?:um|uma|site))"
        ),
    ),
    (
        GateKind.PASTED,
        re.compile(
            r"\b(?:readme|someone forwarded|forwarded me|template site|from (?:the|a|this|some) (?:article|"
            r"blog|textbook|website|site|forum|newsletter|repo)|copied (?:it |this )?from|i found (?:this|"
            r"it)|pasted|pasting"
            r"|this (?:article|abstract|bio|post|letter|email|mail|essay) (?:from|by|of)|(?:job|cover|"
            r"sample) (?:ad|letter)|copiei (?:do|da|de|isso)|colei|encontrei (?:este|esse|num|na)|"
            r"este (?:texto|artigo|email)|esse (?:texto|artigo|email)|do site|apostila|do livro)\b"
        ),
    ),
)


def find_gate(text: str, quotes: Sequence[QuotedSpan]) -> MessageGate | None:
    """Return why the first person of a message is not the user, or None."""
    own_text = fold(blank_spans(text, quotes)[:_MAX_SCANNED_CHARS])
    has_block = any(len(text[span.start : span.end].split()) >= _MIN_BLOCK_WORDS for span in quotes)
    for kind, pattern in _CUES:
        if match := pattern.search(own_text):
            is_closed = kind is GateKind.ROLEPLAY or (
                not has_block and _has_foreign_text(own_text, match, kind)
            )
            return MessageGate(kind=kind, is_closed=is_closed, cue=match.group())
    return None


def _has_foreign_text(own_text: str, match: re.Match[str], kind: GateKind) -> bool:
    """Return whether text follows that may be the foreign one: after a colon, or in a paragraph of its own."""
    rest = own_text[match.end() :]
    if kind in {GateKind.REVIEW, GateKind.PASTED}:
        return bool(re.match(r"[^.?!\n]{0,40}:", rest)) or "\n\n" in rest
    return ":" in rest or "\n" in rest.strip() or own_text.count("\n\n") > 0

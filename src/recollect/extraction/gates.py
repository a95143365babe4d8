"""
Message-level gates: recognize messages whose first person is not the user.

A translation exercise, a role play, a draft of fiction, a pasted text and a review are written in the first person of
somebody else. A cue has two parts, such as a verb of text work ("translate", "corrige") and what it works on. Role
play closes the whole message. The other gates close it only if the foreign text is not delimited; text in quotation
marks, a code block or a mail is blanked, and the user's own sentences around it are read.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from recollect.domain.reason import Reason, ReasonCode
from recollect.extraction.rules.tokens import fold
from recollect.text.quotation import QuotedSpan, blank_spans

_MAX_SCANNED_CHARS = 6000
#: A quoted part of this size is the text that the message is about.
_MIN_BLOCK_WORDS = 5
#: The text after a colon is a foreign text from so many words on.
_MIN_ANNOUNCED_WORDS = 5


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

    @property
    def reason(self) -> Reason:
        return Reason(ReasonCode.NOT_ABOUT_USER, {"gate": self.kind.value, "cue": self.cue})


def _cue(*alternatives: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(alternatives)})")


_YOU_ARE = r"(?:you(?: are|'re|re| be| play)|u r|ur|(?:voce|vc|ce|tu) (?:e|es|vai ser|sera|faz)|tu serias)"
_I_AM = r"(?:i(?: am|'m|m|'ll be| will be| play)|eu (?:sou|serei|vou ser|faco)|sou (?:o|a|um|uma))"
_NOW = r"(?: now| agora)?"
_PART = r"(?:[^.?!]|\b(?:dr|dra|sr|sra|mr|mrs|st)\.){1,80}?"
_ARTICLE = r"(?:the|a|an|my|our|captain|inspector|doctor|dr|king|queen|lord|lady|o|um|uma|meu|minha|os|as) "
#: Compliments and thanks, which give nobody a part.
_NO_COMPLIMENT = (
    r"(?!(?:(?:real|absolute|total|right|bit of a|maior) )?(?:star|legend|genius|gem|angel|lifesaver|"
    r"life ?saver|"
    r"hero|machine|bot|robot|computer|ai|best|one|man|anjo|amor|maximo|melhor|genio|fofo|fofa|cara|"
    r"unico|unica))"
)
_CREATIVE_NOUN = (
    r"(?:novel|novella|short story|short stories|story|poem|sonnet|limerick|screenplay|monologue|"
    r"fanfic\w*|song|"
    r"lyrics|ballad|rap|rap battle|jingle|sketch|play|diary|diary entry|scene|conto|romance|poema|"
    r"soneto|cordel|roteiro|monologo|novela|"
    r"letra(?: de| da| pra| para)? ?(?:uma |a )?(?:musica|cancao|samba|fado|funk|forro)|cancao|cronica|diario|"
    r"historinha|fabula|fanfic|esquete|peca de teatro|peca pro teatro)"
)
_CREATE = (
    r"(?:write|writing|wrote|written|compose|make up|invent|working on|want|need|escreve|escreva|escrevi|"
    r"escrevendo|escrever|a escrever|faz|faca|faz-me|fiz|fazendo|fazer|cria|crie|inventa|invente|inventei|"
    r"compoe|compus|quero|queria|preciso de)"
)
_TEXT_NOUN = (
    r"(?:text|passage|paragraph|sentence|sentences|letter|email|mail|message|essay|article|post|"
    r"abstract|bio|cv|"
    r"speech|testimonial|statement|readme|transcript|extract|excerpt|blurb|caption|ad|paper|"
    r"texto|textinho|trecho|paragrafo|frase|frases|carta|mensagem|redacao|artigo|resumo|peticao|discurso|"
    r"depoimento|enunciado|legenda|anuncio|comunicado|relato|curriculo|materia|noticia|apostila|e-mail|"
    r"recado|recadinho|bilhete|aviso|capitulo|poster|caption|note|verse|reply|piece|draft)"
)
_TEXT_VERB = (
    r"(?:summari[sz]e|proofread|rewrite|rephrase|paraphrase|shorten|simplify|polish|correct|improve|"
    r"edit|fix|check|"
    r"review|turn|convert|tidy|"
    r"resum[ea]|revis[ae]|reve[rj]?a?|revisse|reescrev[ea]|corrige|corrija|melhor[ea]|encurt[ae]|analis[ae]|"
    r"read|transcribe|moderni[sz]e|analy[sz]e|critique|tighten|look over|corrigir|revisar|resumir|analisar|"
    r"reescrever|"
    r"melhorar|encurtar|comentar|classificar|adaptar|transcrever|leia|le|classifique|comente|adapte|avalie|avaliar|"
    r"simplific[ae]|simplifique|parafraseie|arruma|arrume|ajeita|confere|confira|passa a limpo|"
    r"enxug[ae]|enxugue)"
)
_THIS = (
    r"(?:this|these|the following|the|that|some|este|esta|esse|essa|isso|isto|estas|estes|o seguinte|"
    r"a seguinte|o|a)"
)

_CUES: tuple[tuple[GateKind, re.Pattern[str]], ...] = (
    (
        GateKind.ROLEPLAY,
        _cue(
            r"role[- ]?play\w*",
            r"(?:stay|reply|answer|speak|talk) in (?:your )?character|in character\b|(?:break|drop) character",
            r"(?:answer|reply|respond|talk|speak) (?:to me )?(?:like|as) (?:a|an|the|my) ",
            r"(?:responde|fala|responda|fale) (?:comigo )?como (?:um|uma|se) ",
            rf"{_YOU_ARE}{_NOW} {_ARTICLE}{_NO_COMPLIMENT}{_PART}[ ,;]{_I_AM} ",
            rf"\A(?:ok |so |now |agora )?{_YOU_ARE}{_NOW} {_ARTICLE}{_NO_COMPLIMENT}.{{1,120}}?[ ,;.]{_I_AM} ",
            rf"{_I_AM} (?:the |a |an |o |um |uma )?{_NO_COMPLIMENT}{_PART}[,;.] ?(?:e |"
            rf"and )?{_YOU_ARE} {_ARTICLE}"
            rf"{_NO_COMPLIMENT}",
            r"(?:pretend|let's pretend|lets pretend) (?:that )?(?:you|i|we|to be)\b",
            r"act as (?:a|an|my|the|if)\b",
            r"let'?s (?:play|do|continue|keep going with) (?:that |the |a |"
            r"our )?[^.?!]{0,25}\b(?:game|scene|campaign|role)",
            r"rap battle|mock (?:interview|exam|trial|oral)|(?:simulacao|simulemos|vamos simular|"
            r"simula (?:uma|um|que))\b",
            rf"{_YOU_ARE}{_NOW} {_ARTICLE}{_NO_COMPLIMENT}{_PART}[ ,;](?:e eu|and i|n i) "
            r"(?:respondo|sou|o|a|faco|digo|falo|entro|answer|say|play|come|walk)\b",
            r"(?:d&d|dnd|dungeon master|game master|roll (?:a |for )?d20)\b",
            r"(?:em|no|na|de) personagem",
            r"vamos (?:brincar|jogar|continuar|encenar|fingir)\b[^.?!]{0,40}(?::|rpg|cena|personagem|"
            r"historia|que)",
            r"jogo de papeis|(?:campanha|sessao|mesa) de rpg|mestre (?:de|da) (?:rpg|mesa)",
            r"(?:finge|finja|faz de conta|faca de conta|fingindo|imagina|imagine) (?:que|q) (?:voce|"
            r"vc|ce|tu|es|eu sou|sou)\b",
            r"(?:interprete|interpreta|faz|faca|fazes|faria) (?:o|um) papel|como se (?:voce |vc |"
            r"tu )?fosse[s]? (?:o|um|uma|meu|minha)\b",
        ),
    ),
    (
        GateKind.TRANSLATION,
        _cue(
            r"translat\w+",
            r"into (?:english|german|french|spanish|italian|portuguese|dutch|japanese|welsh|polish)\b",
            r"(?:exercise|exercises) (?:book|from|for my)",
            r"traduz\w*|traducao",
            r"(?:passa|passe|passar|poe|ponha|verte|verter|verta|coloca|coloque) (?:isso |isto |"
            r"esse texto |este texto )?"
            r"(?:para|pro|pra|em) (?:o )?(?:ingles|espanhol|frances|portugues|alemao|italiano)",
            r"exercicio (?:da|do|de)\b",
        ),
    ),
    (
        GateKind.FICTION,
        _cue(
            rf"(?:my|of a|of the|of my|for my|for a|this) {_CREATIVE_NOUN}\b",
            rf"{_CREATE} (?:[\w'-]+ ){{0,4}}{_CREATIVE_NOUN}\b",
            rf"(?:meu|minha|do meu|da minha|no meu|na minha|pro meu|pra minha|para o meu|deste|desta|"
            rf"este|esta|esse|essa|"
            rf"um|uma) {_CREATIVE_NOUN}\b",
            r"\A[^.?!\n]{0,40}\b(?:scenario|cenario)\b|imagine (?:a|an|there's|there is|uma?|dois|duas) ",
            r"case stud(?:y|ies)|estudo de caso|in a recent case|empresa x\b|company x\b",
            r"narrator|protagonist|heroine|first[- ]person (?:story|scene|account)|my (?:main )?character\b",
            r"chapter (?:one|two|three|\d+)|opening (?:line|paragraph|page)s? of",
            r"(?:a|o) (?:protagonista|narrador|narradora)|(?:meu|minha) personagem",
            r"primeiro capitulo|capitulo (?:um|dois|\d+)|(?:curso|oficina|grupo) de escrita|em primeira pessoa",
        ),
    ),
    (
        GateKind.REVIEW,
        _cue(
            r"(?:a|this|the|some|somebody's|someone's|customer|product|online) reviews?\b",
            r"resenhas?|avaliacao (?:de|do|da|que)",
            r"comentario (?:de|do) (?:um |uma )?(?:cliente|leitor)|critica (?:de|do|da) (?:um|uma|site)",
        ),
    ),
    (
        GateKind.PASTED,
        _cue(
            r"readme|someone forwarded|forwarded me|template site|pasted|pasting|i found (?:this|it)|"
            r"copied (?:it |this )?from",
            r"(?:continue|finish|carry on with) (?:this|it|the text|the story)\b|in the same (?:voice|style|tone)\b",
            r"(?:put|turn|change|convert) (?:this|these|it) (?:in)?to\b|into plain english|wants to hear (?:this|it)",
            r"(?:continua|continue|termina|termine) (?:isso|isto|esse|este|daqui|dai|a historia|o texto)\b|"
            r"no mesmo (?:tom|estilo)",
            r"from (?:the|a|this|some) (?:article|blog|textbook|website|site|forum|newsletter|repo|"
            r"paper|worksheet)",
            rf"(?:this|here) is (?:the|an?|my|his|her|their) (?:\w+ )?{_TEXT_NOUN}\b",
            r"this (?:article|abstract|bio|post|letter|essay|passage) (?:from|by|of)|(?:job|cover|"
            r"sample) (?:ad|letter)",
            r"the following (?:passage|text|paragraph|letter|email|extract|article)",
            rf"{_TEXT_VERB}(?: me| for me)?[^.?!:]{{0,25}} {_THIS} (?:\w+ )?{_TEXT_NOUN}\b",
            r"copiei (?:do|da|de|isso)|colei|encontrei (?:este|esse|num|na)|(?:peguei|tirei|"
            r"achei) (?:n?um|do|da|de|num|no|na) "
            r"(?:site|livro|internet|grupo|jornal|blog|forum|apostila)",
            r"(?:este|esse|o seguinte) (?:texto|artigo|email|e-mail|paragrafo|trecho)|do site|"
            r"apostila|do livro|gabarito|"
            r"questao (?:de|da) prova|enunciado",
            rf"{_TEXT_VERB}(?: pra mim| para mim| for me)? (?:this|these|isso|isto)\b",
        ),
    ),
)
_OPINION_REQUEST = _cue(
    r"(?:o que (?:voce |vc |tu )?achas?|what do you think|thoughts|be honest|sê honesto|seja sincero)"
    r"(?: of (?:it|this)| disto| disso)?[?:.]"
)
#: A cue that begins within so many characters refers to the text that follows, even without a colon.
_MAX_OPENING_CHARS = 100
_SENTENCE = re.compile(r"[^.!?\n]+[.!?\n]*\s*")
_PERSONAL = re.compile(
    r"\b(?:i|i'm|i've|my|we|our|eu|sou|tenho|meu|minha|nossa|nosso|moro|trabalho|\w{2,}ei|fui)\b"
)
_SALUTATION = re.compile(
    r"(?:my )?dear(?:est)? (?!me\b|assistant|helper|chat|ai\b|friend\b|all\b)\w+|to whom it may concern|"
    r"prezad[oa]s?\b|"
    r"(?:car[oa]|querid[oa]|exm[oa]|estimad[oa])s? (?:sr|sra|senhor|senhora|dr|dra|[a-z]+),"
)
_SIGN_OFF = _cue(
    r"(?:kind|best|warm) regards|yours (?:sincerely|faithfully|truly)|sincerely|regards,|cumprimentos|"
    r"atenciosamente|"
    r"cordialmente|atentamente|com os melhores"
)


def find_gate(text: str, quotes: Sequence[QuotedSpan]) -> MessageGate | None:
    """Return why the first person of a message is not the user, or None."""
    own_text = fold(blank_spans(text, quotes)[:_MAX_SCANNED_CHARS])
    has_block = any(len(text[span.start : span.end].split()) >= _MIN_BLOCK_WORDS for span in quotes)
    for kind, pattern in _CUES:
        match = pattern.search(own_text)
        if match is None:
            continue
        is_closed = kind is GateKind.ROLEPLAY or (not has_block and _has_foreign_text(own_text, match, kind))
        # Without any foreign text it is only a request: "Can you write a poem for her?"
        if is_closed or has_block:
            return MessageGate(kind=kind, is_closed=is_closed, cue=match.group())
    return None


def is_sign_off(sentence: str) -> bool:
    """Return whether a sentence ends a letter."""
    return _SIGN_OFF.search(fold(sentence)) is not None


def is_salutation(sentence: str) -> bool:
    """Return whether a sentence begins a letter: "Dear Sir or Madam", "Prezados"."""
    return _SALUTATION.match(fold(sentence)) is not None


def _has_foreign_text(own_text: str, match: re.Match[str], kind: GateKind) -> bool:
    """Return whether text follows that may be the foreign one: after a colon, or in a paragraph of its own."""
    rest = own_text[match.end() :]
    if "\n\n" in rest.strip():
        return True
    if kind is GateKind.TRANSLATION:
        # A message that opens with a request for a translation is the text to translate, without a colon too.
        return match.start() < _MIN_BLOCK_WORDS * 10 or _announces_text(rest)
    if match.start() < _MAX_OPENING_CHARS and _next_sentence_is_personal(rest):
        return True
    if kind is GateKind.FICTION:
        return _announces_text(rest) or "\n" in rest.strip() or _follows_opinion_request(rest)
    return _announces_text(rest)


def _next_sentence_is_personal(rest: str) -> bool:
    """Return whether the sentence after the cue is in the first person: "Correct this essay. My father left"."""
    sentences = _SENTENCE.findall(rest)
    return any(
        not sentence.rstrip().endswith("?") and _PERSONAL.search(sentence) is not None
        for sentence in sentences[1:2]
    )


def _follows_opinion_request(rest: str) -> bool:
    """Return whether a draft follows the question what the reader thinks of it."""
    match = _OPINION_REQUEST.search(rest)
    return match is not None and len(rest[match.end() :].split()) >= _MIN_ANNOUNCED_WORDS


def _announces_text(rest: str) -> bool:
    return any(
        len(rest[colon.end() :].split()) >= _MIN_ANNOUNCED_WORDS for colon in re.finditer(r":(?=\s)", rest)
    )

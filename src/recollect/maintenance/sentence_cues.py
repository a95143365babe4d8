"""Patterns that classify a sentence: goal, decision, preference, context or courtesy."""

import re


def _any_of(*patterns: str) -> re.Pattern[str]:
    return re.compile(r"(?<![^\W_])(?:" + "|".join(patterns) + ")", re.IGNORECASE)


#: Introductions of a goal; the goal follows.
GOAL_PATTERNS = {
    "en": _any_of(
        r"(?:i|we)(?:'m| am|'re| are)? (?:just )?(?:trying|hoping|planning|looking) to",
        r"(?:i|we)(?:'d| would) (?:really )?like to",
        r"(?:i|we) (?:really |still |also )?(?:want|need|have|plan|hope|intend) to",
        r"(?:can|could) (?:you|we) (?:please )?(?:help (?:me|us) (?:to )?)?",
        r"(?:please )?help me (?:to )?",
        r"how (?:do|can|should|would) (?:i|we|you)",
        r"let(?:'s| us)",
        r"my goal is to",
    ),
    "pt": _any_of(
        r"(?:eu |nós |a gente )?(?:quero|queria|queremos|gostaria de|preciso|precisamos|precisava|pretendo|pretendemos)"
        r"(?: muito)?(?: de)?(?! que)",
        r"(?:estou|estamos|tô|tava|estava) (?:tentando|querendo|precisando|planejando)(?: de)?",
        r"(?:você |vc )?(?:pode|poderia|consegue)(?: me)?(?: ajudar(?: a| com)?)?",
        r"me ajuda(?: a)?",
        r"como (?:eu |a gente )?(?:faço|fazemos|posso|podemos|faz)(?: pra| para)?",
        r"vamos",
        r"meu objetivo é",
    ),
}
DECISION_PATTERN = _any_of(
    r"(?:i|we)(?:'ve| have)? (?:finally )?(?:decided|chose|chosen|agreed|settled|picked|opted|switched|moved to)",
    r"(?:let's|we'll|i'll|we will|i will|we are going to|i'm going to) (?:use|go with|keep|switch|stick|store|adopt)",
    r"(?:decision|conclusion) ?:", r"the plan is", r"going with", r"instead of", r"we agreed",
    r"decidi\w*", r"escolhemos|escolhi", r"optamos|optei", r"combinamos|combinado", r"fechado ?[:,]",
    r"vamos (?:usar|com|manter|trocar|migrar|adotar|guardar|seguir)", r"vou (?:usar|trocar|migrar|adotar|manter)",
    r"ficou decidido", r"decisão ?:", r"em vez de", r"o plano é",
)  # fmt: skip
PREFERENCE_PATTERN = _any_of(
    r"(?:i|we) (?:really |always |never |usually )?(?:prefer|like|love|hate|dislike|want|avoid|can't|cannot|don't)",
    r"(?:must|should) (?:not |never |always |be |have |use |work |run |support |stay )",
    r"never (?:use|put|add|write|send|call)", r"always (?:use|put|add|write|send|call)", r"only (?:use|in|on|with)",
    r"no more than", r"at most", r"at least", r"deadline", r"budget (?:is|of)", r"allerg", r"required|requirement",
    r"i'm (?:vegetarian|vegan|allergic)", r"my favou?rite",
    r"prefiro|preferimos", r"(?:não )?gosto|gostamos", r"odeio|detesto|adoro|evito", r"nunca|sempre|jamais",
    r"(?:não )?pode(?:mos)? ", r"tem que|deve(?:mos)? |precisa (?:ser|ter|de|funcionar)", r"só (?:uso|pode|com|em)",
    r"no máximo|no mínimo|pelo menos", r"prazo|orçamento", r"alérgic\w|alergia", r"obrigatóri\w|requisito",
    r"sou (?:vegetarian\w|vegan\w)", r"não quero|não posso",
)  # fmt: skip
CONTEXT_PATTERN = _any_of(
    r"my (?:name|project|team|company|job|app|boss|wife|husband|son|daughter|dog|cat)",
    r"(?:i|we) (?:work|live|use|have|am)", r"(?:i'm|we're) (?:working|building|using|writing|migrating|learning)",
    r"the (?:error|bug|problem|issue|cause|fix)",
    r"it (?:fails|crashes|works|broke|turned out)", r"(?:error|exception|version)", r"because", r"turns out",
    r"next (?:step|week|month)", r"tomorrow|today|yesterday|on (?:monday|tuesday|wednesday|thursday|friday)",
    r"meu (?:nome|projeto|time|trabalho|chefe|marido|filho|cachorro|app)", r"minha (?:equipe|empresa|esposa|filha|mãe)",
    r"(?:eu |nós )?(?:trabalho|moro|uso|usamos|tenho|temos)",
    r"(?:estou|estamos|tô) (?:trabalhando|usando|fazendo|criando)",
    r"o (?:erro|bug|problema|motivo)", r"a causa|a versão", r"porque", r"próxim[oa] (?:passo|semana|mês)",
    r"amanhã|hoje|ontem|na (?:segunda|terça|quarta|quinta|sexta)",
)  # fmt: skip
#: End of the clause that states a goal.
CLAUSE_END_PATTERN = re.compile(
    r"[.!?;:\n(),]"
    r"| (?:because|but|so that|since|although|however|and i|and it|porque|mas|pois|só que|e eu|e isso|já que)\b",
    re.IGNORECASE,
)
#: Sentences without content: greetings, thanks, agreement.
COURTESY_PATTERN = re.compile(
    r"\s*(?:hi|hello|hey|thanks?|thank you|ok(?:ay)?|sure|great|perfect|sorry|please|yes|no|oi|olá|obrigad[oa]|"
    r"valeu|beleza|certo|claro|sim|não|bom dia|boa tarde|boa noite|good (?:morning|night|evening)|of course|"
    r"you're welcome|de nada)\b[\s\w]{0,20}[.!,]*\s*\Z",
    re.IGNORECASE,
)

"""Detect prompt injections: orders to ignore or reveal the assistant's instructions."""

from collections.abc import Mapping, Sequence

from recollect.domain.reason import Reason, ReasonCode
from recollect.extraction.rules.patterns import WordPattern
from recollect.extraction.rules.tokens import Word, tokenize

_PATTERN_LINES = """
@drop all|any|every? of? the|your|my|these|those|its? @earlier? and|or? @earlier? @orders
@drop everything|anything|all that|you? was|were|have? said|above|before|previously|been
@show me|us? the|your|its? full|entire|whole|exact|own? @hidden @orders
enable|enter|activate developer|debug|god|dan mode
you are now dan|free|unrestricted|jailbroken|unfiltered
@largue todas|todos|qualquer|quaisquer|tudo? as|os|suas|seus|tuas|teus|minhas? suas|seus? @ordens @antes
@mostre me? o|a|os|as|seu|sua|seus|suas|teu|tuas? seu|suas? @ordens do|de|da|ocultas|secretas|ocultos|iniciais sistema?
ative|ativa|entre|entra no? modo desenvolvedor|deus|dan
"""
_WORD_CLASSES = {
    "drop": frozenset("ignore disregard forget override bypass discard".split()),
    "show": frozenset("reveal show print output repeat leak expose display tell give".split()),
    "largue": frozenset(
        "ignore ignora ignorar desconsidere desconsidera desconsiderar esqueca esquece descarte descarta".split()
    ),
    "mostre": frozenset("revele revela mostre mostra exiba exibe imprima imprime repita repete vaze".split()),
    "earlier": frozenset(
        "previous prior above earlier preceding foregoing existing original initial system safety former other".split()
    ),
    "hidden": frozenset("system hidden secret initial original confidential internal".split()),
    "orders": frozenset(
        "instructions instruction prompt prompts rules guidelines directives restrictions programming orders "
        "safeguards".split()
    ),
    "ordens": frozenset("instrucoes instrucao ordens regras diretrizes prompt prompts restricoes".split()),
    "antes": frozenset("anteriores anterior acima previas previa iniciais dadas sistema originais".split()),
}


def _group_by_first_word() -> Mapping[str, tuple[WordPattern, ...]]:
    groups: dict[str, tuple[WordPattern, ...]] = {}
    for line in _PATTERN_LINES.strip().splitlines():
        pattern = WordPattern.parse(line, _WORD_CLASSES)
        for word in pattern.first_words():
            groups[word] = (*groups.get(word, ()), pattern)
    return groups


_PATTERNS_BY_FIRST_WORD = _group_by_first_word()


def find_injection(words: Sequence[Word]) -> int:
    """Return the position of the first injection, or the number of words if there is none."""
    for position, word in enumerate(words):
        if any(pattern.match_end(words, position) for pattern in _PATTERNS_BY_FIRST_WORD.get(word.fold, ())):
            return position
    return len(words)


def injection_reason(text: str) -> Reason | None:
    """Return why a text is an injection instead of a fact; None if it is not."""
    words = tokenize(text, {}, frozenset())
    return Reason(ReasonCode.PROMPT_INJECTION) if find_injection(words) < len(words) else None

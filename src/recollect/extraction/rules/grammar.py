"""
The grammar of one language, as data: `Grammar` and its `Cues`.

The extractor is the same for all languages; `en/grammar.py` and `pt/grammar.py` each build one `Grammar`.

`Grammar` holds, in this order of use:
- tokenization: contractions ("I'm" is "I am"), clitics ("chamo-me"), abbreviations that do not end a sentence;
- subject detection: pronouns, possessives, kin, project nouns, quantifiers, words for other subjects;
- clause splitting: conjunctions, imperatives, verbs that end a list, fillers to skip before the subject;
- `rule_indexes`: for each `SubjectType` the rules (word patterns) for clauses about it;
- names and values of slots: patterns around names, words that are never names, words that end a value;
- rewriting: functions that put the user's words into the third person or an order into the infinitive.

`Cues` holds phrases that decide how a clause is meant, before any rule is tried: a question, a doubt, a hypothetical,
fiction or a quotation suppress facts; "remember that", "from now on" or "decision:" introduce them.

All words are folded (lower case, without accents), as `tokens.fold` returns them. A set answers "does this word have
the property"; a `PhraseSet` matches phrases of several words; a `WordPattern` has options and word classes.
Example: in "My sister no longer works at Acme", "my" is in `possessives`, "sister" in `kin`, "no longer" in
`cues.no_longer`, and "works at" matches a rule of `rule_indexes[SubjectType.KIN]`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from recollect.extraction.rules.patterns import PhraseSet, WordPattern
from recollect.extraction.rules.rule_index import RuleIndex
from recollect.extraction.rules.tokens import Word
from recollect.text.languages.language import Language


class SubjectType(StrEnum):
    """The subject of a clause. Each type has its own rules."""

    SPEAKER = "speaker"
    KIN = "kin"  #: the user's family, partner or pets
    THING = "thing"  #: the user's project and its parts
    NAMED = "named"  #: a person called by name
    RULE = "rule"  #: a quantified rule: "all dates must …"
    ORDER = "order"  #: an imperative for the assistant
    OTHER = "other"  #: yields no facts


class ThirdPersonRewriter(Protocol):
    def __call__(self, words: Sequence[Word], *, verb: bool = False) -> list[str | None]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Cues:
    """Phrases that decide how the words around them are meant."""

    question: PhraseSet  #: starts a question or a request
    doubt: PhraseSet  #: anywhere in a clause: it states no fact
    hypothetical: PhraseSet  #: no facts from here to the end of the sentence
    fiction: PhraseSet  #: no facts from here to the end of the message
    quotation_label: PhraseSet  #: before a colon: a quotation follows
    letter_opening: PhraseSet  #: at the start of a message: it is a letter draft, not about the user
    joke: PhraseSet  #: anywhere: the message has no facts
    earnest: PhraseSet  #: contains such a phrase, but means the opposite
    remember_request: PhraseSet  #: a statement to remember follows
    politeness_words: frozenset[str]  #: may precede such a request
    decision_heading: PhraseSet  #: before a colon: a decision follows
    note_heading: PhraseSet  #: before a colon: a note follows
    opinion_heading: PhraseSet  #: before a colon: an opinion follows
    standing_instruction: PhraseSet  #: "from now on": a lasting instruction follows
    every_time: PhraseSet  #: "whenever": a recurring emotion follows
    deictic: PhraseSet  #: at the start of an object: it refers to this conversation
    any_more: PhraseSet  #: "any more", after a negation: the statement is no longer true
    no_longer: PhraseSet  #: the same as one phrase

    def is_joke(self, words: Sequence[Word]) -> bool:
        return self.joke.occurs_in(words) and not self.earnest.occurs_in(words)


@dataclass(frozen=True, slots=True, kw_only=True)
class Grammar:
    language: Language  #: its words that other packages share, such as the calendar
    contractions: Mapping[str, str]
    clitics: frozenset[str]
    abbreviations: frozenset[str]
    pronouns: frozenset[str]  #: of the user: "I"
    possessives: frozenset[str]  #: of the user: "my"
    articles: frozenset[str]
    other_subjects: frozenset[str]  #: start a clause about somebody else
    kin: frozenset[str]
    acquaintances: frozenset[str]  #: only their names are facts
    partners: frozenset[str]
    trades: frozenset[str]  #: occupations; other words may name a hobby: "hiker"
    project_nouns: frozenset[str]
    bare_project_nouns: frozenset[str]  #: used without article
    quantifiers: Mapping[
        str, frozenset[str]
    ]  #: "all", "nothing", each with the verbs that make the clause a rule
    project_verbs: frozenset[str]
    kin_name_patterns: tuple[WordPattern, ...]  #: between a relation and a name
    mentioned_name_patterns: tuple[WordPattern, ...]  #: "her name is", for a person mentioned before
    introduction_patterns: tuple[WordPattern, ...]  #: before the user's name: "I am"
    introduction_suffixes: PhraseSet  #: after the user's name: "Marcus here"
    not_names: frozenset[str]
    copulas: frozenset[str]
    favourite_words: frozenset[str]
    goal_nouns: frozenset[str]
    feeling_patterns: tuple[WordPattern, ...]  #: the user and an emotion: "I get anxious"
    feeling_cause_patterns: tuple[WordPattern, ...]  #: after the cause of an emotion: "makes me anxious"
    reply_verbs: frozenset[str]  #: "answer", "write"
    answer_languages: frozenset[str]  #: names of languages to answer in
    words_before_is: frozenset[str]  #: after these an unaccented "e" means "é" (is)
    kin_modifiers: frozenset[str]  #: next to a relation: "older", "mais velho"
    future_words: frozenset[str]
    list_conjunctions: frozenset[str]  #: join list items as well as clauses
    clause_conjunctions: frozenset[str]  #: always start a new clause
    degree_verbs: frozenset[str]  #: after these "so" means "very"
    imperatives: frozenset[str]  #: verbs of orders to an assistant
    #: Start a clause that ends before the user's pronoun: "when you write to me I …".
    temporal_conjunctions: frozenset[str]
    list_ending_verbs: frozenset[str]  #: verbs that end a list: "tennis and noticed …"
    value_end_words: frozenset[str]  #: words after which the value of a slot ends
    fillers: PhraseSet  #: skipped before the subject
    subjectless_verbs: frozenset[str] | None  #: verbs that may be used without "I"; None for any verb
    trailing_fillers: frozenset[str]  #: removed at the end of a fact
    second_person: frozenset[str]
    adverbs: frozenset[str]  #: between subject and verb; ignored by rules and removed from facts
    emphasis_adverbs: frozenset[str]  #: between subject and verb; ignored by rules but kept in facts
    negations: frozenset[str]
    cues: Cues
    rule_indexes: Mapping[SubjectType, RuleIndex]
    to_third_person: ThirdPersonRewriter  #: rewrites the user's words; None removes a word
    normalize_speaker: Callable[[Sequence[Word]], list[Word]]  #: replaces other forms of "I"
    to_infinitive: Callable[[Sequence[Word]], list[str | None]]  #: rewrites an order
    #: Phrases of dislike, phrases of a reason, and the aversion that both together express.
    aversion_rules: tuple[tuple[PhraseSet, PhraseSet, str], ...]

    def can_omit_subject(self, word: Word) -> bool:
        return self.subjectless_verbs is None or word.fold in self.subjectless_verbs

    def can_open_clause(self, words: Sequence[Word], subject: SubjectType) -> bool:
        """Return whether the words match the start of a rule for this subject, without the subject itself."""
        return any(
            rule.pattern.match_end(words) for rule in self.rule_indexes[subject].starting_with(words[0])
        )

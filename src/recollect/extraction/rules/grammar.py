"""What the rules need to know of a language."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from recollect.extraction.rules.patterns import PhraseSet, WordPattern
from recollect.extraction.rules.rule_index import RuleIndex
from recollect.extraction.rules.tokens import Word


class SubjectType(StrEnum):
    """Who a clause speaks about."""

    SPEAKER = "speaker"
    KIN = "kin"  #: the speaker's family, partner or pets
    THING = "thing"  #: the speaker's project and its parts
    NAMED = "named"  #: somebody called by name
    RULE = "rule"  #: all or none of something: "all dates must …"
    ORDER = "order"  #: nobody: the clause tells the assistant what to do
    OTHER = "other"


class ThirdPersonRewriter(Protocol):
    def __call__(self, words: Sequence[Word], *, verb: bool = False) -> list[str | None]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Cues:
    """Phrases that say how the words around them are meant."""

    question: PhraseSet  #: begin a question or a request
    doubt: PhraseSet  #: anywhere in a clause: it is not said as a fact
    hypothetical: PhraseSet  #: from here to the end of the sentence nothing is a fact
    fiction: PhraseSet  #: from here to the end of the message nothing is a fact
    quotation_label: PhraseSet  #: with a colon behind: what follows are somebody else's words
    letter_opening: PhraseSet  #: at the very beginning: the message is a text, not speech
    joke: PhraseSet  #: anywhere: nothing in the message is meant
    remember_request: PhraseSet  #: what follows is to be remembered
    politeness_words: frozenset[str]  #: may stand before such a request
    decision_heading: PhraseSet  #: with a colon behind: what follows was decided
    note_heading: PhraseSet  #: with a colon behind: what follows is for the file
    opinion_heading: PhraseSet  #: with a colon behind: what follows is an opinion
    standing_instruction: PhraseSet  #: "from now on": the order that follows holds for good
    every_time: PhraseSet  #: "whenever": a feeling that follows comes again and again
    deictic: PhraseSet  #: at the beginning of an object: it is about this conversation
    any_more: PhraseSet  #: "any more": ends what was true
    no_longer: PhraseSet  #: the same in one piece


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    code: str
    contractions: Mapping[str, str]
    clitics: frozenset[str]
    abbreviations: frozenset[str]
    pronouns: frozenset[str]  #: the speaker
    possessives: frozenset[str]  #: the speaker's
    articles: frozenset[str]
    other_subjects: frozenset[str]  #: begin a clause about somebody else
    kin: frozenset[str]
    acquaintances: frozenset[str]  #: only their names are kept
    partners: frozenset[str]
    trades: frozenset[str]  #: what one can be by trade; other words may name a hobby: "hiker"
    project_nouns: frozenset[str]
    bare_project_nouns: frozenset[str]  #: need no article
    quantifiers: Mapping[str, frozenset[str]]  #: "all", "nothing", each with the verbs that make a rule of it
    project_verbs: frozenset[str]
    kin_name_patterns: tuple[WordPattern, ...]  #: between kin and a name
    mentioned_name_patterns: tuple[WordPattern, ...]  #: "her name is", of somebody mentioned before
    introduction_patterns: tuple[WordPattern, ...]  #: before the speaker's name: "I am"
    introduction_suffixes: PhraseSet  #: after it: "Marcus here"
    not_names: frozenset[str]
    copulas: frozenset[str]
    favourite_words: frozenset[str]
    goal_nouns: frozenset[str]
    feeling_patterns: tuple[WordPattern, ...]  #: the speaker and a feeling: "I get anxious"
    feeling_cause_patterns: tuple[WordPattern, ...]  #: what brings one: "makes me anxious"
    reply_verbs: frozenset[str]  #: "answer", "write"
    answer_languages: frozenset[str]  #: languages one can answer in
    words_before_is: frozenset[str]  #: after these an "e" without its accent is "is"
    kin_modifiers: frozenset[str]  #: "older", "mais velho": between or after "my" and kin
    future_words: frozenset[str]
    list_conjunctions: frozenset[str]  #: may stand inside a list as well as between clauses
    clause_conjunctions: frozenset[str]  #: always begin a new clause
    degree_verbs: frozenset[str]  #: after these a "so" means "very"
    imperatives: frozenset[str]  #: what one tells an assistant to do
    temporal_conjunctions: frozenset[
        str
    ]  #: begin a clause that ends where the speaker comes in: "when you write to me I …"
    list_ending_verbs: frozenset[str]  #: verbs that end a list: "tennis and noticed …"
    value_end_words: frozenset[str]  #: end the value of a slot
    fillers: PhraseSet  #: before the subject
    subjectless_verbs: frozenset[str] | None  #: verbs that may stand without "I"; None for any
    trailing_fillers: frozenset[str]  #: say nothing at the end of a fact
    second_person: frozenset[str]
    adverbs: frozenset[str]  #: between subject and verb, without bearing on the rule or the fact
    emphasis_adverbs: frozenset[str]  #: the same, but kept in the fact
    negations: frozenset[str]
    cues: Cues
    rule_indexes: Mapping[SubjectType, RuleIndex]
    to_third_person: ThirdPersonRewriter  #: how the speaker's words are retold; None leaves one out
    normalize_speaker: Callable[[Sequence[Word]], list[Word]]  #: other ways of saying "I"
    to_infinitive: Callable[[Sequence[Word]], list[str | None]]  #: how an order is retold
    aversion_rules: tuple[
        tuple[PhraseSet, PhraseSet, str], ...
    ]  #: disliked it, because it was …: what to keep of the story

    def can_omit_subject(self, word: Word) -> bool:
        return self.subjectless_verbs is None or word.fold in self.subjectless_verbs

    def can_open_clause(self, words: Sequence[Word], subject: SubjectType) -> bool:
        """Whether a clause with this subject left unsaid may begin so."""
        return any(
            rule.pattern.match_end(words) for rule in self.rule_indexes[subject].starting_with(words[0])
        )

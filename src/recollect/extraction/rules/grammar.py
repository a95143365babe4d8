"""What the rules need to know of a language."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from recollect.extraction.rules.patterns import Pattern, Phrases
from recollect.extraction.rules.rule_index import Book
from recollect.extraction.rules.tokens import Word


class Subject(StrEnum):
    """Who a clause speaks about."""

    SPEAKER = "speaker"
    KIN = "kin"  #: the speaker's family, partner or pets
    THING = "thing"  #: the speaker's project and its parts
    NAMED = "named"  #: somebody called by name
    RULE = "rule"  #: all or none of something: "all dates must …"
    ORDER = "order"  #: nobody: the clause tells the assistant what to do
    OTHER = "other"


class Third(Protocol):
    def __call__(self, words: Sequence[Word], *, verb: bool = False) -> list[str | None]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Signs:
    """Phrases that say how the words around them are meant."""

    asking: Phrases  #: begin a question or a request
    doubt: Phrases  #: anywhere in a clause: it is not said as a fact
    unreal: Phrases  #: from here to the end of the sentence nothing is a fact
    staged: Phrases  #: from here to the end of the message nothing is a fact
    pasted: Phrases  #: with a colon behind: what follows are somebody else's words
    letter: Phrases  #: at the very beginning: the message is a text, not speech
    joke: Phrases  #: anywhere: nothing in the message is meant
    keep: Phrases  #: what follows is to be remembered
    polite: frozenset[str]  #: may stand before such a request
    decides: Phrases  #: with a colon behind: what follows was decided
    files: Phrases  #: with a colon behind: what follows is for the file
    views: Phrases  #: with a colon behind: what follows is an opinion
    leads: Phrases  #: "from now on": the order that follows holds for good
    every_time: Phrases  #: "whenever": a feeling that follows comes again and again
    pointing: Phrases  #: at the beginning of an object: it is about this conversation
    over: Phrases  #: "any more": ends what was true
    no_longer: Phrases  #: the same in one piece


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    code: str
    contractions: Mapping[str, str]
    clitics: frozenset[str]
    abbreviations: frozenset[str]
    pronouns: frozenset[str]  #: the speaker
    own: frozenset[str]  #: the speaker's
    articles: frozenset[str]
    others: frozenset[str]  #: begin a clause about somebody else
    kin: frozenset[str]
    acquaintances: frozenset[str]  #: only their names are kept
    partners: frozenset[str]
    trades: frozenset[str]  #: what one can be by trade; other words may name a hobby: "hiker"
    things: frozenset[str]
    bare_things: frozenset[str]  #: need no article
    quantities: Mapping[str, frozenset[str]]  #: "all", "nothing", each with the verbs that make a rule of it
    thing_verbs: frozenset[str]
    called: tuple[Pattern, ...]  #: between kin and a name
    theirs: tuple[Pattern, ...]  #: "her name is", of somebody mentioned before
    introduced: tuple[Pattern, ...]  #: before the speaker's name: "I am"
    here: Phrases  #: after it: "Marcus here"
    not_names: frozenset[str]
    copulas: frozenset[str]
    favourites: frozenset[str]
    aims: frozenset[str]
    feels: tuple[Pattern, ...]  #: the speaker and a feeling: "I get anxious"
    brings: tuple[Pattern, ...]  #: what brings one: "makes me anxious"
    replies: frozenset[str]  #: "answer", "write"
    tongues: frozenset[str]  #: languages one can answer in
    before_is: frozenset[str]  #: after these an "e" without its accent is "is"
    nearer: frozenset[str]  #: "older", "mais velho": between or after "my" and kin
    future: frozenset[str]
    soft: frozenset[str]  #: may stand inside a list as well as between clauses
    hard: frozenset[str]  #: always begin a new clause
    degree: frozenset[str]  #: after these a "so" means "very"
    imperatives: frozenset[str]  #: what one tells an assistant to do
    when: frozenset[str]  #: begin a clause that ends where the speaker comes in: "when you write to me I …"
    resumes: frozenset[str]  #: verbs that end a list: "tennis and noticed …"
    stops: frozenset[str]  #: end the value of a slot
    fillers: Phrases  #: before the subject
    unsaid: frozenset[str] | None  #: verbs that may stand without "I"; None for any
    trailing: frozenset[str]  #: say nothing at the end of a fact
    hearer: frozenset[str]
    adverbs: frozenset[str]  #: between subject and verb, without bearing on the rule or the fact
    emphasis: frozenset[str]  #: the same, but kept in the fact
    negations: frozenset[str]
    signs: Signs
    books: Mapping[Subject, Book]
    third: Third  #: how the speaker's words are retold; None leaves one out
    spoken: Callable[[Sequence[Word]], list[Word]]  #: other ways of saying "I"
    infinitive: Callable[[Sequence[Word]], list[str | None]]  #: how an order is retold
    lessons: tuple[
        tuple[Phrases, Phrases, str], ...
    ]  #: disliked it, because it was …: what to keep of the story

    def may_stand_alone(self, word: Word) -> bool:
        return self.unsaid is None or word.fold in self.unsaid

    def opens(self, words: Sequence[Word], subject: Subject) -> bool:
        """Whether a clause with this subject left unsaid may begin so."""
        return any(rule.pattern.end(words) for rule in self.books[subject].for_word(words[0]))

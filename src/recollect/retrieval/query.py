"""Query analysis: everything that recall needs to know about a query, computed once."""

from dataclasses import dataclass
from datetime import datetime

from recollect.domain.memory import Kind
from recollect.domain.policy import RecallPolicy
from recollect.retrieval.query_expansion import expand_query, strip_command
from recollect.retrieval.query_features import QueryFeatures, extract_query_features
from recollect.retrieval.topics import CONDITIONAL_KINDS, Topic, detect_topic


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryAnalysis:
    text: str  #: without a leading command; empty if there is nothing to search for
    embedding_text: str  #: the text with words that help the embedder
    features: QueryFeatures
    kinds: frozenset[Kind] = frozenset()  #: kinds of memory that may fit the topic; empty means all
    topic: Topic | None = None  #: None if memories of all topics are relevant
    may_need_memory: bool = True  #: False for "thanks!" or "17 * 23"; then nothing is searched


def analyze(query: str, *, now: datetime, policy: RecallPolicy, is_trivial: bool = False) -> QueryAnalysis:
    text = strip_command(query)
    topic = detect_topic(query) if policy.topic_filter else None
    embedding_text = expand_query(text, max_chars=policy.expand_max_chars) if policy.expand_query else text
    return QueryAnalysis(
        text=text,
        embedding_text=" ".join((embedding_text, *topic.words)) if topic else embedding_text,
        features=extract_query_features(text, now),
        kinds=topic.kinds | CONDITIONAL_KINDS if topic else frozenset(),
        topic=topic,
        may_need_memory=bool(text) and not is_trivial,
    )

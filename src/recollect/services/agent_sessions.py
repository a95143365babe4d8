"""Sessions of coding agents: their hooks report each prompt and answer, and get the context to inject."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from recollect.domain.candidate import PROFILE_KEY, PassageKey, Source
from recollect.domain.message import MessageDraft, Role
from recollect.domain.policy import OptionValue, Policy
from recollect.domain.recall import ContextBlockRequest, ContextResult
from recollect.domain.scope import Scope
from recollect.errors import NotFound
from recollect.ports.store import Store
from recollect.services.ingest import IngestService
from recollect.services.recall import RecallService

#: Most recent messages of a session that count as visible to the model.
MAX_VISIBLE_MESSAGES = 1_000
#: Maximum tokens of an injection: about as many characters as agents pass on unchanged.
MAX_AGENT_BUDGET_TOKENS = 1_500
#: Deadline of recall if the settings have none: the agent waits for its hook.
DEFAULT_HOOK_DEADLINE_MS = 2_000
#: The agent keeps the conversation, so the block does not repeat it.
AGENT_POLICY_OVERRIDES: dict[str, OptionValue] = {
    "context.format": "xml",
    "context.notice": True,
    "context.recent_messages": 0,
    "context.summary_min_importance": 100,
    "summaries.working_every_exchanges": 0,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentSessionService:
    store: Store
    ingest: IngestService
    recall: RecallService

    def start_context(
        self, scope: Scope, policy: Policy, *, with_profile: bool, fits: Callable[[str], bool]
    ) -> str:
        """
        Note that the session's context is new, so that passages injected before may be injected again.

        Return the user's profile if it is to be injected now rather than with the first prompt.
        """
        for message_id in self.store.injections.passage_keys(scope):
            self.store.injections.put(scope, message_id, "")
        if not with_profile or not policy.recalls:
            return ""
        return self._build_context(scope, "", policy, frozenset(), frozenset(), fits).receipt.text

    def submit_prompt(
        self,
        scope: Scope,
        draft: MessageDraft,
        policy: Policy,
        *,
        has_profile: bool,
        fits: Callable[[str], bool],
    ) -> str:
        """
        Store a prompt and return the text to inject with it: nothing that this session got before.

        `has_profile` says that the session got the profile when it started; `fits` whether the agent can take a text.
        """
        visible_ids = self._visible_ids(scope)
        shown_keys = self._shown_keys(scope, visible_ids) | ({PROFILE_KEY} if has_profile else set())
        context = self._build_context(scope, draft.content, policy, visible_ids, shown_keys, fits)
        [stored] = self.ingest.add_messages(scope, [draft], policy)
        receipt = context.receipt
        if stored.is_stored and receipt.text:
            self.store.injections.put(
                scope, stored.message.id, receipt.text, passage_keys=context.shown_keys, receipt_id=receipt.id
            )
        return receipt.text

    def finish_answer(self, scope: Scope, text: str, policy: Policy, *, client_id: str | None) -> None:
        """Store an answer of the agent."""
        draft = MessageDraft(role=Role.ASSISTANT, content=text, client_id=client_id)
        self.ingest.add_messages(scope, [draft], policy)

    def _build_context(
        self,
        scope: Scope,
        query: str,
        policy: Policy,
        visible_ids: frozenset[str],
        shown_keys: frozenset[PassageKey],
        fits: Callable[[str], bool],
    ) -> ContextResult:
        agent_policy = policy.with_values(AGENT_POLICY_OVERRIDES)
        budget = min(policy.context.budget, MAX_AGENT_BUDGET_TOKENS)
        while True:
            result = self.recall.context(
                ContextBlockRequest(
                    scope=scope,
                    query=query,
                    policy=replace(agent_policy, context=replace(agent_policy.context, budget=budget)),
                    deadline_ms=policy.recall.deadline_ms or DEFAULT_HOOK_DEADLINE_MS,
                    visible_ids=visible_ids,
                    already_shown=shown_keys,
                )
            )
            # Few texts have so many characters or bytes per token that a second attempt is necessary.
            if fits(result.receipt.text) or not budget:
                return result
            budget //= 2

    def _visible_ids(self, scope: Scope) -> frozenset[str]:
        messages = self.store.messages.list(scope, limit=MAX_VISIBLE_MESSAGES, newest_first=True)
        return frozenset(message.id for message in messages)

    def _shown_keys(self, scope: Scope, visible_ids: frozenset[str]) -> frozenset[PassageKey]:
        """
        Return what the session got before in any form: the injected passages, the memories learned from messages that
        were injected or belong to the session, and the messages that injected memories were learned from.
        """
        injected = {key for keys in self.store.injections.passage_keys(scope).values() for key in keys}
        message_ids = visible_ids | {key_id for source, key_id in injected if source is Source.MESSAGE}
        learned = self.store.memories.of_messages(scope.user_scope, list(message_ids))
        return frozenset(
            (
                *injected,
                *((Source.MEMORY, memory.id) for memory in learned),
                *((Source.MESSAGE, each) for each in self._source_message_ids(scope.user_scope, injected)),
            )
        )

    def _source_message_ids(self, scope: Scope, keys: Iterable[PassageKey]) -> Iterator[str]:
        for source, memory_id in keys:
            if source is Source.MEMORY:
                try:
                    memory = self.store.memories.get(scope, memory_id)
                except NotFound:
                    # It was erased since then.
                    continue
                yield from (span.message_id for span in memory.spans)

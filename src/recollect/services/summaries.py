"""What a conversation came to, written down every few answers, or now."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from recollect.domain.message import Message
from recollect.domain.policy import Policy
from recollect.domain.scope import Scope
from recollect.domain.summary import Summary, SummaryKind
from recollect.errors import CapReached
from recollect.maintenance.summarizer import SummariseStep
from recollect.ports.store import ALL
from recollect.services.ingest import EMBED, Listening
from recollect.services.spending import Metered


@dataclass(frozen=True, kw_only=True)
class Summarising(Listening):
    summarise_step: SummariseStep

    def summarised(self, scope: Scope, policy: Policy, *, now: bool = False) -> list[Summary]:
        """
        The summaries that are due in a chat, or with `now` all that there is anything new for.

        This may wait for a model, so nothing is written: that is what `keep_summaries` is for.
        """
        every = {
            SummaryKind.CONVERSATION: policy.summaries.every,
            SummaryKind.WORKING: policy.summaries.working_every,
        }
        due = [
            kind
            for kind, answers in every.items()
            if now or (answers and self.store.summaries.answers_since(scope, kind) >= answers)
        ]
        made = (self._made(scope, kind, policy) for kind in due)
        return [summary for summary in made if summary is not None]

    def keep_summaries(self, scope: Scope, summaries: Sequence[Summary], policy: Policy) -> list[Summary]:
        """Keep those that still tell all they should: what they cover may have been changed meanwhile."""
        with self.store.transaction():
            kept = [summary for summary in summaries if self._still_true(scope, summary)]
            for summary in kept:
                self.store.summaries.add(summary)
            if kept:
                self.store.jobs.enqueue(scope.user, EMBED, now=self.clock.now())
            self.shed(scope, policy)
        return kept

    def _made(self, scope: Scope, kind: SummaryKind, policy: Policy) -> Summary | None:
        messages = self.store.summaries.uncovered(scope, kind)
        if not messages or scope.chat is None:
            return None
        before = self.store.summaries.latest(scope, kind)
        text = self._text(scope, kind, before.text if before else None, messages, policy)
        if not text:
            return None
        return Summary(
            id=self.ids.new(),
            user=scope.user,
            chat=scope.chat,
            kind=kind,
            text=text,
            created_at=self.clock.now(),
            last_message_id=messages[-1].id,
        )

    def _text(
        self, scope: Scope, kind: SummaryKind, before: str | None, messages: Sequence[Message], policy: Policy
    ) -> str:
        step, model = self.summarise_step, self.summarise_step.model
        if model is not None:
            meter = Metered.over(model, self.store.spending, policy, scope, self.clock)
            try:
                return replace(step, model=meter)(kind, before, messages, policy.summaries)
            except CapReached:
                self.store.verdicts.count(
                    scope.user, "summarised without a model: the cap was reached", now=self.clock.now()
                )
        return replace(step, model=None)(kind, before, messages, policy.summaries)

    def _still_true(self, scope: Scope, summary: Summary) -> bool:
        covered = [m.id for m in self.store.summaries.uncovered(scope, summary.kind, limit=ALL)]
        return summary.last_message_id in covered

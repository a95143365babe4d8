"""What stands around memories: profile and consent, files, summaries, the gardener, and erasing for good."""

from collections.abc import Mapping

from recollect.domain.metrics import advised_budget, measured
from recollect.errors import Refused
from recollect.library.base import Door
from recollect.serialization import serializers
from recollect.serialization.serializers import Shape


class Keeping(Door):
    def profile(self, *, user_id: str | None = None) -> Shape:
        """What the user wrote about themselves; empty without their consent."""
        return serializers.profile(self._runtime.store.profiles.get(self._scope(user_id)))

    def set_profile(self, fields: Mapping[str, object], *, user_id: str | None = None) -> Shape:
        """Fill in the profile: codingStyle, preferredLanguages, projectGoals, freeformNotes, or any other field."""
        scope = self._scope(user_id)
        return serializers.profile(self._runtime.engine.tell_profile(scope, fields, self._policy(scope)))

    def consents(self, *, user_id: str | None = None) -> dict[str, bool]:
        """What the user agreed to, by category."""
        return dict(self._runtime.store.consents.all(self._scope(user_id)))

    def consent(self, category: str, *, granted: bool, user_id: str | None = None) -> Shape:
        """Write down the user's answer. Taking consent back erases what it covered; the answer says how much."""
        gone = self._runtime.engine.consent(self._scope(user_id), category, granted=granted)
        return {"category": category, "granted": granted, "erased": dict(gone)}

    def consent_covers(self, category: str, *, user_id: str | None = None) -> dict[str, int]:
        """What would be erased if consent were taken back now."""
        return dict(self._runtime.engine.covered(self._scope(user_id), category))

    def ledger(self, *, user_id: str | None = None, limit: int = 100) -> Shape:
        """What was agreed to and erased, the newest first, and whether nobody changed the book."""
        audit = self._runtime.store.audit
        listed = audit.list(self._scope(user_id), limit=limit)
        return {
            **serializers.results(map(serializers.entry, listed)),
            "intact": audit.intact(self._scope(user_id)),
        }

    def add_context(
        self, name: str, content: str, *, chat_id: str | None = None, user_id: str | None = None
    ) -> Shape:
        """Keep a text at hand; in chats it is attached to it is always shown."""
        scope = self._scope(user_id, chat_id)
        return serializers.context_file(
            self._runtime.engine.keep_file(scope, name, content, self._policy(scope))
        )

    def contexts(self, *, chat_id: str | None = None, user_id: str | None = None) -> Shape:
        """The context files of a user, or those attached to a chat."""
        listed = self._runtime.store.contexts.list(self._scope(user_id, chat_id))
        return serializers.results(map(serializers.context_file, listed))

    def attach_context(self, context_id: str, chat_id: str, *, user_id: str | None = None) -> None:
        """Make a file available in a chat."""
        self._runtime.store.contexts.attach(self._scope(user_id, chat_id), context_id)

    def detach_context(self, context_id: str, chat_id: str, *, user_id: str | None = None) -> None:
        """Take a file away from a chat."""
        self._runtime.store.contexts.detach(self._scope(user_id, chat_id), context_id)

    def delete_context(self, context_id: str, *, user_id: str | None = None) -> None:
        """Delete a file."""
        self._runtime.store.contexts.delete(self._scope(user_id), context_id)

    def summarise(self, chat_id: str, *, user_id: str | None = None) -> Shape:
        """Summarise a chat now, whether or not it is due; empty if nothing was said since the last time."""
        scope = self._scope(user_id, chat_id)
        engine, policy = self._runtime.engine, self._policy(scope)
        made = engine.keep_summaries(scope, engine.summarised(scope, policy, now=True), policy)
        self._wake()
        return serializers.results(map(serializers.summary, made))

    def summaries(self, *, chat_id: str | None = None, user_id: str | None = None, limit: int = 20) -> Shape:
        """Summaries of a chat or of all, the newest first."""
        listed = self._runtime.store.summaries.list(self._scope(user_id, chat_id), limit=limit)
        return serializers.results(map(serializers.summary, listed))

    def metrics(self, *, user_id: str | None = None, limit: int = 1000) -> Shape:
        """How well and how fast the last recalls went, and each of them as a line."""
        scope = self._scope(user_id)
        receipts = self._runtime.store.receipts.list(scope, limit=limit)
        counted = measured(receipts)
        advised = advised_budget(counted, self._policy(scope).assemble.budget)
        summaries = self._runtime.store.upkeep.stats(scope).summaries
        lines = serializers.results(map(serializers.retrieval, receipts))
        return {**serializers.metrics(counted, advised=advised), "summaries": summaries, **lines}

    def garden(self, *, dry_run: bool = False, user_id: str | None = None) -> Shape:
        """Put away what grew too light and make one of what says the same, or only tell what that would be."""
        scope = self._scope(user_id)
        return serializers.tended(self._runtime.engine.tend(scope, self._policy(scope), dry_run=dry_run))

    def forecast(self, *, weeks: int = 8, user_id: str | None = None) -> Shape:
        """What will be put away within so many weeks if nothing is said again."""
        scope = self._scope(user_id)
        return serializers.tended(self._runtime.engine.foresee(scope, self._policy(scope), weeks=weeks))

    def erase(
        self, memory_id: str | None = None, *, chat_id: str | None = None, user_id: str | None = None
    ) -> Shape:
        """
        Take a memory, a chat, or with neither everything about a user out of the file for good.

        The answer is a certificate: what went, and whether the file's bytes were looked at and found clean.
        """
        engine = self._runtime.engine
        if memory_id is not None:
            return serializers.certificate(engine.erase_memory(self._scope(user_id), memory_id))
        if chat_id is not None:
            return serializers.certificate(engine.erase_chat(self._scope(user_id, chat_id)))
        if user_id is None:
            raise Refused("This erases everything about a user. Say whose: erase(user_id=...).")
        return serializers.certificate(engine.erase_user(user_id))

"""Profile, consent, context files, summaries, metrics, maintenance and erasure."""

from collections.abc import Mapping

from recollect.domain.metrics import compute_metrics, recommend_budget
from recollect.errors import Refused
from recollect.library.base import MemoryBase
from recollect.serialization import serializers
from recollect.serialization.serializers import JsonObject


class RecordsMixin(MemoryBase):
    def profile(self, *, user_id: str | None = None) -> JsonObject:
        """Return the user's profile; empty without consent."""
        return serializers.serialize_profile(self._application.services.profile.get(self._scope(user_id)))

    def set_profile(self, fields: Mapping[str, object], *, user_id: str | None = None) -> JsonObject:
        """Set profile fields: codingStyle, preferredLanguages, projectGoals, freeformNotes, or any other field."""
        scope = self._scope(user_id)
        return serializers.serialize_profile(
            self._application.services.profile.set_profile(scope, fields, self._policy(scope))
        )

    def consents(self, *, user_id: str | None = None) -> dict[str, bool]:
        """Return the user's consents by category."""
        return dict(self._application.services.privacy.consents(self._scope(user_id)))

    def consent(self, category: str, *, granted: bool, user_id: str | None = None) -> JsonObject:
        """Record the user's decision. A withdrawal erases what the consent covered; the result says how much."""
        erased_counts = self._application.services.privacy.set_consent(
            self._scope(user_id), category, granted=granted
        )
        return {"category": category, "granted": granted, "erased": dict(erased_counts)}

    def preview_withdrawal(self, category: str, *, user_id: str | None = None) -> dict[str, int]:
        """Return what withdrawing a consent would erase."""
        return dict(self._application.services.privacy.consent_coverage(self._scope(user_id), category))

    def audit_log(self, *, user_id: str | None = None, limit: int = 100) -> JsonObject:
        """Return the audit log, newest first, and whether it is intact."""
        trail = self._application.services.privacy.audit_log(self._scope(user_id), limit=limit)
        return {
            **serializers.wrap_results(map(serializers.serialize_audit_entry, trail.entries)),
            "intact": trail.is_intact,
        }

    def add_context(
        self, name: str, content: str, *, chat_id: str | None = None, user_id: str | None = None
    ) -> JsonObject:
        """Add a context file; it is always included in the chats that it is attached to."""
        scope = self._scope(user_id, chat_id)
        return serializers.serialize_context_file(
            self._application.services.profile.add_context_file(scope, name, content, self._policy(scope))
        )

    def contexts(self, *, chat_id: str | None = None, user_id: str | None = None) -> JsonObject:
        """Return the context files of a user, or those attached to a chat."""
        files = self._application.services.profile.context_files(self._scope(user_id, chat_id))
        return serializers.wrap_results(map(serializers.serialize_context_file, files))

    def attach_context(self, context_id: str, chat_id: str, *, user_id: str | None = None) -> None:
        """Attach a context file to a chat."""
        self._application.services.profile.attach_context_file(self._scope(user_id, chat_id), context_id)

    def detach_context(self, context_id: str, chat_id: str, *, user_id: str | None = None) -> None:
        """Detach a context file from a chat."""
        self._application.services.profile.detach_context_file(self._scope(user_id, chat_id), context_id)

    def delete_context(self, context_id: str, *, user_id: str | None = None) -> None:
        """Delete a context file."""
        self._application.services.profile.delete_context_file(self._scope(user_id), context_id)

    def summarize(self, chat_id: str, *, user_id: str | None = None) -> JsonObject:
        """Summarize a chat now, even if not due; empty if there are no messages since the last summary."""
        scope = self._scope(user_id, chat_id)
        summaries = self._application.services.summaries.summarize(scope, self._policy(scope))
        self._wake_worker()
        return serializers.wrap_results(map(serializers.serialize_summary, summaries))

    def summaries(
        self, *, chat_id: str | None = None, user_id: str | None = None, limit: int = 20
    ) -> JsonObject:
        """Return the summaries of a chat or of all chats, newest first."""
        summaries = self._application.services.summaries.list(self._scope(user_id, chat_id), limit=limit)
        return serializers.wrap_results(map(serializers.serialize_summary, summaries))

    def metrics(self, *, user_id: str | None = None, limit: int = 1000) -> JsonObject:
        """Return metrics of the last recalls, in total and one line each."""
        scope = self._scope(user_id)
        receipts = self._application.services.receipts.list(scope, limit=limit)
        recall_metrics = compute_metrics(receipts)
        recommended_budget = recommend_budget(recall_metrics, self._policy(scope).context.budget)
        summaries = self._application.services.analytics.stats(scope).summaries
        lines = serializers.wrap_results(map(serializers.serialize_recall_metrics, receipts))
        return {
            **serializers.serialize_metrics(recall_metrics, recommended_budget=recommended_budget),
            "summaries": summaries,
            **lines,
        }

    def run_maintenance(self, *, dry_run: bool = False, user_id: str | None = None) -> JsonObject:
        """Archive decayed memories and merge duplicates, or with ``dry_run`` only report them."""
        scope = self._scope(user_id)
        return serializers.serialize_maintenance_report(
            self._application.services.maintenance.run_maintenance(
                scope, self._policy(scope), dry_run=dry_run
            )
        )

    def forecast_decay(self, *, weeks: int = 8, user_id: str | None = None) -> JsonObject:
        """Return the memories that will be archived within some weeks unless they are mentioned again."""
        scope = self._scope(user_id)
        return serializers.serialize_maintenance_report(
            self._application.services.maintenance.forecast_decay(scope, self._policy(scope), weeks=weeks)
        )

    def erase(
        self, memory_id: str | None = None, *, chat_id: str | None = None, user_id: str | None = None
    ) -> JsonObject:
        """
        Erase a memory, a chat, or, with neither, all data of a user from the file.

        Return a certificate: the deleted rows, and whether a scan of the file confirmed that their bytes are gone.
        """
        services = self._application.services
        if memory_id is not None:
            return serializers.serialize_certificate(
                services.privacy.erase_memory(self._scope(user_id), memory_id)
            )
        if chat_id is not None:
            return serializers.serialize_certificate(
                services.privacy.erase_chat(self._scope(user_id, chat_id))
            )
        if user_id is None:
            raise Refused("This erases all data of a user. Name the user: erase(user_id=...).")
        return serializers.serialize_certificate(services.privacy.erase_user(user_id))

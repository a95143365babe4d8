"""Relevance feedback, and tuning of the recall weights with it."""

from collections.abc import Iterable, Mapping

from recollect.domain.scope import validate_name
from recollect.library.base import MemoryBase
from recollect.serialization import parsers, serializers
from recollect.serialization.serializers import JsonObject


class MemoryTuningMixin(MemoryBase):
    def feedback(
        self, receipt_id: str, item_id: str, *, relevant: bool = True, user_id: str | None = None
    ) -> JsonObject:
        """Record whether a passage of a receipt (or of the ``last`` one) was relevant to the query."""
        feedback = self._application.services.tuning.add_feedback(
            self._scope(user_id), receipt_id, item_id, relevant=relevant
        )
        return serializers.serialize_feedback(feedback)

    def feedback_list(self, *, user_id: str | None = None, limit: int = 100) -> JsonObject:
        """Return relevance feedback, newest first."""
        entries = self._application.services.tuning.list_feedback(self._scope(user_id), limit=limit)
        return serializers.wrap_results(map(serializers.serialize_feedback, entries))

    def labels(self, *, user_id: str | None = None) -> list[JsonObject]:
        """Return labelled queries built from feedback, as accepted by `tune`."""
        return [
            serializers.serialize_label(each)
            for each in self._application.services.tuning.labels(self._scope(user_id))
        ]

    def tune(
        self,
        labels: Iterable[Mapping[str, object]] | None = None,
        *,
        dry_run: bool = False,
        force: bool = False,
        name: str = "tuned",
        user_id: str | None = None,
    ) -> JsonObject:
        """
        Fit the recall weights to labelled queries, or without any to the user's feedback.

        They become the user's preferences if they also improve held-out queries, or with ``force``; `undo_tuning`
        restores the previous ones.
        """
        scope, services = self._scope(user_id), self._application.services
        relevance_labels = services.tuning.labels(scope) if labels is None else parsers.parse_labels(labels)
        result = services.tuning.tune(scope, relevance_labels, self._policy(scope))
        is_saved = not dry_run and bool(result.changed_values) and (result.is_improvement or force)
        if is_saved:
            services.tuning.save_tuning(scope, result.changed_values, name=name)
        return serializers.serialize_tuning(result, is_saved=is_saved)

    def undo_tuning(self, *, user_id: str | None = None) -> JsonObject:
        """Restore the values from before the last tuning; None means that a value was not set."""
        return {"values": dict(self._application.services.tuning.undo_tuning(self._scope(user_id)))}

    def save_tuning(
        self, values: Mapping[str, float], *, name: str = "tuned", user_id: str | None = None
    ) -> JsonObject:
        """Make recall weights the user's preferences and store them under a name; `undo_tuning` reverts this."""
        scope = self._scope(user_id)
        # Raises ConfigError if a value is invalid.
        self._application.settings.resolve(preferences={key: f"{value:g}" for key, value in values.items()})
        self._application.services.tuning.save_tuning(
            scope, values, name=validate_name("name of the tuning", name)
        )
        return {"name": name, "values": dict(values)}

    def tunings(self, *, user_id: str | None = None) -> JsonObject:
        """Return the stored tunings by name."""
        tunings = self._application.services.tuning.list_tunings(self._scope(user_id))
        return serializers.wrap_results(
            {"name": name, "values": dict(values)} for name, values in tunings.items()
        )

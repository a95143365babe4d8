"""Recall gets better by what the user says of it."""

from collections.abc import Iterable, Mapping

from recollect.domain.scope import validate_name
from recollect.library.base import MemoryBase
from recollect.serialization import parsers, serializers
from recollect.serialization.serializers import JsonObject


class MemoryTuningMixin(MemoryBase):
    def feedback(
        self, receipt_id: str, item_id: str, *, relevant: bool = True, user_id: str | None = None
    ) -> JsonObject:
        """Say whether a passage of a receipt (or of the ``last`` one) bore on the question."""
        feedback = self._application.engine.add_feedback(
            self._scope(user_id), receipt_id, item_id, relevant=relevant
        )
        return serializers.serialize_feedback(feedback)

    def feedback_list(self, *, user_id: str | None = None, limit: int = 100) -> JsonObject:
        """What was said of recalled passages, the newest first."""
        entries = self._application.store.feedback.list(self._scope(user_id), limit=limit)
        return serializers.wrap_results(map(serializers.serialize_feedback, entries))

    def labels(self, *, user_id: str | None = None) -> list[JsonObject]:
        """Questions with what was said to bear on them, made from feedback; `tune` takes them."""
        return [
            serializers.serialize_label(each)
            for each in self._application.engine.labels(self._scope(user_id))
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
        Choose the numbers of recall by labelled questions, or without any by the user's feedback.

        They become the user's preferences if they also help with questions they were not chosen by, or with
        ``force``; `undo_tuning` brings the former ones back.
        """
        scope, engine = self._scope(user_id), self._application.engine
        relevance_labels = engine.labels(scope) if labels is None else parsers.parse_labels(labels)
        result = engine.tune(scope, relevance_labels, self._policy(scope))
        is_saved = not dry_run and bool(result.changed_values) and (result.is_improvement or force)
        if is_saved:
            engine.save_tuning(scope, result.changed_values, name=name)
        return serializers.serialize_tuning(result, is_saved=is_saved)

    def undo_tuning(self, *, user_id: str | None = None) -> JsonObject:
        """Bring back the values from before the last tuning; None stands for what was not set."""
        return {"values": dict(self._application.engine.undo_tuning(self._scope(user_id)))}

    def save_tuning(
        self, values: Mapping[str, float], *, name: str = "tuned", user_id: str | None = None
    ) -> JsonObject:
        """Make numbers of recall the user's own, and keep them under a name; `undo_tuning` takes that back."""
        scope = self._scope(user_id)
        # Raises if a number makes no sense.
        self._application.settings.resolve(preferences={key: f"{value:g}" for key, value in values.items()})
        self._application.engine.save_tuning(scope, values, name=validate_name("name of the tuning", name))
        return {"name": name, "values": dict(values)}

    def tunings(self, *, user_id: str | None = None) -> JsonObject:
        """The numbers that were kept, by their names."""
        tunings = self._application.engine.list_tunings(self._scope(user_id))
        return serializers.wrap_results(
            {"name": name, "values": dict(values)} for name, values in tunings.items()
        )

"""Recall gets better by what the user says of it."""

from collections.abc import Iterable, Mapping

from recollect.domain.scope import valid_name
from recollect.library.base import Door
from recollect.serialization import parsers, serializers
from recollect.serialization.serializers import Shape


class Tuning(Door):
    def feedback(
        self, receipt_id: str, item_id: str, *, relevant: bool = True, user_id: str | None = None
    ) -> Shape:
        """Say whether a passage of a receipt (or of the ``last`` one) bore on the question."""
        said = self._runtime.engine.say_of(self._scope(user_id), receipt_id, item_id, relevant=relevant)
        return serializers.opinion(said)

    def opinions(self, *, user_id: str | None = None, limit: int = 100) -> Shape:
        """What was said of recalled passages, the newest first."""
        listed = self._runtime.store.feedback.list(self._scope(user_id), limit=limit)
        return serializers.results(map(serializers.opinion, listed))

    def labels(self, *, user_id: str | None = None) -> list[Shape]:
        """Questions with what was said to bear on them, made from feedback; `tune` takes them."""
        return [serializers.label(each) for each in self._runtime.engine.labels(self._scope(user_id))]

    def tune(
        self,
        labels: Iterable[Mapping[str, object]] | None = None,
        *,
        dry_run: bool = False,
        force: bool = False,
        name: str = "tuned",
        user_id: str | None = None,
    ) -> Shape:
        """
        Choose the numbers of recall by labelled questions, or without any by the user's feedback.

        They become the user's preferences if they also help with questions they were not chosen by, or with
        ``force``; `undo_tuning` brings the former ones back.
        """
        scope, engine = self._scope(user_id), self._runtime.engine
        given = engine.labels(scope) if labels is None else parsers.labels(labels)
        found = engine.tune(scope, given, self._policy(scope))
        kept = not dry_run and bool(found.changed) and (found.is_real or force)
        if kept:
            engine.keep_tuning(scope, found.changed, name=name)
        return serializers.tuned(found, kept=kept)

    def undo_tuning(self, *, user_id: str | None = None) -> Shape:
        """Bring back the values from before the last tuning; None stands for what was not set."""
        return {"values": dict(self._runtime.engine.undo_tuning(self._scope(user_id)))}

    def keep_tuning(
        self, values: Mapping[str, float], *, name: str = "tuned", user_id: str | None = None
    ) -> Shape:
        """Make numbers of recall the user's own, and keep them under a name; `undo_tuning` takes that back."""
        scope = self._scope(user_id)
        # Raises if a number makes no sense.
        self._runtime.settings.resolve(preferences={key: f"{value:g}" for key, value in values.items()})
        self._runtime.engine.keep_tuning(scope, values, name=valid_name("name of the tuning", name))
        return {"name": name, "values": dict(values)}

    def tunings(self, *, user_id: str | None = None) -> Shape:
        """The numbers that were kept, by their names."""
        kept = self._runtime.engine.tunings(self._scope(user_id))
        return serializers.results({"name": name, "values": dict(values)} for name, values in kept.items())

"""`memory.settings`: settings with their sources, presets, embedding models, and tuning of the recall weights."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from recollect.domain.embedding_model import EmbeddingStatus
from recollect.domain.feedback import RelevanceLabel
from recollect.domain.policy import PRESETS, OptionValue
from recollect.domain.scope import validate_name
from recollect.domain.setting import Setting, preference_text
from recollect.domain.tuning import TuningResult
from recollect.errors import NotFound
from recollect.library.embedding import read_embedding_status
from recollect.library.session import LibrarySession
from recollect.serialization import parsers
from recollect.settings import find_setting


@dataclass(frozen=True, slots=True)
class SettingsNamespace:
    _session: LibrarySession

    def get(self, name: str, *, user_id: str | None = None) -> Setting:
        """Return a setting: its value for a user, and where the value comes from."""
        spec = find_setting(name)
        if spec is None:
            raise NotFound(f"There is no setting {name!r}. `settings.list` returns all settings.")
        user = self._session.scope(user_id).user
        return self._session.application.resolve(user).settings[spec.name]

    def list(self, *, user_id: str | None = None) -> Sequence[Setting]:
        """Return all settings with their values for a user."""
        user = self._session.scope(user_id).user
        return [*self._session.application.resolve(user).settings.values()]

    def set(self, name: str, value: OptionValue | None, *, user_id: str | None = None) -> Setting:
        """Store a user's preference, which takes precedence over environment and files; None removes it."""
        setting, scope = self.get(name, user_id=user_id), self._session.scope(user_id)
        text = None if value is None else preference_text(value)
        if text is not None:
            # Raises ConfigError if the value is invalid, or if the setting is not a preference.
            self._session.application.settings.resolve(preferences={setting.name: text})
        self._session.services.preferences.set(scope.user, setting.name, text)
        return self.get(name, user_id=user_id)

    def presets(self) -> Mapping[str, Mapping[str, OptionValue]]:
        """Return the presets and the settings that each changes."""
        return PRESETS

    def models(self, *, user_id: str | None = None) -> EmbeddingStatus:
        """Return the embedding models of the user's vectors, and the progress of re-embedding."""
        user = self._session.scope(user_id).user
        return read_embedding_status(self._session.application, user)

    def tune(
        self,
        labels: Iterable[RelevanceLabel | Mapping[str, object]] | None = None,
        *,
        dry_run: bool = False,
        force: bool = False,
        name: str = "tuned",
        user_id: str | None = None,
    ) -> TuningResult:
        """
        Fit the recall weights to labelled queries, or without any to the user's feedback.

        They become the user's preferences if they also improve held-out queries, or with ``force``; `undo_tuning`
        restores the previous ones.
        """
        scope, tuning = self._session.scope(user_id), self._session.services.tuning
        relevance_labels = tuning.labels(scope) if labels is None else parsers.parse_labels(labels)
        result = tuning.tune(scope, relevance_labels, self._session.policy(scope))
        is_saved = not dry_run and bool(result.changed_values) and (result.is_improvement or force)
        if is_saved:
            tuning.save_tuning(scope, result.changed_values, name=name)
        return replace(result, is_saved=is_saved)

    def tunings(self, *, user_id: str | None = None) -> Mapping[str, Mapping[str, float]]:
        """Return the saved weights by name."""
        return self._session.services.tuning.list_tunings(self._session.scope(user_id))

    def save_tuning(
        self, values: Mapping[str, float], *, name: str = "tuned", user_id: str | None = None
    ) -> None:
        """Make recall weights the user's preferences and store them under a name; `undo_tuning` reverts this."""
        scope = self._session.scope(user_id)
        # Raises ConfigError if a value is invalid.
        self._session.application.settings.resolve(
            preferences={key: f"{value:g}" for key, value in values.items()}
        )
        self._session.services.tuning.save_tuning(
            scope, values, name=validate_name("name of the tuning", name)
        )

    def undo_tuning(self, *, user_id: str | None = None) -> Mapping[str, str | None]:
        """Restore the values from before the last tuning; None means that a value was not set."""
        return self._session.services.tuning.undo_tuning(self._session.scope(user_id))

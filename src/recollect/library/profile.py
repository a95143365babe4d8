"""`memory.profile`: the user's profile, and context files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from recollect.domain.summary import ContextFile, Profile
from recollect.library.session import LibrarySession


@dataclass(frozen=True, slots=True)
class ProfileNamespace:
    _session: LibrarySession

    def get(self, *, user_id: str | None = None) -> Profile | None:
        """Return the user's profile; None without one or without consent."""
        return self._session.services.profile.get(self._session.scope(user_id))

    def set(self, fields: Mapping[str, object], *, user_id: str | None = None) -> Profile:
        """Set profile fields: codingStyle, preferredLanguages, projectGoals, freeformNotes, or any other field."""
        scope = self._session.scope(user_id)
        return self._session.services.profile.set_profile(scope, fields, self._session.policy(scope))

    def context_files(
        self, *, chat_id: str | None = None, user_id: str | None = None
    ) -> Sequence[ContextFile]:
        """Return the context files of a user, or those attached to a chat."""
        return self._session.services.profile.context_files(self._session.scope(user_id, chat_id))

    def add_context_file(
        self, name: str, content: str, *, chat_id: str | None = None, user_id: str | None = None
    ) -> ContextFile:
        """Add a context file; it is always included in the chats that it is attached to."""
        scope = self._session.scope(user_id, chat_id)
        policy = self._session.policy(scope)
        return self._session.services.profile.add_context_file(scope, name, content, policy)

    def attach_context_file(
        self, context_id: str, chat_id: str, *, user_id: str | None = None
    ) -> ContextFile:
        """Attach a context file to a chat."""
        scope = self._session.scope(user_id, chat_id)
        return self._session.services.profile.attach_context_file(scope, context_id)

    def detach_context_file(
        self, context_id: str, chat_id: str, *, user_id: str | None = None
    ) -> ContextFile:
        """Detach a context file from a chat."""
        scope = self._session.scope(user_id, chat_id)
        return self._session.services.profile.detach_context_file(scope, context_id)

    def delete_context_file(self, context_id: str, *, user_id: str | None = None) -> None:
        """Delete a context file."""
        self._session.services.profile.delete_context_file(self._session.scope(user_id), context_id)

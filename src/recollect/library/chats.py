"""`memory.chats`: chats with their messages, modes and summaries. What was learned from messages follows them."""

from collections.abc import Sequence
from dataclasses import dataclass

from recollect.domain.memory import Memory
from recollect.domain.message import Chat, ChatDetails, Message
from recollect.domain.outcomes import IngestResult
from recollect.domain.summary import Summary
from recollect.library.session import LibrarySession


@dataclass(frozen=True, slots=True)
class ChatsNamespace:
    _session: LibrarySession

    def list(self, *, user_id: str | None = None, limit: int = 100) -> Sequence[ChatDetails]:
        """Return the chats, most recently used first."""
        return self._session.services.chats.list(self._session.scope(user_id), limit=limit)

    def messages(self, chat_id: str, *, user_id: str | None = None, limit: int = 100) -> Sequence[Message]:
        """Return the last messages of a chat, in order."""
        return self._session.services.chats.messages(self._session.scope(user_id, chat_id), limit=limit)

    def edit(self, message_id: str, content: str, *, user_id: str | None = None) -> IngestResult:
        """Replace the text of a message; facts learned from the old text are removed."""
        scope = self._session.scope(user_id)
        policy = self._session.policy(scope)
        edited = self._session.services.chats.edit_message(scope, message_id, content, policy)
        self._session.wake_worker()
        return edited

    def regenerate(self, chat_id: str, content: str, *, user_id: str | None = None) -> IngestResult:
        """Replace the last answer of a chat."""
        scope = self._session.scope(user_id, chat_id)
        policy = self._session.policy(scope)
        answer = self._session.services.chats.replace_last_answer(scope, content, policy)
        self._session.wake_worker()
        return answer

    def delete_message(self, message_id: str, *, user_id: str | None = None) -> Sequence[Memory]:
        """Delete a message; return the memories that had no other source and were forgotten."""
        scope = self._session.scope(user_id)
        forgotten = self._session.services.chats.delete_message(
            scope, message_id, self._session.policy(scope)
        )
        self._session.wake_worker()
        return forgotten

    def delete(self, chat_id: str, *, user_id: str | None = None) -> Sequence[Memory]:
        """Delete a chat; return the memories that had no other source and were forgotten."""
        scope = self._session.scope(user_id, chat_id)
        forgotten = self._session.services.chats.delete_chat(scope, self._session.policy(scope))
        self._session.wake_worker()
        return forgotten

    def branch(self, message_id: str, chat_id: str, *, user_id: str | None = None) -> Chat:
        """Copy a chat up to a message into a new chat."""
        scope = self._session.scope(user_id)
        chat = self._session.services.chats.branch_chat(scope, message_id, chat_id)
        self._session.wake_worker()
        return chat

    def mode(self, chat_id: str, *, user_id: str | None = None) -> str | None:
        """Return the memory mode that was set for a chat, if any."""
        return self._session.services.chats.mode(self._session.scope(user_id, chat_id))

    def set_mode(self, chat_id: str, mode: str | None, *, user_id: str | None = None) -> None:
        """Set the memory mode of a chat: on, collect_only, recall_only or off; None uses the user's setting."""
        self._session.services.chats.set_mode(self._session.scope(user_id, chat_id), mode)

    def rename(self, chat_id: str, title: str, *, user_id: str | None = None) -> None:
        """Set the title of a chat."""
        self._session.services.chats.rename(self._session.scope(user_id, chat_id), title)

    def summarize(self, chat_id: str, *, user_id: str | None = None) -> Sequence[Summary]:
        """Summarize a chat now, even if not due; empty if there are no messages since the last summary."""
        scope = self._session.scope(user_id, chat_id)
        summaries = self._session.services.summaries.summarize(scope, self._session.policy(scope))
        self._session.wake_worker()
        return summaries

    def summaries(
        self, *, chat_id: str | None = None, user_id: str | None = None, limit: int = 20
    ) -> Sequence[Summary]:
        """Return the summaries of a chat or of all chats, newest first."""
        scope = self._session.scope(user_id, chat_id)
        return self._session.services.summaries.list(scope, limit=limit)

"""The user's profile and context files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from recollect.context.profile import update_profile
from recollect.domain.policy import Policy
from recollect.domain.scope import Scope, validate_name
from recollect.domain.summary import ContextFile, Profile
from recollect.errors import InvalidInput
from recollect.ingestion.normalization import normalize_content
from recollect.ingestion.redaction import redact
from recollect.ports.clock import Clock, Ids
from recollect.ports.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileService:
    store: Store
    clock: Clock
    ids: Ids

    def get(self, scope: Scope) -> Profile | None:
        """Return the profile if there is one and the user has consented."""
        return self.store.profiles.get(scope)

    def set_profile(self, scope: Scope, form: Mapping[str, object], policy: Policy) -> Profile:
        """Update the profile; absent fields stay unchanged. Raises ConsentRequired without consent."""
        redacted = {name: _redact(value, policy) for name, value in form.items()}
        with self.store.transaction(scope.user):
            previous = self.store.profiles.get(scope)
            profile = update_profile(scope.user, redacted, now=self.clock.now(), previous=previous)
            self.store.profiles.put(profile)
            self.store.audit_log.add(scope.user, "profile changed", "", now=self.clock.now())
        return profile

    def add_context_file(self, scope: Scope, name: str, content: str, policy: Policy) -> ContextFile:
        """Store a context file; attached to the scope's chat if there is one."""
        normalized = normalize_content(content, max_bytes=policy.collect.max_message_bytes)
        file = ContextFile(
            id=self.ids.new(),
            user=scope.user,
            name=validate_name("name of the file", name),
            content=redact(normalized).text if policy.collect.mask_secrets else normalized,
            created_at=self.clock.now(),
            chats=(scope.chat,) if scope.chat else (),
        )
        with self.store.transaction(scope.user):
            if any(known.name == file.name for known in self.store.context_files.list(scope.user_scope)):
                raise InvalidInput(
                    f"A context file {name!r} already exists. Delete it first, or choose another name."
                )
            self.store.context_files.add(file)
        return file

    def context_files(self, scope: Scope) -> Sequence[ContextFile]:
        """Return the user's files by name; with a chat in the scope, those attached to it."""
        return self.store.context_files.list(scope)

    def context_file(self, scope: Scope, file_id: str) -> ContextFile:
        """Return the file with this id, unique id prefix or name, or raise NotFound."""
        return self.store.context_files.get(scope.user_scope, file_id)

    def attach_context_file(self, scope: Scope, file_id: str) -> ContextFile:
        """Attach a file to the scope's chat."""
        self.store.context_files.attach(scope, file_id)
        return self.context_file(scope, file_id)

    def detach_context_file(self, scope: Scope, file_id: str) -> ContextFile:
        """Detach a file from the scope's chat."""
        self.store.context_files.detach(scope, file_id)
        return self.context_file(scope, file_id)

    def delete_context_file(self, scope: Scope, file_id: str) -> None:
        """Delete a file and detach it from all chats."""
        self.store.context_files.delete(scope.user_scope, file_id)


def _redact(value: object, policy: Policy) -> object:
    return redact(value).text if isinstance(value, str) and policy.collect.mask_secrets else value

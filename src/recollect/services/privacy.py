"""Profile, consent, context files and erasure."""

from collections.abc import Mapping
from dataclasses import dataclass

from recollect.context.profile import update_profile
from recollect.domain.event import ErasureCertificate
from recollect.domain.memory import Kind
from recollect.domain.policy import Policy
from recollect.domain.scope import Scope, validate_name
from recollect.domain.summary import ContextFile, Profile
from recollect.errors import InvalidInput
from recollect.ingestion.normalization import normalize_content
from recollect.ingestion.redaction import redact
from recollect.services.base import EngineBase

CONSENT_CATEGORIES = ("profile", *(kind.value for kind in Kind))


@dataclass(frozen=True, kw_only=True)
class PrivacyMixin(EngineBase):
    def set_profile(self, scope: Scope, form: Mapping[str, object], policy: Policy) -> Profile:
        """Update the profile; absent fields stay unchanged. Raises ConsentRequired without consent."""
        redacted = {name: _redact(value, policy) for name, value in form.items()}
        with self.store.transaction():
            previous = self.store.profiles.get(scope)
            profile = update_profile(scope.user, redacted, now=self.clock.now(), previous=previous)
            self.store.profiles.put(profile)
            self.store.audit_log.add(scope.user, "profile changed", "", now=self.clock.now())
        return profile

    def set_consent(self, scope: Scope, category: str, *, granted: bool) -> Mapping[str, int]:
        """Store the user's consent; return the number of erased rows by kind if it was revoked."""
        with self.store.transaction():
            erased = {} if granted else self.consent_coverage(scope, category)
            self.store.consents.set(
                scope, _validate_category(category), granted=granted, now=self.clock.now()
            )
        return erased

    def consent_coverage(self, scope: Scope, category: str) -> Mapping[str, int]:
        """Return what revoking the consent would erase, as counts."""
        return self.store.consents.count_covered(scope, _validate_category(category))

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
        with self.store.transaction():
            if any(known.name == file.name for known in self.store.context_files.list(scope.user_scope)):
                raise InvalidInput(
                    f"A context file {name!r} already exists. Delete it first, or choose another name."
                )
            self.store.context_files.add(file)
        return file

    def erase_memory(self, scope: Scope, memory_id: str) -> ErasureCertificate:
        """Erase a memory from disk. It is not learned again from old messages."""
        memory = self.store.memories.get(scope, memory_id)
        with self.store.transaction():
            self.store.tombstones.add(scope.user, memory.fact_hash, now=self.clock.now())
        return self._record_erasure(scope, self.store.erasure.erase_memory(scope, memory.id))

    def erase_chat(self, scope: Scope) -> ErasureCertificate:
        """Erase a chat and the memories learned only from it."""
        return self._record_erasure(scope, self.store.erasure.erase_chat(scope))

    def erase_user(self, user: str) -> ErasureCertificate:
        """Erase everything about a user, audit log included."""
        return self.store.erasure.erase_user(user)

    def _record_erasure(self, scope: Scope, certificate: ErasureCertificate) -> ErasureCertificate:
        rows = ", ".join(f"{name} {number}" for name, number in certificate.rows.items() if number)
        detail = (
            f"{certificate.target.split()[0]}: {rows}; bytes"
            f" {'gone' if certificate.is_physical else 'may be left'}"
        )
        self.store.audit_log.add(scope.user, "erased", detail, now=self.clock.now())
        return certificate


def _validate_category(name: str) -> str:
    if name not in CONSENT_CATEGORIES:
        raise InvalidInput(
            f"Unknown consent category {name!r}. Choose one of {', '.join(CONSENT_CATEGORIES)}."
        )
    return name


def _redact(value: object, policy: Policy) -> object:
    return redact(value).text if isinstance(value, str) and policy.collect.mask_secrets else value

"""Consent, erasure and the audit log."""

from collections.abc import Mapping
from dataclasses import dataclass

from recollect.domain.consent import DEFAULT_CONSENTS
from recollect.domain.event import AuditTrail, ErasureCertificate, ErasurePreview
from recollect.domain.scope import Scope
from recollect.errors import InvalidInput
from recollect.ports.clock import Clock
from recollect.ports.records import ByteScan, ErasedRows
from recollect.ports.store import NO_LIMIT, Store
from recollect.services.chats import ChatService

#: Detail of a certificate of a store that cannot overwrite bytes.
ROWS_ONLY_DETAIL = "the rows are deleted; this database overwrites their bytes only when it reuses the space"

CONSENT_CATEGORIES = tuple(DEFAULT_CONSENTS)


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivacyService:
    store: Store
    clock: Clock
    chats: ChatService

    def consents(self, scope: Scope) -> Mapping[str, bool]:
        """Return the user's consents by category."""
        return self.store.consents.all(scope)

    def audit_log(self, scope: Scope, *, limit: int) -> AuditTrail:
        """Return entries of the audit log, newest first, and whether the log is intact."""
        log = self.store.audit_log
        return AuditTrail(entries=tuple(log.list(scope, limit=limit)), is_intact=log.is_intact(scope))

    def set_consent(self, scope: Scope, category: str, *, granted: bool) -> Mapping[str, int]:
        """Store the user's consent; return the number of erased rows by kind if it was revoked."""
        with self.store.transaction(scope.user):
            erased = {} if granted else self.consent_coverage(scope, category)
            self.store.consents.set(
                scope, _validate_category(category), granted=granted, now=self.clock.now()
            )
        return erased

    def consent_coverage(self, scope: Scope, category: str) -> Mapping[str, int]:
        """Return what revoking the consent would erase, as counts."""
        return self.store.consents.count_covered(scope, _validate_category(category))

    def preview_erase_memory(self, scope: Scope, memory_id: str) -> ErasurePreview:
        """Return what erasing a memory would delete."""
        memory = self.store.memories.get(scope, memory_id)
        rows = {"memories": 1, "versions": memory.version}
        return ErasurePreview(target=f"memory {memory.id}", rows=rows, memories=(memory,))

    def preview_erase_chat(self, scope: Scope) -> ErasurePreview:
        """Return what erasing a chat would delete: its messages, and the memories learned only from it."""
        chat = self.store.chats.get(scope)
        message_ids = [message.id for message in self.store.messages.list(scope, limit=NO_LIMIT)]
        memories = self.chats.memories_only_from(scope, message_ids)
        rows = {"chats": 1, "messages": chat.message_count, "memories": len(memories)}
        return ErasurePreview(target=f"chat {chat.id}", rows=rows, memories=tuple(memories))

    def preview_erase_user(self, user: str) -> ErasurePreview:
        """Return what erasing a user would delete, as counts."""
        stats = self.store.maintenance.stats(Scope(user))
        rows = {
            "memories": stats.memories,
            "messages": stats.messages,
            "chats": stats.chats,
            "summaries": stats.summaries,
        }
        return ErasurePreview(target=f"user {user}", rows=rows)

    def erase_memory(self, scope: Scope, memory_id: str) -> ErasureCertificate:
        """Erase a memory from disk. It is not learned again from old messages."""
        with self.store.transaction(scope.user):
            memory = self.store.memories.get(scope, memory_id)
            self.store.tombstones.add(scope.user, memory.fact_hash, now=self.clock.now())
            erased = self.store.erasure.erase_memory(scope, memory.id)
        return self._record_erasure(scope, erased)

    def erase_chat(self, scope: Scope) -> ErasureCertificate:
        """Erase a chat and the memories learned only from it."""
        return self._record_erasure(scope, self.store.erasure.erase_chat(scope))

    def erase_user(self, user: str) -> ErasureCertificate:
        """Erase everything about a user, audit log included."""
        return self._certify(self.store.erasure.erase_user(user))

    def _record_erasure(self, scope: Scope, erased: ErasedRows) -> ErasureCertificate:
        certificate = self._certify(erased)
        rows = ", ".join(f"{name} {number}" for name, number in certificate.rows.items() if number)
        detail = (
            f"{certificate.target.split()[0]}: {rows}; bytes"
            f" {'gone' if certificate.is_physical else 'may be left'}"
        )
        self.store.audit_log.add(scope.user, "erased", detail, now=self.clock.now())
        return certificate

    def _certify(self, erased: ErasedRows) -> ErasureCertificate:
        """Remove the bytes of erased rows, if the store can do that; call it after the transaction."""
        scan = (
            ByteScan(is_complete=False, detail=ROWS_ONLY_DETAIL, bytes_scanned=0)
            if self.store.byte_erasure is None
            else self.store.byte_erasure.scrub(erased.texts)
        )
        return ErasureCertificate(
            target=erased.target,
            rows=dict(erased.rows),
            is_physical=scan.is_complete,
            detail=scan.detail,
            bytes_scanned=scan.bytes_scanned,
        )


def _validate_category(name: str) -> str:
    if name not in CONSENT_CATEGORIES:
        raise InvalidInput(
            f"Unknown consent category {name!r}. Choose one of {', '.join(CONSENT_CATEGORIES)}."
        )
    return name

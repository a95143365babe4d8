"""`memory.privacy`: consent, erasure and the audit log."""

from collections.abc import Mapping
from dataclasses import dataclass

from recollect.domain.consent import ConsentChange
from recollect.domain.event import AuditTrail, ErasureCertificate, ErasurePreview
from recollect.errors import Refused
from recollect.library.session import LibrarySession

NO_USER_TO_ERASE = "This erases all data of a user. Name the user: privacy.erase(user_id=...)."


@dataclass(frozen=True, slots=True)
class PrivacyNamespace:
    _session: LibrarySession

    def consents(self, *, user_id: str | None = None) -> Mapping[str, bool]:
        """Return the user's consents by category."""
        return self._session.services.privacy.consents(self._session.scope(user_id))

    def consent(self, category: str, *, granted: bool, user_id: str | None = None) -> ConsentChange:
        """Record the user's decision. A withdrawal erases what the consent covered; the result says how much."""
        scope = self._session.scope(user_id)
        erased = self._session.services.privacy.set_consent(scope, category, granted=granted)
        return ConsentChange(category=category, granted=granted, erased=erased)

    def preview_withdrawal(self, category: str, *, user_id: str | None = None) -> Mapping[str, int]:
        """Return how many rows of each kind withdrawing a consent would erase."""
        return self._session.services.privacy.consent_coverage(self._session.scope(user_id), category)

    def erase(
        self, memory_id: str | None = None, *, chat_id: str | None = None, user_id: str | None = None
    ) -> ErasureCertificate:
        """
        Erase a memory, a chat, or, with neither, all data of a user from the file.

        Return a certificate: the deleted rows, and whether a scan of the file confirmed that their bytes are gone.
        """
        privacy = self._session.services.privacy
        if memory_id is not None:
            return privacy.erase_memory(self._session.scope(user_id), memory_id)
        if chat_id is not None:
            return privacy.erase_chat(self._session.scope(user_id, chat_id))
        if user_id is None:
            raise Refused(NO_USER_TO_ERASE)
        return privacy.erase_user(user_id)

    def preview_erasure(
        self, memory_id: str | None = None, *, chat_id: str | None = None, user_id: str | None = None
    ) -> ErasurePreview:
        """Return what `erase` would delete."""
        privacy = self._session.services.privacy
        if memory_id is not None:
            return privacy.preview_erase_memory(self._session.scope(user_id), memory_id)
        if chat_id is not None:
            return privacy.preview_erase_chat(self._session.scope(user_id, chat_id))
        if user_id is None:
            raise Refused(NO_USER_TO_ERASE)
        return privacy.preview_erase_user(user_id)

    def audit_log(self, *, user_id: str | None = None, limit: int = 100) -> AuditTrail:
        """Return the audit log, newest first, and whether it is intact."""
        return self._session.services.privacy.audit_log(self._session.scope(user_id), limit=limit)

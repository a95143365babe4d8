"""What the user tells about themselves, agrees to, keeps at hand, and wants gone for good."""

from collections.abc import Mapping
from dataclasses import dataclass

from recollect.context.profile import filled
from recollect.domain.event import Certificate
from recollect.domain.memory import Kind
from recollect.domain.policy import Policy
from recollect.domain.scope import Scope, valid_name
from recollect.domain.summary import ContextFile, Profile
from recollect.errors import InvalidInput
from recollect.ingestion.normalization import clean
from recollect.ingestion.redaction import masked
from recollect.services.base import Core

CATEGORIES = ("profile", *(kind.value for kind in Kind))


@dataclass(frozen=True, kw_only=True)
class Privacy(Core):
    def tell_profile(self, scope: Scope, form: Mapping[str, object], policy: Policy) -> Profile:
        """Fill in the profile; fields that are not in the form stay. ConsentRequired without consent."""
        given = {name: _masked(value, policy) for name, value in form.items()}
        with self.store.transaction():
            before = self.store.profiles.get(scope)
            profile = filled(scope.user, given, now=self.clock.now(), before=before)
            self.store.profiles.put(profile)
            self.store.audit.add(scope.user, "profile changed", "", now=self.clock.now())
        return profile

    def consent(self, scope: Scope, category: str, *, granted: bool) -> Mapping[str, int]:
        """Write down the user's answer; return what was erased because of it."""
        with self.store.transaction():
            gone = {} if granted else self.covered(scope, category)
            self.store.consents.set(scope, _category(category), granted=granted, now=self.clock.now())
        return gone

    def covered(self, scope: Scope, category: str) -> Mapping[str, int]:
        """What would be erased if consent were taken back now."""
        return self.store.consents.covered(scope, _category(category))

    def keep_file(self, scope: Scope, name: str, content: str, policy: Policy) -> ContextFile:
        """Keep a text at hand; with a chat in the scope it is attached to that."""
        cleaned = clean(content, largest=policy.collect.largest_message)
        file = ContextFile(
            id=self.ids.new(),
            user=scope.user,
            name=valid_name("name of the file", name),
            content=masked(cleaned).text if policy.collect.mask_secrets else cleaned,
            created_at=self.clock.now(),
            chats=(scope.chat,) if scope.chat else (),
        )
        with self.store.transaction():
            if any(known.name == file.name for known in self.store.contexts.list(scope.everything)):
                raise InvalidInput(
                    f"There is a context file {name!r} already. Delete it first, or rename one."
                )
            self.store.contexts.add(file)
        return file

    def erase_memory(self, scope: Scope, memory_id: str) -> Certificate:
        """Take a memory and its bytes out of the file. It does not come back by itself."""
        memory = self.store.memories.get(scope, memory_id)
        with self.store.transaction():
            self.store.tombstones.add(scope.user, memory.fact_hash, now=self.clock.now())
        return self._certified(scope, self.store.erasure.memory(scope, memory.id))

    def erase_chat(self, scope: Scope) -> Certificate:
        """Take a chat, and what was learned in it alone, out of the file."""
        return self._certified(scope, self.store.erasure.chat(scope))

    def erase_user(self, user: str) -> Certificate:
        """Take everything about a user out of the file, the ledger included."""
        return self.store.erasure.user(user)

    def _certified(self, scope: Scope, certificate: Certificate) -> Certificate:
        rows = ", ".join(f"{name} {number}" for name, number in certificate.rows.items() if number)
        detail = f"{certificate.what.split()[0]}: {rows}; bytes {'gone' if certificate.physical else 'may be left'}"
        self.store.audit.add(scope.user, "erased", detail, now=self.clock.now())
        return certificate


def _category(name: str) -> str:
    if name not in CATEGORIES:
        raise InvalidInput(f"There is no category {name!r}. Choose one of {', '.join(CATEGORIES)}.")
    return name


def _masked(value: object, policy: Policy) -> object:
    return masked(value).text if isinstance(value, str) and policy.collect.mask_secrets else value

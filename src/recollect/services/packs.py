"""Export and import of all data of a user. On import existing data stays, and forgotten facts stay forgotten."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from recollect.domain.import_result import PackImportReport
from recollect.domain.job import EMBED_JOB
from recollect.domain.memory import ChangeKind, Memory, MemoryStatus
from recollect.domain.message import Message, MessageDraft, Role
from recollect.domain.policy import Policy
from recollect.domain.reason import Reason, ReasonCode
from recollect.domain.scope import Scope, validate_name
from recollect.domain.setting import CAP_SETTING_PREFIX
from recollect.domain.summary import ContextFile, Profile, Summary
from recollect.errors import ConfigError, NotFound, RecollectError
from recollect.interchange.pack import (
    Pack,
    PackedChat,
    PackedConsent,
    PackedExtraction,
    PackedMemory,
    PackedPreference,
    PackedTombstone,
    PackedVersion,
)
from recollect.ports.clock import Clock
from recollect.ports.store import NO_LIMIT, Store
from recollect.services.ingest import IngestService
from recollect.services.preferences import PreferenceService
from recollect.services.privacy import PrivacyService

CONSENT_WITHDRAWN_ACTION = "consent taken back"


class _DryRun(Exception):
    """Raised to roll back the transaction of a dry run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PackService:
    store: Store
    clock: Clock
    ingest: IngestService
    privacy: PrivacyService
    preferences: PreferenceService

    def collect(self, user: str) -> Pack:
        """Return all data of a user, without search indexes, receipts and jobs, which are recreated."""
        store, scope = self.store, Scope(user)
        messages = tuple(store.messages.list(scope, limit=NO_LIMIT))
        extractions = ((message.id, store.extractions.get(scope, message.id)) for message in messages)
        profile = store.profiles.get(scope)
        return Pack(
            chats=tuple(
                PackedChat(
                    id=chat.id,
                    title=chat.title,
                    created_at=chat.created_at,
                    mode=store.chats.mode(Scope(user, chat.id)),
                )
                for chat in reversed(store.chats.list(scope, limit=NO_LIMIT))
            ),
            messages=messages,
            extractions=tuple(
                PackedExtraction(message_id=message_id, extraction=each)
                for message_id, each in extractions
                if each
            ),
            memories=tuple(
                self._pack_memory(scope, memory)
                for memory in reversed(store.memories.list(scope, limit=NO_LIMIT, status=None))
            ),
            summaries=tuple(reversed(store.summaries.list(scope, limit=NO_LIMIT))),
            context_files=tuple(store.context_files.list(scope)),
            consents=tuple(
                PackedConsent(category=c, granted=g) for c, g in store.consents.all(scope).items()
            ),
            profile=(profile,) if profile else (),
            preferences=tuple(
                PackedPreference(name=n, value=v) for n, v in self.preferences.all(user).items()
            ),
            tombstones=tuple(
                PackedTombstone(fact_hash=h, forgotten_at=at) for h, at in store.tombstones.all(user).items()
            ),
        )

    def import_pack(
        self,
        user: str,
        pack: Pack,
        policy: Policy,
        *,
        validate_preference: Callable[[str, str], None],
        dry_run: bool = False,
    ) -> PackImportReport:
        """
        Import a pack in one transaction; with `dry_run`, roll back and report what would be imported.

        `validate_preference` raises ConfigError if a name or value is not valid here.
        """
        importer = _PackImporter(
            packs=self, user=user, policy=policy, validate_preference=validate_preference
        )
        try:
            with self.store.transaction(user):
                importer.run(pack)
                _abort_if(dry_run)
        except _DryRun:
            pass
        return importer.report

    def _pack_memory(self, scope: Scope, memory: Memory) -> PackedMemory:
        memories, versions = self.store.memories, []
        for line in memories.history(scope, memory.id):
            try:
                version_memory = memories.at_version(scope, memory.id, line.version)
            except NotFound:
                # Stored before versions were kept in full.
                continue
            versions.append(PackedVersion(change=line.change, reason=line.reason, memory=version_memory))
        if not versions or versions[-1].memory.version != memory.version:
            versions.append(PackedVersion(change=ChangeKind.UPDATE, memory=memory))
        versions[-1] = PackedVersion(change=versions[-1].change, reason=versions[-1].reason, memory=memory)
        return PackedMemory(id=memory.id, versions=tuple(versions))


def _abort_if(dry_run: bool) -> None:
    if dry_run:
        raise _DryRun


@dataclass(frozen=True, slots=True, kw_only=True)
class _PackImporter:
    packs: PackService
    user: str
    policy: Policy
    validate_preference: Callable[[str, str], None]
    report: PackImportReport = field(default_factory=PackImportReport)

    @property
    def _store(self) -> Store:
        return self.packs.store

    @property
    def _scope(self) -> Scope:
        return Scope(self.user)

    def run(self, pack: Pack) -> None:
        now = self.packs.clock.now()
        for chat in pack.chats:
            self._import_chat(chat)
        new_message_ids = self._import_messages(pack)
        for packed_extraction in pack.extractions:
            if packed_extraction.message_id in new_message_ids:
                self._store.extractions.put(
                    self._scope, packed_extraction.message_id, "import", packed_extraction.extraction
                )
                self.report.imported_counts["extractions"] += 1
        for consent in pack.consents:
            self._import_consent(consent)
        self._import_memories(pack)
        self._import_records(pack)
        if self.report.imported_counts:
            self._store.jobs.enqueue(self.user, EMBED_JOB, now=now)
            detail = ", ".join(
                f"{part} {number}" for part, number in sorted(self.report.imported_counts.items())
            )
            self._store.audit_log.add(self.user, "imported", detail, now=now)

    def _count(self, part: str, *, new: bool) -> None:
        (self.report.imported_counts if new else self.report.known_counts)[part] += 1

    def _skip(self, part: str, name: str, reason: Reason) -> None:
        self.report.skipped_items.append((part, name, reason))

    def _import_chat(self, chat: PackedChat) -> None:
        scope = Scope(self.user, chat.id)
        new = _is_missing(lambda: self._store.chats.get(scope))
        if new:
            self._store.chats.set_mode(scope, chat.mode, now=chat.created_at)
            if chat.title:
                self._store.chats.rename(scope, chat.title)
        self._count("chats", new=new)

    def _import_messages(self, pack: Pack) -> set[str]:
        """Import messages and return the ids of new ones."""
        new_ids = {message.id for message in pack.messages if self._import_message(message)}
        self.report.known_counts["messages"] += len(pack.messages) - len(new_ids)
        self.report.imported_counts["messages"] += len(new_ids)
        return new_ids

    def _import_message(self, message: Message) -> bool:
        if not _is_missing(lambda: self._store.messages.get(self._scope, message.id)):
            return False
        scope = Scope(self.user, message.chat)
        draft = MessageDraft(role=message.role, content=message.content, tool_calls=message.tool_calls)
        prepared = self.packs.ingest.prepare(scope, draft, self.policy)
        own_message = replace(
            message,
            id=validate_name("id of a message", message.id),
            user=self.user,
            content=prepared.message.content,
            tokens=prepared.message.tokens,
        )
        # A known client id means the same message under another id.
        _, new = self._store.messages.add(own_message, prepared.chunks)
        return new

    def _import_memories(self, pack: Pack) -> None:
        """Replay all versions of all memories in chronological order, so that facts are unique at any time."""
        selected = {each.id: each for each in pack.memories if self._should_import(each)}
        version_order = sorted(
            (
                (version.memory.updated_at, memory.id, index)
                for memory in selected.values()
                for index, version in enumerate(memory.versions)
            ),
        )
        current: dict[str, Memory] = {}
        for _, memory_id, index in version_order:
            if index == 0 or memory_id in current:
                self._import_version(selected[memory_id], index, current)

    def _import_version(self, packed: PackedMemory, index: int, current: dict[str, Memory]) -> None:
        version, memories = packed.versions[index], self._store.memories
        own_memory = replace(
            version.memory, user=self.user, id=packed.id, text=self._redact_text(version.memory.text)
        )
        if index == 0:
            stored, new = memories.add(own_memory, reason=version.reason)
            self._count("memories", new=new)
            if new:
                current[packed.id] = stored
            return
        previous = current[packed.id]
        if self._is_duplicate(own_memory):
            self._skip("memories", own_memory.text, Reason(ReasonCode.ALREADY_KNOWN))
            del current[packed.id]
            return
        current[packed.id] = memories.save(
            replace(own_memory, version=previous.version), version.change, reason=version.reason
        )

    def _should_import(self, packed: PackedMemory) -> bool:
        validate_name("id of a memory", packed.id)
        last = packed.versions[-1].memory
        if self._has(packed.id):
            self._count("memories", new=False)
            return False
        if not self._store.consents.all(self._scope).get(last.kind, True):
            self._skip("memories", last.text, Reason(ReasonCode.NO_CONSENT, {"category": last.kind.value}))
            return False
        is_forgotten = last.fact_hash in self._store.tombstones.forgotten_at(self.user, [last.fact_hash])
        if is_forgotten and last.status is not MemoryStatus.FORGOTTEN:
            self._skip("memories", last.text, Reason(ReasonCode.FORGOTTEN_HERE))
            return False
        return True

    def _has(self, memory_id: str) -> bool:
        try:
            return self._store.memories.get(self._scope, memory_id).id == memory_id
        except NotFound:
            return False

    def _is_duplicate(self, memory: Memory) -> bool:
        known = self._store.memories.by_hash(self._scope, memory.fact_hash)
        return memory.status is MemoryStatus.ACTIVE and known is not None and known.id != memory.id

    def _redact_text(self, text: str) -> str:
        draft = MessageDraft(role=Role.USER, content=text)
        return self.packs.ingest.prepare(self._scope, draft, self.policy).message.content

    def _import_consent(self, consent: PackedConsent) -> None:
        """Import a consent unless it would erase data here or override a withdrawal."""
        consents = self._store.consents.all(self._scope)
        if consent.category not in consents:
            self._skip("consents", consent.category, Reason(ReasonCode.UNKNOWN_CATEGORY))
        elif consents[consent.category] == consent.granted:
            self._count("consents", new=False)
        elif reason := self._consent_objection(consent):
            self._skip("consents", consent.category, reason)
        else:
            self.packs.privacy.set_consent(self._scope, consent.category, granted=consent.granted)
            self._count("consents", new=True)

    def _consent_objection(self, consent: PackedConsent) -> Reason | None:
        if not consent.granted:
            covered_count = sum(self.packs.privacy.consent_coverage(self._scope, consent.category).values())
            return Reason(ReasonCode.WOULD_ERASE_DATA) if covered_count else None
        audit_entries = self._store.audit_log.list(self._scope, limit=NO_LIMIT)
        is_withdrawn = any(
            e.action == CONSENT_WITHDRAWN_ACTION and f'"{consent.category}"' in e.detail
            for e in audit_entries
        )
        return Reason(ReasonCode.CONSENT_WITHDRAWN) if is_withdrawn else None

    def _import_records(self, pack: Pack) -> None:
        summaries = {summary.id for summary in self._store.summaries.list(self._scope, limit=NO_LIMIT)}
        for summary in pack.summaries:
            self._import_summary(summary, summaries)
        for file in pack.context_files:
            self._import_context_file(file)
        for profile in pack.profile:
            self._import_profile(replace(profile, user=self.user))
        stored_preferences = self.packs.preferences.all(self.user)
        for preference in pack.preferences:
            self._import_preference(preference.name, preference.value, stored_preferences)
        tombstones = self._store.tombstones.all(self.user)
        for tombstone in pack.tombstones:
            self._import_tombstone(tombstone.fact_hash, new=tombstone.fact_hash not in tombstones, pack=pack)

    def _import_summary(self, summary: Summary, known_ids: set[str]) -> None:
        new = summary.id not in known_ids
        if new:
            self._store.summaries.add(replace(summary, user=self.user))
        self._count("summaries", new=new)

    def _import_context_file(self, file: ContextFile) -> None:
        known = self._store.context_files.list(self._scope)
        new = all(file.id != each.id and file.name != each.name for each in known)
        if new:
            self._store.context_files.add(replace(file, user=self.user))
        self._count("context_files", new=new)

    def _import_profile(self, profile: Profile) -> None:
        if self._store.profiles.get(self._scope) is not None:
            self._count("profile", new=False)
            return
        try:
            self._store.profiles.put(profile)
            self._count("profile", new=True)
        except RecollectError as error:
            self._skip("profile", "the profile", _invalid_value(error))

    def _import_preference(self, name: str, value: str, stored_preferences: Mapping[str, str]) -> None:
        if name in stored_preferences:
            self._count("preferences", new=False)
            return
        if name.startswith(CAP_SETTING_PREFIX):
            self._skip("preferences", name, Reason(ReasonCode.OPERATOR_SETTING))
            return
        try:
            self.validate_preference(name, value)
        except ConfigError as error:
            self._skip("preferences", name, _invalid_value(error))
            return
        self.packs.preferences.set(self.user, name, value)
        self._count("preferences", new=True)

    def _import_tombstone(self, fact_hash: str, *, new: bool, pack: Pack) -> None:
        if new and self._store.memories.by_hash(self._scope, fact_hash) is not None:
            self._skip("tombstones", fact_hash, Reason(ReasonCode.REMEMBERED_HERE))
            return
        if new:
            at = next(stone.forgotten_at for stone in pack.tombstones if stone.fact_hash == fact_hash)
            self._store.tombstones.add(self.user, fact_hash, now=at)
        self._count("tombstones", new=new)


def _invalid_value(error: RecollectError) -> Reason:
    return Reason(ReasonCode.INVALID_VALUE, {"detail": str(error)})


def _is_missing(get: Callable[[], object]) -> bool:
    try:
        get()
    except NotFound:
        return True
    return False

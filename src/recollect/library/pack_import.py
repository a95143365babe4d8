"""Takes a pack in: what is here already stays, what was forgotten stays forgotten, and nothing is there twice."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from recollect.bootstrap import Runtime
from recollect.domain.memory import Memory, Standing
from recollect.domain.message import Draft, Message, Role
from recollect.domain.policy import Policy
from recollect.domain.scope import Scope, valid_name
from recollect.domain.setting import CAPS
from recollect.domain.summary import ContextFile, Profile, Summary
from recollect.errors import ConfigError, NotFound, RecollectError
from recollect.library.pack import PARTS, Pack, PackedChat, PackedConsent, PackedMemory
from recollect.ports.store import ALL, Store
from recollect.serialization.serializers import Shape
from recollect.services import EMBED

TAKEN_BACK = "consent taken back"


@dataclass(slots=True, kw_only=True)
class PackAccount:
    """What became of a pack."""

    imported: Counter[str] = field(default_factory=Counter)
    known: Counter[str] = field(default_factory=Counter)
    left_out: list[tuple[str, str, str]] = field(default_factory=list)  #: part, what, and why

    def shape(self, *, dry_run: bool) -> Shape:
        return {
            "dry_run": dry_run,
            "imported": {part: self.imported[part] for part in PARTS if self.imported[part]},
            "known": {part: self.known[part] for part in PARTS if self.known[part]},
            "left_out": [{"part": part, "what": what, "reason": why} for part, what, why in self.left_out],
        }


class _DryRun(Exception):
    """Take everything back."""


def take_in(runtime: Runtime, user: str, pack: Pack, *, dry_run: bool = False) -> PackAccount:
    """All of it, or none of it; with `dry_run` none of it, and the account says what would have come."""
    importer = _Importer(runtime=runtime, user=user, policy=runtime.policy(user))
    try:
        with runtime.store.transaction():
            importer.take(pack)
            _stop_if(dry_run)
    except _DryRun:
        pass
    else:
        runtime.worker.wake()
    return importer.account


def _stop_if(dry_run: bool) -> None:
    if dry_run:
        raise _DryRun


@dataclass(frozen=True, slots=True, kw_only=True)
class _Importer:
    runtime: Runtime
    user: str
    policy: Policy
    account: PackAccount = field(default_factory=PackAccount)

    @property
    def _store(self) -> Store:
        return self.runtime.store

    @property
    def _scope(self) -> Scope:
        return Scope(self.user)

    def take(self, pack: Pack) -> None:
        now = self.runtime.engine.clock.now()
        for chat in pack.chats:
            self._chat(chat)
        here = self._messages(pack)
        for judged in pack.judgements:
            if judged.message_id in here:
                self._store.judgements.put(self._scope, judged.message_id, "import", judged.judgement)
                self.account.imported["judgements"] += 1
        for consent in pack.consents:
            self._consent(consent)
        self._memories(pack)
        self._others(pack)
        if self.account.imported:
            self._store.jobs.enqueue(self.user, EMBED, now=now)
            told = ", ".join(f"{part} {number}" for part, number in sorted(self.account.imported.items()))
            self._store.audit.add(self.user, "imported", told, now=now)

    def _count(self, part: str, *, new: bool) -> None:
        (self.account.imported if new else self.account.known)[part] += 1

    def _leave_out(self, part: str, what: str, why: str) -> None:
        self.account.left_out.append((part, what, why))

    def _chat(self, chat: PackedChat) -> None:
        scope = Scope(self.user, chat.id)
        new = _missing(lambda: self._store.chats.get(scope))
        if new:
            self._store.chats.set_mode(scope, chat.mode, now=chat.created_at)
            if chat.title:
                self._store.chats.rename(scope, chat.title)
        self._count("chats", new=new)

    def _messages(self, pack: Pack) -> set[str]:
        """The ids of those that are new."""
        taken = {message.id for message in pack.messages if self._message(message)}
        self.account.known["messages"] += len(pack.messages) - len(taken)
        self.account.imported["messages"] += len(taken)
        return taken

    def _message(self, message: Message) -> bool:
        if not _missing(lambda: self._store.messages.get(self._scope, message.id)):
            return False
        scope = Scope(self.user, message.chat)
        draft = Draft(role=message.role, content=message.content, tool_calls=message.tool_calls)
        read = self.runtime.engine.intake(scope, draft, self.policy)
        own = replace(
            message,
            id=valid_name("id of a message", message.id),
            user=self.user,
            content=read.message.content,
            tokens=read.message.tokens,
        )
        # A client id that is known here belongs to the same message under another id.
        _, new = self._store.messages.add(own, read.chunks)
        return new

    def _memories(self, pack: Pack) -> None:
        """Everything that ever happened to memories, in the order it did: so no two say the same at any time."""
        wanted = {each.id: each for each in pack.memories if self._is_wanted(each)}
        steps = sorted(
            (
                (version.memory.updated_at, memory.id, place)
                for memory in wanted.values()
                for place, version in enumerate(memory.versions)
            ),
        )
        current: dict[str, Memory] = {}
        for _, memory_id, place in steps:
            if place == 0 or memory_id in current:
                self._step(wanted[memory_id], place, current)

    def _step(self, packed: PackedMemory, place: int, current: dict[str, Memory]) -> None:
        version, memories = packed.versions[place], self._store.memories
        then = replace(version.memory, user=self.user, id=packed.id, text=self._cleaned(version.memory.text))
        if place == 0:
            stored, new = memories.add(then, reason=version.reason)
            self._count("memories", new=new)
            if new:
                current[packed.id] = stored
            return
        before = current[packed.id]
        if self._would_repeat(then):
            self._leave_out("memories", then.text, "the same is known here")
            del current[packed.id]
            return
        current[packed.id] = memories.save(
            replace(then, version=before.version), version.change, reason=version.reason
        )

    def _is_wanted(self, packed: PackedMemory) -> bool:
        valid_name("id of a memory", packed.id)
        last = packed.versions[-1].memory
        if self._has(packed.id):
            self._count("memories", new=False)
            return False
        if not self._store.consents.all(self._scope).get(last.kind, True):
            self._leave_out("memories", last.text, f"no consent for {last.kind}")
            return False
        buried = self._store.tombstones.buried_at(self.user, last.fact_hash)
        if buried is not None and last.standing is not Standing.FORGOTTEN:
            self._leave_out("memories", last.text, "it was forgotten here")
            return False
        return True

    def _has(self, memory_id: str) -> bool:
        try:
            return self._store.memories.get(self._scope, memory_id).id == memory_id
        except NotFound:
            return False

    def _would_repeat(self, memory: Memory) -> bool:
        known = self._store.memories.by_hash(self._scope, memory.fact_hash)
        return memory.standing is Standing.ACTIVE and known is not None and known.id != memory.id

    def _cleaned(self, text: str) -> str:
        draft = Draft(role=Role.USER, content=text)
        return self.runtime.engine.intake(self._scope, draft, self.policy).message.content

    def _consent(self, consent: PackedConsent) -> None:
        """An answer that was given elsewhere never erases anything here, nor undoes a no."""
        agreed = self._store.consents.all(self._scope)
        if consent.category not in agreed:
            self._leave_out("consents", consent.category, "there is no such category")
        elif agreed[consent.category] == consent.granted:
            self._count("consents", new=False)
        elif why := self._against(consent):
            self._leave_out("consents", consent.category, why)
        else:
            self.runtime.engine.consent(self._scope, consent.category, granted=consent.granted)
            self._count("consents", new=True)

    def _against(self, consent: PackedConsent) -> str | None:
        if not consent.granted:
            covered = sum(self.runtime.engine.covered(self._scope, consent.category).values())
            return "it would erase what is here" if covered else None
        ledger = self._store.audit.list(self._scope, limit=ALL)
        taken_back = any(e.action == TAKEN_BACK and f'"{consent.category}"' in e.detail for e in ledger)
        return "it was taken back here" if taken_back else None

    def _others(self, pack: Pack) -> None:
        summaries = {summary.id for summary in self._store.summaries.list(self._scope, limit=ALL)}
        for summary in pack.summaries:
            self._summary(summary, summaries)
        for file in pack.contexts:
            self._file(file)
        for profile in pack.profile:
            self._profile(replace(profile, user=self.user))
        kept = self.runtime.preferences(self.user)
        for preference in pack.preferences:
            self._preference(preference.name, preference.value, kept)
        buried = self._store.tombstones.all(self.user)
        for stone in pack.tombstones:
            self._tombstone(stone.fact_hash, new=stone.fact_hash not in buried, pack=pack)

    def _summary(self, summary: Summary, known: set[str]) -> None:
        new = summary.id not in known
        if new:
            self._store.summaries.add(replace(summary, user=self.user))
        self._count("summaries", new=new)

    def _file(self, file: ContextFile) -> None:
        known = self._store.contexts.list(self._scope)
        new = all(file.id != each.id and file.name != each.name for each in known)
        if new:
            self._store.contexts.add(replace(file, user=self.user))
        self._count("contexts", new=new)

    def _profile(self, profile: Profile) -> None:
        if self._store.profiles.get(self._scope) is not None:
            self._count("profile", new=False)
            return
        try:
            self._store.profiles.put(profile)
            self._count("profile", new=True)
        except RecollectError as error:
            self._leave_out("profile", "the profile", str(error))

    def _preference(self, name: str, value: str, kept: dict[str, str]) -> None:
        if name in kept:
            self._count("preferences", new=False)
            return
        if name.startswith(CAPS):
            self._leave_out(
                "preferences", name, "a cap is set by whoever runs this memory, not brought along"
            )
            return
        try:
            self.runtime.settings.resolve(preferences={name: value})
        except ConfigError as error:
            self._leave_out("preferences", name, str(error))
            return
        self._store.preferences.set(self.user, name, value, now=self.runtime.engine.clock.now())
        self._count("preferences", new=True)

    def _tombstone(self, fact_hash: str, *, new: bool, pack: Pack) -> None:
        if new and self._store.memories.by_hash(self._scope, fact_hash) is not None:
            self._leave_out("tombstones", fact_hash, "it is remembered here")
            return
        if new:
            at = next(stone.buried_at for stone in pack.tombstones if stone.fact_hash == fact_hash)
            self._store.tombstones.add(self.user, fact_hash, now=at)
        self._count("tombstones", new=new)


def _missing(get: Callable[[], object]) -> bool:
    try:
        get()
    except NotFound:
        return True
    return False

"""The namespaces of `AsyncMemory`: each method runs in a thread."""

from dataclasses import dataclass

from recollect.library.chats import ChatsNamespace
from recollect.library.imports import ImportsNamespace
from recollect.library.maintenance import MaintenanceNamespace
from recollect.library.memories import MemoriesNamespace
from recollect.library.privacy import PrivacyNamespace
from recollect.library.profile import ProfileNamespace
from recollect.library.receipts import ReceiptsNamespace
from recollect.library.review import ReviewNamespace
from recollect.library.settings import SettingsNamespace
from recollect.library.thread_calls import in_thread


@dataclass(frozen=True, slots=True)
class AsyncMemoriesNamespace:
    sync: MemoriesNamespace

    archive = in_thread(MemoriesNamespace.archive)
    restore = in_thread(MemoriesNamespace.restore)
    pin = in_thread(MemoriesNamespace.pin)
    merge = in_thread(MemoriesNamespace.merge)
    details = in_thread(MemoriesNamespace.details)
    events = in_thread(MemoriesNamespace.events)
    undo = in_thread(MemoriesNamespace.undo)


@dataclass(frozen=True, slots=True)
class AsyncReviewNamespace:
    sync: ReviewNamespace

    list = in_thread(ReviewNamespace.list)
    conflicts = in_thread(ReviewNamespace.conflicts)
    accept = in_thread(ReviewNamespace.accept)
    reject = in_thread(ReviewNamespace.reject)
    duplicates = in_thread(ReviewNamespace.duplicates)
    mark_distinct = in_thread(ReviewNamespace.mark_distinct)


@dataclass(frozen=True, slots=True)
class AsyncChatsNamespace:
    sync: ChatsNamespace

    list = in_thread(ChatsNamespace.list)
    messages = in_thread(ChatsNamespace.messages)
    edit = in_thread(ChatsNamespace.edit)
    regenerate = in_thread(ChatsNamespace.regenerate)
    delete_message = in_thread(ChatsNamespace.delete_message)
    delete = in_thread(ChatsNamespace.delete)
    branch = in_thread(ChatsNamespace.branch)
    mode = in_thread(ChatsNamespace.mode)
    set_mode = in_thread(ChatsNamespace.set_mode)
    rename = in_thread(ChatsNamespace.rename)
    summarize = in_thread(ChatsNamespace.summarize)
    summaries = in_thread(ChatsNamespace.summaries)


@dataclass(frozen=True, slots=True)
class AsyncReceiptsNamespace:
    sync: ReceiptsNamespace

    get = in_thread(ReceiptsNamespace.get)
    list = in_thread(ReceiptsNamespace.list)
    why_not = in_thread(ReceiptsNamespace.why_not)
    feedback = in_thread(ReceiptsNamespace.feedback)
    list_feedback = in_thread(ReceiptsNamespace.list_feedback)
    labels = in_thread(ReceiptsNamespace.labels)


@dataclass(frozen=True, slots=True)
class AsyncProfileNamespace:
    sync: ProfileNamespace

    get = in_thread(ProfileNamespace.get)
    set = in_thread(ProfileNamespace.set)
    context_files = in_thread(ProfileNamespace.context_files)
    add_context_file = in_thread(ProfileNamespace.add_context_file)
    attach_context_file = in_thread(ProfileNamespace.attach_context_file)
    detach_context_file = in_thread(ProfileNamespace.detach_context_file)
    delete_context_file = in_thread(ProfileNamespace.delete_context_file)


@dataclass(frozen=True, slots=True)
class AsyncPrivacyNamespace:
    sync: PrivacyNamespace

    consents = in_thread(PrivacyNamespace.consents)
    consent = in_thread(PrivacyNamespace.consent)
    preview_withdrawal = in_thread(PrivacyNamespace.preview_withdrawal)
    erase = in_thread(PrivacyNamespace.erase)
    preview_erasure = in_thread(PrivacyNamespace.preview_erasure)
    audit_log = in_thread(PrivacyNamespace.audit_log)


@dataclass(frozen=True, slots=True)
class AsyncImportsNamespace:
    sync: ImportsNamespace

    preview = in_thread(ImportsNamespace.preview)
    list = in_thread(ImportsNamespace.list)
    undo = in_thread(ImportsNamespace.undo)


@dataclass(frozen=True, slots=True)
class AsyncMaintenanceNamespace:
    sync: MaintenanceNamespace

    run = in_thread(MaintenanceNamespace.run)
    forecast = in_thread(MaintenanceNamespace.forecast)
    reembed = in_thread(MaintenanceNamespace.reembed)
    repair = in_thread(MaintenanceNamespace.repair)
    doctor = in_thread(MaintenanceNamespace.doctor)
    backup = in_thread(MaintenanceNamespace.backup)
    jobs = in_thread(MaintenanceNamespace.jobs)
    retry_jobs = in_thread(MaintenanceNamespace.retry_jobs)
    stats = in_thread(MaintenanceNamespace.stats)
    metrics = in_thread(MaintenanceNamespace.metrics)
    analytics = in_thread(MaintenanceNamespace.analytics)


@dataclass(frozen=True, slots=True)
class AsyncSettingsNamespace:
    sync: SettingsNamespace

    get = in_thread(SettingsNamespace.get)
    list = in_thread(SettingsNamespace.list)
    set = in_thread(SettingsNamespace.set)
    presets = in_thread(SettingsNamespace.presets)
    models = in_thread(SettingsNamespace.models)
    tune = in_thread(SettingsNamespace.tune)
    tunings = in_thread(SettingsNamespace.tunings)
    save_tuning = in_thread(SettingsNamespace.save_tuning)
    undo_tuning = in_thread(SettingsNamespace.undo_tuning)

"""
The functions of the five designs, under their names. `app` and `memory` are the open `Memory`.

`recollect.integrations.repository` and `recollect.integrations.chroma` have the operations of their stores.
"""

# ruff: noqa: N802 - the spelling of the designs

from collections.abc import Mapping, Sequence

from recollect.context.prompt_builder import build_system_message as join_system_message
from recollect.context.prompt_templates import load_system_prompt
from recollect.domain.consent import PROFILE_CATEGORY, ConsentChange
from recollect.domain.outcomes import AddResult, IngestResult
from recollect.domain.recall import ContextBlockRequest, ContextResult, SearchResults
from recollect.domain.scope import DEFAULT_CHAT, Scope
from recollect.domain.summary import Summary
from recollect.library.memory import Memory
from recollect.serialization import parsers


def extract_and_store(
    user_content: str,
    assistant_content: str,
    app: Memory,
    context_ids: Sequence[str] | None = None,
    *,
    user_id: str | None = None,
    chat_id: str = DEFAULT_CHAT,
    settings: Mapping[str, object] | None = None,
) -> AddResult:
    """Ingest one exchange and extract its facts now; the given context files are attached to its chat."""
    for context_id in context_ids or ():
        app.profile.attach_context_file(context_id, chat_id, user_id=user_id)
    exchange: list[Mapping[str, object]] = [
        {"role": "user", "content": user_content},
        {"role": "assistant", "content": assistant_content},
    ]
    return app.add(exchange, user_id=user_id, chat_id=chat_id, sync=True, settings=settings)


def build_system_message(
    context_ids: Sequence[str] | None = None,
    rag_query: str = "",
    fallback_memories: Sequence[str] | None = None,
    rules_for_request: str | None = None,
    *,
    app: Memory,
    system: str | None = None,
    user_id: str | None = None,
    chat_id: str | None = None,
    settings: Mapping[str, object] | None = None,
) -> str:
    """
    Return a complete system message: the host's own, unchanged and first, then the memory block, then rules.

    Without a host message it begins with the prompt `system`. `fallback_memories` are used if nothing is recalled.
    """
    application = app.application
    scope = Scope(application.settings.resolve().machine.user if user_id is None else user_id, chat_id)
    policy = application.policy(scope.user, settings, chat=chat_id)
    request = ContextBlockRequest(
        scope=scope,
        query=parsers.replace_surrogates(rag_query),
        policy=policy,
        context_ids=context_ids or (),
        fallback=fallback_memories or (),
    )
    if system is None:
        system = load_system_prompt(policy.context.locale, application.prompts)
    return join_system_message(system, application.services.recall.context(request).text, rules_for_request)


def saveMessage(
    memory: Memory, conversation_id: str, role: str, content: str, *, user_id: str | None = None
) -> IngestResult:
    """Store a message of a conversation; its facts are extracted in the background."""
    message = {"role": role, "content": content}
    return memory.add(message, chat_id=conversation_id, user_id=user_id).messages[0]


def retrieveMemory(
    memory: Memory,
    query: str,
    conversation_id: str | None = None,
    *,
    limit: int | None = None,
    user_id: str | None = None,
) -> SearchResults:
    """Return the passages relevant to a query, best first."""
    return memory.search(query, chat_id=conversation_id, limit=limit, user_id=user_id)


def assembleMemoryContext(
    memory: Memory,
    query: str,
    conversation_id: str | None = None,
    *,
    budget: int | None = None,
    user_id: str | None = None,
) -> ContextResult:
    """Return the memory block for the next prompt of a conversation, with its receipt."""
    return memory.context(query, chat_id=conversation_id, budget=budget, user_id=user_id)


def generateConversationSummary(
    memory: Memory, conversation_id: str, *, user_id: str | None = None
) -> Sequence[Summary]:
    """Summarize a conversation now; empty if it has no new messages."""
    return memory.chats.summarize(conversation_id, user_id=user_id)


def revokeMemoryConsent(memory: Memory, *, user_id: str | None = None) -> ConsentChange:
    """Withdraw the consent to the profile, which erases it."""
    return memory.privacy.consent(PROFILE_CATEGORY, granted=False, user_id=user_id)

"""Answers the hooks of coding agents, for the server and for `recollect-hook` without a server."""

from dataclasses import dataclass
from typing import assert_never

from recollect.bootstrap import Application
from recollect.domain.message import MessageDraft, Role
from recollect.domain.scope import Scope
from recollect.errors import NotFound
from recollect.hosts.answers import NO_ANSWER, Answer, fits
from recollect.hosts.events import (
    AnswerCompleted,
    ContextStarted,
    EventIgnored,
    Payload,
    PromptSubmitted,
    chat_id,
)
from recollect.hosts.hooks import HOOK_FORMATS


@dataclass(frozen=True, slots=True, kw_only=True)
class HookResult:
    answer: Answer  #: in the agent's JSON
    ends_turn: bool = False  #: whether the agent has answered, so that nobody waits for this hook


def answer_hook(application: Application, user: str, host: str, payload: Payload) -> HookResult:
    """Store what a hook reports, and return what to inject."""
    if host not in HOOK_FORMATS:
        raise NotFound(f"There are no hooks for {host!r}. Use one of: {', '.join(HOOK_FORMATS)}.")
    hook = HOOK_FORMATS[host]
    event = hook.parse_event(payload)
    if isinstance(event, EventIgnored):
        return HookResult(answer=NO_ANSWER)
    scope = Scope(user, chat_id(host, event.session))
    policy, sessions = application.policy(user, chat=scope.chat), application.services.agent_sessions

    def text_fits(text: str) -> bool:
        return fits(text, hook.format_answer(payload, text))

    match event:
        case ContextStarted():
            text = sessions.start_context(scope, policy, with_profile=hook.profile_at_start, fits=text_fits)
        case PromptSubmitted(text=prompt, id=client_id):
            draft = MessageDraft(role=Role.USER, content=prompt, client_id=client_id)
            text = sessions.submit_prompt(
                scope, draft, policy, has_profile=hook.profile_at_start, fits=text_fits
            )
        case AnswerCompleted(text=answer, id=client_id):
            sessions.finish_answer(scope, answer, policy, client_id=client_id)
            text = ""
        case _:
            assert_never(event)
    application.worker.wake()
    return HookResult(answer=hook.format_answer(payload, text), ends_turn=isinstance(event, AnswerCompleted))

"""Prompt templates for summaries, one file per prompt and language."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from recollect.text.template import Template, select_template


def build_working_memory_prompt(
    previous: str,
    recent: str,
    *,
    locale: str = "en",
    max_words: int = 30,
    overrides: Mapping[str, str] | None = None,
) -> str:
    """Return the prompt that updates the session summary with the messages since the last one."""
    values = {"resumo_anterior": previous, "buffer_recente": recent}
    values |= {"previous_summary": previous, "recent_messages": recent, "max_words": str(max_words)}
    return load_prompt("working_memory", locale, overrides).fill(values)


def build_conversation_summary_prompt(
    message_count: int,
    *,
    locale: str = "en",
    max_tokens: int = 200,
    overrides: Mapping[str, str] | None = None,
) -> str:
    """Return the prompt for a summary of the last messages; the caller appends the messages."""
    values = {"N": str(message_count), "max_tokens": str(max_tokens)}
    return load_prompt("conversation_summary", locale, overrides).fill(values)


def load_prompt(name: str, locale: str, overrides: Mapping[str, str] | None = None) -> Template:
    """Return the template for a locale: the user's `name.pt`, else their `name`, else the built-in one."""
    full_name, text = select_template(name, locale, overrides)
    return _load_builtin(full_name) if text is None else Template.parse(text)


@cache
def _load_builtin(name: str) -> Template:
    return Template.parse(files("recollect.maintenance").joinpath("prompts", f"{name}.md").read_text("utf-8"))

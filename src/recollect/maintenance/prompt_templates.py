"""The prompts for summaries, one file each, in English and Portuguese."""

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
    """Ask for the session summary anew: what it was, and what has been said since."""
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
    """Ask for a summary of the last messages, which follow in the same prompt."""
    values = {"N": str(message_count), "max_tokens": str(max_tokens)}
    return load_prompt("conversation_summary", locale, overrides).fill(values)


def load_prompt(name: str, locale: str, overrides: Mapping[str, str] | None = None) -> Template:
    """A prompt in a language: the user's own for `name.pt`, else for `name`, else ours. English is the fallback."""
    full, text = select_template(name, locale, overrides)
    return _load_builtin(full) if text is None else Template.parse(text)


@cache
def _load_builtin(name: str) -> Template:
    return Template.parse(files("recollect.maintenance").joinpath("prompts", f"{name}.md").read_text("utf-8"))

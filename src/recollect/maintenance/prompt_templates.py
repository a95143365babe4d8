"""The prompts for summaries, one file each, in English and Portuguese."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from recollect.text.template import Template, chosen


def working_memory(
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
    return prompt("working_memory", locale, overrides).fill(values)


def conversation_summary(
    messages: int,
    *,
    locale: str = "en",
    max_tokens: int = 200,
    overrides: Mapping[str, str] | None = None,
) -> str:
    """Ask for a summary of the last messages, which follow in the same prompt."""
    values = {"N": str(messages), "max_tokens": str(max_tokens)}
    return prompt("conversation_summary", locale, overrides).fill(values)


def prompt(name: str, locale: str, overrides: Mapping[str, str] | None = None) -> Template:
    """A prompt in a language: the user's own for `name.pt`, else for `name`, else ours. English is the fallback."""
    full, text = chosen(name, locale, overrides)
    return _shipped(full) if text is None else Template.parse(text)


@cache
def _shipped(name: str) -> Template:
    return Template.parse(files("recollect.maintenance").joinpath("prompts", f"{name}.md").read_text("utf-8"))

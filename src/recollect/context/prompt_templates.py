"""The system prompt for hosts that have none of their own, in English and Portuguese."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from recollect.text.template import Template, select_template


def load_system_prompt(locale: str, overrides: Mapping[str, str] | None = None) -> str:
    """Return the override for `system.pt` (if Portuguese), else for `system`, else the built-in prompt."""
    name, text = select_template("system", locale, overrides)
    return (_load_builtin(name) if text is None else Template.parse(text)).text


@cache
def _load_builtin(name: str) -> Template:
    return Template.parse(files("recollect.context").joinpath("prompts", f"{name}.md").read_text("utf-8"))

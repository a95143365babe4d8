"""Prompt templates for extraction, one file per prompt and language."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from recollect.text.template import Template, select_template


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    name: str
    template: Template

    @property
    def label(self) -> str:
        """Name and version of the prompt, for traces."""
        return f"{self.name}/{self.template.version}"


def load_prompt(name: str, locale: str, overrides: Mapping[str, str] | None = None) -> Prompt:
    """Return the prompt for a locale: the user's `list.pt`, else their `list`, else the built-in one."""
    full_name, text = select_template(name, locale, overrides)
    return Prompt(name=full_name, template=_load_builtin(full_name) if text is None else Template.parse(text))


@cache
def _load_builtin(name: str) -> Template:
    return Template.parse(files("recollect.extraction").joinpath("prompts", f"{name}.md").read_text("utf-8"))

"""The judge's prompts, one file each, in English and Portuguese."""

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
        """Names the prompt and its version, for traces."""
        return f"{self.name}/{self.template.version}"


def load_prompt(name: str, locale: str, overrides: Mapping[str, str] | None = None) -> Prompt:
    """A prompt in a language: the user's own for `list.pt`, else for `list`, else ours. English is the fallback."""
    full, text = select_template(name, locale, overrides)
    return Prompt(name=full, template=_load_builtin(full) if text is None else Template.parse(text))


@cache
def _load_builtin(name: str) -> Template:
    return Template.parse(files("recollect.extraction").joinpath("prompts", f"{name}.md").read_text("utf-8"))

"""Custom prompts: one file per prompt, named after the built-in prompt it replaces."""

from collections.abc import Collection, Iterator
from difflib import get_close_matches
from pathlib import Path

from recollect.errors import ConfigError

PROMPT_SUFFIX = ".md"
PROMPT_LOCALES = ("en", "pt")
#: A README in the folder is not a prompt.
IGNORED_NAMES = frozenset({"readme"})


def read_prompts(folder: Path, known_names: Collection[str]) -> dict[str, str]:
    """
    Return the texts of a folder by name: `list` for every language, `list.pt` for one.

    Raise ConfigError for a name that replaces no built-in prompt.
    """
    prompts = dict(_read_texts(folder))
    for name in prompts:
        base, _, locale = name.partition(".")
        if base not in known_names or locale not in {"", *PROMPT_LOCALES}:
            close_names = get_close_matches(name, sorted(known_names), n=1)
            hint = f" Did you mean {close_names[0]}{PROMPT_SUFFIX}?" if close_names else ""
            raise ConfigError(
                f"{name}{PROMPT_SUFFIX} in {folder} replaces no built-in prompt.{hint}"
                f" The prompts are {', '.join(sorted(known_names))}; to replace one language only, use a name like"
                f" list.pt{PROMPT_SUFFIX}."
            )
    return prompts


def _read_texts(folder: Path) -> Iterator[tuple[str, str]]:
    try:
        for path in sorted(folder.iterdir()):
            if path.suffix == PROMPT_SUFFIX and path.stem.casefold() not in IGNORED_NAMES:
                yield path.stem, path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise ConfigError(
            f"The prompts in {folder} cannot be read: {error.strerror}. Fix the folder, or unset `prompts`."
        ) from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"A prompt in {folder} is not UTF-8: {error.reason}. Save it as UTF-8.") from error

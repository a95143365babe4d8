"""The user's own prompts: one file each, named like the one it stands in for."""

from collections.abc import Collection, Iterator
from difflib import get_close_matches
from pathlib import Path

from recollect.errors import ConfigError

ENDING = ".md"
LOCALES = ("en", "pt")
#: A folder may explain itself.
IGNORED = frozenset({"readme"})


def read_prompts(folder: Path, known: Collection[str]) -> dict[str, str]:
    """The texts of a folder by name: `list` for every language, `list.pt` for one. ConfigError if one has no use."""
    found = dict(_texts(folder))
    for name in found:
        base, _, locale = name.partition(".")
        if base not in known or locale not in {"", *LOCALES}:
            meant = get_close_matches(name, sorted(known), n=1)
            hint = f" Did you mean {meant[0]}{ENDING}?" if meant else ""
            raise ConfigError(
                f"There is no prompt {name}{ENDING} to stand in for (in {folder}).{hint}"
                f" There are {', '.join(sorted(known))}; for one language alone, as in list.pt{ENDING}."
            )
    return found


def _texts(folder: Path) -> Iterator[tuple[str, str]]:
    try:
        for path in sorted(folder.iterdir()):
            if path.suffix == ENDING and path.stem.casefold() not in IGNORED:
                yield path.stem, path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise ConfigError(
            f"The prompts in {folder} cannot be read: {error.strerror}. Correct that, or unset `prompts`."
        ) from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"A prompt in {folder} is not UTF-8: {error.reason}. Save it as UTF-8.") from error

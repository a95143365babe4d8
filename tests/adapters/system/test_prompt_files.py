from pathlib import Path

import pytest

from recollect.adapters.system.prompt_files import read_prompts
from recollect.errors import ConfigError

PROMPT_NAMES = ("list", "batch", "system")


def test_a_prompt_is_read_by_name_with_or_without_a_language(tmp_path: Path) -> None:
    (tmp_path / "list.md").write_text("Facts, please.", "utf-8")
    (tmp_path / "batch.pt.md").write_bytes("\ufeffFatos, por favor.".encode())
    (tmp_path / "README.md").write_text("Why we do this.", "utf-8")
    (tmp_path / "notes.txt").write_text("not a prompt", "utf-8")

    assert read_prompts(tmp_path, PROMPT_NAMES) == {"list": "Facts, please.", "batch.pt": "Fatos, por favor."}


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("lst.md", "Did you mean list.md?"),
        ("list.fr.md", "Did you mean list.md?"),
        ("zzz.md", "The prompts are batch, list, system;"),
    ],
)
def test_a_file_that_replaces_no_prompt_is_an_error_that_lists_the_prompts(
    tmp_path: Path, name: str, hint: str
) -> None:
    (tmp_path / name).write_text("Facts, please.", "utf-8")

    with pytest.raises(ConfigError) as raised:
        read_prompts(tmp_path, PROMPT_NAMES)
    assert hint in str(raised.value)


def test_a_missing_folder_is_an_error_that_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="unset `prompts`"):
        read_prompts(tmp_path / "nowhere", PROMPT_NAMES)


def test_a_prompt_that_is_not_utf8_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "list.md").write_bytes(b"\xff\xfe")

    with pytest.raises(ConfigError, match="UTF-8"):
        read_prompts(tmp_path, PROMPT_NAMES)

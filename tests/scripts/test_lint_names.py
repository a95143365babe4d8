"""The name lint finds planted examples and accepts conventional names."""

from pathlib import Path

import pytest
from scripts.lint_names import find_problems


def write(root: Path, module: str, source: str) -> None:
    path = root / module
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(source, "utf-8")


def test_a_class_name_in_two_modules_is_reported(tmp_path: Path) -> None:
    write(tmp_path, "server/chat.py", "class Turn: ...")
    write(tmp_path, "services/chat.py", "class Turn: ...")

    [problem] = find_problems(tmp_path)

    assert problem == "class Turn is defined in server/chat.py, services/chat.py: give each a name of its own"


def test_an_adapter_may_carry_the_name_of_its_port(tmp_path: Path) -> None:
    write(tmp_path, "ports/clock.py", "class Clock: ...")
    write(tmp_path, "adapters/system/clock.py", "class Clock: ...")
    write(tmp_path, "testing/clock.py", "class Clock: ...")

    assert not list(find_problems(tmp_path))


def test_a_constant_of_one_word_in_two_modules_is_reported(tmp_path: Path) -> None:
    write(tmp_path, "text/tokens.py", "LONGEST = 64")
    write(tmp_path, "cli/render.py", "LONGEST: int = 80\nMAX_ROWS = 5")
    write(tmp_path, "cli/output.py", "MAX_ROWS = 5")

    [problem] = find_problems(tmp_path)

    assert problem.startswith("constant LONGEST is defined in cli/render.py, text/tokens.py")


@pytest.mark.parametrize("module", ["listening.py", "told.py", "asked.py", "moving.py"])
def test_a_module_that_is_a_participle_or_gerund_is_reported(tmp_path: Path, module: str) -> None:
    write(tmp_path, module, "")

    [problem] = find_problems(tmp_path)

    assert problem.startswith(f"module {module} is a participle or gerund")


@pytest.mark.parametrize("name", ["Told", "Listening", "Recalled", "Found"])
def test_a_class_that_is_a_participle_or_gerund_is_reported(tmp_path: Path, name: str) -> None:
    write(tmp_path, "chat.py", f"class {name}: ...")

    [problem] = find_problems(tmp_path)

    assert problem.startswith(f"class {name} in chat.py is a participle or gerund")


@pytest.mark.parametrize(
    "module", ["embedding.py", "chunking.py", "query.py", "vector_cache.py", "__init__.py"]
)
def test_terms_of_the_field_are_accepted(tmp_path: Path, module: str) -> None:
    write(tmp_path, module, "class SearchPlan: ...\nclass StoredMessage: ...\nMAX_QUERY_TOKENS = 512")

    assert not list(find_problems(tmp_path))

from pathlib import Path

import pytest
from tests.cli.runner import InProcessCli

MEMORY_TEXT = "I ride a red bicycle to work every day"


def levels_by_check(report: dict[str, list[dict[str, str]]]) -> dict[str, str]:
    return {finding["name"]: finding["level"] for finding in report["findings"]}


def test_a_sound_memory_gets_an_ok_for_everything(cli: InProcessCli) -> None:
    cli("add", MEMORY_TEXT)
    shown, shaped = cli("doctor"), cli.json("doctor", "--deep")

    assert shown.exit_code == 0
    assert shaped["ok"] is True
    assert set(shaped["findings"][0]) == {"name", "ok", "detail", "fix", "level"}
    assert set(levels_by_check(shaped).values()) == {"ok"}
    for name in ("python", "file", "sqlite", "schema", "integrity", "full text", "embedder", "vectors by model",
                 "pending vectors", "parked jobs", "settings", "disk"):  # fmt: skip
        assert name in levels_by_check(shaped)
        assert name in shown.stdout
    assert "hashing-256, 256 dimensions" in shown.stdout


def test_a_missing_model_fails_and_what_waits_for_it_is_named(
    cli: InProcessCli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "fastembed")
    cli("add", MEMORY_TEXT)
    answer = cli("doctor", "--json")
    found = levels_by_check(answer.payload)

    assert answer.exit_code == 5
    assert (found["embedder"], found["pending vectors"], found["parked job"]) == ("fail", "warn", "warn")
    assert "jobs retry 1" in cli("doctor").stdout


def test_no_embedder_is_a_warning(cli: InProcessCli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "none")
    answer = cli("doctor", "--json")

    assert answer.exit_code == 5
    assert levels_by_check(answer.payload)["embedder"] == "warn"


def test_a_file_that_others_may_read_is_a_warning_with_the_command_that_mends_it(cli: InProcessCli) -> None:
    cli("add", MEMORY_TEXT)
    cli.db.chmod(0o644)
    answer = cli("doctor")

    assert answer.exit_code == 5
    assert f"chmod 600 {cli.db}" in answer.stdout


def test_doubtful_settings_are_a_warning(cli: InProcessCli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAG_TOKEN_BUDGET", "10")
    answer = cli("doctor", "--json")

    assert answer.exit_code == 5
    assert levels_by_check(answer.payload)["settings"] == "warn"


def test_a_damaged_file_fails_in_words(cli: InProcessCli) -> None:
    for number in range(30):
        cli("add", "--no-wait", f"{MEMORY_TEXT}, and that is trip number {number}")
    with cli.db.open("r+b") as file:
        file.seek(8192)
        file.write(b"\xff" * 40_000)
    answer = cli("doctor", "--json")

    assert answer.exit_code == 5
    assert "fail" in levels_by_check(answer.payload).values()
    assert "Traceback" not in answer.stderr


@pytest.mark.parametrize(
    "content", [b"not a database at all, just words", b"SQLite format 3\x00 and nonsense"]
)
def test_something_else_than_a_memory_fails_in_one_line_and_is_left_as_it_was(
    cli: InProcessCli, content: bytes
) -> None:
    Path("other.txt").write_bytes(content)
    answer = cli.run_raw("doctor", "--db", "other.txt", "--json")

    assert answer.exit_code == 5
    assert answer.payload["findings"][-1]["level"] == "fail"
    assert Path("other.txt").read_bytes() == content

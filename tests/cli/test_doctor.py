from pathlib import Path

import pytest
from tests.cli.runner import InProcessCli

MEMORY_TEXT = "I ride a red bicycle to work every day"


def levels_by_check(report: dict[str, list[dict[str, str]]]) -> dict[str, str]:
    return {finding["name"]: finding["level"] for finding in report["findings"]}


def test_a_healthy_file_passes_all_checks(cli: InProcessCli) -> None:
    cli("add", MEMORY_TEXT)
    text_result, payload = cli("doctor"), cli.json("doctor", "--deep")

    assert text_result.exit_code == 0
    assert payload["ok"] is True
    assert set(payload["findings"][0]) == {"name", "ok", "detail", "fix", "level"}
    assert set(levels_by_check(payload).values()) == {"ok"}
    for name in ("python", "file", "sqlite", "schema", "integrity", "full text", "embedder", "vectors by model",
                 "pending vectors", "parked jobs", "settings", "disk"):  # fmt: skip
        assert name in levels_by_check(payload)
        assert name in text_result.stdout
    assert "hashing-256, 256 dimensions" in text_result.stdout


def test_a_missing_model_fails_and_pending_vectors_warn(
    cli: InProcessCli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "fastembed")
    cli("add", MEMORY_TEXT)
    result = cli("doctor", "--json")
    levels = levels_by_check(result.payload)

    assert result.exit_code == 5
    assert (levels["embedder"], levels["pending vectors"], levels["parked job"]) == ("fail", "warn", "warn")
    assert "jobs retry 1" in cli("doctor").stdout


def test_no_embedder_is_a_warning(cli: InProcessCli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "none")
    result = cli("doctor", "--json")

    assert result.exit_code == 5
    assert levels_by_check(result.payload)["embedder"] == "warn"


def test_a_world_readable_file_is_a_warning_with_a_fix(cli: InProcessCli) -> None:
    cli("add", MEMORY_TEXT)
    cli.db.chmod(0o644)
    result = cli("doctor")

    assert result.exit_code == 5
    assert f"chmod 600 {cli.db}" in result.stdout


def test_doubtful_settings_are_a_warning(cli: InProcessCli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAG_TOKEN_BUDGET", "10")
    result = cli("doctor", "--json")

    assert result.exit_code == 5
    assert levels_by_check(result.payload)["settings"] == "warn"


def test_a_damaged_file_fails_without_a_traceback(cli: InProcessCli) -> None:
    for number in range(30):
        cli("add", "--no-wait", f"{MEMORY_TEXT}, and that is trip number {number}")
    with cli.db.open("r+b") as file:
        file.seek(8192)
        file.write(b"\xff" * 40_000)
    result = cli("doctor", "--json")

    assert result.exit_code == 5
    assert "fail" in levels_by_check(result.payload).values()
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(
    "content", [b"not a database at all, just words", b"SQLite format 3\x00 and nonsense"]
)
def test_a_file_that_is_not_a_store_fails_and_is_unchanged(cli: InProcessCli, content: bytes) -> None:
    Path("other.txt").write_bytes(content)
    result = cli.run_raw("doctor", "--db", "other.txt", "--json")

    assert result.exit_code == 5
    assert result.payload["findings"][-1]["level"] == "fail"
    assert Path("other.txt").read_bytes() == content

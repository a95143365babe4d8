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
                 "pending vectors", "failed jobs", "settings", "disk"):  # fmt: skip
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
    assert (levels["embedder"], levels["pending vectors"], levels["failed job"]) == ("fail", "warn", "warn")
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


GERMAN_MESSAGES = (
    "Ich wohne seit drei Jahren in Hamburg und arbeite als Lehrerin.",
    "Meine Schwester ist Ärztin und wohnt mit ihrem Mann in Leipzig.",
    "Ich esse kein Fleisch, aber ich mag Fisch sehr gerne.",
)


def add_messages(cli: InProcessCli, *texts: str) -> None:
    for text in texts:
        cli("add", "--no-wait", "--role", "user", text)
    cli("worker", "--once")


def test_messages_in_a_language_without_rules_are_a_warning(cli: InProcessCli) -> None:
    add_messages(cli, "I live in Porto with my sister Ana.", *GERMAN_MESSAGES)
    result = cli("doctor", "--json")
    [finding] = [each for each in result.payload["findings"] if each["name"] == "languages learned"]

    assert result.exit_code == 5
    assert (finding["level"], finding["detail"], finding["fix"]) == (
        "warn",
        "3 of the last 4 messages are in languages without extraction rules (de), so nothing is learned from them",
        "set `model`; see `recollect settings`",
    )


def test_with_a_model_or_without_extraction_every_language_is_fine(
    cli: InProcessCli, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_messages(cli, *GERMAN_MESSAGES)
    unchanged_names = levels_by_check(cli("doctor", "--json").payload)
    with monkeypatch.context() as with_model:
        with_model.setenv("RECOLLECT_MODEL", "echo")
        with_model.setenv("RECOLLECT_MODEL_URL", "http://127.0.0.1:9/v1")
        with_model_names = levels_by_check(cli("doctor", "--json").payload)
    monkeypatch.setenv("RECOLLECT_EXTRACTION_MODE", "off")
    without_extraction_names = levels_by_check(cli("doctor", "--json").payload)

    expected_names = unchanged_names.keys() - {"languages learned"}
    assert expected_names < unchanged_names.keys()
    assert with_model_names.keys() == without_extraction_names.keys() == expected_names


def test_english_and_portuguese_messages_are_learned(cli: InProcessCli) -> None:
    add_messages(cli, "I live in Porto.", "Moro no Porto com a minha irmã.", "ok", "Sou vegetariana.")

    assert "languages learned" not in levels_by_check(cli.json("doctor"))


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

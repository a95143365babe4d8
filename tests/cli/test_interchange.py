import json
import stat

import pytest
from tests.cli.runner import InProcessCli

TEA_TEXT = "I like green tea in the morning"
CATS_TEXT = "My two cats are called Pixel and Byte"


def texts(cli: InProcessCli, *words: str) -> list[str]:
    return sorted(each["memory"] for each in cli.json("list", *words)["results"])


@pytest.mark.spec("E4")
def test_a_compact_export_is_imported_without_loss(cli: InProcessCli) -> None:
    tea = cli.add_memory(TEA_TEXT)
    cli("add", CATS_TEXT, "--kind", "biography", "--tag", "pets")
    cli("pin", tea)
    result = cli("export", "all.json")
    import_payload = cli.json("import", "all.json", "--user", "twin")
    mine, theirs = cli.json("list"), cli.json("list", "--user", "twin")
    compared_keys = (
        "id",
        "memory",
        "kind",
        "weight",
        "tags",
        "pinned",
        "times_stated",
        "created_at",
        "last_stated_at",
    )

    assert result.stdout == "Wrote 2 memories to all.json.\n"
    assert len(import_payload["results"]) == 2
    assert [{key: each[key] for key in compared_keys} for each in theirs["results"]] == [
        {key: each[key] for key in compared_keys} for each in mine["results"]
    ]
    assert {each["origin"] for each in theirs["results"]} == {"import"}


@pytest.mark.spec("E4")
def test_the_compact_format_goes_to_standard_output(cli: InProcessCli) -> None:
    memory_id = cli.add_memory(TEA_TEXT)
    text_result, payload = cli("export"), cli.json("export")
    [entry] = json.loads(text_result.stdout)

    assert (entry["i"], entry["t"], entry["c"], entry["w"]) == (memory_id, "pref", TEA_TEXT, 1.0)
    assert text_result.stdout.startswith('[{"i":"')
    assert payload == {"format": "compact", "memories": [entry]}
    assert "1 memory." in text_result.stderr


def test_the_jsonl_format_has_one_object_per_line(cli: InProcessCli) -> None:
    cli("add", TEA_TEXT)
    cli("add", CATS_TEXT)
    lines = cli("export", "--format", "jsonl").stdout.splitlines()

    assert [json.loads(line)["memory"] for line in lines] == [CATS_TEXT, TEA_TEXT]
    assert len(cli.json("export", "--format", "jsonl")["memories"]) == 2


def test_inactive_memories_are_exported_with_all_and_not_imported(cli: InProcessCli) -> None:
    cli("archive", cli.add_memory(TEA_TEXT))
    cli("add", CATS_TEXT)
    cli("export", "all.json", "--all")
    import_payload = cli.json("import", "all.json", "--user", "twin")

    assert len(json.loads(cli("export").stdout)) == 1
    assert import_payload["left_out"] == [{"memory": TEA_TEXT, "reason": "it is archived"}]
    assert texts(cli, "--user", "twin") == [CATS_TEXT]


def test_importing_twice_stores_nothing_twice(cli: InProcessCli) -> None:
    cli("add", TEA_TEXT)
    cli("export", "all.json")
    second_result = cli("import", "all.json")

    assert (second_result.exit_code, second_result.stdout) == (0, "Imported 0 memories, 1 already known.\n")
    assert [(each["times_stated"], each["version"]) for each in cli.json("list")["results"]] == [(1, 1)]


def test_forgotten_memories_are_not_imported(cli: InProcessCli) -> None:
    tea = cli.add_memory(TEA_TEXT)
    cli("export", "all.json")
    cli("forget", tea, "--yes")
    result = cli("import", "all.json")

    assert result.stdout == "Imported 0 memories, 1 skipped.\n"
    assert f"Skipped: {TEA_TEXT} (it was forgotten here)" in result.stderr
    assert texts(cli) == []


def test_kinds_without_consent_are_not_imported(cli: InProcessCli) -> None:
    cli("consent", "revoke", "preference")
    payload = cli.json("import", "-", stdin=b'[{"t":"pref","c":"odeia coentro","w":0.8}]')

    assert payload["left_out"] == [{"memory": "odeia coentro", "reason": "no consent for preference"}]


def test_a_whole_import_is_undone_at_once(cli: InProcessCli) -> None:
    entries = [{"t": "pref", "c": "odeia coentro", "w": 0.8}, {"t": "bio", "c": "trabalha: dev frontend"}]
    cli("import", "-", stdin=json.dumps(entries).encode())
    before = texts(cli)
    cli("undo")

    assert (before, texts(cli)) == (["odeia coentro", "trabalha: dev frontend"], [])


def test_an_older_imported_fact_is_superseded(cli: InProcessCli) -> None:
    cli("add", "--role", "user", "I live in Porto")
    entries = [{"t": "bio", "c": "lives in Lisbon", "a": "lives_in", "d": "200101"}]
    cli("import", "-", stdin=json.dumps(entries).encode())

    assert texts(cli) == ["lives in Porto"]
    assert texts(cli, "--status", "superseded") == ["lives in Lisbon"]


def test_secrets_in_an_import_are_redacted(cli: InProcessCli) -> None:
    cli("import", "-", stdin=b'[{"t":"bio","c":"pays with 4111 1111 1111 1111"}]')

    assert "4111" not in texts(cli)[0]


def test_an_export_is_private_and_overwrites_only_with_yes(cli: InProcessCli) -> None:
    cli("add", TEA_TEXT)
    cli("export", "all.json")
    refused_result, allowed_result = cli("export", "all.json"), cli("export", "all.json", "--yes")

    assert stat.S_IMODE((cli.folder / "all.json").stat().st_mode) == 0o600
    assert (refused_result.exit_code, allowed_result.exit_code) == (4, 0)
    assert "all.json already exists. Overwrite it?" in refused_result.stderr


@pytest.mark.parametrize(
    "content", [b"", b"{}", b"nonsense", b'[{"c":"no type"}]', b'[{"t":"moon","c":"x"}]']
)
def test_an_invalid_export_is_refused_and_nothing_is_stored(cli: InProcessCli, content: bytes) -> None:
    assert cli("import", "-", stdin=content).exit_code == 2
    assert cli.json("stats")["memories"] == 0


def test_a_file_that_cannot_be_read_or_written_is_refused(cli: InProcessCli) -> None:
    assert cli("import", "nowhere.json").exit_code == 2
    assert cli("export", "no/such/folder.json").exit_code == 2

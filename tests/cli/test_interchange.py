import json
import stat
import zipfile

import pytest
from tests.cli.runner import InProcessCli
from tests.interchange.samples import CHATGPT

from recollect.cli.interchange import OMISSION_LABELS
from recollect.interchange.exports import ExportFormat
from recollect.interchange.items import OmissionReason

TEA_TEXT = "I like green tea in the morning"
CATS_TEXT = "My two cats are called Pixel and Byte"


def texts(cli: InProcessCli, *words: str) -> list[str]:
    return sorted(each["memory"] for each in cli.json("memories", "list", *words)["results"])


@pytest.mark.spec("E4")
def test_a_compact_export_is_imported_without_loss(cli: InProcessCli) -> None:
    tea = cli.add_memory(TEA_TEXT)
    cli("add", CATS_TEXT, "--kind", "biography", "--tag", "pets")
    cli("memories", "pin", tea)
    result = cli("export", "--format", "compact", "all.json")
    import_payload = cli.json("import", "all.json", "--user", "twin")
    mine, theirs = cli.json("memories", "list"), cli.json("memories", "list", "--user", "twin")
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

    assert result.stdout.startswith("Wrote 1 file (")
    assert import_payload["memories"] == 2
    assert [{key: each[key] for key in compared_keys} for each in theirs["results"]] == [
        {key: each[key] for key in compared_keys} for each in mine["results"]
    ]
    assert {each["origin"] for each in theirs["results"]} == {"import"}


@pytest.mark.spec("E4")
def test_the_compact_format_goes_to_standard_output(cli: InProcessCli) -> None:
    memory_id = cli.add_memory(TEA_TEXT)
    text_result, payload = cli("export", "--format", "compact"), cli.json("export", "--format", "compact")
    [entry] = json.loads(text_result.stdout)

    assert (entry["i"], entry["t"], entry["c"], entry["w"]) == (memory_id, "pref", TEA_TEXT, 1.0)
    assert text_result.stdout.startswith('[{"i":"')
    assert payload["files"] == [{"name": "memories.json", "text": text_result.stdout}]


@pytest.mark.parametrize("export_format", ExportFormat)
def test_every_export_is_imported_by_another_user(cli: InProcessCli, export_format: ExportFormat) -> None:
    cli("add", TEA_TEXT, "--role", "user")
    exported = cli.json("export", "--format", export_format, "exported")

    imported = cli.json("import", "exported", "--user", "twin")

    assert exported["files"] >= 1
    assert imported["memories"] + imported["messages"] >= 1
    assert imported["damaged"] == []
    assert texts(cli, "--user", "twin") == texts(cli)


def test_a_folder_of_files_is_not_printed(cli: InProcessCli) -> None:
    result = cli("export", "--format", "markdown")

    assert result.exit_code == 2
    assert "Name the folder" in result.stderr


def test_inactive_entries_are_not_imported(cli: InProcessCli) -> None:
    entries = [{"t": "pref", "c": "odeia coentro", "s": "archived"}, {"t": "bio", "c": CATS_TEXT}]
    payload = cli.json("import", "-", stdin=json.dumps(entries).encode())

    assert (payload["memories"], payload["left_out"]) == (1, {"forgotten_memory": 1})


def test_importing_twice_stores_nothing_twice(cli: InProcessCli) -> None:
    cli("add", TEA_TEXT)
    cli("export", "--format", "compact", "all.json")
    second_result = cli("import", "all.json")

    assert second_result.exit_code == 0
    assert second_result.stdout.split("\n")[1:3] == ["new            nothing", "known already  1"]
    assert [(each["times_stated"], each["version"]) for each in cli.json("memories", "list")["results"]] == [
        (1, 1)
    ]


def test_forgotten_memories_are_not_imported(cli: InProcessCli) -> None:
    tea = cli.add_memory(TEA_TEXT)
    cli("export", "--format", "compact", "all.json")
    cli("memories", "forget", tea, "--yes")
    result = cli("import", "all.json")

    assert "left out    1 × forgotten here" in result.stdout
    assert texts(cli) == []


def test_kinds_without_consent_are_not_imported(cli: InProcessCli) -> None:
    cli("privacy", "consent", "revoke", "preference")
    payload = cli.json("import", "-", stdin=b'[{"t":"pref","c":"odeia coentro","w":0.8}]')

    assert payload["left_out"] == {"no_consent": 1}


def test_a_whole_import_is_undone_at_once(cli: InProcessCli) -> None:
    entries = [{"t": "pref", "c": "odeia coentro", "w": 0.8}, {"t": "bio", "c": "trabalha: dev frontend"}]
    payload = cli.json("import", "-", stdin=json.dumps(entries).encode())
    before = texts(cli)
    refused = cli("import", "--undo", payload["import_id"])
    undone = cli("import", "--undo", payload["import_id"], "--yes")

    assert refused.exit_code == 4
    assert undone.stdout == "Deleted 2 memories, and what was learned from them.\n"
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


def test_a_dry_run_reports_counts_and_costs_and_stores_nothing(cli: InProcessCli) -> None:
    (cli.folder / "conversations.json").write_text(CHATGPT.content())
    result, payload = cli("import", "conversations.json", "--dry-run"), cli.json("import", ".", "--dry-run")

    assert "recognized      ChatGPT (1 file)" in result.stdout
    assert "new             1 conversation, 3 messages, 1 context file" in result.stdout
    assert "model tokens    0 (rules, no language model)" in result.stdout
    assert (payload["dry_run"], payload["messages"], payload["left_out"]["do_not_remember"]) == (True, 3, 1)
    assert cli.json("maintenance", "stats")["messages"] == 0


def test_a_whole_history_is_imported_listed_and_undone(cli: InProcessCli) -> None:
    with zipfile.ZipFile(cli.folder / "export.zip", "w") as archive:
        archive.writestr("conversations.json", CHATGPT.content())
    result = cli("import", "export.zip")
    [chat] = cli.json("chats")["results"]
    [record] = cli.json("import", "--list")["results"]
    undone = cli.json("import", "--undo", "last", "--yes")

    assert "Undo all of it: recollect import --undo" in result.stderr
    assert "Warning: export.zip/conversations.json, element 3" in result.stderr
    assert (chat["id"], chat["title"]) == ("chatgpt-c1", "Parks")
    assert record["source"].endswith("export.zip")
    assert (undone["messages"], undone["context_files"], undone["kept"]) == (3, 1, [])
    assert cli.json("maintenance", "stats")["messages"] == 0


def test_an_unknown_format_is_refused_with_the_supported_ones(cli: InProcessCli) -> None:
    (cli.folder / "diary.txt").write_text("Dear diary, nothing happened.")
    result = cli("import", "diary.txt")

    assert result.exit_code == 2
    assert "diary.txt: a text without list items" in result.stderr
    assert "Supported are ChatGPT, Claude," in result.stderr
    assert cli.json("import", "--list")["results"] == []


@pytest.mark.parametrize("content", [b"", b"{}", b"nonsense", b'[{"c":"no type"}]'])
def test_an_invalid_export_is_refused_and_nothing_is_stored(cli: InProcessCli, content: bytes) -> None:
    assert cli("import", "-", stdin=content).exit_code == 2
    assert cli.json("maintenance", "stats")["memories"] == 0


def test_a_file_that_cannot_be_read_or_written_is_refused(cli: InProcessCli) -> None:
    assert cli("import", "nowhere.json").exit_code == 2
    assert cli("export", "no/such/folder.json").exit_code == 2


def test_an_empty_path_is_not_the_current_folder(cli: InProcessCli) -> None:
    cli("export", "here.jsonl")

    for words in (("import", ""), ("export", "")):
        result = cli(*words)
        assert result.exit_code == 2
        assert "the path is empty" in result.stderr


def test_a_mistyped_agent_gets_a_suggestion(cli: InProcessCli) -> None:
    result = cli("import", "claud-code")

    assert result.exit_code == 2
    assert "Did you mean claude-code?" in result.stderr


def test_a_single_file_is_not_exported_to_a_folder(cli: InProcessCli) -> None:
    result = cli("export", cli.folder)

    assert result.exit_code == 2
    assert "is a folder, and this format is one file" in result.stderr


def test_what_an_import_leaves_out_is_described(cli: InProcessCli) -> None:
    (cli.folder / "list.txt").write_text("What I know:\n- likes tea\n", "utf-8")
    result = cli("import", "list.txt", "--dry-run")

    assert "1 × text between the items of a list\n" in result.stdout


def test_every_omission_has_a_label() -> None:
    assert OMISSION_LABELS.keys() == set(OmissionReason)

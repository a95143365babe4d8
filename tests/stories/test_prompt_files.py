"""Prompts are files: shipped with the package, and replaced by those in a folder of the user's own."""

import os
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

import pytest
from tests.contract.stores import OpenStore
from tests.stories.presets import exchange_messages, open_memory, user_messages

from recollect import Memory
from recollect.errors import ConfigError
from recollect.integrations.designs import build_system_message
from recollect.settings import load_settings
from recollect.testing.chat_models import ScriptedChatModel
from recollect.testing.embedders import LetterEmbedder

PROMPT_PACKAGES = ("recollect.extraction", "recollect.maintenance", "recollect.context")


def write_prompts(path: Path, prompts: Mapping[str, str]) -> Path:
    path.mkdir()
    for name, text in prompts.items():
        (path / name).write_text(text, "utf-8")
    return path


def built_in_names() -> set[str]:
    return {file.name for room in PROMPT_PACKAGES for file in files(room).joinpath("prompts").iterdir()}


@pytest.mark.spec("Z4", "D9", "M9", "C-21")
def test_every_prompt_is_shipped_in_two_languages() -> None:
    names = built_in_names()

    assert {"memory_extraction.md", "system.md"} <= names
    assert {name for name in names if not name.endswith(".pt.md")} == {
        name.replace(".pt.md", ".md") for name in names if name.endswith(".pt.md")
    }


@pytest.mark.spec("Z4", "D9", "D10")
def test_a_file_in_the_users_folder_takes_the_place_of_ours(tmp_path: Path, open_store: OpenStore) -> None:
    own = "Known:\n{{EXISTING_MEMORIES}}\nFiles:\n{{EXISTING_CONTEXT}}\n{{USER_TEXT}} / {{ASSISTANT_TEXT}}"
    prompts = write_prompts(tmp_path / "prompts", {"memory_extraction.md": own})
    model = ScriptedChatModel("User lives in Lisbon.")
    with open_memory(open_store(), "facts", model=model, prompts=prompts) as memory:
        memory.add("User is called Ana.")
        memory.add(exchange_messages("I live in Lisbon.", "A lovely city."), chat_id="c", sync=True)

    assert [turn.content for turn in model.calls[0].messages] == [
        "Known:\n- User is called Ana.\nFiles:\n(none)\nI live in Lisbon. / A lovely city.",
        "Reply with exactly one line: NOTHING or the single fact. No explanation.",
    ]


@pytest.mark.spec("Z4", "C-21")
def test_a_prompt_for_one_language_leaves_the_other_alone(tmp_path: Path, open_store: OpenStore) -> None:
    prompts = write_prompts(tmp_path / "prompts", {"list.pt.md": "Fatos de: {user_message}"})
    model = ScriptedChatModel("[]")
    with open_memory(open_store(), "companion", model=model, prompts=prompts) as memory:
        memory.add(
            user_messages("Eu moro em Lisboa com a minha irmã.", "I live in Lisbon with my sister."),
            sync=True,
        )
    portuguese, english = (call.messages[-1].content for call in model.calls)

    assert portuguese == "Fatos de: Eu moro em Lisboa com a minha irmã."
    assert english.startswith("Analyse the user's message.")


@pytest.mark.spec("H7", "Z4")
def test_summaries_and_the_system_prompt_can_be_replaced_as_well(
    tmp_path: Path, open_store: OpenStore
) -> None:
    own = {"conversation_summary.md": "Sum up {N} messages.", "system.md": "You are a librarian."}
    model = ScriptedChatModel("- A book was lent")
    with open_memory(
        open_store(), "dev", model=model, prompts=write_prompts(tmp_path / "prompts", own)
    ) as memory:
        memory.add(exchange_messages("Lend me a book.", "Here it is."), chat_id="c")
        memory.chats.summarize("c")
        message = build_system_message(
            app=memory, rag_query="book", chat_id="c", rules_for_request="Whisper."
        )
        hosts_own = build_system_message(
            app=memory, rag_query="zzz", system="You are a baker.", chat_id="new"
        )

    assert model.calls[0].messages[0].content.startswith("Sum up 2 messages.\n\nuser: Lend me a book.")
    assert message.startswith("You are a librarian.\n\n")
    assert message.endswith("\n\nWhisper.")
    assert hosts_own.startswith("You are a baker.")


@pytest.mark.spec("Q16")
def test_the_folder_is_named_in_the_environment_like_any_setting(tmp_path: Path) -> None:
    settings = load_settings(environ={"RECOLLECT_PROMPTS": str(tmp_path)}, files=())

    assert settings.resolve().machine.prompts == os.fspath(tmp_path)


def test_a_folder_that_makes_no_sense_is_noticed_before_anything_is_opened(tmp_path: Path) -> None:
    misspelt = write_prompts(tmp_path / "prompts", {"memory_extracton.md": "…"})

    with pytest.raises(ConfigError, match=r"Did you mean memory_extraction\.md\?"):
        Memory(tmp_path / "m.db", embedder=LetterEmbedder(), settings={"prompts": misspelt})
    assert not (tmp_path / "m.db").exists()

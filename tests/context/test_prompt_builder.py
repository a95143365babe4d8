import pytest
from tests.context.examples import assemble_block, message, recalled_message, scored_candidate

from recollect.context.prompt_builder import ContextBuilder, build_system_message
from recollect.domain.context import ContextBlock, Tiers
from recollect.domain.message import Message, Role
from recollect.domain.policy import ContextPolicy, load_preset

SYSTEM_PROMPT = "You are a cook.\n\n## Relevant memory is below.  \n"
EMPTY_BLOCK = ContextBlock(text="", tokens=0, items=())
HISTORY = (
    message("And now?"),
    message("df -h says 3 %", role=Role.TOOL),
    message("Still.", role=Role.ASSISTANT),
)


@pytest.mark.spec("M6")
def test_memory_comes_after_the_hosts_prompt_which_stays_as_it_is() -> None:
    made = assemble_block(Tiers(candidates=(scored_candidate("is vegetarian"),)), ContextPolicy(notice=False))

    assert (
        build_system_message(SYSTEM_PROMPT, made.text)
        == SYSTEM_PROMPT + "\n\n## Relevant memory\n- User is vegetarian (2024-01-01)"
    )


@pytest.mark.spec("M6", "M8")
def test_without_memory_the_hosts_prompt_is_all_there_is() -> None:
    assert build_system_message(SYSTEM_PROMPT, EMPTY_BLOCK.text) == SYSTEM_PROMPT


@pytest.mark.spec("M6")
def test_rules_for_one_request_have_the_last_word() -> None:
    made = assemble_block(Tiers(candidates=(scored_candidate("is vegetarian"),)), ContextPolicy(notice=False))

    assert build_system_message("You are a cook.", made.text, rules_for_request="Answer in one line.") == (
        "You are a cook.\n\n## Relevant memory\n- User is vegetarian (2024-01-01)\n\nAnswer in one line."
    )


@pytest.mark.spec("M11", "M12")
def test_the_builder_merges_system_knowledge_and_history_in_the_documents_order() -> None:
    tiers = Tiers(candidates=(scored_candidate("Fact 1"), recalled_message("Is it up?", id="m1")))
    builder = ContextBuilder(
        system="You are TuskBot.",
        knowledge=assemble_block(tiers, load_preset("agent").context),
        history=HISTORY,
    )

    assert builder.prompt() == (
        "You are TuskBot.\n\n"
        "Relevant Facts (Global Context):\n"
        "• Fact 1\n\n"
        "Related Conversation History (Semantic Context):\n"
        "• User: Is it up?\n\n"
        "Current Conversation (Recent History):\n"
        "• User: And now?\n"
        "• Tool: df -h says 3 %\n"
        "• Assistant: Still."
    )


@pytest.mark.spec("M1", "M12")
def test_a_chat_api_gets_one_system_message_and_the_raw_conversation() -> None:
    made = assemble_block(
        Tiers(candidates=(scored_candidate("Fact 1"),)), ContextPolicy(format="facts", notice=False)
    )

    assert ContextBuilder(system="You are TuskBot.", knowledge=made, history=HISTORY).messages() == [
        {"role": "system", "content": "You are TuskBot.\n\n## Relevant memory\n- Fact 1"},
        {"role": "user", "content": "And now?"},
        {"role": "assistant", "content": "Still."},
    ]


@pytest.mark.spec("M12")
@pytest.mark.parametrize(("shown", "added"), [(HISTORY[:1], ["Still."]), (HISTORY[1:], []), (HISTORY, [])])
def test_a_conversation_the_block_shows_is_only_continued(
    shown: tuple[Message, ...], added: list[str]
) -> None:
    builder = ContextBuilder(
        knowledge=assemble_block(Tiers(recent_messages=shown), ContextPolicy(format="agent")), history=HISTORY
    )

    assert [said["content"] for said in builder.messages()[1:]] == added
    assert builder.prompt().count(HISTORY[-1].content) == 1


@pytest.mark.spec("M8")
def test_nothing_known_and_nothing_said_is_nothing_sent() -> None:
    builder = ContextBuilder(knowledge=EMPTY_BLOCK)

    assert (builder.messages(), builder.prompt()) == ([], "")

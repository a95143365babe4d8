"""Chat page."""

import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect
from tests.browser.page_states import (
    OFFLINE_TEXT,
    expect_failure,
    expect_no_horizontal_scroll,
    failing_requests,
    offline,
    pending_requests,
)
from tests.server.live_server import ANA, LiveServer, run_server

from recollect.domain.message import MessageDraft, Role
from recollect.domain.scope import Scope
from recollect.errors import ProviderBusy
from recollect.ports.chat_model import Completion, ModelMessage
from recollect.testing.chat_models import ScriptedChatModel

QUESTION = "What can I cook as a vegetarian?"
LONG = "\n\n".join(f"Step {number}: stir the pot for a while, then look at it again." for number in range(60))


class PausingChatModel(ScriptedChatModel):
    """Chat model that can pause after its first word; extraction finds nothing."""

    def __init__(self, answer: str) -> None:
        super().__init__(answer)
        self.go_on = threading.Event()
        self.go_on.set()

    def complete(
        self,
        turns: Sequence[ModelMessage],
        *,
        max_tokens: int,
        schema: Mapping[str, object] | None = None,
        timeout: float | None = None,
    ) -> Completion:
        return Completion(
            text="NOTHING", model="scripted", prompt_tokens=1, completion_tokens=1, is_truncated=False
        )

    def stream(
        self, turns: Sequence[ModelMessage], *, max_tokens: int, timeout: float | None = None
    ) -> Iterator[str]:
        for piece in super().stream(turns, max_tokens=max_tokens, timeout=timeout):
            yield piece
            self.go_on.wait(20)


@pytest.fixture
def model() -> PausingChatModel:
    return PausingChatModel("Try a **risotto**.")


@pytest.fixture
def server(tmp_path: Path, model: PausingChatModel) -> Iterator[LiveServer]:
    with run_server(tmp_path, chat_model=model) as running:
        yield running
        model.go_on.set()


@pytest.fixture
def chat(server: LiveServer, owner: Page) -> Iterator[Page]:
    """The chat page; external requests and script errors fail the test."""
    requested_urls: list[str] = []
    owner.on("request", lambda request: requested_urls.append(request.url))
    script_errors: list[str] = []
    owner.on("pageerror", lambda error: script_errors.append(str(error)))
    owner.goto(f"{server.url}/chat")
    expect(composer(owner)).to_be_visible()
    yield owner
    assert [url for url in requested_urls if not url.startswith(server.url)] == []
    assert script_errors == []


@pytest.fixture
def server_without_model(tmp_path: Path, page: Page) -> Iterator[tuple[LiveServer, Page]]:
    """A server without a language model, and its chat page."""
    with run_server(tmp_path / "modest") as running:
        page.goto(f"{running.url}/login?code={running.access.create_login_code(running.access.owner)}")
        expect(composer(page)).to_be_visible()
        yield running, page


def composer(page: Page) -> Locator:
    return page.get_by_label("Write a message")


def say(page: Page, text: str) -> None:
    composer(page).fill(text)
    composer(page).press("Enter")


def answers(page: Page) -> Locator:
    return page.locator("article.assistant")


def questions(page: Page) -> Locator:
    return page.locator("article.user")


def receipt(page: Page) -> Locator:
    return page.get_by_role("dialog", name="Receipt")


def remember(server: LiveServer, text: str) -> str:
    with server.client() as client:
        return str(client.post("/api/memory", json={"content": text}).json()["id"])


def get(server: LiveServer, path: str) -> dict[str, Any]:
    with server.client() as client:
        shape: dict[str, Any] = client.get(path).json()
    return shape


def stored_messages(server: LiveServer, chat: str) -> list[str]:
    return [each["content"] for each in get(server, f"/chats/{chat}/messages")["results"]]


def chat_id(page: Page) -> str:
    return page.url.rpartition("/")[2].partition("#")[0]


@pytest.mark.spec("UI-7")
def test_an_answer_streams_and_a_memory_is_forgotten_and_restored_in_its_receipt(
    server: LiveServer, chat: Page, model: PausingChatModel
) -> None:
    memory = remember(server, "I am vegetarian.")
    model.go_on.clear()
    say(chat, QUESTION)
    expect(answers(chat)).to_contain_text("Try")
    expect(chat.get_by_role("button", name="Stop")).to_be_visible()
    model.go_on.set()
    expect(answers(chat).locator("strong")).to_have_text("risotto")

    answers(chat).get_by_role("button", name="Why this answer: 1 memory").click()
    expect(receipt(chat).get_by_text("I am vegetarian.")).to_be_visible()
    receipt(chat).get_by_role("button", name="Forget").click()
    expect(receipt(chat).get_by_text("Memory forgotten. It will not be used again.")).to_be_visible()
    assert get(server, f"/api/memory/{memory}")["status"] == "forgotten"

    receipt(chat).get_by_role("button", name="Undo").click()
    expect(receipt(chat).get_by_text("Change undone.")).to_be_visible()
    assert get(server, f"/api/memory/{memory}")["status"] == "active"
    chat.keyboard.press("Escape")
    expect(receipt(chat)).to_be_hidden()
    expect(chat.get_by_role("heading", level=1)).to_have_text(QUESTION)


def test_a_chat_and_its_receipts_persist(server: LiveServer, chat: Page) -> None:
    remember(server, "I am vegetarian.")
    say(chat, QUESTION)
    expect(answers(chat)).to_contain_text("risotto")
    expect(chat.get_by_role("link", name=QUESTION)).to_be_visible()
    chat.reload()

    expect(questions(chat)).to_contain_text(QUESTION)
    answers(chat).get_by_role("button", name="Why this answer: 1 memory").click()
    expect(receipt(chat).get_by_text("I am vegetarian.")).to_be_visible()


def test_a_stopped_answer_is_stored(server: LiveServer, chat: Page, model: PausingChatModel) -> None:
    model.go_on.clear()
    say(chat, "What can I cook?")
    expect(answers(chat)).to_contain_text("Try")
    with chat.expect_response("**/stop"):
        chat.get_by_role("button", name="Stop").click()
    model.go_on.set()

    expect(chat.get_by_text("Answer stopped.")).to_be_visible()
    assert stored_messages(server, chat_id(chat)) == ["What can I cook?", "Try "]


def test_the_last_answer_is_regenerated(server: LiveServer, chat: Page, model: PausingChatModel) -> None:
    say(chat, "What can I cook?")
    expect(answers(chat)).to_contain_text("risotto")
    model.answer("A soup.")
    chat.get_by_role("button", name="Regenerate").click()

    expect(answers(chat)).to_contain_text("A soup.")
    expect(answers(chat)).to_have_count(1)
    assert stored_messages(server, chat_id(chat)) == ["What can I cook?", "A soup."]


def test_the_last_question_is_edited_in_place(
    server: LiveServer, chat: Page, model: PausingChatModel
) -> None:
    say(chat, "What can I cook?")
    expect(answers(chat)).to_contain_text("risotto")
    model.answer("A cake.")
    questions(chat).get_by_role("button", name="Edit").click()
    chat.get_by_label("Your message").fill("What can I bake?")
    chat.get_by_role("button", name="Save and regenerate").click()

    expect(answers(chat)).to_contain_text("A cake.")
    assert stored_messages(server, chat_id(chat)) == ["What can I bake?", "A cake."]


def test_editing_an_earlier_question_creates_a_branch(
    server: LiveServer, chat: Page, model: PausingChatModel
) -> None:
    say(chat, "What can I cook?")
    expect(answers(chat)).to_contain_text("risotto")
    say(chat, "And for dessert?")
    expect(answers(chat)).to_have_count(2)
    first = chat_id(chat)
    expect(chat.get_by_role("button", name="Regenerate")).to_be_visible()
    model.answer("A cake.")
    questions(chat).first.get_by_role("button", name="Edit").click()
    chat.get_by_label("Your message").fill("What can I bake?")
    expect(chat.get_by_role("button", name="Save and regenerate")).to_have_count(0)
    chat.get_by_role("button", name="Save as branch").click()

    expect(answers(chat)).to_have_count(1)
    expect(answers(chat)).to_contain_text("A cake.")
    expect(chat.get_by_role("heading", level=1)).to_have_text("What can I cook? (branch)")
    assert chat_id(chat) != first
    assert stored_messages(server, chat_id(chat)) == ["What can I bake?", "A cake."]
    assert stored_messages(server, first)[0] == "What can I cook?"
    assert len(stored_messages(server, first)) == 4


def test_a_temporary_chat_is_not_stored(server: LiveServer, chat: Page, model: PausingChatModel) -> None:
    remember(server, "I am vegetarian.")
    before = len(get(server, "/chats")["results"])
    chat.get_by_role("button", name="Temporary chat").first.click()
    expect(chat.get_by_text("Messages in this chat are not stored")).to_be_visible()
    say(chat, "I live in Lisbon.")
    expect(answers(chat)).to_contain_text("risotto")
    say(chat, QUESTION)
    expect(answers(chat)).to_have_count(2)
    expect(chat.get_by_role("button", name="Regenerate")).to_be_visible()
    sent = [turn.content for turn in model.calls[-1].messages if turn.role != "system"]

    assert sent == ["I live in Lisbon.", "Try a **risotto**.", QUESTION]
    assert len(get(server, "/chats")["results"]) == before
    assert [each["memory"] for each in get(server, "/api/memory")["results"]] == ["I am vegetarian."]
    chat.reload()
    expect(chat.get_by_text("Nothing from this chat is stored.")).to_be_visible()
    expect(answers(chat)).to_have_count(0)


@pytest.mark.spec("UI-4")
def test_the_memory_mode_of_a_chat_persists(server: LiveServer, chat: Page) -> None:
    say(chat, "What can I cook?")
    expect(answers(chat)).to_contain_text("risotto")
    mode = chat.get_by_label("Memory mode of this chat")
    with chat.expect_response(lambda response: response.request.method == "PATCH"):
        mode.select_option(label="Memory off")
    say(chat, "I live in Lisbon.")
    expect(answers(chat)).to_have_count(2)
    expect(questions(chat).last).to_contain_text("not stored")

    assert len(stored_messages(server, chat_id(chat))) == 2
    chat.reload()
    expect(mode).to_have_value("off")
    mode.select_option(label="Recall only")
    expect(mode).to_have_value("recall_only")


def test_the_budget_meter_shows_usage_and_changes_the_budget(server: LiveServer, chat: Page) -> None:
    remember(server, "I am vegetarian.")
    say(chat, QUESTION)
    expect(answers(chat)).to_contain_text("risotto")
    tokens = get(server, "/api/memory/receipts/last")["tokens"]
    chat.get_by_role("button", name=f"Memory in the last prompt: {tokens} of 1,000 tokens").click()
    slider = chat.get_by_role("slider", name="Maximum tokens")
    slider.press("ArrowRight")
    chat.get_by_role("button", name="Save budget").click()

    expect(
        chat.get_by_role("button", name=f"Memory in the last prompt: {tokens} of 1,050 tokens")
    ).to_be_visible()
    assert get(server, "/api/settings/context.budget")["value"] == 1050


def test_renaming_a_chat_can_be_undone(server: LiveServer, chat: Page) -> None:
    say(chat, "What can I cook?")
    expect(answers(chat)).to_contain_text("risotto")
    chat.get_by_role("button", name="Chat options").click()
    chat.get_by_role("menuitem", name="Rename").click()
    chat.get_by_label("Name", exact=True).fill("Dinner")
    chat.get_by_role("button", name="Rename").click()
    expect(chat.get_by_role("heading", level=1)).to_have_text("Dinner")
    expect(chat.get_by_role("link", name="Dinner")).to_be_visible()

    chat.get_by_role("region", name="Notifications").get_by_role("button", name="Undo").click()
    expect(chat.get_by_role("heading", level=1)).to_have_text("What can I cook?")


@pytest.mark.spec("H9", "UI-6")
def test_a_chat_is_summarized_on_request(server: LiveServer, chat: Page) -> None:
    say(chat, "I decided to bake a lemon cake for the party on Friday.")
    expect(answers(chat)).to_contain_text("risotto")
    chat.get_by_role("button", name="Chat options").click()
    chat.get_by_role("menuitem", name="Summaries").click()
    dialog = chat.get_by_role("dialog", name="Chat summaries")
    expect(dialog.get_by_role("heading", name="No summaries yet")).to_be_visible()
    dialog.get_by_role("button", name="Summarize now").click()

    expect(dialog.get_by_text("Summary created.")).to_be_visible()
    expect(dialog.get_by_role("listitem").filter(has_text="Session")).to_have_count(1)
    dialog.get_by_role("button", name="Summarize now").click()
    expect(dialog.get_by_text("No new messages since the last summary.")).to_be_visible()
    summaries = get(server, f"/api/memory/summaries?chat_id={chat_id(chat)}")["results"]
    assert {each["kind"] for each in summaries} == {"conversation", "working"}


@pytest.mark.parametrize(
    "payload",
    ["<img src=x onerror=window.hit=1>", "<script>window.hit=1</script>", "[a](javascript:window.hit=1)"],
)
def test_message_text_is_not_executed(chat: Page, model: PausingChatModel, payload: str) -> None:
    model.answer(f"Look: {payload}")
    say(chat, payload)
    expect(answers(chat)).to_contain_text("Look:")
    expect(chat.get_by_role("button", name="Regenerate")).to_be_visible()
    for link in answers(chat).locator(".answer a").all():
        assert "javascript" not in (link.get_attribute("href") or "")

    expect(questions(chat).locator(".bubble")).to_have_text(payload)
    assert answers(chat).locator(".answer :is(img, script)").count() == 0
    assert chat.evaluate("window.hit") is None


def test_deleting_a_chat_shows_what_will_be_deleted(
    server_without_model: tuple[LiveServer, Page],
) -> None:
    server, page = server_without_model
    say(page, "I hate cilantro.")
    expect(page.get_by_text("Learned: hates cilantro")).to_be_visible()
    page.get_by_role("button", name="Chat options").click()
    page.get_by_role("menuitem", name="Delete").click()
    dialog = page.get_by_role("dialog", name="Delete this chat?")
    expect(dialog).to_contain_text("1 message will be permanently deleted.")
    expect(dialog).to_contain_text("1 memory comes only from this chat")
    expect(dialog.get_by_role("listitem")).to_have_text("hates cilantro")
    dialog.get_by_role("button", name="Delete chat").click()

    expect(page.get_by_role("heading", level=1)).to_have_text("New chat")
    assert get(server, "/chats")["results"] == []
    assert get(server, "/api/memory")["results"] == []


def test_learned_memories_are_shown_edited_and_undone(server_without_model: tuple[LiveServer, Page]) -> None:
    server, page = server_without_model
    say(page, "I hate cilantro.")
    expect(page.get_by_text("Learned: hates cilantro")).to_be_visible()
    page.get_by_role("button", name="Edit: hates cilantro").click()
    page.get_by_label("Memory text").fill("hates coriander")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Edited: hates coriander")).to_be_visible()
    say(page, "I live in Lisbon.")
    expect(page.get_by_text("Learned: lives in Lisbon")).to_be_visible()
    page.get_by_role("button", name="Undo: lives in Lisbon").click()

    expect(page.get_by_text("Undone: lives in Lisbon")).to_be_visible()
    assert [each["memory"] for each in get(server, "/api/memory")["results"]] == ["hates coriander"]


def test_without_a_model_memories_are_quoted_and_labeled(
    server_without_model: tuple[LiveServer, Page],
) -> None:
    server, page = server_without_model
    remember(server, "I am vegetarian.")
    say(page, QUESTION)

    expect(answers(page).get_by_text("No language model: quoting memories", exact=True)).to_be_visible()
    expect(answers(page)).to_contain_text("I am vegetarian.")
    expect(answers(page).get_by_role("link", name="Connect a model")).to_be_visible()
    page.reload()
    expect(page.get_by_text("Quoted memories are not stored as an answer.")).to_be_visible()
    page.get_by_role("button", name="Answer now").click()
    expect(answers(page)).to_contain_text("I am vegetarian.")


def test_a_link_to_an_old_message_scrolls_to_it(server: LiveServer, chat: Page) -> None:
    messages = [{"role": "user", "content": f"Message number {number}"} for number in range(150)]
    with server.client() as client:
        client.post("/chats/long/listen", json={"messages": messages})
        listed = client.get("/chats/long/messages", params={"limit": 1000}).json()["results"]
    wanted = listed[3]
    chat.goto(f"{server.url}/chat/long#{wanted['id']}")
    marked = chat.locator("article.marked")

    expect(marked).to_contain_text("Message number 3")
    expect(marked).to_be_in_viewport()
    expect(marked).to_be_focused()
    chat.goto(f"{server.url}/chat/long#nothing")
    expect(chat.get_by_text("The linked message no longer exists.")).to_be_visible()


def test_streaming_does_not_move_the_scroll_position_of_a_reader(chat: Page, model: PausingChatModel) -> None:
    model.answer(LONG)
    say(chat, "What can I cook?")
    expect(answers(chat)).to_contain_text("Step 59")
    transcript = chat.get_by_role("group", name="Messages")
    newest = chat.get_by_role("button", name="Jump to latest")
    expect(newest).to_have_count(0)
    model.go_on.clear()
    say(chat, "And then?")
    expect(answers(chat).last).to_contain_text("Step")
    transcript.evaluate("box => { box.scrollTop = 100 }")
    expect(newest).to_be_visible()
    model.go_on.set()
    expect(answers(chat).last).to_contain_text("Step 59")

    assert transcript.evaluate("box => box.scrollTop") == 100
    newest.click()
    expect(newest).to_have_count(0)
    assert transcript.evaluate("box => box.scrollHeight - box.scrollTop - box.clientHeight") < 2


def test_a_model_error_is_shown_and_can_be_retried(
    server: LiveServer, chat: Page, model: PausingChatModel
) -> None:
    model.fail_next(ProviderBusy("The model is asleep. It is night. Wake it."))
    say(chat, "What can I cook?")
    expect(chat.get_by_role("alert")).to_contain_text("The model is asleep.")
    assert stored_messages(server, chat_id(chat)) == ["What can I cook?"]
    chat.get_by_role("button", name="Try again").click()

    expect(answers(chat)).to_contain_text("risotto")
    assert stored_messages(server, chat_id(chat)) == ["What can I cook?", "Try a **risotto**."]


def test_shortcuts_work(server: LiveServer, chat: Page) -> None:
    remember(server, "I am vegetarian.")
    chat.get_by_role("heading", level=1).focus()
    chat.keyboard.press("/")
    expect(composer(chat)).to_be_focused()
    chat.keyboard.type(QUESTION)
    chat.keyboard.press("Enter")
    expect(answers(chat)).to_contain_text("risotto")
    chat.get_by_role("heading", level=1).focus()
    chat.keyboard.press("w")
    expect(receipt(chat).get_by_text("I am vegetarian.")).to_be_visible()
    chat.keyboard.press("Escape")
    chat.get_by_role("heading", level=1).focus()
    chat.keyboard.press("n")
    expect(chat.get_by_role("heading", level=1)).to_have_text("New chat")
    chat.keyboard.press("t")
    expect(chat.get_by_role("heading", level=1)).to_have_text("Temporary chat")


def test_an_empty_chat_suggests_messages(chat: Page) -> None:
    expect(chat.get_by_role("heading", name="How can I help you?")).to_be_visible()
    chat.get_by_role("button", name="What do you know about me?").click()

    expect(composer(chat)).to_have_value("What do you know about me?")
    expect(composer(chat)).to_be_focused()


def test_chats_are_searched_by_title(server: LiveServer, chat: Page) -> None:
    for number, word in enumerate("soup cake rice bread tea milk".split()):
        server.application.services.ingest.add_messages(
            Scope(ANA, f"c{number}"), _drafts(f"About {word}"), server.application.policy(ANA)
        )
    chat.reload()
    names = chat.get_by_role("region", name="Chats").get_by_role("link")
    expect(names).to_have_count(6)
    chat.get_by_label("Search").fill("RICE")

    expect(names).to_have_count(1)
    chat.get_by_label("Search").fill("zebra")
    expect(chat.get_by_text("No matching chats.")).to_be_visible()


def test_loading_failed_and_missing_chats_are_shown(server: LiveServer, chat: Page) -> None:
    server.application.services.ingest.add_messages(
        Scope(ANA, "soup"), _drafts("About soup"), server.application.policy(ANA)
    )
    with pending_requests(chat, "**/chats/soup/messages**"):
        chat.goto(f"{server.url}/chat/soup")
        expect(
            chat.get_by_role("main").get_by_role("status").filter(has_text="Loading").first
        ).to_be_visible()
    expect(questions(chat)).to_contain_text("About soup")
    with failing_requests(chat, "**/chats/soup**"):
        chat.goto(f"{server.url}/chat/soup?again")
        expect_failure(chat)
    chat.get_by_role("alert").get_by_role("button", name="Try again").click()
    expect(questions(chat)).to_contain_text("About soup")
    chat.goto(f"{server.url}/chat/nowhere")
    expect(chat.get_by_role("alert")).to_contain_text("nowhere")
    expect(chat.get_by_role("main").get_by_role("link", name="New chat")).to_be_visible()


def test_it_reconnects_after_the_server_was_offline(server: LiveServer, chat: Page) -> None:
    with offline(chat):
        say(chat, "What can I cook?")
        expect(chat.get_by_text(OFFLINE_TEXT)).to_be_visible()
        expect(answers(chat)).to_contain_text("Recollect is not responding.")
    expect(chat.get_by_text(OFFLINE_TEXT)).to_be_hidden()
    answers(chat).get_by_role("button", name="Try again").click()

    expect(answers(chat)).to_contain_text("risotto")


def test_it_fits_small_screens(server: LiveServer, chat: Page, model: PausingChatModel) -> None:
    model.answer("A " + "very" * 60 + " long word and\n\n```\n" + "code " * 60 + "\n```")
    say(chat, "W" * 200)
    expect(answers(chat)).to_contain_text("long word")
    expect(chat.get_by_role("button", name="Regenerate")).to_be_visible()
    expect_no_horizontal_scroll(chat)

    chat.set_viewport_size({"width": 360, "height": 740})
    chat.get_by_role("button", name="Show chats").click()
    chat.get_by_role("dialog", name="Chats").get_by_role("link").first.click()
    expect(chat.get_by_role("dialog", name="Chats")).to_be_hidden()


def _drafts(text: str) -> list[MessageDraft]:
    return [MessageDraft(role=Role.USER, content=text)]

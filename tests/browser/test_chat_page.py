"""The chat: answers stream, every answer has its receipt, and what was said can be reworded, branched and deleted."""

import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect
from tests.browser.states import LOST, expect_failure, expect_no_sideways_scroll, failing, silent, waiting
from tests.server.live_server import ANA, LiveServer, run_server

from recollect.domain.message import MessageDraft, Role
from recollect.domain.scope import Scope
from recollect.errors import ProviderBusy
from recollect.ports.chat_model import Completion, ModelMessage
from recollect.testing.chat_models import ScriptedChatModel

QUESTION = "What can I cook as a vegetarian?"
LONG = "\n\n".join(f"Step {number}: stir the pot for a while, then look at it again." for number in range(60))


class Talker(ScriptedChatModel):
    """Answers people; asked to judge, it finds nothing. It pauses after its first word if it is told to."""

    def __init__(self, answer: str) -> None:
        super().__init__(answer)
        self.go_on = threading.Event()
        self.go_on.set()

    def complete(
        self,
        messages: Sequence[ModelMessage],
        *,
        max_tokens: int,
        schema: Mapping[str, object] | None = None,
        timeout: float | None = None,
    ) -> Completion:
        return Completion(
            text="NOTHING", model="scripted", prompt_tokens=1, completion_tokens=1, is_truncated=False
        )

    def stream(
        self, messages: Sequence[ModelMessage], *, max_tokens: int, timeout: float | None = None
    ) -> Iterator[str]:
        for piece in super().stream(messages, max_tokens=max_tokens, timeout=timeout):
            yield piece
            self.go_on.wait(20)


@pytest.fixture
def model() -> Talker:
    return Talker("Try a **risotto**.")


@pytest.fixture
def server(tmp_path: Path, model: Talker) -> Iterator[LiveServer]:
    with run_server(tmp_path, chat_model=model) as running:
        yield running
        model.go_on.set()


@pytest.fixture
def chat(server: LiveServer, owner: Page) -> Iterator[Page]:
    """The page; whatever it asks for elsewhere, and whatever breaks in it, fails the test."""
    asked: list[str] = []
    owner.on("request", lambda request: asked.append(request.url))
    broken: list[str] = []
    owner.on("pageerror", lambda error: broken.append(str(error)))
    owner.goto(f"{server.url}/chat")
    expect(composer(owner)).to_be_visible()
    yield owner
    assert [url for url in asked if not url.startswith(server.url)] == []
    assert broken == []


@pytest.fixture
def modest(tmp_path: Path, page: Page) -> Iterator[tuple[LiveServer, Page]]:
    """A server without a language model, which learns by rules, and its page."""
    with run_server(tmp_path / "modest") as running:
        page.goto(f"{running.url}/login?code={running.sessions.create_login_code(running.token_store.owner)}")
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


def said(server: LiveServer, chat: str) -> list[str]:
    return [each["content"] for each in get(server, f"/chats/{chat}/messages")["results"]]


def name_of(page: Page) -> str:
    return page.url.rpartition("/")[2].partition("#")[0]


@pytest.mark.spec("UI-7")
def test_an_answer_streams_and_a_memory_is_forgotten_from_its_receipt_and_comes_back(
    server: LiveServer, chat: Page, model: Talker
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
    expect(receipt(chat).get_by_text("Forgotten. It will not be recalled.")).to_be_visible()
    assert get(server, f"/api/memory/{memory}")["standing"] == "forgotten"

    receipt(chat).get_by_role("button", name="Undo").click()
    expect(receipt(chat).get_by_text("Taken back.")).to_be_visible()
    assert get(server, f"/api/memory/{memory}")["standing"] == "active"
    chat.keyboard.press("Escape")
    expect(receipt(chat)).to_be_hidden()
    expect(chat.get_by_role("heading", level=1)).to_have_text(QUESTION)


def test_a_conversation_and_its_receipts_are_there_again_when_one_comes_back(
    server: LiveServer, chat: Page
) -> None:
    remember(server, "I am vegetarian.")
    say(chat, QUESTION)
    expect(answers(chat)).to_contain_text("risotto")
    expect(chat.get_by_role("link", name=QUESTION)).to_be_visible()
    chat.reload()

    expect(questions(chat)).to_contain_text(QUESTION)
    answers(chat).get_by_role("button", name="Why this answer: 1 memory").click()
    expect(receipt(chat).get_by_text("I am vegetarian.")).to_be_visible()


def test_an_answer_is_stopped_and_kept_as_far_as_it_came(
    server: LiveServer, chat: Page, model: Talker
) -> None:
    model.go_on.clear()
    say(chat, "What can I cook?")
    expect(answers(chat)).to_contain_text("Try")
    with chat.expect_response("**/stop"):
        chat.get_by_role("button", name="Stop").click()
    model.go_on.set()

    expect(chat.get_by_text("Stopped here.")).to_be_visible()
    assert said(server, name_of(chat)) == ["What can I cook?", "Try "]


def test_the_last_question_is_answered_again(server: LiveServer, chat: Page, model: Talker) -> None:
    say(chat, "What can I cook?")
    expect(answers(chat)).to_contain_text("risotto")
    model.answer("A soup.")
    chat.get_by_role("button", name="Answer again").click()

    expect(answers(chat)).to_contain_text("A soup.")
    expect(answers(chat)).to_have_count(1)
    assert said(server, name_of(chat)) == ["What can I cook?", "A soup."]


def test_the_last_question_is_reworded_in_its_place(server: LiveServer, chat: Page, model: Talker) -> None:
    say(chat, "What can I cook?")
    expect(answers(chat)).to_contain_text("risotto")
    model.answer("A cake.")
    questions(chat).get_by_role("button", name="Edit").click()
    chat.get_by_label("Your words").fill("What can I bake?")
    chat.get_by_role("button", name="Save and answer again").click()

    expect(answers(chat)).to_contain_text("A cake.")
    assert said(server, name_of(chat)) == ["What can I bake?", "A cake."]


def test_an_earlier_question_is_reworded_in_a_branch_and_the_conversation_stays(
    server: LiveServer, chat: Page, model: Talker
) -> None:
    say(chat, "What can I cook?")
    expect(answers(chat)).to_contain_text("risotto")
    say(chat, "And for dessert?")
    expect(answers(chat)).to_have_count(2)
    first = name_of(chat)
    expect(chat.get_by_role("button", name="Answer again")).to_be_visible()
    model.answer("A cake.")
    questions(chat).first.get_by_role("button", name="Edit").click()
    chat.get_by_label("Your words").fill("What can I bake?")
    expect(chat.get_by_role("button", name="Save and answer again")).to_have_count(0)
    chat.get_by_role("button", name="Save as a branch").click()

    expect(answers(chat)).to_have_count(1)
    expect(answers(chat)).to_contain_text("A cake.")
    expect(chat.get_by_role("heading", level=1)).to_have_text("What can I cook? (branch)")
    assert name_of(chat) != first
    assert said(server, name_of(chat)) == ["What can I bake?", "A cake."]
    assert said(server, first)[0] == "What can I cook?"
    assert len(said(server, first)) == 4


def test_a_temporary_chat_goes_on_and_leaves_no_trace(server: LiveServer, chat: Page, model: Talker) -> None:
    remember(server, "I am vegetarian.")
    before = len(get(server, "/chats")["results"])
    chat.get_by_role("button", name="Temporary chat").first.click()
    expect(chat.get_by_text("Nothing said here is stored")).to_be_visible()
    say(chat, "I live in Lisbon.")
    expect(answers(chat)).to_contain_text("risotto")
    say(chat, QUESTION)
    expect(answers(chat)).to_have_count(2)
    expect(chat.get_by_role("button", name="Answer again")).to_be_visible()
    sent = [turn.content for turn in model.calls[-1].messages if turn.role != "system"]

    assert sent == ["I live in Lisbon.", "Try a **risotto**.", QUESTION]
    assert len(get(server, "/chats")["results"]) == before
    assert [each["memory"] for each in get(server, "/api/memory")["results"]] == ["I am vegetarian."]
    chat.reload()
    expect(chat.get_by_text("This conversation leaves no trace.")).to_be_visible()
    expect(answers(chat)).to_have_count(0)


@pytest.mark.spec("UI-4")
def test_how_memory_is_used_is_chosen_for_a_chat_and_stays(server: LiveServer, chat: Page) -> None:
    say(chat, "What can I cook?")
    expect(answers(chat)).to_contain_text("risotto")
    mode = chat.get_by_label("How memory is used here")
    with chat.expect_response(lambda response: response.request.method == "PATCH"):
        mode.select_option(label="Memory off")
    say(chat, "I live in Lisbon.")
    expect(answers(chat)).to_have_count(2)
    expect(questions(chat).last).to_contain_text("not kept")

    assert len(said(server, name_of(chat))) == 2
    chat.reload()
    expect(mode).to_have_value("off")
    mode.select_option(label="Read only")
    expect(mode).to_have_value("recall_only")


def test_the_meter_shows_what_memory_took_and_the_budget_is_set_there(server: LiveServer, chat: Page) -> None:
    remember(server, "I am vegetarian.")
    say(chat, QUESTION)
    expect(answers(chat)).to_contain_text("risotto")
    tokens = get(server, "/api/memory/receipts/last")["tokens"]
    chat.get_by_role("button", name=f"Memory in the last prompt: {tokens} of 1,000 tokens").click()
    slider = chat.get_by_role("slider", name="Tokens at most")
    slider.press("ArrowRight")
    chat.get_by_role("button", name="Set the budget").click()

    expect(
        chat.get_by_role("button", name=f"Memory in the last prompt: {tokens} of 1,050 tokens")
    ).to_be_visible()
    assert get(server, "/api/settings/assemble.budget")["value"] == 1050


def test_a_conversation_is_renamed_and_the_old_name_comes_back(server: LiveServer, chat: Page) -> None:
    say(chat, "What can I cook?")
    expect(answers(chat)).to_contain_text("risotto")
    chat.get_by_role("button", name="This conversation").click()
    chat.get_by_role("menuitem", name="Rename").click()
    chat.get_by_label("Name", exact=True).fill("Dinner")
    chat.get_by_role("button", name="Rename").click()
    expect(chat.get_by_role("heading", level=1)).to_have_text("Dinner")
    expect(chat.get_by_role("link", name="Dinner")).to_be_visible()

    chat.get_by_role("region", name="Notices").get_by_role("button", name="Undo").click()
    expect(chat.get_by_role("heading", level=1)).to_have_text("What can I cook?")


@pytest.mark.spec("H9", "UI-6")
def test_a_conversation_is_summarised_now(server: LiveServer, chat: Page) -> None:
    say(chat, "I decided to bake a lemon cake for the party on Friday.")
    expect(answers(chat)).to_contain_text("risotto")
    chat.get_by_role("button", name="This conversation").click()
    chat.get_by_role("menuitem", name="Summaries").click()
    dialog = chat.get_by_role("dialog", name="What this conversation came to")
    expect(dialog.get_by_role("heading", name="No summary yet")).to_be_visible()
    dialog.get_by_role("button", name="Summarise now").click()

    expect(dialog.get_by_text("Summarised.")).to_be_visible()
    expect(dialog.get_by_role("listitem").filter(has_text="Where it stands")).to_have_count(1)
    dialog.get_by_role("button", name="Summarise now").click()
    expect(dialog.get_by_text("Nothing was said since the last summary.")).to_be_visible()
    kept = get(server, f"/api/memory/summaries?chat_id={name_of(chat)}")["results"]
    assert {each["kind"] for each in kept} == {"conversation", "working"}


@pytest.mark.parametrize(
    "payload",
    ["<img src=x onerror=window.hit=1>", "<script>window.hit=1</script>", "[a](javascript:window.hit=1)"],
)
def test_what_is_said_and_answered_runs_nothing(chat: Page, model: Talker, payload: str) -> None:
    model.answer(f"Look: {payload}")
    say(chat, payload)
    expect(answers(chat)).to_contain_text("Look:")
    expect(chat.get_by_role("button", name="Answer again")).to_be_visible()
    for link in answers(chat).locator(".answer a").all():
        assert "javascript" not in (link.get_attribute("href") or "")

    expect(questions(chat).locator(".bubble")).to_have_text(payload)
    assert answers(chat).locator(".answer :is(img, script)").count() == 0
    assert chat.evaluate("window.hit") is None


def test_before_a_conversation_is_deleted_its_consequences_are_told(
    modest: tuple[LiveServer, Page],
) -> None:
    server, page = modest
    say(page, "I hate cilantro.")
    expect(page.get_by_text("Learned: hates cilantro")).to_be_visible()
    page.get_by_role("button", name="This conversation").click()
    page.get_by_role("menuitem", name="Delete").click()
    dialog = page.get_by_role("dialog", name="Delete this conversation?")
    expect(dialog).to_contain_text("1 message goes, for good.")
    expect(dialog).to_contain_text("1 memory rests on this conversation alone")
    expect(dialog.get_by_role("listitem")).to_have_text("hates cilantro")
    dialog.get_by_role("button", name="Delete conversation").click()

    expect(page.get_by_role("heading", level=1)).to_have_text("New chat")
    assert get(server, "/chats")["results"] == []
    assert get(server, "/api/memory")["results"] == []


def test_what_was_learned_is_told_corrected_and_taken_back(modest: tuple[LiveServer, Page]) -> None:
    server, page = modest
    say(page, "I hate cilantro.")
    expect(page.get_by_text("Learned: hates cilantro")).to_be_visible()
    page.get_by_role("button", name="Edit: hates cilantro").click()
    page.get_by_label("What it should say").fill("hates coriander")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Corrected: hates coriander")).to_be_visible()
    say(page, "I live in Lisbon.")
    expect(page.get_by_text("Learned: lives in Lisbon")).to_be_visible()
    page.get_by_role("button", name="Undo: lives in Lisbon").click()

    expect(page.get_by_text("Taken back: lives in Lisbon")).to_be_visible()
    assert [each["memory"] for each in get(server, "/api/memory")["results"]] == ["hates coriander"]


def test_without_a_model_memory_is_quoted_and_labelled(modest: tuple[LiveServer, Page]) -> None:
    server, page = modest
    remember(server, "I am vegetarian.")
    say(page, QUESTION)

    expect(answers(page).get_by_text("no language model: quoting memory", exact=True)).to_be_visible()
    expect(answers(page)).to_contain_text("I am vegetarian.")
    expect(answers(page).get_by_role("link", name="Connect a model")).to_be_visible()
    page.reload()
    expect(page.get_by_text("What was quoted from memory is not kept.")).to_be_visible()
    page.get_by_role("button", name="Answer now").click()
    expect(answers(page)).to_contain_text("I am vegetarian.")


def test_a_link_to_a_message_shows_and_marks_it_however_far_back_it_is(
    server: LiveServer, chat: Page
) -> None:
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
    expect(chat.get_by_text("The message this link means is not here any more.")).to_be_visible()


def test_who_reads_is_not_moved_by_what_comes(chat: Page, model: Talker) -> None:
    model.answer(LONG)
    say(chat, "What can I cook?")
    expect(answers(chat)).to_contain_text("Step 59")
    transcript = chat.get_by_role("group", name="Conversation")
    newest = chat.get_by_role("button", name="To the newest message")
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


def test_a_model_that_fails_is_told_and_asked_again(server: LiveServer, chat: Page, model: Talker) -> None:
    model.fail_next(ProviderBusy("The model is asleep. It is night. Wake it."))
    say(chat, "What can I cook?")
    expect(chat.get_by_role("alert")).to_contain_text("The model is asleep.")
    assert said(server, name_of(chat)) == ["What can I cook?"]
    chat.get_by_role("button", name="Try again").click()

    expect(answers(chat)).to_contain_text("risotto")
    assert said(server, name_of(chat)) == ["What can I cook?", "Try a **risotto**."]


def test_everything_is_reached_by_keys(server: LiveServer, chat: Page) -> None:
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


def test_an_empty_chat_teaches_what_to_say(chat: Page) -> None:
    expect(chat.get_by_role("heading", name="What is on your mind?")).to_be_visible()
    chat.get_by_role("button", name="What do you know about me?").click()

    expect(composer(chat)).to_have_value("What do you know about me?")
    expect(composer(chat)).to_be_focused()


def test_conversations_are_found_by_their_names(server: LiveServer, chat: Page) -> None:
    for number, word in enumerate("soup cake rice bread tea milk".split()):
        server.application.engine.add_messages(
            Scope(ANA, f"c{number}"), _drafts(f"About {word}"), server.application.policy(ANA)
        )
    chat.reload()
    names = chat.get_by_role("region", name="Conversations").get_by_role("link")
    expect(names).to_have_count(6)
    chat.get_by_label("Search").fill("RICE")

    expect(names).to_have_count(1)
    chat.get_by_label("Search").fill("zebra")
    expect(chat.get_by_text("No conversation is called so.")).to_be_visible()


def test_loading_failing_and_missing_conversations_say_so(server: LiveServer, chat: Page) -> None:
    server.application.engine.add_messages(
        Scope(ANA, "soup"), _drafts("About soup"), server.application.policy(ANA)
    )
    with waiting(chat, "**/chats/soup/messages**"):
        chat.goto(f"{server.url}/chat/soup")
        expect(
            chat.get_by_role("main").get_by_role("status").filter(has_text="Loading").first
        ).to_be_visible()
    expect(questions(chat)).to_contain_text("About soup")
    with failing(chat, "**/chats/soup**"):
        chat.goto(f"{server.url}/chat/soup?again")
        expect_failure(chat)
    chat.get_by_role("alert").get_by_role("button", name="Try again").click()
    expect(questions(chat)).to_contain_text("About soup")
    chat.goto(f"{server.url}/chat/nowhere")
    expect(chat.get_by_role("alert")).to_contain_text("nowhere")
    expect(chat.get_by_role("main").get_by_role("link", name="New chat")).to_be_visible()


def test_a_server_that_stops_is_told_of_and_found_again(server: LiveServer, chat: Page) -> None:
    with silent(chat):
        say(chat, "What can I cook?")
        expect(chat.get_by_text(LOST)).to_be_visible()
        expect(answers(chat)).to_contain_text("Recollect does not answer.")
    expect(chat.get_by_text(LOST)).to_be_hidden()
    answers(chat).get_by_role("button", name="Try again").click()

    expect(answers(chat)).to_contain_text("risotto")


def test_it_fits_a_phone_and_twice_the_size(server: LiveServer, chat: Page, model: Talker) -> None:
    model.answer("A " + "very" * 60 + " long word and\n\n```\n" + "code " * 60 + "\n```")
    say(chat, "W" * 200)
    expect(answers(chat)).to_contain_text("long word")
    expect(chat.get_by_role("button", name="Answer again")).to_be_visible()
    expect_no_sideways_scroll(chat)

    chat.set_viewport_size({"width": 360, "height": 740})
    chat.get_by_role("button", name="Show conversations").click()
    chat.get_by_role("dialog", name="Conversations").get_by_role("link").first.click()
    expect(chat.get_by_role("dialog", name="Conversations")).to_be_hidden()


def _drafts(text: str) -> list[MessageDraft]:
    return [MessageDraft(role=Role.USER, content=text)]

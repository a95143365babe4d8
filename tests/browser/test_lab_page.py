"""The lab: numbers are tried out on one's own memory, compared, measured, and kept under a name."""

import json
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, expect
from tests.browser.visiting import at_home, expect_states, expect_to_fit, in_portuguese, tabbed_to
from tests.server.live_server import LiveServer

TEAS = ("green", "black", "white", "red", "yellow", "cold", "sweet", "strong", "iced", "herbal")


@pytest.fixture
def lab(server: LiveServer, owner: Page) -> Iterator[Page]:
    with server.client() as client:
        for tea in TEAS:
            client.post("/api/memory", json={"content": f"I drink {tea} tea on {tea} days."})
    server.drain_jobs()
    with at_home(owner, server):
        owner.goto(f"{server.url}/lab?q=iced+tea")
        expect(passages(owner).first).to_contain_text("iced tea")
        yield owner


def passages(page: Page) -> Locator:
    return (
        page.get_by_role("region", name="Results").get_by_role("listitem").filter(has=page.locator("strong"))
    )


def slide(page: Page, name: str, value: float) -> None:
    page.get_by_role("slider", name=name, exact=True).fill(str(value))


def opened(page: Page, group: str) -> None:
    page.locator("summary", has_text=group).click()


def test_moving_a_slider_ranks_anew_at_once_and_leaves_no_trace(server: LiveServer, lab: Page) -> None:
    before = passages(lab).count()
    opened(lab, "How many")
    slide(lab, "limit", 2)

    expect(passages(lab)).to_have_count(2)
    assert before > 2
    expect(lab.get_by_role("heading", name="No longer among them")).to_be_visible()
    expect(lab.get_by_text("1 changed")).to_be_visible()
    with server.client() as client:
        assert client.get("/api/memory/receipts").json()["results"] == []
        assert client.get("/api/settings/recall.limit").json()["source"] == "default"


def test_what_rises_and_falls_is_marked(lab: Page) -> None:
    slide(lab, "alpha", 0)
    slide(lab, "beta", 0)
    slide(lab, "gamma", 1)
    opened(lab, "Evidence")
    for name in ("lead", "chat", "personal"):
        slide(lab, name, 0)
    slide(lab, "fresh", 2)
    slide(lab, "cliff", 0)

    expect(lab.get_by_text(re.compile(r"^(up|down) \d+$|^new$")).first).to_be_attached()


def test_every_number_of_recall_has_its_slider_with_its_range_and_help(server: LiveServer, lab: Page) -> None:
    with server.client() as client:
        settings = client.get("/api/settings").json()["results"]
    numbers = [
        each
        for each in settings
        if each["name"].startswith("recall.")
        and each["kind"].endswith("number")
        and each["name"] != "recall.deadline_ms"
    ]
    for group in ("How many", "Evidence", "More"):
        opened(lab, group)
    alpha = next(each for each in numbers if each["name"] == "recall.alpha")

    expect(lab.get_by_role("slider")).to_have_count(len(numbers))
    expect(lab.get_by_role("slider", name="alpha")).to_have_attribute("max", str(alpha["high"]))
    expect(lab.get_by_text(alpha["doc"])).to_be_visible()


def test_numbers_are_kept_under_a_name_and_undone(server: LiveServer, lab: Page) -> None:
    opened(lab, "How many")
    slide(lab, "limit", 3)
    lab.get_by_role("button", name="Keep these numbers").click()
    dialog = lab.get_by_role("dialog")
    dialog.get_by_label("Name").fill("short")
    dialog.get_by_role("button", name="Keep these numbers").click()
    expect(lab.get_by_text("Kept as short. They hold from now on.")).to_be_visible()
    with server.client() as client:
        assert client.get("/api/settings/recall.limit").json()["value"] == 3
        expect(lab.get_by_label("Start from")).to_contain_text("Mine: short")
        lab.get_by_role("button", name="Undo").click()
        expect(lab.get_by_text("Taken back.")).to_be_visible()
        assert client.get("/api/settings/recall.limit").json()["value"] == 8


def test_two_presets_are_compared_side_by_side_under_an_address(lab: Page) -> None:
    lab.get_by_role("tab", name="Compare").click()
    lab.get_by_label("On the left").select_option("preset:companion")
    lab.get_by_label("On the right").select_option("preset:facts")

    expect(lab.get_by_text(re.compile("on the other side|only here")).first).to_be_visible()
    expect(lab).to_have_url(
        re.compile(r"tab=compare.*left=preset%3Acompanion.*right=preset%3Afacts"),
    )
    lab.reload()
    expect(lab.get_by_label("On the left")).to_have_value("preset:companion")


def test_a_labelled_set_is_run_and_shows_before_and_after(lab: Page) -> None:
    lines = [
        json.dumps({"query": f"{tea} tea", "relevant": [f"I drink {tea} tea on {tea} days."]}) for tea in TEAS
    ]
    lab.get_by_role("tab", name="Labelled set").click()
    expect(lab.get_by_role("heading", name="No labelled questions yet")).to_be_visible()
    lab.get_by_label("Which questions").select_option("own")
    lab.get_by_label("Your own set").fill("\n".join(lines[:3]) + "\nnonsense")
    expect(lab.get_by_text("Line 4 is not such an object.")).to_be_visible()
    lab.get_by_label("Your own set").fill("\n".join(lines[:3]))
    expect(lab.get_by_role("button", name="Run 3 questions")).to_be_disabled()
    lab.get_by_label("Your own set").fill("\n".join(lines))
    lab.get_by_role("button", name="Run 10 questions").click()

    measured = lab.get_by_role("row", name=re.compile("The questions themselves"))
    expect(measured).to_contain_text(re.compile(r"\d\.\d{3}\s*\d\.\d{3}"))
    expect(lab.get_by_text(re.compile(r"sets? of numbers w"))).to_be_visible()


def test_without_a_question_it_teaches_one_and_without_an_answer_what_to_lower(
    server: LiveServer, lab: Page
) -> None:
    lab.goto(f"{server.url}/lab")
    lab.get_by_role("button", name="Try “What do I like?”").click()
    expect(lab.get_by_role("searchbox")).to_have_value("What do I like?")
    lab.goto(f"{server.url}/lab?q=qqqq")
    slide(lab, "floor", 1)

    expect(lab.get_by_role("heading", name="Nothing bears on this question")).to_be_visible()


def test_a_search_by_words_only_says_so(server: LiveServer, lab: Page) -> None:
    with server.client() as client:
        told = client.post("/api/memory/debug/recall", json={"query": "iced tea"}).json()
    told["degraded"] = ["lexical only: the embedder is away"]
    lab.route("**/api/memory/debug/recall", lambda route: route.fulfill(json=told))
    lab.reload()

    expect(lab.get_by_text("the embedder is away")).to_be_visible()


def test_its_states(server: LiveServer, lab: Page) -> None:
    expect_states(lab, f"{server.url}/lab", "**/api/settings", "**/api/presets")


def test_it_fits_and_speaks_portuguese(server: LiveServer, lab: Page) -> None:
    for tab in ("numbers", "compare", "labels"):
        expect_to_fit(lab, f"{server.url}/lab?q=tea&tab={tab}")
    lab.goto(f"{server.url}/lab?q=tea")
    in_portuguese(lab)

    expect(lab.get_by_text("Parte da semelhança de sentido na pontuação.")).to_be_visible()


def test_sliders_move_with_the_keyboard_alone(lab: Page) -> None:
    lab.keyboard.press("/")
    expect(lab.get_by_role("searchbox")).to_be_focused()
    tabbed_to(lab, "alpha")
    lab.keyboard.press("ArrowRight")

    expect(lab.get_by_role("slider", name="alpha")).to_have_value("0.61")
    expect(lab.get_by_text("1 changed")).to_be_visible()

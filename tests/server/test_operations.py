"""The house itself over HTTP: checks, tokens, providers, moving vectors, trying numbers out, and how recall went."""

from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from tests.server.live_server import ANA, LiveServer, run_server

from recollect.errors import ProviderError
from recollect.testing.chat_models import ScriptedChatModel

TEAS = ("green", "black", "white", "red", "yellow", "cold", "sweet", "strong", "iced", "herbal")


@pytest.fixture
def guest(server: LiveServer) -> Iterator[httpx2.Client]:
    with server.client(server.token_store.add("phone", user="bob")) as opened:
        yield opened


@pytest.fixture
def client_with_teas(server: LiveServer, client: httpx2.Client) -> httpx2.Client:
    for tea in TEAS:
        client.post("/api/memory", json={"content": f"I drink {tea} tea on {tea} days."})
    server.drain_jobs()
    return client


def test_the_doctor_says_what_was_looked_at_and_what_to_do(client: httpx2.Client) -> None:
    told = client.get("/api/doctor", params={"deep": True}).json()
    found = {each["name"]: each for each in told["findings"]}

    assert told["ok"] is True
    assert {"python", "file", "integrity", "embedder", "parked jobs", "settings", "disk"} <= set(found)
    assert {each["level"] for each in told["findings"]} == {"ok"}
    assert set(found["disk"]) == {"name", "ok", "level", "detail", "fix"}


def test_doubtful_settings_are_found_with_the_command_that_shows_them(client: httpx2.Client) -> None:
    client.put("/api/settings/context.budget", json={"value": 10})
    told = client.get("/api/doctor").json()
    [doubt] = [each for each in told["findings"] if each["level"] != "ok"]

    assert told["ok"] is False
    assert (doubt["name"], doubt["level"], doubt["fix"]) == ("settings", "warn", "recollect settings")


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/api/doctor"),
        ("GET", "/api/tokens"),
        ("POST", "/api/tokens"),
        ("DELETE", "/api/tokens/phone"),
        ("GET", "/api/providers"),
        ("POST", "/api/providers/model/test"),
    ],
)
def test_what_is_about_the_whole_machine_is_for_admins(guest: httpx2.Client, method: str, path: str) -> None:
    answer = guest.request(method, path, json={"name": "more"} if path == "/api/tokens" else None)

    assert (answer.status_code, answer.json()["code"]) == (403, "not_yours")


def test_a_token_is_seen_once_opens_one_memory_and_can_be_taken_back(
    server: LiveServer, client: httpx2.Client
) -> None:
    made = client.post("/api/tokens", json={"name": "phone", "user_id": "bob"})
    listed = client.get("/api/tokens")
    with server.client(made.json()["token"]) as phone:
        before = phone.get("/api/memory").status_code
        others = phone.get("/api/memory", params={"user_id": ANA}).status_code
        gone = client.delete("/api/tokens/phone")
        after = phone.get("/api/memory").status_code

    assert made.status_code == 201
    assert made.json()["token"] not in listed.text
    assert listed.json()["results"] == [
        {"name": "owner", "user_id": ANA, "admin": True},
        {"name": "phone", "user_id": "bob", "admin": False},
    ]
    assert (before, others, after) == (200, 403, 401)
    assert gone.json() == {"name": "phone", "user_id": "bob", "admin": False}


@pytest.mark.parametrize(("name", "status"), [("owner", 409), ("nobody", 404)])
def test_the_owners_token_and_what_is_not_there_cannot_be_revoked(
    client: httpx2.Client, name: str, status: int
) -> None:
    assert client.delete(f"/api/tokens/{name}").status_code == status


def test_without_a_model_the_test_says_how_to_have_one(client: httpx2.Client) -> None:
    listed = {each["name"]: each["id"] for each in client.get("/api/providers").json()["results"]}
    model = client.post("/api/providers/model/test").json()
    embedder = client.post("/api/providers/embedder/test").json()

    assert listed == {"model": None, "embedder": "hashing-256"}
    assert (model["ok"], "model_url" in model["detail"]) == (False, True)
    assert (embedder["ok"], embedder["detail"]) == (True, "hashing-256, 256 dimensions")


def test_a_model_is_asked_and_what_it_cost_counts(tmp_path: Path) -> None:
    with run_server(tmp_path, chat_model=ScriptedChatModel("ready")) as server, server.client() as client:
        told = client.post("/api/providers/model/test").json()
        spent = client.get("/api/memory/insights").json()["model_today"]

    assert told["ok"] is True
    assert told["detail"].endswith(": ready")
    assert (spent["calls"], spent["tokens"] > 0) == (1, True)


def test_a_model_that_does_not_answer_says_why(tmp_path: Path) -> None:
    away = ProviderError("Nobody answers at model.example. Start it.")
    model = ScriptedChatModel()
    model.fail_next(away)
    with run_server(tmp_path, chat_model=model) as server, server.client() as client:
        told = client.post("/api/providers/model/test").json()

    assert (told["ok"], told["detail"]) == (False, str(away))


@pytest.mark.spec("T7")
def test_vectors_move_to_the_model_of_the_settings_and_the_state_tells_how_far(
    server: LiveServer, client_with_teas: httpx2.Client
) -> None:
    before = client_with_teas.get("/api/embedding").json()
    begun = client_with_teas.post("/api/embedding/move")
    server.drain_jobs()
    after = client_with_teas.get("/api/embedding").json()

    assert (before["model"], before["lacking"], before["moving_to"]) == ("hashing-256", 0, None)
    assert before["passages"] == sum(each["vectors"] for each in before["vectors"])
    assert begun.status_code == 202
    assert (after["moving_to"], after["answering"]) == (None, "hashing-256")


def test_a_recall_with_other_numbers_says_what_was_left_out_and_leaves_no_trace(
    client_with_teas: httpx2.Client,
) -> None:
    few = {"query": "iced tea", "settings": {"recall.limit": 2, "recall.small_store_size": 0}}
    told = client_with_teas.post("/api/memory/debug/recall", json=few).json()
    fates = [each["fate"] for each in told["items"]]

    assert fates.count("returned") == 2
    assert all(each["reason"] for each in told["items"] if each["fate"] == "left_out")
    assert "left_out" in fates
    assert client_with_teas.get("/api/memory/receipts").json()["results"] == []


def test_numbers_are_kept_under_a_name_hold_at_once_and_can_be_undone(client: httpx2.Client) -> None:
    kept = client.put("/api/tunings/mine", json={"values": {"recall.limit": 3, "recall.alpha": 0.25}}).json()
    holds = client.get("/api/settings/recall.limit").json()
    listed = client.get("/api/tunings").json()["results"]
    undone = client.delete("/api/tune").json()

    assert kept == {"name": "mine", "values": {"recall.limit": 3, "recall.alpha": 0.25}}
    assert (holds["value"], holds["source"]) == (3, "preference")
    assert listed == [kept]
    assert undone == {"values": {"recall.limit": None, "recall.alpha": None}}
    assert client.get("/api/settings/recall.limit").json()["source"] == "default"


@pytest.mark.parametrize("values", [{"recall.limit": -1}, {"db": 1}, {"nonsense": 1}, {}])
def test_numbers_that_make_no_sense_are_not_kept(client: httpx2.Client, values: dict[str, float]) -> None:
    assert client.put("/api/tunings/mine", json={"values": values}).status_code == 422
    assert client.get("/api/tunings").json()["results"] == []


def test_a_labelled_set_is_run_and_measured_before_and_after(client_with_teas: httpx2.Client) -> None:
    labels = [{"query": f"{tea} tea", "relevant": [f"I drink {tea} tea on {tea} days."]} for tea in TEAS]
    told = client_with_teas.post("/api/tune", json={"labels": labels, "dry_run": True}).json()

    assert (told["questions"], told["kept"]) == (10, False)
    assert 0 < told["chosen_by"]["before"] <= told["chosen_by"]["after"] <= 1
    assert client_with_teas.get("/api/tunings").json()["results"] == []


def test_too_few_questions_are_luck(client: httpx2.Client) -> None:
    answer = client.post("/api/tune", json={"labels": [{"query": "tea", "relevant": ["tea"]}]})

    assert answer.status_code == 422
    assert "label more" in answer.json()["detail"]


def test_what_was_said_of_recalls_makes_labels(client_with_teas: httpx2.Client) -> None:
    found = client_with_teas.post("/api/memory/search", json={"query": "iced tea"}).json()
    said = {"receipt_id": found["receipt"], "item_id": found["results"][0]["id"], "relevant": True}
    client_with_teas.post("/api/memory/feedback", json=said)

    [label] = client_with_teas.get("/api/tune/labels").json()["results"]
    assert (label["query"], label["relevant"]) == ("iced tea", [found["results"][0]["id"]])


@pytest.mark.spec("R3", "R4", "R5")
def test_insights_tell_step_by_step_how_recall_went_with_a_receipt_for_each(
    server: LiveServer, client_with_teas: httpx2.Client
) -> None:
    said = [{"role": "user", "content": "ok"}, {"role": "user", "content": "My sister lives in Recife."}]
    client_with_teas.post("/chats/c/listen", json={"messages": said})
    server.drain_jobs()
    block = {"query": "iced tea", "budget": 60, "settings": {"recall.limit": 3}}
    receipt = client_with_teas.post("/api/memory/context", json=block).json()["receipt"]
    told = client_with_teas.get("/api/memory/insights", params={"hours": 24, "steps": 6}).json()
    last = told["steps"][-1]

    assert len(told["steps"]) == 6
    assert [each["recalls"] for each in told["steps"]] == [0, 0, 0, 0, 0, 1]
    assert (last["receipt"], last["hitRate"]) == (receipt["id"], 1.0)
    assert {"p50", "p95", "p99"} == set(last["latency"]["total"])
    assert [each["receipt"] for each in told["recalls"]] == [receipt["id"]]
    assert told["whole"]["recalls"] == 1
    assert sum(told["left_out"].values()) == sum(each["fate"] == "left_out" for each in receipt["items"])
    assert not any(any(letter.isdigit() for letter in reason) for reason in told["left_out"])
    assert told["verdicts"]["too short"] == 1
    assert told["complete"] is True


def test_a_setting_says_what_it_takes_so_that_a_page_can_offer_it(client: httpx2.Client) -> None:
    number = client.get("/api/settings/recall.alpha").json()
    choice = client.get("/api/settings/recall.ranker").json()
    open_end = client.get("/api/settings/recall.limit").json()

    assert (number["kind"], number["low"], number["high"]) == ("number", 0, 1)
    assert (choice["kind"], "evidence" in choice["choices"], choice["low"]) == ("choice", True, None)
    assert (open_end["low"], open_end["high"], open_end["default"]) == (1, None, 8)
    assert "RECOLLECT_RECALL_LIMIT" in open_end["environment"]

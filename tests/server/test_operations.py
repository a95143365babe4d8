"""Operations over HTTP: doctor, tokens, providers, re-embedding, tuning and analytics."""

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
    with server.client(server.access.add_token("phone", user="bob")) as opened:
        yield opened


@pytest.fixture
def client_with_teas(server: LiveServer, client: httpx2.Client) -> httpx2.Client:
    for tea in TEAS:
        client.post("/api/memory", json={"content": f"I drink {tea} tea on {tea} days."})
    server.drain_jobs()
    return client


def test_the_doctor_reports_its_checks_and_fixes(client: httpx2.Client) -> None:
    body = client.get("/api/doctor", params={"deep": True}).json()
    checks = {each["name"]: each for each in body["findings"]}

    assert body["ok"] is True
    assert {"python", "file", "integrity", "embedder", "failed jobs", "settings", "disk"} <= set(checks)
    assert {each["level"] for each in body["findings"]} == {"ok"}
    assert set(checks["disk"]) == {"name", "ok", "level", "detail", "fix"}


def test_the_doctor_reports_doubtful_settings_with_a_command(client: httpx2.Client) -> None:
    client.put("/api/settings/context.budget", json={"value": 10})
    body = client.get("/api/doctor").json()
    [doubt] = [each for each in body["findings"] if each["level"] != "ok"]

    assert body["ok"] is False
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
def test_server_wide_operations_are_for_admins_only(guest: httpx2.Client, method: str, path: str) -> None:
    answer = guest.request(method, path, json={"name": "more"} if path == "/api/tokens" else None)

    assert (answer.status_code, answer.json()["code"]) == (403, "not_yours")


def test_a_token_is_shown_once_accesses_one_user_and_can_be_revoked(
    server: LiveServer, client: httpx2.Client
) -> None:
    creation = client.post("/api/tokens", json={"name": "phone", "user_id": "bob"})
    listing = client.get("/api/tokens")
    with server.client(creation.json()["token"]) as phone:
        before = phone.get("/api/memory").status_code
        others = phone.get("/api/memory", params={"user_id": ANA}).status_code
        gone = client.delete("/api/tokens/phone")
        after = phone.get("/api/memory").status_code

    assert creation.status_code == 201
    assert creation.json()["token"] not in listing.text
    assert listing.json()["results"] == [
        {"name": "owner", "user_id": ANA, "admin": True},
        {"name": "phone", "user_id": "bob", "admin": False},
    ]
    assert (before, others, after) == (200, 403, 401)
    assert gone.json() == {"name": "phone", "user_id": "bob", "admin": False}


@pytest.mark.parametrize(("name", "status"), [("owner", 409), ("nobody", 404)])
def test_the_owners_token_and_unknown_tokens_cannot_be_revoked(
    client: httpx2.Client, name: str, status: int
) -> None:
    assert client.delete(f"/api/tokens/{name}").status_code == status


def test_without_a_model_the_provider_test_says_how_to_configure_one(client: httpx2.Client) -> None:
    model_ids = {each["name"]: each["id"] for each in client.get("/api/providers").json()["results"]}
    model = client.post("/api/providers/model/test").json()
    embedder = client.post("/api/providers/embedder/test").json()

    assert model_ids == {"model": None, "embedder": "hashing-256"}
    assert (model["ok"], "model_url" in model["detail"]) == (False, True)
    assert (embedder["ok"], embedder["detail"]) == (True, "hashing-256, 256 dimensions")


def test_a_provider_test_counts_its_tokens(tmp_path: Path) -> None:
    with run_server(tmp_path, chat_model=ScriptedChatModel("ready")) as server, server.client() as client:
        body = client.post("/api/providers/model/test").json()
        spent = client.get("/api/memory/insights").json()["model_today"]

    assert body["ok"] is True
    assert body["detail"].endswith(": ready")
    assert (spent["calls"], spent["tokens"] > 0) == (1, True)


def test_a_provider_test_reports_why_the_model_failed(tmp_path: Path) -> None:
    away = ProviderError("Nobody answers at model.example. Start it.")
    model = ScriptedChatModel()
    model.fail_next(away)
    with run_server(tmp_path, chat_model=model) as server, server.client() as client:
        body = client.post("/api/providers/model/test").json()

    assert (body["ok"], body["detail"]) == (False, str(away))


@pytest.mark.spec("T7")
def test_reembedding_moves_vectors_to_the_configured_model_and_reports_progress(
    server: LiveServer, client_with_teas: httpx2.Client
) -> None:
    before = client_with_teas.get("/api/embedding").json()
    move = client_with_teas.post("/api/embedding/move")
    server.drain_jobs()
    after = client_with_teas.get("/api/embedding").json()

    assert (before["model"], before["lacking"], before["moving_to"]) == ("hashing-256", 0, None)
    assert before["passages"] == sum(each["vectors"] for each in before["vectors"])
    assert move.status_code == 202
    assert (after["moving_to"], after["answering"]) == (None, "hashing-256")


def test_a_recall_preview_explains_left_out_items_and_stores_no_receipt(
    client_with_teas: httpx2.Client,
) -> None:
    few = {"query": "iced tea", "settings": {"recall.limit": 2, "recall.small_store_size": 0}}
    body = client_with_teas.post("/api/memory/debug/recall", json=few).json()
    dispositions = [each["disposition"] for each in body["items"]]

    assert dispositions.count("returned") == 2
    assert all(each["reason"] for each in body["items"] if each["disposition"] == "left_out")
    assert "left_out" in dispositions
    assert client_with_teas.get("/api/memory/receipts").json()["results"] == []


def test_a_saved_tuning_applies_immediately_and_can_be_undone(client: httpx2.Client) -> None:
    tuning = client.put(
        "/api/tunings/mine", json={"values": {"recall.limit": 3, "recall.alpha": 0.25}}
    ).json()
    holds = client.get("/api/settings/recall.limit").json()
    listing = client.get("/api/tunings").json()["results"]
    undone = client.delete("/api/tune").json()

    assert tuning == {"name": "mine", "values": {"recall.limit": 3, "recall.alpha": 0.25}}
    assert (holds["value"], holds["source"]) == (3, "preference")
    assert listing == [tuning]
    assert undone == {"values": {"recall.limit": None, "recall.alpha": None}}
    assert client.get("/api/settings/recall.limit").json()["source"] == "default"


@pytest.mark.parametrize("values", [{"recall.limit": -1}, {"db": 1}, {"nonsense": 1}, {}])
def test_an_invalid_tuning_is_not_saved(client: httpx2.Client, values: dict[str, float]) -> None:
    assert client.put("/api/tunings/mine", json={"values": values}).status_code == 422
    assert client.get("/api/tunings").json()["results"] == []


def test_tuning_measures_labelled_queries_before_and_after(client_with_teas: httpx2.Client) -> None:
    labels = [{"query": f"{tea} tea", "relevant": [f"I drink {tea} tea on {tea} days."]} for tea in TEAS]
    body = client_with_teas.post("/api/tune", json={"labels": labels, "dry_run": True}).json()

    assert (body["questions"], body["kept"]) == (10, False)
    assert 0 < body["chosen_by"]["before"] <= body["chosen_by"]["after"] <= 1
    assert client_with_teas.get("/api/tunings").json()["results"] == []


def test_tuning_needs_enough_labelled_queries(client: httpx2.Client) -> None:
    answer = client.post("/api/tune", json={"labels": [{"query": "tea", "relevant": ["tea"]}]})

    assert answer.status_code == 422
    assert "Label more" in answer.json()["detail"]


def test_feedback_becomes_labelled_queries(client_with_teas: httpx2.Client) -> None:
    results = client_with_teas.post("/api/memory/search", json={"query": "iced tea"}).json()
    feedback = {"receipt_id": results["receipt"], "item_id": results["results"][0]["id"], "relevant": True}
    client_with_teas.post("/api/memory/feedback", json=feedback)

    [label] = client_with_teas.get("/api/tune/labels").json()["results"]
    assert (label["query"], label["relevant"]) == ("iced tea", [results["results"][0]["id"]])


@pytest.mark.spec("R3", "R4", "R5")
def test_analytics_report_recalls_per_interval_with_receipts(
    server: LiveServer, client_with_teas: httpx2.Client
) -> None:
    messages = [{"role": "user", "content": "ok"}, {"role": "user", "content": "My sister lives in Recife."}]
    client_with_teas.post("/chats/c/listen", json={"messages": messages})
    server.drain_jobs()
    block = {"query": "iced tea", "budget": 60, "settings": {"recall.limit": 3}}
    receipt = client_with_teas.post("/api/memory/context", json=block).json()["receipt"]
    body = client_with_teas.get("/api/memory/insights", params={"hours": 24, "steps": 6}).json()
    last = body["steps"][-1]

    assert len(body["steps"]) == 6
    assert [each["recalls"] for each in body["steps"]] == [0, 0, 0, 0, 0, 1]
    assert (last["receipt"], last["hitRate"]) == (receipt["id"], 1.0)
    assert {"p50", "p95", "p99"} == set(last["latency"]["total"])
    assert [each["receipt"] for each in body["recalls"]] == [receipt["id"]]
    assert body["whole"]["recalls"] == 1
    assert sum(each["count"] for each in body["left_out"]) == sum(
        each["disposition"] == "left_out" for each in receipt["items"]
    )
    codes = [each["code"] for each in body["left_out"]]
    assert len(set(codes)) == len(codes)
    assert ("too_short", 1) in [(each["code"], each["count"]) for each in body["verdicts"]]
    assert body["complete"] is True


def test_a_setting_describes_its_accepted_values(client: httpx2.Client) -> None:
    number = client.get("/api/settings/recall.alpha").json()
    choice = client.get("/api/settings/recall.ranker").json()
    count = client.get("/api/settings/recall.limit").json()
    open_end = client.get("/api/settings/collect.max_message_bytes").json()

    assert (number["kind"], number["low"], number["high"]) == ("number", 0, 1)
    assert (choice["kind"], "evidence" in choice["choices"], choice["low"]) == ("choice", True, None)
    assert (count["low"], count["high"], count["default"]) == (1, 1_000, 8)
    assert (open_end["low"], open_end["high"]) == (1, None)
    assert "RECOLLECT_RECALL_LIMIT" in count["environment"]

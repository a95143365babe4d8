import pytest
from tests.cli.runner import Cli

TEXT = "I ride a red bicycle to work every day"
JOB_KEYS = {"id", "kind", "key", "state", "attempts", "run_at", "reason"}


@pytest.fixture
def parked(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> Cli:
    """A memory whose embedding failed for want of a package, which is there now."""
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "fastembed")
    cli("add", TEXT)
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "hashing")
    return cli


def test_queued_jobs_are_listed(cli: Cli) -> None:
    cli("add", "--no-wait", "--role", "user", "We decided to use PostgreSQL for the billing service")
    shown, shaped = cli("jobs"), cli.json("jobs", "list")

    assert {each["kind"] for each in shaped["results"]} == {"embed", "judge"}
    assert set(shaped["results"][0]) == JOB_KEYS
    assert "judge" in shown.out


def test_an_empty_queue_says_so(cli: Cli) -> None:
    assert cli("jobs").err.endswith("Nothing is queued.\n")
    assert cli.json("jobs") == {"results": []}


def test_a_parked_job_shows_its_reason(parked: Cli) -> None:
    [job] = parked.json("jobs")["results"]

    assert (job["state"], job["kind"]) == ("parked", "embed")
    assert "ModelMissing" in job["reason"]
    assert "ModelMissing" in parked("jobs").out


@pytest.mark.parametrize("which", ["--all", "1"])
def test_a_parked_job_can_be_retried_and_is_done(parked: Cli, which: str) -> None:
    shown = parked("jobs", "retry", which)

    assert (shown.code, shown.out) == (0, "1 job retried.\n")
    assert parked.json("jobs")["results"] == []
    assert parked.json("stats")["pending_vectors"] == 0


def test_a_retry_can_be_left_to_a_worker(parked: Cli) -> None:
    shaped = parked.json("jobs", "retry", "--all", "--no-wait")

    assert shaped == {"retried": 1, "degraded": []}
    assert [each["state"] for each in parked.json("jobs")["results"]] == ["ready"]


def test_a_retry_that_fails_again_is_degraded(parked: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "fastembed")
    answer = parked("jobs", "retry", "--all", "--json")

    assert answer.code == 5
    assert answer.shape["retried"] == 1
    assert "lexical only" in answer.shape["degraded"][0]


def test_a_job_that_is_not_parked_cannot_be_retried(parked: Cli) -> None:
    assert parked("jobs", "retry", "99").code == 3


def test_a_worker_does_what_is_queued_with_a_line_for_each_job(cli: Cli) -> None:
    cli("add", "--no-wait", "--role", "user", "We decided to use PostgreSQL for the billing service")
    answer = cli("worker", "--once")

    assert answer.code == 0
    assert [line.split()[0] for line in answer.out.splitlines()[:2]] == ["embed", "judge"]
    assert all(line.endswith(" done") for line in answer.out.splitlines())
    assert cli.json("jobs")["results"] == []


def test_a_worker_does_the_work_of_all_users(cli: Cli) -> None:
    for user in ("ana", "rui"):
        cli("add", "--no-wait", TEXT, "--user", user)
    shaped = cli.json("worker", "--once")

    assert shaped == {"done": 2, "postponed": 0, "parked": 0}


def test_a_worker_counts_what_it_could_not_do(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "fastembed")
    cli("add", "--no-wait", TEXT)
    shown = cli("worker", "--once")

    assert "parked: ModelMissing" in shown.out
    assert "0 done, 0 postponed, 1 parked." in shown.err

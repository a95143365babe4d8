import pytest
from tests.cli.runner import InProcessCli

MEMORY_TEXT = "I ride a red bicycle to work every day"
JOB_KEYS = {"id", "kind", "key", "state", "attempts", "run_at", "reason"}


@pytest.fixture
def cli_with_dead_job(cli: InProcessCli, monkeypatch: pytest.MonkeyPatch) -> InProcessCli:
    """A memory whose embedding failed for want of a package, which is there now."""
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "fastembed")
    cli("add", MEMORY_TEXT)
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "hashing")
    return cli


def test_queued_jobs_are_listed(cli: InProcessCli) -> None:
    cli("add", "--no-wait", "--role", "user", "We decided to use PostgreSQL for the billing service")
    shown, shaped = cli("jobs"), cli.json("jobs", "list")

    assert {each["kind"] for each in shaped["results"]} == {"embed", "judge"}
    assert set(shaped["results"][0]) == JOB_KEYS
    assert "judge" in shown.stdout


def test_an_empty_queue_says_so(cli: InProcessCli) -> None:
    assert cli("jobs").stderr.endswith("The queue is empty.\n")
    assert cli.json("jobs") == {"results": []}


def test_a_parked_job_shows_its_reason(cli_with_dead_job: InProcessCli) -> None:
    [job] = cli_with_dead_job.json("jobs")["results"]

    assert (job["state"], job["kind"]) == ("parked", "embed")
    assert "ModelMissing" in job["reason"]
    assert "ModelMissing" in cli_with_dead_job("jobs").stdout


@pytest.mark.parametrize("which", ["--all", "1"])
def test_a_parked_job_can_be_retried_and_is_done(cli_with_dead_job: InProcessCli, which: str) -> None:
    shown = cli_with_dead_job("jobs", "retry", which)

    assert (shown.exit_code, shown.stdout) == (0, "1 job retried.\n")
    assert cli_with_dead_job.json("jobs")["results"] == []
    assert cli_with_dead_job.json("stats")["pending_vectors"] == 0


def test_a_retry_can_be_left_to_a_worker(cli_with_dead_job: InProcessCli) -> None:
    shaped = cli_with_dead_job.json("jobs", "retry", "--all", "--no-wait")

    assert shaped == {"retried": 1, "degraded": []}
    assert [each["state"] for each in cli_with_dead_job.json("jobs")["results"]] == ["ready"]


def test_a_retry_that_fails_again_is_degraded(
    cli_with_dead_job: InProcessCli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "fastembed")
    answer = cli_with_dead_job("jobs", "retry", "--all", "--json")

    assert answer.exit_code == 5
    assert answer.payload["retried"] == 1
    assert "lexical only" in answer.payload["degraded"][0]


def test_a_job_that_is_not_parked_cannot_be_retried(cli_with_dead_job: InProcessCli) -> None:
    assert cli_with_dead_job("jobs", "retry", "99").exit_code == 3


def test_a_worker_does_what_is_queued_with_a_line_for_each_job(cli: InProcessCli) -> None:
    cli("add", "--no-wait", "--role", "user", "We decided to use PostgreSQL for the billing service")
    answer = cli("worker", "--once")

    assert answer.exit_code == 0
    assert [line.split()[0] for line in answer.stdout.splitlines()[:2]] == ["embed", "judge"]
    assert all(line.endswith(" done") for line in answer.stdout.splitlines())
    assert cli.json("jobs")["results"] == []


def test_a_worker_does_the_work_of_all_users(cli: InProcessCli) -> None:
    for user in ("ana", "rui"):
        cli("add", "--no-wait", MEMORY_TEXT, "--user", user)
    shaped = cli.json("worker", "--once")

    assert shaped == {"done": 2, "postponed": 0, "parked": 0}


def test_a_worker_counts_what_it_could_not_do(cli: InProcessCli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "fastembed")
    cli("add", "--no-wait", MEMORY_TEXT)
    shown = cli("worker", "--once")

    assert "parked: ModelMissing" in shown.stdout
    assert "0 done, 0 postponed, 1 parked." in shown.stderr

import pytest
from tests.cli.runner import InProcessCli

MEMORY_TEXT = "I ride a red bicycle to work every day"
JOB_KEYS = {"id", "kind", "key", "state", "attempts", "run_at", "reason"}


@pytest.fixture
def cli_with_dead_job(cli: InProcessCli, monkeypatch: pytest.MonkeyPatch) -> InProcessCli:
    """A failed embedding job whose missing package is available again."""
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "fastembed")
    cli("add", MEMORY_TEXT)
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "hashing")
    return cli


def test_queued_jobs_are_listed(cli: InProcessCli) -> None:
    cli("add", "--no-wait", "--role", "user", "We decided to use PostgreSQL for the billing service")
    text_result, payload = cli("maintenance", "jobs"), cli.json("maintenance", "jobs", "list")

    assert {each["kind"] for each in payload["results"]} == {"embed", "extract"}
    assert set(payload["results"][0]) == JOB_KEYS
    assert "extract" in text_result.stdout


def test_an_empty_queue_says_so(cli: InProcessCli) -> None:
    assert cli("maintenance", "jobs").stderr.endswith("The queue is empty.\n")
    assert cli.json("maintenance", "jobs") == {"results": []}


def test_a_failed_job_shows_its_reason(cli_with_dead_job: InProcessCli) -> None:
    [job] = cli_with_dead_job.json("maintenance", "jobs")["results"]

    assert (job["state"], job["kind"]) == ("dead", "embed")
    assert (job["reason"]["code"], job["reason"]["params"]["error"]) == ("job_failed", "ModelMissing")
    assert "ModelMissing" in cli_with_dead_job("maintenance", "jobs").stdout


@pytest.mark.parametrize("which", ["--all", "1"])
def test_a_failed_job_can_be_retried_and_is_done(cli_with_dead_job: InProcessCli, which: str) -> None:
    text_result = cli_with_dead_job("maintenance", "jobs", "retry", which)

    assert (text_result.exit_code, text_result.stdout) == (0, "1 job retried.\n")
    assert cli_with_dead_job.json("maintenance", "jobs")["results"] == []
    assert cli_with_dead_job.json("maintenance", "stats")["pending_vectors"] == 0


def test_a_retry_can_be_left_to_a_worker(cli_with_dead_job: InProcessCli) -> None:
    payload = cli_with_dead_job.json("maintenance", "jobs", "retry", "--all", "--no-wait")

    assert payload == {"retried": 1, "degraded": []}
    assert [each["state"] for each in cli_with_dead_job.json("maintenance", "jobs")["results"]] == ["ready"]


def test_a_retry_that_fails_again_is_degraded(
    cli_with_dead_job: InProcessCli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "fastembed")
    result = cli_with_dead_job("maintenance", "jobs", "retry", "--all", "--json")

    assert result.exit_code == 5
    assert result.payload["retried"] == 1
    assert result.payload["degraded"][0]["code"] == "without_vector"


def test_a_job_that_is_not_failed_cannot_be_retried(cli_with_dead_job: InProcessCli) -> None:
    assert cli_with_dead_job("maintenance", "jobs", "retry", "99").exit_code == 3


def test_a_worker_runs_the_queue_and_prints_a_line_per_job(cli: InProcessCli) -> None:
    cli("add", "--no-wait", "--role", "user", "We decided to use PostgreSQL for the billing service")
    result = cli("worker", "--once")

    assert result.exit_code == 0
    assert [line.split()[0] for line in result.stdout.splitlines()[:2]] == ["embed", "extract"]
    assert all(line.endswith(" done") for line in result.stdout.splitlines())
    assert cli.json("maintenance", "jobs")["results"] == []


def test_a_worker_runs_the_jobs_of_all_users(cli: InProcessCli) -> None:
    for user in ("ana", "rui"):
        cli("add", "--no-wait", MEMORY_TEXT, "--user", user)
    payload = cli.json("worker", "--once")

    assert payload == {"done": 2, "postponed": 0, "failed": 0}


def test_a_worker_counts_failed_jobs(cli: InProcessCli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "fastembed")
    cli("add", "--no-wait", MEMORY_TEXT)
    text_result = cli("worker", "--once")

    assert "failed: ModelMissing" in text_result.stdout
    assert "0 done, 0 postponed, 1 failed." in text_result.stderr

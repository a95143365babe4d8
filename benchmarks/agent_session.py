"""
`python -m benchmarks.agent_session`: five minutes of a coding session through the hooks of Claude Code.

Two earlier sessions tell the agent about a project. Then the payloads of a third one are passed to `recollect-hook`
with a running server, as Claude Code does. For each turn the table shows what was injected, its tokens and the time of
the hook. Nothing may be injected twice before the context is compacted.
"""

import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.agent_hook import hook_environment, running_server
from recollect.text.tokens import estimate_tokens

EARLIER_SESSIONS = (
    (
        ("I work on the orders service of our webshop. It is written in Python 3.12.", "Good to know."),
        ("We decided to use PostgreSQL 16 for the orders service, not MySQL.", "Noted: PostgreSQL 16."),
        ("Always write tests with pytest, never with unittest.", "Understood, pytest only."),
        ("The staging server is orders-stg-02 and it is redeployed every night at 2.", "Thanks."),
        ("Our linter is ruff with a line length of 100.", "I will keep lines below 100 characters."),
        ("I'm on macOS and use zsh.", "Then I will give commands for zsh."),
    ),
    (
        ("Payments are retried three times with exponential backoff, then a person looks.", "Makes sense."),
        ("Marta reviews everything that touches payments.", "I will mention her in such changes."),
        ("I prefer small commits with imperative subjects.", "Small commits it is."),
        ("Never log card numbers or e-mail addresses.", "Agreed, no personal data in logs."),
        ("The ticket for the refund bug is ORD-512.", "Got it, ORD-512."),
        ("We release on Thursdays after the stand-up.", "Understood."),
    ),
)
SESSION = (
    ("Let's add a test for the refund endpoint.", "I wrote a pytest test for the refund endpoint."),
    ("ok", "Great."),
    ("Which database does the orders service use again?", "PostgreSQL 16."),
    ("Write a migration that adds a column refunded_at.", "Here is the migration."),
    ("Who has to review this change to the payments code?", "Marta does."),
    ("What was the ticket of the refund bug?", "ORD-512."),
    ("Log the refund when it succeeds.", "Added a log line without personal data."),
    ("How often is a payment retried?", "Three times."),
    ("Which database does the orders service use again?", "PostgreSQL 16, as before."),
    ("thanks!", "You're welcome."),
    ("Commit this.", "Committed in two small commits."),
    ("When do we release?", "On Thursdays after the stand-up."),
)
ITEM = re.compile(r"<item[^>]*>(.*?)</item>", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    prompt: str
    items: tuple[str, ...]
    tokens: int
    milliseconds: float


class Agent:
    """Passes the payloads of one session to the hook."""

    def __init__(self, db: Path, session: str) -> None:
        self._command = [sys.executable, "-m", "recollect.cli.hook", "claude-code", "--db", str(db)]
        self._session = session

    def start(self) -> Turn:
        return self._send("(start)", hook_event_name="SessionStart", source="startup")

    def exchange(self, number: int, prompt: str, answer: str) -> Turn:
        turn = {"prompt_id": f"{self._session}-{number}"}
        submitted = self._send(prompt, hook_event_name="UserPromptSubmit", prompt=prompt, **turn)
        self._send(prompt, hook_event_name="Stop", last_assistant_message=answer, **turn)
        return submitted

    def _send(self, label: str, **fields: str) -> Turn:
        payload = {"session_id": self._session, "cwd": "/src/orders", "permission_mode": "default", **fields}
        started = time.perf_counter()
        result = subprocess.run(
            self._command,
            input=json.dumps(payload).encode(),
            capture_output=True,
            check=True,
            env=hook_environment(),
        )
        milliseconds = (time.perf_counter() - started) * 1000
        answer = json.loads(result.stdout or b"{}")
        text = answer.get("hookSpecificOutput", {}).get("additionalContext", "")
        return Turn(
            prompt=label,
            items=tuple(ITEM.findall(text)),
            tokens=estimate_tokens(text) if text else 0,
            milliseconds=milliseconds,
        )


def replay_session() -> list[Turn]:
    """Return the turns of the last session."""
    with tempfile.TemporaryDirectory() as folder:
        db = Path(folder) / "memory.db"
        with running_server(db):
            for session, exchanges in enumerate(EARLIER_SESSIONS):
                earlier = Agent(db, f"earlier-{session}")
                earlier.start()
                for number, (prompt, answer) in enumerate(exchanges):
                    earlier.exchange(number, prompt, answer)
            agent = Agent(db, "today")
            started = agent.start()
            return [started, *(agent.exchange(n, *exchange) for n, exchange in enumerate(SESSION))]


def find_repeated(turns: Sequence[Turn]) -> list[str]:
    items = [item for turn in turns for item in turn.items]
    return sorted({item for item in items if items.count(item) > 1})


def main() -> int:
    turns = replay_session()
    print("| prompt | injected | tokens | ms |\n| --- | --- | ---: | ---: |")
    for turn in turns:
        print(f"| {turn.prompt} | {'; '.join(turn.items)} | {turn.tokens} | {turn.milliseconds:.0f} |")
    repeated = find_repeated(turns)
    print(
        f"\n{sum(turn.tokens for turn in turns):,} tokens in {len(SESSION)} turns, {len(repeated)} items twice"
    )
    return 1 if repeated else 0


if __name__ == "__main__":
    sys.exit(main())

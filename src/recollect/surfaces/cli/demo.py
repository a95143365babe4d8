"""demo: the first minute, on a sample conversation, without key or network."""

import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from importlib import resources
from pathlib import Path
from typing import TypedDict

from rich.text import Text

from recollect.model.message import Draft, Role
from recollect.model.outcome import Observed
from recollect.surfaces import shapes
from recollect.surfaces.cli import render
from recollect.surfaces.cli.asked import Asked
from recollect.surfaces.cli.command import Call, command, commands, examples
from recollect.surfaces.cli.output import printable
from recollect.surfaces.cli.session import Session, opened
from recollect.surfaces.cli.work import finish
from recollect.surfaces.shapes import Shape

app = commands()

#: The sample's memories are nobody's, also in a file that is in use.
NOBODY = "demo"


class Said(TypedDict):
    chat: str
    days_ago: int
    role: str
    content: str


class Question(TypedDict):
    question: str
    shows: str


class Script(TypedDict):
    messages: list[Said]
    questions: list[Question]


def script() -> Script:
    written = resources.files("recollect.surfaces.cli").joinpath("demo.json").read_text("utf-8")
    read: Script = json.loads(written)
    return read


@app.command(epilog=examples("recollect demo", "recollect demo --db demo.db", "recollect demo --json"))
@command
def demo(call: Call) -> None:
    """
    See it work: a sample conversation, three questions, no network.

    Stores about 25 messages in English and Portuguese the way a chat would, learns from them, and asks three questions:
    each answer is the block that a language model would see, followed by its receipt. The file is temporary unless --db
    names one; there the sample belongs to the user `demo`.
    """
    call.asked.resume = "`recollect demo` begins again."
    told = script()
    with _place(call.asked) as asked, opened(asked) as session:
        observed = _listen(session, told["messages"])
        left = finish(call, session, "Learning")
        counts = _counts(session, observed)
        call.say(_funnel(counts))
        answers = [_ask(call, session, each) for each in told["questions"]]
    call.answer({**counts, "db": call.asked.db, "questions": list(answers), "degraded": list(left.warnings)})
    call.mention(left.warnings)
    call.note(_goodbye(call.asked.db))


@contextmanager
def _place(asked: Asked) -> Iterator[Asked]:
    """The file that was named, or one that vanishes afterwards."""
    user = asked.user or NOBODY
    if asked.db is not None:
        yield replace(asked, user=user)
        return
    with tempfile.TemporaryDirectory(prefix="recollect-demo-") as folder:
        yield replace(asked, user=user, db=str(Path(folder) / "memory.db"))


def _listen(session: Session, messages: Sequence[Said]) -> list[Observed]:
    now, policy = session.engine.clock.now(), session.policy()
    observed = []
    with session.store.transaction():
        for number, said in enumerate(messages):
            draft = Draft(
                role=Role.parse(said["role"]),
                content=said["content"],
                created_at=now - timedelta(days=said["days_ago"]) + timedelta(seconds=30 * number),
                client_id=f"demo-{number}",
            )
            observed += session.engine.observe(session.scope(said["chat"]), [draft], policy)
    return observed


def _counts(session: Session, observed: Sequence[Observed]) -> dict[str, int]:
    return {
        "messages": len(observed),
        "trivial": sum(not each.considered for each in observed),
        "judged": sum(each.considered for each in observed),
        "memories": session.store.memories.count(session.scope()),
    }


def _funnel(counts: Mapping[str, int]) -> Text:
    return Text(
        f"{counts['messages']} messages -> {counts['trivial']} trivial -> {counts['judged']} judged"
        f" -> {counts['memories']} memories. Nothing left this machine.",
        style="bold",
    )


def _ask(call: Call, session: Session, asked: Question) -> Shape:
    receipt = session.engine.context(session.scope(), asked["question"], session.policy())
    call.say(
        Text(f"\nQ: {asked['question']}", style="bold cyan"),
        Text(f"   ({asked['shows']})\n", style="dim"),
        Text(printable(receipt.text)),
        Text(),
        render.receipt(receipt, wide=call.wide, most=3),
    )
    return {"question": asked["question"], "text": receipt.text, "receipt": shapes.receipt(receipt)}


def _goodbye(db: str | None) -> str:
    if db is None:
        return '\nThe sample is gone again. Now yours: recollect add "I\'m vegetarian and hate cilantro"'
    return f"\nLook around: recollect --db {db} --user {NOBODY} list"

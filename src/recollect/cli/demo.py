"""demo: the first minute, on a fictional year of conversations, without key or network."""

import json
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from importlib import resources
from pathlib import Path
from typing import Annotated, NotRequired, TypedDict

import typer
from rich.text import Text

from recollect.cli import render
from recollect.cli.command import Call, command, commands, examples
from recollect.cli.drain import bar, finish
from recollect.cli.options import Asked
from recollect.cli.output import printable
from recollect.cli.session import Session, opened
from recollect.cli.up import LOCAL, welcome
from recollect.domain.message import Draft, Role
from recollect.domain.outcomes import Observed
from recollect.domain.receipt import Receipt
from recollect.serialization import serializers
from recollect.serialization.serializers import Shape

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
    days_ago: NotRequired[int]  #: asked once more, as of then


class Forgotten(TypedDict):
    question: str
    holds: str


class Script(TypedDict):
    messages: list[Said]
    questions: list[Question]
    forgotten: Forgotten
    profile: dict[str, str]


def script() -> Script:
    written = resources.files("recollect.cli").joinpath("demo.json").read_text("utf-8")
    read: Script = json.loads(written)
    return read


@app.command(
    epilog=examples("recollect demo", "recollect demo --no-page", "recollect demo --db demo.db --json")
)
@command
def demo(
    call: Call,
    page: Annotated[
        bool, typer.Option("--page/--no-page", help="End with the web app on the sample, or return.")
    ] = True,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the web app, or only print its link.")
    ] = True,
    port: Annotated[
        int, typer.Option(metavar="P", min=0, max=65535, help="Where the web app listens; 0 is any.")
    ] = 0,
) -> None:
    """
    See it work: a year of conversations, three questions, no network.

    Stores about a hundred messages in English and Portuguese the way a chat would, learns from them, and asks three
    questions: each answer is the block that a language model would see, followed by its receipt. Then something is
    forgotten and brought back, a consent is given and taken back, and the web app opens on all of it, until Ctrl-C.
    With --json it returns instead. The file is temporary unless --db names one; there the sample belongs to the user
    `demo`.
    """
    call.asked.resume = "`recollect demo` begins again."
    with _place(call.asked) as asked, opened(call.load_settings(asked)) as session:
        _tell(call, session, script())
        if page and call.for_people:
            call.say(Text("\nNow look at it yourself.", style="bold"))
            welcome(call, session, host=LOCAL, port=port, browser=browser)
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


def _tell(call: Call, session: Session, told: Script) -> None:
    observed = _listen(call, session, told["messages"])
    left = finish(call, session, "Learning")
    counts = _counts(session, observed)
    call.say(_funnel(counts), _left_aside(observed))
    answers = [answer for each in told["questions"] for answer in _ask(call, session, each)]
    forgotten = _forget(call, session, told["forgotten"])
    consent = _consent(call, session, told["profile"])
    call.answer(
        {
            **counts,
            "db": call.asked.db,
            "questions": list(answers),
            "forgotten": forgotten,
            "consent": consent,
            "degraded": list(left.warnings),
        }
    )
    call.mention(left.warnings)


def _listen(call: Call, session: Session, messages: Sequence[Said]) -> list[Observed]:
    now, policy = session.engine.clock.now(), session.policy()
    observed: list[Observed] = []
    with bar(call.aside, "Listening", total=len(messages)) as shown, session.store.transaction():
        for number, said in enumerate(messages):
            draft = Draft(
                role=Role.parse(said["role"]),
                content=said["content"],
                created_at=now - timedelta(days=said["days_ago"]) + timedelta(seconds=30 * number),
                client_id=f"demo-{number}",
            )
            observed += session.engine.observe(session.scope(said["chat"]), [draft], policy)
            shown.move(done=number + 1, total=len(messages))
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


def _left_aside(observed: Sequence[Observed]) -> Text:
    reasons = Counter(each.reason for each in observed if not each.considered)
    listed = ", ".join(f"{number} {reason}" for reason, number in reasons.most_common(4))
    return Text(f"Left aside before any judge: {listed}.", style="dim")


def _ask(call: Call, session: Session, asked: Question) -> Iterator[Shape]:
    receipt = session.engine.context(session.scope(), asked["question"], session.policy())
    call.say(
        Text(f"\nQ: {asked['question']}", style="bold cyan"),
        Text(f"   ({asked['shows']})\n", style="dim"),
        Text(printable(receipt.text)),
        Text(),
        render.receipt(receipt, wide=call.wide, most=3),
    )
    yield {"question": asked["question"], "text": receipt.text, "receipt": serializers.receipt(receipt)}
    if "days_ago" in asked:
        yield _ask_of_then(call, session, asked["question"], asked["days_ago"])


def _ask_of_then(call: Call, session: Session, question: str, days_ago: int) -> Shape:
    then = session.engine.clock.now() - timedelta(days=days_ago)
    receipt = session.engine.recall(session.scope(), question, session.policy(), as_of=then)
    call.say(
        Text(f"\nAs of {then:%d %B %Y}:", style="bold cyan"),
        *(Text(f"   {printable(item.text)}") for item in receipt.items[:2]),
    )
    return {"question": question, "as_of": serializers.time(then), "receipt": serializers.receipt(receipt)}


def _forget(call: Call, session: Session, asked: Forgotten) -> Shape:
    """Something is forgotten, is no longer recalled, and is brought back."""
    engine, scope = session.engine, session.scope()

    def held() -> list[str]:
        found = engine.recall(scope, asked["question"], session.policy())
        return [item.id for item in found.items if asked["holds"] in item.text and item.kind is not None]

    [wanted, *_] = held()
    gone = engine.forget(scope, wanted)
    missing = not held()
    engine.undo(scope)
    back = wanted in held()
    call.say(
        Text(f"\nForget: {printable(gone.text)}", style="bold cyan"),
        Text(
            f"   Asked again, it is {'not there' if missing else 'still there'}, nor is the message it came from."
        ),
        Text(f"   Undone, it is {'back' if back else 'still away'}."),
    )
    return {"id": wanted, "text": gone.text, "missing": missing, "back": back}


def _consent(call: Call, session: Session, profile: Mapping[str, object]) -> Shape:
    """A profile is used with consent alone, and erased when it is taken back."""
    engine, scope, policy = session.engine, session.scope(), session.policy()
    engine.consent(scope, "profile", granted=True)
    engine.tell_profile(scope, profile, policy)
    shown = engine.context(scope, "what shall I read?", policy)
    erased = engine.consent(scope, "profile", granted=False)
    after = engine.context(scope, "what shall I read?", policy)
    call.say(
        Text("\nConsent: a profile is kept, used, and no longer agreed to.", style="bold cyan"),
        Text(f"   Before: {_profiles(shown)} in the prompt. After: {_profiles(after)}, and the receipt says"),
        Text(f"   {'; '.join(after.skipped)}. {render.count(sum(erased.values()), 'row')} erased."),
    )
    return {"erased": dict(erased), "skipped": list(after.skipped)}


def _profiles(receipt: Receipt) -> str:
    return render.count(receipt.sources.get("profile", 0), "profile")


def _goodbye(db: str | None) -> str:
    if db is None:
        return '\nThe sample is gone again. Now yours: recollect add "I\'m vegetarian and hate cilantro"'
    return f"\nLook around: recollect --db {db} --user {NOBODY} up"

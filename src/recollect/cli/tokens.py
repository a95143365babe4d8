"""tokens: who may use the server."""

from pathlib import Path
from typing import Annotated

import typer

from recollect.cli import render
from recollect.cli.command import Call, command, commands, examples
from recollect.cli.session import Session
from recollect.server.tokens import Keys

app = commands()
group = commands()
app.add_typer(group, name="tokens")


@group.callback(
    invoke_without_command=True,
    epilog=examples("recollect tokens", "recollect tokens own", "recollect tokens add phone ana"),
)
@command
def tokens(call: Call) -> None:
    """
    List who may use the server, let others in, or shut them out.

    The owner's token is made on first use and kept beside the memory file, where only its owner can read it. Of other
    tokens only a hash is kept: they are shown once.
    """
    _list(call)


@group.command("list", epilog=examples("recollect tokens list --json"))
@command
def list_(call: Call) -> None:
    """List the tokens by name: whose memory each opens, and whether it opens everybody's."""
    _list(call)


def _list(call: Call) -> None:
    with call.open() as session:
        people = _keys(session).people()
    rows = [(person.name, person.user, "yes" if person.admin else "no") for person in people]
    call.answer(
        {"results": [{"name": p.name, "user_id": p.user, "admin": p.admin} for p in people]},
        render.table("!name", "memory of", "admin", rows=rows),
    )


@group.command(epilog=examples("recollect tokens own", "export RECOLLECT_TOKEN=$(recollect tokens own)"))
@command
def own(call: Call) -> None:
    """Print the owner's token; it is made if there is none."""
    with call.open() as session:
        token = _keys(session).own_token
    call.answer({"token": token}, token)


@group.command(
    epilog=examples("recollect tokens add phone ana", "recollect tokens add backup ana --admin --json")
)
@command
def add(
    call: Call,
    name: Annotated[str, typer.Argument(metavar="NAME", help="What to call the token.")],
    whose: Annotated[str, typer.Argument(metavar="USER", help="Whose memory it opens.")],
    admin: Annotated[bool, typer.Option("--admin", help="Let it open everybody's.")] = False,
) -> None:
    """Make a token for somebody and print it, this once."""
    with call.open() as session:
        token = _keys(session).add(name, user=whose, admin=admin)
    call.answer({"name": name, "user_id": whose, "admin": admin, "token": token}, token)
    call.note(f"This is the only time it is shown. `recollect tokens revoke {name}` takes it back.")


@group.command(epilog=examples("recollect tokens revoke phone"))
@command
def revoke(call: Call, name: Annotated[str, typer.Argument(metavar="NAME", help="The token.")]) -> None:
    """Shut somebody out: their token opens nothing any more, at once."""
    with call.open() as session:
        _keys(session).revoke(name)
    call.answer({"name": name, "revoked": True}, f"{name} opens nothing any more.")


def _keys(session: Session) -> Keys:
    connection = session.runtime.settings.resolve().connection
    return Keys(Path(connection.db), owner=connection.user)

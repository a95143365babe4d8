"""tokens: who may use the server."""

from pathlib import Path
from typing import Annotated

import typer

from recollect.cli import render
from recollect.cli.command import CommandContext, command, format_examples, make_typer
from recollect.cli.session import CliSession
from recollect.server.tokens import TokenStore

app = make_typer()
group = make_typer()
app.add_typer(group, name="tokens")


@group.callback(
    invoke_without_command=True,
    epilog=format_examples("recollect tokens", "recollect tokens own", "recollect tokens add phone ana"),
)
@command
def tokens(ctx: CommandContext) -> None:
    """
    List who may use the server, let others in, or shut them out.

    The owner's token is made on first use and kept beside the memory file, where only its owner can read it. Of other
    tokens only a hash is kept: they are shown once.
    """
    _list(ctx)


@group.command("list", epilog=format_examples("recollect tokens list --json"))
@command
def list_(ctx: CommandContext) -> None:
    """List the tokens by name: whose memory each opens, and whether it opens everybody's."""
    _list(ctx)


def _list(ctx: CommandContext) -> None:
    with ctx.open_session() as session:
        principals = _open_token_store(session).principals()
    rows = [
        (principal.name, principal.user, "yes" if principal.is_admin else "no") for principal in principals
    ]
    ctx.print_result(
        {"results": [{"name": p.name, "user_id": p.user, "admin": p.is_admin} for p in principals]},
        render.table("!name", "memory of", "admin", rows=rows),
    )


@group.command(
    epilog=format_examples("recollect tokens own", "export RECOLLECT_TOKEN=$(recollect tokens own)")
)
@command
def own(ctx: CommandContext) -> None:
    """Print the owner's token; it is made if there is none."""
    with ctx.open_session() as session:
        token = _open_token_store(session).owner_token
    ctx.print_result({"token": token}, token)


@group.command(
    epilog=format_examples("recollect tokens add phone ana", "recollect tokens add backup ana --admin --json")
)
@command
def add(
    ctx: CommandContext,
    name: Annotated[str, typer.Argument(metavar="NAME", help="What to call the token.")],
    token_user: Annotated[str, typer.Argument(metavar="USER", help="Whose memory it opens.")],
    admin: Annotated[bool, typer.Option("--admin", help="Let it open everybody's.")] = False,
) -> None:
    """Make a token for somebody and print it, this once."""
    with ctx.open_session() as session:
        token = _open_token_store(session).add(name, user=token_user, admin=admin)
    ctx.print_result({"name": name, "user_id": token_user, "admin": admin, "token": token}, token)
    ctx.info(f"This is the only time it is shown. `recollect tokens revoke {name}` takes it back.")


@group.command(epilog=format_examples("recollect tokens revoke phone"))
@command
def revoke(
    ctx: CommandContext, name: Annotated[str, typer.Argument(metavar="NAME", help="The token.")]
) -> None:
    """Shut somebody out: their token opens nothing any more, at once."""
    with ctx.open_session() as session:
        _open_token_store(session).revoke(name)
    ctx.print_result({"name": name, "revoked": True}, f"{name} opens nothing any more.")


def _open_token_store(session: CliSession) -> TokenStore:
    connection = session.application.settings.resolve().machine
    return TokenStore(Path(connection.db), owner=connection.user)

"""The `tokens` commands: access tokens of the server."""

from typing import Annotated

import typer

from recollect.cli import render
from recollect.cli.command import CommandContext, command, format_examples, make_typer

app = make_typer()
group = make_typer()
app.add_typer(group, name="tokens")


@group.callback(
    epilog=format_examples("recollect tokens", "recollect tokens own", "recollect tokens add phone ana")
)
@command
def tokens(_ctx: CommandContext) -> None:
    """
    List, create or revoke access tokens of the server.

    The owner's token is created on first use and can be printed again. Other tokens are stored as hashes and shown only
    once. All servers on one memory share the tokens; a backup does not contain them. Without a subcommand, the tokens
    are listed.
    """


@group.command("list", epilog=format_examples("recollect tokens list", "recollect tokens list --json"))
@command
def list_(ctx: CommandContext) -> None:
    """List the tokens with user and admin access."""
    with ctx.open_session() as session:
        principals = session.services.access.principals()
    rows = [
        (principal.name, principal.user, "yes" if principal.is_admin else "no") for principal in principals
    ]
    ctx.print_result(
        {"results": [{"name": p.name, "user_id": p.user, "admin": p.is_admin} for p in principals]},
        render.table("!name", "user", "admin", rows=rows),
    )


@group.command(
    epilog=format_examples("recollect tokens own", "export RECOLLECT_TOKEN=$(recollect tokens own)")
)
@command
def own(ctx: CommandContext) -> None:
    """Print the owner's token; create it if there is none."""
    with ctx.open_session(creates=True) as session:
        token = session.services.access.owner_token()
    ctx.print_result({"token": token}, token)


@group.command(
    epilog=format_examples("recollect tokens add phone ana", "recollect tokens add backup ana --admin --json")
)
@command
def add(
    ctx: CommandContext,
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the token.")],
    token_user: Annotated[str, typer.Argument(metavar="USER", help="User whose memory it gives access to.")],
    admin: Annotated[bool, typer.Option("--admin", help="Give access to the memory of all users.")] = False,
) -> None:
    """Create a token for a user and print it. It is shown only once."""
    with ctx.open_session(creates=True) as session:
        token = session.services.access.add_token(name, user=token_user, admin=admin)
    ctx.print_result({"name": name, "user_id": token_user, "admin": admin, "token": token}, token)
    ctx.info(f"Save the token now; it is not shown again. Revoke it with `recollect tokens revoke {name}`.")


@group.command(epilog=format_examples("recollect tokens revoke phone"))
@command
def revoke(
    ctx: CommandContext, name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the token.")]
) -> None:
    """Revoke a token, effective immediately."""
    with ctx.open_session() as session:
        session.services.access.revoke_token(name)
    ctx.print_result({"name": name, "revoked": True}, f"Revoked token {name}.")

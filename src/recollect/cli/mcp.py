"""The command `mcp`: the MCP server on standard input and output."""

from importlib.util import find_spec
from typing import Annotated

import typer

from recollect.cli.command import CommandContext, command, format_examples, make_typer
from recollect.errors import ConfigError
from recollect.library.memory import Memory

app = make_typer()


@app.command(epilog=format_examples("recollect mcp", "recollect --user ana mcp --tools chatgpt"))
@command
def mcp(
    ctx: CommandContext,
    tools: Annotated[
        str,
        typer.Option(
            "--tools", metavar="SET", help="core; chatgpt adds its search tool; all has every tool."
        ),
    ] = "core",
) -> None:
    """
    Run the MCP server on standard input and output.

    For a client that starts it. It acts for the user of --user or the settings. `recollect connect` adds it to the
    configuration of a client; `recollect up` serves the same over HTTP at /mcp. Needs the extra `mcp`.
    """
    if find_spec("mcp") is None:
        raise ConfigError("The MCP server is not installed. Run `pip install 'recollect[mcp]'`.")
    # Imported here: the SDK takes a second to import.
    from recollect.server.mcp.server import TOOL_SETS, create_mcp_server  # noqa: PLC0415

    if tools not in TOOL_SETS:
        raise ConfigError(f"--tools cannot be {tools!r}. Use one of: {', '.join(TOOL_SETS)}.")
    with ctx.open_session(creates=True) as session:
        memory = Memory.from_application(session.application)
        session.application.worker.start()
        create_mcp_server(memory, session.user, tool_set=tools).run("stdio")

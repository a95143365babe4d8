"""models: which embedding models there are, and moving to another one."""

import re
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

import typer

from recollect.bootstrap import built_in_models, make_embedder
from recollect.cli import render
from recollect.cli.command import Call, command, commands, examples
from recollect.cli.model_registry import Added, read_registry, write_registry
from recollect.cli.reembedding import current_model, known_models, move
from recollect.cli.session import Session
from recollect.cli.settings_file import write_values
from recollect.domain.embedding_model import KnownModel
from recollect.domain.scope import Scope, valid_name
from recollect.errors import ConfigError, InvalidInput, ModelMissing, NotFound, ProviderError
from recollect.serialization.serializers import Json, Shape
from recollect.settings import Connection

app = commands()
group = commands()
app.add_typer(group, name="models")

Package: TypeAlias = Literal["fastembed", "sentence-transformers"]
#: The packages that fetch a model by its name on the hub.
PACKAGES: dict[Package, str] = {"fastembed": "fastembed", "sentence-transformers": "sentence_transformers"}
HUB_NAME = re.compile(r"[\w.-]+/[\w.-]+")
#: Names of what every recollect has.
BUILT_IN = {"onnx": "bundled", "hashing": "hashing"}
SAMPLE = ("What shall I cook tonight?", "The deploy failed again this morning.")


@group.callback(
    invoke_without_command=True,
    epilog=examples(
        "recollect models",
        "recollect models add e5 ~/models/multilingual-e5-small",
        "recollect models use e5",
        "recollect models use bundled",
    ),
)
@command
def models(call: Call) -> None:
    """
    List embedding models, add one, or move to one.

    A model turns texts into vectors, by which they are found by meaning. The bundled one knows English; a multilingual
    one is a folder away.
    """
    _list(call)


@group.command("list", epilog=examples("recollect models list --json"))
@command
def list_(call: Call) -> None:
    """List models: which answers, how many vectors each has made, and how many passages wait for one."""
    _list(call)


def _list(call: Call) -> None:
    with call.open() as session:
        shapes = _rows(session)
    rows = [
        (
            str(each["name"] or ""),
            "in use" if each["in_use"] else "moving here" if each["moving_to"] else "",
            str(each["id"]),
            str(each["dimension"] or ""),
            f"{each['vectors']:,}",
            str(each["waiting"] or ""),
        )
        for each in shapes
    ]
    call.answer(
        {"results": list[Json](shapes)},
        render.table("name", "!", "model", "#dimension", "#vectors", "#waiting", rows=rows),
    )


def _rows(session: Session) -> list[Shape]:
    vectors, engine = session.store.vectors, session.engine
    counts, target = vectors.models(session.user), engine.moving_to(session.user)
    written = engine.embedders.answering(session.user) if engine.embedders else None
    answers = written or current_model(session)
    named: dict[str, tuple[str | None, int | None]] = {
        known.id: (BUILT_IN[known.embedder], _dimension(known)) for known in built_in_models()
    }
    named |= {each.id: (name, each.dimension) for name, each in read_registry().items()}
    here = {each.id for each in (answers, target) if each}
    for model in (*here, *counts):
        named.setdefault(model, (None, None))
    return [
        {
            "name": name,
            "id": model,
            "dimension": dimension,
            "vectors": counts.get(model, 0),
            "waiting": vectors.lacks(session.user, model) if model in here else None,
            "in_use": answers is not None and answers.id == model,
            "moving_to": target is not None and target.id == model,
        }
        for model, (name, dimension) in named.items()
    ]


def _dimension(known: KnownModel) -> int:
    made = make_embedder(Connection(embedder=known.embedder))
    assert made is not None
    return made.dimension


@group.command(
    epilog=examples(
        "recollect models add e5 ~/models/multilingual-e5-small",
        "recollect models add e5 intfloat/multilingual-e5-large --with fastembed",
    )
)
@command
def add(
    call: Call,
    name: Annotated[str, typer.Argument(metavar="NAME", help="What you will call it.")],
    source: Annotated[
        str, typer.Argument(metavar="FOLDER|ID", help="A folder with an ONNX model, or a name on the hub.")
    ],
    package: Annotated[
        str | None,
        typer.Option("--with", metavar="PACKAGE", help="For a hub name: fastembed or sentence-transformers."),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Download without asking.")] = False,
) -> None:
    """
    Look at a model, and add it to the list if it works.

    A folder holds an ONNX network and its tokenizer.json; what its config says of pooling and length is used. It is
    loaded, gives a few vectors, and its floor is measured: the cosine of texts that have nothing to do with each other.
    Nothing is copied, and nothing is downloaded without asking.
    """
    known = read_registry()
    if valid_name("name of the model", name) in BUILT_IN.values():
        raise InvalidInput(f"{name} is a model that every recollect has. Choose another name.")
    connection = _connection(call, source, package, yes=yes)
    added = _examined(connection)
    write_registry({**known, name: added})
    call.answer(
        {"name": name, "id": added.id, "dimension": added.dimension, "floor": round(added.floor, 4)},
        render.fields(
            {
                "name": name,
                "model": added.id,
                "dimension": added.dimension,
                "floor": f"{added.floor:.2f}, the cosine of unrelated texts",
            }
        ),
    )
    call.note(f"`recollect models use {name}` moves to it.")


def _connection(call: Call, source: str, package: str | None, *, yes: bool) -> Connection:
    """What brings the model: a folder, or a package and the name it is to fetch."""
    folder = Path(source).expanduser()
    if package is None and folder.is_dir():
        return Connection(embedder=str(folder.resolve()))
    if package is None and not HUB_NAME.fullmatch(source):
        raise ModelMissing(
            f"There is no folder {source}. Give one with an ONNX model and its tokenizer.json."
        )
    chosen = _package(source, package)
    call.confirm(f"{chosen} may download {source} from the hub now. Go on?", yes=yes)
    return Connection(embedder=chosen, embedder_model=source)


def _package(source: str, package: str | None) -> Package:
    if package is not None and package not in PACKAGES:
        raise InvalidInput(f"There is no package {package} for models. Choose one of {', '.join(PACKAGES)}.")
    wanted = [each for each in PACKAGES if package in {None, each}]
    found = [each for each in wanted if find_spec(PACKAGES[each]) is not None]
    if not found:
        raise ModelMissing(
            f"There is no folder {source}, and {' or '.join(wanted)}, which could fetch it from the hub, is not"
            f' installed. Install it with: pip install "recollect[{wanted[0]}]"'
        )
    return found[0]


def _examined(connection: Connection) -> Added:
    embedder = make_embedder(connection)
    assert embedder is not None
    one, other = embedder.embed(SAMPLE)
    if one == other or len(one) != embedder.dimension:
        raise ProviderError(
            f"{embedder.model_id} gives the same vector for different texts, so nothing could be found by it."
            " Check the folder: network and tokenizer may not belong together."
        )
    return Added(
        id=embedder.model_id,
        embedder=connection.embedder,
        model=connection.embedder_model,
        dimension=embedder.dimension,
        floor=embedder.floor,
    )


@group.command(epilog=examples("recollect models use e5", "recollect models use bundled --no-wait"))
@command
def use(
    call: Call,
    name: Annotated[str, typer.Argument(metavar="NAME", help="A name from the list.")],
    wait: Annotated[
        bool, typer.Option("--wait/--no-wait", help="Embed now, or leave it to a worker.")
    ] = True,
) -> None:
    """
    Move to another model: for everybody in the memory file, with no gap.

    Writes `embedder` in your own recollect.toml, and gives every passage a vector of the new model. Until a user's are
    all there the old model answers for them; then the old vectors are deleted. Ctrl-C is safe: run it again, or let a
    worker do the rest.
    """
    call.asked.resume = (
        f"The old model still answers; `recollect models use {name}` goes on where it stopped."
    )
    with call.open() as session:
        target, file = _named(name), _own_file(session)
        users, known = session.store.users(), known_models(session)
        total = sum(session.engine.begin_move(Scope(user), target, known) for user in users)
        write_values(file, {"embedder": target.embedder, "embedder_model": target.model})
    if wait:
        with call.open() as session:
            move(call, session, users, total=total)
    call.answer(
        {"name": name, "id": target.id, "passages": total, "file": str(file), "done": wait},
        f"{name} is in use: {render.count(total, 'passage')} embedded."
        if wait
        else f"{name} will be in use once {render.count(total, 'passage')} are embedded by a worker.",
    )
    call.note(f"Written to {file}.")


def _named(name: str) -> KnownModel:
    there = {BUILT_IN[known.embedder]: known for known in built_in_models()}
    there |= {given: each.known for given, each in read_registry().items()}
    if name not in there:
        raise NotFound(f"There is no model {name}. Choose one of {', '.join(there)}, or add it first.")
    return there[name]


def _own_file(session: Session) -> Path:
    """The file to write to, if what it says is what holds."""
    settings = session.runtime.settings
    for found in (settings.resolve().sources[key] for key in ("embedder", "embedder_model")):
        elsewhere = found.source == "file" and Path(found.origin) != settings.own_file
        if elsewhere or found.source in {"call", "environment"}:
            raise ConfigError(
                f"`{found.name}` is set by {found.origin or 'an argument'}, which wins over your settings file."
                " Take it out there, and try again."
            )
    return settings.own_file

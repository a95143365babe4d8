"""The `settings models` commands: list and add embedding models, and switch between them."""

import re
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

import typer

from recollect.bootstrap import built_in_models, make_embedder
from recollect.cli import render
from recollect.cli.command import CommandContext, command, format_examples, make_typer
from recollect.cli.model_registry import RegisteredModel, read_registry, write_registry
from recollect.cli.reembedding import current_model, known_models, run_reembedding
from recollect.cli.session import CliSession
from recollect.cli.settings_file import write_values
from recollect.domain.embedding_model import EmbeddingModel
from recollect.domain.scope import Scope, validate_name
from recollect.errors import ConfigError, InvalidInput, ModelMissing, NotFound, ProviderError
from recollect.serialization.serializers import JsonObject, JsonValue
from recollect.settings import MachineSettings

group = make_typer()

PackageName: TypeAlias = Literal["fastembed", "sentence-transformers"]
#: Packages that can download a model from Hugging Face, with their modules.
PACKAGE_MODULES: dict[PackageName, str] = {
    "fastembed": "fastembed",
    "sentence-transformers": "sentence_transformers",
}
HUB_NAME_PATTERN = re.compile(r"[\w.-]+/[\w.-]+")
#: Names of the built-in models, by embedder.
BUILT_IN_NAMES = {"onnx": "bundled", "hashing": "hashing"}
SAMPLE_TEXTS = ("What shall I cook tonight?", "The deploy failed again this morning.")


@group.callback(
    epilog=format_examples(
        "recollect settings models",
        "recollect settings models add e5 ~/models/multilingual-e5-small",
        "recollect settings models use e5",
        "recollect settings models use bundled",
    )
)
@command
def models(_ctx: CommandContext) -> None:
    """
    List, add or switch embedding models.

    An embedding model turns texts into vectors for semantic search. The bundled model is for English; add a
    multilingual one from a folder or from Hugging Face. Without a subcommand, the models are listed.
    """


@group.command(
    "list", epilog=format_examples("recollect settings models list", "recollect settings models list --json")
)
@command
def list_(ctx: CommandContext) -> None:
    """List models with the numbers of embedded and waiting passages."""
    with ctx.open_session_or_empty() as session:
        serialized_models = _serialize_models(session)
    rows = [
        (
            str(each["name"] or ""),
            "in use" if each["in_use"] else "switching" if each["moving_to"] else "",
            str(each["id"]),
            str(each["dimension"] or ""),
            f"{each['vectors']:,}",
            str(each["waiting"] or ""),
        )
        for each in serialized_models
    ]
    ctx.print_result(
        {"results": list[JsonValue](serialized_models)},
        render.table("name", "!", "model", "#dimension", "#vectors", "#pending", rows=rows),
    )


def _serialize_models(session: CliSession) -> list[JsonObject]:
    services = session.services
    counts, target = (
        services.reembedding.vector_counts(session.user),
        services.reembedding.reembedding_target(session.user),
    )
    active_model = services.embedders.active_model(session.user) or current_model(session)
    models_by_id: dict[str, tuple[str | None, int | None]] = {
        known.id: (BUILT_IN_NAMES[known.embedder], _dimension(known)) for known in built_in_models()
    }
    models_by_id |= {each.id: (name, each.dimension) for name, each in read_registry().items()}
    current_ids = {each.id for each in (active_model, target) if each}
    for model in (*current_ids, *counts):
        models_by_id.setdefault(model, (None, None))
    return [
        {
            "name": name,
            "id": model,
            "dimension": dimension,
            "vectors": counts.get(model, 0),
            "waiting": services.reembedding.missing_count(session.user, model)
            if model in current_ids
            else None,
            "in_use": active_model is not None and active_model.id == model,
            "moving_to": target is not None and target.id == model,
        }
        for model, (name, dimension) in models_by_id.items()
    ]


def _dimension(embedding_model: EmbeddingModel) -> int:
    embedder = make_embedder(MachineSettings(embedder=embedding_model.embedder))
    assert embedder is not None
    return embedder.dimension


@group.command(
    epilog=format_examples(
        "recollect settings models add e5 ~/models/multilingual-e5-small",
        "recollect settings models add e5 intfloat/multilingual-e5-large --with fastembed",
    )
)
@command
def add(
    ctx: CommandContext,
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name for the model.")],
    source: Annotated[
        str,
        typer.Argument(metavar="FOLDER|ID", help="Folder with an ONNX model, or model id on Hugging Face."),
    ],
    package: Annotated[
        str | None,
        typer.Option(
            "--with",
            metavar="PACKAGE",
            help="Package that loads a model id: fastembed or sentence-transformers.",
        ),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Download without asking.")] = False,
) -> None:
    """
    Test an embedding model and add it to the list.

    A folder must contain an ONNX network and its tokenizer.json; pooling and maximum length are read from its config.
    The model is loaded, embeds a few texts, and its floor (the cosine of unrelated texts) is measured. Nothing is
    copied, and nothing is downloaded without confirmation.
    """
    registry = read_registry()
    if validate_name("name of the model", name) in BUILT_IN_NAMES.values():
        raise InvalidInput(f"{name} is the name of a built-in model. Choose another name.")
    connection = _resolve_source(ctx, source, package, yes=yes)
    registered_model = _test_model(connection)
    write_registry({**registry, name: registered_model})
    ctx.print_result(
        {
            "name": name,
            "id": registered_model.id,
            "dimension": registered_model.dimension,
            "floor": round(registered_model.floor, 4),
        },
        render.fields(
            {
                "name": name,
                "model": registered_model.id,
                "dimension": registered_model.dimension,
                "floor": f"{registered_model.floor:.2f}, the cosine of unrelated texts",
            }
        ),
    )
    ctx.info(f"Switch to it with `recollect settings models use {name}`.")


def _resolve_source(ctx: CommandContext, source: str, package: str | None, *, yes: bool) -> MachineSettings:
    """Return the embedder settings for a folder, or for a package and a model id."""
    folder = Path(source).expanduser()
    if package is None and folder.is_dir():
        return MachineSettings(embedder=str(folder.resolve()))
    if package is None and not HUB_NAME_PATTERN.fullmatch(source):
        raise ModelMissing(
            f"Folder {source} does not exist. Give a folder with an ONNX model and its tokenizer.json."
        )
    package_name = _choose_package(source, package)
    ctx.confirm(f"{package_name} may download {source} from Hugging Face. Continue?", yes=yes)
    return MachineSettings(embedder=package_name, embedder_model=source)


def _choose_package(source: str, package: str | None) -> PackageName:
    if package is not None and package not in PACKAGE_MODULES:
        raise InvalidInput(f"Unknown package {package}. Choose one of {', '.join(PACKAGE_MODULES)}.")
    candidates = [each for each in PACKAGE_MODULES if package in {None, each}]
    installed_packages = [each for each in candidates if find_spec(PACKAGE_MODULES[each]) is not None]
    if not installed_packages:
        raise ModelMissing(
            f"Folder {source} does not exist, and {' or '.join(candidates)}, needed to download a model, is not"
            f' installed. Install it with: pip install "recollect[{candidates[0]}]"'
        )
    return installed_packages[0]


def _test_model(connection: MachineSettings) -> RegisteredModel:
    embedder = make_embedder(connection)
    assert embedder is not None
    one, other = embedder.embed(SAMPLE_TEXTS)
    if one == other or len(one) != embedder.dimension:
        raise ProviderError(
            f"{embedder.model_id} returns the same vector for different texts, so it cannot be used for search."
            " Check that the network and the tokenizer in the folder belong together."
        )
    return RegisteredModel(
        id=embedder.model_id,
        embedder=connection.embedder,
        model=connection.embedder_model,
        dimension=embedder.dimension,
        floor=embedder.cosine_floor,
    )


@group.command(
    epilog=format_examples(
        "recollect settings models use e5", "recollect settings models use bundled --no-wait"
    )
)
@command
def use(
    ctx: CommandContext,
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of a model in the list.")],
    wait: Annotated[
        bool, typer.Option("--wait/--no-wait", help="Embed now, or leave it to a worker.")
    ] = True,
) -> None:
    """
    Switch the memory file to another model, without downtime.

    Writes `embedder` to your recollect.toml and embeds every passage of all users with the new model. Searches use the
    old model until all passages of a user are embedded; then the old vectors are deleted. Ctrl-C is safe: run the
    command again, or let a worker finish.
    """
    ctx.options.resume_hint = (
        f"The old model is still in use. Run `recollect settings models use {name}` again to continue."
    )
    with ctx.open_session(creates=True) as session:
        target, file = _find_model(name), _writable_settings_file(session)
        users, fallback_models = session.services.maintenance.users(), known_models(session)
        total = sum(
            session.services.reembedding.start_reembedding(Scope(user), target, fallback_models)
            for user in users
        )
        write_values(file, {"embedder": target.embedder, "embedder_model": target.model})
    if wait:
        with ctx.open_session(creates=True) as session:
            run_reembedding(ctx, session, users, total=total)
    ctx.print_result(
        {"name": name, "id": target.id, "passages": total, "file": str(file), "done": wait},
        f"Switched to {name}: {render.format_count(total, 'passage')} embedded."
        if wait
        else f"{name} will be used once a worker has embedded {render.format_count(total, 'passage')}.",
    )
    ctx.info(f"Updated {file}.")


def _find_model(name: str) -> EmbeddingModel:
    models_by_name = {BUILT_IN_NAMES[known.embedder]: known for known in built_in_models()}
    models_by_name |= {model_name: each.embedding_model for model_name, each in read_registry().items()}
    if name not in models_by_name:
        raise NotFound(
            f"Unknown model {name}. Choose one of {', '.join(models_by_name)}, or add it with"
            " `recollect settings models add`."
        )
    return models_by_name[name]


def _writable_settings_file(session: CliSession) -> Path:
    """Return the user's settings file. Raises ConfigError if another source overrides it."""
    settings = session.application.settings
    for setting in (settings.resolve().settings[key] for key in ("embedder", "embedder_model")):
        is_other_file = setting.layer == "file" and Path(setting.origin) != settings.own_file
        if is_other_file or setting.layer in {"call", "environment"}:
            raise ConfigError(
                f"`{setting.name}` is set by {setting.origin or 'an argument'}, which overrides your settings file."
                " Remove it there and try again."
            )
    return settings.own_file

"""The build hook: the web app is built into the package, so that nobody who installs a wheel needs Node."""

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

BUILD = Path(__file__).resolve().parent / "web" / "build.py"


def _builder() -> ModuleType:
    spec = spec_from_file_location("recollect_web_build", BUILD)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class WebApp(BuildHookInterface):  # type: ignore[type-arg]
    """Without Node or npm's registry the package is made without the web app, and its server says so."""

    def dependencies(self) -> list[str]:
        builder = _builder()
        return [builder.NODE_WHEEL] if builder.needs_node_wheel() else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        del version, build_data
        builder = _builder()
        try:
            builder.build()
        except builder.BuildError as error:
            print(f"Building recollect without its web app. {error}", file=sys.stderr)

"""Generate the web app's types from the server's OpenAPI document, or check that they are up to date."""

import argparse
import hashlib
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from recollect.server.app import build_openapi

WEB_FOLDER = Path(__file__).resolve().parent.parent / "web"
TYPES_FILE = WEB_FOLDER / "src" / "api" / "schema.d.ts"
TYPES_HEADER = "// Written by `python scripts/web_schema.py --write` from the server's description. sha256: "


def describe_api() -> str:
    """Return the OpenAPI document without its version, which does not affect the types."""
    document = build_openapi()
    document["info"]["version"] = "0"
    return json.dumps(document, sort_keys=True, ensure_ascii=False)


def api_digest() -> str:
    return hashlib.sha256(describe_api().encode()).hexdigest()


def is_current() -> bool:
    return TYPES_FILE.is_file() and TYPES_FILE.read_text("utf-8").startswith(TYPES_HEADER + api_digest())


def write_types() -> None:
    with tempfile.TemporaryDirectory() as folder:
        source, output = Path(folder) / "openapi.json", Path(folder) / "schema.d.ts"
        source.write_text(describe_api(), "utf-8")
        tool = WEB_FOLDER / "node_modules" / ".bin" / "openapi-typescript"
        if not tool.exists():
            sys.exit("openapi-typescript is not installed. Run `npm ci` in web/ first.")
        subprocess.run(
            [tool, source, "--output", output, "--default-non-nullable", "false"],
            check=True,
            capture_output=True,
        )
        TYPES_FILE.write_text(f"{TYPES_HEADER}{api_digest()}\n{output.read_text('utf-8')}", "utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the types instead of checking them")
    if parser.parse_args().write:
        write_types()
    elif not is_current():
        sys.exit("web/src/api/schema.d.ts is out of date. Run `python scripts/web_schema.py --write`.")


if __name__ == "__main__":
    main()

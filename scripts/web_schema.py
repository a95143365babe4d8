"""Write the web app's types from the server's own description, or check that they still say the same."""

import argparse
import hashlib
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from recollect.server.app import reference

WEB = Path(__file__).resolve().parent.parent / "web"
TYPES = WEB / "src" / "api" / "schema.d.ts"
HEADER = "// Written by `python scripts/web_schema.py --write` from the server's description. sha256: "


def description() -> str:
    """What the server says of itself, less its version, which changes nothing."""
    described = reference()
    described["info"]["version"] = "0"
    return json.dumps(described, sort_keys=True, ensure_ascii=False)


def digest() -> str:
    return hashlib.sha256(description().encode()).hexdigest()


def is_current() -> bool:
    return TYPES.is_file() and TYPES.read_text("utf-8").startswith(HEADER + digest())


def write() -> None:
    with tempfile.TemporaryDirectory() as folder:
        source, made = Path(folder) / "openapi.json", Path(folder) / "schema.d.ts"
        source.write_text(description(), "utf-8")
        tool = WEB / "node_modules" / ".bin" / "openapi-typescript"
        if not tool.exists():
            sys.exit("openapi-typescript is not there. Run `npm ci` in web/ first.")
        subprocess.run(
            [tool, source, "--output", made, "--default-non-nullable", "false"],
            check=True,
            capture_output=True,
        )
        TYPES.write_text(f"{HEADER}{digest()}\n{made.read_text('utf-8')}", "utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the types; without it they are checked")
    if parser.parse_args().write:
        write()
    elif not is_current():
        sys.exit("web/src/api/schema.d.ts is out of date. Run `python scripts/web_schema.py --write`.")


if __name__ == "__main__":
    main()

"""Take the screenshots of the documentation: Chromium on a server with the demo's data."""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

PICTURES_FOLDER = Path(__file__).resolve().parent.parent / "docs" / "pictures"
DEMO_QUERY = "Que jantar vegetariano me sugeres para hoje?"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--to", type=Path, default=PICTURES_FOLDER, help="output folder")
    folder: Path = parser.parse_args().to
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch, _run_demo_server(Path(scratch) / "memory.db") as login:
        _take_pictures(login, folder)


@contextmanager
def _run_demo_server(db: Path) -> Iterator[str]:
    """Start a server with the demo's data; yields its sign-in link."""
    recollect = [sys.executable, "-m", "recollect", "--db", str(db)]
    subprocess.run([*recollect, "demo", "--json"], check=True, stdout=subprocess.DEVNULL)
    command = [*recollect, "--user", "demo", "--json", "up", "--port", "0", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        try:
            yield str(json.loads(process.stdout.readline())["login"])
        finally:
            process.terminate()


def _take_pictures(login: str, folder: Path) -> None:
    chromium = shutil.which("chromium")
    if chromium is None:
        sys.exit("Chromium was not found. `scripts/setup --dev` installs it.")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        context = browser.new_context(viewport={"width": 1280, "height": 800}, locale="en-US")
        page = context.new_page()
        page.goto(login)
        _picture_receipt(page, folder)
        page.goto(f"{_page_origin(page)}/memory")
        _take_screenshot(page, folder / "memory.png")
        browser.close()


def _picture_receipt(page: Page, folder: Path) -> None:
    """The receipt of an answer in the chat."""
    page.goto(f"{_page_origin(page)}/chat")
    page.get_by_role("textbox").last.fill(DEMO_QUERY)
    page.keyboard.press("Enter")
    receipt = page.get_by_role("button", name="Why this answer")
    receipt.wait_for(timeout=60_000)
    receipt.click()
    page.get_by_role("dialog").get_by_role("button", name="Forget").first.wait_for()
    _take_screenshot(page, folder / "receipt.png")


def _page_origin(page: Page) -> str:
    return str(page.evaluate("location.origin"))


def _take_screenshot(page: Page, file: Path) -> None:
    page.wait_for_load_state("networkidle")
    page.screenshot(path=file)
    print(file.name, file=sys.stderr)


if __name__ == "__main__":
    main()

"""Generate the web app's texts of reasons from `serialization/reason_texts`, or check that they are up to date."""

import argparse
import json
import sys
from pathlib import Path

from recollect.serialization.reasons import REASON_LANGUAGES, load_reason_texts

TEXTS_FILE = Path(__file__).resolve().parent.parent / "web" / "src" / "i18n" / "reason-texts.ts"
HEADER = (
    "// Written by `python scripts/web_reasons.py --write` from src/recollect/serialization/reason_texts.\n"
)


def build_texts() -> str:
    """Return the module with the texts, labels and terms of each language."""
    languages = {language: load_reason_texts(language) for language in REASON_LANGUAGES}
    data = {
        language: {"terms": texts.terms, "texts": texts.texts, "labels": texts.labels}
        for language, texts in languages.items()
    }
    text = json.dumps(data, ensure_ascii=False, indent=2)
    return f"{HEADER}\nexport const REASON_TEXTS = {text} as const;\n"


def is_current() -> bool:
    return TEXTS_FILE.is_file() and TEXTS_FILE.read_text("utf-8") == build_texts()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the texts instead of checking them")
    if parser.parse_args().write:
        TEXTS_FILE.write_text(build_texts(), "utf-8")
    elif not is_current():
        sys.exit("web/src/i18n/reason-texts.ts is out of date. Run `python scripts/web_reasons.py --write`.")


if __name__ == "__main__":
    main()

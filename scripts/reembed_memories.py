"""Re-embed all passages with the configured model: scripts/reembed_memories.py [--dry-run]."""

import sys

from recollect.cli.app import main

if __name__ == "__main__":
    main(["maintenance", "reembed", *sys.argv[1:]])

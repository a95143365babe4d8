"""Run the command line as `python -m recollect`."""

from recollect.cli.app import main

main()

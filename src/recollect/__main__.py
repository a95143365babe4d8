"""`python -m recollect` is the command line."""

from recollect.surfaces.cli.app import main

main()

"""
What is known about the programs that Recollect connects to: coding agents and chat clients.

One module per program, with the place and shape of its configuration and the JSON of its hooks, as values and pure
functions. `registry.py` lists them; nothing here reads a file.
"""

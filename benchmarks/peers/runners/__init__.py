"""One script per system, run in that system's environment; `serving.py` defines the protocol."""

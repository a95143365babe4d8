"""Domain values: frozen dataclasses without I/O, shared by all packages."""

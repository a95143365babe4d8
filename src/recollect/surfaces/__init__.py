"""The doors: each parses what comes in, calls the engine, and renders what comes out."""

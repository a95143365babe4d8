"""Adapters that expose a memory through the interfaces of other programs."""

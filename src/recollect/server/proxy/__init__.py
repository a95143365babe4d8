"""Gives any client a memory: its requests pass through, with what is recalled added and what is said learned."""

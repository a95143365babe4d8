"""Retrieval quality, measured through the public library."""

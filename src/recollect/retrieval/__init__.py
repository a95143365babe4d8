"""Retrieval: find and rank the passages that are relevant to a query."""

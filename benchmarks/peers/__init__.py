"""Recollect beside other memories: the same messages, the same questions, the same embedder, one table."""

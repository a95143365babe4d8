"""Comparison with other memory systems: same messages, same questions, same embedder."""

"""Similarity of facts: duplicates, implications, retractions and reached goals."""

"""Scores of candidates: one module for each formula, and the table of scorers."""

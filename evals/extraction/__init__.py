"""Precision and recall of the rule-based extractor on chat lines."""

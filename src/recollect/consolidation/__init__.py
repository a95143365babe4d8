"""Consolidation: reconcile new facts with stored memories, and replay them when messages change."""

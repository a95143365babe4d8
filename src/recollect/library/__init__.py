"""The library: `from recollect import Memory`."""

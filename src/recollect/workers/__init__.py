"""The night shift: work that was queued with a message and is done after the answer."""

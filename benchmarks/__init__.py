"""Latency, size and recall on synthetic chats, each compared with a target."""

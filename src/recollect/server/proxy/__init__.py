"""Proxy for LLM clients: forwards requests to the provider, injects recalled context, ingests the messages."""

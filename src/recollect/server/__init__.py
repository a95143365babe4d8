"""HTTP server: REST API, streaming chat, web app, and a proxy that adds memory to any LLM client."""

"""The HTTP server: an API, a chat, and a proxy that gives any client a memory."""

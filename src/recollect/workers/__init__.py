"""Background jobs: the worker, its job handlers and the retry policy."""

"""A store in memory that passes the store contract, for tests without files."""

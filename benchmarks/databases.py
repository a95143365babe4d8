"""Databases for measurements on a PostgreSQL server."""

from urllib.parse import urlsplit

import psycopg
from psycopg import sql


def create_database(server_url: str, name: str) -> str:
    """Create an empty database, in place of one of that name; return its URL."""
    with psycopg.connect(server_url, autocommit=True) as connection:
        identifier = sql.Identifier(name)
        connection.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(identifier))
        connection.execute(sql.SQL("CREATE DATABASE {}").format(identifier))
    return urlsplit(server_url)._replace(path=f"/{name}").geturl()

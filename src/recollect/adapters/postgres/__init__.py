"""The PostgreSQL database: one adapter per port, each in the module of the same name as in `adapters/sqlite`."""

"""Grammar and extraction rules for Portuguese."""

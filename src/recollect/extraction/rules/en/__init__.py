"""Grammar and extraction rules for English."""

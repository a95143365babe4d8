"""Whether two facts say the same."""

"""Portuguese: words, rules and turns of phrase."""

"""English: words, rules and turns of phrase."""

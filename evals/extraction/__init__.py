"""How well the rules find what is worth keeping in chat lines."""

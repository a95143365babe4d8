"""The nouns: frozen values that the steps hand on to each other."""

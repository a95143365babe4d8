"""How good recall is, measured through the engine as people use it."""

"""The dialects that clients speak with models: how each says what was asked, and what was answered."""

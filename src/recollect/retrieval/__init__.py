"""What bears on this? From a question to the few passages that do."""

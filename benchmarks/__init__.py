"""How fast, how large, how right: measured on made-up chats, beside what we want."""

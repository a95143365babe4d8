"""The MCP server: memory as tools, resources and prompts for any client. Needs the extra `mcp`."""

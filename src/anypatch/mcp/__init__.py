"""The MCP server: the engine for coding agents, by the official SDK. Only `server` and what serves it know the SDK."""

"""The MCP server for coding agents: `tools` (the table), `calls` (what each does), `protocol`, and two transports."""

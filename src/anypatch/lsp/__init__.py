"""Language servers as a second engine for symbols, and the only one for renames. Loaded only where one is asked for.

`wire` carries messages, `servers` is the table of servers, `session` speaks with one, `positions` counts columns,
`spans` maps what a server tells onto our symbols, `backend` is the front door: it asks, restarts, falls back.
"""

"""All files or none: the state directory, the journal in it, the exchange, recovery. Never decides what to change."""

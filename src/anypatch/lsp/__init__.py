"""Language servers as a second engine for symbols, and the only one for renames. Loaded only where one is asked for."""

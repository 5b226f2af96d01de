"""From changes to patches: describe, make, convert, invert; formats as tools; what they cost in tokens."""

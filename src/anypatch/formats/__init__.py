"""What a patch says: one module a format, found by being here. Modules with a leading underscore are their helpers."""

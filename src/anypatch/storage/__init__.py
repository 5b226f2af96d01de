"""The tree on disk: paths that stay inside it, changes that are made whole or not at all, undo."""

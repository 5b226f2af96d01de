"""The tree on disk: paths that stay inside it, changes that are made completely or not at all, undo."""

"""What answers only show: files in part, functions, whole texts. The next floor replaces it (issue 33)."""

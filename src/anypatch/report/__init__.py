"""Reports of a result: for `people`, for `models`, and as plain values (`json`). Pure."""

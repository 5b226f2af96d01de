"""Reports of a result: for `people`, for `models`, as plain values (`json`), stage by stage (`explain`). Pure."""

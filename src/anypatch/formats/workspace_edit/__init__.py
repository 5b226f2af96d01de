"""WorkspaceEdit: the edits of language servers, by line and column; files made, renamed and deleted."""

from __future__ import annotations

from .. import Format, Writing

FORMAT = Format(
    "workspace-edit",
    "WorkspaceEdit: the edits of language servers, by line and column; files made, renamed and deleted",
    frozenset(("create", "delete", "move", "overwrite", "final_newline", "blank_lines")),
    Writing("own", creates_empty=True, eol="majority"),
    signs=('"changes', "'changes", "documentChanges"),
)

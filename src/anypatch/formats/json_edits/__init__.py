"""JSON edits: calls of the edit tools of Anthropic, OpenAI, Gemini, MCP and their kin."""

from __future__ import annotations

from .. import Format, Writing

FORMAT = Format(
    "json-edits",
    "JSON edits: calls of the edit tools of Anthropic, OpenAI, Gemini, MCP and their kin",
    frozenset(("create", "delete", "move", "overwrite", "final_newline", "blank_lines")),
    Writing("texts", near=1, eol="majority", whole="overwrite"),
    signs=(
        "old_str",
        "new_str",
        "oldText",
        "newText",
        "old_text",
        "oldString",
        "file_text",
        "apply_patch",
        "file_path",
        "filePath",
        "insert_line",
        '"edits"',
        '"content"',
        '"path"',
        "'path'",
        '"diff"',
        '"command"',
        "_file",
        "<parameter",
        "code_edit",
        "codeEdit",
    ),
    is_tool=True,
    tallied=True,
)

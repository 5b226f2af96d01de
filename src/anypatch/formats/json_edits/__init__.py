"""JSON edits: calls of the edit tools of Anthropic, OpenAI, Gemini, MCP and their kin."""

from __future__ import annotations

from .. import Format, Writing

FORMAT = Format(
    "json-edits",
    "JSON edits: calls of the edit tools of Anthropic, OpenAI, Gemini, MCP and their kin",
    frozenset(("create", "delete", "move", "overwrite", "final_newline", "blank_lines")),
    Writing("texts", near=1, eol="majority", whole="overwrite"),
    signs=("{", "<", '["apply', "]\n", "cat ", "tee ", "sed "),
    tallied=True,
    nameless=True,
)

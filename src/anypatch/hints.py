"""The types in the signatures of the public calls: closed sets, and what hosts of tools show models of the rest.

Whoever resolves a signature has `typing` loaded; the command line has not, and its start is not to pay for it. So
modules import this one under `if TYPE_CHECKING or HINTED` (`record.py`).
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterable, Iterable, Mapping, Sequence
from typing import Annotated, Any, Literal, Protocol, TypeAlias, runtime_checkable

FormatName: TypeAlias = Literal[
    "begin-patch", "chunk", "chunk-v2", "diff", "elided", "json-edits", "search-replace", "symbol-chunks", "unified",
    "whole-file", "workspace-edit",
]  # fmt: skip
ProblemKind: TypeAlias = Literal[
    "already_applied", "alternatives", "ambiguous", "bad_call", "bad_patch", "bad_root", "bad_row", "cannot_say",
    "conflict", "elision", "file_exists", "file_missing", "foreign_journal", "hard_link", "held_back", "io", "limit",
    "line_ending", "locked", "no_block", "no_grammar", "no_patch", "no_receipt", "no_server", "not_a_file", "not_found",
    "not_renamed", "not_text", "overlap", "row_failed", "stale", "symbol_not_found", "syntax", "torn", "truncated",
    "unknown_format", "unreadable", "unsafe_path", "unsettled", "would_shrink",
]  # fmt: skip
Action: TypeAlias = Literal["create", "update", "delete", "move"]
Durability: TypeAlias = Literal["none", "batch", "full"]
Hardlinks: TypeAlias = Literal["replace", "refuse", "keep"]
SyntaxCheck: TypeAlias = Literal["off", "warn", "refuse"]


class Shown:
    """In an `Annotated` type: the JSON schema that hosts built on pydantic show of it; the value passes as it is."""

    def __init__(self, schema: dict[str, Any]) -> None:
        self.schema = schema

    def __repr__(self) -> str:
        return f"Shown({self.schema})"

    def __get_pydantic_core_schema__(self, source: object, handler: object) -> dict[str, Any]:
        return {"type": "any"}

    def __get_pydantic_json_schema__(self, core: object, handler: object) -> dict[str, Any]:
        return dict(self.schema)


_TEXT = Shown({"type": "string"})
NOT_FOR_MODELS = Shown({"type": "null"})  # an argument that a program gives, no model

# What a model wrote: text, or the dict or list of tool calls, content blocks or messages that a vendor's SDK gives.
Answer: TypeAlias = Annotated[str | Mapping[str, Any] | Sequence[Any], _TEXT]
Folder: TypeAlias = Annotated[str | os.PathLike[str], _TEXT]
Hashes: TypeAlias = Annotated[Mapping[str, str] | None, NOT_FOR_MODELS]


@runtime_checkable
class Tree(Protocol):
    """Where files are read from: a container, an object store, the buffers of an editor. It is never written to."""

    def read(self, path: str) -> str | bytes | None:
        """The contents of a file; None where there is none. Paths are relative, with `/` between their names."""

    def list(self) -> Iterable[str]:
        """The paths of all files. Asked for only where a path is not there as it is written."""


@runtime_checkable
class AsyncTree(Protocol):
    """A tree whose files come over a network: the same as `Tree`, awaited."""

    async def read(self, path: str) -> str | bytes | None:
        """The contents of a file; None where there is none."""

    def list(self) -> AsyncIterable[str]:
        """The paths of all files."""

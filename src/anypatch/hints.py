"""The types in the signatures of the public calls: closed sets, JSON schemas for models, results as plain values."""

from __future__ import annotations

import os
from collections.abc import AsyncIterable, Iterable, Mapping, Sequence
from typing import (
    Annotated,
    Any,
    Literal,
    NotRequired,
    Protocol,
    TypeAlias,
    TypedDict,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
    runtime_checkable,
)  # fmt: skip

FormatName: TypeAlias = Literal[
    "begin-patch", "chunk", "chunk-v2", "diff", "elided", "json-edits", "search-replace", "symbol-chunks", "unified",
    "whole-file", "workspace-edit",
]  # fmt: skip
ProblemKind: TypeAlias = Literal[
    "already_applied", "alternatives", "ambiguous", "bad_call", "bad_patch", "bad_root", "bad_row", "cannot_say",
    "conflict", "elision", "file_exists", "file_missing", "foreign_journal", "hard_link", "held_back", "io", "limit",
    "line_ending", "locked", "merge_conflict", "no_block", "no_grammar", "no_patch", "no_receipt", "no_server",
    "not_a_file", "not_found", "not_renamed", "not_text", "overlap",
    "proposed", "row_failed", "stale", "symbol_not_found", "syntax", "torn", "truncated",
    "unknown_format", "unreadable", "unsafe_path", "unsettled", "would_shrink",
]  # fmt: skip
ProposalRule: TypeAlias = Literal["file", "lines", "symbol", "overlay"]
Accept: TypeAlias = Literal["none", "all", "file", "lines", "symbol", "overlay"] | Sequence[ProposalRule] | None
Status: TypeAlias = Literal["applied", "partial", "proposed", "refused"]
BlockFate: TypeAlias = Literal["", "applied", "proposed", "refused", "unused"]
Action: TypeAlias = Literal["create", "update", "delete", "move"]
Durability: TypeAlias = Literal["none", "batch", "full"]
Hardlinks: TypeAlias = Literal["replace", "refuse", "keep"]
SyntaxCheck: TypeAlias = Literal["off", "warn", "refuse"]
Vendor: TypeAlias = Literal["openai", "anthropic", "mcp"]


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

# An answer: text, or the dict or list of tool calls, content blocks or messages that the SDK of a vendor returns.
Answer: TypeAlias = Annotated[str | Mapping[str, Any] | Sequence[Any], _TEXT]
Folder: TypeAlias = Annotated[str | os.PathLike[str], _TEXT]
Hashes: TypeAlias = Annotated[Mapping[str, str] | None, NOT_FOR_MODELS]


@runtime_checkable
class Tree(Protocol):
    """Where files are read from: a container, an object store, the buffers of an editor. It is never written to."""

    def read(self, path: str) -> str | bytes | None:
        """The contents of a file; None if it doesn't exist. Paths are relative, with `/` as separator."""

    def list(self) -> Iterable[str]:
        """The paths of all files. Called only if a path doesn't exist as written."""


# The files that an answer was written for: a mapping, a tree, or, for a directory, the name of a commit.
Base: TypeAlias = Annotated[Mapping[str, str | bytes] | Tree | str | None, NOT_FOR_MODELS]


@runtime_checkable
class AsyncTree(Protocol):
    """A tree whose files come over a network: like `Tree`, but awaited."""

    async def read(self, path: str) -> str | bytes | None:
        """The contents of a file; None if it doesn't exist."""

    def list(self) -> AsyncIterable[str]:
        """The paths of all files."""


# ── a result as plain values, and its JSON schema, which docs/result.schema.json publishes ───────


# `from`, which can't be an attribute of a class, is the path before a move; `mode` the permissions, if they changed.
FileDict = TypedDict(
    "FileDict",
    {"path": str, "action": Action, "added": int, "removed": int, "mode": NotRequired[str], "from": NotRequired[str]},
)
FileDict.__doc__ = "One file."


class PartDict(TypedDict):
    """One place that an operation changes: lines `start` to `end` (from 1; `end` is one less for an insertion)."""

    start: int
    end: int
    new_lines: int
    how: str


class OperationDict(TypedDict):
    """One operation of the patch, and what became of it."""

    number: int
    label: str
    path: str
    to: NotRequired[str]
    start: int | None
    end: int | None
    new_lines: int | None
    how: str | None
    patch_line: int | None
    ok: bool
    applied: Literal["all", "part", "none"]
    notes: list[str]
    parts: list[PartDict]


class NearDict(TypedDict):
    """A place in the file worth looking at."""

    line: int
    text: str
    note: str


class DifferenceDict(TypedDict):
    """The first line that is not as the patch has it."""

    line: int
    file: str
    patch: str


class CorrectedDict(TypedDict):
    """The part that failed as a patch that fits, and the line where it does."""

    line: int | None
    text: str


class ProblemDict(TypedDict):
    """One reason for a refusal."""

    kind: ProblemKind
    path: str | None
    patch_line: int | None
    line: int | None
    message: str
    advice: str
    hint: str
    near: list[NearDict]
    difference: DifferenceDict | None
    operation: int | None
    corrected: list[CorrectedDict]


class NoteDict(TypedDict):
    """Something else worth knowing."""

    kind: str | None
    text: str
    path: str | None
    patch_line: int | None
    line: int | None


class BlockDict(TypedDict):
    """One block of the answer: its lines, how it was read, what became of it and why."""

    first: int
    last: int
    read_as: str
    became: BlockFate
    reason: str | None
    path: str | None


class ResultDict(TypedDict):
    """The result of an answer. `receipt` is the ID for undo; `rest` the part that could not be placed, as a patch."""

    ok: bool
    status: Status
    dry_run: bool
    written: bool
    partial: bool
    format: str | None
    description: str | None
    changes: list[FileDict]
    operations: list[OperationDict]
    blocks: list[BlockDict]
    problems: list[ProblemDict]
    notes: list[NoteDict]
    receipt: str | None
    rest: str | None


def json_schema(shape: type) -> dict[str, Any]:
    """Return the JSON schema of a TypedDict."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Result", **_schema(shape)}


_PLAIN = {str: "string", int: "integer", bool: "boolean", type(None): "null"}


def _schema(shape: Any) -> dict[str, Any]:
    if shape in _PLAIN:
        return {"type": _PLAIN[shape]}
    if is_typeddict(shape):
        # Only once `NotRequired[…]` is no longer a string can optional keys be recognised.
        hints = get_type_hints(shape, include_extras=True)
        optional = {name for name, hint in hints.items() if get_origin(hint) is NotRequired}
        properties = {name: _schema(get_args(h)[0] if name in optional else h) for name, h in hints.items()}
        return {
            "type": "object", "description": (shape.__doc__ or "").split("\n")[0], "properties": properties,
            "required": sorted(hints.keys() - optional),
        }  # fmt: skip
    if get_origin(shape) is list:
        return {"type": "array", "items": _schema(*get_args(shape))}
    if get_origin(shape) is Literal:
        return {"type": "string", "enum": list(get_args(shape))}
    return {"anyOf": [_schema(member) for member in get_args(shape)]}

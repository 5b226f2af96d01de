"""The shape of a result as plain values, and its JSON schema, which docs/result.schema.json publishes. Data only."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict, get_args, get_origin, get_type_hints, is_typeddict

from ..hints import Action, ProblemKind


class ChangeDict(TypedDict):
    """One file. `from`, of a move, is where it was; `mode` are its permissions, where they changed."""

    path: str
    action: Action
    added: int
    removed: int
    mode: NotRequired[str]


# `from` is no name that a class can have.
MovedDict = TypedDict("MovedDict", {"from": NotRequired[str]})


class FileDict(ChangeDict, MovedDict):
    """One file."""


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


class ResultDict(TypedDict):
    """What came of an answer. `receipt` is what undo takes; `rest` what could not be placed, as a patch."""

    ok: bool
    dry_run: bool
    written: bool
    partial: bool
    format: str | None
    description: str | None
    changes: list[FileDict]
    operations: list[OperationDict]
    problems: list[ProblemDict]
    notes: list[NoteDict]
    receipt: str | None
    rest: str | None


def json_schema(shape: type) -> dict[str, Any]:
    """The JSON schema of a TypedDict of the shapes above."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Result", **_schema(shape)}


_PLAIN = {str: "string", int: "integer", bool: "boolean", type(None): "null"}


def _schema(shape: Any) -> dict[str, Any]:
    if shape in _PLAIN:
        return {"type": _PLAIN[shape]}
    if is_typeddict(shape):
        # Optional keys are told apart once `NotRequired[…]` is no longer a string.
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
    return {"anyOf": [_schema(one) for one in get_args(shape)]}

"""Writes WorkspaceEdits: ranges of whole lines, and the operations on files. Touches no file."""

from __future__ import annotations

from ...author.describe import unsayable
from ...author.line_changes import LineChange
from ...model import Delete, Edit, Move, Op, Span, Spans, Write
from ...paths import uri_from_path
from ...text import Text, units


def operations(path: str, before: Text, pieces: list[LineChange], wide: bool) -> tuple[Op, ...] | None:
    """The changed lines as ranges; None where the columns of a line can't be counted, as it isn't UTF-8."""
    spans = tuple(_span(before, piece) for piece in pieces)
    counted = {at[0] for span in spans for at in (span.start, span.end) if at[1]}
    if any("\udc80" <= char <= "\udcff" for row in counted for char in before.lines[row]):
        return None
    return (Edit(path, (Spans(spans),)),)


def _span(before: Text, piece: LineChange) -> Span:
    """A piece as a range; behind a last line without line end nothing begins."""
    start, end, lines = piece
    new = "".join(line + "\n" for line in lines)
    if before.final or end < len(before.lines):
        return Span((start, 0), (end, 0), new)
    if lines and start < end:
        return Span((start, 0), _behind(before, end - 1), new[:-1])
    above = _behind(before, start - 1) if start else (0, 0)
    return Span(above, _behind(before, len(before.lines) - 1), "\n" + new[:-1] if lines else "")


def _behind(before: Text, row: int) -> tuple[int, int]:
    """The place behind the last character of a row."""
    return row, units(before.lines[row])


def write(ops: tuple[Op, ...]) -> str:
    """Operations of the format again; Refused for any other."""
    from json import dumps

    more: dict[str, object] = {}
    hashes: dict[str, str] = {}
    for op in ops:
        hunk = op.hunks[0] if isinstance(op, Edit) and op.hunks else None
        if isinstance(hunk, Spans) and hunk.unit != "utf-16":
            more["positionEncoding"] = hunk.unit
        if isinstance(hunk, Spans) and hunk.hash:
            hashes[uri_from_path(op.path)] = hunk.hash
    more |= {"hashes": hashes} if hashes else {}
    rows = ",\n".join(f"    {dumps(_part(op))}" for op in ops)
    head = "".join(f"  {dumps(key)}: {dumps(value)},\n" for key, value in more.items())
    return "{\n" + head + '  "documentChanges": [\n' + rows + "\n  ]\n}\n"


def _part(op: Op) -> dict[str, object]:
    if isinstance(op, Edit) and len(op.hunks) == 1 and isinstance(op.hunks[0], Spans) and not op.mode:
        edits = [
            {"range": {"start": _place(span.start), "end": _place(span.end)}, "newText": span.text}
            for span in op.hunks[0].spans
        ]
        return {"textDocument": {"uri": uri_from_path(op.path), "version": None}, "edits": edits}
    if isinstance(op, Move):
        said: dict[str, object] = {"kind": "rename", "oldUri": uri_from_path(op.path), "newUri": uri_from_path(op.to)}
        return said | ({"options": {"overwrite": True}} if op.overwrite else {})
    if isinstance(op, Delete) and not op.old:
        said = {"kind": "delete", "uri": uri_from_path(op.path)}
        return said | ({"options": {"ignoreIfNotExists": True}} if op.spare else {})
    if isinstance(op, Write) and not op.text and not op.mode and not op.keep:
        wish = {"overwrite": True} if op.overwrite else {"ignoreIfExists": True} if op.spare else {}
        return {"kind": "create", "uri": uri_from_path(op.path)} | ({"options": wish} if wish else {})
    raise unsayable(op, "workspace-edit")


def _place(at: tuple[int, int]) -> dict[str, int]:
    return {"line": at[0], "character": at[1]}

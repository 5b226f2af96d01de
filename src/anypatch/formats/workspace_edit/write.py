"""Writes WorkspaceEdits: ranges of whole lines, and the operations on files. Touches no file."""

from __future__ import annotations

from json import dumps

from ...author.describe import unsayable
from ...author.line_changes import LineChange
from ...model import Delete, Edit, Move, Op, Span, Spans, Write
from ...paths import uri_from_path
from ...text import Text, units


def operations(path: str, before: Text, changes: list[LineChange]) -> list[tuple[Op, ...]]:
    """Return the changed lines as ranges; nothing if the columns of a line can't be counted because it isn't UTF-8."""
    spans = tuple(_span(before, change) for change in changes)
    counted = {at[0] for span in spans for at in (span.start, span.end) if at[1]}
    if any("\udc80" <= char <= "\udcff" for row in counted for char in before.lines[row]):
        return []
    return [(Edit(path, (Spans(spans),)),)]


def _span(before: Text, change: LineChange) -> Span:
    """A change as a range; nothing begins after a last line without a line ending."""
    start, end, lines = change
    new = "".join(line + "\n" for line in lines)
    if before.final or end < len(before.lines):
        return Span((start, 0), (end, 0), new)
    if lines and start < end:
        return Span((start, 0), _end_of(before, end - 1), new[:-1])
    above = _end_of(before, start - 1) if start else (0, 0)
    return Span(above, _end_of(before, len(before.lines) - 1), "\n" + new[:-1] if lines else "")


def _end_of(before: Text, row: int) -> tuple[int, int]:
    """The place after the last character of a row."""
    return row, units(before.lines[row])


def write(ops: tuple[Op, ...]) -> str:
    """Operations of the format as one edit; Refused for any other."""
    head: dict[str, object] = {}
    hashes: dict[str, str] = {}
    for op in ops:
        hunk = op.hunks[0] if isinstance(op, Edit) and op.hunks else None
        if isinstance(hunk, Spans) and hunk.unit != "utf-16":
            head["positionEncoding"] = hunk.unit
        if isinstance(hunk, Spans) and hunk.hash:
            hashes[uri_from_path(op.path)] = hunk.hash
    head |= {"hashes": hashes} if hashes else {}
    rows = ",\n".join(f"    {dumps(_part(op))}" for op in ops)
    fields = "".join(f"  {dumps(key)}: {dumps(value)},\n" for key, value in head.items())
    return "{\n" + fields + '  "documentChanges": [\n' + rows + "\n  ]\n}\n"


def _part(op: Op) -> dict[str, object]:
    if isinstance(op, Move):
        uris = {"oldUri": uri_from_path(op.path), "newUri": uri_from_path(op.to)}
        return _file_operation("rename", uris, overwrite=op.overwrite)
    uri = {"uri": uri_from_path(op.path)}
    if isinstance(op, Delete) and not op.old:
        return _file_operation("delete", uri, ignoreIfNotExists=op.skip_if_missing)
    if isinstance(op, Write) and not op.text and not op.mode and not op.keep_line_endings:
        return _file_operation(
            "create", uri, overwrite=op.overwrite, ignoreIfExists=op.skip_if_exists and not op.overwrite
        )
    if isinstance(op, Edit) and len(op.hunks) == 1 and isinstance(op.hunks[0], Spans) and not op.mode:
        edits = [
            {"range": {"start": _place(span.start), "end": _place(span.end)}, "newText": span.text}
            for span in op.hunks[0].spans
        ]
        return {"textDocument": {**uri, "version": None}, "edits": edits}
    raise unsayable(op, "workspace-edit")


def _file_operation(kind: str, uris: dict[str, str], **options: bool) -> dict[str, object]:
    flags = {key: True for key, value in options.items() if value}
    return {"kind": kind, **uris, **({"options": flags} if flags else {})}


def _place(at: tuple[int, int]) -> dict[str, int]:
    return {"line": at[0], "character": at[1]}

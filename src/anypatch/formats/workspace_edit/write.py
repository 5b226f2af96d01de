"""Writes WorkspaceEdits: ranges of whole lines, and the operations on files. Touches no file."""

from __future__ import annotations

from collections.abc import Collection

from ...author.describe import Piece, check_sayable, lines_of, pieces, refuse, unsayable
from ...model import Delete, Edit, FileChange, Move, Op, Span, Spans, Write
from ...parsing.uris import uri_of
from ...text import decode

_NAME = "workspace-edit"
_START = (0, 0)


def render(changes: tuple[FileChange, ...], wide: Collection[str] = ()) -> str:
    """The changes as documentChanges."""
    return _said([part for change in changes for part in _change(change)], {})


def write(ops: tuple[Op, ...]) -> str:
    """Operations of the format again; Refused for any other."""
    more: dict[str, object] = {}
    for op in ops:
        hunk = op.hunks[0] if isinstance(op, Edit) and op.hunks else None
        if isinstance(hunk, Spans) and hunk.unit != "utf-16":
            more["positionEncoding"] = hunk.unit
        if isinstance(hunk, Spans) and hunk.hash:
            hashes = more.setdefault("hashes", {})
            assert isinstance(hashes, dict)
            hashes[uri_of(op.path)] = hunk.hash
    return _said([_op(op) for op in ops], more)


def _said(parts: list[dict[str, object]], more: dict[str, object]) -> str:
    from json import dumps

    rows = ",\n".join(f"    {dumps(part)}" for part in parts)
    head = "".join(f"  {dumps(key)}: {dumps(value)},\n" for key, value in more.items())
    return "{\n" + head + '  "documentChanges": [\n' + rows + "\n  ]\n}\n"


def _op(op: Op) -> dict[str, object]:
    if isinstance(op, Edit) and len(op.hunks) == 1 and isinstance(op.hunks[0], Spans) and not op.mode:
        return _texts(op.path, list(op.hunks[0].spans))
    if isinstance(op, Move):
        said: dict[str, object] = {"kind": "rename", "oldUri": uri_of(op.path), "newUri": uri_of(op.to)}
        return said | ({"options": {"overwrite": True}} if op.overwrite else {})
    if isinstance(op, Delete) and not op.old:
        said = {"kind": "delete", "uri": uri_of(op.path)}
        return said | ({"options": {"ignoreIfNotExists": True}} if op.spare else {})
    if isinstance(op, Write) and not op.text and not op.mode and not op.keep:
        wish = {"overwrite": True} if op.overwrite else {"ignoreIfExists": True} if op.spare else {}
        return {"kind": "create", "uri": uri_of(op.path)} | ({"options": wish} if wish else {})
    raise unsayable(op, _NAME)


def _texts(path: str, spans: list[Span]) -> dict[str, object]:
    edits = [{"range": {"start": _place(s.start), "end": _place(s.end)}, "newText": s.text} for s in spans]
    return {"textDocument": {"uri": uri_of(path), "version": None}, "edits": edits}


def _place(at: tuple[int, int]) -> dict[str, int]:
    return {"line": at[0], "character": at[1]}


def _change(change: FileChange) -> list[dict[str, object]]:
    check_sayable(change, _NAME)
    if change.after is None:
        return [{"kind": "delete", "uri": uri_of(change.path)}]
    if change.before is None:
        made: dict[str, object] = {"kind": "create", "uri": uri_of(change.path)}
        text = decode(change.after.data)
        return [made, _texts(change.path, [Span(_START, _START, text)])] if text else [made]
    found = pieces(change)
    if found is None:
        raise refuse(change, _NAME, "only whole lines change, with the file's usual line end")
    before = lines_of(change.before.data)
    if any("\r" in line for line in before.lines) or any("\r" in line for piece in found for line in piece.new):
        raise refuse(change, _NAME, "a lone CR in a line")
    spans = [_span(before.lines, before.ends[-1] != "", piece) for piece in found]
    counted = {at[0] for span in spans for at in (span.start, span.end) if at[1]}
    if any("\udc80" <= char <= "\udcff" for row in counted for char in before.lines[row]):
        raise refuse(change, _NAME, "columns of a line that isn't UTF-8 can't be counted")
    return [_texts(change.path, spans)]


def _span(lines: list[str], final: bool, piece: Piece) -> Span:
    """A piece as a range; behind a last line without line end nothing begins."""
    new = "".join(line + "\n" for line in piece.new)
    if final or piece.end < len(lines):
        return Span((piece.start, 0), (piece.end, 0), new)
    end = (len(lines) - 1, len(lines[-1].encode("utf-16-le", "surrogatepass")) // 2)
    if piece.new and piece.start < piece.end:
        return Span((piece.start, 0), end, new[:-1])
    above = piece.start - 1
    start = (above, len(lines[above].encode("utf-16-le", "surrogatepass")) // 2) if piece.start else _START
    return Span(start, end, "\n" + new[:-1] if piece.new else "")

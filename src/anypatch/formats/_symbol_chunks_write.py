"""Writes symbol chunks: edits of lines in whole files, each with the context that makes it unique. Touches no file."""

from __future__ import annotations

from ..model import Chunk, Edit, FileChange, Inside, Op
from ..text import BLANK
from ._say import Piece, check_sayable, lines_of, pieces, refuse, unsayable

_NAME = "symbol-chunks"


def document(changes: tuple[FileChange, ...]) -> str:
    """The changes as one list."""
    from json import dumps

    rows = [f"  {dumps(_change(change))}" for change in changes]
    return "[\n" + ",\n".join(rows) + "\n]\n" if rows else "[]\n"


def listed(ops: tuple[Op, ...]) -> str:
    """Operations of the format as one list; Refused for any other."""
    from json import dumps

    rows = [f"  {dumps(_edit(op.path, said))}" for op in ops for said in _inside(op)]
    return "[\n" + ",\n".join(rows) + "\n]\n" if rows else "[]\n"


def _inside(op: Op) -> list[Inside]:
    found = [said for said in op.hunks if isinstance(said, Inside)] if isinstance(op, Edit) else []
    if not isinstance(op, Edit) or len(found) < len(op.hunks) or op.mode:
        raise unsayable(op, _NAME)
    return found


def _edit(path: str, said: Inside) -> dict[str, object]:
    made: dict[str, object] = {"relative_path": path}
    if said.symbol:
        made["name_path"] = said.symbol
    if said.at:
        made["line"], made["column"] = said.at
    if said.hash:
        made["expected_hash"] = said.hash
    if said.deed == "chunks":
        return made | {"chunks": [_said(chunk) for chunk in said.chunks]}
    made["op"] = said.deed
    if said.deed == "rename":
        made["new_name"] = said.text[0]
    elif said.deed != "delete":
        made["text"] = said.text[0] if len(said.text) == 1 else list(said.text)
    return made | ({"with_lead": True} if said.lead else {})


def _said(chunk: Chunk) -> dict[str, object]:
    return {
        "context_before": "" if chunk.before is None else list(chunk.before),
        "old_lines": list(chunk.old),
        "new_lines": list(chunk.new),
        "context_after": "" if chunk.after is None else list(chunk.after),
    }


def _change(change: FileChange) -> dict[str, object]:
    check_sayable(change, _NAME)
    if change.before is None or change.after is None:
        raise refuse(change, _NAME, "files are neither made nor deleted")
    found = pieces(change)
    if found is None:
        raise refuse(change, _NAME, "only whole lines change, with the file's usual line end")
    lines = lines_of(change.before.data).lines
    if any("\r" in line for line in lines) or any("\r" in line for piece in found for line in piece.new):
        raise refuse(change, _NAME, "a lone CR in a line")
    text = "\n".join(["", *(line.rstrip(BLANK) for line in lines), ""])
    return {"relative_path": change.path, "name_path": "/", "chunks": [_chunk(text, lines, piece) for piece in found]}


def _chunk(text: str, lines: list[str], piece: Piece) -> dict[str, list[str]]:
    """A piece with as many lines around it as make its place the only one; the edges of the file are unique."""
    around = 1
    while True:
        top, bottom = max(piece.start - around, 0), min(piece.end + around, len(lines))
        wanted = "\n".join(["", *(line.rstrip(BLANK) for line in lines[top:bottom]), ""])
        first = text.find(wanted)
        at_edge = piece.start == 0 or piece.end == len(lines)
        if at_edge or text.find(wanted, first + 1) < 0 or (top == 0 and bottom == len(lines)):
            return {
                "context_before": lines[top : piece.start],
                "old_lines": lines[piece.start : piece.end],
                "new_lines": piece.new,
                "context_after": lines[piece.end : bottom],
            }
        around *= 2

"""How Codex applies a patch, following its own source: what a fixed call would really write. Touches no file.

Each chunk is searched for below the one before it: first exactly, then without trailing white space, then without
leading and trailing white space, then with typographic quotes and dashes made plain. The first place wins, even if
there are others. Context lines keep the file's own text. `tests/clients` compares this with the real program.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

_PLAIN = str.maketrans(
    {**dict.fromkeys("‐‑‒–—―−", "-"), **dict.fromkeys("‘’‚‛", "'"), **dict.fromkeys("“”„‟", '"')}
    | dict.fromkeys("\u00a0\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000", " ")
)
_PASSES = (str, str.rstrip, str.strip, lambda line: line.strip().translate(_PLAIN))
_ADD, _DELETE, _UPDATE, _MOVE = "*** Add File: ", "*** Delete File: ", "*** Update File: ", "*** Move to: "


class _Rejected(Exception):
    """Codex would refuse the patch."""


class _Chunk(NamedTuple):
    """A part of an update: `lines` are pairs of a sign (space, - or +) and a text."""

    context: str
    lines: list[tuple[str, str]]
    at_end: bool

    @property
    def old(self) -> list[str]:
        """The lines to search for."""
        return [text for sign, text in self.lines if sign != "+"]


def apply_like_codex(patch: str, files: Mapping[str, str]) -> dict[str, str] | None:
    """Return the files after a patch, or None if Codex would refuse it."""
    lines = [line.removesuffix("\r") for line in patch.strip().split("\n")]
    if lines[0].strip() != "*** Begin Patch" or lines[-1].strip() != "*** End Patch":
        return None
    try:
        return _apply(lines[1:-1], dict(files))
    except _Rejected:
        return None


def _apply(lines: list[str], files: dict[str, str]) -> dict[str, str]:
    row = 0
    while row < len(lines):
        header, row = lines[row].strip(), row + 1
        if header.startswith(_ADD):
            first = row
            while row < len(lines) and lines[row].startswith("+"):
                row += 1
            files[header.removeprefix(_ADD)] = "".join(f"{line[1:]}\n" for line in lines[first:row])
        elif header.startswith(_DELETE):
            _remove(files, header.removeprefix(_DELETE))
        elif header.startswith(_UPDATE):
            path = new_path = header.removeprefix(_UPDATE)
            if row < len(lines) and lines[row].startswith(_MOVE):
                new_path, row = lines[row].removeprefix(_MOVE).strip(), row + 1
            chunks, row = _read_chunks(lines, row)
            files[new_path] = _update(_remove(files, path), chunks)
        else:
            raise _Rejected
    return files


def _remove(files: dict[str, str], path: str) -> str:
    if path not in files:
        raise _Rejected
    return files.pop(path)


def _read_chunks(lines: list[str], row: int) -> tuple[list[_Chunk], int]:
    """Return the chunks of an update and the row after them. Only the first may lack its `@@` line."""
    chunks: list[_Chunk] = []
    while row < len(lines) and not lines[row].startswith("*"):
        if not lines[row].strip():
            row += 1
            continue
        context = ""
        if lines[row].rstrip() == "@@" or lines[row].startswith("@@ "):
            context, row = lines[row][3:], row + 1
        elif chunks:
            raise _Rejected
        first = row
        while row < len(lines) and (not lines[row] or lines[row][0] in " -+"):
            row += 1
        signed = [(line[0], line[1:]) if line else (" ", "") for line in lines[first:row]]
        at_end = row < len(lines) and lines[row] == "*** End of File"
        if not signed:
            raise _Rejected
        chunks.append(_Chunk(context, signed, at_end))
        row += at_end
    if not chunks:
        raise _Rejected
    return chunks, row


def _update(text: str, chunks: list[_Chunk]) -> str:
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    replacements: list[tuple[int, int, list[str]]] = []
    begin = 0
    for chunk in chunks:
        if chunk.context:
            begin = _search(lines, [chunk.context], begin) + 1
        if not chunk.old:
            replacements.append((len(lines), 0, [text for _, text in chunk.lines]))
            continue
        place, signed = _locate(lines, chunk, begin)
        size = sum(sign != "+" for sign, _ in signed)
        replacements.append((place, size, _new_lines(lines[place : place + size], signed)))
        begin = place + size
    for place, size, new in sorted(replacements, key=lambda replacement: replacement[0], reverse=True):
        lines[place : place + size] = new
    return "\n".join(lines if lines and lines[-1] == "" else [*lines, ""])


def _locate(lines: list[str], chunk: _Chunk, begin: int) -> tuple[int, list[tuple[str, str]]]:
    """Return the row of a chunk and its lines, without the blank last one if it is only found without that."""
    try:
        return _search(lines, chunk.old, begin, chunk.at_end), chunk.lines
    except _Rejected:
        if chunk.old[-1] != "":
            raise
    last = max(row for row, (sign, _) in enumerate(chunk.lines) if sign != "+")
    dropped = {last}
    if chunk.lines[last][0] == "-" and chunk.lines[-1] == ("+", ""):
        dropped.add(len(chunk.lines) - 1)
    shorter = chunk._replace(lines=[pair for row, pair in enumerate(chunk.lines) if row not in dropped])
    return _search(lines, shorter.old, begin, chunk.at_end), shorter.lines


def _new_lines(old: list[str], signed: list[tuple[str, str]]) -> list[str]:
    """Return the lines that replace the old ones; context lines are taken from the file."""
    remaining = iter(old)
    new = []
    for sign, text in signed:
        line = text if sign == "+" else next(remaining)
        if sign != "-":
            new.append(line)
    return new


def _search(lines: list[str], wanted: list[str], begin: int, at_end: bool = False) -> int:
    if not wanted:
        return begin
    first = len(lines) - len(wanted) if at_end and len(lines) >= len(wanted) else begin
    for normalize in _PASSES:
        wanted_keys, keys = [normalize(line) for line in wanted], [normalize(line) for line in lines]
        for row in range(first, len(lines) - len(wanted) + 1):
            if keys[row : row + len(wanted)] == wanted_keys:
                return row
    raise _Rejected

"""Writes JSON edits: text for text where lines are enough, whole files for the rest. Touches no file."""

from __future__ import annotations

import re

from ..model import FileChange
from ..text import decode
from ._say import Lines, Piece, check_sayable, lines_of, pieces

_NAME = "json-edits"
_BUDGET = 400_000_000  # characters looked through for uniqueness; beyond it a whole file is cheaper
_SMALL = 1_000  # below this many characters edits are kept even where the whole file would be shorter
# What JSON may hold as it is but what doesn't survive every way a patch is carried.
_FRAGILE = r"[\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff]"


def document(changes: tuple[FileChange, ...]) -> str:
    """The changes as one list."""
    return rows([one for change in changes for one in _change(change)])


def rows(objects: list[dict[str, object]]) -> str:
    """Calls as one list, a line each."""
    from json import dumps

    told = [re.sub(_FRAGILE, _escaped, dumps(one, ensure_ascii=False)) for one in objects]
    return "[\n" + ",\n".join(f"  {row}" for row in told) + "\n]\n" if told else "[]\n"


def _escaped(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"


def _change(change: FileChange) -> list[dict[str, object]]:
    check_sayable(change, _NAME)
    if change.after is None:
        return [{"type": "apply_patch_call", "operation": {"type": "delete_file", "path": change.path}}]
    swaps = None if change.before is None else _swaps(change)
    if swaps is None:
        return [{"file_path": change.path, "content": decode(change.after.data)}]
    return [{"file_path": change.path, "old_string": old, "new_string": new} for old, new in swaps]


def _swaps(change: FileChange) -> list[tuple[str, str]] | None:
    """The change as replacements, each unique in the text that those before it leave; None where that can't be.

    They go from the end of the file to its top, so that the offsets above one are still those of the file before.
    """
    assert change.before is not None
    before = lines_of(change.before.data)
    found = pieces(change) if _is_even(before) else None
    if found is None or any(line.endswith("\r") for line in before.lines):
        return None
    text = "\n".join(before.lines) + "\n"  # the last line's end counts as a place, whether it is there or not
    if len(found) * len(text) > _BUDGET:
        return None
    starts = [0]
    for line in before.lines:
        starts.append(starts[-1] + len(line) + 1)
    swaps = []
    lines = list(before.lines)
    for piece in reversed(found):
        swap = _swap(text, lines, starts, piece)
        if swap is None:
            return None
        start, old, new = swap
        swaps.append((old, new))
        text = text[:start] + new + text[start + len(old) :]
        lines[piece.start : piece.end] = piece.new
    size = sum(len(old) + len(new) for old, new in swaps)
    return swaps if size < 2 * len(text) + _SMALL else None


def _is_even(file: Lines) -> bool:
    """Whether all lines end alike: then a new line's end is never in doubt."""
    return len(set(file.ends) - {""}) <= 1


def _swap(text: str, lines: list[str], starts: list[int], piece: Piece) -> tuple[int, str, str] | None:
    """Where the piece stands, its old text with as many lines around it as make it unique, and the new text."""
    around = 0 if piece.start < piece.end and piece.new else 1
    while True:
        top, bottom = max(piece.start - around, 0), min(piece.end + around, len(lines))
        old_lines = lines[top:bottom]
        new_lines = lines[top : piece.start] + piece.new + lines[piece.end : bottom]
        old, new = "\n".join(old_lines), "\n".join(new_lines)
        if bottom < len(lines) and new_lines:
            old, new = old + "\n", new + "\n"
        start = starts[top]
        if old.strip() and new_lines and text.find(old) == start and text.find(old, start + 1) < 0:
            return start, old, new
        if top == 0 and bottom == len(lines):
            return None
        around = max(around * 2, 1)

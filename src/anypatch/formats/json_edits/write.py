"""Writes JSON edits: text for text where lines are enough, whole files for the rest. Touches no file."""

from __future__ import annotations

import re
from collections.abc import Collection

from ...author.describe import Lines, Piece, Rows, check_sayable, joined, least, lines_of, pieces
from ...model import Delete, Edit, FileChange, Hunk, Merge, Move, Op, Swap, Write
from ...text import decode
from ..elided.write import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection


_NAME = "json-edits"
_NEAR = 1  # changes with so few lines between them are one edit
_BUDGET = 400_000_000  # characters looked through for uniqueness; beyond it a whole file is cheaper
_WIDE = 3  # lines above and below where fewer were not enough
_SMALL = 1_000  # below this many characters edits are kept even where the whole file would be shorter
# What JSON may hold as it is but what doesn't survive every way a patch is carried.
_FRAGILE = r"[\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff]"


def render(changes: tuple[FileChange, ...], wide: Collection[str] = ()) -> str:
    """The changes as one list."""
    return rows([one for change in changes for one in _change(change, _WIDE if change.path in wide else 0)])


def rows(objects: list[dict[str, object]]) -> str:
    """Calls as one list, a line each."""
    from json import dumps

    told = [re.sub(_FRAGILE, _escaped, dumps(one, ensure_ascii=False)) for one in objects]
    return "[\n" + ",\n".join(f"  {row}" for row in told) + "\n]\n" if told else "[]\n"


def _escaped(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"


def _change(change: FileChange, around: int) -> list[dict[str, object]]:
    check_sayable(change, _NAME)
    if change.after is None:
        return [{"type": "apply_patch_call", "operation": {"type": "delete_file", "path": change.path}}]
    swaps = None if change.before is None else _swaps(change, around)
    if swaps is None:
        return [{"file_path": change.path, "content": decode(change.after.data)}]
    return [{"file_path": change.path, "old_string": old, "new_string": new} for old, new in swaps]


def _swaps(change: FileChange, around: int) -> list[tuple[str, str]] | None:
    """The change as replacements, each unique in the text that those before it leave; None where that can't be."""
    assert change.before is not None
    before = lines_of(change.before.data)
    found = pieces(change) if _is_even(before) else None
    if found is None or any(line.endswith("\r") for line in before.lines):
        return None
    if len(found) * len(change.before.data) > _BUDGET:
        return None
    draft, moved, swaps = Draft(before.lines), 0, []
    for piece in joined(found, before.lines, _NEAR):
        at = piece._replace(start=piece.start + moved, end=piece.end + moved)
        start, end = least(draft.telling(at), (at.start, at.end), (0, len(draft.lines)), _floor(at, around))
        swap = draft.swap(start, end, [*draft.lines[start : at.start], *at.new, *draft.lines[at.end : end]])
        if swap is None:
            return None
        swaps.append(swap)
        moved += len(at.new) - (at.end - at.start)
    size = sum(len(old) + len(new) for old, new in swaps)
    return swaps if size < 2 * len(draft.text) + _SMALL else None


class Draft:
    """The text on its way: as lines, as letters that tell which are alike, and as it stands in a reader's eyes.

    There the last line's end counts as a place, whether it is there or not.
    """

    __slots__ = ("letters", "lines", "text")

    def __init__(self, lines: list[str]) -> None:
        self.lines, self.letters, self.text = list(lines), Rows(lines), "\n".join([*lines, ""])

    def telling(self, piece: Piece) -> Callable[[int, int], bool]:
        """Whether the lines around a change stand once, also as a part of other lines, and what comes of them not."""
        by_lines = self.letters.telling(piece)

        def tells(start: int, end: int) -> bool:
            old = self._old(start, end)
            return by_lines(start, end) and self.text.find(old, self.text.find(old) + 1) < 0

        return tells

    def _old(self, start: int, end: int) -> str:
        return "\n".join(self.lines[start:end]) + ("\n" if end < len(self.lines) else "")

    def swap(self, start: int, end: int, lines: list[str]) -> tuple[str, str] | None:
        """Put lines in the place of others: the old text and the new; None where one of them would be nothing."""
        old, tail = self._old(start, end), "\n" if end < len(self.lines) else ""
        if not old.strip() or not lines:
            return None
        new = "\n".join(lines) + tail
        place = self.text.find(old)
        self.text = self.text[:place] + new + self.text[place + len(old) :]
        self.lines[start:end] = lines
        self.letters.splice(start, end, lines)
        return old, new


def _is_even(file: Lines) -> bool:
    """Whether all lines end alike: then a new line's end is never in doubt."""
    return len(set(file.ends) - {""}) <= 1


def _floor(piece: Piece, around: int) -> tuple[int, int]:
    """How many lines must be there: lines that only come or go are told with a neighbour, and so is their end."""
    return (around, around) if piece.start < piece.end and piece.new else (max(around, 1), around)


# ── json edits resend ───────────────────────────────────────────────────────────────────────────────


def write(ops: tuple[Op, ...]) -> str:
    """The operations as one list of calls."""
    return rows([_call(op) for op in ops])


def _call(op: Op) -> dict[str, object]:
    if isinstance(op, Write) and not op.keep and not op.mode:
        if op.overwrite:
            return {"file_path": op.path, "content": op.text}
        return {"command": "create", "path": op.path, "file_text": op.text}
    if isinstance(op, Write) and op.keep and op.overwrite and not op.mode and not op.only:
        return {"target_file": op.path, "code_edit": op.text}
    if isinstance(op, Move):
        return {"name": "move_file", "arguments": {"source": op.path, "destination": op.to}}
    if isinstance(op, Delete) and not op.old:
        return {"type": "apply_patch_call", "operation": {"type": "delete_file", "path": op.path}}
    said = _edited(op) if isinstance(op, Edit) and len(op.hunks) == 1 and not op.mode else None
    return said or _diff(op) or _envelope(op)


def _edited(op: Edit) -> dict[str, object] | None:
    """A swap of texts, or lines below a numbered one; None for other hunks."""
    hunk = op.hunks[0]
    if isinstance(hunk, Swap):
        said: dict[str, object] = {"file_path": op.path, "old_string": hunk.old, "new_string": hunk.new}
        if hunk.times == 0:
            said["replace_all"] = True
        return said | {"expected_replacements": hunk.times} if hunk.times > 1 else said
    if isinstance(hunk, Merge):
        return {"target_file": op.path, "code_edit": "".join(line + "\n" for line in shown(hunk))}
    where = hunk.where
    if hunk.lines and all(tag == "+" for tag, _ in hunk.lines) and where.line == where.last + 1:
        text = "".join(line + "\n" for _, line in hunk.lines)
        return {"command": "insert", "path": op.path, "insert_line": where.last, "insert_text": text}
    return None


def _diff(op: Op) -> dict[str, object] | None:
    """Hunks without numbers, as the diff of one file; None for other operations."""
    hunks = op.hunks if isinstance(op, Edit) and not op.mode else ()
    if hunks and all(isinstance(hunk, Hunk) and hunk.policy.compares_texts for hunk in hunks):
        from ..search_replace.write import block

        return {"name": "replace_in_file", "arguments": {"path": op.path, "diff": block(op)}}
    lines: list[str] = []
    for hunk in hunks:
        if not isinstance(hunk, Hunk) or hunk.where.line or hunk.where.final:
            return None
        lines += [f"@@ {text}" for text in hunk.where.under] or ["@@"]
        lines += [tag + text for tag, text in hunk.lines]
        lines += ["*** End of File"] * hunk.where.at_end
    if not hunks:
        return None
    diff = "\n".join([*lines, ""])
    return {"type": "apply_patch_call", "operation": {"type": "update_file", "path": op.path, "diff": diff}}


def _envelope(op: Op) -> dict[str, object]:
    """What no call has words for, as a patch inside one."""
    from ..begin_patch.write import write as patch

    return {"name": "apply_patch", "arguments": {"input": patch((op,))}}

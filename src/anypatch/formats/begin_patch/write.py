"""Writes "*** Begin Patch": hunks with context that grows until they fit in one place only. Touches no file."""

from __future__ import annotations

from ...author.describe import (
    Piece,
    Rows,
    check_sayable,
    final_end,
    joined,
    least,
    lines_of,
    pieces_own,
    refuse,
    unsayable,
)
from ...model import Delete, Edit, FileChange, Hunk, Move, Op, Write
from ...record import NamedTuple
from ...text import decode, is_blank
from .read import path_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection


_NAME = "begin-patch"
_NEAR = 2  # changes with so few lines between them are one hunk
_WIDE = 3  # lines above and below where fewer were not enough
_SPARED = 3  # so many lines must the end of the file spare to be named instead
_NO_NEWLINE = "\\ No newline at end of file"


class Window(NamedTuple):
    """Lines start..end of the file before, which a hunk shows. `pinned`: only the end of the file makes it unique."""

    start: int
    end: int
    pinned: bool = False


def render(changes: tuple[FileChange, ...], wide: Collection[str] = ()) -> str:
    """The changes as one patch."""
    parts = [part for change in changes for part in _change(change, change.path in wide)]
    return "\n".join(["*** Begin Patch", *parts, "*** End Patch", ""])


def _change(change: FileChange, wide: bool) -> list[str]:
    check_sayable(change, _NAME)
    if path_of(change.path) != change.path:
        raise refuse(change, _NAME, "blanks or quotes around the path")
    if change.after is None:
        return [f"*** Delete File: {change.path}"]
    if change.before is None:
        return _added(change)
    if change.before == change.after:
        return []
    found = pieces_own(change, final=True)
    said = None if found is None else _updated(change, found, wide)
    return said if said is not None else [f"*** Delete File: {change.path}", *_added(change)]


def _added(change: FileChange) -> list[str]:
    assert change.after is not None
    lines = decode(change.after.data).split("\n")
    tail = [_NO_NEWLINE] if lines[-1] else []
    if not lines[-1]:
        lines.pop()
    if any(line[-1:] == "\r" for line in lines):
        raise refuse(change, _NAME, "line ends other than LF in new text")
    return [f"*** Add File: {change.path}", *("+" + line for line in lines), *tail]


def _updated(change: FileChange, found: list[Piece], wide: bool) -> list[str] | None:
    """The section with its hunks; None where a line can't be written so that it is read the same."""
    assert change.before is not None
    lines = lines_of(change.before.data).lines
    said = [f"*** Update File: {change.path}"]
    at = 0
    for window in _windows(lines, found, wide):
        inside = []
        while at < len(found) and found[at].end <= window.end:
            inside.append(found[at])
            at += 1
        said += _hunk(lines, window, inside, final_end(change) if at == len(found) else "")
    return None if any(line[-1:] == "\r" for line in said) else said


def _hunk(lines: list[str], window: Window, inside: list[Piece], final: str) -> list[str]:
    """A hunk; `final`: what its last piece does to the final line end."""
    said = ["@@"]
    at = window.start
    for start, end, new in inside:
        said += [" " + line for line in lines[at:start]]
        ends = final if end == len(lines) else ""
        said += ["-" + line for line in lines[start:end]] + [_NO_NEWLINE] * (ends == "made")
        said += ["+" + line for line in new] + [_NO_NEWLINE] * (ends == "lost")
        at = end
    said += [" " + line for line in lines[at : window.end]]
    return [*said, "*** End of File"] if window.pinned else said


# ── context ──────────────────────────────────────────────────────────────────────────────────────


def _windows(lines: list[str], found: list[Piece], wide: bool) -> list[Window]:
    """What each hunk shows: changes whose context touches are one hunk, and no hunk fits in two places."""
    rows = Rows(lines)
    made: list[Window] = []
    for core in joined(found, lines, _NEAR):
        if made and core.end <= made[-1].end:
            continue  # shown already by a hunk that had to grow this far
        window = _shown(rows, lines, core, wide)
        while made and made[-1].end > window.start:
            other = made.pop()
            pinned = window.pinned or other.pinned
            window = Window(min(other.start, window.start), max(other.end, window.end), pinned)
        made.append(window)
    return made


def _shown(rows: Rows, lines: list[str], core: Piece, wide: bool) -> Window:
    """As few lines as leave one place; near the end of the file that end, where it spares many of them.

    A blank tail may be passed over when the end is looked for: it pins nothing. Nor does an end that reads after the
    change as it reads before: "below a, add a" at the end of a file of nothing but a's would look done.
    """
    floor = (_WIDE, _WIDE) if wide else (0, 0)
    start, end = least(rows.telling(core), (core.start, core.end), (0, len(lines)), floor)
    top = max(core.start - max(floor[0], core.start == len(lines)), 0)
    near = len(lines) - core.end <= _WIDE and not is_blank(lines[-1]) if lines else False
    made = [*lines[top : core.start], *core.new, *lines[core.end :]]
    near = near and lines[len(lines) - len(made) :] != made
    return Window(top, len(lines), True) if near and len(lines) - top + _SPARED <= end - start else Window(start, end)


# ── begin resend ────────────────────────────────────────────────────────────────────────────────────


def write(ops: tuple[Op, ...]) -> str:
    """The operations as one patch."""
    return "\n".join(["*** Begin Patch", *(line for op in ops for line in _section(op)), "*** End Patch", ""])


def _section(op: Op) -> list[str]:
    if isinstance(op, Write):
        *lines, last = op.text.split("\n")
        tail = [f"+{last}", _NO_NEWLINE] if last else []
        return [f"*** Add File: {op.path}", *(f"+{line}" for line in lines), *tail]
    if isinstance(op, Delete):
        return [f"*** Delete File: {op.path}", *(f"-{line}" for line in op.old)]
    if isinstance(op, Move):
        return [f"*** Update File: {op.path}", f"*** Move to: {op.to}"]
    return [f"*** Update File: {op.path}", *(line for hunk in op.hunks for line in _written_hunk(hunk, op))]


def _written_hunk(hunk: object, op: Edit) -> list[str]:
    if not isinstance(hunk, Hunk):
        raise unsayable(op, _NAME)
    lines = [tag + text for tag, text in hunk.lines]
    where = hunk.where
    unended = {"made": "-", "lost": "+"}.get(where.final)
    if unended:
        last = max((at for at, (tag, _) in enumerate(hunk.lines, 1) if tag == unended), default=len(lines))
        lines.insert(last, _NO_NEWLINE)
    return [*_head(hunk), *lines, *["*** End of File"] * (where.at_end and not unended)]


def _head(hunk: Hunk) -> list[str]:
    """Its headers: numbers stand in the first one."""
    where, under = hunk.where, list(hunk.where.under)
    numbers = ""
    if where.line:
        numbers = f"-{where.line},{where.last - where.line + 1} +{where.line},{len(hunk.new)} @@ "
    first = f"@@ {numbers}{under.pop(0) if under else ''}".rstrip()
    return [first, *(f"@@ {text}" for text in under)]

"""Writes "*** Begin Patch": hunks with context that grows until they fit in one place only. Touches no file."""

from __future__ import annotations

from ..model import FileChange
from ..record import NamedTuple
from ..text import BLANK, decode
from ._begin_marks import path_of
from ._say import Piece, check_sayable, final_end, lines_of, pieces_own, refuse

_NAME = "begin-patch"
_CONTEXT = 3
_NO_NEWLINE = "\\ No newline at end of file"


class Window(NamedTuple):
    """Lines start..end of the file before, which a hunk shows. `pinned`: only the end of the file makes it unique."""

    start: int
    end: int
    pinned: bool = False


def document(changes: tuple[FileChange, ...]) -> str:
    """The changes as one patch."""
    parts = [part for change in changes for part in _change(change)]
    return "\n".join(["*** Begin Patch", *parts, "*** End Patch", ""])


def _change(change: FileChange) -> list[str]:
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
    said = None if found is None else _updated(change, found)
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


def _updated(change: FileChange, found: list[Piece]) -> list[str] | None:
    """The section with its hunks; None where a line can't be written so that it is read the same."""
    assert change.before is not None
    lines = lines_of(change.before.data).lines
    said = [f"*** Update File: {change.path}"]
    at = 0
    for window in _windows(lines, found):
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


def _windows(lines: list[str], found: list[Piece]) -> list[Window]:
    """What each hunk shows: changes whose context touches are one hunk, and no hunk fits in two places."""
    cores: list[Window] = []
    for piece in found:
        if cores and piece.start - cores[-1].end <= 2 * _CONTEXT:
            cores[-1] = Window(cores[-1].start, piece.end)
        else:
            cores.append(Window(piece.start, piece.end))
    places: dict[str, list[int]] = {}
    for row, line in enumerate(lines):
        places.setdefault(line, []).append(row)
    joined: list[Window] = []
    for core in cores:
        if joined and core.end <= joined[-1].end:
            continue  # shown already by a hunk that had to grow this far
        window = _grown(lines, places, core)
        while joined and joined[-1].end > window.start:
            other = joined.pop()
            pinned = window.pinned or other.pinned
            window = Window(min(other.start, window.start), max(other.end, window.end), pinned)
        joined.append(window)
    return joined


def _grown(lines: list[str], places: dict[str, list[int]], core: Window) -> Window:
    context = _CONTEXT
    while True:
        start, end = max(core.start - context, 0), min(core.end + context, len(lines))
        if _is_unique(lines, places, start, end) or (start == 0 and end == len(lines)):
            return Window(start, end)
        # A blank tail may be passed over when the end is looked for: it pins nothing.
        if end == len(lines) and lines[-1].strip(BLANK):
            return Window(start, end, True)
        context *= 2


def _is_unique(lines: list[str], places: dict[str, list[int]], start: int, end: int) -> bool:
    """Whether the run of lines stands once in the file, by the rarest of them."""
    run = lines[start:end]
    if not run:
        return False
    rarest = min(range(len(run)), key=lambda at: len(places[run[at]]))
    return all(
        row == start + rarest or row < rarest or lines[row - rarest : row - rarest + len(run)] != run
        for row in places[run[rarest]]
    )

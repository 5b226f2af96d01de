"""Changes as operations of a format: what changed, with as little context as leaves one place. Knows no format.

    FileChange ─▶ changed lines ─▶ with context ─▶ Op, … ─write─▶ text ─parse─▶ the same?

`Format.can` and `Format.writing` say what a format is able to express; a format with operations of its own is asked
for them (`Format.operations`). Every description is written and read again: if it would be misread, the whole file is
shown instead, or the change is refused.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING

from ..diff import rewritten
from ..model import (
    TOLERANT,
    Claims,
    Delete,
    Edit,
    EditBody,
    File,
    FileChange,
    Hunk,
    Merge,
    Op,
    Span,
    Spans,
    Write,
    join_lines,
    signed_hunk,
)
from ..problems import Problem, Refused
from ..text import Text, decode, looks_binary
from .context import Window, find_windows
from .line_changes import LineChange, endings_as_read, ends_alike, join_near, line_changes

if TYPE_CHECKING:
    from ..formats import Format

Ops = tuple[Op, ...]
SignedLines = tuple[tuple[str, str], ...]
_SMALL = 1_000  # characters of texts that are kept even if the whole file would be shorter


def describe(changes: tuple[FileChange, ...], format: Format, wide: Collection[str] = ()) -> Ops:
    """Return the changes as operations; `wide`: paths that need more context. Raise Refused for what can't be said."""
    ops: list[Op] = []
    for change in changes:
        if change.before != change.after:
            ops += _describe_file(change, format, change.path in wide)
    return tuple(ops)


def unsayable(op: Op, format: str) -> Refused:
    """Return the refusal of an operation that a format can't express."""
    return Refused(Problem("cannot_say", f"{format} can't express this change to {op.path}", op.path))


def cannot_say(path: str, format: str, why: str) -> Problem:
    """Return the problem with a change that a format can't express."""
    return Problem("cannot_say", f"{format} can't express this change to {path}: {why}", path)


# ── one file ─────────────────────────────────────────────────────────────────────────────────────


def _describe_file(change: FileChange, format: Format, wide: bool) -> Ops:
    """Return the first description of a change that is read back as it was written."""
    why = _obstacle(change, format)
    if not why:
        why = "line endings, the BOM or the final newline change, or no line of text identifies the place"
        for ops in _descriptions(change, format, wide):
            if _is_read_back(ops, format):
                return ops
            why = "its lines, or its path, would be misread"
    raise Refused(cannot_say(change.path, format.name, why))


def _obstacle(change: FileChange, format: Format) -> str:
    """Return why this format, or any, can't express a change; "" if it may be able to."""
    path, before, after = change
    files = [file for file in (before, after) if file is not None]
    if any(file.mode & 0o170000 for file in files):
        return "it is a symbolic link or a submodule"
    if before is None and "create" not in format.can:
        return "the format can't create files"
    if after is None and "delete" not in format.can:
        return "the format can't delete files"
    if any(looks_binary(file.data) for file in files):
        return "it is binary data"
    if why := _mode_obstacle(before, after, format):
        return why
    if not {"\n", "\r"}.isdisjoint(path):
        return "its path contains a line break"
    if before is None and _lacks_final_newline(decode(files[0].data), format):
        return "the new file has no final newline"
    return ""


def _mode_obstacle(before: File | None, after: File | None, format: Format) -> str:
    has_modes = "mode" in format.can
    if before and after:
        if before.mode == after.mode:
            return ""
        if not has_modes:
            return "its permissions change"
        odd = (before.mode | after.mode) & ~0o777 or after.mode not in (0o644, 0o755)  # git knows no others
    elif has_modes:
        odd = any(file.mode & ~0o777 for file in (before, after) if file)
    else:
        return "it is executable" if after and after.mode & 0o111 else ""
    return "its permissions are, or become, something other than 644 or 755" if odd else ""


def _lacks_final_newline(text: str, format: Format) -> bool:
    """Return True if a text has no final newline, and the format can't express that."""
    return "final_newline" not in format.can and text[-1:] not in ("", "\n")


def _descriptions(change: FileChange, format: Format, wide: bool) -> Iterator[Ops]:
    """Yield the ways to express a change, the plainest first."""
    path, before, after = change
    if before is None:
        assert after is not None
        yield _creation(path, after, format)
    elif after is None:
        yield from _deletions(path, before, format)
    else:
        edits = _edits(path, before, after, format, wide)
        if edits is not None:
            yield edits
        if format.writing.whole:
            yield from _rewrites(path, before, after, format)


def _creation(path: str, file: File, format: Format) -> Ops:
    text = decode(file.data)
    if format.writing.creates_empty:
        insertion = Edit(path, (Spans((Span((0, 0), (0, 0), text),)),))
        return (Write(path, ""), insertion) if text else (Write(path, ""),)
    mode = 0o755 if file.mode & 0o100 and "mode" in format.can else 0
    return (Write(path, text, "overwrite" in format.can, mode=mode),)


def _deletions(path: str, file: File, format: Format) -> Iterator[Ops]:
    mode = file.mode if "mode" in format.can else 0
    text = Text.read(file.data)
    if format.writing.like_git and text.lines:
        yield (Delete(path, old=tuple(text.lines), whole=True, no_final_newline=not text.final, mode=mode),)
    yield (Delete(path, mode=mode),)


def _rewrites(path: str, before: File, after: File, format: Format) -> Iterator[Ops]:
    """Yield an update by the new contents of the file, if a reader makes exactly these bytes of them."""
    text = decode(after.data)
    if format.writing.whole == "show":
        lines = Text.read(after.data).lines
        if rewritten(before.data, lines) == after.data:
            yield (Write(path, join_lines(lines), True, keep_line_endings=True),)
    elif not _lacks_final_newline(text, format):
        write = Write(path, text, format.writing.whole == "overwrite")
        yield (write,) if write.overwrite else (Delete(path), write)


def _is_read_back(ops: Ops, format: Format) -> bool:
    """Return True if the operations, once written, are read as the same lines in the same files."""
    try:
        patch = format.parse(format.write(ops))
    except Refused:
        return False
    return not patch.problems and [*map(_content, patch.ops)] == [*map(_content, ops)]


def _content(op: Op) -> tuple[object, ...]:
    """Return what an operation changes, without how its place is found."""
    if isinstance(op, Edit):
        return op.path, op.mode, *map(_hunk_content, op.hunks)
    return type(op).__name__, op.path, op.text if isinstance(op, Write) else op.old if isinstance(op, Delete) else ""


def _hunk_content(hunk: EditBody) -> tuple[object, ...]:
    if isinstance(hunk, Merge):
        return hunk.shown
    return (hunk.old, hunk.new) if isinstance(hunk, Hunk) else _sides(hunk.lines)


# ── changed lines ────────────────────────────────────────────────────────────────────────────────


def _edits(path: str, was: File, becomes: File, format: Format, wide: bool) -> Ops | None:
    """Return an update as edits of lines, or None if they would not make exactly these bytes, or have no place."""
    writing = format.writing
    mode = becomes.mode if was.mode != becomes.mode else 0
    if was.data == becomes.data:
        return (Edit(path, (), mode=mode),)
    before, after = Text.read(was.data), Text.read(becomes.data)
    changes = line_changes(before, after, format)
    if changes is None or not writing.update:
        return None
    if writing.update == "own":
        return format.operations(path, before, join_near(changes, before.lines, writing.near), wide)
    if writing.update == "numbers":
        return (_numbered_edit(path, before, changes, wide),)
    windows = find_windows(before, changes, format, wide)
    if windows is None:
        return None
    shown = [*zip(windows, _signed_lines(before.lines, changes, windows), strict=True)]
    if writing.update == "texts":
        return _replacements(path, before, shown)
    if not ends_alike(before):
        grown = [LineChange(window.start, window.end, _sides(lines)[1]) for window, lines in shown]
        if endings_as_read(before, grown, writing.eol, after.final) != after.ends:
            return None
    hunks = [signed_hunk(lines, TOLERANT, _where(window, before, after, writing.like_git)) for window, lines in shown]
    return tuple(Edit(path, (hunk,)) for hunk in hunks) if format.tallied else (Edit(path, tuple(hunks), mode=mode),)


def _numbered_edit(path: str, before: Text, changes: list[LineChange], wide: bool) -> Edit:
    if ends_alike(before) and (wide or any(_repeats_neighbour(change, before.lines) for change in changes)):
        changes = _widen(changes, before.lines)
    hunks = [Hunk("", join_lines(new), TOLERANT, Claims(start + 1, end)) for start, end, new in changes]
    return Edit(path, tuple(hunks))


def _repeats_neighbour(change: LineChange, lines: list[str]) -> bool:
    """Return True if new lines may be next to equal ones, which readers of numbers take for a range off by one."""
    start, end, new = change
    above, below = lines[max(start - len(new), 0) : start], lines[end : end + len(new)]
    return bool(new) and (new[0] in above or new[-1] in below)


def _widen(changes: list[LineChange], lines: list[str]) -> list[LineChange]:
    """Add so many unchanged lines around each change that none of its new lines is next to an equal one."""
    more = 1 + max(len(change.new) for change in changes)
    wider = []
    for change in join_near(changes, lines, 2 * more):
        start, end = max(change.start - more, 0), min(change.end + more, len(lines))
        wider.append(LineChange(start, end, [*lines[start : change.start], *change.new, *lines[change.end : end]]))
    return wider


def _sides(lines: SignedLines) -> tuple[list[str], list[str]]:
    """Return the old lines and the new ones."""
    return [text for sign, text in lines if sign != "+"], [text for sign, text in lines if sign != "-"]


def _signed_lines(lines: list[str], changes: Sequence[LineChange], windows: list[Window]) -> Iterator[SignedLines]:
    """Yield the lines that each hunk shows, with their signs."""
    number = 0
    for window in windows:
        signed: list[tuple[str, str]] = []
        row = window.start
        while number < len(changes) and changes[number].end <= window.end:
            start, end, new = changes[number]
            signed += [(" ", line) for line in lines[row:start]]
            signed += [("-", line) for line in lines[start:end]]
            signed += [("+", line) for line in new]
            row, number = end, number + 1
        yield (*signed, *((" ", line) for line in lines[row : window.end]))


def _where(window: Window, before: Text, after: Text, like_git: bool) -> Claims:
    """Return what a hunk claims about its place: for git its line numbers, and whether a final newline is missing."""
    last = window.end == len(before.lines)
    final = "" if not last or before.final == after.final else "added" if after.final else "removed"
    if like_git:
        return Claims(
            window.start + 1, window.end, at_end=last and not (before.final and after.final), final_newline=final
        )
    return Claims(at_end=final != "", final_newline=final)


def _replacements(path: str, before: Text, shown: list[tuple[Window, SignedLines]]) -> Ops | None:
    """Return texts and their replacements; None if one is replaced by nothing, or the whole file is shorter."""
    if not ends_alike(before):
        return None
    ops: list[Op] = []
    size = 0
    for window, lines in shown:
        tail = "\n" if window.end < len(before.lines) else ""
        old, new = ("\n".join(side) + tail if side else "" for side in _sides(lines))
        if not new:
            return None
        size += len(old) + len(new)
        ops.append(Edit(path, (Hunk(old, new, TOLERANT, inline=True),)))
    return tuple(ops) if size < 2 * sum(map(len, before.lines)) + _SMALL else None

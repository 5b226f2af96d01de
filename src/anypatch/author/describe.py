"""Changes as operations of a format: what changed, with as little context as leaves one place. Knows no format.

    FileChange ─▶ changed lines ─▶ with context ─▶ Op, … ─write─▶ text

`Format.can` and `Format.writing` say what a format is able to express; a format with operations of its own is asked
for them (`Format.operations`). `make.py` plans what is written, and takes the next description if it would be misread.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ..diff import rewritten
from ..model import (
    TOLERANT,
    Claims,
    Delete,
    Edit,
    File,
    FileChange,
    Hunk,
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
from .line_changes import LineChange, join_near, line_changes

if TYPE_CHECKING:
    from ..formats import Format

Ops = tuple[Op, ...]
SignedLines = tuple[tuple[str, str], ...]


def describe(changes: tuple[FileChange, ...], format: Format) -> Ops:
    """Return the changes as operations, each in the plainest way; raise Refused for one that can't be expressed."""
    return tuple(op for change in changes for op in next(descriptions(change, format), ()))


def unsayable(op: Op, format: str) -> Refused:
    """Return the refusal of an operation that a format can't express."""
    return Refused(Problem("cannot_say", f"{format} can't express this change to {op.path}", op.path))


def cannot_say(path: str, format: str, why: str) -> Problem:
    """Return the problem with a change that a format can't express."""
    return Problem("cannot_say", f"{format} can't express this change to {path}: {why}", path)


# ── one file ─────────────────────────────────────────────────────────────────────────────────────


def descriptions(change: FileChange, format: Format) -> Iterator[Ops]:
    """Yield the ways to express a change, the plainest first; raise Refused if there is none."""
    path, before, after = change
    if before == after:
        return
    if why := _obstacle(change, format):
        raise Refused(cannot_say(path, format.name, why))
    if before is None:
        assert after is not None
        yield _creation(path, after, format)
    elif after is None:
        yield _deletion(path, before, format)
    else:
        ways = list(_updates(path, before, after, format))
        if not ways:
            why = "line endings, the BOM or the final newline change, or no line of text identifies the place"
            raise Refused(cannot_say(path, format.name, why))
        yield from ways


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


def _creation(path: str, file: File, format: Format) -> Ops:
    text = decode(file.data)
    if format.writing.creates_empty:
        insertion = Edit(path, (Spans((Span((0, 0), (0, 0), text),)),))
        return (Write(path, ""), insertion) if text else (Write(path, ""),)
    mode = 0o755 if file.mode & 0o100 and "mode" in format.can else 0
    return (Write(path, text, "overwrite" in format.can, mode=mode),)


def _deletion(path: str, file: File, format: Format) -> Ops:
    mode = file.mode if "mode" in format.can else 0
    text = Text.read(file.data)
    if format.writing.like_git and text.lines:
        return (Delete(path, old=tuple(text.lines), whole=True, no_final_newline=not text.final, mode=mode),)
    return (Delete(path, mode=mode),)


def _updates(path: str, before: File, after: File, format: Format) -> Iterator[Ops]:
    """Yield an update as edits of lines, and as the new contents of the file."""
    yield from _edits(path, before, after, format)
    text, whole = decode(after.data), format.writing.whole
    if whole == "show":
        lines = Text.read(after.data).lines
        if rewritten(before.data, lines) == after.data:
            yield (Write(path, join_lines(lines), True, keep_line_endings=True),)
    elif whole and not _lacks_final_newline(text, format):
        write = Write(path, text, whole == "overwrite")
        yield (write,) if write.overwrite else (Delete(path), write)


# ── changed lines ────────────────────────────────────────────────────────────────────────────────


def _edits(path: str, was: File, becomes: File, format: Format) -> list[Ops]:
    """Return the ways to express an update as edits of lines; none if they can't, or have no place of their own."""
    writing = format.writing
    mode = becomes.mode if was.mode != becomes.mode else 0
    if was.data == becomes.data:
        return [(Edit(path, (), mode=mode),)]
    before, after = Text.read(was.data), Text.read(becomes.data)
    changes = line_changes(before, after, format)
    if not (changes and writing.update):
        return []
    if writing.update == "own":
        return format.operations(path, before, join_near(changes, before.lines, writing.near))
    if writing.update == "numbers":
        return [(Edit(path, tuple(_numbered(change) for change in changes)),)]
    windows = find_windows(before, changes, format)
    if windows is None:
        return []
    shown = [*zip(windows, _signed_lines(before.lines, changes, windows), strict=True)]
    if writing.update == "texts":
        return _replacements(path, before, shown)
    hunks = [signed_hunk(lines, TOLERANT, _where(window, before, after, writing.like_git)) for window, lines in shown]
    return [tuple(Edit(path, (hunk,)) for hunk in hunks) if format.tallied else (Edit(path, tuple(hunks), mode=mode),)]


def _numbered(change: LineChange) -> Hunk:
    return Hunk("", join_lines(change.new), TOLERANT, Claims(change.start + 1, change.end))


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
    is_last = window.end == len(before.lines)
    final = "" if not is_last or before.final == after.final else "added" if after.final else "removed"
    if like_git:
        at_end = is_last and not (before.final and after.final)
        return Claims(window.start + 1, window.end, at_end=at_end, final_newline=final)
    return Claims(at_end=final != "", final_newline=final)


def _replacements(path: str, before: Text, shown: list[tuple[Window, SignedLines]]) -> list[Ops]:
    """Return texts and what replaces them; nothing if one becomes empty, which leaves open which newline goes."""
    ops: list[Op] = []
    for window, lines in shown:
        tail = "\n" if window.end < len(before.lines) else ""
        sides = ([text for sign, text in lines if sign != other] for other in "+-")
        old, new = ("\n".join(side) + tail if side else "" for side in sides)
        if not new:
            return []
        ops.append(Edit(path, (Hunk(old, new, TOLERANT, inline=True),)))
    return [tuple(ops)]

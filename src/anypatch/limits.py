"""Limits on the size of patches and of the files that they edit. Pure; each refusal names its limit."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from .model import Edit, FileChange, Merge, Op, SymbolEdit
from .problems import Problem, Refused


class Limits(NamedTuple):
    """The largest patch, number of files and hunks, file, line, and total of bytes written that are accepted."""

    patch_bytes: int = 64 << 20
    files: int = 10_000
    hunks: int = 100_000
    file_hunks: int = 20_000
    file_bytes: int = 64 << 20
    line_bytes: int = 16 << 20
    lines: int = 2_000_000
    total_bytes: int = 1 << 30


def check_text(text: str, limits: Limits) -> None:
    """Refuse a patch that is too long, or has far too many hunks, before it is read.

    A hunk is counted as an `@@` line that isn't followed by another one, a file as a `+++` or `***` line: so there are
    at least as many hunks for one file as their quotient.
    """
    size = len(text) if len(text) > limits.patch_bytes else 0
    if not size and len(text) * 4 > limits.patch_bytes:
        size = len(text.encode("utf-8", "surrogatepass"))
    _within("patch_bytes", size, limits.patch_bytes, "bytes in the patch")
    if len(text) > limits.file_hunks and text.count("\n@@") > limits.file_hunks:
        hunks = sum(1 for _ in re.finditer(r"\n@@[^\n]*(?=\n(?!@@))", text))
        files = text.count("\n+++ ") + text.count("\n*** ") + text.startswith(("+++ ", "*** "))
        _within("file_hunks", hunks // max(files, 1), limits.file_hunks, "hunks for one file")


def check_ops(ops: Sequence[Op], limits: Limits, prefix: str = "") -> None:
    """Refuse operations on too many files, or with too many hunks. `prefix` is put before the number in the message."""
    counts: dict[str, int] = {}
    for op in ops:
        counts[op.path] = counts.get(op.path, 0) + (_hunks(op) if isinstance(op, Edit) else 0)
    _within("files", len(counts), limits.files, "files in the patch", prefix=prefix)
    _within("hunks", sum(counts.values()), limits.hunks, "hunks in the patch", prefix=prefix)
    for path, count in counts.items():
        _within("file_hunks", count, limits.file_hunks, "hunks for one file", path, prefix)


def _hunks(op: Edit) -> int:
    """Count the places that an edit changes: each part of a file shown in part, each chunk inside a symbol."""
    if not op.hunks or not isinstance(op.hunks[0], SymbolEdit | Merge):
        return len(op.hunks)
    return sum(
        len(hunk.parts) if isinstance(hunk, Merge) else max(len(hunk.chunks), 1) if isinstance(hunk, SymbolEdit) else 1
        for hunk in op.hunks
    )


def check_file(path: str, data: bytes, limits: Limits) -> None:
    """Refuse a file with too many lines, or too long a line. Only reads files that are long enough for that."""
    if len(data) > limits.lines:
        _within("lines", data.count(b"\n"), limits.lines, "lines in the file", path)
    at = 0
    while len(data) - at > limits.line_bytes:
        # All lines up to the last newline within the limit are short enough; without one, this line is too long.
        end = data.rfind(b"\n", at, at + limits.line_bytes + 1)
        if end < 0:
            end = data.find(b"\n", at)
            _within("line_bytes", (len(data) if end < 0 else end) - at, limits.line_bytes, "bytes in one line", path)
        at = end + 1


def check_changes(changes: tuple[FileChange, ...], limits: Limits) -> None:
    """Refuse to write too many files or bytes."""
    _within("files", len(changes), limits.files, "files to change")
    total = sum(len(change.after.data) for change in changes if change.after)
    _within("total_bytes", total, limits.total_bytes, "bytes to write")
    for change in changes:
        if change.after:
            _within("file_bytes", len(change.after.data), limits.file_bytes, "bytes in the new file", change.path)


def _within(name: str, count: int, allowed: int, what: str, path: str = "", prefix: str = "") -> None:
    if count > allowed:
        detail, command = f"{prefix}{count} {what}, and `{name}` allows {allowed}", f"--limit {name}=N raises it."
        raise Refused(Problem("limit", detail, path, command=command))


# ── while a patch is read ────────────────────────────────────────────────────────────────────────


class Tally:
    """Refuses a patch while it is read, as soon as it has more operations than allowed.

    It counts them each time their number has doubled, so that all counts together cost no more than a few.
    """

    __slots__ = ("_next", "limits")

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._next = min(limits.files, limits.hunks, limits.file_hunks) + 1

    def __call__(self, ops: list[Op], now: bool = False) -> None:
        """Check the operations read so far, if their number has doubled, or with `now` in any case."""
        if len(ops) < self._next and not now:
            return
        self._next = max(self._next, 2 * len(ops))
        check_ops(ops, self.limits, "at least ")

    def end(self, paths: Iterable[str]) -> int:
        """Return the number of the first hunk that is one too many, given the path of each; -1 if there is none."""
        counts: dict[str, int] = {}
        for number, path in enumerate(paths):
            counts[path] = count = counts.get(path, 0) + 1
            if count > self.limits.file_hunks or number >= self.limits.hunks or len(counts) > self.limits.files:
                return number
        return -1

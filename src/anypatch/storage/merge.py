"""Undo around later edits, and the spans of the edited files that it needs.

    before: a b c d e     the change: B for b     later: E for e     undone: a b c d E

A receipt holds the files that were displaced. Those that replaced them are in the tree, until somebody edits them: so
the receipt also keeps the span in which the two differ. It needs no signature: together with the displaced file it must
give a text whose digest is in the journal.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ..diff import opcodes, trimmed
from ..merge import merge
from .journal import digest

SPANS = "kept"  # the file's name in a receipt
MAX_SPANS_BYTES = 64 << 20


class Span(NamedTuple):
    """The only part of a file that changed: bytes before it, bytes after it, and the new bytes between them."""

    start: int
    end: int
    middle: bytes

    def new_text(self, before: bytes, fingerprint: str) -> bytes | None:
        """Return the new text; None if it isn't the one that the journal names."""
        text = before[: self.start] + self.middle + before[len(before) - self.end :]
        return text if fingerprint == digest(text) else None


def spans_to_bytes(edits: Iterable[tuple[int, bytes, bytes]]) -> bytes:
    """Write the span of each edited file, given as its number, its old text and its new text."""
    parts: list[bytes | memoryview] = []
    for number, before, after in edits:
        start, stop, _, new_stop = trimmed(before, after)
        head = b"%d %d %d %d\n" % (number, start, len(before) - stop, new_stop - start)
        parts += (head, memoryview(after)[start:new_stop], b"\n")
    return b"".join(parts)


def spans_from_bytes(data: bytes) -> dict[int, Span]:
    """Read the spans by the number of the file, up to the first that can't be read."""
    spans: dict[int, Span] = {}
    while data:
        head, _, data = data.partition(b"\n")
        try:
            number, start, end, size = map(int, head.split())
        except ValueError:
            break
        spans[number], data = Span(start, end, data[:size]), data[size + 1 :]
    return spans


def undo_around(changed: bytes, before: bytes, now: bytes) -> bytes | list[tuple[int, int]]:
    """Undo in `now` the change that made `changed` out of `before`.

    If later edits touch the lines of the change, return these lines of `now` instead: (first, last), from 1.
    """
    changed_lines, old_lines, now_lines = (text.splitlines(keepends=True) for text in (changed, before, now))
    merged = merge(changed_lines, old_lines, now_lines)
    if not merged.conflicts:
        return b"".join(merged.lines)
    return [
        (first + 1, max(last, first + 1))
        for _, _, first, last in opcodes(changed_lines, now_lines)
        if any(low <= last and first <= high for low, high in (conflict.theirs for conflict in merged.conflicts))
    ]

"""What a change made of the files that it edited, kept small; and taking it back around what was edited later.

    before: a b c d e     the change: B for b     later: E for e     taken back: a b c d E

With a receipt lie the files that were displaced. What took their place is in the tree, until somebody edits it: so the
receipt also keeps the stretch in which the two differ. It needs no signature: with the displaced file it must give a
text whose digest stands in the journal.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ..diff import opcodes, trimmed
from .journal import digest

KEPT = "kept"
MAX_KEPT = 64 << 20


class Kept(NamedTuple):
    """Where the new text of a file begins and ends to differ from the old one, in bytes, and what stands between."""

    start: int
    end: int
    middle: bytes

    def after(self, before: bytes, mark: str) -> bytes | None:
        """The new text; None where it isn't the one that the journal tells of."""
        found = before[: self.start] + self.middle + before[len(before) - self.end :]
        return found if mark == digest(found) else None


def to_kept(edits: Iterable[tuple[int, bytes, bytes]]) -> bytes:
    """What is written beside the journal: for each edited file its number, where it differs, and how."""
    parts: list[bytes | memoryview] = []
    for number, before, after in edits:
        start, stop, _, new_stop = trimmed(before, after)
        head = b"%d %d %d %d\n" % (number, start, len(before) - stop, new_stop - start)
        parts += (head, memoryview(after)[start:new_stop], b"\n")
    return b"".join(parts)


def from_kept(data: bytes) -> dict[int, Kept]:
    """What was kept, by the number of the file; what can't be read is as if it hadn't been."""
    found: dict[int, Kept] = {}
    while data:
        head, _, data = data.partition(b"\n")
        try:
            number, start, end, size = map(int, head.split())
        except ValueError:
            break
        found[number], data = Kept(start, end, data[:size]), data[size + 1 :]
    return found


def taken_back(changed: bytes, before: bytes, now: bytes) -> bytes | list[tuple[int, int]]:
    """The text as it is now, with a change in it taken back that made `changed` out of `before`.

    Where later edits touch the lines of the change, which lines of `now` these are: (first, last), from 1.
    """
    middle, old, new = (text.splitlines(keepends=True) for text in (changed, before, now))
    back, later = opcodes(middle, old), opcodes(middle, new)
    touched = [
        (first + 1, max(last, first + 1))
        for start, end, first, last in later
        if any(start <= other[1] and other[0] <= end for other in back)
    ]
    if touched:
        return touched
    lines: list[bytes] = []
    at = 0
    ranges = [(start, end, old[first:last]) for start, end, first, last in back]
    for start, end, text in sorted(ranges + [(start, end, new[first:last]) for start, end, first, last in later]):
        lines += [*middle[at:start], *text]
        at = end
    return b"".join([*lines, *middle[at:]])

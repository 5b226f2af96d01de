"""Rule `file`: a sketch with a label of its own that is a whole file, new or a version of the one in the tree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ..diff import opcodes
from .definitions import parse
from .source import SourceFile, word_keys


def is_whole_file(source: SourceFile, body: Sequence[str]) -> bool:
    """Return whether a sketch is a new version of the file: it holds half of its lines, from top to bottom.

    Lines are compared by their words, so a file with other quotes or without semicolons holds all of them. A function
    of a short file may hold half of its lines, too. But it has nothing for what is above and below it: where the sketch
    has fewer than half as many lines above the first common one, or below the last, it isn't the file.
    """
    old, new = source.worded, word_keys(body)
    if not old or not new:
        return not any(source.keys)
    if 2 * (Counter(old) & Counter(new)).total() < len(old):
        return False
    changes = opcodes(old, new)
    if 2 * sum(stop - start for start, stop, _, _ in changes) > len(old):
        return False
    above = below = new_above = new_below = 0
    if changes and changes[0][0] == 0:
        _, above, _, new_above = changes[0]
    if changes and changes[-1][1] == len(old):
        below, new_below = changes[-1][1] - changes[-1][0], changes[-1][3] - changes[-1][2]
    return new_above * 2 >= above and new_below * 2 >= below


def dropped_symbols(source: SourceFile, body: Sequence[str]) -> list[str]:
    """Name the functions and classes of a file that a new version of it no longer defines."""
    kept = {definition.parts for definition in parse(source.path, body)}
    lost = (known for known in source.definitions if not known.is_value and known.parts not in kept)
    return list(dict.fromkeys(".".join(known.parts) for known in lost))

"""How alike two lines or two names are; nothing else measures it. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from operator import itemgetter

# A line may be another version of one that shares this much of its two ends, or of its words.
ALIKE_ENDS, ALIKE_WORDS = 0.6, 0.5
_SHOWN = 0.4  # the same for a line that is only shown: a wrong one does less harm than none
_CLOSE = 0.6  # names, as difflib measures them: `replace_txet` is close to `replace_text`, `insert` isn't
_LONG = 2000  # characters of a line that are compared
_WORD = re.compile(r"\w+")


def is_alike(one: str, two: str) -> bool:
    """Return True if two lines share most of their ends or of their words."""
    if one == two or not one or not two:
        return one == two
    return ends_alike(one, two) >= ALIKE_ENDS or words_alike(words_of(one), words_of(two)) >= ALIKE_WORDS


def ends_alike(one: str, two: str) -> float:
    """Return the share of two lines that is an equal beginning or end, from 0 to 1."""
    head = tail = 0
    least = min(len(one), len(two))
    while head < least and one[head] == two[head]:
        head += 1
    while tail < least - head and one[-1 - tail] == two[-1 - tail]:
        tail += 1
    return 2 * (head + tail) / (len(one) + len(two)) if least else 0.0


def words_alike(one: set[str], two: set[str]) -> float:
    """Return the share of all words that are in both sets, from 0 to 1."""
    shared = len(one & two)
    return shared / (len(one) + len(two) - shared) if shared else 0.0


def words_of(line: str) -> set[str]:
    """Return the words of a line in lower case."""
    return set(_WORD.findall(line[:_LONG].lower()))


def most_alike(line: str, lines: Sequence[str]) -> int:
    """Return the row of the stripped line most like another, by words, else by its two ends; -1 if none is alike."""
    own = words_of(line)
    by_words = ((words_alike(own, words_of(lines[at])), at) for at in _sharing(own, lines, _SHOWN))
    edged = (at for at, other in enumerate(lines) if other and (other[0] == line[0] or other[-1] == line[-1]))
    by_ends = ((ends_alike(line, lines[at]), at) for at in edged)
    for scores in (by_words, by_ends):
        best, nearest = max(scores, key=itemgetter(0), default=(0.0, -1))
        if best >= _SHOWN:
            return nearest
    return -1


def all_alike(line: str, lines: Sequence[str]) -> set[int]:
    """Return the rows of the stripped lines that are alike another."""
    edges = (line[:1], line[-1:])
    ends = [at for at, other in enumerate(lines) if other[:1] == edges[0] or other[-1:] == edges[1]]
    near = {*ends, *_sharing(words_of(line), lines, ALIKE_WORDS)}
    return {at for at in near if is_alike(line, lines[at])}


def _sharing(words: set[str], lines: Sequence[str], least: float) -> list[int]:
    """Return the rows of the lines that may share at least this much of some words.

    A line with half of the words of `total = price + tax` has one of any two of them. So only lines with one of the two
    longest, which are rare, are compared word by word.
    """
    count = len(words) + 1 + int(-least * len(words) // 1)
    rare = sorted(words, key=len, reverse=True)[:count]
    lowered = [line.lower() for line in lines] if rare else []
    return sorted({at for word in rare for at, text in enumerate(lowered) if word in text})


def close_names(name: str, names: Iterable[str], count: int = 1) -> list[str]:
    """Return the names that may be intended by a misspelled one, the closest first."""
    from difflib import get_close_matches

    return get_close_matches(name[:_LONG], list(dict.fromkeys(names)), count, _CLOSE)


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """Return the question whether a name that is nearly the same was intended; "" if there is none."""
    near = close_names(name, names)
    return f"did you mean {near[0]!r}?" if near else ""

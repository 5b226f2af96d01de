"""What a single line tells: whether it opens or closes a block, or is another line in a new version. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import islice

from ..text import BLANK, depth_of, is_blank

_OPENINGS = ("if", "for", "while", "switch", "with", "elif", "else if", "} else if", "catch", "} catch", "else", "try")
_LONE = ("else", "end", "pass", "try", "do", "done", "fi", "esac", "return", "break", "continue", "default")
_LONGER = max(map(len, _LONE)) + 1
_CONTROLS = (
    "if", "for", "foreach", "while", "else", "elif", "elsif", "switch", "do", "then", "begin", "try", "case", "when",
    "unless", "until", "def", "fn", "func",
)  # fmt: skip
_HEADS = (
    "if", "for", "foreach", "while", "elif", "switch", "with", "unless", "until", "when", "case", "except", "catch",
)  # fmt: skip
_JUMPS = ("return", "raise", "throw", "yield", "break", "continue")
_words = re.compile(r"\w+")


@lru_cache(maxsize=1 << 14)
def is_trivial(line: str) -> bool:
    """Whether a line says too little to mean one place: brackets, a lone keyword."""
    word = "".join(islice(filter(str.isalnum, line), _LONGER))
    return not word or word in _LONE


def is_closer(line: str) -> bool:
    """Whether a line only closes what stands above it."""
    bare = line.strip(BLANK)
    if bare.rstrip(";") in ("end", "fi", "done", "esac"):
        return True
    return bare[:1] in ("}", ")", "]") and not any(char.isalnum() for char in bare)


def opens_block(line: str) -> bool:
    """Whether lines below this one may be deeper: it opens a block or a bracket, or goes on."""
    bare = line.strip(BLANK)
    if bare.endswith((";", "}", "]", '"', "'", "`", "*/")) or (bare.endswith(")") and not _is_control(bare)):
        return False
    return bool(bare) and (not bare[-1].isalnum() or _is_control(bare))


def _is_control(bare: str) -> bool:
    """Whether a line without its block may begin one: C's `if (x)`, shell's `then`."""
    words = _word_list(bare)
    return bool(words) and (words[0] in _CONTROLS or words[-1] in _CONTROLS)


def is_shallower(line: str, level: int) -> bool:
    """Whether a line that isn't blank is less deep than that."""
    return not is_blank(line) and depth_of(line) < level


def solid(lines: Sequence[str]) -> list[str]:
    """The lines that aren't blank."""
    return [line for line in lines if line.strip(BLANK)]


def text_end(lines: Sequence[str], count: int) -> int:
    """The count without blank lines at the end."""
    while count and is_blank(lines[count - 1]):
        count -= 1
    return count


def text_start(lines: Sequence[str], row: int) -> int:
    """The first row, from that one on, that isn't blank."""
    while row < len(lines) and is_blank(lines[row]):
        row += 1
    return row


@lru_cache(maxsize=1 << 16)
def is_kin(new: str, there: str) -> bool:
    """Whether a line may be a new version of another: the same name is set or called, or most words are the same.

    Files shown in part ask it of the same lines for every place that they may stand for.
    """
    head = _head(new)
    if head and head == _head(there) and head not in _OPENINGS:
        return True
    first, second = _word_list(new), _word_list(there)
    if not first or not second:
        return False
    if first[0] == second[0] and first[0] in _JUMPS:
        return True
    if _grew(new.strip(BLANK), there.strip(BLANK)) and not new.rstrip(BLANK).endswith(("{", ":")):
        return True
    return len(set(first) & set(second)) >= 0.6 * len(set(first) | set(second))


def is_kin_head(new: str, there: str) -> bool:
    """Whether a line that heads a block may be a new version of another: a loop or condition, or a longer name."""
    first, second = _word_list(new), _word_list(there)
    if not first or not second or first[0] != second[0] or first[0] not in _HEADS:
        return _grew(new.strip(BLANK), there.strip(BLANK))
    return len(set(first) & set(second)) >= 0.6 * min(len(set(first)), len(set(second)))


def _grew(one: str, two: str) -> bool:
    """Whether one line is the other with some more signs in it: a name that got longer, an argument more."""
    short, long = sorted((one, two), key=len)
    start = next((at for at, sign in enumerate(short) if long[at] != sign), len(short))
    return len(short) >= 0.4 * len(long) and long.endswith(short[start:])


def _head(line: str) -> str:
    bare = line.strip(BLANK)
    return bare[: min((at for sign in "=(:" if (at := bare.find(sign)) >= 0), default=len(bare))].rstrip()


def _word_list(line: str) -> list[str]:
    return _words.findall(line)

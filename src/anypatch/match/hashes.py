"""Lines and files that are named by their hashes, as the "hashline" tools have it. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..problems import Problem

if TYPE_CHECKING:
    from ..text import Text

# xxHash32, as the "hashline" tools have it:
# 12:a3         of a line: without its white space, modulo 256, two hex digits
# 12#VK         the same in other letters; of a line without letters or digits its number is the seed. oh-my-pi hashes
#               the line with its white space but for that at its end
# [a.py#1D84]   of a file: without white space at line ends, the low 16 bits, four hex digits
_PRIMES = (2654435761, 2246822519, 3266489917, 668265263, 374761393)
_WORD = 0xFFFFFFFF
_LETTERS = "ZPMQVRWSNKTXJBYH"


def _turned(value: int, bits: int) -> int:
    value &= _WORD
    return (value << bits | value >> (32 - bits)) & _WORD


def xxh32(data: bytes, seed: int = 0) -> int:
    """The xxHash of 32 bits."""
    one, two, three, four, five = _PRIMES
    at = 0
    total = seed + five
    if len(data) >= 16:
        lanes = [seed + one + two, seed + two, seed, seed - one]
        while at + 16 <= len(data):
            for lane in range(4):
                word = int.from_bytes(data[at : at + 4], "little")
                lanes[lane] = _turned(lanes[lane] + word * two, 13) * one
                at += 4
        total = sum(_turned(lane, bits) for lane, bits in zip(lanes, (1, 7, 12, 18), strict=True))
    total += len(data)
    while at + 4 <= len(data):
        total = _turned(total + int.from_bytes(data[at : at + 4], "little") * three, 17) * four
        at += 4
    for byte in data[at:]:
        total = _turned(total + byte * five, 11) * one
    total &= _WORD
    total = (total ^ total >> 15) * two & _WORD
    total = (total ^ total >> 13) * three & _WORD
    return total ^ total >> 16


def of_line(line: str) -> str:
    """The hash that stands behind the number of a line."""
    return f"{xxh32(''.join(line.split()).encode('utf-8', 'surrogateescape')) % 256:02x}"


def ids_of(line: str, number: int) -> list[str]:
    """What may stand behind `#` and the number of a line, in the ways that tools hash it."""
    seeds = (0,) if re.search(r"[^\W_]", line) else (number, 0)
    texts = ("".join(line.split()), line.rstrip())
    codes = [xxh32(text.encode("utf-8", "surrogateescape"), seed) % 256 for text in texts for seed in seeds]
    return [f"#{_LETTERS[code >> 4]}{_LETTERS[code & 15]}" for code in codes]


def of_file(text: str) -> str:
    """The tag that stands behind the path of a file."""
    plain = re.sub(r"[ \t\r]+(?=\n|$)", "", text)
    return f"{xxh32(plain.encode('utf-8', 'surrogateescape')) & 0xFFFF:04X}"


def stale(text: Text, hashes: tuple[tuple[int, str], ...]) -> Problem | None:
    """What is wrong with lines (0: the file) that are named by their hashes; None if nothing is."""
    for line, told in hashes:
        if line > len(text.lines):
            return Problem("stale", f"line {line} is named, but the file ends at line {len(text.lines)}", line=line)
        if not line:
            now = [of_file("".join(map("".join, zip(text.lines, text.ends, strict=True))))]
        else:
            now = ids_of(text.lines[line - 1], line) if told[0] == "#" else [of_line(text.lines[line - 1])]
        if told.lower() not in map(str.lower, now):
            what = f"line {line}" if line else "the file"
            return Problem("stale", f"the hash of {what} is {now[0]}, not {told}", line=line)
    return None

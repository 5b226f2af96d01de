"""Check the hashes by which "hashline" tools name lines and files. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..problems import Problem

if TYPE_CHECKING:
    from ..text import Text

# xxHash32:
# 12:a3         of a line without its white space, modulo 256, two hex digits
# 12#VK         the same in other letters; the seed for a line without letters or digits is its number. oh-my-pi drops
#               only the white space at the end of the line
# [a.py#1D84]   of a file without trailing white space, the low 16 bits, four hex digits
_PRIMES = (2654435761, 2246822519, 3266489917, 668265263, 374761393)
_WORD = 0xFFFFFFFF
_LETTERS = "ZPMQVRWSNKTXJBYH"


def _rotate(value: int, bits: int) -> int:
    value &= _WORD
    return (value << bits | value >> (32 - bits)) & _WORD


def xxh32(data: bytes, seed: int = 0) -> int:
    """Return the 32-bit xxHash."""
    one, two, three, four, five = _PRIMES
    at = 0
    total = seed + five
    if len(data) >= 16:
        lanes = [seed + one + two, seed + two, seed, seed - one]
        while at + 16 <= len(data):
            for lane in range(4):
                word = int.from_bytes(data[at : at + 4], "little")
                lanes[lane] = _rotate(lanes[lane] + word * two, 13) * one
                at += 4
        total = sum(_rotate(lane, bits) for lane, bits in zip(lanes, (1, 7, 12, 18), strict=True))
    total += len(data)
    while at + 4 <= len(data):
        total = _rotate(total + int.from_bytes(data[at : at + 4], "little") * three, 17) * four
        at += 4
    for byte in data[at:]:
        total = _rotate(total + byte * five, 11) * one
    total &= _WORD
    total = (total ^ total >> 15) * two & _WORD
    total = (total ^ total >> 13) * three & _WORD
    return total ^ total >> 16


def hash_of_line(line: str) -> str:
    """Return the hash that follows the number of a line."""
    return f"{xxh32(''.join(line.split()).encode('utf-8', 'surrogateescape')) % 256:02x}"


def ids_of_line(line: str, number: int) -> list[str]:
    """Return what may follow the number of a line after `#`, in the ways that tools hash it."""
    seeds = (0,) if re.search(r"[^\W_]", line) else (number, 0)
    texts = ("".join(line.split()), line.rstrip())
    codes = [xxh32(text.encode("utf-8", "surrogateescape"), seed) % 256 for text in texts for seed in seeds]
    return [f"#{_LETTERS[code >> 4]}{_LETTERS[code & 15]}" for code in codes]


def tag_of_file(text: str) -> str:
    """Return the tag that follows the path of a file."""
    plain = re.sub(r"[ \t\r]+(?=\n|$)", "", text)
    return f"{xxh32(plain.encode('utf-8', 'surrogateescape')) & 0xFFFF:04X}"


def find_stale(text: Text, hashes: tuple[tuple[int, str], ...]) -> Problem | None:
    """Return the problem of the first line (0: the file) that has another hash by now; None if there is none."""
    for line, expected in hashes:
        if line > len(text.lines):
            return Problem("stale", f"line {line} is named, but the file ends at line {len(text.lines)}", line=line)
        if not line:
            current = [tag_of_file("".join(map("".join, zip(text.lines, text.ends, strict=True))))]
        elif expected[0] == "#":
            current = ids_of_line(text.lines[line - 1], line)
        else:
            current = [hash_of_line(text.lines[line - 1])]
        if expected.lower() not in map(str.lower, current):
            what = f"line {line}" if line else "the file"
            return Problem("stale", f"the hash of {what} is {current[0]}, not {expected}", line=line)
    return None

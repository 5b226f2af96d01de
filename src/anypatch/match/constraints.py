"""What a patch claims of a place: headers that enclose it, the end of the file, symbols, hashes of lines. Pure."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator

from ..problems import Problem
from ..record import NamedTuple
from ..text import BLANK, depth_of, indent_of
from .levels import inner_space
from .line_kinds import is_kin, is_trivial

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model import Hunk, Where, Words
    from .search import Page


_CLOSERS = ("}", ")", "]", "end", "</")
_INSIDE = (
    "{",
    "public:",
    "private:",
    "protected:",
    "else",
    "elif ",
    "except",
    "finally",
    "catch",
    "#",
    "//",
    "/*",
    "*",
)
_BRACKETS = ("(", "[", "{")
_PROSE = (".md", ".markdown", ".mdx", ".txt", ".rst")
_PYTHON_BLOCKS = r"(?:async\s+)?(?:def|class|if|elif|else|for|while|with|try|except|finally|match|case)\b"


class Block(NamedTuple):
    """A header's row and the row behind its block; `closed`: nothing outside may be meant (a [section])."""

    row: int
    end: int
    closed: bool


class Extent(NamedTuple):
    """What a place covers: its first row, the row behind its last, the first row it changes."""

    first: int
    end: int
    changed: int


def within(page: Page, where: Where, extents: dict[int, Extent]) -> list[int]:
    """Of the places (by first row) those under the headers; else the only one behind them, if nothing else fits."""
    firsts = list(extents)
    if where.at_end:
        tail = _text_end(page)
        firsts = [first for first in firsts if extents[first].end >= tail]
    below = [(first, extents[first].end) for first in firsts]
    firsts = [first for first, end in below if not any(map(str.strip, page.lines[end : end + where.blank_below]))]
    found = blocks(page, where.under, several=len(firsts) > 1)
    inside = [first for first in firsts if enclosed(extents[first], found)]
    if inside or len(extents) > 1:
        return inside
    return [f for f in firsts if any(not b.closed and b.row <= extents[f].changed for b in found)]


def strictly_within(page: Page, where: Where, extent: Extent, *, several: bool = False) -> bool:
    """Whether a place stands in the block of its headers, not only behind them. `several`: as for `blocks`."""
    return enclosed(extent, blocks(page, where.under, several=several))


def enclosed(extent: Extent, found: list[Block]) -> bool:
    """Whether a place ends inside one of the blocks; it may begin above the header, whose line it then holds."""
    return any(block.row <= extent.changed and block.row < extent.end <= block.end for block in found)


def _text_end(page: Page) -> int:
    """The row behind the last line that isn't blank."""
    row = len(page.lines)
    while row and not page.lines[row - 1].strip(BLANK):
        row -= 1
    return row


def blocks(page: Page, headers: tuple[str, ...], *, several: bool = False) -> list[Block]:
    """The blocks of the last header, each inside a block of the one before it.

    `several`: more than one place hangs on it, so that the grammar is asked where a block ends, before its indentation.
    """
    found = [Block(-1, len(page.lines), False)]
    for header in headers:
        found = [inner for outer in found for inner in _blocks_in(page, header, outer, several)]
    return found


def _blocks_in(page: Page, header: str, outer: Block, several: bool) -> list[Block]:
    rows = range(outer.row + 1, outer.end)
    flat = not any(line[:1] in (" ", "\t") and line.strip(BLANK) for line in page.lines)
    for fits in _fitting(header):
        found = [row for row in rows if fits(page.lines[row])]
        if found:
            return [(_by_grammar(page, row) if several else None) or _block(page, row, flat) for row in found]
    return []


def _fitting(header: str) -> Iterator[Callable[[str], bool]]:
    """The ways in which a line may be the header, the strictest first."""
    bare, loose = header.strip(BLANK), inner_space(header)
    yield lambda line: line.strip(BLANK) == bare
    yield lambda line: inner_space(line) == loose
    if re.search(r"\w", bare):
        yield lambda line: line.strip(BLANK).startswith(bare) and not _continues(line.strip(BLANK), len(bare))


def _continues(line: str, at: int) -> bool:
    """Whether a word runs over this point of a line."""
    return (
        at < len(line) and (line[at].isalnum() or line[at] == "_") and (line[at - 1].isalnum() or line[at - 1] == "_")
    )


def _block(page: Page, row: int, flat: bool = False) -> Block:
    """The lines that belong to the header at a row: deeper ones up to a closing sign; a section's to the next one.

    `flat`: no line of the file is indented; then those up to the next that begins with the header's first word.
    """
    lines, header = page.lines, page.lines[row].strip(BLANK)
    if header.startswith("[") and header.endswith("]"):
        end = next((r for r in range(row + 1, len(lines)) if lines[r].lstrip(BLANK).startswith("[")), len(lines))
        return Block(row, end, True)
    if header.startswith("#") and page.path.endswith((".md", ".markdown", ".mdx")):
        level = len(header) - len(header.lstrip("#"))
        ends = (r for r in range(row + 1, len(lines)) if _heading(lines[r]) and _heading(lines[r]) <= level)
        return Block(row, next(ends, len(lines)), False)
    if flat:
        word = header.split()[:1]
        return Block(
            row, next((r for r in range(row + 1, len(lines)) if lines[r].split()[:1] == word), len(lines)), False
        )
    depth = depth_of(lines[row])
    for below in range(row + 1, len(lines)):
        bare = lines[below].strip(BLANK)
        if not bare or depth_of(lines[below]) > depth or bare.startswith(_INSIDE):
            continue
        return Block(row, below + bare.startswith(_CLOSERS), False)
    return Block(row, len(lines), False)


def _heading(line: str) -> int:
    bare = line.lstrip(BLANK)
    level = len(bare) - len(bare.lstrip("#"))
    return level if bare[level : level + 1] in (" ", "\t") else 0


# ── where a symbol ends, by the grammar ──────────────────────────────────────────────────────────


def _by_grammar(page: Page, row: int) -> Block | None:

    end = behind(page, row)
    return Block(row, end, False) if end else None


def behind(page: Page, row: int) -> int:
    """The row behind the symbol that is named on a row, with the blank lines below it; 0 where none is."""
    found = symbol_ends(page).get(row)
    if found is None:
        return 0
    end = found[0] + 1
    while end < len(page.lines) and not page.lines[end].strip(BLANK):
        end += 1
    return end


def symbol_ends(page: Page) -> dict[int, tuple[int, int]]:
    """Of each row with the name of a symbol that has several rows: its last row, the UTF-16 column it ends at."""
    if page.ends is None:
        page.ends = _ends(page)
    return page.ends


def _ends(page: Page) -> dict[int, tuple[int, int]]:
    from ..syntax.symbols import declared

    rows = [row for row in declared(page.path, page.text) if row.last > row.row and row.kind != "element"]
    # of several on one row the outermost comes first, and counts
    return {row.row: (row.last, row.stop) for row in reversed(rows)}


# ── symbols that the answer's words name ─────────────────────────────────────────────────────────


class Told(NamedTuple):
    """The one of several places that the answer names, and the symbol by its names; -1 where it names none or more."""

    first: int
    symbol: str = ""


def named_place(page: Page, firsts: list[int], named: tuple[Words, ...]) -> Told:
    """The one of several places that stands in a symbol which the answer names.

    The names that stand nearest to the edit are heard first; the others only about the places that those leave.
    """
    from ..syntax.symbols import CODE, TYPES, declared

    symbols = declared(page.path, page.text)
    ways: dict[int, tuple[str, ...]] = dict.fromkeys(firsts, ())
    for symbol in symbols:
        for first in firsts[bisect_left(firsts, symbol.lead) : bisect_right(firsts, symbol.last)]:
            ways[first] = symbol.parts if len(symbol.parts) > len(ways[first]) else ways[first]
    left = firsts
    for words in named:
        known = {part for name in words.names for part in name.split(".")}
        if words.sole and any(len({s.name for s in symbols if s.kind in kinds} & known) > 1 for kinds in (CODE, TYPES)):
            continue
        left = _named_in(left, ways, words.names, known) or left
        if len(left) == 1:
            rest = [first for first in firsts if first != left[0]]
            # "The `total` of `Basket`": what the place itself is called speaks for no other one.
            others = tuple(name for name in words.others if not {*name.split(".")} <= {*ways[left[0]]})
            if _named_in(rest, ways, others, {part for name in others for part in name.split(".")}):
                break  # "In `Basket` something is wrong. And `Cart` as well."
            return Told(left[0], ".".join(ways[left[0]]))
    return Told(-1)


def _named_in(
    firsts: list[int], ways: dict[int, tuple[str, ...]], names: tuple[str, ...], known: set[str]
) -> list[int]:
    """Of some places those in a symbol that is named: by the way to it, its own name, or that of what encloses it."""
    dotted = [tuple(name.split(".")) for name in names if "." in name]
    whole = [first for first in firsts if any(ways[first][-len(way) :] == way for way in dotted)]
    if whole:
        return whole
    inner = [first for first in firsts if ways[first] and ways[first][-1] in known]
    outer = [first for first in firsts if known.intersection(ways[first][:-1])]
    both = [first for first in inner if first in outer]
    return both or ([] if inner and outer else inner or outer)


# ── lines named by their numbers ─────────────────────────────────────────────────────────────────


_AROUND = 12  # rows around a line named by number in which it would be named by mistake


def untied(lines: list[str], hunk: Hunk) -> str:
    """Why new lines don't show that they replace the ones named by number; "" where their first and last line do.

    Each is as the file's, or a new version of it and of no other line around; and neither is next to the place already.
    """
    start, end = hunk.where.line - 1, hunk.where.last
    new = [line for line in hunk.new if line.strip()]
    rows = [row for row in range(start, end) if lines[row].strip()]
    if not new or not rows:
        return "nothing is shown, or there"
    for line, row in ((new[0], rows[0]), (new[-1], rows[-1])):
        near = range(max(row - _AROUND, 0), min(row + _AROUND, len(lines)))
        same = [other for other in near if lines[other].strip() == line.strip()]
        kin = same or [other for other in near if is_kin(line, lines[other])]
        if kin != [row] or indent_of(line) != indent_of(lines[row]) or is_trivial(line):
            return f"`{lines[row].strip()[:60]}` there, `{line.strip()[:60]}` shown"
    return ""


# ── lines added right below a header ─────────────────────────────────────────────────────────────


class Head(NamedTuple):
    """How a header reads: its last row, and whether lines below that are its block."""

    last: int
    opens: bool


def row_inside(page: Page, header: int, new: tuple[str, ...]) -> int:
    """The row at which lines are added that stand right inside the block of the header at a row; -1: nothing tells.

    @@ int f(void)      int f(void)
    +    int z = 1;     {
                            return 1;      goes below the brace, not above it
    """
    lines = page.lines
    level, depth = depth_of(lines[header]), min((depth_of(line) for line in new if line.strip(BLANK)), default=0)
    language = page.language()
    text = language.family if language else ""
    if text not in ("c", "python"):
        below = _first_below(lines, header)
        # Left of the block that follows they would cut it off from its header.
        cuts = depth <= level < depth_of(lines[below]) if below < len(lines) else False
        return -1 if cuts and not page.path.endswith(_PROSE) else header + 1
    from ..syntax.lexer import mask, tokens

    assert language is not None
    masked = mask(page.text, tokens(page.text, language)).split("\n")
    head = _head(masked, header, text == "python")
    if head is None:
        return -1
    if not head.opens:
        in_bracket = head.last > header and masked[header].rstrip().endswith(_BRACKETS) and depth > level
        return header + 1 if in_bracket or (head.last == header and depth <= level) else -1
    body = _first_below(masked, head.last)
    shallow = body < len(lines) and depth_of(lines[body]) <= level
    bare = masked[body].strip() if body < len(masked) else ""
    is_docstring = text == "python" and len(bare) > 1 and not bare.strip("_")
    is_parameter = head.last > header and new[-1].rstrip(BLANK).endswith(",")
    return -1 if (depth <= level and not shallow) or is_docstring or is_parameter else head.last + 1


def _head(masked: list[str], row: int, python: bool) -> Head | None:
    """The header at a row of a text without comments and strings; None where its block can't be told from its lines."""
    open_: list[str] = []
    last = row
    for last in range(row, len(masked)):
        for char in masked[last]:
            if char in _BRACKETS:
                open_.append(char)
            elif char in ")]}" and open_:
                open_.pop()
        if open_ and open_[-1] == "{" and not python:
            return Head(last, True) if masked[last].rstrip().endswith("{") else None
        if not open_:
            break
    if open_:
        return None
    bare = masked[last].strip()
    if bare.endswith(":"):
        return Head(last, True)
    if python:
        return None if re.match(_PYTHON_BLOCKS, masked[row].strip()) else Head(last, False)
    below = _first_below(masked, last)
    following = masked[below].strip() if below < len(masked) else ""
    if following.startswith("{"):
        return Head(below, True) if following == "{" else None
    # `if (x)`, an initialiser, `throws E`: the block begins further below, or has no brackets.
    goes_on = following and not bare.endswith((";", ",", "}")) and depth_of(masked[below]) > depth_of(masked[row])
    return None if goes_on else Head(last, False)


def _first_below(lines: list[str], row: int) -> int:
    """The first row below one that isn't blank."""
    return next((at for at in range(row + 1, len(lines)) if lines[at].strip(BLANK)), len(lines))


# ── lines that are named by their hashes ─────────────────────────────────────────────────────────

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


def stale(page: Page, hashes: tuple[tuple[int, str], ...]) -> Problem | None:
    """What is wrong with lines (0: the file) that are named by their hashes; None where nothing is."""
    for line, told in hashes:
        if line > len(page.lines):
            return Problem("stale", f"line {line} is named, but the file ends at line {len(page.lines)}", line=line)
        if not line:
            now = [of_file("".join(map("".join, zip(page.sheet.lines, page.sheet.ends, strict=True))))]
        else:
            now = ids_of(page.lines[line - 1], line) if told[0] == "#" else [of_line(page.lines[line - 1])]
        if told.lower() not in map(str.lower, now):
            what = f"line {line}" if line else "the file"
            return Problem("stale", f"the hash of {what} is {now[0]}, not {told}", line=line)
    return None

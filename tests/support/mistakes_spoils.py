"""Mistakes in hunks: functions from pieces to pieces, or None if the mistake can't be made."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any, NamedTuple

from support.mistakes_written import Lines, Piece, indent_of, pads


class Spoil(NamedTuple):
    """A mistake. `kept`: the patch still has its meaning, so refusing it is a loss. `loose`: comments don't show the place.

    `alone`: only for hunks with one place; with several, the mistake makes another one right.
    """

    name: str
    make: Callable[..., Any]
    kept: bool = True
    formats: tuple[str, ...] = ()
    loose: bool = False
    alone: bool = False


def each_line(edit: Callable[[str, str], str]) -> Callable[[list[Piece], random.Random], list[Piece] | None]:
    def make(pieces: list[Piece], rng: random.Random) -> list[Piece] | None:
        spoilt = [piece._replace(lines=[(tag, edit(tag, text)) for tag, text in piece.lines]) for piece in pieces]
        return spoilt if spoilt != pieces else None

    return make


def one_line(
    fits: Callable[[Lines, int], bool], edit: Callable[[Lines, int, random.Random], Lines]
) -> Callable[[list[Piece], random.Random], list[Piece] | None]:
    """Make a mistake at one line of one piece: `edit` returns the lines that replace it."""

    def make(pieces: list[Piece], rng: random.Random) -> list[Piece] | None:
        spots = [(p, n) for p, piece in enumerate(pieces) for n in range(len(piece.lines)) if fits(piece.lines, n)]
        if not spots:
            return None
        p, n = rng.choice(spots)
        lines = pieces[p].lines
        spoilt = pieces[p]._replace(lines=[*lines[:n], *edit(lines, n, rng), *lines[n + 1 :]])
        return [*pieces[:p], spoilt, *pieces[p + 1 :]]

    return make


def outdented(pieces: list[Piece], rng: random.Random) -> list[Piece] | None:
    spoilt = [shifted(piece, lambda pad, common: pad[len(common) :]) for piece in pieces]
    return spoilt if spoilt != pieces else None


def deeper(pieces: list[Piece], rng: random.Random) -> list[Piece] | None:
    more = rng.choice(["    ", "  ", " "])
    return [shifted(piece, lambda pad, common: more + pad) for piece in pieces]


def shifted(piece: Piece, pad: Callable[[str, str], str]) -> Piece:
    depths = pads([text for _, text in piece.lines])
    common = min(depths, key=len)
    while not all(depth.startswith(common) for depth in depths):
        common = common[:-1]
    lines = [
        (tag, pad(indent_of(text), common) + text.lstrip(" \t") if text.strip() else text) for tag, text in piece.lines
    ]
    return piece._replace(lines=lines)


def indented(edit: Callable[[str], str]) -> Callable[[list[Piece], random.Random], list[Piece] | None]:
    """Change the indentation throughout, if the old lines show every change of it that the new lines have."""

    def make(pieces: list[Piece], rng: random.Random) -> list[Piece] | None:
        spoilt = each_line(lambda tag, text: edit(indent_of(text)) + text.lstrip(" \t") if text.strip() else text)(
            pieces, rng
        )
        shown = [{edit(pad) != pad for pad in pads(piece.old)} for piece in pieces]
        hidden = [{edit(pad) != pad for pad in pads(piece.new)} for piece in pieces]
        # If deeper lines became as shallow as others, or shallower, the patch would say something else.
        order = [sorted(pads([text for _, text in piece.lines]), key=len) for piece in pieces]
        blurred = any(len(edit(one)) >= len(edit(two)) for depths in order for one, two in pairwise(depths))
        is_shown = all(True in old or True not in new for old, new in zip(shown, hidden, strict=True))
        return spoilt if is_shown and not blurred else None

    return make


def rescaled(pieces: list[Piece], rng: random.Random) -> list[Piece] | None:
    """Write two spaces for four, or four for two."""
    deep = {pad for piece in pieces for pad in pads([text for _, text in piece.lines])}
    if any("\t" in pad or len(pad) % 2 for pad in deep):
        return None
    halves = all(len(pad) % 4 == 0 for pad in deep)
    return indented(lambda pad: pad[: len(pad) // 2] if halves else pad * 2)(pieces, rng)


def unless_added(edit: Callable[[str], str]) -> Callable[[str, str], str]:
    return lambda tag, text: text if tag == "+" else edit(text)


def without_trailing(pieces: list[Piece], rng: random.Random) -> list[Piece] | None:
    """Remove trailing spaces, unless they are what the patch changes."""
    for piece in pieces:
        added = {text for tag, text in piece.lines if tag == "+"}
        if any(tag == "-" and text != text.rstrip() in added for tag, text in piece.lines):
            return None
    return each_line(unless_added(str.rstrip))(pieces, rng)


def flattened(edit: Callable[[str, str], str]) -> Callable[[list[Piece], random.Random], list[Piece] | None]:
    """Remove indentation, if the old lines show that it is missing; with one depth only, the new lines may be right."""

    def make(pieces: list[Piece], rng: random.Random) -> list[Piece] | None:
        if any(len(pads(piece.old)) < 2 for piece in pieces):
            return None
        return each_line(edit)(pieces, rng)

    return make


def is_context(lines: Lines, n: int) -> bool:
    return lines[n][0] == " " and len(lines[n][1].strip()) > 3


def inside_context(lines: Lines, n: int) -> bool:
    """Return True for a context line between lines that stay: it doesn't show where new lines go."""
    return lines[n][0] == " " and all(0 <= m < len(lines) and lines[m][0] != "+" for m in (n - 1, n + 1))


def slipped(text: str, rng: random.Random) -> str:
    spots = [at for at, char in enumerate(text) if char.isalpha()] or [len(text.rstrip()) - 1]
    at = rng.choice(spots)
    return text[:at] + rng.choice(["", "q", text[at] * 2]) + text[at + 1 :]


def commentless(pieces: list[Piece], rng: random.Random) -> list[Piece] | None:
    spoilt = [
        piece._replace(lines=[line for n, line in enumerate(piece.lines) if not is_idle_comment(piece.lines, n)])
        for piece in pieces
    ]
    spoilt = [piece._replace(lines=[(tag, cut(tag, text)) for tag, text in piece.lines]) for piece in spoilt]
    return spoilt if spoilt != pieces else None


def is_idle_comment(lines: Lines, n: int) -> bool:
    """Return True for a comment between lines of context."""
    return inside_context(lines, n) and bool(re.match(rf"\s*(#(?!\s*(?:{DIRECTIVES}))|//)\s", lines[n][1]))


DIRECTIVES = "include|define|undef|if|el|end|pragma|error|warning|line"


def cut(tag: str, text: str) -> str:
    code = re.match(r"""(\s*[^\s#/"'`][^#/"'`]*?)\s+(?:# |// |/\*[^*]*\*/$).*$""", text) if tag == " " else None
    return code[1] if code else text


def typographic(text: str) -> str:
    for plain, fancy in (("'", "’"), ('"', "”"), (" - ", " – "), ("...", "…")):
        text = text.replace(plain, fancy)
    return text


def nbsp(text: str) -> str:
    return indent_of(text) + text.lstrip(" \t").replace(" ", "\u00a0", 2)


def dropped(lines: Lines, n: int, rng: random.Random) -> Lines:
    return []


MARKS = ["# ... rest unchanged ...", "// ... existing code ...", "# ...", "/* ... */", "// rest of the code unchanged"]


def left_out(pieces: list[Piece], rng: random.Random) -> list[Piece] | None:
    """Replace inner context lines of the new text with "rest unchanged".

    Not next to lines that are only removed: there the mark would say that they stay.
    """
    mark = rng.choice(MARKS)
    groups = [
        "".join(group) for piece in pieces for group in re.findall("[-+]+", "".join(tag for tag, _ in piece.lines))
    ]
    if any("+" not in group for group in groups):
        return None
    spoilt = [piece._replace(lines=elided_lines(piece.lines, mark)) for piece in pieces]
    return spoilt if spoilt != pieces else None


def elided_lines(lines: Lines, mark: str) -> Lines:
    inner = [0 < n < len(lines) - 1 and tag == " " for n, (tag, _) in enumerate(lines)]
    new: Lines = []
    for n, (tag, text) in enumerate(lines):
        if not inner[n] and tag != "-":
            new.append(("+", text))
        elif inner[n] and not inner[n - 1]:
            new.append(("+", indent_of(text) + mark))
    return [("-", text) for tag, text in lines if tag != "+"] + new if any(inner) else lines


def restated(pieces: list[Piece], rng: random.Random) -> list[Piece]:
    """Remove all old lines and add all new ones: context becomes "-" and "+"."""
    return [
        piece._replace(lines=[("-", text) for text in piece.old] + [("+", text) for text in piece.new])
        for piece in pieces
    ]


def doubled(pieces: list[Piece], rng: random.Random) -> list[Piece]:
    """Write one hunk twice."""
    at = rng.randrange(len(pieces))
    return [*pieces[: at + 1], pieces[at], *pieces[at + 1 :]]


def neighbours_swapped(pieces: list[Piece], rng: random.Random) -> list[Piece] | None:
    """Swap two context lines."""
    spots = [
        (p, n)
        for p, piece in enumerate(pieces)
        for n in range(1, len(piece.lines))
        if is_context(piece.lines, n) and is_context(piece.lines, n - 1) and piece.lines[n] != piece.lines[n - 1]
    ]
    if not spots:
        return None
    p, n = rng.choice(spots)
    lines = list(pieces[p].lines)
    lines[n - 1], lines[n] = lines[n], lines[n - 1]
    return [*pieces[:p], pieces[p]._replace(lines=lines), *pieces[p + 1 :]]


def shortened(lines: Lines, n: int, rng: random.Random) -> Lines:
    text = lines[n][1].rstrip()
    return [(" ", text[: len(indent_of(text)) + (len(text.strip()) + 1) // 2] + "...")]


def wrapped(lines: Lines, n: int, rng: random.Random) -> Lines:
    text = lines[n][1]
    cut = text.rfind(" ", len(indent_of(text)), 60)
    return [(" ", text[:cut]), (" ", indent_of(text) + text[cut + 1 :])]


def gutter(pieces: list[Piece], rng: random.Random) -> list[Piece]:
    """Put the line number, as a viewer shows it, before every copied line."""
    spoilt = []
    for piece in pieces:
        number, lines = piece.line, []
        for tag, text in piece.lines:
            lines.append((tag, text if tag == "+" else f"{number} | {text}"))
            number += tag != "+"
        spoilt.append(piece._replace(lines=lines))
    return spoilt


PREFIXES = ("{}: ", "{} | ", "{}→", "{:>6}\t", "L{}: ", "{}|")


def some_prefixes(pieces: list[Piece], rng: random.Random) -> list[Piece]:
    """Put the line number, as some viewer shows it, before some of the copied lines."""
    prefix = rng.choice(PREFIXES)
    spoilt = []
    for piece in pieces:
        number, lines = piece.line, []
        for tag, text in piece.lines:
            copied = tag != "+" and rng.random() < 0.7
            lines.append((tag, prefix.format(number) + text if copied else text))
            number += tag != "+"
        spoilt.append(piece._replace(lines=lines))
    return spoilt


def first_flush(pieces: list[Piece], rng: random.Random) -> list[Piece] | None:
    """Remove the indentation of the first old and the first new line: both are copied from the first word on."""
    spoilt = []
    for piece in pieces:
        lines, left = [], {"-", "+"} if indent_of(piece.old[0]) else set()
        for tag, text in piece.lines:
            sides = left & ({"-", "+"} if tag == " " else {tag})
            lines.append((tag, text.lstrip(" \t") if sides else text))
            left -= sides
        spoilt.append(piece._replace(lines=lines))
    return spoilt if spoilt != pieces else None


def blank_around(pieces: list[Piece], rng: random.Random) -> list[Piece]:
    """Put blank lines above and below each piece."""
    blank = rng.choice(["", "    "])
    return [piece._replace(lines=[(" ", blank), *piece.lines, (" ", blank)]) for piece in pieces]


def blanks(count: int) -> Callable[[list[Piece], random.Random], list[Piece] | None]:
    """Write every blank context line so many times."""

    def make(pieces: list[Piece], rng: random.Random) -> list[Piece] | None:
        spoilt = []
        for piece in pieces:
            lines: Lines = []
            for tag, text in piece.lines:
                lines += [(tag, text)] * (count if tag == " " and not text.strip() else 1)
            spoilt.append(piece._replace(lines=lines))
        return spoilt if spoilt != pieces else None

    return make


def beside_removed(lines: Lines, n: int) -> bool:
    """Return True for a context line with text, in a hunk that removes others."""
    return is_context(lines, n) and bool(lines[n][1].strip()) and any(tag == "-" for tag, _ in lines)


def reversed_order(pieces: list[Piece], rng: random.Random) -> list[Piece] | None:
    return pieces[::-1] if len(pieces) > 1 else None


def moved_lines(pieces: list[Piece], rng: random.Random) -> list[Piece]:
    return [piece._replace(line=max(1, piece.line + rng.choice([-40, -7, -1, 1, 3, 25, 10000]))) for piece in pieces]


def two_for_four(pad: str) -> str:
    return pad.replace("    ", "  ") if pad.startswith("    ") else pad.replace("  ", "    ")


def blank_between(lines: Lines, n: int) -> bool:
    return (
        n > 0
        and lines[n][0] != "+"
        and lines[n - 1][0] == " "
        and bool(lines[n][1].strip() and lines[n - 1][1].strip())
    )


Formats = tuple[str, ...]
SIGNED = ("begin-patch", "unified")
SEQUENTIAL = ("search-replace", "json-edits", "chunk")
STATED = (*SIGNED, *SEQUENTIAL)  # formats that state the old text

FLUSH = "first line flush"  # the file has this text to the letter, from inside a line on

HUNK_SPOILS = (
    Spoil("none", lambda pieces, rng: pieces),
    Spoil("outdented", outdented, formats=STATED),
    Spoil("deeper", deeper, formats=STATED),
    # CHUNK's own rule: a payload is aligned to the marker's first line, whatever the other lines' depth.
    Spoil(
        "flattened",
        flattened(lambda tag, text: text.lstrip(" \t")),
        kept=False,
        formats=STATED,
    ),
    Spoil(
        "old flattened, new not",
        flattened(unless_added(lambda text: text.lstrip(" \t"))),
        kept=False,
        formats=STATED,
    ),
    Spoil("spaces to tabs", indented(lambda pad: pad.replace("    ", "\t")), formats=STATED),
    Spoil("tabs to spaces", indented(lambda pad: pad.replace("\t", "    ")), formats=STATED),
    Spoil("two for four", rescaled, formats=STATED),
    Spoil("indentation uneven", indented(two_for_four), kept=False, formats=STATED),
    Spoil("trailing space", each_line(unless_added(lambda text: text + "  ")), formats=STATED),
    Spoil("no trailing space", without_trailing, formats=STATED),
    Spoil(
        "blank dropped",
        one_line(lambda lines, n: inside_context(lines, n) and not lines[n][1].strip(), dropped),
        formats=STATED,
    ),
    Spoil("blank added", one_line(blank_between, lambda lines, n, rng: [(" ", ""), lines[n]]), formats=STATED),
    Spoil("comments dropped", commentless, loose=True, formats=STATED),
    Spoil("typographic", each_line(unless_added(typographic)), formats=STATED),
    Spoil("nbsp", each_line(unless_added(nbsp)), formats=STATED),
    Spoil(
        "inner space",
        one_line(
            is_context, lambda lines, n, rng: [(" ", indent_of(lines[n][1]) + lines[n][1].lstrip().replace(" ", "  "))]
        ),
        formats=STATED,
    ),
    Spoil(
        "slip in context",
        one_line(is_context, lambda lines, n, rng: [(" ", slipped(lines[n][1], rng))]),
        formats=STATED,
    ),
    Spoil(
        "slip in removed",
        one_line(
            lambda lines, n: lines[n][0] == "-" and len(lines[n][1].strip()) > 3,
            lambda lines, n, rng: [("-", slipped(lines[n][1], rng))],
        ),
        kept=False,
        formats=STATED,
    ),
    Spoil("left out", left_out, kept=False, formats=STATED),
    Spoil("restated", restated, formats=SIGNED),
    Spoil("out of order", reversed_order, alone=True),
    # If a hunk fits twice, writing it twice is how to edit both places.
    Spoil("hunk doubled", doubled, kept=False, formats=STATED, alone=True),
    Spoil("context in the wrong order", neighbours_swapped, kept=False, formats=STATED),
    Spoil(
        "context shortened",
        one_line(lambda lines, n: is_context(lines, n) and len(lines[n][1]) > 20, shortened),
        kept=False,
        formats=STATED,
    ),
    Spoil(
        "context as dots",
        one_line(
            lambda lines, n: inside_context(lines, n) and bool(lines[n][1].strip()),
            lambda lines, n, rng: [(" ", indent_of(lines[n][1]) + "...")],
        ),
        kept=False,
        formats=STATED,
    ),
    Spoil(
        "context wrapped",
        one_line(
            lambda lines, n: is_context(lines, n) and len(lines[n][1]) > 70 and " " in lines[n][1].strip()[:40], wrapped
        ),
        kept=False,
        formats=STATED,
    ),
    Spoil("line numbers", gutter, kept=False, formats=STATED),
    Spoil(
        "context invented",
        one_line(
            lambda lines, n: lines[n][0] == " ",
            lambda lines, n, rng: [lines[n], (" ", indent_of(lines[n][1]) + "assert invariant_holds(self)")],
        ),
        kept=False,
        formats=STATED,
    ),
    Spoil(
        "context doubled", one_line(is_context, lambda lines, n, rng: [lines[n], lines[n]]), kept=False, formats=STATED
    ),
    Spoil(
        "context forgotten",
        one_line(lambda lines, n: inside_context(lines, n) and bool(lines[n][1].strip()), dropped),
        kept=False,
        formats=STATED,
    ),
    Spoil(
        "context swapped",
        one_line(
            lambda lines, n: is_context(lines, n) and inside_context(lines, n) and lines[n - 1][0] == " ", dropped
        ),
        kept=False,
        formats=STATED,
    ),
    Spoil(
        "context replaced",
        one_line(is_context, lambda lines, n, rng: [(" ", indent_of(lines[n][1]) + "return self.finish(result)")]),
        kept=False,
        formats=STATED,
    ),
    Spoil("wrong lines", moved_lines, formats=("unified",), alone=True),
    # Real answers do this: they may be refused, but not applied wrongly. CHUNK aligns a payload to the marker.
    Spoil(FLUSH, first_flush, kept=False, formats=(*SIGNED, "search-replace", "json-edits")),
    Spoil("blanks around", blank_around, kept=False, formats=STATED),
    Spoil("blanks dropped", blanks(0), kept=False, formats=STATED),
    Spoil("blanks doubled", blanks(2), kept=False, formats=STATED),
    Spoil("context beside removed forgotten", one_line(beside_removed, dropped), kept=False, formats=STATED),
    Spoil("prefixes on some lines", some_prefixes, kept=False, formats=STATED),
    Spoil("quotes escaped", each_line(lambda tag, text: text.replace('"', '\\"')), kept=False, formats=STATED),
    Spoil(
        "escaped once more",
        each_line(lambda tag, text: text.replace("\\", "\\\\").replace('"', '\\"')),
        kept=False,
        formats=STATED,
    ),
)

"""Mistakes in hunks: pieces in, pieces out, None where the mistake can't be made."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any, NamedTuple

from support.mistakes_written import Lines, Piece, indent_of, pads


class Spoil(NamedTuple):
    """A mistake. `kept`: the meaning is all there, so that the right bytes are wanted; `loose`: comments are no evidence.

    `alone`: where the hunks have several readings, the mistake makes another one right: no case then.
    """

    name: str
    make: Callable[..., Any]
    kept: bool = True
    formats: tuple[str, ...] = ()
    loose: bool = False
    alone: bool = False


def each_line(edit: Callable[[str, str], str]) -> Callable[[list[Piece], random.Random], list[Piece] | None]:
    def make(pieces: list[Piece], rng: random.Random) -> list[Piece] | None:
        made = [piece._replace(lines=[(tag, edit(tag, text)) for tag, text in piece.lines]) for piece in pieces]
        return made if made != pieces else None

    return make


def one_line(
    fits: Callable[[Lines, int], bool], edit: Callable[[Lines, int, random.Random], Lines]
) -> Callable[[list[Piece], random.Random], list[Piece] | None]:
    """A mistake at one line of one piece: `edit` gives the lines that stand in its stead."""

    def make(pieces: list[Piece], rng: random.Random) -> list[Piece] | None:
        spots = [(p, n) for p, piece in enumerate(pieces) for n in range(len(piece.lines)) if fits(piece.lines, n)]
        if not spots:
            return None
        p, n = rng.choice(spots)
        lines = pieces[p].lines
        made = pieces[p]._replace(lines=[*lines[:n], *edit(lines, n, rng), *lines[n + 1 :]])
        return [*pieces[:p], made, *pieces[p + 1 :]]

    return make


def outdented(pieces: list[Piece], rng: random.Random) -> list[Piece] | None:
    made = [shifted(piece, lambda pad, common: pad[len(common) :]) for piece in pieces]
    return made if made != pieces else None


def deeper(pieces: list[Piece], rng: random.Random) -> list[Piece] | None:
    more = rng.choice(["    ", "  ", " "])
    return [shifted(piece, lambda pad, common: more + pad) for piece in pieces]


def shifted(piece: Piece, pad: Callable[[str, str], str]) -> Piece:
    found = pads([text for _, text in piece.lines])
    common = min(found, key=len)
    while not all(one.startswith(common) for one in found):
        common = common[:-1]
    lines = [
        (tag, pad(indent_of(text), common) + text.lstrip(" \t") if text.strip() else text) for tag, text in piece.lines
    ]
    return piece._replace(lines=lines)


def indented(edit: Callable[[str], str]) -> Callable[[list[Piece], random.Random], list[Piece] | None]:
    """Another indentation throughout, where the old lines show every change of it that the new lines have."""

    def make(pieces: list[Piece], rng: random.Random) -> list[Piece] | None:
        made = each_line(lambda tag, text: edit(indent_of(text)) + text.lstrip(" \t") if text.strip() else text)(
            pieces, rng
        )
        shown = [{edit(pad) != pad for pad in pads(piece.old)} for piece in pieces]
        hidden = [{edit(pad) != pad for pad in pads(piece.new)} for piece in pieces]
        # Deeper lines that would be no deeper, or less deep, than others say something else.
        order = [sorted(pads([text for _, text in piece.lines]), key=len) for piece in pieces]
        blurred = any(len(edit(one)) >= len(edit(two)) for depths in order for one, two in pairwise(depths))
        told = all(True in old or True not in new for old, new in zip(shown, hidden, strict=True))
        return made if told and not blurred else None

    return make


def rescaled(pieces: list[Piece], rng: random.Random) -> list[Piece] | None:
    """Two spaces for four or four for two, the other way than the piece is written."""
    deep = {pad for piece in pieces for pad in pads([text for _, text in piece.lines])}
    if any("\t" in pad or len(pad) % 2 for pad in deep):
        return None
    halves = all(len(pad) % 4 == 0 for pad in deep)
    return indented(lambda pad: pad[: len(pad) // 2] if halves else pad * 2)(pieces, rng)


def unless_added(edit: Callable[[str], str]) -> Callable[[str, str], str]:
    return lambda tag, text: text if tag == "+" else edit(text)


def without_trailing(pieces: list[Piece], rng: random.Random) -> list[Piece] | None:
    """Blanks at line ends lost; not where they are what changes, which nothing would show any more."""
    for piece in pieces:
        added = {text for tag, text in piece.lines if tag == "+"}
        if any(tag == "-" and text != text.rstrip() in added for tag, text in piece.lines):
            return None
    return each_line(unless_added(str.rstrip))(pieces, rng)


def flattened(edit: Callable[[str, str], str]) -> Callable[[list[Piece], random.Random], list[Piece] | None]:
    """Indentation lost, where the old lines' own shows that it is: where they had but one, the new lines may be meant so."""

    def make(pieces: list[Piece], rng: random.Random) -> list[Piece] | None:
        if any(len(pads(piece.old)) < 2 for piece in pieces):
            return None
        return each_line(edit)(pieces, rng)

    return make


def is_context(lines: Lines, n: int) -> bool:
    return lines[n][0] == " " and len(lines[n][1].strip()) > 3


def inside_context(lines: Lines, n: int) -> bool:
    """A context line whose neighbours add nothing: there it says nothing on where the new lines go."""
    return lines[n][0] == " " and all(0 <= m < len(lines) and lines[m][0] != "+" for m in (n - 1, n + 1))


def slipped(text: str, rng: random.Random) -> str:
    spots = [at for at, char in enumerate(text) if char.isalpha()] or [len(text.rstrip()) - 1]
    at = rng.choice(spots)
    return text[:at] + rng.choice(["", "q", text[at] * 2]) + text[at + 1 :]


def commentless(pieces: list[Piece], rng: random.Random) -> list[Piece] | None:
    made = [
        piece._replace(lines=[line for n, line in enumerate(piece.lines) if not idle(piece.lines, n)])
        for piece in pieces
    ]
    made = [piece._replace(lines=[(tag, cut(tag, text)) for tag, text in piece.lines]) for piece in made]
    return made if made != pieces else None


def idle(lines: Lines, n: int) -> bool:
    """A line of nothing but a comment, among context."""
    return inside_context(lines, n) and bool(re.match(rf"\s*(#(?!\s*(?:{DIRECTIVES}))|//)\s", lines[n][1]))


DIRECTIVES = "include|define|undef|if|el|end|pragma|error|warning|line"


def cut(tag: str, text: str) -> str:
    found = re.match(r"""(\s*[^\s#/"'`][^#/"'`]*?)\s+(?:# |// |/\*[^*]*\*/$).*$""", text) if tag == " " else None
    return found[1] if found else text


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
    """The new text repeats the old but for "rest unchanged" in the stead of the inner context lines.

    Not beside lines that only go: there the mark says that they stay.
    """
    mark = rng.choice(MARKS)
    groups = [
        "".join(group) for piece in pieces for group in re.findall("[-+]+", "".join(tag for tag, _ in piece.lines))
    ]
    if any("+" not in group for group in groups):
        return None
    made = [piece._replace(lines=elided_lines(piece.lines, mark)) for piece in pieces]
    return made if made != pieces else None


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
    """All the old lines out, all the new lines in: context as "-" and "+"."""
    return [
        piece._replace(lines=[("-", text) for text in piece.old] + [("+", text) for text in piece.new])
        for piece in pieces
    ]


def doubled(pieces: list[Piece], rng: random.Random) -> list[Piece]:
    """One hunk said twice."""
    at = rng.randrange(len(pieces))
    return [*pieces[: at + 1], pieces[at], *pieces[at + 1 :]]


def neighbours_swapped(pieces: list[Piece], rng: random.Random) -> list[Piece] | None:
    """Two context lines in the wrong order."""
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
    """The line numbers of the view that the model was shown, before every line that it copied."""
    made = []
    for piece in pieces:
        number, lines = piece.line, []
        for tag, text in piece.lines:
            lines.append((tag, text if tag == "+" else f"{number} | {text}"))
            number += tag != "+"
        made.append(piece._replace(lines=lines))
    return made


PREFIXES = ("{}: ", "{} | ", "{}→", "{:>6}\t", "L{}: ", "{}|")


def some_prefixes(pieces: list[Piece], rng: random.Random) -> list[Piece]:
    """The prefixes of some view, before some of the lines that were copied."""
    prefix = rng.choice(PREFIXES)
    made = []
    for piece in pieces:
        number, lines = piece.line, []
        for tag, text in piece.lines:
            copied = tag != "+" and rng.random() < 0.7
            lines.append((tag, prefix.format(number) + text if copied else text))
            number += tag != "+"
        made.append(piece._replace(lines=lines))
    return made


def first_flush(pieces: list[Piece], rng: random.Random) -> list[Piece] | None:
    """The first old line and the first new one without their indentation: copied from their first word on."""
    made = []
    for piece in pieces:
        lines, left = [], {"-", "+"} if indent_of(piece.old[0]) else set()
        for tag, text in piece.lines:
            sides = left & ({"-", "+"} if tag == " " else {tag})
            lines.append((tag, text.lstrip(" \t") if sides else text))
            left -= sides
        made.append(piece._replace(lines=lines))
    return made if made != pieces else None


def blank_around(pieces: list[Piece], rng: random.Random) -> list[Piece]:
    """Blank lines above and below what is copied."""
    blank = rng.choice(["", "    "])
    return [piece._replace(lines=[(" ", blank), *piece.lines, (" ", blank)]) for piece in pieces]


def blanks(count: int) -> Callable[[list[Piece], random.Random], list[Piece] | None]:
    """Every blank line that stays written so many times."""

    def make(pieces: list[Piece], rng: random.Random) -> list[Piece] | None:
        made = []
        for piece in pieces:
            lines: Lines = []
            for tag, text in piece.lines:
                lines += [(tag, text)] * (count if tag == " " and not text.strip() else 1)
            made.append(piece._replace(lines=lines))
        return made if made != pieces else None

    return make


def beside_removed(lines: Lines, n: int) -> bool:
    """A context line that isn't blank, in a hunk in which others go."""
    return is_context(lines, n) and bool(lines[n][1].strip()) and any(tag == "-" for tag, _ in lines)


def turned(pieces: list[Piece], rng: random.Random) -> list[Piece] | None:
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
STATED = (*SIGNED, *SEQUENTIAL)  # formats that state the old text; in others each line shown is the new text
SHOWN = (*STATED, "elided")  # formats that show lines which stay: those tell the file's indentation

FLUSH = "first line flush"  # it stands in the file to the letter, from inside a line on, and means what was meant

HUNK_SPOILS = (
    Spoil("none", lambda pieces, rng: pieces),
    Spoil("outdented", outdented, formats=SHOWN),
    Spoil("deeper", deeper, formats=SHOWN),
    # CHUNK's own rule: a payload is aligned to the marker's first line, whatever the other lines' depth.
    Spoil(
        "flattened",
        flattened(lambda tag, text: text.lstrip(" \t")),
        kept=False,
        formats=SHOWN,
    ),
    Spoil(
        "old flattened, new not",
        flattened(unless_added(lambda text: text.lstrip(" \t"))),
        kept=False,
        formats=SHOWN,
    ),
    Spoil("spaces to tabs", indented(lambda pad: pad.replace("    ", "\t")), formats=SHOWN),
    Spoil("tabs to spaces", indented(lambda pad: pad.replace("\t", "    ")), formats=SHOWN),
    Spoil("two for four", rescaled, formats=SHOWN),
    Spoil("indentation uneven", indented(two_for_four), kept=False, formats=SHOWN),
    Spoil("trailing space", each_line(unless_added(lambda text: text + "  ")), formats=SHOWN),
    Spoil("no trailing space", without_trailing, formats=SHOWN),
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
    Spoil("out of order", turned, alone=True),
    # Where the hunk fits twice, saying it twice is how to mean both places.
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
    # What real answers do (nobody is asked to read all of it; none of it may be read wrongly).
    # CHUNK aligns a payload to the marker, by its own rules.
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

"""Hunks as a model thinks of them, each format as a model writes it, and the mistakes that models make.

A mistake is a function from hunks to hunks, or from the text of a patch to another text; None if it can't be made there.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any, NamedTuple

Lines = list[tuple[str, str]]


class Piece(NamedTuple):
    """A hunk: lines with their tags, the number of its first line, the heading above it."""

    lines: Lines
    line: int
    heading: str

    @property
    def old(self) -> list[str]:
        return [text for tag, text in self.lines if tag != "+"]

    @property
    def new(self) -> list[str]:
        return [text for tag, text in self.lines if tag != "-"]


Spoilt = list[Piece] | None
Spoiler = Callable[[list[Piece], random.Random], Spoilt]


def indent_of(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" \t"))]


def pads(lines: list[str]) -> set[str]:
    return {indent_of(line) for line in lines if line.strip()}


# ── the formats ──────────────────────────────────────────────────────────────────────────────────


def begin_patch(path: str, pieces: list[Piece], rng: random.Random) -> str:
    headed = rng.random() < 0.3
    text = f"*** Begin Patch\n*** Update File: {path}\n"
    for piece in pieces:
        text += f"@@ {piece.heading}".rstrip() + "\n" if headed else "@@\n"
        text += "".join(f"{tag}{line}\n" for tag, line in piece.lines)
    return text + "*** End Patch\n"


def unified(path: str, pieces: list[Piece], rng: random.Random) -> str:
    text, drift = f"--- a/{path}\n+++ b/{path}\n", 0
    for piece in pieces:
        old, new = len(piece.old), len(piece.new)
        text += f"@@ -{piece.line},{old} +{piece.line + drift},{new} @@{' ' + piece.heading if piece.heading else ''}\n"
        text += "".join(f"{tag}{line}\n" for tag, line in piece.lines)
        drift += new - old
    return text


def search_replace(path: str, pieces: list[Piece], rng: random.Random) -> str:
    blocks = (f"<<<<<<< SEARCH\n{block(piece.old)}=======\n{block(piece.new)}>>>>>>> REPLACE\n" for piece in pieces)
    return path + "\n" + "\n".join(blocks)


def json_edits(path: str, pieces: list[Piece], rng: random.Random) -> str:
    edits = [{"old_string": "\n".join(piece.old), "new_string": "\n".join(piece.new)} for piece in pieces]
    if rng.random() < 0.5:
        return json.dumps({"file_path": path, "edits": edits}, ensure_ascii=False, indent=1) + "\n"
    return json.dumps([{"file_path": path, **edit} for edit in edits], ensure_ascii=False, indent=1) + "\n"


def chunk(path: str, pieces: list[Piece], rng: random.Random) -> str:
    text = "operations:\n"
    for piece in pieces:
        text += f"  - path: {path}\n    op: replace_text\n"
        first = len(indent_of(next(line for line in piece.old if line.strip())))
        for key, lines in (("marker", piece.old), ("payload", piece.new)):
            body = [line[first:] if aligned(piece) else line for line in lines]
            text += f"    {key}: {'|-' if aligned(piece) and starts_flush(body) else '|2-'}\n"
            text += block(["      " + line if line.strip(" \t") else "" for line in body])
        text += "" if aligned(piece) else "    options:\n      indent: none\n"
    return text


def aligned(piece: Piece) -> bool:
    """Return True if the first old line is the outermost, so that CHUNK's own alignment suffices."""
    first = indent_of(next(line for line in piece.old if line.strip()))
    return all(pad.startswith(first) for pad in pads([text for _, text in piece.lines]))


def starts_flush(lines: list[str]) -> bool:
    first = next((line for line in lines if line.strip()), "")
    return bool(first) and not indent_of(first)


def block(lines: list[str]) -> str:
    return "".join(line + "\n" for line in lines)


# How each format is written, and how many lines of context models give.
WRITERS: dict[str, tuple[Callable[[str, list[Piece], random.Random], str], tuple[int, ...]]] = {
    "begin-patch": (begin_patch, (1, 2, 3)),
    "unified": (unified, (3,)),
    "search-replace": (search_replace, (1, 2)),
    "json-edits": (json_edits, (1, 2)),
    "chunk": (chunk, (1, 2)),
}
SIGNED = ("begin-patch", "unified")
SEQUENTIAL = ("search-replace", "json-edits", "chunk")
PATHS = (*WRITERS, "chunk-v2")


class Spoil(NamedTuple):
    """A mistake. `kept`: the patch still has its meaning, so refusing it is a loss. `loose`: comments don't show the place.

    `alone`: only for hunks with one place; with several, the mistake makes another one right.
    """

    name: str
    make: Callable[..., Any]
    kept: bool = True
    formats: tuple[str, ...] = tuple(WRITERS)
    loose: bool = False
    alone: bool = False


# ── mistakes in hunks ────────────────────────────────────────────────────────────────────────────


def each_line(edit: Callable[[str, str], str]) -> Spoiler:
    """Make a mistake in all lines; `edit` gets the tag and the text of each."""

    def make(pieces: list[Piece], rng: random.Random) -> Spoilt:
        spoilt = [piece._replace(lines=[(tag, edit(tag, text)) for tag, text in piece.lines]) for piece in pieces]
        return spoilt if spoilt != pieces else None

    return make


def one_line(fits: Callable[[Lines, int], bool], edit: Callable[[str, random.Random], list[str]]) -> Spoiler:
    """Make a mistake at one line of one piece: `edit` returns the texts that replace it."""

    def make(pieces: list[Piece], rng: random.Random) -> Spoilt:
        spots = [(p, n) for p, piece in enumerate(pieces) for n in range(len(piece.lines)) if fits(piece.lines, n)]
        if not spots:
            return None
        p, n = rng.choice(spots)
        lines = pieces[p].lines
        tag, text = lines[n]
        spoilt = pieces[p]._replace(lines=[*lines[:n], *((tag, new) for new in edit(text, rng)), *lines[n + 1 :]])
        return [*pieces[:p], spoilt, *pieces[p + 1 :]]

    return make


def unless_added(edit: Callable[[str], str]) -> Spoiler:
    return each_line(lambda tag, text: text if tag == "+" else edit(text))


def outdented(pieces: list[Piece], rng: random.Random) -> Spoilt:
    spoilt = [shifted(piece, lambda pad, common: pad[len(common) :]) for piece in pieces]
    return spoilt if spoilt != pieces else None


def deeper(pieces: list[Piece], rng: random.Random) -> Spoilt:
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


def indented(edit: Callable[[str], str]) -> Spoiler:
    """Change the indentation throughout, if the old lines show every change of it that the new lines have."""

    def make(pieces: list[Piece], rng: random.Random) -> Spoilt:
        reindent = each_line(lambda tag, text: edit(indent_of(text)) + text.lstrip(" \t") if text.strip() else text)
        for piece in pieces:
            old, new = ({edit(pad) != pad for pad in pads(lines)} for lines in (piece.old, piece.new))
            # If deeper lines became as shallow as others, or shallower, the patch would say something else.
            depths = sorted(pads([text for _, text in piece.lines]), key=len)
            blurred = any(len(edit(outer)) >= len(edit(inner)) for outer, inner in pairwise(depths))
            if blurred or (True in new and True not in old):
                return None
        return reindent(pieces, rng)

    return make


def without_trailing(pieces: list[Piece], rng: random.Random) -> Spoilt:
    """Remove trailing spaces, unless they are what the patch changes."""
    for piece in pieces:
        added = {text for tag, text in piece.lines if tag == "+"}
        if any(tag == "-" and text != text.rstrip() in added for tag, text in piece.lines):
            return None
    return unless_added(str.rstrip)(pieces, rng)


def is_context(lines: Lines, n: int) -> bool:
    return lines[n][0] == " " and len(lines[n][1].strip()) > 3


def inside_context(lines: Lines, n: int) -> bool:
    """Return True for a context line between lines that stay: it doesn't show where new lines go."""
    return lines[n][0] == " " and all(0 <= m < len(lines) and lines[m][0] != "+" for m in (n - 1, n + 1))


def is_old(lines: Lines, n: int) -> bool:
    return lines[n][0] in " -" and len(lines[n][1].strip()) > 5


def slipped(text: str, rng: random.Random) -> str:
    """Return a text with a letter lost, doubled or replaced."""
    spots = [at for at, char in enumerate(text) if char.isalpha()] or [len(text.rstrip()) - 1]
    at = rng.choice(spots)
    return text[:at] + rng.choice(["", "q", text[at] * 2]) + text[at + 1 :]


def commentless(pieces: list[Piece], rng: random.Random) -> Spoilt:
    """Leave out comments between lines of context, and those at the ends of such lines."""

    def is_idle_comment(lines: Lines, n: int) -> bool:
        directive = "include|define|undef|if|el|end|pragma|error|warning|line"
        return inside_context(lines, n) and bool(re.match(rf"\s*(#(?!\s*(?:{directive}))|//)\s", lines[n][1]))

    def cut(tag: str, text: str) -> str:
        code = re.match(r"""(\s*[^\s#/"'`][^#/"'`]*?)\s+(?:# |// |/\*[^*]*\*/$).*$""", text) if tag == " " else None
        return code[1] if code else text

    spoilt = [
        piece._replace(lines=[line for n, line in enumerate(piece.lines) if not is_idle_comment(piece.lines, n)])
        for piece in pieces
    ]
    spoilt = [piece._replace(lines=[(tag, cut(tag, text)) for tag, text in piece.lines]) for piece in spoilt]
    return spoilt if spoilt != pieces else None


def typographic(text: str) -> str:
    for plain, fancy in (("'", "’"), ('"', "”"), (" - ", " – "), ("...", "…")):
        text = text.replace(plain, fancy)
    return text


def nbsp(text: str) -> str:
    return indent_of(text) + text.lstrip(" \t").replace(" ", "\u00a0", 2)


MARKS = ["# ... rest unchanged ...", "// ... existing code ...", "# ...", "/* ... */", "// rest of the code unchanged"]


def left_out(pieces: list[Piece], rng: random.Random) -> Spoilt:
    """Replace inner context lines of the new text with "rest unchanged".

    Not next to lines that are only removed: there the mark would say that they stay.
    """
    mark = rng.choice(MARKS)
    tags = ("".join(tag for tag, _ in piece.lines) for piece in pieces)
    if any("+" not in group for each in tags for group in re.findall("[-+]+", each)):
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


def neighbours_swapped(pieces: list[Piece], rng: random.Random) -> Spoilt:
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


def numbered(pieces: list[Piece], rng: random.Random) -> list[Piece]:
    """Put the line number, as a viewer shows it, before every copied line."""
    prefix = rng.choice(("{}: ", "{} | ", "{}→", "{:>6}\t", "L{}: ", "{}|"))
    spoilt = []
    for piece in pieces:
        number, lines = piece.line, []
        for tag, text in piece.lines:
            lines.append((tag, text if tag == "+" else prefix.format(number) + text))
            number += tag != "+"
        spoilt.append(piece._replace(lines=lines))
    return spoilt


def first_flush(pieces: list[Piece], rng: random.Random) -> Spoilt:
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


def blankless(pieces: list[Piece], rng: random.Random) -> Spoilt:
    """Drop all blank context lines."""
    spoilt = [
        piece._replace(lines=[line for line in piece.lines if line[0] != " " or line[1].strip()]) for piece in pieces
    ]
    return spoilt if spoilt != pieces else None


def blank_between(lines: Lines, n: int) -> bool:
    texts = [lines[m][1].strip() for m in (n - 1, n)]
    return n > 0 and lines[n][0] == lines[n - 1][0] == " " and all(texts)


FLUSH = "first line flush"  # the file has this text exactly, from inside a line on

HUNK_SPOILS = (
    Spoil("none", lambda pieces, rng: pieces),
    Spoil("outdented", outdented),
    Spoil("deeper", deeper),
    Spoil("spaces to tabs", indented(lambda pad: pad.replace("    ", "\t"))),
    Spoil("tabs to spaces", indented(lambda pad: pad.replace("\t", "    "))),
    Spoil("trailing space", unless_added(lambda text: text + "  ")),
    Spoil("no trailing space", without_trailing),
    Spoil("blank dropped", one_line(lambda lines, n: inside_context(lines, n) and not lines[n][1].strip(), lambda *_: [])),
    Spoil("blank added", one_line(blank_between, lambda text, rng: ["", text])),
    Spoil("blanks dropped", blankless, kept=False),
    Spoil("comments dropped", commentless, loose=True),
    Spoil("typographic", unless_added(typographic)),
    Spoil("nbsp", unless_added(nbsp)),
    Spoil("slip in context", one_line(is_context, lambda text, rng: [slipped(text, rng)])),
    Spoil("slip in removed", one_line(lambda lines, n: is_old(lines, n) and lines[n][0] == "-", lambda text, rng: [slipped(text, rng)]), kept=False),
    Spoil("left out", left_out, kept=False),
    Spoil("restated", restated, formats=SIGNED),
    Spoil("out of order", lambda pieces, rng: pieces[::-1] if len(pieces) > 1 else None, alone=True),
    # If a hunk fits twice, writing it twice is how to edit both places.
    Spoil("hunk doubled", doubled, kept=False, alone=True),
    Spoil("context in the wrong order", neighbours_swapped, kept=False),
    Spoil("context as dots", one_line(lambda lines, n: inside_context(lines, n) and is_context(lines, n), lambda text, rng: [indent_of(text) + "..."]), kept=False),
    Spoil("context invented", one_line(is_context, lambda text, rng: [text, indent_of(text) + "assert invariant_holds(self)"]), kept=False),
    Spoil("context forgotten", one_line(is_context, lambda *_: []), kept=False),
    Spoil("line numbers", numbered, kept=False),
    Spoil("wrong lines", lambda pieces, rng: [piece._replace(line=max(1, piece.line + rng.choice([-40, -7, -1, 1, 3, 25, 10000]))) for piece in pieces], formats=("unified",), alone=True),
    # Real answers do this: they may be refused, but not applied wrongly. CHUNK aligns a payload to the marker.
    Spoil(FLUSH, first_flush, kept=False, formats=(*SIGNED, "search-replace", "json-edits")),
    Spoil("escaped once more", each_line(lambda tag, text: text.replace("\\", "\\\\").replace('"', '\\"')), kept=False),
)  # fmt: skip


# ── mistakes in the text of a patch ──────────────────────────────────────────────────────────────


def in_prose(text: str, path: str, rng: random.Random) -> str:
    return f"I'll make the change you asked for.\n\n{text}\nThis keeps the old behaviour - let me know!\n"


def fenced(text: str, path: str, rng: random.Random) -> str:
    ticks = "````" if "```" in text else "```"
    return f"{ticks}{rng.choice(['', 'diff', 'text'])}\n{text}{ticks}\n"


def padded(text: str, path: str, rng: random.Random) -> str:
    pad = rng.choice(["    ", "  ", "\t"])
    return "".join(pad + line + "\n" if line else "\n" for line in text.removesuffix("\n").split("\n"))


def tagged(text: str, path: str, rng: random.Random) -> str:
    name = rng.choice(["patch", "diff", "answer", "edit"])
    return f"<{name}>\n{text}</{name}>\n"


def miscounted(text: str, path: str, rng: random.Random) -> str:
    def header(match: re.Match[str]) -> str:
        return f"{match[1]},{int(match[2]) + rng.randint(-2, 3)} {match[3]},{int(match[4]) + rng.randint(-2, 3)}"

    return re.sub(r"(?m)^(@@ -\d+),(\d+) (\+\d+),(\d+)", header, text)


def renumbered(text: str, path: str, rng: random.Random) -> str:
    """Give hunks numbers and counts at random."""
    header = r"(?m)^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@"
    return re.sub(header, lambda _: "@@ -{},{} +{},{} @@".format(*(rng.randint(0, 60) for _ in range(4))), text)


def bare_headers(text: str, path: str, rng: random.Random) -> str:
    return re.sub(r"(?m)^@@.*$", rng.choice(["@@ ... @@", "@@", "@@ @@"]), text)


def decorated(text: str, path: str, rng: random.Random) -> str:
    return re.sub(r"(?m)^@@ ?(?!-)(.*)$", lambda m: rng.choice([f"@@ -1,4 +1,5 @@ {m[1]}", f"@@ {m[1]} @@"]), text)


def cut_off(text: str, path: str, rng: random.Random) -> str | None:
    lines = text.removesuffix("\n").split("\n")
    # Cut right before another hunk, or before a word on the final newline, the text is whole.
    whole = ("@@", "<<<<<<<", "\\")
    spots = [at for at in range(3, len(lines)) if lines[at].strip() and not lines[at].startswith(whole)]
    return "\n".join(lines[: rng.choice(spots)]) + "\n" if spots else None


def without(pattern: str) -> Callable[[str, str, random.Random], str]:
    return lambda text, path, rng: re.sub(rf"(?m)^{pattern}\n", "", text)


def path_as(edit: Callable[[str], str]) -> Callable[[str, str, random.Random], str]:
    return lambda text, path, rng: text.replace(path, edit(path))


TEXT_SPOILS = (
    Spoil("prose", in_prose, formats=PATHS),
    Spoil("fence", fenced, formats=PATHS),
    Spoil("fence in prose", lambda text, path, rng: in_prose(fenced(text, path, rng), path, rng), formats=PATHS),
    Spoil("CRLF patch", lambda text, path, rng: text.replace("\n", "\r\n"), formats=PATHS),
    Spoil("BOM", lambda text, path, rng: "\ufeff" + text, formats=PATHS),
    Spoil("uniformly indented", padded, formats=PATHS),
    Spoil("in tags", tagged, formats=PATHS),
    Spoil("no final newline", lambda text, path, rng: text.rstrip("\n"), formats=PATHS),
    Spoil("miscounted", miscounted, formats=("unified",)),
    Spoil("numbers and counts at random", renumbered, formats=("unified",), kept=False, alone=True),
    Spoil("bare headers", bare_headers, formats=("unified",)),
    Spoil("decorated headers", decorated, formats=("begin-patch",), alone=True),
    Spoil("no sign on context", lambda text, path, rng: re.sub(r"(?m)^ (?=[^\n])", "", text), formats=SIGNED),
    Spoil("cut off", cut_off, formats=(*SIGNED, "search-replace", "json-edits"), kept=False),
    Spoil("no envelope", without(r"\*\*\* (?:Begin|End) Patch"), formats=("begin-patch",)),
    Spoil("no end", without(r"\*\*\* End Patch"), formats=("begin-patch",), kept=False),
    Spoil("no old name", without("--- a/.*"), formats=("unified",)),
    Spoil("no new name", without(r"\+\+\+ b/.*"), formats=("unified",)),
    Spoil("no opening mark", without("<<<<<<< SEARCH"), formats=("search-replace",), kept=False),
    Spoil("no closing mark", without(">>>>>>> REPLACE"), formats=("search-replace",), kept=False),
    Spoil("path with a/", path_as(lambda path: "a/" + path), formats=PATHS),
    Spoil("path with backslashes", path_as(lambda path: path.replace("/", "\\")), formats=("begin-patch", "unified", "search-replace")),
    Spoil("path in capitals", path_as(str.upper), kept=False, formats=PATHS),
    Spoil("path lost a folder", path_as(lambda path: path.split("/", 1)[1]), formats=PATHS),
    Spoil("path lost all folders", path_as(lambda path: path.rsplit("/", 1)[1]), kept=False, formats=PATHS),
    # If a hunk fits twice, writing it twice is how to edit both places.
    Spoil("sent twice", lambda text, path, rng: text + "\n" + text, kept=False, alone=True, formats=PATHS),
)  # fmt: skip

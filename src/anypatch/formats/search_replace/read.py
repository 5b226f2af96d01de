"""Reads SEARCH/REPLACE blocks below a path, as aider, Cline and Roo have them, and merge conflicts used as edits.

    answer   = { [ path ] block }                 a block without a path is for the file of the one before
    block    = "<<<<<<< SEARCH" [ line N | PATH ] { ":start_line: N" | ":end_line: N" } [ "-------" ]
               { old } "=======" { new } ">>>>>>> REPLACE"
    conflict = "<<<<<<< ours" { old } [ "||||||| base" { line } ] "=======" { new } ">>>>>>> theirs"
    tags     = [ "<file>" PATH "</file>" ] "<original>" old "</original>" "<patched>" new "</patched>"
               or other names for the two texts (`_TAGS`)
    fence    = "```" { kept } { "<<<<" { old } "====" { new } ">>>>" { kept } } "```"      as mpatch has it, or with
               the words, `<<<< SEARCH` and `>>>> REPLACE`

Markers have five to nine signs; Cline's own, `------- SEARCH` and `+++++++ REPLACE`, three or more. A backslash before
a marker makes it a line of the text. In a fence the SEARCH line may be missing, and the REPLACE line, too. Finds no
place in any file.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

from ...answer.dialects import TAGGED
from ...answer.fences import contents, fence_of, fences, unwrapped
from ...answer.labels import (
    is_known_name,
    is_tag,
    looks_like_path,
    path_in,
    path_in_tag,
    path_in_title,
    path_line,
    path_on,
)
from ...answer.marks import cut_at_marks
from ...model import ANYWHERE, TOLERANT, Edit, Hunk, Note, Op, Patch, Where, Write, join_lines, split_lines
from ...problems import Problem, bad, no_file
from ...text import BLANK, indent_of, is_blank, patch_lines
from .. import CONFLICT
from ..common import cut_before_block, is_cut_marker

if TYPE_CHECKING:
    from ...answer.fences import Region
    from ...limits import Tally

_NAME = "search-replace"
_PATH_ADVICE = "Write the file's path alone on the line above the block."
_ESCAPE_ADVICE = "Put a backslash before a marker that is part of the text (`\\=======`)."
_ABOVE = 3  # how many lines of text above a block may hold its path
_REACH = 12  # how many lines are looked at for them
_ENOUGH = 10_000  # blocks that can't be read: the rest isn't a patch either
_CLAIMS = (":start_line:", ":end_line:")
_PAGES = (".md", ".mdx", ".markdown", ".rst", ".txt", ".adoc")  # files that may hold fences


class Block(NamedTuple):
    """One block: rows of its opener and closer (0-based), old and new text in whole lines, line numbers it claims.

    `label`: what follows the opener's marker. `problem`: why the block can't be read. `rival`: the old text if another
    line were the divider.
    """

    row: int
    end: int
    old: str
    new: str
    line: int = 0
    last: int = 0
    label: str = ""
    conflict: bool = False
    problem: Problem | None = None
    rival: str = ""


def parse(text: str, tally: Tally | None = None, file: str = "") -> Patch:
    """Read the blocks of an answer. `file`: the path of those that nothing else names."""
    lines = patch_lines(text)
    ops: list[Op] = []
    problems: list[Problem] = []
    notes: list[Note] = []
    path, floor = "", -1
    for block in _without_quotes(lines, list(_blocks(lines)), notes):
        label = _path_above(lines, block, floor, path)
        if block.conflict and not (label and label.sure):
            continue
        own = _path_of(block, label, path, file)
        floor = block.end
        path = own if isinstance(own, str) else path
        problem = block.problem or (own if isinstance(own, Problem) else None)
        if problem is None:
            ops.append(_op(block, path, notes))
            if tally is not None:
                tally(ops)
            continue
        problems.append(problem._replace(path=path))
        if len(problems) == _ENOUGH:
            detail = f"{_ENOUGH} blocks can't be read; the rest was not looked at"
            problems.append(bad(block.row + 1, detail, "Write the patch again, following the format."))
            break
    if ops and not problems:
        problems += _cut_marker(lines, floor)
    elif not problems:
        advice = "Write the file's path on a line, and `<<<<<<< SEARCH` below it."
        problems.append(bad(1, "there is no search/replace block", advice))
    return Patch(_NAME, tuple(ops), "", tuple(problems), tuple(notes))


def _cut_marker(lines: list[str], floor: int) -> list[Problem]:
    """The problem of an answer that ends in the middle of the next block's marker."""
    last = len(lines) - 1
    while last > floor and not lines[last].strip():
        last -= 1
    return [cut_before_block(last + 1)] if last > floor and is_cut_marker(lines[last].strip()) else []


def sniff(text: str) -> int:
    """How much a text looks like search/replace blocks."""
    lines = patch_lines(text)
    if "</" in text and any(_tagged(lines, row) for row in range(len(lines))):
        return 95
    if has_short_signs(lines) and any(_short_signs(lines, row) for row in range(len(lines))):
        return 95
    kinds = set()
    for mark in _marks(lines):
        kinds.add(mark.kind)
        if {OPEN, DIVIDE, CLOSE} <= kinds:
            return 95
    if OPEN in kinds:
        return 60 if DIVIDE in kinds else 45
    if {DIVIDE, CLOSE} <= kinds:
        return 45
    if {CONFLICT, DIVIDE, CONFLICT_END} <= kinds:
        return 60 if parse(text).ops else 10
    return 0


def opens(lines: list[str], row: int) -> str:
    """The format's name if a block begins at a row, "conflict" for a conflict; else ""."""
    if _tagged(lines, row) is not None:
        return _NAME
    mark = _mark(row, lines[row])
    return _OPENS.get(mark.kind, "") if mark is not None else ""


def closes(line: str) -> str:
    """The format's name if a line ends a block, "conflict" for a conflict; else ""."""
    if line.strip().endswith(_CLOSING_TAGS):
        return _NAME
    mark = _mark(0, line)
    return _CLOSES.get(mark.kind, "") if mark is not None else ""


def block_end(lines: list[str], row: int, limit: int, fenced: bool) -> int:
    """The row after the block that begins at a row; one that never closes goes up to the next one, or to the limit."""
    tagged = _tagged(lines, row)
    if tagged is not None:
        return tagged.end + 1
    opener = _mark(row, lines[row])
    if opener is not None and opener.kind == CONFLICT:
        conflict = _conflict(lines, opener, _marks(lines, row + 1))
        return conflict.end + 1 if conflict is not None else -1
    divided = False
    for mark in _marks(lines, row + 1):
        if mark.kind == OPEN:
            return min(mark.row, limit)
        divided = divided or mark.kind == DIVIDE
        if mark.kind == CLOSE or (mark.kind == BARE_CLOSE and divided):
            return mark.row + 1
    return limit


# ── markers ──────────────────────────────────────────────────────────────────────────────────────

OPEN, DIVIDE, CLOSE, BARE_CLOSE, BASE, CONFLICT_END = "open", "divide", "close", "bare close", "base", "conflict end"
_OPENS = {OPEN: _NAME, CONFLICT: CONFLICT}
_CLOSES = {CLOSE: _NAME, CONFLICT_END: CONFLICT}
_STARTS = frozenset(("<<<", "---", "===", ">>>", "+++", "|||"))
_ESCAPABLE = ("<" * 5, "=" * 5, ">" * 5, "-" * 5, "+" * 5, "|" * 7, *_CLAIMS)


class Mark(NamedTuple):
    """A marker: on which row (0-based), of what kind, how many signs, how far indented, what else the line says."""

    row: int
    kind: str
    sign: str
    size: int
    indent: str
    rest: str = ""


def _marks(lines: list[str], start: int = 0) -> Iterator[Mark]:
    """All markers from a row on."""
    for row in range(start, len(lines)):
        if lines[row].lstrip(" \t")[:3] in _STARTS and (parts := _parts(lines[row])) is not None:
            yield Mark(row, *parts)


def _mark(row: int, line: str) -> Mark | None:
    """A line as a marker; None if it isn't one."""
    parts = _parts(line) if line.lstrip(" \t")[:3] in _STARTS else None
    return Mark(row, *parts) if parts is not None else None


@lru_cache(maxsize=256)  # all blocks have the same
def _parts(line: str) -> tuple[str, str, int, str, str] | None:
    """The kind, sign, size, indentation and rest of a marker's line."""
    bare = line.strip(" \t")
    sign = bare[0]
    rest = bare.lstrip(sign)
    size = len(bare) - len(rest)
    rest = rest.strip()
    kind = _kind(sign, size, rest)
    if not kind:
        return None
    return kind, sign, size, indent_of(line), rest.partition(" ")[2].strip() if kind == OPEN else rest


def _kind(sign: str, size: int, rest: str) -> str:
    """The kind of marker that so many signs and a rest make, "" for none."""
    word = rest.partition(" ")[0].rstrip(">:").upper()
    usual = 5 <= size <= 9
    if sign == "=":
        return DIVIDE if not rest else ""
    if sign == "<":
        return OPEN if usual and word in ("SEARCH", "ORIGINAL") else CONFLICT if size == 7 else ""
    if sign == ">":
        if usual and (word in ("REPLACE", "UPDATED") or not rest):
            return CLOSE if rest else BARE_CLOSE
        return CONFLICT_END if size == 7 else ""
    if sign == "|":
        return BASE if size == 7 else ""
    if sign == "-":
        return OPEN if word == "SEARCH" else ""
    return CLOSE if word == "REPLACE" else ""


def unescaped(line: str) -> str:
    """A line of the text, without the backslash that says that it isn't a marker."""
    bare = line.lstrip(" \t")
    if bare[:1] != "\\" or not bare.lstrip("\\").startswith(_ESCAPABLE):
        return line
    return line[: len(line) - len(bare)] + bare[1:]


def escaped(line: str) -> str:
    """The line as it is written inside a block."""
    bare = line.lstrip(" \t")
    if not bare.lstrip("\\").startswith(_ESCAPABLE):
        return line
    return line[: len(line) - len(bare)] + "\\" + bare


# ── blocks ───────────────────────────────────────────────────────────────────────────────────────


def _blocks(lines: list[str]) -> Iterator[Block]:
    """Every block in order, those that can't be read with the problem."""
    marks: list[Mark] = []
    firsts = _FIRSTS | _FENCES if has_short_signs(lines) else _FIRSTS
    is_open = False  # between a SEARCH line and its REPLACE line tags are text
    floor = 0
    for row in [row for row, line in enumerate(lines) if line.lstrip(" \t")[:3] in firsts]:
        if row < floor:
            continue
        mark = _mark(row, lines[row])
        if mark is not None:
            marks.append(mark)
            is_open = mark.kind == OPEN or (is_open and mark.kind != CLOSE)
        elif not is_open and (block := _tagged(lines, row) or _short_signs(lines, row)) is not None:
            yield from _marked(lines, marks)
            marks = []
            yield block
            floor = block.end + 1
    yield from _marked(lines, marks)


def _marked(lines: list[str], given: list[Mark]) -> Iterator[Block]:
    """The blocks between some markers."""
    marks = _with_openers(lines, given)
    at = 0
    while at < len(marks):
        opener = marks[at]
        at += 1
        if opener.kind == OPEN:
            start = at
            while at < len(marks) and marks[at].kind != OPEN:
                at += 1
            yield _block(lines, opener, marks[start:at])
        elif opener.kind == CONFLICT:
            conflict = _conflict(lines, opener, (marks[later] for later in range(at, len(marks))))
            if conflict is not None:
                yield conflict
            while conflict is not None and at < len(marks) and marks[at].row <= conflict.end:
                at += 1


def _with_openers(lines: list[str], marks: list[Mark]) -> list[Mark]:
    """The markers, with one for each SEARCH line that is missing where the block's fence begins."""
    whole: list[Mark] = []
    regions: list[Region] = []
    is_open, floor = False, -1
    for at, mark in enumerate(marks):
        if mark.kind == DIVIDE and not is_open and at + 1 < len(marks) and marks[at + 1].kind == CLOSE:
            regions = regions or list(fences(lines))
            row = _fence_around(lines, regions, floor, marks[at + 1].row)
            if row >= 0:
                path = path_on(lines[row + 1])
                whole.append(Mark(row + bool(path), OPEN, "<", mark.size, mark.indent, path))
        is_open = mark.kind in (OPEN, CONFLICT) or (is_open and mark.kind not in (CLOSE, CONFLICT_END))
        floor = mark.row
        whole.append(mark)
    return whole


def _fence_around(lines: list[str], regions: list[Region], floor: int, last: int) -> int:
    """The row of the fence that opens after one row and closes after another; -1 if there is none.

    p.md
    ```{eval-rst}              not a fence of the answer, which would close it again: a line to find in p.md
    .. module:: a
    =======
    ```{module} a
    >>>>>>> REPLACE
    """
    at = bisect_left(regions, last, key=lambda region: region.start) - 1
    if at < 0 or not regions[at].closed or regions[at].end < last or regions[at].start - 1 <= floor:
        return -1
    opener, closer = fence_of(lines[regions[at].start - 1]), fence_of(lines[regions[at].end])
    return regions[at].start - 1 if opener and closer and opener.run == closer.run else -1


def _block(lines: list[str], opener: Mark, inner: list[Mark]) -> Block:
    """The block between an opener and the next one."""
    closer = _closer(lines, opener, inner)
    if isinstance(closer, Problem):
        return _unreadable(opener, closer)
    dividers = _dividers(lines, opener, [mark for mark in inner if mark.row < closer.row])
    if not dividers:
        detail = "the block has no divider (`=======`) between the text to find and the new text"
        advice = "Write SEARCH, the old lines, `=======`, the new lines, REPLACE."
        return _unreadable(opener, bad(opener.row + 1, detail, advice))
    divider, rival = dividers[0].row, ""
    head, line, last = _claims(lines, opener, divider)
    start = divider + 1
    old = _text(lines[head:divider], opener.indent)
    if len(dividers) == 2 and is_blank("".join(lines[start : dividers[1].row])) and dividers[1].row > head + 1:
        # The divider was written twice, as for an empty REPLACE; a blank line above it isn't text either.
        start, rival = dividers[1].row + 1, f"{old}{lines[divider]}\n"
        kept = split_lines(old)
        while len(kept) > 1 and not kept[-1].strip():
            kept.pop()
        old = join_lines(kept)
    elif len(dividers) > 1 and (divider > head or line):  # right below its opener it makes a file with such lines
        rows = ", ".join(str(mark.row + 1) for mark in dividers[:5])
        detail = f"more than one line may be the block's divider (lines {rows})"
        return _unreadable(opener, bad(opener.row + 1, detail, _ESCAPE_ADVICE))
    new = _text(lines[start : closer.row], opener.indent)
    if _CLAIMS[0] in new or _CLAIMS[1] in new:
        for row in range(start, closer.row):
            if (claim := lines[row].strip()).startswith(_CLAIMS):
                detail = f"`{claim[:40]}` is in the new text (line {row + 1}) and would be written to the file"
                advice = "Put it right below SEARCH, or a backslash before it if it is text."
                return _unreadable(opener, bad(opener.row + 1, detail, advice))
    return Block(opener.row, closer.row, old, new, line, last, opener.rest, rival=rival)


_TAGS = {row.old: row.new for row in TAGGED}
# What lines begin with that may be of a block, or of the fence around one.
_TAG_SIGNS = ("<file>", *(f"<{tag}" for tag in _TAGS))
_FIRSTS = _STARTS.union(sign[:3] for sign in _TAG_SIGNS)
_FENCES = frozenset(("```", "~~~"))
_CLOSING_TAGS = tuple(f"</{tag}>" for tag in _TAGS.values())
_ONLY_OURS = ("original", "old_text")  # no page has such elements: one that isn't closed was cut off
_TAG_OPENING = (
    r"^[ \t]*+(?:<file>[ \t]*+([^<>\n]{1,300})</file>\s*+)?"
    rf"""<({"|".join(_TAGS)})(?:[ \t]++line[ \t]*+=[ \t]*+["']?(\d{{1,8}})["']?)?[ \t]*+>"""
)


def _tagged(lines: list[str], row: int) -> Block | None:
    """The block of two elements that begins at a row, or None. It ends before the next such row."""
    opening = re.match(_TAG_OPENING, lines[row]) if lines[row].lstrip(" \t").startswith(_TAG_SIGNS) else None
    if opening is None:
        return None
    old = _element(lines, row, opening.end(), opening[2])
    if old is None:
        return _cut_off(row, opening[2]) if opening[2] in _ONLY_OURS else None
    at, column, tag = old.row, old.column, _TAGS[opening[2]]
    while at + 1 < len(lines) and not lines[at][column:].strip():
        at, column = at + 1, 0
    start = re.compile(rf"[ \t]*+<{tag}>").match(lines[at], column)
    new = _element(lines, at, start.end(), tag) if start else None
    if new is None:
        return _cut_off(row, tag) if start else None
    label = (opening[1] or "").strip()
    return Block(row, new.row, join_lines(old.text), join_lines(new.text), int(opening[3] or 0), label=label)


def _cut_off(row: int, tag: str) -> Block:
    """The block at a row that lacks a closing tag."""
    detail, advice = f"the block's `</{tag}>` is missing", "Send the whole block."
    return Block(row, row, "", "", problem=Problem("truncated", detail, patch_line=row + 1, advice=advice))


class _Element(NamedTuple):
    """The lines of an element's text, and the place after its closing tag."""

    text: list[str]
    row: int
    column: int


def _element(lines: list[str], row: int, column: int, tag: str) -> _Element | None:
    """The text from a place up to the closing tag, without lines that hold only a tag."""
    text: list[str] = []
    for at in range(row, len(lines)):
        line = lines[at][column:] if at == row else lines[at]
        if at > row and re.match(_TAG_OPENING, line):
            return None
        end = line.find(f"</{tag}>")
        text.append(line if end < 0 else line[:end])
        if end >= 0:
            start = 1 if len(text) > 1 and not text[0].strip() else 0
            text = text[start : len(text) - (len(text) > 1 and not text[-1].strip())]
            return _Element(text, at, len(lines[at]) - len(line) + end + len(tag) + 3)
    return None


_SHORT = {
    "<<<<": "<<<<", "<<<< SEARCH": "<<<<", "<<<< ORIGINAL": "<<<<", "====": "====",
    ">>>>": ">>>>", ">>>> REPLACE": ">>>>", ">>>> UPDATED": ">>>>",
}  # fmt: skip


def has_short_signs(lines: list[str]) -> bool:
    """Whether there are markers of four signs among lines, all three of them."""
    return "====" in lines and {_SHORT.get(line) for line in lines} >= {"<<<<", ">>>>"}


def _short_signs(lines: list[str], row: int) -> Block | None:
    """A fence with markers of four signs, in which other lines are kept."""
    region = contents(lines, row) if fence_of(lines[row]) else None
    if region is None or not region.closed or not has_short_signs(region.body):
        return None
    if any(mark.kind == OPEN for mark in _marks(region.body)):
        return None  # then they are lines of the text in a block
    old: list[str] = []
    new: list[str] = []
    sides = [old, new]
    next_mark = "<<<<"
    for line in region.body:
        mark = _SHORT.get(line)
        if mark is not None:
            if mark != next_mark:
                return None
            next_mark = {"<<<<": "====", "====": ">>>>", ">>>>": "<<<<"}[mark]
            sides = {"<<<<": [old], "====": [new], ">>>>": [old, new]}[mark]
            continue
        for side in sides:
            side.append(line)
    return Block(row, region.end, join_lines(old), join_lines(new)) if next_mark == "<<<<" else None


def _unreadable(opener: Mark, problem: Problem) -> Block:
    """The block of an opener that has a problem."""
    return Block(opener.row, opener.row, "", "", label=opener.rest, problem=problem)


def _closer(lines: list[str], opener: Mark, inner: list[Mark]) -> Mark | Problem:
    """The one closing marker before the next block. One without its word closes only what no other one does.

    Without any, it is the closing fence below, unless the text was cut off. Cline takes `</diff>` for one, too; Roo,
    whose markers are aider's, doesn't.
    """
    closers = [mark for mark in inner if mark.kind == CLOSE]
    if len(closers) > 1:
        rows = " and ".join(str(mark.row + 1) for mark in closers[:2])
        return bad(opener.row + 1, f"the block seems to close more than once (lines {rows})", _ESCAPE_ADVICE)
    if closers:
        return closers[0]
    divider = next((mark.row for mark in inner if mark.kind == DIVIDE), None)
    bare = [mark for mark in inner if mark.kind == BARE_CLOSE and divider is not None and mark.row > divider]
    if len(bare) == 1:
        return bare[0]
    end = _outer_end(lines, divider, opener) if divider is not None and not bare else 0
    if divider is not None and end and not _may_be_cut(lines, opener, divider, end):
        return Mark(end, CLOSE, ">", opener.size, opener.indent)
    detail = "the block is never closed"
    return Problem("truncated", detail, patch_line=opener.row + 1, advice="End the block with `>>>>>>> REPLACE`.")


def _may_be_cut(lines: list[str], opener: Mark, divider: int, end: int) -> bool:
    """Whether nothing follows the fence that ends a block, and its new text doesn't end as several old lines do.

    A host may close the fence of an answer that was cut off.
    """
    old, new = (list(filter(None, map(str.strip, part))) for part in (lines[opener.row + 1 : divider], lines[:end]))
    return len(old) > 1 and old[-1] != new[-1] and not any(map(str.strip, lines[end + 1 :]))


def _outer_end(lines: list[str], divider: int, opener: Mark) -> int:
    """The row of the fence, or of Cline's `</diff>`, that ends a block without closing marker; 0: it isn't clear.

    A second closing fence below may be the block's: then the first one is a line of its text.
    """
    near = range(opener.row - 1, max(opener.row - 4, -1), -1)
    above = takewhile(lambda row: _mark(row, lines[row]) is None, near)  # not in the text of the block before
    fenced = any(fence_of(lines[row].strip()) for row in above)
    closing = 0
    for row in range(divider + 1, len(lines)):
        line = lines[row].strip()
        if line == "</diff>":
            return closing or (row if opener.sign == "-" else 0)
        mark = _mark(row, line)
        if mark is not None and mark.kind in (OPEN, CONFLICT):
            break
        fence = fence_of(line)
        if fence is not None and not closing:
            if fence.info or not fenced:
                return 0
            closing = row
        elif fence is not None:
            return closing if fence.info else 0
    return closing


def _dividers(lines: list[str], opener: Mark, inner: list[Mark]) -> list[Mark]:
    """The lines that may separate old from new: none of a conflict in the text; of several those like the opener."""
    dividers = []
    skip = -1
    for at, mark in enumerate(inner):
        if mark.kind == DIVIDE and mark.row > skip:
            dividers.append(mark)
        elif mark.kind == CONFLICT:
            conflict = _conflict(lines, mark, (inner[later] for later in range(at + 1, len(inner))))
            skip = conflict.end if conflict is not None else skip
    # Cline's own markers may be as short as three signs.
    usual = [mark for mark in dividers if 5 <= mark.size <= 9]
    dividers = usual or (dividers if opener.sign == "-" else [])
    alike = [mark for mark in dividers if mark.size == opener.size and mark.indent == opener.indent]
    return alike or dividers


def _claims(lines: list[str], opener: Mark, end: int) -> tuple[int, int, int]:
    """The row where the old text begins, and the line numbers that are claimed for it."""
    line, last = _number(opener.rest) if opener.rest else 0, 0
    row = opener.row + 1
    while row < end and (bare := lines[row].strip()).startswith(_CLAIMS):
        if bare.startswith(":start_line:"):
            line = _number(bare)
        else:
            last = _number(bare)
        row += 1
    if row > opener.row + 1 and row < end and len(bare := lines[row].strip()) >= 3 and not bare.strip("-"):
        row += 1
    return row, line, last if last >= line else 0


def _number(text: str) -> int:
    """The number after `line`, as in `SEARCH line:12` and `:start_line:12`."""
    digits = text.rpartition("line")[2].strip(" :=()#")
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 9 and "line" in text else 0


def _text(lines: list[str], indent: str) -> str:
    """The text of some lines, without the indentation of the block itself and without the escapes."""
    if indent and all(line.startswith(indent) for line in lines if line.strip()):
        lines = [line[len(indent) :] for line in lines]
    text = "\n".join([*lines, ""])
    return text if "\\" not in text else join_lines(map(unescaped, lines))


def _conflict(lines: list[str], opener: Mark, later: Iterable[Mark]) -> Block | None:
    """A conflict: our side is the old text, the other side the new one; the base says nothing."""
    base = divider = -1
    for mark in later:
        if mark.kind in (OPEN, CLOSE, CONFLICT):
            return None
        if mark.kind == BASE and divider < 0:
            base = mark.row
        elif mark.kind == DIVIDE and mark.size == 7 and divider < 0:
            divider = mark.row
        elif mark.kind in (CONFLICT_END, BARE_CLOSE) and mark.size == 7 and divider >= 0:
            old = _text(lines[opener.row + 1 : base if base >= 0 else divider], opener.indent)
            new = _text(lines[divider + 1 : mark.row], opener.indent)
            return Block(opener.row, mark.row, old, new, label=opener.rest, conflict=True)
    return None


def _without_quotes(lines: list[str], blocks: list[Block], notes: list[Note]) -> list[Block]:
    """The blocks without conflicts that are only quoted: beside other blocks, and git's own among prose."""
    conflicts = [block for block in blocks if block.conflict]
    if not conflicts:
        return blocks
    only = len(conflicts) == len(blocks)
    if only and not _has_prose(lines, blocks):
        return blocks
    quotes = {block.row for block in conflicts if not only or _is_of_git(block.label)}
    text = "a conflict was taken as a quotation, not as an edit: it is git's own, with text around it"
    notes += [Note(text, patch_line=row + 1, kind="quote") for row in sorted(quotes)]
    return [block for block in blocks if block.row not in quotes]


def _is_of_git(label: str) -> bool:
    """Whether a marker's label is one that git writes: HEAD, a branch. Models write `original`, `old`, too."""
    return label.strip().lower().rstrip(":") not in ("", "original", "old", "before", "existing", "current", "search")


def _has_prose(lines: list[str], blocks: list[Block]) -> bool:
    """Whether there is any text around the blocks but paths, fences and tags."""
    inside = {row for block in blocks for row in range(block.row, block.end + 1)}
    rest = [line.strip() for row, line in enumerate(lines) if row not in inside]
    return any(line and line[0] not in "`~<" and path_line(line) is None for line in rest)


# ── which file ───────────────────────────────────────────────────────────────────────────────────


class Label(NamedTuple):
    """The path above a block; `sure`: it is alone on its line, not in the middle of prose."""

    path: str
    sure: bool


def _path_of(block: Block, label: Label | None, last: str, file: str) -> str | Problem:
    """The block's path: on its marker, above it, or the last one's. One in prose decides only if no other does."""
    if block.label and looks_like_path(block.label) and "line" not in block.label:
        return block.label
    if label is not None and (label.sure or not last or label.path == last):
        return label.path
    if label is not None:
        detail = (
            f"the block may belong to {last}, like the previous one, or to {label.path}, which the text above it names"
        )
        return bad(block.row + 1, detail, _PATH_ADVICE)
    return last or file or no_file(block.row + 1, "the block doesn't say which file it changes", _PATH_ADVICE)


def _path_above(lines: list[str], block: Block, floor: int, last: str) -> Label | None:
    """The path on the lines above a block, past blank lines, an opening fence and tags of a tool call."""
    fenced, seen, mentioned, word = False, 0, "", ""
    for row in range(block.row - 1, max(floor, block.row - _REACH), -1):
        bare = lines[row].strip()
        if not bare or (bare[0] == "<" and is_tag(bare)):
            continue
        if bare[0] == "<" and (path := path_in_tag(bare)):
            return Label(path, True)
        fence = fence_of(bare)
        if fence is not None:
            path = path_in_title(fence.info)
            if fenced and not path and row > floor + 2 and fence_of(lines[row - 2]):
                path = path_on(lines[row - 1])  # the path is alone in a fence of its own
            if fenced and not path:
                break  # a second fence closes what doesn't belong to this block
            fenced = True
        else:
            named = path_line(bare)
            path = named.path if named is not None and named.sure else ""
            seen += 1
            if seen == 1 and not path:
                mentioned = path_in(bare)
                word = named.path if named is not None and not named.heading and " " not in named.path else ""
        if path:
            return Label(path, True)
        if seen == _ABOVE:
            break
    # A word like any other names a file here if it looks like a name, `NLog.config`, or if no path is known.
    is_name = "." in word or is_known_name(word) or not (last or mentioned)
    if word and is_name and not block.conflict and block.old.strip():
        return Label(word, True)
    return Label(mentioned, False) if mentioned else None


# ── what it says ─────────────────────────────────────────────────────────────────────────────────


def _op(block: Block, path: str, notes: list[Note]) -> Op:
    """The operation of a block."""
    if "```" in block.old or "~~~" in block.old:
        block = _unwrapped(block, path)
    old, new, line, number = block.old, block.new, block.line, block.row + 1
    if not block.conflict and not old.strip(BLANK + "\n"):
        if not line:
            return Write(path, new, False, number, "create", adds=True)
        return Edit(path, (Hunk("", new, TOLERANT, Where(line, line - 1), number),), number)
    if old == new:
        notes.append(Note("the block changes nothing: both sides are the same", path, number))
    where = ANYWHERE
    if line or block.last:
        where = Where(line, block.last or line + old.count("\n") - 1)
    hunk = Hunk(old, new, TOLERANT, where, number, rival=block.rival)
    has_dots = "..." in old or "…" in old
    cut = cut_at_marks(path, split_lines(old), split_lines(new), hunk) if has_dots else None
    return cut or Edit(path, (hunk,), number)


def _unwrapped(block: Block, path: str) -> Block:
    """The block without the fences around its texts, unless the file may hold such fences."""
    texts = []
    for lines in (split_lines(block.old), split_lines(block.new)):
        filled = [row for row, line in enumerate(lines) if line.strip()]
        is_named = len(filled) > 2 and path.endswith(lines[filled[0]].strip())
        region = unwrapped(lines[filled[1] :] if is_named else lines)
        texts.append(join_lines(region.body) if region is not None else None)
    if texts[0] is None or path.lower().endswith(_PAGES):
        return block
    return block._replace(old=texts[0], new=block.new if texts[1] is None else texts[1])

"""Reads SEARCH/REPLACE blocks below a path, as aider, Cline and Roo have them, and pairs of elements.

    answer   = { [ path ] block }                 a block without a path is for the file of the one before
    block    = "<<<<<<< SEARCH" [ PATH ] { ":start_line: N" | ":end_line: N" } [ "-------" ]
               { old } "=======" { new } ">>>>>>> REPLACE"
    tags     = [ "<file>" PATH "</file>" ] "<original>" old "</original>" "<patched>" new "</patched>"
               or other names for the two texts (`TAGGED` in answer/dialects.py)

Markers have four to nine signs, and their words may be missing; Cline's own, `------- SEARCH` and `+++++++ REPLACE`,
have three or more. A backslash before a marker makes it a line of the text. Looks for no place in any file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

from ...answer.dialects import TAGGED
from ...answer.fences import fence_of
from ...answer.labels import is_tag, looks_like_path, path_in, path_in_tag, path_in_title, path_line, path_on
from ...answer.marks import cut_at_marks
from ...model import NO_CLAIMS, TOLERANT, Claims, Edit, Hunk, Op, Patch, Write, join_lines, split_lines
from ...problems import Problem, bad, no_file
from ...text import BLANK, patch_lines, pattern
from ..findings import Findings

if TYPE_CHECKING:
    from ...limits import Tally

_PATH_ADVICE = "Write the file's path alone on the line above the block."
_ESCAPE_ADVICE = "Put a backslash before a marker that is part of the text (`\\=======`)."
_ORDER = "Write `<<<<<<< SEARCH`, the old lines, `=======`, the new lines, `>>>>>>> REPLACE`."
_ABOVE = 3  # how many lines of text above a block may hold its path
_REACH = 12  # how many lines are looked at for them
_ENOUGH = 10_000  # blocks that can't be read: the rest isn't a patch either
_CLAIMS = (":start_line:", ":end_line:")
_STARTS = frozenset(("<<<", "---", "===", ">>>", "+++"))
_MARK = r"([ \t]*)(([<>=+-])\3{2,}) ?(\w*)[>:]*[ \t]*(.*?)[ \t]*"
_WORDS = {
    "<": ("SEARCH", "ORIGINAL", ""),
    "-": ("SEARCH",),
    "=": ("",),
    ">": ("REPLACE", "UPDATED", ""),
    "+": ("REPLACE",),
}
_ESCAPABLE = ("<" * 4, "=" * 4, ">" * 4, "-" * 5, "+" * 5, *_CLAIMS)
OPEN, DIVIDE, CLOSE, CONFLICT = "open", "divide", "close", "conflict"
_KINDS = {"<": OPEN, "-": OPEN, "=": DIVIDE, ">": CLOSE, "+": CLOSE}


class Mark(NamedTuple):
    """A marker: its row (0-based), its kind, its signs and indentation, its word and what follows that.

    The kind is "conflict" for the first or last line of a conflict that git wrote.
    """

    row: int
    kind: str
    signs: str
    indent: str
    word: str
    rest: str


class Block(NamedTuple):
    """One block: rows of its opener and closer (0-based), old and new text in whole lines, line numbers it claims.

    `label`: what follows the opener's word. `problem`: why the block can't be read.
    """

    row: int
    end: int
    old: str = ""
    new: str = ""
    line: int = 0
    last: int = 0
    label: str = ""
    problem: Problem | None = None


def parse(text: str, tally: Tally | None = None, file: str = "") -> Patch:
    """Read the blocks of an answer. `file`: the path of those that nothing else names."""
    lines = patch_lines(text)
    findings = Findings()
    ops: list[Op] = []
    path, floor = "", -1
    for block in _blocks(lines, findings):
        path = block.label if looks_like_path(block.label) else _path_above(lines, block, floor, path) or path or file
        floor = block.end
        if block.problem is not None:
            findings.problems.append(block.problem._replace(path=path))
        elif not path:
            findings.problems.append(
                no_file(block.row + 1, "the block doesn't say which file it changes", _PATH_ADVICE)
            )
        else:
            ops.append(_op(block, path, findings))
            if tally is not None:
                tally(ops)
        if len(findings.problems) == _ENOUGH:
            detail = f"{_ENOUGH} blocks can't be read; the rest was not looked at"
            findings.refuse(block.row + 1, detail, "Write the patch again, following the format.")
            break
    if not ops and not findings.problems:
        findings.refuse(1, "there is no search/replace block", _ORDER)
    elif not findings.problems and (cut := _cut_marker(lines, floor)):
        findings.problems.append(cut)
    return findings.patch("search-replace", ops)


def _cut_marker(lines: list[str], floor: int) -> Problem | None:
    """Return the problem of an answer that ends, after a row, in the middle of the next block's marker."""
    last = next((row for row in range(len(lines) - 1, floor, -1) if lines[row].strip()), None)
    if last is None or not re.fullmatch(r"[ \t]*<{3,7}[ \t]*[A-Z]*", lines[last]):
        return None
    advice = "Send the rest of it; if this is all, leave the last line out."
    hint = "Copy the whole answer; if this is all, leave the last line out."
    return Problem("truncated", "the answer ends where a block begins", patch_line=last + 1, advice=advice, hint=hint)


def sniff(text: str) -> int:
    """Rate from 0 to 100 how much a text looks like search/replace blocks."""
    lines = patch_lines(text)
    if holds_block(lines) or ("</" in text and any(_tagged(lines, row) for row in range(len(lines)))):
        return 95
    worded = {mark.kind for mark in _marks(lines) if mark.word or mark.kind == DIVIDE}
    return 60 if {OPEN, DIVIDE} <= worded else 45 if OPEN in worded or {DIVIDE, CLOSE} <= worded else 0


def holds_block(lines: list[str]) -> bool:
    """Return True if there are an opener, a divider and a closer among some lines."""
    return {OPEN, DIVIDE, CLOSE} <= {mark.kind for mark in _marks(lines)}


def opens(lines: list[str], row: int) -> bool:
    """Return True if a block, or a conflict, begins at a row."""
    mark = _mark(row, lines[row])
    is_opener = mark is not None and (mark.kind == OPEN or (mark.kind == CONFLICT and mark.signs[0] == "<"))
    return is_opener or _tagged(lines, row) is not None


def closes(line: str) -> bool:
    """Return True if a line ends a block."""
    mark = _mark(0, line)
    return (mark is not None and mark.signs[0] in ">+") or line.strip().endswith(_CLOSING_TAGS)


def block_end(lines: list[str], row: int, limit: int, fenced: bool) -> int:
    """Return the row after the block that begins at a row; if it never closes, the next block's, or the limit."""
    tagged = _tagged(lines, row)
    if tagged is not None:
        return tagged.end + 1
    opener = _mark(row, lines[row])
    is_divided = False
    for mark in _marks(lines, row + 1):
        if mark.kind == OPEN:
            return min(mark.row, limit)
        is_divided = is_divided or mark.kind == DIVIDE
        if mark.signs[0] in ">+" and (mark.word or is_divided):
            return mark.row + 1
    return limit if opener is not None and opener.kind == OPEN else -1


# ── markers ──────────────────────────────────────────────────────────────────────────────────────


def _marks(lines: list[str], start: int = 0) -> Iterator[Mark]:
    """Yield all markers from a row on."""
    for row in range(start, len(lines)):
        if lines[row].lstrip(" \t")[:3] in _STARTS and (parts := _parts(lines[row])) is not None:
            yield Mark(row, *parts)


def _mark(row: int, line: str) -> Mark | None:
    """Return a line as a marker; None if it isn't one."""
    parts = _parts(line) if line.lstrip(" \t")[:3] in _STARTS else None
    return Mark(row, *parts) if parts is not None else None


@lru_cache(maxsize=256)  # all blocks have the same
def _parts(line: str) -> tuple[str, str, str, str, str] | None:
    """Return the kind, signs, indentation, word and rest of a marker's line."""
    match = pattern(_MARK).fullmatch(line)
    if match is None:
        return None
    indent, signs, sign, word, rest = match.groups()
    is_usual = sign in "-+=" or 4 <= len(signs) <= 9
    if is_usual and word.upper() in _WORDS[sign] and (word or not rest):
        return _KINDS[sign], signs, indent, word, rest
    return (CONFLICT, signs, indent, word, rest) if sign in "<>" and len(signs) == 7 else None


def unescaped(line: str) -> str:
    """Return a line of the text, without the backslash that says that it isn't a marker."""
    bare = line.lstrip(" \t")
    if bare[:1] != "\\" or not bare.lstrip("\\").startswith(_ESCAPABLE):
        return line
    return line[: len(line) - len(bare)] + bare[1:]


def escaped(line: str) -> str:
    """Return a line as it is written inside a block."""
    bare = line.lstrip(" \t")
    if not bare.lstrip("\\").startswith(_ESCAPABLE):
        return line
    return line[: len(line) - len(bare)] + "\\" + bare


# ── blocks ───────────────────────────────────────────────────────────────────────────────────────


def _blocks(lines: list[str], findings: Findings) -> Iterator[Block]:
    """Yield every block in order, those that can't be read with the problem."""
    row = 0
    while row < len(lines):
        block = _block_at(lines, row, findings) if lines[row].lstrip(" \t")[:3] in _FIRSTS else None
        if block is not None:
            yield block
            row = block.end
        row += 1


def _block_at(lines: list[str], row: int, findings: Findings) -> Block | None:
    """Return the block that begins at a row; None if none does. Conflicts are skipped, with a note."""
    mark = _mark(row, lines[row])
    if mark is None:
        return _tagged(lines, row)
    if mark.kind == OPEN:
        return _block(lines, mark, list(takewhile(lambda inner: inner.kind != OPEN, _marks(lines, row + 1))))
    if mark.kind == CLOSE and mark.word:
        detail = f"`{lines[row].strip()[:60]}` has no `<<<<<<< SEARCH` above it"
        return Block(row, row, problem=bad(row + 1, detail, _ORDER))
    if mark.kind == CONFLICT and mark.signs[0] == "<":
        findings.note(row + 1, "a merge conflict was skipped: it isn't an edit", kind="unused")
    return None


def _block(lines: list[str], opener: Mark, inner: list[Mark]) -> Block:
    """Return the block of an opener and the markers up to the next one."""
    closer = _closer(opener, inner)
    if isinstance(closer, Problem):
        end = inner[-1].row if inner else opener.row
        return Block(opener.row, end, label=opener.rest, problem=closer)
    dividers = _dividers(opener, [mark for mark in inner if mark.row < closer.row])
    divider = dividers[0].row if dividers else -1
    head, line, last = _claims(lines, opener.row + 1, divider)
    problem = None
    if not dividers:
        problem = bad(opener.row + 1, "the block has no divider (`=======`) between the two texts", _ORDER)
    elif len(dividers) > 1 and (divider > head or line):  # right below its opener it makes a file with such lines
        rows = ", ".join(str(mark.row + 1) for mark in dividers[:5])
        detail = f"more than one line may be the block's divider (lines {rows})"
        problem = bad(opener.row + 1, detail, _ESCAPE_ADVICE)
    elif any(text.strip().startswith(_CLAIMS) for text in lines[divider + 1 : closer.row]):
        detail = "a line number (`:start_line:`) is in the new text and would be written to the file"
        problem = bad(opener.row + 1, detail, "Put it right below SEARCH, or a backslash before it if it is text.")
    old, new = _text(lines[head:divider], opener.indent), _text(lines[divider + 1 : closer.row], opener.indent)
    return Block(opener.row, closer.row, old, new, line, last, opener.rest, problem)


def _closer(opener: Mark, inner: list[Mark]) -> Mark | Problem:
    """Return the closing marker before the next block. One without its word closes only what no other one does."""
    closers = [mark for mark in inner if mark.kind == CLOSE and mark.word]
    if len(closers) > 1:
        rows = " and ".join(str(mark.row + 1) for mark in closers[:2])
        return bad(opener.row + 1, f"the block seems to close more than once (lines {rows})", _ESCAPE_ADVICE)
    divider = next((mark.row for mark in inner if mark.kind == DIVIDE), None)
    closers += [mark for mark in inner if mark.kind == CLOSE and divider is not None and mark.row > divider]
    if closers:
        return closers[0]
    advice = "End the block with `>>>>>>> REPLACE`."
    return Problem("truncated", "the block is never closed", patch_line=opener.row + 1, advice=advice)


def _dividers(opener: Mark, inner: list[Mark]) -> list[Mark]:
    """Return the lines that may separate old from new: if some are like the opener, none but those.

    <<<<<<< SEARCH
    Title
    =====                of another length: a line of the file
    """
    dividers = [mark for mark in inner if mark.kind == DIVIDE and (len(mark.signs) > 3 or opener.signs[0] == "-")]
    alike = [mark for mark in dividers if len(mark.signs) == len(opener.signs) and mark.indent == opener.indent]
    return alike or dividers


def _claims(lines: list[str], row: int, end: int) -> tuple[int, int, int]:
    """Return the row where the old text begins, and the line numbers that Roo claims for it."""
    first, line, last = row, 0, 0
    while row < end and (claim := lines[row].strip()).startswith(_CLAIMS):
        number = claim.rpartition(":")[2].strip()
        value = int(number) if number.isascii() and number.isdigit() and len(number) < 9 else 0
        line, last = (value, last) if claim.startswith(_CLAIMS[0]) else (line, value)
        row += 1
    if first < row < end and re.fullmatch(r"\s*-{3,}\s*", lines[row]):
        row += 1
    return row, line, last if last >= line else 0


def _text(lines: list[str], indent: str) -> str:
    """Return the text of some lines, without the indentation of the block itself and without the escapes."""
    if indent and all(line.startswith(indent) for line in lines if line.strip()):
        lines = [line[len(indent) :] for line in lines]
    text = "\n".join([*lines, ""])
    return text if "\\" not in text else join_lines(map(unescaped, lines))


# ── elements ─────────────────────────────────────────────────────────────────────────────────────

_TAGS = {row.old: row.new for row in TAGGED}
_OPENING_TAGS = ("<file>", *(f"<{tag}" for tag in _TAGS))
_CLOSING_TAGS = tuple(f"</{tag}>" for tag in _TAGS.values())
_FIRSTS = _STARTS.union(tag[:3] for tag in _OPENING_TAGS)  # what lines that may begin a block begin with
_NOT_IN_PAGES = ("original", "old_text")  # such an element that isn't closed was cut off
_TAG_OPENING = (
    r"[ \t]*+(?:<file>[ \t]*+([^<>\n]{1,300})</file>\s*+)?"
    rf"""<({"|".join(_TAGS)})(?:[ \t]++line[ \t]*+=[ \t]*+["']?(\d{{1,8}})["']?)?[ \t]*+>"""
)


def _tagged(lines: list[str], row: int) -> Block | None:
    """Return the block of two elements that begins at a row; None if none does."""
    opening = re.match(_TAG_OPENING, lines[row]) if lines[row].lstrip(" \t").startswith(_OPENING_TAGS) else None
    if opening is None:
        return None
    label, tag, line = opening.groups()
    old = _element(lines, row, opening.end(), tag)
    if old is None:
        return _cut_off(row, tag) if tag in _NOT_IN_PAGES else None
    (old_lines, at, column), tag = old, _TAGS[tag]
    while at + 1 < len(lines) and not lines[at][column:].strip():
        at, column = at + 1, 0
    start = re.compile(rf"[ \t]*+<{tag}>").match(lines[at], column)
    if start is None:
        return None
    new = _element(lines, at, start.end(), tag)
    if new is None:
        return _cut_off(row, tag)
    new_lines, end, _ = new
    return Block(row, end, join_lines(old_lines), join_lines(new_lines), int(line or 0), label=(label or "").strip())


def _cut_off(row: int, tag: str) -> Block:
    problem = Problem("truncated", f"the block's `</{tag}>` is missing", patch_line=row + 1)
    return Block(row, row, problem=problem)


def _element(lines: list[str], row: int, column: int, tag: str) -> tuple[list[str], int, int] | None:
    """Return the lines from a place up to the closing tag, without those that hold only a tag, and the place after it.

    None if the element never ends.
    """
    text: list[str] = []
    for at in range(row, len(lines)):
        line = lines[at][column:] if at == row else lines[at]
        if at > row and re.match(_TAG_OPENING, line):
            return None
        text_of_line, closing, _ = line.partition(f"</{tag}>")
        text.append(text_of_line)
        if closing:
            start = len(text) > 1 and not text[0].strip()
            end = len(text) - (len(text) > 1 and not text[-1].strip())
            return text[start:end], at, len(lines[at]) - len(line) + len(text_of_line) + len(closing)
    return None


# ── which file ───────────────────────────────────────────────────────────────────────────────────


def _path_above(lines: list[str], block: Block, floor: int, last: str) -> str:
    """Return the path above a block, after another row: alone on one of three lines, in a tag or a fence's title.

    If there is none, return what the nearest line mentions; "" for nothing. `last`: the path of the block before.
    """
    is_fenced = False
    texts: list[str] = []
    for row in range(block.row - 1, max(floor, block.row - _REACH), -1):
        bare = lines[row].strip()
        if not bare or is_tag(bare):
            continue
        fence = fence_of(bare)
        if fence is None:
            texts.append(bare)
            path = path_on(bare) or path_in_tag(bare)
        elif is_fenced:
            break  # it closes what doesn't belong to this block
        else:
            is_fenced = True
            path = path_in_title(fence.info)
        if path:
            return path
        if len(texts) == _ABOVE:
            break
    return _mentioned(texts[0], block, last) if texts else ""


def _mentioned(line: str, block: Block, last: str) -> str:
    """Return the only path that a line mentions, or its only word: `NLog.config`; `Makefile`, if no path is known."""
    path = path_in(line)
    word = path_line(line) if not path else None
    if word is None or word.heading or " " in word.path or not block.old.strip():
        return path
    return word.path if not last or "." in word.path else ""


# ── what it says ─────────────────────────────────────────────────────────────────────────────────


def _op(block: Block, path: str, findings: Findings) -> Op:
    """Return the operation of a block."""
    old, new, line, number = block.old, block.new, block.line, block.row + 1
    if not old.strip(BLANK + "\n"):
        if not line:
            return Write(path, new, False, number, "create", may_append=True)
        return Edit(path, (Hunk("", new, TOLERANT, Claims(line, line - 1), number),), number)
    if old == new:
        findings.note(number, "the block changes nothing: both sides are the same", path)
    claims = Claims(line, block.last or line + old.count("\n") - 1) if line or block.last else NO_CLAIMS
    hunk = Hunk(old, new, TOLERANT, claims, number)
    has_dots = "..." in old or "…" in old
    cut = cut_at_marks(path, split_lines(old), split_lines(new), hunk) if has_dots else None
    return cut or Edit(path, (hunk,), number)

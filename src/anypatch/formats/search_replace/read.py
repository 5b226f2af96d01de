"""Cuts an answer into search/replace blocks by the structure of their markers. Knows neither paths nor files."""

from __future__ import annotations

import re

from ...diff import tagged
from ...model import TEXT_FOR_TEXT, TOLERANT, Edit, Hunk, Note, Op, Patch, Where, Write
from ...parsing.fences import marks_in
from ...parsing.markers import (
    BARE_CLOSE,
    BASE,
    CLOSE,
    CONFLICT,
    CONFLICT_END,
    DIVIDE,
    OPEN,
    Mark,
    kinds_of,
    marks_of,
    unescaped,
)
from ...parsing.paths import is_tag, looks_like_path, path_in, path_in_title, path_line
from ...parsing.repeats import said_once
from ...problems import Problem
from ...record import NamedTuple
from ...text import is_blank, patch_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ...model import Tally


_USUAL = [DIVIDE, CLOSE]
_CLAIMS = (":start_line:", ":end_line:")
_ESCAPE = "Put a backslash before a marker that is part of the text (`\\=======`)."


class Block(NamedTuple):
    """One block: rows of its opener and closer (0-based), its texts, line numbers it claims, what is wrong with it."""

    row: int
    end: int
    old: list[str]
    new: list[str]
    line: int = 0
    last: int = 0
    said: str = ""
    conflict: bool = False
    problem: Problem | None = None


def blocks_of(lines: list[str]) -> Iterator[Block]:
    """Every block in order, those that cannot be read with the problem."""
    marks = marks_of(lines)
    at = 0
    while at < len(marks):
        mark = marks[at]
        made: Block | Problem | None = None
        if mark.kind == OPEN:
            end = at + 1
            while end < len(marks) and marks[end].kind != OPEN:
                end += 1
            made = _block(lines, mark, marks[at + 1 : end])
            at = end
        elif mark.kind == CONFLICT:
            made = conflict = _conflict(lines, marks, at)
            at += 1
            while conflict is not None and at < len(marks) and marks[at].row <= conflict.end:
                at += 1
        else:
            at += 1
        if isinstance(made, Problem):
            yield Block(mark.row, mark.row, [], [], said=mark.rest, problem=made)
        elif made is not None:
            yield made


def _block(lines: list[str], opener: Mark, inner: list[Mark]) -> Block | Problem:
    if [mark.kind for mark in inner] == _USUAL and 5 <= inner[0].size <= 9:
        dividers, closer = inner[:1], inner[1]  # as below, by a shorter way
    else:
        found = _closer(opener, inner)
        if isinstance(found, Problem):
            return found
        closer = found
        dividers = _dividers(opener, [mark for mark in inner if mark.row < closer.row])
    if not dividers:
        detail = "the block has no divider (`=======`) between the text to find and the new text"
        return _bad(opener, detail, "Write SEARCH, the old lines, `=======`, the new lines, REPLACE.")
    head, line, last = _claims(lines, opener, dividers[0].row)
    divider = dividers[0]
    if len(dividers) > 1 and (divider.row > head or line):  # right below its opener it makes a file with such lines
        rows = ", ".join(str(mark.row + 1) for mark in dividers[:5])
        return _bad(opener, f"more than one line may be the block's divider (lines {rows})", _ESCAPE)
    for row in range(divider.row + 1, closer.row):
        if lines[row].strip().startswith(_CLAIMS):
            detail = f"`{lines[row].strip()[:40]}` stands in the new text (line {row + 1}), and would be written"
            return _bad(opener, detail, "Put it right below SEARCH, or a backslash before it if it is text.")
    old = _content(lines[head : divider.row], opener.indent)
    new = _content(lines[divider.row + 1 : closer.row], opener.indent)
    return Block(opener.row, closer.row, old, new, line, last, opener.rest)


def _closer(opener: Mark, inner: list[Mark]) -> Mark | Problem:
    """The one closing marker before the next block. One without its word closes only what no other one does."""
    closers = [mark for mark in inner if mark.kind == CLOSE]
    if len(closers) > 1:
        rows = " and ".join(str(mark.row + 1) for mark in closers[:2])
        return _bad(opener, f"the block seems to close more than once (lines {rows})", _ESCAPE)
    if closers:
        return closers[0]
    divider = next((mark.row for mark in inner if mark.kind == DIVIDE), None)
    bare = [mark for mark in inner if mark.kind == BARE_CLOSE and divider is not None and mark.row > divider]
    if len(bare) == 1:
        return bare[0]
    detail = "the block is opened but never closed"
    return Problem("truncated", detail, patch_line=opener.row + 1, advice="End the block with `>>>>>>> REPLACE`.")


def _dividers(opener: Mark, inner: list[Mark]) -> list[Mark]:
    """The lines that may part old from new: not those of a conflict in the text; of several those like the opener."""
    found = []
    skip = -1
    for at, mark in enumerate(inner):
        if mark.kind == CONFLICT:
            skip = max(skip, _conflict_end(inner, at))
        if mark.kind == DIVIDE and mark.row > skip:
            found.append(mark)
    usual = [mark for mark in found if 5 <= mark.size <= 9]
    # Cline's own markers may be as short as three signs.
    found = usual or (found if opener.sign == "-" else [])
    return [mark for mark in found if (mark.indent, mark.size) == (opener.indent, opener.size)] or found


def _conflict_end(inner: list[Mark], at: int) -> int:
    """The row where a conflict inside the text ends; -1 where it doesn't."""
    divided = False
    for later in range(at + 1, len(inner)):
        mark = inner[later]
        if mark.kind == CONFLICT:
            return -1
        divided = divided or mark.kind == DIVIDE
        if mark.kind == CONFLICT_END and divided:
            return mark.row
    return -1


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
    """The number behind `line`, as in `SEARCH line:12` and `:start_line:12`."""
    digits = text.rpartition("line")[2].strip(" :=()#")
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 9 and "line" in text else 0


def _content(lines: list[str], indent: str) -> list[str]:
    """The text without the indentation of the block itself and without the escapes."""
    if indent and all(line.startswith(indent) for line in lines if line.strip()):
        lines = [line[len(indent) :] for line in lines]
    return lines if "\\" not in "".join(lines) else [unescaped(line) for line in lines]


def _conflict(lines: list[str], marks: list[Mark], at: int) -> Block | None:
    """A conflict outside any block: our side is the old text, the other side the new one; the base says nothing."""
    opener, base, divider = marks[at], -1, -1
    for later in range(at + 1, len(marks)):
        mark = marks[later]
        if mark.kind in (OPEN, CLOSE, CONFLICT):
            return None
        if mark.kind == BASE and divider < 0:
            base = mark.row
        elif mark.kind == DIVIDE and mark.size == 7 and divider < 0:
            divider = mark.row
        elif mark.kind in (CONFLICT_END, BARE_CLOSE) and mark.size == 7 and divider >= 0:
            old = lines[opener.row + 1 : base if base >= 0 else divider]
            new = lines[divider + 1 : mark.row]
            old, new = _content(old, opener.indent), _content(new, opener.indent)
            return Block(opener.row, mark.row, old, new, said=opener.rest, conflict=True)
    return None


def _bad(opener: Mark, detail: str, advice: str) -> Problem:
    return Problem("bad_patch", detail, patch_line=opener.row + 1, advice=advice)


# ── search replace ──────────────────────────────────────────────────────────────────────────────────


_NAME = "search-replace"
_PATH_ADVICE = "Write the file's path alone on the line above the block."
_ABOVE = 3  # how many lines of text above a block may hold its path
_REACH = 12  # how many lines are looked at for them
_HEAD = 20_000  # signs that most often tell what all are
_ENOUGH = 10_000  # blocks that can't be read: then the rest is no patch either
_ANYWHERE = Where()
# Where lines of dots may stand for code left out or for themselves, only the text itself may decide.
_TO_THE_LETTER = TEXT_FOR_TEXT._replace(levels=("exact", "trailing space", "indentation"))
_gutter: list[re.Pattern[str]] = []


class Named(NamedTuple):
    """The path above a block; `sure`: it stands alone there, not in the middle of prose."""

    path: str
    sure: bool


def parse(text: str, tally: Tally | None = None) -> Patch:
    """What the blocks of an answer say."""
    lines = patch_lines(text)
    ops: list[Op] = []
    problems: list[Problem] = []
    notes: list[Note] = []
    path, floor = "", -1
    found: Iterable[Block] = blocks_of(lines)
    if "<<<<<<< " in text:
        found = _meant(lines, list(found), notes)
    for block in found:
        named = _path_above(lines, block, floor, path)
        if block.conflict and not (named and named.sure):
            continue
        said = _settled(block, named, path)
        floor = block.end
        path = said if isinstance(said, str) else path
        wrong = block.problem or (said if isinstance(said, Problem) else None)
        if wrong is not None:
            problems.append(wrong._replace(path=path))
            if len(problems) == _ENOUGH:
                detail = f"{_ENOUGH} blocks can't be read, and what follows was not looked at"
                problems.append(Problem("bad_patch", detail, patch_line=block.row + 1, advice="Write the patch anew."))
                break
        else:
            ops.append(_op(block, path, notes))
            if tally is not None:
                tally(ops)
    if not ops and not problems:
        detail = "there is no search/replace block in it"
        problems.append(Problem("bad_patch", detail, patch_line=1, advice="Write `<<<<<<< SEARCH` below a path."))
    ops = said_once(ops, notes)
    return Patch(_NAME, tuple(ops), "", tuple(problems), tuple(notes))


def sniff(text: str) -> int:
    """How much a text looks like search/replace blocks."""
    if "SEARCH" in text or "ORIGINAL" in text or "<<<<<<< " in text:
        if kinds_of(patch_lines(text[:_HEAD])[:-1]) >= {OPEN, DIVIDE, CLOSE}:
            return 95
        kinds = kinds_of(patch_lines(text))
        if OPEN in kinds:
            return 95 if DIVIDE in kinds and CLOSE in kinds else 60 if DIVIDE in kinds else 45
        if {CONFLICT, DIVIDE, CONFLICT_END} <= kinds:
            return 60 if parse(text).ops else 10
    return 0


def _meant(lines: list[str], blocks: list[Block], notes: list[Note]) -> Iterable[Block]:
    """The blocks without conflicts that are only spoken of: beside other blocks, and git's own among prose."""
    conflicts = [block for block in blocks if block.conflict]
    if not conflicts:
        return blocks
    alone = len(conflicts) == len(blocks) and not _has_prose(lines, blocks)
    quotes = [block for block in conflicts if not alone and (len(conflicts) < len(blocks) or _is_of_git(block.said))]
    for block in quotes:
        said = f"the conflict in line {block.row + 1} was read as a quote: it is git's own, and text stands around it"
        notes.append(Note(said, patch_line=block.row + 1, kind="quote"))
    passed = {block.row for block in quotes}
    return [block for block in blocks if block.row not in passed]


def _is_of_git(label: str) -> bool:
    """Whether a marker's label is one that git writes: HEAD, a branch. Models write `original`, `old`, too."""
    return label.strip().lower().rstrip(":") not in ("", "original", "old", "before", "existing", "current", "search")


def _has_prose(lines: list[str], blocks: list[Block]) -> bool:
    """Whether there is any text around the blocks but paths, fences and tags."""
    inside = {row for block in blocks for row in range(block.row, block.end + 1)}
    rest = [line.strip() for row, line in enumerate(lines) if row not in inside]
    return any(line and line[0] not in "`~<" and path_line(line) is None for line in rest)


# ── which file ───────────────────────────────────────────────────────────────────────────────────


def _settled(block: Block, named: Named | None, last: str) -> str | Problem:
    """The block's path: on its marker, above it, or the last one's. One in prose decides only where no other does."""
    if block.said and looks_like_path(block.said) and "line" not in block.said:
        return block.said
    if named is not None and (named.sure or not last or named.path == last):
        return named.path
    if named is not None:
        detail = f"the block may belong to {last}, as the one before, or to {named.path}, which the text above names"
        return Problem("bad_patch", detail, patch_line=block.row + 1, advice=_PATH_ADVICE)
    if last:
        return last
    return Problem(
        "bad_patch", "the block doesn't say which file it changes", patch_line=block.row + 1, advice=_PATH_ADVICE
    )


def _path_above(lines: list[str], block: Block, floor: int, last: str) -> Named | None:
    """The path on the lines above a block, behind blank lines, an opening fence and tags of a tool call."""
    fenced, seen, mentioned, word = False, 0, "", ""
    for row in range(block.row - 1, max(floor, block.row - _REACH), -1):
        bare = lines[row].strip()
        if not bare or (bare[0] == "<" and is_tag(bare)):
            continue
        if bare.startswith(("```", "~~~")):
            path = path_in_title(bare.lstrip("`~"))
            if fenced and not path:
                # A second fence closes what doesn't belong to this block.
                break
            fenced = True
        else:
            named = path_line(bare)
            path = named.path if named is not None and named.sure else ""
            seen += 1
            if seen == 1 and not path:
                mentioned = path_in(bare)
                word = named.path if named is not None and not named.heading and " " not in named.path else ""
        if path:
            return Named(path, True)
        if seen == _ABOVE:
            break
    # A word like any other names a file here if it looks like a name, `NLog.config`, or if no path is known.
    if word and not block.conflict and any(map(str.strip, block.old)) and ("." in word or not (last or mentioned)):
        return Named(word, True)
    return Named(mentioned, False) if mentioned else None


# ── what it says ─────────────────────────────────────────────────────────────────────────────────


def _op(block: Block, path: str, notes: list[Note]) -> Op:
    old, new, line = block.old, block.new, block.line
    number = block.row + 1
    if not block.conflict and is_blank("".join(old)):
        if line:
            hunk = Hunk(tuple(("+", text) for text in new), Where(line=line, last=line - 1), TOLERANT, number)
            return Edit(path, (hunk,), number)
        notes.append(Note("an empty SEARCH makes the file; one that is there already is not overwritten", path, number))
        return Write(path, "".join(text + "\n" for text in new), False, number, "create")
    if old == new:
        notes.append(Note("the block changes nothing: both sides are equal", path, number))
    bare = _without_gutter(block)
    parts = _parts(path, old, new)
    if len(parts) > 1:
        hunks = [Hunk(tagged(a, b), Where(), TEXT_FOR_TEXT, number) for a, b in parts if a or b]
        return Edit(path, tuple(hunks), number, whole=_hunk(block)._replace(policy=_TO_THE_LETTER))
    return Edit(path, (_hunk(block)._replace(unnumbered=_hunk(bare) if bare else None),), number)


def _hunk(block: Block) -> Hunk:
    where = _ANYWHERE
    if block.line or block.last:
        where = Where(line=block.line, last=block.last or block.line + len(block.old) - 1)
    return Hunk(tagged(block.old, block.new), where, TEXT_FOR_TEXT, block.row + 1)


def _parts(path: str, old: list[str], new: list[str]) -> list[tuple[list[str], list[str]]]:
    """Both sides cut at the lines that stand for code left out, where both leave out the same number of times.

    Blank lines beside such a line say nothing about where lines are added.
    """
    first = marks_in(path, old)
    second = marks_in(path, new) if first else []
    if not first or len(first) != len(second):
        return [(old, new)]
    pairs = list(zip(_cut(old, first), _cut(new, second), strict=True))
    return [(a, b) if a == b or any(map(str.strip, a)) else ([], b) for a, b in pairs]


def _cut(lines: list[str], cuts: list[int]) -> list[list[str]]:
    starts = [0, *(at + 1 for at in cuts)]
    return [lines[start:end] for start, end in zip(starts, [*cuts, len(lines)], strict=True)]


def _without_gutter(block: Block) -> Block | None:
    """The block without line numbers in front, if every line has one and those of the old text count up."""
    if not block.old or "|" not in block.old[0]:
        return None
    if not _gutter:
        _gutter.append(re.compile(r"\s*(\d{1,7}) ?\|(?: |$)"))
    heads = [_gutter[0].match(line) for line in block.old + block.new]
    found = [head for head in heads if head is not None]
    numbers = [int(head.group(1)) for head in found[: len(block.old)]]
    if len(found) < len(heads) or numbers != list(range(numbers[0], numbers[0] + len(numbers))):
        return None
    texts = [line[head.end() :] for line, head in zip(block.old + block.new, found, strict=True)]
    cut = len(block.old)
    return block._replace(old=texts[:cut], new=texts[cut:], line=block.line or numbers[0])

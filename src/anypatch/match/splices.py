"""Turn a hunk at a place into splices: lines to remove, and lines to add, indented as the file is. Pure.

An exact place is one splice: old text for new text. On the looser levels, kept lines keep the file's bytes, and added
lines are written as the hunk has them, except for their indentation, which follows the lines around them, and their
typographic signs. CHUNK, which replaces whole ranges, has rules of its own (`markers.py`).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from ..diff import tagged
from ..model import Hunk, split_lines
from ..text import BLANK, Splice, indent_of
from .indentation import Shift, deeper_by, reindent, shift_between, unchanged
from .ladder import ASCII_FOR, VERBATIM

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..text import Text
    from .search import Place

_OPENS_BLOCK = (":", "{", "(", "[")
_STRING = re.compile(r"""("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')""")


def signed_lines(hunk: Hunk) -> Sequence[str]:
    """Return the hunk's lines with their signs. Without signs, lines that both texts have are kept lines."""
    if hunk.signed:
        return hunk.signed
    return [sign + line for sign, line in tagged(split_lines(hunk.old), split_lines(hunk.new))]


def splices_for(text: Text, hunk: Hunk, place: Place, *, narrow: bool = False) -> list[Splice] | None:
    """Return the splices that make the hunk's change at a place; None if the place isn't possible after all.

    `narrow`: change as few characters as possible, so that hunks may share the lines they keep.
    """
    own = hunk.policy.own_line_ends
    if place.level == "exact" and (hunk.inline or (text.is_plain and not narrow)):
        return [Splice(place.start, place.stop, hunk.new, own)]
    signed: Sequence[str] | None = signed_lines(hunk)
    rows = place.rows
    if place.level == "exact":
        first = text.row_at(place.start)
        rows = range(first, first + hunk.old.count("\n"))
    elif place.level not in VERBATIM:
        signed = _fit(text, signed_lines(hunk), rows, is_diff=bool(hunk.signed))
    if signed is None:
        return None
    splices = [_splice_of(text, run, own) for run in _runs_of_changes(signed, rows)]
    return None if None in splices else splices  # type: ignore[return-value]


class Run(NamedTuple):
    """Lines that change together, between two kept ones.

    `above`: the row after the last kept line before them. `below`: the row of the next kept line, None at the end of
    the hunk.
    """

    above: int
    removed: Sequence[int]
    added: list[str]
    below: int | None


def _runs_of_changes(signed: Sequence[str], rows: Sequence[int | None]) -> Iterator[Run]:
    matched = iter(rows)
    above = next((row for row in rows if row is not None), 0)
    removed: list[int] = []
    added: list[str] = []
    for line in signed:
        if line[0] == "+":
            added.append(line[1:])
            continue
        row = next(matched)
        if line[0] == "-":
            removed += [] if row is None else [row]
            continue
        if removed or added:
            yield Run(above, removed, added, row)
            above, removed, added = (removed[-1] + 1 if removed else above), [], []
        if row is not None:
            above = row + 1
    if removed or added:
        yield Run(above, removed, added, None)


def _splice_of(text: Text, run: Run, own: bool) -> Splice | None:
    """Return the splice of one run; None if it is unclear what becomes of a comment that the hunk left out.

        hunk   -first()      file  first()                 hunk    keep()       file  keep()
               -second()           # why second                   -gone()             # why gone
                                   second()                                           gone()

    If the run has as many lines as it replaces (`-gone()` `+changed()`), a comment right above it stays where it is.
    """
    if not run.removed:
        row = _insertion_row(text, run)
        return None if row is None else text.replaced_rows(row, row, run.added, own)
    start, stop = run.removed[0], run.removed[-1] + 1
    if any(text.lines[row].strip(BLANK) for row in set(range(start, stop)).difference(run.removed)):
        return None
    if start > run.above and text.lines[start - 1].strip(BLANK) and len(run.added) != len(run.removed):
        return None
    return text.replaced_rows(start, stop, run.added, own)


def _insertion_row(text: Text, run: Run) -> int | None:
    """Return the row to insert at between two kept lines. With blank lines between them, which the hunk left out:

        hunk   a       file  a            an added run that ends with a blank line goes below the file's blank line,
              +new                        any other right below `a`
              +
               b             b

    With a comment between the two it is unclear whether the new lines go above or below it: None.
    """
    if run.below is None or run.below <= run.above:
        return run.above
    if any(line.strip(BLANK) for line in text.lines[run.above : run.below]):
        return None
    ends_blank = not run.added[-1].strip() and run.added[0].strip() != ""
    return run.below if ends_blank else run.above


# ── indentation ──────────────────────────────────────────────────────────────────────────────────


def _fit(text: Text, signed: Sequence[str], rows: Sequence[int | None], *, is_diff: bool) -> Sequence[str] | None:
    """Return the hunk's lines with added lines written as the file is; None if no rule explains the indentation.

    `is_diff`: the hunk marks its kept lines, so that they stay where they are.
    """
    old = [line[1:] for line in signed if line[0] != "+"]
    matched = [(line, text.lines[row]) for line, row in zip(old, rows, strict=True) if row is not None and line.strip()]
    signed = with_file_typography(text, signed, matched)
    if any(_with_plain_indent(line) != line for line, _ in matched):
        signed = ["+" + _with_plain_indent(line[1:]) if line[0] == "+" else line for line in signed]
    pairs = [(indent_of(_with_plain_indent(line)), indent_of(file_line)) for line, file_line in matched]
    shift = shift_between(pairs)
    if shift is None or (len(pairs) == 1 and shift is not unchanged and _steps_too_far(signed)):
        return _fit_lost_first_indent(signed, pairs, is_diff)
    return _shift_added(signed, shift, shift)


def _shift_added(signed: Sequence[str], shift_first: Shift, shift: Shift) -> list[str] | None:
    """Reindent the added lines: the first line of the new text, if it is an added one, by a rule of its own."""
    moved = []
    new_text_began = False
    for line in signed:
        if line[0] == "+":
            content = reindent(line[1:], shift if new_text_began else shift_first)
            if content is None:
                return None
            moved.append("+" + content)
        else:
            moved.append(line)
        new_text_began = new_text_began or (line[0] != "-" and line[1:].strip() != "")
    return moved


def _new_lines(signed: Sequence[str]) -> list[str]:
    """Return the lines of the new text that aren't blank."""
    return [line[1:] for line in signed if line[0] != "-" and line[1:].strip()]


def _steps_too_far(signed: Sequence[str]) -> bool:
    """Return True if the second line of the new text is more than one step to the right of its first.

    |if cart.empty:            a block of its own steps by four at most; eight says that
    |        return            only the first line lost its indentation
    """
    widths = [len(indent_of(line).expandtabs(4)) for line in _new_lines(signed)[:2]]
    return len(widths) == 2 and widths[1] - widths[0] > 4


def _fit_lost_first_indent(
    signed: Sequence[str], pairs: Sequence[tuple[str, str]], is_diff: bool
) -> Sequence[str] | None:
    """Fit a hunk whose first line was copied without its indentation, the others with theirs:

        hunk   |if cart.empty:           file  |    if cart.empty:
               |        return                 |        return

    Either the new text is written the same way, and only its first line moves; or it is a block of its own, and all of
    it moves. Anything else is unclear.
    """
    (first, file_first), rest = pairs[0], pairs[1:]
    shift = shift_between(rest)
    if len(first) >= len(file_first) or shift is None:
        return None
    if is_diff and next(line for line in signed if line[0] != "+")[0] == " ":
        return _shift_added(signed, shift, shift)  # the first line is kept, and the others show where the text is
    new = _new_lines(signed)
    indents = [indent for line in new[1:] if (indent := shift(indent_of(line))) is not None]
    if len(indents) < len(new) - 1:
        return None
    opens_block = "".join(new[:1]).rstrip().endswith(_OPENS_BLOCK)
    if _are_in_place(indents, pairs, opens_block):
        return _shift_added(signed, lambda indent: file_first if indent == first else indent, shift)
    if not is_diff and shift is unchanged and _are_relative(indents, pairs, opens_block):
        return _shift_added(_with_none_kept(signed), deeper_by(file_first), deeper_by(file_first))
    return None


def _with_none_kept(signed: Sequence[str]) -> list[str]:
    """Remove all old lines and add all new ones."""
    removed = ["-" + line[1:] for line in signed if line[0] != "+"]
    return removed + ["+" + line[1:] for line in signed if line[0] != "-"]


def _are_in_place(indents: list[str], pairs: Sequence[tuple[str, str]], opens_block: bool) -> bool:
    """Return True if all lines of the new text but the first have the file's indentation."""
    first, file_first = pairs[0]
    if indents and len(indents[0]) < len(file_first) + opens_block:
        return False
    return all(indent.startswith(file_first) for indent in indents) or (len(pairs) == 1 and first not in indents)


def _are_relative(indents: list[str], pairs: Sequence[tuple[str, str]], opens_block: bool) -> bool:
    """Return True if all lines of the new text but the first are indented relative to the first."""
    first, file_first = pairs[0]
    if not indents or indents[0] == first:
        return bool(indents)
    return opens_block and (first in indents or len(indents[0]) <= len(file_first))


def _with_plain_indent(line: str) -> str:
    """Return the line indented with plain spaces: text copied from web pages has no-break spaces."""
    if line.isascii():
        return line
    bare = line.lstrip()
    return line[: len(line) - len(bare)].translate(ASCII_FOR) + bare


# ── typographic signs ────────────────────────────────────────────────────────────────────────────


def with_file_typography(text: Text, signed: Sequence[str], matched: Sequence[tuple[str, str]]) -> Sequence[str]:
    """Replace typographic signs in the added lines that the matched lines show to be plain ones in the file.

    hunk   -print(“hi”)      file  print("hi")        the added line becomes   print("bye")
           +print(“bye”)
    """
    replaced: set[str] = set()
    for line, file_line in matched:
        if not line.isascii() and line.strip() != file_line.strip():
            replaced.update(sign for sign in line if ord(sign) in ASCII_FOR and sign not in file_line)
    if not replaced:
        return signed
    table = _replacements(replaced, text.body)
    return [_translated(line, table) if line[0] == "+" and not line.isascii() else line for line in signed]


def _replacements(replaced: set[str], body: str) -> dict[int, str]:
    """Return what to replace. Whoever writes “ for " writes ‘ for ' too, unless the file has that sign."""
    kinds = {_kind(sign) for sign in replaced}
    signs = {sign for sign in map(chr, ASCII_FOR) if sign in replaced or sign not in body}
    return {ord(sign): ASCII_FOR[ord(sign)] for sign in signs if _kind(sign) in kinds}


def _translated(line: str, table: dict[int, str]) -> str:
    """Replace signs outside of string literals; inside they are text: `say("“Hi”")`."""
    parts = _STRING.split(line)
    return "".join([part if at % 2 else part.translate(table) for at, part in enumerate(parts)])


def _kind(sign: str) -> str:
    """Return what a sign is typed as; single and double quotes are of one kind."""
    typed = ASCII_FOR[ord(sign)]
    return "quote" if typed in ("'", '"') else typed


# ── what would change ────────────────────────────────────────────────────────────────────────────


def changed_span(text: Text, hunk: Hunk, place: Place) -> tuple[int, int]:
    """Return the offsets between which the hunk would change the text at a place."""
    signed = hunk.signed if place.level == "exact" else signed_lines(hunk)
    changes = [at for at, line in enumerate(signed) if line[0] != " "]
    first, end = (changes[0], changes[-1] + 1) if changes else (len(signed), len(signed))
    if place.level == "exact":  # a signed line is as long as the line with its line ending
        start = place.start + sum(map(len, signed[:first]))
        return start, max(place.stop - sum(map(len, signed[end:])), start)
    above, below = (sum(line[0] == " " for line in lines) for lines in (signed[:first], signed[end:]))
    changed = [row for row in place.rows[above : len(place.rows) - below] if row is not None]
    if changed:
        return text.starts[changed[0]], text.starts[changed[-1] + 1]
    kept = [row for row in place.rows[:above] if row is not None]
    at = text.starts[kept[-1] + 1] if kept else text.starts[place.row_span(text)[0]]
    return at, at

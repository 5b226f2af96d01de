"""From a place to splices: what goes, what comes, indented as the file is. Pure.

An exact place is one splice: old text for new text. On the looser levels kept lines keep the file's bytes, and added
lines are written as the hunk has them but for the indentation, which follows the lines around them, and typographic
signs. Only CHUNK replaces whole ranges (`ranges_of_markers`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..diff import tagged
from ..model import Hunk, split_lines
from ..text import BLANK, Splice, indent_of
from .indentation import Shift, deeper_by, reindent, shift_between, unchanged
from .ladder import TYPED, VERBATIM

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..text import Text
    from .search import Place

_OPENS_BLOCK = (":", "{", "(", "[")


def signed_lines(hunk: Hunk) -> Sequence[str]:
    """The hunk's lines with their signs. Of two texts without signs, the lines that both have are kept."""
    if hunk.signed:
        return hunk.signed
    return [sign + line for sign, line in tagged(split_lines(hunk.old), split_lines(hunk.new))]


def splices_for(text: Text, hunk: Hunk, place: Place, *, narrow: bool = False) -> list[Splice] | None:
    """The splices that make the hunk's change at this place; None if the place isn't possible after all.

    `narrow`: as few characters as possible, so that hunks may share the lines they keep.
    """
    own = hunk.policy.own_line_ends
    if place.level == "exact" and (hunk.inline or not (narrow or text._ends)):
        return [Splice(place.start, place.stop, hunk.new, own)]
    signed: Sequence[str] | None = signed_lines(hunk)
    rows = place.rows
    if place.level == "exact":
        first = text.row_at(place.start)
        rows = range(first, first + hunk.old.count("\n"))
    elif place.level not in VERBATIM:
        signed = _fit(text, signed_lines(hunk), rows, moves_kept=not hunk.signed)
    if signed is None:
        return None
    splices = [_splice_of(text, run, own) for run in _runs_of_changes(signed, rows)]
    return None if None in splices else splices  # type: ignore[return-value]


class Run(NamedTuple):
    """Lines that change together, between two kept ones."""

    above: int  # the row below the last line that is kept before
    removed: Sequence[int]
    added: list[str]
    below: int | None  # the row of the next line that is kept; None where the hunk ends
    after_blank: bool = False  # the hunk has a blank line right above them, and none right below


def _runs_of_changes(signed: Sequence[str], rows: Sequence[int | None]) -> Iterator[Run]:
    matched = iter(rows)
    above = next((row for row in rows if row is not None), 0)
    removed: list[int] = []
    added: list[str] = []
    was_blank = False
    for line in signed:
        if line[0] == "+":
            added.append(line[1:])
            continue
        row = next(matched)
        if line[0] == "-":
            removed += [] if row is None else [row]
            continue
        is_blank = not line[1:].strip(BLANK)
        if removed or added:
            yield Run(above, removed, added, row, was_blank and not is_blank)
            above, removed, added = (removed[-1] + 1 if removed else above), [], []
        was_blank = is_blank
        if row is not None:
            above = row + 1
    if removed or added:
        yield Run(above, removed, added, None)


def _splice_of(text: Text, run: Run, own: bool) -> Splice | None:
    """The splice of one run; None if nobody can say what becomes of a comment that the hunk left out.

        hunk   -first()      file  first()                 hunk    keep()       file  keep()
               -second()           # why second                   -gone()             # why gone
                                   second()                                           gone()

    Line for line, a comment right above stays where it is: `-gone()` `+changed()`.
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
    """Where to insert between two kept lines. With blank lines between them, which the hunk left out:

        hunk   a       file  a            an added run that ends with a blank line goes below the file's blank line,
              +new                        any other right under `a`
              +
               b             b

    The same goes for a run right below a blank line and right above `b`.
    With a comment between them nobody can say whether the new lines go above or below it: None.
    """
    if run.below is None or run.below <= run.above:
        return run.above
    if any(line.strip(BLANK) for line in text.lines[run.above : run.below]):
        return None
    is_parted = not run.added[-1].strip() and run.added[0].strip() != ""
    return run.below if is_parted or run.after_blank else run.above


# ── indentation ──────────────────────────────────────────────────────────────────────────────────


def _fit(text: Text, signed: Sequence[str], rows: Sequence[int | None], *, moves_kept: bool) -> Sequence[str] | None:
    """The hunk's lines with their added ones written as the file is; None if no one rule explains the difference.

    `moves_kept`: lines that both texts have were only compared, so that they may move with the others.
    """
    old = [line[1:] for line in signed if line[0] != "+"]
    matched = [(line, text.lines[row]) for line, row in zip(old, rows, strict=True) if row is not None and line.strip()]
    signed = typed_as_the_file(text, signed, matched)
    if any(with_plain_indent(line) != line for line, _ in matched):
        signed = ["+" + with_plain_indent(line[1:]) if line[0] == "+" else line for line in signed]
    pairs = [(indent_of(with_plain_indent(line)), indent_of(there)) for line, there in matched]
    shift = shift_between(pairs)
    if shift is None or (len(pairs) == 1 and shift is not unchanged and _steps_too_far(signed)):
        return _fit_lost_first_line(signed, pairs, moves_kept)
    return _shift_added(signed, shift, shift)


def _shift_added(signed: Sequence[str], shift_first: Shift, shift: Shift) -> list[str] | None:
    """Move the added lines: by one rule if an added line is the first of the new text, by another all that follow."""
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
    """The lines of the new text that aren't blank."""
    return [line[1:] for line in signed if line[0] != "-" and line[1:].strip()]


def _steps_too_far(signed: Sequence[str]) -> bool:
    """Is the second line of the new text more than one step to the right of its first?

    |if cart.empty:            a block of its own steps by four at most; eight says that
    |        return            only the first line lost its indentation
    """
    widths = [len(indent_of(line).expandtabs(4)) for line in _new_lines(signed)[:2]]
    return len(widths) == 2 and widths[1] - widths[0] > 4


def _fit_lost_first_line(
    signed: Sequence[str], pairs: Sequence[tuple[str, str]], moves_kept: bool
) -> Sequence[str] | None:
    """The first line was copied from after its indentation, the others with theirs:

        hunk   |if cart.empty:           file  |    if cart.empty:
               |        return                 |        return

    Either the new text is written the same way, and only its first line is moved; or it is a block of its own, and all
    of it is moved. Anything else has no one reading.
    """
    (first, file_first), rest = pairs[0], pairs[1:]
    shift = shift_between(rest)
    if len(first) >= len(file_first) or shift is None:
        return None
    if not moves_kept and next(line[0] for line in signed if line[0] != "+") == " ":
        return _shift_added(signed, shift, shift)  # a diff keeps that line, and the others show where the text is
    new = _new_lines(signed)
    others = [shift(indent_of(line)) for line in new[1:]]
    if None in others:
        return None
    indents = [indent for indent in others if indent is not None]
    opens_block = bool(new) and new[0].rstrip().endswith(_OPENS_BLOCK)
    is_placed = not indents or len(indents[0]) >= len(file_first) + opens_block
    if is_placed and (all(indent.startswith(file_first) for indent in indents) or (not rest and first not in indents)):
        return _shift_added(signed, lambda indent: file_first if indent == first else indent, shift)
    begins_block = indents and opens_block and (first in indents or len(indents[0]) <= len(file_first))
    if moves_kept and shift is unchanged and (begins_block or indents[:1] == [first]):
        removed = ["-" + line[1:] for line in signed if line[0] != "+"]
        added = ["+" + line[1:] for line in signed if line[0] != "-"]
        return _shift_added(removed + added, deeper_by(file_first), deeper_by(file_first))
    return None


# ── typographic signs ────────────────────────────────────────────────────────────────────────────


def typed_as_the_file(text: Text, signed: Sequence[str], matched: Sequence[tuple[str, str]]) -> Sequence[str]:
    """The lines, their added ones with the typographic signs that the matched lines show to be typed ones in the file.

    hunk   -print(“hi”)      file  print("hi")        the added line becomes   print("bye")
           +print(“bye”)
    """
    shown: set[str] = set()
    for line, there in matched:
        if not line.isascii() and line.strip() != there.strip():
            shown.update(sign for sign in line if ord(sign) in TYPED and sign not in there)
    if not shown:
        return signed
    kinds = {_kind(sign) for sign in shown}
    # Whoever writes “ for " writes ‘ for ' too, unless the file has that sign.
    table = {
        code: typed
        for code, typed in TYPED.items()
        if _kind(chr(code)) in kinds and (chr(code) in shown or chr(code) not in text.body)
    }
    return [_typed(line, table) if line[0] == "+" and not line.isascii() else line for line in signed]


def _typed(line: str, table: dict[int, str]) -> str:
    """The line with signs typed; what is inside typed quotes is the text of a string, and meant: `say("“Hi”")`."""
    made, quote = "", ""
    for at, sign in enumerate(line):
        if quote:
            quote = "" if sign == quote and line[at - 1] != "\\" else quote
            made += sign
        elif sign in ("'", '"') and sign in line[at + 1 :]:
            quote = sign
            made += sign
        else:
            made += table.get(ord(sign), sign)
    return made


def with_plain_indent(line: str) -> str:
    """The line with plain spaces in front: NBSP comes from pages."""
    if line.isascii():
        return line
    bare = line.lstrip()
    return line[: len(line) - len(bare)].translate(TYPED) + bare


def _kind(sign: str) -> str:
    """What a sign is typed as; single and double quotes are of one kind."""
    typed = TYPED[ord(sign)]
    return "quote" if typed in ("'", '"') else typed


def changed_span(text: Text, hunk: Hunk, place: Place) -> tuple[int, int]:
    """The offsets between which the hunk would change the text at a place."""
    if place.level == "exact":
        lead = trail = 0
        if hunk.signed:
            signs = [line[0] for line in hunk.signed]
            first, last = _edges(signs)
            lead = sum(map(len, hunk.signed[:first]))
            trail = sum(map(len, hunk.signed[last:]))
        return place.start + lead, max(place.stop - trail, place.start + lead)
    rows = [row for row in place.rows if row is not None]
    olds = [line[0] for line in signed_lines(hunk)]
    first, last = _edges(olds)
    before, after = olds[:first].count(" "), olds[last:].count(" ")
    known = place.rows[before : len(place.rows) - after]
    changed = [row for row in known if row is not None]
    if changed:
        return text.starts[changed[0]], text.starts[changed[-1] + 1]
    above = [row for row in place.rows[:before] if row is not None]
    at = text.starts[above[-1] + 1] if above else text.starts[rows[0]]
    return at, at


def _edges(signs: list[str]) -> tuple[int, int]:
    """Of signed lines the first that changes something, and the one after the last."""
    changes = [at for at, sign in enumerate(signs) if sign != " "]
    return (changes[0], changes[-1] + 1) if changes else (len(signs), len(signs))

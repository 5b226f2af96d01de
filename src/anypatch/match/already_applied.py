"""Is an edit in the file already? Then nothing is to be done; or that is in doubt, and it is refused. Pure."""

from __future__ import annotations

from bisect import bisect_left
from itertools import pairwise, repeat

from ..diff import opcodes, trimmed
from ..model import Hunk, Note, Swap
from ..problems import Problem
from ..record import NamedTuple
from ..text import BLANK, indent_of, shared_indent, spliced, stripped
from .levels import RUNGS
from .line_kinds import is_closer, is_trivial
from .search import Page, Places, find, needle
from .splices import Fit, Repeat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..text import Text
    from .constraints import Extent


_SIGNIFICANT = 8  # letters and digits; lines with fewer may stand anywhere by chance


class Standing(NamedTuple):
    """The result of an edit, in the file already: the line (1-based) where it begins, and its text."""

    line: int
    text: str


def already_applied(page: Page, patch_line: int, there: Standing) -> Note:
    """The note on a hunk for which nothing is to be done."""
    text = f"already applied: the new text is at line {there.line}, so there is nothing to do"
    return Note(text, page.path, patch_line, kind="already_applied")


# ── where the old text is not, or not where it is claimed ────────────────────────────────────────


def stands_already(page: Page, hunk: Hunk, taken: range | None = None, *, anywhere: bool = False) -> Standing | None:
    """The hunk's result, if it stands at the very place: with the hunk's own context around it, or where it claims.

        SEARCH   raise ValueError("x")    file   def check_a(x):
        REPLACE  raise TypeError("x")                raise TypeError("x")     not applied: nothing says that
                                                 def check_b(x):              check_a is meant
                                                     raise ValueError('x')

    Asked where the old text isn't there to the letter, so that a patch sent again is a no-op, neither a failure nor an
    edit of some lookalike. `taken`: rows where the old text is after all, in some looser reading or further away; then
    only the letter counts, and only elsewhere. `anywhere`: nothing need hold it there, if it says something; that is
    a reason to doubt, never one to do nothing.
    """
    strictly = taken is not None
    where = hunk.where
    if where.before or where.after:
        # The result may stand where none of these claims holds; that would be another place.
        return None
    if not hunk.policy.guards_reapply or (strictly and not hunk.policy.doubts_lookalikes):
        return None
    old, new = hunk.old, hunk.new
    is_moved = stripped(old) == stripped(new)  # all that changes is the indentation
    if not is_moved and _is_left_over(old, new):
        return None
    tags = hunk.tags
    if "-" not in tags and len(old) < 2:
        return None
    if anywhere and weight(new) < _SIGNIFICANT:
        return None
    for name in ("exact", "trailing space") if strictly else ("exact", "trailing space", "indentation"):
        if name == "trailing space" and _has_line_ending_blank(old) != _has_line_ending_blank(new):
            return None  # what the hunk takes away or adds may be just that
        alike = find(page, needle(RUNGS[name], None, new))
        found = [first for first in alike if _is_indented_as_new(page.lines[first : first + len(new)], old, new)]
        if found:
            held = _as_claimed(page, hunk, found) if anywhere else _held(page, hunk, found)
            if len(held) != 1:
                return None
            first, last = held[0], held[0] + len(new)
            apart = taken is None or first >= taken.stop or last <= taken.start or (is_moved and name == "exact")
            if taken is not None and len(new) > len(old):
                # What is only like the old text is then a part of the result.
                apart = apart or (first <= taken.start and taken.stop <= last)
            gone = "+" in tags or _is_gone(page, hunk, first)
            return Standing(first + 1, "\n".join(page.lines[first:last])) if apart and gone else None
    return None


def result_elsewhere(page: Page, hunk: Hunk, found: Places) -> Standing | Problem | None:
    """The hunk's result, where that stands rather than the old text at the place meant; a problem where in doubt.

    `found`: where the old text stands after all: only alike, or not at the line or under the header that is claimed.
    """
    if found.rung != "exact":
        sure = stands_already(page, hunk, found.span)
        there = sure or stands_already(page, hunk, found.span, anywhere=True)
        return sure or (_applied_or_not(hunk, there.line, found) if there else None)
    if hunk.where.line:
        return _at_claim(page, hunk, found)
    return _result_under_header(page, hunk, found) if hunk.where.under else None


def _at_claim(page: Page, hunk: Hunk, found: Places) -> Standing | Problem | None:
    """A hunk that names a line at which its old text isn't: done if its result is; in doubt if that is nearer."""
    line, firsts = hunk.where.line, found.firsts
    at = bisect_left(firsts, line - 1)
    nearest = min([abs(first + 1 - line) for first in firsts[max(at - 1, 0) : at + 1]])
    there = stands_already(page, hunk, found.span, anywhere=True)
    if there is None or abs(there.line - line) >= nearest:
        return None
    bare = " " not in hunk.tags
    return _applied_or_not(hunk, there.line, found) if bare or there.line != line else there


def _result_under_header(page: Page, hunk: Hunk, found: Places) -> Standing | Problem | None:
    """The hunk's result under its header, if its old text only stands further below."""
    from .constraints import Extent, strictly_within

    ahead, first = hunk.changed[0], found.firsts[0]
    if strictly_within(page, hunk.where, Extent(first, first + len(hunk.old), first + ahead)):
        return None
    there = stands_already(page, hunk, found.span)
    bare = " " not in hunk.tags
    return _applied_or_not(hunk, there.line, found) if there and bare else there


def may_be_applied(page: Page, choices: list[Places]) -> list[Problem]:
    """Hunks whose result stands elsewhere too, though others of the edit are applied already: they may be as well."""
    there = [(one, stands_already(page, one.hunk, one.span, anywhere=True)) for one in choices]
    return [_applied_or_not(one.hunk, at.line, one) for one, at in there if at]


def _applied_or_not(hunk: Hunk, line: int, found: Places) -> Problem:
    """Without context nothing tells whether a hunk was applied already or means a place that is only alike."""
    row = found.firsts[0] + 1
    aside = f" ({found.rung} aside)" if found.rung != "exact" else ""
    detail = f"the new text is at line {line}, and the old text{aside} at line {row}"
    advice = "If it isn't applied yet, copy the old lines exactly, with a neighbouring line."
    return Problem("ambiguous", detail, patch_line=hunk.patch_line, line=row, advice=advice)


def _held(page: Page, hunk: Hunk, found: list[int]) -> list[int]:
    """Of the places of a result those at which the hunk's claim or its own context holds it."""
    where = hunk.where
    claimed = _as_claimed(page, hunk, found)
    if where.under:
        from .constraints import strictly_within

        return [first for first in claimed if strictly_within(page, where, _extent(hunk, first))]
    if where.at_end or page.is_symbol:
        return claimed
    if any(map(_is_once, _kept_runs(hunk), repeat(page))):
        return found
    return [where.line - 1] if where.line - 1 in found else []


def _kept_runs(hunk: Hunk) -> list[list[str]]:
    """Each run of lines that both sides of the hunk have, be it at another depth."""
    old, new = stripped(hunk.old), stripped(hunk.new)
    return [[old[row] for row, _ in run] for run in _equal_runs(old, new)]


def _equal_runs(old: list[str], new: list[str]) -> list[list[tuple[int, int]]]:
    """The rows of both texts where their lines are the same, run by run."""
    ranges = [(0, 0, 0, 0), *opcodes(old, new), (len(old), len(old), len(new), len(new))]
    return [[*zip(range(one[1], two[0]), range(one[3], two[2]), strict=True)] for one, two in pairwise(ranges)]


def _is_once(run: list[str], page: Page) -> bool:
    """Whether lines that say something stand in the file once."""

    told = tuple("\n".join(run).strip("\n").split("\n"))
    return not all(map(is_trivial, told)) and len(find(page, needle(RUNGS["indentation"], None, told))) == 1


def _as_claimed(page: Page, hunk: Hunk, found: list[int]) -> list[int]:
    """Of the places of a result those that keep the hunk's claims: under its headers, at the end of the file."""
    from .constraints import within

    return within(page, hunk.where, {first: _extent(hunk, first) for first in found})


def _extent(hunk: Hunk, first: int) -> Extent:
    """What a result covers that begins at a row."""
    from .constraints import Extent

    return Extent(first, first + len(hunk.new), first + hunk.changed[0])


def _is_left_over(old: Sequence[str], new: Sequence[str]) -> bool:
    """Whether the result is a run of the old lines, as a deletion at their edge leaves it: it stands there anyway."""
    return "\n".join(["", *filter(None, stripped(new)), ""]) in "\n".join(["", *filter(None, stripped(old)), ""])


def _is_indented_as_new(there: Sequence[str], old: Sequence[str], new: Sequence[str]) -> bool:
    """Whether lines are as deep against each other as the new ones, and what moves isn't as deep as it was.

    SEARCH       a = 1        file        a = 1       not applied, though `b` was spelt `bb`
                 bb = 2                   b = 2
    REPLACE  a = 1
             b = 2
    """
    pads = [(indent_of(one), indent_of(two)) for one, two in zip(new, there, strict=True)]
    pairs = {pad for pad, line in zip(pads, new, strict=True) if line.strip(BLANK)}
    if not len(pairs) == len({said for said, _ in pairs}) == len({file for _, file in pairs}):
        return False
    moved = [
        (indent_of(old[row]), *pads[other])
        for run in _equal_runs(stripped(old), stripped(new))
        for row, other in run
        if old[row].strip(BLANK)
    ]
    return not any(was == file != said for was, said, file in moved)


def _has_line_ending_blank(lines: Sequence[str]) -> bool:
    return any(line != line.rstrip(BLANK) for line in lines if line.strip(BLANK))


def _is_gone(page: Page, hunk: Hunk, first: int) -> bool:
    """Whether what a hunk only removes stands nowhere around its result; else it may be still to be removed.

    A line that tells is enough: others of the run may be misspelt.
    """
    reach = len(hunk.lines)
    around = "\n".join(["", *(line.strip(BLANK) for line in page.lines[max(first - reach, 0) : first + 2 * reach]), ""])
    kept = {line.strip(BLANK) for line in hunk.new}
    telling = [line for line in stripped(hunk.old) if line not in kept and weight([line]) >= _SIGNIFICANT]
    return not any(f"\n{run}" in around for run in (*_removed_runs(hunk), *(f"{line}\n" for line in telling)))


def _removed_runs(hunk: Hunk) -> list[str]:
    """Each run of removed lines as text."""
    runs: list[str] = []
    previous = " "
    for tag, text in hunk.lines:
        if tag == "-":
            runs += [""] if previous != "-" else []
            runs[-1] += text.strip(BLANK) + "\n"
        previous = tag
    return runs


# ── lines that are only added ────────────────────────────────────────────────────────────────────


def inserted_already(page: Page, hunk: Hunk, fits: list[Fit]) -> Standing | Problem | None:
    """The result of a hunk that only adds lines, if it stands right where they would be added.

        patch   b      file   a
               +c             b
                              c

    A problem where that can't be told: brackets that may be meant again.
    """
    if not fits or not hunk.policy.guards_reapply:
        return None
    added = _added_lines(hunk)
    # Of most hunks a line that comes is nowhere in the file. To look for it in the bytes first takes 15 % off the time
    # of an everyday edit: 300 to 255 µs.
    came = stripped([line for one in fits for line in one.splice.lines]) if added else ()
    there = _result_rows(page, hunk, fits) if added and all(map(page.sheet.holds, came)) else range(0)
    return _standing(page, hunk, there.start, len(there), added) if there else None


def _added_lines(hunk: Hunk) -> list[str]:
    """The lines that a hunk adds, if it only adds: by its tags, or by what it repeats of the old text; else none."""
    tags = hunk.tags
    if "-" not in tags:
        return [text for tag, text in hunk.lines if tag == "+"]
    if tags.count("+") <= tags.count("-"):
        return []
    old, new = stripped(hunk.old), stripped(hunk.new)
    if not set(old) <= set(new):
        return []  # a line goes; most hunks that have more `+` than `-` need no diff to tell
    ranges = opcodes(old, new)
    if any(start != end for start, end, _, _ in ranges):
        return []
    return [line for _, _, start, end in ranges for line in new[start:end]]


def _result_rows(page: Page, hunk: Hunk, fits: list[Fit]) -> range:
    """The rows of the result, if it begins where the old lines begin or ends where they end; blank edges aside."""
    sheet, head, tail = page.sheet, fits[0].splice, fits[-1].splice
    if not _may_be_at(sheet, head.start, head.lines) and not _may_be_at(sheet, tail.end - 1, tail.lines[::-1]):
        return range(0)
    (first, last), old = hunk.changed, hunk.old
    top = _walked(sheet, head.start, len(list(filter(None, stripped(old[:first])))), -1)
    bottom = _walked(sheet, tail.end - 1, len(list(filter(None, stripped(old[last:])))), 1) + 1
    result = spliced(sheet.some(top, bottom), [fit.splice for fit in fits], top)
    wanted = _flush("\n".join([line.rstrip(BLANK) for line in result]).strip("\n").split("\n"))
    for start in (top, bottom - len(wanted)):
        if start >= 0 and _flush(sheet.some(start, start + len(wanted))) == wanted:
            return range(start, start + len(wanted))
    return range(0)


def _may_be_at(sheet: Text, row: int, lines: Sequence[str]) -> bool:
    """Whether the first of some lines, blank ones aside or not, may be at a row; a no is certain and cheap."""
    there, bare = stripped(sheet.some(row, row + 1)) if row >= 0 else [], stripped(lines)
    return not lines or (there != [] and there[0] in (bare[0], next(filter(None, bare), "")))


def _flush(lines: list[str]) -> list[str]:
    """The lines without the indentation that all of them share: what was put around others once stands deeper."""
    margin = shared_indent(lines)
    return [line.rstrip(BLANK).removeprefix(margin) for line in lines]


def _walked(sheet: Text, row: int, count: int, step: int) -> int:
    """The row of the count-th line beside a row that isn't blank, in a direction."""
    while count and 0 <= row + step < sheet.count:
        row += step
        count -= sheet.some(row, row + 1)[0].strip(BLANK) != ""
    return row


def repeats_outside(page: Page, reach: range, fits: list[Fit], patch_line: int) -> Repeat | None:
    """The outermost new lines of a hunk that are right outside it, too.

        SEARCH   a = 1     file   a = 1     `c = 3` would be there twice: the new text goes on further than the old one,
        REPLACE  a = 2            c = 3     or the hunk is half applied. Of 4,500 real changes 3 put lines next to the
                 c = 3                      same ones, each with one of those in sight.

    `reach`: the rows that the hunk shows. Lines that it shows beside those it adds are meant to be there twice.
    """
    sheet, start, end = page.sheet, reach.start, reach.stop
    came = [line for one in fits for line in one.splice.lines]
    if not came:
        return None
    first = max(start - 2, 0)
    near = sheet.some(first, end + 2)
    below = _may_begin(came, near[end - first :])
    above = _may_begin(came, near[: start - first][::-1])
    if not below and not above:
        return None
    old = near[start - first : end - first]
    new = spliced(old, [one.splice for one in fits], start)
    if below and (run := _run_on(page, old, new, sheet.some(end, end + len(new)))):
        return Repeat(patch_line, end, run)
    if above and (run := _run_on(page, old[::-1], new[::-1], sheet.some(max(start - len(new), 0), start)[::-1])):
        return Repeat(patch_line, start - len(run), run[::-1])
    return None


def repeated(before: str, after: str, repeats: list[Repeat]) -> Problem | None:
    """The refusal of lines that are next to the same ones when all is done; other edits may have moved those away."""
    for one in repeats:
        once, twice = "\n".join(["", *one.lines, ""]), "\n".join(["", *one.lines, *one.lines, ""])
        if once in f"\n{before}\n" and f"\n{before}\n".count(twice) < f"\n{after}\n".count(twice):
            return _doubt(one.patch_line, one.row)
    return None


def _may_begin(lines: Sequence[str], beyond: list[str]) -> bool:
    """Whether what is beyond may begin with some of the lines; a no is certain and cheap."""
    return bool(beyond) and beyond[0] in lines and (beyond[0].strip(BLANK) != "" or beyond[-1] in lines)


def _run_on(page: Page, old: list[str], new: list[str], beyond: list[str]) -> list[str]:
    """The lines that come last, where they are also the first ones beyond and that is a mistake; else none."""
    kept = len(new) - trimmed(old, new)[3]
    for size in range(kept + 1, min(len(new), len(beyond)) + 1):
        if new[-size] != beyond[0] or new[-size:] != beyond[:size]:
            continue
        # Lines that only go from between others make them neighbours: `a b a` without `b`. And a line alone, `b` for
        # `a` above another `b`, is meant: there is nothing that it goes on from.
        ranges = opcodes(old, new)
        added = [at for _, _, first, last in ranges for at in range(first, last) if new[at].strip(BLANK)]
        goes = any(first < last and end > len(new) - size for first, last, _, end in ranges)
        if added[-1:] >= [len(new) - size] and (len(added) > 1 or not goes):
            return beyond[:size] if _are_wanted_once(page, beyond[:size], goes) else []
    return []


def _are_wanted_once(page: Page, lines: list[str], goes: bool) -> bool:
    """Whether lines next to the same ones are a mistake. `goes`: they take the place of others.

    Rulers often are there twice, and imports, which real answers repeat where they fix one, do no harm.
    """
    from ..syntax.top import are_imports

    telling = any(weight([line]) or is_closer(line) or line.strip(BLANK) in ("/*", "/**", "*/") for line in lines)
    return telling and not (goes and are_imports(page.path, lines))


def added_at_gap(page: Page, hunk: Hunk, made: Fit) -> Standing | Problem | None:
    """Lines for an end of the file, a line number or a header, if they stand right there before the patch began."""
    start, end, lines, _ = made.splice
    if start != end or page.edited or not hunk.policy.guards_reapply:
        return None
    wanted = "\n".join(map(str.rstrip, lines, repeat(BLANK))).rstrip("\n").split("\n")
    if hunk.where.at_end:
        while start and not page.lines[start - 1].strip(BLANK):
            start -= 1
        start -= len(wanted)
    if start < 0 or [line.rstrip(BLANK) for line in page.lines[start : start + len(wanted)]] != wanted:
        return None
    return _standing(page, hunk, start, len(wanted), wanted)


def _standing(page: Page, hunk: Hunk, first: int, count: int, added: Sequence[str]) -> Standing | Problem | None:
    """What to make of lines to be added that stand there already: those that only close something may lack one."""
    if not "".join(added).strip():
        return None
    if _says_nothing(added):
        return _doubt(hunk.patch_line, first)
    return Standing(first + 1, "\n".join(page.lines[first : first + count]))


def _says_nothing(lines: Sequence[str]) -> bool:
    """Whether lines are brackets, rulers and the like, which often stand one below the other."""

    return all(not weight([line]) or is_closer(line) for line in lines)


def swapped_already(text: str, position: int, swap: Swap, old: str, new: str) -> Standing | Problem | None:
    """The result of a swap that only adds text, if it stands right there.

    A problem where the text added says nothing, or where a word goes on behind the result.
    """
    start, end = _around(text, position, old, new)
    extra = new.replace(old, "", 1)
    if end < 0 or not extra.strip():
        return None
    row = text.count("\n", 0, position)
    if _says_nothing(extra.split("\n")) or _cuts_word(text, start, end):
        return _doubt(swap.patch_line, row)
    return Standing(row + 1, new)


def _around(text: str, position: int, old: str, new: str) -> tuple[int, int]:
    """From where to where the new text stands around the old one at a position; -1 and -1 where it doesn't."""
    offset = new.find(old)
    while offset >= 0:
        start = position - offset
        if start >= 0 and text.startswith(new, start):
            return start, start + len(new)
        offset = new.find(old, offset + 1)
    return -1, -1


def _cuts_word(text: str, start: int, end: int) -> bool:
    """Whether a word runs over the beginning or the end of a stretch of text."""
    pairs = (text[at - 1 : at + 1] for at in (start, end) if at)
    return any(len(pair) == 2 and all(char.isalnum() or char == "_" for char in pair) for pair in pairs)


def _doubt(patch_line: int, row: int) -> Problem:
    detail = f"what the hunk adds is already at line {row + 1}, and it isn't clear whether it is wanted twice"
    advice = "Leave out what is already applied; otherwise show the lines on both sides of the new ones."
    return Problem("ambiguous", detail, patch_line=patch_line, line=row + 1, advice=advice)


def weight(lines: Sequence[str]) -> int:
    """How many letters and digits the lines hold: braces and blanks say nothing."""
    return sum(map(str.isalnum, "".join(lines)))

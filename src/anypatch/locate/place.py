"""Places the hunks of one edit together: one reading, or problems that name the readings. Pure, no search budget."""

from __future__ import annotations

from _bisect import bisect_left
from itertools import pairwise

from ..errors import Problem
from ..model import Edit, Hunk, Inside, Merge, Note, Swap
from ..record import NamedTuple
from ..text import BLANK
from .fit import Fit, fit, fit_gap
from .guards import expanded, inserted_already, stands_already, stands_at_edge, weight
from .ladder import Climb, changed_rows, climb, place
from .page import PATIENCE, Page

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .order import Choice


class Missing(NamedTuple):
    """A hunk that has no place in the text, and why."""

    hunk: Hunk
    problems: tuple[Problem, ...]


class Placed(NamedTuple):
    """The fits of an edit in file order, what stands in the way, and the hunks that have no place in this text."""

    fits: list[Fit]
    problems: list[Problem]
    notes: list[Note]
    missing: tuple[Missing, ...] = ()


def place_edit(page: Page, edit: Edit, elided: bool = True) -> Placed:
    """Every hunk's splices against the page as it is, or everything that stands in the way.

    `elided`: new lines may leave code out (a cheap look at the whole patch can tell that none does).
    A hunk alone that had several places isn't looked for again as long as the text is the same.
    """
    if page.doubtful[0] != page.sheet.version:
        page.doubtful = (page.sheet.version, {})
    doubtful, alone = page.doubtful[1], edit.hunks[0] if len(edit.hunks) == 1 else None
    if doubtful and alone is not None and (known := doubtful.get(alone._replace(patch_line=0))):
        return Placed([], [problem._replace(patch_line=alone.patch_line) for problem in known], [])
    placed = _placed(page, edit, elided)
    refused = placed.problems and not placed.missing and {problem.kind for problem in placed.problems} == {"ambiguous"}
    if alone is not None and refused:
        doubtful[alone._replace(patch_line=0)] = placed.problems
    return placed


def _placed(page: Page, edit: Edit, elided: bool) -> Placed:
    first = edit.hunks[0] if len(edit.hunks) == 1 else None
    if isinstance(first, Swap):
        swapped = _swap_alone(page, first, elided)
        if isinstance(swapped, Placed):
            return swapped
        first = swapped
    if isinstance(first, Hunk) and first.lines and (first.lines[0][0] != "+" or first.old):
        whole = expanded(page, first) if elided else first
        return Placed([], [whole], []) if isinstance(whole, Problem) else _place_one(page, whole)
    if edit.hunks and not isinstance(edit.hunks[0], Hunk | Swap | Merge | Inside):
        from .spans import place_spans

        spliced = place_spans(page, edit.hunks[0])
        return Placed([], [spliced], []) if isinstance(spliced, Problem) else Placed(spliced, [], [])
    problems: list[Problem] = []
    fits: list[Fit] = []
    hunks: list[Hunk] = []
    noted: list[Note] = []
    for said in edit.hunks:
        if isinstance(said, Inside):
            from .inside import place_inside

            within = place_inside(page, said)
            fits += within.fits
            problems += within.problems
            continue
        assert isinstance(said, Hunk | Swap | Merge)
        made = _direct(page, said)
        if elided and isinstance(made, Hunk):
            made = expanded(page, made)
        if isinstance(made, Problem):
            problems.append(made)
        elif isinstance(made, Hunk):
            hunks.append(made)
        elif not made and not isinstance(said, Merge):
            noted.append(_nothing_to_do(page, said.patch_line))
        else:
            fits += made
    placed = _place_chosen(page, _searches(page, hunks))
    fits = sorted(fits + placed.fits, key=lambda one: (one.splice.start, one.splice.end))
    problems += placed.problems
    problems += _overlaps(fits, edit)
    notes = noted + placed.notes + [note for one in fits for note in one.notes]
    return Placed(fits, problems, notes, placed.missing)


def _place_one(page: Page, hunk: Hunk) -> Placed:
    """The usual case, without ceremony: one hunk with one place."""
    climbed = climb(page, hunk)
    if climbed is None and page.missed >= PATIENCE:
        return _hopeless(page, hunk)
    if climbed is None or len(climbed.firsts) > 1 or _is_doubtful(hunk, climbed):
        return _place_chosen(page, [(hunk, _choice(page, hunk, climbed))])
    made = fit(page, hunk, place(page, hunk, climbed, climbed.firsts[0]))
    if isinstance(made, Problem):
        return Placed([], [made._replace(patch_line=hunk.patch_line)], [])
    done = inserted_already(page, hunk, made)
    if isinstance(done, Problem):
        return Placed([], [done], [])
    if done:
        return Placed([], [], [_no_op(page, hunk, climbed.firsts[0] + 1)])
    return Placed(made, [], [note for one in made for note in one.notes])


def _is_doubtful(hunk: Hunk, climbed: Climb) -> bool:
    """Whether a single place deserves a second look: it is only alike, or may not be where the hunk says."""
    elsewhere = hunk.where.line not in (0, climbed.firsts[0] + 1)
    return hunk.rules.indent == "map" and (climbed.rung != "exact" or elsewhere or hunk.where.under != ())


def _no_op(page: Page, hunk: Hunk, line: int) -> Note:
    text = f"already_applied: the new text stands at line {line}, so nothing is to be done"
    return Note(text, page.path, hunk.patch_line)


def _hopeless(page: Page, hunk: Hunk) -> Placed:
    from .refusal import not_found

    return Placed([], [], [], (Missing(hunk, not_found(page, hunk)),))


def _swap_alone(page: Page, swap: Swap, elided: bool) -> Placed | Hunk:
    """A swap by itself, or the hunk to look for."""
    made = _direct(page, swap)
    if isinstance(made, Problem):
        return Placed([], [made], [])
    if not isinstance(made, Hunk):
        return Placed(made, [], [] if made else [_nothing_to_do(page, swap.patch_line)])
    # Whole lines would be text too.
    return _hopeless(page, made) if page.missed >= PATIENCE and not elided else made


def _nothing_to_do(page: Page, patch_line: int) -> Note:
    return Note("already_applied: the new text stands there, so nothing is to be done", page.path, patch_line)


def _direct(page: Page, said: Hunk | Swap | Merge) -> list[Fit] | Hunk | Problem:
    """What needs no search by lines: a swap of text, a claim by number; else the hunk to look for."""
    if isinstance(said, Merge):
        return _merged(page, said)
    if isinstance(said, Swap):
        from .swap import place_swap

        return place_swap(page, said)
    if (said.lines and said.lines[0][0] != "+") or said.old:
        return said
    if stands_at_edge(page, said):
        return []
    made = _by_claim(page, said)
    return made if isinstance(made, Problem) else [made]


def _merged(page: Page, merge: Merge) -> list[Fit] | Problem:
    from .merge import resolve

    splices = resolve(page.lines, merge)
    if isinstance(splices, Problem):
        return splices._replace(patch_line=splices.patch_line or merge.patch_line)
    fits = []
    for splice in splices:
        own = [end or page.sheet.eol for end in page.sheet.ends[splice.start : splice.end]][: len(splice.lines)]
        fits.append(Fit(splice, own + [page.sheet.eol] * (len(splice.lines) - len(own))))
    return fits


def _by_claim(page: Page, hunk: Hunk) -> Fit | Problem:
    """A hunk without old lines stands where its claim says: an end of the file, lines by number, below a header."""
    count = len(page.lines)
    where = hunk.where
    if where.at_start:
        return fit_gap(page, hunk, 0, 0)
    if where.at_end or not count:
        return fit_gap(page, hunk, count, count)
    if where.under:
        return _below_header(page, hunk)
    if not where.line:
        detail = "the edit adds lines but doesn't say where"
        return Problem("ambiguous", detail, patch_line=hunk.patch_line, advice="Add a line that stands next to them.")
    if where.last > count or where.line > count + 1:
        detail = f"the file has {count} lines, numbered from 0 to {count - 1}"
        return Problem("not_found", detail, patch_line=hunk.patch_line, line=count)
    return fit_gap(page, hunk, where.line - 1, where.last)


def _below_header(page: Page, hunk: Hunk) -> Fit | Problem:
    from .refusal import ambiguous, not_found
    from .scope import blocks

    found = blocks(page, hunk.where.under)
    if not found:
        return not_found(page, hunk)[0]
    if len(found) > 1:
        return ambiguous(page, hunk, "header", [block.row for block in found])
    return fit_gap(page, hunk, found[0].row + 1, found[0].row + 1)


# ── hunks that are looked for ────────────────────────────────────────────────────────────────────


def _searches(page: Page, hunks: list[Hunk]) -> Iterator[tuple[Hunk, Choice | None]]:
    """Each hunk with its places. Those that say the same are looked for once: many may stand at many places."""
    known: dict[tuple[object, ...], Choice | None] = {}
    for hunk in hunks:
        key = (hunk.lines, hunk.rules, hunk.where[2:])  # the line it claims to be at is only a hint
        if key in known:
            choice = known[key]
            yield hunk, choice and choice._replace(hunk=hunk)
        else:
            known[key] = choice = _choice(page, hunk, climb(page, hunk))
            yield hunk, choice


def _place_chosen(page: Page, hunks: Iterable[tuple[Hunk, Choice | None]]) -> Placed:
    """One place for each hunk, of those where its old text stands."""
    from .order import choose

    missing: list[Missing] = []
    choices: list[Choice] = []
    added: set[tuple[int, tuple[tuple[str, str], ...]]] = set()
    notes: list[Note] = []
    for hunk, places in hunks:
        found = _searched(page, hunk, places)
        if isinstance(found, Missing):
            missing.append(found)
        elif isinstance(found, Note):
            notes.append(found)
        elif len(found.climbed.firsts) == 1 and (found.climbed.firsts[0], found.hunk.lines) in added:
            notes.append(Note("the hunk is there twice; its lines are added once", page.path, hunk.patch_line))
        else:
            choices.append(found)
            if not any(tag == "-" for tag, _ in hunk.lines):
                added.add((found.climbed.firsts[0], found.hunk.lines))
    chosen = choose(page, choices)
    problems = [*chosen.problems, *(_doubtful(page, choices) if notes else ())]
    notes += [Note("the hunks are not in the order of the file", page.path)] if chosen.unordered else []
    fits: list[Fit] = []
    for choice, pick in zip(choices, chosen.picks, strict=True) if not problems else ():
        made = fit(page, choice.hunk, place(page, choice.hunk, choice.climbed, choice.climbed.firsts[pick]))
        done = made if isinstance(made, Problem) else inserted_already(page, choice.hunk, made)
        if isinstance(done, Problem):
            problems.append(done._replace(patch_line=choice.hunk.patch_line))
        elif done:
            notes.append(_no_op(page, choice.hunk, choice.climbed.firsts[pick] + 1))
        elif not isinstance(made, Problem):
            fits += made
    return Placed(fits, problems, notes, tuple(missing))


def _searched(page: Page, hunk: Hunk, found: Choice | None) -> Choice | Note | Missing:
    """The places of one hunk, a note that nothing is to be done for it, or why it has none."""
    from .refusal import not_found

    line = 0
    if found is None and page.missed >= PATIENCE:
        return Missing(hunk, not_found(page, hunk))
    if found is None or found.climbed.rung != "exact":
        # Context without its sign, to the letter, is worth more than context that is only alike; and so is
        # the result itself: a place that is only alike is then another one.
        trimmed = _without_edge_blanks(hunk)
        if trimmed.lines == hunk.lines:
            trimmed = hunk._replace(lines=())
        signed = _unsigned(page, hunk, found) or _unsigned(page, trimmed, found)
        if isinstance(signed, Problem):
            return Missing(hunk, (signed,))
        found = signed or found or (_choice(page, trimmed, climb(page, trimmed)) if trimmed.old else None)
        line = stands_already(page, hunk, _taken(found) if found else None)
    elif hunk.where.line:
        line = _nearer_result(page, hunk, found)
    elif hunk.where.under:
        line = _result_under_header(page, hunk, found)
    bare = not any(tag == " " for tag, _ in hunk.lines)
    if line and found is not None and bare:
        return Missing(hunk, (_applied_or_not(hunk, line, found),))
    if line:
        return _no_op(page, hunk, line)
    return Missing(hunk, not_found(page, hunk)) if found is None else found


def _doubtful(page: Page, choices: list[Choice]) -> list[Problem]:
    """Hunks whose result stands elsewhere too, though others of the edit are applied already: they may be as well."""
    lines = [(one, stands_already(page, one.hunk, _taken(one))) for one in choices if one.climbed.rung == "exact"]
    return [_applied_or_not(one.hunk, line, one) for one, line in lines if line]


def _applied_or_not(hunk: Hunk, line: int, found: Choice) -> Problem:
    """Without context nothing tells whether a hunk was applied already or means a place that is only alike."""
    rows = [first + 1 for first in found.climbed.firsts[:3]]
    detail = f"the new text stands at line {line}, and the old one, compared by {found.climbed.rung}, at line {rows[0]}"
    advice = "If it isn't applied yet, copy the old lines exactly, with a neighbour."
    return Problem("ambiguous", detail, patch_line=hunk.patch_line, line=rows[0], advice=advice)


def _taken(found: Choice) -> range:
    """From the first row of the first place to the last row of the last."""
    firsts = found.climbed.firsts
    return range(firsts[0], firsts[-1] + len(found.hunk.old))


def _nearer_result(page: Page, hunk: Hunk, found: Choice) -> int:
    """The line where the hunk's result stands, if it is nearer to the line named than any place of its old text."""
    firsts = found.climbed.firsts
    at = bisect_left(firsts, hunk.where.line - 1)
    nearest = min(abs(first + 1 - hunk.where.line) for first in firsts[max(at - 1, 0) : at + 1])
    line = stands_already(page, hunk, _taken(found)) if nearest else 0
    return line if line and abs(line - hunk.where.line) < nearest else 0


def _result_under_header(page: Page, hunk: Hunk, found: Choice) -> int:
    """The line where the hunk's result stands under its header, if its old text only stands further below."""
    from .scope import Extent, strictly_within

    ahead, first = hunk.changed[0], found.climbed.firsts[0]
    if strictly_within(page, hunk.where, Extent(first, first + len(hunk.old), first + ahead)):
        return 0
    line = stands_already(page, hunk, _taken(found))
    there = Extent(line - 1, line - 1 + len(hunk.new), line - 1 + ahead)
    return line if line and strictly_within(page, hunk.where, there) else 0


def _choice(page: Page, hunk: Hunk, climbed: Climb | None) -> Choice | None:
    from .order import Choice

    if climbed is None:
        return None
    changed = hunk.changed
    spans = [changed_rows(page, changed, climbed.wanted, start) for start in climbed.firsts]
    return Choice(hunk, climbed, spans)


def _unsigned(page: Page, hunk: Hunk, found: Choice | None) -> Choice | Problem | None:
    """The hunk read as if its context lost its signs, where that is a reading, and the better one than `found`."""
    from .signs import lost_signs, with_signs

    signed = next(
        (choice for read in with_signs(page, hunk) if (choice := _choice(page, read, climb(page, read)))), None
    )
    if signed is None or found is None or any(len(one.climbed.firsts) > 1 for one in (signed, found)):
        return signed
    lost = lost_signs(page, hunk, signed.hunk)
    made = [fit(page, one.hunk, place(page, one.hunk, one.climbed, one.climbed.firsts[0])) for one in (signed, found)]
    if lost is None and made[0] != made[1] and not _same_splices(*made):
        detail = "its context may have lost its sign or its indentation, and the new lines stand differently then"
        advice = "Begin each context line with a blank, and copy the lines exactly."
        return Problem(
            "ambiguous", detail, patch_line=hunk.patch_line, line=signed.climbed.firsts[0] + 1, advice=advice
        )
    return signed if lost is not False else None


def _same_splices(one: list[Fit] | Problem, two: list[Fit] | Problem) -> bool:
    if isinstance(one, Problem) or isinstance(two, Problem):
        return False
    return [(*fit.splice[:2], fit.splice.lines) for fit in one] == [(*fit.splice[:2], fit.splice.lines) for fit in two]


def _without_edge_blanks(hunk: Hunk) -> Hunk:
    """The hunk without blank context at its edges: models add and drop those freely."""
    lines = list(hunk.lines)
    while lines and lines[0][0] == " " and not lines[0][1].strip(BLANK):
        lines.pop(0)
    while lines and lines[-1][0] == " " and not lines[-1][1].strip(BLANK):
        lines.pop()
    # What only adds lines needs something to hang on: a brace or the opening of a comment says too little.
    removed = [text for tag, text in lines if tag == "-"]
    hangs = weight(removed) > 0 if removed else weight([text for tag, text in lines if tag != "+"]) > 2
    return hunk._replace(lines=tuple(lines) if hangs else ())


def _overlaps(fits: list[Fit], edit: Edit) -> list[Problem]:
    """Two hunks of an edit may meet, but not change the same line."""
    found = []
    for one, two in pairwise(fits):
        if two.splice.start < one.splice.end:
            detail = f"two hunks change line {two.splice.start + 1}"
            found.append(Problem("overlap", detail, line=two.splice.start + 1, patch_line=edit.patch_line))
    return found

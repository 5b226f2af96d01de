"""The hunks of an edit together: one place for each, or a refusal. The front door of matching. Pure."""

from __future__ import annotations

from _bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise
from operator import itemgetter

from ..model import TOLERANT, Edit, Hunk, Inside, Merge, Note, Said, Splice, Swap
from ..parsing.elision import is_dots, is_dotted, is_mark
from ..problems import Problem
from ..record import NamedTuple
from ..similarity import is_alike
from ..text import BLANK, encode, spliced
from .already_applied import (
    Standing,
    added_at_gap,
    already_applied,
    inserted_already,
    may_be_applied,
    repeats_outside,
    result_elsewhere,
    stands_already,
    weight,
)
from .constraints import Extent, blocks, enclosed, row_inside, stale, strictly_within, untied
from .diagnostics import ambiguous, not_found, region, used_twice
from .elision import emptied, hollowed, left_out, marks_in_file
from .levels import RUNGS
from .line_kinds import is_trivial, opens_block
from .search import Page, Places, find, find_places, needle, place, rows, with_skipped_lines
from .splices import Fit, fit, fit_gap, replaced

# What headers begin with that name a symbol.
_DECLARING = (
    "def ", "class ", "function ", "func ", "fn ", "interface ", "struct ", "enum ", "impl ", "trait ", "type ",
    "module ", "namespace ", "async ", "public ", "private ", "protected ", "static ", "export ", "pub ", "const ",
)  # fmt: skip
EXPLAINED = 20  # so many hunks of a file without a place are explained; the others are only named


class Missing(NamedTuple):
    """A hunk that has no place in the text, and why."""

    hunk: Hunk
    problems: tuple[Problem, ...]


class Placed(NamedTuple):
    """The fits of an edit in file order, what stands in the way, and the hunks that have no place in this text.

    `applied`: what is in the file already, so that nothing is to be done for it; one for each hunk that is so.
    `reach`: the rows that the places rest on; None where they rest on more than lines.
    `exact`: the one hunk stands there to the letter.
    """

    fits: list[Fit]
    problems: list[Problem]
    notes: list[Note]
    missing: tuple[Missing, ...] = ()
    applied: tuple[Applied, ...] = ()
    reach: tuple[int, int] | None = None
    exact: bool = False


class Applied(NamedTuple):
    """A hunk that is applied already: its line in the patch, and the text of the file that shows it."""

    patch_line: int
    text: str


class Care(NamedTuple):
    """What is to be asked of the lines of an edit; a cheap look at the whole patch can tell that none of them needs it.

    `elided`: new ones may leave code out. `escaped`: they may be escaped once too often; `sample`: an old line with
    escaped quotes, which shows it. `brief`: what stands in the way is named only; enough of it was explained.
    """

    elided: bool = True
    escaped: bool = True
    sample: str = ""
    brief: bool = False


def place_edit(page: Page, edit: Edit, care: Care) -> Placed:
    """Every hunk's splices against the page as it is, or everything that stands in the way.

    A hunk alone that had several places isn't looked for again in the same text.
    """
    doubtful, alone = page.doubtful, edit.hunks[0] if len(edit.hunks) == 1 else None
    if doubtful and alone is not None and (known := doubtful.get(alone._replace(patch_line=0))):
        return Placed([], [problem._replace(patch_line=alone.patch_line) for problem in known], [])
    placed = _placed(page, edit, care)
    refused = placed.problems and not placed.missing and {problem.kind for problem in placed.problems} == {"ambiguous"}
    if alone is not None and refused:
        doubtful[alone._replace(patch_line=0)] = placed.problems
    return placed


class Gathered:
    """What an edit comes to, gathered hunk by hunk.

    `done`: what stands in the file already, with its line in the patch. `divided`: hunks that could be divided
    otherwise. `numbered`: hunks whose place is a line number alone. `off`: one that names a line stands elsewhere.
    `reach`, `exact`: as in `Placed`.
    """

    __slots__ = ("divided", "done", "exact", "fits", "missing", "notes", "numbered", "off", "problems", "reach")

    def __init__(self) -> None:
        self.fits: list[Fit] = []
        self.problems: list[Problem] = []
        self.notes: list[Note] = []
        self.missing: list[Missing] = []
        self.done: list[tuple[int, Standing]] = []
        self.divided: list[Problem] = []
        self.numbered: list[Hunk] = []
        self.reach: tuple[int, int] | None = None
        self.off = False
        self.exact = True


def _placed(page: Page, edit: Edit, care: Care) -> Placed:
    if isinstance(edit.whole, Hunk) and (find_places(page, edit.whole) is not None or _has_dots(page, edit.whole)):
        return _placed(page, edit._replace(hunks=(edit.whole,), whole=None), care)
    made = Gathered()
    hunks: list[Hunk] = []
    for said in _signed_closely(page, edit.hunks) or edit.hunks:
        low = _lowered(page, said, made, care)
        if low is not None:
            hunks.append(low)
    if made.divided:
        return Placed([], made.divided, [])
    if hunks:
        _place_hunks(page, hunks, made, care.brief, ordered=edit.whole is not None)
    fits, problems, done = made.fits, made.problems, made.done
    if len(fits) > 1:
        fits.sort(key=lambda one: (one.splice.start, one.splice.end))
        problems += _overlaps(fits, edit)
    if made.numbered and (done or made.off):
        problems += _by_number_alone(made)
    notes = [already_applied(page, *one) for one in done] + made.notes if done else made.notes
    for one in fits:
        notes += one.notes
    applied = tuple([Applied(at, there.text) for at, there in done]) if done else ()
    if len(edit.hunks) != 1 or not fits or made.reach is None:
        return Placed(fits, problems, notes, tuple(made.missing), applied)
    first, last = made.reach
    reach = min(first, fits[0].splice.start), max(last, fits[-1].splice.end)
    return Placed(fits, problems, notes, tuple(made.missing), applied, reach, made.exact)


def _has_dots(page: Page, whole: Hunk) -> bool:
    """Whether lines of dots that a hunk shows are in the file: then they are code, and leave none out."""
    there = page.index(RUNGS["indentation"], None)
    return any(is_dots(line) and line.strip(BLANK) in there for line in whole.old)


def _signed_closely(page: Page, hunks: tuple[Said, ...]) -> tuple[Hunk, ...] | None:
    """The hunks without the blank behind the signs of their changed lines, where all stand to the letter only so.

    |   def show_all
    |-     show          the file has `    show`; of the lines that come, one as deep would move to its column, and
    |+     if all        others wouldn't
    |+       show
    """
    # Without this mistake the first hunk that takes a line away stands to the letter, which is looked up anyway.
    told = next((said for said in hunks if isinstance(said, Hunk) and "-" in said.tags), None)
    if told is None or not told.policy.may_lose_signs or _stands(page, "exact", told.old):
        return None
    signed = [said for said in hunks if isinstance(said, Hunk)]
    if len(signed) < len(hunks) or not any(tag == "-" and text.strip(BLANK) for tag, text in told.lines):
        return None
    closely = []
    for one in signed:
        if any(tag != " " and text[:1] not in ("", " ") for tag, text in one.lines) or " " not in one.tags:
            return None
        lines = tuple([(tag, text if tag == " " else text.removeprefix(" ")) for tag, text in one.lines])
        closely.append(one._replace(lines=lines))
    return tuple(closely) if all(not one.old or _stands(page, "exact", one.old) for one in closely) else None


def _by_number_alone(made: Gathered) -> list[Problem]:
    """Lines to be added by number alone, though other hunks show that the numbers are not those of this file."""
    settled = {patch_line for patch_line, _ in made.done}
    why = "are already applied" if made.done else "aren't at the lines they name"
    detail = f"other hunks {why}, so a line number alone doesn't tell where this one goes"
    advice = "Show a line next to the new ones, and leave out what is already applied."
    return [
        Problem("ambiguous", detail, patch_line=one.patch_line, line=one.where.line, advice=advice)
        for one in made.numbered
        if one.patch_line not in settled
    ]


def _overlaps(fits: list[Fit], edit: Edit) -> list[Problem]:
    """Two hunks of an edit may meet, but not change the same line."""
    return [
        Problem("overlap", f"two hunks change line {row}", line=row, patch_line=edit.patch_line)
        for one, two in pairwise(fits)
        if (row := two.splice.start + 1) <= one.splice.end
    ]


# ── every kind of edit as hunks and fits ─────────────────────────────────────────────────────────


def _lowered(page: Page, said: Said, made: Gathered, care: Care) -> Hunk | None:
    """An edit of any kind as a hunk to look for; None where nothing is left to look for, and all is gathered.

    Here alone kinds are told apart.
    """
    if isinstance(said, Hunk):
        low = _hunk(page, said, made, care.brief)
        if care.elided:
            low = left_out(page, said) or low
    elif isinstance(said, Swap):
        from .swap import place_swap

        low = place_swap(page, said)
        if isinstance(low, list) and low:
            made.reach = low[0].splice.start, low[0].splice.end
    elif isinstance(said, Merge):
        low = _shown_in_part(page, said)
    elif isinstance(said, Inside):
        from .symbol_edits import place_inside

        low, problems = place_inside(page, said)
        made.problems += problems
    else:
        from .ranges import place_spans

        low = place_spans(page, said)
    if care.escaped and isinstance(said, (Hunk, Swap)) and said.policy.forgives_copying:
        low = _over_escaped(page, said, care.sample) or low
    if isinstance(low, Hunk):
        return low
    if isinstance(low, Problem):
        made.problems.append(low)
    elif isinstance(low, Standing):
        made.done.append((said.patch_line, low))
    else:
        made.fits += low
    return None


def _over_escaped(page: Page, said: Hunk | Swap, sample: str) -> Problem | None:
    added = [text for tag, text in said.lines if tag == "+"]
    if "\\" not in "".join(added):
        return None
    from .copied import over_escaped, unquoted

    old = "\n".join(["", *(text for tag, text in said.lines if tag != "+")])
    # Other hunks may show that every quote was escaped, though some of the file's own are.
    holds = page.sheet.holds
    shown = sample != "" and not holds(sample) and holds(unquoted(sample))
    problem = over_escaped(page.path, added, lambda piece: piece in old or (not shown and holds(piece)))
    return problem._replace(patch_line=said.patch_line) if problem else None


def _hunk(page: Page, hunk: Hunk, made: Gathered, brief: bool) -> list[Fit] | Standing | Hunk | Problem:
    """A hunk to look for, without what is no part of it in this file; or where its claim puts it.

    That may be context behind the lines that its header counts, or headers that aren't there.
    """
    if hunk.rival and _stands(page, "exact", hunk.rival):
        detail = "more than one line may be the divider: the text up to the last of them is in the file, too"
        advice = "Name the lines to change by number, or use a format that can hold a line of `---`."
        made.divided.append(Problem("ambiguous", detail, patch_line=hunk.patch_line, advice=advice))
    if hunk.counted and find_places(page, hunk) is None:
        hunk = hunk._replace(lines=hunk.lines[: hunk.counted], counted=0)
        hunk = hunk._replace(where=hunk.where._replace(last=hunk.where.line and hunk.where.line + len(hunk.old) - 1))
    if hunk.where.blank_below and find_places(page, hunk) is None:
        hunk = _without_blanks(page, hunk) or hunk
    where = hunk.where
    if where.advisory and where.under and hunk.old and not _stands(page, "indentation", where.under):
        return _without_remark(page, hunk, made)
    if (hunk.lines and hunk.lines[0][0] != "+") or hunk.old:
        return hunk
    if hunk.where.line:
        made.numbered.append(hunk)
    there = _by_claim(page, hunk, brief)
    if isinstance(there, Problem):
        return there
    reach = range(there.splice.start, there.splice.end)
    # A range, or a gap, that is off by one: the first new line, or the last, is right beside it.
    repeat = repeats_outside(page, reach, [there], hunk.patch_line) if where.line else None
    return added_at_gap(page, hunk, there) or [there._replace(repeat=repeat)]


def _without_blanks(page: Page, hunk: Hunk) -> Hunk | None:
    """The hunk whose header counts more lines than it has, if these are blank ones of the file that it leaves out."""
    where, policy = hunk.where._replace(blank_below=0), TOLERANT._replace(levels=("blank lines",))
    whole = hunk._replace(where=where, policy=policy, doubts=())
    found = find_places(page, whole)
    if found is None or len(found.firsts) > 1:
        return None
    there = rows(page, found.wanted, found.firsts[0])
    shown = found.wanted.at[-1] - found.wanted.at[0] + 1
    return whole if there[-1] - there[0] + 1 == shown + hunk.where.blank_below else None


def _without_remark(page: Page, hunk: Hunk, made: Gathered) -> Hunk:
    """The hunk without a header that is no line of the file, if its old lines stand there once and to the letter.

    `@@ update the total` may go. `@@ def run_b():` names what this file hasn't, and `@@ def run_a(x)` is nearly a line.
    At the top of the file no line can stand above the place.
    """
    header = hunk.where.under[0]
    found = find(page, needle(RUNGS["exact"], None, hunk.old))
    if len(found) != 1 or not found[0] or all(map(is_trivial, hunk.old)) or blocks(page, hunk.where.under):
        return hunk
    if header.startswith(_DECLARING) or opens_block(header):
        return hunk
    if any(is_alike(header, line.strip(BLANK)) for line in page.lines):
        return hunk
    note = f"the header `{header[:80]}` isn't in the file; the lines below it are, once"
    made.notes.append(Note(note, page.path, hunk.patch_line))
    return hunk._replace(where=hunk.where._replace(under=()))


def _stands(page: Page, rung: str, lines: tuple[str, ...]) -> bool:
    return bool(find(page, needle(RUNGS[rung], None, lines)))


def _shown_in_part(page: Page, merge: Merge) -> list[Fit] | Problem:
    from .copied import without_label
    from .partial_file import lay_over, lay_over_function
    from .shown_symbols import lay_symbols

    merge = merge._replace(shown=tuple(without_label(page.path, merge.shown, page.lines)))
    again = marks_in_file(page, merge)
    splices = lay_over(page.lines, merge, page.path) if merge.marks else None
    if isinstance(splices, list):
        fits: list[Fit] | Problem | None = [replaced(page, splice) for splice in splices]
    else:
        # Whole functions and classes need no lines around them.
        made = lay_symbols(page, merge)
        fits = made if isinstance(made, list) else splices or made
        inside = lay_over_function(page.lines, merge, page.path) if merge.marks and isinstance(fits, Problem) else None
        if isinstance(inside, list):
            fits = [replaced(page, splice) for splice in inside]
    if again is not None and (fits or isinstance(fits, Problem)):
        return again
    if fits is None:
        detail = "the text is neither the whole file nor made of whole functions or classes of it"
        fits = Problem("would_shrink", detail, reason="no_symbols")
    if isinstance(fits, Problem):
        return fits._replace(patch_line=fits.patch_line or merge.patch_line)
    if doubt := _emptied(page, fits) or _written_marks(fits) or _broken(page, fits):
        return doubt._replace(patch_line=merge.patch_line)
    return fits


def _broken(page: Page, fits: list[Fit]) -> Problem | None:
    """A problem where a file that parsed no longer would: then a part was meant to stand elsewhere."""
    from ..syntax.validate import first_new_error

    after = "\n".join([*spliced(page.lines, [one.splice for one in fits]), ""])
    fault = first_new_error(page.path, encode(page.text), encode(after)) if fits else None
    if fault is None:
        return None
    detail = f"the file would no longer parse (line {fault.line}), so a part may belong elsewhere"
    return Problem("elision", detail, line=fits[0].splice.start + 1)


def _written_marks(fits: list[Fit]) -> Problem | None:
    """A problem where a line that leaves code out would be written: in a string or a page's example it may be meant."""
    for one in fits:
        for line in one.splice.lines:
            if is_mark(line) and is_dotted(line):
                detail = f"`{line.strip()[:80]}` would be written to the file, but may stand for code that was left out"
                return Problem("elision", detail, line=one.splice.start + 1, advice="Write the code out in full.")
    return None


def _emptied(page: Page, fits: list[Fit]) -> Problem | None:
    """A problem where dots or a comment would take the place of a function's code: they may leave it out."""
    after = spliced(page.lines, [one.splice for one in fits])
    if any(is_dots(line) for one in fits for line in one.splice.lines):
        header = emptied(page.path, page.lines, after)
        if header:
            return Problem("elision", f"the code below `{header[:80]}` is only `...`")
    return hollowed(page.lines, after)


def _by_claim(page: Page, hunk: Hunk, brief: bool) -> Fit | Problem:
    """A hunk without old lines stands where its claim says: an end of the file, lines by number, below a header."""
    count = len(page.lines)
    where = hunk.where
    if where.hashes:
        changed = stale(page, where.hashes)
        if changed is not None:
            return changed._replace(patch_line=hunk.patch_line)
    if where.at_start:
        return fit_gap(page, hunk, 0, 0)
    if where.at_end or not count:
        return fit_gap(page, hunk, count, count)
    if where.under:
        return _below_header(page, hunk, brief)
    if not where.line:
        detail = "the edit adds lines but doesn't say where"
        return Problem(
            "ambiguous", detail, patch_line=hunk.patch_line, advice="Add a line of the file that is next to them."
        )
    if where.last > count or where.line > count + 1:
        detail, advice = f"the file ends at line {count}", "Give line numbers that are in the file."
        return Problem("not_found", detail, patch_line=hunk.patch_line, line=count, advice=advice)
    if where.tied and (loose := untied(page.lines, hunk)):
        detail = f"line {where.line} may not be the one that is meant: {loose}"
        advice = "Show the lines as they are, too, as Before and After."
        return Problem("ambiguous", detail, patch_line=hunk.patch_line, line=where.line, advice=advice)
    meant = 0 if where.hashes else _row_beside(page.lines, where.line - 1, where.last, hunk.new)
    if meant:
        detail = f"the new lines for line {where.line} look like another version of line {meant}"
        advice = "Count the lines again; if these are meant, show them as well as the new ones."
        return Problem("ambiguous", detail, patch_line=hunk.patch_line, line=meant, advice=advice)
    return fit_gap(page, hunk, where.line - 1, where.last)


def _row_beside(lines: Sequence[str], start: int, end: int, new: Sequence[str]) -> int:
    """The number of the line right beside a range of which new lines are a version, and not of the range; else 0.

    4  retries = 3          lines 5 to 5: `retries = 5`. Who counts from the other number than the format does says so.
    5  timeout = 10
    """
    if start >= end or not 0 < len(new) <= end - start + 2:
        return 0  # many lines for few are no version of one
    first, last = new[0].strip(BLANK), new[-1].strip(BLANK)
    if is_alike(first, lines[start].strip(BLANK)) or is_alike(last, lines[end - 1].strip(BLANK)):
        return 0
    if start and weight([first]) and is_alike(first, lines[start - 1].strip(BLANK)):
        return start
    below = lines[end].strip(BLANK) if end < len(lines) else ""
    return end + 1 if weight([last]) and is_alike(last, below) else 0


def _below_header(page: Page, hunk: Hunk, brief: bool) -> Fit | Problem:
    found = blocks(page, hunk.where.under)
    if not found:
        return not_found(page, hunk, brief)[0]
    if len(found) > 1:
        return ambiguous(page, hunk, "header", [block.row for block in found], brief=brief)
    row = row_inside(page, found[0].row, hunk.new)
    if row < 0:
        header = found[0].row + 1
        detail = f"it isn't clear where below `{hunk.where.under[-1][:80]}` (line {header}) the new lines go"
        advice = "Show the line right above the new ones, with a space in front."
        near = (region(page, header - 1),)
        return Problem("ambiguous", detail, patch_line=hunk.patch_line, line=header, advice=advice, near=near)
    return fit_gap(page, hunk, row, row)


# ── hunks that are looked for ────────────────────────────────────────────────────────────────────


def _place_hunks(page: Page, hunks: list[Hunk], made: Gathered, brief: bool, *, ordered: bool) -> None:
    """One place for each hunk, of those where its old text stands. `ordered`: only one below the other."""
    several = len(hunks) > 1
    # Hunks that say the same are looked for once: many may stand at many places.
    repeats = several and len({hunk.lines for hunk in hunks}) < len(hunks)
    known: dict[tuple[object, ...], Places | None] = {}
    added: set[tuple[int, tuple[tuple[str, str], ...]]] = set()
    choices: list[Places] = []
    applied = len(made.done)
    for hunk in hunks:
        key = (hunk.lines, hunk.policy, hunk.where[2:]) if repeats else ()  # the line it claims to be at is only a hint
        places = known[key] if repeats and key in known else find_places(page, hunk)
        known[key] = places
        if places is not None and places.hunk is not hunk:
            places = places._replace(hunk=hunk)
        line, under = hunk.where.line, hunk.where.under
        if places is not None and places.rung == "exact" and not under and line in (0, places.firsts[0] + 1):
            found: Places | Standing | Missing = places  # it stands to the letter where it claims to
        else:
            found = _searched(page, hunk, places, brief or len(made.missing) >= EXPLAINED)
        if isinstance(found, Missing):
            made.missing.append(found)
        elif isinstance(found, Standing):
            made.done.append((hunk.patch_line, found))
        elif added and len(found.firsts) == 1 and (found.firsts[0], found.hunk.lines) in added:
            made.notes.append(Note("the hunk appears twice; its lines are added once", page.path, hunk.patch_line))
        else:
            choices.append(found)
            if several and "-" not in hunk.tags:
                added.add((found.firsts[0], found.hunk.lines))
    chosen = choose(page, choices, brief)
    problems = chosen.problems
    if len(made.done) > applied:
        problems += may_be_applied(page, choices)
    if chosen.unordered:
        made.notes.append(Note("the hunks are not in the file's order", page.path))
        if ordered:
            detail = "the parts of the old text around `...` are in another order in the file"
            problems.append(Problem("not_found", detail, patch_line=choices[0].hunk.patch_line))
    for choice, pick in zip(choices, chosen.picks, strict=True):
        line = choice.hunk.where.line
        made.off = made.off or (line > 0 and choice.firsts[pick] + 1 != line)
        if not problems:
            _take(page, choice, pick, made)
    made.problems += problems
    made.exact = len(choices) == 1 and choices[0].rung == "exact" and choices[0].hunk is hunks[0]


def _take(page: Page, choice: Places, pick: int, made: Gathered) -> None:
    """Gather what comes of a hunk at the place that was chosen."""
    hunk, at = choice.hunk, place(page, choice, choice.firsts[pick])
    made.reach = at.rows[0], at.rows[-1] + 1
    fits = fit(page, hunk, at)
    there = fits if isinstance(fits, Problem) else inserted_already(page, hunk, fits)
    if isinstance(there, Problem):
        made.problems.append(there._replace(patch_line=hunk.patch_line))
    elif there:
        made.done.append((hunk.patch_line, there))
    elif not isinstance(fits, Problem):
        guards = fits and hunk.policy.guards_reapply
        repeat = repeats_outside(page, range(*made.reach), fits, hunk.patch_line) if guards else None
        if repeat:
            fits[-1] = fits[-1]._replace(repeat=repeat)
        made.fits += fits
        made.notes += _outside_header(page, choice, pick) if hunk.where.under else ()
        if choice.told:
            row = at.rows[0] + 1
            text = f"it fits in several places; the answer names `{choice.told}`, line {row}"
            made.notes.append(Note(text, page.path, hunk.patch_line, row, kind="named"))
        if hunk.skipped:
            which = ("lines " if len(hunk.skipped) > 1 else "line ") + ", ".join(str(row + 1) for row in hunk.skipped)
            text = f"its context leaves out {which} of the file, which stay{'s' * (len(hunk.skipped) == 1)}"
            made.notes.append(Note(text, page.path, hunk.patch_line, hunk.skipped[0] + 1, kind="skipped_lines"))
        if hunk.copied:
            text = f"the old text isn't in the file exactly as written: {hunk.copied}"
            made.notes.append(Note(text, page.path, hunk.patch_line))


def _searched(page: Page, hunk: Hunk, found: Places | None, brief: bool) -> Places | Standing | Missing:
    """The places of one hunk, its result where that stands there already, or why it has neither."""
    if found is None or found.rung != "exact":
        # Context without its sign, to the letter, is worth more than context that is only alike; and so is
        # the result itself: a place that is only alike is then another one.
        trimmed = _without_edge_blanks(hunk)
        if trimmed.lines == hunk.lines:
            trimmed = hunk._replace(lines=())
        signed = _unsigned(page, hunk, found) or _unsigned(page, trimmed, found)
        if isinstance(signed, Problem):
            return Missing(hunk, (signed,))
        found = signed or found or (find_places(page, trimmed) if trimmed.old else None)
        if found is None:
            standing = stands_already(page, hunk)
            found = _as_copied(page, hunk) or _with_gaps(page, hunk) if standing is None else None
            if found is None:
                return standing or Missing(hunk, not_found(page, hunk, brief))
            hunk = found.hunk
    there = result_elsewhere(page, hunk, found)
    return Missing(hunk, (there,)) if isinstance(there, Problem) else there or found


def _without_edge_blanks(hunk: Hunk) -> Hunk:
    """The hunk without blank context at its edges: models add and drop those freely."""
    lines = list(hunk.lines)
    while lines and lines[0][0] == " " and not lines[0][1].strip(BLANK):
        lines.pop(0)
    # Where lines below are cut off, those above may not be left out, too.
    while lines and lines[-1][0] == " " and not lines[-1][1].strip(BLANK) and not hunk.where.blank_below:
        lines.pop()
    # What only adds lines needs something to hang on: a brace or the opening of a comment says too little.
    removed = [text for tag, text in lines if tag == "-"]
    hangs = weight(removed) > 0 if removed else weight([text for tag, text in lines if tag != "+"]) > 2
    return hunk._replace(lines=tuple(lines) if hangs else ())


def _as_copied(page: Page, hunk: Hunk) -> Places | None:
    """The places of what the hunk says if its text was copied with line numbers, escaped, or between blank lines."""
    from .copied import numbered, readings

    for read in readings(hunk):
        found = find_places(page, read)
        if found is None:
            continue
        numbers = numbered(hunk)
        if numbers and any(_stands(page, "indentation", (line,)) for line in numbers):
            continue  # what looks like a line number is text of the file
        if len(numbers) == 1 and read.where.line and page.moved_row(read.where.line - 1) not in found.firsts:
            continue  # one number says little unless it is the line's own
        return found
    return None


def _with_gaps(page: Page, hunk: Hunk) -> Places | None:
    """The place of a hunk whose context leaves out lines of the file."""
    whole = with_skipped_lines(page, hunk)
    return find_places(page, whole) if whole is not None else None


def _unsigned(page: Page, hunk: Hunk, found: Places | None) -> Places | Problem | None:
    """The hunk read as if its context lost its signs, where that is a reading, and the better one than `found`."""
    from .copied import lost_signs, with_signs

    signed = next((places for read in with_signs(page, hunk) if (places := find_places(page, read))), None)
    if signed is None or found is None or any(len(one.firsts) > 1 for one in (signed, found)):
        return signed
    lost = lost_signs(page, hunk, signed.hunk)
    made = [fit(page, one.hunk, place(page, one, one.firsts[0])) for one in (signed, found)]
    if lost is None and not _same_result(page, *made):
        detail = "its context lines may have lost their leading space or their indentation, and the result would differ"
        advice = "Begin each context line with a space, and copy the lines exactly."
        return Problem("ambiguous", detail, patch_line=hunk.patch_line, line=signed.firsts[0] + 1, advice=advice)
    return signed if lost is not False else None


def _outside_header(page: Page, choice: Places, pick: int) -> list[Note]:
    """A note where a hunk stands behind its header but not in the block of it: by the format that is enough."""
    hunk, first = choice.hunk, choice.firsts[pick]
    extent = Extent(first, rows(page, choice.wanted, first)[-1] + 1, choice.changed[pick][0])
    if any(strictly_within(page, hunk.where, extent, several=several) for several in (False, True)):
        return []
    text = f"line {extent.changed + 1} is below `{hunk.where.under[-1]}`, but not in its block"
    return [Note(text, page.path, hunk.patch_line, kind="outside_header")]


# ── which of its places each hunk has ────────────────────────────────────────────────────────────


class Chosen(NamedTuple):
    """A place (an index into the choice's lists) for each choice, or the problems."""

    picks: list[int]
    problems: list[Problem]
    unordered: bool = False


def choose(page: Page, choices: list[Places], brief: bool = False) -> Chosen:
    """One place for each hunk."""
    if len(choices) == 1 and len(choices[0].firsts) == 1:
        return Chosen([0], [])
    if max([len(choice.firsts) for choice in choices], default=1) == 1:  # there is nothing to choose between
        apart = [one.changed[0][1] <= two.changed[0][0] and not _says_again(one, two) for one, two in pairwise(choices)]
        return Chosen([0] * len(choices), []) if all(apart) else _unordered(page, choices, brief)
    numbered = _by_number(page, choices)
    if isinstance(numbered, Problem):
        return Chosen([0] * len(choices), [numbered])
    fixed = {number: _only(choices[number], at) for number, at in numbered.items()}
    chosen = _in_order(page, [fixed.get(number, choice) for number, choice in enumerate(choices)], brief)
    chosen = chosen._replace(picks=[numbered.get(number, pick) for number, pick in enumerate(chosen.picks)])
    return chosen if chosen.problems else chosen._replace(problems=_beside_numbers(page, choices, chosen.picks))


def _by_number(page: Page, choices: list[Places]) -> dict[int, int] | Problem:
    """Which of its places a hunk has by its line number, of those hunks whose text stands there to the letter.

    A line number that is true wins over the order of the hunks. Where the hunks before it that have one place only all
    stand at one offset from their own numbers, so does it.
    """
    found: dict[int, int] = {}
    offsets: set[int] = set()
    under: dict[tuple[str, int], set[int]] = {}
    taken: set[int] = set()  # models give several hunks one number
    for number, choice in enumerate(choices):
        line, firsts = choice.hunk.where.line, choice.firsts
        if not line:
            continue
        if len(firsts) == 1:
            offsets.add(firsts[0] + 1 - line)
        elif choice.rung == "exact":
            offset = next(iter(offsets)) if len(offsets) == 1 else 0
            claims = {line - 1 + offset} if offset else {line - 1, page.moved_row(line - 1)}
            claimed = [first for first in sorted(claims) if _holds(firsts, first)]
            if len(claimed) > 1:
                return ambiguous(page, choice.hunk, "line number", claimed)
            if claimed and choice.hunk.where.heading:
                key = (choice.hunk.where.heading, id(firsts))
                under[key] = under[key] if key in under else _under_heading(page, choice)
                if under[key] and claimed[0] not in under[key]:
                    rows = sorted([*claimed, *under[key]])
                    return ambiguous(page, choice.hunk, "line number and heading", rows)
            if claimed and claimed[0] not in taken:
                taken.add(claimed[0])
                found[number] = bisect_left(firsts, claimed[0])
                offsets.add(claimed[0] + 1 - line)
    return found


def _under_heading(page: Page, choice: Places) -> set[int]:
    """The places of a hunk that stand in the block which its heading begins."""
    hunk = choice.hunk
    found = blocks(page, (hunk.where.heading,))
    pairs = zip(choice.firsts, choice.changed, strict=True) if found else ()
    return {at for at, rows in pairs if enclosed(Extent(at, at + len(hunk.old), rows[0]), found)}


def _beside_numbers(page: Page, choices: list[Places], picks: list[int]) -> list[Problem]:
    """Hunks that also fit where their line number says, seen in the light of where the hunks before them stand.

    @@ -10 @@ stands at 12 or 40     The second hunk stands at 30 by its number, at 32 by the offset of the first.
    @@ -30 @@ stands at 30 or 32     If the first had one place only, it would be 32; so nothing tells.
    """
    problems: list[Problem] = []
    offsets: set[int] = set()
    sure = False
    taken = {choice.firsts[pick] for choice, pick in zip(choices, picks, strict=True)}
    for choice, pick in zip(choices, picks, strict=True):
        line, firsts = choice.hunk.where.line, choice.firsts
        if not line:
            continue
        row = firsts[pick]
        if len(firsts) > 1 and choice.rung == "exact":
            shift = next(iter(offsets)) if len(offsets) == 1 else 0
            other = [at for at in (line - 1, line - 1 + shift) if at not in taken and _holds(firsts, at)]
            if other and not (sure and row == line - 1 + shift):
                problems.append(ambiguous(page, choice.hunk, "line number", sorted([row, *other])))
        offsets.add(row + 1 - line)
        sure = sure or len(firsts) == 1
    return problems


def _holds(rows: list[int], row: int) -> bool:
    """Whether a row is among others, ascending."""
    at = bisect_left(rows, row)
    return at < len(rows) and rows[at] == row


def _only(choice: Places, at: int) -> Places:
    """The choice with one of its places left."""
    return choice._replace(firsts=[choice.firsts[at]], changed=[choice.changed[at]])


def _in_order(page: Page, choices: list[Places], brief: bool) -> Chosen:
    """One place for each hunk, in file order."""
    first, last = _leftmost(choices), _rightmost(choices)
    if first is None or last is None:
        return _unordered(page, choices, brief)
    if first == last:
        return Chosen(first, [])
    hinted = _hinted(choices, first, last)
    if hinted is not None:
        return Chosen(hinted, [])
    problems = _ambiguities(page, choices, first, last, brief)
    if not problems and _text(page, choices, first) != _text(page, choices, last):
        problems = [
            ambiguous(page, c.hunk, c.rung, c.firsts, a, b + 1, brief=brief)
            for c, a, b in zip(choices, first, last, strict=True)
            if a != b
        ]
    return Chosen(first, problems)


def _leftmost(choices: list[Places]) -> list[int] | None:
    """Every hunk as far up as those before it allow; None where they don't fit in order."""
    picks: list[int] = []
    floor = 0
    for number, choice in enumerate(choices):
        least = picks[-1] + 1 if number and _says_again(choices[number - 1], choice) else 0
        found = bisect_left(choice.changed, (floor,), least)
        if found == len(choice.changed):
            return None
        picks.append(found)
        floor = choice.changed[found][1]
    return picks


def _rightmost(choices: list[Places]) -> list[int] | None:
    """Every hunk as far down as those behind it allow."""
    picks: list[int] = []
    ceiling: int | None = None
    for number, choice in enumerate(reversed(choices)):
        last = picks[-1] if number and _says_again(choices[-number], choice) else len(choice.changed)
        behind = last if ceiling is None else bisect_left(choice.changed, ceiling + 1, 0, last, key=itemgetter(1))
        if not behind:
            return None
        picks.append(behind - 1)
        ceiling = choice.changed[behind - 1][0]
    return picks[::-1]


def _says_again(one: Places, two: Places) -> bool:
    """Whether two hunks are the same: then they mean two places, also where lines that they add could share one."""
    return one.changed is two.changed or (one.hunk.lines == two.hunk.lines and one.firsts == two.firsts)


def _hinted(choices: list[Places], first: list[int], last: list[int]) -> list[int] | None:
    """Line numbers choose between equal places, but only if every number of the edit is right."""
    picks = []
    for choice, low, high in zip(choices, first, last, strict=True):
        line = choice.hunk.where.line
        pick = bisect_left(choice.firsts, line - 1, low, high + 1) if line else low
        if (line and (pick > high or choice.firsts[pick] != line - 1)) or (not line and low != high):
            return None
        picks.append(pick)
    spans = [choice.changed[i] for choice, i in zip(choices, picks, strict=True)]
    in_order = all(one[1] <= two[0] for one, two in pairwise(spans))
    return picks if in_order else None


def _unordered(page: Page, choices: list[Places], brief: bool) -> Chosen:
    """Out of file order only where every hunk has one place by itself, and no line is wanted twice."""
    several = [choice for choice in choices if len(choice.firsts) > 1]
    problems = [ambiguous(page, one.hunk, one.rung, one.firsts, brief=brief) for one in several]
    if problems:
        return Chosen([0] * len(choices), problems)
    taken: dict[int, Places] = {}
    for choice in choices:
        start, end = choice.changed[0]
        other = next((taken[row] for row in range(start, end) if row in taken), None)
        if other is not None:
            problems.append(used_twice(choice.hunk, other.hunk, start))
        taken |= dict.fromkeys(range(start, end), choice)
    return Chosen([0] * len(choices), problems, True)


def _ambiguities(page: Page, choices: list[Places], first: list[int], last: list[int], brief: bool) -> list[Problem]:
    """Hunks whose places don't all give the same text. Of hunks that say the same each pair of places is tried once."""
    problems = []
    same: dict[int, tuple[int, int]] = {}  # by the list of places: from which of them to which all give one text
    for choice, low, high in zip(choices, first, last, strict=True):
        start, end = same.get(id(choice.changed), (low, low))
        start, end = (start, end) if start <= low <= end else (low, low)
        if end < high and choice.hunk.policy.takes_equal_results:
            end = _one_result(page, choice, end, high)
            same[id(choice.changed)] = (start, end)
        if end < high:
            # No slice: 10,000 equal hunks in 800,000 equal lines would copy 8,000,000,000 rows.
            firsts = choice.firsts
            problems.append(ambiguous(page, choice.hunk, choice.rung, firsts, low, high + 1, brief=brief))
    return problems


def _one_result(page: Page, choice: Places, low: int, high: int) -> int:
    """Up to which place, from `low` on, all give the same text.

    Two neighbouring places can only differ between the first line of the one and the last of the other.
    """
    firsts = map(choice.firsts.__getitem__, range(low, high + 1))
    made = (fit(page, choice.hunk, place(page, choice, first)) for first in firsts)
    alike = (_same_result(page, one, two) for one, two in pairwise(made))
    return next((at for at, same in enumerate(alike, low) if not same), high)


def _same_result(page: Page, one: list[Fit] | Problem, two: list[Fit] | Problem) -> bool:
    if isinstance(one, Problem) or isinstance(two, Problem):
        return False
    if not one or not two:
        return not one and not two
    first, second = [made.splice for made in one], [made.splice for made in two]
    low = min(splice.start for splice in (*first, *second))
    high = max(splice.end for splice in (*first, *second))
    return spliced(page.lines[low:high], first, low) == spliced(page.lines[low:high], second, low)


def _text(page: Page, choices: list[Places], picks: list[int]) -> list[str]:
    """The whole file with the hunks at these places."""
    splices: list[Splice] = []
    for choice, i in zip(choices, picks, strict=True):
        made = fit(page, choice.hunk, place(page, choice, choice.firsts[i]))
        splices += [] if isinstance(made, Problem) else [one.splice for one in made]
    return spliced(page.lines, splices)

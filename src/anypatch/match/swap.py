"""Text for text inside lines: where a Swap's old text stands to the letter, as splices of whole lines. Pure."""

from __future__ import annotations

import re
from itertools import pairwise

from ..diff import tagged, unchanged
from ..model import Hunk, Note, Splice, Swap, Where
from ..parsing.elision import may_hold_marks
from ..problems import Problem
from ..record import NamedTuple
from ..text import indent_of
from .already_applied import Standing, repeats_outside, swapped_already
from .diagnostics import EXCERPTS, LISTED, candidate
from .elision import left_out
from .levels import RUNGS, VERBATIM
from .search import Page, find, find_places, needle, place
from .splices import Fit, fit, replaced

_ANYWHERE = Where()


class Spot(NamedTuple):
    """Lines of text (as offsets into it) that hold one or more of the places, and what they become."""

    start: int
    end: int
    new: str


def place_swap(page: Page, swap: Swap) -> list[Fit] | Standing | Hunk | Problem:
    """The splices; a hunk of whole lines where the text isn't there to the letter; a problem for a wrong count."""
    made = _placed_or_hunk(page, swap)
    if swap.within and isinstance(made, list) and len(made) > 1:
        first, last = swap.within
        outside = [one.splice.start for one in made if one.splice.start < first - 1 or one.splice.end > last]
        if outside:
            detail = f"all places between lines {first} and {last} are meant, and others are outside, as at line"
            advice = "Edit each place by itself, or leave the line numbers out."
            made = Problem("ambiguous", f"{detail} {outside[0] + 1}", line=outside[0] + 1, advice=advice)
    return made._replace(patch_line=swap.patch_line) if isinstance(made, Problem) else made


def _placed_or_hunk(page: Page, swap: Swap) -> list[Fit] | Standing | Hunk | Problem:
    old, new = swap.old.replace("\r\n", "\n"), swap.new.replace("\r\n", "\n")
    if old == new and swap.old != swap.new:
        detail = "old and new text differ only in their line endings, and an edit can't change those"
        return Problem("line_ending", detail, patch_line=swap.patch_line, advice="Convert them with another tool.")
    if may_hold_marks(new):
        problem = left_out(page, as_hunk(old, new, swap))
        if problem is not None:
            return problem
    text = page.text
    found = _occurrences(text, old, overlapping=swap.times == 1)
    if not found:
        hunk = as_hunk(old, new, swap)
        made = _every_place(page, hunk, swap.times) if swap.times != 1 else _as_copied(page, hunk, (old, new))
        if made is not None or swap.times <= 1:
            return made or hunk
    if not found or (swap.times and len(found) != swap.times):
        return _wrong_count(page, swap, [text.count("\n", 0, position) for position in found])
    if swap.whole_words and re.search(rf"(?<!\w){re.escape(old)}(?!\w)", text) is None:
        line = text.count("\n", 0, found[0]) + 1
        return Problem("not_found", f"`{old[:60]}` is only a part of other words at line {line}", line=line)
    if swap.times == 1 and _begins_in_indentation(page, text[: found[0]], old, new):
        return as_hunk(old, new, swap)
    there = swapped_already(text, found[0], swap, old, new) if swap.times == 1 else None
    if there:
        return there
    apart = _on_lines_of_its_own(text, found, old, new)
    fits = _indented(page, text, found, (old, apart))
    if isinstance(fits, list) and apart != new:
        note = "the old text has a line ending at its edge that the new text hasn't; it stays"
        fits[0] = fits[0]._replace(notes=(*fits[0].notes, Note(note, page.path, swap.patch_line)))
    if isinstance(fits, list) and not swap.times and "\n" in old:
        more = _indented_otherwise(page, swap, found, as_hunk(old, new, swap).old)
        fits[0] = fits[0]._replace(notes=(*fits[0].notes, *more))
    if isinstance(fits, list) and len(fits) == 1 and swap.policy.guards_reapply:
        splice = fits[0].splice
        repeat = repeats_outside(page, range(splice.start, splice.end), fits, swap.patch_line)
        return [fits[0]._replace(repeat=repeat)] if repeat else fits
    return fits


def _begins_in_indentation(page: Page, above: str, old: str, new: str) -> bool:
    """Whether lines whose depth counts are less deep than in the file: to the letter, `extra` would leave the list.

    ········args: [1]       {"old_string": "····args: [1]", "new_string": "····args: [1]\\n····extra: 2"}
    """
    if "\n" not in new or old[:1] not in (" ", "\t") or above[-1:] not in (" ", "\t"):
        return False
    from .indentation import minds_indentation

    return minds_indentation(page.path) and not above[above.rfind("\n") + 1 :].strip()


def _on_lines_of_its_own(text: str, found: list[int], old: str, new: str) -> str:
    """The new text with the line ends around it that the old text has, where it would run into a neighbouring line.

    {"old_string": "  go()\\n", "new_string": "  run()"} above `  stop()` doesn't mean `  run()  stop()`. Where nothing
    else changes, a blank goes between the two, or the indentation goes, too, lines are meant to be joined.
    """
    if not new.strip() or old.strip("\n") == new:
        return new
    above, below = old[: len(old) - len(old.lstrip("\n"))], old[len(old.rstrip("\n")) :]
    if above and new[0] != "\n" and any(text[text.rfind("\n", 0, at) + 1 : at].strip() for at in found):
        is_added = old in new and not new[0].isalnum()  # `.` behind the line above
        if is_added or indent_of(new) == " " or indent_of(old[len(above) :]) != indent_of(new):
            return new
        new = above + new
    if below and new[-1] not in "\n \t" and any(one + len(old) < len(text) for one in found):
        return new + below
    return new


def _indented_otherwise(page: Page, swap: Swap, found: list[int], lines: tuple[str, ...]) -> list[Note]:
    """A note on places of a text to be replaced everywhere that stay, as they are indented differently."""
    known = {page.text.count("\n", 0, position) for position in found}
    others = [row for row in find(page, needle(RUNGS["indentation"], None, lines)) if row not in known]
    if not others:
        return []
    which = ("lines " if len(others) > 1 else "line ") + ", ".join(str(row + 1) for row in others[:8])
    text = f"the text is also at {which}, indented differently, and stays there"
    return [Note(text, page.path, swap.patch_line, others[0] + 1, kind="indented_otherwise")]


def _every_place(page: Page, hunk: Hunk, times: int) -> list[Fit] | Problem | None:
    """The splices at all places where the lines stand but for their indentation; None where those aren't as many."""
    policy = hunk.policy._replace(levels=(*VERBATIM, "indentation"))
    found = find_places(page, hunk._replace(policy=policy))
    if found is None or (times and times != len(found.firsts)):
        return None
    every = find(page, found.wanted)
    if len(every) > len(found.firsts):
        line = min(set(every) - set(found.firsts)) + 1
        detail = f"the text is also at line {line}, but indented differently, and not consistently"
        return Problem(
            "ambiguous", detail, line=line, advice="Copy the lines with their indentation, one edit for each place."
        )
    if any(two - one < len(hunk.old) for one, two in pairwise(found.firsts)):
        return None
    fits: list[Fit] = []
    for first in found.firsts:
        made = fit(page, found.hunk, place(page, found, first))
        if isinstance(made, Problem):
            return made
        fits += made
    return fits


def _as_copied(page: Page, hunk: Hunk, said: tuple[str, str]) -> list[Fit] | Problem | None:
    """The splices inside a line of what the texts say if they were escaped, or stand between blank lines.

    `said`: both texts as they are written. Where both end with their line, so does what they say: "\\n* item\\n" isn't
    found in `* item (new)`.
    """
    from .copied import readings

    begins, ends = all(one.startswith("\n") for one in said), all(one.endswith("\n") for one in said)
    text = page.text
    for read in readings(hunk):
        old, new = "\n".join(read.old), "\n".join(read.new)
        found = _occurrences(text, old, overlapping=True)
        # Not a part of a word; and whole lines are looked for as such, with all that is asked of those.
        if len(found) != 1 or re.search(rf"(?<!\w){re.escape(old)}(?!\w)", text) is None:
            continue
        start, end = text.rfind("\n", 0, found[0]) + 1, found[0] + len(old)
        before, behind = text[start : found[0]].strip(), text[end : _line_end(text, end)].strip()
        if (not before and not behind) or (before and begins) or (behind and ends):
            continue
        made = _indented(page, text, found, (old, new))
        if isinstance(made, Problem):
            return made
        note = Note(f"the old text isn't in the file exactly as written: {read.copied}", page.path, hunk.patch_line)
        return [made[0]._replace(notes=(*made[0].notes, note)), *made[1:]]
    return None


def _indented(page: Page, text: str, found: list[int], pair: tuple[str, str]) -> list[Fit] | Problem:
    """The splices of a text that stands to the letter; a problem where its new lines may leave their block."""
    made = [_fit(page, text, spot) for spot in _spots(text, found, [pair] * len(found))]
    moved = [column(page, text, position, *pair) for position in found]
    if not any(moved):
        return made
    from .indentation import letter_or_column

    spots = _spots(text, found, [(pair[0], other or pair[1]) for other in moved])
    return letter_or_column(page, made, [_fit(page, text, spot) for spot in spots])


def column(page: Page, text: str, position: int, old: str, new: str) -> str:
    """The new text at the column of the line that it begins in, where it may be meant so; else ""."""
    pad = text[text.rfind("\n", 0, position) + 1 : position]
    if not pad or "\n" not in new or pad.strip(" \t"):
        return ""
    from .indentation import to_first

    return to_first(page, pad, old, new)


def as_hunk(old: str, new: str, swap: Swap) -> Hunk:
    """The swap as whole lines: what comes again unchanged is context."""
    policy = swap.policy._replace(compares_texts=True)
    before = old.removesuffix("\n").split("\n")
    after = (new.removesuffix("\n") if old.endswith("\n") else new).split("\n") if new else []
    return Hunk(tagged(before, after), _ANYWHERE, policy, swap.patch_line)


def _occurrences(text: str, old: str, *, overlapping: bool) -> list[int]:
    """Where the text stands. To be the only place, it may not even overlap with itself."""
    found: list[int] = []
    position = text.find(old) if old else -1
    while position >= 0 and (not overlapping or len(found) <= LISTED):
        found.append(position)
        position = text.find(old, position + (1 if overlapping else len(old)))
    return found


def _spots(text: str, found: list[int], pairs: list[tuple[str, str]]) -> list[Spot]:
    """The lines around each place, with its old and new text; places on one line are one spot."""
    spots: list[Spot] = []
    for position, (old, new) in zip(found, pairs, strict=True):
        spot = spot_at(text, position, old, new)
        if spots and spot.start < spots[-1].end:
            last, end = spots.pop(), position + len(old)
            kept = last.new[: len(last.new) - (last.end - position)]
            stop = max(spot.end, last.end)
            spot = Spot(last.start, stop, kept + new + text[end:stop])
        spots.append(spot)
    return spots


def spot_at(text: str, position: int, old: str, new: str) -> Spot:
    """The lines around one place."""
    end = position + len(old)
    start = text.rfind("\n", 0, position) + 1
    if not new and old.endswith("\n") and not text[start:position].strip(" \t"):
        position = start  # whole lines go: the indentation in front is not the next line's
    whole = old.endswith("\n") and (not new or new.endswith("\n")) and start == position
    stop = end if whole else _line_end(text, end)
    return Spot(start, stop, text[start:position] + new + text[end:stop])


def _line_end(text: str, position: int) -> int:
    """The offset behind the line that holds a position, its line end included."""
    end = text.find("\n", position)
    return len(text) if end < 0 else end + 1


def _fit(page: Page, text: str, spot: Spot) -> Fit:
    """The splice of whole lines."""
    start = text.count("\n", 0, spot.start)
    end = start + text.count("\n", spot.start, spot.end)
    lines = spot.new.split("\n")
    if lines[-1] == "":
        lines.pop()
    # A last line end that the old text names and the new one doesn't have is meant to go.
    lost = spot.end == len(text) and end == len(page.lines) and lines and not spot.new.endswith("\n")
    made = replaced(page, Splice(start, end, tuple(lines), "exact"))
    if not page.sheet.is_plain:  # lines that come again keep the line ends that they have
        for row, at in unchanged(page.lines[start:end], lines):
            made.ends[at] = page.sheet.ends[start + row] or page.sheet.eol
    return made._replace(final=False if lost else None)


def _wrong_count(page: Page, swap: Swap, rows: list[int]) -> Problem:
    shown = ", ".join(str(row + 1) for row in rows[:LISTED])
    if not rows:
        detail = f"the old text is not in the file, but expected in {swap.times} places"
        return Problem("not_found", detail, patch_line=swap.patch_line)
    where = f"in {len(rows)} places (lines {shown})" if len(rows) > 1 else f"only at line {shown}"
    detail = f"the old text is {where}, but {'one is' if swap.times == 1 else f'{swap.times} are'} expected"
    advice = "Add neighbouring lines, or ask for all of them to be replaced."
    advice = advice if swap.times == 1 else "Correct the expected number, or edit each place by itself."
    near = tuple(candidate(page, row + 1, at < EXCERPTS) for at, row in enumerate(rows[:LISTED]))
    return Problem("ambiguous", detail, patch_line=swap.patch_line, line=rows[0] + 1, advice=advice, near=near)

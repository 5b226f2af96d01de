"""Find the place of one hunk. Pure.

A hunk climbs the levels that its policy allows and stops at the first that has a place which keeps its claims; it must
be the only one there, by itself or beside the other hunks (`place.py`). A hunk without old lines goes where it says.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from ..model import Hunk, Note, split_lines
from ..problems import Problem
from ..syntax.languages import language_of
from ..text import Splice
from . import claims, explain, guards
from .claims import Candidates
from .hashes import find_stale
from .headers import header_blocks
from .ladder import LEVELS, VERBATIM, comment_prefix
from .markers import keep_marker_places, mixes_indentation, splice_at_marker
from .readings import readings, with_signs
from .search import Place, find_exact, find_loosely, without_overlap
from .splices import splices_for

if TYPE_CHECKING:
    from ..syntax.languages import Language
    from ..text import Text

# Levels on which only a lookalike of the old text may have a place, while the hunk's result is in the file.
_LOOKALIKE_LEVELS = ("indentation", "punctuation", "blank lines", "comments")
_MANY = 50  # places on a loose level that are examined one by one; more are ambiguous anyway


class Context(NamedTuple):
    """What hunks are placed in: a text and the path of its file.

    `prose`: returns the answer's words next to a hunk, nearest first. `moved`: maps a row of the file as it was read to
    where it is now. `literal`: a program wrote the patch, so that no new line stands for left-out code.
    """

    text: Text
    path: str
    prose: Callable[[Hunk], Sequence[str]] = lambda hunk: ()
    moved: Callable[[int], int] = lambda row: row
    literal: bool = False


class PlacedHunk(NamedTuple):
    """A hunk, its place, and the splices that it makes there. `note`: how it had to be read to have that place.

    The level of a place that the patch gives is "line number" or "edge of the file".
    """

    hunk: Hunk
    place: Place
    splices: Sequence[Splice]
    note: Note | None = None

    @property
    def start(self) -> int:
        """Return where the text that it depends on begins."""
        return min(self.place.start, self.splices[0].start) if self.splices else self.place.start

    @property
    def stop(self) -> int:
        """Return where that text ends."""
        return max(self.place.stop, self.splices[-1].stop) if self.splices else self.place.stop


# A place; several; a note that the result is in the file already; what is in the way; None if the old text isn't there.
Located = PlacedHunk | Candidates | Note | Problem | None


def locate(context: Context, hunk: Hunk) -> Located:
    """Find the places of a hunk on the strictest level that has any."""
    if not context.literal and (mark := guards.leaves_out_code(hunk, context.path)):
        detail = f"`{mark[:80]}` would be written to the file instead of the code it stands for"
        return Problem("elision", detail, patch_line=hunk.patch_line, cited=mark[:80])
    if not hunk.old:
        return _insertion(context, hunk)
    if hunk.inline:
        return _locate_inline(context, hunk) or _locate_lines(context, _whole_lines(hunk)) or _reread(context, hunk)
    return _locate_lines(context, hunk) or _reread(context, hunk)


def _locate_lines(context: Context, hunk: Hunk) -> Located:
    text = context.text
    if hunk.rival and find_exact(text, hunk.rival):
        detail = "more than one line may be the divider: the text up to the last of them is in the file, too"
        advice = "Name the lines to change by number, or use a format that can hold a line of `---`."
        return Problem("ambiguous", detail, patch_line=hunk.patch_line, advice=advice)
    found = _locate_exactly(context, hunk) or _locate_with_signs(context, hunk)
    if found is not None:
        return found
    found = _locate_loosely(context, hunk)
    level = found.place.level if isinstance(found, PlacedHunk) else ""
    level = found.places[0].level if isinstance(found, Candidates) else level
    if found is None or level in _LOOKALIKE_LEVELS:
        row = guards.existing_result(text, hunk)
        if row >= 0 and not hunk.policy.no_op:
            return explain.no_place(text, context.path, hunk)
        if row >= 0:
            done = f"already applied: the new text is at line {row + 1}, so there is nothing to do"
            return Note(done, context.path, hunk.patch_line, kind="already_applied")
    return found


def _on_ladder(context: Context, hunk: Hunk) -> PlacedHunk | Candidates | Problem | None:
    return _locate_exactly(context, hunk) or _locate_loosely(context, hunk)


def _locate_exactly(context: Context, hunk: Hunk) -> PlacedHunk | Candidates | Problem | None:
    if hunk.policy.levels[0] != "exact":
        return None
    places = find_exact(context.text, hunk.old)
    several = len(places) > 1
    if several or (places and claims.has_binding_claim(hunk)):
        places = _claimed(context, hunk, places, None)
    return at_places(context, hunk, places, several=several) if places else None


def _locate_with_signs(context: Context, hunk: Hunk) -> PlacedHunk | Problem | None:
    """Find context that lost its signs, if it is there literally: that is better than context that is only similar."""
    signed = with_signs(context.text, hunk) if "signs" in hunk.policy.readings and not hunk.doubts else None
    if signed is None or signed.old == hunk.old:
        return None
    places = find_exact(context.text, signed.old)
    return at_place(context, signed, places[0]) if len(places) == 1 else None


def _locate_loosely(context: Context, hunk: Hunk) -> PlacedHunk | Candidates | Problem | None:
    text, path, policy = context.text, context.path, hunk.policy
    old, language = split_lines(hunk.old), _language(context, hunk)
    if policy.replaces_range and not policy.language:
        language = None
    for name in policy.levels:
        if name == "exact" or (hunk.doubts and name not in VERBATIM):
            continue
        places = find_loosely(text, old, LEVELS[name], language, comment_prefix(path))
        several = len(places) > 1
        if places:
            places = _claimed(context, hunk, places, language)
        if name not in VERBATIM and policy.indents == "mapped" and len(places) <= _MANY:
            places = [place for place in places if splices_for(text, hunk, place) is not None]
        if places:
            return at_places(context, hunk, places, several=several)
    return None


def _reread(context: Context, hunk: Hunk) -> Located:
    """Find the places of a hunk that was spoilt in copying (`readings.py`)."""
    for reading, how in readings(context.text, hunk):
        found = _locate_inline(context, reading) if reading.inline else None
        found = found or _on_ladder(context, _whole_lines(reading) if reading.inline else reading)
        if isinstance(found, (Candidates, PlacedHunk)):
            note = f"the old text isn't in the file exactly as written ({how})"
            return found._replace(note=Note(note, context.path, hunk.patch_line))
        if found is not None:
            return found
    return None


def _claimed(context: Context, hunk: Hunk, places: list[Place], language: Language | None) -> list[Place]:
    """Drop the places that contradict the patch's claims; of several, keep those that its claims prefer."""
    text, path, policy = context.text, context.path, hunk.policy
    places = claims.keep_claimed(text, hunk, places, path, language)
    if policy.replaces_range:
        return keep_marker_places(text, hunk, places, path)
    if len(places) > 1 and hunk.claims.headers and not policy.headers_bind:
        places = claims.by_header(text, hunk, places, path)
    if 1 < len(places) <= _MANY and policy.names_decide:
        places = claims.by_names(text, places, context.prose(hunk), path)
    return places


def _language(context: Context, hunk: Hunk) -> Language | None:
    return language_of(context.path, hunk.policy.language)


# ── at a place ───────────────────────────────────────────────────────────────────────────────────


def at_places(context: Context, hunk: Hunk, places: list[Place], *, several: bool) -> PlacedHunk | Candidates | Problem:
    """Return the hunk at its only place, or all candidates. `several`: there were more before its claims counted."""
    if len(places) > 1:
        return Candidates(context.text, hunk, places)
    return at_place(context, hunk, places[0], _naming_note(context, hunk, places[0]) if several else None)


def at_place(context: Context, hunk: Hunk, place: Place, note: Note | None = None) -> PlacedHunk | Problem:
    """Return the hunk at a place; a problem if it can't be applied there after all."""
    text, path = context.text, context.path
    if hunk.policy.replaces_range:
        splice = splice_at_marker(text, hunk, place, path, _language(context, hunk))
        if isinstance(splice, Problem):
            return splice._replace(patch_line=hunk.patch_line)
        if mixes_indentation(splice.new):
            note = Note("the indentation of the new lines mixes tabs and spaces", path, hunk.patch_line)
        return PlacedHunk(hunk, place, [splice], note)
    splices = splices_for(text, hunk, place)
    if splices is None:
        detail = "the lines are indented differently from the file, and not consistently"
        advice, line = "Copy the lines with their indentation.", text.row_at(place.start) + 1
        return Problem("ambiguous", detail, patch_line=hunk.patch_line, line=line, advice=advice)
    return PlacedHunk(hunk, place, splices, note)


def _naming_note(context: Context, hunk: Hunk, place: Place) -> Note | None:
    """Say that the answer names a symbol next to the hunk, which has this place of several."""
    prose = context.prose(hunk) if hunk.policy.names_decide and not hunk.claims.headers else ()
    name = claims.name_around(context.text, place, prose, context.path) if prose else ""
    if not name:
        return None
    line = context.text.row_at(place.start) + 1
    note = f"it fits in several places; the answer names `{name}`, line {line}"
    return Note(note, context.path, hunk.patch_line, line, kind="named")


# ── any characters ───────────────────────────────────────────────────────────────────────────────


def _locate_inline(context: Context, hunk: Hunk) -> Located:
    """Find a text that may be part of a line; None if it is nowhere as it is written."""
    text = context.text
    places = find_exact(text, hunk.old, inline=True)
    if not places:
        return _locate_every_line(context, hunk) if hunk.times != 1 else None
    several = len(places) > 1
    if hunk.times != 1:
        places = without_overlap(places)
    elif several:
        places = _claimed(context, hunk, places, None)
    if hunk.within is not None:
        first, last = hunk.within
        if any(not first <= text.row_at(place.start) + 1 <= last for place in places):
            detail = f"the old text is also outside of lines {first} to {last}"
            return Problem("ambiguous", detail, patch_line=hunk.patch_line, advice="Add neighbouring lines.")
    if hunk.times and len(places) != hunk.times:
        return explain.wrong_count(text, hunk, places)
    if hunk.times == 1:
        return at_places(context, hunk, places, several=several)
    return _at_all(context, hunk, places)


def _locate_every_line(context: Context, hunk: Hunk) -> PlacedHunk | Problem | None:
    """Find all places of whole lines that are to be replaced several times and differ only in their indentation."""
    whole = _whole_lines(hunk)
    levels = tuple(name for name in hunk.policy.levels if name in (*VERBATIM, "indentation"))
    found = _on_ladder(context, whole._replace(policy=hunk.policy._replace(levels=levels)))
    places = found.places if isinstance(found, Candidates) else [found.place] if isinstance(found, PlacedHunk) else []
    if not places or any(two.start < one.stop for one, two in pairwise(places)):
        return None
    if hunk.times and len(places) != hunk.times:
        return explain.wrong_count(context.text, hunk, places)
    return _at_all(context, whole, places)


def _at_all(context: Context, hunk: Hunk, places: Sequence[Place]) -> PlacedHunk | Problem:
    """Return the hunk at all of its places."""
    splices: list[Splice] = []
    for place in places:
        placed = at_place(context, hunk, place)
        if isinstance(placed, Problem):
            return placed
        splices += placed.splices
    return PlacedHunk(hunk, places[0], splices)


def _whole_lines(hunk: Hunk) -> Hunk:
    """Turn a hunk of any characters into one of whole lines, which the looser levels compare."""
    old, new = hunk.old, hunk.new
    while old.startswith("\n") and new.startswith("\n"):
        old, new = old[1:], new[1:]
    old = old if old.endswith("\n") else old + "\n"
    new = new if new.endswith("\n") or not new else new + "\n"
    return hunk._replace(old=old, new=new, inline=False)


# ── hunks without old lines ──────────────────────────────────────────────────────────────────────


def _insertion(context: Context, hunk: Hunk) -> PlacedHunk | Problem:
    """Put lines where the hunk says: at an end of the file, at a line number, below a header."""
    text, claims = context.text, hunk.claims
    count = len(text.lines)
    if claims.hashes and (stale := find_stale(text, claims.hashes)) is not None:
        return stale._replace(patch_line=hunk.patch_line)
    if claims.at_start:
        return _at_rows(text, hunk, 0, 0)
    if claims.at_end or not count:
        return _at_rows(text, hunk, count, count)
    if claims.line:
        if claims.last > count or claims.line > count + 1:
            detail, advice = f"the file ends at line {count}", "Give line numbers that are in the file."
            return Problem("not_found", detail, patch_line=hunk.patch_line, line=count, advice=advice)
        return _at_rows(text, hunk, claims.line - 1, claims.last)
    if claims.headers:
        return _below_header(context, hunk)
    detail, advice = "the edit adds lines but doesn't say where", "Add a line of the file that is next to them."
    return Problem("ambiguous", detail, patch_line=hunk.patch_line, advice=advice)


def _below_header(context: Context, hunk: Hunk) -> PlacedHunk | Problem:
    text = context.text
    blocks = header_blocks(text, hunk.claims.headers, context.path)
    if not blocks:
        return explain.no_place(text, context.path, hunk)
    if len(blocks) > 1:
        starts = [text.starts[block.row] for block in blocks]
        return explain.several_places(text, hunk, [Place(start, start, "exact") for start in starts])
    row = blocks[0].row + 1
    if row < len(text.lines) and text.lines[row].strip() == "{":  # `int f(void)`, and its brace on the next line
        row += 1
    return _at_rows(text, hunk, row, row)


def _at_rows(text: Text, hunk: Hunk, start: int, end: int) -> PlacedHunk:
    level = "line number" if hunk.claims.line else "edge of the file"
    low, high = (1, 1) if not end else (text.line_start(start), text.line_start(end))
    if start >= len(text.lines):
        low = high = len(text.body)
    return PlacedHunk(hunk, Place(low, high, level), [Splice(low, high, hunk.new, hunk.policy.own_line_ends)])

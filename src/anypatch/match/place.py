"""Find a place for each hunk of an edit, or everything that is in the way. Pure.

A hunk climbs the levels that its policy allows and stops at the first that has a place which keeps its claims. It must
be the only one there, by itself or beside the other hunks of the edit. A hunk that has no place is read in other ways
(`readings.py`). One without old lines goes where it says (`positions.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from ..model import Hunk, Note, split_lines
from ..problems import Problem
from ..syntax.languages import language_of
from ..text import Splice
from . import claims, explain, guards
from .claims import Candidates
from .ladder import LEVELS, VERBATIM, comment_prefix
from .markers import keep_marker_places, mixes_indentation, splice_at_marker
from .positions import insertion
from .readings import readings, with_signs
from .search import Place, find_exact, find_loosely, without_overlap
from .splices import splices_for

if TYPE_CHECKING:
    from ..syntax.languages import Language
    from ..text import Text

# On these levels a place may be a lookalike of the old text, if the file has the hunk's result elsewhere.
_LOOKALIKE_LEVELS = ("indentation", "punctuation", "blank lines", "comments")
_MANY = 50  # places on a loose level that are examined one by one; more are ambiguous anyway


class Context(NamedTuple):
    """The text that hunks are placed in, and the path of its file.

    `prose` returns the answer's texts next to a hunk, nearest first. `literal`: a program wrote the patch, so its new
    lines never stand for left-out code. `as_read`: no edit has changed the file so far.
    """

    text: Text
    path: str
    prose: Callable[[Hunk], Sequence[str]] = lambda hunk: ()
    literal: bool = False
    as_read: bool = True


class PlacedHunk(NamedTuple):
    """A hunk, its place, and the splices that it makes there. `note`: how it was read, if not as it is written.

    The level of a place that the patch gives is "line number" or "edge of the file".
    """

    hunk: Hunk
    place: Place
    splices: Sequence[Splice]
    note: Note | None = None

    @property
    def start(self) -> int:
        """The offset where the text begins that the hunk depends on."""
        return min(self.place.start, self.splices[0].start) if self.splices else self.place.start

    @property
    def stop(self) -> int:
        """The offset where that text ends."""
        return max(self.place.stop, self.splices[-1].stop) if self.splices else self.place.stop


class Placement(NamedTuple):
    """The hunks of an edit at their places in one text, or what is in the way.

    `missing`: the numbers of hunks that have no place in it, but may have one in the result of others. `final`: True if
    a line ending ends the file afterwards, False if none does, None if that stays as it is.
    """

    placed: Sequence[PlacedHunk] = ()
    problems: Sequence[Problem] = ()
    notes: Sequence[Note] = ()
    missing: Sequence[int] = ()
    final: bool | None = None


# The hunk at its only place; at several; a note that its result is in the file already; what is in the way; None if the
# old text isn't in the file.
Located = PlacedHunk | Candidates | Note | Problem | None


# ── all hunks of an edit ─────────────────────────────────────────────────────────────────────────


def place_hunks(context: Context, hunks: Sequence[Hunk]) -> Placement:
    """Find a place for each hunk in the text, or everything that is in the way."""
    placed: dict[int, PlacedHunk] = {}
    ambiguous: dict[int, Candidates] = {}
    problems: list[Problem] = []
    notes: list[Note] = []
    missing: list[int] = []
    for number, hunk in enumerate(hunks):
        located = locate(context, hunk)
        if isinstance(located, PlacedHunk):
            placed[number] = located
        elif isinstance(located, Candidates):
            ambiguous[number] = located
        elif isinstance(located, Note):
            notes.append(located)
        elif located is None:
            missing.append(number)
        else:
            problems.append(located._replace(part=number))
    for number, chosen in _choose(context, placed, ambiguous) if ambiguous else ():
        if isinstance(chosen, Problem):
            problems.append(chosen._replace(part=number))
        else:
            placed[number] = chosen
            placed = dict(sorted(placed.items()))
    if len(placed) > 1 and not problems:
        problems = _separate(context, placed, notes)
    if problems:
        return Placement((), problems, notes, missing)
    final = None
    for hunk, _, _, note in placed.values():
        if note is not None:
            notes.append(note)
        if hunk.claims.final_newline:
            final = hunk.claims.final_newline == "added"
    return Placement(tuple(placed.values()), (), notes, missing, final)


def _separate(context: Context, placed: dict[int, PlacedHunk], notes: list[Note]) -> list[Problem]:
    """Let hunks that touch share the lines they keep; return the problems of those that change the same characters.

    Lines that two equal hunks add at one place are added once.
    """
    if all(below.place.start >= above.place.stop for above, below in pairwise(placed.values())):
        return []
    added: set[tuple[str, str, int]] = set()
    for number, (hunk, place, _, _) in list(placed.items()):
        if hunk.signed and all(line[0] != "-" for line in hunk.signed):
            addition = (hunk.old, hunk.new, place.start)
            if addition in added:
                note = Note("the hunk appears twice; its lines are added once", context.path, hunk.patch_line)
                placed[number] = PlacedHunk(hunk, place, (), note)
                continue
            added.add(addition)
        if place.level == "exact" and not hunk.policy.replaces_range:
            narrow = splices_for(context.text, hunk, place, narrow=True)
            placed[number] = placed[number] if narrow is None else placed[number]._replace(splices=narrow)
    problems = []
    for first, second in guards.overlapping({number: hunk.splices for number, hunk in placed.items()}):
        row = context.text.row_at(placed[second].splices[0].start)
        problem = explain.used_twice(placed[second].hunk, placed[first].hunk, row)
        problems.append(problem._replace(part=second))
    starts = [hunk.start for hunk in placed.values()]
    if starts != sorted(starts):
        notes.append(Note("the hunks are not in the file's order", context.path))
    return problems


def _choose(
    context: Context, placed: Mapping[int, PlacedHunk], ambiguous: Mapping[int, Candidates]
) -> Iterator[tuple[int, PlacedHunk | Problem]]:
    """Yield each hunk that has several places at the one that the others leave, or why there isn't one."""
    text = context.text
    settled = {number: Candidates(text, hunk.hunk, [hunk.place]) for number, hunk in placed.items()}
    hunks = {**settled, **ambiguous}
    numbers = sorted(hunks)
    picks = claims.choose([hunks[number] for number in numbers], as_read=context.as_read)
    for number, possible in zip(numbers, picks, strict=True):
        if number not in ambiguous:
            continue
        _, hunk, places, note = ambiguous[number]
        places = [places[pick] for pick in possible]
        if len(places) == 1 or (hunk.policy.equal_results and _give_same_text(text, hunk, places)):
            yield number, at_place(context, hunk, places[0], note)
        else:
            yield number, explain.several_places(text, hunk, places)


def _give_same_text(text: Text, hunk: Hunk, places: Sequence[Place]) -> bool:
    """Return True if a hunk gives the same text at all of these places: `-}` in `}}}`."""
    first = splices_for(text, hunk, places[0], narrow=True)
    for place in places[1:]:
        second = splices_for(text, hunk, place, narrow=True)
        if first is None or second is None or not _are_equal(text.body, first, second):
            return False
        first = second
    return True


def _are_equal(body: str, first: Sequence[Splice], second: Sequence[Splice]) -> bool:
    low = min((splice.start for splice in (*first, *second)), default=0)
    high = max((splice.stop for splice in (*first, *second)), default=0)
    return _spliced(body, first, low, high) == _spliced(body, second, low, high)


def _spliced(body: str, splices: Sequence[Splice], low: int, high: int) -> str:
    pieces: list[str] = []
    for splice in splices:
        pieces += (body[low : splice.start], splice.new)
        low = splice.stop
    return "".join([*pieces, body[low:high]])


# ── one hunk ─────────────────────────────────────────────────────────────────────────────────────


def locate(context: Context, hunk: Hunk) -> Located:
    """Find the places of a hunk on the strictest level that has any."""
    text = context.text
    if not context.literal and (mark := guards.leaves_out_code(hunk, context.path)):
        detail = f"`{mark[:80]}` would be written to the file instead of the code it stands for"
        return Problem("elision", detail, patch_line=hunk.patch_line, cited=mark[:80])
    if not hunk.old:
        splice = insertion(text, hunk)
        if isinstance(splice, Problem):
            return splice
        level = "line number" if hunk.claims.line else "edge of the file"
        return PlacedHunk(hunk, Place(splice.start, splice.stop, level), [splice])
    if hunk.rival and find_exact(text, hunk.rival):
        detail = "more than one line may be the divider: the text up to the last of them is in the file, too"
        advice = "Name the lines to change by number, or use a format that can hold a line of `---`."
        return Problem("ambiguous", detail, patch_line=hunk.patch_line, advice=advice)
    located = _locate_inline(context, hunk) if hunk.inline else None
    if located is None:
        lines = _whole_lines(hunk) if hunk.inline else hunk
        located = _climb(context, lines)
        if not (isinstance(located, PlacedHunk) and located.place.level == "exact"):
            located = _unless_result_exists(context, lines, located)
    return located or _reread(context, hunk)


def _climb(context: Context, hunk: Hunk) -> PlacedHunk | Candidates | Problem | None:
    """Return the hunk at its places on the first level that has any which keep its claims."""
    text, policy = context.text, hunk.policy
    language = None
    for name in policy.levels:
        if name == "exact":
            places = find_exact(text, hunk.old)
            if not places and "signs" in policy.readings and (restored := _with_signs(context, hunk)) is not None:
                return restored
        elif hunk.doubts and name not in VERBATIM:
            continue
        else:
            language = None if policy.replaces_range and not policy.language else _language(context, hunk)
            places = find_loosely(text, split_lines(hunk.old), LEVELS[name], language, comment_prefix(context.path))
        located = _settle(context, hunk, places, language) if places else None
        if located is not None:
            return located
    return None


def _settle(
    context: Context, hunk: Hunk, places: list[Place], language: Language | None
) -> PlacedHunk | Candidates | Problem | None:
    """Return the hunk at those of its places that keep its claims; None if there is none."""
    claimed, policy, level = hunk.claims, hunk.policy, places[0].level
    is_bound = claimed.before or claimed.after or claimed.at_end or (claimed.headers and policy.headers_bind)
    several = len(places) > 1
    if several or is_bound or policy.replaces_range:
        places = _claimed(context, hunk, places, language)
    if level not in VERBATIM and policy.indents == "mapped" and len(places) <= _MANY:
        places = [place for place in places if splices_for(context.text, hunk, place) is not None]
    if not places:
        return None
    return _at_places(context, hunk, places) if several else at_place(context, hunk, places[0])


def _with_signs(context: Context, hunk: Hunk) -> PlacedHunk | Problem | None:
    """Find context lines that lost their sign, if the file has them literally: they would be similar, one space off."""
    restored = with_signs(context.text, hunk) if not hunk.doubts else None
    places = find_exact(context.text, restored.old) if restored is not None and restored.old != hunk.old else []
    return at_place(context, restored, places[0]) if restored is not None and len(places) == 1 else None


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


def _unless_result_exists(context: Context, hunk: Hunk, located: Located) -> Located:
    """Return a note instead if the result is in the file and the place isn't, or is only similar to the old text.

    If the format has no such note, the hunk has no place.
    """
    if isinstance(located, Problem):
        return located
    place = located.place if isinstance(located, PlacedHunk) else None
    place = located.places[0] if isinstance(located, Candidates) else place
    row = guards.existing_result(context.text, hunk) if place is None or place.level in _LOOKALIKE_LEVELS else -1
    if row < 0:
        return located
    if not hunk.policy.no_op:
        return explain.no_place(context.text, hunk)
    note = f"already applied: the new text is at line {row + 1}, so there is nothing to do"
    return Note(note, context.path, hunk.patch_line, kind="already_applied")


def _reread(context: Context, hunk: Hunk) -> Located:
    """Find the places of a hunk that was spoilt in copying."""
    for reading, name in readings(context.text, hunk):
        located = _locate_inline(context, reading) if reading.inline else None
        located = located or _climb(context, _whole_lines(reading) if reading.inline else reading)
        if isinstance(located, (Candidates, PlacedHunk)):
            note = f"the old text isn't in the file exactly as written ({name})"
            return located._replace(note=Note(note, context.path, hunk.patch_line))
        if located is not None:
            return located
    return None


# ── at a place ───────────────────────────────────────────────────────────────────────────────────


def _at_places(context: Context, hunk: Hunk, places: list[Place]) -> PlacedHunk | Candidates | Problem:
    """Return all candidates, or the hunk at the only place that its claims leave of several."""
    if len(places) > 1:
        return Candidates(context.text, hunk, places)
    return at_place(context, hunk, places[0], _naming_note(context, hunk, places[0]))


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
    if place.level == "exact" and text.is_plain:
        return PlacedHunk(hunk, place, [Splice(place.start, place.stop, hunk.new, hunk.policy.own_line_ends)], note)
    splices = splices_for(text, hunk, place)
    if splices is None:
        detail = "the lines are indented differently from the file, and not consistently"
        advice, line = "Copy the lines with their indentation.", text.row_at(place.start) + 1
        return Problem("ambiguous", detail, patch_line=hunk.patch_line, line=line, advice=advice)
    return PlacedHunk(hunk, place, splices, note)


def _naming_note(context: Context, hunk: Hunk, place: Place) -> Note | None:
    """Note that the answer names a symbol next to the hunk, which has this place of several."""
    prose = context.prose(hunk) if hunk.policy.names_decide and not hunk.claims.headers else ()
    name = claims.name_around(context.text, place, prose, context.path) if prose else ""
    if not name:
        return None
    line = context.text.row_at(place.start) + 1
    note = f"it fits in several places; the answer names `{name}`, line {line}"
    return Note(note, context.path, hunk.patch_line, line, kind="named")


# ── text inside lines ────────────────────────────────────────────────────────────────────────────


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
        return _at_places(context, hunk, places) if several else at_place(context, hunk, places[0])
    return _at_all(context, hunk, places)


def _locate_every_line(context: Context, hunk: Hunk) -> PlacedHunk | Problem | None:
    """Find all places of whole lines that are to be replaced several times and differ only in their indentation."""
    lines = _whole_lines(hunk)
    levels = tuple(name for name in hunk.policy.levels if name in (*VERBATIM, "indentation"))
    located = _climb(context, lines._replace(policy=hunk.policy._replace(levels=levels)))
    if isinstance(located, Candidates):
        places = located.places
    else:
        places = [located.place] if isinstance(located, PlacedHunk) else []
    if not places or any(below.start < above.stop for above, below in pairwise(places)):
        return None
    if hunk.times and len(places) != hunk.times:
        return explain.wrong_count(context.text, hunk, places)
    return _at_all(context, lines, places)


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

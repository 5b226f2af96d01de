"""Find a place for each hunk of an edit, or everything that is in the way. Pure.

A hunk climbs the levels that its policy allows and stops at the first that has a place which keeps its claims. It must
be the only one there, by itself or beside the other hunks of the edit. A hunk that has no place is read in other ways
(`readings.py`). One without old lines goes where it says (`positions.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import islice, pairwise
from typing import TYPE_CHECKING, NamedTuple

from ..model import Hunk, Note, split_lines
from ..problems import Problem
from ..text import Splice
from . import claims, explain, guards
from .claims import Candidates
from .ladder import LEVELS, VERBATIM, comment_prefix
from .markers import keep_marker_places, splice_at_marker
from .positions import insertion
from .readings import readings, with_signs
from .search import Place, find_exact, find_loosely, known_language, without_overlap
from .splices import splices_for

if TYPE_CHECKING:
    from ..text import Text

# On these levels a place may be a lookalike of the old text, if the file has the hunk's result elsewhere.
_LOOKALIKE_LEVELS = ("indentation", "punctuation", "blank lines", "comments")
_EVERYWHERE_LEVELS = (*VERBATIM, "indentation")  # on these a text may be replaced in several places
_MANY = 50  # places of a hunk that are examined one by one; of more, those that other hunks leave aren't listed


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


# ── all hunks of an edit ─────────────────────────────────────────────────────────────────────────


def place_hunks(context: Context, hunks: Sequence[Hunk]) -> Placement:
    """Find a place for each hunk in the text, or everything that is in the way."""
    located: dict[int, Candidates] = {}
    placed: dict[int, PlacedHunk] = {}
    problems: list[Problem] = []
    notes: list[Note] = []
    missing: list[int] = []
    several = False
    for number, hunk in enumerate(hunks):
        result = locate(context, hunk)
        if isinstance(result, Candidates):
            located[number] = result
            several = several or len(result.places) > 1
        elif isinstance(result, Note):
            notes.append(result)
        elif result is None:
            missing.append(number)
        else:
            problems.append(result._replace(part=number))
    if several:
        located = _choose(context, located)
    for number, candidates in located.items():
        hunk_there = at_places(context, candidates)
        if isinstance(hunk_there, Problem):
            problems.append(hunk_there._replace(part=number))
        else:
            placed[number] = hunk_there
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
    for number, hunk_there in list(placed.items()):
        hunk, place, _, _ = hunk_there
        only_adds = hunk.signed and all(line[0] != "-" for line in hunk.signed)
        if only_adds and (hunk.old, hunk.new, place.start) in added:
            note = Note("the hunk appears twice; its lines are added once", context.path, hunk.patch_line)
            placed[number] = PlacedHunk(hunk, place, (), note)
            continue
        if only_adds:
            added.add((hunk.old, hunk.new, place.start))
        placed[number] = _narrowed(context.text, hunk_there)
    problems = []
    for first, second in guards.overlapping({number: hunk.splices for number, hunk in placed.items()}):
        row = context.text.row_at(placed[second].splices[0].start)
        problem = explain.used_twice(placed[second].hunk, placed[first].hunk, row)
        problems.append(problem._replace(part=second))
    starts = [hunk.start for hunk in placed.values()]
    if starts != sorted(starts):
        notes.append(Note("the hunks are not in the file's order", context.path))
    return problems


def _narrowed(text: Text, placed: PlacedHunk) -> PlacedHunk:
    """Return the hunk with splices that change as little as possible."""
    hunk, place = placed.hunk, placed.place
    if place.level != "exact" or hunk.policy.replaces_range or hunk.times != 1:
        return placed
    splices = splices_for(text, hunk, place, narrow=True)
    return placed if splices is None else placed._replace(splices=splices)


def _choose(context: Context, located: Mapping[int, Candidates]) -> dict[int, Candidates]:
    """Keep those places of each hunk that the other hunks leave; one, if all of them give the same text."""
    chosen = dict(located)
    together = [hunk if hunk.is_open else hunk._replace(places=hunk.places[:1]) for hunk in located.values()]
    picks = claims.choose(together, as_read=context.as_read)
    for (number, candidates), possible in zip(located.items(), picks, strict=True):
        if candidates.is_open:
            all_places = candidates.places
            places = all_places if len(possible) > _MANY else [all_places[pick] for pick in possible]
            if candidates.hunk.policy.equal_results and _give_same_text(context.text, candidates.hunk, places):
                places = [all_places[possible[0]]]
            chosen[number] = candidates._replace(places=places)
    return chosen


def _give_same_text(text: Text, hunk: Hunk, places: Sequence[Place]) -> bool:
    """Return True if a hunk gives the same text at all of these places: `-}` in `}}}`."""
    first = splices_for(text, hunk, places[0], narrow=True)
    for place in islice(places, 1, None):
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


def locate(context: Context, hunk: Hunk) -> Candidates | Note | Problem | None:
    """Find the places of a hunk on the strictest level that has any.

    Return a note if its result is in the file already, a problem if something is in the way; None if the old text isn't
    in the file.
    """
    text = context.text
    if not context.literal and (mark := guards.leaves_out_code(hunk, context.path)):
        detail = f"`{mark[:80]}` would be written to the file instead of the code it stands for"
        return Problem("elision", detail, patch_line=hunk.patch_line, cited=mark[:80])
    if not hunk.old:
        splice = insertion(text, hunk)
        if isinstance(splice, Problem):
            return splice
        level = "line number" if hunk.claims.line else "edge of the file"
        return Candidates(text, hunk, [Place(splice.start, splice.stop, level)])
    candidates = _search(context, hunk)
    if candidates is None or candidates.places[0].level in _LOOKALIKE_LEVELS:
        row = guards.existing_result(text, _whole_lines(hunk))
        if row >= 0 and not hunk.policy.no_op:
            return explain.no_place(text, hunk)
        if row >= 0:
            note = f"already applied: the new text is at line {row + 1}, so there is nothing to do"
            return Note(note, context.path, hunk.patch_line, kind="already_applied")
    return candidates or _reread(context, hunk)


def _search(context: Context, hunk: Hunk) -> Candidates | None:
    """Return the places of a hunk on the first level that has any which keep its claims; None if there is none."""
    if hunk.inline:
        places = find_exact(context.text, hunk.old, inline=True)
        candidates = _keep_claimed(context, hunk, places) if places else None
        if candidates is not None:
            return candidates
        hunk = _whole_lines(hunk)
    for name in hunk.policy.levels:
        if name == "exact":
            places = find_exact(context.text, hunk.old)
            if not places and "signs" in hunk.policy.readings and (restored := _with_signs(context, hunk)) is not None:
                return restored
        elif (hunk.doubts and name not in VERBATIM) or (hunk.times != 1 and name not in _EVERYWHERE_LEVELS):
            continue
        else:
            language, comment = known_language(hunk.policy, context.path), comment_prefix(context.path)
            places = find_loosely(context.text, split_lines(hunk.old), LEVELS[name], language, comment)
        candidates = _keep_claimed(context, hunk, places) if places else None
        if candidates is not None:
            return candidates
    return None


def _keep_claimed(context: Context, hunk: Hunk, places: list[Place]) -> Candidates | None:
    """Return a hunk at those of its places that keep its claims; None if there is none."""
    policy, level = hunk.policy, places[0].level
    if hunk.times != 1:
        places = without_overlap(places)
    several = len(places) > 1 and hunk.times == 1
    if several or policy.replaces_range or claims.bind(hunk):
        places = _claimed(context, hunk, places)
    if level not in VERBATIM and policy.indents == "mapped" and len(places) <= _MANY:
        places = [place for place in places if splices_for(context.text, hunk, place) is not None]
    if not places:
        return None
    return Candidates(context.text, hunk, places, _naming_note(context, hunk, places) if several else None)


def _claimed(context: Context, hunk: Hunk, places: list[Place]) -> list[Place]:
    """Drop the places that contradict the patch's claims; of several, keep those that its claims prefer."""
    text, path, policy = context.text, context.path, hunk.policy
    places = claims.keep_claimed(text, hunk, places, path)
    if policy.replaces_range:
        return keep_marker_places(text, hunk, places, path)
    if len(places) > 1 and hunk.claims.headers and not policy.headers_bind:
        places = claims.by_header(text, hunk, places)
    if 1 < len(places) <= _MANY and policy.names_decide:
        places = claims.by_names(text, places, context.prose(hunk), path)
    return places


def _naming_note(context: Context, hunk: Hunk, places: list[Place]) -> Note | None:
    """Note that the answer names a symbol next to the hunk, if that left one place of several."""
    if len(places) > 1 or not hunk.policy.names_decide or hunk.claims.headers:
        return None
    name = claims.name_around(context.text, places[0], context.prose(hunk), context.path)
    if not name:
        return None
    line = context.text.row_at(places[0].start) + 1
    note = f"it fits in several places; the answer names `{name}`, line {line}"
    return Note(note, context.path, hunk.patch_line, line, kind="named")


def _with_signs(context: Context, hunk: Hunk) -> Candidates | None:
    """Find context lines that lost their sign, if the file has them literally: they would be similar, one space off."""
    restored = with_signs(context.text, hunk) if not hunk.doubts else None
    if restored is None or restored.old == hunk.old:
        return None
    places = find_exact(context.text, restored.old)
    return Candidates(context.text, restored, places) if len(places) == 1 else None


def _reread(context: Context, hunk: Hunk) -> Candidates | None:
    """Find the places of a hunk that was spoilt in copying."""
    for reading, name in readings(context.text, hunk):
        candidates = _search(context, reading)
        if candidates is not None:
            note = f"the old text isn't in the file exactly as written ({name})"
            return candidates._replace(note=Note(note, context.path, hunk.patch_line))
    return None


def _whole_lines(hunk: Hunk) -> Hunk:
    """Turn a hunk of any characters into one of whole lines, which the looser levels compare."""
    if not hunk.inline:
        return hunk
    old, new = hunk.old, hunk.new
    while old.startswith("\n") and new.startswith("\n"):
        old, new = old[1:], new[1:]
    old = old if old.endswith("\n") else old + "\n"
    new = new if new.endswith("\n") or not new else new + "\n"
    return hunk._replace(old=old, new=new, inline=False)


# ── at its place ─────────────────────────────────────────────────────────────────────────────────


def at_places(context: Context, candidates: Candidates) -> PlacedHunk | Problem:
    """Return the hunk at its only place, or at all of them if it says so; a problem if it can't be applied there."""
    text, hunk, places, note = candidates
    if hunk.within is not None:
        first, last = hunk.within
        if any(not first <= text.row_at(place.start) + 1 <= last for place in places):
            detail = f"the old text is also outside of lines {first} to {last}"
            return Problem("ambiguous", detail, patch_line=hunk.patch_line, advice="Add neighbouring lines.")
    if hunk.times and len(places) != hunk.times:
        is_text = hunk.inline or hunk.times > 1
        return explain.wrong_count(text, hunk, places) if is_text else explain.several_places(text, hunk, places)
    splices: list[Splice] = []
    for place in places:
        if not hunk.old:
            splices.append(Splice(place.start, place.stop, hunk.new, hunk.policy.own_line_ends))
        elif hunk.policy.replaces_range:
            splice = splice_at_marker(text, hunk, place, context.path)
            if isinstance(splice, Problem):
                return splice._replace(patch_line=hunk.patch_line)
            splices.append(splice)
        else:
            changes = splices_for(text, hunk, place)
            if changes is None:
                detail = "the lines are indented differently from the file, and not consistently"
                advice, line = "Copy the lines with their indentation.", text.row_at(place.start) + 1
                return Problem("ambiguous", detail, patch_line=hunk.patch_line, line=line, advice=advice)
            splices += changes
    return PlacedHunk(hunk, places[0], splices, note)

"""The hunks of an edit together: one place for each, or a refusal. The front door of matching. Pure.

A hunk climbs the ladder of its policy and stops at the first level that has a place which keeps its claims; it must be
the only one there, by itself or beside the other hunks (`claims.py`). A hunk without old lines goes where it says.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from ..model import Hunk, Note, join_lines, split_lines
from ..problems import Problem
from ..syntax.languages import COMMENT, STRING, language_of
from ..text import Splice
from . import claims, explain, guards
from .claims import Choice
from .hashes import stale
from .ladder import LEVELS, VERBATIM, comment_prefix
from .markers import mixes_indentation, splice_at_marker
from .readings import readings, with_signs
from .search import Place, find_exact, find_loosely, lexed, without_overlap
from .splices import changed_span, splices_for

if TYPE_CHECKING:
    from ..syntax.languages import Language
    from ..text import Text

# Levels on which a lookalike of the old text may have a place, while its result is there.
_ALIKE = ("indentation", "punctuation", "blank lines", "comments")
_MANY = 50  # places on a loose level that are looked at one by one; more are ambiguous anyway


class Placed(NamedTuple):
    """One hunk that has its place, and the splices that it makes there. `note`: how it had to be read to have it.

    The level of a place that was given is "line number" or "edge of the file".
    """

    hunk: Hunk
    place: Place
    splices: Sequence[Splice]
    note: Note | None = None

    @property
    def start(self) -> int:
        """Where the text that it rests on begins."""
        return min(self.place.start, self.splices[0].start) if self.splices else self.place.start

    @property
    def stop(self) -> int:
        """Where it ends."""
        return max(self.place.stop, self.splices[-1].stop) if self.splices else self.place.stop


class Placement(NamedTuple):
    """What becomes of the hunks of an edit in one text.

    `missing`: the numbers of hunks that have no place in it, which they may have in the result of others. `final`:
    whether a line end ends the file afterwards, None if that stays.
    """

    placed: Sequence[Placed] = ()
    problems: Sequence[Problem] = ()
    notes: Sequence[Note] = ()
    missing: Sequence[int] = ()
    final: bool | None = None


class Context(NamedTuple):
    """What hunks are placed in: a text, the path of its file, the answer's words next to a hunk (nearest first), and
    where a row of the file as it was read is by now."""

    text: Text
    path: str
    prose: Callable[[Hunk], Sequence[str]] = lambda hunk: ()
    moved: Callable[[int], int] = lambda row: row
    literal: bool = False  # a program wrote the patch: no new line stands for code left out


def place(at: Context, hunks: Sequence[Hunk]) -> Placement:
    """A place for each hunk in the text, or everything that is in the way."""
    placed: dict[int, Placed] = {}
    choices: dict[int, Choice] = {}
    problems: list[Problem] = []
    notes: list[Note] = []
    missing: list[int] = []
    for number, hunk in enumerate(hunks):
        found = look_up(at, hunk)
        if isinstance(found, Placed):
            placed[number] = found
        elif isinstance(found, Choice):
            choices[number] = found
        elif found is None:
            missing.append(number)
        elif isinstance(found, Note):
            notes.append(found)
        else:
            problems.append(found._replace(part=number))
    for number, made in _chosen(at, placed, choices) if choices else ():
        if isinstance(made, Problem):
            problems.append(made._replace(part=number))
        else:
            placed[number] = made
    if problems:
        return Placement((), problems, notes, missing)
    in_order = [placed[number] for number in sorted(placed)] if choices else list(placed.values())
    if any(two.place.start < one.place.stop for one, two in pairwise(in_order)):
        problems = _made_narrow(at, placed)
        in_order = [placed[number] for number in sorted(placed)]
        if any(two.start < one.start for one, two in pairwise(in_order)):
            notes.append(Note("the hunks are not in the file's order", at.path))
    final = None
    for one in in_order:
        if one.note is not None:
            notes.append(one.note)
        if one.hunk.where.final:
            final = one.hunk.where.final == "made"
    return Placement(() if problems else in_order, problems, notes, missing, final)


def _made_narrow(at: Context, placed: dict[int, Placed]) -> list[Problem]:
    """Let hunks that touch share the lines they keep; the problems of those that change the same characters.

    Lines that two equal hunks add at one place are added once.
    """
    added: set[tuple[str, str, int]] = set()
    for number, one in list(placed.items()):
        words = (one.hunk.old, one.hunk.new, one.place.start)
        if one.hunk.signed and all(line[0] != "-" for line in one.hunk.signed):
            if words in added:
                note = Note("the hunk appears twice; its lines are added once", at.path, one.hunk.patch_line)
                placed[number] = one._replace(splices=(), note=note)
                continue
            added.add(words)
        if one.place.level == "exact" and not one.hunk.policy.replaces_range:
            splices = splices_for(at.text, one.hunk, one.place, narrow=True)
            placed[number] = one if splices is None else one._replace(splices=splices)
    problems = []
    for first, second in guards.overlapping({number: one.splices for number, one in placed.items()}):
        row = at.text.row_at(placed[second].splices[0].start)
        problem = explain.used_twice(placed[second].hunk, placed[first].hunk, row)
        problems.append(problem._replace(part=second))
    return problems


# ── which of its places a hunk has ───────────────────────────────────────────────────────────────


def _chosen(
    at: Context, placed: Mapping[int, Placed], choices: Mapping[int, Choice]
) -> Iterator[tuple[int, Placed | Problem]]:
    """The hunks that have several places, each at the one that the others leave, or why there is none."""
    every = {**choices, **{number: _choice(at, one.hunk, [one.place]) for number, one in placed.items()}}
    numbers = sorted(every)
    picks = claims.choose(at.text, [every[number] for number in numbers], at.moved)
    for number, possible in zip(numbers, picks, strict=True):
        choice = choices.get(number)
        if choice is None:
            continue
        if len(possible) == 1 or (choice.hunk.policy.equal_results and _are_equal(at, choice, possible)):
            yield number, _at_place(at, choice.hunk, choice.places[possible[0]], choice.note)
        else:
            places = [choice.places[each] for each in possible]
            yield number, explain.several_places(at.text, choice.hunk, places)


def _are_equal(at: Context, choice: Choice, possible: Sequence[int]) -> bool:
    """Whether a hunk gives the same text at all of these places: `-}` in `}}}`."""
    text = at.text
    one = splices_for(text, choice.hunk, choice.places[possible[0]], narrow=True)
    for number in possible[1:]:
        two = splices_for(text, choice.hunk, choice.places[number], narrow=True)
        if one is None or two is None or not _same_result(text, one, two):
            return False
        one = two
    return True


def _same_result(text: Text, one: Sequence[Splice], two: Sequence[Splice]) -> bool:
    spans = [(splice.start, splice.stop) for splice in (*one, *two)]
    if not spans:
        return True
    low, high = min(spans)[0], max(stop for _, stop in spans)
    return _spliced(text.body, one, low, high) == _spliced(text.body, two, low, high)


def _spliced(body: str, splices: Sequence[Splice], low: int, high: int) -> str:
    pieces: list[str] = []
    for splice in splices:
        pieces += (body[low : splice.start], splice.new)
        low = splice.stop
    return "".join([*pieces, body[low:high]])


def _at_place(at: Context, hunk: Hunk, there: Place, note: Note | None = None) -> Placed | Problem:
    """The hunk at a place; a problem if it can't be made there after all."""
    if hunk.policy.replaces_range:
        splice = splice_at_marker(at.text, hunk, there, at.path, _language(at, hunk))
        if isinstance(splice, Problem):
            return splice._replace(patch_line=hunk.patch_line)
        if mixes_indentation(splice.new):
            note = Note("the indentation of the new lines mixes tabs and spaces", at.path, hunk.patch_line)
        return Placed(hunk, there, [splice], note)
    splices = splices_for(at.text, hunk, there)
    if splices is None:
        detail = "the lines are indented differently from the file, and not consistently"
        line = at.text.row_at(there.start) + 1
        advice = "Copy the lines with their indentation."
        return Problem("ambiguous", detail, patch_line=hunk.patch_line, line=line, advice=advice)
    return Placed(hunk, there, splices, note)


def _language(at: Context, hunk: Hunk) -> Language | None:
    return language_of(at.path, hunk.policy.language)


# ── the places of one hunk ───────────────────────────────────────────────────────────────────────


Found = Choice | Placed | Note | Problem | None


def look_up(at: Context, hunk: Hunk) -> Found:
    """The place of a hunk on the strictest level that has any, several of them as a choice; None if there is none.

    A note if its result is there already.
    """
    if not at.literal and (mark := guards.leaves_out_code(hunk, at.path)):
        detail = f"`{mark[:80]}` would be written to the file instead of the code it stands for"
        return Problem("elision", detail, patch_line=hunk.patch_line, cited=mark[:80])
    if not hunk.old:
        return _by_claim(at, hunk)
    if hunk.inline:
        return _inline(at, hunk) or _of_lines(at, _whole_lines(hunk)) or _as_spoilt(at, hunk)
    return _of_lines(at, hunk) or _as_spoilt(at, hunk)


def _of_lines(at: Context, hunk: Hunk) -> Found:
    """The place of whole lines on the strictest level that has any; a note if their result is there already."""
    text = at.text
    if hunk.rival and find_exact(text, hunk.rival):
        detail = "more than one line may be the divider: the text up to the last of them is in the file, too"
        advice = "Name the lines to change by number, or use a format that can hold a line of `---`."
        return Problem("ambiguous", detail, patch_line=hunk.patch_line, advice=advice)
    found = _on_ladder(at, hunk)
    if found is None and hunk.counted:
        found = _on_ladder(at, _as_counted(hunk))
    if found is None or _level(found) in _ALIKE:
        row = guards.result_is_there(text, hunk)
        if row >= 0:
            said = f"already applied: the new text is at line {row + 1}, so there is nothing to do"
            if hunk.policy.no_op:
                return Note(said, at.path, hunk.patch_line, kind="already_applied")
            return explain.no_place(text, at.path, hunk)
    return found


def _level(found: Found) -> str:
    if isinstance(found, Placed):
        return found.place.level
    return found.places[0].level if isinstance(found, Choice) else ""


def _as_spoilt(at: Context, hunk: Hunk) -> Found:
    """The places of a hunk that was spoilt in copying, read as it may have been."""
    for reading, how in readings(at.text, hunk):
        found = _inline(at, reading) if reading.inline else None
        found = found or _on_ladder(at, _whole_lines(reading) if reading.inline else reading)
        if isinstance(found, (Choice, Placed)):
            said = f"the old text isn't in the file exactly as written ({how})"
            return found._replace(note=Note(said, at.path, hunk.patch_line))
        if found is not None:
            return found
    return None


def _as_counted(hunk: Hunk) -> Hunk:
    """The hunk without the context after the lines that its header counts."""
    signed = hunk.signed[: hunk.counted]
    old = join_lines([line[1:] for line in signed if line[0] != "+"])
    return hunk._replace(
        old=old, new=join_lines([line[1:] for line in signed if line[0] != "-"]), signed=signed, counted=0
    )


def _on_ladder(at: Context, hunk: Hunk) -> Choice | Placed | Problem | None:
    """The places of a hunk on the first level, of those that its policy allows, that has any."""
    levels = hunk.policy.levels
    if levels[0] == "exact":
        places = find_exact(at.text, hunk.old)
        several = len(places) > 1
        if several or (places and claims.bind(hunk)):
            places = _claimed(at, hunk, places, None)
        if places:
            return _at_places(at, hunk, places, _named(at, hunk, places[0]) if several else None)
        levels = levels[1:]
    if hunk.doubts:
        levels = tuple(level for level in levels if level in VERBATIM)
    elif "signs" in hunk.policy.readings and hunk.signed:
        # Context without its signs, read literally, is worth more than context that is only alike.
        signed = with_signs(at.text, hunk)
        places = find_exact(at.text, signed.old) if signed is not None and signed.old != hunk.old else []
        if len(places) == 1 and signed is not None:
            return _at_place(at, signed, places[0])
    lines = split_lines(hunk.old)
    language = _language(at, hunk)
    for name in levels:
        level = LEVELS[name]
        skips = language if hunk.policy.language or not hunk.policy.replaces_range else None
        places = find_loosely(at.text, lines, level, skips, comment_prefix(at.path))
        several = len(places) > 1
        if places:
            places = _claimed(at, hunk, places, skips)
        if name not in VERBATIM and hunk.policy.indents == "mapped" and 0 < len(places) <= _MANY:
            places = [one for one in places if splices_for(at.text, hunk, one) is not None]
        if places:
            return _at_places(at, hunk, places, _named(at, hunk, places[0]) if several else None)
    return None


def _at_places(at: Context, hunk: Hunk, places: list[Place], note: Note | None = None) -> Choice | Placed | Problem:
    """The hunk at its only place, or a choice between several."""
    return _at_place(at, hunk, places[0], note) if len(places) == 1 else _choice(at, hunk, places)


def _named(at: Context, hunk: Hunk, there: Place) -> Note | None:
    """The note on a hunk that has this place, of several, because the answer names a symbol next to it."""
    prose = at.prose(hunk) if hunk.policy.names_decide and not hunk.where.under else ()
    name = claims.named_around(at.text, there, prose, at.path) if prose else ""
    if not name:
        return None
    line = at.text.row_at(there.start) + 1
    said = f"it fits in several places; the answer names `{name}`, line {line}"
    return Note(said, at.path, hunk.patch_line, line, kind="named")


def _claimed(at: Context, hunk: Hunk, places: list[Place], language: Language | None) -> list[Place]:
    """The places that keep what the patch claims; of several those that count."""
    text, where, policy = at.text, hunk.where, hunk.policy
    if policy.language and language is not None and LEVELS[places[0].level].sees == "text":
        places = [one for one in places if not _is_in_comment(text, one, language, hunk)]
    places = claims.keep_claimed(text, hunk, places, at.path, language, lambda one: changed_span(text, hunk, one))
    if len(places) > 1 and policy.prefers_code:
        places = _outside_strings(at, hunk, places)
    if len(places) > 1 and policy.replaces_range and LEVELS[places[0].level].sees != "text":
        exact = [one for one in places if _is_said_in_full(text, one, hunk)]
        places = exact if len(exact) == 1 else places
    if len(places) > 1 and where.under and not policy.headers_bind:
        places = claims.by_heading(text, hunk, places, at.path, lambda one: changed_span(text, hunk, one))
    if 1 < len(places) <= _MANY and policy.names_decide and (prose := at.prose(hunk)):
        places = claims.by_names(text, places, prose, at.path)
    return places


def _is_in_comment(text: Text, one: Place, language: Language, hunk: Hunk) -> bool:
    """Whether a place begins inside a comment though the hunk is code. A hunk of comments only may be there."""
    if language.family == "python":
        return False
    first, _ = one.row_span(text)
    if lexed(text, language).inside[first] != COMMENT:
        return False
    from ..syntax.lexer import code_lines

    return any(code_lines(hunk.old.split("\n"), language))


def _outside_strings(at: Context, hunk: Hunk, places: list[Place]) -> list[Place]:
    """The places that aren't text inside a multi-line string, if there are any: CHUNK's own rule.

    Not in a file that ends inside of one: there a quote is missing, and what is text can't be told.
    """
    language = _language(at, hunk)
    if language is None:
        return places
    inside = lexed(at.text, language).inside
    if inside[len(at.text.lines)]:
        return places
    return [one for one in places if inside[one.row_span(at.text)[0]] != STRING] or places


def _is_said_in_full(text: Text, one: Place, hunk: Hunk) -> bool:
    """Whether a place has the very comments of the marker."""
    first, end = one.row_span(text)
    there = [line.strip() for line in text.lines[first:end] if line.strip()]
    return there == [line.strip() for line in hunk.old.split("\n") if line.strip()]


def _choice(at: Context, hunk: Hunk, places: list[Place]) -> Choice:
    return Choice(hunk, places, lambda one: changed_span(at.text, hunk, one))


# ── any characters ───────────────────────────────────────────────────────────────────────────────


def _inline(at: Context, hunk: Hunk) -> Found:
    """The places of a text that isn't bound to whole lines; None if it is nowhere as it is written."""
    text, note = at.text, None
    places = find_exact(text, hunk.old, inline=True)
    if hunk.whole_words and places:
        word = re.compile(rf"(?<!\w){re.escape(hunk.old)}(?!\w)")
        places = [one for one in places if word.match(text.body, one.start)]
    if not places:
        return _every_line(at, hunk) if hunk.times != 1 else None
    if hunk.times != 1:
        places = without_overlap(places)
    elif len(places) > 1:
        places = _claimed(at, hunk, places, None)
        note = _named(at, hunk, places[0]) if len(places) == 1 else None
    if hunk.within is not None:
        first, last = hunk.within
        if any(not first <= text.row_at(one.start) + 1 <= last for one in places):
            detail = f"the old text is also outside of lines {first} to {last}"
            return Problem("ambiguous", detail, patch_line=hunk.patch_line, advice="Add neighbouring lines.")
    if (hunk.times and len(places) != hunk.times) or not places:
        return explain.wrong_count(text, hunk, places)
    return _at_places(at, hunk, places, note) if hunk.times == 1 else _at_all(at, hunk, places)


def _every_line(at: Context, hunk: Hunk) -> Placed | Problem | None:
    """All places of whole lines that are to be replaced several times, which are there but for their indentation."""
    whole = _whole_lines(hunk)
    policy = hunk.policy._replace(
        levels=tuple(name for name in hunk.policy.levels if name in (*VERBATIM, "indentation"))
    )
    found = _on_ladder(at, whole._replace(policy=policy))
    places = found.places if isinstance(found, Choice) else [found.place] if isinstance(found, Placed) else []
    if not places or any(two.start < one.stop for one, two in pairwise(places)):
        return None
    if hunk.times and len(places) != hunk.times:
        return explain.wrong_count(at.text, hunk, places)
    return _at_all(at, whole, places)


def _at_all(at: Context, hunk: Hunk, places: Sequence[Place]) -> Placed | Problem:
    """A hunk at all of its places."""
    splices: list[Splice] = []
    for one in places:
        made = _at_place(at, hunk, one)
        if isinstance(made, Problem):
            return made
        splices += made.splices
    return Placed(hunk, places[0], splices)


def _whole_lines(hunk: Hunk) -> Hunk:
    """A hunk of any characters as one of whole lines: the looser levels compare lines."""
    old, new = hunk.old, hunk.new
    while old.startswith("\n") and new.startswith("\n"):
        old, new = old[1:], new[1:]
    old = old if old.endswith("\n") else old + "\n"
    new = new if new.endswith("\n") or not new else new + "\n"
    return hunk._replace(old=old, new=new, inline=False)


# ── hunks without old lines ──────────────────────────────────────────────────────────────────────


def _by_claim(at: Context, hunk: Hunk) -> Placed | Problem:
    """A hunk that only adds lines goes where it says: an end of the file, lines by number, below a header."""
    text, where = at.text, hunk.where
    count = len(text.lines)
    if where.hashes and (changed := stale(text, where.hashes)) is not None:
        return changed._replace(patch_line=hunk.patch_line)
    if where.at_start:
        return _at_rows(text, hunk, 0, 0)
    if where.at_end or not count:
        return _at_rows(text, hunk, count, count)
    if where.line:
        if where.last > count or where.line > count + 1:
            detail, advice = f"the file ends at line {count}", "Give line numbers that are in the file."
            return Problem("not_found", detail, patch_line=hunk.patch_line, line=count, advice=advice)
        return _at_rows(text, hunk, where.line - 1, where.last)
    if where.under:
        return _below_header(at, hunk)
    detail, advice = "the edit adds lines but doesn't say where", "Add a line of the file that is next to them."
    return Problem("ambiguous", detail, patch_line=hunk.patch_line, advice=advice)


def _below_header(at: Context, hunk: Hunk) -> Placed | Problem:
    found = claims.blocks(at.text, hunk.where.under, at.path)
    if not found:
        return explain.no_place(at.text, at.path, hunk)
    if len(found) > 1:
        starts = [at.text.starts[block.row] for block in found]
        return explain.several_places(at.text, hunk, [Place(start, start, "exact") for start in starts])
    row = found[0].row + 1
    row += (
        at.text.lines[row : row + 1] != [] and at.text.lines[row].strip() == "{"
    )  # `int f(void)`, and below it its brace
    return _at_rows(at.text, hunk, row, row)


def _at_rows(text: Text, hunk: Hunk, start: int, end: int) -> Placed:
    level = "line number" if hunk.where.line else "edge of the file"
    low, high = (1, 1) if not end else (text.line_start(start), text.line_start(end))
    if start >= len(text.lines):
        low = high = len(text.body)
    return Placed(hunk, Place(low, high, level), [Splice(low, high, hunk.new, hunk.policy.own_line_ends)])

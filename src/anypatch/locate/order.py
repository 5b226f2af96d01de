"""Chooses one place for each hunk of an edit: in file order, one reading only. No search, no budget. Pure."""

from __future__ import annotations

from _bisect import bisect_left
from itertools import pairwise

from ..errors import Problem
from ..model import Hunk
from ..record import NamedTuple
from .fit import Fit, fit
from .ladder import Climb, place
from .page import Page
from .refusal import ambiguous, used_twice


class Choice(NamedTuple):
    """A hunk and every place it might stand at: first rows, ascending, and the rows each of them changes."""

    hunk: Hunk
    climbed: Climb
    changed: list[tuple[int, int]]


class Chosen(NamedTuple):
    """A place (an index into the choice's lists) for each choice, or the problems."""

    picks: list[int]
    problems: list[Problem]
    unordered: bool = False


def choose(page: Page, choices: list[Choice], brief: bool = False) -> Chosen:
    """One place for each hunk."""
    numbered = _by_number(page, choices)
    if isinstance(numbered, Problem):
        return Chosen([0] * len(choices), [numbered])
    fixed = {number: _only(choices[number], at) for number, at in numbered.items()}
    chosen = _in_order(page, [fixed.get(number, choice) for number, choice in enumerate(choices)], brief)
    chosen = chosen._replace(picks=[numbered.get(number, pick) for number, pick in enumerate(chosen.picks)])
    return chosen if chosen.problems else chosen._replace(problems=_beside_numbers(page, choices, chosen.picks))


def _by_number(page: Page, choices: list[Choice]) -> dict[int, int] | Problem:
    """Which of its places a hunk has by its line number, of those hunks whose text stands there to the letter.

    A line number that is true wins over the order of the hunks. Where the hunks before it that have one place only all
    stand at one offset from their own numbers, so does it.
    """
    found: dict[int, int] = {}
    offsets: set[int] = set()
    under: dict[tuple[str, int], set[int]] = {}
    taken: set[int] = set()  # models give several hunks one number
    for number, choice in enumerate(choices):
        line, firsts = choice.hunk.where.line, choice.climbed.firsts
        if not line:
            continue
        if len(firsts) == 1:
            offsets.add(firsts[0] + 1 - line)
        elif choice.climbed.rung == "exact":
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


def _beside_numbers(page: Page, choices: list[Choice], picks: list[int]) -> list[Problem]:
    """Hunks that also fit where their line number says, seen in the light of where the hunks before them stand.

    @@ -10 @@ stands at 12 or 40     The second hunk stands at 30 by its number, at 32 by the offset of the first.
    @@ -30 @@ stands at 30 or 32     If the first had one place only, it would be 32; so nothing tells.
    """
    problems: list[Problem] = []
    offsets: set[int] = set()
    sure = False
    taken = {choice.climbed.firsts[pick] for choice, pick in zip(choices, picks, strict=True)}
    for choice, pick in zip(choices, picks, strict=True):
        line, firsts = choice.hunk.where.line, choice.climbed.firsts
        if not line:
            continue
        row = firsts[pick]
        if len(firsts) > 1 and choice.climbed.rung == "exact":
            shift = next(iter(offsets)) if len(offsets) == 1 else 0
            other = [at for at in (line - 1, line - 1 + shift) if at not in taken and _holds(firsts, at)]
            if other and not (sure and row == line - 1 + shift):
                problems.append(ambiguous(page, choice.hunk, "line number", sorted([row, *other])))
        offsets.add(row + 1 - line)
        sure = sure or len(firsts) == 1
    return problems


def _under_heading(page: Page, choice: Choice) -> set[int]:
    """The places of a hunk that stand in the block which its heading begins."""
    from .scope import Extent, blocks, enclosed

    hunk = choice.hunk
    found = blocks(page, (hunk.where.heading,))
    pairs = zip(choice.climbed.firsts, choice.changed, strict=True) if found else ()
    return {at for at, rows in pairs if enclosed(Extent(at, at + len(hunk.old), rows[0]), found)}


def _holds(rows: list[int], row: int) -> bool:
    """Whether a row is among others, ascending."""
    at = bisect_left(rows, row)
    return at < len(rows) and rows[at] == row


def _only(choice: Choice, at: int) -> Choice:
    """The choice with one of its places left."""
    one = choice.climbed._replace(firsts=[choice.climbed.firsts[at]])
    return choice._replace(climbed=one, changed=[choice.changed[at]])


def _in_order(page: Page, choices: list[Choice], brief: bool) -> Chosen:
    """One place for each hunk, in file order; in any order where each has one place only."""
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
            ambiguous(page, c.hunk, c.climbed.rung, c.climbed.firsts, a, b + 1, brief=brief)
            for c, a, b in zip(choices, first, last, strict=True)
            if a != b
        ]
    return Chosen(first, problems)


def _ambiguities(page: Page, choices: list[Choice], first: list[int], last: list[int], brief: bool) -> list[Problem]:
    """Hunks whose places don't all give the same text. Of hunks that say the same each pair of places is tried once."""
    problems = []
    same: dict[int, tuple[int, int]] = {}  # by the list of places: from which of them to which all give one text
    for choice, low, high in zip(choices, first, last, strict=True):
        start, end = same.get(id(choice.changed), (low, low))
        start, end = (start, end) if start <= low <= end else (low, low)
        if end < high and choice.hunk.rules.one_result:
            end = _one_result(page, choice, end, high)
            same[id(choice.changed)] = (start, end)
        if end < high:
            # No slice: 10,000 equal hunks in 800,000 equal lines would copy 8,000,000,000 rows.
            firsts = choice.climbed.firsts
            problems.append(ambiguous(page, choice.hunk, choice.climbed.rung, firsts, low, high + 1, brief=brief))
    return problems


def _leftmost(choices: list[Choice]) -> list[int] | None:
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


def _says_again(one: Choice, two: Choice) -> bool:
    """Whether two hunks are the same: then they mean two places, also where lines that they add could share one."""
    return one.changed is two.changed or (one.hunk.lines == two.hunk.lines and one.climbed.firsts == two.climbed.firsts)


def _rightmost(choices: list[Choice]) -> list[int] | None:
    """Every hunk as far down as those behind it allow."""
    picks: list[int] = []
    ceiling: int | None = None
    for number, choice in enumerate(reversed(choices)):
        last = picks[-1] if number and _says_again(choices[-number], choice) else len(choice.changed)
        found = last - 1 if ceiling is None else bisect_left(choice.changed, ceiling + 1, 0, last, key=_end) - 1
        if found < 0:
            return None
        picks.append(found)
        ceiling = choice.changed[found][0]
    return picks[::-1]


def _unordered(page: Page, choices: list[Choice], brief: bool) -> Chosen:
    """Out of file order only where every hunk has one place by itself, and no line is wanted twice."""
    several = [choice for choice in choices if len(choice.climbed.firsts) > 1]
    problems = [ambiguous(page, one.hunk, one.climbed.rung, one.climbed.firsts, brief=brief) for one in several]
    if problems:
        return Chosen([0] * len(choices), problems)
    taken: dict[int, Choice] = {}
    for choice in choices:
        start, end = choice.changed[0]
        other = next((taken[row] for row in range(start, end) if row in taken), None)
        if other is not None:
            problems.append(used_twice(choice.hunk, other.hunk, start))
        taken |= dict.fromkeys(range(start, end), choice)
    return Chosen([0] * len(choices), problems, True)


def _hinted(choices: list[Choice], first: list[int], last: list[int]) -> list[int] | None:
    """Line numbers choose between equal places, but only if every number of the edit is right."""
    picks = []
    for choice, low, high in zip(choices, first, last, strict=True):
        line = choice.hunk.where.line
        pick = bisect_left(choice.climbed.firsts, line - 1, low, high + 1) if line else low
        if (line and (pick > high or choice.climbed.firsts[pick] != line - 1)) or (not line and low != high):
            return None
        picks.append(pick)
    spans = [choice.changed[i] for choice, i in zip(choices, picks, strict=True)]
    in_order = all(one[1] <= two[0] for one, two in pairwise(spans))
    return picks if in_order else None


def _one_result(page: Page, choice: Choice, low: int, high: int) -> int:
    """Up to which place, from `low` on, all give the same text.

    Two neighbouring places can only differ between the first line of the one and the last of the other.
    """
    firsts = map(choice.climbed.firsts.__getitem__, range(low, high + 1))
    if all(tag == "-" for tag, _ in choice.hunk.lines) and not choice.climbed.wanted.rung.skips:
        # Only deletions: one step further down, the line that stays is another; the two must be equal.
        size = len(choice.hunk.lines)
        alike = (two == one + 1 and page.lines[one] == page.lines[one + size] for one, two in pairwise(firsts))
    else:
        made = (fit(page, choice.hunk, place(page, choice.hunk, choice.climbed, first)) for first in firsts)
        alike = (_same_result(page, one, two) for one, two in pairwise(made))
    return next((at for at, same in enumerate(alike, low) if not same), high)


def _end(rows: tuple[int, int]) -> int:
    return rows[1]


def _same_result(page: Page, one: list[Fit] | Problem, two: list[Fit] | Problem) -> bool:
    if isinstance(one, Problem) or isinstance(two, Problem):
        return False
    if not one or not two:
        return not one and not two
    low = min(made.splice.start for made in (*one, *two))
    high = max(made.splice.end for made in (*one, *two))
    return _spliced(page.lines[low:high], one, low) == _spliced(page.lines[low:high], two, low)


def _text(page: Page, choices: list[Choice], picks: list[int]) -> list[str]:
    """The whole file with the hunks at these places."""
    fits: list[Fit] = []
    for choice, i in zip(choices, picks, strict=True):
        made = fit(page, choice.hunk, place(page, choice.hunk, choice.climbed, choice.climbed.firsts[i]))
        fits += [] if isinstance(made, Problem) else made
    return _spliced(page.lines, sorted(fits, key=lambda f: (f.splice.start, f.splice.end)), 0)


def _spliced(lines: list[str], fits: list[Fit], offset: int) -> list[str]:
    result = list(lines)
    for one in reversed(fits):
        result[one.splice.start - offset : one.splice.end - offset] = one.splice.lines
    return result

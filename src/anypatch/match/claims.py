"""Which of its places does each hunk mean? What a patch claims of a place, and all hunks of a file decided together.

- a header (`@@ class Cart`), a neighbour or `*** End of File` that contradicts a place rules it out, if the format says
  that its claims bind; otherwise they only choose between several places;
- a symbol that the answer names next to the hunk chooses between equal places;
- hunks that are in order in the answer are in order in the file; k equal hunks for k equal places take one each;
- line numbers come last: the place that is off by as much as the other hunks are.

A hunk that still has several places is ambiguous, unless all of them give the same text.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from ..text import BLANK, depth_of
from .ladder import LEVELS, single_spaces
from .search import Place, find_exact, neighbours

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..model import Hunk, Note, Where
    from ..syntax.languages import Language
    from ..text import Text

_CLOSERS = ("}", ")", "]", "end", "</")
_INSIDE = (
    "{", "public:", "private:", "protected:", "else", "elif ", "except", "finally", "catch", "#", "//", "/*", "*",
)  # fmt: skip
_MARKDOWN = (".md", ".markdown", ".mdx")


class Block(NamedTuple):
    """A header's row and the row after its block; `closed`: nothing outside may be meant (a [section])."""

    row: int
    end: int
    closed: bool = False


# ── claims that bind ─────────────────────────────────────────────────────────────────────────────


def bind(hunk: Hunk) -> bool:
    """Whether a hunk makes a claim that binds."""
    where = hunk.where
    return bool(where.before or where.after or where.at_end or (where.under and hunk.policy.headers_bind))


def keep_claimed(
    text: Text, hunk: Hunk, places: list[Place], path: str, language: Language | None, changed: Changed
) -> list[Place]:
    """The places that contradict none of the hunk's binding claims: neighbours, headers, the end of the file."""
    where = hunk.where
    if where.before or where.after:
        places = [place for place in places if _has_neighbours(text, where, place, language)]
    if where.at_end:
        body = text.body
        places = [place for place in places if not body[place.stop :].strip()]
    if where.under and hunk.policy.headers_bind:
        places = _under_headers(text, hunk, places, path, changed)
    return places


def _has_neighbours(text: Text, where: Where, place: Place, language: Language | None) -> bool:
    first, end = place.row_span(text)
    level = LEVELS[place.level]
    above = neighbours(text, where.before, first, -1, level, language)
    return above is not None and neighbours(text, where.after, end - 1, 1, level, language) is not None


def _under_headers(text: Text, hunk: Hunk, places: list[Place], path: str, changed: Changed) -> list[Place]:
    """The places in the block of the last header; else the only one below it, if nothing else fits.

    Nor if the result is in that block: then the place is only a lookalike, in another function.
    """
    found = blocks(text, hunk.where.under, path, several=len(places) > 1)
    inside = [place for place in places if is_enclosed(text, place, found, changed)]
    if inside or len(places) > 1:
        return inside
    results = find_exact(text, hunk.new) if hunk.new.strip() else []
    if any(is_enclosed(text, place, found, lambda one: (one.start, one.stop)) for place in results):
        return []
    below = [block for block in found if not block.closed]
    return [place for place in places if any(block.row <= text.row_at(changed(place)[0]) for block in below)]


Changed = Callable[[Place], "tuple[int, int]"]  # what a hunk would change at a place, as offsets


def is_enclosed(text: Text, place: Place, found: list[Block], changed: Changed) -> bool:
    """Whether a place ends inside one of the blocks; it may begin above the header, whose line it then holds."""
    _, end = place.row_span(text)
    first_changed = text.row_at(changed(place)[0])
    return any(block.row <= first_changed and block.row < end <= block.end for block in found)


def blocks(text: Text, headers: tuple[str, ...], path: str, *, several: bool = False) -> list[Block]:
    """The blocks of the last header, each inside a block of the one before it.

    `several`: more than one place hangs on it, so that the grammar is asked where a block ends, before its indentation.
    """
    found = [Block(-1, len(text.lines))]
    for header in headers:
        found = [inner for outer in found for inner in _blocks_in(text, header, outer, path, several)]
    return found


def _blocks_in(text: Text, header: str, outer: Block, path: str, several: bool) -> list[Block]:
    rows = range(outer.row + 1, outer.end)
    for fits in _fitting(header):
        found = [row for row in rows if fits(text.lines[row])]
        if found:
            return [(_by_grammar(text, path, row) if several else None) or _block(text, path, row) for row in found]
    return []


def _fitting(header: str) -> Iterator[Callable[[str], bool]]:
    """The ways in which a line may be the header, the strictest first."""
    bare, loose = header.strip(BLANK), single_spaces(header)
    yield lambda line: line.strip(BLANK) == bare
    yield lambda line: single_spaces(line) == loose
    if re.search(r"\w", bare):
        begins = re.compile(re.escape(bare) + (r"(?!\w)" if re.match(r"\w", bare[-1]) else ""))
        yield lambda line: begins.match(line.strip(BLANK)) is not None


def _block(text: Text, path: str, row: int) -> Block:
    """The lines that belong to the header at a row: deeper ones up to a closing sign; a section's to the next one."""
    lines, header = text.lines, text.lines[row].strip(BLANK)
    below = range(row + 1, len(lines))
    if header.startswith("[") and header.endswith("]"):
        return Block(row, next((at for at in below if lines[at].lstrip(BLANK).startswith("[")), len(lines)), True)
    if header.startswith("#") and path.endswith(_MARKDOWN):
        level = _heading(header)
        return Block(row, next((at for at in below if 0 < _heading(lines[at]) <= level), len(lines)))
    if not any(line[:1] in (" ", "\t") and line.strip(BLANK) for line in lines):
        # No line is indented: up to the next that begins with the header's first word.
        word = header.split()[:1]
        return Block(row, next((at for at in below if lines[at].split()[:1] == word), len(lines)))
    depth = depth_of(lines[row])
    for at in below:
        bare = lines[at].strip(BLANK)
        if bare and depth_of(lines[at]) <= depth and not bare.startswith(_INSIDE):
            return Block(row, at + bare.startswith(_CLOSERS))
    return Block(row, len(lines))


def _heading(line: str) -> int:
    bare = line.lstrip(BLANK)
    level = len(bare) - len(bare.lstrip("#"))
    return level if bare[level : level + 1] in (" ", "\t") else 0


def _by_grammar(text: Text, path: str, row: int) -> Block | None:
    """The block of the symbol that is named on a row, with the blank lines below it."""
    found = symbol_ends(text, path).get(row)
    if found is None:
        return None
    end = found[0] + 1
    while end < len(text.lines) and not text.lines[end].strip(BLANK):
        end += 1
    return Block(row, end)


def symbol_ends(text: Text, path: str) -> dict[int, tuple[int, int]]:
    """Of each row with the name of a symbol that has several rows: its last row, the UTF-16 column it ends at."""
    if "symbol ends" not in text.indexes:
        from ..syntax.symbols import declared

        rows = [row for row in declared(path, text.text) if row.last > row.row and row.kind != "element"]
        # Of several on one row the outermost comes first, and counts.
        text.indexes["symbol ends"] = {row.row: (row.last, row.stop) for row in reversed(rows)}
    found: dict[int, tuple[int, int]] = text.indexes["symbol ends"]
    return found


# ── claims that choose ───────────────────────────────────────────────────────────────────────────


_NAMES = re.compile(r"`([\w.:#]+)(?:\(.*?\))?`|(?<![\w`])([\w.]+)\(\)")  # `total`, `Cart.total()`, total()


def by_heading(text: Text, hunk: Hunk, places: list[Place], path: str, changed: Changed) -> list[Place]:
    """The places inside the block that a header which doesn't bind opens, if there are any."""
    found = blocks(text, hunk.where.under, path, several=True)
    return [place for place in places if is_enclosed(text, place, found, changed)] or places


def by_names(text: Text, places: list[Place], prose: Sequence[str], path: str) -> list[Place]:
    """The places inside a symbol that the answer names next to the hunk, in backticks or as a call.

    In `Cart.total`, sum the prices:      `return 0` is in Cart.total and in Cart.count: the one in total is chosen

    `prose`: the answer's texts next to the hunk, nearest first; a farther one is heard only if the nearer says nothing.
    """
    told = [names for words in prose if (names := _names_in(words))]
    around = [_symbols_around(text, place, path) for place in places] if told else []
    for names in told:
        # `Cart.total` names a place if both are around it; each name counts once.
        hits = [sum(inside.issuperset(name) for name in names) for inside in around]
        if max(hits):
            return [place for place, hit in zip(places, hits, strict=True) if hit == max(hits)]
    return places


def named_around(text: Text, place: Place, prose: Sequence[str], path: str) -> str:
    """The name by which the answer speaks of what a place is in; "" if it doesn't."""
    names = [name for words in prose for name in _names_in(words)]
    around = _symbols_around(text, place, path) if names else set()
    return next((".".join(name) for name in names if around.issuperset(name)), "")


def _symbols_around(text: Text, place: Place, path: str) -> set[str]:
    from ..syntax.symbols import declared

    row = text.row_at(place.start)
    return {symbol.name for symbol in declared(path, text.text) if symbol.lead <= row <= symbol.last}


def _names_in(words: str) -> dict[tuple[str, ...], None]:
    names = (tuple(re.findall(r"\w+", one or two)) for one, two in _NAMES.findall(words))
    return dict.fromkeys(name for name in names if name)


class Choice(NamedTuple):
    """A hunk's places, ascending, and what it would change at each. `note`: how it had to be read to have them."""

    hunk: Hunk
    places: list[Place]
    span: Changed
    note: Note | None = None

    def change_starts(self, at: int) -> int:
        """Where the hunk would begin to change the text, at one of its places."""
        return self.span(self.places[at])[0]

    def change_stops(self, at: int) -> int:
        """Where it would end."""
        return self.span(self.places[at])[1]


def choose(text: Text, choices: list[Choice], moved: Callable[[int], int]) -> list[Sequence[int]]:
    """For each hunk the numbers of the places that remain possible: one where it is settled.

    The order of the hunks is heard first, then line numbers where the text is there literally. `moved`: where a row of
    the file as it was read is by now.
    """
    picks: list[Sequence[int]] = [range(len(choice.places)) for choice in choices]
    if all(len(possible) == 1 for possible in picks):
        return picks
    picks = _in_order(choices, picks)
    _by_line_number(text, choices, picks, moved)
    return _in_order(choices, picks)


def _by_line_number(text: Text, choices: list[Choice], picks: list[Sequence[int]], moved: Callable[[int], int]) -> None:
    """Settle hunks whose line number is off by as much as those of all settled hunks before them (none: by none)."""
    offsets: set[int] = set()
    taken: set[int] = set()
    for number, choice in enumerate(choices):
        line = choice.hunk.where.line
        if not line:
            continue
        if len(picks[number]) == 1:
            offsets.add(text.row_at(choice.places[picks[number][0]].start) + 1 - line)
        elif len(offsets) <= 1 and choice.places[0].level == "exact":
            rows = {line - 1 + offset for offset in offsets} or {line - 1, moved(line - 1)}
            found = [(row, at) for row in rows if (at := _at_row(text, choice, row)) >= 0 and row not in taken]
            if len(found) == 1:
                row, at = found[0]
                picks[number] = [at]
                taken.add(row)  # models give several hunks one number
                offsets.add(row + 1 - line)


def _at_row(text: Text, choice: Choice, row: int) -> int:
    """The number of the place that begins at a row; -1 if none does."""
    if not 0 <= row < len(text.lines):
        return -1
    at = bisect_left(choice.places, text.starts[row], key=_start)
    return at if at < len(choice.places) and choice.places[at].start == text.starts[row] else -1


def _start(place: Place) -> int:
    return place.start


def _in_order(choices: list[Choice], picks: list[Sequence[int]]) -> list[Sequence[int]]:
    """Keep for each hunk what lies between its places as far up and as far down as the others allow, in file order.

    If the hunks don't fit in order at all, or their line numbers don't ascend, nothing is ruled out.
    """
    lines = [choice.hunk.where.line for choice in choices if choice.hunk.where.line]
    first, last = _leftmost(choices, picks), _rightmost(choices, picks)
    if first is None or last is None or lines != sorted(lines):
        return picks
    return [
        possible[bisect_left(possible, low) : bisect_left(possible, high + 1)]
        for possible, low, high in zip(picks, first, last, strict=True)
    ]


def _leftmost(choices: list[Choice], picks: list[Sequence[int]]) -> list[int] | None:
    """Every hunk as far up as those before it allow; None if they don't fit in order."""
    found: list[int] = []
    floor = 0
    for number, (choice, possible) in enumerate(zip(choices, picks, strict=True)):
        least = found[-1] + 1 if number and _are_equal(choices[number - 1], choice) else 0
        low = bisect_left(possible, least)
        at = bisect_left(possible, floor, low, key=choice.change_starts)
        if at == len(possible):
            return None
        found.append(possible[at])
        floor = choice.span(choice.places[possible[at]])[1]
    return found


def _rightmost(choices: list[Choice], picks: list[Sequence[int]]) -> list[int] | None:
    """Every hunk as far down as those after it allow."""
    found: list[int] = []
    ceiling: int | None = None
    for number in range(len(choices) - 1, -1, -1):
        choice, possible = choices[number], picks[number]
        following = number + 1 < len(choices) and _are_equal(choice, choices[number + 1])
        end = bisect_left(possible, found[-1]) if following else len(possible)
        if ceiling is not None:
            end = bisect_left(possible, ceiling + 1, 0, end, key=choice.change_stops)
        if not end:
            return None
        found.append(possible[end - 1])
        ceiling = choice.span(choice.places[possible[end - 1]])[0]
    return found[::-1]


def _are_equal(one: Choice, two: Choice) -> bool:
    """Whether two hunks say the same: then they mean two places, also where lines that they add could share one."""
    same = one.hunk.old == two.hunk.old and one.hunk.new == two.hunk.new
    return same and (one.places is two.places or one.places == two.places)

"""Comments that the search passed over: whether those at the edges of a place belong to it, those inside may go.

Only CHUNK replaces whole ranges, whatever comments are in them; other hunks change line by line. Pure.
"""

from __future__ import annotations

from ..errors import Problem
from ..model import Hunk
from ..text import BLANK, indent_of
from .ladder import Place
from .page import Page
from .rungs import RUNGS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_SPOKEN = "Give the comment in the marker too, and in the payload if it is to stay."


def with_comments(page: Page, hunk: Hunk, place: Place) -> Place:
    """Comments at the edges that the old text names, and that stand there, belong to the place."""
    old = place.old
    if RUNGS[place.rung].sees == "text":
        return place
    above = [(i, old[i]) for i in range(place.at[0]) if old[i].strip(BLANK)]
    below = [(i, old[i]) for i in range(place.at[-1] + 1, len(old)) if old[i].strip(BLANK)]
    found = dict(zip(place.at, place.rows, strict=True))
    found |= _matching(page, above[::-1], place.rows[0], -1)
    if not hunk.where.block:
        found |= _matching(page, below, place.rows[-1], 1)
    at = sorted(found)
    return place._replace(rows=tuple(found[i] for i in at), at=tuple(at))


def _matching(page: Page, said: list[tuple[int, str]], row: int, step: int) -> dict[int, int]:
    found: dict[int, int] = {}
    for index, text in said:
        row += step
        while 0 <= row < len(page.lines) and not page.lines[row].strip(BLANK):
            row += step
        if not 0 <= row < len(page.lines) or page.lines[row].strip(BLANK) != text.strip(BLANK):
            break
        found[index] = row
    return found


def keep_switches(page: Page, hunk: Hunk, place: Place, new: list[str], lines: list[str]) -> Problem | None:
    """Give lines that come again the comments that programs obey (`# noqa`); a problem where one would be lost.

    `new`: the new lines as the patch has them, `lines`: as they will be; those are changed in place.
    """
    rung, language = RUNGS.get(place.rung), page.language(hunk.rules.language)
    if rung is None or rung.sees == "text" or hunk.rules.indent == "map" or language is None:
        return None
    from ..syntax.obeyed import switch_in

    lexed = page.lexed(language)
    index_of = dict(zip(place.rows, place.at, strict=True))
    again: dict[int, int] | None = None
    spoken: list[str] = []
    for row in range(place.rows[0], place.rows[-1] + 1):
        switch, index = switch_in(page.lines[row], lexed.code_of(row)), index_of.get(row, -1)
        if not switch or (index >= 0 and (not lines or switch == switch_in(place.old[index]))):
            continue  # a line that goes takes it along; one that shows it means what it says
        if again is None:
            again = _repeated(place.old, new)
            spoken = [switch_in(line) for line in new]
        if index in again:
            at = again[index]
            lines[at] = indent_of(lines[at]) + page.lines[row].lstrip(" \t")
        elif switch in spoken:
            spoken.remove(switch)
        else:
            said = page.lines[row].strip(BLANK)[-60:]
            detail = f"line {row + 1} has a comment that programs obey (`{said}`), and the new text would lose it"
            return Problem("elision", detail, line=row + 1, advice=_SPOKEN)
    return None


def _repeated(old: Iterable[str], new: list[str]) -> dict[int, int]:
    """Which old lines come again, and as which of the new ones."""
    from ..diff import opcodes

    before, after = [line.strip(BLANK) for line in old], [line.strip(BLANK) for line in new]
    found: dict[int, int] = {}
    at = new_at = 0
    for start, end, _, new_end in [*opcodes(before, after), (len(before), len(before), 0, 0)]:
        found |= {at + step: new_at + step for step in range(start - at)}
        at, new_at = end, new_end
    return found


def unechoed(page: Page, hunk: Hunk, start: int, end: int, lines: list[str]) -> tuple[int, int]:
    """How many of the lines for rows start..end only repeat comments right above them, and how many those below.

    `# note` above `f()`: a payload `# note`, `g()` for the marker `f()` doesn't mean to say it twice.
    """
    language = page.language(hunk.rules.language)
    # In Chunk v2 (exact text only) the letter of the payload counts.
    if hunk.rules.indent == "map" or len(hunk.rules.rungs) < 2 or language is None or not lines:
        return 0, 0
    from .lexed import code_lines

    code = code_lines(lines, language)
    held = [own for own, line in zip(code, lines, strict=True) if line.strip(BLANK)]
    if not held or (held[0] and held[-1]) or not any(code_lines(list(hunk.old), language)):
        return 0, 0
    lexed = page.lexed(language)

    def comments(rows: range) -> list[tuple[int, str]]:
        found = []
        for row in rows:
            if lexed.code_of(row):
                break
            found.append((row, page.lines[row].strip(BLANK)))
        return found

    top = _echo(list(zip(code, lines, strict=True)), comments(range(start - 1, -1, -1)))
    rest = list(zip(code, lines, strict=True))[top:][::-1]
    return top, _echo(rest, comments(range(end, len(page.lines))))


def _echo(said: list[tuple[str, str]], there: list[tuple[int, str]]) -> int:
    """How many lines, from the edge inwards, repeat the comments beyond it: (code, line) and (row, comment) of each."""
    own: list[tuple[int, str]] = []
    for at, (code, line) in enumerate(said):
        if code:
            break
        if line.strip(BLANK):
            own.append((at, line.strip(BLANK)))
    beyond = [text for _, text in there if text]
    for count in range(min(len(own), len(beyond)), 0, -1):
        texts = [text for _, text in own[:count]]
        if texts == beyond[:count][::-1] and any(sign.isalnum() for sign in "".join(texts)):
            blanks = next(at for at, (_, text) in enumerate(there) if text)
            cut = own[count - 1][0] + 1
            while blanks and cut < len(said) and not said[cut][1].strip(BLANK):
                cut, blanks = cut + 1, blanks - 1
            return cut
    return 0


def repeats_above(page: Page, start: int, lines: list[str]) -> str:
    """The first line of a block's new text, where that and what follows it stand right above the block already."""
    own = [line.strip(BLANK) for line in lines if line.strip(BLANK)]
    there: list[str] = []
    for row in range(start - 1, -1, -1):
        line = page.lines[row].strip(BLANK)
        if len(there) == len(own):
            break
        there += [line] if line else []
        if line and line == own[0] and own[: len(there)] == there[::-1]:
            return own[0]
    return ""

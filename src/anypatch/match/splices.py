"""From a place to splices: what goes, what comes, in whose indentation, with which line ends. Pure.

Only CHUNK replaces whole ranges, with the comments that the search passed over; other hunks change line by line.
"""

from __future__ import annotations

from bisect import bisect_left
from itertools import pairwise

from ..diff import unchanged
from ..model import Hunk, Note, Splice
from ..problems import Problem
from ..record import NamedTuple
from ..syntax.languages import COMMENT, Language
from ..text import BLANK, indent_of, pattern, stripped
from .constraints import symbol_ends
from .levels import RUNGS, VERBATIM, Lexed, code_lines, may_run_over, punctuation
from .search import Page, Place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..syntax.blocks import BlockEnd


_SPOKEN = "Include the comment in the marker, and in the payload if it is to stay."
_CLOSE = ("exact", "trailing space", "indentation")


class Fit(NamedTuple):
    """A splice with the line end of each new line, and what a reader should know. `final`: as the file ends then.

    `repeat`: lines that would be there twice.
    """

    splice: Splice
    ends: list[str]
    notes: tuple[Note, ...] = ()
    tear: Tear | None = None
    final: bool | None = None
    repeat: Repeat | None = None


class Repeat(NamedTuple):
    """New lines that are right outside their hunk, too, from a row on. It is judged when all edits are made."""

    patch_line: int
    row: int
    lines: list[str]


class Tear(NamedTuple):
    """A comment or string cut by a splice. It is healed if later splices of the patch change its other end too,

    or if in the end `row`, the first line behind the splice, begins within what it began within before.
    """

    row: int
    state: int
    others: tuple[int, ...]
    language: Language
    problem: Problem
    refuses: bool


class Group(NamedTuple):
    """One run of changes inside a hunk: lines start..end of the file go, `old` names them, `new` comes.

    `above`: the line of the hunk right before them, None where there is none.
    """

    start: int
    end: int
    old: list[tuple[int, str]]
    new: list[str]
    above: str | None = None


def fit(page: Page, hunk: Hunk, place: Place) -> list[Fit] | Problem:
    """The splices of a hunk that stands at a place."""
    if len(place.at) < len(place.old):
        place = with_comments(page, hunk, place)
    how = place.rung if place.rung in _CLOSE else _closest(page, place)
    if place.rung in VERBATIM:
        return _fits(page, hunk, place, how)
    made = page.adapted(hunk, dict(zip(place.at, place.rows, strict=True)))
    if made is None:
        detail = "the lines are indented differently from the file, and not consistently"
        return Problem("ambiguous", detail, line=place.rows[0] + 1, advice="Copy the lines with their indentation.")
    if isinstance(made, Problem):
        return made._replace(line=place.rows[0] + 1)
    readings = [read for read in (made.hunk, made.other) if read is not None]
    one, *others = (_fits(page, read, place._replace(old=read.old), how) for read in readings)
    if isinstance(one, Problem) or not others or isinstance(others[0], Problem):
        return one
    from .indentation import chosen

    told = chosen(page, made, one, others[0])
    return told._replace(line=place.rows[0] + 1) if isinstance(told, Problem) else told


def fit_gap(page: Page, hunk: Hunk, start: int, end: int) -> Fit:
    """The splice of a hunk without old lines, whose place is given by number or by an end of the file."""
    how = "line number" if hunk.where.line else "edge of the file"
    return replaced(page, Splice(start, end, hunk.new, how), hunk.policy.keeps_own_line_ends)


def replaced(page: Page, splice: Splice, own: bool = True) -> Fit:
    """A splice with line ends: those of the lines that go, if lines keep their `own`; else the file's."""
    return Fit(splice, page.sheet.ends_for(splice.start, splice.end, len(splice.lines), own))


def _closest(page: Page, place: Place) -> str:
    """The strictest rung on which the place would have been found too: what had to be ignored, and no more."""
    old, first = place.old, place.rows[0]
    there = tuple(page.lines[first : place.rows[-1] + 1])
    if len(there) != len(old):
        return place.rung
    if there == old:
        return "exact"
    if [line.rstrip(BLANK) for line in old] == [line.rstrip(BLANK) for line in there]:
        return "trailing space"
    if [line.strip(BLANK) for line in old] == [line.strip(BLANK) for line in there]:
        return "indentation"
    return place.rung


def _fits(page: Page, hunk: Hunk, place: Place, how: str) -> list[Fit] | Problem:
    """The splices of a hunk whose indentation is the file's, or follows the format's own rules."""
    fits: list[Fit] = []
    language, skips = page.language(hunk.policy.language), RUNGS[place.rung].skips
    for group in _groups(hunk, place):
        if hunk.where.block:
            made = _block(page, hunk, place, group, how)
        else:
            made = _fit_group(page, hunk, place, _with_edge_blanks(page, place, group) if skips else group, how)
        if isinstance(made, Problem):
            return made
        if language is not None and _may_tear(page, group, made.splice, language):
            made = _untorn(page, hunk, place, made, language)
        fits.append(made)
    return fits


def _groups(hunk: Hunk, place: Place) -> list[Group]:
    """The hunk's runs of "-" and "+" lines with the rows they concern."""
    at, rows = place.at, place.rows
    # Of each run of changes: from which of the place's rows to which, what goes, what comes.
    runs: list[tuple[int, int, list[tuple[int, str]], list[str], str | None]] = []
    old: list[tuple[int, str]] = []
    new: list[str] = []
    above: str | None = None
    index = 0
    for tag, text in (*hunk.lines, (" ", "")):
        if tag == "+":
            new.append(text)
            continue
        if tag == "-":
            old.append((index, text))
        elif old or new:
            low, high = index - len(old), index
            if len(at) < len(place.old):
                low, high = bisect_left(at, low), bisect_left(at, high)
            if runs and runs[-1][1] == low:  # of the context in between no line is in the file
                low, _, before, came, above = runs.pop()
                old, new = before + old, came + new
            runs.append((low, high, old, new, above))
            old, new = [], []
        if tag == " ":
            above = text
        index += 1
    groups = []
    for low, high, old, new, above in runs:
        start, end = rows[low] if low < len(rows) else rows[-1] + 1, rows[high - 1] + 1
        if low == high:
            # Right below the line before, but with blank lines at their end right above the one behind.
            if low and (low == len(rows) or new[-1].strip(BLANK)):
                start = rows[low - 1] + 1
            end = start
        groups.append(Group(start, end, old, new, above))
    return groups


def _fit_group(page: Page, hunk: Hunk, place: Place, group: Group, how: str) -> Fit | Problem:
    lines, policy = list(group.new), hunk.policy
    notes: tuple[Note, ...] = ()
    if policy.aligns_to_marker:
        made = _indented(page, hunk, place, lines)
        if isinstance(made, Problem):
            return made
        lines, notes = made
    lost = keep_switches(page, hunk, place, group.new, lines) if group.old and policy.replaces_whole_range else None
    if lost is not None:
        return lost
    flat = _flattened(page, hunk, place, group, lines) if not policy.maps_indentation and len(place.rows) > 1 else 0
    if flat:
        detail = f"line {flat} has lost its indentation in the marker, and the payload repeats it"
        advice = "Write marker and payload with the file's own indentation."
        return Problem("ambiguous", detail, line=flat, advice=advice)
    ends = page.sheet.ends_for(group.start, group.end, len(lines), policy.keeps_own_line_ends)
    # Where all is to the letter, what comes again is the file's own already.
    if group.old and lines and not (how == "exact" and lines == group.new and page.sheet.is_plain):
        _keep_repeated(page, place, group, lines, ends, not policy.replaces_whole_range)
    if policy.drops_echoes:
        top, bottom = unechoed(page, hunk, group.start, group.end, lines)
        lines, ends = lines[top : len(lines) - bottom], ends[top : len(ends) - bottom]
    return Fit(Splice(group.start, group.end, tuple(lines), how), ends, notes)


def _indented(page: Page, hunk: Hunk, place: Place, new: list[str]) -> tuple[list[str], tuple[Note, ...]] | Problem:
    if not hunk.policy.aligns_to_marker or not new:
        return list(new), ()
    from .indentation import align, mixed

    old, rows = place.old, page.sheet.lines
    said, there = [old[i] for i in place.at], [rows[row] for row in place.rows]
    done = align(new, said, there, page.habits())
    if done is None:
        detail = "the new lines are indented with tabs and the file with spaces, and nothing shows how wide a tab is"
        return Problem("ambiguous", detail, line=place.rows[0] + 1, advice="Indent the new lines as the file does.")
    note = "the indentation of the new lines mixes tabs and spaces"
    return done, (Note(note, page.path, hunk.patch_line),) if mixed(done) else ()


def _flattened(page: Page, hunk: Hunk, place: Place, group: Group, lines: list[str]) -> int:
    """A line (1-based) that comes again unchanged but would move, as the marker shows another depth; else 0.

    Where the marker shows one depth for lines of several, what comes with such a line has none that can be told.
    """
    from .indentation import learnt

    depths = {indent_of(page.lines[row]) for row in place.rows}
    if len(depths) < 2 or not group.new:
        return 0
    row_of = dict(zip(place.at, place.rows, strict=True))
    said = [place.old[i] for i in place.at]
    flat = hunk.policy.aligns_to_marker and learnt(said, [page.lines[row] for row in place.rows]) is None
    for a, b in unchanged([text for _, text in group.old], group.new):
        row = row_of.get(group.old[a][0])
        moves = row is not None and (flat or indent_of(page.lines[row]) != indent_of(lines[b]))
        if row is not None and moves and group.new[b].strip(BLANK):
            return row + 1
    return 0


def _keep_repeated(
    page: Page, place: Place, group: Group, lines: list[str], ends: list[str], as_given: bool = False
) -> None:
    """Old lines that come again unchanged keep the file's bytes where only ignorable things differ.

    `as_given`: but for the blanks at their ends, which are the patch's (`-a`, `+a` for a line `a  `).
    """
    said = [text for _, text in group.old]
    if not set(said) & set(group.new):
        return
    row_of = _rows_with_blanks(page, place)
    for a, b in unchanged(said, group.new):
        row = row_of.get(group.old[a][0])
        if row is None:
            continue
        there, here = page.lines[row], lines[b]
        same_depth = indent_of(there) == indent_of(here) or not there.strip(BLANK)
        if same_depth and punctuation(there) == punctuation(here):
            lines[b] = there.rstrip(BLANK) + here[len(here.rstrip(BLANK)) :] if as_given else there
            ends[b] = page.sheet.ends[row] or page.sheet.eol


def _rows_with_blanks(page: Page, place: Place) -> dict[int, int]:
    """The row of each old line, also of blank ones that the search passed over where as many stand in the file."""
    row_of = dict(zip(place.at, place.rows, strict=True))
    places = zip(place.at, place.rows, strict=True)
    for (index, row), (next_index, next_row) in pairwise(places):
        if next_index - index == next_row - row > 1 and not any(
            page.lines[r].strip(BLANK) for r in range(row + 1, next_row)
        ):
            row_of |= {index + i: row + i for i in range(1, next_row - row)}
    return row_of


def _with_edge_blanks(page: Page, place: Place, group: Group) -> Group:
    """Blank lines at the old text's edge that the new text repeats stay as the file has them, be it none.

    `-bar`, `-`, `+baz`, `+` at the end of a file without the blank line adds none. Only where blank lines were passed
    over in the search; elsewhere they are rows of the place already.
    """
    if not group.old or not group.new:
        return group
    said = [text for _, text in group.old]
    if said[0].strip(BLANK) and said[-1].strip(BLANK):
        return group
    # A blank line that has its row is in the group's range already.
    passed = ["x" if index in place.at else text for index, text in group.old]
    above = min(_blanks(passed), _blanks(group.new))
    below = min(_blanks(passed[::-1]), _blanks(group.new[::-1][: len(group.new) - above]))
    return group._replace(new=group.new[above : len(group.new) - below])


def _blanks(lines: list[str]) -> int:
    count = 0
    for line in lines:
        if line.strip(BLANK):
            break
        count += 1
    return count


# ── whole blocks ─────────────────────────────────────────────────────────────────────────────────


def _block(page: Page, hunk: Hunk, place: Place, group: Group, how: str) -> Fit | Problem:
    """The whole block that the matched header opens gives way to the new lines."""
    from ..syntax.blocks import Unclosed, block_end, close, doubled

    kind, language = hunk.where.block, page.language(hunk.policy.language)
    text = page.text
    found = block_end(kind, text, language, place.rows[0], place.rows[-1], "\n".join(group.new))
    if isinstance(found, Unclosed):
        found = _by_grammar(page, place) or found
    if isinstance(found, Problem):
        return found
    made = _indented(page, hunk, place, group.new)
    if isinstance(made, Problem):
        return made
    lines, notes = made
    lost = keep_switches(page, hunk, place, group.new, lines)
    if lost is not None:
        return lost
    closed = close(kind, lines, page.lines[found.line][found.column :], language)
    if isinstance(closed, Problem):
        return closed
    group = group._replace(end=found.line + 1)
    ends = [page.sheet.eol] * len(closed)
    if group.new:
        _keep_repeated(page, place, group, closed, ends)
    top, bottom = unechoed(page, hunk, group.start, group.end, closed)
    kept = slice(top, len(closed) - bottom)
    twice = doubled(kind, text, language, (group.start, found.line), "\n".join(group.new))
    twice = twice or repeats_above(page, group.start, closed[kept])
    if twice:
        advice = "Include it in the marker, or leave it out of the payload."
        return Problem("ambiguous", f"`{twice}` is next to the block, and the payload has it, too", advice=advice)
    return Fit(Splice(group.start, group.end, tuple(closed[kept]), how), ends[kept], notes)


def _by_grammar(page: Page, place: Place) -> BlockEnd | None:
    """The end of the symbol that a marker names, where the scanner finds no brace that closes it."""
    from ..syntax.blocks import BlockEnd

    ends = symbol_ends(page)
    found = next((ends[row] for row in place.rows if row in ends), None)
    if found is None or not page.lines[found[0]].isascii():
        return None
    return BlockEnd(*found) if page.lines[found[0]][: found[1]].endswith(("}", "};")) else None


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


# ── comments that the search passed over ─────────────────────────────────────────────────────────


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
    return place._replace(rows=[found[i] for i in at], at=at)


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
    rung, language = RUNGS.get(place.rung), page.language(hunk.policy.language)
    if rung is None or rung.sees == "text" or not hunk.policy.replaces_whole_range or language is None:
        return None
    from ..syntax.lexer import switch_in

    lexed = page.lexed(language)
    index_of = dict(zip(place.rows, place.at, strict=True))
    again: dict[int, int] | None = None
    spoken: list[str] = []
    for row in range(place.rows[0], place.rows[-1] + 1):
        switch, index = switch_in(page.lines[row], lexed.code[row]), index_of.get(row, -1)
        if not switch or (index >= 0 and (not lines or switch == switch_in(place.old[index]))):
            continue  # a line that goes takes it along; one that shows it means what it says
        if again is None:
            again = dict(unchanged(stripped(place.old), stripped(new)))
            spoken = [switch_in(line) for line in new]
        if index in again:
            at = again[index]
            lines[at] = indent_of(lines[at]) + page.lines[row].lstrip(" \t")
        elif switch in spoken:
            spoken.remove(switch)
        else:
            said = page.lines[row].strip(BLANK)[-60:]
            detail = f"line {row + 1} would lose a comment that tools rely on (`{said}`)"
            return Problem("elision", detail, line=row + 1, advice=_SPOKEN)
    return None


def unechoed(page: Page, hunk: Hunk, start: int, end: int, lines: list[str]) -> tuple[int, int]:
    """How many of the lines for rows start..end only repeat comments right above them, and how many those below.

    `# note` above `f()`: a payload `# note`, `g()` for the marker `f()` doesn't mean to say it twice.
    """
    language = page.language(hunk.policy.language)
    if not hunk.policy.drops_echoes or language is None or not lines:
        return 0, 0
    code = code_lines(lines, language)
    held = [own for own, line in zip(code, lines, strict=True) if line.strip(BLANK)]
    if not held or (held[0] and held[-1]) or not any(code_lines(hunk.old, language)):
        return 0, 0
    lexed = page.lexed(language)

    def comments(rows: range) -> list[tuple[int, str]]:
        found = []
        for row in rows:
            if lexed.code[row]:
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


# ── comments and strings that a splice cuts ──────────────────────────────────────────────────────


def _untorn(page: Page, hunk: Hunk, place: Place, made: Fit, language: Language) -> Fit:
    """The fit, widened to a whole comment where it would cut one that was passed over; else with the tear it makes."""
    lexed = page.lexed(language)
    if _is_whole(lexed, language, made.splice):
        return made
    rung = RUNGS[place.rung]
    if rung.sees != "text" and hunk.policy.replaces_whole_range:
        wider = _widened(lexed, made.splice)
        if _is_whole(lexed, language, wider):
            return made._replace(splice=wider)
    # What was given to the letter is meant; a warning is enough, unless comments were to be passed over.
    passed_over = hunk.policy.language != "" or rung.sees != "text"
    return made._replace(tear=_tear(page, hunk, lexed, made.splice, passed_over))


def _may_tear(page: Page, group: Group, splice: Splice, language: Language) -> bool:
    """Whether what goes or comes can begin or end a comment or string of several lines; a no is certain and cheap."""
    start, end, new, how = splice
    is_told = how == "exact" and len(group.old) == end - start  # the hunk has the file's own lines
    above = group.above
    if above is None or not is_told:
        above = page.sheet.some(start - 1, start)[0] if start and page.sheet.holds("\\") else ""
    if above.endswith("\\"):
        return True  # a string or comment may go on here
    old = [text for _, text in group.old] if is_told else page.lines[start:end]
    return may_run_over("\n".join([*old, *new, ""]), language) and not _leave_alike(page, old, new, language)


def _leave_alike(page: Page, old: Sequence[str], new: Sequence[str], language: Language) -> bool:
    """Whether the line behind begins within the same with the old lines as with the new ones, or in neither.

    -    \"""Add tax.        Whether the line above ends in code or in a string, after either line it is the other way
    +    \"""Add the tax.    round. That is asked for each of the two, and spares a reading of the whole file.
    """
    if not _SIMPLE.issuperset(language.forms):
        return False
    if "char" not in language.forms and len(old) == len(new) and _bare_signs(old) == _bare_signs(new):
        return True  # as above: nothing but words differ, so that no sign opens or closes more or less than before
    said = "\n".join([*old, *new, ""])
    for form in ("", *language.forms):
        opener = _OPENERS.get(form, "")
        if form and not (opener and page.sheet.holds(opener)):
            continue
        if form in language.woven and page.sheet.holds_behind(opener, "fFtT" if language.family == "python" else ""):
            return False  # a string in which code may be open, too
        # Without any of these signs nothing is opened, and what is open stays so.
        signs = (opener[::-1],) if opener else (*_OPENERS.values(), "\\\n", *filter(None, (language.hole,)))
        if not any(map(said.__contains__, signs)):
            continue
        before, after = (Lexed([opener, *lines], language).inside[-1] for lines in (old, new))
        if before != after and (opener or before):
            return False
    return True


def _bare_signs(lines: Sequence[str]) -> str:
    """The signs of some lines with a blank for the words between them; a word before a quote may be a part of it."""
    return pattern(r"(?:\b\w++(?![\"'])|[ \t,.])++").sub(" ", "\n".join(lines))


# What opens comments and strings of several lines, of forms that end at the next sign of theirs; the others end with
# their line.
_OPENERS = {"block": "/*", "triple": '"""', "triple_apostrophe": "'''"}
_SIMPLE = frozenset((*_OPENERS, "hash", "line", "quote", "apostrophe", "char"))


def _is_whole(lexed: Lexed, language: Language, splice: Splice) -> bool:
    """Whether no comment or string is cut, or what follows begins within the same as before."""
    start, end = lexed.inside[splice.start], lexed.inside[splice.end]
    return (not start and not end) or _state_behind(lexed, language, splice) == end


def _widened(lexed: Lexed, splice: Splice) -> Splice:
    start, end = splice.start, splice.end
    while end < len(lexed.code) and lexed.inside[end] == COMMENT and not lexed.code[end]:
        end += 1
    while start and lexed.inside[start] == COMMENT and not lexed.code[start - 1]:
        start -= 1
    return splice._replace(start=start, end=end)


def _state_behind(lexed: Lexed, language: Language, splice: Splice) -> int:
    """What the first line behind the splice would begin within."""
    first = splice.start
    while first and lexed.inside[first]:
        first -= 1
    return Lexed([*lexed.lines[first : splice.start], *splice.lines], language).inside[-1]


def _tear(page: Page, hunk: Hunk, lexed: Lexed, splice: Splice, refuses: bool) -> Tear:
    """What stays behind of the comment or string that the splice cuts."""
    start, end = splice.start, splice.end
    others = []
    if lexed.inside[start]:
        row = start
        while row and lexed.inside[row]:
            row -= 1
        others.append(row)
    if lexed.inside[end]:
        row = end
        while row + 1 < len(page.lines) and lexed.inside[row + 1]:
            row += 1
        others.append(row)
    what = "comment" if COMMENT in (lexed.inside[start], lexed.inside[end]) else "string"
    last = max(end, start + 1)
    rows = f"line {last} is" if last == start + 1 else f"lines {start + 1}-{last} are"
    detail = f"{rows} only part of a {what}"
    problem = Problem("torn", detail, page.path, hunk.patch_line, start + 1)
    return Tear(end, lexed.inside[end], tuple(others), lexed.language, problem, refuses)


def follow(tears: list[Tear], fits: list[Fit]) -> list[Tear]:
    """The tears still open after these fits (all against one text, in file order), with rows moved along."""
    opened = tears
    for fit in reversed(fits):
        opened = [moved for tear in opened if (moved := _moved(tear, fit.splice)) is not None]
    return opened


def _moved(tear: Tear, splice: Splice) -> Tear | None:
    """The tear after a splice; None where its other end, or the line behind it, was changed too."""
    rows = []
    for row in (tear.row, *tear.others):
        if splice.start <= row < splice.end:
            return None
        rows.append(row + len(splice.lines) - (splice.end - splice.start) if row >= splice.end else row)
    return tear._replace(row=rows[0], others=tuple(rows[1:]))


def judged(tears: list[Tear], page: Page) -> tuple[list[Problem], list[Note]]:
    """What of them is wrong in the end: a problem where the patch passes comments over, else a warning."""
    problems, notes = [], []
    for tear in tears:
        if page.lexed(tear.language).inside[tear.row] == tear.state:
            continue
        if tear.refuses:
            problems.append(tear.problem)
        else:
            notes.append(
                Note(f"{tear.problem.detail}; the rest of it stays", tear.problem.path, tear.problem.patch_line)
            )
    return problems, notes

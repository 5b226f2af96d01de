"""Operations on one symbol of a file, told as `path#Class/method`: planned on its lines alone. Pure."""

from __future__ import annotations

from .errors import Problem, Refused
from .locate.fit import Fit
from .locate.place import EXPLAINED, Placed
from .model import Edit, File, Inside, Move, Note, Op, Splice, Write
from .plan import Done, Draft, edit, exists, missing, named
from .rounds import Round
from .text import patch_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .plan import Work
    from .syntax.symbols import Symbol
    from .text import Text


def scope_of(op: Op, work: Work) -> tuple[str, tuple[Note, ...], str] | None:
    """Of `path#Class/method` the file and the symbol, where the file is there and one with `#` in its name isn't."""
    from .locate.symbol import names_source

    for at, sign in enumerate(op.path):
        if sign != "#" or not op.path[at + 1 :].strip() or isinstance(op, Move):
            continue
        path, _, notes = named(op, op.path[:at], work)
        if path and exists(work, path):
            return path, notes, op.path[at + 1 :].strip()
        if names_source(op.path[:at]):
            raise Refused(missing(path, Draft(None), work.tree))
    return None


def in_symbol(number: int, op: Op, path: str, work: Work, symbol: str) -> Done:
    """An operation on one symbol: what it changes it finds there, and what it writes takes the symbol's place."""
    from .locate.symbol import lowered, part, symbol_on

    draft = work.drafts[path]
    if not isinstance(op, Edit):
        return edit(number, Edit(path, (_as_whole(op, symbol),), op.patch_line, op.label), path, work)
    page = draft.result(path)
    found = symbol_on(page, symbol, None, as_text=True, brief=draft.failed >= EXPLAINED)
    if isinstance(found, Problem):
        raise Refused(found)
    inner = Draft(File(b""))
    inner.encoding, inner.round = draft.encoding_for(work), Round(part(page, found))
    try:
        done = edit(number, op, path, work._replace(drafts={path: inner}))
        problems, notes = _judged(inner, path, number)
    except Refused as refused:
        raise Refused(*(lowered(problem, found) for problem in refused.problems)) from None
    if problems:
        raise Refused(*(lowered(problem, found) for problem in problems))
    draft.applied += inner.applied
    draft.settle(number, op, Placed([_put_back(inner.result(path).sheet, page.sheet, found)], [], []), None)
    moved = [s._replace(start=s.start + found.first, end=s.end + found.first) for s in done.splices]
    return Done(tuple(moved), done.notes + tuple(notes))


def _put_back(part: Text, whole: Text, found: Symbol) -> Fit:
    """The symbol's lines as the part has them now; those at either end that are the same stay."""
    start, end = found.first, found.last + 1
    pairs = [(whole.lines[start:end], part.lines), (whole.ends[start:end], part.ends)]
    head = min(_alike(old, new) for old, new in pairs)
    tail = min(_alike(old[head:][::-1], new[head:][::-1]) for old, new in pairs)
    stop = len(part.lines) - tail
    return Fit(Splice(start + head, end - tail, tuple(part.lines[head:stop]), "symbol"), part.ends[head:stop])


def _alike(one: list[str], two: list[str]) -> int:
    """How many lines are the same from the first on."""
    low, high = 0, min(len(one), len(two))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[low:middle] == two[low:middle] else (low, middle - 1)
    return low


def _judged(draft: Draft, path: str, number: int) -> tuple[list[Problem], list[Note]]:
    """What an operation left torn in a text of its own."""
    if not draft.tears:
        return [], []
    from .locate.tears import judged

    page = draft.result(path)
    return judged(draft.tears.get(number, []), page)


def _as_whole(op: Op, symbol: str) -> Inside:
    """A file written or deleted, where a symbol is meant."""
    if isinstance(op, Write):
        return Inside(
            symbol, None, "replace", text=tuple(patch_lines(op.text.removesuffix("\n"))), patch_line=op.patch_line
        )
    return Inside(symbol, None, "delete", patch_line=op.patch_line)

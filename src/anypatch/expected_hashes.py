"""Refuse a plan for files that changed since the model read them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from .problems import Near, Problem, Refused, explained
from .text import decode, hash_of, is_hash

if TYPE_CHECKING:
    from .match.files import Tree
    from .result import Result
    from .tree import TreeBefore

_AROUND = 3  # lines shown above and below the place of an edit
_MOST = 60  # lines shown


def check_hashes(result: Result, base: TreeBefore | None, tree: Tree, expected: Mapping[str, str]) -> Result:
    """Return the result, or a refusal if a file, or `path#symbol`, hasn't the hash that is expected of it.

    The hashed bytes are those that the plan was made from, so nothing can slip in between this and the commit.
    """
    stale = [problem for key, hash in expected.items() for problem in _stale(result, base, tree, key, hash)]
    if not stale:
        return result
    empty = result.plan._replace(changes=(), outcomes=())
    return result._replace(ok=False, partial=False, rest="", problems=tuple(stale), plan=empty)


def _stale(result: Result, base: TreeBefore | None, tree: Tree, key: str, expected: str) -> list[Problem]:
    path, symbol = key, ""
    data = _planned_on(result, base, tree, path)
    if data is None and "#" in key:
        path, _, symbol = key.partition("#")
        data = _planned_on(result, base, tree, path)
    if data is None:
        return [Problem("stale", f"{path} no longer exists", path)]
    if symbol:
        return _stale_symbol(path, symbol, data, expected)
    hash = hash_of(data)
    if is_hash(expected, hash):
        return []
    near = _place_now(result, tree.canonical(path), decode(data))
    return [Problem("stale", f"the hash of {key} is {hash}, not {expected}", path, near=near)]


def _stale_symbol(path: str, symbol: str, data: bytes, expected: str) -> list[Problem]:
    from .symbols import find

    try:
        now = find(decode(data), path=path, name_path=symbol)
    except Refused as refused:
        return [problem._replace(kind="stale", path=path) for problem in refused.problems]
    if is_hash(expected, now.hash):
        return []
    near = (Near(now.range.start.line + 1, tuple(now.text.splitlines()), "as it is now"),)
    return [Problem("stale", f"the hash of {path}#{symbol} is {now.hash}, not {expected}", path, near=near)]


def _planned_on(result: Result, base: TreeBefore | None, tree: Tree, path: str) -> bytes | None:
    """Return the bytes of a file that the plan was made from; None if there is no such file."""
    try:
        path = tree.canonical(path)
        for change in result.plan.changes if base is None else ():
            if change.path == path:
                return change.before.data if change.before else None
        file = (base or tree).read(path)
    except Refused:
        return None
    return file.data if file else None


def _place_now(result: Result, path: str, text: str) -> tuple[Near, ...]:
    """Return the lines around the first edit of a file as they are now, or what is nearest to it."""
    lines = text.splitlines()
    for outcome in result.plan.outcomes:
        if outcome.path == path and outcome.splices:
            first = max(outcome.splices[0].start - _AROUND, 0)
            last = min(outcome.splices[-1].end + _AROUND, first + _MOST)
            return (Near(first + 1, tuple(lines[first:last]), "the place in question, as it is now"),)
        for problem in outcome.problems if outcome.path == path else ():
            if near := explained(problem).near:
                return near
    return (Near(1, tuple(lines[:_MOST]), "the file as it is now"),) if lines else ()

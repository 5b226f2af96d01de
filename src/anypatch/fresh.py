"""Whether files are still as they were when somebody read them, told by hashes. Reads through the tree it is given."""

from __future__ import annotations

from .errors import Near, Problem, Refused
from .symbols import find
from .text import decode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from .model import Report
    from .naming import Tree

_AROUND = 3  # lines shown above and below the place that a patch means
_MOST = 60


def checked(report: Report, tree: Tree, expected: Mapping[str, str]) -> Report:
    """The report; a refusal instead where a file, or `path#symbol`, no longer hashes to what is expected of it.

    What the plan is made from is what is hashed, so nothing can slip in between this and the commit.
    """
    stale = [problem for key, told in expected.items() for problem in _stale(report, tree, key, told)]
    if not stale:
        return report
    nothing = report.plan._replace(changes=(), outcomes=())
    return report._replace(ok=False, partial=False, rest="", problems=tuple(stale), plan=nothing)


def file_hash(data: bytes) -> str:
    """The hash of a whole file."""
    from hashlib import sha256

    return f"sha256:{sha256(data).hexdigest()}"


def _stale(report: Report, tree: Tree, key: str, told: str) -> list[Problem]:
    path, symbol = key, ""
    data = _before(report, tree, path)
    if data is None and "#" in key:
        path, _, symbol = key.partition("#")
        data = _before(report, tree, path)
    if data is None:
        return [Problem("stale", f"{path} was read before and is gone", path)]
    if not symbol:
        now = file_hash(data)
        near = () if _same(now, told) else _meant(report, tree.canonical(path), decode(data))
    else:
        try:
            found = find(decode(data), path=path, name_path=symbol)
        except Refused as refused:
            return [problem._replace(kind="stale", path=path) for problem in refused.problems]
        now = found.hash
        near = (Near(found.range.start.line + 1, tuple(found.text.splitlines()), "as it is now"),)
    if _same(now, told):
        return []
    return [Problem("stale", f"{key} hashes to {now} now, not to {told}", path, near=near)]


def _before(report: Report, tree: Tree, path: str) -> bytes | None:
    """The bytes that the plan goes by."""
    try:
        path = tree.canonical(path)
        for change in report.plan.changes:
            if change.path == path:
                return change.before.data if change.before else None
        file = tree.read(path)
    except Refused:
        return None
    return file.data if file else None


def _meant(report: Report, path: str, text: str) -> tuple[Near, ...]:
    """The place that the patch means, as it is now: where it would land, or what is nearest to it."""
    lines = text.splitlines()
    for outcome in report.plan.outcomes:
        if outcome.path == path and outcome.splices:
            first = max(outcome.splices[0].start - _AROUND, 0)
            last = min(outcome.splices[-1].end + _AROUND, first + _MOST)
            return (Near(first + 1, tuple(lines[first:last]), "the place meant, as it is now"),)
        for problem in outcome.problems if outcome.path == path else ():
            if problem.near:
                return problem.near
    return (Near(1, tuple(lines[:_MOST]), "the file as it is now"),) if lines else ()


def _same(now: str, told: str) -> bool:
    return now.removeprefix("sha256:") == told.strip().lower().removeprefix("sha256:")

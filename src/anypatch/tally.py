"""Counts what a patch says while it is read, so that far too much is refused early. Pure; understands no format."""

from __future__ import annotations

from .errors import Refused
from .limits import check_ops
from .twice import said_once

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from .limits import Limits
    from .model import Op


class Tally:
    """Refuses a patch while it is read, once the operations so far are more than is allowed.

    It looks each time their number has doubled, so that all looks together cost no more than a few.
    """

    __slots__ = ("at", "limits")

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.at = min(limits.files, limits.hunks, limits.file_hunks) + 1

    def __call__(self, ops: list[Op], now: bool = False) -> None:
        """Look at the operations that were read so far, where it is time or `now`.

        An edit that is said twice may be made once in the end: such count once.
        """
        if len(ops) < self.at and not now:
            return
        self.at = max(self.at, 2 * len(ops))
        try:
            check_ops(ops, self.limits, "at least ")
        except Refused:
            check_ops(said_once(ops, []), self.limits, "at least ")

    def end(self, paths: Iterable[str]) -> int:
        """Which of the hunks that there may be, given by the path of each, is the first one too many; -1 for none."""
        counts: dict[str, int] = {}
        for number, path in enumerate(paths):
            counts[path] = count = counts.get(path, 0) + 1
            if count > self.limits.file_hunks or number >= self.limits.hunks or len(counts) > self.limits.files:
                return number
        return -1

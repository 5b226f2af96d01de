"""The cost of a change in each format, in tokens or characters."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from .. import formats
from ..model import FileChange
from ..problems import Refused
from ..text import encode
from .make import write_changes

if TYPE_CHECKING:
    from ..match.files import Tree


class Cost(NamedTuple):
    """The cost of a change in one format: `size` in the unit of a `Measure`; -1, and `why`, if it can't express it."""

    format: str
    size: int
    characters: int
    why: str = ""


class Measure(NamedTuple):
    """How texts are measured: the unit, and the function that counts."""

    unit: str
    count: Callable[[str], int]


def default_measure() -> Measure:
    """Return tokens of a common vocabulary, which needs the extra `tokens`; characters without it."""
    try:
        from splintr import Tokenizer
    except ImportError:
        return Measure("characters", len)
    tokenizer = Tokenizer.from_pretrained("cl100k_base")

    def count(text: str) -> int:
        return len(tokenizer.encode_ordinary(encode(text).decode("utf-8", "replace")))

    return Measure("tokens", count)


def costs(changes: tuple[FileChange, ...], tree: Tree | None, measure: Measure) -> list[Cost]:
    """Return what the changes cost in each format, the cheapest first, those that can't express them last."""
    found = []
    for name in formats.names():
        try:
            text = write_changes(changes, name, tree)
            found.append(Cost(name, measure.count(text), len(text)))
        except Refused as refused:
            found.append(Cost(name, -1, -1, refused.problems[0].detail))
    return sorted(found, key=lambda cost: (cost.size < 0, cost.size))

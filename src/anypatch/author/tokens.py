"""What the same change costs in every format: in tokens where the tokenizer is installed, else in characters. Pure."""

from __future__ import annotations

from .. import formats
from ..problems import Refused
from ..record import NamedTuple
from ..text import encode
from .make import written

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ..match.files import Tree
    from ..model import FileChange


VOCABULARY = "cl100k_base"


class Cost(NamedTuple):
    """One format's price: `size` as `Counter` counts, -1 where it can't say the change, and then `why`."""

    format: str
    size: int
    characters: int
    why: str = ""


class Counter(NamedTuple):
    """How texts are measured: in what, and by which function."""

    unit: str
    count: Callable[[str], int]


def counter() -> Counter:
    """Tokens of a common vocabulary, which needs the extra `tokens`; characters without it."""
    try:
        from splintr import Tokenizer
    except ImportError:
        return Counter("characters", len)
    known = Tokenizer.from_pretrained(VOCABULARY)

    def count(text: str) -> int:
        return len(known.encode_ordinary(encode(text).decode("utf-8", "replace")))

    return Counter("tokens", count)


def costs(changes: tuple[FileChange, ...], tree: Tree | None, measure: Counter) -> list[Cost]:
    """What the changes cost in each format, the cheapest first; those that can't say them last."""
    found = []
    for name in formats.names():
        try:
            text = written(changes, name, tree)
            found.append(Cost(name, measure.count(text), len(text)))
        except Refused as refused:
            found.append(Cost(name, -1, -1, refused.problems[0].detail))
    return sorted(found, key=lambda cost: (cost.size < 0, cost.size))

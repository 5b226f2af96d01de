"""A patch inside a model's answer: fences and the prose around them. Only cuts; understands no format."""

from __future__ import annotations

from ..record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


class Body(NamedTuple):
    """Some lines of an answer; `first` is the 1-based line of the answer that they begin with.

    `cut`: they stand in a fence that never closes.
    """

    first: int
    lines: list[str]
    fenced: bool = False
    cut: bool = False


def fences(lines: list[str]) -> list[Body]:
    """The contents of all code fences. One that never closes runs to the end."""
    found: list[Body] = []
    opened: tuple[int, str, int] | None = None
    for number, line in enumerate(lines):
        if "```" not in line and "~~~" not in line:
            continue
        mark, indent = _fence(line)
        if opened is None:
            if mark:
                opened = (number, mark, indent)
            continue
        start, opener, depth = opened
        if mark.startswith(opener) and indent <= depth and not line.strip().strip(opener[0]):
            found.append(Body(start + 2, lines[start + 1 : number], True))
            opened = None
    if opened is not None:
        found.append(Body(opened[0] + 2, lines[opened[0] + 1 :], True, True))
    return found


def prose(lines: list[str]) -> str:
    """What the answer says outside of all fences."""
    rest = list(lines)
    for body in fences(lines):
        rest[body.first - 2 : body.first + len(body.lines)] = [""] * (len(body.lines) + 2)
    return "\n".join(rest)


def bodies(text: str, lines: list[str], belongs: Callable[[str], bool]) -> list[Body]:
    """Where the lines of a text that belong to a format are: in fences, or from the first such line on."""
    fenced = fences(lines) if "```" in text or "~~~" in text else []
    inside = [body for body in fenced if any(belongs(line) for line in body.lines)]
    if inside:
        first = next(i for i, line in enumerate(lines) if belongs(line))
        if first + 1 >= inside[0].first:
            return inside
    for number, line in enumerate(lines):
        if belongs(line):
            return [Body(number + 1, lines[number:])]
    return []


def _fence(line: str) -> tuple[str, int]:
    """The run of fence characters a line begins with, and its indentation; "" for other lines."""
    bare = line.lstrip(" \t")
    for char in "`~":
        if bare.startswith(char * 3):
            return char * (len(bare) - len(bare.lstrip(char))), len(line) - len(bare)
    return "", 0

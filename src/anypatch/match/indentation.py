"""How the indentation of a hunk maps to that of the file. Pure.

hunk              file                  the matched lines say          so the added line
|if ready:        |    if ready:        ""     → 4 spaces              |    go()  becomes  |        go()
|    go()
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ..text import indent_of, is_blank

Shift = Callable[[str], "str | None"]  # an indentation of the hunk → that of the file; None: nothing is known about it

_UNITS = ("\t", "    ", "  ", "        ", "   ")


def unchanged(indent: str) -> str:
    """The indentation as it is."""
    return indent


def deeper_by(prefix: str) -> Shift:
    """Every line moves to the right."""
    return lambda indent: prefix + indent


def shallower_by(prefix: str) -> Shift:
    """Every line moves to the left, as far as it is deep enough."""
    return lambda indent: indent.removeprefix(prefix) if indent.startswith(prefix) else None


def other_unit(unit: str, becomes: str) -> Shift:
    """Tabs for spaces, spaces for tabs, or steps of another width."""

    def shift(indent: str) -> str:
        steps = 0
        while indent.startswith(unit):
            indent, steps = indent[len(unit) :], steps + 1
        return becomes * steps + indent

    return shift


def _possible_shifts(hunk_indent: str, file_indent: str) -> Iterator[Shift]:
    """Every way to get from the one to the other, the plainest first."""
    if file_indent.endswith(hunk_indent):
        yield deeper_by(file_indent[: len(file_indent) - len(hunk_indent)])
    if hunk_indent.endswith(file_indent):
        yield shallower_by(hunk_indent[: len(hunk_indent) - len(file_indent)])
    for unit in _UNITS:
        for becomes in _UNITS:
            if unit != becomes:
                yield other_unit(unit, becomes)


def shift_between(pairs: Sequence[tuple[str, str]]) -> Shift | None:
    """The one rule that turns the hunk's indentation of every matched line into the file's; None if there is none."""
    differing = next((pair for pair in pairs if pair[0] != pair[1]), None)
    if differing is None:
        return unchanged
    distinct = set(pairs)
    for shift in _possible_shifts(*differing):
        if all(shift(hunk_indent) == file_indent for hunk_indent, file_indent in distinct):
            return shift
    return None


def reindent(line: str, shift: Shift) -> str | None:
    """The line with its indentation mapped; None if nothing is known about it."""
    indent = indent_of(line)
    if shift is unchanged or len(indent) == len(line):
        return line
    mapped = shift(indent)
    return None if mapped is None else mapped + line[len(indent) :]


def aligned(new: Sequence[str], old: Sequence[str], there: Sequence[str]) -> list[str]:
    """New lines indented by the first matched line, as CHUNK has it.

    If the marker's own lines show how its indentation maps to the file's (tabs for spaces), so does the payload's.
    """
    pairs = [(indent_of(said), indent_of(line)) for said, line in zip(old, there, strict=True) if not is_blank(said)]
    first, base = pairs[0] if pairs else ("", "")
    inner = [(said[len(first) :], line[len(base) :]) for said, line in pairs if said.startswith(first)]
    shift = shift_between(inner) or unchanged
    return [base + (reindent(line, shift) or line) if not is_blank(line) else line for line in new]

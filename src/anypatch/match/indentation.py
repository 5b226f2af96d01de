"""Map the indentation of a hunk to that of the file. Pure.

hunk              file                  the matched lines show         so the added line
|if ready:        |    if ready:        ""     → 4 spaces              |    go()  becomes  |        go()
|    go()
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ..text import indent_of, is_blank

Shift = Callable[[str], "str | None"]  # from an indentation of the hunk to the file's; None if that isn't known

_UNITS = ("\t", "    ", "  ", "        ", "   ")


def unchanged(indent: str) -> str:
    """Return the indentation as it is."""
    return indent


def deeper_by(prefix: str) -> Shift:
    """Move every line to the right."""
    return lambda indent: prefix + indent


def shallower_by(prefix: str) -> Shift:
    """Move every line that is deep enough to the left."""
    return lambda indent: indent.removeprefix(prefix) if indent.startswith(prefix) else None


def other_unit(unit: str, becomes: str) -> Shift:
    """Replace tabs by spaces, spaces by tabs, or steps by steps of another width."""

    def shift(indent: str) -> str:
        steps = 0
        while indent.startswith(unit):
            indent, steps = indent[len(unit) :], steps + 1
        return becomes * steps + indent

    return shift


def _possible_shifts(hunk_indent: str, file_indent: str) -> Iterator[Shift]:
    """Yield the rules that may turn one into the other, the simplest first."""
    if file_indent.endswith(hunk_indent):
        yield deeper_by(file_indent[: len(file_indent) - len(hunk_indent)])
    if hunk_indent.endswith(file_indent):
        yield shallower_by(hunk_indent[: len(hunk_indent) - len(file_indent)])
    for unit in _UNITS:
        for becomes in _UNITS:
            if unit != becomes:
                yield other_unit(unit, becomes)


def shift_between(pairs: Sequence[tuple[str, str]]) -> Shift | None:
    """Return the rule that maps the indentation of every matched line to the file's; None if there is none."""
    differing = next((pair for pair in pairs if pair[0] != pair[1]), None)
    if differing is None:
        return unchanged
    distinct = set(pairs)
    for shift in _possible_shifts(*differing):
        if all(shift(hunk_indent) == file_indent for hunk_indent, file_indent in distinct):
            return shift
    return None


def reindent(line: str, shift: Shift) -> str | None:
    """Return the line with its indentation mapped; None if the rule doesn't say how."""
    indent = indent_of(line)
    if shift is unchanged or len(indent) == len(line):
        return line
    mapped = shift(indent)
    return None if mapped is None else mapped + line[len(indent) :]


def align_payload(payload: Sequence[str], marker: Sequence[str], file_lines: Sequence[str]) -> list[str]:
    """Indent new lines by the first matched line, as CHUNK does.

    If the marker's own lines show how its indentation maps to the file's (tabs for spaces), the payload's maps alike.
    """
    matched = zip(marker, file_lines, strict=True)
    pairs = [(indent_of(line), indent_of(file_line)) for line, file_line in matched if not is_blank(line)]
    first, base = pairs[0] if pairs else ("", "")
    inner = [(indent[len(first) :], file[len(base) :]) for indent, file in pairs if indent.startswith(first)]
    shift = shift_between(inner) or unchanged
    return [base + (reindent(line, shift) or line) if not is_blank(line) else line for line in payload]

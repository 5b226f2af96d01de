"""Reads what most patches consist of: usual names, each with a plain word or a text under `|-`. Raises nothing new.

What it leaves to the reader proper (None) it has not touched: the same reading, by a shorter way.
"""

from __future__ import annotations

from ._yaml_nodes import DEEPEST, Bad, Mapping, Node, Scalar, Source, skip

_NAMES = frozenset(("path", "op", "marker", "payload", "before", "after", "symbol", "comment", "indent"))
_BEYOND = 1 << 62
_scalar = Scalar._make
_LEADS = frozenset(" \t,[]{}#&*!|>'\"%@`-?")


def everyday_items(source: Source, row: int, column: int) -> tuple[list[Node], int]:
    """The items of a sequence from a row on that are such mappings, all that another item follows; its row."""
    lines = source.lines
    items: list[Node] = []
    while lines[row][column : column + 2] == "- ":
        made = everyday_mapping(source, row, column + 2)
        if made is None or source.column != column or lines[made[1]][column : column + 2] != "- ":
            break
        items.append(made[0])
        row = made[1]
    return items, row


def everyday_mapping(source: Source, row: int, column: int) -> tuple[Mapping, int] | None:
    """The mapping whose first key stands at (row, column), and the row behind it, if the plainest rules are enough."""
    lines, first = source.lines, source.first
    pad, start, last = " " * column, row, source.count - 1
    items: dict[str, tuple[str, int, Node]] = {}
    key, colon, said = lines[row][column:].partition(": ")
    if key not in _NAMES or not colon or len(source.columns) >= DEEPEST:
        return None
    while True:
        at = first + row
        row += 1
        if said == "|-":
            below = _text(source, row, column)
            if below is None:
                return None
            said, row = below
            node = _scalar((said, at, "block"))
        elif said.isidentifier() or _is_plain(said):
            node = _scalar((said, at, "plain"))
        else:
            return None
        items[key] = (key, at, node)
        line = lines[row] if row <= last else ""
        key, colon, said = line[column:].partition(": ")
        if key not in _NAMES or not colon or line[:column] != pad:
            row = _next(source, row, line)
            if source.column < column:
                return Mapping(tuple(items.values()), first + start), row
            key, colon, said = lines[row][column:].partition(": ")
            if source.column > column or key not in _NAMES or not colon:
                return None
        if key in items:
            return None


def _is_plain(said: str) -> bool:
    return bool(said) and said[0] not in _LEADS and ":" not in said and "#" not in said and said[-1] not in " \t"


def _text(source: Source, row: int, column: int) -> tuple[str, int] | None:
    """The text that begins at a row, and the row behind it."""
    lines, count = source.lines, source.count
    line = lines[row] if row < count else ""
    text = line.lstrip(" ")
    width = len(line) - len(text)
    if not text or width <= column:
        return None
    pad = line[:width]
    body = [text]
    for after in range(row + 1, count):
        line = lines[after]
        if line[:width] == pad:
            body.append(line[width:])
        elif not line.strip(" \t"):
            body.append("")
        elif line[: column + 1] == pad[: column + 1]:
            return None  # less deep than the text, deeper than its key
        else:
            return text if len(body) == 1 else "\n".join(body).rstrip("\n"), after
    return "\n".join(body).rstrip("\n"), count


def _next(source: Source, row: int, line: str) -> int:
    """As `skip`, without the failure: then it is as if the line were deeper than all others."""
    text = line.lstrip(" ")
    deep = len(line) - len(text)
    if deep and text[:1] not in ("", "#", "\t"):
        source.column = deep
        return row
    try:
        return skip(source, row)
    except Bad:
        source.column = _BEYOND
        return row

"""The flow collections of YAML, and so JSON: `[…]` and `{…}`, over as many lines as they take. Lenient in nothing."""

from __future__ import annotations

from ._yaml_nodes import DEEPEST, QUOTE, Bad, Mapping, Node, Scalar, Sequence, Source, is_marker, past_blanks, pattern
from ._yaml_scalars import SPECIAL, quoted

_NO_INDENT = -2


def flow(source: Source, row: int, start: int) -> tuple[Node, int, int]:
    """The collection that opens at (row, start), and the place behind it."""
    return _collection(source, row, start, len(source.columns) + 1)


def properties(source: Source, row: int, start: int, alias: str) -> Bad | None:
    """The refusal of an anchor, an alias (by the pattern `alias`) or a tag at this place, if one stands there."""
    line = source.lines[row]
    what = ""
    if line[start] == "&" and pattern("anchor").match(line, start):
        what = "an anchor"
    elif line[start] == "*" and pattern(alias).match(line, start):
        what = "an alias"
    elif line[start] == "!" and line[start + 1 : start + 2] not in ("", " ", "\t", "="):
        what = "a tag"
    if not what:
        return None
    bad = source.bad(row, f"YAML reads {line[start : start + 20].split(' ')[0]!r} as {what}; none may be used here")
    bad.final = True
    return bad


def _collection(source: Source, row: int, start: int, depth: int) -> tuple[Node, int, int]:
    if depth > DEEPEST:
        bad = source.bad(row, f"collections are nested deeper than {DEEPEST}", f"{QUOTE} Or nest less.")
        bad.final = True
        raise bad
    return (_sequence if source.lines[row][start] == "[" else _mapping)(source, row, start, depth)


def _sequence(source: Source, row: int, start: int, depth: int) -> tuple[Sequence, int, int]:
    items: list[Node] = []
    at, end = _gap(source, row, row, start + 1)
    while source.lines[at][end] != "]":
        line = source.first + at
        node, value, at, end = _entry(source, row, (at, end), depth)
        if value is not None and isinstance(node, Scalar):
            node = Mapping(((node.text, line, value),), line)
        items.append(node)
        at, end = _comma(source, row, (at, end), "]")
    return Sequence(tuple(items), source.first + row), at, end + 1


def _mapping(source: Source, row: int, start: int, depth: int) -> tuple[Mapping, int, int]:
    items: list[tuple[str, int, Node]] = []
    seen: dict[str, int] = {}
    at, end = _gap(source, row, row, start + 1)
    while source.lines[at][end] != "}":
        line = source.first + at
        key, value, at, end = _entry(source, row, (at, end), depth)
        if not isinstance(key, Scalar):
            raise source.bad(at, "a collection cannot be a key")
        if key.text in seen:
            raise _twice(source, line, key.text, seen[key.text])
        seen[key.text] = line
        items.append((key.text, line, value if value is not None else Scalar("", line, "empty")))
        at, end = _comma(source, row, (at, end), "}")
    return Mapping(tuple(items), source.first + row), at, end + 1


def _twice(source: Source, line: int, key: str, before: int) -> Bad:
    detail = f"the key {key!r} of line {before} stands again in line {line}"
    bad = source.bad(line - source.first, detail, "Give each mapping each key once; begin a new '{' for a new item.")
    bad.final = True
    return bad


def _entry(source: Source, opened: int, place: tuple[int, int], depth: int) -> tuple[Node, Node | None, int, int]:
    """A node, the value that stands behind it and a colon, if any, and the place behind both."""
    lines = source.lines
    node, row, end = _node(source, *place, depth)
    colon = past_blanks(lines[row], end)
    if row != place[0] or lines[row][colon : colon + 1] != ":":
        return node, None, row, end
    if not isinstance(node, Scalar):
        raise source.bad(row, "a collection cannot be a key")
    row, end = _gap(source, opened, row, colon + 1)
    if lines[row][end] in ",]}":
        return node, Scalar("", source.first + row, "empty"), row, end
    value, row, end = _node(source, row, end, depth)
    return node, value, row, end


def _node(source: Source, row: int, start: int, depth: int) -> tuple[Node, int, int]:
    sign = source.lines[row][start]
    if sign in "[{":
        return _collection(source, row, start, depth + 1)
    if sign in "\"'":
        text, at, end = quoted(source, row, start, _NO_INDENT)
        return Scalar(text, source.first + row, "quoted"), at, end
    return _plain(source, row, start)


def _plain(source: Source, row: int, start: int) -> tuple[Scalar, int, int]:
    lines = source.lines
    line = lines[row]
    follower = line[start + 1 : start + 2]
    if line[start] in SPECIAL or (line[start] in "-?" and follower in ("", " ", "\t")) or line[start] == ":":
        if line[start] == "?":
            raise source.bad(row, "a complex key ('? ') cannot be used here", "Write 'key: value'.")
        bad = properties(source, row, start, "flow alias") if line[start] in "&*!" else None
        raise bad or source.bad(row, f"no text may begin with {line[start]!r} in a collection")
    pieces: list[str] = []
    at, end, breaks = row, start, 0
    stop = pattern("flow end")
    while True:
        found = stop.search(line, start)
        end = found.start() if found else len(line)
        if breaks:
            pieces.append(" " if breaks == 1 else "\n" * (breaks - 1))
        pieces.append(line[start:end].rstrip(" \t"))
        if found:
            break
        ahead, start = _ahead(source, at + 1)
        if start < 0 or stop.match(lines[ahead], start):
            break
        at, line, breaks = ahead, lines[ahead], ahead - at
    return Scalar("".join(pieces), source.first + row, "plain"), at, end


def _ahead(source: Source, row: int) -> tuple[int, int]:
    """Where a plain text may go on: the first sign of the next line that has one, or -1."""
    for at in range(row, source.reach):
        line = source.lines[at]
        start = past_blanks(line, 0)
        if start < len(line):
            return at, -1 if line[start] == "#" or is_marker(line) else start
    return row, -1


def _gap(source: Source, opened: int, row: int, start: int) -> tuple[int, int]:
    """The next sign that is neither blank nor in a comment."""
    at = row
    while at < source.reach:
        line = source.lines[at]
        start = past_blanks(line, start)
        if at > row and is_marker(line):
            break
        if start < len(line) and line[start] != "#":
            return at, start
        at, start = at + 1, 0
    advice = f"Close it. If it is text: {QUOTE[0].lower()}{QUOTE[1:]}"
    bad = source.bad(opened, f"the bracket that opens in line {source.first + opened} is not closed", advice)
    bad.reached = at
    raise bad


def _comma(source: Source, opened: int, place: tuple[int, int], closing: str) -> tuple[int, int]:
    """Behind an entry: the place of the closing bracket or of the next entry."""
    row, start = _gap(source, opened, *place)
    sign = source.lines[row][start]
    if sign == closing:
        return row, start
    if sign != ",":
        detail = f"',' or {closing!r} is missing before {sign!r} (the bracket opens in line {source.first + opened})"
        raise source.bad(row, detail, f"Separate entries by ',' and close with {closing!r}. If it is text, quote it.")
    return _gap(source, opened, row, start + 1)

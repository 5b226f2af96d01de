"""A tolerant reader of YAML for patches: documents, block mappings and sequences, recovery. Never raises.

Every scalar is its source text. What YAML allows means what it means there; what it forbids is read only where one
reading is left, with a note; anchors, aliases, tags, complex keys and duplicate keys are refused.

    document   = directives? "---"? node? "..."?
    node       = mapping | sequence | inline                   on a line of its own or behind "- "
    mapping    = ( key ":" ( inline | node deeper | sequence at the key's column )? )+        at one column
    sequence   = ( "-" node? )+                                at one column
    inline     = plain | quoted | block text | flow collection
"""

from __future__ import annotations

from ..errors import Problem
from ._yaml_everyday import everyday_items, everyday_mapping
from ._yaml_inline import inline
from ._yaml_nodes import (
    DEEPEST,
    Bad,
    Document,
    Mapping,
    Node,
    Scalar,
    Sequence,
    Source,
    everyday_key,
    is_dash,
    is_marker,
    past_blanks,
    pattern,
    skip,
)
from ._yaml_scalars import HEADERS, SPECIAL, block, quoted, spaces

_LEADS = SPECIAL | {"-", "?"}

__all__ = ["Document", "Mapping", "Node", "Scalar", "Sequence", "read"]


def read(lines: list[str], first: int = 1) -> Document:
    """Read one document; `first` is the patch line of lines[0].

    A final line end shows as a last, empty line, as `text.patch_lines` gives it; who cuts lines out of a longer
    text adds it, for `|` and `|+` count line ends.
    """
    source = Source(lines, first)
    root: Node | None = None
    try:
        root, row = _document(source)
        _check_end(source, row)
    except Bad as bad:
        source.problems.append(bad.problem)
    return Document(root, tuple(source.problems), tuple(source.notes))


# ── documents ────────────────────────────────────────────────────────────────────────────────────


def _document(source: Source) -> tuple[Node | None, int]:
    row = _past_directives(source)
    if source.column >= 0:
        return _node(source, row, source.column, -1)
    if row == source.count or source.lines[row][0] == ".":
        return None, row
    line = source.lines[row]
    start = past_blanks(line, 3)
    if start < len(line) and line[start] != "#":
        return inline(source, row, start, -1, False)
    after = skip(source, row + 1)
    if source.column >= 0:
        return _node(source, after, source.column, -1)
    return Scalar("", source.first + row, "empty"), after


def _past_directives(source: Source) -> int:
    """The row where the document begins, `%YAML` lines left behind."""
    row = skip(source, 0)
    at = row
    while source.column == 0 and source.lines[at][0] == "%":
        at = skip(source, at + 1)
    if at > row and not (at < source.count and source.lines[at].startswith("---")):
        raise source.bad(row, "a line that begins with '%' stands before no '---'", "Remove the line, or add '---'.")
    return at


def _check_end(source: Source, row: int) -> None:
    """Nothing may follow the root."""
    ended = False
    while row < source.count and source.column < 0:
        line = source.lines[row]
        after = skip(source, row + 1)
        if line[0] == "-" and (after < source.count or line.rstrip(" \t") != "---"):
            advice = "Put all operations under one 'operations:'; remove the '---'."
            raise source.bad(row, "a second document begins", advice)
        if line[0] == "-":
            source.note(row, "the '---' at the end, with nothing behind it, was left out")
        elif past_blanks(line, 3) < len(line) and line[past_blanks(line, 3)] != "#":
            raise source.bad(row, "text stands behind '...'", "Remove it.")
        ended, row = True, after
    if row < source.count:
        where = "behind the end of the document" if ended else "where nothing is open at its indentation"
        raise source.bad(row, f"this line stands {where}", "Indent it as what it belongs to, or remove it.")


# ── collections ──────────────────────────────────────────────────────────────────────────────────


def _node(source: Source, row: int, start: int, indent: int) -> tuple[Node, int]:
    """The node at (row, start) within a collection at column `indent`, and the row behind it."""
    line = source.lines[row]
    if is_dash(line, start):
        _check_tabs(source, row, start)
        return _sequence(source, row, start, False)
    if everyday_key(line, start) or _key(source, row, start):
        _check_tabs(source, row, start)
        return _mapping(source, row, start)
    if line[start] == "?" and line[start + 1 : start + 2] in ("", " ", "\t"):
        raise _no_key(source, row, start)
    return inline(source, row, start, indent, False)


def _check_tabs(source: Source, row: int, start: int) -> None:
    if "\t" in source.lines[row][:start]:
        raise source.bad(row, "a tab stands in the indentation", "Use spaces for the indentation of YAML.")


def _enter(source: Source, row: int, column: int) -> int:
    """Open a collection; its depth."""
    if len(source.columns) >= DEEPEST:
        raise source.bad(row, f"collections are nested deeper than {DEEPEST}", "Nest less, or quote the text.")
    source.columns.append(column)
    return len(source.columns)


def _mapping(source: Source, row: int, column: int) -> tuple[Mapping, int]:
    depth = _enter(source, row, column)
    line = source.first + row
    items: list[tuple[str, int, Node]] = []
    seen: dict[str, int] = {}
    lost = ""
    while True:
        try:
            key, node, after = _pair(source, row, column)
        except Bad as bad:
            if depth > 1:
                raise
            row = _recover_root(source, bad, column)
        else:
            at = source.first + row
            if key not in seen:
                items.append((key, at, node))
                seen[key] = at
            elif not lost or key == lost:
                # One lost dash repeats every key of an operation: only the first of them is told.
                lost = key
                source.problems.append(_duplicate(key, seen[key], at))
            row = after
        if source.column != column:
            break
    source.columns.pop()
    return Mapping(tuple(items), line), row


def _duplicate(key: str, before: int, line: int) -> Problem:
    detail = f"the key {key!r} of line {before} stands again in line {line}"
    advice = f"Give each mapping each key once. Is a '-' missing before line {line}?"
    return Problem("bad_patch", detail, patch_line=line, advice=advice)


def _pair(source: Source, row: int, column: int) -> tuple[str, Node, int]:
    """The key at (row, column), its value, and the row behind them."""
    line = source.lines[row]
    found = everyday_key(line, column) or _key(source, row, column)
    if not found:
        raise _no_key(source, row, column)
    key, end = found
    node, after = _value(source, row, end, column)
    if source.column > column:
        detail = f"this line is indented by {spaces(source.column)}; the keys here by {spaces(column)}"
        advice = (
            f"Indent it by {spaces(column)}; if it belongs to the text of line {source.first + row}, use '|-' there."
        )
        raise source.bad(after, detail, advice)
    return key, node, after


def _key(source: Source, row: int, start: int) -> tuple[str, int] | None:
    """The key that stands at this place, if one does, and the offset behind its colon."""
    line = source.lines[row]
    lead = line[start]
    if lead in "\"'":
        text, at, end = quoted(source, row, start, -2)
        end = past_blanks(line, end) if at == row else len(line)
        return (text, end + 1) if line[end : end + 1] == ":" and line[end + 1 : end + 2] in ("", " ", "\t") else None
    colon = pattern("colon").search(line, start)
    if not colon or lead in SPECIAL or (lead in "-?:" and line[start + 1 : start + 2] in ("", " ", "\t")):
        return None
    text = line[start : colon.start()]
    return None if " #" in text or "\t#" in text else (text.rstrip(" \t"), colon.end())


def _no_key(source: Source, row: int, start: int) -> Bad:
    """What to say of a line that should begin with a key."""
    text = source.lines[row][start:]
    if text[:1] == "?" and text[1:2] in ("", " ", "\t"):
        return source.bad(row, "a complex key ('? ') cannot be used here", "Write 'key: value'.")
    if is_dash(text, 0):
        return source.bad(
            row, "an item ('-') stands where a key belongs", "Indent it under its key, as the other items."
        )
    if ":" in text.split(" ")[0][1:]:
        return source.bad(row, "a space is missing behind the colon of a key", "Write 'key: value'.")
    shown = text if len(text) <= 40 else text[:39] + "…"
    advice = "Write 'key: value'; lines of a text stand under '|-', deeper than their key."
    return source.bad(row, f"{shown!r} is no 'key: value' line", advice)


def _value(source: Source, row: int, end: int, column: int) -> tuple[Node, int]:
    """What stands behind a key's colon or in the lines below it."""
    line = source.lines[row]
    rest = line[end:]
    if rest in HEADERS:
        return block(source, row, rest, column)
    if rest[:1] in (" ", "\t"):
        end = past_blanks(line, end)
        rest = line[end:]
    if rest and rest[0] != "#":
        if rest[0] not in _LEADS and ":" not in rest and "#" not in rest and rest[-1] not in " \t":
            # Most values: a plain text that no rule but that of further lines could apply to.
            after = skip(source, row + 1)
            if source.column <= column:
                return Scalar(rest, source.first + row, "plain"), after
        return inline(source, row, end, column, True)
    after = skip(source, row + 1)
    if source.column == column and is_dash(source.lines[after], column):
        return _sequence(source, after, column, True)
    return _below(source, row, after, column)


def _below(source: Source, row: int, after: int, column: int) -> tuple[Node, int]:
    """The node of a key or dash with nothing behind it on its line."""
    if source.column > column:
        return _node(source, after, source.column, column)
    if source.column == column and pattern("header").match(source.lines[after], column):
        return inline(source, after, column, column, False)
    return Scalar("", source.first + row, "empty"), after


def _sequence(source: Source, row: int, column: int, at_key: bool) -> tuple[Sequence, int]:
    """The items at this column; `at_key`: that is also the column of the sequence's key."""
    depth = _enter(source, row, column)
    source.dashes.append(column)
    dashes = len(source.dashes)
    line = source.first + row
    items, row = everyday_items(source, row, column)
    more = True
    while more:
        known = len(source.problems)
        try:
            node, row = _item(source, row, column)
            more = _goes_on(source, row, column, at_key)
        except Bad as bad:
            source.problems.append(bad.problem)
            del source.columns[depth:], source.dashes[dashes:]
            row = _next_item(source, bad.resume)
            more = source.column == column and is_dash(source.lines[row], column)
        else:
            if len(source.problems) == known:
                items.append(node)
    source.columns.pop()
    source.dashes.pop()
    return Sequence(tuple(items), line), row


def _item(source: Source, row: int, column: int) -> tuple[Node, int]:
    line = source.lines[row]
    if line[column : column + 2] == "- " and (made := everyday_mapping(source, row, column + 2)):
        return made
    start = past_blanks(line, column + 1)
    if start < len(line) and line[start] != "#":
        return _node(source, row, start, column)
    return _below(source, row, skip(source, row + 1), column)


def _goes_on(source: Source, row: int, column: int, at_key: bool) -> bool:
    """Whether another item follows; refuses a line that fits nothing."""
    found = source.column
    if found == column and is_dash(source.lines[row], column):
        return True
    if found < 0 or (found == column and at_key) or (found < column and found in source.columns):
        return False
    advice = f"Begin a new item with '-' behind {spaces(column)}, or indent the line as what it belongs to."
    raise source.bad(row, f"this line is indented by {spaces(found)} and belongs to nothing", advice)


# ── recovery ─────────────────────────────────────────────────────────────────────────────────────


def _next_item(source: Source, row: int) -> int:
    """The next row where an item of an open sequence begins; else where the root's next key may; else the end."""
    for at in range(row, source.count):
        line = source.lines[at]
        column = len(line) - len(line.lstrip(" "))
        if is_dash(line, column) and column in source.dashes:
            source.column = column
            return at
        if column == 0 and is_marker(line):
            source.column = -1
            return at
    return _next_key(source, row)


def _next_key(source: Source, row: int) -> int:
    """The next row where a key of the root may stand, if that is a mapping; else the end."""
    column = source.columns[0]
    pad = " " * column
    # A sequence at the root's column is the root itself, or stands at the column of a key of the root.
    if source.dashes[:1] != [column] or source.columns[1:2] == [column]:
        for at in range(row, source.count):
            line = source.lines[at]
            if line.startswith(pad) and everyday_key(line, column):
                source.column = column
                return at
            if is_marker(line):
                source.column = -1
                return at
    source.column = -1
    return source.count


def _recover_root(source: Source, bad: Bad, column: int) -> int:
    """Go on at the root's next key."""
    source.problems.append(bad.problem)
    del source.columns[1:], source.dashes[:]
    source.column = column
    return _next_key(source, bad.resume)

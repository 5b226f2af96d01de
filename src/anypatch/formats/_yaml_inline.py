"""What may stand behind a key or a dash on its line: any scalar or flow collection, and the leniencies between them."""

from __future__ import annotations

from ._yaml_nodes import Bad, Node, Scalar, Source, looks_structural, past_blanks, pattern, skip
from ._yaml_scalars import SPECIAL, block, plain, quoted

_MOST_WASTED = 1 << 20


def inline(source: Source, row: int, start: int, indent: int, of_key: bool) -> tuple[Node, int]:
    """The scalar or flow collection at (row, start); `of_key`: its key stands on the same line."""
    sign = source.lines[row][start]
    if sign in SPECIAL:
        if sign in "\"'":
            return _quoted(source, row, start, indent, of_key)
        if sign in "[{":
            return _flow(source, row, start, indent, of_key)
        if sign in "|>" and (header := pattern("header").match(source.lines[row], start)):
            return block(source, row, sign + header[1], indent)
        if sign in "&*!" and (bad := _properties(source, row, start)):
            raise bad
    return plain(source, row, start, indent, of_key)


def _quoted(source: Source, row: int, start: int, indent: int, of_key: bool) -> tuple[Scalar, int]:
    text, at, end = quoted(source, row, start, indent)
    if _ends(source, at, end):
        return Scalar(text, source.first + row, "quoted"), skip(source, at + 1)
    if at > row or not of_key:
        detail = f"more text follows the closing quote (it opens in line {source.first + row})"
        raise source.bad(at, detail)
    return _as_text(source, row, start, indent, "more text follows the closing quote")


def _ends(source: Source, row: int, end: int) -> bool:
    """Whether nothing but a comment follows on the line."""
    line = source.lines[row]
    end = past_blanks(line, end)
    return end == len(line) or line[end] == "#"


def _flow(source: Source, row: int, start: int, indent: int, of_key: bool) -> tuple[Node, int]:
    """A flow collection; or, behind a key, the text of the line where it is none and the document goes on below."""
    # Readings in vain may cost no more than the reading itself: past a limit, a collection must end on its line.
    source.reach = source.count if source.wasted < _MOST_WASTED else row + 1
    try:
        from ._yaml_flow import flow

        node, at, end = flow(source, row, start)
        if _ends(source, at, end):
            return node, skip(source, at + 1)
        raise source.bad(at, f"more text follows the bracket that closes the one of line {source.first + row}")
    except Bad as bad:
        source.wasted += sum(map(len, source.lines[row : bad.reached + 1]))
        bad.resume = row + 1  # whatever was swallowed is read again
        after = skip(source, row + 1)
        alone = source.column < 0 or (source.column <= indent and looks_structural(source.lines[after]))
        if bad.final or not of_key or not alone:
            raise
    return _as_text(source, row, start, indent, "the brackets hold no YAML collection")


def _as_text(source: Source, row: int, start: int, indent: int, why: str) -> tuple[Scalar, int]:
    """The rest of the line as it stands."""
    text = source.lines[row][start:].rstrip(" \t")
    if " #" in text or "\t#" in text:
        raise source.bad(row, f"{why}, and ' #' may or may not begin a comment")
    after = skip(source, row + 1)
    if source.column > indent:
        raise source.bad(after, f"this line would go on with the text of line {source.first + row}, but {why} there")
    source.note(row, f"{why}; the whole line was read as plain text")
    return Scalar(text, source.first + row, "plain"), after


def _properties(source: Source, row: int, start: int) -> Bad | None:
    from ._yaml_flow import properties

    return properties(source, row, start, "alias")

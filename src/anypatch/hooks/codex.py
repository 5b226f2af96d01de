"""The rule by which Codex applies `*** Begin Patch`, as its own source has it. Pure.

Each chunk is looked for below the one before it, first to the letter, then without white space at line ends, then
without any at both ends, then with plain quotes and dashes; the first place is taken, whatever else fits.
"""

from __future__ import annotations

from ..record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_PLAIN = str.maketrans(
    {**dict.fromkeys("‐‑‒–—―−", "-"), **dict.fromkeys("‘’‚‛", "'"), **dict.fromkeys("“”„‟", '"')}
    | dict.fromkeys("\u00a0\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000", " ")
)
_RULES = (str, str.rstrip, str.strip, lambda line: line.strip().translate(_PLAIN))
_ADD, _DELETE, _UPDATE, _MOVE = "*** Add File: ", "*** Delete File: ", "*** Update File: ", "*** Move to: "


class _Chunk(NamedTuple):
    context: str
    old: list[str]
    new: list[str]
    at_end: bool


def applied(patch: str, files: Mapping[str, str]) -> dict[str, str] | None:
    """The files after a patch; None where Codex would refuse it."""
    lines = [line.removesuffix("\r") for line in patch.strip().split("\n")]
    if lines[0].strip() != "*** Begin Patch" or lines[-1].strip() != "*** End Patch":
        return None
    after, row = dict(files), 1
    while row < len(lines) - 1:
        head, row = lines[row].strip(), row + 1
        if head.startswith(_ADD):
            added = []
            while row < len(lines) - 1 and lines[row].startswith("+"):
                added.append(lines[row][1:] + "\n")
                row += 1
            after[head.removeprefix(_ADD)] = "".join(added)
        elif head.startswith(_DELETE):
            if after.pop(head.removeprefix(_DELETE), None) is None:
                return None
        elif head.startswith(_UPDATE):
            path = to = head.removeprefix(_UPDATE)
            if lines[row].startswith(_MOVE):
                to, row = lines[row].removeprefix(_MOVE).strip(), row + 1
            chunks, row = _chunks(lines, row)
            text = _updated(after.pop(path), chunks) if chunks and path in after else None
            if text is None:
                return None
            after[to] = text
        else:
            return None
    return after


def _chunks(lines: list[str], row: int) -> tuple[list[_Chunk], int]:
    """The chunks of an update, none where one can't be read, and the row behind them."""
    found: list[_Chunk] = []
    while row < len(lines) - 1 and not lines[row].startswith("*"):
        if not lines[row].strip():
            row += 1
            continue
        context, old, new, at_end = "", [], [], False
        if lines[row].rstrip() == "@@" or lines[row].startswith("@@ "):
            context, row = lines[row][3:], row + 1
        elif found:
            return [], row
        begin = row
        while row < len(lines) - 1 and not at_end:
            line = lines[row]
            if line == "*** End of File" and row > begin:
                at_end = True
            elif not line or line[0] in " -+":
                sign, text = (line[0], line[1:]) if line else (" ", "")
                old += [text] if sign != "+" else []
                new += [text] if sign != "-" else []
            elif row == begin:
                return [], row
            else:
                break
            row += 1
        if row == begin:
            return [], row
        found.append(_Chunk(context, old, new, at_end))
    return found, row


def _updated(text: str, chunks: list[_Chunk]) -> str | None:
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    places: list[tuple[int, int, list[str]]] = []
    begin = 0
    for context, old, new, at_end in chunks:
        if context:
            at = _sought(lines, [context], begin, False)
            if at is None:
                return None
            begin = at + 1
        if not old:
            places.append((len(lines), 0, new))
            continue
        at = _sought(lines, old, begin, at_end)
        if at is None and old[-1] == "":
            old, new = old[:-1], new[:-1] if new and new[-1] == "" else new  # noqa: PLW2901
            at = _sought(lines, old, begin, at_end)
        if at is None:
            return None
        places.append((at, len(old), new))
        begin = at + len(old)
    for at, count, new in sorted(places, key=lambda place: place[0], reverse=True):
        lines[at : at + count] = new
    return "\n".join(lines if lines and lines[-1] == "" else [*lines, ""])


def _sought(lines: list[str], wanted: list[str], begin: int, at_end: bool) -> int | None:
    if not wanted:
        return begin
    first = len(lines) - len(wanted) if at_end and len(lines) >= len(wanted) else begin
    for rule in _RULES:
        asked = [rule(line) for line in wanted]
        for at in range(first, len(lines) - len(wanted) + 1):
            if [rule(line) for line in lines[at : at + len(wanted)]] == asked:
                return at
    return None

"""The rule by which Codex applies `*** Begin Patch`, as its own source has it. Pure.

Each chunk is looked for below the one before it, first to the letter, then without white space at line ends, then
without any at both ends, then with plain quotes and dashes; the first place is taken, whatever else fits. Lines that
are kept stay as the file has them. The program itself is compared in tests/clients.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..record import NamedTuple

_PLAIN = str.maketrans(
    {**dict.fromkeys("‐‑‒–—―−", "-"), **dict.fromkeys("‘’‚‛", "'"), **dict.fromkeys("“”„‟", '"')}
    | dict.fromkeys("\u00a0\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000", " ")
)
_RULES = (str, str.rstrip, str.strip, lambda line: line.strip().translate(_PLAIN))
_ADD, _DELETE, _UPDATE, _MOVE = "*** Add File: ", "*** Delete File: ", "*** Update File: ", "*** Move to: "


class _Chunk(NamedTuple):
    context: str
    lines: list[tuple[str, str]]
    at_end: bool

    @property
    def old(self) -> list[str]:
        """The lines that are looked for."""
        return [text for sign, text in self.lines if sign != "+"]


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
        context, tagged, at_end = "", [], False
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
                tagged.append((line[0], line[1:]) if line else (" ", ""))
            elif row == begin:
                return [], row
            else:
                break
            row += 1
        if row == begin:
            return [], row
        found.append(_Chunk(context, tagged, at_end))
    return found, row


def _updated(text: str, chunks: list[_Chunk]) -> str | None:
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    places: list[tuple[int, int, list[str]]] = []
    begin = 0
    for chunk in chunks:
        if chunk.context:
            at = _sought(lines, [chunk.context], begin, False)
            if at is None:
                return None
            begin = at + 1
        if not chunk.old:
            places.append((len(lines), 0, [text for _, text in chunk.lines]))
            continue
        at = _sought(lines, chunk.old, begin, chunk.at_end)
        if at is None and chunk.old[-1] == "":
            chunk = chunk._replace(lines=_without_last(chunk.lines))  # noqa: PLW2901
            at = _sought(lines, chunk.old, begin, chunk.at_end)
        if at is None:
            return None
        places.append((at, len(chunk.old), _new(lines, at, chunk.lines)))
        begin = at + len(chunk.old)
    for at, count, new in sorted(places, key=lambda place: place[0], reverse=True):
        lines[at : at + count] = new
    return "\n".join(lines if lines and lines[-1] == "" else [*lines, ""])


def _without_last(tagged: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """The lines of a chunk without the blank one that its old, and if need be its new lines end with."""
    last = max(row for row, (sign, _) in enumerate(tagged) if sign != "+")
    gone = {last} if tagged[last][0] == " " else {last, *([len(tagged) - 1] if tagged[-1] == ("+", "") else [])}
    return [one for row, one in enumerate(tagged) if row not in gone]


def _new(lines: list[str], at: int, tagged: list[tuple[str, str]]) -> list[str]:
    """What comes in the place of a chunk's old lines: what is kept, as the file has it."""
    new = []
    for sign, text in tagged:
        if sign == "+":
            new.append(text)
            continue
        new += [lines[at]] if sign == " " else []
        at += 1
    return new


def _sought(lines: list[str], wanted: list[str], begin: int, at_end: bool) -> int | None:
    if not wanted:
        return begin
    first = len(lines) - len(wanted) if at_end and len(lines) >= len(wanted) else begin
    for rule in _RULES:
        asked, there = [rule(line) for line in wanted], [rule(line) for line in lines]
        for at in range(first, len(lines) - len(wanted) + 1):
            if there[at : at + len(wanted)] == asked:
                return at
    return None

"""Writes CHUNK YAML: markers that grow until they stand in one place only. Touches no file."""

from __future__ import annotations

from ..diff import opcodes
from ..model import FileChange
from ..text import BLANK, decode, indent_of, majority
from ._chunk_choose import Said, chosen, doubles
from ._say import Piece, check_sayable, lines_of, pieces, refuse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

_NAME = "chunk"


def document(changes: tuple[FileChange, ...], wide: Collection[str] = ()) -> str:
    """The changes as one document."""
    parts = ["operations:"]
    for change in changes:
        check_sayable(change, _NAME)
        parts += _change(change, change.path in wide)
    return "\n".join(parts) + "\n" if changes else "operations: []\n"


def _change(change: FileChange, wide: bool) -> list[str]:
    if change.after is None:
        return _operation(change.path, Said("delete_file", [], [], [], []))
    if change.before is not None:
        found = pieces(change)
        # A CR at a line's end would be read as part of its line end.
        loose = found is None or any(line.endswith("\r") for piece in found for line in piece.new)
        made = None if found is None or loose else _edits(change, found, wide)
        if made is not None:
            return made
    return _whole(change)


def _whole(change: FileChange) -> list[str]:
    assert change.after is not None
    text = decode(change.after.data)
    if text and not text.endswith("\n"):
        raise refuse(change, _NAME, "a new text without a final line end")
    return _operation(change.path, Said("create_file", [], text.split("\n")[:-1], [], []))


def _edits(change: FileChange, found: list[Piece], wide: bool) -> list[str] | None:
    """The plainest operations; one for each piece that repeats its neighbours where those were not enough."""
    assert change.before is not None
    before = lines_of(change.before.data)
    if wide or len(set(before.ends) - {""}) > 1:
        return _wide(change, found)
    made = chosen(change.path, before.lines, found)
    return _wide(change, found) if made is None else [line for said in made for line in _operation(change.path, said)]


def _wide(change: FileChange, found: list[Piece]) -> list[str] | None:
    """One operation for each piece, last first, so that the lines above are still as they were.

    None where a piece has no marker of its own, or where the lines that a marker repeats would get other line ends.
    """
    assert change.before is not None and change.after is not None
    before, after = lines_of(change.before.data), lines_of(change.after.data)
    lines, ends, eol = before.lines, list(before.ends), majority(before.ends)
    made: list[str] = []
    for piece in reversed(found):
        grown = piece
        twice = piece.start == piece.end and doubles(lines, piece) and any(map(str.strip, lines))
        if piece.start == piece.end == len(lines) and not twice:
            made += _operation(change.path, Said("append_text", [], piece.new, [], []))
        elif piece.end == 0 and not twice:
            made += _operation(change.path, Said("prepend_text", [], piece.new, [], []))
        else:
            wider = _grown(piece, lines)
            if wider is None:
                return None
            grown = wider
            if any(line.endswith("\r") for line in grown.new):
                return None
            marker = lines[grown.start : grown.end]
            made += _operation(change.path, Said("replace_text", marker, grown.new, [], []))
        ends[grown.start : grown.end] = _new_ends(grown, lines, ends, eol)
        lines[grown.start : grown.end] = grown.new
    # Only the last line may lack its line end; the file keeps that.
    kept = [end or eol for end in ends[:-1]] == [end or eol for end in after.ends[:-1]]
    return made if kept else None


def _new_ends(piece: Piece, lines: list[str], ends: list[str], eol: str) -> list[str]:
    """The line ends of a piece's new lines: those that come again keep their own, others get the file's usual one."""
    found = [eol] * len(piece.new)
    old = new = 0
    size = piece.end - piece.start
    for start, end, _, new_end in [*opcodes(lines[piece.start : piece.end], piece.new), (size, size, 0, 0)]:
        for offset in range(start - old):
            found[new + offset] = ends[piece.start + old + offset] or eol
        old, new = end, new_end
    return found


def _grown(piece: Piece, lines: list[str]) -> Piece | None:
    """The piece with as many neighbours as make it begin and end in a line of text and stand in one place only."""
    start, end, new = piece
    step = 1
    while True:
        start, end, new = _to_text(start, end, list(new), lines)
        if start < 0:
            return None
        if _unique(lines, start, end):
            return Piece(start, end, new)
        if start == 0 and end == len(lines):
            return None
        above, below = max(start - step, 0), min(end + step, len(lines))
        start, end, new = above, below, [*lines[above:start], *new, *lines[end:below]]
        step *= 2


def _to_text(start: int, end: int, new: list[str], lines: list[str]) -> tuple[int, int, list[str]]:
    """Grow until both edges are lines of text; start -1 where there is no such line."""
    while start == end or not lines[start].strip(BLANK):
        if start == 0:
            if start == end and end < len(lines):
                end, new = end + 1, [*new, lines[end]]
                continue
            return -1, end, new
        start, new = start - 1, [lines[start - 1], *new]
    while not lines[end - 1].strip(BLANK):
        if end == len(lines):
            return -1, end, new
        end, new = end + 1, [*new, lines[end]]
    return start, end, new


def _unique(lines: list[str], start: int, end: int) -> bool:
    """Whether the run stands once, indentation and blank lines not counted."""
    whole = "\n".join(["", *(bare for line in lines if (bare := line.strip(BLANK))), ""])
    run = "\n".join(["", *(bare for line in lines[start:end] if (bare := line.strip(BLANK))), ""])
    return whole.find(run, whole.find(run) + 1) < 0


# ── YAML ─────────────────────────────────────────────────────────────────────────────────────────


def _operation(path: str, said: Said) -> list[str]:
    made = [path_field(path), f"    op: {said.op}"]
    for key, lines in (("before", _dedented(said.before)), ("marker", said.marker), ("after", _dedented(said.after))):
        made += field(key, lines) if lines else []
    if said.op not in ("delete_text", "delete_file"):
        # Blank lines at the end of a document are easily lost: such a payload goes ahead.
        ahead = bool(said.payload) and not said.payload[-1]
        made[1 if ahead else len(made) :] = [*field("payload", said.payload), *(made[1:] if ahead else ())]
    if said.marker and said.payload and not said.aligned:
        made += ["    options:", "      indent: none"]
    return made


def _dedented(lines: list[str]) -> list[str]:
    """Lines without the indentation they share; it doesn't count."""
    depth = min((len(indent_of(line)) for line in lines), default=0)
    return [line[depth:] for line in lines]


def path_field(path: str) -> str:
    """The line that begins an operation."""
    return f"  - path: {_quoted(path) if _needs_quotes(path) else path}"


def field(key: str, lines: list[str]) -> list[str]:
    """A field as a block scalar, or quoted where a block scalar would not give the very text back."""
    if not lines:
        return [f'    {key}: ""']
    plain = all(line.isprintable() or ("\t" in line and line.replace("\t", "").isprintable()) for line in lines)
    first = next((line for line in lines if line), "")
    if not plain or not first.strip() or (lines[-1] and not lines[-1].strip()):
        return [f"    {key}: {_quoted(chr(10).join([*lines, '']))}"]
    mark = "|" + "2" * (first[:1] in (" ", "\t")) + ("-" if lines[-1] else "+")
    return [f"    {key}: {mark}", *("      " + line if line else "" for line in lines)]


def _needs_quotes(text: str) -> bool:
    safe = text.replace("/", "").replace("_", "").replace(".", "").replace("-", "")
    return not (safe.isascii() and safe.isalnum() and text[0].isalnum())


def _quoted(text: str) -> str:
    """A double-quoted scalar."""
    named = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}
    return (
        '"'
        + "".join(named.get(char) or (char if char.isprintable() or _is_byte(char) else _escape(char)) for char in text)
        + '"'
    )


def _is_byte(char: str) -> bool:
    """Whether the character stands for a byte that is no UTF-8; there is no escape for those."""
    return "\ud800" <= char <= "\udfff"


def _escape(char: str) -> str:
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"

"""One edit of a symbol out of its JSON object: the shape is checked here, all of it, before anything is looked for."""

from __future__ import annotations

from ..errors import Problem
from ..model import Chunk, Inside
from ._json_find import plain
from ._json_read import Fields

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._json_read import Value

DEEDS = ("replace", "insert_before", "insert_after", "delete", "rename")
_PATHS = ("relativepath", "path", "filepath", "file")
_NAMES = ("namepath", "symbol")
_TEXTS = ("text", "newlines", "body", "content")
_NEW_NAMES = ("newname", "to")
_PARTS = ("context_before", "old_lines", "new_lines", "context_after")


def is_edit(keys: set[str]) -> bool:
    """Whether plain keys are those of an edit of a symbol."""
    located = not keys.isdisjoint(_PATHS)
    named = not keys.isdisjoint(_NAMES) or {"line", "column"} <= keys
    return located and ("chunks" in keys or (named and "op" in keys))


def understood(fields: Fields, problems: list[Problem]) -> tuple[str, Inside] | None:
    """The path and what is to be done there; None with the problems added."""
    values = {plain(key): value for key, value in fields.values.items()}
    wrong = _Wrong(problems, fields.line)
    path = next((values[key] for key in _PATHS if key in values), None)
    if not isinstance(path, str) or not path:
        wrong("relative_path must be the path of a file")
    name = next((values[key] for key in _NAMES if key in values), "")
    if not isinstance(name, str):
        wrong("name_path must be a text")
    at = _position(values, wrong)
    if not name and at is None:
        wrong("the edit doesn't say which symbol: give name_path, or line and column")
    expected = values.get("expectedhash") or ""
    if not isinstance(expected, str):
        wrong("expected_hash must be a text")
    deed = _deed(values, wrong)
    chunks = _chunks(values.get("chunks"), fields, problems) if deed == "chunks" else ()
    keys = _NEW_NAMES if deed == "rename" else _TEXTS
    said = next((values[key] for key in keys if key in values), None)
    text = _text(said, wrong, deed)
    if wrong.any or chunks is None or not isinstance(path, str):
        return None
    return path, Inside(
        str(name), at, deed, chunks, text, bool(values.get("withlead")), str(expected), fields.line
    )  # fmt: skip


class _Wrong:
    """Adds problems of one object."""

    def __init__(self, problems: list[Problem], line: int) -> None:
        self.problems, self.line, self.any = problems, line, False

    def __call__(self, detail: str) -> None:
        self.any = True
        self.problems.append(Problem("bad_patch", detail, patch_line=self.line))


def _position(values: dict[str, Value], wrong: _Wrong) -> tuple[int, int] | None:
    line, column = values.get("line"), values.get("column")
    if line is None and column is None:
        return None
    for said in (line, column):
        if isinstance(said, bool) or not isinstance(said, int | float) or said != int(said) or said < 0:
            wrong("line and column must both be whole numbers, counted from 0")
            return None
    assert isinstance(line, int | float) and isinstance(column, int | float)
    return int(line), int(column)


def _deed(values: dict[str, Value], wrong: _Wrong) -> str:
    said = values.get("op")
    if "chunks" in values:
        if said not in (None, "chunks"):
            wrong("an edit has chunks or an op, not both")
        return "chunks"
    if said not in DEEDS:
        wrong(f"op must be one of {', '.join(DEEDS)}")
    return str(said)


def _text(said: Value, wrong: _Wrong, deed: str) -> tuple[str, ...]:
    """The lines of a whole symbol; a line end at the end of a text is that of its last line."""
    if deed in ("chunks", "delete"):
        return ()
    if isinstance(said, str) and said.strip():
        return (said,)
    if deed == "rename":
        wrong("`rename` needs the new name: new_name")
        return ()
    lines = _lines(said)
    if not lines or isinstance(said, str):
        wrong(f"`{deed}` needs the new text: a text or a list of lines")
        return ()
    return lines


def _chunks(said: Value, fields: Fields, problems: list[Problem]) -> tuple[Chunk, ...] | None:
    if not isinstance(said, list) or not said:
        problems.append(Problem("bad_patch", "chunks must be a list with at least one chunk", patch_line=fields.line))
        return None
    made = [_chunk(number, one, fields.line, problems) for number, one in enumerate(said, 1)]
    return tuple(chunk for chunk in made if chunk is not None) if None not in made else None


def _chunk(number: int, said: Value, line: int, problems: list[Problem]) -> Chunk | None:
    if not isinstance(said, Fields):
        problems.append(Problem("bad_patch", f"chunk {number} must be an object", patch_line=line))
        return None
    values = {plain(key): value for key, value in said.values.items()}
    wrong = _Wrong(problems, said.line)
    missing = [key for key in _PARTS if values.get(plain(key)) is None]
    if missing:
        wrong(f"chunk {number} lacks {', '.join(missing)}")
        return None
    parts = {key: _lines(values[plain(key)]) for key in _PARTS}
    for key, lines in parts.items():
        if lines is None:
            wrong(f"{key} of chunk {number} must be a text or a list of texts")
    old, new = parts["old_lines"], parts["new_lines"]
    if old is None or new is None or wrong.any:
        return None
    if not old and not new:
        wrong(f"chunk {number} has neither old_lines nor new_lines: it changes nothing")
        return None
    before, after = (None if values[plain(key)] == "" else parts[key] for key in ("context_before", "context_after"))
    return Chunk(before, old, new, after, said.line)


def _lines(said: Value) -> tuple[str, ...] | None:
    """A text is one line; None for anything else but a list of texts."""
    if isinstance(said, str):
        return (said,)
    if isinstance(said, list) and all(isinstance(line, str) for line in said):
        return tuple(line for line in said if isinstance(line, str))
    return None

"""Renames a symbol everywhere: a language server says where, our own commit does it. All or nothing, undoable.

The server's answer becomes a WorkspaceEdit with the hash of every file in it. A file that changed since the server
began to read is refused: what stands there may not be what the server saw.
"""

from __future__ import annotations

import os
import re

from ..model import Edit, Note, Patch, Plan, Report, Span, Spans
from ..parsing.uris import inside, path_of, uri_of
from ..problems import Problem, Refused
from ..record import NamedTuple
from ..symbols import find
from ..syntax.languages import grammar_of
from ..text import BOM, Text, decode, looks_binary
from .client import characters
from .symbols import Servers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..storage.state import Settings


def rename(  # noqa: PLR0913 - as for apply
    root: str | os.PathLike[str],
    path: str,
    name_path: str,
    new: str,
    *,
    seconds: float = 0,
    dry_run: bool = False,
    settings: Settings | None = None,
) -> Report:
    """Give a symbol of `path` (relative to the root) another name, there and wherever it is used.

    `seconds`: how long the server may take for each answer; 0: as the table of servers says.
    """
    from ..api import apply

    top = os.fspath(root)
    try:
        made = edit_for(top, path, new, name_path=name_path, seconds=seconds)
    except Refused as refused:
        return Report(False, Plan(Patch("")), tuple(refused.problems))
    report = apply(made.patch, root, format="workspace-edit", dry_run=dry_run, syntax="refuse", settings=settings)
    return report._replace(notes=report.notes + made.notes)


class Renamed(NamedTuple):
    """A rename as a patch, and what to know of it."""

    patch: str
    notes: tuple[Note, ...]


def edit_for(
    root: str, path: str, new: str, *, name_path: str = "", at: tuple[int, int] | None = None, seconds: float = 0
) -> Renamed:
    """The rename as a WorkspaceEdit; Refused where there is no such symbol, no server, or no edit."""
    place = inside(os.path.normpath(os.path.join(root, path)), (os.path.normpath(root),))
    data = _read(root, place)
    text = decode(data)
    symbol = find(text, path=place, name_path=name_path or None, at=at)
    if not re.fullmatch(r"[#@$]?[^\W\d][\w$]*[?!]?", new):  # servers take any text for a name
        raise Refused(Problem("bad_call", f"{new!r} is no name", advice="Give one word, without its path."))
    if symbol.name == new:
        raise Refused(Problem("not_renamed", f"`{symbol.name_path}` has that name already", place))
    with Servers(root, seconds) as servers:
        answer = servers.rename(place, text.removeprefix(BOM), symbol.name_pos, new)
        session = servers.session(grammar_of(place))
        began = session.began if session else 0.0
    seen = Seen(root, place, data, symbol.name, began)
    return _checked(seen, answer.value, answer.unit)


class Seen(NamedTuple):
    """What the server was asked about: a file as it was sent, the old name, and when the server began to read."""

    root: str
    path: str
    data: bytes
    name: str
    began: float


def _read(root: str, path: str) -> bytes:
    try:
        with open(os.path.join(root, path), "rb") as file:
            data = file.read()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise Refused(Problem("unreadable", f"{path} cannot be read: {reason}", path)) from None
    if looks_binary(data):
        raise Refused(Problem("not_text", f"{path} looks like binary data", path))
    return data


# ── the server's answer ──────────────────────────────────────────────────────────────────────────


def _checked(seen: Seen, value: Any, unit: str) -> Renamed:
    """The answer as a patch: each file as the server saw it, each range over the old name."""
    import json

    from ..formats import named

    edit = value if isinstance(value, dict) else {}
    if not edit.get("changes") and not edit.get("documentChanges"):
        raise Refused(Problem("not_renamed", "the language server has no edit for it", seen.path))
    kept = {key: edit[key] for key in ("changes", "documentChanges", "changeAnnotations") if edit.get(key)}
    patch = named("workspace-edit").parse(json.dumps(kept | {"positionEncoding": unit}))
    if patch.problems:
        raise Refused(*(problem._replace(patch_line=0) for problem in patch.problems))
    roots = (os.path.realpath(seen.root), os.path.abspath(seen.root))
    files: dict[str, bytes] = {}
    for op in patch.ops:
        said = op.hunks[0] if isinstance(op, Edit) else None
        if not isinstance(said, Spans):
            continue
        below = inside(op.path, roots)
        if below.startswith("/"):
            raise Refused(Problem("unsafe_path", f"the server would change {below}, outside of the root", below))
        there = seen.data if below == seen.path else _unchanged(seen.root, below, seen.began)
        _check_names(below, there, said, seen.name)
        files[op.path] = there
    text = json.dumps(kept | {"positionEncoding": unit, "hashes": _hashed(kept, files)}, indent=1)
    return Renamed(text, _left(seen, {inside(path, roots) for path in files}))


def _unchanged(root: str, path: str, began: float) -> bytes:
    """A file that nobody has changed since a moment."""
    data = _read(root, path)
    if os.stat(os.path.join(root, path)).st_ctime >= began:
        raise Refused(Problem("stale", f"{path} has changed while the language server was at work", path))
    return data


def _check_names(path: str, data: bytes, said: Spans, name: str) -> None:
    """Every range that is not empty must hold the old name: else the server counts otherwise than it says."""
    lines = Text.read(data, lone_cr=True).lines
    for span in said.spans:
        if span.start != span.end and name not in _text(lines, span, said.unit):
            detail = f"the server would change line {span.start[0] + 1} of {path}, where `{name}` doesn't stand"
            raise Refused(Problem("not_renamed", detail, path, line=span.start[0] + 1))


def _text(lines: list[str], span: Span, unit: str) -> str:
    (row, column), (last, stop) = span.start, span.end
    if last >= len(lines):
        return ""
    if row == last:
        return lines[row][characters(lines[row], column, unit) : characters(lines[row], stop, unit)]
    head, tail = lines[row][characters(lines[row], column, unit) :], lines[last][: characters(lines[last], stop, unit)]
    return "\n".join([head, *lines[row + 1 : last], tail])


def _hashed(edit: dict[str, Any], files: dict[str, bytes]) -> dict[str, str]:
    """The hash of every file under the URI that the edit names it by."""
    from hashlib import sha256

    uris = list(edit.get("changes") or ())
    uris += [part["textDocument"]["uri"] for part in edit.get("documentChanges") or () if "textDocument" in part]
    found = {path_of(uri): uri for uri in uris}
    return {found.get(path, uri_of(path)): f"sha256:{sha256(data).hexdigest()}" for path, data in files.items()}


# ── what the server left ─────────────────────────────────────────────────────────────────────────

_FILES = 5_000
_SHOWN = 5


def _left(seen: Seen, changed: set[str]) -> tuple[Note, ...]:
    """Files of the same language where the old name stands and the server changes nothing: they may be meant too."""
    word = re.compile(rb"(?<!\w)" + re.escape(seen.name.encode("utf-8", "surrogateescape")) + rb"(?!\w)")
    found: list[str] = []
    for path in _sources(seen.root, grammar_of(seen.path)):
        if path not in changed:
            try:
                with open(os.path.join(seen.root, path), "rb") as file:
                    found += [path] if word.search(file.read()) else []
            except OSError:
                continue
    if not found:
        return ()
    more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    shown = ", ".join(found[:_SHOWN])
    return (Note(f"`{seen.name}` also stands in files that the language server leaves as they are: {shown}{more}"),)


def _sources(root: str, grammar: str) -> list[str]:
    """The files of a language below the root; not those in hidden folders, nor more than can be read in a moment."""
    found: list[str] = []
    for folder, below, files in os.walk(root):
        below[:] = sorted(name for name in below if name[:1] != "." and name not in ("node_modules", "venv"))
        paths = [os.path.relpath(os.path.join(folder, name), root) for name in sorted(files)]
        found += [path for path in paths if grammar_of(path) == grammar]
        if len(found) > _FILES:
            return []
    return found

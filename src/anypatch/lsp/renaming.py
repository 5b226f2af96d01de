"""Renames: a language server says what to change, our own commit changes it.

The server's edit becomes a patch with the hash of every file in it. A file that changed since the server was started
is refused: the server may have read something else.
"""

from __future__ import annotations

import json
import os
import re
from contextlib import suppress
from typing import Any, NamedTuple

from ..api import apply
from ..formats import named
from ..model import Edit, Note, Span, Spans
from ..paths import path_from_uri, relative_to_roots, uri_from_path
from ..problems import Problem, Refused, reason
from ..result import Result, no_plan
from ..storage.state import Settings
from ..storage.tree import DiskTree
from ..symbols import find
from ..syntax.languages import grammar_of
from ..text import BOM, Text, characters, decode, hash_of, looks_binary
from .servers import Servers

_NAME = re.compile(r"[#@$]?[^\W\d][\w$]*[?!]?")  # servers take any text as a name
_MAX_SEARCHED = 5_000  # files that are searched for the old name
_MAX_LISTED = 5


def rename(  # noqa: PLR0913 - as for apply
    root: str | os.PathLike[str],
    path: str,
    name_path: str,
    new: str,
    *,
    seconds: float = 0,
    dry_run: bool = False,
    settings: Settings | None = None,
) -> Result:
    """Rename a symbol of `path` (relative to the root), there and wherever it is used.

    `seconds`: how long the server may take for each answer; 0 for the server's default.
    """
    try:
        patch = plan_rename(os.fspath(root), path, new, name_path=name_path, seconds=seconds)
    except Refused as refused:
        return no_plan(*refused.problems)
    return patch.apply(dry_run=dry_run, settings=settings)


class RenamePatch(NamedTuple):
    """A rename as a WorkspaceEdit for a tree. `notes`: what the server left as it is."""

    root: str
    patch: str
    notes: tuple[Note, ...]

    def apply(self, *, dry_run: bool, settings: Settings | None) -> Result:
        """Apply it, all files or none."""
        report = apply(
            self.patch, self.root, format="workspace-edit", dry_run=dry_run, syntax="refuse", settings=settings
        )
        return report._replace(notes=report.notes + self.notes)


def plan_rename(
    root: str, path: str, new: str, *, name_path: str = "", at: tuple[int, int] | None = None, seconds: float = 0
) -> RenamePatch:
    """Ask a server for a rename. Raise Refused if there is no such symbol, no server, or no edit."""
    path = relative_to_roots(os.path.normpath(os.path.join(root, path)), (os.path.normpath(root),))
    data = _read(root, path)
    text = decode(data)
    symbol = find(text, path=path, name_path=name_path or None, at=at)
    if not _NAME.fullmatch(new):
        raise Refused(Problem("bad_call", f"{new!r} is not a name", advice="Give one identifier, without a path."))
    if symbol.name == new:
        raise Refused(Problem("not_renamed", f"`{symbol.name_path}` already has that name", path))
    with Servers(root, seconds) as servers:
        answer = servers.rename(path, text.removeprefix(BOM), symbol.name_pos, new)
        session = servers.session(grammar_of(path))
    return _check(_Request(root, path, data, symbol.name, session.began if session else 0.0), answer)


class _Request(NamedTuple):
    """The question to the server: a file as it was sent, the old name, and when the server began to read."""

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
        raise Refused(Problem("unreadable", f"{path} can't be read: {reason(error)}", path)) from None
    if looks_binary(data):
        raise Refused(Problem("not_text", f"{path} looks like binary data", path))
    return data


# ── the server's answer ──────────────────────────────────────────────────────────────────────────


def _check(request: _Request, answer: Any) -> RenamePatch:
    """Return the answer as a patch if its files are as the server read them, and each range holds the old name."""
    edit = answer if isinstance(answer, dict) else {}
    edit = {key: edit[key] for key in ("changes", "documentChanges", "changeAnnotations") if edit.get(key)}
    if not edit.keys() & {"changes", "documentChanges"}:
        raise Refused(Problem("not_renamed", "the language server returned no edit", request.path))
    patch = named("workspace-edit").parse(json.dumps(edit))
    if patch.problems:
        raise Refused(*(problem._replace(patch_line=0) for problem in patch.problems))
    roots = (os.path.realpath(request.root), os.path.abspath(request.root))
    files: dict[str, bytes] = {}
    for op in patch.ops:
        spans = op.hunks[0] if isinstance(op, Edit) else None
        if not isinstance(spans, Spans):
            continue
        path = relative_to_roots(op.path, roots)
        if path.startswith("/"):
            raise Refused(Problem("unsafe_path", f"the language server would change {path}, outside the root", path))
        files[op.path] = request.data if path == request.path else _read_unchanged(request, path)
        _check_spans(path, files[op.path], spans, request.name)
    text = json.dumps(edit | {"hashes": _hashes(edit, files)}, indent=1)
    return RenamePatch(request.root, text, _other_uses(request, {relative_to_roots(path, roots) for path in files}))


def _read_unchanged(request: _Request, path: str) -> bytes:
    """Read a file that has not changed since the server was started."""
    data = _read(request.root, path)
    if os.stat(os.path.join(request.root, path)).st_ctime >= request.began:
        raise Refused(Problem("stale", f"{path} changed while the language server was working", path))
    return data


def _check_spans(path: str, data: bytes, spans: Spans, name: str) -> None:
    """Refuse a range without the old name: the server counts lines or columns in another way than it says."""
    lines = Text.read(data, lone_cr=True).lines
    for span in spans.spans:
        if span.start != span.end and name not in _text_of(span, lines):
            line = span.start[0] + 1
            detail = f"the language server would change line {line} of {path}, where there is no `{name}`"
            raise Refused(Problem("not_renamed", detail, path, line=line))


def _text_of(span: Span, lines: list[str]) -> str:
    (first, start), (last, stop) = span.start, span.end
    if last >= len(lines):
        return ""
    text = "\n".join(lines[first : last + 1])
    return text[characters(lines[first], start) : len(text) - len(lines[last]) + characters(lines[last], stop)]


def _hashes(edit: dict[str, Any], files: dict[str, bytes]) -> dict[str, str]:
    """Return the hash of every file, by the URI that the edit gives it."""
    uris = list(edit.get("changes") or ())
    uris += [part["textDocument"]["uri"] for part in edit.get("documentChanges") or () if "textDocument" in part]
    by_path = {path_from_uri(uri): uri for uri in uris}
    return {by_path.get(path, uri_from_path(path)): hash_of(data) for path, data in files.items()}


def _other_uses(request: _Request, changed: set[str]) -> tuple[Note, ...]:
    """Note files of the same language that hold the old name and stay as they are: they may need the rename, too."""
    word = re.compile(rb"(?<!\w)" + re.escape(request.name.encode("utf-8", "surrogateescape")) + rb"(?!\w)")
    grammar = grammar_of(request.path)
    paths: list[str] = []
    with DiskTree(request.root) as tree:
        others = [path for path in tree.below("") if grammar_of(path) == grammar and path not in changed]
        for path in others[:_MAX_SEARCHED]:
            with suppress(Refused):
                file = tree.read(path)
                paths += [path] if file and word.search(file.data) else []
    if not paths:
        return ()
    more = f" and {len(paths) - _MAX_LISTED} more" if len(paths) > _MAX_LISTED else ""
    listed = ", ".join(paths[:_MAX_LISTED])
    return (Note(f"`{request.name}` is also in files that the language server doesn't change: {listed}{more}"),)

"""The front door to language servers: asks the right one, restarts one that died, falls back with a note.

with Servers("path/to/tree") as servers:
    anypatch.apply(text, "path/to/tree")     # symbols are those of trees and server together
servers.notes                                # where the trees alone were asked, and why

A rename becomes a WorkspaceEdit with the hash of every file in it. A file that changed since the server began to read
is refused: what stands there may not be what the server saw.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

from ..api import apply
from ..formats import named
from ..model import Edit, Note, Span, Spans
from ..paths import inside, path_of_uri, uri_of
from ..problems import Problem, Refused, reason
from ..result import Result, no_plan
from ..storage.state import Settings
from ..symbols import find
from ..syntax.languages import grammar_of
from ..syntax.symbols import Symbol, Symbols, numbered, second_engine
from ..text import BOM, Text, characters, decode, hash_of, indent_of, looks_binary, units
from .client import Failed, Server, Session, Wrong, installed, servers_for

T = TypeVar("T")


class Servers:
    """The language servers of one root, each started when first needed. `seconds`: for each answer; 0: the default."""

    def __init__(self, root: str = ".", seconds: float = 0) -> None:
        self.root, self.seconds = root, seconds
        self.notes: list[Note] = []
        self._sessions: dict[str, Session] = {}
        self._useless: dict[str, Failed] = {}
        self._said: dict[tuple[str, str], Symbols | None] = {}
        self._finished = False

    def __enter__(self) -> Servers:
        self._token = second_engine.set(self.symbols)
        return self

    def __exit__(self, *_: object) -> None:
        second_engine.reset(self._token)
        self.close()

    def close(self) -> None:
        """End all servers."""
        while self._sessions:
            self._sessions.popitem()[1].close()

    def finish(self) -> None:
        """End all servers and start no more; what they have answered is still known."""
        self._finished = True
        self.close()

    def session(self, grammar: str) -> Session | None:
        """The session that answers for a language, if one was started."""
        return next((self._sessions[s.name] for s in servers_for(grammar) if s.name in self._sessions), None)

    def symbols(self, path: str, text: str, known: Symbols | None) -> Symbols | None:
        """What grammar and server know together; if no server answers, what the grammar knows, and a note."""
        if not self._finished or (path, text) not in self._said:
            self._said[path, text] = self._together(path, text, known)
        return self._said[path, text]

    def _together(self, path: str, text: str, known: Symbols | None) -> Symbols | None:
        # a lone CR ends a line for a server, and is content to us; half a character can't be sent
        plain = text.replace("\r", " ").encode("utf-8", "replace").decode()
        try:
            server, answer = self._asked(path, lambda session, language: session.symbols(path, language, plain))
        except Refused as refused:
            detail = refused.problems[0].detail
            others = "only the grammar gives the symbols" if known else "nothing gives its symbols"
            note = Note(f"{detail}; {others}", path, kind="no_server")
            if all(note.text != other.text for other in self.notes):
                self.notes.append(note)
            return known
        return merged(answer, plain, known, server.name)

    def rename(self, path: str, text: str, at: tuple[int, int], new: str) -> Any:
        """The server's edit for a rename at (row, column in UTF-16 units). Raises PatchError if none answers."""
        plain = text.encode("utf-8", "replace").decode()
        return self._asked(path, lambda session, language: session.rename(path, language, plain, at, new))[1]

    def _asked(self, path: str, work: Callable[[Session, str], T]) -> tuple[Server, T]:
        """What the first server answers that can; each is started anew once, if it dies."""
        grammar = grammar_of(path)
        why, slow = "has stopped, and the file has changed since" if self._finished else "", False
        for server in installed(grammar) if grammar and not self._finished else ():
            for last in (False, True):
                if server.name in self._useless:
                    break
                try:
                    if server.name not in self._sessions:
                        self._sessions[server.name] = Session(server, self.root, self.seconds)
                    return server, work(self._sessions[server.name], server.languages[grammar])
                except Wrong as wrong:
                    raise Refused(Problem("not_renamed", f"{server.name} says: {wrong}"[:400], path)) from None
                except Failed as failed:
                    if session := self._sessions.pop(server.name, None):
                        session.close()
                    if failed.slow or last:
                        self._useless[server.name] = failed
            why, slow = f"{server.name} {self._useless[server.name]}", self._useless[server.name].slow
        raise Refused(_no_server(path, grammar, why, slow))


def _no_server(path: str, grammar: str, why: str, slow: bool) -> Problem:
    if why:
        advice, command = ("Give it more time.", "--lsp-timeout SECONDS does that.") if slow else ("", "")
        return Problem("no_server", f"the language server {why}", path, advice=advice, command=command)
    known = servers_for(grammar) if grammar else []
    name = path.rsplit("/", 1)[-1]
    if not known:
        return Problem(
            "no_server", f"no language server is known for {name}", path, advice="Edit the file by its text."
        )
    packages = " or ".join(dict.fromkeys(server.package for server in known))
    wheels = [
        server.package.removeprefix("the package ") for server in known if server.package.startswith("the package ")
    ]
    command = f"`python -m pip install {wheels[0]}` does that." if wheels else ""
    detail = f"no language server for {name} is installed"
    return Problem("no_server", detail, path, advice=f"Install {packages}.", command=command)


# ── onto our spans and names ────────────────────────────────────────────────────────────────────────


_KINDS = {
    2: "module", 3: "namespace", 4: "package", 5: "class", 6: "method", 7: "property", 8: "field", 9: "constructor",
    10: "enum", 11: "interface", 12: "function", 13: "variable", 14: "constant", 22: "member", 23: "struct",
    24: "property", 25: "method",
}  # fmt: skip
_CODE = (6, 9, 12, 25)  # methods, constructors, functions, operators: variables in them are nobody's symbols
_TYPES = (5, 10, 11, 23)
_VALUES = (7, 8, 13, 14, 15, 16, 17, 18, 19, 20, 21, 26)
_ABOVE = re.compile(r"\s*(?:@[\w.]|#\[|\[\w|template\s*<)")
_COMMENT = re.compile(r"\s*(?://|/\*|\*|#(?!\[)|--|<!--)")
_WORDS = re.compile(r"[\w\s<>,*&:.()\[\]@#=\"'-]*")


class Told(NamedTuple):
    """A symbol as a server tells it: rows and columns in UTF-16 units, `at` its identifier; those that enclose it."""

    name: str
    kind: int
    start: tuple[int, int]
    end: tuple[int, int]
    at: tuple[int, int]
    above: tuple[Told, ...]

    @property
    def last(self) -> int:
        """Its last row."""
        return self.end[0] - (self.end[1] == 0 and self.end[0] > self.start[0])


def merged(answer: object, text: str, known: Symbols | None, engine: str) -> Symbols:
    """The symbols that the trees or the server know, in the order of the text."""
    lines = text.split("\n")
    rows = {(row.row, row.column): at for at, row in enumerate(known.rows)} if known else {}
    result = list(known.rows) if known else []
    everyone = list(told(answer, lines))
    places = Counter(one.at for one in everyone)
    for one in everyone:
        at = rows.get(one.at, rows.get((one.at[0], one.at[1] + 1), -1))
        if at >= 0:
            row = result[at]
            if row.engine == "scanner":
                result[at] = row._replace(other=one.last)  # where it ends is still to be told
            else:
                result[at] = row._replace(engine=engine, other=one.last if one.last != row.last else -1)
        elif places[one.at] > 1:
            continue  # a macro makes several of one word; none of them stands in the text
        elif not (known and _is_passed_over(one, lines)) and (made := _made(one, lines, engine)) is not None:
            result.append(made)
    ordered = sorted(result, key=lambda row: (row.first, row.start, -row.last, row.row, row.column))
    if not known or len(ordered) > len(known.rows):
        ordered = numbered([row._replace(number=0, many=False) for row in ordered])
    return Symbols(ordered, bool(known and known.errors))


def _is_passed_over(one: Told, lines: Sequence[str]) -> bool:
    """Whether the trees leave it out on purpose: imported names, parts of other values, types named, not declared."""
    if one.kind in _TYPES:
        return not any("{" in line for line in lines[one.start[0] : one.last + 1])
    return one.kind in _VALUES


def told(answer: object, lines: Sequence[str]) -> Iterator[Told]:
    """All symbols of an answer, outer before inner; what has no place in the text is left out."""
    waiting: list[tuple[Any, tuple[Told, ...]]] = [(one, ()) for one in reversed(_list(answer))]
    while waiting:
        said, above = waiting.pop()
        try:
            start, end = (_place(said["range"][key], lines) for key in ("start", "end"))
            at = _place(said["selectionRange"]["start"], lines)
            one = Told(str(said["name"]), int(said["kind"]), start, end, at, above)
        except (KeyError, TypeError, ValueError, IndexError):
            continue
        yield one
        waiting += [(child, (*above, one)) for child in reversed(_list(said.get("children")))]


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _place(said: Any, lines: Sequence[str]) -> tuple[int, int]:
    row, column = int(said["line"]), int(said["character"])
    if row == len(lines) and column == 0:
        return row, 0
    return row, min(column, units(lines[row]))


def _plain(name: str) -> tuple[str, ...]:
    """A server's name for a symbol as names of ours: `over(int)`, `A<T>`, `Bar::~Bar`, `(*Foo).M`."""
    if name.startswith("operator") or "::operator" in name:
        return tuple(name.split("::"))
    bare = re.sub(r"^\(\*?([\w.]+)\)\.", r"\1.", name.strip())
    bare = re.split(r"[(<\[]", bare, maxsplit=1)[0].strip() or name.strip()
    return tuple(part for part in re.split(r"::|\.", bare) if part) or (name,)


# ── symbols that only the server knows ───────────────────────────────────────────────────────────


def _made(one: Told, lines: Sequence[str], engine: str) -> Symbol | None:
    """A row by the text around it; None for what is no symbol of ours: locals, parameters, what has no name."""
    inside_code = any(outer.kind in _CODE for outer in one.above)
    if one.kind not in _KINDS or (inside_code and one.kind in _VALUES) or one.last >= len(lines):
        return None
    row, column = one.at
    name = _plain(one.name)[-1]
    line = lines[row]
    at = characters(line, column)
    if not line.startswith(name, at) and not line.startswith(name.lstrip("~#"), at):
        return None
    first, start = _begin(one, lines)
    last, stop = _end(one, lines)
    lead = first
    while lead and lines[lead - 1].strip() and _COMMENT.match(lines[lead - 1]):
        lead -= 1
    parts = (*(part for outer in one.above for part in _plain(outer.name)), *_plain(one.name))
    return Symbol(
        parts, _KINDS[one.kind], row, column, units(name), first, last, start, stop, lead,
        depth=len(one.above), engine=engine,
    )  # fmt: skip


def _begin(one: Told, lines: Sequence[str]) -> tuple[int, int]:
    """Where it begins: behind comments that the server counts in, with what stands before it that belongs to it."""
    row, column = one.start
    while row < one.at[0] and (not lines[row].strip() or _COMMENT.match(lines[row])):
        row, column = row + 1, 0
    head = len(indent_of(lines[row]))
    if column <= head or _WORDS.fullmatch(lines[row][:column]):
        column = head
        while row and _ABOVE.match(lines[row - 1]):
            row -= 1
            column = len(indent_of(lines[row]))
    return row, column


def _end(one: Told, lines: Sequence[str]) -> tuple[int, int]:
    row = one.last
    line = lines[row]
    whole = units(line)
    stop = one.end[1] if row == one.end[0] else whole
    tail = line[characters(line, stop) :]
    blank = len(tail) - len(tail.lstrip())
    return row, stop + blank + 1 if tail.lstrip().startswith(";") else stop


# ── renames: the server says where, our own commit does it ─────────────────────────────────────────


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
        return rename_symbol(
            os.fspath(root), path, new, name_path=name_path, seconds=seconds, dry_run=dry_run, settings=settings
        )
    except Refused as refused:
        return no_plan(*refused.problems)


def rename_symbol(  # noqa: PLR0913 - as for apply
    root: str,
    path: str,
    new: str,
    *,
    name_path: str = "",
    at: tuple[int, int] | None = None,
    seconds: float = 0,
    dry_run: bool = False,
    settings: Settings | None = None,
) -> Result:
    """Rename the symbol with that name path or position. Raise Refused if no server answers with an edit."""
    edit = edit_for(root, path, new, name_path=name_path, at=at, seconds=seconds)
    return edit.applied(dry_run=dry_run, settings=settings)


class Renamed(NamedTuple):
    """A rename as a patch for a tree, and what to know of it."""

    root: str
    patch: str
    notes: tuple[Note, ...]

    def applied(self, *, dry_run: bool, settings: Settings | None) -> Result:
        """What comes of it."""
        report = apply(
            self.patch, self.root, format="workspace-edit", dry_run=dry_run, syntax="refuse", settings=settings
        )
        return report._replace(notes=report.notes + self.notes)


def edit_for(
    root: str, path: str, new: str, *, name_path: str = "", at: tuple[int, int] | None = None, seconds: float = 0
) -> Renamed:
    """The rename as a WorkspaceEdit; Refused where there is no such symbol, no server, or no edit."""
    place = inside(os.path.normpath(os.path.join(root, path)), (os.path.normpath(root),))
    data = _read(root, place)
    text = decode(data)
    symbol = find(text, path=place, name_path=name_path or None, at=at)
    if not re.fullmatch(r"[#@$]?[^\W\d][\w$]*[?!]?", new):  # servers take any text for a name
        raise Refused(Problem("bad_call", f"{new!r} is not a name", advice="Give one identifier, without a path."))
    if symbol.name == new:
        raise Refused(Problem("not_renamed", f"`{symbol.name_path}` already has that name", place))
    with Servers(root, seconds) as servers:
        answer = servers.rename(place, text.removeprefix(BOM), symbol.name_pos, new)
        session = servers.session(grammar_of(place))
    return _checked(Seen(root, place, data, symbol.name, session.began if session else 0.0), answer)


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
        raise Refused(Problem("unreadable", f"{path} can't be read: {reason(error)}", path)) from None
    if looks_binary(data):
        raise Refused(Problem("not_text", f"{path} looks like binary data", path))
    return data


# ── the server's answer ──────────────────────────────────────────────────────────────────────────


def _checked(seen: Seen, value: Any) -> Renamed:
    """The answer as a patch: each file as the server saw it, each range over the old name."""
    edit = value if isinstance(value, dict) else {}
    if not edit.get("changes") and not edit.get("documentChanges"):
        raise Refused(Problem("not_renamed", "the language server returned no edit", seen.path))
    kept = {key: edit[key] for key in ("changes", "documentChanges", "changeAnnotations") if edit.get(key)}
    patch = named("workspace-edit").parse(json.dumps(kept))
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
            raise Refused(Problem("unsafe_path", f"the language server would change {below}, outside the root", below))
        there = seen.data if below == seen.path else _unchanged(seen.root, below, seen.began)
        _check_names(below, there, said, seen.name)
        files[op.path] = there
    text = json.dumps(kept | {"hashes": _hashed(kept, files)}, indent=1)
    return Renamed(seen.root, text, _left(seen, {inside(path, roots) for path in files}))


def _unchanged(root: str, path: str, began: float) -> bytes:
    """A file that nobody has changed since a moment."""
    data = _read(root, path)
    if os.stat(os.path.join(root, path)).st_ctime >= began:
        raise Refused(Problem("stale", f"{path} changed while the language server was working", path))
    return data


def _check_names(path: str, data: bytes, said: Spans, name: str) -> None:
    """Every range that is not empty must hold the old name: else the server counts otherwise than it says."""
    lines = Text.read(data, lone_cr=True).lines
    for span in said.spans:
        if span.start != span.end and name not in _text(lines, span):
            detail = f"the language server would change line {span.start[0] + 1} of {path}, where there is no `{name}`"
            raise Refused(Problem("not_renamed", detail, path, line=span.start[0] + 1))


def _text(lines: list[str], span: Span) -> str:
    (row, column), (last, stop) = span.start, span.end
    if last >= len(lines):
        return ""
    if row == last:
        return lines[row][characters(lines[row], column) : characters(lines[row], stop)]
    head, tail = lines[row][characters(lines[row], column) :], lines[last][: characters(lines[last], stop)]
    return "\n".join([head, *lines[row + 1 : last], tail])


def _hashed(edit: dict[str, Any], files: dict[str, bytes]) -> dict[str, str]:
    """The hash of every file under the URI that the edit names it by."""
    uris = list(edit.get("changes") or ())
    uris += [part["textDocument"]["uri"] for part in edit.get("documentChanges") or () if "textDocument" in part]
    found = {path_of_uri(uri): uri for uri in uris}
    return {found.get(path, uri_of(path)): hash_of(data) for path, data in files.items()}


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
    return (Note(f"`{seen.name}` is also in files that the language server doesn't change: {shown}{more}"),)


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

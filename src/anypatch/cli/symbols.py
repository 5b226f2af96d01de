"""The commands that look at symbols: outline and read. Reads files, words the answer, prints only its progress."""

from __future__ import annotations

import os
import stat
import sys

from ..errors import Problem, Refused
from . import terminal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..lsp.backend import Servers
    from ..symbols import Symbol
    from .commands import Result
    from .options import Call

_SKIPPED = ("node_modules", "__pycache__", "venv")


def outlined(call: Call) -> Result:
    """The symbols of each file as a tree. What can't be outlined is told, and the others still are."""
    from ..errors import exit_code
    from ..report import json_text, problem_json, symbol_json
    from ..symbols import outline
    from .commands import Result

    kinds = {call.given["kind"]} if call.has("kind") else None
    depth = int(call.given["depth"]) if call.has("depth") else None
    found: list[tuple[str, list[Symbol]]] = []
    problems: list[Problem] = []
    notes: list[str] = []
    with _engines(call, notes):
        for path in _progress(_files(call.arguments)):
            try:
                found.append((path, outline(_text(path), path=path, depth=depth, kinds=kinds)))
            except Refused as refused:
                problems += [problem._replace(path=problem.path or path) for problem in refused.problems]
    code = exit_code(tuple(problems))
    if call.has("json"):
        files = [{"path": path, "symbols": [symbol_json(one) for one in symbols]} for path, symbols in found]
        value = {"ok": not problems, "files": files, "problems": [problem_json(problem) for problem in problems]}
        return Result(code, [json_text(value | ({"notes": notes} if notes else {}))], [])
    paint = terminal.painter(sys.stdout, call.given.get("color", "auto"), os.environ)
    lines: list[str] = []
    for path, symbols in found:
        if symbols or len(found) == 1:
            lines += [paint("path", path), *_tree(symbols, paint, 1)]
    return Result(code, lines, [*_told(problems), *(f"anypatch: {note}" for note in notes)])


def shown(call: Call) -> Result:
    """One symbol: a line that names it, with its hash, then its text."""
    from ..report import json_text, symbol_json
    from ..symbols import find, read
    from .commands import Result

    path, name_path = call.arguments
    notes: list[str] = []
    with _engines(call, notes):
        symbol = find(_text(path), path=path, name_path=name_path)
    said = read(symbol, lead=call.has("lead"))
    if call.has("json"):
        value = {"ok": True, **symbol_json(symbol), "path": path, "text": said.text, "eol": said.eol}
        value |= {"notes": notes} if notes else {}
        return Result(0, [json_text(value)], [])
    paint = terminal.painter(sys.stdout, call.given.get("color", "auto"), os.environ)
    head = f"{path}#{symbol.name_path}  {_lines(symbol)}  {symbol.hash}"
    text = said.text.replace("\r\n", "\n").replace("\r", "\n")
    told = [f"anypatch: {note}" for note in notes]
    return Result(0, [paint("dim", head), *(paint("", line) for line in text.split("\n"))], told)


class _engines:  # noqa: N801 - reads as a word of the statement it stands in
    """With this, symbols are told by whom the call says; what to know of that goes into the notes."""

    def __init__(self, call: Call, notes: list[str]) -> None:
        self._call, self._notes = call, notes
        self._servers: Servers | None = None

    def __enter__(self) -> None:
        if self._call.given.get("symbols") == "lsp":
            from .servers import servers

            self._servers = servers(self._call, ".").__enter__()

    def __exit__(self, *_: object) -> None:
        if self._servers is not None:
            self._servers.__exit__()
            self._notes += [note.text for note in self._servers.notes]


def _tree(symbols: list[Symbol] | tuple[Symbol, ...], paint: Callable[[str, str], str], depth: int) -> list[str]:
    lines: list[str] = []
    for symbol in symbols:
        damaged = paint("bad", "  (errors inside)") if symbol.damaged else ""
        lines.append(
            "  " * depth + f"{symbol.kind} " + paint("strong", symbol.name_path) + f"  {_lines(symbol)}" + damaged
        )
        lines += _tree(symbol.children, paint, depth + 1)
    return lines


def _lines(symbol: Symbol) -> str:
    first, last = symbol.range.start.line + 1, symbol.range.end.line + 1
    return f"line {first}" if first == last else f"lines {first}-{last}"


def _told(problems: list[Problem]) -> list[str]:
    from ..report import message, quoted

    return [
        f"anypatch: {quoted(problem.path)}: {quoted(told)}. {problem.advice}".rstrip()
        for problem in problems
        for told in [problem.detail if problem.kind == "unreadable" else message(problem)]
    ]


# ── files ────────────────────────────────────────────────────────────────────────────────────────


def _files(given: tuple[str, ...]) -> list[str]:
    """The files named, and those in the folders named whose language is known."""
    from ..symbols import is_known

    found: list[str] = []
    for path in given:
        if not os.path.isdir(path):
            found.append(path)
            continue
        for folder, below, files in os.walk(path):
            below[:] = sorted(name for name in below if name[:1] != "." and name not in _SKIPPED)
            inside = [os.path.join(folder, name) for name in sorted(files) if name[:1] != "."]
            found += [file for file in inside if is_known(file) and os.path.isfile(file) and _is_within(file, path)]
    return found


def _is_within(file: str, folder: str) -> bool:
    """Whether a file lies in the folder that was named; what a link in it leads out to was not."""
    return not os.path.islink(file) or os.path.realpath(file).startswith(os.path.join(os.path.realpath(folder), ""))


def trees(paths: tuple[str, ...]) -> list[str]:
    """The trees that the paths lie in and that anypatch has changed."""
    found: dict[str, None] = {}
    for path in paths:
        place = os.path.abspath(path)
        while place != (above := os.path.dirname(place)) and not os.path.isdir(f"{place}/.anypatch"):
            place = above
        if place != above:
            found[place] = None
    return list(found)


def _text(path: str) -> str:
    from ..text import decode, looks_binary

    try:
        # A pipe that nobody writes to would be waited for.
        opened = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(opened, "rb") as file:
            if not stat.S_ISREG(os.fstat(opened).st_mode):
                raise Refused(Problem("not_a_file", "it is a pipe or a device", path))
            data = file.read()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise Refused(
            Problem("unreadable", f"the file cannot be read: {reason}", path, advice="Check its name.")
        ) from None
    if looks_binary(data):
        raise Refused(Problem("not_text", "the file looks like binary data", path))
    return decode(data)


def _progress(paths: list[str]) -> Iterator[str]:
    """The paths; for many of them a bar on a terminal that tells how far it is, and goes in the end."""
    visible = len(paths) > 20 and terminal.is_terminal(sys.stderr)
    for at, path in enumerate(paths):
        if visible and at % 10 == 0:
            done = 30 * at // len(paths)
            sys.stderr.write(f"\r[{'#' * done}{'.' * (30 - done)}] {at}/{len(paths)}")
            sys.stderr.flush()
        yield path
    if visible:
        sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()

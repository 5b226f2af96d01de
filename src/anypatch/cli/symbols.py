"""What asks language servers: rename, and --symbols lsp. Words nothing, prints nothing.

Once the process is restricted (`landlock`), it can run nothing: servers are asked before anything is written.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ..model import Edit, Inside, Patch
from ..problems import Problem, Refused, exit_code, reason
from ..report import outline as in_words
from ..report import rows_of
from ..report.json import json_text, problem_json, symbol_json
from ..report.words import command, message, quoted
from ..symbols import Symbol, find, is_known, outline, read
from ..text import decode, looks_binary, with_lf
from . import terminal
from .landlock import restrict
from .options import Call
from .shared import Output, broken_off_around, painter, reported, settings


def run_rename(call: Call) -> Output:
    """The answer to `rename`: the server is asked and gone before anything is written."""
    from ..lsp import plan_rename

    path, name_path, new = call.arguments
    made = plan_rename(call.root, path, new, name_path=name_path, seconds=seconds(call))
    dry_run = call.has("dry-run")
    if not dry_run:
        restrict(call)
    return reported(call, made.apply(dry_run=dry_run, settings=settings(call)))


def as_rename(call: Call, text: str, shape: Callable[[Patch], Patch] | None) -> str:
    """The WorkspaceEdit of a patch that is one rename of a symbol and nothing else; "" for any other."""
    from ..api import format_given, read
    from ..lsp import plan_rename

    try:
        patch = read(text, format_given(call.format) or "")
        ops = (shape(patch) if shape else patch).ops
    except Refused:
        return ""
    said = ops[0].hunks[0] if len(ops) == 1 and isinstance(ops[0], Edit) and len(ops[0].hunks) == 1 else None
    if not isinstance(said, Inside) or said.deed != "rename":
        return ""
    name, at = said.symbol, said.at
    return plan_rename(call.root, ops[0].path, said.text[0], name_path=name, at=at, seconds=seconds(call)).patch


def seconds(call: Call) -> float:
    """How long a server may take for each answer; 0 for its default."""
    return float(call.given.get("lsp-timeout", 0))


# ── outline and show ────────────────────────────────────────────────────────────────────────────────


_SKIPPED = ("node_modules", "__pycache__", "venv")


def run_outline(call: Call) -> Output:
    """The symbols of each file as a tree. What can't be outlined is told, and the others still are."""
    kinds = {call.given["kind"]} if call.has("kind") else None
    depth = int(call.given["depth"]) if call.has("depth") else None
    found: list[tuple[str, list[Symbol]]] = []
    problems: list[Problem] = []
    notes: list[str] = []
    with _engines(call, notes):
        paths, bar = _files(call.arguments), terminal.Bar()
        for number, path in enumerate(paths):
            bar.tell(number, number / len(paths))
            try:
                found.append((path, outline(_text(path), path=path, depth=depth, kinds=kinds)))
            except Refused as refused:
                problems += [problem._replace(path=problem.path or path) for problem in refused.problems]
        bar.clear()
    code = exit_code(tuple(problems))
    if call.has("json"):
        files = [{"path": path, "symbols": [symbol_json(one) for one in symbols]} for path, symbols in found]
        value = {"ok": not problems, "files": files, "problems": [problem_json(problem) for problem in problems]}
        return Output(code, [json_text(value | ({"notes": notes} if notes else {}))], broken_off_around(call.arguments))
    paint = painter(call)
    lines: list[str] = []
    for path, symbols in found:
        if symbols or len(found) == 1:
            lines += [paint("path", path), *in_words(symbols, paint)]
    told = [*broken_off_around(call.arguments), *_told(problems), *(f"anypatch: {note}" for note in notes)]
    return Output(code, lines, told)


def run_read(call: Call) -> Output:
    """One symbol: a line that names it, with its hash, then its text."""
    path, name_path = call.arguments
    notes: list[str] = []
    with _engines(call, notes):
        symbol = find(_text(path), path=path, name_path=name_path)
    said = read(symbol, lead=call.has("lead"))
    if call.has("json"):
        value = {"ok": True, **symbol_json(symbol), "path": path, "text": said.text, "eol": said.eol}
        value |= {"notes": notes} if notes else {}
        return Output(0, [json_text(value)], broken_off_around((path,)))
    paint = painter(call)
    head = f"{path}#{symbol.name_path}  {rows_of(symbol)}  {symbol.hash}"
    text = with_lf(said.text)
    told = [*broken_off_around((path,)), *(f"anypatch: {note}" for note in notes)]
    return Output(0, [paint("dim", head), *(paint("", line) for line in text.split("\n"))], told)


@contextmanager
def _engines(call: Call, notes: list[str]) -> Iterator[None]:
    """With this, symbols are told by whom the call says; what to know of that goes into the notes."""
    if call.given.get("symbols") != "lsp":
        yield
        return
    from ..lsp import Servers

    with Servers(".", seconds(call)) as asked:
        yield
    notes += [note.text for note in asked.notes]


def _told(problems: list[Problem]) -> list[str]:
    return [
        f"anypatch: {quoted(problem.path)}: {quoted(told)}. {problem.advice}{command(problem)}".rstrip()
        for problem in problems
        for told in [problem.detail if problem.kind == "unreadable" else message(problem)]
    ]


# ── files ────────────────────────────────────────────────────────────────────────────────────────


def _files(given: tuple[str, ...]) -> list[str]:
    """The files named, and those in the folders named whose language is known."""
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


def _text(path: str) -> str:
    try:
        # A pipe that nobody writes to would be waited for.
        opened = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(opened, "rb") as file:
            if not stat.S_ISREG(os.fstat(opened).st_mode):
                raise Refused(Problem("not_a_file", "it is a pipe or a device", path))
            data = file.read()
    except (OSError, ValueError) as error:
        detail = f"the file can't be read: {reason(error)}"
        raise Refused(Problem("unreadable", detail, path, advice="Check its name.")) from None
    if looks_binary(data):
        raise Refused(Problem("not_text", "the file looks like binary data", path))
    return decode(data)

"""The commands for symbols: outline, read, rename."""

from __future__ import annotations

import os
import stat
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager

from ..problems import Problem, Refused, exit_code, reason
from ..report.json import json_text, problem_json, symbol_json
from ..report.people import rows_of, symbol_lines
from ..report.words import quoted, with_command
from ..symbols import Symbol, find, is_known, outline, read
from ..text import decode, looks_binary, with_lf
from .history import interruptions_around
from .inputs import settings
from .landlock import restrict
from .output import Output, as_output, painter
from .terminal import ProgressBar

_SKIPPED_FOLDERS = ("node_modules", "__pycache__", "venv")


def run_rename(args: Namespace) -> Output:
    """Rename a symbol. The language server has ended before the process is restricted and anything is written."""
    from ..lsp import plan_rename

    edit = plan_rename(args.root, args.file, args.new, name_path=args.name_path, seconds=args.lsp_timeout or 0)
    if not args.dry_run:
        restrict(args)
    return as_output(args, edit.apply(dry_run=bool(args.dry_run), settings=settings(args)))


def run_outline(args: Namespace) -> Output:
    """List the symbols of each file as a tree. A file that can't be read is an error, and the others are listed."""
    outlines: list[tuple[str, list[Symbol]]] = []
    problems: list[Problem] = []
    notes: list[str] = []
    paths, bar = _source_files(args.file), ProgressBar()
    with _language_servers(args, notes):
        for number, path in enumerate(paths):
            bar.update(number, number / len(paths))
            try:
                kinds = {args.kind} if args.kind else None
                outlines.append((path, outline(_read_text(path), path=path, depth=args.depth, kinds=kinds)))
            except Refused as refused:
                problems += [problem._replace(path=problem.path or path) for problem in refused.problems]
        bar.clear()
    code = exit_code(tuple(problems))
    warnings = interruptions_around(args.file)
    if args.json:
        files = [{"path": path, "symbols": [symbol_json(symbol) for symbol in symbols]} for path, symbols in outlines]
        value = {"ok": not problems, "files": files, "problems": [problem_json(problem) for problem in problems]}
        return Output(code, [json_text(value | ({"notes": notes} if notes else {}))], warnings)
    paint = painter(args)
    lines: list[str] = []
    for path, symbols in outlines:
        if symbols or len(outlines) == 1:
            lines += [paint("path", path), *symbol_lines(symbols, paint)]
    return Output(code, lines, [*warnings, *map(_error_line, problems), *(f"anypatch: {note}" for note in notes)])


def run_read(args: Namespace) -> Output:
    """Print one symbol: a line with its name and its hash, then its text."""
    notes: list[str] = []
    with _language_servers(args, notes):
        symbol = find(_read_text(args.file), path=args.file, name_path=args.name_path)
    source = read(symbol, lead=bool(args.lead))
    warnings = interruptions_around([args.file])
    if args.json:
        value = {"ok": True, **symbol_json(symbol), "path": args.file, "text": source.text, "eol": source.eol}
        return Output(0, [json_text(value | ({"notes": notes} if notes else {}))], warnings)
    paint = painter(args)
    head = f"{args.file}#{symbol.name_path}  {rows_of(symbol)}  {symbol.hash}"
    lines = [paint("dim", head), *(paint("", line) for line in with_lf(source.text).split("\n"))]
    return Output(0, lines, [*warnings, *(f"anypatch: {note}" for note in notes)])


@contextmanager
def _language_servers(args: Namespace, notes: list[str]) -> Iterator[None]:
    """With --symbols lsp, let language servers say what symbols there are, and append what they note."""
    if args.symbols != "lsp":
        yield
        return
    from ..lsp import Servers

    with Servers(".", args.lsp_timeout or 0) as servers:
        yield
    notes += [note.text for note in servers.notes]


def _error_line(problem: Problem) -> str:
    hint = with_command(problem.hint, problem)
    return f"anypatch: {quoted(problem.path)}: {quoted(problem.message)}. {hint}"


# ── files ────────────────────────────────────────────────────────────────────────────────────────


def _source_files(paths: list[str]) -> list[str]:
    """Return the files given, and those in the folders given whose language is known."""
    return [file for path in paths for file in (_files_in(path) if os.path.isdir(path) else [path])]


def _files_in(top: str) -> Iterator[str]:
    for folder, subfolders, names in os.walk(top):
        subfolders[:] = sorted(name for name in subfolders if name[:1] != "." and name not in _SKIPPED_FOLDERS)
        for name in sorted(names):
            file = os.path.join(folder, name)
            if name[:1] != "." and is_known(file) and os.path.isfile(file) and _is_within(file, top):
                yield file


def _is_within(file: str, folder: str) -> bool:
    """Return False for a link that leads out of the folder."""
    return not os.path.islink(file) or os.path.realpath(file).startswith(os.path.join(os.path.realpath(folder), ""))


def _read_text(path: str) -> str:
    try:
        # Without O_NONBLOCK, opening a pipe waits until somebody writes to it.
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(fd, "rb") as file:
            if not stat.S_ISREG(os.fstat(fd).st_mode):
                raise Refused(Problem("not_a_file", "it is a pipe or a device", path))
            data = file.read()
    except (OSError, ValueError) as error:
        detail = f"the file can't be read: {reason(error)}"
        raise Refused(Problem("unreadable", detail, path, advice="Check its name.")) from None
    if looks_binary(data):
        raise Refused(Problem("not_text", "the file looks like binary data", path))
    return decode(data)

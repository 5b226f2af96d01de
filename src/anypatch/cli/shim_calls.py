"""Run the shims: apply_patch and str_replace_editor as a shell calls them, by anypatch's commit.

    apply_patch 'PATCH'            apply_patch <<'EOF' … EOF
    str_replace_editor view PATH [--view_range FIRST LAST]
    str_replace_editor create PATH --file_text TEXT
    str_replace_editor str_replace PATH --old_str TEXT [--new_str TEXT]
    str_replace_editor insert PATH --insert_line N --new_str TEXT
    str_replace_editor undo_edit PATH

They read what their originals read, say in one line what was done, and on standard error why not. Paths are relative
to the current folder; the root is the one that `anypatch apply` would choose here, so `anypatch undo` undoes it.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Sequence

from .. import api, pipeline
from ..adapters.root_folder import RootFolder
from ..model import Patch, with_paths
from ..paths import relative_to_roots
from ..problems import Problem, Refused, in_a_line
from ..report.files import changed_files
from ..report.words import note_line
from ..result import Result, no_plan
from ..storage.state import Settings
from . import landlock, terminal
from .inputs import nearest
from .parser import defaults

_USAGE = "Usage: apply_patch 'PATCH'\n       echo 'PATCH' | apply_patch"
_COMMANDS = ("view", "create", "str_replace", "insert", "undo_edit")
_TEXTS = {"create": "file_text", "str_replace": "old_str", "insert": "new_str"}  # what a command can't do without


def main(arguments: Sequence[str]) -> int:
    """Run the shim that the first argument names; return the exit code."""
    name, *rest = arguments
    try:
        return _edit_by_command(rest) if name == "str_replace_editor" else _apply_patch(rest)
    except Refused as refused:
        return _refuse(no_plan(*refused.problems))
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        return _say(f"internal error of anypatch itself ({in_a_line(error)}); please report it", 1)


def _apply_patch(arguments: Sequence[str]) -> int:
    """Apply the patch that is the only argument, or that comes through standard input."""
    if len(arguments) > 1:
        return _say("Error: apply_patch accepts exactly one PATCH argument.", 2)
    if arguments:
        text = arguments[0]
    elif sys.stdin is None or terminal.is_terminal(sys.stdin):
        return _say(_USAGE, 2)
    else:
        text = sys.stdin.buffer.read().decode("utf-8", "surrogateescape")
    if not text.strip():
        return _say(_USAGE, 2)
    root = _root()

    def from_here(patch: Patch) -> Patch:
        return patch._replace(ops=tuple(with_paths(op, lambda path: _from_root(path, root)) for op in patch.ops))

    result = pipeline.apply_to_folder(
        text, root, pipeline.ApplyOptions(), "", Settings(), dry_run=False, shape=from_here
    )
    if not result.ok:
        return _refuse(result)
    files = ", ".join(f"{file.letter} {file.name}" for file in changed_files(result))
    return _done(
        f"Success. Updated the following files: {files}" if files else "Success. No files were modified.", result
    )


def _edit_by_command(arguments: Sequence[str]) -> int:
    """Run a command of the text editor."""
    args = _parsed(arguments)
    command, path = args.command, args.path
    root = _root()
    folder, inside = RootFolder(root), _from_root(path, root)
    if command == "view":
        text = folder.view("" if inside == "." else inside, args.view_range)
        is_folder = os.path.isdir(path)
        listing = f"Here's the files and directories up to 2 levels deep in {path}, excluding hidden items:"
        head = listing if is_folder else f"Here's the result of running `cat -n` on {path}:"
        terminal.write(sys.stdout, terminal.for_output([head, *text.removesuffix("\n").split("\n")]))
        return 0
    if command == "undo_edit":
        return _undo(path, inside, root)
    needed = ("insert_line",) * (command == "insert") + (_TEXTS[command],)
    for name in needed:
        if getattr(args, name) is None:
            return _say(f"Parameter `{name}` is required for command: {command}", 2)
    input = {name: value for name, value in vars(args).items() if value is not None} | {"path": inside}
    call = {"name": "str_replace_editor", "input": input}
    result = folder.apply(call, format="json-edits", overwrite=False if command == "create" else None)
    if not result.ok:
        return _refuse(result)
    done = "File created successfully at: {}" if command == "create" else "The file {} has been edited."
    return _done(done.format(path), result)


def _parsed(arguments: Sequence[str]) -> argparse.Namespace:
    """Parse the arguments of the editor; command and path may also be given by --command and --path."""
    parser = argparse.ArgumentParser("str_replace_editor", allow_abbrev=False)
    parser.add_argument("words", nargs="*", metavar=f"{{{','.join(_COMMANDS)}}} PATH")
    for name in ("command", "path", "file_text", "old_str", "new_str"):
        parser.add_argument(f"--{name}", help=argparse.SUPPRESS if name in ("command", "path") else None)
    parser.add_argument("--insert_line", type=int)
    parser.add_argument("--view_range", nargs="+", metavar="LINE", help="the first and the last line; -1 is the end")
    args = parser.parse_args(arguments)
    words = list(args.words)
    for name in ("command", "path"):
        if getattr(args, name) is None:
            if not words:
                parser.error(f"the following arguments are required: {name}")
            setattr(args, name, words.pop(0))
    if words:
        parser.error(f"unrecognized arguments: {' '.join(words)}")
    if args.command not in _COMMANDS:
        parser.error(f"there is no command {args.command!r}; the commands are {', '.join(_COMMANDS)}")
    if args.view_range is not None:
        args.view_range = [int(number) for number in re.findall(r"-?\d+", " ".join(args.view_range))]
    del args.words
    return args


def _undo(path: str, inside: str, root: str) -> int:
    """Undo the last change of a file that is not undone yet, together with what that changed besides."""
    receipts = (one for one in api.log(root) if not one.undone and not one.undoes)
    last = next((one for one in receipts if any(change.path == inside for change in one.changes)), None)
    if last is None:
        raise Refused(Problem("no_receipt", f"No edit history found for {path}", advice="Edit the file again instead."))
    result = api.undo(root, last.id)
    if not result.ok:
        return _refuse(result)
    others = ", ".join(change.path for change in last.changes if change.path != inside)
    return _done(f"Last edit to {path} undone successfully." + (f" Also undone: {others}." if others else ""), result)


# ── where, and what is printed ───────────────────────────────────────────────────────────────────


def _root() -> str:
    """Return the root of the tree that the current folder is in, and let this process write nowhere else."""
    here = os.getcwd()
    root = nearest(here, ".anypatch", ".git") or here
    landlock.restrict(argparse.Namespace(**defaults() | {"command": "apply", "root": root}))
    return root


def _from_root(path: str, root: str) -> str:
    """Return a path as it is written here, relative to the root; one that is outside stays absolute."""
    roots = (os.path.realpath(root), os.path.abspath(root))
    absolute = os.path.abspath(path) if path else ""
    return "." if absolute in roots else relative_to_roots(absolute, roots)


def _done(line: str, result: Result) -> int:
    terminal.write(sys.stdout, terminal.for_output([line]))
    terminal.write(sys.stderr, terminal.for_output([note_line(note) for note in result.notes if note.kind]))
    return 0


def _refuse(result: Result) -> int:
    return _say(result.for_model(), 1)


def _say(text: str, code: int) -> int:
    terminal.write(sys.stderr, terminal.for_output(text.split("\n")))
    return code


if __name__ == "__main__":
    landlock.owns_process = True
    sys.exit(main(sys.argv[1:]))

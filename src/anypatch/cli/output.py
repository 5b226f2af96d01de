"""Turn a result into what the program prints: words, JSON, or the report for a model."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Callable
from shlex import quote
from typing import TYPE_CHECKING, NamedTuple, TextIO

from ..problems import Problem, Refused, exit_code, reason
from ..report.files import diff_of
from ..report.json import as_json, json_text
from ..report.models import for_model
from ..report.people import Layout, for_people
from ..report.words import quoted, with_command
from ..result import Result
from . import terminal

if TYPE_CHECKING:
    from ..reviewing.review import Review

APPLIED_IN_PART = 4
_DIFF_LINES = 300  # of a diff that a terminal is shown without -v
_ABOUT_THE_CALL = ("bad_call", "unreadable")
# Problems that concern the call and not the patch: an error and a hint say it all.
_BRIEF = (
    *_ABOUT_THE_CALL, "bad_root", "unknown_format", "no_receipt", "no_patch", "already_applied", "no_server",
    "not_renamed",
)  # fmt: skip


# The command that reverses what a command did.
_BACK = {"apply": "undo", "rename": "undo", "review": "undo", "undo": "redo", "redo": "undo"}


class Output(NamedTuple):
    """The printed lines and the exit code. `wrote`: the tree was changed, so a lost report isn't a failure."""

    code: int
    out: list[str]
    err: list[str]
    wrote: bool = False


def as_output(args: Namespace, result: Result, review: Review | None = None) -> Output:
    """Report a result; `review` adds every hunk to the JSON.

    A refusal goes to standard error, so that a pipe of results stays clean.
    If a part was applied, its report goes to standard error as well: standard output has the rest.
    """
    code = code_of(result)
    wrote = (result.ok or result.partial) and not result.dry_run
    failure = _write_rest(args.rest, result.rest) if result.partial and args.rest else []
    if result.ok and args.quiet and not args.json:
        return Output(code, [], [], wrote)
    if args.json or args.for_model:
        return Output(code, _for_programs(args, result, review), failure, wrote)
    if result.ok:
        return Output(code, [*_success(args, result), *copied(args, result)], [], wrote)
    prints_rest = result.partial and (failure or not args.rest)
    rest = terminal.for_output(result.rest.split("\n")[:-1]) if prints_rest else []
    return Output(code, rest, [*_failure(args, result), *copied(args, result), *failure], wrote)


def code_of(result: Result) -> int:
    """Return the exit code for a result."""
    return 0 if result.ok else APPLIED_IN_PART if result.partial else max(exit_code(result.problems), 1)


def _write_rest(path: str, rest: str) -> list[str]:
    """Write the rest to a file. Return the error: by then the tree is changed, so the rest is printed instead."""
    try:
        with open(path, "wb") as file:
            file.write(rest.encode("utf-8", "surrogateescape"))
    except (OSError, ValueError) as error:
        return [f"anypatch: the rest could not be written to {terminal.harmless(path)}: {reason(error)}"]
    return []


def _for_programs(args: Namespace, result: Result, review: Review | None) -> list[str]:
    """Report as JSON, for a model, or with the second in the first."""
    words = for_model(result, args.max_report_lines or 80) if args.for_model else ""
    if not args.json:
        return terminal.for_output(words.split("\n"))
    value: dict[str, object] = {**as_json(result)}
    if words:
        value["for_model"] = words
    if review is not None:
        value["review"] = review.to_dict()
    return [json_text(value)]


def _success(args: Namespace, result: Result) -> list[str]:
    """Report what was done and how to undo it; or what would be done, with the diff."""
    look = layout(args)
    lines = for_people(result, look)
    if not result.dry_run:
        return lines + _undo_hint(args, result, look.paint)
    diff = shortened(args, diff_of(result, look.paint))
    return [*diff, "", *lines] if diff else lines


def _failure(args: Namespace, result: Result) -> list[str]:
    look = layout(args, sys.stderr)
    if len(result.problems) == 1 and result.problems[0].kind in _BRIEF and not result.partial:
        lines = _brief(result.problems[0], look)
    else:
        lines = for_people(result, look)
    return lines + _undo_hint(args, result, look.paint)


def _brief(problem: Problem, look: Layout) -> list[str]:
    """Say in an error and a hint what is wrong with the call, and what to do."""
    text = quoted(problem.message)
    if problem.path and problem.path not in text:
        text += f" ({quoted(problem.path)})"
    lines = look.wrapped("error: ", text, "strong")
    if problem.kind in _ABOUT_THE_CALL and not problem.is_advised:
        return lines
    return lines + look.wrapped("hint: ", with_command(problem.hint, problem))


def _undo_hint(args: Namespace, result: Result, paint: Callable[[str, str], str]) -> list[str]:
    """Say how to undo what was done, or how to redo what was undone."""
    receipt = result.receipt
    if not (result.written and receipt and receipt.undoable):
        return []
    verb = _BACK.get(args.command, "")
    # Without an ID the last change is undone or redone, and one that was redone may not be the last.
    id = f" {receipt.id}" if args.id or (args.command == "redo" and receipt.undoes) else ""
    root = f" -C {quote(args.root)}" if args.root_is_given else ""
    return [paint("dim", f"{verb}: anypatch {verb}{id}{root}")] if verb else []


def copied(args: Namespace, result: Result) -> list[str]:
    """With --copy, put the report for the model on the clipboard. Return what to say about it."""
    if not args.copy:
        return []
    from .clipboard import copy

    try:
        copy(for_model(result, args.max_report_lines or 80))
    except Refused as refused:
        text = f"the report was not copied: {refused.problems[0].detail}; --for-model prints it"
        return layout(args, sys.stderr).wrapped("warning: ", text)
    return ["The report for the model is on the clipboard."]


def layout(args: Namespace, stream: TextIO | None = None) -> Layout:
    """Return how a report looks on a stream, by default standard output."""
    stream = stream or sys.stdout
    width = terminal.width() if terminal.is_terminal(stream) else 0
    return Layout(painter(args, stream), width, True, bool(args.verbose), args.max_report_lines or 0)


def painter(args: Namespace, stream: TextIO | None = None) -> Callable[[str, str], str]:
    """Return the function that prepares text for a stream, by default standard output."""
    return terminal.painter(stream or sys.stdout, args.color or "auto", os.environ)


def shortened(args: Namespace, diff: list[str]) -> list[str]:
    """Cut off a long diff on a terminal, and say so."""
    if len(diff) <= _DIFF_LINES or args.verbose or not terminal.is_terminal(sys.stdout):
        return diff
    return [*diff[:_DIFF_LINES], f"… {len(diff) - _DIFF_LINES} more lines; `anypatch diff` prints all of them"]

"""What all commands share: the patch that is read, how changes are made, the result that is printed."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from ..problems import KINDS, Problem, Refused, exit_code, reason
from . import terminal
from .options import COMMANDS, Call, limits_of

if TYPE_CHECKING:
    from typing import Any, TextIO

    from ..report import Layout
    from ..result import Result
    from ..storage.state import Settings


APPLIED_IN_PART = 4


class Output(NamedTuple):
    """What a run ends with. `wrote`: the tree was changed, so a failure to print must not look like a failure."""

    code: int
    out: list[str]
    err: list[str]
    wrote: bool = False


def reported(call: Call, report: Result) -> Output:
    """A report as JSON or in words. Refusals go to standard error, so that a pipe of results stays clean.

    Where a part was applied, the report does so too: the rest is kept, or is what is printed.
    """
    code = 0 if report.ok else APPLIED_IN_PART if report.partial else max(exit_code(report.problems), 1)
    wrote = (report.ok or report.partial) and not report.dry_run
    lost = _keep(call.given["rest"], report.rest) if report.partial and call.has("rest") else []
    if report.ok and call.has("quiet") and not call.has("json"):
        return Output(code, [], [], wrote)
    if call.has("json") or call.has("for-model"):
        return Output(code, as_asked(call, report), lost, wrote)
    if report.ok:
        return Output(code, [*_for_people(call, report), *_copied(call, report)], [], wrote)
    from ..report import for_people

    look = layout(call, sys.stderr)
    brief = len(report.problems) == 1 and report.problems[0].kind in _BRIEF and not report.partial
    told = _briefly(report.problems[0], look) if brief else for_people(report, look)
    told = [*told, *_undo_line(call, report, look.paint), *_copied(call, report), *lost]
    printed = report.rest.split("\n")[:-1] if report.partial and (lost or not call.has("rest")) else []
    return Output(code, terminal.for_output(printed), told, wrote)


def _keep(path: str, rest: str) -> list[str]:
    """Write the rest; what to say where that fails: by then the tree is changed, so it is printed instead."""
    try:
        with open(path, "wb") as file:
            file.write(rest.encode("utf-8", "surrogateescape"))
    except (OSError, ValueError) as error:
        return [f"anypatch: the rest could not be written to {terminal.harmless(path)}: {reason(error)}"]
    return []


def layout(call: Call, stream: TextIO | None = None) -> Layout:
    """How a report looks on a stream, by default standard output."""
    from ..report import Layout

    stream = stream or sys.stdout
    width = terminal.width() if terminal.is_terminal(stream) else 0
    return Layout(painter(call, stream), width, True, call.has("verbose"), _max_lines(call, 0))


def _copied(call: Call, report: Result) -> list[str]:
    """Put the report for the model on the clipboard, where that was asked for; what to say of it."""
    if not call.has("copy"):
        return []
    from ..report import for_model

    try:
        terminal.copy(for_model(report, _max_lines(call, 80)))
    except Refused as refused:
        told = f"the report was not copied: {refused.problems[0].detail}; --for-model prints it"
        return layout(call, sys.stderr).wrapped("warning: ", told)
    return ["The report for the model is on the clipboard."]


def painter(call: Call, stream: TextIO | None = None) -> Callable[[str, str], str]:
    """How text is put on a stream, by default standard output."""
    return terminal.painter(stream or sys.stdout, call.given.get("color", "auto"), os.environ)


def as_asked(call: Call, report: Result) -> list[str]:
    """The report for programs: JSON, the words for a model, or one within the other."""
    told = ""
    if call.has("for-model"):
        from ..report import for_model

        told = for_model(report, _max_lines(call, 80))
    if not call.has("json"):
        return terminal.for_output(told.split("\n"))
    from ..report.json import as_json, json_text

    value = as_json(report)
    return [json_text(value | {"for_model": told} if told else value)]


def _max_lines(call: Call, usual: int) -> int:
    return int(call.given.get("max-report-lines", usual))


_BRIEF = (
    "bad_call", "unreadable", "bad_root", "unknown_format", "no_receipt", "no_patch", "already_applied", "no_server",
    "not_renamed",
)  # fmt: skip


def _briefly(problem: Problem, look: Layout) -> list[str]:
    """What concerns the call and not the patch: what is wrong, and what to do."""
    from ..report.words import command, message, quoted

    about_call = problem.kind in ("bad_call", "unreadable")
    told = quoted(message(problem))
    if problem.path and problem.path not in told:
        told += f" ({quoted(problem.path)})"
    advice = problem.advice or ("" if about_call else KINDS[problem.kind].advice)
    lines = look.wrapped("error: ", told, "strong")
    return lines + look.wrapped("hint: ", quoted(advice) + command(problem)) if advice else lines


def _for_people(call: Call, report: Result) -> list[str]:
    """A report on what was done, or would be: then with its diff, else with how to take it back."""
    from ..report import diff_of, for_people

    look = layout(call)
    lines = for_people(report, look)
    if report.dry_run:
        shown = folded(call, diff_of(report, look.paint))
        return [*shown, "", *lines] if shown else lines
    return lines + _undo_line(call, report, look.paint)


def _undo_line(call: Call, report: Result, paint: Callable[[str, str], str]) -> list[str]:
    """How to take it back, where it can be."""
    if not (report.written and report.receipt and report.receipt.undoable and call.command in ("apply", "rename")):
        return []
    from shlex import quote

    root = f" -C {quote(call.root)}" if call.has("root") else ""
    return [paint("dim", f"undo: anypatch undo{root}")]


_DIFF = 300  # lines of a diff that a terminal is shown unasked


def folded(call: Call, lines: list[str]) -> list[str]:
    """A diff for a terminal: a long one is cut off, and says so."""
    if len(lines) <= _DIFF or call.has("verbose") or not terminal.is_terminal(sys.stdout):
        return lines
    return [*lines[:_DIFF], f"… {len(lines) - _DIFF} more lines; `anypatch diff` prints all of them"]


def patch_text(call: Call) -> str:
    """The patch, from where the call says. Bytes that are no UTF-8 survive as lone surrogates."""
    source = "the clipboard"
    try:
        if call.has("paste"):
            data = terminal.paste()
        elif call.argument is None or call.argument == "-":
            source = "standard input"
            data = _typed()
        else:
            source = f"the file {call.argument!r}"
            with open(call.argument, "rb") as file:
                data = file.read()
    except (OSError, ValueError) as error:
        raise Refused(Problem("unreadable", f"{source} can't be read: {reason(error)}")) from None
    if data.startswith((b"\xff\xfe", b"\xfe\xff")) and len(data) % 2 == 0:
        return data.decode("utf-16", "surrogatepass")  # what redirecting writes in some shells
    return data.decode("utf-8", "surrogateescape")


def _typed() -> bytes:
    if sys.stdin is None:
        raise Refused(Problem("unreadable", "there is no answer: standard input is closed"))
    if not sys.stdin.isatty():
        return sys.stdin.buffer.read()
    terminal.write(sys.stderr, ["Paste the answer, then press Enter and Ctrl-D (or use anypatch --paste)."])
    data = sys.stdin.buffer.read()
    if any(len(line) >= _LONGEST for line in data.split(b"\n")):
        detail = f"the terminal cuts lines off at {_LONGEST} bytes, and one is that long: its end may be missing"
        advice = "Use --paste, or put the answer in a file."
        raise Refused(Problem("truncated", detail, advice=advice))
    return data


_LONGEST = 4095  # what a terminal passes on of a line that is typed or pasted into it


# ── where ────────────────────────────────────────────────────────────────────────────────────────


def located(call: Call) -> Call:
    """The call with its root: where none is named, the nearest folder upwards that has .anypatch or .git in it."""
    options = next((command.options for command in COMMANDS if command.name == call.command), ())
    if call.has("root") or not any(option.key == "root" and not option.many for option in options):
        return call
    here = os.getcwd()
    top = _nearest(here, ".anypatch", ".git")
    if top in ("", here):
        return call
    return call._replace(given=call.given | {"found": top, "below": os.path.relpath(here, top)})


def _nearest(folder: str, *marks: str) -> str:
    """The nearest folder upwards that has one of these in it; "" for none."""
    while not any(os.path.lexists(os.path.join(folder, mark)) for mark in marks):
        folder, below = os.path.dirname(folder), folder
        if folder == below:
            return ""
    return folder


# ── how changes are made ────────────────────────────────────────────────────────────────────────────

_SETTINGS = ("durability", "state-dir", "hardlinks", "lock-timeout", "limit")


def broken_off_around(paths: tuple[str, ...]) -> list[str]:
    """What to say of the trees that the paths lie in, where a change was broken off in one."""
    trees = dict.fromkeys(_nearest(os.path.abspath(path), ".anypatch") for path in paths)
    return [line for tree in trees if tree for line in broken_off(tree)]


def broken_off(root: str, how: Settings | None = None) -> list[str]:
    """What to say before anything is shown of a tree in which a change was broken off."""
    from ..api import look
    from ..report.words import command

    known = [told for told in look(root, how) if told.kind == "unsettled"]
    return [f"anypatch: {told.detail}. {told.advice}{command(told)}" for told in known]


def settings(call: Call) -> Settings | None:
    """How changes are made, where the call says anything of it."""
    said: dict[str, Any] = {key.replace("-", "_"): call.given[key] for key in _SETTINGS if key in call.given}
    if not said:
        return None
    from ..storage.state import Settings

    usual = Settings()
    if "limit" in said:
        said["limits"] = usual.limits._replace(**limits_of(said.pop("limit")))
    return usual._replace(lock_timeout=float(said.pop("lock_timeout", usual.lock_timeout)), **said)

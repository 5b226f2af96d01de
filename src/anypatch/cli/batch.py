"""The command that applies many answers: `anypatch batch`. Reads its options, shows how far it is, prints a summary."""

from __future__ import annotations

import gc
import os

from ..problems import Problem, Refused, reason
from ..report.json import json_text
from . import terminal
from .shared import Output, painter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..batch.rows import Options
    from .options import Call


def run_batch(call: Call) -> Output:
    """Apply every answer of a table; the summary is what is printed."""
    from ..batch.run import run as run_batch

    if not call.has("out"):
        raise Refused(Problem("bad_call", "batch needs --out RESULTS"))
    gc.enable()  # the program does without the collector, but not for a million rows
    options, answers, out = _options(call), call.argument or "-", call.given["out"]
    if call.has("resume") and os.path.exists(out):
        return Output(0, [], [f"anypatch: {terminal.harmless(out)} is already complete"])
    bar = terminal.Bar()
    try:
        summary = run_batch(
            answers, out, options, engine=call.given.get("engine", "local"), workers=int(call.given.get("workers", 0)),
            resume=call.has("resume"), tell=bar.tell,
        )  # fmt: skip
    except KeyboardInterrupt:
        told = "" if out == "-" else f"; {out}.part has what is done; --resume continues it"
        return Output(130, [], [f"anypatch: interrupted{told}"])
    finally:
        bar.clear()
    value = json_text({"ok": True, **summary.as_json()})
    if call.has("summary"):
        try:
            with open(call.given["summary"], "w", encoding="ascii") as file:
                file.write(f"{value}\n")
        except OSError as error:
            detail = f"the summary can't be written to {call.given['summary']!r}: {reason(error)}"
            raise Refused(Problem("io", detail, advice="The results are complete.")) from None
    if call.has("json"):
        lines = [value]
    elif call.has("quiet"):
        lines = []
    else:
        paint = painter(call)
        lines = [paint("", line) for line in summary.lines()]
    # Where the results are on standard output, nothing else is.
    return Output(0, [], lines) if out == "-" else Output(0, lines, [])


def _options(call: Call) -> Options:
    from ..api import format_given
    from ..batch.rows import Options
    from ..batch.tables import instances

    columns: dict[str, str] = {}
    for told in call.given.get("column", "").split("\0"):
        name, equals, column = told.partition("=")
        if told and not (equals and column):
            raise Refused(Problem("bad_call", f"--column needs NAME=COLUMN, not {told!r}"))
        columns |= {name: column} if told else {}
    repos = call.given.get("repos", "")
    if repos and not os.path.isdir(repos):
        raise Refused(Problem("unreadable", f"the folder of repositories {repos!r} doesn't exist"))
    known = instances(call.given["instances"]) if call.has("instances") else {}
    syntax = call.given.get("syntax", "off")
    try:
        return Options(repos, format_given(call.format) or "", call.has("partial"), syntax, columns, known).checked()
    except ValueError as error:
        raise Refused(Problem("bad_call", str(error))) from None

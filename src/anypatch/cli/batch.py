"""The command `batch`: apply every answer of a table."""

from __future__ import annotations

import gc
import os
from argparse import Namespace

from ..api import rules_of
from ..batch import Options
from ..batch.run import run
from ..batch.tables import instances
from ..problems import Problem, Refused, reason
from ..report.json import json_text
from .inputs import format_name
from .output import Output, painter
from .terminal import ProgressBar, harmless


def run_batch(args: Namespace) -> Output:
    """Apply the answers, and print the summary."""
    gc.enable()  # the program does without the collector, but not for a million rows
    options = _options(args)
    if args.resume and os.path.exists(args.out):
        return Output(0, [], [f"anypatch: {harmless(args.out)} is already complete"])
    bar = ProgressBar()
    try:
        summary = run(
            args.answers, args.out, options, engine=args.engine or "local", workers=args.workers or 0,
            resume=bool(args.resume), force=bool(args.force), tell=bar.update,
        )  # fmt: skip
    except KeyboardInterrupt:
        hint = "" if args.out == "-" else f"; {args.out}.part has what is done; --resume continues it"
        return Output(130, [], [f"anypatch: interrupted{hint}"])
    finally:
        bar.clear()
    value = json_text({"ok": True, **summary.as_json()})
    if args.summary:
        _write("summary", args.summary, f"{value}\n")
    if args.html:
        _write("page", args.html, summary.page(f"Batch of {os.path.basename(args.answers)}"))
    if args.json:
        lines = [value]
    elif args.quiet:
        lines = []
    else:
        paint = painter(args)
        lines = [paint("", line) for line in summary.lines()]
    # If the results go to standard output, nothing else does.
    return Output(0, [], lines) if args.out == "-" else Output(0, lines, [])


def _options(args: Namespace) -> Options:
    if args.repos and not os.path.isdir(args.repos):
        raise Refused(Problem("unreadable", f"the folder of repositories {args.repos!r} doesn't exist"))
    known = instances(args.instances) if args.instances else {}
    try:
        return Options(
            args.repos or "", format_name(args), bool(args.partial), args.syntax or "off", dict(args.columns or ()),
            known, rules_of(args.accept),
        ).checked()  # fmt: skip
    except ValueError as error:
        raise Refused(Problem("bad_call", str(error))) from None


def _write(name: str, path: str, text: str) -> None:
    try:
        with open(path, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
    except OSError as error:
        detail = f"the {name} can't be written to {path!r}: {reason(error)}"
        raise Refused(Problem("io", detail, advice="The results are complete.")) from None

"""The command `replay`: what anypatch would have done with the edit calls in agents' transcripts."""

from __future__ import annotations

import gc
import os
import sys
from argparse import Namespace

from ..problems import Problem, Refused, reason
from ..replay import replay
from ..report.json import json_text
from . import landlock, terminal
from .output import Output, painter


def run_replay(args: Namespace) -> Output:
    """Replay the calls, and print the summary."""
    gc.enable()  # the program does without the collector, but not for a year of transcripts
    if args.path and not os.path.exists(args.path):
        raise Refused(Problem("unreadable", f"{args.path!r} doesn't exist"))
    landlock.restrict_to_report(args.html)
    bar = terminal.ProgressBar()
    try:
        summary = replay([args.path] if args.path else [], tell=bar.update)
    except KeyboardInterrupt:
        return Output(130, [], ["anypatch: interrupted"])
    finally:
        bar.clear()
    if not summary.transcripts:
        where = repr(args.path) if args.path else "the folders of Claude Code, Codex, Gemini CLI and opencode"
        raise Refused(Problem("unreadable", f"there are no transcripts in {where}"))
    if args.html:
        _write(args.html, summary.page())
    if args.json:
        return Output(0, [json_text({"ok": True, **summary.as_json()})], [])
    width = terminal.width() if terminal.is_terminal(sys.stdout) else 0
    paint = painter(args)
    return Output(0, [paint("", line) for line in summary.lines(width)], [])


def _write(path: str, text: str) -> None:
    try:
        with open(path, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
    except OSError as error:
        raise Refused(Problem("io", f"the page can't be written to {path!r}: {reason(error)}")) from None

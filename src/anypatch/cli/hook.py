"""The command `hook`: answers an agent that is about to edit a file with a tool of its own; installs itself.

A failure of its own never stops the agent: it is one line on standard error, and the call goes ahead.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
import time

from .. import api
from ..hooks import CLIENTS, answer, decide, read_event
from ..problems import Problem, Refused, in_a_line
from ..storage.hook_log import add, entries
from ..storage.journal import digest
from . import terminal
from .options import Call
from .shared import Output, located, reported


def run_hook(call: Call) -> Output:
    """Answer one event, or write the settings."""
    if call.argument is not None:
        return _install(located(call))
    try:
        return Output(0, _answer_event(), [])
    except Exception as error:
        return Output(0, [], [f"anypatch hook: the call is left as it is ({terminal.harmless(in_a_line(error))})"])


def _answer_event() -> list[str]:
    """Return the answer to the event on standard input, and log what was done about the call."""
    call = read_event(json.loads(sys.stdin.buffer.read()))
    if call is None:
        return []
    verdict = decide(call)
    call_digest = digest(json.dumps(call.input, sort_keys=True).encode())[:16]
    if verdict and verdict.once:
        denied = (entry.get("call") for entry in entries(call.cwd) if entry.get("did") == "denied")
        if next(denied, "") == call_digest:  # the last call denied here comes again: let it through
            verdict = None
    output = answer(call, verdict)
    if verdict:
        entry = {
            "time": time.time(), "client": call.client, "tool": call.tool, "did": verdict.action, "path": verdict.path,
            "why": verdict.why, "call": call_digest,
        }  # fmt: skip
        try:
            add(call.cwd, entry)
        except (OSError, Refused):  # the answer counts all the same
            terminal.write(sys.stderr, ["anypatch hook: the log can't be written"])
    return [] if output is None else [json.dumps(output)]


def _install(call: Call) -> Output:
    """Show what a client's settings need, and write it if --write is given; `undo` undoes that."""
    word, name = call.arguments
    client = CLIENTS.get(name)
    if word != "install" or client is None:
        detail = f"hook takes `install` and one of {', '.join(CLIENTS)}, not {word} {name}"
        raise Refused(Problem("bad_call", detail, advice="See `anypatch hook --help`."))
    path = os.path.join(call.root, client.settings)
    try:
        with open(path, encoding="utf-8") as file:
            before = file.read()
    except FileNotFoundError:
        before = ""
    except (OSError, ValueError) as error:
        raise Refused(Problem("unreadable", f"{client.settings}: {error}")) from None
    try:
        settings = json.loads(before) if before.strip() else {}
        after = client.add_hook(settings, _command())
    except (ValueError, AttributeError, TypeError) as error:
        detail = f"the hook can't be added to {client.settings}: {error}"
        advice = f"Add by hand: {json.dumps(client.add_hook({}, _command()))}"
        raise Refused(Problem("unreadable", detail, advice=advice)) from None
    if after == settings:
        return Output(0, [f"{client.settings} already has the hook"], [])
    text = json.dumps(after, indent=2, ensure_ascii=False) + "\n"
    write = {"name": "Write", "input": {"file_path": client.settings, "content": text}}
    report = api.apply(write, call.root, overwrite=True, dry_run=not call.has("write"), again=True)
    result = reported(call, report)
    more = [] if call.has("write") or not report.ok else ["To write it, add --write."]
    return result._replace(out=[*result.out, *more])


def _command() -> str:
    """Return how a client calls this program: by its name if that is on the path, else by its full path."""
    program = os.path.abspath(sys.argv[0])
    found = shutil.which("anypatch")
    return "anypatch hook" if found and os.path.samefile(found, program) else f"{shlex.quote(program)} hook"

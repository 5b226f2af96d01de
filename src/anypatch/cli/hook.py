"""The command `hook`: answers an agent that is about to edit a file with a tool of its own; installs itself.

A failure of its own never stops the agent: it is one line on standard error, and the call goes ahead.
"""

from __future__ import annotations

import json
import logging
import os
import shlex
import shutil
import sys
import time
from argparse import Namespace
from functools import partial
from typing import Any

from .. import api
from ..hooks import CLIENTS, SeenText, answer, decide, read_event
from ..problems import Problem, Refused, in_a_line
from ..storage.journal import digest
from ..storage.logs import Caller, add_verdict, note_call, verdicts
from . import terminal
from .inputs import locate_root
from .output import Output, as_output

_logger = logging.getLogger(__name__)


def run_hook(args: Namespace) -> Output:
    """Answer one event, or write the settings."""
    if args.install:
        locate_root(args)
        return _install(args)
    try:
        return Output(0, _answer_event(), [])
    except Exception as error:
        return Output(0, [], [f"anypatch hook: the call is left as it is ({terminal.harmless(in_a_line(error))})"])


def _answer_event() -> list[str]:
    """Return the answer to the event on standard input. Log what was done about the call, or who makes it."""
    call = read_event(json.loads(sys.stdin.buffer.read()))
    if call is None:
        return []
    if call.is_for_server:
        note_call(call.id, call.input, Caller(call.session, call.turn))
        return _as_output(answer(call, None))
    verdict = decide(call, partial(_last_seen, call.transcript))
    call_digest = digest(json.dumps(call.input, sort_keys=True).encode())[:16]
    if verdict and verdict.once:
        denied = (entry.get("call") for entry in verdicts(call.cwd) if entry.get("did") == "denied")
        if next(denied, "") == call_digest:  # the last call denied here comes again: let it through
            verdict = None
    output = answer(call, verdict)
    _logger.debug("%s %s: %s", call.client, call.tool, verdict.action if verdict else "left alone")
    if verdict:
        entry = {
            "time": time.time(), "client": call.client, "tool": call.tool, "did": verdict.action, "path": verdict.path,
            "why": verdict.why, "call": call_digest, "session": call.session, "turn": call.turn,
        }  # fmt: skip
        try:
            add_verdict(call.cwd, entry)
        except (OSError, Refused):  # the answer counts all the same
            terminal.write(sys.stderr, ["anypatch hook: the log can't be written"])
    return _as_output(output)


def _last_seen(transcript: str, path: str) -> SeenText | None:
    """Return a file's text as the session's transcript has it last."""
    if not os.path.isfile(transcript):
        return None
    from ..replay import last_text

    found = last_text(transcript, path)
    return SeenText(*found) if found else None


def _as_output(output: dict[str, Any] | None) -> list[str]:
    return [] if output is None else [json.dumps(output)]


def _install(args: Namespace) -> Output:
    """Show what a client's settings need, and write it if --write is given; `undo` undoes that."""
    if not args.client:
        detail = f"hook install needs a client: {', '.join(CLIENTS)}"
        raise Refused(Problem("bad_call", detail, advice="See `anypatch hook --help`."))
    client = CLIENTS[args.client]
    try:
        with open(os.path.join(args.root, client.settings), encoding="utf-8") as file:
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
    result = api.apply(write, args.root, overwrite=True, dry_run=not args.write, again=True)
    output = as_output(args, result)
    return output if args.write or not result.ok else output._replace(out=[*output.out, "To write it, add --write."])


def _command() -> str:
    """Return how a client calls this program: by its name if that is on the path, else by its full path."""
    program = os.path.abspath(sys.argv[0])
    on_path = shutil.which("anypatch")
    return "anypatch hook" if on_path and os.path.samefile(on_path, program) else f"{shlex.quote(program)} hook"

"""The command `hook`: answers an agent that is about to edit a file with a tool of its own; installs itself.

It never stands in the way by failing: whatever goes wrong is one line on standard error, and the call goes on.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Mapping

from ..problems import Problem, Refused
from . import terminal
from .shared import Output

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .options import Call


def run(call: Call) -> Output:
    """Answer one event, or write the settings."""
    if call.argument is not None:
        return _install(call)
    try:
        return Output(0, _answered(), [])
    except Exception as error:
        told = " ".join(f"{type(error).__name__}: {error}".split())[:200]
        return Output(0, [], [f"anypatch hook: the call is left as it is ({terminal.harmless(told)})"])


def _answered() -> list[str]:
    from ..hooks.clients import request_of

    request = request_of(json.loads(sys.stdin.buffer.read()))
    if request is None:
        return []
    from ..hooks import judged

    verdict = judged(request)
    if verdict is None or (verdict.insisting and _is_repeated(request.cwd, request.input)):
        return ["{}"] if request.client == "cursor" else []  # Cursor wants an answer
    from ..hooks.clients import answer

    told = json.dumps(answer(request, verdict))
    entry = {
        "client": request.client,
        "tool": request.tool,
        "did": verdict.did,
        "path": verdict.path,
        "why": verdict.why,
    }
    _keep(request.cwd, entry | {"call": _digest(request.input)})
    return [told]


def _digest(given: object) -> str:
    from ..storage.journal import digest

    return digest(json.dumps(given, sort_keys=True).encode())[:16]


def _is_repeated(root: str, given: object) -> bool:
    """Whether the last that was denied here is this very call."""
    from ..storage.hook_log import entries

    return next((one.get("call") for one in entries(root) if one.get("did") == "denied"), "") == _digest(given)


def _keep(root: str, entry: Mapping[str, object]) -> None:
    """Into the log; where that can't be kept, the answer counts all the same."""
    from ..storage.hook_log import add

    try:
        add(root, {"time": time.time(), **entry})
    except (OSError, Refused):
        terminal.write(sys.stderr, ["anypatch hook: the log can't be written"])


# ── the settings of clients ──────────────────────────────────────────────────────────────────────


def _install(call: Call) -> Output:
    """Show what a client's settings need; write it where that is asked for, so that undo takes it back."""
    from .. import api
    from ..hooks.clients import CLIENTS, installed
    from .commands import reported

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
        after = installed(client, settings, _command())
    except (ValueError, AttributeError, TypeError) as error:
        advice = f"Add by hand: {json.dumps(installed(client, {}, _command()))}"
        raise Refused(
            Problem("unreadable", f"the hook can't be added to {client.settings}: {error}", advice=advice)
        ) from None
    if after == settings:
        return Output(0, [f"{client.settings} already has the hook"], [])
    text = json.dumps(after, indent=2, ensure_ascii=False) + "\n"
    write = {"name": "Write", "input": {"file_path": client.settings, "content": text}}
    report = api.apply(write, call.root, overwrite=True, dry_run=not call.has("write"), again=True)
    result = reported(call, report)
    more = [] if call.has("write") or not report.ok else ["To write it, add --write."]
    return result._replace(out=[*result.out, *more])


def _command() -> str:
    """How a client calls this program: by its name where that is on the path, else by its place."""
    import shlex
    import shutil

    program = os.path.abspath(sys.argv[0])
    found = shutil.which("anypatch")
    return "anypatch hook" if found and os.path.samefile(found, program) else f"{shlex.quote(program)} hook"

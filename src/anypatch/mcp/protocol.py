"""The messages of the server as JSON, for any transport: greeting, tools, resources, prompts, results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from .. import __version__
from ..formats import Format, known, named, names
from ..hints import SyntaxCheck
from ..storage.logs import Caller, find_caller
from ..storage.state import Settings
from ..text import writable
from .memory import FinishedCalls, ShownFiles, ToolResult
from .roots import Bounds
from .tools import TOOLS

VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")  # those that begin with `initialize`
MAX_MESSAGE = 16 << 20  # bytes
MAX_CALLS = 8  # at a time; Python computes one at a time, the others mostly wait for the lock of the tree
PROGRESS_SECONDS = 0.5  # between two progress notifications of a call
_MAX_NAME = 200  # characters of the name of a session or a turn
ROOTS_SECONDS = 5.0  # for a client to list its roots

INSTRUCTIONS = (
    "Edits files by patches: each goes to the one right place or is refused with what to do next, all or nothing, and "
    "can be undone. Paths are relative to the root."
)
_FORMATS = "anypatch://formats/"
_PROMPT = "edit-with-"
# Every structured result has this; the rest is the JSON of the command line.
_OUTPUT_SCHEMA = {"type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]}


class Service(NamedTuple):
    """The options that the server was started with. `structured`: send results as JSON, too.

    `plan_rename`: that of `lsp`, if the server may use language servers; handed in, so that this package needn't know.
    `finished`: the calls that came with an idempotency key. `shown`: the files as each session was shown them.
    """

    bounds: Bounds
    settings: Settings
    syntax: SyntaxCheck = "warn"
    structured: bool = False
    plan_rename: Callable[..., Any] | None = None
    finished: FinishedCalls | None = None
    shown: ShownFiles | None = None


class Unknown(Exception):
    """A request for something that doesn't exist; its text says what does."""


def initialize(version: object) -> dict[str, Any]:
    """Answer `initialize`, in the client's version of the protocol if that is known."""
    return {
        "protocolVersion": version if version in VERSIONS else VERSIONS[-1],
        "capabilities": {"tools": {"listChanged": False}, "resources": {}, "prompts": {}},
        "serverInfo": {"name": "anypatch", "version": __version__},
        "instructions": INSTRUCTIONS,
    }


def tools(service: Service) -> dict[str, Any]:
    """List the tools."""
    offered = [tool for tool in TOOLS if tool.name != "rename_symbol" or service.plan_rename]
    more = {"outputSchema": _OUTPUT_SCHEMA} if service.structured else {}
    return {"tools": [tool.definition() | more for tool in offered]}


def shows_error_text(client_info: object) -> bool:
    """Return False for clients that hide the text of a result that is marked as an error.

    Of `{"isError": true, "content": [{"text": "Refused …"}]}` they show the model this JSON, after the call.
    """
    name = client_info.get("name") if isinstance(client_info, dict) else ""
    return not str(name).startswith(("gemini-cli", "qwen-cli"))


def session_and_turn(meta: object, arguments: dict[str, Any], session: str) -> Caller:
    """Return the session and the turn that a call comes from; without one, the `session` of the connection.

    Codex sends them as `x-codex-turn-metadata`; every other client may as `anypatch/session` and `anypatch/turn`. Else
    its hook may have told us, by the id that Claude Code sends along, or by the arguments.
    """
    known = meta if isinstance(meta, dict) else {}
    codex = known.get("x-codex-turn-metadata")
    codex = codex if isinstance(codex, dict) else {}
    sent = Caller(
        _name(known.get("anypatch/session", codex.get("session_id"))),
        _name(known.get("anypatch/turn", codex.get("turn_id"))),
    )
    caller = sent if sent.session else find_caller(_name(known.get("claudecode/toolUseId")), arguments)
    return Caller(caller.session or session, caller.turn or sent.turn)


def idempotency_key(meta: object) -> str:
    """Return the key under which a client repeats a call whose result it didn't get; "" for none."""
    return _name(meta.get("anypatch/idempotency-key")) if isinstance(meta, dict) else ""


def _name(value: object) -> str:
    return value[:_MAX_NAME] if isinstance(value, str) else ""


def call_result(result: ToolResult, structured: bool, marks_errors: bool = True) -> dict[str, Any]:
    """Return the result of a call: the text for the model, and in `_meta`, which no client shows, the programs' part.

    Structured results only if asked for: clients show them instead of the text, and they are ten times as long.
    """
    value = result.value
    meta = {"anypatch/ok": value["ok"]}
    meta |= {f"anypatch/{key}": value[key] for key in ("receipt", "hashes", "hash") if value.get(key)}
    content = [{"type": "text", "text": result.text}]
    message = {"content": content, "isError": result.failed and marks_errors, "_meta": meta}
    sendable: dict[str, Any] = writable(message | {"structuredContent": value} if structured else message)
    return sendable


# ── the formats as resources and prompts ─────────────────────────────────────────────────────────


def resources() -> dict[str, Any]:
    """List the rules of each format as a resource."""
    return {
        "resources": [
            {
                "uri": _FORMATS + format.name, "name": format.name,
                "description": f"How to write it. {format.summary}.", "mimeType": "text/markdown",
            }
            for format in known()
        ]
    }  # fmt: skip


def resource(uri: str) -> dict[str, Any]:
    """Return the rules of a format."""
    if not uri.startswith(_FORMATS):
        raise Unknown(f"there is no resource {uri}; they are called {_FORMATS}NAME")
    text = _format(uri.removeprefix(_FORMATS)).prompt
    return {"contents": [{"uri": uri, "mimeType": "text/markdown", "text": text}]}


def prompts() -> dict[str, Any]:
    """List a prompt for each format."""
    task = {"name": "task", "description": "what to change", "required": False}
    return {
        "prompts": [
            {"name": _PROMPT + format.name, "description": f"Edit with {format.summary}.", "arguments": [task]}
            for format in known()
        ]
    }


def prompt(name: str, task: str) -> dict[str, Any]:
    """Return the prompt for a format, followed by the task."""
    format = _format(name.removeprefix(_PROMPT))
    text = f"{format.prompt.rstrip()}\n\nSend the edits to the tool apply_patch with format {format.name!r}."
    content = {"type": "text", "text": f"{text}\n\n{task}" if task else text}
    return {"description": f"Edit with {format.summary}.", "messages": [{"role": "user", "content": content}]}


def _format(name: str) -> Format:
    if name not in names():
        raise Unknown(f"there is no format {name!r}; the formats are {', '.join(names())}")
    return named(name)

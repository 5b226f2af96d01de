"""What the server says, as JSON: its tools, resources, prompts, and what calls come to. Knows no transport."""

from __future__ import annotations

from .. import __version__
from ..record import NamedTuple
from .tools import INSTRUCTIONS, OUTPUT, TOOLS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..formats import Format
    from ..hints import SyntaxCheck
    from ..storage.state import Settings
    from .session import Answer

VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")  # that begin with a handshake
_FORMATS = "anypatch://formats/"
_PROMPT = "edit-with-"


class Bounds(NamedTuple):
    """What the server may ever touch. Without `served`, the client's folders, or `here` where it names none."""

    served: tuple[str, ...] = ()
    here: str = ""


class Service(NamedTuple):
    """What the server was started with. `structured`: results come as JSON, too. `lsp`: language servers may be run."""

    bounds: Bounds
    settings: Settings
    syntax: SyntaxCheck = "warn"
    structured: bool = False
    lsp: bool = False


class Unknown(Exception):
    """A request for something that there isn't; its text says what there is."""


def greeting(wanted: object) -> dict[str, Any]:
    """The answer to a client's first words, in its version of the protocol if that is known."""
    return {
        "protocolVersion": wanted if wanted in VERSIONS else VERSIONS[-1],
        "capabilities": {"tools": {"listChanged": False}, "resources": {}, "prompts": {}},
        "serverInfo": {"name": "anypatch", "version": __version__},
        "instructions": INSTRUCTIONS,
    }


def tools(service: Service) -> dict[str, Any]:
    """The tools as clients are told of them."""
    found = []
    for tool in TOOLS:
        if tool.name == "rename_symbol" and not service.lsp:
            continue
        told: dict[str, Any] = {
            "name": tool.name, "title": tool.title, "description": tool.description, "inputSchema": tool.schema,
            "annotations": {
                "readOnlyHint": tool.reads, "destructiveHint": not tool.reads, "idempotentHint": tool.reads,
                "openWorldHint": False,
            },
        }  # fmt: skip
        found.append(told | {"outputSchema": OUTPUT} if service.structured else told)
    return {"tools": found}


def hands_on_words(client: object) -> bool:
    """Whether a client hands on the words of a result that is marked as an error, by what it says it is.

    Of `{"isError": true, "content": [{"text": "Refused …"}]}` some show the model this very JSON, behind the call.
    """
    name = client.get("name") if isinstance(client, dict) else ""
    return not str(name).startswith(("gemini-cli", "qwen-cli"))


def result(answer: Answer, structured: bool, marked: bool = True) -> dict[str, Any]:
    """What a call came to: the words for the model. What a program needs is in `_meta`, which no client shows.

    Clients show a structured result instead of the words, ten times as long: hence only where it was asked for.
    `marked`: a refusal is marked as an error.
    """
    value = answer.value
    meta = {"anypatch/ok": value["ok"]}
    meta |= {f"anypatch/{key}": value[key] for key in ("receipt", "hashes", "hash") if value.get(key)}
    told = {"content": [{"type": "text", "text": answer.text}], "isError": answer.failed and marked, "_meta": meta}
    sendable: dict[str, Any] = writable(told | {"structuredContent": value} if structured else told)
    return sendable


def writable(value: Any) -> Any:
    """The value with lone surrogates, which stand for bytes that are no UTF-8 and which JSON can't send, spelt out."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, dict):
        return {writable(name): writable(inner) for name, inner in value.items()}
    return [writable(inner) for inner in value] if isinstance(value, list | tuple) else value


# ── the formats as resources and prompts ─────────────────────────────────────────────────────────


def resources() -> dict[str, Any]:
    """How to write each format."""
    return {
        "resources": [
            {
                "uri": _FORMATS + one.name, "name": one.name, "description": f"How to write it. {one.summary}.",
                "mimeType": "text/markdown",
            }
            for one in _formats()
        ]
    }  # fmt: skip


def resource(uri: str) -> dict[str, Any]:
    """One of them."""
    if not uri.startswith(_FORMATS):
        raise Unknown(f"there is no resource {uri}; they are called {_FORMATS}NAME")
    text = _format(uri.removeprefix(_FORMATS)).prompt
    return {"contents": [{"uri": uri, "mimeType": "text/markdown", "text": text}]}


def prompts() -> dict[str, Any]:
    """A prompt for each format."""
    task = {"name": "task", "description": "what to change", "required": False}
    return {
        "prompts": [
            {"name": _PROMPT + one.name, "description": f"Edit with {one.summary}.", "arguments": [task]}
            for one in _formats()
        ]
    }


def prompt(name: str, task: str) -> dict[str, Any]:
    """One of them, with what to change."""
    found = _format(name.removeprefix(_PROMPT))
    text = f"{found.prompt.rstrip()}\n\nSend the edits to the tool apply_patch with format {found.name!r}."
    content = {"type": "text", "text": f"{text}\n\n{task}" if task else text}
    return {"description": f"Edit with {found.summary}.", "messages": [{"role": "user", "content": content}]}


def _formats() -> tuple[Format, ...]:
    from .. import api

    return api.formats()


def _format(name: str) -> Format:
    for one in _formats():
        if one.name == name:
            return one
    raise Unknown(f"there is no format {name!r}; the formats are {', '.join(one.name for one in _formats())}")

"""What the server says, as JSON: its tools, resources, prompts, and what calls come to. Knows no transport.

Every word of the tools is paid for by every agent in every conversation; a test holds the sum down.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from .. import __version__
from ..formats import known, named, names
from ..problems import Problem, Refused
from ..similarity import did_you_mean
from ..text import writable

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


# ── the formats as resources and prompts ─────────────────────────────────────────────────────────


def resources() -> dict[str, Any]:
    """How to write each format."""
    return {
        "resources": [
            {
                "uri": _FORMATS + one.name, "name": one.name, "description": f"How to write it. {one.summary}.",
                "mimeType": "text/markdown",
            }
            for one in known()
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
            for one in known()
        ]
    }


def prompt(name: str, task: str) -> dict[str, Any]:
    """One of them, with what to change."""
    found = _format(name.removeprefix(_PROMPT))
    text = f"{found.prompt.rstrip()}\n\nSend the edits to the tool apply_patch with format {found.name!r}."
    content = {"type": "text", "text": f"{text}\n\n{task}" if task else text}
    return {"description": f"Edit with {found.summary}.", "messages": [{"role": "user", "content": content}]}


def _format(name: str) -> Format:
    if name not in names():
        raise Unknown(f"there is no format {name!r}; the formats are {', '.join(names())}")
    return named(name)


# ── the table of tools: what models are told of them, and what their arguments must be ────────────────


Schema = dict[str, "Any"]


class Tool(NamedTuple):
    """A tool. `reads`: it changes nothing, and calling it again does no more than calling it once."""

    name: str
    title: str
    description: str
    arguments: dict[str, Schema]
    required: tuple[str, ...] = ()
    reads: bool = True

    @property
    def schema(self) -> Schema:
        """The JSON schema of its arguments."""
        told: Schema = {"type": "object", "properties": self.arguments, "additionalProperties": False}
        return told | {"required": list(self.required)} if self.required else told


# What every structured result holds; the rest is the JSON of the command line.
OUTPUT: Schema = {"type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]}


def _text(description: str = "") -> Schema:
    return {"type": "string", "description": description} if description else {"type": "string"}


def _flag(description: str) -> Schema:
    return {"type": "boolean", "description": description}


def _number(description: str, least: int = 0) -> Schema:
    return {"type": "integer", "minimum": least, "description": description}


def _lines(description: str) -> Schema:
    return {"type": "array", "items": {"type": "string"}, "description": description}


_ROOT = {"root": _text("which root, if there are several")}
_EXAMPLE = "a.py\n<<<<<<< SEARCH\n    return 1\n=======\n    return 2\n>>>>>>> REPLACE"
_PATCH = {
    "patch": _text(f"the whole patch, or an answer that contains it, such as {_EXAMPLE!r}"),
    "format": {"type": "string", "enum": list(names()), "description": "detected if omitted"},
}
_FILE = {"relative_path": _text()}
_SYMBOL = {
    **_FILE,
    "name_path": _text('Class/method; /Class/method from the top; f[1] is the second f; "/" the whole file'),
    "line": _number("or the position of its identifier, from 1", 1),
    "column": _number("from 1", 1),
}
_CHUNK: Schema = {
    "type": "object",
    "properties": {
        "context_before": _lines("the lines right before, copied exactly; [] at the symbol's start"),
        "old_lines": _lines("the lines to replace, copied exactly; [] to insert"),
        "new_lines": _lines("the lines to put there; [] to delete"),
        "context_after": _lines("the lines right after; [] at the symbol's end"),
    },
    "required": ["context_before", "old_lines", "new_lines", "context_after"],
}

TOOLS = (
    Tool(
        "apply_patch", "Apply a patch",
        "Edit, create, delete or move files with one patch: unified or git diff, *** Begin Patch, SEARCH/REPLACE, "
        "JSON edits, whole files and more; wrong line numbers, lost indentation and prose around it are fine. "
        "All of it is applied or none; a refusal shows what is in the file and what to send instead. "
        "Best for changes in several places or files.",
        {
            **_PATCH, "dry_run": _flag("only report what would happen"),
            "partial": _flag("apply what fits; the rest comes back as a patch"),
            "overwrite": _flag("true: new files may replace existing ones; false: never; omitted: as the format says"),
            "expected_hashes": {
                "type": "object", "additionalProperties": {"type": "string"},
                "description": "path, or path#name_path, to the hash it was read with; refused if it has changed since",
            },
            **_ROOT,
        },
        ("patch",), reads=False,
    ),
    Tool(
        "check_patch", "Check a patch", "Report what apply_patch would do, with a diff.", {**_PATCH, **_ROOT},
        ("patch",),
    ),
    Tool(
        "edit_symbol", "Edit a symbol",
        "Change one function, method or class by name, without sending all of it: chunks of changed lines, or op "
        "for the symbol as a whole. All or nothing. Cheapest for a change inside one long symbol.",
        {
            **_SYMBOL, "chunks": {"type": "array", "items": _CHUNK, "description": "changes inside the symbol"},
            "op": {
                "type": "string", "enum": ["replace", "insert_before", "insert_after", "delete"],
                "description": "instead of chunks",
            },
            "text": _text("the new text for op"),
            "expected_hash": _text("as read_symbol returned it; refused if the symbol has changed since"),
            "dry_run": _flag("only report what would happen"), **_ROOT,
        },
        ("relative_path",), reads=False,
    ),
    Tool(
        "outline", "Outline a file or folder",
        "List the symbols of a source file: kinds, name paths, lines, and the file's hash; of a folder, the top-level "
        "ones of each file. Use it before reading a long file.",
        {**_FILE, "depth": _number("levels; all if omitted", 1), "kind": _text("only these, such as class"), **_ROOT},
        ("relative_path",),
    ),
    Tool(
        "read_symbol", "Read a symbol", "Read one symbol and its hash, instead of the whole file.",
        {**_SYMBOL, "with_comments": _flag("with the comments right above"), **_ROOT}, ("relative_path",),
    ),
    Tool(
        "rename_symbol", "Rename a symbol",
        "Rename a symbol wherever it is used, by a language server. All files or none.",
        {**_SYMBOL, "new_name": _text(), "dry_run": _flag("only report what would happen"), **_ROOT},
        ("relative_path", "new_name"), reads=False,
    ),
    Tool(
        "undo", "Undo", "Undo the last applied patch, or the one named. Later edits elsewhere in its files stay.",
        {"receipt": _text("as apply_patch or history returned it"), **_ROOT}, reads=False,
    ),
    Tool(
        "history", "History", "List what was applied here, newest first.",
        {"limit": _number("how many; 20 if omitted", 1), **_ROOT},
    ),
    Tool(
        "formats", "Formats", "List the patch formats; with a name, return its rules, to read before writing it.",
        {"name": _PATCH["format"] | {"description": "which"}},
    ),
)  # fmt: skip

NAMED = {tool.name: tool for tool in TOOLS}

INSTRUCTIONS = (
    "Edits files by patches: each goes to the one right place or is refused with what to do next, all or nothing, and "
    "can be undone. Paths are relative to the root."
)


# ── arguments as models send them ───────────────────────────────────────────────────────────────────


_TYPES: dict[str, tuple[type, str]] = {
    "string": (str, "a string"), "boolean": (bool, "true or false"), "integer": (int, "a whole number"),
    "array": (list, "a list"), "object": (dict, "an object"),
}  # fmt: skip


def checked(tool: Tool, given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments given, each of its type; null counts as left out."""
    said = {name: value for name, value in given.items() if value is not None}
    for name in said:
        if name not in tool.arguments:
            meant = did_you_mean(name, tool.arguments) or f"it takes {', '.join(tool.arguments)}"
            raise _bad(f"{tool.name} has no argument {name!r}; {meant}")
    for name in tool.required:
        if name not in said:
            raise _bad(f"{tool.name} needs {name!r}")
    return {name: _fitting(name, value, tool.arguments[name]) for name, value in said.items()}


def _fitting(name: str, value: Any, schema: Schema) -> Any:
    """The value, if it is of the type asked for; lists and objects also where they come as a text of JSON."""
    kind = schema["type"]
    if isinstance(value, str) and kind != "string":
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            pass
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    expected, told = _TYPES[kind]
    fits = isinstance(value, expected) and not (kind == "integer" and isinstance(value, bool))
    if not fits:
        raise _bad(f"{name!r} must be {told}")
    if "enum" in schema and value not in schema["enum"]:
        meant = did_you_mean(str(value), schema["enum"]) or f"it must be one of {', '.join(schema['enum'])}"
        raise _bad(f"{name!r} can't be {value!r}; {meant}")
    if kind == "integer" and not schema["minimum"] <= value < 1 << 31:
        raise _bad(f"{name!r} must be a whole number, at least {schema['minimum']}")
    if "additionalProperties" in schema and not all(isinstance(one, str) for one in value.values()):
        raise _bad(f"{name!r} must contain only strings")
    return value


def no_tool(name: str) -> str:
    """What to say of a tool that there isn't."""
    listed = ", ".join(NAMED)
    return f"there is no tool {name!r}; {did_you_mean(name, NAMED) or f'the tools are {listed}'}"


def _bad(detail: str) -> Refused:
    return Refused(Problem("bad_call", detail))

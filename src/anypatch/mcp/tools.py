"""The table of tools, as models see them, and the check of what models send as arguments. Knows no transport.

Every agent pays for every word of the tools in every conversation; a test holds the sum down.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from ..formats import names
from ..problems import Problem, Refused
from ..similarity import did_you_mean

Schema = dict[str, Any]


class Tool(NamedTuple):
    """A tool. `reads`: it changes nothing, and calling it again does no more than calling it once."""

    name: str
    title: str
    description: str
    arguments: dict[str, Schema]
    required: tuple[str, ...] = ()
    reads: bool = True

    def definition(self) -> dict[str, Any]:
        """Return the tool as a client lists it."""
        schema: Schema = {"type": "object", "properties": self.arguments, "additionalProperties": False}
        return {
            "name": self.name, "title": self.title, "description": self.description,
            "inputSchema": schema | {"required": list(self.required)} if self.required else schema,
            "annotations": {
                "readOnlyHint": self.reads, "destructiveHint": not self.reads, "idempotentHint": self.reads,
                "openWorldHint": False,
            },
        }  # fmt: skip


def _text(description: str = "") -> Schema:
    return {"type": "string", "description": description} if description else {"type": "string"}


def _flag(description: str) -> Schema:
    return {"type": "boolean", "description": description}


def _number(description: str) -> Schema:
    return {"type": "integer", "minimum": 1, "description": description}


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
    "line": _number("or the position of its identifier, from 1"),
    "column": _number("from 1"),
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
                "description": "path, or path#name_path, to the hash it was read with; what has changed since is kept",
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
            "expected_hash": _text("as read_symbol returned it; what has changed since is kept"),
            "dry_run": _flag("only report what would happen"), **_ROOT,
        },
        ("relative_path",), reads=False,
    ),
    Tool(
        "outline", "Outline a file or folder",
        "List the symbols of a source file: kinds, name paths, lines, and the file's hash; of a folder, the top-level "
        "ones of each file. Use it before reading a long file.",
        {**_FILE, "depth": _number("levels; all if omitted"), "kind": _text("only these, such as class"), **_ROOT},
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
        {
            "receipt": _text("as apply_patch or history returned it"),
            "turn": _flag("all of the user's last request"), "since": _text("all from this receipt or time on"),
            "all": _flag("all of this session"), **_ROOT,
        },
        reads=False,
    ),
    Tool(
        "history", "History", "List what was applied here, newest first.",
        {"limit": _number("how many; 20 if omitted"), **_ROOT},
    ),
    Tool(
        "formats", "Formats", "List the patch formats; with a name, return its rules, to read before writing it.",
        {"name": _PATCH["format"] | {"description": "which"}},
    ),
)  # fmt: skip

# Names under which other servers take these arguments.
_OTHER_NAMES = {
    "patch": "diff input content text answer edits",
    "relative_path": "path file file_path file_name target_file absolute_path folder",
    "name_path": "symbol symbol_name name name_path_pattern function method class",
    "new_name": "name to",
    "text": "body content code new_text",
    "receipt": "id receipt_id",
}

TOOLS_BY_NAME = {tool.name: tool for tool in TOOLS}


def unknown_tool(name: str) -> str:
    """Return the message for a tool that doesn't exist."""
    listed = ", ".join(TOOLS_BY_NAME)
    return f"there is no tool {name!r}; {did_you_mean(name, TOOLS_BY_NAME) or f'the tools are {listed}'}"


# ── arguments as models send them ───────────────────────────────────────────────────────────────────


_TYPES: dict[str, tuple[type, str]] = {
    "string": (str, "a string"), "boolean": (bool, "true or false"), "integer": (int, "a whole number"),
    "array": (list, "a list"), "object": (dict, "an object"),
}  # fmt: skip


def check_arguments(tool: Tool, sent: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments, each of its type, without those that are null. Raise Refused for a wrong one."""
    arguments = {name: value for name, value in sent.items() if value is not None}
    if unknown := [name for name in arguments if name not in tool.arguments]:
        free = [name for name in tool.arguments if name not in arguments]
        raise Refused(*(Problem("bad_call", f"{tool.name} has {_unknown(name, free)}") for name in unknown))
    for name in tool.required:
        if name not in arguments:
            raise _bad_call(f"{tool.name} needs {name!r}")
    return {name: _check_value(name, value, tool.arguments[name]) for name, value in arguments.items()}


def _unknown(name: str, free: list[str]) -> str:
    """Return what to say of an argument that doesn't exist. `free`: those of the tool that weren't sent."""
    right = next((known for known in free if _plain(name) in map(_plain, _OTHER_NAMES.get(known, "").split())), "")
    hint = f"it is called {right!r}" if right else did_you_mean(name, free) or f"it takes {', '.join(free)}"
    return f"no argument {name!r}; {hint}"


def _plain(name: str) -> str:
    return name.replace("_", "").replace("-", "").lower()


def _check_value(name: str, value: Any, schema: Schema) -> Any:
    kind = schema["type"]
    value = _converted(value, kind)
    expected, words = _TYPES[kind]
    fits: bool = isinstance(value, expected) and not (kind == "integer" and isinstance(value, bool))
    if not fits:
        raise _bad_call(f"{name!r} must be {words}")
    if "enum" in schema and value not in schema["enum"]:
        hint = did_you_mean(str(value), schema["enum"]) or f"it must be one of {', '.join(schema['enum'])}"
        raise _bad_call(f"{name!r} can't be {value!r}; {hint}")
    if kind == "integer" and not schema["minimum"] <= value < 1 << 31:
        raise _bad_call(f"{name!r} must be a whole number, at least {schema['minimum']}")
    if "additionalProperties" in schema and not all(isinstance(item, str) for item in value.values()):
        raise _bad_call(f"{name!r} must contain only strings")
    return value


def _converted(value: Any, kind: str) -> Any:
    """Undo what models do to values: a list, an object or a number as a string of JSON, 3.0 for 3."""
    if isinstance(value, str) and kind != "string":
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return value
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _bad_call(detail: str) -> Refused:
    return Refused(Problem("bad_call", detail))

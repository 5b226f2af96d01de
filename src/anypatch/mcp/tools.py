"""The one table of tools: what models are told of them, and what their arguments must be. Data only.

Every word here is paid for by every agent in every conversation; a test holds the sum down.
"""

from __future__ import annotations

from ..record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

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
_PATCH = {
    "patch": _text("the whole patch, or an answer that holds it"),
    "format": _text("its format; found out if left out"),
}
_FILE = {"relative_path": _text()}
_SYMBOL = {
    **_FILE,
    "name_path": _text('Class/method; with a leading / the whole path; f[1] the second f; "/" the whole file'),
    "line": _number("or the place of its identifier, from 0"),
    "column": _number("from 0"),
}
_CHUNK: Schema = {
    "type": "object",
    "properties": {
        "context_before": _lines("the lines right before, copied exactly; [] at the symbol's start"),
        "old_lines": _lines("the lines that go, copied exactly; [] to insert"),
        "new_lines": _lines("what comes instead; [] to delete"),
        "context_after": _lines("the lines right after; [] at the symbol's end"),
    },
    "required": ["context_before", "old_lines", "new_lines", "context_after"],
}

TOOLS = (
    Tool(
        "apply_patch", "Apply a patch",
        "Edit, create, delete or move files with one patch: unified or git diff, *** Begin Patch, SEARCH/REPLACE, "
        "JSON edits, whole files and more; wrong line numbers, lost indentation and prose around it are no matter. "
        "All of it is applied or nothing; a refusal shows what stands in the file and what to send instead. "
        "The first choice for changes in several places or files.",
        {
            **_PATCH, "dry_run": _flag("only say what would happen"),
            "partial": _flag("apply what fits; the rest comes back as a patch"),
            "overwrite": _flag("true: new files may replace existing ones; false: never; else as the format says"),
            "expected_hashes": {
                "type": "object", "additionalProperties": {"type": "string"},
                "description": "path, or path#name_path, to the hash it was read with: refused if it changed since",
            },
            **_ROOT,
        },
        ("patch",), reads=False,
    ),
    Tool(
        "check_patch", "Check a patch", "What apply_patch would do, with a diff; writes nothing.", {**_PATCH, **_ROOT},
        ("patch",),
    ),
    Tool(
        "edit_symbol", "Edit a symbol",
        "Change one function, method or class by its name, without sending all of it: chunks of changed lines, or op "
        "for the symbol as a whole. All or nothing. Cheapest for a change inside one long symbol.",
        {
            **_SYMBOL, "chunks": {"type": "array", "items": _CHUNK, "description": "changes inside the symbol"},
            "op": {
                "type": "string", "enum": ["replace", "insert_before", "insert_after", "delete"],
                "description": "instead of chunks",
            },
            "text": _text("the new text for op"),
            "expected_hash": _text("as read_symbol gave it: refused if the symbol changed since"),
            "dry_run": _flag("only say what would happen"), **_ROOT,
        },
        ("relative_path",), reads=False,
    ),
    Tool(
        "outline", "Outline a file",
        "The symbols of a source file: kinds, name paths, lines, and the file's hash. Before reading a long file.",
        {**_FILE, "depth": _number("levels; all if left out", 1), "kind": _text("only these, such as class"), **_ROOT},
        ("relative_path",),
    ),
    Tool(
        "read_symbol", "Read a symbol", "The text of one symbol and its hash, instead of the whole file.",
        {**_SYMBOL, "with_comments": _flag("with the comments right above"), **_ROOT}, ("relative_path",),
    ),
    Tool(
        "undo", "Undo", "Take back the last applied patch, or the one named. Refused if its files changed since.",
        {"receipt": _text("as apply_patch or history gave it"), **_ROOT}, reads=False,
    ),
    Tool(
        "history", "History", "What was applied here, newest first.",
        {"limit": _number("how many; 20 if left out", 1), **_ROOT},
    ),
    Tool(
        "formats", "Formats", "The patch formats; with a name, the rules of that one, to be read before writing it.",
        {"name": _text()},
    ),
)  # fmt: skip

NAMED = {tool.name: tool for tool in TOOLS}

INSTRUCTIONS = (
    "Edits files by patches: each goes to the one right place or is refused with what to do next, all or nothing, and "
    "can be undone. Paths are relative to the root."
)

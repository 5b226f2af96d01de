"""The one table of tools: what models are told of them, and what their arguments must be. Data only.

Every word here is paid for by every agent in every conversation; a test holds the sum down.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence

from ..formats import names
from ..problems import KINDS, Problem, Refused
from ..record import NamedTuple
from ..similarity import close_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..model import Receipt
    from ..result import Result
    from ..symbols import Symbol


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


_SAID = {
    "string": "a string", "boolean": "true or false", "integer": "a whole number", "array": "a list",
    "object": "an object",
}  # fmt: skip


def checked(tool: Tool, given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments given, each of its type; null counts as left out."""
    said = {name: value for name, value in given.items() if value is not None}
    for name in said:
        if name not in tool.arguments:
            meant = nearly(name, tool.arguments) or f"it takes {', '.join(tool.arguments)}"
            raise _bad(f"{tool.name} has no argument {name!r}; {meant}")
    for name in tool.required:
        if name not in said:
            raise _bad(f"{tool.name} needs {name!r}")
    return {name: _fitting(name, value, tool.arguments[name]) for name, value in said.items()}


def _fitting(name: str, value: Any, schema: Schema) -> Any:
    """The value, if it is of the type asked for; lists and objects also where they come as a text of JSON."""
    kind = schema["type"]
    if isinstance(value, str) and kind != "string":
        value = _parsed(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    fits = isinstance(value, _TYPES[kind]) and not (kind == "integer" and isinstance(value, bool))
    if not fits:
        raise _bad(f"{name!r} must be {_SAID[kind]}")
    if "enum" in schema and value not in schema["enum"]:
        meant = nearly(str(value), schema["enum"]) or f"it must be one of {', '.join(schema['enum'])}"
        raise _bad(f"{name!r} can't be {value!r}; {meant}")
    if kind == "integer" and not schema["minimum"] <= value < 1 << 31:
        raise _bad(f"{name!r} must be a whole number, at least {schema['minimum']}")
    if "additionalProperties" in schema and not all(isinstance(one, str) for one in value.values()):
        raise _bad(f"{name!r} must contain only strings")
    return value


_TYPES: dict[str, type] = {"string": str, "boolean": bool, "integer": int, "array": list, "object": dict}


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def nearly(name: str, known: Iterable[str]) -> str:
    """The question whether a name that is nearly the same was meant; "" where there is none."""
    near = close_names(name, known)
    return f"did you mean {near[0]!r}?" if near else ""


def no_tool(name: str) -> str:
    """What to say of a tool that there isn't."""
    listed = ", ".join(NAMED)
    return f"there is no tool {name!r}; {nearly(name, NAMED) or f'the tools are {listed}'}"


def _bad(detail: str) -> Refused:
    return Refused(Problem("bad_call", detail))


# ── words ───────────────────────────────────────────────────────────────────────────────────────────


MOST_SYMBOLS = 400  # lines of an outline in words; the structured one is whole

# What a caller of tools can do, where the kind's own advice is for people, or for callers of the library.
ADVICE = {
    "symbol_not_found": "Call outline for the names in the file, or give the identifier's line and column.",
    "already_applied": "There is nothing to do; undo reverts it.",
    "file_exists": "Edit it instead, choose another name, or set overwrite.",
    "unsafe_path": "Ask the user: only a server started with --allow-sensitive edits such files.",
    "hard_link": "Ask the user: this server doesn't edit files that have other hard links.",
    "limit": "Split it into smaller patches.",
    "no_receipt": "Call history to see what can be undone.",
    "bad_patch": "Follow the rules of its format; formats with its name returns them.",
    "unknown_format": "Call formats to list them.",
    "bad_root": "Ask the user to start the server with --root DIR.",
    "bad_call": "Correct the arguments and call it again.",
    "locked": "Try again in a moment.",
    "unsettled": "Stop editing and tell the user: a change was interrupted, and the tree has to be recovered first.",
    "no_server": "Edit the places one by one; the user can install a language server for this.",
}
_OF_PEOPLE = ("limit", "unsettled")  # where advice of the problem's own is for people, too


def for_agents(report: Result) -> Result:
    """The report with advice that a caller of tools can follow."""
    return report._replace(problems=tuple(map(_advised, report.problems)))


def _advised(problem: Problem) -> Problem:
    """The problem with advice for callers of tools, if people would be told of commands and options."""
    kind = KINDS[problem.kind]
    of_commands = bool(kind.command) if not problem.advice else kind.id == "unsafe_path" and bool(problem.command)
    replaced = kind.id in ADVICE and (of_commands or kind.id in _OF_PEOPLE)
    return problem._replace(advice=ADVICE[kind.id]) if replaced else problem


def outline_text(path: str, hashed: str, symbols: Sequence[Symbol]) -> str:
    """A file's symbols as an indented list."""
    from ..report.people import outline
    from ..report.words import quoted

    lines = outline(symbols) or ["  no symbols"]
    more = len(lines) - MOST_SYMBOLS
    if more > 0:
        lines = [*lines[:MOST_SYMBOLS], f"  … {more} more; ask with depth or kind"]
    return "\n".join([f"{quoted(path)}  {hashed}".rstrip(), *lines])


def history_text(receipts: Sequence[Receipt], others: Sequence[str]) -> str:
    """Receipts, one a line; `others`: ids of those that can't be used."""
    import time

    from ..report.words import quoted

    lines = []
    for receipt in receipts:
        when = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(receipt.time))
        told = [receipt.id, when + " UTC", receipt.format, "(undone)" if receipt.undone else ""]
        told.append("(in part)" if receipt.partial else "")
        files = [quoted(change.path) for change in receipt.changes[:3]]
        files += [f"and {len(receipt.changes) - 3} more"] if len(receipt.changes) > 3 else []
        told += [", ".join(files), quoted(receipt.description)]
        lines.append("  ".join(part for part in told if part))
    if others:
        lines.append(f"Not signed by this user's key, so undo can't use them: {', '.join(others)}")
    return "\n".join(lines) or "Nothing has been applied here."

"""The formats: a row of `table.py` and a folder each.

    formats/<name>/   read.py       sniff, parse; opens, closes, block_end if its blocks have markers
                      write.py      write (operations as text), operations (changed lines as operations, if the
                                    format chooses them itself)
                      tool.json     the tool that models call, if it is one: name, description, parameters
                      prompt.md     the instructions for a model
                      grammar.lark  the texts that a model may write, for constrained decoding; not for JSON
                      examples.md   patches with the files before and after, for tests and documentation

A format's modules are imported when they are needed: a patch in one format loads no other.
"""

from __future__ import annotations

import json
from functools import cache, lru_cache

from ..hints import FormatName, Vendor
from ..problems import Problem, Refused
from ..similarity import close_names
from ..text import pattern
from .table import FORMATS, reader_of
from .table import Format as Format

FOUND = 30  # of 100: the score from which a text looks like a format
CALLS = ("json-edits", "symbol-chunks", "workspace-edit")  # formats of JSON that models call
SHOWN = ("whole-file", "elided")  # formats that show files
VENDORS: tuple[Vendor, ...] = ("openai", "anthropic", "mcp")
_BY_NAME: dict[str, Format] = {format.name: format for format in FORMATS}


def known() -> tuple[Format, ...]:
    """Return all formats, by their names."""
    return FORMATS


def names() -> tuple[str, ...]:
    """Return the names of all formats, in alphabetical order."""
    return tuple(_BY_NAME)


@lru_cache(maxsize=64)
def named(name: str) -> Format:
    """Return the format of that name; raise Refused, with the closest name, if there is none."""
    plain = name.strip().lower().replace("_", "-")
    plain = "unified" if plain == "diff" else plain  # what most people call it
    if plain in _BY_NAME:
        return _BY_NAME[plain]
    near = close_names(name.lower(), names())
    advice = f"Did you mean {near[0]}?" if near else f"The formats are: {', '.join(names())}."
    raise Refused(Problem("unknown_format", f"there is no format {name!r}", advice=advice))


def checked_name(name: str) -> FormatName:
    """Return the name of a format that a caller of the library gave; raise ValueError if there is no such format."""
    if not isinstance(name, str):
        raise TypeError(f"format must be a str, not {type(name).__name__}")
    try:
        return named(name).name
    except Refused as refused:
        problem = refused.problems[0]
        raise ValueError(f"format: {problem.detail}. {problem.advice}") from None


# ── which format a text is in ────────────────────────────────────────────────────────────────────


def score(name: str, text: str) -> int:
    """Rate from 0 to 100 how much a text looks like a format."""
    return named(name).sniff(text)


def scores(text: str) -> list[tuple[str, int]]:
    """Rate how much a text looks like each format (0 to 100), best first."""
    pairs = [(format.name, format.sniff(text)) for format in FORMATS]
    return sorted(pairs, key=lambda pair: -pair[1])


def opening(lines: list[str], row: int) -> str:
    """Return the format of the block that a line opens; "" if it opens none."""
    bare = lines[row].lstrip(" \t")
    for starts, format in _by_first_sign().get(bare[:1], ()):
        may_open = bare.startswith(starts) and (not format.opener or pattern(format.opener).match(bare))
        if may_open and reader_of(format.name).opens(lines, row):
            return format.name
    return ""


def closing(line: str) -> str:
    """Return the format of the block that a line closes; "" if it closes none."""
    bare = line.strip()
    for format in FORMATS:
        if format.ends and bare.startswith(format.ends) and reader_of(format.name).closes(bare):
            return format.name
    return ""


def block_end(kind: str, lines: list[str], row: int, limit: int, fenced: bool) -> int:
    """Return the row after the block that opens at a row; -1 for none. `limit`: where its fence, or the text, ends."""
    end: int = reader_of(kind).block_end(lines, row, limit, fenced)
    return end


@cache
def _by_first_sign() -> dict[str, list[tuple[tuple[str, ...], Format]]]:
    by_sign: dict[str, list[tuple[tuple[str, ...], Format]]] = {}
    for format in FORMATS:
        for sign in {start[0] for start in format.starts}:
            starts = tuple(start for start in format.starts if start[0] == sign)
            by_sign.setdefault(sign, []).append((starts, format))
    return by_sign


# ── formats as tools ─────────────────────────────────────────────────────────────────────────────


def schema(format: FormatName, vendor: Vendor = "mcp") -> dict[str, object]:
    """Return a format as a tool: for OpenAI (a chat API function), Anthropic, or the Model Context Protocol.

    Its arguments, as JSON, are a patch for `apply`. Raises PatchError for a format that models don't call as a tool.
    """
    row = named(checked_name(format))
    if vendor not in VENDORS:
        raise ValueError(f"vendor must be one of {', '.join(VENDORS)}, not {vendor!r}")
    if not row.tool:
        tools = ", ".join(other.name for other in FORMATS if other.tool)
        advice = f"These are: {tools}. For others, put their prompt into the instructions."
        raise Refused(Problem("bad_call", f"{row.name} is not called as a tool", advice=advice))
    tool: dict[str, object] = json.loads(row.tool)
    tool["description"] = str(tool["description"]).replace("{prompt}", row.prompt)
    if vendor == "openai":
        return {"type": "function", "function": tool}
    tool["input_schema" if vendor == "anthropic" else "inputSchema"] = tool.pop("parameters")
    return tool


def grammar(format: str) -> str:
    """Return the grammar of a format in the notation of Lark; raise Refused for a format that is JSON."""
    row = named(format)
    if not row.grammar:
        advice = "Constrain it by its tool schema." if row.tool else "Constrain it by a JSON schema."
        raise Refused(Problem("bad_call", f"{row.name} is JSON and has no grammar of its own", advice=advice))
    return row.grammar

"""The formats, a folder each: the folder is the registration, and no table elsewhere lists them.

    formats/<name>/   __init__.py   FORMAT: its name, a summary, what texts in it contain, what it can express
                      read.py       sniff, parse; opens, closes, block_end if its blocks have markers
                      write.py      write (operations as text), operations (changed lines as operations, if the
                                    format chooses them itself)
                      tool.json     how a model calls it, if it is a tool: name, description, parameters
                      prompt.md     what a model is told
                      grammar.lark  what a model may write, for constrained decoding; if it writes text, not JSON
                      examples.md   patches with the files before and after; for tests and documentation

A format's modules are imported when they are needed: a patch in one format loads no other.
"""

from __future__ import annotations

import os
from collections.abc import Collection
from functools import cache, lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

from ..problems import Problem, Refused
from ..similarity import close_names
from ..text import pattern

if TYPE_CHECKING:
    from types import ModuleType

    from ..author.line_changes import LineChange
    from ..limits import Tally
    from ..model import FileChange, Op, Patch
    from ..text import Text

from ..hints import FormatName, Vendor

FOUND = 30  # of 100: the score from which a text looks like a format
CALLS = ("json-edits", "symbol-chunks", "workspace-edit")  # formats that models call
SHOWN = ("whole-file", "elided")  # formats that show files
_HOME = os.path.dirname(__file__)


class Writing(NamedTuple):
    """What `author/describe.py` has to know to write the changes of a file in a format.

    update: what changed lines become: "hunks" (context, removed and added lines), "texts" (old and new text, not bound
        to whole lines), "numbers" (new lines for numbered ones), "own" (what `operations` in write.py makes of them),
        "" (nothing: the file is written in full).
    near: changes with at most so many lines between them are one.
    context: how many lines are shown around a change; 0: as few as make it unique.
    like_git: with line numbers, the lines of deleted files, a note if a file ends without a newline.
    end_mark: a hunk can say that it is at the end of the file.
    creates_empty: a file is created without contents, which an edit then adds.
    eol: "own" (a replaced line keeps its line ending), "majority" (new text takes the file's).
    whole: how to write an update that lines can't express: "overwrite" (the new contents), "replace" (delete the file,
        then create it), "show" (the new lines, while BOM and line endings stay), "" (not at all).
    """

    update: str = "hunks"
    near: int = 0
    context: int = 0
    like_git: bool = False
    end_mark: bool = False
    creates_empty: bool = False
    eol: str = "own"
    whole: str = ""


class Format(NamedTuple):
    """One format. `can` lists what it can express: create, delete, move, blank_lines, final_newline, …

    `writing`: how changes are written in it. `signs`: every text in the format contains one of them. `starts`, `ends`:
    what the first and the last line of a block begin with, if it has markers; its reader says which such lines are
    markers (`opens`, `closes`) and how far a block goes (`block_end`). `opener`: a pattern that the first line must
    match as well, so that the reader isn't loaded for similar lines of other formats. `tallied`: it has an operation
    for each hunk, and shows them to a tally while it reads. `nameless`: its edits may name no file, and then apply to
    the one that the caller names.
    """

    name: FormatName
    summary: str
    can: frozenset[str]
    writing: Writing
    signs: tuple[str, ...] = ("",)
    starts: tuple[str, ...] = ()
    ends: tuple[str, ...] = ()
    opener: str = ""
    tallied: bool = False
    nameless: bool = False

    def sniff(self, text: str) -> int:
        """How much a text looks like the format, from 0 to 100."""
        for sign in self.signs:
            if sign in text:
                score: int = self.reader.sniff(text)
                return score
        return 0

    def parse(self, text: str, tally: Tally | None = None, file: str = "") -> Patch:
        """The patch that a text in the format is. `tally` sees the operations while they are read, and may refuse them.

        `file`: the path of edits that name none.
        """
        more: dict[str, object] = {"tally": tally} if tally and self.tallied else {}
        if file and self.nameless:
            more["file"] = file
        patch: Patch = self.reader.parse(text, **more)
        return patch

    def render(self, changes: tuple[FileChange, ...], wide: Collection[str] = ()) -> str:
        """Changes as a text in the format; Refused if it can't express one. `wide`: paths that need more context."""
        from ..author.describe import describe

        ops = describe(changes, self, wide)
        return self.write(ops) if ops else ""

    def write(self, ops: tuple[Op, ...]) -> str:
        """Operations, as `parse` returns them, as a text; Refused if the format can't express one."""
        text: str = _part(self.name, "write").write(ops)
        return text

    def operations(self, path: str, before: Text, changes: list[LineChange], wide: bool) -> tuple[Op, ...] | None:
        """Changed lines of a file as operations, if `writing.update` is "own"; None if none can express them."""
        ops: tuple[Op, ...] | None = _part(self.name, "write").operations(path, before, changes, wide)
        return ops

    @property
    def prompt(self) -> str:
        """The instructions for a model that writes the format."""
        return _text_of(self.name, "prompt.md")

    @property
    def grammar(self) -> str:
        """The grammar of what a model may write, in the notation of Lark; "" for a format that is JSON."""
        return _text_of(self.name, "grammar.lark")

    @property
    def tool(self) -> str:
        """How a model calls the format, as JSON; "" if it isn't a tool."""
        return _text_of(self.name, "tool.json")

    @property
    def reader(self) -> ModuleType:
        """Its `read.py`."""
        return _part(self.name, "read")


@cache
def names() -> tuple[str, ...]:
    """The names of all formats, in alphabetical order."""
    folders = (name for name in os.listdir(_HOME) if os.path.exists(os.path.join(_HOME, name, "read.py")))
    return tuple(sorted(name.replace("_", "-") for name in folders))


@lru_cache(maxsize=64)
def named(name: str) -> Format:
    """The format of that name; Refused, with the closest name, if there is none."""
    plain = name.strip().lower().replace("_", "-")
    plain = "unified" if plain == "diff" else plain  # what most people call it
    if plain not in names():
        raise Refused(_unknown(name))
    format: Format = _part(plain).FORMAT
    return format


def checked_name(name: str) -> FormatName:
    """The name of a format that a caller of the library gave; ValueError if there is no such format."""
    if not isinstance(name, str):
        raise TypeError(f"format must be a str, not {type(name).__name__}")
    try:
        return named(name).name
    except Refused as refused:
        problem = refused.problems[0]
        raise ValueError(f"format: {problem.detail}. {problem.advice}") from None


@cache
def known() -> tuple[Format, ...]:
    """All formats, by their names."""
    return tuple(map(named, names()))


def score(name: str, text: str) -> int:
    """How much a text looks like a format."""
    return named(name).sniff(text)


def scores(text: str) -> list[tuple[str, int]]:
    """How much a text looks like each format (0 to 100), best first."""
    pairs = [(format.name, format.sniff(text)) for format in known()]
    return sorted(pairs, key=lambda pair: -pair[1])


def opening(lines: list[str], row: int) -> str:
    """The format of the block that a line opens; "" if it opens none."""
    bare = lines[row].lstrip(" \t")
    for starts, format in _by_first_sign().get(bare[:1], ()):
        if bare.startswith(starts) and (not format.opener or pattern(format.opener).match(bare)):
            kind: str = format.reader.opens(lines, row)
            if kind:
                return kind
    return ""


def closing(line: str) -> str:
    """The format of the block that a line closes; "" if it closes none."""
    bare = line.strip()
    for format in known():
        if format.ends and bare.startswith(format.ends):
            kind: str = format.reader.closes(bare)
            if kind:
                return kind
    return ""


def block_end(kind: str, lines: list[str], row: int, limit: int, fenced: bool) -> int:
    """The row after the block that opens at a row; -1 for none. `limit`: where its fence, or the text, ends."""
    end: int = named(kind).reader.block_end(lines, row, limit, fenced)
    return end


@cache
def _by_first_sign() -> dict[str, list[tuple[tuple[str, ...], Format]]]:
    by_sign: dict[str, list[tuple[tuple[str, ...], Format]]] = {}
    for format in known():
        for sign in {start[0] for start in format.starts}:
            starts = tuple(start for start in format.starts if start[0] == sign)
            by_sign.setdefault(sign, []).append((starts, format))
    return by_sign


def _folder(name: str) -> str:
    return name.replace("-", "_")


@cache
def _part(name: str, *part: str) -> ModuleType:
    """A module of a format's folder, or the folder itself."""
    return import_module(".".join((__name__, _folder(name), *part)))


def _unknown(name: str) -> Problem:
    near = close_names(name.lower(), names())
    advice = f"Did you mean {near[0]}?" if near else f"The formats are: {', '.join(names())}."
    return Problem("unknown_format", f"there is no format {name!r}", advice=advice)


@cache
def _text_of(name: str, file: str) -> str:
    """The text of a file in a format's folder; "" if there is none."""
    try:
        with open(os.path.join(_HOME, _folder(name), file), encoding="utf-8", newline="") as opened:
            return opened.read()
    except FileNotFoundError:
        return ""


# ── formats as tools ─────────────────────────────────────────────────────────────────────────────


VENDORS: tuple[Vendor, ...] = ("openai", "anthropic", "mcp")


def schema(format: FormatName, vendor: Vendor = "mcp") -> dict[str, object]:
    """The tool definition of a format: for OpenAI (a chat API function), Anthropic, or the Model Context Protocol.

    Its arguments, as JSON, are a patch for `apply`. Raises PatchError for a format that models don't call as a tool.
    """
    from json import loads

    known = named(checked_name(format))
    if vendor not in VENDORS:
        raise ValueError(f"vendor must be one of {', '.join(VENDORS)}, not {vendor!r}")
    if not known.tool:
        others = [name for name in names() if named(name).tool]
        advice = f"These are: {', '.join(others)}. For others, put their prompt into the instructions."
        raise Refused(Problem("bad_call", f"{known.name} is not called as a tool", advice=advice))
    tool: dict[str, object] = loads(known.tool)
    tool["description"] = str(tool["description"]).replace("{prompt}", known.prompt)
    if vendor == "openai":
        return {"type": "function", "function": tool}
    tool["input_schema" if vendor == "anthropic" else "inputSchema"] = tool.pop("parameters")
    return tool


def grammar(format: str) -> str:
    """The grammar of a format in the notation of Lark, for constrained decoding. Refused for a format that is JSON."""
    known = named(format)
    if not known.grammar:
        advice = "Constrain it by its tool schema." if known.tool else "Constrain it by a JSON schema."
        raise Refused(Problem("bad_call", f"{known.name} is JSON and has no grammar of its own", advice=advice))
    return known.grammar

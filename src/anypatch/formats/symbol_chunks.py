"""Symbol chunks: edits inside one function or class, told by its name or its place. JSON; finds no place itself.

    edit  = {relative_path, name_path | line + column, chunks: [chunk, …], expected_hash?}
          | {relative_path, name_path | line + column, op: replace | insert_before | insert_after | delete, text?}
          | {relative_path, name_path | line + column, op: rename, new_name}     only through a language server
    chunk = {context_before, old_lines, new_lines, context_after}    each a text or a list of lines

A text "" as context is the symbol's edge or a blank line, [] its edge, [""] a blank line. Line and column count from 0.
All edits of an answer are one patch; those of one file are placed in the file as it was.
"""

from __future__ import annotations

import re

from ..errors import Problem
from ..model import Edit, Format, Inside, Op, Patch
from ..text import patch_lines
from ._json_calls import is_edit as is_call
from ._json_calls import with_plain_keys, wrapped
from ._json_find import find, plain
from ._json_read import Fields, source
from ._symbol_chunks_read import DEEDS, is_edit, understood
from ._symbol_chunks_teach import EXAMPLES, PROMPT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from ..model import FileChange
    from ._json_read import Value
    from ._tools import Tool

_NAME = "symbol-chunks"
_KEY = r"""[{,]\s*+\\?["']?([A-Za-z_-]{2,24})\\?["']?\s*+:"""


def parse(text: str) -> Patch:
    """What the edits in an answer say; those of one file become one operation."""
    found = find(source("\n".join(patch_lines(text))))
    problems, notes = list(found.problems), list(found.notes)
    edits: list[Fields] = []
    for value in found.values:
        _collect(value, edits, problems, 0)
    by_path: dict[str, list[Inside]] = {}
    for fields in edits:
        said = understood(fields, problems)
        if said is not None:
            by_path.setdefault(said[0], []).append(said[1])
    if not edits and not problems:
        advice = 'Write objects like {"relative_path": …, "name_path": …, "chunks": […]}.'
        problems.append(Problem("bad_patch", "there is no edit of a symbol in it", patch_line=1, advice=advice))
    ops = tuple(Edit(path, tuple(said), said[0].patch_line, "symbol") for path, said in by_path.items())
    return Patch(_NAME, ops, "", tuple(sorted(problems, key=lambda p: p.patch_line)), tuple(notes))


def _collect(value: Value, edits: list[Fields], problems: list[Problem], depth: int) -> None:
    """The edits of a value, out of lists, tool calls and arguments that are a string of JSON."""
    if isinstance(value, list):
        for item in value:
            _collect(item, edits, problems, depth)
    elif isinstance(value, Fields):
        if is_edit({plain(key) for key in value.values}):
            edits.append(value)
        elif "edits" not in value.values and is_call(with_plain_keys(value, [])):
            detail, advice = (
                "an edit of another kind stands among the edits of symbols",
                "Send it as a patch of its own.",
            )
            problems.append(Problem("bad_patch", detail, patch_line=value.line, advice=advice))
        elif depth < 8:
            for item in wrapped(value):
                _collect(item, edits, problems, depth + 1)


def sniff(text: str) -> int:
    """How much a text looks like edits of symbols: by the keys that no other format has together."""
    if "{" not in text:
        return 0
    keys = {plain(match[1]) for match in re.finditer(_KEY, text)}
    told = is_edit(keys) and (
        "chunks" not in keys or not keys.isdisjoint(("contextbefore", "contextafter", "oldlines"))
    )
    whole = "op" in keys and any(f'"{deed}"' in text or f"'{deed}'" in text for deed in DEEDS)
    return 95 if told and ("chunks" in keys or whole) else 0


def render(changes: tuple[FileChange, ...], wide: Collection[str] = ()) -> str:
    """The changes as chunks in whole files; Refused where the format has no words for one."""
    from ._symbol_chunks_write import document

    return document(changes, wide)


def write(ops: tuple[Op, ...]) -> str:
    """Operations back into the format."""
    from ._symbol_chunks_write import listed

    return listed(ops)


def tool() -> Tool:
    """How a model calls the format."""
    from ._symbol_chunks_tool import TOOL

    return TOOL


FORMAT = Format(
    _NAME,
    "Symbol chunks: edits inside one function or class, told by its name path or its place; whole symbols",
    sniff,
    parse,
    render,
    frozenset(("blank_lines", "symbols")),
    PROMPT,
    EXAMPLES,
    write,
    tool,
)

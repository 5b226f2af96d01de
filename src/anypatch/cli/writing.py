"""The commands that write patches: make, convert, invert, schema, tokens. Reads trees, words the answer."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from json import dumps
from typing import TYPE_CHECKING

from ..api import format_given, read
from ..author.make import Cost, convert, costs, counter, invert, make, make_git, of_git, planned
from ..formats import grammar, named, schema
from ..model import FileChange
from ..problems import Problem, Refused
from ..report.json import json_text
from ..storage.tree import DiskTree
from . import terminal
from .options import Call
from .shared import Output, painter, patch_text

if TYPE_CHECKING:
    from ..hints import FormatName, Vendor
    from ..match.files import Tree

_BARS = "▏▎▍▌▋▊▉█"


def run_make(call: Call) -> Output:
    """A patch from two trees or two revisions."""
    format = _format(call, "format")
    if call.has("git"):
        return _patch(call, make_git(call.root, format, *call.arguments), format)
    if len(call.arguments) != 2:
        advice = "Give OLD and NEW, or --git and up to two revisions."
        raise Refused(Problem("bad_call", "make needs two files or two folders", advice=advice))
    old, new = call.arguments
    return _patch(call, make(old, new, format), format)


def run_convert(call: Call) -> Output:
    """The same patch in another format."""
    to, format = _format(call, "to"), format_given(call.format)
    patch = convert(patch_text(call), to, call.root, format=format, overwrite=call.has("overwrite") or None)
    return _patch(call, patch, to)


def run_invert(call: Call) -> Output:
    """The patch that takes a patch back."""
    to, format = format_given(call.given.get("to", "")), format_given(call.format)
    patch = invert(patch_text(call), call.root, to=to, format=format, overwrite=call.has("overwrite") or None)
    return _patch(call, patch, to or "")


def run_schema(call: Call) -> Output:
    """The definition of a tool, or the grammar of a text format."""
    if call.has("lark"):
        return Output(0, grammar(call.argument or "").removesuffix("\n").split("\n"), [])
    vendor: Vendor = call.given.get("for", "mcp")  # type: ignore[assignment]
    tool = schema(named(call.argument or "").name, vendor)
    return Output(0, dumps(tool, indent=2, ensure_ascii=False).split("\n"), [])


def run_tokens(call: Call) -> Output:
    """What the same change costs in every format."""
    measure = counter()
    with _changes(call) as (changes, tree):
        found = costs(changes, tree, measure) if changes else []
    if call.has("json"):
        rows = [
            {"format": cost.format, measure.unit: cost.size, "characters": cost.characters}
            if cost.size >= 0
            else {"format": cost.format, measure.unit: None, "characters": None, "why": cost.why}
            for cost in found
        ]
        return Output(0, [json_text({"ok": True, "unit": measure.unit, "formats": rows})], [])
    note = ["anypatch: counted in characters; to count tokens: python -m pip install splintr-rs"]
    return Output(0, _chart(call, found, measure.unit), [] if measure.unit == "tokens" else note)


@contextmanager
def _changes(call: Call) -> Iterator[tuple[tuple[FileChange, ...], Tree]]:
    """The changes meant, and the tree they are made to."""
    if call.has("git"):
        with of_git(call.root, *call.arguments) as (tree, changes):
            yield changes, tree
        return
    if len(call.arguments) > 1:
        raise Refused(Problem("bad_call", f"tokens takes one patch, but there is also {call.arguments[1]!r}"))
    text = patch_text(call)
    patch = read(text, call.format)
    with DiskTree(call.root) as disk:
        yield planned(text, patch, disk, True), disk


def _chart(call: Call, found: list[Cost], unit: str) -> list[str]:
    """A row for each format with a bar; the longest bar is the dearest format."""
    if not found:
        return ["nothing differs"]
    paint = painter(call)
    names, most = max(len(cost.format) for cost in found), max(cost.size for cost in found)
    sizes = max(len(f"{most:,}"), len(unit))
    room = terminal.width() - names - sizes - 4
    lines = [paint("strong", f"{'format':<{names}}  {unit:>{sizes}}")]
    for cost in found:
        name = paint("path", f"{cost.format:<{names}}")
        if cost.size < 0:
            lines.append(f"{name}  {'–':>{sizes}}  " + paint("dim", cost.why))
        else:
            eighths = max(round(8 * room * cost.size / most), 1) if most else 0  # of a column
            bar = _BARS[-1] * (eighths // 8) + (_BARS[eighths % 8 - 1] if eighths % 8 else "")
            lines.append(f"{name}  {cost.size:>{sizes},}  " + paint("add", bar))
    return lines


def _patch(call: Call, text: str, format: str) -> Output:
    """A patch as the result; where its looks alone don't tell its format, that is said."""
    if call.has("json"):
        return Output(0, [json_text({"ok": True, "format": format, "patch": text})], [])
    if not text:
        return Output(0, [], ["anypatch: nothing differs, so there is no patch"])
    try:
        clear = not format or read(text).ops == read(text, format).ops
    except Refused:
        clear = False
    warning = f"anypatch: it contains text that looks like other patches; apply it with --format {format}"
    return Output(0, terminal.for_output(text.split("\n")[:-1]), [] if clear else [warning])


def _format(call: Call, key: str) -> FormatName:
    """The format that an option names, which has to be given."""
    if key not in call.given:
        advice = "`anypatch formats` lists them."
        raise Refused(Problem("bad_call", f"{call.command} needs --{key} NAME", advice=advice))
    return named(call.given[key]).name

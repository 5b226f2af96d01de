"""The commands that write patches: make, convert, invert, tokens."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ..api import read
from ..author.costs import Cost, costs, default_measure
from ..author.make import convert, invert, make, make_git, planned
from ..author.sources import of_git
from ..formats import named
from ..model import FileChange
from ..problems import Problem, Refused
from ..report.json import json_text
from ..storage.tree import DiskTree
from . import terminal
from .inputs import format_name, read_answer
from .output import Output, painter

if TYPE_CHECKING:
    from ..match.files import Tree

_BARS = "▏▎▍▌▋▊▉█"


def run_make(args: Namespace) -> Output:
    """Write a patch from two trees or two revisions."""
    format = named(args.format).name
    paths = [path for path in (args.old, args.new) if path is not None]
    if args.git:
        return _patch_output(args, make_git(args.root, format, *paths), format)
    if len(paths) != 2:
        advice = "Give OLD and NEW, or --git and up to two revisions."
        raise Refused(Problem("bad_call", "make needs two files or two folders", advice=advice))
    return _patch_output(args, make(args.old, args.new, format), format)


def run_convert(args: Namespace) -> Output:
    """Write the same patch in another format."""
    to, format = named(args.to).name, format_name(args) or None
    patch = convert(read_answer(args), to, args.root, format=format, overwrite=args.overwrite)
    return _patch_output(args, patch, to)


def run_invert(args: Namespace) -> Output:
    """Write the patch that undoes another one."""
    to, format = named(args.to).name if args.to else None, format_name(args) or None
    patch = invert(read_answer(args), args.root, to=to, format=format, overwrite=args.overwrite)
    return _patch_output(args, patch, to or "")


def run_tokens(args: Namespace) -> Output:
    """Show what the same change costs in every format."""
    measure = default_measure()
    with _changes(args) as (changes, tree):
        rows = costs(changes, tree, measure) if changes else []
    if args.json:
        values = [_cost_json(cost, measure.unit) for cost in rows]
        return Output(0, [json_text({"ok": True, "unit": measure.unit, "formats": values})], [])
    note = ["anypatch: counted in characters; to count tokens: python -m pip install splintr-rs"]
    return Output(0, _chart(args, rows, measure.unit), [] if measure.unit == "tokens" else note)


def _cost_json(cost: Cost, unit: str) -> dict[str, object]:
    if cost.size >= 0:
        return {"format": cost.format, unit: cost.size, "characters": cost.characters}
    return {"format": cost.format, unit: None, "characters": None, "why": cost.why}


@contextmanager
def _changes(args: Namespace) -> Iterator[tuple[tuple[FileChange, ...], Tree]]:
    """Yield the changes of the patch, or between the revisions, and the tree that they change."""
    if args.git:
        revisions = [revision for revision in (args.answer, args.rev) if revision is not None]
        with of_git(args.root, *revisions) as (tree, changes):
            yield changes, tree
        return
    if args.rev is not None:
        raise Refused(Problem("bad_call", f"tokens takes one patch, but there is also {args.rev!r}"))
    text = read_answer(args)
    patch = read(text, format_name(args))
    with DiskTree(args.root) as disk:
        yield planned(text, patch, disk, True), disk


def _chart(args: Namespace, costs: list[Cost], unit: str) -> list[str]:
    """Draw a row with a bar for each format; the dearest has the longest."""
    if not costs:
        return ["nothing differs"]
    paint = painter(args)
    name_width, most = max(len(cost.format) for cost in costs), max(cost.size for cost in costs)
    size_width = max(len(f"{most:,}"), len(unit))
    room = terminal.width() - name_width - size_width - 4
    lines = [paint("strong", f"{'format':<{name_width}}  {unit:>{size_width}}")]
    for cost in costs:
        name = paint("path", f"{cost.format:<{name_width}}")
        if cost.size < 0:
            lines.append(f"{name}  {'–':>{size_width}}  " + paint("dim", cost.why))
        else:
            eighths = max(round(8 * room * cost.size / most), 1) if most else 0  # of a column
            bar = _BARS[-1] * (eighths // 8) + (_BARS[eighths % 8 - 1] if eighths % 8 else "")
            lines.append(f"{name}  {cost.size:>{size_width},}  " + paint("add", bar))
    return lines


def _patch_output(args: Namespace, text: str, format: str) -> Output:
    """Print a patch; warn if its format would not be detected."""
    if args.json:
        return Output(0, [json_text({"ok": True, "format": format, "patch": text})], [])
    if not text:
        return Output(0, [], ["anypatch: nothing differs, so there is no patch"])
    try:
        is_detected = not format or read(text).ops == read(text, format).ops
    except Refused:
        is_detected = False
    warning = f"anypatch: it contains text that looks like other patches; apply it with --format {format}"
    return Output(0, terminal.for_output(text.split("\n")[:-1]), [] if is_detected else [warning])

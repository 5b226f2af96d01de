"""Measure what edits cost: real changes in every format against writing the whole file and the whole symbol, in tokens.

    python bench/tokens.py                              the changes of this repository's last 300 commits
    python bench/tokens.py --repo DIR --last 50         of another one
    python bench/tokens.py --plot tokens.png            with a picture (needs matplotlib: the extra `plots`)

A change is one file that a commit edits. "whole symbol": the functions and classes that hold the changed lines, each
rewritten in full (in the JSON of symbol-chunks); counted where all changed lines lie in some. Merges are left out. Every text is proven to make the change before it
is counted, with the vocabulary cl100k_base.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import anypatch
from anypatch import PatchError
from anypatch.api import read
from anypatch.author.costs import Cost, Measure, costs, default_measure
from anypatch.author.make import write_changes
from anypatch.author.sources import of_git
from anypatch.model import Edit, File, FileChange, SymbolEdit
from anypatch.text import decode, looks_binary

TOP = Path(__file__).parent.parent
SYMBOL, WHOLE = "whole symbol", "whole-file"
Row = dict[str, int]
MODULES = ("argparse", "ast", "configparser", "subprocess", "tarfile", "threading", "zipfile", "textwrap", "pathlib")


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--repo", default=str(TOP))
    options.add_argument("--last", type=int, default=300)
    options.add_argument("--plot", metavar="FILE", help="write a picture, too")
    chosen = options.parse_args()
    measure = default_measure()
    if measure.unit != "tokens":
        print("counting characters: install anypatch[tokens] to count tokens")
    rows = [row for change in changes(chosen.repo, chosen.last) if (row := priced(change, measure))]
    print(f"{len(rows)} changed files, in {measure.unit}\n")
    table(rows)
    claim(measure)
    if chosen.plot:
        plot(rows, chosen.plot, measure.unit)
    return 0


def changes(repo: str, last: int) -> Iterator[FileChange]:
    told = subprocess.run(
        ["git", "-C", repo, "rev-list", "--no-merges", "--parents", "-n", str(last), "HEAD"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    for line in told.stdout.split("\n"):
        if len(line.split()) == 2:
            commit, parent = line.split()
            with of_git(repo, parent, commit) as (_, found):
                changed = found
            for change in changed:
                if change.before and change.after and not looks_binary(change.before.data + change.after.data):
                    yield change


def priced(change: FileChange, measure: Measure) -> Row:
    """Return what one change costs in each format that can express it; nothing if the whole file can't be expressed."""
    found: list[Cost] = costs((change,), None, measure)
    row = {cost.format: cost.size for cost in found if cost.size >= 0}
    symbols = whole_symbols(change)
    if WHOLE not in row:
        return {}
    return row if symbols is None else row | {SYMBOL: measure.count(symbols)}


def whole_symbols(change: FileChange) -> str | None:
    """The symbols that hold the change, in full; None where a line is in none, or one is gone under its name."""
    assert change.before and change.after
    try:
        ops = read(write_changes((change,), "symbol-chunks"), "symbol-chunks").ops
    except PatchError:
        return None
    names = [said.symbol for op in ops if isinstance(op, Edit) for said in op.hunks if isinstance(said, SymbolEdit)]
    if "/" in names:
        return None
    after = decode(change.after.data)
    edits = []
    for name in names:
        try:
            text = anypatch.read(anypatch.find(after, path=change.path, name_path=name)).text
        except PatchError:
            return None
        edits.append({"relative_path": change.path, "name_path": name, "op": "replace", "text": text})
    return json.dumps(edits, ensure_ascii=False)


def table(rows: list[Row]) -> None:
    names = sorted({name for row in rows for name in row}, key=lambda name: median(rows, name))
    print(f"{'':16} {'said':>6} {'median':>8} {'quartiles':>15} {'of the file':>12} {'of the symbol':>14}")
    for name in names:
        sizes = sorted(row[name] for row in rows if name in row)
        low, _, high = statistics.quantiles(sizes, n=4) if len(sizes) > 1 else (sizes[0],) * 3
        shares = [share(rows, name, other) for other in (WHOLE, SYMBOL)]
        print(
            f"{name:16} {len(sizes):6} {statistics.median(sizes):8.0f} {low:7.0f}–{high:<7.0f} "
            f"{shares[0]:>11.0%} {shares[1]:>13.0%}"
        )
    print("\nof the file, of the symbol: the median of what a change costs as a part of writing that in full")


def median(rows: list[Row], name: str) -> float:
    return statistics.median(row[name] for row in rows if name in row)


def share(rows: list[Row], name: str, other: str) -> float:
    return statistics.median([row[name] / row[other] for row in rows if name in row and other in row] or [0])


# ── the claim of the specification: a class of 200 lines, five scattered lines ───────────────────


def claim(measure: Measure) -> None:
    path, name, text, lines = long_class()
    changed = scattered(text, lines)
    change = FileChange(path, File(text.encode()), File(changed.encode()))
    print(f"\nfive scattered lines in {name} of {path}, {lines[1] - lines[0]} lines of {text.count(chr(10))}:")
    whole = anypatch.read(anypatch.find(changed, path=path, name_path=name)).text
    edit = [{"relative_path": path, "name_path": name, "op": "replace", "text": whole}]
    full = measure.count(json.dumps(edit))
    print(f"{'the class in full':18} {full:7}")
    for cost in costs((change,), None, measure):
        less = f"{1 - cost.size / full:.1%} fewer" if cost.size < full else f"{cost.size / full:.1f} times as many"
        print(f"{cost.format:18} {cost.size:7}   {less}")
    print("the specification says: 6,000 to 500, 80 to 95 % fewer")


def long_class() -> tuple[str, str, str, tuple[int, int]]:
    """Of some modules of the standard library the class nearest to 200 lines."""
    found = []
    for module in MODULES:
        file = Path(argparse.__file__).with_name(f"{module}.py")
        if not file.is_file():
            continue
        text = file.read_text()
        for symbol in anypatch.outline(text, path=file.name, depth=1, kinds={"class"}):
            first, last = symbol.range.start.line, symbol.range.end.line + 1
            found.append((abs(last - first - 200), file.name, symbol.name_path, text, (first, last)))
    _, path, name, text, lines = min(found)
    return path, name, text, lines


def scattered(text: str, lines: tuple[int, int]) -> str:
    """Five lines, evenly spread, each with a word more."""
    rows = text.split("\n")
    for number in range(1, 6):
        at = lines[0] + (lines[1] - lines[0]) * number // 6
        while not rows[at].strip() or rows[at].rstrip().endswith(("\\", '"""')):
            at += 1
        rows[at] += "  # checked"
    return "\n".join(rows)


def plot(rows: list[Row], file: str, unit: str) -> None:
    try:
        import matplotlib
    except ImportError:
        print("no picture: install anypatch[plots]", file=sys.stderr)
        return
    matplotlib.use("Agg")
    from matplotlib import pyplot

    names = sorted({name for row in rows for name in row}, key=lambda name: median(rows, name))
    figure, axes = pyplot.subplots(figsize=(9, 5))
    axes.boxplot(
        [[row[name] for row in rows if name in row] for name in names], showfliers=False, orientation="horizontal"
    )
    axes.set_yticks(range(1, len(names) + 1), names)
    axes.set_xscale("log")
    axes.set_xlabel(f"{unit} a changed file ({len(rows)} changes; box: quartiles, line: median)")
    figure.tight_layout()
    figure.savefig(file, dpi=120)
    print(f"wrote {file}")


if __name__ == "__main__":
    sys.exit(main())

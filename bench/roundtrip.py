"""Every change of a history, written in every format, converted between them, inverted: does it come back byte for byte?

    python bench/roundtrip.py                           the last 300 commits of this repository
    python bench/roundtrip.py --repo DIR --last 50      of another one
    python bench/roundtrip.py --trees OLD NEW           two folders, such as a package unpacked at two versions

For each commit that changes text files, and each format: `make` against the parent's whole tree, then apply. Where a
format can't say all of a commit, it gets the files that it can say, and what it can't is counted by reason. `convert`
goes from each format to each other one, `invert` back. A conversion that gives the very text that `make` gave is not
applied a second time. Nothing is written to disk.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

from anypatch import FormatName, PatchError, convert, invert
from anypatch.api import formats, read
from anypatch.author.make import write_changes
from anypatch.author.sources import differences, of_git, of_paths
from anypatch.git import GitTree
from anypatch.model import File, FileChange, Patch, Plan
from anypatch.plan import plan as planned
from anypatch.text import looks_binary
from anypatch.tree import MemoryTree, TreeAfter

TOP = Path(__file__).parent.parent
Tree = Mapping[str, File]
Step = tuple[str, Tree, tuple[FileChange, ...]]


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--repo", default=str(TOP))
    options.add_argument("--last", type=int, default=300)
    options.add_argument("--trees", nargs=2, metavar=("OLD", "NEW"))
    options.add_argument("--each", action="store_true", help="with --trees: every file is a step of its own")
    chosen = options.parse_args()
    steps = of_folders(*chosen.trees, each=chosen.each) if chosen.trees else commits(chosen.repo, chosen.last)
    return 1 if report(run(steps)) else 0


def commits(repo: str, last: int) -> Iterator[Step]:
    told = subprocess.run(
        ["git", "-C", repo, "rev-list", "--parents", "-n", str(last), "HEAD"],
        capture_output=True,
        text=True,
        check=True,
    )
    for line in told.stdout.split("\n"):
        if len(line.split()) > 1:
            commit, parent = line.split()[:2]
            with of_git(repo, parent, commit) as (tree, changes):
                yield commit[:10], Commit(tree), changes


class Commit(Mapping[str, File]):
    def __init__(self, tree: GitTree) -> None:
        self.tree = tree

    def __getitem__(self, path: str) -> File:
        if (file := self.tree.read_entry(path)) is None:
            raise KeyError(path)
        return file

    def __iter__(self) -> Iterator[str]:
        return iter(self.tree.paths)

    def __len__(self) -> int:
        return len(self.tree.paths)


def of_folders(old: str, new: str, *, each: bool) -> Iterator[Step]:
    before, after = of_paths(old, new)
    changes = differences(before, after)
    for number, step in enumerate([(change,) for change in changes] if each else [changes]):
        yield f"step {number}", before, step


def run(steps: Iterator[Step]) -> Counter[str]:
    counts: Counter[str] = Counter()
    begun = time.process_time()
    for name, tree, every in steps:
        print(f"{name} {len(every)} files, {time.process_time() - begun:.0f} s", file=sys.stderr, flush=True)
        counts["commits"] += 1
        changes = tuple(change for change in every if is_text(change))
        counts["files left out: no text"] += len(every) - len(changes)
        counts["commits with text"] += bool(changes)
        counts["files"] += len(changes)
        if changes:
            try:
                one_step(name, tree, changes, counts)
            except PatchError as refused:
                fail(counts, f"{name}: {refused}")
    counts["CPU seconds"] = round(time.process_time() - begun)
    return counts


def is_text(change: FileChange) -> bool:
    sides = [file for file in (change.before, change.after) if file is not None]
    return not any(looks_binary(file.data) or file.mode & 0o170000 for file in sides)


def one_step(name: str, tree: Tree, changes: tuple[FileChange, ...], counts: Counter[str]) -> None:
    made: dict[FormatName, str] = {}
    said: dict[FormatName, tuple[FileChange, ...]] = {}
    for format in formats():
        said[format.name] = sayable(changes, tree, format.name, counts)
        if not said[format.name]:
            continue
        whole = len(said[format.name]) == len(changes)
        counts[f"{format.name}: commits said {'whole' if whole else 'in part'}"] += 1
        counts[f"{format.name}: files said"] += len(said[format.name])
        made[format.name] = write_changes(said[format.name], format.name, MemoryTree(tree))
        proved(
            f"{name} make {format.name}", made[format.name], MemoryTree(tree), said[format.name], format.name, counts
        )
    for one, text in made.items():
        for other in made:
            if other != one:
                converted(f"{name} {one} to {other}", text, (one, other), (tree, made, said), counts)
        inverted(f"{name} invert {one}", text, one, tree, said[one], counts)


def sayable(changes: tuple[FileChange, ...], tree: Tree, format: str, counts: Counter[str]) -> tuple[FileChange, ...]:
    """The changes that a format can say, each for itself; the others are counted by reason."""
    kept = []
    for change in changes:
        try:
            write_changes((change,), format, MemoryTree(tree))
            kept.append(change)
        except PatchError as refused:
            why = refused.problems[0].detail.split(": ", 1)[-1]
            counts[f"{format}: refused, {why[:90]}"] += 1
    return tuple(kept)


def proved(
    what: str,
    text: str,
    tree: MemoryTree | TreeAfter,
    changes: tuple[FileChange, ...],
    format: str,
    counts: Counter[str],
) -> None:
    """Apply a text, once by its format's name and once by its looks."""
    wanted = {(change.path, change.after) for change in changes}
    plan = planned(read(text, format), tree, overwrite=True, answer=text)
    counts["applied"] += 1
    if plan.problems or {(change.path, change.after) for change in plan.changes} != wanted:
        fail(counts, f"{what}: {plan.problems[:1] or 'another result'}")
    try:
        plan = planned(read(text), tree, overwrite=True, answer=text)
        right = not plan.problems and {(change.path, change.after) for change in plan.changes} == wanted
        counts["applied without the format's name" if right else f"{format}: needs its name to be read"] += 1
        if not right and not plan.problems:
            fail(counts, f"{what}: read as {plan.patch.format}, with another result")
    except PatchError:
        counts[f"{format}: needs its name to be read"] += 1


def converted(
    what: str,
    text: str,
    pair: tuple[FormatName, FormatName],
    known: tuple[Tree, dict[FormatName, str], dict[FormatName, tuple[FileChange, ...]]],
    counts: Counter[str],
) -> None:
    one, other = pair
    tree, made, said = known
    try:
        turned = convert(text, other, tree, format=one, overwrite=True)
    except PatchError as refused:
        able = set(said[one]) <= set(said[other])
        counts["conversions refused: the other format can't say it"] += not able
        if able:
            fail(counts, f"{what}: {refused}")
        return
    counts["conversions"] += 1
    if turned != made[other] or said[one] != said[other]:
        counts["conversions with a text of their own"] += 1
        proved(what, turned, MemoryTree(tree), said[one], other, counts)


def inverted(
    what: str, text: str, format: FormatName, tree: Tree, changes: tuple[FileChange, ...], counts: Counter[str]
) -> None:
    try:
        back = invert(text, tree, format=format, overwrite=True)
    except PatchError as refused:
        kinds = {problem.kind for problem in refused.problems}
        counts[f"inversions refused by {format}: {refused.problems[0].detail.split(': ', 1)[-1][:70]}"] += 1
        if kinds != {"cannot_say"}:
            fail(counts, f"{what}: {refused}")
        return
    counts["inversions"] += 1
    after = TreeAfter(MemoryTree(tree), Plan(Patch(format), changes))
    proved(what, back, after, tuple(change.inverse() for change in changes), format, counts)


def fail(counts: Counter[str], what: str) -> None:
    counts["FAILURES"] += 1
    print(f"FAILED {what}", file=sys.stderr)


def report(counts: Counter[str]) -> int:
    for key in sorted(counts):
        print(f"{counts[key]:8}  {key}")
    print(f"{counts['FAILURES']:8}  failures in all")
    return counts["FAILURES"]


if __name__ == "__main__":
    sys.exit(main())

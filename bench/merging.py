"""Apply one side of real merges as a model's answer, to the other side: is the result what was committed?

    python bench/merging.py REPOSITORY ...            over the merge commits of git repositories
    python bench/merging.py --most 200 REPOSITORY     over so many files of each
    python bench/merging.py --show 3 REPOSITORY       with the first differences to git merge-file
    python bench/merging.py --cases FOLDER            over folders with the files Base, Left, Right and Expected

The base is the merge base, the answer says what the second parent changed in a file, the tree is the first parent. Counted
are all files that both changed: merged as committed (`right`), merged otherwise (`other`), refused. `git merge-file` and,
if it is installed, merge3 of PyPI merge the same texts. Cases that expect conflict markers are left out.
"""

from __future__ import annotations

import argparse
import importlib.util
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from statistics import median
from typing import NamedTuple

import anypatch
from anypatch import FormatName, PatchError
from anypatch.git import Repository
from anypatch.text import looks_binary

FORMATS: tuple[FormatName, ...] = ("unified", "search-replace")
TIMED = 10  # every so many merges are also applied to a folder, for the time that takes


class Merge(NamedTuple):
    """A file in a merge commit: in the merge base, in both parents, as it was committed."""

    commit: str
    path: str
    base: bytes
    ours: bytes
    theirs: bytes
    committed: bytes


def merges(repository: str) -> Iterator[Merge]:
    """Yield the files that both parents of a merge changed."""
    objects = Repository(repository)
    for line in git(repository, "log", "--merges", "--format=%H %P").splitlines():
        commit, *parents = line.split()
        bases = git(repository, "merge-base", "--all", *parents).split()
        if len(parents) != 2 or len(bases) != 1 or bases[0] in parents:
            continue
        one, two = (changed_files(repository, bases[0], parent) for parent in parents)
        both = [path for path in one if path in two and one[path][1] != two[path][1]]
        for path in both:
            committed = objects.get_id(f"{commit}:{path}")
            try:
                ids = (one[path][0], one[path][1], two[path][1])
                sides = [objects.data(id) for id in ids]
                if committed and not any(map(looks_binary, sides)):
                    yield Merge(commit, path, sides[0], sides[2], sides[1], objects.data(committed))
            except PatchError:  # a partial clone, or a submodule
                continue
    objects.close()


def cases(folder: str) -> Iterator[Merge]:
    """Yield the cases in a folder and those below it."""
    for base in sorted(Path(folder).rglob("Base.*")):
        sides = [base.with_stem(name) for name in ("Right", "Left", "Expected")]
        if all(side.exists() for side in sides):
            ours, theirs, expected = (side.read_bytes() for side in sides)
            data = base.read_bytes()
            if b"<<<<<<<" not in expected and data not in (ours, theirs):
                yield Merge(base.parent.name, base.name, data, ours, theirs, expected)


def changed_files(repository: str, old: str, new: str) -> dict[str, tuple[str, str]]:
    """Return the objects of each file that two commits have, and that differs between them."""
    files = {}
    for line in git(repository, "diff-tree", "-r", "--no-renames", old, new).splitlines():
        described, _, path = line.partition("\t")
        _, _, before, after, kind = described.split()
        if kind == "M":
            files[path] = (before, after)
    return files


def git(repository: str, *arguments: str) -> str:
    command = ["git", "-C", repository, "-c", "core.quotePath=false", *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True, errors="surrogateescape").stdout


# ── who merges ───────────────────────────────────────────────────────────────────────────────────


def by_git(merge: Merge, folder: str) -> bytes | None:
    names = [f"{folder}/{name}" for name in ("theirs", "base", "ours")]
    for name, data in zip(names, (merge.theirs, merge.base, merge.ours), strict=True):
        Path(name).write_bytes(data)
    run = subprocess.run(["git", "merge-file", "-p", *names], capture_output=True, check=False)
    return run.stdout if run.returncode == 0 else None


def by_merge3(merge: Merge) -> bytes | None:
    sides = (side.splitlines(True) for side in (merge.base, merge.ours, merge.theirs))
    groups = [*importlib.import_module("merge3").Merge3(*sides).merge_groups()]
    if any(group[0] == "conflict" for group in groups):
        return None
    return b"".join(line for group in groups for line in group[1])


def verdict(result: bytes | None, committed: bytes) -> str:
    return "refused" if result is None else "right" if result == committed else "other"


def on_disk(answer: str, path: str, data: bytes, base: dict[str, bytes] | None) -> float:
    """Return the seconds that an `apply` takes in a folder with that one file."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, path)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
        start = time.perf_counter()
        result = anypatch.apply(answer, folder, base=base)
        seconds = time.perf_counter() - start
        assert result.ok, result
        return seconds


# ── the run ──────────────────────────────────────────────────────────────────────────────────────


class Run:
    def __init__(self, show: int) -> None:
        self.show = show
        self.counts: Counter[tuple[str, str]] = Counter()
        self.differences: Counter[str] = Counter()
        self.seconds: list[tuple[float, float]] = []
        self.has_merge3 = importlib.util.find_spec("merge3") is not None

    def add(self, merge: Merge, folder: str) -> None:
        results = {name: self.ours(merge, name) for name in FORMATS}
        reference = by_git(merge, folder)
        self.counts["git merge-file", verdict(reference, merge.committed)] += 1
        if self.has_merge3:
            self.counts["merge3", verdict(by_merge3(merge), merge.committed)] += 1
        for name, result in results.items():
            if isinstance(result, str):
                self.counts[name, result] += 1
                continue
            self.counts[name, verdict(result, merge.committed)] += 1
            if reference is not None and result != reference:
                self.differences["refused" if result is None else "other"] += 1
                self.differences["not right"] += reference == merge.committed
                if self.show:
                    self.show -= 1
                    print(f"{merge.commit[:10]} {merge.path} ({name}): {verdict(result, merge.committed)}, by git "
                          f"{verdict(reference, merge.committed)}")  # fmt: skip

    def ours(self, merge: Merge, format: FormatName) -> bytes | str | None:
        """Return the merged file, None if the merge is refused, or why there is no answer to apply."""
        path, base = merge.path, {merge.path: merge.base}
        try:
            answer = anypatch.make(base, {path: merge.ours}, format)
        except PatchError:
            return "not sayable"
        plain = anypatch.apply_to(answer, base, format=format, syntax="off")
        result = anypatch.apply_to(answer, {path: merge.theirs}, base=base, format=format, syntax="off")
        if not plain.ok or dict(plain.files)[path] != merge.ours:
            return "other on the base"
        if result.ok and sum(self.counts.values()) % TIMED < len(FORMATS):
            self.seconds.append((on_disk(answer, path, merge.base, None), on_disk(answer, path, merge.theirs, base)))
        return bytes(dict(result.files)[path]) if result.ok else None

    def report(self) -> None:
        for name in dict.fromkeys(name for name, _ in self.counts):
            row = {word: count for (who, word), count in self.counts.items() if who == name}
            print(f"{name:16}", "  ".join(f"{word} {count}" for word, count in sorted(row.items(), reverse=True)))
        print(f"where git merge-file merges: {self.differences['other']} others, {self.differences['refused']} refused; "
              f"{self.differences['not right']} where its result is the right one")  # fmt: skip
        without, with_base = (1000 * median(side) for side in zip(*self.seconds, strict=True))
        times = median(after / before for before, after in self.seconds)
        print(f"on disk, median of {len(self.seconds)}: {without:.1f} ms without a base, {with_base:.1f} ms with one; "
              f"{times:.2f} times as long")  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("repositories", nargs="+", metavar="REPOSITORY")
    parser.add_argument("--cases", action="store_true", help="these are folders of cases")
    parser.add_argument("--most", type=int, default=sys.maxsize)
    parser.add_argument("--show", type=int, default=0)
    chosen = parser.parse_args()
    run = Run(chosen.show)
    with tempfile.TemporaryDirectory() as folder:
        for repository in chosen.repositories:
            for merge in islice((cases if chosen.cases else merges)(repository), chosen.most):
                run.add(merge, folder)
    run.report()


if __name__ == "__main__":
    main()

"""Measure what durability costs: commits of 1 to 1,000 files at each level, beside git apply and GNU patch in the same run.

    python bench/durability.py [--runs 7] [--dir DIR]

"commit" is the time inside a warm process from a finished plan to the receipt: lock, journal, staging, exchange, syncs.
"process" is the whole of `anypatch apply`, `git apply` and `patch`. Disks are noisy: the medians of several runs on
fresh trees are shown, and everything in one run; what a run wrote is synced before the next, and removed at the end only,
since on ext4 a file costs half a millisecond more within a minute of removing a thousand. git apply and GNU patch sync
nothing, and none of their figures includes an undo.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from anypatch import api
from anypatch.hints import Durability
from anypatch.plan import plan
from anypatch.storage.tree import DiskTree, Settings, commit

COUNTS = (1, 10, 100, 1000)
LEVELS: tuple[Durability, ...] = ("none", "batch", "full")
PROGRAM = str(Path(sys.executable).with_name("anypatch"))


def make(root: Path, count: int) -> str:
    """Files of 4 KiB, 50 in a folder, and a patch that changes a line in each."""
    parts = []
    for number in range(count):
        name = f"d{number // 50}/f{number}.txt"
        place = root / name
        place.parent.mkdir(parents=True, exist_ok=True)
        lines = [f"line {line} of file {number}\n" for line in range(180)]
        place.write_text("".join(lines))
        old, new = lines[90], f"changed in file {number}\n"
        parts.append(f"--- a/{name}\n+++ b/{name}\n@@ -90,3 +90,3 @@\n {lines[89]}-{old}+{new} {lines[91]}")
    return "".join(parts)


def committed(root: Path, patch: str, level: Durability) -> float:
    """Seconds from the plan to the receipt."""
    with DiskTree(str(root), Settings(durability=level)) as tree:
        made = plan(api.read(patch), tree)
        started = time.perf_counter()
        commit(tree, made.changes, format="unified", description="", patch=patch.encode())
        return time.perf_counter() - started


def process(command: list[str], root: Path) -> float:
    started = time.perf_counter()
    subprocess.run(command, cwd=root, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - started


def median(runs: int, master: Path, work: Path, measure: Callable[[], float]) -> float:
    """The median in milliseconds, each time on a fresh tree; the first is only to warm up."""
    found = []
    for _ in range(runs + 1):
        if work.exists():
            work.rename(tempfile.mkdtemp(dir=work.parent))
        shutil.copytree(master, work)
        os.sync()
        found.append(measure() * 1000)
    return statistics.median(found[1:])


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--runs", type=int, default=7)
    options.add_argument("--dir", help="where the trees are made: the disk that is measured")
    chosen = options.parse_args()
    print(f"{'ms':>6} files {'commit none':>12}{'batch':>9}{'full':>9}   {'process none':>13}{'batch':>9}{'full':>9}"
          f"{'git apply':>11}{'patch':>9}")  # fmt: skip
    with tempfile.TemporaryDirectory(dir=chosen.dir) as folder:
        os.environ["XDG_STATE_HOME"] = folder
        for count in COUNTS:
            master, work, patch = Path(folder, f"master{count}"), Path(folder, "work"), Path(folder, "patch")
            text = make(master, count)
            patch.write_text(text)
            measured: list[Callable[[], float]] = [partial(committed, work, text, level) for level in LEVELS]
            commands = [[PROGRAM, "apply", str(patch), "-q", "--durability", level] for level in LEVELS]
            commands += [["git", "apply", "-p1", str(patch)], ["patch", "-s", "-p1", "-i", str(patch)]]
            measured += [partial(process, command, work) for command in commands]
            rows = [median(chosen.runs, master, work, measure) for measure in measured]
            cells = [f"{row:9.1f}" for row in rows]
            print(f"{count:12}    {''.join(cells[:3])}        {''.join(cells[3:6])}  {cells[6]}{cells[7]}", flush=True)


if __name__ == "__main__":
    main()

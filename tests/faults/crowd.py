"""Many processes patch the same two files of a tree at the same time: no update is lost or made twice, no read is torn.

python tests/faults/crowd.py [--processes 8] [--patches 1000]
python tests/faults/crowd.py --stale [--patches 200]     each patch was written for the files as they were a while ago
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import sys
import tempfile
import time
from multiprocessing.synchronize import Event
from pathlib import Path

import anypatch
from anypatch import Settings

SETTINGS = Settings(durability="none", lock_timeout=30)
NAMES = ("one.txt", "two.txt")
LAST = "the end\n"


def line(writer: int, count: int) -> str:
    return f"writer {writer} has written {count} times\n"


def text_of(counts: dict[int, int]) -> str:
    """Return a file in which each writer has its line, with one between."""
    return "".join(f"{line(writer, counts[writer])}--\n" for writer in sorted(counts)) + LAST


def write(
    root: str, writer: int, patches: int, stale: bool, results: multiprocessing.Queue[tuple[int, int, int]]
) -> None:
    """Increase the number in the writer's own line, in both files at once. A refused patch isn't tried again.

    If it is `stale`, it shows all lines of the files as the writer read them before others wrote to them.
    """
    count = refused = 0
    for _ in range(patches):
        old, new = line(writer, count), line(writer, count + 1)
        base = {name: Path(root, name).read_text() for name in NAMES} if stale else None
        body = ""
        for name in NAMES:
            lines = base[name].splitlines(keepends=True) if base else [old]
            hunk = "".join(f"-{one}+{new}" if one == old else f" {one}" for one in lines)
            body += f"*** Update File: {name}\n@@\n{hunk}"
        time.sleep(random.random() / 50 if stale else 0)
        report = anypatch.apply(f"*** Begin Patch\n{body}*** End Patch\n", root, base=base, settings=SETTINGS)
        count += report.ok
        refused += not report.ok
    results.put((writer, count, refused))


def watch(root: str, writers: int, stop: Event, results: multiprocessing.Queue[tuple[int, int, int]]) -> None:
    """Read all the time: a file is always complete."""
    reads = torn = 0
    while not stop.is_set():
        for name in NAMES:
            text = Path(root, name).read_text()
            reads += 1
            torn += text.count("\n") != 2 * writers + 1 or not text.endswith(LAST)
    results.put((-1, reads, torn))


def main() -> int:
    options = argparse.ArgumentParser()
    options.add_argument("--processes", type=int, default=8)
    options.add_argument("--patches", type=int)
    options.add_argument("--stale", action="store_true")
    chosen = options.parse_args()
    patches = chosen.patches or (200 if chosen.stale else 1000)
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as root:
        os.environ.setdefault("XDG_STATE_HOME", root + "-state")
        for name in NAMES:
            Path(root, name).write_text(text_of(dict.fromkeys(range(chosen.processes), 0)))
        results: multiprocessing.Queue[tuple[int, int, int]] = multiprocessing.Queue()
        stop = multiprocessing.Event()
        reader = multiprocessing.Process(target=watch, args=(root, chosen.processes, stop, results))
        writers = [
            multiprocessing.Process(target=write, args=(root, number, patches, chosen.stale, results))
            for number in range(chosen.processes)
        ]
        for process in (reader, *writers):
            process.start()
        counts = {writer: (count, refused) for writer, count, refused in (results.get() for _ in writers)}
        stop.set()
        _, reads, torn = results.get()
        for process in (reader, *writers):
            process.join()
        wanted = text_of({writer: count for writer, (count, _) in counts.items()})
        lost = sum(Path(root, name).read_text() != wanted for name in NAMES)
    applied, refused = (sum(pair[at] for pair in counts.values()) for at in (0, 1))
    share = 100 * applied / (applied + refused)
    print(
        f"{applied} applied ({share:.1f} %), {refused} refused, {lost} files with lost updates, {torn} of {reads} reads torn"
    )
    print(f"{time.monotonic() - started:.0f} s")
    return 1 if lost or torn or share < 95 else 0


if __name__ == "__main__":
    sys.exit(main())

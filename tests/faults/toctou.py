"""A process exchanges a folder, or a file, and a link that leads out, as fast as it can, while it is read and written.

python tests/faults/toctou.py [--tries 120000]

A third of the tries each is on a folder, a file, and a folder in the middle of a path; every 20th try also writes. An
escape is a byte from outside that was read, or a change there. The usual check (resolve the path, compare it with the
root, open it) runs the same race first: if that never escapes, the race proves nothing.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from anypatch.model import File, FileChange
from anypatch.problems import Refused
from anypatch.storage import syscalls
from anypatch.storage.tree import DiskTree, Settings, commit

SETTINGS = Settings(durability="none")
SECRET = b"secret\n"
# What is read and written, which name on the way is exchanged, and the target of the link.
RACES = {
    "a folder": ("d/a", "d", "outside"),
    "a file": ("e/a", "e/a", "outside/a"),
    "a folder in the middle": ("f/g/h/i/a", "f/g", "outside/g"),
}


def build(top: Path) -> Path:
    root = top / "root"
    for path, name, target in RACES.values():
        for place, data in ((root / path, b"inside\n"), (top / "outside" / Path(path).name, SECRET)):
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)
        (root / f"link-{name.replace('/', '-')}").symlink_to(top / target)
    below = top / "outside/g/h/i/a"
    below.parent.mkdir(parents=True)
    below.write_bytes(SECRET)
    return root


def outside(top: Path) -> dict[str, bytes]:
    return {str(p.relative_to(top)): p.read_bytes() for p in (top / "outside").rglob("*") if p.is_file()}


@contextmanager
def attacked(root: Path, name: str) -> Iterator[None]:
    """Run a process that exchanges a name and a link again and again."""
    attacker = os.fork()
    if not attacker:
        fd = os.open(root, os.O_RDONLY)
        while True:
            syscalls.exchange(fd, name, fd, f"link-{name.replace('/', '-')}")
    try:
        yield
    finally:
        os.kill(attacker, signal.SIGKILL)
        os.waitpid(attacker, 0)


def usual(root: Path, path: str, _: int) -> str:
    """Read a file as others do, after a check of its path."""
    try:
        real = os.path.realpath(root / path)
        if os.path.commonpath((real, root)) != str(root):
            return "refused"
        with open(real, "rb") as file:
            return "ESCAPED" if SECRET in file.read() else "done"
    except OSError:
        return "refused"


def ours(root: Path, path: str, number: int) -> str:
    try:
        with DiskTree(str(root), SETTINGS) as tree:
            found = tree.read(tree.canonical(path))
            if found and SECRET in found.data:
                return "ESCAPED"
            if number % 20 == 0:
                commit(tree, (FileChange(path, found, File(b"inside %d\n" % number)),), format="", description="")
                return "written"
    except Refused:
        return "refused"
    return "done"


def race(tries: int, act: Callable[[Path, str, int], str]) -> Counter[str]:
    results: Counter[str] = Counter()
    for path, name, _ in RACES.values():
        with tempfile.TemporaryDirectory() as folder:
            top = Path(folder).resolve()
            root = build(top)
            before = outside(top)
            with attacked(root, name):
                for number in range(tries // len(RACES)):
                    results[act(root, path, number)] += 1
            results["ESCAPED"] += outside(top) != before
    return results


def main() -> int:
    options = argparse.ArgumentParser()
    options.add_argument("--tries", type=int, default=120_000)
    chosen = options.parse_args()
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as state:
        os.environ["XDG_STATE_HOME"] = state
        control, found = race(chosen.tries // 6, usual), race(chosen.tries, ours)
    for name, results in (("the usual check", control), ("anypatch", found)):
        rest = ", ".join(f"{results[what]} {what}" for what in ("done", "written", "refused") if results[what])
        print(f"{name:16}{results['ESCAPED']} escapes in {results.total()} tries: {rest}")
    print(f"{time.monotonic() - started:.0f} s")
    proven = control["ESCAPED"] and found["done"] and found["written"] and found["refused"]
    return 1 if found["ESCAPED"] or not proven else 0


if __name__ == "__main__":
    sys.exit(main())

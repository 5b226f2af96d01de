"""Kill a process at random moments while it patches 1,000 files, then recover: no tree is half patched.

python tests/faults/kill9.py [--kills 200] [--files 1000] [--durability none]
python tests/faults/kill9.py --stale     the files have changed since the commit that the patch was written for

By turns the kills fall at random times of the whole run, of the time after the first staged file, and of the time after
the journal, when files are exchanged. What is left on the disk shows where each one fell. A kill after the process has
ended doesn't count.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

PROGRAM = str(Path(sys.executable).with_name("anypatch"))
# The file that exists from the start, from the first staged file, from the journal, below the root.
SIGNS = ("", ".anypatch/tx", ".anypatch/tx/manifest")
LATE = "came too late"
PHASES = ("planning", "staging", "exchanging", "exchanged", "committed")


def make(root: Path, files: int) -> str:
    """Make the tree; return a patch with every sort of change."""
    parts = []
    for number in range(files):
        path = root / f"d{number % 20}" / f"f{number}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"first {number}\nold {number}\n" + "filler\n" * 100)
        name = path.relative_to(root)
        if number % 10 == 3:
            parts.append(f"*** Delete File: {name}\n*** Add File: made{number % 7}/f{number}\n+new {number}\n")
        else:
            parts.append(f"*** Update File: {name}\n@@\n first {number}\n-old {number}\n+new {number}\n")
    return "*** Begin Patch\n" + "".join(parts) + "*** End Patch\n"


def change(root: Path) -> None:
    """Commit all files, then add a line to those that the patch edits."""
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "first"]):
        subprocess.run(["git", "-c", "user.name=A", "-c", "user.email=a@example.org", *arguments], cwd=root, check=True)
    for path in root.glob("d*/*.txt"):
        if int(path.stem[1:]) % 10 != 3:
            path.write_text(path.read_text() + "later\n")


def state(root: Path) -> dict[str, bytes]:
    return {
        str(p.relative_to(root)): p.read_bytes()
        for p in root.rglob("*")
        if p.is_file() and not {".anypatch", ".git"}.intersection(p.parts)
    }


def phase(root: Path, files: dict[str, bytes], old: dict[str, bytes], new: dict[str, bytes]) -> str:
    """Return how far the process had got when it was killed."""
    if not (root / ".anypatch/tx").exists():
        return "committed" if list(root.glob(".anypatch/2*")) else "planning"
    if files in (old, new):
        return "exchanged" if files == new else "staging"
    return "exchanging"


def wait_for(sign: Path, process: subprocess.Popen[bytes]) -> None:
    """Wait until a file exists, or the process ends."""
    while not os.path.exists(sign) and process.poll() is None:
        time.sleep(0.0005)


class Trial:
    """One tree, patched and killed again and again."""

    def __init__(self, folder: Path, files: int, durability: str, stale: bool) -> None:
        self.master, self.root, patch = folder / "master", folder / "tree", folder / "patch"
        patch.write_text(make(self.master, files))
        where = ["--root", str(self.root), "-q"]
        self.command = [PROGRAM, "apply", str(patch), *where, "--durability", durability]
        if stale:
            change(self.master)
            self.command += ["--base", "HEAD"]
        self.recovery = [PROGRAM, "recover", *where]
        self.fell: Counter[str] = Counter()
        self.half = 0
        self.spans: dict[str, float] = {}
        for sign in SIGNS:
            self.begin(sign)
            started = time.monotonic()
            assert self.process.wait() == 0
            self.spans[sign] = time.monotonic() - started
        self.old, self.new = state(self.master), state(self.root)

    def begin(self, sign: str) -> None:
        """Start on a fresh tree; return as soon as the sign exists."""
        shutil.rmtree(self.root, ignore_errors=True)
        shutil.copytree(self.master, self.root)
        self.process = subprocess.Popen(self.command)
        wait_for(self.root / sign, self.process)

    def kill(self, sign: str) -> None:
        """Kill it once, recover, and check the tree."""
        self.begin(sign)
        time.sleep(random.uniform(0, self.spans[sign]))
        self.process.send_signal(signal.SIGKILL)
        done = self.process.wait() == 0
        self.fell[LATE if done else phase(self.root, state(self.root), self.old, self.new)] += 1
        recovered = subprocess.run(self.recovery, check=False).returncode
        files = state(self.root)
        wrong = (
            files not in (self.old, self.new) or (done and files != self.new) or list(self.root.rglob(".anypatch-*"))
        )
        self.half += bool(recovered or wrong)


def main() -> int:
    options = argparse.ArgumentParser()
    options.add_argument("--kills", type=int, default=200)
    options.add_argument("--files", type=int, default=1000)
    options.add_argument("--durability", default="none")
    options.add_argument("--stale", action="store_true")
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None) as folder:
        os.environ.setdefault("XDG_STATE_HOME", f"{folder}/state")
        trial = Trial(Path(folder), chosen.files, chosen.durability, chosen.stale)
        number = 0
        while trial.fell.total() - trial.fell[LATE] < chosen.kills:
            trial.kill(SIGNS[number % 3])
            number += 1
    where = ", ".join(f"{trial.fell[name]} {name}" for name in (*PHASES, LATE))
    print(f"{chosen.kills} kills: {trial.half} half patched; they fell: {where}")
    return 1 if trial.half else 0


if __name__ == "__main__":
    sys.exit(main())

"""Kill a change before each of its system calls, and let each of them fail: the tree is old or new, never mixed.

    python tests/faults/rig.py [--quick] [WORDS]

WORDS: only the parts whose title contains one of them.
Runs itself again with a library (shim.c) loaded before all others, which makes the n-th call fail. The processes that
fail are forks of a warm one, so a point takes milliseconds.
"""

from __future__ import annotations

import ctypes
import errno
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import cast

sys.path.insert(0, str(Path(__file__).parent))
from shapes import LEVELS, SHAPES, actions, add_lines, build, code, edit_by_hand, seen, strays

from anypatch.hints import Durability
from anypatch.storage.tree import Settings

KILL, SHORT, ERROR, BROKEN = 1, 2, 3, 4
ERRORS = ("ENOSPC", "EIO", "EACCES", "EROFS", "EDQUOT", "EMFILE", "EINTR", "ENOMEM")
SIGNALLED = -9


class Bench:
    """A tree of one shape at one level of durability, set up again and again, and the points that failed."""

    def __init__(self, folder: Path, shape: str, level: Durability) -> None:
        self.root, self.master = folder / "tree", folder / "master"
        self.wanted = SHAPES[shape]
        self.acts = actions(str(self.root), self.wanted, Settings(durability=level))
        self.shim = ctypes.CDLL(None)
        self.points = 0
        self.bad: list[str] = []
        self.label = f"{shape}/{level}"
        build(self.root)
        self.old = seen(str(self.root))
        assert code(self.acts["apply"]) == 0
        self.new = seen(str(self.root))
        edit_by_hand(self.root, self.wanted)
        self.edited = seen(str(self.root))
        assert self.old != self.new != self.edited
        self.before = {"undo": self.new, "force": self.edited}
        self.after = {"undo": self.old, "force": self.old}
        if shape == "mode":  # what was written by hand stays: the change has no lines that could clash with it
            restored = {name: (self.edited[name][0], self.old[name][1]) for name in self.wanted}
            self.after["force"] = self.edited | restored
        self.start("undo several")
        newest = seen(str(self.root))
        assert newest not in (self.old, self.new)
        self.before |= {"undo several": newest, "redo several": self.old}
        self.after |= {"undo several": self.old, "redo several": newest}
        if shape == "lines":
            self.start("merge")
            self.before["merge"] = seen(str(self.root))
            assert code(self.acts["undo"]) == 0
            self.after["merge"] = seen(str(self.root))
            assert self.after["merge"] != self.old
            self.start("apply merged")
            self.before["apply merged"] = seen(str(self.root))
            assert code(self.acts["apply merged"]) == 0
            self.after["apply merged"] = seen(str(self.root))
            assert self.after["apply merged"]["lines"] not in (self.old["lines"], self.new["lines"])

    def start(self, action: str) -> None:
        """Set up the tree as it is right before an action."""
        build(self.root)
        if action not in ("apply", "apply merged"):
            assert code(self.acts["apply"]) == 0
        if action == "redo":
            assert code(self.acts["undo"]) == 0
        if action in ("undo several", "redo several"):
            assert code(self.acts["apply again"]) == 0
        if action == "redo several":
            assert code(self.acts["undo several"]) == 0
        if action == "force":
            edit_by_hand(self.root, self.wanted)
        if action in ("merge", "apply merged"):
            add_lines(self.root)

    def run_with_fault(self, action: str, at: int, mode: int, error: int = 0) -> tuple[int, bool]:
        """Run an action in a fork whose n-th call fails. Return its exit code, and False if there was no n-th call."""
        reader, writer = os.pipe()
        child = os.fork()
        if not child:
            self.shim.shim_arm(at, mode, error)
            result = code(self.acts[action])
            fired = self.shim.shim_count() >= at
            self.shim.shim_arm(0, 0, 0)
            os.write(writer, b"1" if fired else b"0")
            os._exit(result)
        os.close(writer)
        _, status = os.waitpid(child, 0)
        fired = os.read(reader, 1) != b"0"
        os.close(reader)
        return os.waitstatus_to_exitcode(status), fired

    def judge(self, what: str, result: int, action: str, *, dead: bool = False) -> None:
        """Recover, then check that the tree is old or new, that nothing is left over, and that the exit code was right.

        A plain refusal leaves the old tree even before recovery. Only if the disk stays dead this may not hold, and
        then the refusal says so.
        """
        self.points += 1
        before, after = self.before.get(action, self.old), self.after.get(action, self.new)
        refused_clean = result != 3 or seen(str(self.root)) == before
        recovered = code(self.acts["recover"])
        tree = seen(str(self.root))
        left = strays(str(self.root))
        state = "old" if tree == before else "new" if tree == after else "MIXED"
        lying = (result == 0 and state != "new") or not refused_clean or result == 4 or (result == 5 and not dead)
        if recovered or left or state == "MIXED" or lying:
            self.bad.append(f"{self.label} {what}: exit {result}, {state}, recovery {recovered}, left {left}")


def points(bench: Bench, action: str, mode: int, error: int = 0, step: int = 1) -> Iterator[tuple[int, int]]:
    """Yield the number of each call of an action, after it failed, and the exit code."""
    at = 1
    while at < 5000:
        bench.start(action)
        result, fired = bench.run_with_fault(action, at, mode, error)
        if not fired:
            return
        yield at, result
        at += step
    raise AssertionError("it doesn't end")


def crash(bench: Bench, action: str, mode: int, step: int = 1) -> None:
    for at, result in points(bench, action, mode, step=step):
        bench.judge(f"{action} killed at {at} ({mode})", result, action)


def fail(bench: Bench, action: str, mode: int, step: int = 1) -> None:
    for name in ERRORS:
        if mode == BROKEN and name == "EINTR":
            continue  # a call that is always interrupted is repeated for ever
        for at, result in points(bench, action, mode, getattr(errno, name), step):
            bench.judge(f"{action} {name} at {at} ({mode})", result, action, dead=mode == BROKEN)


def nested(bench: Bench, action: str, step: int, inner: int) -> None:
    """Crash, then crash at every point of the recovery from it, then recover to the end."""
    for at, result in points(bench, action, KILL, step=step):
        shutil.rmtree(bench.master, ignore_errors=True)
        shutil.copytree(bench.root, bench.master, symlinks=True)
        again = 1
        while True:
            shutil.rmtree(bench.root)
            shutil.copytree(bench.master, bench.root, symlinks=True)
            _, fired = bench.run_with_fault("recover", again, KILL)
            bench.judge(f"{action} killed at {at}, recovery at {again}", result, action)
            if not fired:
                break
            again += inner


Part = tuple[str, Callable[[Bench], None]]


def parts(quick: bool) -> dict[str, list[Part]]:
    """Return what is run for each shape and level; `quick` skips most points.

    It skips more of the failing calls, because tests/storage/test_faults_in_calls.py lets all of them fail.
    """
    wide, few = (7, 27) if quick else (1, 1)
    by_label: dict[str, list[Part]] = {}
    for shape in SHAPES:
        for level in LEVELS:
            runs: list[Part] = [("crash in apply", lambda bench: crash(bench, "apply", KILL, 9 if quick else 1))]
            if not quick or (shape, level) in (("mixed", "batch"), ("swap", "none")):
                runs += [
                    ("crash in a write", lambda bench: crash(bench, "apply", SHORT, wide)),
                    ("crash in undo", lambda bench: crash(bench, "undo", KILL, wide)),
                    ("crash in redo", lambda bench: crash(bench, "redo", KILL, wide)),
                    ("crash in a forced undo", lambda bench: crash(bench, "force", KILL, wide)),
                    ("crash in an undo of several", lambda bench: crash(bench, "undo several", KILL, wide)),
                    ("crash in a redo of several", lambda bench: crash(bench, "redo several", KILL, wide)),
                    ("crash in recovery", lambda bench: nested(bench, "apply", 4 * wide, wide + 2)),
                    ("a failing call in apply", lambda bench: fail(bench, "apply", ERROR, few)),
                    ("a failing call in undo", lambda bench: fail(bench, "undo", ERROR, few)),
                    ("a failing call in a forced undo", lambda bench: fail(bench, "force", ERROR, few + 2)),
                    ("a failing call in an undo of several", lambda bench: fail(bench, "undo several", ERROR, few + 2)),
                    ("a failing call in a redo of several", lambda bench: fail(bench, "redo several", ERROR, few + 2)),
                    ("a failing disk in apply", lambda bench: fail(bench, "apply", BROKEN, few + 2)),
                    ("a failing disk in undo", lambda bench: fail(bench, "undo", BROKEN, few + 2)),
                ]
            if shape == "mode":  # forced, an undo that can't merge since a call fails restores the file: right as well
                runs = [part for part in runs if part[0] != "a failing call in a forced undo"]
            if shape == "lines" and (not quick or level == "batch"):
                runs += [
                    ("crash in a merged apply", lambda bench: crash(bench, "apply merged", KILL, 1 + 2 * quick)),
                    ("a failing call in a merged apply", lambda bench: fail(bench, "apply merged", ERROR, few)),
                    ("crash in a merged undo", lambda bench: crash(bench, "merge", KILL, 1 + 2 * quick)),
                    ("a failing call in a merged undo", lambda bench: fail(bench, "merge", ERROR, few)),
                ]
            if not quick:
                runs += [
                    ("crash in the recovery of undo", lambda bench: nested(bench, "undo", 4, 3)),
                    ("crash in the recovery of several", lambda bench: nested(bench, "undo several", 8, 5)),
                    ("a failing disk in an undo of several", lambda bench: fail(bench, "undo several", BROKEN, 3)),
                ]
            by_label[f"{shape}/{level}"] = runs
    return by_label


def run(quick: bool, words: Sequence[str] = ()) -> int:
    totals: dict[str, list[int]] = {}
    bad: list[str] = []
    base = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=base) as folder:
        for label, runs in parts(quick).items():
            shape, level = label.split("/")
            bench = Bench(Path(folder), shape, cast(Durability, level))
            for title, part in runs:
                if words and not any(word in title for word in words):
                    continue
                bench.points, bench.bad = 0, []
                part(bench)
                row = totals.setdefault(title, [0, 0])
                row[0] += bench.points
                row[1] += len(bench.bad)
                bad += bench.bad
    print(f"{'':38}{'points':>8}{'bad':>6}")
    for title, (number, wrong) in totals.items():
        print(f"{title:38}{number:8}{wrong:6}")
    for line in bad[:40]:
        print(line)
    return 1 if bad else 0


def main() -> int:
    words = [word for word in sys.argv[1:] if word != "--quick"]
    return run("--quick" in sys.argv, words) if "SHIM" in os.environ else under_shim()


def under_shim() -> int:
    """Run this program again with the library that counts calls and makes them fail. Return its exit code."""
    if not shutil.which("cc"):
        sys.exit("this needs a C compiler (cc), to build tests/faults/shim.c")
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        library = f"{folder}/shim.so"
        source = Path(__file__).parent / "shim.c"
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, str(source), "-ldl"], check=True)
        environment = {**os.environ, "LD_PRELOAD": library, "SHIM": "1", "XDG_STATE_HOME": folder}
        done = subprocess.run([sys.executable, *sys.argv], env=environment, check=False).returncode
    print(f"{time.monotonic() - started:.0f} s")
    return done


if __name__ == "__main__":
    sys.exit(main())

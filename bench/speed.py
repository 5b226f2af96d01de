"""How long whole processes take, beside the bare interpreter of the same environment in the same run.

    python bench/speed.py            the five figures, and their growth to ten times the size
    python bench/speed.py --quick    without the growth

Each figure is the median of several runs of a real `anypatch apply` on a fresh copy of the tree. "CPU" is user plus
system time of the process, "wall" is elapsed time. Nothing is synced: that measures the disk, and bench/durability.py
does it. Machines are noisy: read the ratios, not the milliseconds.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

Files = dict[str, str]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--quick", action="store_true", help="skip the runs of ten times the size")
    options.add_argument("--runs", type=int, default=9)
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        bare = measure([sys.executable, "-c", "pass"], chosen.runs, lambda: None)
        print(f"{'':52} {'CPU ms':>8} {'wall ms':>8} {'CPU/bare':>9}  goal")
        row("bare interpreter", bare, bare, "")
        for title, goal, make in CASES:
            row(title, run_case(folder, make(1), chosen.runs), bare, goal)
        if not chosen.quick:
            print("\ngrowth: ten times the size, in multiples of the time above start-up (linear is 10)")
            for title, _, make in CASES[1:]:
                once, ten = (run_case(folder, make(size), 3) for size in (1, 10))
                growth = (ten[1] - bare[1]) / max(once[1] - bare[1], 0.001)
                print(f"{title:52} {once[1] * 1000:8.0f} {ten[1] * 1000:8.0f} {growth:9.1f}")


def row(title: str, figures: tuple[float, float], bare: tuple[float, float], goal: str) -> None:
    print(f"{title:52} {figures[0] * 1000:8.1f} {figures[1] * 1000:8.1f} {figures[0] / bare[0]:9.2f}  {goal}")


def run_case(folder: Path, case: tuple[Files, str, int], runs: int) -> tuple[float, float]:
    files, patch, code = case
    master, tree = folder / "master", folder / "tree"
    shutil.rmtree(master, ignore_errors=True)
    for name, text in files.items():
        (master / name).parent.mkdir(parents=True, exist_ok=True)
        (master / name).write_text(text)
    (folder / "patch.txt").write_text(patch)

    def fresh() -> None:
        shutil.rmtree(tree, ignore_errors=True)
        shutil.copytree(master, tree)

    program = str(Path(sys.executable).with_name("anypatch"))
    command = [program, "apply", str(folder / "patch.txt"), "--root", str(tree), "--quiet", "--durability", "none"]
    return measure(command, runs, fresh, code)


def measure(command: list[str], runs: int, prepare: Callable[[], None], code: int = 0) -> tuple[float, float]:
    """Median CPU and wall seconds."""
    cpu, wall = [], []
    for _ in range(runs):
        prepare()
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        started = time.perf_counter()
        done = subprocess.run(
            command, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=dict(os.environ)
        )
        wall.append(time.perf_counter() - started)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        if done.returncode != code:
            sys.exit(f"{' '.join(command)} ended with {done.returncode}: {done.stderr.decode()[-2000:]}")
    return statistics.median(cpu), statistics.median(wall)


# ── the cases ────────────────────────────────────────────────────────────────────────────────────


def source(lines: int, seed: int = 0) -> str:
    """Python-like text with comments, blank lines, docstrings and repeated lines."""
    parts = []
    for i in range(lines // 10):
        name = f"{seed}_{i}"
        parts.append(
            f'def work_{name}(a, b):\n    """What {name} does."""\n    total = a + {i}  # sum {i}\n\n    for item in b:\n'
            f"        total += item * {i + seed}\n    if total > {i}:\n        return None\n    return total\n\n"
        )
    return "".join(parts)


def replacing(path: str, seed: int, i: int) -> str:
    """One operation: by turns with a comment left out of the marker, and with a line of context."""
    if i % 2:
        marker = f"total = a + {i}\n          for item in b:"
        payload = f"total = a + {i} + 1\n          for item in reversed(b):"
        return f"  - path: {path}\n    op: replace_text\n    marker: |-\n      {marker}\n    payload: |-\n      {payload}\n"
    return (
        f"  - path: {path}\n    op: replace_text\n    marker: |-\n      total += item * {i + seed}\n"
        f"    before: |-\n      for item in b:\n    payload: |-\n      total -= item * {i + seed}\n"
    )


def one(_: int) -> tuple[Files, str, int]:
    patch = "operations:\n  - path: a.py\n    op: replace_text\n    marker: x = 1\n    payload: x = 2\n"
    return {"a.py": "import os\n\nx = 1\n"}, patch, 0


def many_files(size: int) -> tuple[Files, str, int]:
    count = 100 * size
    files = {f"pkg{n % 10}/mod{n}.py": source(1000, n) for n in range(count)}
    ops = [replacing(f"pkg{n % 10}/mod{n}.py", n, i * 9) for n in range(count) for i in range(10)]
    return files, "language: python\noperations:\n" + "".join(ops), 0


def plain_files(size: int) -> tuple[Files, str, int]:
    count = 100 * size
    files, ops = {}, []
    for n in range(count):
        path = f"pkg{n % 10}/mod{n}.cpp"
        files[path] = "".join(f"    int value_{n}_{i} = compute({i});\n" for i in range(1000))
        ops += [
            f"  - path: {path}\n    op: replace_text\n    marker: |-\n      int value_{n}_{i} = compute({i});\n"
            f"    payload: |-\n      int value_{n}_{i} = other({i});\n"
            for i in range(0, 970, 97)
        ]
    return files, "language: c++\noperations:\n" + "".join(ops), 0


def large_file(size: int) -> tuple[Files, str, int]:
    lines = 200_000 * size
    text = "".join(f"v{i} = f({i % 97})\n" for i in range(lines))
    at = lines * 3 // 4
    patch = (
        f"language: python\noperations:\n  - path: big.py\n    op: replace_text\n"
        f"    marker: v{at} = f({at % 97})\n    payload: v{at} = None\n"
    )
    return {"big.py": text}, patch, 0


def one_file(size: int) -> tuple[Files, str, int]:
    ops = [replacing("a.py", 0, i) for i in range(1000 * size)]
    return {"a.py": source(10_000 * size)}, "language: python\noperations:\n" + "".join(ops), 0


def near_miss(size: int) -> tuple[Files, str, int]:
    text = source(20_000 * size)
    wanted = text.split("\n")[5000:5040]
    wanted[20] = wanted[20] + " and something else"
    marker = "\n".join("      " + line if line else "" for line in wanted)
    return {"a.py": text}, f"operations:\n  - path: a.py\n    op: delete_text\n    marker: |-\n{marker}\n", 1


CASES: list[tuple[str, str, Callable[[int], tuple[Files, str, int]]]] = [
    ("(a) one operation, cold", "CPU at most 3x bare", one),
    ("(b) 1,000 operations, 100 files of 1,000 lines", "wall at most 200 ms", plain_files),
    ("    the same past comments, docstrings, with context", "", many_files),
    ("(c) one operation, file of 200,000 lines", "wall at most 150 ms", large_file),
    ("(d) 1,000 operations, one file of 10,000 lines", "wall at most 200 ms", one_file),
    ("(e) near miss: 40 lines in 20,000, with report", "wall at most 500 ms", near_miss),
]

if __name__ == "__main__":
    main()

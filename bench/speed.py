"""How long whole processes take, beside the bare interpreter of the same environment in the same run.

    python bench/speed.py            all figures, and their growth to ten times the size
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

from workloads import CASES, Work, large_file


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
                if make is large_file:
                    continue  # ten times as much is beyond what a file may be; bench/everyday.py has its growth
                once, ten = (run_case(folder, make(size), 3) for size in (1, 10))
                growth = (ten[1] - bare[1]) / max(once[1] - bare[1], 0.001)
                print(f"{title:52} {once[1] * 1000:8.0f} {ten[1] * 1000:8.0f} {growth:9.1f}")


def row(title: str, figures: tuple[float, float], bare: tuple[float, float], goal: str) -> None:
    print(f"{title:52} {figures[0] * 1000:8.1f} {figures[1] * 1000:8.1f} {figures[0] / bare[0]:9.2f}  {goal}")


def run_case(folder: Path, case: Work, runs: int) -> tuple[float, float]:
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
    # As for a user: what is imported was compiled before, by the installer or the first run.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    for _ in range(runs):
        prepare()
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        started = time.perf_counter()
        done = subprocess.run(command, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment)
        wall.append(time.perf_counter() - started)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        if done.returncode != code:
            sys.exit(f"{' '.join(command)} ended with {done.returncode}: {done.stderr.decode()[-2000:]}")
    return statistics.median(cpu), statistics.median(wall)


if __name__ == "__main__":
    main()

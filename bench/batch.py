"""A batch, measured: CPU a row, one worker and two, memory, and runs that are killed and gone on with.

How much faster two workers are is told twice: by the clock, which is true only on a machine with nothing else to do,
and by CPU: what all processes take for a row with two workers beside what the one worker took, reading and writing
of the table included. Starting up is left out of the latter.

usage: bench/batch.py [ANSWERS.jsonl] [--rows N] [--kills N] [--engine local|ray]

Without ANSWERS the rows are the commits of this repository, each as a diff for its parent (`--repos`). Rows are
repeated until there are N of them.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import threading
import time
from itertools import cycle, islice
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
FEW = 2  # rows of a run that is all start


def commits(folder: Path) -> tuple[list[bytes], list[str]]:
    """Rows of this repository's commits, and the options for them."""
    bare = folder / "repos" / "here.git"
    subprocess.run(["git", "clone", "-q", "--bare", str(TOP), str(bare)], check=True)
    told = subprocess.run(["git", "-C", bare, "log", "--no-merges", "--format=%H %P", "-n", "400"], capture_output=True, text=True, check=True).stdout  # fmt: skip
    rows = []
    for line in told.splitlines():
        commit, *parents = line.split()
        if parents:
            diff = subprocess.run(
                ["git", "-C", bare, "diff", parents[0], commit], capture_output=True, check=True
            ).stdout
            if b"Binary files" not in diff and len(diff) < 1 << 20:
                row = {
                    "id": commit,
                    "repo": "here",
                    "base_commit": parents[0],
                    "model_patch": diff.decode("utf-8", "replace"),
                }
                rows.append(json.dumps(row).encode() + b"\n")
    return rows, ["--repos", str(bare.parent)]


def command(answers: Path, out: Path, options: list[str]) -> list[str]:
    return [sys.executable, "-m", "anypatch", "batch", str(answers), "--out", str(out), "--json", *options]


class Memory(threading.Thread):
    """The most that a process and its children held together, looked at ten times a second."""

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self.pid, self.most, self.first = pid, 0.0, 0.0

    def run(self) -> None:
        start = time.monotonic()
        while True:
            try:
                family = [self.pid, *map(int, Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split())]
                sizes = [int(Path(f"/proc/{pid}/statm").read_text().split()[1]) for pid in family]
            except (OSError, ValueError):
                return
            self.most = max(self.most, sum(sizes) * resource.getpagesize() / 2**20)
            if time.monotonic() - start < 5:
                self.first = self.most
            time.sleep(0.1)


def timed(answers: Path, out: Path, options: list[str], workers: int, told: bool = True) -> tuple[float, float, float]:
    """One run, printed if it is to be `told`: rows a second, CPU ms a row by its own count, and of all processes."""
    start, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    process = subprocess.Popen(command(answers, out, [*options, f"--workers={workers}"]), stdout=subprocess.PIPE)
    memory = Memory(process.pid)
    memory.start()
    printed, _ = process.communicate()
    assert process.returncode == 0
    value, seconds = json.loads(printed), time.monotonic() - start
    rate = float(value["rows"] / seconds)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime
    if told:
        print(
            f"{workers} worker{'s' * (workers > 1)}: {seconds:.1f} s, {rate:.0f} rows/s, CPU a row: median {value['ms']['median']} ms, "
            f"95 % {value['ms']['p95']} ms; memory {memory.most:.0f} MiB, after 5 s {memory.first:.0f}; "
            f"applied {value['applied'] / value['rows']:.1%}; a million rows: {1e6 / rate / 3600:.1f} h"
        )
    return rate, value["ms"]["total"] / value["rows"], cpu * 1000 / value["rows"]


def killed(answers: Path, folder: Path, options: list[str], kills: int) -> None:
    """The same batch, killed again and again: each row once, in order."""
    whole, out = folder / "whole.jsonl", folder / "killed.jsonl"
    subprocess.run(command(answers, whole, options), stdout=subprocess.DEVNULL, check=True)
    start, dice, done = time.monotonic(), random.Random(1), 0
    subprocess.run(command(answers, folder / "again.jsonl", options), stdout=subprocess.DEVNULL, check=True)
    usual = time.monotonic() - start
    while done < kills:
        process = subprocess.Popen(command(answers, out, [*options, "--resume"]), stdout=subprocess.DEVNULL)
        try:
            process.wait(dice.uniform(0.2, usual / 3))
            out.unlink()  # it was faster: from the beginning
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            done += 1
    subprocess.run(command(answers, out, [*options, "--resume"]), stdout=subprocess.DEVNULL, check=True)
    first, second = ([{**json.loads(line), "ms": 0} for line in path.open()] for path in (whole, out))
    print(f"killed {done} times and gone on with: {len(second)} rows of {len(first)}, the same: {first == second}")
    assert first == second


def main() -> None:
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("answers", nargs="?")
    reader.add_argument("--rows", type=int, default=2000)
    reader.add_argument("--kills", type=int, default=20)
    reader.add_argument("--engine", default="local")
    asked = reader.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows, options = commits(folder) if not asked.answers else ([], [])
        if asked.answers:
            rows = Path(asked.answers).read_bytes().splitlines(keepends=True)
        answers, some = folder / "in.jsonl", folder / "some.jsonl"
        with answers.open("wb") as file:
            file.writelines(islice(cycle(rows), asked.rows))
        few = folder / "few.jsonl"
        few.write_bytes(b"".join(rows[:FEW]))
        some.write_bytes(b"".join(islice(cycle(rows), min(asked.rows, 1000))))
        print(f"{asked.rows:,} rows ({len(rows):,} different ones), {os.cpu_count()} cores, engine {asked.engine}")
        options += ["--engine", asked.engine]
        _, _, start = timed(few, folder / "start.jsonl", options, 2, told=False)
        one, two = (timed(answers, folder / f"{workers}.jsonl", options, workers) for workers in (1, 2))
        whole = two[2] - start * FEW / asked.rows
        print(
            f"from one worker to two: {two[0] / one[0] / 2:.0%} of twice as fast by the clock; "
            f"by CPU {one[1] / whole:.0%} (a row {one[1]:.2f} ms, with two workers all in all {whole:.2f})"
        )
        if asked.kills:
            killed(some, folder, options, asked.kills)


if __name__ == "__main__":
    main()

"""A batch, measured: CPU a row, one worker and two, memory, and runs that are killed and resumed.

Two workers are compared with one by CPU: what all processes together take for a row. The clock, which is printed too,
means something only on an idle machine. What the machine itself loses when both of its cores work (they
share caches) is measured as well: two batches with one worker each, at the same time, each with half of the rows. Starting
up is left out: what a batch of two rows takes.

usage: bench/batch.py [ANSWERS.jsonl] [--rows N] [--rounds N] [--kills N] [--engine local|ray]

Without ANSWERS the rows are the commits of this repository, each as a diff for its parent (`--repos`). Rows are
repeated until there are N of them.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from itertools import cycle, islice
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
FEW = 2  # rows of a run that is all start
KILLED = 700  # rows of a run that is killed
MANY = 3000  # rows that are run again and again; more are run once, with two workers


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


class Family(threading.Thread):
    """A process with all below it, looked at ten times a second: the CPU seconds of each, the most MiB held together.

    Ray's processes are never waited for, so that nobody else counts them.
    """

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self.pid = pid
        self.held: list[float] = []
        self.ended = threading.Event()
        self._cpu: dict[int, float] = {}

    @property
    def cpu(self) -> float:
        return sum(self._cpu.values())

    def run(self) -> None:
        while not self.ended.wait(0.1):
            self.look()

    def memory(self) -> str:
        """The most that was held in the first fifth of the time, and in the last."""
        fifth = len(self.held) // 5 + 1
        return f"{max(self.held[:fifth]):.0f} MiB in the first fifth, {max(self.held[-fifth:]):.0f} in the last"

    def look(self) -> None:
        waiting, pages = [self.pid], 0
        for pid in waiting:
            try:
                fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
                waiting += map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split())
            except OSError:
                continue
            self._cpu[pid] = sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")
            pages += int(fields[21])
        self.held.append(pages * resource.getpagesize() / 2**20)


class Run:
    """A batch on its way."""

    def __init__(self, answers: Path, options: list[str], workers: int) -> None:
        self.out = answers.with_suffix(f".{workers}.out.jsonl")
        self.workers, self.start = workers, time.monotonic()
        line = command(answers, self.out, [*options, f"--workers={workers}"])
        self.process = subprocess.Popen(line, stdout=subprocess.PIPE)
        self.family = Family(self.process.pid)
        self.family.start()

    def wait(self) -> Run:
        printed = self.process.stdout.read() if self.process.stdout else b""
        os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOWAIT)  # until it is waited for, it can be looked at
        self.family.ended.set()
        self.family.join()
        self.family.look()
        assert self.process.wait() == 0
        self.seconds, self.value = time.monotonic() - self.start, json.loads(printed)
        self.rows = self.value["rows"]
        self.out.unlink()
        return self

    def __str__(self) -> str:
        ms, rate = self.value["ms"], self.rows / self.seconds
        return (
            f"{self.workers} worker{'s' * (self.workers > 1)}: {self.seconds:.1f} s, {rate:.0f} rows/s; CPU ms a row: median "
            f"{ms['median']}, 95 % {ms['p95']}, on average {ms['total'] / self.rows:.2f}, all processes "
            f"{self.family.cpu * 1000 / self.rows:.2f}; memory {self.family.memory()}; "
            f"applied {self.value['applied'] / self.rows:.1%}"
        )


def compared(answers: Path, options: list[str], rounds: int) -> None:
    """One worker, two, and two batches at once, by turns."""
    lines = answers.read_bytes().splitlines(keepends=True)
    few, *halves = (answers.with_name(f"{name}.jsonl") for name in ("few", "half", "rest"))
    for path, rows in ((few, lines[:FEW]), (halves[0], lines[::2]), (halves[1], lines[1::2])):
        path.write_bytes(b"".join(rows))
    spent: dict[str, list[float]] = {"one": [], "two": [], "apart": []}
    count, clock = len(lines), []
    for _ in range(rounds):
        start = Run(few, options, 2).wait().family.cpu
        one, two = Run(answers, options, 1).wait(), Run(answers, options, 2).wait()
        print(one, two, sep="\n", flush=True)
        spent["one"].append((one.family.cpu - start) * 1000 / count)
        spent["two"].append((two.family.cpu - start) * 1000 / count)
        clock.append(one.seconds / two.seconds / 2)
        if "ray" not in options:  # two of them on one machine wouldn't measure it
            apart = [Run(half, options, 1) for half in halves]
            spent["apart"].append((sum(run.wait().family.cpu for run in apart) - 2 * start) * 1000 / count)
    ms = {name: statistics.median(values) for name, values in spent.items() if values}
    print(
        f"CPU ms a row, all processes, without starting up: {ms['one']:.2f} with one worker, {ms['two']:.2f} with two: "
        f"{ms['one'] / ms['two']:.0%}; by the clock {statistics.median(clock):.0%}"
    )
    if "apart" in ms:
        print(
            f"two batches at once, the most that the machine allows: {ms['apart']:.2f}, {ms['one'] / ms['apart']:.0%}"
        )
    print(f"a million rows: {ms['two'] * 1e6 / 3.6e6:.1f} h of CPU")


def killed(answers: Path, folder: Path, options: list[str], kills: int) -> None:
    """The same batch, killed again and again and gone on with: each row once, in order."""
    whole, out = folder / "whole.jsonl", folder / "killed.jsonl"
    start, dice = time.monotonic(), random.Random(1)
    subprocess.run(command(answers, whole, options), stdout=subprocess.DEVNULL, check=True)
    usual, reached = time.monotonic() - start, list[int]()
    while len(reached) < kills:
        process = subprocess.Popen(command(answers, out, [*options, "--resume"]), stdout=subprocess.DEVNULL)
        try:
            process.wait(dice.uniform(0.2, usual))
            out.unlink()  # it was faster: from the beginning
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            part = Path(f"{out}.part")
            reached.append(part.read_bytes().count(b"\n") if part.exists() else 0)
    subprocess.run(command(answers, out, [*options, "--resume"]), stdout=subprocess.DEVNULL, check=True)
    first, second = ([{**json.loads(line), "ms": 0} for line in path.open()] for path in (whole, out))
    print(
        f"killed {len(reached)} times, after the rows {', '.join(map(str, reached))}, and resumed: {len(second)} rows of "
        f"{len(first)}, the same: {first == second}"
    )
    assert first == second


def main() -> None:
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("answers", nargs="?")
    reader.add_argument("--rows", type=int, default=2000)
    reader.add_argument("--rounds", type=int, default=1)
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
        some.write_bytes(b"".join(islice(cycle(rows), min(asked.rows, MANY))))
        print(
            f"{asked.rows:,} rows ({len(rows):,} different ones), {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, "
            f"engine {asked.engine}"
        )
        options += ["--engine", asked.engine]
        if asked.rows > MANY:
            print(Run(answers, options, 2).wait(), flush=True)
        if asked.rounds:
            compared(some, options, asked.rounds)
        if asked.kills:
            some.write_bytes(b"".join(islice(cycle(rows), min(asked.rows, KILLED))))
            killed(some, folder, options, asked.kills)


if __name__ == "__main__":
    main()

"""A whole batch: a table of answers through an engine into a table of results, and what it comes to. Prints nothing.

The engines take chunks of rows and give results, in order, a bounded number of chunks on the way: `Processes` is the
standard library's pool on this machine, `Ray` the same work as tasks of a cluster; not Ray Data, which reads files of
its own kinds, gives blocks back as they are done, and can't go on behind a row. A row that makes its process die (no
memory, a fault in a grammar) becomes a row with a problem; the others are done.
"""

from __future__ import annotations

import gc
import json
import multiprocessing
import os
import signal
import threading
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import chain
from math import exp, log
from typing import Any

from ..problems import Problem, Refused
from ..result import no_plan
from . import Applier, Options, Result, reported
from .tables import Answers, Chunk, Results

_AHEAD = 4  # chunks for each worker that are read ahead, so that none waits for the slowest


def run(  # noqa: PLR0913 - the options of the command
    answers: str,
    out: str,
    options: Options,
    *,
    engine: str = "local",
    workers: int = 0,
    resume: bool = False,
    tell: Callable[[int, float], None] | None = None,
) -> Summary:
    """Apply every answer of a table; one result for each, in order. Refused where a table can't be read or written.

    `engine`: local, or ray for tasks of a Ray cluster. `workers`: processes, by default one for each core. `resume`: go
    on where a run broke off. `tell`: called with the rows that are done and the share of all that they are,
    less than 0 where nobody knows.
    """
    options = options.checked()
    if not workers:
        workers = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    table, results, summary = Answers(answers), Results(out, resume=resume), Summary()
    try:
        last = None
        for result in results.known():
            summary.add(result)
            last = result["id"]
        chunks: Iterator[Chunk] = table.chunks(max(summary.rows - 1, 0))
        if summary.rows:
            # The last row that is done comes first, to see whether these are the answers that were begun with.
            chunk = next(chunks, [])
            if not chunk or Applier(options).id(chunk[0], summary.rows - 1) != last:
                detail = f"the results so far end with {last!r}, which isn't row {summary.rows} of {answers}"
                raise Refused(Problem("bad_call", detail, advice="Resume with the same answers, or start over."))
            chunks = chain([chunk[1:]] if chunk[1:] else [], chunks)
        for made in worked_on(chunks, options, engine, workers, summary.rows):
            # ASCII only: lone surrogates, which stand for bytes that are no UTF-8, stay escaped.
            results.add("".join(f"{json.dumps(result)}\n" for result in made).encode("ascii"))
            for result in made:
                summary.add(result)
            if tell:
                tell(summary.rows, table.share * summary.rows / table.rows)
        results.finish()
    except OSError as error:
        raise Refused(Problem("io", f"{out} can't be written: {error.strerror}")) from None
    finally:
        results.close()
    return summary


# ── the engines ──────────────────────────────────────────────────────────────────────────────────


class Died(Exception):
    """The process that worked on a chunk is gone."""


def worked_on(
    chunks: Iterable[Chunk], options: Options, engine: str, workers: int, first: int = 0
) -> Iterator[list[Result]]:
    """The results of chunk after chunk. `first`: how many rows were before them."""
    pool = Processes(options, workers) if engine == "local" else Ray(options, workers)
    waiting: deque[tuple[Chunk, int, Any]] = deque()
    source = iter(chunks)
    try:
        while True:
            while len(waiting) < workers * _AHEAD and (chunk := next(source, None)):
                waiting.append((chunk, first, pool.submit(chunk, first)))
                first += len(chunk)
            if not waiting:
                return
            chunk, number, task = waiting.popleft()
            try:
                yield pool.result(task)
            except Died:
                yield _one_by_one(pool, chunk, number, options)
    finally:
        pool.close()


def _one_by_one(pool: Processes | Ray, chunk: Chunk, first: int, options: Options) -> list[Result]:
    """The results of a chunk whose process died, or died with another's: only the row that does it has none."""
    made: list[Result] = []
    for number, row in enumerate(chunk, first):
        try:
            made += pool.result(pool.submit([row], number))
        except Died:
            problem = Problem("row_failed", "the worker process died")
            made.append({"id": Applier(options).id(row, number), **reported(no_plan(problem)), "ms": 0.0})
    return made


_applier: Applier | None = None  # a process of a pool has no other place; it keeps the repositories open


def _work(options: Options, chunk: Chunk, first: int) -> list[Result]:
    """What a process of either engine does."""
    global _applier  # noqa: PLW0603 - see above
    if _applier is None:
        gc.enable()  # the program does without it, but not for a million rows
        gc.freeze()
        # A row leaves a handful of circles: looked for after every 700 values, they cost a tenth.
        gc.set_threshold(50_000)
    if _applier is None or _applier.options != options:
        _applier = Applier(options)
    return _applier.results(chunk, first)


class Processes:
    """The standard library's pool of processes. One that dies takes all its tasks with it; then it is had anew."""

    def __init__(self, options: Options, workers: int) -> None:
        self._options, self._workers = options, workers
        self._renew()

    def _renew(self) -> None:
        self._pool = ProcessPoolExecutor(self._workers, initializer=_begin)

    def submit(self, chunk: Chunk, first: int) -> Future[list[Result]]:
        """Begin to work on a chunk; `first` counts the rows before it."""
        try:
            return self._pool.submit(_work, self._options, chunk, first)
        except BrokenProcessPool:
            self._renew()
            return self._pool.submit(_work, self._options, chunk, first)

    def result(self, task: Future[list[Result]]) -> list[Result]:
        """Wait for what came of it; Died where its process did."""
        try:
            return task.result()
        except BrokenProcessPool:
            raise Died from None

    def close(self) -> None:
        """Let go of it; what isn't finished is lost."""
        self._pool.shutdown(wait=False, cancel_futures=True)


def _begin() -> None:
    """Make a process ready to work."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent is told, and ends this one
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """A parent that was killed can't say so: without this, its processes would wait for work forever.

    `os.getppid()` is no help: from Python 3.14 on it is the fork server, which isn't the parent.
    """
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


class Ray:
    """Tasks of Ray. With RAY_ADDRESS set they run in that cluster, else on this machine."""

    def __init__(self, options: Options, workers: int) -> None:
        try:
            import ray
        except ImportError as error:
            detail, advice = f"the engine ray needs the package {error.name}", "Run: python -m pip install 'ray>=2.40'"
            raise Refused(Problem("bad_call", detail, advice=advice)) from None
        self._ray = ray
        self._begun_here = not ray.is_initialized()
        if self._begun_here:
            where = {} if os.environ.get("RAY_ADDRESS") else {"num_cpus": workers, "include_dashboard": False}
            ray.init(log_to_driver=False, logging_level="error", **where)
        self._options = ray.put(options)
        self._work = ray.remote(max_retries=0)(_work)

    def submit(self, chunk: Chunk, first: int) -> Any:
        """Begin to work on a chunk."""
        return self._work.remote(self._options, chunk, first)

    def result(self, task: Any) -> list[Result]:
        """Wait for what came of it."""
        died = self._ray.exceptions
        try:
            made: list[Result] = self._ray.get(task)
        except (died.WorkerCrashedError, died.OutOfMemoryError):
            raise Died from None
        return made

    def close(self) -> None:
        """Let go of the cluster, if it was begun here."""
        if self._begun_here:
            self._ray.shutdown()


# ── the summary ──────────────────────────────────────────────────────────────────────────────────


_STEP = 0.02  # of the logarithm of milliseconds: a quantile is right to 2 %

OUTCOMES = ("applied", "partial", "proposed", "refused")


class Summary:
    """Counts that grow row by row, and never with their number."""

    def __init__(self) -> None:
        self.rows = self.ok = self.partial = self.proposed = 0
        self.formats: Counter[tuple[str, str]] = Counter()
        self.kinds: Counter[str] = Counter()
        self.levels: Counter[str] = Counter()
        self._times: Counter[int] = Counter()
        self._total = 0.0

    def add(self, result: Result) -> None:
        """Count a row."""
        self.rows += 1
        self.ok += result["ok"]
        self.partial += result["partial"]
        self.proposed += result["status"] == "proposed"
        self.formats[result["format"] or "unknown", result["status"]] += 1
        self.kinds.update({problem["kind"] for problem in result["problems"]})
        self.levels.update(result["levels"])
        self._total += result["ms"]
        self._times[round(log(max(result["ms"], 0.001)) / _STEP)] += 1

    def quantile(self, share: float) -> float:
        """The milliseconds that this share of the rows took at most."""
        left = share * self.rows
        for step in sorted(self._times):
            left -= self._times[step]
            if left <= 0:
                return round(exp(step * _STEP), 2)
        return 0.0

    def as_json(self) -> dict[str, Any]:
        """The summary as plain values."""
        names = sorted({name for name, _ in self.formats})
        return {
            "rows": self.rows,
            "applied": self.ok,
            "partial": self.partial,
            "proposed": self.proposed,
            "refused": self.rows - self.ok - self.partial - self.proposed,
            "by_format": {name: {outcome: self.formats[name, outcome] for outcome in OUTCOMES} for name in names},
            "by_kind": dict(self.kinds.most_common()),
            "by_level": dict(self.levels.most_common()),
            "ms": {"median": self.quantile(0.5), "p95": self.quantile(0.95), "total": round(self._total)},
        }

    def lines(self) -> list[str]:
        """The summary as a table."""
        value = self.as_json()
        rows: list[tuple[str, ...]] = [("format", "rows", *OUTCOMES, "")]
        for name, counts in [*value["by_format"].items(), ("all", value)]:
            numbers = [counts[outcome] for outcome in OUTCOMES]
            total = sum(numbers)
            share = f"{numbers[0] / total:.1%}" if total else ""
            rows.append((name, f"{total:,}", *(f"{number:,}" for number in numbers), share))
        lines = _table(rows)
        if self.kinds:
            lines += [
                "",
                *_table([("refused because of", "rows"), *((k, f"{n:,}") for k, n in self.kinds.most_common())]),
            ]
        return lines


def _table(rows: list[tuple[str, ...]]) -> list[str]:
    """Columns with the numbers to the right."""
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if at else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]

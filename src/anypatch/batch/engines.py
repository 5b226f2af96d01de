"""Apply chunks of rows, in order, in processes of this machine or as tasks of a Ray cluster.

A bounded number of chunks is under way. A row that kills its process (no memory, a fault in a grammar) becomes a row
with a problem; the others are done. Not Ray Data: it reads files of its own kinds, returns blocks as they are done,
and can't continue after a row.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any

from ..problems import Problem, Refused
from ..result import no_plan
from .result_row import ResultRow, result_row
from .rows import Applier, Options
from .tables import Chunk

_AHEAD = 4  # chunks for each worker that are read ahead, so that none waits for the slowest


class WorkerDied(Exception):
    """The process that worked on a chunk is gone."""


def apply_chunks(
    chunks: Iterable[Chunk], options: Options, engine: str, workers: int, first: int = 0
) -> Iterator[list[ResultRow]]:
    """Yield the results of one chunk after another. `first`: how many rows were before them."""
    pool = LocalProcesses(options, workers) if engine == "local" else RayTasks(options, workers)
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
            except WorkerDied:
                yield _one_by_one(pool, chunk, number, options)
    finally:
        pool.close()


def _one_by_one(pool: LocalProcesses | RayTasks, chunk: Chunk, first: int, options: Options) -> list[ResultRow]:
    """Return the results of a chunk whose process died; only for the row that kills it, an error."""
    results: list[ResultRow] = []
    for number, row in enumerate(chunk, first):
        try:
            results += pool.result(pool.submit([row], number))
        except WorkerDied:
            problem = Problem("row_failed", "the worker process died")
            results.append({"id": Applier(options).id(row, number), **result_row(no_plan(problem)), "ms": 0.0})
    return results


_applier: Applier | None = None  # of this process; it keeps the repositories open


def _apply_chunk(options: Options, chunk: Chunk, first: int) -> list[ResultRow]:
    """Apply a chunk, in a process of either engine."""
    global _applier  # noqa: PLW0603 - see above
    if _applier is None:
        gc.enable()  # the command line runs without it
        gc.freeze()
        # A row leaves a handful of cycles: to look for them after every 700 allocations costs a tenth.
        gc.set_threshold(50_000)
    if _applier is None or _applier.options != options:
        _applier = Applier(options)
    return _applier.results(chunk, first)


class LocalProcesses:
    """The standard library's pool of processes. If one dies, all tasks of the pool fail, and a new pool is made."""

    def __init__(self, options: Options, workers: int) -> None:
        self._options, self._workers = options, workers
        self._make_pool()

    def _make_pool(self) -> None:
        self._pool = ProcessPoolExecutor(self._workers, initializer=_set_up_process)

    def submit(self, chunk: Chunk, first: int) -> Future[list[ResultRow]]:
        """Begin to apply a chunk. `first`: how many rows were before it."""
        try:
            return self._pool.submit(_apply_chunk, self._options, chunk, first)
        except BrokenProcessPool:
            self._make_pool()
            return self._pool.submit(_apply_chunk, self._options, chunk, first)

    def result(self, task: Future[list[ResultRow]]) -> list[ResultRow]:
        """Wait for the results of a chunk. Raise WorkerDied if its process did."""
        try:
            return task.result()
        except BrokenProcessPool:
            raise WorkerDied from None

    def close(self) -> None:
        """End the pool; unfinished chunks are lost."""
        self._pool.shutdown(wait=False, cancel_futures=True)


def _set_up_process() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent gets it, too, and ends this process
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """End this process when its parent is killed: it would wait for work forever.

    `os.getppid()` doesn't help: from Python 3.14 on it is the fork server, which isn't the parent.
    """
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


class RayTasks:
    """Tasks of Ray: in the cluster that RAY_ADDRESS names, else on this machine."""

    def __init__(self, options: Options, workers: int) -> None:
        try:
            import ray
        except ImportError as error:
            detail, advice = f"the engine ray needs the package {error.name}", "Run: python -m pip install 'ray>=2.40'"
            raise Refused(Problem("bad_call", detail, advice=advice)) from None
        self._ray = ray
        self._started_ray = not ray.is_initialized()
        if self._started_ray:
            local = {} if os.environ.get("RAY_ADDRESS") else {"num_cpus": workers, "include_dashboard": False}
            ray.init(log_to_driver=False, logging_level="error", **local)
        self._options = ray.put(options)
        self._apply = ray.remote(max_retries=0)(_apply_chunk)

    def submit(self, chunk: Chunk, first: int) -> Any:
        """Begin to apply a chunk. `first`: how many rows were before it."""
        return self._apply.remote(self._options, chunk, first)

    def result(self, task: Any) -> list[ResultRow]:
        """Wait for the results of a chunk. Raise WorkerDied if its process did."""
        errors = self._ray.exceptions
        try:
            results: list[ResultRow] = self._ray.get(task)
        except (errors.WorkerCrashedError, errors.OutOfMemoryError):
            raise WorkerDied from None
        return results

    def close(self) -> None:
        """Leave the cluster, if this object joined or started it."""
        if self._started_ray:
            self._ray.shutdown()

"""The engines: chunks of rows in, results out, in order, a bounded number of chunks on the way.

`Processes` is the standard library's pool on this machine, `Ray` the same work as tasks of a cluster; not Ray Data,
which reads files of its own kinds, gives blocks back as they are done, and can't go on behind a row.
A row that makes its process die (no memory, a fault in a grammar) becomes a row with a problem; the others are done.
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

from ..problems import Problem, Refused
from .rows import Applier, failed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .rows import Chunk, Options, Result


AHEAD = 4  # chunks for each worker that are read ahead, so that none waits for the slowest


class Died(Exception):
    """The process that worked on a chunk is gone."""


def results(
    chunks: Iterable[Chunk], options: Options, engine: str, workers: int, first: int = 0
) -> Iterator[list[Result]]:
    """The results of chunk after chunk. `first`: how many rows were before them."""
    pool = Processes(options, workers) if engine == "local" else Ray(options, workers)
    waiting: deque[tuple[Chunk, int, Any]] = deque()
    source = iter(chunks)
    try:
        while True:
            while len(waiting) < workers * AHEAD and (chunk := next(source, None)):
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
            made.append({"id": Applier(options).id(row, number), **failed(problem), "ms": 0.0})
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

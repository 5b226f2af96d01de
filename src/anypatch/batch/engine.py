"""The engines: chunks of rows in, lines of results out, in order, a bounded number of chunks on the way.

A row that makes its process die (no memory, a fault in a grammar) becomes a row with a problem; the others are done.
"""

from __future__ import annotations

import gc
import os
import signal
import threading
import time
from collections import deque
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool

from ..problems import Problem
from .rows import Applier, failed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from concurrent.futures import Future

    from .rows import Chunk, Options, Result

    Job = tuple[Chunk, int]  # with the number of its first row

AHEAD = 4  # chunks for each worker that are read ahead, so that none waits for the slowest


def local(chunks: Iterable[Chunk], options: Options, workers: int, first: int = 0) -> Iterator[list[Result]]:
    """The results of chunk after chunk, made by processes of this machine. `first`: how many rows were before them."""
    pool = _Pool(options, workers)
    waiting: deque[tuple[Job, Future[list[Result]]]] = deque()
    source = iter(chunks)
    try:
        while True:
            while len(waiting) < workers * AHEAD and (chunk := next(source, None)):
                waiting.append(((chunk, first), pool.submit((chunk, first))))
                first += len(chunk)
            if not waiting:
                pool.close(wait=True)
                return
            job, future = waiting.popleft()
            try:
                yield future.result()
            except BrokenProcessPool:
                yield _one_by_one(job, options)
                pool.renew()
                waiting = deque((job, _again(job, future, pool)) for job, future in waiting)
    finally:
        pool.close()


class _Pool:
    """A pool of processes that can be had anew."""

    def __init__(self, options: Options, workers: int) -> None:
        self._options, self._workers = options, workers
        self.renew()

    def renew(self) -> None:
        self._pool = ProcessPoolExecutor(self._workers, initializer=_begin, initargs=(self._options, os.getpid()))

    def submit(self, job: Job) -> Future[list[Result]]:
        try:
            return self._pool.submit(_work, *job)
        except BrokenProcessPool:
            self.renew()
            return self._pool.submit(_work, *job)

    def close(self, *, wait: bool = False) -> None:
        self._pool.shutdown(wait=wait, cancel_futures=True)


def _again(job: Job, future: Future[list[Result]], pool: _Pool) -> Future[list[Result]]:
    """What was finished before the pool broke stays; the rest is begun anew."""
    return future if future.done() and not future.exception() else pool.submit(job)


def _one_by_one(job: Job, options: Options) -> list[Result]:
    """Each row in a process of its own."""
    chunk, first = job
    results: list[Result] = []
    for at, row in enumerate(chunk):
        pool = _Pool(options, 1)
        try:
            results += pool.submit(([row], first + at)).result()
        except BrokenProcessPool:
            problem = Problem("row_failed", "the process that worked on it died")
            results.append({"id": Applier(options).id(row, first + at), **failed(problem), "ms": 0.0})
        finally:
            pool.close()
    return results


# ── in the processes ─────────────────────────────────────────────────────────────────────────────

_applier: Applier


def _begin(options: Options, parent: int) -> None:
    global _applier  # noqa: PLW0603 - a process of a pool has no other place
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent is told, and ends this one
    gc.enable()  # the program does without it, but not for a million rows
    gc.freeze()
    _applier = Applier(options)
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    """A parent that was killed can't say so: without this, its processes would wait for work forever."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)


def _work(chunk: Chunk, first: int) -> list[Result]:
    return _applier.results(chunk, first)

"""The engine of this machine: the standard library's pool of processes."""

from __future__ import annotations

import gc
import os
import signal
import threading
import time
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool

from .rows import Applier

TYPE_CHECKING = False
if TYPE_CHECKING:
    from concurrent.futures import Future

    from .rows import Chunk, Options, Result


class Died(Exception):
    """The process that worked on a chunk is gone."""


class Processes:
    """The standard library's pool of processes. One that dies takes all its tasks with it; then it is had anew."""

    def __init__(self, options: Options, workers: int) -> None:
        self._options, self._workers = options, workers
        self._renew()

    def _renew(self) -> None:
        self._pool = ProcessPoolExecutor(self._workers, initializer=begin, initargs=(self._options, os.getpid()))

    def submit(self, chunk: Chunk, first: int) -> Future[list[Result]]:
        """Begin to work on a chunk."""
        try:
            return self._pool.submit(work, chunk, first)
        except BrokenProcessPool:
            self._renew()
            return self._pool.submit(work, chunk, first)

    def result(self, task: Future[list[Result]]) -> list[Result]:
        """Wait for what came of it."""
        try:
            return task.result()
        except BrokenProcessPool:
            raise Died from None

    def close(self) -> None:
        """Let the processes end."""
        self._pool.shutdown(wait=False, cancel_futures=True)


_applier: Applier


def begin(options: Options, parent: int) -> None:
    """Make a process ready to work."""
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


def work(chunk: Chunk, first: int) -> list[Result]:
    """What a process of the pool does."""
    return _applier.results(chunk, first)

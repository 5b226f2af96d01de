"""The engines: chunks of rows in, results out, in order, a bounded number of chunks on the way.

A row that makes its process die (no memory, a fault in a grammar) becomes a row with a problem; the others are done.
"""

from __future__ import annotations

from collections import deque

from ..problems import Problem, Refused
from .processes import Died, Processes
from .rows import Applier, failed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any, Protocol

    from .rows import Chunk, Options, Result

    class Pool(Protocol):
        """Who works on chunks: processes of this machine, or of a cluster."""

        def submit(self, chunk: Chunk, first: int) -> Any:
            """Begin to work on a chunk; `first` counts the rows before it."""

        def result(self, task: Any) -> list[Result]:
            """Wait for what came of it; raises Died where its process did."""

        def close(self) -> None:
            """Let go of it; what isn't finished is lost."""


AHEAD = 4  # chunks for each worker that are read ahead, so that none waits for the slowest


def results(
    chunks: Iterable[Chunk], options: Options, engine: str, workers: int, first: int = 0
) -> Iterator[list[Result]]:
    """The results of chunk after chunk. `first`: how many rows were before them."""
    pool = _pool(options, engine, workers)
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


def _pool(options: Options, engine: str, workers: int) -> Pool:
    if engine == "local":
        return Processes(options, workers)
    try:
        from .cluster import Ray
    except ImportError as error:
        if (error.name or "").startswith("anypatch"):
            raise
        advice = "pip install 'anypatch[ray]'"
        raise Refused(Problem("bad_call", f"the engine ray needs the package {error.name}", advice=advice)) from None
    return Ray(options, workers)


def _one_by_one(pool: Pool, chunk: Chunk, first: int, options: Options) -> list[Result]:
    """The results of a chunk whose process died, or died with another's: only the row that does it has none."""
    made: list[Result] = []
    for number, row in enumerate(chunk, first):
        try:
            made += pool.result(pool.submit([row], number))
        except Died:
            problem = Problem("row_failed", "the process that worked on it died")
            made.append({"id": Applier(options).id(row, number), **failed(problem), "ms": 0.0})
    return made

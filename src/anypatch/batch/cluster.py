"""The engine of a Ray cluster: the same work as tasks. Needs the extra anypatch[ray]."""

from __future__ import annotations

import os

import ray

from .processes import Died
from .rows import Applier

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .rows import Chunk, Options, Result


class Ray:
    """Tasks of Ray. With RAY_ADDRESS set they run in that cluster, else on this machine."""

    def __init__(self, options: Options, workers: int) -> None:
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
        try:
            made: list[Result] = ray.get(task)
        except (ray.exceptions.WorkerCrashedError, ray.exceptions.OutOfMemoryError):
            raise Died from None
        return made

    def close(self) -> None:
        """Let go of the cluster."""
        if self._begun_here:
            ray.shutdown()


_known: dict[str, Applier] = {}


def _work(options: Options, chunk: Chunk, first: int) -> list[Result]:
    """A process of Ray's works on many chunks, and keeps the repositories open."""
    applier = _known.get("applier")
    if applier is None or applier.options != options:
        applier = _known["applier"] = Applier(options)
    return applier.results(chunk, first)

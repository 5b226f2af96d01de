"""Runs the engine in threads, so that the server goes on listening: tells how far it is, stops when nobody wants it."""

from __future__ import annotations

from functools import partial
from threading import Event

import anyio
from anyio import to_thread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from .deeds import Answer, Call

EVERY = 0.5  # seconds between two words on how far it is
AT_ONCE = 8  # calls that run; Python computes one at a time, the others mostly wait for the lock of the tree


class Stopped(Exception):
    """The call was cancelled before anything was written."""


class Watch:
    """Where a call has come to. Told by the engine's thread, read by the server's."""

    def __init__(self) -> None:
        self.stop = Event()
        self.files = 0
        self.doing = "waiting for its turn"

    def __call__(self, what: str, which: str) -> None:
        """A file is about to be read, or all are about to be written: the last moment to stop."""
        if self.stop.is_set():
            raise Stopped
        self.files += what == "read"
        self.doing = f"writing files: {which}" if what == "write" else f"{self.files} files read, now {which}"


async def run(
    deed: Callable[[Call], Answer],
    call: Call,
    limiter: anyio.CapacityLimiter,
    tell: Callable[[float, str], Awaitable[None]],
) -> Answer:
    """The answer to a call. When it is cancelled, the engine stops before it writes, or finishes what it has begun."""
    watch = Watch()
    settings = call.settings._replace(watch=watch)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_tell, watch, tell)
        answer = await to_thread.run_sync(partial(deed, call._replace(settings=settings)), limiter=limiter)
        tasks.cancel_scope.cancel()
    return answer


async def _tell(watch: Watch, tell: Callable[[float, str], Awaitable[None]]) -> None:
    """Say from time to time how far it is; being cancelled is how this learns that the call is."""
    ticks = 0
    try:
        while True:
            await anyio.sleep(EVERY)
            ticks += 1
            await tell(ticks, watch.doing)
    finally:
        watch.stop.set()

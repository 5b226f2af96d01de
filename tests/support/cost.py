"""Limits of time, for texts that a careless reader would spend minutes on."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Fail if the block takes more time of the processor."""
    start = time.process_time()
    yield
    assert time.process_time() - start < seconds

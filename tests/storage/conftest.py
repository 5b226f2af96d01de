"""Fixtures that watch what storage does: open descriptors, syncs, and the order of calls."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from anypatch.storage import journal, syscalls
from support.disk_trees import OLD, put


@pytest.fixture
def descriptors() -> Iterator[None]:
    """Fail if a test leaves files open."""
    count = len(os.listdir("/dev/fd"))
    yield
    assert len(os.listdir("/dev/fd")) == count


@pytest.fixture
def synced(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the files that are synced, in order."""
    names: list[str] = []
    real = os.fsync

    def fsync(fd: int) -> None:
        names.append(os.path.basename(os.readlink(f"/proc/self/fd/{fd}")))
        real(fd)

    monkeypatch.setattr(os, "fsync", fsync)
    return names


@pytest.fixture
def events(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Syncs, exchanges, renames and removals, in order, by the names without ids. There is a file `root/a`."""
    calls: list[str] = []

    def record(module: object, call: str, name_of: Callable[..., str]) -> None:
        real = getattr(module, call)

        def recorded(*arguments: object, **named: object) -> object:
            name = os.path.basename(name_of(*arguments))
            calls.append(f"{call} " + re.sub(r"\d{8}-\d{6}-[0-9a-f]{4}", "ID", name))
            return real(*arguments, **named)

        monkeypatch.setattr(module, call, recorded)

    record(os, "fsync", lambda fd: os.readlink(f"/proc/self/fd/{fd}"))
    record(os, "rename", lambda source, target: target)
    record(os, "unlink", lambda name: name)
    record(syscalls, "exchange", lambda *names: names[3])
    put(tmp_path, "root/a", OLD)
    journal.load_key(make=True)
    calls.clear()
    return calls

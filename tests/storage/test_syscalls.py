"""Calls of the C library, and what is synced at each level of durability."""

from __future__ import annotations

import errno
import fcntl
import os
from pathlib import Path

import pytest

from anypatch.storage import syscalls
from support.disk_trees import (
    apply,
    change,
)


def test_functions_that_are_missing_or_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not syscalls.has_function("no_such_function_at_all")
    with pytest.raises(OSError, match=os.strerror(errno.ENOSYS)):
        syscalls.call("no_such_function_at_all")
    import ctypes

    answers = [-1, 7]
    monkeypatch.setitem(syscalls._functions, "interrupted", lambda: answers.pop(0))
    monkeypatch.setattr(ctypes, "get_errno", lambda: errno.EINTR)
    assert syscalls.call("interrupted") == 7


def test_the_full_sync_of_macos(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only that the call is made can be tested here."""
    asked: list[tuple[int, int]] = []
    monkeypatch.setattr(fcntl, "F_FULLFSYNC", 51, raising=False)
    monkeypatch.setattr(fcntl, "fcntl", lambda fd, command: asked.append((fd, command)))
    syscalls.sync(3)
    assert asked == [(3, 51)]


def test_many_files_are_synced_at_once_if_there_is_syncfs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []
    monkeypatch.setattr(syscalls, "syncfs", lambda fd: calls.append("syncfs"))
    real = os.fsync

    def fsync(fd: int) -> None:
        calls.append("fsync")
        real(fd)

    monkeypatch.setattr(os, "fsync", fsync)
    apply(tmp_path, *(change(tmp_path, f"d{n % 3}/{n}", b"x") for n in range(40)))
    assert calls.count("syncfs") == 2 and calls.count("fsync") < 10
    syscalls.sync_all([-1], "none", 1)
    assert (
        syscalls.syncs_file_system("batch", 17)
        and not syscalls.syncs_file_system("full", 17)
        and not syscalls.syncs_file_system("batch", 16)
    )
    monkeypatch.setattr(syscalls, "has_function", lambda name: False)
    assert syscalls.syncs_each_file("batch", 1000)

"""The log of hooks: lines are added, a new log is begun when it is long, and broken lines are skipped."""

from __future__ import annotations

from pathlib import Path

import pytest

from anypatch.storage import hook_log


def log(root: Path) -> Path:
    return root / ".anypatch" / "hooks"


def test_newest_first(tmp_path: Path) -> None:
    assert hook_log.entries(str(tmp_path)) == []
    hook_log.add(str(tmp_path), {"tool": "Edit"})
    hook_log.add(str(tmp_path), {"tool": "Write"})
    assert hook_log.entries(str(tmp_path)) == [{"tool": "Write"}, {"tool": "Edit"}]
    assert (tmp_path / ".anypatch" / ".gitignore").read_bytes() == b"*\n"


def test_broken_lines_are_skipped(tmp_path: Path) -> None:
    hook_log.add(str(tmp_path), {"tool": "Edit"})
    log(tmp_path).write_bytes(b'{"tool"\n[1]\n' + log(tmp_path).read_bytes())
    assert hook_log.entries(str(tmp_path)) == [{"tool": "Edit"}]


def test_a_state_without_a_log(tmp_path: Path) -> None:
    hook_log.add(str(tmp_path), {"tool": "Edit"})
    log(tmp_path).unlink()
    assert hook_log.entries(str(tmp_path)) == []


def test_a_new_log_is_begun_when_it_is_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hook_log, "_MAX_BYTES", 100)
    hook_log.add(str(tmp_path), {"tool": "x" * 100})
    assert hook_log.entries(str(tmp_path)) == []
    assert b"xxx" in (tmp_path / ".anypatch" / "hooks.old").read_bytes()
    hook_log.add(str(tmp_path), {"tool": "Edit"})
    assert hook_log.entries(str(tmp_path)) == [{"tool": "Edit"}]


def test_a_link_in_its_place_is_not_followed(tmp_path: Path) -> None:
    hook_log.add(str(tmp_path), {"tool": "Edit"})
    other = tmp_path / "other"
    other.write_bytes(b"mine\n")
    log(tmp_path).unlink()
    log(tmp_path).symlink_to(other)
    with pytest.raises(OSError, match="symbolic"):
        hook_log.add(str(tmp_path), {"tool": "Write"})
    assert other.read_bytes() == b"mine\n"

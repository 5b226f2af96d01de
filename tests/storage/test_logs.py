"""The logs of hooks: who makes a call is found by its id or its arguments; lines are added, broken ones skipped."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from anypatch.storage import logs
from anypatch.storage.journal import user_state_folder
from anypatch.storage.logs import Caller, add_verdict, find_caller, note_call, verdicts

PATCH = {"patch": "x"}
ONE, TWO = Caller("s1", "t1"), Caller("s2", "t1")


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return Path(user_state_folder())


def test_a_call_is_found_by_its_id() -> None:
    assert find_caller("1", PATCH) == Caller()
    note_call("1", PATCH, ONE)
    note_call("2", PATCH, TWO)
    assert (find_caller("1", PATCH), find_caller("2", {})) == (ONE, TWO)
    assert find_caller("3", PATCH) == Caller()


def test_a_call_without_an_id_is_found_by_its_arguments() -> None:
    note_call("", {"a": 1, "b": "ü"}, ONE)
    note_call("", {"a": 2}, TWO)
    assert find_caller("", {"b": "ü", "a": 1}) == ONE
    assert find_caller("", {"a": 3}) == Caller()
    note_call("", {"a": 1, "b": "ü"}, Caller("s1", "t2"))
    assert find_caller("", {"b": "ü", "a": 1}) == Caller("s1", "t2"), "the last turn of the session"


def test_two_sessions_with_the_same_call_are_not_told_apart() -> None:
    note_call("", PATCH, ONE)
    note_call("", PATCH, TWO)
    assert find_caller("", PATCH) == Caller()


def test_what_was_noted_long_ago_is_another_call(state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    note_call("1", PATCH, ONE)
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 61)
    assert find_caller("", PATCH) == Caller() and find_caller("1", PATCH) == ONE


def test_the_log_stays_small(state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(logs._MOST, "calls", 1000)
    for number in range(30):
        note_call(str(number), PATCH, Caller("s" * 500, "t" * 500))
    assert find_caller("29", PATCH) == Caller("s" * 200, "t" * 200) and find_caller("0", PATCH) == Caller()
    assert sorted(os.listdir(state)) == ["calls", "calls.old"] or os.listdir(state) == ["calls.old"]
    assert sum((state / name).stat().st_size for name in os.listdir(state)) < 3000
    assert all((state / name).stat().st_mode & 0o777 == 0o600 for name in os.listdir(state))


def test_lines_that_are_not_ours_are_skipped(state: Path) -> None:
    note_call("1", PATCH, ONE)
    with (state / "calls").open("ab") as log:
        log.write(
            b'no JSON\n[]\n{"id": "1"}\n' + json.dumps({"time": 1.0, "id": "1", "call": "", "session": 1}).encode()
        )
    assert find_caller("1", PATCH) == ONE
    (state / "calls").unlink()
    os.mkfifo(state / "calls")
    assert find_caller("1", PATCH) == Caller()


def test_a_link_in_its_place_is_not_followed(state: Path, tmp_path: Path) -> None:
    state.mkdir()
    (state / "calls").symlink_to(tmp_path / "other")
    with pytest.raises(OSError, match="symbolic"):
        note_call("1", PATCH, ONE)
    assert not (tmp_path / "other").exists() and find_caller("1", PATCH) == Caller()


def test_nothing_is_kept_without_a_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", "")
    monkeypatch.setenv("HOME", "nowhere")
    note_call("1", PATCH, ONE)
    assert find_caller("1", PATCH) == Caller()


# ── what was done about a call ──


def log(root: Path) -> Path:
    return root / ".anypatch" / "hooks"


def test_newest_first(tmp_path: Path) -> None:
    assert verdicts(str(tmp_path)) == []
    add_verdict(str(tmp_path), {"tool": "Edit"})
    add_verdict(str(tmp_path), {"tool": "Write"})
    assert verdicts(str(tmp_path)) == [{"tool": "Write"}, {"tool": "Edit"}]
    assert (tmp_path / ".anypatch" / ".gitignore").read_bytes() == b"*\n"


def test_broken_lines_of_verdicts_are_skipped(tmp_path: Path) -> None:
    add_verdict(str(tmp_path), {"tool": "Edit"})
    log(tmp_path).write_bytes(b'{"tool"\n[1]\n' + log(tmp_path).read_bytes())
    assert verdicts(str(tmp_path)) == [{"tool": "Edit"}]


def test_a_state_without_a_log(tmp_path: Path) -> None:
    add_verdict(str(tmp_path), {"tool": "Edit"})
    log(tmp_path).unlink()
    assert verdicts(str(tmp_path)) == []


def test_a_new_log_is_begun_when_it_is_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(logs._MOST, "hooks", 100)
    add_verdict(str(tmp_path), {"tool": "x" * 100})
    assert verdicts(str(tmp_path)) == []
    assert b"xxx" in (tmp_path / ".anypatch" / "hooks.old").read_bytes()
    add_verdict(str(tmp_path), {"tool": "Edit"})
    assert verdicts(str(tmp_path)) == [{"tool": "Edit"}]


def test_a_link_in_the_place_of_verdicts_is_not_followed(tmp_path: Path) -> None:
    add_verdict(str(tmp_path), {"tool": "Edit"})
    other = tmp_path / "other"
    other.write_bytes(b"mine\n")
    log(tmp_path).unlink()
    log(tmp_path).symlink_to(other)
    with pytest.raises(OSError, match="symbolic"):
        add_verdict(str(tmp_path), {"tool": "Write"})
    assert other.read_bytes() == b"mine\n"

"""The journal as it is written and read, and the key that signs it."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

import anypatch
from anypatch.storage import journal
from support.disk_trees import (
    HUNKS,
    NEW,
    OLD,
    entry_of,
    put,
    refusal,
    undo_change,
    write_crashed,
)

# ── journals ──────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("body", [b"", b"\n{}", b"\n[]", b'\n{"files": [[1]]}', b"\n" + b"[" * 100_000, b"\n\xff"])
def test_a_signed_journal_that_makes_no_sense(tmp_path: Path, body: bytes) -> None:
    signer = journal.load_key(make=True)
    put(tmp_path, ".anypatch/tx/manifest", f"anypatch journal 2 {journal.sign(body, signer)}\n".encode() + body)
    assert [p.kind for p in anypatch.recover(tmp_path).problems] == ["foreign_journal"]


def test_a_journal_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    with put(tmp_path, ".anypatch/tx/manifest", b"").open("wb") as file:
        file.truncate((64 << 20) + 1)
    (problem,) = anypatch.recover(tmp_path).problems
    assert problem.kind == "foreign_journal" and "larger than 67108864 bytes" in problem.detail


def test_journals_of_this_version_stay_readable(tmp_path: Path) -> None:
    put(tmp_path, "a", NEW)
    write_crashed(tmp_path, "tx", entry_of(), OLD)
    assert (tmp_path / ".anypatch/tx/manifest").read_bytes().startswith(b"anypatch journal 2 ")
    assert anypatch.recover(tmp_path).ok and (tmp_path / "a").read_bytes() == OLD


def test_a_journal_of_0_1_says_in_its_description_that_it_is_partial() -> None:
    """The description began with "in part"."""
    key, head = b"k" * 32, journal.Manifest("20990101-000000-0000", 0.0, "chunk", "", "", (), ())
    for description, kept, partial in (
        ("in part", "", True),
        ("in part: Say it: in German", "Say it: in German", True),
        ("in part, the tax", "in part, the tax", False),
        ("", "", False),
    ):
        data = (
            journal.to_bytes(head._replace(description=description), key)
            .partition(b"\n")[2]
            .replace(b',"partial":false,"session":"","turn":"","undoes":[],"removed_dirs":[]', b"")
        )
        assert b"session" not in data
        found = journal.from_bytes(f"anypatch journal 2 {journal.sign(data, key)}\n".encode() + data, key)
        assert (found.description, found.partial) == (kept, partial)
        now = head._replace(description=description, partial=partial)
        assert journal.from_bytes(journal.to_bytes(now, key), key) == now


def test_a_journal_cannot_be_checked_without_a_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_crashed(tmp_path, "tx", entry_of(), OLD)
    put(tmp_path, "a", NEW)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "home"))
    (problem,) = anypatch.recover(tmp_path).problems
    assert (problem.kind, problem.detail) == ("foreign_journal", "this user has no key to check it with")
    journal.load_key(make=True)
    (problem,) = anypatch.recover(tmp_path).problems
    assert problem.kind == "foreign_journal" and "key" not in problem.detail


# ── the key ───────────────────────────────────────────────────────────────────────────────────────


def test_the_key_is_made_once_and_only_the_user_can_read_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert journal.load_key(make=False) == b""
    made = journal.load_key(make=True)
    place = tmp_path / "anypatch/.anypatch"
    assert len(made) == 32 and journal.load_key(make=True) == journal.load_key(make=False) == made
    assert place.stat().st_mode & 0o777 == 0o600 and os.listdir(place.parent) == [".anypatch"]
    place.chmod(0o666)
    assert journal.load_key(make=True) == b"", "others could have written it"
    place.chmod(0o600)
    place.write_bytes(b"short")
    assert journal.load_key(make=True) == b""
    place.unlink()
    place.symlink_to("elsewhere")
    assert journal.load_key(make=True) == b""


def test_the_key_of_another_user_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    made = journal.load_key(make=True)
    place = tmp_path / "anypatch/.anypatch"
    if not os.geteuid():
        os.chown(place, 1234, -1)
        assert journal.load_key(make=False) == made, "root may read it"
    own = place.stat().st_uid
    monkeypatch.setattr(os, "geteuid", lambda: own)
    assert journal.load_key(make=False) == made
    monkeypatch.setattr(os, "geteuid", lambda: own + 1)
    assert journal.load_key(make=False) == journal.load_key(make=True) == b""


def test_two_processes_that_make_the_key_at_once_share_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    made = journal.load_key(make=True)
    monkeypatch.setattr(os, "urandom", lambda size: b"z" * size)
    assert journal._make_key(str(tmp_path / "anypatch"), str(tmp_path / "anypatch/.anypatch")) == made


@pytest.mark.parametrize("home", ["relative", ""])
def test_where_the_key_is_without_xdg(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home: str) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", home)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert journal.user_state_folder() == f"{tmp_path}/.local/state/anypatch"
    monkeypatch.setenv("HOME", "nowhere")
    assert journal.user_state_folder() == "" and journal.load_key(make=True) == b""


def test_changes_are_made_without_a_key_but_cannot_be_undone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, "root/a", b"1\n2\n3\n")
    (tmp_path / "anypatch").write_bytes(b"a file")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    report = anypatch.apply(HUNKS, tmp_path / "root")
    assert report.ok and any("no key" in note.text for note in report.notes)
    assert refusal(lambda: undo_change(tmp_path / "root")) == ["no_receipt"]
    assert anypatch.apply(HUNKS.replace("one", "uno"), tmp_path / "root").problems


def test_the_key_on_a_file_system_without_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))

    def link(*_: object) -> None:
        raise OSError(link_error, "no")

    monkeypatch.setattr(os, "link", link)
    link_error = errno.EIO
    with pytest.raises(OSError, match="no"):
        journal.load_key(make=True)
    assert os.listdir(tmp_path / "anypatch") == []
    link_error = errno.EPERM
    assert journal.load_key(make=True) == journal.load_key(make=False) != b""
    assert os.listdir(tmp_path / "anypatch") == [".anypatch"]


def test_a_new_key_is_synced_before_it_signs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, synced: list[str]
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    assert len(journal.load_key(make=True)) == journal.KEY_SIZE
    assert synced[0].startswith(".anypatch-") and synced[1:] == ["anypatch", "state"]

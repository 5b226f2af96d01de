"""Undo and receipts on a real disk."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from anypatch import journal
from anypatch.disk import DiskTree, receipts
from anypatch.errors import Refused
from anypatch.model import File, FileChange
from disk_trees import apply, change, fresh, put, refusal, snapshot, take_back

# ── undo ─────────────────────────────────────────────────────────────────────────────────────────


def test_undo_restores_everything(tmp_path: Path) -> None:
    root, changes = fresh(tmp_path, 0)
    old = snapshot(root)
    done = apply(root, *changes)
    assert snapshot(root) != old
    back = take_back(root)
    assert snapshot(root) == old
    assert (back.id, back.changes, back.undone) == (done.id, done.changes, True)
    assert refusal(lambda: take_back(root)) == ["no_receipt"]
    assert refusal(lambda: take_back(root, done.id)) == ["no_receipt"]


def test_undo_goes_further_back_each_time(tmp_path: Path) -> None:
    put(tmp_path, "a", b"0")
    for number in (b"1", b"2", b"3"):
        apply(tmp_path, change(tmp_path, "a", number))
    for number in (b"2", b"1", b"0"):
        take_back(tmp_path)
        assert (tmp_path / "a").read_bytes() == number
    apply(tmp_path, change(tmp_path, "a", b"4"))
    take_back(tmp_path)
    assert (tmp_path / "a").read_bytes() == b"0"


def test_undo_by_id_and_prefix(tmp_path: Path) -> None:
    put(tmp_path, "a", b"0")
    put(tmp_path, "b", b"0")
    first = apply(tmp_path, change(tmp_path, "a", b"1"))
    second = apply(tmp_path, change(tmp_path, "b", b"1"))
    assert first.id < second.id
    assert refusal(lambda: take_back(tmp_path, "20")) == ["ambiguous"]
    assert refusal(lambda: take_back(tmp_path, "19")) == ["no_receipt"]
    assert take_back(tmp_path, first.id[:-1] if first.id[:-1] != second.id[:-1] else first.id).id == first.id
    assert ((tmp_path / "a").read_bytes(), (tmp_path / "b").read_bytes()) == (b"0", b"1")
    assert take_back(tmp_path, second.id).id == second.id
    assert (tmp_path / "b").read_bytes() == b"0"


def test_undo_is_refused_after_edits_by_hand_and_names_them_all(tmp_path: Path) -> None:
    root, changes = fresh(tmp_path, 0)
    old = snapshot(root)
    apply(root, *changes)
    (root / "src/a.py").write_bytes(b"by hand")
    (root / "src/b.py").chmod(0o755)
    (root / "src/new").unlink()
    put(root, "src/gone", b"again")
    edited = snapshot(root)
    with pytest.raises(Refused) as caught:
        take_back(root)
    assert {(p.kind, p.path) for p in caught.value.problems} == {
        ("stale", path) for path in ("src/a.py", "src/b.py", "src/new", "src/gone")
    }
    assert snapshot(root) == edited
    take_back(root, force=True)
    assert snapshot(root) == old


def test_undo_keeps_a_made_folder_that_is_in_use(tmp_path: Path) -> None:
    apply(tmp_path, change(tmp_path, "d/e/f", b"x"))
    put(tmp_path, "d/mine", b"y")
    take_back(tmp_path)
    assert sorted(snapshot(tmp_path)) == ["d", "d/mine"]


def test_undo_of_an_odd_name_and_odd_bytes(tmp_path: Path) -> None:
    name = 'über "x"\\\n.txt'
    put(tmp_path, name, b"\x00\xff\r", 0o600)
    old = snapshot(tmp_path)
    apply(tmp_path, change(tmp_path, name, None))
    assert snapshot(tmp_path) == {}
    take_back(tmp_path)
    assert snapshot(tmp_path) == old


def test_nothing_to_undo(tmp_path: Path) -> None:
    assert refusal(lambda: take_back(tmp_path)) == ["no_receipt"]
    assert snapshot(tmp_path) == {} and not (tmp_path / ".anypatch").exists()


# ── receipts ─────────────────────────────────────────────────────────────────────────────────────


def test_receipts_newest_first_without_what_cannot_be_read(tmp_path: Path) -> None:
    put(tmp_path, "a", b"0", 0o755)
    ids = [apply(tmp_path, change(tmp_path, "a", b"%d" % n)).id for n in (1, 2, 3)]
    state = tmp_path / ".anypatch"
    assert state.stat().st_mode & 0o777 == 0o700 and (state / ".gitignore").read_bytes() == b"*\n"
    (state / "20990101-000000-0000.json").write_bytes(b'{"version": 1, "id"')
    (state / "20990101-000000-0001.json").write_bytes(b"[" * 100_000)
    (state / "20990101-000000-0002.json").write_bytes(b'{"version": 9, "id": "20990101-000000-0002"}')
    (state / "20990101-000000-0003.json").symlink_to("/etc/passwd")
    os.mkfifo(state / "20990101-000000-0004.json")
    (state / "20990101-000000-0005.pending").write_bytes(b"{}")
    with DiskTree(str(tmp_path)) as tree:
        found = receipts(tree)
    assert [receipt.id for receipt in found] == ids[::-1]
    assert found[0].changes == (FileChange("a", File(b"", 0o755), File(b"", 0o755)),)
    assert take_back(tmp_path).id == ids[-1]


def test_old_receipts_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, "a", b"-1")
    ids = [apply(tmp_path, change(tmp_path, "a", b"%d" % n)).id for n in range(journal.KEEP + 3)]
    with DiskTree(str(tmp_path)) as tree:
        assert [receipt.id for receipt in receipts(tree)] == ids[: -journal.KEEP - 1 : -1]
        monkeypatch.setattr(journal, "KEEP_BYTES", 10)
        last = apply(tmp_path, change(tmp_path, "a", b"x" * 100)).id
        assert [receipt.id for receipt in receipts(tree)] == [last]
    assert sorted(os.listdir(tmp_path / ".anypatch")) == [".gitignore", f"{last}.bytes", f"{last}.json"]


@pytest.mark.parametrize("path", ["../out", "/etc/x", ".git/hooks/x", "a/../../out", "./a", "", "x/.GIT/y"])
def test_a_planted_receipt_cannot_lead_out(tmp_path: Path, path: str) -> None:
    root = tmp_path / "root"
    put(root, "a", b"0")
    name = apply(root, change(root, "a", b"1")).id
    place = root / ".anypatch" / f"{name}.json"
    manifest = json.loads(place.read_text())
    manifest["files"].insert(0, {"path": path, "action": "create", "before": [0, 1, 0o644, 0, 0], "after": None})
    place.write_text(json.dumps(manifest))
    before = snapshot(tmp_path)
    assert refusal(lambda: take_back(root, force=True)) == ["unsafe_path"]
    assert snapshot(tmp_path) == before


def test_a_torn_receipt_is_not_undone(tmp_path: Path) -> None:
    put(tmp_path, "a", b"old")
    name = apply(tmp_path, change(tmp_path, "a", b"new")).id
    os.truncate(tmp_path / f".anypatch/{name}.bytes", 2)
    assert refusal(lambda: take_back(tmp_path, force=True)) == ["no_receipt"]
    assert (tmp_path / "a").read_bytes() == b"new"


@pytest.mark.parametrize("planted", ["link", "dangling", "file"])
def test_a_planted_state_directory(tmp_path: Path, planted: str) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    put(root, "a", b"old")
    outside.mkdir()
    if planted == "file":
        (root / ".anypatch").write_bytes(b"")
    else:
        (root / ".anypatch").symlink_to(outside if planted == "link" else tmp_path / "nowhere")
    assert refusal(lambda: apply(root, change(root, "a", b"new"))) == ["unsafe_path"]
    assert refusal(lambda: take_back(root)) == ["unsafe_path"]
    assert (root / "a").read_bytes() == b"old" and os.listdir(outside) == []
    assert not (tmp_path / "nowhere").exists()

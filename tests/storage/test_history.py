"""Undo and receipts on a real disk."""

from __future__ import annotations

import errno
import fcntl
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import anypatch
from anypatch.model import File, FileChange, Receipt
from anypatch.problems import Refused
from anypatch.storage import state as journal
from anypatch.storage.journal import Entry, Manifest, digest, load_key, to_bytes
from anypatch.storage.tree import DiskTree, Settings, applied_as, commit, receipts, redo, undo
from support.disk_trees import apply, change, fresh, put, refusal, snapshot, take_back

PROGRAM = str(Path(sys.executable).with_name("anypatch"))

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
        ("stale", path) for path in ("src/a.py", "src/new", "src/gone")
    }
    with DiskTree(str(root)) as tree:
        assert refusal(lambda: undo(tree)) == ["stale"] * 3, "unless it is asked for"
    assert snapshot(root) == edited
    take_back(root, force=True)
    assert snapshot(root) == old


def test_undo_and_redo_name_the_receipt_that_is_to_be_turned_first(tmp_path: Path) -> None:
    for name in "ab":
        put(tmp_path, name, b"0")
    first = apply(tmp_path, change(tmp_path, "a", b"1"), change(tmp_path, "b", b"1"))
    second = apply(tmp_path, change(tmp_path, "a", b"2"))
    third = apply(tmp_path, change(tmp_path, "a", None))

    def told(action: Callable[[], object]) -> list[tuple[str, str, str, str]]:
        with pytest.raises(Refused) as caught:
            action()
        return [(p.kind, p.path, p.detail, f"{p.advice} {p.command}".strip()) for p in caught.value.problems]

    def again(receipt: Receipt) -> None:
        with DiskTree(str(tmp_path)) as tree:
            redo(tree, receipt.id)

    put(tmp_path, "b", b"by hand")
    since = "it was edited"
    for later in (third, second):
        there = "line 1 of {} was edited after this change"
        why = f"receipt {later.id} has changed it since" if later is third else there.format("a")
        assert told(lambda: take_back(tmp_path, first.id)) == [
            ("stale", "a", why, f"Undo that first. Use `anypatch undo {later.id}`."),
            ("stale", "b", there.format("b"), "Undo it by hand, or force it and lose those edits. --force does so."),
        ]
        take_back(tmp_path, later.id)
    put(tmp_path, "b", b"1")
    take_back(tmp_path, first.id)
    builds = f"it depends on receipt {first.id}, which has been undone"
    assert told(lambda: again(second)) == [("stale", "a", builds, f"Redo that first. Use `anypatch redo {first.id}`.")]
    assert told(lambda: again(third))[0][2] == builds
    other = apply(tmp_path, change(tmp_path, "a", b"other"))
    assert told(lambda: again(first))[0][2] == f"receipt {other.id} has changed it since"
    last = apply(tmp_path, change(tmp_path, "a", b"last"))
    take_back(tmp_path, last.id)
    put(tmp_path, "a", b"by hand")
    assert ("a", since, "Make the edit again by hand.") not in [problem[1:] for problem in told(lambda: again(last))]
    put(tmp_path, "c", b"0")
    stands = apply(tmp_path, change(tmp_path, "c", b"1"))
    undone = apply(tmp_path, change(tmp_path, "c", b"2"))
    take_back(tmp_path, undone.id)
    put(tmp_path, "c", b"by hand")
    assert told(lambda: again(undone)) == [("stale", "c", since, "Make the edit again by hand.")], stands


def test_undo_keeps_a_made_folder_that_is_in_use(tmp_path: Path) -> None:
    apply(tmp_path, change(tmp_path, "d/e/f", b"x"))
    put(tmp_path, "d/mine", b"y")
    take_back(tmp_path)
    assert sorted(snapshot(tmp_path)) == ["d", "d/mine"]


@pytest.mark.parametrize("name", ['über "x"\\\n.txt', 'a "b"', "a\\b", "a\nb", "ü", "\x7f"])
def test_undo_of_an_odd_name_and_odd_bytes(tmp_path: Path, name: str) -> None:
    put(tmp_path, name, b"\x00\xff\r", 0o600)
    old = snapshot(tmp_path)
    apply(tmp_path, change(tmp_path, name, None))
    assert snapshot(tmp_path) == {}
    take_back(tmp_path)
    assert snapshot(tmp_path) == old


def test_what_was_made_under_a_raised_limit_is_undone_under_the_usual_one(tmp_path: Path) -> None:
    large = bytes((64 << 20) + 1)
    with DiskTree(str(tmp_path), Settings(durability="none")) as tree:
        commit(tree, (FileChange("a", None, File(large)),), format="", description="", patch=b"p")
        assert applied_as(tree, b"p")
        undo(tree)
    assert snapshot(tmp_path) == {}


def test_nothing_to_undo(tmp_path: Path) -> None:
    assert refusal(lambda: take_back(tmp_path)) == ["no_receipt"]
    assert snapshot(tmp_path) == {} and not (tmp_path / ".anypatch").exists()


# ── receipts ─────────────────────────────────────────────────────────────────────────────────────


def test_receipts_newest_first_without_what_cannot_be_read(tmp_path: Path) -> None:
    put(tmp_path, "a", b"0", 0o755)
    ids = [apply(tmp_path, change(tmp_path, "a", b"%d" % n)).id for n in (1, 2, 3)]
    state = tmp_path / ".anypatch"
    assert state.stat().st_mode & 0o777 == 0o700 and (state / ".gitignore").read_bytes() == b"*\n"
    for number, planted in enumerate((b'{"version": 1, "id"', b"[" * 100_000, b"anypatch journal 2 \xff\n\n{}")):
        put(tmp_path, f".anypatch/20990101-000000-000{number}.1/manifest", planted)
    (state / "20990101-000000-0003.1").symlink_to("/etc")
    (state / "20990101-000000-0004.1").mkdir()
    os.mkfifo(state / "20990101-000000-0004.1/manifest")
    (state / "20990101-000000-0005.1").write_bytes(b"{}")
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
    assert sorted(os.listdir(tmp_path / ".anypatch")) == [".gitignore", f"{last}.100", "lock"]


def test_as_many_receipts_are_kept_as_the_guide_says() -> None:
    guide = (Path(__file__).parent.parents[1] / "docs/guarantees.md").read_text()
    assert f"The last {journal.KEEP} receipts are kept, up to {journal.KEEP_BYTES >> 20} MB." in guide


def test_receipts_go_by_size_when_together_they_are_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal, "KEEP_BYTES", 10)
    put(tmp_path, "a", b"-----")
    ids = [apply(tmp_path, change(tmp_path, "a", text)).id for text in (b"12345", b"54321")]
    assert [receipt.id for receipt in anypatch.log(tmp_path)] == ids[::-1]
    put(tmp_path, "b", b"-")
    last = apply(tmp_path, change(tmp_path, "b", b"+")).id
    assert [receipt.id for receipt in anypatch.log(tmp_path)] == [last, ids[1]]


def forge(folder: Path, path: str, signer: bytes, old: bytes = b"planted", new: bytes | None = None) -> None:
    """A journal that claims to have displaced `old` at `path`."""
    entry = Entry(0, path, digest(old), digest(new) if new is not None else "", 0o644, 0o644 if new is not None else 0)
    journal = Manifest("20990101-000000-0000", 0.0, "chunk", "", "", (), (entry,))
    put(folder, "manifest", to_bytes(journal, signer))
    put(folder, "0", old)


PATHS = ["../out", "/etc/x", ".git/hooks/x", "a/../../out", "./a", "", "x/.GIT/y"]


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("place", ["tx", "undo.20990101-000000-0000.1", "redo.20990101-000000-0000.1"])
def test_even_a_signed_journal_cannot_lead_out(tmp_path: Path, path: str, place: str) -> None:
    root = tmp_path / "root"
    put(root, "a", b"0")
    forge(root / ".anypatch" / place, path, load_key(make=True))
    before = snapshot(tmp_path)
    with pytest.raises(Refused) as caught:
        take_back(root, force=True)
    assert [p.kind for p in caught.value.problems] == ["unsafe_path"]
    assert path != "./a" or f"the journal in .anypatch/{place}" in caught.value.problems[0].detail
    assert snapshot(tmp_path) == before


@pytest.mark.parametrize("signer", [b"k" * 32, b""])
@pytest.mark.parametrize("place", ["tx", "undo.20990101-000000-0000.1", "redo.20990101-000000-0000.1"])
def test_a_planted_journal_makes_recovery_write_nothing(tmp_path: Path, place: str, signer: bytes) -> None:
    put(tmp_path, "a", b"0")
    load_key(make=True)
    forge(tmp_path / ".anypatch" / place, "new.txt", signer)
    before = snapshot(tmp_path)
    for action in (lambda: take_back(tmp_path), lambda: apply(tmp_path, FileChange("b", None, File(b"x")))):
        assert refusal(action) == ["foreign_journal"]
    assert snapshot(tmp_path) == before
    assert [p.kind for p in anypatch.recover(tmp_path).problems] == ["foreign_journal"]
    forge(tmp_path / ".anypatch" / place, "new.txt", load_key(make=True))
    if not place.startswith("redo"):
        assert anypatch.recover(tmp_path).ok
        assert (tmp_path / "new.txt").read_bytes() == b"planted", "the same journal, signed, is one of ours"


def test_a_receipt_whose_saved_file_was_changed_is_not_undone(tmp_path: Path) -> None:
    put(tmp_path, "a", b"old")
    apply(tmp_path, change(tmp_path, "a", b"new"))
    (saved,) = (tmp_path / ".anypatch").glob("2*/0")
    os.truncate(saved, 2)
    assert refusal(lambda: take_back(tmp_path, force=True)) == ["stale"]
    assert (tmp_path / "a").read_bytes() == b"new"


# ── redo ─────────────────────────────────────────────────────────────────────────────────────────


def make_again(root: Path, name: str = "") -> Receipt:
    with DiskTree(str(root)) as tree:
        return redo(tree, name)


def test_redo_makes_everything_again_and_undo_takes_it_back_again(tmp_path: Path) -> None:
    root, changes = fresh(tmp_path, 0)
    old = snapshot(root)
    assert refusal(lambda: make_again(root)) == ["no_receipt"]
    done = apply(root, *changes)
    new = snapshot(root)
    for _ in range(3):
        take_back(root)
        assert snapshot(root) == old
        again = make_again(root)
        assert (again.id, again.undone) == (done.id, False)
        assert {c.path: c for c in again.changes} == {c.path: c for c in done.changes}
        assert snapshot(root) == new
    assert refusal(lambda: make_again(root, done.id)) == ["no_receipt"]


def test_redo_goes_forward_in_order_and_not_past_a_new_change(tmp_path: Path) -> None:
    put(tmp_path, "a", b"0")
    for number in (b"1", b"2", b"3"):
        apply(tmp_path, change(tmp_path, "a", number))
    for _ in range(3):
        take_back(tmp_path)
    for number in (b"1", b"2"):
        make_again(tmp_path)
        assert (tmp_path / "a").read_bytes() == number
    apply(tmp_path, change(tmp_path, "a", b"other"))
    assert refusal(lambda: make_again(tmp_path)) == ["no_receipt"]
    (undone,) = (r.id for r in anypatch.log(tmp_path) if r.undone)
    assert refusal(lambda: make_again(tmp_path, undone)) == ["stale"]


def test_redo_is_refused_after_edits_by_hand(tmp_path: Path) -> None:
    put(tmp_path, "a", b"0")
    apply(tmp_path, change(tmp_path, "a", b"1"), change(tmp_path, "b", b"1"))
    take_back(tmp_path)
    (tmp_path / "a").write_bytes(b"by hand")
    put(tmp_path, "b", b"by hand")
    assert refusal(lambda: make_again(tmp_path)) == ["stale", "stale"]


def test_undo_gives_back_the_very_file(tmp_path: Path) -> None:
    place = put(tmp_path, "a", b"old", 0o4750)
    facts = place.stat()
    apply(tmp_path, change(tmp_path, "a", b"new"))
    assert place.stat().st_mode & 0o7777 == 0o750
    take_back(tmp_path)
    after = place.stat()
    assert (after.st_ino, after.st_mtime_ns, after.st_mode) == (facts.st_ino, facts.st_mtime_ns, facts.st_mode)


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


# ── looking at a tree in which something was broken off ──────────────────────────────────────────


@pytest.mark.parametrize("left", ["tx", "undo.20260101-000000-0000.1", "redo.20260101-000000-0000.1"])
def test_looking_at_a_tree_with_an_unfinished_change_says_so(tmp_path: Path, left: str) -> None:
    put(tmp_path, "a.py", b"x = 1\n")
    patch = "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x = 1\n+x = 2\n"
    assert anypatch.preview(patch, tmp_path).ok
    put(tmp_path, f".anypatch/{left}.not", b"")
    assert anypatch.preview(patch, tmp_path).ok
    (tmp_path / ".anypatch" / left).mkdir()
    for patched in (patch, patch.replace("x = 1", "y = 1")):
        report = anypatch.preview(patched, tmp_path)
        assert [p.kind for p in report.problems] == ["unsettled"] and "Recover" in report.problems[0].advice
    for command in (["log"], ["outline", "a.py"], ["read", "a.py", "x"]):
        done = subprocess.run([PROGRAM, *command], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert "was interrupted" in done.stderr and "anypatch recover" in done.stderr, command
    (tmp_path / ".anypatch" / left).rmdir()
    assert anypatch.preview(patch, tmp_path).ok


def test_looking_waits_for_who_is_changing_the_tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, "a", b"x\n")
    put(tmp_path, ".anypatch/tx/0", b"")
    patch = "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n+y\n"

    def sleep(_: float) -> None:
        fcntl.flock(held, fcntl.LOCK_UN)
        journal.discard(state, "tx")

    monkeypatch.setattr(time, "sleep", sleep)
    state = os.open(tmp_path / ".anypatch", os.O_RDONLY)
    held = os.open(tmp_path / ".anypatch/lock", os.O_RDWR | os.O_CREAT)
    fcntl.flock(held, fcntl.LOCK_EX)
    assert anypatch.preview(patch, tmp_path).ok
    os.close(held)
    os.close(state)


def test_who_has_looked_holds_no_lock(tmp_path: Path) -> None:
    put(tmp_path, ".anypatch/tx/0", b"")
    with DiskTree(str(tmp_path)) as tree:
        assert refusal(tree.check_settled) == ["unsettled"]
        with (tmp_path / ".anypatch/lock").open("rb") as other:
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_looking_where_the_state_cannot_be_listed_or_locked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, ".anypatch/tx/0", b"")
    real = os.listdir

    def listdir(*_: object) -> list[str]:
        raise OSError(errno.EIO, "broken")

    with monkeypatch.context() as patched, DiskTree(str(tmp_path)) as tree:
        patched.setattr(os, "listdir", listdir)
        assert refusal(tree.check_settled) == ["io"]
        patched.setattr(os, "listdir", real)
        patched.setattr("anypatch.storage.state.lock", listdir)
        assert refusal(tree.check_settled) == ["unsettled"]

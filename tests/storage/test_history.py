"""Receipts on a real disk: listing, choosing and showing them."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import anypatch
from anypatch import Settings
from anypatch.model import File, FileChange
from anypatch.problems import Refused
from anypatch.storage import history
from anypatch.storage.tree import DiskTree, applied_as, commit, receipts, versions
from support.disk_trees import (
    apply,
    change,
    put,
    redo_change,
    refusal,
    undo_change,
    undo_several,
)

# ── receipts ──────────────────────────────────────────────────────────────────────────────────────


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
    assert undo_change(tmp_path).id == ids[-1]


def test_the_versions_of_a_file_that_receipts_know(tmp_path: Path) -> None:
    """Those before and after each change, newest first; of a change that is undone both, too."""

    def known(path: str) -> list[bytes]:
        with DiskTree(str(tmp_path)) as tree:
            return versions(tree, path)

    put(tmp_path, "a", b"0\n")
    put(tmp_path, "b", b"b\n")
    (tmp_path / "link").symlink_to("a")
    assert known("a") == []
    for text in (b"1\n", b"2\n"):
        apply(tmp_path, change(tmp_path, "a", text))
    assert known("a") == [b"2\n", b"1\n", b"1\n", b"0\n"] and known("b") == []
    undo_change(tmp_path)
    assert known("a") == [b"2\n", b"1\n", b"1\n", b"0\n"]
    apply(tmp_path, change(tmp_path, "b", None))
    assert known("b") == [b"b\n"]
    with DiskTree(str(tmp_path)) as tree:
        gone = FileChange("link", File(b"a", 0o120777), None)
        commit(tree, (gone,), format="test", description="", patch=b"p")
    assert known("link") == []
    put(tmp_path, "a", b"by hand\n")
    assert known("a") == [b"2\n", b"1\n", b"0\n"]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "f.txt").write_text(BEFORE)
    return tmp_path


def made(tree: Path, patch: str) -> str:
    result = anypatch.apply(patch, tree)
    assert result.receipt, result
    return result.receipt.id


def text(tree: Path) -> str:
    return (tree / "f.txt").read_text()


BEFORE = "a\nb\nc\nd\ne\nf\ng\n"


FIRST = "f.txt\n<<<<<<< SEARCH\nb\n=======\nB1\nB2\n>>>>>>> REPLACE\n"


SECOND = "f.txt\n<<<<<<< SEARCH\nd\n=======\nD\n>>>>>>> REPLACE\n"


def test_show_gives_a_change_as_it_was_made_whatever_was_edited_later(tree: Path) -> None:
    assert [problem.detail for problem in anypatch.show(tree).problems] == ["there is nothing to show"]
    (tree / "old.txt").write_text("old\n")
    first = made(
        tree, FIRST + "\n*** Begin Patch\n*** Add File: new.txt\n+new\n*** Delete File: old.txt\n*** End Patch\n"
    )
    second = made(tree, SECOND)
    (tree / "f.txt").write_text(text(tree) + "by hand\n")
    shown = anypatch.show(tree, first)
    assert shown.ok and not shown.written and shown.receipt and shown.receipt.id == first
    assert [(change.path, change.action) for change in shown.changes] == [
        ("f.txt", "update"), ("new.txt", "create"), ("old.txt", "delete"),
    ]  # fmt: skip
    assert shown.changes[0].before == BEFORE and shown.changes[0].after == BEFORE.replace("b\n", "B1\nB2\n")
    last = anypatch.show(tree)
    assert last.receipt and last.receipt.id == second and "-d\n+D\n" in last.diff()
    assert anypatch.undo(tree, second).ok and "-d\n+D\n" in anypatch.show(tree, second).diff()
    assert not anypatch.show(tree, "nothing").ok


def test_show_says_what_is_not_known_any_more(tree: Path) -> None:
    made(tree, SECOND)
    for kept in (tree / ".anypatch").glob("2*/kept"):
        kept.unlink()
    (tree / "f.txt").write_text("other\n")
    shown = anypatch.show(tree)
    assert shown.ok and shown.changes == () and [note.path for note in shown.notes] == ["f.txt"]


def test_show_without_a_receipt_or_if_the_disk_fails(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made(tree, SECOND)

    def broken(*_: object) -> None:
        raise OSError(5, "broken")

    with monkeypatch.context() as patched:
        patched.setattr(history, "_find_by_id", broken)
        assert [problem.kind for problem in anypatch.show(tree, "2").problems] == ["io"]
    for folder in (tree / ".anypatch").glob("2*"):
        shutil.rmtree(folder)
    assert [problem.kind for problem in anypatch.show(tree).problems] == ["no_receipt"]


@pytest.mark.parametrize("call", ["open_folder", "read_journal"])
def test_a_receipt_that_cannot_be_read_is_never_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    put(tmp_path, "a", b"0")
    ids = [apply(tmp_path, change(tmp_path, "a", number)).id for number in (b"1", b"2")]
    real = getattr(history, call)

    def broken(*arguments: object) -> object:
        if str(arguments[-1]).startswith(ids[1]):
            raise OSError(errno.EIO, "broken")
        return real(*arguments)

    with monkeypatch.context() as patched:
        patched.setattr(history, call, broken)
        for whole in (True, False):
            with pytest.raises(Refused) as caught:
                undo_several(tmp_path, all=whole)
            assert caught.value.problems[0].path.startswith(f".anypatch/{ids[1]}.")
    assert (tmp_path / "a").read_bytes() == b"2"
    assert undo_several(tmp_path, all=True).undoes == (ids[1], ids[0])


@pytest.mark.parametrize("whose", ["another's", "gone"])
def test_a_receipt_of_another_user_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, whose: str) -> None:
    put(tmp_path, "a", b"0")
    ids = [apply(tmp_path, change(tmp_path, "a", number)).id for number in (b"1", b"2")]
    (newest,) = (tmp_path / ".anypatch").glob(f"{ids[1]}.*")
    real = history.open_folder

    def closed(state: int, folder: str) -> int:
        if folder == newest.name:
            if whose == "gone":
                shutil.rmtree(newest)
            raise PermissionError(errno.EACCES, "closed")
        return real(state, folder)

    def stat(path: str, **named: Any) -> os.stat_result:
        status = real_stat(path, **named)
        return os.stat_result([*status[:4], status.st_uid + 1, *status[5:]]) if path == newest.name else status

    real_stat = os.stat
    monkeypatch.setattr(history, "open_folder", closed)
    monkeypatch.setattr(os, "stat", stat)
    assert [receipt.id for receipt in anypatch.log(tmp_path)] == ids[:1]


# ── which receipts ───────────────────────────────────────────────────────────────────────────────


def three_changes(root: Path) -> list[str]:
    put(root, "a", b"0")
    return [apply(root, change(root, "a", b"%d" % number)).id for number in (1, 2, 3)]


def refused_with(action: Callable[[], object]) -> tuple[str, str]:
    """Return detail and command of the only problem of a refusal."""
    with pytest.raises(Refused) as caught:
        action()
    (problem,) = caught.value.problems
    return problem.detail, problem.command


def test_receipts_keep_session_and_turn(tmp_path: Path) -> None:
    apply(tmp_path, change(tmp_path, "a", b"1"))
    apply(tmp_path, change(tmp_path, "a", b"2"), settings=Settings(session="s1", turn="t\u2028\ud800"))
    assert [(receipt.session, receipt.turn) for receipt in anypatch.log(tmp_path)] == [
        ("s1", "t\u2028\ud800"),
        ("", ""),
    ]
    for wrong in ({"session": 1}, {"turn": None}):
        with pytest.raises(TypeError, match="session and turn"):
            Settings(**wrong).checked()


def test_a_change_whose_turn_is_not_known_is_a_turn_of_its_own(tmp_path: Path) -> None:
    ids = three_changes(tmp_path)
    assert undo_several(tmp_path, turn=True).id == ids[-1] and (tmp_path / "a").read_bytes() == b"2"


def test_since_an_id_or_a_time_includes_that_change(tmp_path: Path) -> None:
    ids = three_changes(tmp_path)
    assert undo_several(tmp_path, since=ids[1][:-1] + ids[1][-1]).undoes == (ids[2], ids[1])
    redo_change(tmp_path)
    moment = datetime.fromtimestamp(anypatch.log(tmp_path)[1].time)
    assert anypatch.undo(tmp_path, since=moment).ok and (tmp_path / "a").read_bytes() == b"1"
    redo_change(tmp_path)
    assert undo_several(tmp_path, since="1h").undoes == tuple(ids[::-1])
    redo_change(tmp_path)
    future = (datetime.now() + timedelta(hours=1)).isoformat()
    assert refused_with(lambda: undo_several(tmp_path, since=future))[0] == f"there is nothing to undo since {future}"
    assert refused_with(lambda: undo_several(tmp_path, since="20990101-"))[0].startswith("no change has an ID")
    assert refusal(lambda: undo_several(tmp_path, since="yesterday")) == ["bad_call"]


NOW = datetime(2026, 11, 18, 12, 0, 5)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("11:30", datetime(2026, 11, 18, 11, 30)),
        ("9:05", datetime(2026, 11, 18, 9, 5)),
        ("12:00", datetime(2026, 11, 18, 12, 0)),
        ("12:01", datetime(2026, 11, 17, 12, 1)),  # today that is still to come
        ("2026-11-01", datetime(2026, 11, 1)),
        ("20261101", datetime(2026, 11, 1)),
        ("2026-11-01T10:20:30+02:00", datetime(2026, 11, 1, 8, 20, 30, tzinfo=UTC)),
        ("90s", datetime(2026, 11, 18, 11, 58, 35)),
        ("20m", datetime(2026, 11, 18, 11, 40, 5)),
        ("2 h", datetime(2026, 11, 18, 10, 0, 5)),
        ("3d", datetime(2026, 11, 15, 12, 0, 5)),
    ],
)
def test_times_that_are_understood(text: str, moment: datetime) -> None:
    assert history.moment_of(text, NOW) == moment.timestamp()


@pytest.mark.parametrize("text", ["25:00", "1:2:3", "m", "2026", "999999d", "0001-01-01", "1e3", "-5m", "tomorrow"])
def test_times_that_are_not(text: str) -> None:
    assert refusal(lambda: history.moment_of(text, NOW)) == ["bad_call"]


def test_only_one_way_of_naming_receipts_at_a_time(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="can't be used together"):
        anypatch.undo(tmp_path, "2026", all=True)
    with pytest.raises(TypeError, match="since must be a str"):
        anypatch.undo(tmp_path, since=5)  # type: ignore[arg-type]


def test_an_undo_is_redone_and_its_members_only_together(tmp_path: Path) -> None:
    ids = three_changes(tmp_path)
    undo = undo_several(tmp_path, since=ids[1])
    assert refused_with(lambda: undo_change(tmp_path, undo.id)) == (
        f"{undo.id} is itself an undo", f"Use `anypatch redo {undo.id}`.",
    )  # fmt: skip
    assert refused_with(lambda: undo_change(tmp_path, ids[2]))[0] == f"{ids[2]} has already been undone"
    assert refused_with(lambda: redo_change(tmp_path, ids[2])) == (
        f"{ids[2]} was undone together with others, by {undo.id}", f"Use `anypatch redo {undo.id}`.",
    )  # fmt: skip
    assert undo_change(tmp_path).id == ids[0] and (tmp_path / "a").read_bytes() == b"0"
    assert redo_change(tmp_path).id == ids[0] and redo_change(tmp_path).id == undo.id
    with pytest.raises(Refused) as caught:
        redo_change(tmp_path)
    assert caught.value.problems[0].advice == "Nothing was undone since the last change."
    assert refused_with(lambda: redo_change(tmp_path, ids[2]))[0] == f"{ids[2]} has not been undone"
    assert refused_with(lambda: redo_change(tmp_path, undo.id))[0] == f"{undo.id} has already been redone"
    undo_several(tmp_path, all=True)
    assert refused_with(lambda: undo_change(tmp_path, undo.id))[0] == f"{undo.id} is itself an undo"


def test_redo_names_the_undo_that_it_depends_on(tmp_path: Path) -> None:
    ids = three_changes(tmp_path)
    undo_change(tmp_path, ids[2])
    undo = undo_several(tmp_path, all=True)
    assert refused_with(lambda: redo_change(tmp_path, ids[2])) == (
        f"receipt {undo.id} has changed it since", f"Use `anypatch redo {undo.id}`.",
    )  # fmt: skip
    later = apply(tmp_path, change(tmp_path, "a", b"later"))
    assert refused_with(lambda: redo_change(tmp_path, undo.id))[0] == f"receipt {later.id} has changed it since"
    assert refused_with(lambda: redo_change(tmp_path))[0] == "there is nothing to redo"


def test_what_was_undone_last_is_redone_first(tmp_path: Path) -> None:
    """An undo of several, then one change by itself; the other way round; a change that was made only afterwards."""
    names = "abcd"
    for name in names:
        put(tmp_path, name, b"0")
    ids = [apply(tmp_path, change(tmp_path, name, b"1")).id for name in names]
    several = undo_several(tmp_path, since=ids[2])
    undo_change(tmp_path)
    assert [redo_change(tmp_path).id for _ in range(2)] == [ids[1], several.id]
    undo_change(tmp_path)
    several = undo_several(tmp_path, since=ids[1])
    assert [redo_change(tmp_path).id for _ in range(2)] == [several.id, ids[3]]
    several = undo_several(tmp_path, since=ids[1])
    new = apply(tmp_path, change(tmp_path, "d", b"2"))
    undo_change(tmp_path)
    assert redo_change(tmp_path).id == new.id


def test_changes_undone_out_of_order_are_redone_in_the_opposite_order(tmp_path: Path) -> None:
    names = "abcd"
    for name in names:
        put(tmp_path, name, b"0")
    ids = [apply(tmp_path, change(tmp_path, name, b"1")).id for name in names]
    for at in (0, 2):
        undo_change(tmp_path, ids[at])
    assert redo_change(tmp_path).id == ids[2], "others are applied that are later than the first"
    undo_change(tmp_path, ids[1])
    several = undo_several(tmp_path, since=ids[2])
    assert [redo_change(tmp_path).id for _ in range(3)] == [several.id, ids[1], ids[0]]
    assert refused_with(lambda: redo_change(tmp_path))[0] == "there is nothing to redo"


def test_the_last_patch_is_known_again_after_an_undo(tmp_path: Path) -> None:
    put(tmp_path, "a", b"0")

    def changed_to(data: bytes, patch: bytes) -> None:
        with DiskTree(str(tmp_path)) as tree:
            commit(tree, (FileChange("a", tree.read("a"), File(data)),), format="", description="", patch=patch)

    with DiskTree(str(tmp_path)) as tree:
        assert applied_as(tree, b"first") == ""
    for number, patch in enumerate((b"first", b"second", b"third")):
        changed_to(b"%d" % (number + 1), patch)
    ids = [receipt.id for receipt in anypatch.log(tmp_path)]
    undo_several(tmp_path, since=ids[1])
    with DiskTree(str(tmp_path)) as tree:
        assert applied_as(tree, b"first") == ids[2] and applied_as(tree, b"third") == ""
    undo_several(tmp_path, all=True)
    with DiskTree(str(tmp_path)) as tree:
        assert applied_as(tree, b"first") == ""


def test_receipts_that_an_undo_outlives(tmp_path: Path) -> None:
    """The oldest receipts are removed first, so that a change doesn't count as made again once its undo is removed."""
    put(tmp_path, "a", b"0")
    few = Settings(keep=2)
    ids = [apply(tmp_path, change(tmp_path, "a", b"%d" % number), settings=few).id for number in (1, 2)]
    undo = undo_several(tmp_path, few, all=True)
    assert [receipt.id for receipt in anypatch.log(tmp_path)] == [undo.id, ids[1]]
    assert anypatch.log(tmp_path)[1].undone
    redo_change(tmp_path)
    assert (tmp_path / "a").read_bytes() == b"2"
    apply(tmp_path, change(tmp_path, "a", b"3"), settings=few)
    assert [receipt.undoes for receipt in anypatch.log(tmp_path)] == [(), ()], "one that was redone goes first"


def test_show_finds_files_that_a_later_change_or_an_undo_displaced(tree: Path) -> None:
    first = made(tree, "*** Begin Patch\n*** Add File: new.txt\n+new\n*** End Patch\n")
    (tree / "new.txt").write_bytes(b"by hand\n")
    assert anypatch.show(tree, first).changes == ()
    (tree / "new.txt").write_bytes(b"new\n")
    made(tree, SECOND)
    anypatch.undo(tree, all=True)
    (change,) = anypatch.show(tree, first).changes
    assert (change.action, change.after) == ("create", "new\n")
    shown = anypatch.show(tree)
    assert shown.receipt and len(shown.receipt.undoes) == 2 and "-D\n+d\n" in shown.diff()
    for slot in (tree / ".anypatch").glob(f"{shown.receipt.id}*/[0-9]"):
        slot.write_bytes(b"spoilt")
    assert anypatch.show(tree, first).changes == ()

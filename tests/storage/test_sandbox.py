"""What may be touched and how much: names, files that are obeyed, limits, the lock, the key."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import anypatch
from anypatch import Limits, Settings
from anypatch.limits import check_changes, check_file, check_ops, check_text
from anypatch.model import Chunk, Delete, Edit, File, FileChange, Hunk, Inside, MatchPolicy, Merge, Patch
from anypatch.paths import check_new_name, fold_path, is_denied, normalize_path, why_not_on_windows, why_sensitive
from anypatch.problems import Refused
from anypatch.storage import journal, state
from anypatch.storage.tree import DiskTree
from support.disk_trees import apply, change, put, refusal, snapshot, take_back

PROGRAM = str(Path(sys.executable).with_name("anypatch"))


def write(path: str, text: str = "x\n") -> str:
    return f"*** Begin Patch\n*** Add File: {path}\n+{text.rstrip()}\n*** End Patch\n"


def kinds(report: anypatch.Result) -> list[str]:
    return [problem.kind for problem in report.problems]


# ── names ────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "name",
    [
        ".git",
        ".GIT",
        ".Git ",
        ".git.",
        ".g\u200cit",
        "git~1",
        "GIT~2",
        ".hg",
        ".svn",
        ".jj",
        ".anypatch",
        ".ANYPATCH",
        ".git::$INDEX_ALLOCATION",
        ".anypatch-20261115-214403-3f2a-0",
        ".ｇｉｔ",
    ],
)
def test_denied(name: str) -> None:
    assert is_denied(name)


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("", "empty"),
        ("  ", "empty"),
        ("a\0b", "NUL"),
        ("d/" * 65 + "a", "64 folders deep"),
        ("n" * 256, "longer than 255 bytes"),
        ("é" * 128, "longer"),
    ],
)
def test_a_path_that_no_file_can_have(path: str, told: str) -> None:
    with pytest.raises(Refused) as caught:
        normalize_path(path)
    assert told in caught.value.problems[0].detail and len(caught.value.problems[0].path) <= 201


def test_a_path_that_is_refused_is_shown_as_far_as_it_is_readable() -> None:
    for length, shown in ((200, "/" * 200), (201, "/" * 200 + "…")):
        with pytest.raises(Refused) as caught:
            normalize_path("/" * length)
        assert caught.value.problems[0].path == shown


def test_a_path_as_deep_and_long_as_can_be() -> None:
    path = "d/" * 63 + "n" * 255
    assert normalize_path(f"./{path}") == path


@pytest.mark.parametrize("path", ["C:/x", "c:\\x", "\\\\server\\x", "/x", "~/x"])
def test_absolute_paths_of_any_system(path: str) -> None:
    with pytest.raises(Refused) as caught:
        normalize_path(path)
    assert caught.value.problems[0].detail == "it is absolute"


def test_paths_that_only_look_absolute() -> None:
    for path in ("c:x", "~x", "1:/x", "ab:/x"):
        assert normalize_path(path) == path


def test_a_new_name_with_a_backslash() -> None:
    with pytest.raises(Refused) as caught:
        check_new_name("a\\b")
    assert "forward slashes" in caught.value.problems[0].advice


@pytest.mark.parametrize("name", ["git", ".gitignore", ".github", "anypatch", "git~x", ".git-blame-ignore-revs"])
def test_not_denied(name: str) -> None:
    assert not is_denied(name)


@pytest.mark.parametrize(
    "path",
    [
        ".vscode/tasks.json",
        ".github/workflows/ci.yml",
        "sub/.GitHub/Workflows/x.yml",
        ".mcp.json",
        ".ENVRC",
        "a/.claude/settings.json",
        ".husky/pre-commit",
        ".gitattributes",
        ".gitlab-ci.yml",
        "Jenkinsfile",
    ],
)
def test_sensitive(tmp_path: Path, path: str) -> None:
    assert why_sensitive(path)
    report = anypatch.preview(write(path), tmp_path)
    assert report.ok and any("run this file" in note.text for note in report.notes)
    refused = anypatch.apply(write(path), tmp_path, settings=Settings(allow_sensitive=False))
    assert kinds(refused) == ["unsafe_path"] and snapshot(tmp_path) == {}


def test_not_sensitive() -> None:
    assert not any(map(why_sensitive, ("src/a.py", ".github/CODEOWNERS", "vscode/a", "workflows/ci.yml", "README.md")))


@pytest.mark.parametrize("path", ["aux.txt", "a/NUL", "com1", "what?.md", "a:b", "end.", "end /x", 'q"q'])
def test_what_windows_cannot_hold_is_noted(tmp_path: Path, path: str) -> None:
    assert why_not_on_windows(path)
    edit = json.dumps({"file_path": path, "old_string": "", "new_string": "x"})
    report = anypatch.preview(edit, tmp_path)
    assert report.ok and any("Windows" in note.text for note in report.notes)


def test_what_windows_can_hold() -> None:
    assert not any(map(why_not_on_windows, ("a.txt", "auxiliary", "com10", "console", "a.b.c", ".hidden")))


def test_two_new_names_that_are_one_elsewhere(tmp_path: Path) -> None:
    both = "*** Begin Patch\n*** Add File: Readme\n+x\n*** Add File: README\n+y\n*** End Patch\n"
    assert kinds(anypatch.apply(both, tmp_path)) == ["unsafe_path"]
    assert fold_path("e\u0301") == fold_path("É")
    put(tmp_path, "readme", b"x\n")
    put(tmp_path, "README", b"x\n")
    edits = "".join(
        f"--- a/{name}\n+++ b/{name}\n@@ -1 +1 @@\n-x\n+{name}\n" for name in ("readme", "README")
    )  # two files that are there are two
    assert anypatch.apply(edits, tmp_path).ok


def test_two_names_of_one_file_in_one_patch(tmp_path: Path) -> None:
    os.link(put(tmp_path, "a", b"x\n"), tmp_path / "b")
    edits = "".join(f"--- a/{name}\n+++ b/{name}\n@@ -1 +1 @@\n-x\n+{name}\n" for name in "ab")
    assert kinds(anypatch.apply(edits, tmp_path)) == ["ambiguous"]
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes() == b"x\n"


# ── limits ───────────────────────────────────────────────────────────────────────────────────────

HUNKS = "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-1\n+one\n@@ -3 +3 @@\n-3\n+three\n"


@pytest.mark.parametrize(
    ("name", "number", "patch"),
    [
        ("patch_bytes", 20, HUNKS),
        ("patch_bytes", 130, HUNKS + "é" * 60),
        ("files", 1, HUNKS + HUNKS.replace("/a", "/b")),
        ("hunks", 1, HUNKS),
        ("file_hunks", 1, HUNKS),
        ("file_bytes", 3, HUNKS),
        ("line_bytes", 1, HUNKS.replace("1\n+one", "long\n+1")),
        ("lines", 2, HUNKS),
        ("total_bytes", 4, HUNKS),
    ],
)
def test_each_limit_is_named(tmp_path: Path, name: str, number: int, patch: str) -> None:
    put(tmp_path, "a", b"1\n2\n3\n" if "long" not in patch else b"long\n2\n3\n")
    put(tmp_path, "b", b"1\n2\n3\n")
    old = snapshot(tmp_path)
    report = anypatch.apply(patch, tmp_path, settings=Settings(limits=Limits()._replace(**{name: number})))
    assert kinds(report) == ["limit"] and name in report.problems[0].detail + report.problems[0].advice
    assert snapshot(tmp_path) == old


def test_what_counts_as_a_hunk() -> None:
    chunk, rules = Chunk(("a",), ("b",), (), None), MatchPolicy(())
    for count, hunks in (
        (2, (Inside("f", None, chunks=(chunk,)), Inside("g", None, "delete"))),
        (3, (Inside("f", None, chunks=(chunk, chunk)), Hunk("", "x\n", rules))),
        (2, (Merge(("a", "...", "b"), (1,)),)),
        (1, (Hunk("", "x\n", rules),)),
    ):
        patch = Patch("", (Edit("a", hunks), Delete("b")))  # which has none
        check_ops(patch.ops, Limits(hunks=count, file_hunks=count, files=2))
        with pytest.raises(Refused):
            check_ops(patch.ops, Limits(files=1))
        with pytest.raises(Refused):
            check_ops(patch.ops, Limits(hunks=count - 1))
        with pytest.raises(Refused):
            check_ops(patch.ops, Limits(file_hunks=count - 1))


def test_the_limits_are_those_of_the_guide() -> None:
    guide = (Path(__file__).parent.parents[1] / "docs/guarantees.md").read_text()
    rows = re.findall(r"`(\w+)` \| ([\d,]+) ?(MiB|GiB|)(?= \|)", guide)
    units = {"": 0, "MiB": 20, "GiB": 30}
    assert {name: int(number.replace(",", "")) << units[unit] for name, number, unit in rows} == Limits()._asdict()


def test_a_file_may_be_as_large_as_the_limit(tmp_path: Path) -> None:
    put(tmp_path, "a", b"123")
    for allowed in (3, 2):
        with DiskTree(str(tmp_path), Settings(limits=Limits(file_bytes=allowed))) as tree:
            if allowed == 3:
                assert tree.read("a") == File(b"123")
            else:
                assert refusal(lambda tree=tree: tree.read("a")) == ["limit"]  # type: ignore[misc]


def test_how_many_files_are_written_is_limited_too() -> None:
    changes = tuple(FileChange(name, None, File(b"x")) for name in "ab")
    check_changes(changes, Limits(files=2, total_bytes=2, file_bytes=1))
    for few in (Limits(files=1), Limits(total_bytes=1), Limits(file_bytes=0)):
        with pytest.raises(Refused):
            check_changes(changes, few)


def test_a_new_file_may_not_be_too_large_either(tmp_path: Path) -> None:
    small = Settings(limits=Limits(file_bytes=3))
    assert kinds(anypatch.apply(write("a", "long text"), tmp_path, settings=small)) == ["limit"]


def test_limits_on_the_command_line(tmp_path: Path) -> None:
    put(tmp_path, "a", b"1\n2\n3\n")

    def run(limit: str) -> subprocess.CompletedProcess[str]:
        command = [PROGRAM, "apply", "--root", str(tmp_path), "--limit", limit]
        return subprocess.run(command, input=HUNKS, capture_output=True, text=True, check=False)

    assert run("hunks=1").returncode == 1
    assert run("hunk=1").returncode == 2 and run("hunks=x").returncode == 2
    assert run("hunks=2,files=1").returncode == 0


def test_what_is_no_text_is_not_edited(tmp_path: Path) -> None:
    put(tmp_path, "a", b"1\n\0\0\0\n3\n")
    assert kinds(anypatch.apply(HUNKS, tmp_path)) == ["not_text"]


def test_no_room_is_told_before_anything_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.fstatvfs

    def full(fd: int) -> object:
        facts = list(real(fd))
        facts[4] = 1  # f_bavail
        return os.statvfs_result(facts)

    monkeypatch.setattr(os, "fstatvfs", full)
    apply(tmp_path, change(tmp_path, "small", b"x" * ((1 << 20) - 1)))
    take_back(tmp_path)
    shutil.rmtree(tmp_path / ".anypatch")
    with pytest.raises(Refused) as caught:
        apply(tmp_path, change(tmp_path, "a", b"x" * (1 << 20)))
    assert [(p.kind, p.detail) for p in caught.value.problems] == [
        ("io", "the disk doesn't have 1 MiB of free space and a reserve of a fifth")
    ]
    assert sorted(os.listdir(tmp_path / ".anypatch")) == [".gitignore", "lock"]


# ── the lock ─────────────────────────────────────────────────────────────────────────────────────


def test_a_held_lock_is_waited_for_and_then_told(tmp_path: Path) -> None:
    put(tmp_path, "a", b"1\n2\n3\n")
    apply(tmp_path, change(tmp_path, "b", b"x"))
    with (tmp_path / ".anypatch/lock").open("rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        short = Settings(lock_timeout=0.05)
        assert kinds(anypatch.apply(HUNKS, tmp_path, settings=short)) == ["locked"]
        assert kinds(anypatch.undo(tmp_path, settings=short)) == ["locked"]
        assert anypatch.preview(HUNKS, tmp_path, settings=short).ok, "looking needs no lock"
        run = [PROGRAM, "apply", "--root", str(tmp_path), "--lock-timeout", "0.1"]
        done = subprocess.run(run, input=HUNKS, capture_output=True, text=True, check=False)
        assert done.returncode == 3 and "another process" in done.stderr
    assert anypatch.apply(HUNKS, tmp_path, settings=short).ok


def test_a_state_directory_that_vanishes_is_made_again(tmp_path: Path) -> None:
    with DiskTree(str(tmp_path)) as tree:
        held = tree.state(make=True)
        assert held is not None
        fd = state._open_lock_file(held)
        os.unlink(tmp_path / ".anypatch/lock")
        os.close(fd)
        state.lock(held, 1)
        assert (tmp_path / ".anypatch/lock").exists()


def test_state_elsewhere(tmp_path: Path) -> None:
    root, elsewhere = tmp_path / "root", tmp_path / "state/deep"
    other = tmp_path / "other"
    for tree in (root, other):
        put(tree, "a", b"1\n2\n3\n")
    settings = Settings(state_dir=str(elsewhere))
    assert anypatch.log(root, settings=settings) == ()
    assert anypatch.apply(HUNKS, root, settings=settings).ok
    assert not (root / ".anypatch").exists()
    assert len(anypatch.log(root, settings=settings)) == 1 and anypatch.log(other, settings=settings) == ()
    assert kinds(anypatch.undo(other, settings=settings)) == ["no_receipt"]
    assert anypatch.undo(root, settings=settings).ok
    assert (root / "a").read_bytes() == b"1\n2\n3\n"


# ── the key ──────────────────────────────────────────────────────────────────────────────────────


def test_the_key_is_made_once_and_for_the_user_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert journal.load_key(make=False) == b""
    made = journal.load_key(make=True)
    place = tmp_path / "anypatch/.anypatch"
    assert len(made) == 32 and journal.load_key(make=True) == journal.load_key(make=False) == made
    assert place.stat().st_mode & 0o777 == 0o600 and os.listdir(place.parent) == [".anypatch"]
    place.chmod(0o666)
    assert journal.load_key(make=True) == b"", "others could have put it there"
    place.chmod(0o600)
    place.write_bytes(b"short")
    assert journal.load_key(make=True) == b""
    place.unlink()
    place.symlink_to("elsewhere")
    assert journal.load_key(make=True) == b""


def test_the_key_of_somebody_else_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    made = journal.load_key(make=True)
    place = tmp_path / "anypatch/.anypatch"
    if not os.geteuid():
        os.chown(place, 1234, -1)
        assert journal.load_key(make=False) == made, "root reads what it likes"
    own = place.stat().st_uid
    monkeypatch.setattr(os, "geteuid", lambda: own)
    assert journal.load_key(make=False) == made
    monkeypatch.setattr(os, "geteuid", lambda: own + 1)
    assert journal.load_key(make=False) == journal.load_key(make=True) == b""


def test_two_who_make_the_key_at_once_share_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    made = journal.load_key(make=True)
    monkeypatch.setattr(os, "urandom", lambda size: b"z" * size)
    assert journal._make_key(str(tmp_path / "anypatch"), str(tmp_path / "anypatch/.anypatch")) == made


@pytest.mark.parametrize("home", ["relative", ""])
def test_where_the_key_lives_without_xdg(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home: str) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", home)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert journal.user_state_folder() == f"{tmp_path}/.local/state/anypatch"
    monkeypatch.setenv("HOME", "nowhere")
    assert journal.user_state_folder() == "" and journal.load_key(make=True) == b""


def test_without_a_place_for_the_key_changes_are_made_and_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, "root/a", b"1\n2\n3\n")
    (tmp_path / "anypatch").write_bytes(b"a file")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    report = anypatch.apply(HUNKS, tmp_path / "root")
    assert report.ok and any("no key" in note.text for note in report.notes)
    assert refusal(lambda: take_back(tmp_path / "root")) == ["no_receipt"]
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


@given(st.lists(st.sampled_from([b"", b"a", b"aa", b"aaa", b"aaaa", b"aaaaa"]), max_size=9), st.booleans())
def test_a_line_is_too_long_wherever_it_stands(lines: list[bytes], final: bool) -> None:
    data = b"\n".join(lines) + b"\n" * final
    longest = max(map(len, data.split(b"\n")))
    try:
        check_file("a", data, Limits(line_bytes=3))
    except Refused as refused:
        assert longest > 3 and refused.problems[0].kind == "limit"
    else:
        assert longest <= 3


def test_far_too_many_hunks_are_refused_before_they_are_read() -> None:
    head, hunk = "--- a/a\n+++ b/a\n", "@@ -1 +1 @@\n-a\n+b\n"
    few = Limits(file_hunks=3)
    check_text(head + hunk * 3, few)
    check_text((head + hunk * 3) * 5, few)
    nested = "*** Begin Patch\n*** Update File: a\n" + "@@ class A\n@@ def b\n-a\n+b\n" * 3
    check_text(nested, few)
    with pytest.raises(Refused) as refused:
        check_text(head + hunk * 4, few)
    assert "4 hunks for one file, and `file_hunks` allows 3" in refused.value.problems[0].detail

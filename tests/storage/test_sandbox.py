"""Reading below a root: never outside it, never through a link that leads out, never blocked by a pipe."""

from __future__ import annotations

import errno
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import anypatch
from anypatch import Limits, Settings
from anypatch.mcp.calls import Invocation, run_tool
from anypatch.model import File, FileChange
from anypatch.problems import Refused
from anypatch.storage import sandbox
from anypatch.storage.sandbox import Folders
from anypatch.storage.tree import DiskTree, commit
from support.disk_trees import (
    NEW,
    OLD,
    apply,
    change,
    fail_nth,
    kinds,
    put,
    refusal,
    snapshot,
    undo_change,
)

# ── folders ───────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", ["missing", "file", "nul\0"])
def test_bad_root(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_bytes(b"")
    assert refusal(lambda: DiskTree(f"{tmp_path}/{name}")) == ["bad_root"]


def test_only_normalized_folders_are_opened(tmp_path: Path) -> None:
    folders = Folders(str(tmp_path))
    for path in ("..", "a/../..", "./a", "a//b"):
        (tmp_path / "a").mkdir(exist_ok=True)
        assert refusal(lambda path=path: folders.fd(path)) == ["unsafe_path"]  # type: ignore[misc]
    folders.close()
    folders.close()


def test_few_folders_are_open_at_a_time(tmp_path: Path) -> None:
    for number in range(200):
        put(tmp_path, f"d{number}/e/f", b"%d" % number)
    count = len(os.listdir("/dev/fd"))
    with DiskTree(str(tmp_path)) as tree:
        for number in [*range(200), 0, 199]:
            assert tree.read(f"d{number}/e/f") == File(b"%d" % number)
        assert len(os.listdir("/dev/fd")) < count + 80
    apply(tmp_path, *(change(tmp_path, f"d{n}/e/f", b"new") for n in range(200)))
    undo_change(tmp_path)
    assert len(os.listdir("/dev/fd")) == count


# ── paths and links ───────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "path", ["..", "../x", "a/../../x", "/etc/passwd", ".git/config", "a/.git/hooks/x", "sub/.Git/x", ".anypatch/x", ""]
)
def test_unsafe_paths(tmp_path: Path, path: str) -> None:
    root = tmp_path / "root"
    put(root, "a/x", b"")
    put(tmp_path, "x", b"outside")
    with DiskTree(str(root)) as tree:
        assert refusal(lambda: tree.canonical(path)) == ["unsafe_path"]
        assert refusal(lambda: tree.read(path)) == ["unsafe_path"]
        for edit in (FileChange(path, None, File(b"")), FileChange(path, File(b"outside"), None)):
            assert refusal(lambda edit=edit: commit(tree, (edit,), format="", description="")) == ["unsafe_path"]  # type: ignore[misc]
    assert (tmp_path / "x").read_bytes() == b"outside"


def test_a_path_without_an_encoding(tmp_path: Path) -> None:
    with DiskTree(str(tmp_path)) as tree:
        assert refusal(lambda: tree.canonical("a\ud800")) == ["unsafe_path"]
        assert refusal(lambda: tree.read("a\ud800")) == ["unsafe_path"]


def test_an_absolute_path_is_accepted_below_the_root(tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "root-evil"
    for folder in (root, outside):
        folder.mkdir()
        (folder / "a.txt").write_text("x\n")
    patch = '{{"file_path": "{}", "old_string": "x", "new_string": "y"}}'
    assert anypatch.apply(patch.format(root / "a.txt"), root).ok
    assert (root / "a.txt").read_text() == "y\n"
    for path in (outside / "a.txt", root / ".." / "root-evil" / "a.txt", root / ".git" / "a.txt", root):
        report = anypatch.apply(patch.format(path), root)
        assert [problem.kind for problem in report.problems] in (["unsafe_path"], ["not_a_file"])
    assert (outside / "a.txt").read_text() == "x\n"


@pytest.mark.parametrize(
    ("link", "target"),
    [
        ("l", "../outside/secret"),
        ("l", "../outside"),
        ("l", "../outside/not-yet"),
        ("l", "/etc/passwd"),
        ("l", "{root}-evil/x"),
        ("d/l", "../../outside/secret"),
        ("l", "l2"),
        ("l", "d/../../outside/secret"),
    ],
)
def test_links_that_lead_out(tmp_path: Path, link: str, target: str) -> None:
    root = tmp_path / "root"
    put(root, "d/x", b"")
    put(tmp_path, "outside/secret", b"s")
    put(tmp_path, "root-evil/x", b"s")
    (root / "l2").symlink_to("l")
    (root / link).symlink_to(target.format(root=root))
    before = snapshot(tmp_path)
    with DiskTree(str(root)) as tree:
        for path in (link, f"{link}/secret", f"{link}/new/x"):
            assert refusal(lambda path=path: tree.canonical(path)) == ["unsafe_path"]  # type: ignore[misc]
        edit = (FileChange(f"{link}/secret", File(b"s"), File(b"x")),)
        assert set(refusal(lambda: commit(tree, edit, format="", description=""))) <= {"not_a_file", "stale"}
        edit = (FileChange(link, File(b"s"), File(b"x")),)
        assert set(refusal(lambda: commit(tree, edit, format="", description=""))) == {"stale"}
        assert refusal(lambda: tree.read(link)) == ["unsafe_path"]
    assert snapshot(tmp_path) == before


def test_links_inside_are_followed_and_stay(tmp_path: Path) -> None:
    put(tmp_path, "real/deep/a", b"old")
    (tmp_path / "file").symlink_to("real/deep/a")
    (tmp_path / "dir").symlink_to("real/deep")
    (tmp_path / "real/up").symlink_to("../dir")
    (tmp_path / "abs").symlink_to(tmp_path / "real")
    (tmp_path / "new").symlink_to("real/not-yet")
    (tmp_path / "here").symlink_to(".")
    (tmp_path / "real/deep/abs").symlink_to(tmp_path / "real")
    with DiskTree(str(tmp_path)) as tree:
        for path in (
            "file",
            "dir/a",
            "real/up/a",
            "abs/deep/a",
            "abs/up/a",
            "here/here/file",
            "real/deep/a",
            "real/deep/abs/deep/a",
        ):
            assert tree.canonical(path) == "real/deep/a"
        assert tree.canonical("new") == "real/not-yet"
        assert tree.canonical("dir/none/x") == "real/deep/none/x"
        assert tree.canonical("real/deep/a/x") == "real/deep/a/x"
        assert refusal(lambda: tree.canonical("here")) == ["not_a_file"]
        path = tree.canonical("file")
        commit(tree, (FileChange(path, tree.read(path), File(b"new")),), format="", description="")
    assert (tmp_path / "file").is_symlink() and (tmp_path / "file").read_bytes() == b"new"


def test_a_link_into_version_control(tmp_path: Path) -> None:
    put(tmp_path, ".git/config", b"x")
    (tmp_path / "innocent").symlink_to(".git/config")
    (tmp_path / "folder").symlink_to(".git")
    with DiskTree(str(tmp_path)) as tree:
        assert refusal(lambda: tree.canonical("innocent")) == ["unsafe_path"]
        assert refusal(lambda: tree.canonical("folder/hooks/x")) == ["unsafe_path"]


def test_a_root_that_is_itself_a_link(tmp_path: Path) -> None:
    put(tmp_path, "root/a", b"old")
    (tmp_path / "alias").symlink_to("root")
    (tmp_path / "root/l").symlink_to(tmp_path / "root/a")
    (tmp_path / "root/m").symlink_to(tmp_path / "alias/a")
    with DiskTree(str(tmp_path / "alias")) as tree:
        assert tree.canonical("l") == tree.canonical("m") == "a"


@pytest.mark.parametrize("at", [1, 2])
def test_links_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: int) -> None:
    (tmp_path / "link").symlink_to("a")
    real = os.readlink
    calls: list[int] = []

    def readlink(*arguments: object, **named: object) -> object:
        calls.append(1)
        if len(calls) == at:
            raise OSError(errno.EACCES, "no")
        return real(*arguments, **named)  # type: ignore[arg-type,type-var]

    monkeypatch.setattr(os, "readlink", readlink)
    with DiskTree(str(tmp_path)) as tree:
        assert refusal(lambda: tree.canonical("link")) == ["io"]


# ── files ─────────────────────────────────────────────────────────────────────────────────────────


def test_folders_pipes_and_sockets_are_refused_without_blocking(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "dir").mkdir()
    os.mkfifo(tmp_path / "pipe")
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as server, DiskTree(str(tmp_path)) as tree:
        server.bind("socket")
        for name in ("dir", "pipe", "socket"):
            assert refusal(lambda name=name: tree.read(name)) == ["not_a_file"]  # type: ignore[misc]
    with DiskTree("/dev") as devices:
        assert refusal(lambda: devices.read("zero")) == ["not_a_file"]


def test_a_huge_sparse_file_is_refused(tmp_path: Path) -> None:
    with (tmp_path / "big").open("wb") as file:
        file.truncate(8 << 30)
    with DiskTree(str(tmp_path)) as tree:
        assert refusal(lambda: tree.read("big")) == ["limit"]


def test_a_file_may_be_as_large_as_the_limit(tmp_path: Path) -> None:
    put(tmp_path, "a", b"123")
    for allowed in (3, 2):
        with DiskTree(str(tmp_path), Settings(limits=Limits(file_bytes=allowed))) as tree:
            if allowed == 3:
                assert tree.read("a") == File(b"123")
            else:
                assert refusal(lambda tree=tree: tree.read("a")) == ["limit"]  # type: ignore[misc]


def test_a_file_that_grows_while_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, "a", b"12345")
    real = os.fstat

    def smaller(fd: int) -> os.stat_result:
        facts = list(real(fd))
        facts[6] = 2
        return os.stat_result(facts)

    folder = os.open(tmp_path, os.O_RDONLY)
    monkeypatch.setattr(os, "fstat", smaller)
    assert sandbox.read_at(folder, "a", 100)[0] == sandbox.read_at(folder, "a", 5)[0] == b"12345"
    with pytest.raises(OSError, match=os.strerror(errno.EFBIG)):
        sandbox.read_at(folder, "a", 4)
    os.close(folder)


@pytest.mark.parametrize("call", ["open", "fstat", "read", "close"])
def test_a_failing_read_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str) -> None:
    put(tmp_path, "a", b"x")
    with DiskTree(str(tmp_path)) as tree, monkeypatch.context() as patched, pytest.raises(Refused) as caught:
        fail_nth(patched, call, 1, OSError(errno.EIO, "broken"))
        tree.read("a")
    assert kinds(caught.value) == ["io"]
    assert caught.value.problems[0].path == "a"
    assert caught.value.problems[0].detail == os.strerror(errno.EIO)


@pytest.mark.parametrize("number", [errno.ENOTSUP, errno.EIO])
def test_file_systems_without_attributes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    put(tmp_path, "a", OLD)

    def none(*_: object) -> list[str]:
        raise OSError(number, "no")

    monkeypatch.setattr(os, "listxattr", none)
    with DiskTree(str(tmp_path)) as tree:
        if number == errno.EIO:
            assert refusal(lambda: tree.read("a")) == ["io"]
        else:
            edit = FileChange("a", tree.read("a"), File(NEW))
            commit(tree, (edit,), format="", description="")
            monkeypatch.delattr(os, "listxattr")
            assert tree.read("a") == File(NEW)


def test_error_text() -> None:
    assert sandbox.error_text(OSError(errno.EIO, "x")) == os.strerror(errno.EIO)
    assert sandbox.error_text(OSError("odd")) == "odd"
    assert sandbox.error_text(OSError()) == "the system gave no reason"


# ── which files there are ─────────────────────────────────────────────────────────────────────────


def test_suggest(tmp_path: Path) -> None:
    for path in (
        "src/app/main.py",
        "src/app/util.py",
        "lib/main.py",
        "README.md",
        ".git/main.py",
        "node_modules/main.py",
    ):
        put(tmp_path, path, b"")
    (tmp_path / "linked").symlink_to("src")
    (tmp_path / "src/main.py").symlink_to("app/main.py")
    with DiskTree(str(tmp_path)) as tree:
        assert tree.suggest("main.py") == ("lib/main.py", "src/app/main.py")
        assert tree.suggest("app/main.py") == ("src/app/main.py", "lib/main.py")
        assert tree.suggest("readme.md") == ("README.md",)
        assert tree.suggest("src/App/Main.py")[0] == "src/app/main.py"
        assert tree.suggest("src/app/utils.py") == ("src/app/util.py",)
        assert tree.suggest("src/app/main.py.orig") == ("src/app/main.py",)
        assert tree.suggest("quite/other") == ()
        assert tree.suggest("../main.py") == ()
        for path in ("more/main.py", "more/still/main.py"):
            put(tmp_path, path, b"")
        assert tree.suggest("main.py") == ("lib/main.py", "more/main.py", "more/still/main.py"), "at most three"
        put(tmp_path, "ever/Main.py", b"")
        assert tree.suggest("no/main.py")[0] == "lib/main.py", "letter case matters a little"


def test_walks_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(30):
        put(tmp_path, f"d{number}/name", b"x")
    (tmp_path / "pipe").write_bytes(b"")
    with DiskTree(str(tmp_path)) as tree:
        assert tree.ending("d3/name") == ("d3/name",) and tree.ending("name/x") == ()
        facts = os.stat(tmp_path / "d3/name")
        os.link(tmp_path / "d3/name", tmp_path / "second")
        os.makedirs(tmp_path / ".git")
        os.link(tmp_path / "d3/name", tmp_path / ".git/third")
        assert sandbox.count_names(tree.folders, facts) == 2
        monkeypatch.setattr(sandbox, "MAX_WALK", 3)
    with DiskTree(str(tmp_path)) as tree:
        assert tree.ending("d3/name") == () and len(tree.suggest("name")) <= 3
        assert sandbox.count_names(tree.folders, facts) <= 2

        def broken(_: int) -> Iterator[os.DirEntry[str]]:
            raise OSError(errno.EACCES, "no")

        monkeypatch.setattr(os, "scandir", broken)
    with DiskTree(str(tmp_path)) as tree:
        assert tree.ending("name") == () and sandbox.count_names(tree.folders, facts) == 0


def test_no_file_is_found_by_its_ending_in_a_tree_that_is_too_large(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in "abcd":
        put(tmp_path, name, b"x")
    for allowed in (4, 3):
        monkeypatch.setattr(sandbox, "MAX_WALK", allowed)
        with DiskTree(str(tmp_path)) as tree:
            assert [tree.ending(name) for name in "abcd"] == [(name,) if allowed == 4 else () for name in "abcd"]


# ── commands and tools that read ──────────────────────────────────────────────────────────────────


def test_commands_do_not_wait_for_a_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x.py")
    for command in (["outline", "x.py"], ["read", "x.py", "f"]):
        done = subprocess.run(
            [sys.executable, "-m", "anypatch", *command],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=20,
            check=False,
        )
        assert done.returncode == 1 and "regular file" in done.stderr


def test_an_outline_leaves_out_links_that_lead_out(tmp_path: Path) -> None:
    for place in ("root/sub", "out"):
        (tmp_path / place).mkdir(parents=True)
        (tmp_path / place / "a.py").write_text("def f(): pass\n")
    root = tmp_path / "root"
    for name, target in (("in.py", "sub/a.py"), ("out.py", "../out/a.py"), ("far.py", str(tmp_path / "out/a.py"))):
        (root / name).symlink_to(target)
    (root / "folder").symlink_to(tmp_path / "out")
    done = subprocess.run(
        [sys.executable, "-m", "anypatch", "outline", "."], cwd=root, capture_output=True, text=True, check=True
    )
    assert [line for line in done.stdout.split("\n") if line.endswith(".py")] == ["./in.py", "./sub/a.py"]


@pytest.mark.parametrize("tool", ["outline", "read_symbol"])
def test_the_server_reads_regular_files_of_its_root_only(tmp_path: Path, tool: str) -> None:
    root, out = tmp_path / "root", tmp_path / "out"
    for place in (root, out):
        place.mkdir()
        (place / "a.py").write_text("def f(): pass\n")
    links = {
        "far.py": str(out / "a.py"),
        "near.py": "../out/a.py",
        "chain.py": "far.py",
        "folder": str(out),
        "up": "..",
    }
    links |= {"null.py": "/dev/null", "self.py": "/proc/self/environ", "loop.py": "loop.py"}
    for name, target in links.items():
        (root / name).symlink_to(target)
    os.mkfifo(root / "pipe.py")
    (root / "folder.py").mkdir()
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(root / "socket.py"))
    unsafe = [*links, "folder/a.py", "up/out/a.py", "../out/a.py", str(out / "a.py"), "/dev/null"]
    unsafe += ["d" * 300 + ".py", "/".join(["d" * 200] * 21), "a.py\0", ".git/config"]
    folders = ["folder.py"] if tool == "read_symbol" else []  # an outline may be of a folder, the root among them
    unsafe += [".", ""] if tool == "read_symbol" else []

    def asked(path: str) -> list[str]:
        call = Invocation(tool, {"relative_path": path, "name_path": "f"}, str(root), anypatch.Settings())
        return [problem["kind"] for problem in run_tool(call).value["problems"]]

    assert [path for path in unsafe if asked(path) != ["unsafe_path"]] == []
    assert [path for path in ("pipe.py", "socket.py", *folders) if asked(path) != ["not_a_file"]] == []

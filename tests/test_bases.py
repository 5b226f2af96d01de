"""The files that an answer was written for: given, as a commit, or by hashes that receipts and git know."""

from __future__ import annotations

import gc
import subprocess
from pathlib import Path

import pytest

import anypatch
from anypatch import Result
from anypatch.text import hash_of
from support.cases import NOT_DURABLE
from support.program import anypatch as program

TEXT = "def f():\n    return 1\n\n\ndef g():\n    return 2\n\n\ndef h():\n    return 3\n"
LATER = TEXT.replace("return 2", "return 22")
EDIT = "a.py\n<<<<<<< SEARCH\n    return 1\n\n\ndef g():\n    return 2\n=======\n    return 10\n\n\ndef g():\n    return 2\n>>>>>>> REPLACE\n"
BOTH = LATER.replace("return 1\n", "return 10\n")


def git(root: Path, *arguments: str) -> str:
    command = ["git", "-C", str(root), "-c", "user.name=A", "-c", "user.email=a@example.org", *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """The text is committed; in the tree it has changed since."""
    git(tmp_path, "init", "-q", "-b", "main")
    for folder in (tmp_path, tmp_path / "sub"):
        folder.mkdir(exist_ok=True)
        (folder / "a.py").write_text(TEXT)
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "first")
    for folder in (tmp_path, tmp_path / "sub"):
        (folder / "a.py").write_text(LATER)
    return tmp_path


def apply(root: Path, edit: str = EDIT, **options: object) -> Result:
    return anypatch.apply(edit, root, settings=NOT_DURABLE, **options)  # type: ignore[arg-type]


def text(root: Path) -> str:
    return (root / "a.py").read_text()


# ── a commit ─────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("folder", [".", "sub"])
@pytest.mark.parametrize("base", ["HEAD", "main", "HEAD^{commit}"])
def test_a_commit_as_the_base(repository: Path, folder: str, base: str) -> None:
    root = repository / folder
    assert not apply(root).ok and apply(root, base=base).ok and text(root) == BOTH


def test_files_that_the_commit_does_not_hold_are_edited_as_they_are(repository: Path) -> None:
    (repository / "new.py").write_text("x = 1\n")
    edit = "new.py\n<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE\n"
    assert apply(repository, EDIT + edit, base="HEAD").ok
    assert text(repository) == BOTH and (repository / "new.py").read_text() == "x = 2\n"
    create = "*** Begin Patch\n*** Add File: new.py\n+x = 3\n*** End Patch\n"
    refused = apply(repository, create, base="HEAD", overwrite=True)
    assert refused.kinds == ("merge_conflict",) and (repository / "new.py").read_text() == "x = 2\n"


@pytest.mark.parametrize("base", ["nothing", "", " ", "HEAD\nHEAD", "--help", "HEAD:a.py"])
def test_what_is_no_commit(repository: Path, base: str) -> None:
    result = apply(repository, base=base)
    assert result.kinds == ("bad_call",) and result.problems[0].advice and text(repository) == LATER


def test_outside_of_a_repository(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(LATER)
    assert apply(tmp_path, base="HEAD").kinds == ("unreadable",)


def test_a_review_reads_the_commit_as_long_as_it_is_used(repository: Path) -> None:
    looked_at = anypatch.review(EDIT, repository, base="HEAD", settings=NOT_DURABLE)
    git_process = looked_at.request.base._tree._repository._git  # type: ignore[union-attr]
    assert looked_at.drop(1).keep(1).refresh().apply().ok and text(repository) == BOTH
    assert git_process.poll() is None
    del looked_at
    gc.collect()
    assert git_process.poll() is not None


def test_what_the_repository_configures_is_not_run(repository: Path, tmp_path: Path) -> None:
    for name in ("core.fsmonitor", "core.sshCommand", "diff.external", "filter.x.smudge", "alias.cat-file"):
        git(repository, "config", name, f"touch {tmp_path}/ran")
    (repository / ".gitattributes").write_text("* filter=x\n")
    assert apply(repository, base="HEAD").ok and not (tmp_path / "ran").exists()


def test_a_commit_needs_a_directory() -> None:
    with pytest.raises(TypeError, match="base"):
        anypatch.apply_to(EDIT, {"a.py": LATER}, base="HEAD")  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="files must be"):
        anypatch.apply_to(EDIT, {"a.py": LATER}, base=7)  # type: ignore[call-overload]


def test_on_the_command_line(repository: Path) -> None:
    """The program may run nothing any more when it writes, and still reads the commit."""
    for command in ("check", "diff", "explain"):
        shown = program(command, "--base", "HEAD", "--root", str(repository), stdin=EDIT)
        assert shown.returncode == 0 and (command == "explain" or b"+    return 10" in shown.stdout)
    done = program("apply", "--base", "HEAD", "--root", str(repository), stdin=EDIT)
    assert done.returncode == 0 and text(repository) == BOTH, done.stderr
    assert b"note: a.py: merged with what has changed in it" in done.stdout
    refused = program("apply", "--base", "nothing", "--root", str(repository), stdin=EDIT)
    assert refused.returncode == 2 and b"git knows no revision 'nothing'" in refused.stderr


# ── hashes ───────────────────────────────────────────────────────────────────────────────────────


def symbol_hash(source: str, name: str) -> str:
    return anypatch.find(source, path="a.py", name_path=name).hash


@pytest.mark.parametrize("key", ["a.py", "a.py#g"])
@pytest.mark.parametrize("where", ["commit", "older commit", "index"])
def test_git_knows_the_contents_of_a_hash(repository: Path, key: str, where: str) -> None:
    if where == "older commit":
        for number in range(3):
            (repository / "a.py").write_text(f"{LATER}# {number}\n")
            git(repository, "commit", "-q", "-am", "more")
        (repository / "a.py").write_text(LATER)
    elif where == "index":
        git(repository, "rm", "-q", "--cached", "a.py")
        git(repository, "commit", "-q", "-m", "none")
        (repository / "a.py").write_text(TEXT)
        git(repository, "add", "a.py")
        (repository / "a.py").write_text(LATER)
    expected = {key: hash_of(TEXT) if key == "a.py" else symbol_hash(TEXT, "g")}
    assert apply(repository, expected=expected).ok and text(repository) == BOTH


@pytest.mark.parametrize("key", ["a.py", "a.py#g"])
@pytest.mark.parametrize("undone", [False, True])
def test_receipts_know_the_contents_of_a_hash(tmp_path: Path, key: str, undone: bool) -> None:
    """They know the file before a change, and the file after one that is undone."""
    (tmp_path / "a.py").write_text(LATER if undone else TEXT)
    two = ("    return 2\n", "    return 22\n")
    old, new = two[::-1] if undone else two
    assert apply(tmp_path, f"a.py\n<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n").ok
    if undone:
        assert text(tmp_path) == TEXT and anypatch.undo(tmp_path, settings=NOT_DURABLE).ok
    assert text(tmp_path) == LATER
    expected = {key: hash_of(TEXT) if key == "a.py" else symbol_hash(TEXT, "g")}
    assert apply(tmp_path, expected=expected).ok and text(tmp_path) == BOTH


def test_contents_that_nobody_knows_are_stale(repository: Path) -> None:
    result = apply(repository, expected={"a.py": hash_of("something else\n")})
    assert result.kinds == ("stale",) and result.problems[0].near and text(repository) == LATER
    gone = apply(repository, expected={"b.py": hash_of(TEXT)})
    assert gone.kinds == ("stale",)


def test_a_hash_and_a_base_must_agree(repository: Path) -> None:
    assert apply(repository, base="HEAD", expected={"a.py": hash_of(LATER)}).kinds == ("stale",)
    assert apply(repository, base="HEAD", expected={"a.py": hash_of(TEXT)}).ok and text(repository) == BOTH


def test_a_conflict_is_not_stale(repository: Path) -> None:
    (repository / "a.py").write_text(TEXT.replace("return 1\n", "return 11\n"))
    result = apply(repository, expected={"a.py": hash_of(TEXT)})
    assert result.kinds == ("merge_conflict",) and result.problems[0].near


def test_without_git_a_hash_is_stale(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert apply(repository, expected={"a.py": hash_of(TEXT)}).kinds == ("stale",)
    assert apply(repository, base="HEAD").kinds == ("unreadable",)

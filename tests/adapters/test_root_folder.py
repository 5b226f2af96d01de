"""The folder that all adapters share."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import anypatch
from anypatch.adapters.root_folder import RootFolder, text_for_model, tool_functions
from anypatch.problems import Refused

BLOCK = "a.py\n<<<<<<< SEARCH\nb = 2\n=======\nb = 3\n>>>>>>> REPLACE\n"


@pytest.fixture
def folder(tmp_path: Path) -> RootFolder:
    (tmp_path / "a.py").write_text("a = 1\nb = 2\n")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "c.txt").write_text("c\n")
    return RootFolder(tmp_path)


def refusal(call: object, *arguments: object) -> list[str]:
    with pytest.raises(Refused) as caught:
        call(*arguments)  # type: ignore[operator]
    return [problem.kind for problem in caught.value.problems]


@pytest.mark.parametrize(
    ("path", "relative"),
    [("a.py", "a.py"), (".", ""), ("{root}", ""), ("{root}/", ""), ("{root}/sub/c.txt", "sub/c.txt"), ("/etc", "/etc")],
)
def test_paths_are_relative_to_the_root(folder: RootFolder, path: str, relative: str) -> None:
    assert folder.relative(path.format(root=folder.path)) == relative


def test_paths_with_a_prefix(tmp_path: Path) -> None:
    folder = RootFolder(tmp_path, prefix="/memories")
    assert folder.relative("/memories") == folder.relative("/memories/") == ""
    assert folder.relative("/memories/notes/a.md") == "notes/a.md"
    for outside in ("/memories2/a.md", "a.md", str(tmp_path / "a.md")):
        assert refusal(folder.relative, outside) == ["unsafe_path"]


def test_an_answer_is_applied_or_refused(folder: RootFolder) -> None:
    assert "Applied" in folder.apply_or_raise(BLOCK)
    assert folder.read("a.py") == b"a = 1\nb = 3\n"
    assert refusal(folder.apply_or_raise, BLOCK.replace("b = 2", "b = 7")) == ["not_found"]


def test_files_are_written_all_or_none_and_undone(folder: RootFolder) -> None:
    root = Path(folder.path)
    folder.write({"a.py": b"new\n", "sub/c.txt": None, "d/e.txt": b"e\n"})
    assert folder.files() == ["a.py", "d/e.txt"] and folder.read("a.py") == b"new\n"
    assert anypatch.undo(root).ok
    assert folder.files() == ["a.py", "sub/c.txt"] and folder.read("a.py") == b"a = 1\nb = 2\n"
    assert refusal(folder.write, {"a.py": b"x", "../out.txt": b"x"}) == ["unsafe_path"]
    assert folder.read("a.py") == b"a = 1\nb = 2\n"
    folder.write({"a.py": b"a = 1\nb = 2\n"})
    assert len(anypatch.log(root)) == 1, "what is equal isn't written"


def test_what_is_read_and_listed(folder: RootFolder) -> None:
    assert refusal(folder.read, "b.py") == ["file_missing"]
    assert folder.is_folder("") and folder.is_folder("sub") and not folder.is_folder("a.py")
    assert folder.files("sub") == ["sub/c.txt"]
    assert folder.view("a.py", [2, 2]) == "     2\tb = 2\n"
    assert folder.view("a.py", max_characters=8) == "     1\ta\n… cut off; ask for a range of lines"
    assert refusal(folder.view, "a.py", [1]) == ["bad_call"]


def test_functions_for_frameworks_raise_their_own_error(folder: RootFolder) -> None:
    apply_patch, view_file = tool_functions(folder, KeyError)
    assert "Applied" in apply_patch(BLOCK)
    assert "b = 3" in view_file(f"{folder.path}/a.py")
    for call, argument in ((apply_patch, "nothing"), (view_file, "missing.py")):
        with pytest.raises(KeyError) as caught:
            call(argument)
        assert "Refused" in caught.value.args[0]


def test_a_refusal_is_worded_for_the_model(folder: RootFolder) -> None:
    with pytest.raises(Refused) as caught:
        folder.read("a.pi")
    assert "Did you mean a.py?" in text_for_model(caught.value)


def test_frameworks_are_not_imported_until_used() -> None:
    script = "import sys, anypatch.adapters.root_folder; print({'agents', 'anthropic', 'acp'} & {*sys.modules})"
    assert (
        subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout == "set()\n"
    )

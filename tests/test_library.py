"""The library as it is met: by `dir` and `help`, by type checkers, by hosts of tools, by trees of other people's."""

from __future__ import annotations

import asyncio
import inspect
import os
import pydoc
import re
import subprocess
import sys
import types
import typing
from collections.abc import AsyncIterator, Iterable
from pathlib import Path
from typing import Any

import pytest

import anypatch

TOP = Path(__file__).parent.parent
FILES = {"a.py": "a = 1\nb = 2\nc = 3\n", "pkg/b.py": "x = 1\n"}
BLOCK = "a.py\n<<<<<<< SEARCH\nb = 2\n=======\nb = 3\n>>>>>>> REPLACE\n"
GONE = BLOCK.replace("b = 2", "b = 7")
MOVE = "*** Begin Patch\n*** Update File: a.py\n*** Move to: z.py\n@@\n-b = 2\n+b = 3\n*** Delete File: pkg/b.py\n*** End Patch\n"
FUNCTIONS = [name for name in anypatch.__all__ if inspect.isfunction(getattr(anypatch, name))]
CLASSES = [name for name in anypatch.__all__ if inspect.isclass(getattr(anypatch, name))]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for path, text in FILES.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    return tmp_path


# ── what one sees of it ──────────────────────────────────────────────────────────────────────────


def test_dir_and_help_show_every_public_name() -> None:
    assert set(anypatch.__all__) <= set(dir(anypatch))
    told = pydoc.render_doc(anypatch, renderer=pydoc.plaintext)  # type: ignore[attr-defined]
    assert [name for name in anypatch.__all__ if name not in told] == []
    bare = "".join(told.replace("'", "").split())  # Python 3.14 writes a line for each argument, without quotes
    assert "FUNCTIONS" in told and "apply(answer:Answer,root:Folder,*" in bare


@pytest.mark.parametrize("name", [*FUNCTIONS, *CLASSES])
def test_every_public_name_is_described_and_its_types_resolve(name: str) -> None:
    value = getattr(anypatch, name)
    assert inspect.getdoc(value), "says what it is"
    typing.get_type_hints(value)
    if name in FUNCTIONS:
        assert typing.get_type_hints(value).keys() == {*inspect.signature(value).parameters, "return"}


def test_the_reference_has_every_public_name_with_an_example() -> None:
    page = (TOP / "docs" / "api.md").read_text()
    sections = dict(re.findall(r"^### (\w+)\n(.*?)(?=^### |^## |\Z)", page, re.MULTILINE | re.DOTALL))
    assert sections.keys() == set(anypatch.__all__)
    for name, text in sections.items():
        examples = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
        assert any(f"anypatch.{name}" in example for example in examples), name


# ── types ────────────────────────────────────────────────────────────────────────────────────────


def test_files_come_back_as_they_were_given() -> None:
    """For type checkers, which read `assert_type`, and when it is run."""
    text = typing.assert_type(anypatch.apply_to(BLOCK, {"a.py": FILES["a.py"]}).files, dict[str, str])
    data = typing.assert_type(anypatch.apply_to(BLOCK, {"a.py": FILES["a.py"].encode()}).files, dict[str, bytes])
    assert (text, data) == ({"a.py": "a = 1\nb = 3\nc = 3\n"}, {"a.py": b"a = 1\nb = 3\nc = 3\n"})
    assert type(text) is dict and type(data) is dict
    again = typing.assert_type(anypatch.parse(BLOCK.replace("b = 2", "b = 4")).plan(text).files, dict[str, str])
    assert again == text and again is not text, "refused, and still a copy"
    overlay = typing.assert_type(anypatch.apply_to(BLOCK, anypatch.Files(FILES)).files, anypatch.Files)
    assert type(overlay) is anypatch.Files and overlay["a.py"] == text["a.py"]
    read_only: typing.Mapping[str, str] = types.MappingProxyType(FILES)
    view = typing.assert_type(anypatch.apply_to(BLOCK, read_only).files, typing.Mapping[str, str])
    assert type(view) is anypatch.Files and view["a.py"] == text["a.py"]


def test_any_result_is_a_result(tree: Path) -> None:
    results: list[anypatch.Result] = [anypatch.apply_to(BLOCK, {"a.py": "b = 2\n"}), anypatch.preview(BLOCK, tree)]
    assert all(results) and results[1].files == {}


# ── wrong calls ──────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: anypatch.apply(BLOCK, "."), None),
        (lambda: anypatch.apply(BLOCK, 3), TypeError),  # type: ignore[arg-type]
        (lambda: anypatch.apply(BLOCK, b"."), TypeError),  # type: ignore[arg-type]
        (lambda: anypatch.apply(b"text", "."), TypeError),
        (lambda: anypatch.apply_to(BLOCK, ["a.py"]), TypeError),  # type: ignore[call-overload]
        (lambda: anypatch.apply(BLOCK, ".", format="unifed"), ValueError),  # type: ignore[arg-type]
        (lambda: anypatch.apply(BLOCK, ".", syntax="strict"), ValueError),  # type: ignore[arg-type]
        (lambda: anypatch.parse(BLOCK, format="nope"), ValueError),  # type: ignore[arg-type]
        (lambda: anypatch.undo(".", settings=anypatch.Settings(durability="bath")), ValueError),  # type: ignore[arg-type]
        (lambda: anypatch.log(".", settings=anypatch.Settings(hardlinks="no")), ValueError),  # type: ignore[arg-type]
        (lambda: anypatch.apply(BLOCK, ".", settings=anypatch.Settings(keep=0)), ValueError),
        (lambda: anypatch.apply(BLOCK, ".", settings={"keep": 1}), TypeError),  # type: ignore[arg-type]
        (lambda: anypatch.view("a.py", (1,)), ValueError),
        (lambda: anypatch.apply(BLOCK, ".", expected=["a.py"]), TypeError),  # type: ignore[arg-type]
        (lambda: anypatch.apply(BLOCK, ".", file=Path("a.py")), TypeError),  # type: ignore[arg-type]
        (lambda: anypatch.apply(BLOCK, ".", settings=anypatch.Settings(limits={})), TypeError),  # type: ignore[arg-type]
        (lambda: anypatch.undo(".", 5), TypeError),  # type: ignore[arg-type]
        (lambda: anypatch.make({}, {}, "unifed"), ValueError),  # type: ignore[arg-type]
        (lambda: anypatch.make("a", {}, "unified"), TypeError),
        (lambda: anypatch.make_git(".", "nope"), ValueError),  # type: ignore[arg-type]
        (lambda: anypatch.convert(BLOCK, "nope"), ValueError),  # type: ignore[arg-type]
        (lambda: anypatch.convert(BLOCK, "unified", format="nope"), ValueError),  # type: ignore[arg-type]
        (lambda: anypatch.convert(5, "unified"), TypeError),  # type: ignore[arg-type]
        (lambda: anypatch.invert(BLOCK, {}, to="nope"), ValueError),  # type: ignore[arg-type]
        (lambda: anypatch.schema("nope"), ValueError),  # type: ignore[arg-type]
        (lambda: anypatch.schema("json-edits", "nobody"), ValueError),  # type: ignore[arg-type]
        (lambda: anypatch.find("x = 1", path="a.py"), ValueError),
        (lambda: anypatch.outline("x = 1", path="a.py", depth=0), ValueError),
        (lambda: anypatch.outline("x = 1", path="a.py", kinds="class"), TypeError),
    ],
)  # fmt: skip
def test_a_wrong_call_raises_at_once(
    call: Any, error: type[Exception] | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    if error is None:
        assert not call().ok
        return
    with pytest.raises(error):
        call()


def test_diff_is_a_name_for_unified() -> None:
    patch = "--- a/a.py\n+++ b/a.py\n@@ -2 +2 @@\n-b = 2\n+b = 3\n"
    result = anypatch.apply_to(patch, FILES, format="diff")
    assert result.ok and result.to_dict()["format"] == "unified"


# ── trees of other people's ──────────────────────────────────────────────────────────────────────


class Store:
    """An object store: keys to bytes, and a record of what it was asked."""

    def __init__(self, files: dict[str, str]) -> None:
        self.files, self.asked = files, list[str]()

    def read(self, path: str) -> bytes | None:
        self.asked.append(path)
        return self.files[path].encode() if path in self.files else None

    def list(self) -> Iterable[str]:
        self.asked.append("*")
        return [*self.files]


class Remote:
    """The same over a network."""

    def __init__(self, files: dict[str, str]) -> None:
        self.store = Store(files)

    async def read(self, path: str) -> bytes | None:
        await asyncio.sleep(0)
        return self.store.read(path)

    async def list(self) -> AsyncIterator[str]:
        for path in self.store.list():
            yield path


MANY = FILES | {f"pkg/m{number}.py": "x = 1\n" for number in range(500)}


def test_a_tree_is_read_only_where_the_answer_is_about() -> None:
    store = Store(MANY)
    assert isinstance(store, anypatch.Tree) and isinstance(anypatch.Files(), anypatch.Tree)
    result = anypatch.apply_to(BLOCK, store)
    assert result.ok and store.asked == ["a.py"] and result.files == {"a.py": b"a = 1\nb = 3\nc = 3\n"}
    lost = Store(MANY)
    assert not anypatch.apply_to(GONE, lost).ok and lost.asked == ["a.py"]


def test_a_path_that_is_not_there_as_written_is_looked_up_in_the_list() -> None:
    store = Store(MANY)
    patch = "b.py\n<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE\n"
    result = anypatch.apply_to(patch, store)
    assert [change.path for change in result.changes] == ["pkg/b.py"], result
    assert store.asked.count("*") == 1 and len(store.asked) <= 4


@pytest.mark.parametrize("patch", [BLOCK, GONE, MOVE, BLOCK + GONE, "src/b.py\n```\nx = 2\n```\n"])
def test_awaited_and_other_trees_give_the_same(patch: str, tree: Path) -> None:
    remote = Remote(FILES)
    assert isinstance(remote, anypatch.AsyncTree)
    awaited = asyncio.run(anypatch.apply_to_async(patch, remote))
    stored, there = anypatch.apply_to(patch, Store(FILES)), anypatch.apply_to(patch, anypatch.Directory(tree))
    plain = anypatch.apply_to(patch, FILES)
    for other in (awaited, stored, there):
        assert (other.ok, other.changes, other.problems) == (plain.ok, plain.changes, plain.problems)
    assert remote.store.asked.count("a.py") <= 1, "each file is awaited once"
    assert {path: (tree / path).read_text() for path in FILES} == FILES


def test_the_example_of_a_container_edits_its_files(tree: Path, tmp_path: Path) -> None:
    """`docker exec -i NAME COMMAND…` runs the command; here it runs without a container around it."""
    program = tmp_path / "bin" / "docker"
    program.parent.mkdir()
    program.write_text('#!/bin/sh\nshift 3\nexec "$@"\n')
    program.chmod(0o755)
    (tmp_path / "answer.md").write_text(MOVE)
    done = subprocess.run(
        [sys.executable, str(TOP / "examples" / "trees.py"), "web", str(tree), str(tmp_path / "answer.md")],
        capture_output=True, text=True, check=False,
        env={**os.environ, "PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(TOP / "src")},
    )  # fmt: skip
    assert done.returncode == 0 and done.stdout.startswith("R a.py → z.py"), done.stderr
    assert (tree / "z.py").read_text() == "a = 1\nb = 3\nc = 3\n"
    assert not (tree / "a.py").exists() and not (tree / "pkg/b.py").exists()


def test_what_an_answer_is_about_is_known_before_any_file_is_read() -> None:
    parsed = anypatch.parse(MOVE)
    assert parsed.paths == ("a.py", "z.py", "pkg/b.py") and parsed.format == "begin-patch" and not parsed.problems
    assert parsed.plan(FILES) == anypatch.apply_to(MOVE, FILES)
    nothing = anypatch.parse("only words")
    assert nothing.paths == () and [problem.kind for problem in nothing.problems] == ["no_patch"]
    assert not nothing.plan(FILES).ok and nothing.plan(FILES).files == FILES


def test_directory_reads_nothing_outside_of_it(tree: Path) -> None:
    folder = anypatch.Directory(tree)
    assert folder.list() == ("a.py", "pkg/b.py") and folder.read("none.py") is None
    with pytest.raises(anypatch.PatchError):
        folder.read("../outside")


# ── view, receipts ───────────────────────────────────────────────────────────────────────────────


def test_view_shows_lines_with_their_numbers(tree: Path) -> None:
    assert anypatch.view("a.py", root=tree) == "     1\ta = 1\n     2\tb = 2\n     3\tc = 3\n"
    assert anypatch.view("a.py", (2, -1), tree) == "     2\tb = 2\n     3\tc = 3\n"
    assert anypatch.view("a.py", [1, 1], tree) == "     1\ta = 1\n"
    assert anypatch.view(".", root=tree) == "a.py\npkg/\npkg/b.py\n" and anypatch.view("pkg", root=tree) == "pkg/b.py\n"


@pytest.mark.parametrize(
    ("path", "lines", "kind"),
    [("a.py", (3, 9), "bad_call"), ("a.py", (2, 1), "bad_call"), ("none.py", None, "file_missing"),
     ("../x", None, "unsafe_path"), ("bin", None, "not_text")],
)  # fmt: skip
def test_view_of_what_is_not_there_says_so(tree: Path, path: str, lines: Any, kind: str) -> None:
    (tree / "bin").write_bytes(b"\0\1\2")
    with pytest.raises(anypatch.PatchError) as caught:
        anypatch.view(path, lines, tree)
    assert [problem.kind for problem in caught.value.problems] == [kind]


def test_as_many_receipts_are_kept_as_are_asked_for(tree: Path) -> None:
    few = anypatch.Settings(keep=2)
    for number in range(2, 6):
        patch = BLOCK.replace("b = 3", f"b = {number + 1}").replace("b = 2", f"b = {number}")
        assert anypatch.apply(patch, tree, settings=few).ok
    assert len(anypatch.log(tree)) == 2


def test_the_example_of_an_agent_runs(tmp_path: Path) -> None:
    example = [sys.executable, str(TOP / "examples" / "agent.py"), str(tmp_path)]
    done = subprocess.run(example, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "refused" in done.stdout
    assert "done after 3 answers" in done.stdout

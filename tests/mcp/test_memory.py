"""The memory of a server: the results of calls with a key, and how it showed files to a session."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from anypatch.mcp import memory
from anypatch.mcp.calls import Invocation, run_tool
from anypatch.mcp.memory import FinishedCalls, ShownFiles, ToolResult
from anypatch.mcp.tools import TOOLS_BY_NAME, check_arguments
from anypatch.problems import Refused
from anypatch.text import hash_of
from support.cases import NOT_DURABLE

TEXT = "def f():\n    # first\n    return 1\n\n\ndef g():\n    return 2\n\n\ndef h():\n    return 3\n"


def block(old: str, new: str) -> str:
    return f"a.py\n<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n"


# It shows the first line of `g`, which others change.
WIDE = block("    return 1\n\n\ndef g():\n", "    return 10\n\n\ndef g():\n")


# ── calls with an idempotency key ──


def written(number: int) -> ToolResult:
    return ToolResult({"written": True}, f"result {number}")


def test_a_repeated_call_waits_for_the_first_and_gets_its_result() -> None:
    calls, begun, go, runs = FinishedCalls(), threading.Event(), threading.Event(), list[int]()

    def slow() -> ToolResult:
        runs.append(1)
        begun.set()
        assert go.wait(10)
        return written(len(runs))

    with ThreadPoolExecutor() as pool:
        first = pool.submit(calls.once, "k", "a", slow)
        assert begun.wait(10)
        others = [pool.submit(calls.once, "k", "a", slow) for _ in range(3)]
        assert not any(other.done() for other in others)
        go.set()
        assert {one.result(10).text for one in (first, *others)} == {"result 1"}
    assert runs == [1]


def test_a_call_that_wrote_nothing_may_be_made_again() -> None:
    calls = FinishedCalls()
    refused = ToolResult({"written": False}, "refused", True)
    assert calls.once("k", "a", lambda: refused) is refused
    with pytest.raises(OSError, match="disk"):
        calls.once("k", "a", lambda: (_ for _ in ()).throw(OSError("disk")))
    assert calls.once("k", "b", lambda: written(2)).text == "result 2"
    with pytest.raises(Refused, match="different call"):
        calls.once("k", "a", lambda: written(3))


def test_one_that_waits_runs_if_the_first_wrote_nothing() -> None:
    calls, begun, go = FinishedCalls(), threading.Event(), threading.Event()

    def refused() -> ToolResult:
        begun.set()
        assert go.wait(10)
        return ToolResult({"written": False}, "refused", True)

    with ThreadPoolExecutor() as pool:
        first = pool.submit(calls.once, "k", "a", refused)
        assert begun.wait(10)
        second = pool.submit(calls.once, "k", "a", lambda: written(2))
        go.set()
        assert (first.result(10).text, second.result(10).text) == ("refused", "result 2")


def test_only_the_newest_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "_KEPT", 3)
    calls = FinishedCalls()
    for number in range(10):
        calls.once(str(number), "a", lambda number=number: written(number))  # type: ignore[misc]
    assert calls.once("9", "a", lambda: written(0)).text == "result 9"
    assert calls.once("1", "a", lambda: written(0)).text == "result 0", "forgotten"


# ── files as they were shown ──


class Session:
    """A client of the server."""

    def __init__(self, root: Path, files: ShownFiles, name: str = "one") -> None:
        self.root, self.files, self.name = root, files, name

    def call(self, tool: str, **arguments: Any) -> ToolResult:
        checked = check_arguments(TOOLS_BY_NAME[tool], arguments)
        settings = NOT_DURABLE._replace(session=self.name)
        return run_tool(Invocation(tool, checked, str(self.root), settings, shown=self.files))

    def read(self, name_path: str = "/") -> str:
        result = self.call("read_symbol", relative_path="a.py", name_path=name_path)
        return str(result.value["hash"])

    def apply(self, patch: str, **arguments: Any) -> list[str]:
        """Apply a patch and return the kinds of its problems."""
        result = self.call("apply_patch", patch=patch, **arguments)
        return [problem["kind"] for problem in result.value["problems"]]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "a.py").write_text(TEXT)
    return tmp_path / "a.py"


@pytest.fixture
def session(file: Path) -> Session:
    return Session(file.parent, ShownFiles())


def change(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


@pytest.mark.parametrize("symbol", ["/", "f"])
def test_a_stale_edit_is_merged(file: Path, session: Session, symbol: str) -> None:
    session.read(symbol)
    change(file, "def g():", "def g(a=0):")
    assert session.apply(block("    # first\n    return 1\n", "    # first\n    return 10\n")) == []
    change(file, "def f():", "def f(a=0):")
    # The model knows its own edit, and nothing of the others.
    assert (
        session.apply(block("def f():\n    # first\n    return 10\n", "def f():\n    # first\n    return 100\n")) == []
    )
    assert file.read_text() == TEXT.replace("return 1\n", "return 100\n").replace("f()", "f(a=0)").replace(
        "g()", "g(a=0)"
    )


def test_what_a_session_was_not_shown_is_not_merged(file: Path, session: Session) -> None:
    session.call("outline", relative_path="a.py")
    Session(file.parent, session.files, "two").read()
    change(file, "def g():", "def g(a=0):")
    assert session.apply(WIDE) == ["not_found"]


def test_what_the_session_learnt_elsewhere_is_edited_as_it_is(file: Path, session: Session) -> None:
    """The model has read the file by another tool since."""
    session.read()
    change(file, "return 1\n", "return 1.5\n")
    assert session.apply(block("return 1.5\n", "return 15\n")) == []
    assert "return 15\n" in file.read_text()


def test_a_conflict_is_shown_and_after_that_the_file_is_known_as_it_is(file: Path, session: Session) -> None:
    session.read()
    change(file, "return 1\n", "return 1.5\n")
    edit = block("    return 1\n", "    return 10\n")
    refused = session.call("apply_patch", patch=edit)
    assert [problem["kind"] for problem in refused.value["problems"]] == ["merge_conflict"]
    assert "return 1.5" in refused.text and "return 10" in refused.text
    assert session.apply(edit) == ["not_found"]
    assert session.apply(block("    return 1.5\n", "    return 10\n")) == []


def test_lines_that_two_sessions_add_in_one_place_both_stay(file: Path, session: Session) -> None:
    other = Session(file.parent, session.files, "two")
    session.read()
    other.read()
    assert session.apply(block("def f():\n", "def f():\n    mine\n")) == []
    assert other.apply(block("def f():\n", "def f():\n    yours\n")) == []
    assert file.read_text() == TEXT.replace("def f():\n", "def f():\n    yours\n    mine\n")
    third = Session(file.parent, session.files, "three")
    third.files.add("three", str(file.parent), {"a.py": TEXT.encode()})
    assert third.apply(block("def f():\n    # first\n", "def f():\n    # 1st\n")) == ["merge_conflict"]


@pytest.mark.parametrize("key", ["a.py", "a.py#f"])
def test_hashes_find_what_was_shown(file: Path, session: Session, key: str) -> None:
    hash = session.read("/" if key == "a.py" else "f")
    change(file, "def f():", "def f(a=0):")
    session.read()
    edit = block("def f():\n    # first\n    return 1\n", "def f():\n    # first\n    return 10\n")
    assert session.apply(edit) == ["not_found"]
    assert session.apply(edit, expected_hashes={key: hash}) == []
    assert file.read_text() == TEXT.replace("return 1\n", "return 10\n").replace("f()", "f(a=0)")


def test_an_outline_gives_hashes_that_can_be_found(file: Path, session: Session) -> None:
    hash = session.call("outline", relative_path="a.py").value["files"][0]["hash"]
    change(file, "def g():", "def g(a=0):")
    assert session.apply(WIDE, expected_hashes={"a.py": hash_of("nobody knows")}) == ["stale"]
    assert session.apply(WIDE, expected_hashes={"a.py": hash}) == []


def test_a_symbol_that_changed_beside_the_edit(file: Path, session: Session) -> None:
    hash = session.read("f")
    change(file, "def f():", 'def f():\n    """Return one."""\n')
    chunk = {
        "context_before": ["def f():", "    # first"],
        "old_lines": ["    return 1"],
        "new_lines": ["    return 10"],
        "context_after": [],
    }
    edit = {"relative_path": "a.py", "name_path": "f", "expected_hash": hash, "chunks": [chunk]}
    assert session.call("edit_symbol", **edit).value["ok"]
    assert 'def f():\n    """Return one."""\n\n    # first\n    return 10\n' in file.read_text()


def test_partial_and_dry_run(file: Path, session: Session) -> None:
    session.read()
    change(file, "def g():", "def g(a=0):")
    looked = session.call("check_patch", patch=WIDE)
    assert looked.value["ok"] and "return 10" in looked.value["diff"] and "return 10" not in file.read_text()
    result = session.call(
        "apply_patch", patch=block("    return 3\n", "    return 30\n") + block("no\n", "n\n"), partial=True
    )
    assert result.value["status"] == "partial" and "return 30" in file.read_text()
    assert session.apply(WIDE, partial=True) == [] and "return 10" in file.read_text()


def test_an_undo_is_known(file: Path, session: Session) -> None:
    session.read()
    assert session.apply(block("    return 1\n", "    return 10\n")) == []
    assert session.call("undo").value["ok"]
    change(file, "def g():", "def g(a=0):")
    assert session.apply(WIDE) == []


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "MAX_BYTES", 100)
    files = ShownFiles()
    for number in range(50):
        files.add("one", "/r", {f"{number}.py": b"x" * 30})
        files.add("", "/r", {"none.py": b"x"})
    assert list(files.known("one", "/r")) == ["47.py", "48.py", "49.py"]
    assert files.find("one", "/r", "49.py", bool) == b"x" * 30 and files.find("one", "/r", "1.py", bool) is None
    files.add("two", "/r", {"big.py": b"x" * 101})
    assert files.known("one", "/r") == files.known("two", "/r") == {} and not files._known
    files.add("two", "/r", {"a.py": b"1"})
    files.add("two", "/r", {"a.py": b"2"}, known=False)
    assert files.known("two", "/r") == {"a.py": b"1"}
    files.forget("two", "/r", ["a.py", "b.py"])
    assert files.known("two", "/r") == {} and files.find("two", "/r", "a.py", lambda data: data == b"1") == b"1"

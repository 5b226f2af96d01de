"""The adapters with the real frameworks and a scripted model on loopback: `make test-adapters`.

The examples of docs/agents.md run as they stand there. Each model first sends an edit that has no place, then one that is
indented wrongly: it must read why the first was refused, and the second must land.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai.workspaces.conformance import WorkspaceBackendSuite

import anypatch

TOP = Path(__file__).parent.parent.parent
sys.path.insert(0, str(TOP / "tests" / "clients"))

from stub import Call, Model  # noqa: E402 - lies beside

GREET = "def greet(name):\r\n    if name:\r\n        return 'Hello ' + name\r\n    return 'Hello'\r\n"
NOWHERE = "        return 'Goodbye'"
OLD, NEW = "  return 'Hello ' + name\n", "  return 'Hi ' + name\n"
DONE = GREET.replace("return 'Hello ' + name", "return 'Hi ' + name")
BLOCK = "greet.py\n<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n"


def example(title: str) -> str:
    """The code of a section of docs/agents.md."""
    page = (TOP / "docs" / "agents.md").read_text(encoding="utf-8")
    section = page[page.index(f"### {title}") :]
    found = re.search(r"```python\n(.*?)```", section, re.DOTALL)
    assert found
    return found[1]


def ran(title: str, folder: Path, *script: Any) -> Model:
    """Run an example in a folder with greet.py, against a scripted model."""
    (folder / "greet.py").write_bytes(GREET.encode())
    model = Model(*script)
    env = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()}
    env |= {
        "OPENAI_BASE_URL": model.url + "/v1",
        "ANTHROPIC_BASE_URL": model.url,
        "OPENAI_API_KEY": "x",
        "ANTHROPIC_API_KEY": "x",
    }
    env |= {"OPENAI_AGENTS_DISABLE_TRACING": "1", "LANGSMITH_TRACING": "false", "INSPECT_LOG_DIR": str(folder / "logs")}
    try:
        done = subprocess.run(
            [sys.executable, "-c", example(title)],
            cwd=folder,
            env=env,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
    finally:
        model.close()
    assert done.returncode == 0, done.stdout + done.stderr
    assert not script or done.stdout.strip().endswith("All done."), done.stdout + done.stderr
    return model


def refused_then_done(model: Model) -> None:
    """What the model read: first why, and what stands there; then that it was applied."""
    first, second = model.results
    assert "not_found" in first and "the text is not in the file" in first, first
    assert "Applied" in second, second


def test_openai_agents(tmp_path: Path) -> None:
    def update(diff: str) -> Call:
        return Call("apply_patch_call", {"type": "update_file", "path": "greet.py", "diff": diff})

    model = ran(
        "OpenAI Agents SDK", tmp_path, update(f"@@\n-{NOWHERE}\n+x\n"), update(f"@@\n-{OLD}+{NEW}"), "All done."
    )
    refused_then_done(model)
    assert (tmp_path / "greet.py").read_bytes() == DONE.encode()


def test_openai_agents_create_move_and_delete(tmp_path: Path) -> None:
    from agents.editor import ApplyPatchOperation

    from anypatch.adapters.openai_agents import Editor

    editor = Editor(tmp_path)
    assert editor.create_file(ApplyPatchOperation("create_file", "a.txt", "+one\n+two")).status == "completed"
    assert (tmp_path / "a.txt").read_text() == "one\ntwo\n"
    moved = editor.update_file(ApplyPatchOperation("update_file", "a.txt", "@@\n-one\n+1\n two", move_to="b/c.txt"))
    assert moved.status == "completed" and (tmp_path / "b" / "c.txt").read_text() == "1\ntwo\n"
    failed = editor.delete_file(ApplyPatchOperation("delete_file", "a.txt"))
    assert failed.status == "failed" and failed.output and "file_missing" in failed.output
    assert editor.delete_file(ApplyPatchOperation("delete_file", str(tmp_path / "b" / "c.txt"))).status == "completed"
    assert editor.create_file(ApplyPatchOperation("create_file", "../x", "+one")).status == "failed"


EDITOR = "str_replace_based_edit_tool"
PATH = {"path": "greet.py"}


def test_anthropic_text_editor(tmp_path: Path) -> None:
    script = (
        Call(EDITOR, PATH | {"command": "view", "view_range": [2, 3]}),
        Call(EDITOR, PATH | {"command": "str_replace", "old_str": NOWHERE, "new_str": "x"}),
        Call(EDITOR, PATH | {"command": "str_replace", "old_str": OLD, "new_str": NEW}),
        Call(EDITOR, PATH | {"command": "insert", "insert_line": 0, "insert_text": "import os\n"}),
        Call(EDITOR, {"command": "create", "path": "new.py", "file_text": "x = 1\n"}),
        Call(EDITOR, {"command": "view", "path": "."}),
        "All done.",
    )
    model = ran("Anthropic SDK", tmp_path, *script)
    view, *edits, _, _, listed = model.results
    assert view == "     2\t    if name:\n     3\t        return 'Hello ' + name\n"
    refused_then_done(_only(model, edits))
    assert listed == "greet.py\nnew.py\n"
    assert (tmp_path / "greet.py").read_bytes() == b"import os\r\n" + DONE.encode()
    assert anypatch.undo(tmp_path).ok and not (tmp_path / "new.py").exists()


def _only(model: Model, results: list[str]) -> Model:
    model.results = results
    return model


def test_anthropic_memory(tmp_path: Path) -> None:
    from anthropic.lib.tools import ToolError

    from anypatch.adapters.anthropic import Memory

    memory = Memory(tmp_path / "m")
    (tmp_path / "m").mkdir()

    def call(command: str, **said: Any) -> str:
        return str(memory.call({"command": command, **said}))

    call("create", path="/memories/a/notes.md", file_text="one\ntwo\n")
    call("str_replace", path="/memories/a/notes.md", old_str="two", new_str="2")
    call("insert", path="/memories/a/notes.md", insert_line=1, insert_text="1.5\n")
    assert call("view", path="/memories/a/notes.md") == "     1\tone\n     2\t1.5\n     3\t2\n"
    assert call("view", path="/memories") == "a/\na/notes.md\n"
    call("rename", old_path="/memories/a", new_path="/memories/b")
    assert (tmp_path / "m" / "b" / "notes.md").read_text() == "one\n1.5\n2\n"
    for wrong in (
        {"command": "view", "path": "/etc/passwd"},
        {"command": "delete", "path": "/memories/nothing"},
        {"command": "delete", "path": "/memories"},
        {"command": "rename", "old_path": "/memories/b/notes.md", "new_path": "/memories/b/notes.md"},
        {"command": "str_replace", "path": "/memories/b/notes.md", "old_str": "nowhere", "new_str": "x"},
        {"command": "create", "path": "/memories/../x", "file_text": "x"},
    ):
        with pytest.raises(ToolError):
            memory.call(wrong)
    call("delete", path="/memories/b")
    assert not (tmp_path / "m" / "b" / "notes.md").exists() and not (tmp_path / "x").exists()
    assert memory.to_dict()["type"] == "memory_20250818"


def patches() -> tuple[Any, ...]:
    return (
        Call("apply_patch", {"patch": BLOCK.format(old=NOWHERE + "\n", new="x\n")}),
        Call("apply_patch", {"patch": BLOCK.format(old=OLD, new=NEW)}),
        "All done.",
    )


@pytest.mark.parametrize("title", ["Pydantic AI", "LangChain"])
def test_tools_that_take_patches(tmp_path: Path, title: str) -> None:
    refused_then_done(ran(title, tmp_path, *patches()))
    assert (tmp_path / "greet.py").read_bytes() == DONE.encode()


def test_views_of_those(tmp_path: Path) -> None:
    model = ran(
        "LangChain",
        tmp_path,
        Call("view_file", {"path": "gret.py"}),
        Call("view_file", {"path": "greet.py"}),
        "All done.",
    )
    missing, shown = model.results
    assert "file_missing" in missing and "greet.py" in missing
    assert shown.startswith("     1\tdef greet(name):")


def test_deepagents(tmp_path: Path) -> None:
    def edit(old: str, new: str) -> Call:
        return Call("edit_file", {"file_path": "/greet.py", "old_string": old, "new_string": new})

    read = Call("read_file", {"file_path": "/greet.py"})
    model = ran("deepagents", tmp_path, read, edit(NOWHERE, "x"), edit(OLD, NEW), "All done.")
    assert "def greet(name):" in model.results[0] and "not_found" in model.results[1] and "greet.py" in model.results[2]
    assert (tmp_path / "greet.py").read_bytes() == DONE.encode()


def test_the_backend_of_deepagents(tmp_path: Path) -> None:
    """Its own backend turns these line ends into LF; this one keeps them."""
    from deepagents.backends import FilesystemBackend

    from anypatch.adapters.deepagents import Backend

    for backend, kept in ((FilesystemBackend(tmp_path, virtual_mode=True), False), (Backend(tmp_path), True)):
        (tmp_path / "greet.py").write_bytes(GREET.encode())
        result = backend.edit("/greet.py", "return 'Hello ' + name", "return 'Hi ' + name")
        assert (result.error, result.occurrences) == (None, 1)
        assert ((tmp_path / "greet.py").read_bytes() == DONE.encode()) is kept
    backend = Backend(tmp_path)
    assert backend.edit("/greet.py", "Hello", "Hi", replace_all=True).error is None
    assert (
        backend.write("/a/b.txt", "x\n").path == "/a/b.txt" and backend.read("/a/b.txt").file_data["content"] == "x\n"
    )
    assert backend.upload_files([("/a/c.bin", b"\0\1")])[0].error is None
    assert backend.download_files(["/a/c.bin"])[0].content == b"\0\1"
    assert backend.delete("/a").error is None and not (tmp_path / "a").exists()
    assert "file_missing" in str(backend.delete("/a/b.txt").error)
    assert "unsafe_path" in str(backend.write("/../out.txt", "x").error)


class TestWorkspace(WorkspaceBackendSuite):
    """Their published suite."""

    @pytest.fixture
    def anyio_backend(self) -> str:
        return "asyncio"

    @pytest.fixture
    def has_real_posix_shell(self) -> bool:
        return True

    @pytest.fixture
    def backend(self, tmp_path: Path) -> Any:
        from anypatch.adapters.pydantic_ai import Workspace

        return Workspace(tmp_path)

    @pytest.fixture
    def destructive_backend(self, tmp_path_factory: pytest.TempPathFactory) -> Any:
        from anypatch.adapters.pydantic_ai import Workspace

        return lambda: Workspace(tmp_path_factory.mktemp("fresh"))

    @pytest.fixture
    def attach_backend(self) -> Any:
        from anypatch.adapters.pydantic_ai import Workspace

        return lambda ref: Workspace(ref.id)

    @pytest.fixture
    def destroy_environment(self) -> Any:
        async def destroy(backend: Any) -> None:
            shutil.rmtree(await backend.working_dir())

        return destroy


def test_the_workspace_can_be_undone(tmp_path: Path) -> None:
    from anypatch.adapters.pydantic_ai import Workspace

    async def work() -> None:
        space = Workspace(tmp_path)
        await space.write_bytes(str(tmp_path / "a"), b"\xff1")
        await space.write_bytes(str(tmp_path / "a"), b"\xff2")
        with pytest.raises(PermissionError):
            await space.write_bytes(str(tmp_path / ".git" / "config"), b"x")

    asyncio.run(work())
    assert (tmp_path / "a").read_bytes() == b"\xff2"
    assert anypatch.undo(tmp_path).ok and (tmp_path / "a").read_bytes() == b"\xff1"


def test_inspect(tmp_path: Path) -> None:
    def call(**said: Any) -> Call:
        return Call("text_editor", {"path": "greet.py", **said})

    script = (
        call(command="view", view_range=[1, 1]), call(command="str_replace", old_str=NOWHERE, new_str="x"),
        call(command="str_replace", old_str=OLD, new_str=NEW), call(command="view", view_range=[3, 3]),
        call(command="create", path="a/new.py", file_text="x = 1\n"), call(command="view", path="a/nothing.py"), "All done.",
    )  # fmt: skip
    model = ran("Inspect", tmp_path, *script)
    first, *edits, changed, _, missing = model.results
    assert (
        first == "     1\tdef greet(name):\n"
        and changed == "     3\t        return 'Hi ' + name\n"
        and "file_missing" in missing
    )
    refused_then_done(_only(model, edits))


def test_agent_client_protocol(tmp_path: Path) -> None:
    ran("Agent Client Protocol", tmp_path)
    assert (tmp_path / "greet.py").read_bytes() == GREET.replace("Hello", "Hi").encode()
    assert anypatch.undo(tmp_path).ok and (tmp_path / "greet.py").read_bytes() == GREET.encode()
    from acp import RequestError

    from anypatch.adapters.acp import Files, diffs

    files = Files(tmp_path)
    part = asyncio.run(files.read_text_file("s", str(tmp_path / "greet.py"), line=2, limit=1))
    assert part.content == "    if name:\r\n"
    for wrong in (files.read_text_file("s", "nothing"), files.write_text_file("s", "/etc/x", "x")):
        with pytest.raises(RequestError):
            asyncio.run(wrong)
    (shown,) = diffs(anypatch.preview(BLOCK.format(old=OLD, new=NEW), tmp_path))
    assert (shown.path, shown.type, shown.new_text) == ("greet.py", "diff", DONE)


def test_nothing_is_imported_until_used() -> None:
    script = "import sys, anypatch.adapters, anypatch; print([m for m in ('agents', 'anthropic', 'acp') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout == "[]\n"

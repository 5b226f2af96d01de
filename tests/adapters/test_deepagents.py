"""The backend for deepagents, beside its own."""

from __future__ import annotations

from pathlib import Path

from deepagents.backends import FilesystemBackend

from anypatch.adapters.deepagents import Backend
from support.frameworks import DONE, GREET, NEW, NOWHERE, OLD, run_example
from support.scripted_model import Call


def test_the_example(tmp_path: Path) -> None:
    def edit(old: str, new: str) -> Call:
        return Call("edit_file", {"file_path": "/greet.py", "old_string": old, "new_string": new})

    read = Call("read_file", {"file_path": "/greet.py"})
    shown, refused, applied = run_example("deepagents", tmp_path, read, edit(NOWHERE, "x"), edit(OLD, NEW), "All done.")
    assert "def greet(name):" in shown and "not_found" in refused and "greet.py" in applied
    assert (tmp_path / "greet.py").read_bytes() == DONE.encode()


def test_the_backend(tmp_path: Path) -> None:
    """The framework's own backend turns these line endings into LF; this one keeps them."""
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

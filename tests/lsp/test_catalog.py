"""Which servers are known, and found on PATH or next to Python."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from anypatch.lsp.catalog import SERVERS, installed, servers_for


def test_every_server_has_a_language_and_a_package() -> None:
    assert all(server.languages and server.package and server.command for server in SERVERS)
    assert [server.name for server in servers_for("python")] == ["ty", "pyright"]
    assert servers_for("cobol") == []


def test_installed_servers_are_found_best_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder, name in (("path", "pyright-langserver"), ("python", "ty")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / name).touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    monkeypatch.setattr("sys.executable", str(tmp_path / "python" / "python"))
    commands = [server.command for server in installed("python")]
    assert commands == [
        (os.path.join(tmp_path, "python", "ty"), "server"),
        (os.path.join(tmp_path, "path", "pyright-langserver"), "--stdio"),
    ]
    assert installed("rust") == []

"""The commands that ask a language server: rename, outline, read, apply --symbols lsp."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from anypatch.cli.apply import run_apply
from anypatch.cli.parser import parse
from support.language_server import CART, ServerOnPath
from support.program import anypatch_process, anypatch_text


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ServerOnPath:
    return ServerOnPath(tmp_path, monkeypatch)


def command(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return anypatch_text(*arguments, cwd=root)


def test_rename_as_a_command(server: ServerOnPath) -> None:
    root = server.install("plain")
    done = command(root, "rename", "cart.py", "Cart/total", "amount", "--json")
    assert done.returncode == 0, done.stderr
    assert sorted(change["path"] for change in json.loads(done.stdout)["changes"]) == ["cart.py", "shop/bill.py"]
    undone = command(root, "undo")
    assert undone.returncode == 0 and (root / "cart.py").read_text() == CART
    again = command(root.parent, "rename", "--root=tree", "cart.py", "Cart/add", "put", "-q")
    assert (again.returncode, again.stdout) == (0, "")
    assert "def put" in (root / "cart.py").read_text()


def test_the_first_change_of_a_user_may_be_a_rename(
    server: ServerOnPath, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The restricted process couldn't make the folder of the key, so the receipt wasn't signed."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    root = server.install("plain")
    assert anypatch_process("rename", "cart.py", "Cart/total", "amount", cwd=root).returncode == 0
    assert anypatch_process("undo", cwd=root).returncode == 0
    assert (root / "cart.py").read_text() == CART


def test_outline_and_read_with_a_server(server: ServerOnPath) -> None:
    root = server.install("plain")
    done = command(root, "outline", "cart.py", "--symbols", "lsp", "--json")
    assert json.loads(done.stdout)["files"][0]["symbols"][0]["engine"] == "ty"
    done = command(root, "read", "cart.py", "Cart/add", "--symbols=lsp")
    assert done.returncode == 0 and done.stdout.endswith("    def add(self):\n        pass\n")
    server.install("dead")
    done = command(root, "read", "cart.py", "Cart/add", "--symbols=lsp")
    assert done.returncode == 0 and "has died" in done.stderr
    server.install("slow")
    done = command(root, "outline", "cart.py", "--symbols=lsp", "--lsp-timeout=0.5")
    assert done.returncode == 0 and "in time" in done.stderr


def test_edits_of_symbols_with_a_server(server: ServerOnPath) -> None:
    """Chunks, a scope and a rename; the last only with a server, and only alone."""
    root = server.install("plain")
    chunk = {
        "context_before": "    def add(self):",
        "old_lines": ["        pass"],
        "new_lines": ["        return 1"],
        "context_after": [],
    }
    (root / "p.json").write_text(json.dumps([{"relative_path": "cart.py", "name_path": "Cart/add", "chunks": [chunk]}]))
    done = command(root, "apply", "p.json", "--symbols=lsp")
    assert done.returncode == 0, done.stderr
    assert "return 1" in (root / "cart.py").read_text()
    renaming = {"relative_path": "cart.py", "name_path": "Cart/add", "op": "rename", "new_name": "put"}
    (root / "r.json").write_text(json.dumps([renaming]))
    refused = command(root, "apply", "r.json")
    assert refused.returncode == 2 and "--symbols lsp" in refused.stderr
    done = command(root, "apply", "r.json", "--symbols=lsp")
    assert done.returncode == 0, done.stderr
    assert "def put" in (root / "cart.py").read_text()
    assert command(root, "undo").returncode == 0
    (root / "r.json").write_text(json.dumps([renaming, renaming | {"name_path": "Cart/total"}]))
    assert command(root, "apply", "r.json", "--symbols=lsp").returncode == 2


def test_servers_have_ended_before_the_process_is_restricted(
    server: ServerOnPath, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server is started once, and its answers are used for what is written after that."""
    root = server.install("plain")
    cart = root / "cart.py"
    restricted: list[bool] = []
    monkeypatch.setattr(
        "anypatch.cli.apply.restrict", lambda args: restricted.append(server.has_ended() and "pass" in cart.read_text())
    )
    patch = root / "p.json"
    patch.write_text(json.dumps([{"relative_path": "cart.py", "name_path": "Cart/add", "op": "delete"}]))
    options = [str(patch), "--root", str(root), "--symbols", "lsp", "--json"]
    done = run_apply(parse(["apply", *options]))
    assert (done.code, restricted, server.starts, json.loads(done.out[0])["notes"]) == (0, [True], 1, [])
    assert "def add" not in cart.read_text()
    assert run_apply(parse(["check", *options])).code == 1 and len(restricted) == 1


def test_options_that_change_the_patch_work_with_a_server(server: ServerOnPath) -> None:
    """-R applied the patch forwards, and --only all of it."""
    root = server.install("plain")
    block = "cart.py\n<<<<<<< SEARCH\n        {}\n=======\n        {}\n>>>>>>> REPLACE\n"
    (root / "p.md").write_text(block.format("pass", "return 1"))
    done = command(root, "apply", "p.md", "--symbols=lsp", "-R")
    assert done.returncode == 1 and "pass" in (root / "cart.py").read_text()
    assert command(root, "apply", "p.md", "--symbols=lsp", "--only", "2").returncode == 2
    assert command(root, "apply", "p.md", "--symbols=lsp").returncode == 0
    assert command(root, "apply", "p.md", "--symbols=lsp", "-R").returncode == 0
    assert "pass" in (root / "cart.py").read_text()

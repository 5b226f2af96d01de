"""The servers of a tree: their symbols beside the grammar's, and every way in which a server fails.

Real servers: tests/lsp/real.py.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import anypatch
from anypatch.lsp import Servers
from support.language_server import CART, ServerOnPath


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ServerOnPath:
    return ServerOnPath(tmp_path, monkeypatch)


@pytest.mark.parametrize("mode", ["plain", "noise"])
def test_symbols_are_those_of_grammar_and_server(server: ServerOnPath, mode: str) -> None:
    """The span is ours (decorators in), the engine the server's; what only the grammar knows stays."""
    root = server.install(mode)
    text = CART + "K = 1\n"
    with Servers(str(root)) as servers:
        symbols = {symbol.name_path: symbol for symbol in anypatch.outline(text, path="cart.py")}
        assert symbols["Cart"].range.start.line == 0 and symbols["Cart"].range.end.line == 5
        assert [child.engine for child in symbols["Cart"].children] == ["ty", "ty"]
        assert symbols["K"].engine == "tree-sitter"
        assert anypatch.find(text, path="cart.py", name_path="total").name_pos == (2, 8)
    assert servers.notes == []
    assert {symbol.engine for symbol in anypatch.outline(text, path="cart.py")} == {"tree-sitter"}
    assert server.has_ended()


@pytest.mark.parametrize(
    ("mode", "why", "count"),
    [
        ("dead", "has died (7): stack trace: out of luck", 2), ("garbage", "wrote something that is not a message", 2),
        ("slow", "did not answer in time", 1), ("silent", "did not answer in time", 1),
        ("no-start", "cannot load libserver.so", 2), ("utf-8", "counts columns in utf-8", 2),
    ],
)  # fmt: skip
def test_a_server_that_fails_leaves_symbols_to_the_grammar(
    server: ServerOnPath, mode: str, why: str, count: int
) -> None:
    root = server.install(mode)
    with Servers(str(root), seconds=1 if count == 1 else 10) as servers:
        for _ in range(3):
            assert anypatch.find(CART, path="cart.py", name_path="Cart/total").engine == "tree-sitter"
    assert [note.kind for note in servers.notes] == ["no_server"]
    assert why in servers.notes[0].text and "grammar" in servers.notes[0].text
    assert server.starts == count
    assert server.has_ended()


def test_a_server_that_died_is_started_again(server: ServerOnPath) -> None:
    root = server.install("once")
    with Servers(str(root)) as servers:
        assert anypatch.find(CART, path="cart.py", name_path="Cart/total").engine == "ty"
        session = servers.session("python")
        assert session is not None
        os.kill(session.process_id, 9)
        assert anypatch.find(CART, path="cart.py", name_path="Cart/total").engine == "ty"
    assert servers.notes == []
    assert server.starts == 3


def test_grammar_and_server_disagree_on_the_end(server: ServerOnPath) -> None:
    root = server.install("wrong-end")
    with Servers(str(root)), pytest.raises(anypatch.PatchError) as caught:
        anypatch.find(CART, path="cart.py", name_path="Cart/add")
    assert caught.value.problems[0].kind == "ambiguous"
    assert "line 6 by grammar, 5 by ty" in caught.value.problems[0].detail


def test_a_server_that_has_ended_is_not_started_for_a_file_that_changed(server: ServerOnPath) -> None:
    root = server.install("plain")
    with Servers(str(root)) as servers:
        assert anypatch.find(CART, path="cart.py", name_path="Cart").engine == "ty"
        servers.finish()
        assert anypatch.find(CART, path="cart.py", name_path="Cart").engine == "ty"
        assert anypatch.find(CART + "\n", path="cart.py", name_path="Cart").engine == "tree-sitter"
    assert [note.kind for note in servers.notes] == ["no_server"]
    assert "has changed since" in servers.notes[0].text
    assert server.starts == 1


def test_without_a_server_and_without_a_known_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("anypatch.lsp.servers.installed", lambda grammar: [])
    (tmp_path / "a.py").write_text("def f(): pass\n")
    (tmp_path / "a.rb").write_text("def f; end\n")
    report = anypatch.rename(tmp_path, "a.py", "f", "g")
    assert [problem.kind for problem in report.problems] == ["no_server"]
    assert "the package ty" in report.problems[0].hint
    report = anypatch.rename(tmp_path, "a.rb", "f", "g")
    assert "no language server is known" in report.problems[0].detail
    with Servers(str(tmp_path)) as servers:
        assert anypatch.find("def f(): pass\n", path="a.py", name_path="f").engine == "tree-sitter"
    assert "is installed" in servers.notes[0].text

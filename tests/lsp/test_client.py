"""One running server: answers, errors, and the ways in which a process fails."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from anypatch.lsp.catalog import Server, installed
from anypatch.lsp.client import ServerError, ServerFailed, Session
from support.language_server import CART, ServerOnPath


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ServerOnPath:
    return ServerOnPath(tmp_path, monkeypatch)


def session(server: ServerOnPath, mode: str, seconds: float = 10) -> Session:
    root = server.install(mode)
    return Session(installed("python")[0], str(root), seconds)


@pytest.mark.parametrize("mode", ["plain", "noise"])
def test_symbols_and_a_rename(server: ServerOnPath, mode: str) -> None:
    asked = session(server, mode)
    (cart,) = asked.symbols("cart.py", "python", CART)
    assert [child["name"] for child in cart["children"]] == ["total", "add"]
    edit = asked.rename("cart.py", "python", CART, (4, 8), "put")
    assert [change["newText"] for changes in edit["changes"].values() for change in changes] == ["put"]
    asked.close()
    assert server.has_ended()


@pytest.mark.parametrize(
    ("mode", "why", "slow"),
    [
        ("dead", "has died (7): stack trace: out of luck", False),
        ("garbage", "wrote something that is not a message", False),
        ("slow", "did not answer in time", True),
    ],
)
def test_a_server_that_fails_at_a_request(server: ServerOnPath, mode: str, why: str, slow: bool) -> None:
    asked = session(server, mode, 1 if slow else 10)
    with pytest.raises(ServerFailed) as caught:
        asked.symbols("cart.py", "python", CART)
    assert (str(caught.value), caught.value.slow) == (why, slow)
    asked.close()
    assert server.has_ended()


@pytest.mark.parametrize(
    ("mode", "why"),
    [("silent", "in time"), ("no-start", "cannot load libserver.so"), ("utf-8", "counts columns in utf-8")],
)
def test_a_server_that_fails_at_its_start_is_ended(server: ServerOnPath, mode: str, why: str) -> None:
    with pytest.raises(ServerFailed, match=why):
        session(server, mode, 1 if mode == "silent" else 10)
    assert server.has_ended()


def test_an_error_is_the_servers_own(server: ServerOnPath) -> None:
    asked = session(server, "refuses")
    with pytest.raises(ServerError, match="that is a builtin"):
        asked.rename("cart.py", "python", CART, (4, 8), "put")
    asked.close()


def test_a_program_that_can_t_be_started(tmp_path: Path) -> None:
    with pytest.raises(ServerFailed, match="can't be started"):
        Session(Server("none", (str(tmp_path / "none"),), {}, ""), str(tmp_path))


def test_clangd_gets_a_copy_of_the_compile_commands(tmp_path: Path) -> None:
    """clangd writes its index next to that file, which is not to be in the tree."""
    echo = tmp_path / "echo"
    echo.write_text('#!/bin/sh\necho "$@" $([ -z "$2" ] || cat "${2#*=}"/*) >&2\n')
    echo.chmod(0o755)
    server = Server("clangd", (str(echo), "--log=error", "--compile-commands-dir={commands}"), {}, "")
    with pytest.raises(ServerFailed, match=r"--log=error$"):
        Session(server, str(tmp_path), 5)
    (tmp_path / "build").mkdir()
    (tmp_path / "build" / "compile_commands.json").write_text(json.dumps(["one"]))
    with pytest.raises(ServerFailed, match=r'commands \["one"\]$'):
        Session(server, str(tmp_path), 5)

"""The server over HTTP: clients of both protocols, hosts that are turned away, the extra that is missing."""

from __future__ import annotations

import urllib.error
import urllib.request
from pathlib import Path

import anyio
import mcp_types as types
import pytest
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client

import anypatch
from anypatch import Settings
from anypatch.mcp import calls
from anypatch.mcp.calls import Invocation
from anypatch.mcp.http import create_server
from anypatch.mcp.memory import ToolResult
from anypatch.mcp.protocol import Service
from anypatch.mcp.roots import Bounds
from support.agents import called, over_http, telling, text_of, tree


def test_over_http(tmp_path: Path) -> None:
    """Two clients at once, one of either protocol, both with roots; others than this machine's are turned away."""
    root = tree(tmp_path / "root")
    more = [f"<<<<<<< SEARCH\n{line}\n=======\n{line}\nnew {line}\n>>>>>>> REPLACE\n" for line in ("one", "two")]

    async def client(url: str, mode: str, number: int) -> None:
        async with Client(streamable_http_client(url), mode=mode, list_roots_callback=telling([root])) as agent:
            assert len((await agent.list_tools()).tools) == 8
            assert (await called(agent, "apply_patch", patch=f"notes.txt\n{more[number]}"))["ok"]

    async def run(url: str) -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(client, url, "legacy", 0)
            tasks.start_soon(client, url, "auto", 1)

    with over_http("--root", str(root)) as (url, _):
        anyio.run(run, url)
        assert (root / "notes.txt").read_text() == "one\nnew one\ntwo\nnew two\n"
        sessions = [receipt.session for receipt in anypatch.log(root)]
        assert sorted(map(bool, sessions)) == [False, True], "the later protocol has no sessions"
        assert _status(url, {"Host": "example.org"}) == 421
        assert _status(url, {"Origin": "http://example.org"}) == 403
        assert _status(url, {"Content-Length": str(17 << 20)}) == 413
        assert _status(url, {}, body=b"{") == 400
        anyio.run(_listed, url)


async def _listed(url: str) -> None:
    async with Client(streamable_http_client(url), mode="legacy") as agent:
        assert len((await called(agent, "history"))["receipts"]) == 2


def _status(url: str, headers: dict[str, str], body: bytes = b"{}") -> int:
    all_headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream", **headers}
    request = urllib.request.Request(url, body, all_headers)
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        with error:
            return error.code


def test_an_error_of_ours_is_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(call: Invocation) -> ToolResult:
        raise RuntimeError("out of luck")

    monkeypatch.setitem(calls._HANDLERS, "formats", broken)

    async def run() -> types.CallToolResult:
        async with Client(create_server(Service(Bounds(), Settings()))) as client:
            return await client.call_tool("formats", {})

    result = anyio.run(run)
    assert result.is_error
    assert "RuntimeError: out of luck" in text_of(result)

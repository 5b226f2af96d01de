"""Clients of the MCP server, by the SDK and in bytes: the server is always the program in a process of its own."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import IO, Any

import mcp_types as types
from mcp.client.client import Client
from mcp.client.session import ListRootsFnT
from mcp.client.stdio import StdioServerParameters, stdio_client

PROGRAM = str(Path(sys.executable).with_name("anypatch"))
CART = (
    "class Cart:\n    def add(self, item):\n        self.items.append(item)\n\n"
    "    def total(self):\n        amount = 0\n        return amount\n"
)
BLOCK = "{path}\n<<<<<<< SEARCH\n        amount = 0\n=======\n        amount = 1\n>>>>>>> REPLACE\n"


def tree(root: Path) -> Path:
    (root / "shop").mkdir(parents=True)
    (root / "shop" / "cart.py").write_text(CART)
    (root / "notes.txt").write_text("one\ntwo\n")
    return root


def telling(roots: list[Path]) -> ListRootsFnT:
    """Return a client's answer to a request for its roots."""

    async def roots_of(context: Any) -> types.ListRootsResult:
        return types.ListRootsResult(roots=[types.Root(uri=path.as_uri()) for path in roots])  # type: ignore[arg-type]

    return roots_of


@asynccontextmanager
async def connected(*options: str, mode: str = "legacy", roots: list[Path] | None = None) -> AsyncIterator[Client]:
    """A client with a server of its own over stdio."""
    params = StdioServerParameters(command=PROGRAM, args=["mcp", "--structured", *options], env=dict(os.environ))
    async with Client(
        stdio_client(params), mode=mode, list_roots_callback=None if roots is None else telling(roots)
    ) as client:
        yield client


@contextmanager
def over_http(*options: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """The URL of a server over HTTP, and its process, which ends well."""
    process = subprocess.Popen(
        [PROGRAM, "mcp", "--structured", "--http", "0", *options], stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stderr is not None
        line = process.stderr.readline()
        url = re.search(r"http://\S+", line)
        assert url, line + process.stderr.read()
        yield url[0], process
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0, process.stderr.read()
    finally:
        process.kill()
        process.communicate()


def text_of(result: types.CallToolResult) -> str:
    (content,) = result.content
    assert isinstance(content, types.TextContent)
    return content.text


async def called(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """The structured result; the text must not be empty, and the result marked as an error if it was refused."""
    result = await client.call_tool(tool, arguments)
    value: dict[str, Any] = result.structured_content
    assert bool(result.is_error) is not value["ok"], value
    assert text_of(result)
    return value


class RawClient:
    """A server in a process, spoken to in bytes."""

    def __init__(self, *options: str, client: str = "raw") -> None:
        self.process = subprocess.Popen(
            [PROGRAM, "mcp", *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        assert self.process.stdin
        assert self.process.stdout
        self.input: IO[bytes] = self.process.stdin
        self.output: IO[bytes] = self.process.stdout
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": client, "version": "1"}}
        self.send({"id": 1, "method": "initialize", "params": hello})
        assert self.answer()["result"]["serverInfo"]["name"] == "anypatch"
        self.send({"method": "notifications/initialized"})

    def send(self, message: dict[str, Any] | bytes) -> None:
        self.input.write(message if isinstance(message, bytes) else json.dumps({"jsonrpc": "2.0", **message}).encode())
        self.input.write(b"\n")
        self.input.flush()

    def call(self, id: int, tool: str, **arguments: Any) -> None:
        self.send({"id": id, "method": "tools/call", "params": {"name": tool, "arguments": arguments}})

    def answer(self) -> dict[str, Any]:
        message: dict[str, Any] = json.loads(self.output.readline())
        return message

    def ended(self) -> str:
        """Return its standard error; it must have ended without a failure."""
        for stream in (self.input, self.output):
            try:
                stream.close()
            except OSError:
                pass
        assert self.process.stderr
        assert self.process.wait(20) == 0
        with self.process.stderr as stream:
            return stream.read().decode()

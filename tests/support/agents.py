"""Real clients of the MCP server, by the SDK, for test_mcp*.py: the server is always the program in a process of its own."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

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
    """What a client answers when it is asked for its roots."""

    async def told(context: Any) -> types.ListRootsResult:
        return types.ListRootsResult(roots=[types.Root(uri=path.as_uri()) for path in roots])  # type: ignore[arg-type]

    return told


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
        found = re.search(r"http://\S+", line)
        assert found, line + process.stderr.read()
        yield found[0], process
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0, process.stderr.read()
    finally:
        process.kill()
        process.communicate()


def text_of(result: types.CallToolResult) -> str:
    (content,) = result.content
    assert isinstance(content, types.TextContent)
    return content.text


async def called(client: Client, tool: str, **said: Any) -> dict[str, Any]:
    """The structured result; the words must be there too, and say whether it was refused."""
    result = await client.call_tool(tool, said)
    value: dict[str, Any] = result.structured_content
    assert bool(result.is_error) is not value["ok"], value
    assert text_of(result)
    return value

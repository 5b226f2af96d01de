"""Serves over standard input and output. A message is bounded and whole UTF-8, or it is answered with a refusal."""

from __future__ import annotations

import json
import os
import re
import signal
from typing import TYPE_CHECKING, Any, cast

import anyio
from anyio import to_thread
from mcp.server.stdio import stdio_server

from .server import UNREAD

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from mcp.server.lowlevel import Server

MOST = 16 << 20  # bytes of one message
_EDGE = 512  # bytes of a message too long that are kept at each end: its id stands in one of them
_ID = r'"id"\s*:\s*(-?\d{1,18}|"[^"\\]{1,200}")'
_FIRST = re.compile(r'^\s*\{\s*(?:"(?:jsonrpc|method)"\s*:\s*"[^"\\]{1,200}"\s*,\s*){0,2}' + _ID)
_LAST = re.compile(_ID + r'\s*(?:,\s*"(?:jsonrpc|method)"\s*:\s*"[^"\\]{1,200}"\s*){0,2}\}\s*$')


def serve(server: Server[Any]) -> None:
    """Serve one client, until it closes our input, is gone, or a signal says to end."""
    try:
        anyio.run(_serve, server)
    except BaseExceptionGroup as group:
        if group.split(OSError)[1] is not None:  # else the client is gone
            raise


async def _serve(server: Server[Any]) -> None:
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_until_signal, tasks.cancel_scope)
        async with stdio_server(stdin=cast("Any", Lines(os.dup(0)))) as (messages, answers):
            await server.run(messages, answers, server.create_initialization_options())
        tasks.cancel_scope.cancel()


async def _until_signal(scope: anyio.CancelScope) -> None:
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        async for _ in signals:
            scope.cancel()
            return


class Lines:
    """The lines of a descriptor as texts; those that can't be taken as requests of ours, so that they are answered."""

    def __init__(self, fd: int, most: int = MOST) -> None:
        self.fd, self.most = fd, most

    async def __aiter__(self) -> AsyncIterator[str]:
        """Line by line. A thread waits for each part, and is left behind when the server ends."""
        line = Line(self.most)
        while data := await to_thread.run_sync(os.read, self.fd, 1 << 16, abandon_on_cancel=True):
            *ended, rest = data.split(b"\n")
            for part in ended:
                line.add(part)
                yield line.text()
                line = Line(self.most)
            line.add(rest)
        if line.size:
            yield line.text()


class Line:
    """A line on its way. Past `most` bytes only its edges are kept."""

    def __init__(self, most: int) -> None:
        self.most, self.size = most, 0
        self.parts: list[bytes] = []

    def add(self, part: bytes) -> None:
        """More of it."""
        self.parts.append(part)
        self.size += len(part)
        if self.size > self.most:
            whole = b"".join(self.parts)
            self.parts = [whole[:_EDGE], b"\n", whole[-_EDGE:]] if len(whole) > 2 * _EDGE + 1 else [whole]

    def text(self) -> str:
        """The line; where it is too long or no UTF-8, a request under its id that says so."""
        data = b"".join(self.parts)
        if self.size > self.most:
            return _turned_down(data, f"the message has {self.size} bytes, and {self.most} are taken")
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError as error:
            edges = data[:_EDGE] + b"\n" + data[-_EDGE:]
            return _turned_down(edges, f"the message is no UTF-8 at its byte {error.start}")


def _turned_down(edges: bytes, why: str) -> str:
    """A request of ours with the id of another; nothing that could be read where that has none."""
    first, _, last = edges.decode("utf-8", "replace").partition("\n")
    found = _FIRST.search(first) or _LAST.search(last)
    if not found:
        return ""
    return json.dumps({"jsonrpc": "2.0", "id": json.loads(found[1]), "method": UNREAD, "params": {"why": why}})

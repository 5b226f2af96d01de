"""Serves over streamable HTTP. Where to is decided before."""

from __future__ import annotations

import contextlib
import signal
import socket
import sys
from typing import TYPE_CHECKING, Any

import anyio
import uvicorn

from ..errors import Problem, Refused
from .stdio import MOST

if TYPE_CHECKING:
    from collections.abc import Generator

    from mcp.server.lowlevel import Server

_GRACE = 3  # seconds that open streams have to end


def serve(server: Server[Any], host: str, port: int) -> None:
    """Serve any number of clients until a signal says to end."""
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listening = socket.create_server((host, port), family=family)
    except OSError as error:
        raise Refused(Problem("bad_call", f"{host}:{port} cannot be listened on: {error.strerror}")) from None
    name = f"[{host}]" if ":" in host else host
    sys.stderr.write(f"anypatch: serving at http://{name}:{listening.getsockname()[1]}/mcp\n")
    sys.stderr.flush()
    app = server.streamable_http_app(host=host, max_request_body_size=MOST)
    anyio.run(_serve, _Quiet(uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=_GRACE)), listening)


class _Quiet(uvicorn.Server):
    """Leaves signals to us: it would raise them again when it has ended."""

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        yield


async def _serve(server: uvicorn.Server, listening: socket.socket) -> None:
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_until_signal, server)
        await server.serve(sockets=[listening])
        tasks.cancel_scope.cancel()


async def _until_signal(server: uvicorn.Server) -> None:
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        async for _ in signals:
            server.force_exit = server.should_exit
            server.should_exit = True

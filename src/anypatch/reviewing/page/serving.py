"""Run the page's server on loopback until the page is closed."""

from __future__ import annotations

import asyncio
import secrets
import socket

import uvicorn
from starlette.types import ASGIApp

from ..review import Review
from .app import TICK, Life, Session, application


class Service:
    """A server that listens already, on a random port; `address` has the secret that opens the page."""

    def __init__(self, review: Review, title: str, life: Life | None = None) -> None:
        self.session = Session(review, title)
        self.life = life or Life()
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port: int = self.socket.getsockname()[1]
        token = secrets.token_urlsafe(24)
        self.address = f"http://127.0.0.1:{self.port}/{token}/"
        self._server = _server(application(self.session, self.port, token, self.life))

    def run(self) -> None:
        """Serve until the page is closed or a signal arrives; what is being written then is finished first."""
        try:
            asyncio.run(self._run())
        except KeyboardInterrupt:
            pass
        with self.session.lock:
            self.socket.close()

    async def _run(self) -> None:
        watch = asyncio.create_task(self._watch())
        await self._server.serve(sockets=[self.socket])
        await watch

    async def _watch(self) -> None:
        """Stop the server when nobody needs it any more; end the streams of pages when it stops."""
        while not (self.life.is_over() or self._server.should_exit):
            await asyncio.sleep(TICK)
        self._server.should_exit = self.life.is_ending = True


def _server(app: ASGIApp) -> uvicorn.Server:
    return uvicorn.Server(
        uvicorn.Config(
            app, log_config=None, log_level="critical", access_log=False, proxy_headers=False, server_header=False,
            lifespan="off", ws="none", timeout_graceful_shutdown=2,
        )
    )  # fmt: skip

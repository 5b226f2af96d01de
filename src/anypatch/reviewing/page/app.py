"""The page's server: one review, decided by one person on this machine.

Every request must come from a page of this very address: its path begins with a secret, `Host` and `Origin` are ours,
and what changes something carries the secret in a header as well.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import socket
import threading
import time
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

import uvicorn
from markupsafe import Markup
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ...api import undo
from ...problems import Problem, Refused
from ...result import Result, no_plan
from ..review import Review
from .render import FOLDER, Renderer, outcome_banner, states

_LARGEST_CALL = 16 << 20  # bytes
_KEPT_STEPS = 200  # decisions that can be undone
TICK = 0.3  # seconds between two looks at whether the page is open

_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
# The words for the page, the method of the review, and the names of the values that it is given, by action.
_DECISIONS: dict[str, tuple[str, Callable[..., Review], tuple[str, ...]]] = {
    "keep": ("Kept.", Review.keep, ("id",)),
    "drop": ("Left out.", Review.drop, ("id",)),
    "edit": ("Edited.", Review.edit, ("id", "text")),
    "choose": ("Chosen.", Review.choose, ("choice", "option")),
    "use-path": ("Planned with that path.", Review.use_path, ("written", "path")),
    "refresh": ("Planned again.", Review.refresh, ()),
}
_ASSETS = {"page.css": "text/css", "page.js": "text/javascript", "icon.svg": "image/svg+xml"}


# ── the session ──────────────────────────────────────────────────────────────────────────────────


class Session:
    """A review, the decisions made so far, and what was written. Calls wait for each other."""

    def __init__(self, review: Review, title: str) -> None:
        self.review = review
        self.title = title
        self.result: Result | None = None  # what was applied, and not undone
        self.version = 1
        self.renderer = Renderer(review)
        self.lock = threading.Lock()
        self._past: list[Review] = []
        self._acts = {"apply": self._apply, "undo": self._undo, "look": self._look}

    def page(self, token: str) -> str:
        """Return the page as it is now."""
        with self.lock:
            banner = outcome_banner(self.result, self.review) if self.result else Markup("")
            return self.renderer.page(self.title, token, self.version, banner, is_done=self.result is not None)

    def fragment(self, draw: Callable[[Renderer], str]) -> str:
        """Return a part of the page."""
        with self.lock:
            return draw(self.renderer)

    def call(self, action: str, given: Mapping[str, Any]) -> dict[str, object]:
        """Do what a button or a key asks for; return what is different on the page since."""
        with self.lock:
            if given.get("version") != self.version:
                return self._changes(self.review, "The page was out of date, and is shown again.", whole=True)
            before = self.review
            try:
                return self._do(action, given, before)
            except Refused as refused:
                if self.result is not None:  # the banner with the Undo button stays
                    return self._changes(before, f"{refused.problems[0].detail}.")
                banner = outcome_banner(no_plan(*refused.problems), before)
                return self._changes(before, "That isn't possible.", banner=banner)

    def _do(self, action: str, given: Mapping[str, Any], before: Review) -> dict[str, object]:
        if action in self._acts:
            return self._acts[action]()
        if self.result is not None:
            raise Refused(Problem("bad_call", "this was applied; undo it first to decide again"))
        if action not in _DECISIONS:
            raise Refused(Problem("bad_call", f"there is no action {action!r}"))
        said, decide, names = _DECISIONS[action]
        review = decide(before, *(_value(given, name) for name in names))
        if action != "refresh":
            self._past = [*self._past[-_KEPT_STEPS:], before]
        self._show(review)
        return self._changes(before, said)

    def _apply(self) -> dict[str, object]:
        if self.result is not None:
            raise Refused(Problem("bad_call", "this was applied already"))
        result = self.review.apply()
        if result.ok and result.written:
            self.result = result
        banner = outcome_banner(result, self.review)
        return self._changes(self.review, "Applied." if result.ok else "Nothing was changed.", banner=banner)

    def _undo(self) -> dict[str, object]:
        """Undo what was applied; before that, the last decision."""
        before = self.review
        if self.result is not None and self.result.receipt is not None:
            request = before.request
            result = undo(request.root, self.result.receipt.id, settings=request.settings)
            if result.ok:
                self.result = None
                self._show(before.refresh())
            banner = outcome_banner(result, self.review, is_undone=True)
            return self._changes(before, "Undone." if result.ok else "It could not be undone.", banner=banner)
        if not self._past:
            return self._changes(before, "There is nothing to undo.")
        self._show(self._past.pop())
        return self._changes(before, "The last decision is undone.")

    def _look(self) -> dict[str, object]:
        """Look whether files have changed since they were shown."""
        stale = self.review.stale() if self.result is None else ()
        banner = outcome_banner(no_plan(*stale), self.review) if stale else None
        return self._changes(self.review, "Files have changed since this was planned." if stale else "", banner=banner)

    def _show(self, review: Review) -> None:
        self.version += 1
        if review.full_plan is self.review.full_plan:
            self.renderer.review = review
        else:
            self.renderer = Renderer(review)
        self.review = review

    def _changes(
        self, before: Review, said: str, *, whole: bool = False, banner: Markup | None = None
    ) -> dict[str, object]:
        """Return what is different on the page: the states of its elements, or all of it after a new plan."""
        reply: dict[str, object] = {
            "version": self.version, "bar": self.renderer.bar(), "say": said, "done": self.result is not None,
            "banner": banner,
        }  # fmt: skip
        if whole or before.full_plan is not self.review.full_plan:
            return reply | {"main": self.renderer.main()}
        old, new = states(before), states(self.review)
        reply["states"] = {id: state for id, state in new.items() if old.get(id) != state}
        pairs = zip(before.hunks, self.review.hunks, strict=True)
        edited = [new.id for was, new in pairs if was.text != new.text]
        return reply | {"hunks": {id: self.renderer.hunk_by_id(id) for id in edited}}


def _value(given: Mapping[str, Any], name: str) -> Any:
    value, wanted = given.get(name), int if name == "option" else str
    if not isinstance(value, wanted):
        raise Refused(Problem("bad_call", f"{name} must be a {'number' if wanted is int else 'text'}"))
    return value


# ── the guard ────────────────────────────────────────────────────────────────────────────────────


class Guard:
    """Refuses every request that doesn't come from a page of this address, and adds headers to every answer."""

    def __init__(self, app: ASGIApp, port: int, token: str) -> None:
        self.app = app
        self.token = token
        self.hosts = {f"{host}:{port}" for host in ("127.0.0.1", "localhost")}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                ours = [(name.lower().encode(), value.encode()) for name, value in _HEADERS.items()]
                message["headers"] = [*message.get("headers", ()), *ours]
            await send(message)

        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
        elif scope["type"] == "http":
            reason = self._reason(Request(scope))
            app = PlainTextResponse(reason, 403) if reason else self.app
            await app(scope, receive, send_with_headers)

    def _reason(self, request: Request) -> str:
        """Return why a request is refused, "" if it isn't. Whoever doesn't know the secret learns nothing else."""
        headers = request.headers
        if headers.getlist("host") not in [[host] for host in self.hosts]:
            return "foreign host"
        origins = headers.getlist("origin")
        if origins and origins not in [[f"http://{host}"] for host in self.hosts]:
            return "foreign origin"
        if headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
            return "foreign site"
        given = request.url.path.removeprefix("/").partition("/")[0]
        if not secrets.compare_digest(given.encode("utf-8", "replace"), self.token.encode()):
            return "wrong address"
        if request.method not in ("GET", "HEAD"):
            if not origins:
                return "no origin"
            if not secrets.compare_digest(headers.get("x-anypatch-token", "").encode(), self.token.encode()):
                return "wrong token"
        return ""


# ── life ─────────────────────────────────────────────────────────────────────────────────────────


class Life:
    """Knows whether a page is open: each holds a stream. Says when nobody needs the server any more."""

    def __init__(self, grace: float = 5.0, longest: float = 3600.0) -> None:
        self.grace = grace
        self.longest = longest
        self.used = time.monotonic()
        self.closed: float | None = None
        self.open = 0
        self.is_ending = False

    def is_over(self) -> bool:
        """Return True if the last page was closed and not loaded again, or nobody has used it for an hour."""
        now = time.monotonic()
        is_closed = not self.open and self.closed is not None and now - self.closed > self.grace
        return is_closed or now - self.used > self.longest

    async def stream(self) -> AsyncIterator[bytes]:
        """Yield comments for as long as a page listens, and the server runs."""
        self.open += 1
        try:
            while not self.is_ending:
                yield b": here\n\n"
                await asyncio.sleep(TICK)
        finally:
            self.open -= 1
            self.closed = time.monotonic()


# ── the application ──────────────────────────────────────────────────────────────────────────────


def application(session: Session, port: int, token: str, life: Life) -> ASGIApp:
    """Return the application that serves a session."""

    async def page(request: Request) -> Response:
        life.used = time.monotonic()
        return Response(await run_in_threadpool(session.page, token), media_type="text/html")

    def fragment(draw: Callable[[Renderer, Request], str]) -> Callable[[Request], Response]:
        def respond(request: Request) -> Response:
            return Response(session.fragment(lambda renderer: draw(renderer, request)), media_type="text/html")

        return respond

    def asset(request: Request) -> Response:
        name = request.path_params["name"]
        if name not in _ASSETS:
            return PlainTextResponse("there is no such file", 404)
        return Response((FOLDER / name).read_bytes(), media_type=_ASSETS[name])

    def file(renderer: Renderer, request: Request) -> str:
        at, first = request.path_params["at"], request.path_params.get("first", 0)
        return renderer.file(at, first) if at < len(renderer.review.files) else ""

    def text(request: Request) -> Response:
        id = request.path_params["id"]
        hunk = next((one for one in session.review.hunks if one.id == id), None)
        return _json({"text": hunk.new_text}) if hunk else PlainTextResponse("there is no such change", 404)

    async def call(request: Request) -> Response:
        life.used = time.monotonic()
        if request.headers.get("content-type", "").partition(";")[0] != "application/json":
            return PlainTextResponse("not JSON", 415)
        body = b""
        async for chunk in request.stream():
            body += chunk
            if len(body) > _LARGEST_CALL:
                return PlainTextResponse("too large", 413)
        try:
            given = json.loads(body)
        except ValueError:
            given = None
        if not isinstance(given, dict):
            return PlainTextResponse("not an object", 400)
        return _json(await run_in_threadpool(session.call, request.path_params["action"], given))

    async def alive(request: Request) -> Response:
        return StreamingResponse(life.stream(), media_type="text/event-stream")

    return Guard(
        Starlette(
            routes=[
                Route("/{token}/", page),
                Route("/{token}/alive", alive),
                Route("/{token}/report", lambda request: _json({"text": session.review.for_model()})),
                Route("/{token}/file/{at:int}", fragment(file)),
                Route("/{token}/file/{at:int}/{first:int}", fragment(file)),
                Route("/{token}/hunk/{id}/{first:int}", fragment(lambda renderer, request: renderer.more_of_hunk(
                    request.path_params["id"], request.path_params["first"]))),
                Route("/{token}/answer/{first:int}", fragment(lambda renderer, request: renderer.more_of_answer(
                    request.path_params["first"]))),
                Route("/{token}/text/{id}", text),
                Route("/{token}/block/{number:int}", lambda request: _json({"files": session.renderer.files_of(
                    request.path_params["number"])})),
                Route("/{token}/do/{action}", call, methods=["POST"]),
                Route("/{token}/{name}", asset),
            ]
        ),
        port, token,
    )  # fmt: skip


def _json(value: object) -> Response:
    """Return a response in ASCII: a lone surrogate has no other form."""
    return Response(json.dumps(value), media_type="application/json")


# ── the server ───────────────────────────────────────────────────────────────────────────────────


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

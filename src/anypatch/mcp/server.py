"""The protocol: tools, resources and prompts over the engine, by the official SDK. Decides nothing about patches."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import socket
import sys
from functools import partial
from threading import Event
from typing import TYPE_CHECKING, Any, cast

import anyio
import mcp_types as types
import uvicorn
from anyio import to_thread
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata
from mcp_types import INVALID_PARAMS

from .. import __version__, api
from ..problems import Problem, Refused
from ..record import NamedTuple
from ..storage.tree import Settings
from . import session as roots
from .session import Answer, Call, carried_out, refusal
from .tools import INSTRUCTIONS, NAMED, OUTPUT, TOOLS, checked

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from mcp.server.context import ServerRequestContext

    from ..formats import Format
    from .session import Answer, Call

    Context = ServerRequestContext[Any, Any]
    from collections.abc import AsyncIterator, Generator

    from mcp.server.lowlevel import Server


UNREAD = "anypatch/unread"  # what a message that could not be taken is turned into, so that it has an answer
_PATIENCE = 5.0  # seconds that a client has to name its roots
_FORMATS = "anypatch://formats/"


class Service(NamedTuple):
    """What the server was started with."""

    bounds: roots.Bounds
    settings: Settings = Settings()
    syntax: str = "warn"


def made(service: Service) -> Server[Any]:
    """The server, ready to be served over something."""
    limiter = anyio.CapacityLimiter(AT_ONCE)

    async def call_tool(
        ctx: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        return await _called(service, limiter, ctx, params)

    server: Server[Any] = Server(
        "anypatch", version=__version__, instructions=INSTRUCTIONS, on_list_tools=_list_tools, on_call_tool=call_tool,
        on_list_resources=_list_resources, on_read_resource=_read_resource, on_list_prompts=_list_prompts,
        on_get_prompt=_get_prompt,
    )  # fmt: skip
    server.add_request_handler(UNREAD, Unread, _unread)
    return server


# ── tools ────────────────────────────────────────────────────────────────────────────────────────


def definitions() -> list[types.Tool]:
    """The tools as clients are told of them."""
    return [
        types.Tool(
            name=tool.name, title=tool.title, description=tool.description, input_schema=tool.schema,
            output_schema=OUTPUT,
            annotations=types.ToolAnnotations(
                read_only_hint=tool.reads, destructive_hint=not tool.reads, idempotent_hint=tool.reads,
                open_world_hint=False,
            ),
        )
        for tool in TOOLS
    ]  # fmt: skip


async def _list_tools(ctx: Context, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
    return types.ListToolsResult(tools=definitions())


async def _called(
    service: Service, limiter: anyio.CapacityLimiter, ctx: Context, params: types.CallToolRequestParams
) -> types.CallToolResult | types.InputRequiredResult:
    """One call, from its arguments to its result. Whatever is wrong with it is a result, too."""
    tool = NAMED.get(params.name)
    if tool is None:
        raise MCPError(INVALID_PARAMS, f"there is no tool {params.name!r}; there are {', '.join(NAMED)}")
    try:
        said = checked(tool, params.arguments or {})
        root = ""
        if "root" in tool.arguments:
            client = await _client_roots(ctx, params)
            if isinstance(client, types.InputRequiredResult):
                return client
            found = roots.available(service.bounds, client)
            root = roots.chosen(found, said.pop("root", ""), said.get("relative_path", "")).path
        call = Call(tool.name, said, root, service.settings, service.syntax)
        answer = await run(carried_out, call, limiter, lambda at, doing: ctx.session.report_progress(at, None, doing))
    except Refused as refused:
        answer = refusal(refused.problems)
    except Exception as error:
        answer = _apology(error)
    return _result(answer)


async def _client_roots(
    ctx: Context, params: types.CallToolRequestParams
) -> list[tuple[str, str]] | types.InputRequiredResult | None:
    """The URIs and names of the client's roots; None where it has none. Asked anew each time: they may change."""
    able = ctx.session.client_capabilities
    if able is None or able.roots is None:
        return None
    told = (params.input_responses or {}).get("roots")
    if not isinstance(told, types.ListRootsResult):
        if not ctx.session.can_send_request:
            return types.InputRequiredResult(input_requests={"roots": types.ListRootsRequest()})
        beside = ServerMessageMetadata(related_request_id=ctx.request_id)
        try:
            told = await ctx.session.send_request(
                types.ListRootsRequest(), types.ListRootsResult, _PATIENCE, metadata=beside
            )
        except MCPError as error:
            raise Refused(Problem("bad_root", f"the client did not tell its roots: {error.error.message}")) from None
    return [(str(root.uri), root.name or "") for root in told.roots]


def _result(answer: Answer) -> types.CallToolResult:
    text = types.TextContent(type="text", text=_writable(answer.text))
    return types.CallToolResult(content=[text], structured_content=_writable(answer.value), is_error=answer.failed)


def _writable(value: Any) -> Any:
    """The value with lone surrogates, which stand for bytes that are no UTF-8 and which JSON can't send, spelt out."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, dict):
        return {_writable(name): _writable(inner) for name, inner in value.items()}
    return [_writable(inner) for inner in value] if isinstance(value, list | tuple) else value


def _apology(error: Exception) -> Answer:
    while isinstance(error, ExceptionGroup):  # of the tasks that ran it
        error = error.exceptions[0]
    if os.environ.get("ANYPATCH_DEBUG") == "1":
        raise error
    told = " ".join(f"{type(error).__name__}: {error}".split())[:200]
    advice = "Call history for whether anything was applied; tell the user to report this."
    return refusal((Problem("io", f"an error of anypatch itself ({told})", advice=advice),))


# ── messages that could not be taken ─────────────────────────────────────────────────────────────


class Unread(types.RequestParams):
    """Why a message was not read."""

    why: str = ""


async def _unread(ctx: Context, params: Unread) -> types.CallToolResult:
    return _result(refusal((Problem("limit", params.why, advice="Send less at once."),)))


# ── the formats as resources and prompts ─────────────────────────────────────────────────────────


async def _list_resources(ctx: Context, params: types.PaginatedRequestParams | None) -> types.ListResourcesResult:
    found = [
        types.Resource(
            uri=_FORMATS + one.name, name=one.name, description=f"How to write it. {one.summary}.",
            mime_type="text/markdown",
        )
        for one in api.formats()
    ]  # fmt: skip
    return types.ListResourcesResult(resources=found)


async def _read_resource(ctx: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
    uri = str(params.uri)
    if not uri.startswith(_FORMATS):
        raise MCPError(INVALID_PARAMS, f"there is no resource {uri}; there are {_FORMATS}NAME")
    text = _format(uri.removeprefix(_FORMATS)).prompt
    return types.ReadResourceResult(
        contents=[types.TextResourceContents(uri=uri, mime_type="text/markdown", text=text)]
    )


async def _list_prompts(ctx: Context, params: types.PaginatedRequestParams | None) -> types.ListPromptsResult:
    task = types.PromptArgument(name="task", description="what to change", required=False)
    found = [
        types.Prompt(name=f"edit-with-{one.name}", description=f"Edit with {one.summary}.", arguments=[task])
        for one in api.formats()
    ]
    return types.ListPromptsResult(prompts=found)


async def _get_prompt(ctx: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
    found = _format(params.name.removeprefix("edit-with-"))
    task = (params.arguments or {}).get("task", "")
    text = f"{found.prompt.rstrip()}\n\nSend the edits to the tool apply_patch with format {found.name!r}."
    said = types.TextContent(type="text", text=f"{text}\n\n{task}" if task else text)
    return types.GetPromptResult(
        description=f"Edit with {found.summary}.", messages=[types.PromptMessage(role="user", content=said)]
    )


def _format(name: str) -> Format:
    try:
        return api.format_named(name)
    except Refused as refused:
        known = ", ".join(one.name for one in api.formats())
        raise MCPError(INVALID_PARAMS, f"{refused.problems[0].detail}; there are {known}") from None


# ── work in threads ─────────────────────────────────────────────────────────────────────────────────


EVERY = 0.5  # seconds between two words on how far it is
AT_ONCE = 8  # calls that run; Python computes one at a time, the others mostly wait for the lock of the tree


class Stopped(Exception):
    """The call was cancelled before anything was written."""


class Watch:
    """Where a call has come to. Told by the engine's thread, read by the server's."""

    def __init__(self) -> None:
        self.stop = Event()
        self.files = 0
        self.doing = "waiting for its turn"

    def __call__(self, what: str, which: str) -> None:
        """A file is about to be read, or all are about to be written: the last moment to stop."""
        if self.stop.is_set():
            raise Stopped
        self.files += what == "read"
        self.doing = f"writing files: {which}" if what == "write" else f"{self.files} files read, now {which}"


async def run(
    deed: Callable[[Call], Answer],
    call: Call,
    limiter: anyio.CapacityLimiter,
    tell: Callable[[float, str], Awaitable[None]],
) -> Answer:
    """The answer to a call. When it is cancelled, the engine stops before it writes, or finishes what it has begun."""
    watch = Watch()
    settings = call.settings._replace(watch=watch)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_tell, watch, tell)
        answer = await to_thread.run_sync(partial(deed, call._replace(settings=settings)), limiter=limiter)
        tasks.cancel_scope.cancel()
    return answer


async def _tell(watch: Watch, tell: Callable[[float, str], Awaitable[None]]) -> None:
    """Say from time to time how far it is; being cancelled is how this learns that the call is."""
    ticks = 0
    try:
        while True:
            await anyio.sleep(EVERY)
            ticks += 1
            await tell(ticks, watch.doing)
    finally:
        watch.stop.set()


# ── over standard input and output ──────────────────────────────────────────────────────────────────


MOST = 16 << 20  # bytes of one message
_EDGE = 512  # bytes of a message too long that are kept at each end: its id stands in one of them
_ID = r'"id"\s*:\s*(-?\d{1,18}|"[^"\\]{1,200}")'
_FIRST = re.compile(r'^\s*\{\s*(?:"(?:jsonrpc|method)"\s*:\s*"[^"\\]{1,200}"\s*,\s*){0,2}' + _ID)
_LAST = re.compile(_ID + r'\s*(?:,\s*"(?:jsonrpc|method)"\s*:\s*"[^"\\]{1,200}"\s*){0,2}\}\s*$')


def serve_stdio(server: Server[Any]) -> None:
    """Serve one client, until it closes our input, is gone, or a signal says to end."""
    try:
        anyio.run(_serve_stdio, server)
    except BaseExceptionGroup as group:
        if group.split(OSError)[1] is not None:  # else the client is gone
            raise


async def _serve_stdio(server: Server[Any]) -> None:
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_until_signal_stdio, tasks.cancel_scope)
        async with stdio_server(stdin=cast("Any", Lines(os.dup(0)))) as (messages, answers):
            await server.run(messages, answers, server.create_initialization_options())
        tasks.cancel_scope.cancel()


async def _until_signal_stdio(scope: anyio.CancelScope) -> None:
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


# ── over HTTP ───────────────────────────────────────────────────────────────────────────────────────


_GRACE = 3  # seconds that open streams have to end


def serve_http(server: Server[Any], host: str, port: int) -> None:
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
    anyio.run(
        _serve_http, _Quiet(uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=_GRACE)), listening
    )


class _Quiet(uvicorn.Server):
    """Leaves signals to us: it would raise them again when it has ended."""

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        yield


async def _serve_http(server: uvicorn.Server, listening: socket.socket) -> None:
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_until_signal_http, server)
        await server.serve(sockets=[listening])
        tasks.cancel_scope.cancel()


async def _until_signal_http(server: uvicorn.Server) -> None:
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        async for _ in signals:
            server.force_exit = server.should_exit
            server.should_exit = True

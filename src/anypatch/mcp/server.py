"""The protocol over HTTP, by the official SDK: the same tools and words as over standard input. Decides nothing."""

from __future__ import annotations

import contextlib
import signal
import socket
import sys
from collections.abc import Awaitable, Callable, Generator
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import anyio
import mcp_types as types
import uvicorn
from anyio import to_thread
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata
from mcp_types import INVALID_PARAMS

from .. import __version__
from ..problems import Problem, Refused
from . import protocol
from .protocol import INSTRUCTIONS, NAMED, Service, Unknown, no_tool
from .session import Answer, Call, Watch, apology, carried_out, prepared, refusal
from .stdio import AT_ONCE, EVERY, MOST, PATIENCE

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext

    Context = ServerRequestContext[Any, Any]

T = TypeVar("T", bound=types.Result)


def made(service: Service) -> Server[Any]:
    """The server, ready to be served over something."""
    limiter = anyio.CapacityLimiter(AT_ONCE)

    async def call_tool(
        ctx: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        return await _called(service, limiter, ctx, params)

    return Server(
        "anypatch", version=__version__, instructions=INSTRUCTIONS, on_call_tool=call_tool,
        on_list_tools=_answering(types.ListToolsResult, lambda _: protocol.tools(service)),
        on_list_resources=_answering(types.ListResourcesResult, lambda _: protocol.resources()),
        on_read_resource=_answering(types.ReadResourceResult, lambda asked: protocol.resource(str(asked.uri))),
        on_list_prompts=_answering(types.ListPromptsResult, lambda _: protocol.prompts()),
        on_get_prompt=_answering(
            types.GetPromptResult, lambda asked: protocol.prompt(asked.name, (asked.arguments or {}).get("task", ""))
        ),
    )  # fmt: skip


def _answering(kind: type[T], answer: Callable[[Any], dict[str, Any]]) -> Callable[[Context, Any], Awaitable[T]]:
    """What answers a request that needs no work; asking for what there isn't is an error of the protocol."""

    async def answered(ctx: Context, params: Any) -> T:
        try:
            return kind.model_validate(answer(params))
        except Unknown as unknown:
            raise MCPError(INVALID_PARAMS, str(unknown)) from None

    return answered


async def _called(
    service: Service, limiter: anyio.CapacityLimiter, ctx: Context, params: types.CallToolRequestParams
) -> types.CallToolResult | types.InputRequiredResult:
    """One call, from its arguments to its result. Whatever is wrong with it is a result, too."""
    tool = NAMED.get(params.name)
    if tool is None:
        raise MCPError(INVALID_PARAMS, no_tool(params.name))
    try:
        client = await _client_roots(ctx, params) if "root" in tool.arguments else None
        if isinstance(client, types.InputRequiredResult):
            return client
        call = prepared(service, tool, params.arguments or {}, client)
        answer = await _run(call, limiter, lambda at, doing: ctx.session.report_progress(at, None, doing))
    except Refused as refused:
        answer = refusal(refused.problems)
    except Exception as error:
        while isinstance(error, ExceptionGroup):  # of the tasks that ran it
            error = error.exceptions[0]
        answer = apology(error)
    return types.CallToolResult.model_validate(protocol.result(answer, service.structured))


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
                types.ListRootsRequest(), types.ListRootsResult, PATIENCE, metadata=beside
            )
        except MCPError as error:
            raise Refused(Problem("bad_root", f"the client did not list its roots: {error.error.message}")) from None
    return [(str(root.uri), root.name or "") for root in told.roots]


async def _run(call: Call, limiter: anyio.CapacityLimiter, tell: Callable[[float, str], Awaitable[None]]) -> Answer:
    """The answer to a call. When it is cancelled, the engine stops before it writes, or finishes what it has begun."""
    watch = Watch()
    settings = call.settings._replace(watch=watch)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_tell, watch, tell)
        answer = await to_thread.run_sync(partial(carried_out, call._replace(settings=settings)), limiter=limiter)
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


# ── over HTTP ───────────────────────────────────────────────────────────────────────────────────────


_GRACE = 3  # seconds that open streams have to end


def serve(server: Server[Any], host: str, port: int) -> None:
    """Serve any number of clients until a signal says to end."""
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listening = socket.create_server((host, port), family=family)
    except OSError as error:
        raise Refused(Problem("bad_call", f"can't listen on {host}:{port}: {error.strerror}")) from None
    name = f"[{host}]" if ":" in host else host
    sys.stderr.write(f"anypatch: serving at http://{name}:{listening.getsockname()[1]}/mcp\n")
    sys.stderr.flush()
    app = server.streamable_http_app(host=host, max_request_body_size=MOST)
    anyio.run(_served, _Quiet(uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=_GRACE)), listening)


class _Quiet(uvicorn.Server):
    """Leaves signals to us: it would raise them again when it has ended."""

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        yield


async def _served(server: uvicorn.Server, listening: socket.socket) -> None:
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_until_signal, server)
        await server.serve(sockets=[listening])
        tasks.cancel_scope.cancel()


async def _until_signal(server: uvicorn.Server) -> None:
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        async for _ in signals:
            server.force_exit = server.should_exit
            server.should_exit = True

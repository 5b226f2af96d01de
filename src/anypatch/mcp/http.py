"""The protocol over HTTP, by the official SDK: the same tools and texts as over standard input."""

from __future__ import annotations

import contextlib
import signal
import socket
import sys
from collections.abc import Awaitable, Callable, Generator
from functools import partial
from itertools import count
from typing import Any, TypeVar

import anyio
import mcp_types as types
import uvicorn
from anyio import to_thread
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata
from mcp_types import INVALID_PARAMS

from .. import __version__
from ..problems import Problem, Refused
from . import protocol
from .calls import Invocation, Progress, internal_error, prepare, refuse, run_tool
from .memory import ToolResult
from .protocol import Service, Unknown
from .tools import TOOLS_BY_NAME, unknown_tool

Context = ServerRequestContext[Any, Any]
T = TypeVar("T", bound=types.Result)
_SHUTDOWN_SECONDS = 3  # for open streams to end


def create_server(service: Service) -> Server[Any]:
    """Return the SDK's server with our tools, resources and prompts."""
    limiter = anyio.CapacityLimiter(protocol.MAX_CALLS)

    async def call_tool(
        ctx: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        return await _call_tool(service, limiter, ctx, params)

    return Server(
        "anypatch", version=__version__, instructions=protocol.INSTRUCTIONS, on_call_tool=call_tool,
        on_list_tools=_handler(types.ListToolsResult, lambda _: protocol.tools(service)),
        on_list_resources=_handler(types.ListResourcesResult, lambda _: protocol.resources()),
        on_read_resource=_handler(types.ReadResourceResult, lambda params: protocol.resource(str(params.uri))),
        on_list_prompts=_handler(types.ListPromptsResult, lambda _: protocol.prompts()),
        on_get_prompt=_handler(
            types.GetPromptResult, lambda params: protocol.prompt(params.name, (params.arguments or {}).get("task", ""))
        ),
    )  # fmt: skip


def _handler(kind: type[T], answer: Callable[[Any], dict[str, Any]]) -> Callable[[Context, Any], Awaitable[T]]:
    """Return a handler for a request that needs no work; asking for something unknown is a protocol error."""

    async def handle(ctx: Context, params: Any) -> T:
        try:
            return kind.model_validate(answer(params))
        except Unknown as unknown:
            raise MCPError(INVALID_PARAMS, str(unknown)) from None

    return handle


async def _call_tool(
    service: Service, limiter: anyio.CapacityLimiter, ctx: Context, params: types.CallToolRequestParams
) -> types.CallToolResult | types.InputRequiredResult:
    tool = TOOLS_BY_NAME.get(params.name)
    if tool is None:
        raise MCPError(INVALID_PARAMS, unknown_tool(params.name))
    try:
        roots = await _client_roots(ctx, params) if "root" in tool.arguments else None
        if isinstance(roots, types.InputRequiredResult):
            return roots
        arguments = params.arguments or {}
        caller = protocol.session_and_turn(params.meta, arguments, _session(ctx))
        call = prepare(service, tool, arguments, roots, caller, protocol.idempotency_key(params.meta))
        result = await _run(call, limiter, lambda number, status: ctx.session.report_progress(number, None, status))
    except Refused as refused:
        result = refuse(refused.problems)
    except Exception as error:
        while isinstance(error, ExceptionGroup):  # from the task group that ran it
            error = error.exceptions[0]
        result = internal_error(error)
    return types.CallToolResult.model_validate(protocol.call_result(result, service.structured))


def _session(ctx: Context) -> str:
    """Return the session that the transport gave the client, or "": the later version of the protocol has none."""
    return ctx.request.headers.get("mcp-session-id", "") if ctx.request else ""


async def _client_roots(
    ctx: Context, params: types.CallToolRequestParams
) -> list[tuple[str, str]] | types.InputRequiredResult | None:
    """Ask for the URIs and names of the client's roots, for each call again; None if it has no roots."""
    capabilities = ctx.session.client_capabilities
    if capabilities is None or capabilities.roots is None:
        return None
    listed = (params.input_responses or {}).get("roots")
    if not isinstance(listed, types.ListRootsResult):
        if not ctx.session.can_send_request:
            return types.InputRequiredResult(input_requests={"roots": types.ListRootsRequest()})
        metadata = ServerMessageMetadata(related_request_id=ctx.request_id)
        try:
            listed = await ctx.session.send_request(
                types.ListRootsRequest(), types.ListRootsResult, protocol.ROOTS_SECONDS, metadata=metadata
            )
        except MCPError as error:
            raise Refused(Problem("bad_root", f"the client did not list its roots: {error.error.message}")) from None
    return [(str(root.uri), root.name or "") for root in listed.roots]


async def _run(
    call: Invocation, limiter: anyio.CapacityLimiter, report: Callable[[float, str], Awaitable[None]]
) -> ToolResult:
    """Run a call. If it is cancelled, the engine stops before it writes, or finishes what it has begun."""
    progress = Progress()
    watched = call._replace(settings=call.settings._replace(watch=progress))
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_report_progress, progress, report)
        result = await to_thread.run_sync(partial(run_tool, watched), limiter=limiter)
        tasks.cancel_scope.cancel()
    return result


async def _report_progress(progress: Progress, report: Callable[[float, str], Awaitable[None]]) -> None:
    try:
        for number in count(1):
            await anyio.sleep(protocol.PROGRESS_SECONDS)
            await report(number, progress.status)
    finally:  # the call has ended, or was cancelled
        progress.stop.set()


# ── the process ──────────────────────────────────────────────────────────────────────────────────


def serve(server: Server[Any], host: str, port: int) -> None:
    """Serve any number of clients until a signal ends the server."""
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listening = socket.create_server((host, port), family=family)
    except OSError as error:
        raise Refused(Problem("bad_call", f"can't listen on {host}:{port}: {error.strerror}")) from None
    name = f"[{host}]" if ":" in host else host
    sys.stderr.write(f"anypatch: serving at http://{name}:{listening.getsockname()[1]}/mcp\n")
    sys.stderr.flush()
    app = server.streamable_http_app(host=host, max_request_body_size=protocol.MAX_MESSAGE)
    config = uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=_SHUTDOWN_SECONDS)
    anyio.run(_serve_until_signal, _HttpServer(config), listening)


class _HttpServer(uvicorn.Server):
    """Leaves signals to us: uvicorn's own handler would raise them again at the end."""

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        yield


async def _serve_until_signal(server: uvicorn.Server, listening: socket.socket) -> None:
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_stop_on_signal, server)
        await server.serve(sockets=[listening])
        tasks.cancel_scope.cancel()


async def _stop_on_signal(server: uvicorn.Server) -> None:
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        async for _ in signals:
            server.force_exit = server.should_exit
            server.should_exit = True

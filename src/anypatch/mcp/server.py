"""The protocol: tools, resources and prompts over the engine, by the official SDK. Decides nothing about patches."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import anyio
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata
from mcp_types import INVALID_PARAMS

from .. import __version__, engine
from ..disk import Settings
from ..errors import Problem, Refused
from ..record import NamedTuple
from . import roots, work
from .arguments import checked
from .deeds import Answer, Call, carried_out, refusal
from .tools import INSTRUCTIONS, NAMED, OUTPUT, TOOLS

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext

    from ..model import Format

    Context = ServerRequestContext[Any, Any]

UNREAD = "anypatch/unread"  # what a message that could not be taken is turned into, so that it has an answer
_PATIENCE = 5.0  # seconds that a client has to name its roots
_FORMATS = "anypatch://formats/"


class Service(NamedTuple):
    """What the server was started with."""

    bounds: roots.Bounds
    settings: Settings = Settings()
    strict: bool = False


def made(service: Service) -> Server[Any]:
    """The server, ready to be served over something."""
    limiter = anyio.CapacityLimiter(work.AT_ONCE)

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
        call = Call(tool.name, said, root, service.settings, service.strict)
        answer = await work.run(
            carried_out, call, limiter, lambda at, doing: ctx.session.report_progress(at, None, doing)
        )
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
        for one in engine.formats()
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
        for one in engine.formats()
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
        return engine.format_named(name)
    except Refused as refused:
        known = ", ".join(one.name for one in engine.formats())
        raise MCPError(INVALID_PARAMS, f"{refused.problems[0].detail}; there are {known}") from None

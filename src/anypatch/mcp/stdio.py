"""The protocol over standard input and output. Not by the SDK: importing that takes 80 bare interpreter starts.

One thread reads messages and answers those that need no work. Each call has a thread of its own, which may ask the
client for its roots and reports progress. A broken message gets an error as its answer, and the next one is read.
"""

from __future__ import annotations

import json
import os
import re
import signal
import threading
import uuid
from collections.abc import Callable, Iterator
from itertools import count
from queue import Empty, SimpleQueue
from typing import IO, Any, NamedTuple

from ..problems import Problem, Refused
from ..text import writable
from . import protocol
from .calls import Progress, Stopped, internal_error, prepare, refuse, run_tool
from .memory import ToolResult
from .protocol import MAX_CALLS, MAX_MESSAGE, PROGRESS_SECONDS, ROOTS_SECONDS, Service, Unknown
from .tools import TOOLS_BY_NAME, Tool, unknown_tool

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS = -32700, -32600, -32601, -32602
_EDGE = 512  # bytes kept at each end of a message that is too long: its ID is in one of them
_ID = r'"id"\s*:\s*(-?\d{1,18}|"[^"\\]{1,200}")'
_FIRST = r'^\s*\{\s*(?:"(?:jsonrpc|method)"\s*:\s*"[^"\\]{1,200}"\s*,\s*){0,2}' + _ID
_LAST = _ID + r'\s*(?:,\s*"(?:jsonrpc|method)"\s*:\s*"[^"\\]{1,200}"\s*){0,2}\}\s*$'


class _Ended(BaseException):
    """A signal ends the server."""


def serve(service: Service) -> None:
    """Serve one client until it closes our input, is gone, or a signal ends the server."""

    def end(*_: object) -> None:
        raise _Ended

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end)
    connection = Connection(service)
    try:
        with open(0, "rb", closefd=False) as pipe:
            for line in read_lines(pipe):
                connection.receive(line)
    except (_Ended, OSError):
        pass
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    connection.end()


# ── messages ─────────────────────────────────────────────────────────────────────────────────────


class Line(NamedTuple):
    """A line from the client and how many bytes it has; if it is too long, `data` holds only its ends."""

    data: bytes
    size: int

    def text(self) -> str:
        """Return the line. Raise Refused if it is too long or not UTF-8."""
        if self.size > MAX_MESSAGE:
            detail = f"the message has {self.size} bytes, and at most {MAX_MESSAGE} are accepted"
            raise Refused(Problem("limit", detail))
        try:
            return self.data.decode("utf-8")
        except UnicodeDecodeError as error:
            detail = f"the message is not UTF-8 at byte {error.start}"
            raise Refused(Problem("limit", detail)) from None

    def id(self) -> object:
        """Return the ID of a message that can't be read, or None if its ends don't show one."""
        first, last = (edge.decode("utf-8", "replace") for edge in (self.data[:_EDGE], self.data[-_EDGE:]))
        match = re.search(_FIRST, first) or re.search(_LAST, last)
        return json.loads(match[1]) if match else None


def read_lines(pipe: IO[bytes]) -> Iterator[Line]:
    """Yield the lines that come through a pipe."""
    while data := pipe.readline(MAX_MESSAGE + 1):
        size = len(data) - data.endswith(b"\n")
        if size > MAX_MESSAGE:
            last = data[-_EDGE:]
            while not last.endswith(b"\n") and (more := pipe.readline(MAX_MESSAGE)):
                size += len(more) - more.endswith(b"\n")
                last = (last + more)[-_EDGE:]
            data = data[:_EDGE] + last
        yield Line(data, size)


class Connection:
    """One client: its capabilities, its running calls, and what we have asked it."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.session = uuid.uuid4().hex
        self.has_roots = False
        self.marks_errors = True
        self._write_lock = threading.Lock()
        self._free_slots = threading.BoundedSemaphore(MAX_CALLS)
        self._running: dict[object, tuple[Progress, threading.Thread]] = {}
        self._pending: dict[object, SimpleQueue[dict[str, Any]]] = {}  # our requests, by ID
        self._numbers = count(1)

    def end(self) -> None:
        """Stop what has not begun to write, and wait for the rest."""
        for progress, _ in list(self._running.values()):
            progress.stop.set()
        for queue in list(self._pending.values()):
            queue.put({})
        for _, thread in list(self._running.values()):
            thread.join()

    def receive(self, line: Line) -> None:
        """Take one line from the client: a message or a batch of them."""
        try:
            text = line.text()
        except Refused as refused:
            if (id := line.id()) is None:
                self._send_error(None, PARSE_ERROR, refused.problems[0].detail)
            else:
                self._send_result(id, refuse(refused.problems))
            return
        if not text.strip():
            return
        try:
            message = json.loads(text)
        except (ValueError, RecursionError) as error:
            self._send_error(None, PARSE_ERROR, f"the message is not JSON: {error}"[:200])
            return
        for part in message if isinstance(message, list) and message else [message]:
            self._dispatch(part)

    def _dispatch(self, message: object) -> None:
        if not isinstance(message, dict):
            self._send_error(None, INVALID_REQUEST, "a message must be an object")
            return
        id, method, params = message.get("id"), message.get("method"), message.get("params", {})
        known_id = id if isinstance(id, str | int) else None
        if method is None and ("result" in message or "error" in message):
            if queue := self._pending.pop(known_id, None):
                queue.put(message)
        elif not isinstance(method, str) or not isinstance(id, str | int | None):
            self._send_error(known_id, INVALID_REQUEST, "a message must have a method and an id")
        elif id is None:
            if isinstance(params, dict) and method == "notifications/cancelled":
                self._cancel(params.get("requestId"))
        elif not isinstance(params, dict):
            self._send_error(id, INVALID_PARAMS, "params must be an object")
        else:
            self._answer(id, method, params)

    def _cancel(self, id: object) -> None:
        running = self._running.get(id) if isinstance(id, str | int) else None
        if running:
            running[0].cancelled = True
            running[0].stop.set()

    def _answer(self, id: str | int, method: str, params: dict[str, Any]) -> None:
        """Answer a request; a call is only begun."""
        try:
            if method == "tools/call":
                self._begin_call(id, params)
            else:
                self._send(id=id, result=self._result(method, params))
        except Unknown as unknown:
            self._send_error(id, INVALID_PARAMS, str(unknown))
        except LookupError:
            self._send_error(id, METHOD_NOT_FOUND, f"there is no method {method!r}")

    def _result(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Return the result of a request that needs no work. Raise LookupError for an unknown method."""
        if method == "initialize":
            capabilities = params.get("capabilities")
            self.has_roots = isinstance(capabilities, dict) and isinstance(capabilities.get("roots"), dict)
            self.marks_errors = protocol.shows_error_text(params.get("clientInfo"))
            return protocol.initialize(params.get("protocolVersion"))
        if method == "prompts/get":
            arguments = params.get("arguments")
            task = arguments.get("task", "") if isinstance(arguments, dict) else ""
            return protocol.prompt(str(params.get("name", "")), str(task))
        if method == "resources/read":
            return protocol.resource(str(params.get("uri", "")))
        listings: dict[str, Callable[[], dict[str, Any]]] = {
            "ping": dict, "tools/list": lambda: protocol.tools(self.service),
            "resources/list": protocol.resources, "prompts/list": protocol.prompts,
            "resources/templates/list": lambda: {"resourceTemplates": []},
        }  # fmt: skip
        return listings[method]()

    def _send(self, **message: object) -> None:
        """Send a message, unless the client no longer reads."""
        data = json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
        with self._write_lock:
            try:
                while data:
                    data = data[os.write(1, data) :]
            except OSError:
                return

    def _send_error(self, id: object, code: int, message: str) -> None:
        self._send(id=id, error={"code": code, "message": writable(message)})

    def _send_result(self, id: object, result: ToolResult) -> None:
        self._send(id=id, result=protocol.call_result(result, self.service.structured, self.marks_errors))

    # ── calls ────────────────────────────────────────────────────────────────────────────────────

    def _begin_call(self, id: str | int, params: dict[str, Any]) -> None:
        """Run a call in a thread of its own."""
        name, arguments = params.get("name"), params.get("arguments")
        if not isinstance(name, str) or name not in TOOLS_BY_NAME:
            raise Unknown(unknown_tool(str(name)))
        if not isinstance(arguments, dict | None):
            raise Unknown("arguments must be an object")
        if id in self._running:
            self._send_error(id, INVALID_REQUEST, f"a call with the id {id!r} is already running")
            return
        progress = Progress()
        call = (id, TOOLS_BY_NAME[name], arguments or {}, progress, params.get("_meta"))
        thread = threading.Thread(target=self._run_call, args=call, daemon=True)
        self._running[id] = (progress, thread)
        thread.start()

    def _run_call(self, id: object, tool: Tool, arguments: dict[str, Any], progress: Progress, meta: object) -> None:
        done = threading.Event()
        token = meta.get("progressToken") if isinstance(meta, dict) else None
        if token is not None:
            threading.Thread(target=self._report_progress, args=(token, progress, done), daemon=True).start()
        result: ToolResult | None = None
        try:
            with self._free_slots:
                roots = self._client_roots() if self.has_roots and "root" in tool.arguments else None
                caller = protocol.session_and_turn(meta, arguments, self.session)
                call = prepare(self.service, tool, arguments, roots, caller, protocol.idempotency_key(meta))
                result = run_tool(call._replace(settings=call.settings._replace(watch=progress)))
        except Refused as refused:
            result = refuse(refused.problems)
        except Stopped:
            pass
        except Exception as error:
            result = internal_error(error)
        finally:
            done.set()
        del self._running[id]
        if result is not None and not progress.cancelled:
            self._send_result(id, result)

    def _report_progress(self, token: object, progress: Progress, done: threading.Event) -> None:
        for number in count(1):
            if done.wait(PROGRESS_SECONDS) or progress.stop.is_set():
                return
            params = {"progressToken": token, "progress": number, "message": writable(progress.status)}
            self._send(method="notifications/progress", params=params)

    def _client_roots(self) -> list[tuple[str, str]]:
        """Ask for the URIs and names of the client's roots; for each call again, since they may change."""
        id = f"roots-{next(self._numbers)}"
        queue = self._pending[id] = SimpleQueue()
        self._send(id=id, method="roots/list")
        try:
            result = queue.get(timeout=ROOTS_SECONDS).get("result")
        except Empty:
            result = None
        self._pending.pop(id, None)
        roots = result.get("roots") if isinstance(result, dict) else None
        if not isinstance(roots, list):
            raise Refused(Problem("bad_root", "the client did not list its roots"))
        return [(str(root.get("uri", "")), str(root.get("name") or "")) for root in roots if isinstance(root, dict)]

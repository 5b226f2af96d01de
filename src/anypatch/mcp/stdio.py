"""The protocol over standard input and output, spoken by ourselves: importing the SDK takes 80 bare interpreter starts.

One thread reads messages and answers what needs no work; each call has a thread of its own, which may ask the client
for its roots and tells how far it is. Whatever is wrong with a message is answered, and the next one is read.
"""

from __future__ import annotations

import json
import os
import re
import signal
import threading
from collections.abc import Callable, Iterator
from itertools import count
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, NamedTuple

from ..problems import Problem, Refused
from ..text import writable
from . import protocol
from .protocol import NAMED, Service, Unknown, no_tool

if TYPE_CHECKING:
    from typing import IO, Any

    from .session import Answer, Watch

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS = -32700, -32600, -32601, -32602
MOST = 16 << 20  # bytes of one message
AT_ONCE = 8  # calls that run; Python computes one at a time, the others mostly wait for the lock of the tree
EVERY = 0.5  # seconds between two words on how far a call is
PATIENCE = 5.0  # seconds that a client has to name its roots
_EDGE = 512  # bytes of a message too long that are kept at each end: its id stands in one of them
_ID = r'"id"\s*:\s*(-?\d{1,18}|"[^"\\]{1,200}")'
_FIRST = r'^\s*\{\s*(?:"(?:jsonrpc|method)"\s*:\s*"[^"\\]{1,200}"\s*,\s*){0,2}' + _ID
_LAST = _ID + r'\s*(?:,\s*"(?:jsonrpc|method)"\s*:\s*"[^"\\]{1,200}"\s*){0,2}\}\s*$'


class Ended(BaseException):
    """A signal says to end."""


def serve(service: Service) -> None:
    """Serve one client, until it closes our input, is gone, or a signal says to end."""

    def end(*_: object) -> None:
        raise Ended

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end)
    connection = Connection(service)
    try:
        with open(0, "rb", closefd=False) as pipe:
            for line in lines(pipe):
                connection.take(line)
    except (Ended, OSError):
        pass
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    connection.end()


# ── messages ─────────────────────────────────────────────────────────────────────────────────────


class Line(NamedTuple):
    """A line of the client's, and how many bytes it has; of one that is too long only the edges are kept."""

    data: bytes
    size: int

    def text(self) -> str:
        """The line; Refused where it is too long or no UTF-8."""
        if self.size > MOST:
            raise Refused(Problem("limit", f"the message has {self.size} bytes, and at most {MOST} are accepted"))
        try:
            return self.data.decode("utf-8")
        except UnicodeDecodeError as error:
            raise Refused(Problem("limit", f"the message is not UTF-8 at byte {error.start}")) from None

    def id(self) -> object:
        """The id of a message that can't be read, as far as its edges tell; None where they don't."""
        first, last = (edge.decode("utf-8", "replace") for edge in (self.data[:_EDGE], self.data[-_EDGE:]))
        found = re.search(_FIRST, first) or re.search(_LAST, last)
        return json.loads(found[1]) if found else None


def lines(pipe: IO[bytes]) -> Iterator[Line]:
    """The lines that come through a pipe."""
    while data := pipe.readline(MOST + 1):
        size = len(data) - data.endswith(b"\n")
        if size > MOST:
            last = data[-_EDGE:]
            while not last.endswith(b"\n") and (more := pipe.readline(MOST)):
                size += len(more) - more.endswith(b"\n")
                last = (last + more)[-_EDGE:]
            data = data[:_EDGE] + last
        yield Line(data, size)


class Connection:
    """One client: what it is able to do, what it waits for, what we have asked it."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.has_roots = False
        self.marks_errors = True
        self._writing = threading.Lock()
        self._room = threading.BoundedSemaphore(AT_ONCE)
        self._running: dict[object, tuple[Watch, threading.Thread]] = {}
        self._asked: dict[object, SimpleQueue[dict[str, Any]]] = {}
        self._numbers = count(1)

    def send(self, **message: object) -> None:
        """One message; to a client that reads no more, none."""
        data = json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
        with self._writing:
            try:
                while data:
                    data = data[os.write(1, data) :]
            except OSError:
                return

    def refuse(self, id: object, code: int, why: str) -> None:
        """The answer that a message can't be taken."""
        self.send(id=id, error={"code": code, "message": writable(why)})

    def end(self) -> None:
        """Stop what has not begun to write, and wait for the rest."""
        for watch, _ in list(self._running.values()):
            watch.stop.set()
        for asked in self._asked.values():
            asked.put({})
        for _, thread in list(self._running.values()):
            thread.join()

    def take(self, line: Line) -> None:
        """One line of the client's."""
        try:
            text = line.text()
        except Refused as refused:
            from .session import refusal

            id = line.id()
            answer = refusal(tuple(one._replace(advice="Send less at once.") for one in refused.problems))
            if id is None:
                self.refuse(None, PARSE_ERROR, refused.problems[0].detail)
            else:
                self.send(id=id, result=protocol.result(answer, self.service.structured, self.marks_errors))
            return
        if not text.strip():
            return
        try:
            message = json.loads(text)
        except (ValueError, RecursionError) as error:
            self.refuse(None, PARSE_ERROR, f"the message is not JSON: {error}"[:200])
            return
        for one in message if isinstance(message, list) and message else [message]:
            self._take(one)

    def _take(self, message: object) -> None:
        if not isinstance(message, dict):
            self.refuse(None, INVALID_REQUEST, "a message must be an object")
            return
        id, method, params = message.get("id"), message.get("method"), message.get("params", {})
        if method is None and ("result" in message or "error" in message):
            asked = self._asked.pop(id if isinstance(id, str | int) else None, None)
            if asked:
                asked.put(message)
        elif not isinstance(method, str) or not isinstance(id, str | int | None):
            self.refuse(
                id if isinstance(id, str | int) else None, INVALID_REQUEST, "a message must have a method and an id"
            )
        elif not isinstance(params, dict):
            if id is not None:
                self.refuse(id, INVALID_PARAMS, "params must be an object")
        elif id is None:
            if method == "notifications/cancelled" and isinstance(params.get("requestId"), str | int):
                running = self._running.get(params["requestId"])
                if running:
                    running[0].cancelled = True
                    running[0].stop.set()
        elif method == "tools/call":
            self._call(id, params)
        else:
            try:
                self.send(id=id, result=self._answered(method, params))
            except Unknown as unknown:
                self.refuse(id, INVALID_PARAMS, str(unknown))
            except LookupError:
                self.refuse(id, METHOD_NOT_FOUND, f"there is no method {method!r}")

    def _answered(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """The result of a request that needs no work; LookupError for a method that there isn't."""
        if method == "initialize":
            able = params.get("capabilities")
            self.has_roots = isinstance(able, dict) and isinstance(able.get("roots"), dict)
            self.marks_errors = protocol.hands_on_words(params.get("clientInfo"))
            return protocol.greeting(params.get("protocolVersion"))
        if method == "prompts/get":
            said = params.get("arguments")
            task = said.get("task", "") if isinstance(said, dict) else ""
            return protocol.prompt(str(params.get("name", "")), str(task))
        if method == "resources/read":
            return protocol.resource(str(params.get("uri", "")))
        plain: dict[str, Callable[[], dict[str, Any]]] = {
            "ping": dict, "tools/list": lambda: protocol.tools(self.service),
            "resources/list": protocol.resources, "prompts/list": protocol.prompts,
            "resources/templates/list": lambda: {"resourceTemplates": []},
        }  # fmt: skip
        return plain[method]()

    # ── calls ────────────────────────────────────────────────────────────────────────────────────

    def _call(self, id: object, params: dict[str, Any]) -> None:
        """Begin a call in a thread of its own."""
        from .session import Watch

        name, said = params.get("name"), params.get("arguments")
        if not isinstance(name, str) or name not in NAMED:
            self.refuse(id, INVALID_PARAMS, no_tool(str(name)))
        elif not isinstance(said, dict | None):
            self.refuse(id, INVALID_PARAMS, "arguments must be an object")
        elif id in self._running:
            self.refuse(id, INVALID_REQUEST, f"a call with the id {id!r} is already running")
        else:
            meta = params.get("_meta")
            token = meta.get("progressToken") if isinstance(meta, dict) else None
            watch = Watch()
            thread = threading.Thread(target=self._work, args=(id, name, said or {}, watch, token), daemon=True)
            self._running[id] = (watch, thread)
            thread.start()

    def _work(self, id: object, name: str, said: dict[str, Any], watch: Watch, token: object) -> None:
        from .session import Stopped, apology, carried_out, prepared, refusal

        done = threading.Event()
        if token is not None:
            threading.Thread(target=self._tell, args=(token, watch, done), daemon=True).start()
        answer: Answer | None = None
        try:
            with self._room:
                roots = self._client_roots() if self.has_roots and "root" in NAMED[name].arguments else None
                call = prepared(self.service, NAMED[name], said, roots)
                answer = carried_out(call._replace(settings=call.settings._replace(watch=watch)))
        except Refused as refused:
            answer = refusal(refused.problems)
        except Stopped:
            pass
        except Exception as error:
            answer = apology(error)
        finally:
            done.set()
        del self._running[id]
        if answer is not None and not watch.cancelled:
            self.send(id=id, result=protocol.result(answer, self.service.structured, self.marks_errors))

    def _tell(self, token: object, watch: Watch, done: threading.Event) -> None:
        """Say from time to time how far a call is."""
        ticks = 0
        while not done.wait(EVERY) and not watch.stop.is_set():
            ticks += 1
            told = {"progressToken": token, "progress": ticks, "message": writable(watch.doing)}
            self.send(method="notifications/progress", params=told)

    def _client_roots(self) -> list[tuple[str, str]]:
        """The URIs and names of the client's roots. Asked anew each time: they may change."""
        id = f"roots-{next(self._numbers)}"
        asked = self._asked[id] = SimpleQueue()
        self.send(id=id, method="roots/list")
        try:
            found = asked.get(timeout=PATIENCE).get("result")
        except Empty:
            found = None
        self._asked.pop(id, None)
        roots = found.get("roots") if isinstance(found, dict) else None
        if not isinstance(roots, list):
            raise Refused(Problem("bad_root", "the client did not list its roots"))
        return [(str(one.get("uri", "")), str(one.get("name") or "")) for one in roots if isinstance(one, dict)]

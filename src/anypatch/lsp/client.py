"""One running language server: start it, ask it, end it. Knows nothing of our symbols."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from queue import Empty, SimpleQueue
from threading import Thread
from typing import IO, Any

from ..paths import uri_from_path
from ..problems import reason
from .catalog import Server

_CAPABILITIES = {
    "general": {"positionEncodings": ["utf-16"]},  # which every server knows
    "window": {"workDoneProgress": True},
    "workspace": {
        "configuration": True,
        "workspaceFolders": True,
        "workspaceEdit": {"documentChanges": True, "resourceOperations": ["create", "rename", "delete"]},
    },
    "textDocument": {
        "synchronization": {},
        "documentSymbol": {"hierarchicalDocumentSymbolSupport": True},
        "rename": {"prepareSupport": False},
    },
}


class ServerError(Exception):
    """The server answered a request with an error; the text is its own."""


class ServerFailed(Exception):
    """A server is too `slow`, or dead. The text continues a sentence that begins with its name."""

    def __init__(self, why: str, *, slow: bool = False) -> None:
        super().__init__(why)
        self.slow = slow


class Session:
    """A server at work on one root. It has `seconds` for each answer, the first of which includes its start."""

    def __init__(self, server: Server, root: str, seconds: float = 0) -> None:
        self.server, self.root = server, os.path.realpath(root)
        self.seconds = seconds or server.seconds
        self.began = time.time()
        self._scratch = tempfile.TemporaryDirectory(prefix="anypatch-lsp-", ignore_cleanup_errors=True)
        self._last_id = 0
        self._running_tasks: set[str] = set()
        self._last_work = time.monotonic()
        self._wire = Wire(self._command(), self.root, {**os.environ, "TMPDIR": self._scratch.name})
        try:
            self._start()
        except (ServerError, ServerFailed):
            self.close()
            raise

    @property
    def process_id(self) -> int:
        """The ID of the server's process."""
        return self._wire.process.pid

    def symbols(self, path: str, language: str, text: str) -> Any:
        """Return the symbols of a text, as the server sends them."""
        uri = self._open(path, language, text)
        try:
            return self._ask("textDocument/documentSymbol", {"textDocument": {"uri": uri}})
        finally:
            self._notify("textDocument/didClose", {"textDocument": {"uri": uri}})

    def rename(self, path: str, language: str, text: str, at: tuple[int, int], new: str) -> Any:
        """Return the WorkspaceEdit of a rename; ask for it once the server has read the whole tree."""
        uri = self._open(path, language, text)
        self._ask("textDocument/documentSymbol", {"textDocument": {"uri": uri}})
        self._settle()
        position = {"line": at[0], "character": at[1]}
        return self._ask("textDocument/rename", {"textDocument": {"uri": uri}, "position": position, "newName": new})

    def close(self) -> None:
        """Ask the server to end, and kill it if it doesn't."""
        self._wire.send({"id": 0, "method": "shutdown"})
        self._wire.send({"method": "exit"})
        self._wire.close()
        self._scratch.cleanup()

    def _command(self) -> list[str]:
        """Return the command with its folders filled in. compile_commands.json is copied: clangd writes next to it."""
        scratch, words = self._scratch.name, self.server.command
        commands = os.path.join(scratch, "commands")
        if any("{commands}" in word for word in words):
            places = [os.path.join(self.root, folder, "compile_commands.json") for folder in ("", "build")]
            database = next(filter(os.path.isfile, places), None)
            if database is None:
                return [word for word in words if "{commands}" not in word]
            os.mkdir(commands)
            shutil.copy(database, commands)
        return [word.replace("{scratch}", scratch).replace("{commands}", commands) for word in words]

    def _start(self) -> None:
        uri = uri_from_path(self.root)
        folder = {"uri": uri, "name": os.path.basename(self.root)}
        answer = self._ask(
            "initialize",
            {
                "processId": os.getpid(),
                "rootUri": uri,
                "workspaceFolders": [folder],
                "capabilities": _CAPABILITIES,
                "initializationOptions": self.server.options,
            },
        )
        capabilities = answer.get("capabilities") if isinstance(answer, dict) else None
        unit = capabilities.get("positionEncoding", "utf-16") if isinstance(capabilities, dict) else "utf-16"
        if unit != "utf-16":
            raise ServerFailed(f"counts columns in {unit}, which it was not offered")
        self._notify("initialized", {})

    def _open(self, path: str, language: str, text: str) -> str:
        uri = uri_from_path(os.path.join(self.root, path))
        document = {"uri": uri, "languageId": language, "version": 1, "text": text}
        self._notify("textDocument/didOpen", {"textDocument": document})
        return uri

    def _notify(self, method: str, params: dict[str, Any]) -> None:
        self._wire.send({"method": method, "params": params})

    def _ask(self, method: str, params: dict[str, Any]) -> Any:
        self._last_id += 1
        self._wire.deadline = time.monotonic() + self.seconds
        self._wire.send({"id": self._last_id, "method": method, "params": params})
        while True:
            message = self._wire.receive()
            assert message is not None
            if "method" in message:
                self._handle(message)
            elif message.get("id") == self._last_id:
                if message.get("error") is not None:
                    error = message["error"]
                    raise ServerError(str(error.get("message") if isinstance(error, dict) else error))
                return message.get("result")

    def _settle(self) -> None:
        """Wait until the server has reported no work for a while."""
        self._wire.deadline = time.monotonic() + self.seconds
        while self._running_tasks or time.monotonic() < self._last_work + self.server.quiet:
            until = None if self._running_tasks else self._last_work + self.server.quiet
            message = self._wire.receive(until)
            if message is not None and "method" in message:
                self._handle(message)

    def _handle(self, message: dict[str, Any]) -> None:
        """Handle a notification or a request. The server gets no settings, and may change nothing by itself."""
        method, params = message["method"], message.get("params")
        params = params if isinstance(params, dict) else {}
        if method in ("$/progress", "language/status"):
            self._note_progress(params)
        if "id" not in message:
            return
        answer: dict[str, Any] = {"result": None}
        if method == "workspace/configuration":
            answer = {"result": [None] * len(params.get("items") or ())}
        elif method == "workspace/applyEdit":
            answer = {"result": {"applied": False, "failureReason": "only what was asked for is applied"}}
        elif method == "workspace/workspaceFolders":
            answer = {"result": [{"uri": uri_from_path(self.root), "name": os.path.basename(self.root)}]}
        elif method not in _ACKNOWLEDGED:
            answer = {"error": {"code": -32601, "message": "not known here"}}
        self._wire.send({"id": message["id"], **answer})

    def _note_progress(self, params: dict[str, Any]) -> None:
        self._last_work = time.monotonic()
        value, token = params.get("value"), str(params.get("token"))
        kind = value.get("kind") if isinstance(value, dict) else ""
        if kind == "begin":
            self._running_tasks.add(token)
        elif kind == "end":
            self._running_tasks.discard(token)


_ACKNOWLEDGED = (
    "client/registerCapability", "client/unregisterCapability", "window/workDoneProgress/create",
    "window/showMessageRequest", "workspace/codeLens/refresh", "workspace/semanticTokens/refresh",
    "workspace/inlayHint/refresh", "workspace/diagnostic/refresh",
)  # fmt: skip


# ── messages over pipes ─────────────────────────────────────────────────────────────────────────────


_MAX_BODY = 1 << 28  # bytes of a message
_MAX_STDERR = 400  # characters of a dead server's standard error that are shown


class Wire:
    """A process and its messages. At `deadline`, by the monotonic clock, waiting fails with `slow`.

    Each pipe has a thread, so that neither side waits for the other to read.
    """

    def __init__(self, command: Sequence[str], folder: str, environment: Mapping[str, str]) -> None:
        try:
            self.process = subprocess.Popen(  # noqa: S603 - the table of servers says what is run
                list(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder,
                env=dict(environment), start_new_session=True,
            )  # fmt: skip
        except (OSError, ValueError) as error:
            raise ServerFailed(f"can't be started: {reason(error)}") from None
        self.deadline = time.monotonic() + 10
        self._received: SimpleQueue[dict[str, Any] | ServerFailed] = SimpleQueue()
        self._outgoing: SimpleQueue[bytes] = SimpleQueue()
        self._stderr = b""
        self._threads = [Thread(target=work, daemon=True) for work in (self._read_errors, self._read, self._write)]
        for thread in self._threads:
            thread.start()

    def send(self, message: Mapping[str, Any]) -> None:
        """Send a message, without waiting for the server to read it."""
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._outgoing.put(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def receive(self, until: float | None = None) -> dict[str, Any] | None:
        """Return the next message, or None if none comes by `until`. Raise ServerFailed at the deadline."""
        moment = min(self.deadline, until or self.deadline)
        try:
            message = self._received.get(timeout=max(moment - time.monotonic(), 0))
        except Empty:
            if moment < self.deadline:
                return None
            raise ServerFailed("did not answer in time", slow=True) from None
        if isinstance(message, ServerFailed):
            raise message
        return message

    def close(self) -> None:
        """End the process, and those that it started."""
        self._outgoing.put(b"")
        try:
            self.process.wait(0.2)
        except subprocess.TimeoutExpired:
            pass
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except OSError:
            pass
        self.process.wait()

    def _write(self) -> None:
        assert self.process.stdin
        try:
            with self.process.stdin as pipe:
                while data := self._outgoing.get():
                    pipe.write(data)
                    pipe.flush()
        except OSError:
            pass  # it has died, which reading will notice

    def _read_errors(self) -> None:
        assert self.process.stderr
        with self.process.stderr as pipe:
            while data := os.read(pipe.fileno(), 1 << 16):
                self._stderr = (self._stderr + data)[-4 * _MAX_STDERR :]

    def _read(self) -> None:
        assert self.process.stdout
        with self.process.stdout as pipe:
            try:
                while True:
                    self._received.put(self._message(pipe))
            except ServerFailed as failed:
                self._received.put(failed)

    def _message(self, pipe: IO[bytes]) -> dict[str, Any]:
        """Read the next message: headers, of which Content-Length counts, a blank line, a JSON object."""
        size = b""
        while (line := pipe.readline(1 << 10)) != b"\r\n":
            if not line:
                raise self._dead()
            name, _, value = line.lower().partition(b":")
            if not line.endswith(b"\r\n") or (name == b"content-length" and size):
                raise ServerFailed("wrote something that is not a message")
            size = value.strip() if name == b"content-length" else size
        if not size.isdigit() or len(size) > 9 or int(size) > _MAX_BODY:
            raise ServerFailed("wrote something that is not a message")
        body = pipe.read(int(size))
        if len(body) < int(size):
            raise self._dead()
        try:
            message = json.loads(body)
        except ValueError:
            raise ServerFailed("wrote something that is not JSON") from None
        if not isinstance(message, dict):
            raise ServerFailed("wrote something that is not a message")
        return message

    def _dead(self) -> ServerFailed:
        try:
            code = self.process.wait(1)
        except subprocess.TimeoutExpired:
            return ServerFailed("has closed its output")
        self._threads[0].join(1)
        last_words = " ".join(self._stderr.decode("utf-8", "replace").split())[-_MAX_STDERR:]
        return ServerFailed(f"has died ({code})" + (f": {last_words}" if last_words else ""))

"""One running server: started, asked, ended. Raises `Failed` where it is slow or dead; knows nothing of our symbols."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from queue import Empty, SimpleQueue
from threading import Thread
from typing import IO, Any, NamedTuple

from ..paths import uri_of
from ..problems import reason

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


class Wrong(Exception):
    """The server answered a question with an error; the text is its own."""


class Session:
    """A server at work on one root. Each question has `seconds` to be answered, the start included."""

    def __init__(self, server: Server, root: str, seconds: float = 0) -> None:
        self.server, self.root = server, os.path.realpath(root)
        self.seconds = seconds or server.seconds
        self.began = time.time()
        self._scratch = tempfile.TemporaryDirectory(prefix="anypatch-lsp-", ignore_cleanup_errors=True)
        self._asked = 0
        self._busy: set[object] = set()
        self._worked = time.monotonic()
        self._wire = Wire(self._command(), self.root, {**os.environ, "TMPDIR": self._scratch.name})
        try:
            self._start()
        except Failed:
            self.close()
            raise

    @property
    def process_id(self) -> int:
        """The server's process."""
        return self._wire.process.pid

    def symbols(self, path: str, language: str, text: str) -> Any:
        """The symbols of a text, as the server tells them."""
        uri = self._open(path, language, text)
        try:
            return self._ask("textDocument/documentSymbol", {"textDocument": {"uri": uri}})
        finally:
            self._tell("textDocument/didClose", {"textDocument": {"uri": uri}})

    def rename(self, path: str, language: str, text: str, at: tuple[int, int], new: str) -> Any:
        """The WorkspaceEdit of a rename, asked for once the server has read the whole tree."""
        uri = self._open(path, language, text)
        self._ask("textDocument/documentSymbol", {"textDocument": {"uri": uri}})
        self._settle()
        place = {"line": at[0], "character": at[1]}
        return self._ask("textDocument/rename", {"textDocument": {"uri": uri}, "position": place, "newName": new})

    def close(self) -> None:
        """End the server; politely, but without waiting for it."""
        try:
            self._wire.send({"id": 0, "method": "shutdown"})
            self._wire.send({"method": "exit"})
        except (Failed, OSError, ValueError):
            pass
        self._wire.close()
        self._scratch.cleanup()

    def _command(self) -> list[str]:
        """The command with its folders filled in. A database of compile commands is copied: clangd writes beside it."""
        scratch, commands = self._scratch.name, os.path.join(self._scratch.name, "commands")
        if any("{commands}" in word for word in self.server.command):
            os.mkdir(commands)
            known = [os.path.join(self.root, below, "compile_commands.json") for below in ("", "build")]
            for place in [place for place in known if os.path.isfile(place)][:1]:
                shutil.copy(place, commands)
            if not os.listdir(commands):
                return [word for word in self.server.command if "{commands}" not in word]
        return [word.replace("{scratch}", scratch).replace("{commands}", commands) for word in self.server.command]

    def _start(self) -> None:
        uri = uri_of(self.root)
        folder = {"uri": uri, "name": os.path.basename(self.root)}
        said = self._ask(
            "initialize",
            {
                "processId": os.getpid(),
                "rootUri": uri,
                "workspaceFolders": [folder],
                "capabilities": _CAPABILITIES,
                "initializationOptions": self.server.options,
            },
        )
        known = said.get("capabilities") if isinstance(said, dict) else None
        unit = known.get("positionEncoding", "utf-16") if isinstance(known, dict) else "utf-16"
        if unit != "utf-16":
            raise Failed(f"counts columns in {unit}, which it was not offered")
        self._tell("initialized", {})

    def _open(self, path: str, language: str, text: str) -> str:
        uri = uri_of(os.path.join(self.root, path))
        document = {"uri": uri, "languageId": language, "version": 1, "text": text}
        self._tell("textDocument/didOpen", {"textDocument": document})
        return uri

    def _tell(self, method: str, params: dict[str, Any]) -> None:
        self._wire.send({"method": method, "params": params})

    def _ask(self, method: str, params: dict[str, Any]) -> Any:
        self._asked += 1
        self._wire.deadline = time.monotonic() + self.seconds
        self._wire.send({"id": self._asked, "method": method, "params": params})
        while True:
            message = self._wire.receive()
            assert message is not None
            if "method" in message:
                self._heard(message)
            elif message.get("id") == self._asked:
                if message.get("error") is not None:
                    error = message["error"]
                    raise Wrong(str(error.get("message") if isinstance(error, dict) else error))
                return message.get("result")

    def _settle(self) -> None:
        """Wait until the server has reported no work for a while; Failed where that takes too long."""
        self._wire.deadline = time.monotonic() + self.seconds
        while self._busy or time.monotonic() < self._worked + self.server.quiet:
            until = None if self._busy else self._worked + self.server.quiet
            message = self._wire.receive(until)
            if message is not None and "method" in message:
                self._heard(message)

    def _heard(self, message: dict[str, Any]) -> None:
        """What the server says or asks on its own. It gets no settings, and changes nothing by itself."""
        method, params = message["method"], message.get("params")
        said = params if isinstance(params, dict) else {}
        if method in ("$/progress", "language/status"):
            self._worked = time.monotonic()
            value = said.get("value")
            kind = value.get("kind") if isinstance(value, dict) else ""
            if kind == "begin":
                self._busy.add(str(said.get("token")))
            elif kind == "end":
                self._busy.discard(str(said.get("token")))
        if "id" not in message:
            return
        answer: dict[str, Any] = {"result": None}
        if method == "workspace/configuration":
            answer = {"result": [None] * len(said.get("items") or ())}
        elif method == "workspace/applyEdit":
            answer = {"result": {"applied": False, "failureReason": "only what was asked for is applied"}}
        elif method == "workspace/workspaceFolders":
            answer = {"result": [{"uri": uri_of(self.root), "name": os.path.basename(self.root)}]}
        elif method not in _SILENT:
            answer = {"error": {"code": -32601, "message": "not known here"}}
        self._wire.send({"id": message["id"], **answer})


_SILENT = (
    "client/registerCapability", "client/unregisterCapability", "window/workDoneProgress/create",
    "window/showMessageRequest", "workspace/codeLens/refresh", "workspace/semanticTokens/refresh",
    "workspace/inlayHint/refresh", "workspace/diagnostic/refresh",
)  # fmt: skip


# ── messages over pipes ─────────────────────────────────────────────────────────────────────────────


_BODY = 1 << 28
_TOLD = 400  # characters of a server's last words that are shown


class Failed(Exception):
    """A server is of no use: `slow` or dead. The text says it in words that go behind its name."""

    def __init__(self, why: str, *, slow: bool = False) -> None:
        super().__init__(why)
        self.slow = slow


class Wire:
    """One process. `deadline` is the moment (of the monotonic clock) at which whatever is under way fails as slow.

    Each of its pipes has a thread, so that neither side waits for the other to read.
    """

    def __init__(self, command: Sequence[str], folder: str, environment: Mapping[str, str]) -> None:
        try:
            self.process = subprocess.Popen(  # noqa: S603 - the table of servers says what is run
                list(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder,
                env=dict(environment), start_new_session=True,
            )  # fmt: skip
        except (OSError, ValueError) as error:
            raise Failed(f"can't be started: {reason(error)}") from None
        self.deadline = time.monotonic() + 10
        self._heard: SimpleQueue[dict[str, Any] | Failed] = SimpleQueue()
        self._to_say: SimpleQueue[bytes] = SimpleQueue()
        self._last_words = b""
        self._threads = [Thread(target=work, daemon=True) for work in (self._listen, self._read, self._write)]
        for thread in self._threads:
            thread.start()

    def send(self, message: Mapping[str, Any]) -> None:
        """Put a message on its way."""
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._to_say.put(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def receive(self, until: float | None = None) -> dict[str, Any] | None:
        """The next message; None where none has come by `until`. Failed at the deadline, or if the server has died."""
        moment = min(self.deadline, until or self.deadline)
        try:
            found = self._heard.get(timeout=max(moment - time.monotonic(), 0))
        except Empty:
            if moment < self.deadline:
                return None
            raise Failed("did not answer in time", slow=True) from None
        if isinstance(found, Failed):
            raise found
        return found

    def close(self) -> None:
        """End the process, and those it started."""
        self._to_say.put(b"")
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
                while data := self._to_say.get():
                    pipe.write(data)
                    pipe.flush()
        except OSError:
            pass  # it has died, which reading will tell

    def _listen(self) -> None:
        assert self.process.stderr
        with self.process.stderr as pipe:
            while data := os.read(pipe.fileno(), 1 << 16):
                self._last_words = (self._last_words + data)[-4 * _TOLD :]

    def _read(self) -> None:
        assert self.process.stdout
        with self.process.stdout as pipe:
            try:
                while True:
                    self._heard.put(self._message(pipe))
            except Failed as failed:
                self._heard.put(failed)

    def _message(self, pipe: IO[bytes]) -> dict[str, Any]:
        """The next message that the server writes."""
        size = b""
        while (line := pipe.readline(1 << 10)) != b"\r\n":
            if not line:
                raise self._dead()
            name, _, value = line.lower().partition(b":")
            if not line.endswith(b"\r\n") or (name == b"content-length" and size):
                raise Failed("wrote something that is not a message")
            size = value.strip() if name == b"content-length" else size
        if not size.isdigit() or len(size) > 9 or int(size) > _BODY:
            raise Failed("wrote something that is not a message")
        body = pipe.read(int(size))
        if len(body) < int(size):
            raise self._dead()
        try:
            message = json.loads(body)
        except ValueError:
            raise Failed("wrote something that is not JSON") from None
        if not isinstance(message, dict):
            raise Failed("wrote something that is not a message")
        return message

    def _dead(self) -> Failed:
        try:
            code = self.process.wait(1)
        except subprocess.TimeoutExpired:
            return Failed("has closed its output")
        self._threads[0].join(1)
        said = " ".join(self._last_words.decode("utf-8", "replace").split())[-_TOLD:]
        return Failed(f"has died ({code})" + (f": {said}" if said else ""))


# ── the table of servers ────────────────────────────────────────────────────────────────────────────


class Server(NamedTuple):
    """One server. `languages`: our grammar to the protocol's name; `{scratch}` in a command is a folder of its own.

    `seconds`: how long it may take, where nothing else is said. `quiet`: how long it must have reported no work before
    it may be asked about the whole tree. `package`: what brings it.
    """

    name: str
    command: tuple[str, ...]
    languages: dict[str, str]
    package: str
    seconds: float = 10.0
    quiet: float = 0.0
    options: dict[str, Any] | None = None


_PYTHON = {"python": "python"}
_SCRIPT = {"typescript": "typescript", "tsx": "typescriptreact", "javascript": "javascript"}
_CLANGD = ("clangd", "--log=error", "--compile-commands-dir={commands}")

# it runs neither the project's build nor its macros
_RUST = {
    "checkOnSave": False, "cargo": {"buildScripts": {"enable": False}, "autoreload": False},
    "procMacro": {"enable": False}, "cachePriming": {"enable": False},
}  # fmt: skip

TABLE = (
    Server("ty", ("ty", "server"), _PYTHON, "the package ty"),
    Server("pyright", ("pyright-langserver", "--stdio"), _PYTHON, "npm's pyright", 20),
    Server("TypeScript 7", ("tsc", "--lsp", "--stdio"), _SCRIPT, "npm's typescript@7"),
    Server("typescript-language-server", ("typescript-language-server", "--stdio"), _SCRIPT,
           "npm's typescript-language-server", 20),
    Server("jdtls", ("jdtls", "-data", "{scratch}/data"), {"java": "java"}, "the Eclipse JDT language server", 60, 2.5),
    Server("clangd", _CLANGD, {"cpp": "cpp"}, "the package clangd", 10, 0.5, {"fallbackFlags": ["-xc++"]}),
    Server("clangd for C", _CLANGD, {"c": "c"}, "the package clangd", 10, 0.5),
    Server("gopls", ("gopls",), {"go": "go"}, "golang.org/x/tools/gopls", 20, 0.5),
    Server("rust-analyzer", ("rust-analyzer",), {"rust": "rust"}, "rustup's rust-analyzer", 30, 1.5, _RUST),
)  # fmt: skip


def servers_for(grammar: str) -> list[Server]:
    """The servers of a language, whether they are installed or not, best first."""
    return [server for server in TABLE if grammar in server.languages]


def installed(grammar: str) -> list[Server]:
    """Those that can be run, each with the whole path of its command."""
    places = os.pathsep.join((os.environ.get("PATH", os.defpath), os.path.dirname(os.path.abspath(sys.executable))))
    found = []
    for server in servers_for(grammar):
        where = shutil.which(server.command[0], path=places)
        if where:
            found.append(server._replace(command=(os.path.abspath(where), *server.command[1:])))
    return found

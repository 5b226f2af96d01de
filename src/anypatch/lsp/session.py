"""One running server: started, asked, ended. Raises `Failed` where it is slow or dead; knows nothing of our symbols."""

from __future__ import annotations

import os
import tempfile
import time

from ..record import NamedTuple
from ..uris import uri_of
from .positions import OFFERED
from .wire import Failed, Wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .servers import Server

_CAPABILITIES = {
    "general": {"positionEncodings": list(OFFERED)},
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


class Answer(NamedTuple):
    """What a server said, and the unit of its columns."""

    value: Any
    unit: str


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

    def symbols(self, path: str, language: str, text: str) -> Answer:
        """The symbols of a text, as the server tells them."""
        uri = self._open(path, language, text)
        try:
            return Answer(self._ask("textDocument/documentSymbol", {"textDocument": {"uri": uri}}), self.unit)
        finally:
            self._tell("textDocument/didClose", {"textDocument": {"uri": uri}})

    def rename(self, path: str, language: str, text: str, at: tuple[int, int], new: str) -> Answer:
        """The WorkspaceEdit of a rename, asked for once the server has read the whole tree."""
        uri = self._open(path, language, text)
        self._ask("textDocument/documentSymbol", {"textDocument": {"uri": uri}})
        self._settle()
        place = {"line": at[0], "character": at[1]}
        value = self._ask("textDocument/rename", {"textDocument": {"uri": uri}, "position": place, "newName": new})
        return Answer(value, self.unit)

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
            import shutil

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
        unit = known.get("positionEncoding") if isinstance(known, dict) else None
        self.unit = unit if unit in OFFERED else "utf-16"
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
        if method == "$/progress":
            self._progress(said)
        elif method == "language/status":
            self._worked = time.monotonic()
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

    def _progress(self, said: dict[str, Any]) -> None:
        value = said.get("value")
        kind = value.get("kind") if isinstance(value, dict) else None
        token = str(said.get("token"))
        self._worked = time.monotonic()
        if kind == "begin":
            self._busy.add(token)
        elif kind == "end":
            self._busy.discard(token)


_SILENT = (
    "client/registerCapability", "client/unregisterCapability", "window/workDoneProgress/create",
    "window/showMessageRequest", "workspace/codeLens/refresh", "workspace/semanticTokens/refresh",
    "workspace/inlayHint/refresh", "workspace/diagnostic/refresh",
)  # fmt: skip

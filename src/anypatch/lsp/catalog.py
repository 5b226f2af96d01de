"""The language servers that are known, and which of them are installed."""

from __future__ import annotations

import os
import shutil
import sys
from typing import Any, NamedTuple


class Server(NamedTuple):
    """One server. `languages`: our name of a grammar to the protocol's. `package`: what to install.

    `command`: `{scratch}` in it becomes a folder of its own, `{commands}` one with a copy of compile_commands.json.
    `seconds`: how long an answer may take by default. `quiet`: how long it must have reported no work before it is
    asked about the whole tree.
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

# It runs neither the project's build nor its macros.
_RUST = {
    "checkOnSave": False, "cargo": {"buildScripts": {"enable": False}, "autoreload": False},
    "procMacro": {"enable": False}, "cachePriming": {"enable": False},
}  # fmt: skip

SERVERS = (
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
    """Return the servers for a language, best first, installed or not."""
    return [server for server in SERVERS if grammar in server.languages]


def installed(grammar: str) -> list[Server]:
    """Return those that can be run, each with the full path of its command."""
    places = os.pathsep.join((os.environ.get("PATH", os.defpath), os.path.dirname(os.path.abspath(sys.executable))))
    runnable = []
    for server in servers_for(grammar):
        program = shutil.which(server.command[0], path=places)
        if program:
            runnable.append(server._replace(command=(os.path.abspath(program), *server.command[1:])))
    return runnable

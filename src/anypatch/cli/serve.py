"""The command `mcp`: serve coding agents over standard input and output, or over HTTP."""

from __future__ import annotations

import gc
import os
import sys
from argparse import Namespace
from collections.abc import Callable
from typing import TYPE_CHECKING

from ..bases import start_git
from ..mcp.memory import FinishedCalls, ShownFiles
from ..mcp.protocol import Service
from ..mcp.roots import Bounds
from ..mcp.stdio import serve
from ..problems import Problem, Refused
from . import terminal
from .inputs import settings
from .landlock import restrict
from .output import Output

if TYPE_CHECKING:
    from ..lsp.renaming import RenamePatch

_WAITING = "anypatch: waiting for an agent on standard input; `anypatch help mcp` says how agents start it"
_LOOPBACK = ("127.0.0.1", "localhost", "::1")


def run_mcp(args: Namespace) -> Output:
    """Serve until the client leaves or a signal arrives."""
    bounds = _bounds(args)
    gc.enable()  # the program does without the collector, but not for days
    how = settings(args)._replace(allow_sensitive=bool(args.allow_sensitive))
    service = Service(
        bounds, how, args.syntax or "warn", bool(args.structured), _plan_rename(args), FinishedCalls(), ShownFiles()
    )
    if args.http:
        _serve_http(args, service)
        return Output(0, [], [])
    if terminal.is_terminal(sys.stdin):
        terminal.write(sys.stderr, [_WAITING])
    _restrict(args, bounds)
    serve(service)
    return Output(0, [], [])


def _serve_http(args: Namespace, service: Service) -> None:
    host, port = args.http
    if host not in _LOOPBACK and not args.allow_remote:
        detail = f"{host} can be reached from other machines, and whoever reaches the server can edit files"
        raise Refused(Problem("bad_call", detail, advice="Add --allow-remote if that is what you want."))
    try:
        from ..mcp import http
    except ImportError as error:
        if (error.name or "").startswith("anypatch"):
            raise
        advice = "Run: python -m pip install 'mcp>=2.3,<3'"
        raise Refused(Problem("bad_call", "serving over HTTP needs the package mcp", advice=advice)) from None
    gc.freeze()  # the modules stay loaded, so the collector need not look at them
    _restrict(args, service.bounds)
    http.serve(http.create_server(service), host, port)


def _plan_rename(args: Namespace) -> Callable[..., RenamePatch] | None:
    """Return the function that plans a rename, if the server may use language servers."""
    if not args.lsp:
        return None
    from ..lsp import plan_rename

    return plan_rename


def _bounds(args: Namespace) -> Bounds:
    """Return the folders that may be edited.

    Over HTTP any user of this machine may be the client, so the roots that it names don't count: without --root, the
    bound is the current folder.
    """
    roots = args.roots or []
    for folder in roots:
        if not os.path.isdir(folder):
            raise Refused(Problem("bad_root", "it doesn't exist or is not a directory", folder))
    here = os.path.realpath(os.getcwd())
    if not roots and args.http:
        roots = [here]
    too_wide = (os.path.realpath("/"), os.path.realpath(os.path.expanduser("~")))
    return Bounds(tuple(map(os.path.realpath, roots)), "" if here in too_wide else here)


def _restrict(args: Namespace, bounds: Bounds) -> None:
    """Forbid writes outside the folders served, if they are known, after git was started to read their commits.

    With --lsp, language servers have to be started later on.
    """
    if bounds.served and not args.lsp:
        for root in bounds.served:
            start_git(root)
        restrict(args, *bounds.served)

"""The command `review`: show an answer in the browser, hunk by hunk, and write what is kept of it."""

from __future__ import annotations

import gc
import getpass
import os
import subprocess
import sys
from argparse import Namespace
from shlex import quote
from typing import TYPE_CHECKING

from .. import api
from ..problems import Problem, Refused, reason
from ..reviewing.review import Review, review_text
from . import terminal
from .inputs import file_given, format_name, read_answer, settings
from .landlock import restrict
from .output import Output, as_output, layout

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..match.files import Tree
    from ..reviewing.page.serving import Service
    from ..tree import TreeBefore


def run_review(args: Namespace) -> Output:
    """Serve the page until it is closed; with --html, write it to a file instead."""
    with api.given_base(args.base, args.root) as base:
        return show_in_browser(args, _review(args, base))


def show_in_browser(args: Namespace, review: Review) -> Output:
    """Serve the page of a review until it is closed, and report what was applied on it."""
    try:
        from ..reviewing.page.render import Renderer
        from ..reviewing.page.serving import Service
    except ImportError as error:
        if (error.name or "").startswith("anypatch"):
            raise
        advice = "Run: python -m pip install starlette uvicorn jinja2 pygments"
        raise Refused(Problem("bad_call", f"the page needs the package {error.name}", advice=advice)) from None
    title = os.path.basename(os.path.abspath(args.root)) or args.root
    if getattr(args, "html", None):
        return _write(args.html, Renderer(review, is_static=True).static_page(title))
    gc.enable()  # the program does without the collector, but not for an hour
    service = Service(review, title)
    terminal.write(sys.stderr, _greeting(args, service))
    if _has_browser() and not getattr(args, "no_open", False):
        _open_browser(service.address)
    restrict(args)
    service.run()
    result = service.session.result
    return as_output(args, result) if result else Output(1, [], ["nothing was changed"])


def _review(args: Namespace, base: Callable[[Tree], TreeBefore] | None) -> Review:
    return review_text(
        read_answer(args), args.root, format=format_name(args), overwrite=args.overwrite, syntax=args.syntax or "warn",
        file=file_given(args), settings=settings(args), base=base,
    )  # fmt: skip


def _write(path: str, page: str) -> Output:
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.write(page)
    except (OSError, ValueError) as error:
        raise Refused(Problem("io", f"{path} can't be written: {reason(error)}")) from None
    return Output(0, [f"written: {terminal.harmless(path)}"], [])


def _greeting(args: Namespace, service: Service) -> list[str]:
    """Say where the page is, and how to get there from another machine."""
    look = layout(args, sys.stderr)
    end = "It ends when you close the page, after an hour without a decision, or with Ctrl-C."
    lines = ["The review is at", f"  {service.address}", *look.wrapped("", end)]
    connection = os.environ.get("SSH_CONNECTION", "").split()  # the client's address and port, then ours
    if len(connection) != 4:
        return lines
    host, port = connection[2:]
    way = f"-L {service.port}:127.0.0.1:{service.port}" + ("" if port == "22" else f" -p {port}")
    forward = f"ssh {quote(getpass.getuser())}@{quote(host)} {way}"
    return [*lines, *look.wrapped("", "If your browser is on another machine, run this there first:"), f"  {forward}"]


def _has_browser() -> bool:
    """Return True if there is a screen for a browser, or $BROWSER names one."""
    return sys.platform == "darwin" or any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")))


def _open_browser(address: str) -> None:
    """Start the browser, which goes on by itself: this process may run nothing from now on."""
    subprocess.Popen(  # noqa: S603 - our own interpreter
        [sys.executable, "-m", "webbrowser", address], start_new_session=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip

"""Make the events of edit calls: the call as the engine reads it, and the files it is about."""

from __future__ import annotations

import os

from ..answer.read import read
from ..hooks.clients import ToolCall
from ..model import paths_of
from .events import Contents, EditCall, Origin, absolute

_HEADERS = ("*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: ")


def path_of(call: ToolCall) -> str:
    """Return the path that a call names, "" if it names none."""
    path = call.text("path")
    return absolute(path, call.cwd) if path else ""


def file_edit(origin: Origin, call: ToolCall, error: str, before: Contents, after: Contents) -> EditCall:
    """Return a call about one file, which it names by the last part of its path."""
    path = path_of(call)
    name = os.path.basename(path)
    answer = {"name": call.tool, "input": call.input | {call.key("path"): name}}
    return EditCall(origin, answer, {name: path}, error, before, after)


def patch_edit(origin: Origin, patch: str, folder: str, error: str, before: Contents, after: Contents) -> EditCall:
    """Return a call with a patch, whose paths start from a folder."""
    for header in _HEADERS:
        patch = patch.replace(f"\n{header}{folder}/", f"\n{header}")
    names = dict.fromkeys(path for op in read(patch, "begin-patch").ops for path in paths_of(op) if path)
    return EditCall(origin, patch, {name: absolute(name, folder) for name in names}, error, before, after)

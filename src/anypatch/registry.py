"""The formats, found by being in their folder. Looks at that folder only; nothing else of the disk."""

from __future__ import annotations

import os

from . import formats as _home
from .errors import Problem, Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .model import Format


def names() -> tuple[str, ...]:
    """The names of all formats present."""
    return tuple(sorted(module.replace("_", "-") for module in _modules()))


def named(name: str) -> Format:
    """One format by its name; Refused with the nearest name where there is none."""
    module = name.strip().lower().replace("-", "_")
    if module not in _modules():
        raise Refused(_unknown(name))
    found: Format = __import__(f"{_home.__name__}.{module}", fromlist=("FORMAT",)).FORMAT  # importlib draws in more
    return found


def score(name: str, text: str) -> int:
    """How much a text looks like a format. Where none of its signs is in the text, the format isn't even loaded."""
    if name in _IN_BRACES and "{" not in text and "<parameter" not in text:
        return 0
    signs = _SIGNS.get(name, ("",))
    return named(name).sniff(text) if any(sign in text for sign in signs) else 0


# One of these is in every text that looks like the format; a format without a row is always asked.
_IN_BRACES = ("json-edits", "symbol-chunks")
_FENCED = ("```", "~~~", "<file ", "<document ")
_SIGNS = {
    "begin-patch": ("***",),
    "chunk-v2": ("=== file:",),
    "elided": _FENCED,
    "json-edits": (
        "old_str", "new_str", "oldText", "newText", "old_text", "oldString", "file_text", "apply_patch", "file_path",
        "filePath", "insert_line", '"edits"', '"content"', '"path"', "'path'", '"diff"', '"command"', "_file",
        "<parameter", "code_edit", "codeEdit",
    ),
    "search-replace": ("SEARCH", "ORIGINAL", "<<<<<<< "),
    "symbol-chunks": ("chunks", "name_path", "namePath", '"op"'),
    "unified": ("--- ", "+++ ", "@@", "diff ", "Binary files", "***************"),
    "whole-file": _FENCED,
    "workspace-edit": ('"changes', "'changes", "documentChanges"),
}  # fmt: skip


_found: set[str] = set()


def _modules() -> set[str]:
    """Module files of the formats folder, without importing any."""
    if not _found:
        files = os.listdir(os.path.dirname(_home.__file__))
        found = {name[:-3] for name in files if name.endswith(".py") and not name.startswith("_")}
        _found.update(found)  # at once: another thread may be asking
    return _found


def _unknown(name: str) -> Problem:
    from difflib import get_close_matches

    near = get_close_matches(name.lower(), names(), 1, 0.5)
    advice = f"Did you mean {near[0]}?" if near else f"The formats are: {', '.join(names())}."
    return Problem("unknown_format", f"{name!r} is no format of anypatch", advice=advice)

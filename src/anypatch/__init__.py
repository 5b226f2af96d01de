"""anypatch applies what language models write as edits. The public names; each is loaded at its first use.

report = anypatch.apply(text, "path/to/tree")     # all of it, or nothing
report = anypatch.check(text, "path/to/tree")     # what would happen
files = anypatch.apply_to(text, {"a.py": "…"})    # in memory; files.report tells how it went
report = anypatch.undo("path/to/tree")            # take the last apply back; redo makes it again
symbols = anypatch.outline(text, path="a.py")     # what is declared in a text; find and read name one of them
report = anypatch.rename("path/to/tree", "a.py", "Cart/total", "amount")   # by a language server; apply otherwise
text = anypatch.make("old", "new", "unified")     # a patch in any format; convert and invert turn one into another
"""

from __future__ import annotations

__version__ = "0.1.0"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .commit.state import Settings
    from .engine import Files, apply, apply_to, check, format_named, log, recover, redo, undo
    from .errors import KINDS, Kind, Problem, Refused
    from .limits import Limits
    from .lsp.backend import Servers
    from .model import FileChange, Note, Receipt, Report
    from .renaming import rename
    from .report import as_json, for_model
    from .symbols import Symbol, find, outline, read
    from .tools import schema
    from .writing import convert, invert, make, make_git

_HOMES = {
    "Files": "engine", "apply": "engine", "apply_to": "engine", "check": "engine", "format_named": "engine",
    "log": "engine", "recover": "engine", "redo": "engine", "undo": "engine",
    "Settings": "commit.state",
    "Servers": "lsp.backend", "rename": "renaming",
    "KINDS": "errors", "Kind": "errors", "Problem": "errors", "Refused": "errors",
    "FileChange": "model", "Limits": "limits", "Note": "model", "Receipt": "model", "Report": "model",
    "as_json": "report", "for_model": "report",
    "Symbol": "symbols", "find": "symbols", "outline": "symbols", "read": "symbols",
    "schema": "tools", "convert": "writing", "invert": "writing", "make": "writing", "make_git": "writing",
}  # fmt: skip

__all__ = [
    "KINDS", "FileChange", "Files", "Kind", "Limits", "Note", "Problem", "Receipt", "Refused", "Report", "Servers",
    "Settings", "Symbol", "apply", "apply_to", "as_json", "check", "convert", "find", "for_model", "format_named",
    "invert", "log", "make", "make_git", "outline", "read", "recover", "redo", "rename", "schema", "undo",
]  # fmt: skip


def __getattr__(name: str) -> object:
    """Load a public name when it is first asked for, so that importing anypatch costs next to nothing."""
    if name not in _HOMES:
        raise AttributeError(f"module 'anypatch' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f".{_HOMES[name]}", __name__), name)

"""anypatch applies what language models write as edits. The public names; each is loaded at its first use.

report = anypatch.apply(text, "path/to/tree")     # all of it, or nothing
report = anypatch.check(text, "path/to/tree")     # what would happen
files = anypatch.apply_to(text, {"a.py": "…"})    # in memory; files.report tells how it went
anypatch.same_effect(text, other, {"a.py": "…"})  # whether two answers, in whatever formats, do the same; effect: what
report = anypatch.undo("path/to/tree")            # take the last apply back; redo makes it again
symbols = anypatch.outline(text, path="a.py")     # what is declared in a text; find and read name one of them
report = anypatch.rename("path/to/tree", "a.py", "Cart/total", "amount")   # by a language server; apply otherwise
text = anypatch.make("old", "new", "unified")     # a patch in any format; convert and invert turn one into another
"""

from __future__ import annotations

__version__ = "0.1.0"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from anypatch.api import (
        Files,
        apply,
        apply_to,
        check,
        effect,
        format_named,
        log,
        recover,
        redo,
        same_effect,
        undo,
    )
    from anypatch.author.make import convert, invert, make, make_git
    from anypatch.author.tool_schema import schema
    from anypatch.limits import Limits
    from anypatch.lsp.rename import rename
    from anypatch.lsp.symbols import Servers
    from anypatch.model import FileChange, Note, Receipt, Report
    from anypatch.problems import KINDS, Kind, Problem, Refused
    from anypatch.report import as_json, for_model
    from anypatch.storage.state import Settings
    from anypatch.symbols import Symbol, find, outline, read

_HOMES = {
    "Files": "api", "apply": "api", "apply_to": "api", "check": "api", "effect": "api",
    "format_named": "api", "same_effect": "api", "log": "api", "recover": "api", "redo": "api", "undo": "api",
    "Settings": "storage.state",
    "Servers": "lsp.symbols", "rename": "lsp.rename",
    "KINDS": "problems", "Kind": "problems", "Problem": "problems", "Refused": "problems",
    "FileChange": "model", "Limits": "limits", "Note": "model", "Receipt": "model", "Report": "model",
    "as_json": "report", "for_model": "report",
    "Symbol": "symbols", "find": "symbols", "outline": "symbols", "read": "symbols",
    "schema": "author.tool_schema", "convert": "author.make", "invert": "author.make", "make": "author.make",
    "make_git": "author.make",
}  # fmt: skip

__all__ = [
    "KINDS", "FileChange", "Files", "Kind", "Limits", "Note", "Problem", "Receipt", "Refused", "Report", "Servers",
    "Settings", "Symbol", "apply", "apply_to", "as_json", "check", "convert", "effect", "find", "for_model",
    "format_named", "invert", "log", "make", "make_git", "outline", "read", "recover", "redo", "rename", "same_effect",
    "schema", "undo",
]  # fmt: skip


def __getattr__(name: str) -> object:
    """Load a public name when it is first asked for, so that importing anypatch costs next to nothing."""
    if name not in _HOMES:
        raise AttributeError(f"module 'anypatch' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f".{_HOMES[name]}", __name__), name)

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
    from anypatch import batch as batch
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
    from anypatch.lsp.symbols import Servers, rename
    from anypatch.model import FileChange, Note, Receipt, Report
    from anypatch.problems import KINDS, Kind, Problem, Refused
    from anypatch.report import as_json, for_model
    from anypatch.storage.state import Settings
    from anypatch.symbols import Symbol, find, outline, read

# Where each public name lives.
_HOMES = {
    name: home
    for home, names in {
        "api": "Files apply apply_to check effect format_named log recover redo same_effect undo",
        "author.make": "convert invert make make_git",
        "author.tool_schema": "schema",
        "limits": "Limits",
        "lsp.symbols": "Servers rename",
        "model": "FileChange Note Receipt Report",
        "problems": "KINDS Kind Problem Refused",
        "report": "as_json for_model",
        "storage.state": "Settings",
        "symbols": "Symbol find outline read",
    }.items()
    for name in names.split()
}

__all__ = [
    "KINDS", "FileChange", "Files", "Kind", "Limits", "Note", "Problem", "Receipt", "Refused", "Report", "Servers",
    "Settings", "Symbol", "apply", "apply_to", "as_json", "check", "convert", "effect", "find", "for_model",
    "format_named", "invert", "log", "make", "make_git", "outline", "read", "recover", "redo", "rename", "same_effect",
    "schema", "undo",
]  # fmt: skip


def __getattr__(name: str) -> object:
    """Load a public name when it is first asked for, so that importing anypatch costs next to nothing."""
    from importlib import import_module

    if name == "batch":
        return import_module(".batch", __name__)
    if name not in _HOMES:
        raise AttributeError(f"module 'anypatch' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f".{_HOMES[name]}", __name__), name)
    return value


def __dir__() -> list[str]:
    """The public names, loaded or not."""
    return sorted([*__all__, "__version__", "batch"])

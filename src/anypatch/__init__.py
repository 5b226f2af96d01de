"""anypatch applies the edits that language models write: to the one right place or not at all, every file or none.

    result = anypatch.apply(answer, "path/to/tree")      # all of it, or nothing: result.ok, .changes, .problems
    result = anypatch.preview(answer, "path/to/tree")    # what would happen
    result = anypatch.apply_to(answer, {"a.py": "…"})    # in memory, or on any Tree: result.files
    print(result); result.diff(); result.for_model(); result.to_dict(); result.raise_for_problems()

    review = anypatch.review(answer, "path/to/tree")     # hunk by hunk: review.drop("2.1").apply()
    anypatch.Feed("path/to/tree")                        # an answer while it is written: block by block, with plans
    anypatch.undo("path/to/tree")                        # undo the last change; redo, log and show go with it
    anypatch.parse(answer).paths                         # what an answer is about, before any file is read
    anypatch.view("a.py", (1, 40), "path/to/tree")       # lines of a file with their numbers, for a model
    anypatch.make("old", "new", "unified")               # write a patch; convert and invert turn one into another
    anypatch.outline(text, path="a.py")                  # what a file declares; find and read give one of them

Problems with an answer or a tree are in the result. A wrong call raises TypeError or ValueError; what can't be
returned as a result raises PatchError.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

__version__ = "0.1.0"

logging.getLogger(__name__).addHandler(logging.NullHandler())

if TYPE_CHECKING:
    from anypatch import batch as batch
    from anypatch.api import (
        Parsed,
        apply,
        apply_to,
        apply_to_async,
        effect,
        format_named,
        log,
        parse,
        preview,
        recover,
        redo,
        same_effect,
        show,
        undo,
        view,
    )
    from anypatch.author.make import convert, invert, make, make_git
    from anypatch.feed import Feed, Part
    from anypatch.formats import schema
    from anypatch.hints import (
        Accept,
        Answer,
        AsyncTree,
        Durability,
        FormatName,
        ProblemKind,
        ResultDict,
        Status,
        SyntaxCheck,
        Tree,
    )
    from anypatch.limits import Limits
    from anypatch.lsp import Servers, rename
    from anypatch.model import Block, Note, Proposal, Receipt
    from anypatch.problems import KINDS, Correction, Kind, Near, PatchError, Problem
    from anypatch.result import Change, Result
    from anypatch.reviewing.decisions import Choice, Option
    from anypatch.reviewing.hunks import Hunk, Line, ReviewedFile
    from anypatch.reviewing.parts import ReviewedBlock, ReviewedEdit
    from anypatch.reviewing.review import Review, review
    from anypatch.storage.state import Settings
    from anypatch.storage.tree import Directory
    from anypatch.symbols import Symbol, find, outline, read
    from anypatch.tree import Files

# Where each public name lives.
_HOMES = {
    name: home
    for home, names in {
        "api": "Parsed apply apply_to apply_to_async effect format_named log parse preview recover redo same_effect "
        "show undo view",
        "author.make": "convert invert make make_git",
        "feed": "Feed Part",
        "formats": "schema",
        "hints": "Accept Answer AsyncTree Durability FormatName ProblemKind ResultDict Status SyntaxCheck Tree",
        "limits": "Limits",
        "lsp": "Servers rename",
        "model": "Block Note Proposal Receipt",
        "problems": "KINDS Correction Kind Near PatchError Problem",
        "result": "Change Result",
        "reviewing.decisions": "Choice Option",
        "reviewing.hunks": "Hunk Line ReviewedFile",
        "reviewing.parts": "ReviewedBlock ReviewedEdit",
        "reviewing.review": "Review review",
        "storage.state": "Settings",
        "storage.tree": "Directory",
        "symbols": "Symbol find outline read",
        "tree": "Files",
    }.items()
    for name in names.split()
}

__all__ = [
    "KINDS", "Accept", "Answer", "AsyncTree", "Block", "Change", "Choice", "Correction", "Directory", "Durability",
    "Feed", "Files", "FormatName", "Hunk", "Kind", "Limits", "Line", "Near", "Note", "Option", "Parsed", "Part",
    "PatchError", "Problem", "ProblemKind", "Proposal", "Receipt", "Result", "ResultDict", "Review", "ReviewedBlock",
    "ReviewedEdit", "ReviewedFile", "Servers", "Settings", "Status", "Symbol", "SyntaxCheck", "Tree", "apply",
    "apply_to", "apply_to_async", "convert", "effect", "find", "format_named", "invert", "log", "make", "make_git",
    "outline", "parse", "preview", "read", "recover", "redo", "rename", "review", "same_effect", "schema", "show",
    "undo", "view",
]  # fmt: skip


def __getattr__(name: str) -> object:
    """Load a public name when it is first asked for, so that importing anypatch costs next to nothing."""
    from importlib import import_module

    if name == "batch":
        return import_module(".batch", __name__)
    if name not in _HOMES:  # `from .. import api` asks here first
        raise AttributeError(f"module 'anypatch' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f".{_HOMES[name]}", __name__), name)
    return value


def __dir__() -> list[str]:
    """The public names, loaded or not."""
    return sorted([*__all__, "__version__", "batch"])

"""Read an answer while it is being written: each block as soon as it is whole, with its plan.

    feed = Feed("path/to/tree")
    for text in stream:                    # as the model writes
        for part in feed.feed(text):
            show(part.result.diff())       # what this block would do; nothing is written
    result = feed.finish()                 # the same as apply(answer, "path/to/tree")

A block is whole when the first line after it is there: a diff or a fence may go on until then. Only whole lines are
looked at, so it makes no difference how the stream is cut.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from os import PathLike
from typing import TYPE_CHECKING, NamedTuple

from .answer.blocks import first_whole
from .answer.fences import fence_of
from .answer.read import read, without_thinking
from .api import apply, apply_to, checked_mode, checked_settings, format_or_empty, root_path, rules_of
from .formats import closing, opening
from .hints import Accept, Folder, FormatName, SyntaxCheck, Tree
from .model import FileChange, Patch, Plan, paths_of
from .pipeline import ApplyOptions, apply_to_tree
from .problems import Refused
from .result import Result
from .storage.tree import DiskTree
from .tree import TreeAfter, as_tree

if TYPE_CHECKING:
    from .match.files import Tree as Planned
    from .storage.state import Settings

# How often the lines that belong to no whole block yet are cut into blocks again: each line pays for so many others.
_LOOKS = 16
_FIRST_LOOKS = 1000
_BODY = (" ", "+", "-", "@", "\\")  # what lines of a diff begin with


class Part(NamedTuple):
    """One or more blocks of an answer that are whole, lines `first` to `last` with what is written above them.

    `result` is what they would do after the parts before; its lines count from the beginning of `text`.
    """

    first: int
    last: int
    text: str
    result: Result


class Feed:
    """An answer that is still being written, for a directory or for files in memory. Nothing is written until `finish`.

    The options are those of `apply` and `apply_to`.
    """

    def __init__(
        self,
        files: Folder | Mapping[str, str | bytes] | Tree,
        *,
        format: FormatName | None = None,
        syntax: SyntaxCheck = "warn",
        accept: Accept = None,
        settings: Settings | None = None,
    ) -> None:
        self._files, self._format, self._syntax, self._accept = files, format, syntax, accept
        self._settings = checked_settings(settings)
        rules = None if accept is None else rules_of(accept)
        self._options = ApplyOptions(syntax=checked_mode(syntax), corrections=False, accept=rules)
        format_or_empty(format)  # a wrong name raises now
        self._texts: list[str] = []
        self._line = ""  # the beginning of a line that isn't complete
        self._lines: list[str] = []  # complete lines that are in no part yet
        self._above = 0  # lines of the answer above those
        self._looks = _FIRST_LOOKS
        self._file = ""  # the file that the last part was about
        self._changes: dict[str, FileChange] = {}  # of all parts
        self._finished = False

    def feed(self, text: str) -> list[Part]:
        """Take the next piece of the answer; return what has become whole by it."""
        if self._finished:
            raise ValueError("the answer is finished: make another Feed for the next one")
        self._texts.append(text)
        if "\n" not in text:
            self._line += text
            return []
        *complete, self._line = (self._line + text).split("\n")
        parts = []
        for line in complete:
            self._lines.append(line.removesuffix("\r"))
            self._looks += _LOOKS
            while self._looks >= len(self._lines) and _may_follow(self._lines) and (part := self._next_part()):
                parts.append(part)
        return parts

    def finish(self) -> Result:
        """Apply the whole answer, exactly as `apply` or `apply_to` does."""
        self._finished = True
        answer, files = "".join(self._texts), self._files
        if isinstance(files, str | PathLike):
            return apply(
                answer, files, format=self._format, syntax=self._syntax, accept=self._accept, settings=self._settings
            )
        return apply_to(answer, files, format=self._format, syntax=self._syntax, accept=self._accept)

    def _next_part(self) -> Part | None:
        """Plan the first block that is whole, if there is one, on the files as the parts before leave them."""
        self._looks -= len(self._lines)
        try:
            lines = self._lines
            if not self._above and any("<" in line for line in lines):
                lines = without_thinking("\n".join(lines))[0].split("\n")
            end = first_whole(lines)
            if not end:
                return None
            text = "\n".join([*lines[:end], ""])
            patch = read(text, format_or_empty(self._format), file=self._file)
        except Refused:  # what can't be read may still be unfinished
            return None
        if patch.problems:
            return None
        with self._tree() as tree:
            after = TreeAfter(tree, Plan(Patch(""), tuple(self._changes.values())))
            result = apply_to_tree(text, patch, after, self._options)
        if result.ok:
            self._changes.update((change.path, change) for change in result.plan.changes)
        if patch.ops:
            self._file = paths_of(patch.ops[-1])[-1]
        part = Part(self._above + 1, self._above + end, text, result._replace(dry_run=True))
        self._lines, self._above = self._lines[end:], self._above + end
        return part

    def _tree(self) -> AbstractContextManager[Planned]:
        if isinstance(self._files, str | PathLike):
            return DiskTree(root_path(self._files), self._settings)
        return nullcontext(as_tree(self._files))


def _may_follow(lines: list[str]) -> bool:
    """Return True if a block may have ended in the line above the last one."""
    line, previous = lines[-1], lines[-2] if len(lines) > 1 else ""
    if not line.strip():
        return False
    bare = previous.strip()
    is_diff = previous.startswith(_BODY) and not line.startswith(_BODY)
    return (
        is_diff or not bare or bare[-1] in ">}])" or bool(fence_of(previous) or closing(previous) or opening([line], 0))
    )

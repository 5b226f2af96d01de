"""The table of formats: what texts in each contain, what it can express, how changes are written in it."""

from __future__ import annotations

import os
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

from ..hints import FormatName

if TYPE_CHECKING:
    from types import ModuleType

    from ..author.line_changes import LineChange
    from ..limits import Tally
    from ..model import FileChange, Op, Patch
    from ..text import Text

_HOME = os.path.dirname(__file__)


class Writing(NamedTuple):
    """How `author/describe.py` writes the changes of a file in a format.

    update: what changed lines become: "hunks" (context, removed and added lines), "texts" (old and new text, not bound
        to whole lines), "numbers" (new lines for numbered ones), "own" (whatever `operations` in write.py makes of
        them), "" (nothing: the file is written in full).
    near: changes with at most so many lines between them become one.
    context: how many lines are shown around a change; 0: as few as make it unique.
    like_git: with line numbers, the lines of deleted files, a note if a file ends without a newline.
    creates_empty: a file is created without contents, which an edit then adds.
    whole: how to write an update that lines can't express: "overwrite" (the new contents), "replace" (delete the file,
        then create it), "show" (the new lines, while BOM and line endings stay), "" (not at all).
    """

    update: str = "hunks"
    near: int = 0
    context: int = 0
    like_git: bool = False
    creates_empty: bool = False
    whole: str = ""


class Format(NamedTuple):
    """One format.

    can: what it can express: create, delete, move, overwrite, mode, blank_lines, final_newline, symbols.
    writing: how changes are written in it.
    signs: every text in the format contains one of them.
    starts, ends: what the first and the last line of a block begin with, if blocks have markers. The reader says which
        of these lines are markers (`opens`, `closes`), and how far a block goes (`block_end`).
    opener: a pattern that the first line of a block must match as well, so that similar lines of other formats don't
        load the reader.
    tallied: each hunk is an operation, and the reader shows them to a tally as it goes.
    nameless: edits may name no file; they apply to the one that the caller names.
    """

    name: FormatName
    summary: str
    can: frozenset[str]
    writing: Writing
    signs: tuple[str, ...] = ("",)
    starts: tuple[str, ...] = ()
    ends: tuple[str, ...] = ()
    opener: str = ""
    tallied: bool = False
    nameless: bool = False

    def sniff(self, text: str) -> int:
        """Rate from 0 to 100 how much a text looks like the format."""
        for sign in self.signs:
            if sign in text:
                score: int = self.reader.sniff(text)
                return score
        return 0

    def parse(self, text: str, tally: Tally | None = None, file: str = "") -> Patch:
        """Read a text in the format. `tally` sees the operations while they are read, and may refuse them.

        `file`: the path of edits that name none.
        """
        more: dict[str, object] = {"tally": tally} if tally and self.tallied else {}
        if file and self.nameless:
            more["file"] = file
        patch: Patch = reader_of(self.name).parse(text, **more)
        return patch

    def render(self, changes: tuple[FileChange, ...]) -> str:
        """Return changes as a text in the format; raise Refused for one that it can't express.

        It isn't checked that the text is read as these changes: `make` does that.
        """
        from ..author.describe import describe

        ops = describe(changes, self)
        return self.write(ops) if ops else ""

    def write(self, ops: tuple[Op, ...]) -> str:
        """Return operations, as `parse` reads them, as a text; raise Refused for one that it can't express."""
        text: str = _writer_of(self.name).write(ops)
        return text

    def operations(self, path: str, before: Text, changes: list[LineChange]) -> list[tuple[Op, ...]]:
        """Return the ways to express changed lines, the plainest first, if `writing.update` is "own"."""
        ways: list[tuple[Op, ...]] = _writer_of(self.name).operations(path, before, changes)
        return ways

    @property
    def prompt(self) -> str:
        """The instructions for a model that writes the format."""
        return _text_of(self.name, "prompt.md")

    @property
    def grammar(self) -> str:
        """The grammar of what a model may write, in the notation of Lark; "" for a format that is JSON."""
        return _text_of(self.name, "grammar.lark")

    @property
    def tool(self) -> str:
        """The definition of the tool that models call, as JSON; "" if the format isn't called as a tool."""
        return _text_of(self.name, "tool.json")

    @property
    def reader(self) -> ModuleType:
        """Its `read.py`."""
        return reader_of(self.name)


@cache
def reader_of(format: str) -> ModuleType:
    """Return the `read.py` of a format."""
    return import_module(f"{__package__}.{_folder(format)}.read")


@cache
def _writer_of(format: str) -> ModuleType:
    return import_module(f"{__package__}.{_folder(format)}.write")


def _folder(format: str) -> str:
    return format.replace("-", "_")


@cache
def _text_of(format: str, file: str) -> str:
    """Return the text of a file in a format's folder; "" if there is none."""
    try:
        with open(os.path.join(_HOME, _folder(format), file), encoding="utf-8", newline="") as opened:
            return opened.read()
    except FileNotFoundError:
        return ""


FORMATS = (
    Format(
        "begin-patch",
        '"*** Begin Patch": sections for each file, hunks of kept, removed and added lines (V4A, apply_patch, '
        "Zenpatch)",
        frozenset(("create", "delete", "move", "overwrite", "final_newline", "blank_lines")),
        Writing(near=2, whole="replace"),
        signs=("***",),
        starts=("***",),
        ends=("***",),
    ),
    Format(
        "chunk",
        "CHUNK YAML: operations with a marker to find and a payload to put there",
        frozenset(("create", "delete", "overwrite")),
        Writing("own", near=2, whole="overwrite"),
        signs=("op",),
        starts=(
            *(f"{quote}{key}" for key in ("operations", "description", "language") for quote in ("", "'", '"')),
            *("- path:", "- path :", "- op:", "- {"),
        ),
        tallied=True,
    ),
    Format(
        "chunk-v2",
        "Chunk v2: sections that replace, insert or delete by line number or by exact text",
        frozenset(("create", "delete", "overwrite", "blank_lines")),
        Writing("numbers", whole="overwrite"),
        signs=("=== file:",),
        starts=("=== file:", "--- replace", "--- delete", "--- insert-", "--- create-file"),
        ends=("=END=",),
        tallied=True,
    ),
    Format(
        "elided",
        "Files shown in part: a path, then the parts that change in a fence, with `... existing code ...` between",
        frozenset(("create", "overwrite")),
        Writing("own", whole="show"),
        signs=("```", "~~~", "<file ", "<document "),
    ),
    Format(
        "json-edits",
        "JSON edits: calls of the edit tools of Anthropic, OpenAI, Gemini, MCP and their kin",
        frozenset(("create", "delete", "move", "overwrite", "final_newline", "blank_lines")),
        Writing("texts", near=1, whole="overwrite"),
        signs=("{", "<", '["apply', "]\n", "cat ", "tee ", "sed "),
        tallied=True,
        nameless=True,
    ),
    Format(
        "search-replace",
        "SEARCH/REPLACE blocks below a path: the old lines, then the new ones (aider, Cline, Roo)",
        frozenset(("create", "blank_lines")),
        Writing(near=1),
        signs=("SEARCH", "ORIGINAL", "> REPLACE", "<<<<", "</patched>", "</new_text>", "</replace>"),
        starts=("<<<<", "---", "<original", "<old_", "<search>", "<file>"),
        ends=(">>>>", "+++", "</"),
        opener=r"(?i)<|-+\s*search",
        tallied=True,
        nameless=True,
    ),
    Format(
        "symbol-chunks",
        "Symbol chunks: edits inside one function or class, named by its name path or its position; whole symbols",
        frozenset(("blank_lines", "symbols")),
        Writing("own", near=2),
        signs=("chunks", "name_path", "namePath", '"op"'),
    ),
    Format(
        "unified",
        "unified diffs, plain or git's, with wrong counts and line numbers too",
        frozenset(("create", "delete", "final_newline", "mode", "blank_lines")),
        Writing(near=6, context=3, like_git=True),
        signs=("---", "+++ ", "@@", "diff ", "Binary files", "GIT binary", "***************", "```diff", "```patch"),
        starts=("---", "+++ ", "@@", "diff ", "Index: "),
        nameless=True,
    ),
    Format(
        "whole-file",
        "Whole files: a path on its own line, then the full contents in a fence",
        frozenset(("create", "overwrite", "blank_lines")),
        Writing("", whole="show"),
        signs=("```", "~~~", "<file ", "<document "),
    ),
    Format(
        "workspace-edit",
        "WorkspaceEdit: the edits of language servers, by line and column; files made, renamed and deleted",
        frozenset(("create", "delete", "move", "overwrite", "final_newline", "blank_lines")),
        Writing("own", creates_empty=True),
        signs=('"changes', "'changes", "documentChanges"),
    ),
)

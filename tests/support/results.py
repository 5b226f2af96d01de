"""A result that was applied and one that was refused, for the tests of reports."""

from __future__ import annotations

from anypatch.model import (
    AppliedSplices,
    Claims,
    Delete,
    Edit,
    File,
    FileChange,
    Hunk,
    MatchPolicy,
    Move,
    Note,
    Outcome,
    Patch,
    Plan,
    Receipt,
    Write,
    join_lines,
)
from anypatch.problems import Near, Problem
from anypatch.result import Result
from anypatch.text import Text

HUNK = Hunk(
    "two\n", "zwei\n", MatchPolicy(("exact", "indentation"), indents="mapped"), Claims(line=2, headers=("class A",)), 7
)
EDIT = Edit("a.txt", (HUNK,), 6, "replace_text")
BEFORE, AFTER = File(b"one\ntwo\nthree\n"), File(b"zero\none\nzwei\ndrei\n")
TEXT = Text.read(BEFORE.data)
MADE = (
    AppliedSplices(TEXT, [TEXT.replaced_rows(0, 0, ["zero"])], "start"),
    AppliedSplices(TEXT, [TEXT.replaced_rows(1, 2, ["zwei", "drei"])], "exact"),
    AppliedSplices(TEXT, [TEXT.replaced_rows(2, 3, [])], "indent"),
)
OUTCOMES = (
    Outcome(1, EDIT, "a.txt", MADE, notes=(Note("aligned", "a.txt", 8),)),
    Outcome(2, Write("new.txt", "x\ny\n", label="create_file"), "new.txt"),
    Outcome(3, Write("there.txt", "x", overwrite=True), "there.txt"),
    Outcome(4, Delete("old.txt"), "old.txt"),
    Outcome(5, Move("from.txt", "to.txt"), "from.txt"),
)
CHANGES = (
    FileChange("a.txt", BEFORE, AFTER),
    FileChange("new.txt", None, File(b"x\ny\n")),
    FileChange("there.txt", File(b"q\n"), File(b"x\n")),
    FileChange("old.txt", File(b"gone\n"), None),
    FileChange("from.txt", File(b"m\n"), None),
    FileChange("to.txt", None, File(b"m\n")),
)
PATCH = Patch("chunk", (EDIT,), "Say it in German")
DONE = Result(True, Plan(PATCH, CHANGES, OUTCOMES), (), (Note("aligned", "a.txt", 8),), Receipt("R1", CHANGES))
MISSED = Problem(
    "not_found",
    "line 2 of the marker differs",
    "a.txt",
    7,
    2,
    near=(Near(2, ("Two", "three"), "differs in case"),),
    op=1,
)
UNREAD = Problem("bad_patch", "no `op`", patch_line=12, advice="Write op: replace_text.")
REFUSED = Result(
    False,
    Plan(PATCH, (), (OUTCOMES[0]._replace(applied=(), problems=(MISSED,)), OUTCOMES[1])),
    (MISSED, UNREAD),
    (Note("a fence was taken off"),),
)


def marked(style: str, text: str) -> str:
    return f"<{style}>{text}</>" if style else text


def missed(old: list[str], *near: Near) -> Result:
    """A report on one hunk that looked for these lines."""
    edit = Edit("a.txt", (HUNK._replace(old=join_lines(old), new=""),), 6)
    problem = MISSED._replace(near=near)
    return Result(False, Plan(PATCH, (), (Outcome(1, edit, "a.txt", problems=(problem,)),)), (problem,))

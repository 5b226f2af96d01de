"""Reports from hand-made values: the truth in words for people and models, and as JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import anypatch
from anypatch.model import (
    AppliedSplices,
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
    Where,
    Write,
    join_lines,
)
from anypatch.problems import KINDS, Near, Problem
from anypatch.report.difference import first_difference, visible
from anypatch.report.explain import explain
from anypatch.report.files import diff_of
from anypatch.report.json import as_json, json_text
from anypatch.report.models import for_model
from anypatch.report.people import Layout, for_people
from anypatch.report.words import quoted
from anypatch.result import Result
from anypatch.text import Text

HUNK = Hunk(
    "two\n", "zwei\n", MatchPolicy(("exact", "indentation"), indents="mapped"), Where(line=2, under=("class A",)), 7
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


def test_people_read_what_became_of_each_file_in_a_line() -> None:
    listed = [
        "M a.txt              +3 -2",
        "A new.txt            +2",
        "M there.txt          +1 -1",
        "D old.txt            -1",
        "R from.txt → to.txt",
    ]
    assert for_people(DONE) == [*listed, "applied: 5 files, +6 -4"], (
        "how a place was found is told only if it is asked for"
    )
    assert for_people(DONE, Layout(verbose=True)) == [
        *listed,
        "  a.txt",
        "    inserted 1 line at the start (start)",
        "    replaced line 2 with 2 lines",
        "    deleted line 3 (indent)",
        "  new.txt",
        "    created, 2 lines",
        "  there.txt",
        "    overwritten, 1 line",
        "  old.txt",
        "    deleted",
        "  from.txt",
        "    moved to to.txt",
        "note: a.txt: aligned (line 8 of the answer)",
        "applied: 5 files, +6 -4",
    ]


def test_a_long_list_is_folded_and_a_long_path_moves_no_other() -> None:
    changes = tuple(FileChange(f"d/f{n}", None, File(b"x\n")) for n in range(50))
    changes = (FileChange("d/" + "long" * 40, None, File(b"x\n")), *changes)
    report = Result(True, Plan(PATCH, changes), dry_run=True)
    lines = for_people(report, Layout(width=60, commands=True))
    assert len(lines) == 32 and lines[-2] == "… and 21 more files (-v lists them)" and "A d/f1   +1" in lines
    assert "-v" not in for_people(report)[-2], "a caller of the library has no such option"
    assert len(for_people(report, Layout(verbose=True))) == 52


def test_words_wrap_at_the_width_of_the_terminal() -> None:
    report = Result(False, Plan(PATCH), (Problem("would_shrink", "only 3 of its 400 lines are shown", "a.txt"),))
    lines = for_people(report, Layout(width=40, commands=True))
    assert max(map(len, lines)) <= 40 and lines[0].startswith("error: ")
    assert [line for line in lines if line.startswith("hint: ")] and any(line.startswith("      ") for line in lines)


def test_a_dry_run_never_claims_to_have_written() -> None:
    lines = for_people(DONE._replace(receipt=None, dry_run=True))
    assert lines[-1] == "would change 5 files, +6 -4; nothing was written"
    assert not any("applied" in line for line in lines)


def test_an_empty_plan_says_so() -> None:
    report = Result(True, Plan(PATCH, (), (Outcome(1, EDIT, "a.txt"),)))
    assert for_people(report)[-1] == "nothing to change: the files already are as the answer would have them"
    assert for_people(Result(True, Plan(PATCH)))[-1] == "nothing to change: the answer has no edits"


def test_people_can_bound_it_too() -> None:
    assert for_people(DONE, Layout(max_lines=3)) == [
        "M a.txt              +3 -2", "… 4 more lines left out", "applied: 5 files, +6 -4",
    ]  # fmt: skip
    assert for_people(DONE, Layout(max_lines=1)) == ["applied: 5 files, +6 -4"]
    assert for_people(REFUSED, Layout(max_lines=3))[2] == "… 12 more lines left out"


def test_undo_is_told_by_file() -> None:
    changes = tuple(change.inverse() for change in CHANGES[:2] + CHANGES[3:4])
    lines = for_people(Result(True, Plan(PATCH, changes), receipt=Receipt("R1", changes, undone=True)))
    assert lines == ["M a.txt    +2 -3", "D new.txt  -2", "A old.txt  +1", "undone: 3 files, +3 -5"]


def test_people_read_every_reason_how_patch_and_file_differ_and_that_nothing_was_changed() -> None:
    assert for_people(REFUSED) == [
        "error: line 2 of the marker differs",
        "  --> a.txt:2, line 7 of the answer",
        "    --- the answer",
        "    +++ a.txt, line 2",
        "    -two",
        "    +Two",
        "hint: " + KINDS["not_found"].advice,
        "",
        "error: the patch cannot be read: no `op`",
        "  --> line 12 of the answer",
        "hint: Write op: replace_text.",
        "note: a fence was taken off",
        "",
        "refused, nothing was changed; 1 of 2 edits would have fit",
    ]


def test_a_library_is_told_of_no_options() -> None:
    report = Result(False, Plan(PATCH), (Problem("file_exists", "a.txt exists", "a.txt"),))
    assert "--overwrite" not in str(report) and "--overwrite" in "\n".join(for_people(report, Layout(commands=True)))


def test_a_failing_machine_is_not_called_a_refusal() -> None:
    report = Result(False, Plan(PATCH), (Problem("io", "no space left"),))
    assert for_people(report)[-1] == "failed; the change was not completed"


def test_long_regions_are_cut_and_say_so() -> None:
    near = Near(95, tuple(f"line {n}" for n in range(30)))
    lines = for_people(Result(False, Plan(PATCH), (MISSED._replace(near=(near,)),)))
    assert "   95 | line 0" in lines
    assert any(line.endswith("… 18 more lines") for line in lines)


def test_a_region_is_cut_where_its_marked_line_stays() -> None:
    old = join_lines(f"line {n if n < 19 else 'XX'}" for n in range(20))
    edit = Edit("a.txt", (HUNK._replace(old=old, new=""),), 6, "replace_text")
    problem = MISSED._replace(near=(Near(1, tuple(f"line {n}" for n in range(30))),))
    report = Result(False, Plan(PATCH, (), (Outcome(1, edit, "a.txt", problems=(problem,)),)), (problem,))
    assert "    -line XX" in for_people(report) and "    +line 19" in for_people(report)
    assert " > 20 | line 19" in for_model(report, max_lines=12).split("\n")


def test_lines_of_megabytes_are_not_shown_whole() -> None:
    huge = "x" * 1_000_000
    problem = Problem("not_found", huge, huge, 1, 1, "", (Near(1, (huge,), huge),), 1)
    report = Result(False, Plan(PATCH, (), (Outcome(1, EDIT, huge, problems=(problem,)),)), (problem,), (Note(huge),))
    assert sum(map(len, for_people(report))) < 5000
    assert len(for_model(report)) < 5000


# ── the first difference ─────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("there", "said", "shown"),
    [
        ("a = b", "a = c", ("a = b", "a = c")),
        ("f(a,  b)", "f(a, b)", ("f(a,··b)", "f(a,·b)")),
        ("\treturn 1", "    return 1", ("→return 1", "····return 1")),
        ("return 1", "return 1 ", ("return 1", "return 1·")),
        ("a + b", "a\u00a0+ b", ("a·+ b", "a⍽+ b")),
        ("a = b", "a =\u200b c", ("a = b", "a =⍽ c")),
        ("ab", "a b", ("ab", "a b")),
        ("", "", ("", "")),
    ],
)
def test_white_space_is_visible_where_it_differs(there: str, said: str, shown: tuple[str, str]) -> None:
    assert visible(there, said) == shown


def missed(old: list[str], *near: Near) -> Result:
    """A report on one hunk that looked for these lines."""
    edit = Edit("a.txt", (HUNK._replace(old=join_lines(old), new=""),), 6)
    problem = MISSED._replace(near=near)
    return Result(False, Plan(PATCH, (), (Outcome(1, edit, "a.txt", problems=(problem,)),)), (problem,))


def test_the_first_difference_is_found() -> None:
    report = missed(["def f():", "  return  1"], Near(5, ("def f():", "", "    return 1", "x")))
    assert first_difference(report.problems[0], report) == (7, "    return 1", "  return  1")
    told = for_model(report).split("\n")
    assert told[3:12] == [
        "   closest match:",
        "   5 | def f():",
        "   6 | ",
        " > 7 |     return 1",
        "   8 | x",
        "   line 7 with its whitespace made visible (· is a space, → a tab, ⍽ another kind of space):",
        "   file : ····return·1",
        "   patch: ··return··1",
        "   " + KINDS["not_found"].advice,
    ]
    assert "    +····return·1" in for_people(report) and "    -··return··1" in for_people(report)
    indented = missed(["def f():", "return 1"], Near(1, ("def f():", "    return 1")))
    assert first_difference(indented.problems[0], indented) == (2, "    return 1", "return 1")


def test_of_a_long_hunk_the_lines_around_the_difference_are_shown() -> None:
    text = "".join(f"line {n}\n" for n in range(60))
    old = [f"line {n}" for n in range(10, 50)]
    patch = "".join(f" {line}\n" for line in ["", *old]).replace("line 35\n", "line thirty-five\n")
    report = anypatch.apply_to(f"--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n{patch}-line 50\n+x\n", {"a.txt": text})
    told = for_people(report)
    start = told.index("    --- the answer")
    assert told[start : start + 11] == [
        "    --- the answer",
        "    +++ a.txt, line 33",
        *(f"     line {n}" for n in (32, 33, 34)),
        "    -line thirty-five",
        "    +line 35",
        *(f"     line {n}" for n in (36, 37, 38)),
        "hint: " + KINDS["not_found"].advice,
    ], "what stands below the region isn't missing, and the blank line above it isn't compared"
    assert " > 36 | line 35" in [line.rstrip() for line in for_model(report).split("\n")]


def test_of_long_lines_the_part_that_differs_is_shown() -> None:
    there, said = "x" * 5000 + " a" + "y" * 5000, "x" * 5000 + "  a" + "y" * 5000
    report = missed([said], Near(1, (there,)))
    lines = for_model(report).split("\n")
    assert [line[:11] for line in lines if "·a" in line] == ["   file : …", "   patch: …"]
    assert max(map(len, lines)) < 400


def test_what_stands_around_a_place_is_no_difference() -> None:
    report = missed(["two", "three"], Near(1, ("one", "two", "three")))
    assert first_difference(report.problems[0], report) is None
    assert first_difference(MISSED, Result(False, Plan(PATCH), (MISSED,))) is None


def test_without_a_near_region_it_is_said_what_was_looked_for() -> None:
    report = missed(["", "  the line", "b"])
    assert "  looked for: the line" in for_people(report)
    assert "   looked for: the line" in for_model(report).split("\n")


def test_places_without_lines_are_one_line_each() -> None:
    near = (Near(3, ("  x",), "line 3, in `class A:`"), Near(9, (), "line 9, in `class B:`"), Near(12))
    report = Result(False, Plan(PATCH), (Problem("ambiguous", "", "a.txt", 7, 3, near=near),))
    assert for_model(report).split("\n")[3:7] == [
        "   line 3, in `class A:`:", "   3 |   x", "   line 9, in `class B:`", "   it fits here: line 12",
    ]  # fmt: skip


def test_the_hunk_of_several_is_named() -> None:
    edit = EDIT._replace(hunks=(HUNK._replace(patch_line=3), HUNK, HUNK._replace(patch_line=20)))
    report = Result(False, Plan(PATCH, (), (Outcome(1, edit, "a.txt", problems=(MISSED,)),)), (MISSED,))
    told = "  --> a.txt:2, line 7 of the answer, edit 1 (replace_text), hunk 2 of 3"
    assert told in for_people(report, Layout(verbose=True)) and told not in for_people(report)


def test_what_fits_of_a_patch_that_cannot_be_read_whole() -> None:
    told = for_model(Result(False, Plan(PATCH, (), OUTCOMES[:2]), (UNREAD,)))
    assert told.split("\n")[1].startswith("What could be read fits, but nothing is written")


def test_what_fits_is_named_by_ranges() -> None:
    bad = Outcome(4, EDIT, "a.txt", problems=(MISSED._replace(op=4),))
    outcomes = tuple(bad if n == 4 else Outcome(n, EDIT, "a.txt") for n in range(1, 9))
    told = for_model(Result(False, Plan(PATCH, (), outcomes), bad.problems))
    assert told.split("\n")[1].startswith("Edits 1-3, 5-8 fit, but nothing is written")


def test_all_that_is_foreign_goes_through_the_painter() -> None:
    evil = "\x1b[2J"
    near = (Near(1, (evil,), evil),)
    problem = Problem("not_found", f"{evil}\n{evil}", evil, 1, 1, evil, near, 1)
    op = Move(evil, evil, label=evil)
    outcomes = (
        Outcome(1, op, evil),
        Outcome(2, EDIT, evil, (AppliedSplices(TEXT, [TEXT.replaced_rows(0, 1, ["x"])], evil),)),
    )
    patch = Patch(evil, (op, EDIT._replace(path=evil, label=evil)), evil)
    changes = (FileChange(evil, File(evil.encode()), File(b"x")),)
    failed = Result(False, Plan(patch, (), outcomes), (problem,), (Note(evil, evil),))
    done = Result(True, Plan(patch, changes, outcomes), (), (Note(evil, evil),))

    def cleaned(style: str, text: str) -> str:
        return text.replace("\x1b", "ESC")

    look = Layout(cleaned, verbose=True)
    shown = for_people(failed, look) + for_people(done, look) + diff_of(done, cleaned)
    shown += explain(patch, failed, (), cleaned) + explain(patch, done, (), cleaned)
    assert "\x1b" not in "\n".join(shown)
    assert sum("ESC" in line or "\\x1b" in line for line in shown) > 20


def test_names_stay_on_their_line() -> None:
    report = Result(True, Plan(PATCH, (), (Outcome(1, Delete("a\nb"), "a\nb"),)))
    assert for_people(report, Layout(verbose=True))[0] == "  a\\nb"
    assert quoted("e\x1b[2J\u202e\x9b\tä\udcff") == "e\\x1b[2J\\u202e\\x9b\tä\udcff"


def test_permissions_are_told() -> None:
    change = FileChange("run.sh", File(b"x\n"), File(b"x\n", 0o755))
    new = FileChange("new.sh", None, File(b"", 0o755))
    outcomes = (
        Outcome(1, Edit("run.sh", (), mode=0o755), "run.sh"),
        Outcome(2, Write("new.sh", "", mode=0o755), "new.sh"),
        Outcome(3, Write("a", "", mode=0o644), "a"),
    )
    report = Result(True, Plan(PATCH, (change, new), outcomes))
    assert for_people(report, Layout(verbose=True))[:8] == [
        "M run.sh  mode 755", "A new.sh  mode 755", "  run.sh", "    permissions 755", "  new.sh",
        "    created, 0 lines, permissions 755", "  a", "    created, 0 lines",
    ]  # fmt: skip
    assert diff_of(report) == [
        "permissions 644 to 755: run.sh", "permissions 755: new.sh", "--- /dev/null", "+++ b/new.sh",
    ]  # fmt: skip
    assert as_json(report)["changes"] == [
        {"path": "run.sh", "action": "update", "added": 0, "removed": 0, "mode": "755"},
        {"path": "new.sh", "action": "create", "added": 0, "removed": 0, "mode": "755"},
    ]


def test_the_diff_is_painted_by_what_its_lines_are() -> None:
    change = FileChange("f", File(b"-- x\nb\n"), File(b"b\n++ y\n"))
    assert diff_of(Result(True, Plan(PATCH, (change,))), marked) == [
        "<strong>--- a/f</>", "<strong>+++ b/f</>", "<hunk>@@ -1,2 +1,2 @@</>", "<remove>--- x</>",
        " b", "<add>+++ y</>",
    ]  # fmt: skip


def test_the_diff_of_a_move_and_of_bytes() -> None:
    move = Result(True, Plan(PATCH, CHANGES[4:], OUTCOMES[4:]))
    assert diff_of(move) == ["--- a/from.txt", "+++ b/to.txt"]
    picture = FileChange("p.png", File(b"\x89PNG1"), File(b"\x89PNG2"))
    assert diff_of(Result(True, Plan(PATCH, (picture,)))) == ["binary contents differ: p.png"]


def test_json_of_what_was_done() -> None:
    value = as_json(DONE)
    assert value["ok"] is True
    assert value["dry_run"] is False
    assert (value["format"], value["description"], value["receipt"]) == ("chunk", "Say it in German", "R1")
    assert value["changes"] == [
        {"path": "a.txt", "action": "update", "added": 3, "removed": 2},
        {"path": "new.txt", "action": "create", "added": 2, "removed": 0},
        {"path": "there.txt", "action": "update", "added": 1, "removed": 1},
        {"path": "old.txt", "action": "delete", "added": 0, "removed": 1},
        {"path": "to.txt", "action": "move", "from": "from.txt", "added": 0, "removed": 0},
    ]
    operations = value["operations"]
    assert isinstance(operations, list)
    assert operations[0] == {
        "number": 1, "label": "replace_text", "path": "a.txt", "start": 1, "end": 3, "new_lines": 3,
        "how": "start, exact, indent", "patch_line": 6, "ok": True, "applied": "all", "notes": ["aligned"],
        "parts": [
            {"start": 1, "end": 0, "new_lines": 1, "how": "start"},
            {"start": 2, "end": 2, "new_lines": 2, "how": "exact"},
            {"start": 3, "end": 3, "new_lines": 0, "how": "indent"},
        ],
    }  # fmt: skip
    assert (operations[1]["start"], operations[1]["end"], operations[1]["new_lines"]) == (None, None, 2)
    assert operations[4]["to"] == "to.txt"
    assert value["notes"] == [{"kind": None, "text": "aligned", "path": "a.txt", "patch_line": 8, "line": None}]


def test_json_of_a_refusal() -> None:
    value = as_json(REFUSED)
    assert (value["ok"], value["changes"], value["receipt"], value["dry_run"]) == (False, [], None, False)
    assert value["problems"] == [
        {
            "kind": "not_found", "path": "a.txt", "patch_line": 7, "line": 2, "operation": 1,
            "message": "line 2 of the marker differs",
            "advice": KINDS["not_found"].advice,
            "near": [{"line": 2, "text": "Two\nthree", "note": "differs in case"}],
            "difference": {"line": 2, "file": "Two", "patch": "two"}, "corrected": [],
        },
        {
            "kind": "bad_patch", "path": None, "patch_line": 12, "line": None, "operation": None,
            "message": "the patch cannot be read: no `op`", "advice": "Write op: replace_text.", "near": [],
            "difference": None, "corrected": [],
        },
    ]  # fmt: skip


def test_json_tells_a_dry_run() -> None:
    assert as_json(DONE._replace(receipt=None, dry_run=True))["dry_run"] is True
    assert as_json(DONE._replace(receipt=None))["dry_run"] is False, "files in memory were changed"


def test_json_is_valid_whatever_the_bytes() -> None:
    report = Result(False, Plan(Patch("chunk")), (Problem("not_found", "\udcff\x00", "näme\udc80"),))
    text = json_text(as_json(report))
    assert json.loads(text.encode("utf-8"))["problems"][0]["path"] == "näme\udc80"
    assert "\n" not in text


def test_a_model_reads_what_failed_and_what_to_write() -> None:
    assert for_model(REFUSED).split("\n") == [
        "Refused, nothing was changed.",
        "Edit 2 fits, but nothing is written until all do: fix the others and send the whole patch again.",
        "1. not_found: line 2 of the marker differs",
        "   at a.txt:2, line 7 of the answer, edit 1 (replace_text)",
        "   differs in case:",
        " > 2 | Two",
        "   3 | three",
        "   " + KINDS["not_found"].advice,
        "2. bad_patch: the patch cannot be read: no `op`",
        "   at line 12 of the answer",
        "   Write op: replace_text.",
    ]


def test_a_model_reads_what_was_done() -> None:
    assert for_model(DONE).split("\n")[:2] == ["Applied; receipt R1.", "5 files changed (5 edits)"]
    dry = for_model(DONE._replace(receipt=None, dry_run=True))
    assert dry.split("\n")[0] == "It fits; nothing was written."


def test_what_is_said_to_be_written_was_written(tmp_path: Path) -> None:
    """In memory, by a check, on a disk, undone and made again: each way of running has its own words."""
    patch = "*** Begin Patch\n*** Update File: a.txt\n@@\n-a\n+b\n*** End Patch\n"
    (tmp_path / "a.txt").write_text("a\n")
    said = {
        "memory": anypatch.apply_to(patch, {"a.txt": "a\n"}),
        "check": anypatch.preview(patch, tmp_path),
        "apply": anypatch.apply(patch, tmp_path),
        "again": anypatch.apply(patch, tmp_path),
        "undo": anypatch.undo(tmp_path),
        "redo": anypatch.redo(tmp_path),
        "recover": anypatch.recover(tmp_path),
        "no-op": anypatch.apply_to(patch, {"a.txt": "b\n"}),
    }
    id = said["apply"].receipt.id if said["apply"].receipt else ""
    first = {name: for_model(report).split("\n")[0] for name, report in said.items()}
    assert first == {
        "memory": "Applied.", "check": "It fits; nothing was written.", "apply": f"Applied; receipt {id}.",
        "again": "Refused, nothing was changed.", "undo": f"Undone; receipt {id}.", "redo": f"Redone; receipt {id}.",
        "recover": "nothing to recover", "no-op": first["no-op"],
    }  # fmt: skip
    assert not first["no-op"].startswith("Applied")
    last = {name: for_people(report)[-1] for name, report in said.items() if report.ok}
    assert (last["memory"], last["apply"]) == ("changed: 1 file, +1 -1", "applied: 1 file, +1 -1")
    assert last["check"] == "would change 1 file, +1 -1; nothing was written"
    assert (last["undo"], last["redo"]) == ("undone: 1 file, +1 -1", "redone: 1 file, +1 -1")
    assert {name for name, report in said.items() if as_json(report)["dry_run"]} == {"check"}


def test_a_part_is_said_to_be_applied_only_where_it_was(tmp_path: Path) -> None:
    patch = "*** Begin Patch\n*** Update File: a.txt\n@@\n-a\n+b\n*** Update File: no.txt\n@@\n-x\n+y\n*** End Patch\n"
    (tmp_path / "a.txt").write_text("a\n")
    memory = for_model(anypatch.apply_to(patch, {"a.txt": "a\n"}, partial=True))
    assert memory.startswith("Applied in part.\nEdit 1 is applied: do not send it again.")
    check = for_model(anypatch.preview(patch, tmp_path, partial=True))
    assert check.startswith("It fits in part; nothing was written.\nEdit 1 is to be applied.")
    assert "do not send" not in check
    assert (tmp_path / "a.txt").read_text() == "a\n"


def test_of_two_edits_of_one_line_the_files_own_line_is_shown() -> None:
    block = "a.txt\n<<<<<<< SEARCH\nvalue = 1\n=======\nvalue = {}\n>>>>>>> REPLACE\n"
    report = anypatch.apply_to(block.format(2) + block.format(3), {"a.txt": "value = 1\n"})
    (problem,) = report.problems
    assert (problem.kind, problem.line, problem.patch_line, problem.op) == ("overlap", 1, 8, 2)
    assert problem.near[0].lines == ("value = 1",)
    assert "value = 2" not in for_model(report)


def test_control_characters_of_patch_and_file_are_shown_escaped() -> None:
    patch = "a.txt\n<<<<<<< SEARCH\nva\x1b[31mlue = 11\n=======\nx\n>>>>>>> REPLACE\n"
    for files in ({"a.txt": "va\x1b[31mlue = 1\nb\n"}, {"a.txt": "other\n"}):
        told = for_model(anypatch.apply_to(patch, files))
        assert "\x1b" not in told.split("```")[0]
        assert "\\x1b[31m" in told


def test_the_report_for_models_is_bounded() -> None:
    near = Near(1, tuple("x" for _ in range(500)))
    many = tuple(MISSED._replace(near=(near,), op=n) for n in range(1, 200))
    lines = for_model(Result(False, Plan(PATCH), many), max_lines=40).split("\n")
    assert len(lines) == 40
    full = sum(line.endswith(KINDS["not_found"].advice) for line in lines)
    named = sum(". not_found" in line for line in lines)
    assert 2 <= full < named
    assert lines[-1] == f"… {199 - named} more problems: {199 - named} not_found"
    for most in (1, 2, 3, 7):
        assert len(for_model(Result(False, Plan(PATCH), many), max_lines=most).split("\n")) == most
    one = for_model(Result(False, Plan(PATCH), many[:1]), max_lines=40)
    assert len(one.split("\n")) <= 40
    assert one.endswith(KINDS["not_found"].advice)


def test_explain_shows_every_stage() -> None:
    told = explain(PATCH, REFUSED, (("chunk", 90), ("chunk-v2", 0)))
    assert told[:8] == [
        "sniffed",
        "   90  chunk",
        "    0  chunk-v2",
        "parsed as chunk, 1 edit",
        "  Say it in German",
        "  1. replace_text a.txt (line 6)",
        "     hunk at line 7: line=2, under=('class A',); levels exact, indentation; indentation mapped; as is",
        "       -two",
    ]
    assert "  1. a.txt: not placed: not_found" in told
    assert told[-1] == "it does not fit"
    fits = explain(PATCH, DONE)
    assert "  1. a.txt: replaced line 2 with 2 lines (exact)" in fits
    assert "  1. a.txt: deleted line 3 (indent)" in fits
    assert "  2. new.txt: the whole file, 2 lines" in fits
    assert fits[-1] == "it fits"


@pytest.mark.parametrize(
    ("patch", "told"),
    [
        ("a.py#A/f\n```python\ndef f(self):\n    return 2\n```\n", "replaced line 3 with 1 line"),
        ("operations:\n  - path: a.py#A/f\n    op: delete_file\n", "deleted lines 2-3"),
    ],
)
def test_what_one_symbol_became_is_not_told_of_the_whole_file(patch: str, told: str) -> None:
    there = "class A:\n    def f(self):\n        return 1\n\n    def g(self):\n        return 3\n"
    lines = for_people(
        anypatch.apply_to(patch, {"a.py": there}, format="whole-file" if "```" in patch else None), Layout(verbose=True)
    )
    assert any(told in line for line in lines), lines

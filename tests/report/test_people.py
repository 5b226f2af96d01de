"""Reports for people."""

from __future__ import annotations

from pathlib import Path

import anypatch
from anypatch.model import (
    AppliedSplices,
    Delete,
    File,
    FileChange,
    Move,
    Note,
    Outcome,
    Patch,
    Plan,
)
from anypatch.problems import KINDS, Near, Problem
from anypatch.report.files import diff_of
from anypatch.report.json import as_json
from anypatch.report.models import for_model
from anypatch.report.people import Layout, explain, for_people, symbol_lines
from anypatch.report.words import quoted
from anypatch.result import Result
from support.results import DONE, EDIT, HUNK, MISSED, PATCH, REFUSED, TEXT, marked


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


def test_people_read_every_reason_how_patch_and_file_differ_and_that_nothing_was_changed() -> None:
    assert for_people(REFUSED) == [
        "error: line 2 of the marker differs",
        "  --> a.txt:2, line 7 of the answer",
        "    --- the answer",
        "    +++ a.txt, line 2",
        "    -two",
        "    +Two",
        "hint: " + KINDS["not_found"].hint,
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


def test_the_hunk_of_several_is_named() -> None:
    edit = EDIT._replace(hunks=(HUNK._replace(patch_line=3), HUNK, HUNK._replace(patch_line=20)))
    report = Result(False, Plan(PATCH, (), (Outcome(1, edit, "a.txt", problems=(MISSED,)),)), (MISSED,))
    told = "  --> a.txt:2, line 7 of the answer, edit 1 (replace_text), hunk 2 of 3"
    assert told in for_people(report, Layout(verbose=True)) and told not in for_people(report)


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


def test_control_characters_of_patch_and_file_are_shown_escaped() -> None:
    patch = "a.txt\n<<<<<<< SEARCH\nva\x1b[31mlue = 11\n=======\nx\n>>>>>>> REPLACE\n"
    for files in ({"a.txt": "va\x1b[31mlue = 1\nb\n"}, {"a.txt": "other\n"}):
        told = for_model(anypatch.apply_to(patch, files))
        assert "\x1b" not in told.split("```")[0]
        assert "\\x1b[31m" in told


# ── a run stage by stage ─────────────────────────────────────────────────────────────────────────


def test_explain_shows_every_stage() -> None:
    lines = explain(PATCH, REFUSED, (("chunk", 90), ("chunk-v2", 0)))
    assert lines[:8] == [
        "sniffed",
        "   90  chunk",
        "    0  chunk-v2",
        "parsed as chunk, 1 edit",
        "  Say it in German",
        "  1. replace_text a.txt (line 6)",
        "     hunk at line 7: line=2, headers=('class A',); levels exact, indentation; indentation mapped; as is",
        "       -two",
    ]
    assert "  1. a.txt: not placed: not_found" in lines
    assert lines[-1] == "it does not fit"
    fits = explain(PATCH, DONE)
    assert "  1. a.txt: replaced line 2 with 2 lines (exact)" in fits
    assert "  1. a.txt: deleted line 3 (indent)" in fits
    assert "  2. new.txt: the whole file, 2 lines" in fits
    assert fits[-1] == "it fits"


# ── symbols ──────────────────────────────────────────────────────────────────────────────────────


def test_symbols_are_listed_by_depth_with_their_lines() -> None:
    symbols = anypatch.outline("class A:\n    x = 1\n\n    def f(self):\n        return 1\n", path="a.py")
    assert symbol_lines(symbols, marked) == [
        "  class <strong>A</>  lines 1-5", "    variable <strong>A/x</>  line 2", "    method <strong>A/f</>  lines 4-5",
    ]  # fmt: skip


def test_a_symbol_with_errors_inside_says_so() -> None:
    symbols = anypatch.outline("def f(:\n    return 1\n\n\ndef g():\n    return 2\n", path="a.py")
    assert [line for line in symbol_lines(symbols) if "errors inside" in line] == [
        "  function f  lines 1-2  (errors inside)"
    ]

"""Reports from hand-made values: the truth in words for people and models, and as JSON."""

from __future__ import annotations

import json

from anypatch.errors import KINDS, Near, Problem
from anypatch.model import (
    Delete,
    Edit,
    File,
    FileChange,
    Hunk,
    Move,
    Note,
    Outcome,
    Patch,
    Plan,
    Receipt,
    Report,
    Rules,
    Splice,
    Where,
    Write,
)
from anypatch.report import as_json, diff_of, explain, for_model, for_people, json_text

HUNK = Hunk((("-", "two"), ("+", "zwei")), Where(line=2, under=("class A",)), Rules(("exact", "indent")), 7)
EDIT = Edit("a.txt", (HUNK,), 6, "replace_text")
BEFORE, AFTER = File(b"one\ntwo\nthree\n"), File(b"zero\none\nzwei\ndrei\n")
SPLICES = (Splice(0, 0, ("zero",), "start"), Splice(1, 2, ("zwei", "drei"), "exact"), Splice(2, 3, (), "indent"))
OUTCOMES = (
    Outcome(1, EDIT, "a.txt", SPLICES, notes=(Note("aligned", "a.txt", 8),)),
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
DONE = Report(True, Plan(PATCH, CHANGES, OUTCOMES), (), (Note("aligned", "a.txt", 8),), Receipt("R1", CHANGES))
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
REFUSED = Report(
    False,
    Plan(PATCH, (), (OUTCOMES[0]._replace(splices=(), problems=(MISSED,)), OUTCOMES[1])),
    (MISSED, UNREAD),
    (Note("a fence was taken off"),),
)


def marked(style: str, text: str) -> str:
    return f"<{style}>{text}</>" if style else text


def test_people_read_what_was_done_to_each_file() -> None:
    assert for_people(DONE) == [
        "a.txt",
        "  inserted 1 line at the start (start)",
        "  replaced lines 2-2 with 2 lines",
        "  deleted lines 3-3 (indent)",
        "new.txt",
        "  created, 2 lines",
        "there.txt",
        "  overwritten, 1 line",
        "old.txt",
        "  deleted",
        "from.txt",
        "  moved to to.txt",
        "note: patch line 8: a.txt: aligned",
        "changed 5 files by 5 operations",
    ]


def test_a_dry_run_never_claims_to_have_written() -> None:
    lines = for_people(DONE._replace(receipt=None), dry_run=True)
    assert lines[-1] == "would change 5 files by 5 operations; nothing was written"
    assert not any(line.startswith("changed") for line in lines)


def test_an_empty_plan_says_so() -> None:
    report = Report(True, Plan(PATCH, (), (Outcome(1, EDIT, "a.txt"),)))
    assert for_people(report)[-1] == "nothing to change: the files are as 1 operation would leave them"


def test_undo_is_told_by_file() -> None:
    changes = tuple(change.inverse() for change in CHANGES[:2] + CHANGES[3:4])
    lines = for_people(Report(True, Plan(PATCH, changes)), undo=True)
    assert lines == ["a.txt: restored", "new.txt: removed", "old.txt: put back", "undone: 3 files as before"]


def test_people_read_first_that_nothing_was_changed_then_every_reason() -> None:
    assert for_people(REFUSED) == [
        "refused, nothing was changed",
        "",
        "problem: the text is not in the file: line 2 of the marker differs",
        "  at: a.txt:2, patch line 7, operation 1 (replace_text)",
        "  differs in case:",
        "  2 | Two",
        "  3 | three",
        "  do: " + KINDS["not_found"].advice,
        "",
        "problem: the patch cannot be read: no `op`",
        "  at: patch line 12",
        "  do: Write op: replace_text.",
        "note: a fence was taken off",
        "",
        "1 of 2 operations would have fitted.",
    ]


def test_a_failing_machine_is_not_called_a_refusal() -> None:
    report = Report(False, Plan(PATCH), (Problem("io", "no space left"),))
    assert for_people(report)[0] == "failed, nothing was completed"


def test_long_regions_are_cut_and_say_so() -> None:
    near = Near(95, tuple(f"line {n}" for n in range(30)))
    lines = for_people(Report(False, Plan(PATCH), (MISSED._replace(near=(near,)),)))
    assert "   95 | line 0" in lines
    assert any(line.endswith("… 18 more lines") for line in lines)


def test_all_that_is_foreign_goes_through_the_painter() -> None:
    evil = "\x1b[2J"
    near = (Near(1, (evil,), evil),)
    problem = Problem("not_found", f"{evil}\n{evil}", evil, 1, 1, evil, near, 1)
    op = Move(evil, evil, label=evil)
    outcomes = (Outcome(1, op, evil), Outcome(2, EDIT, evil, (Splice(0, 1, ("x",), evil),)))
    patch = Patch(evil, (op, EDIT._replace(path=evil, label=evil)), evil)
    changes = (FileChange(evil, File(evil.encode()), File(b"x")),)
    failed = Report(False, Plan(patch, (), outcomes), (problem,), (Note(evil, evil),))
    done = Report(True, Plan(patch, changes, outcomes), (), (Note(evil, evil),))

    def cleaned(style: str, text: str) -> str:
        return text.replace("\x1b", "ESC")

    shown = for_people(failed, cleaned) + for_people(done, cleaned) + diff_of(done, cleaned)
    shown += explain(patch, failed, (), cleaned) + explain(patch, done, (), cleaned)
    assert "\x1b" not in "\n".join(shown)
    assert sum("ESC" in line for line in shown) > 20


def test_names_stay_on_their_line() -> None:
    report = Report(True, Plan(PATCH, (), (Outcome(1, Delete("a\nb"), "a\nb"),)))
    assert for_people(report)[0] == "a\\nb"


def test_the_diff_is_painted_by_what_its_lines_are() -> None:
    change = FileChange("f", File(b"-- x\nb\n"), File(b"b\n++ y\n"))
    assert diff_of(Report(True, Plan(PATCH, (change,))), marked) == [
        "<strong>--- a/f</>", "<strong>+++ b/f</>", "<hunk>@@ -1,2 +1,2 @@</>", "<remove>--- x</>",
        " b", "<add>+++ y</>",
    ]  # fmt: skip


def test_the_diff_of_a_move_and_of_bytes() -> None:
    move = Report(True, Plan(PATCH, CHANGES[4:], OUTCOMES[4:]))
    assert diff_of(move) == ["--- a/from.txt", "+++ b/to.txt"]
    picture = FileChange("p.png", File(b"\x89PNG1"), File(b"\x89PNG2"))
    assert diff_of(Report(True, Plan(PATCH, (picture,)))) == ["binary contents differ: p.png"]


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
        "how": "start, exact, indent", "patch_line": 6, "ok": True, "notes": ["aligned"],
        "parts": [
            {"start": 1, "end": 0, "new_lines": 1, "how": "start"},
            {"start": 2, "end": 2, "new_lines": 2, "how": "exact"},
            {"start": 3, "end": 3, "new_lines": 0, "how": "indent"},
        ],
    }  # fmt: skip
    assert (operations[1]["start"], operations[1]["end"], operations[1]["new_lines"]) == (None, None, 2)
    assert operations[4]["to"] == "to.txt"
    assert value["notes"] == [{"text": "aligned", "path": "a.txt", "patch_line": 8}]


def test_json_of_a_refusal() -> None:
    value = as_json(REFUSED)
    assert (value["ok"], value["changes"], value["receipt"], value["dry_run"]) == (False, [], None, False)
    assert value["problems"] == [
        {
            "kind": "not_found", "path": "a.txt", "patch_line": 7, "line": 2, "operation": 1,
            "message": "the text is not in the file: line 2 of the marker differs",
            "advice": KINDS["not_found"].advice,
            "near": [{"line": 2, "text": "Two\nthree", "note": "differs in case"}],
        },
        {
            "kind": "bad_patch", "path": None, "patch_line": 12, "line": None, "operation": None,
            "message": "the patch cannot be read: no `op`", "advice": "Write op: replace_text.", "near": [],
        },
    ]  # fmt: skip


def test_json_tells_a_dry_run() -> None:
    assert as_json(DONE._replace(receipt=None))["dry_run"] is True
    assert as_json(REFUSED, dry_run=True)["dry_run"] is True


def test_json_is_valid_whatever_the_bytes() -> None:
    report = Report(False, Plan(Patch("chunk")), (Problem("not_found", "\udcff\x00", "näme\udc80"),))
    text = json_text(as_json(report))
    assert json.loads(text.encode("utf-8"))["problems"][0]["path"] == "näme\udc80"
    assert "\n" not in text


def test_a_model_reads_what_failed_and_what_to_write() -> None:
    assert for_model(REFUSED).split("\n") == [
        "Refused, nothing was changed.",
        "Operation 2 fits but nothing is written until all do: mend the others and send the whole patch again.",
        "1. not_found: the text is not in the file: line 2 of the marker differs",
        "   at a.txt:2, patch line 7, operation 1 (replace_text)",
        "   differs in case:",
        "   2 | Two",
        "   3 | three",
        "   " + KINDS["not_found"].advice,
        "2. bad_patch: the patch cannot be read: no `op`",
        "   at patch line 12",
        "   Write op: replace_text.",
    ]


def test_a_model_reads_what_was_done() -> None:
    assert for_model(DONE).split("\n")[:2] == ["Applied; receipt R1.", "changed 5 files by 5 operations"]
    dry = for_model(DONE._replace(receipt=None))
    assert dry.split("\n")[0] == "It fits; nothing was written."


def test_the_report_for_models_is_bounded() -> None:
    near = Near(1, tuple("x" for _ in range(500)))
    many = tuple(MISSED._replace(near=(near,), op=n) for n in range(1, 200))
    text = for_model(Report(False, Plan(PATCH), many), max_lines=40)
    assert len(text.split("\n")) == 40
    assert text.endswith("more lines left out")
    one = for_model(Report(False, Plan(PATCH), many[:1]), max_lines=40)
    assert len(one.split("\n")) <= 40
    assert one.endswith(KINDS["not_found"].advice)


def test_explain_shows_every_stage() -> None:
    told = explain(PATCH, REFUSED, (("chunk", 90), ("chunk-v2", 0)))
    assert told[:8] == [
        "sniffed",
        "   90  chunk",
        "    0  chunk-v2",
        "parsed as chunk, 1 operation",
        "  Say it in German",
        "  1. replace_text a.txt (patch line 6)",
        "     hunk at patch line 7: line=2, under=('class A',); rungs exact, indent; indent map, eol own",
        "       -two",
    ]
    assert "  1. a.txt: not placed: not_found" in told
    assert told[-1] == "it does not fit"
    fits = explain(PATCH, DONE)
    assert "  1. a.txt: replaced lines 2-2 with 2 lines (exact)" in fits
    assert "  1. a.txt: deleted lines 3-3 (indent)" in fits
    assert "  2. new.txt: the whole file, 2 lines" in fits
    assert fits[-1] == "it fits"

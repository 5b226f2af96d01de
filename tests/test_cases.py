"""Every case of tests/cases: in memory, on disk and undone, detected, and in part. CONTRIBUTING.md says how to add one."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

import anypatch
import cases as tool  # tools/cases.py
from anypatch import api
from anypatch.formats import FOUND, SHOWN
from support import cases
from support.cases import HOME, NOT_DURABLE, Case, fits_folder, ids, in_memory, load, on_disk, outcome, read, tree
from support.partial import apply_in_part


@pytest.mark.parametrize("id", ids())
def test_case(id: str) -> None:
    case = read(id)
    now = outcome(case, in_memory(case))
    if case.wanted is not None:
        fixed = "fixed: turn wanted/ into after/, remove now/ or refused.txt"
        assert (case.before if now.after is None else now.after) != case.wanted, fixed
    assert now == case  # `python tools/cases.py --update` rewrites reports

    check_on_disk(case)
    check_detected(case)
    check_in_part(case)


def check_on_disk(case: Case) -> None:
    with TemporaryDirectory() as folder:
        root = Path(folder)
        stored = outcome(case, on_disk(case, root))
        assert (stored.kinds, replace(stored, refused=case.refused)) == (case.kinds, case)
        if anypatch.log(root):
            assert anypatch.undo(root, settings=NOT_DURABLE).ok
            assert tree(root) == case.before
            if case.base is None:
                check_reviewed(case, root)


def check_reviewed(case: Case, root: Path) -> None:
    """All hunks of a review give the result, none changes nothing, and each belongs to an edit."""
    options = {name: value for name, value in case.options.items() if name in ("overwrite", "syntax", "file")}
    review = anypatch.review(case.patch, root, format=case.format, settings=NOT_DURABLE, **options)
    if review.problems:  # of a proposal that an option leaves out
        return
    numbers = {edit.number for edit in review.edits}
    assert {hunk.edit for hunk in review.hunks} <= numbers
    assert not review.drop(*numbers).plan().changes
    assert review.apply().ok
    assert tree(root) == (case.before if case.after is None else case.after)


def check_detected(case: Case) -> None:
    """Without its name, a format does the same or nothing."""
    if case.format and case.format not in SHOWN:
        detected = anypatch.apply_to(case.patch, case.before, base=case.base, **case.options)
        assert dict(detected.files) in (case.after, case.before)


def check_in_part(case: Case) -> None:
    """Each problem says what and where, and the corrections that it shows can be applied."""
    if case.proposed or case.base is not None:
        return
    result = apply_in_part(case.patch, case.before, format=case.format, **case.options)
    for problem in result.problems:
        assert problem.detail or problem.near
        assert problem.patch_line or problem.kind in ("bad_patch", "no_patch")
        for correction in problem.corrected:
            fixed = anypatch.apply_to(correction.text, result.files, format=case.format)
            assert fixed.ok and fixed.files != result.files, correction.text


def test_every_format_is_detected() -> None:
    cases = [case for case in load() if case.format not in (None, *SHOWN) and case.after is not None]
    assert [case.id for case in cases if api.scores(case.patch)[0][0] != case.format] == []


def test_signs_hide_no_format() -> None:
    """Formats that are not loaded because the text has none of their signs would not have recognised it."""
    for case in load():
        for format in api.formats():
            if format.sniff(case.patch) == 0:
                assert format.reader.sniff(case.patch) < FOUND, (format.name, case.id)


def test_a_line_of_json_is_a_case_that_a_folder_cannot_hold() -> None:
    """`python tools/cases.py --update` turns the others into folders."""
    assert [case.id for case in load() if fits_folder(case) and not (HOME / case.id).is_dir()] == []


def test_cases_are_written_as_they_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    all_cases = load()
    for module in (tool, cases):
        monkeypatch.setattr(module, "HOME", tmp_path)
    monkeypatch.setattr(cases, "_rows", cases._rows.__wrapped__)
    for case in all_cases[::40] + all_cases[-40:]:
        tool.write(case)
        tool.write(case)
        assert read(case.id) == case


def test_updating_rewrites_reports_and_no_results(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for module in (tool, cases):
        monkeypatch.setattr(module, "HOME", tmp_path)
    edit = "a.py\n<<<<<<< SEARCH\n{}\n=======\nx = 2\n>>>>>>> REPLACE\n"
    before = {"a.py": "x = 1\n"}
    new = Case("fences", "new", edit.format("x = 5"), before, refused="not_found\n")
    other = Case("fences", "other", edit.format("x = 1"), before, after={"a.py": "x = 3\n"})
    tool.write(new)
    tool.write(other)
    monkeypatch.setattr(sys, "argv", ["cases.py", "--update"])
    assert tool.main() == 1
    assert "fences/new: other report" in capsys.readouterr().out
    assert "the text is not in the file" in read("fences/new").refused
    assert read("fences/other") == other
    monkeypatch.setattr(sys, "argv", ["cases.py", "--update", "--results"])
    assert tool.main() == 0
    assert read("fences/other").after == {"a.py": "x = 2\n"}

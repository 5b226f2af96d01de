"""Changes are cut into hunks, and any of them put together again."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anypatch
from anypatch.diff import opcodes
from anypatch.model import File, FileChange, Patch, Plan
from anypatch.reviewing.hunks import ReviewedFile, files_of, kept_changes

LINES = st.lists(st.sampled_from(["a", "b", "c", "d", "", "é", "x\r"]), max_size=14)


def file(text: str | None, mode: int = 0o644) -> File | None:
    return None if text is None else File.of_text(text, mode)


def plan_of(before: File | None, after: File | None) -> Plan:
    return Plan(Patch(""), (FileChange("a.py", before, after),))


def cut(before: File | None, after: File | None) -> ReviewedFile:
    (reviewed,) = files_of(plan_of(before, after), {})
    return reviewed


def joined(reviewed: ReviewedFile, kept: tuple[bool, ...]) -> File | None:
    hunks = tuple(replace(hunk, kept=keep) for hunk, keep in zip(reviewed.hunks, kept, strict=True))
    changes = kept_changes([reviewed._replace(hunks=hunks)], [reviewed.change])
    return changes[0].after if changes else reviewed.change.before


@settings(max_examples=300, deadline=None)
@given(LINES, LINES, st.sampled_from(["\n", "\r\n"]), st.booleans(), st.booleans(), st.data())
def test_any_hunks_are_put_together_exactly(
    old: list[str], new: list[str], ending: str, bom: bool, final: bool, data: st.DataObject
) -> None:
    """All hunks give the new file, none the old one, and some give the lines of either side, range by range."""
    texts = [
        ("\ufeff" if bom else "") + ending.join(lines) + (ending if final and lines else "") for lines in (old, new)
    ]
    if texts[0] == texts[1]:
        return
    reviewed = cut(*map(file, texts))
    count = len(reviewed.hunks)
    assert joined(reviewed, (True,) * count) == file(texts[1])
    assert joined(reviewed, (False,) * count) == file(texts[0])
    kept = tuple(data.draw(st.booleans()) for _ in range(count))
    part = joined(reviewed, kept)
    assert part is not None
    sides = reviewed.hunks[0].sides
    assert sides is not None
    expected, row = [], 0
    for hunk, keep in zip(reviewed.hunks, kept, strict=True):
        expected += sides.old[row : hunk.old[0]]
        expected += sides.new[slice(*hunk.new)] if keep else sides.old[slice(*hunk.old)]
        row = hunk.old[1]
    expected += sides.old[row:]
    assert part.text.replace("\r", "").replace("\n", "") == "".join(expected).replace("\r", "").replace("\n", "")


def test_changes_that_are_close_are_one_hunk() -> None:
    before = "".join(f"line {number}\n" for number in range(20))
    after = before.replace("line 3\n", "three\n").replace("line 6\n", "six\n").replace("line 12\n", "twelve\n")
    assert [hunk.old for hunk in cut(file(before), file(after)).hunks] == [(3, 7), (12, 13)]


def test_lines_are_numbered_on_both_sides() -> None:
    (hunk,) = cut(file("a\nb\nc\nd\n"), file("a\nB\nB2\nc\nd\n")).hunks
    assert [(line.sign, line.old, line.new, line.text) for line in hunk.lines] == [
        (" ", 1, 1, "a"), ("-", 2, 0, "b"), ("+", 0, 2, "B"), ("+", 0, 3, "B2"), (" ", 3, 4, "c"), (" ", 4, 5, "d"),
    ]  # fmt: skip


def test_words_that_differ_are_marked() -> None:
    (hunk,) = cut(file("return sum(items)\n"), file("return max(items)\n")).hunks
    assert [line.changed for line in hunk.lines] == [((7, 10),), ((7, 10),)]


@pytest.mark.parametrize(
    ("before", "after", "shown"),
    [
        ("a\nb\n", "a\r\nb\r\n", ["", "", "CR", "CR"]),
        ("a\n", "a", ["", "no newline"]),
        ("\ufeffa\n", "a\n", ["BOM", ""]),
    ],
)
def test_what_a_reader_would_not_see_is_named(before: str, after: str, shown: list[str]) -> None:
    lines = [line for hunk in cut(file(before), file(after)).hunks for line in hunk.lines]
    assert [line.ending for line in sorted(lines, key=lambda line: line.sign != "-")] == shown


def test_a_dropped_move_leaves_the_new_text_at_the_old_path() -> None:
    header = "diff --git a/a.py b/b.py\nrename from a.py\nrename to b.py\n--- a/a.py\n+++ b/b.py\n"
    plan = anypatch.apply_to(f"{header}@@ -1 +1 @@\n-x = 1\n+x = 2\n", {"a.py": "x = 1\n"}).plan
    (reviewed,) = files_of(plan, {})
    assert [hunk.kind for hunk in reviewed.hunks] == ["move", "lines"]
    results = {}
    for kept in product((True, False), repeat=2):
        hunks = tuple(replace(hunk, kept=keep) for hunk, keep in zip(reviewed.hunks, kept, strict=True))
        changes = kept_changes([reviewed._replace(hunks=hunks)], plan.changes)
        results[kept] = {change.path: change.after.text if change.after else None for change in changes}
    assert results == {
        (True, True): {"a.py": None, "b.py": "x = 2\n"},
        (True, False): {"a.py": None, "b.py": "x = 1\n"},
        (False, True): {"a.py": "x = 2\n"},
        (False, False): {},
    }


def test_permissions_are_a_hunk_of_their_own() -> None:
    reviewed = cut(file("a\n", 0o644), file("b\n", 0o755))
    assert [hunk.kind for hunk in reviewed.hunks] == ["mode", "lines"]
    assert joined(reviewed, (False, True)) == file("b\n", 0o644)
    assert joined(reviewed, (True, False)) == file("a\n", 0o755)


def test_text_that_somebody_typed_has_the_endings_of_the_file() -> None:
    reviewed = cut(file("a\r\nb\r\nc\r\n"), file("a\r\nB\r\nc\r\n"))
    typed = reviewed._replace(hunks=(replace(reviewed.hunks[0], text="one\ntwo\n"),))
    (change,) = kept_changes([typed], [reviewed.change])
    assert change.after == file("a\r\none\r\ntwo\r\nc\r\n")


def test_a_long_file_costs_little() -> None:
    before = "".join(f"line {number}\n" for number in range(40_000))
    after = before.replace("0\n", "0!\n")
    reviewed = cut(file(before), file(after))
    assert len(reviewed.hunks) == len(opcodes(before.split("\n"), after.split("\n")))

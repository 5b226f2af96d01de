"""Differences: they rebuild the new side, they are minimal where small, they stay cheap where large."""

from __future__ import annotations

import itertools
import random
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anypatch.diff import compact, counts, opcodes, unified

Ranges = list[tuple[int, int, int, int]]

lines = st.lists(st.sampled_from("abcd"), max_size=14)
texts = st.text(st.sampled_from("ab\n\r\ufeff"), max_size=24)


class Counted(str):
    """A line that counts how often it was compared: the measure of work that no busy machine changes."""

    compared = 0
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        Counted.compared += 1
        return str.__eq__(self, other)


def counted(old: list[str], new: list[str]) -> tuple[Ranges, int]:
    """The ranges, and how many comparisons of lines they took."""
    Counted.compared = 0
    return opcodes([Counted(line) for line in old], [Counted(line) for line in new]), Counted.compared


def rebuilt(old: list[str], new: list[str], ranges: Ranges) -> list[str]:
    made: list[str] = []
    at = 0
    for start, end, new_start, new_end in ranges:
        made += old[at:start] + new[new_start:new_end]
        at = end
    return made + old[at:]


def cost(ranges: Ranges) -> int:
    return sum(r[1] - r[0] + r[3] - r[2] for r in ranges)


def longest_common(old: list[str], new: list[str]) -> int:
    row = [0] * (len(new) + 1)
    for line in old:
        above, row = row, [0]
        for at, other in enumerate(new):
            row.append(above[at] + 1 if line == other else max(above[at + 1], row[-1]))
    return row[-1]


def edited(old: list[str], count: int, values: list[str], seed: int = 1) -> list[str]:
    """`count` single lines changed, added or dropped."""
    chance, new = random.Random(seed), list(old)
    for number in range(count):
        at = chance.randrange(len(new))
        value = chance.choice(values) if values else f"new {number}"
        match chance.randrange(3):
            case 0:
                new[at] = value
            case 1:
                new.insert(at, value)
            case _:
                del new[at]
    return new


@given(lines, lines)
@settings(max_examples=250, deadline=None)
def test_small_differences_are_minimal(old: list[str], new: list[str]) -> None:
    ranges = opcodes(old, new)
    assert rebuilt(old, new, ranges) == new
    assert cost(ranges) == len(old) + len(new) - 2 * longest_common(old, new)
    assert all(one[1] < two[0] and one[3] < two[2] for one, two in itertools.pairwise(ranges))


@given(st.lists(st.integers(0, 6), max_size=300), st.lists(st.integers(0, 6), max_size=300))
@settings(max_examples=60, deadline=None)
def test_large_differences_rebuild_the_new_side(one: list[int], two: list[int]) -> None:
    old, new = [str(n) for n in one], [str(n) for n in two]
    ranges = opcodes(old, new)
    assert rebuilt(old, new, ranges) == new
    assert ranges == sorted(ranges)


@pytest.mark.parametrize(
    ("distinct", "edits", "at_most"),
    [(0, 200, 400), (1, 30, 60), (3, 5, 10), (3, 30, 70), (3, 200, 500), (2, 200, 500), (100, 200, 500)],
)
def test_repetition_neither_explodes_nor_drowns(distinct: int, edits: int, at_most: int) -> None:
    values = [f"value {n}" for n in range(distinct)]
    chance = random.Random(7)
    old = [chance.choice(values) if values else f"line {n}" for n in range(20_000)]
    new = edited(old, edits, values)
    ranges, compared = counted(old, new)
    assert compared < 12 * (len(old) + len(new))
    assert rebuilt(old, new, ranges) == new
    assert cost(ranges) <= at_most


def test_wholly_other_texts_are_cheap() -> None:
    chance = random.Random(3)
    old = [str(chance.randrange(3)) for _ in range(20_000)]
    new = [str(chance.randrange(3)) for _ in range(20_000)]
    backwards = [f"line {n}" for n in range(20_000)]
    for one, two in ((old, new), (backwards, backwards[::-1])):
        ranges, compared = counted(one, two)
        assert rebuilt(one, two, ranges) == two
        assert compared < 12 * (len(one) + len(two))


@given(lines, lines)
@settings(max_examples=400, deadline=None)
def test_fewer_ranges_say_the_same(old: list[str], new: list[str]) -> None:
    ranges = opcodes(old, new)
    fewer = compact(ranges, old, new)
    assert len(fewer) <= len(ranges) and cost(fewer) == cost(ranges)
    assert rebuilt(old, new, fewer) == new
    assert all(one[1] < two[0] for one, two in itertools.pairwise(fewer))


def test_a_changed_line_is_one_range() -> None:
    old, new = list("abxxcd"), list("abyxcd")
    assert compact([(2, 2, 2, 3), (3, 4, 4, 4)], old, new) == [(2, 3, 2, 3)]


def test_a_moved_block_keeps_the_rest() -> None:
    old = [f"line {n}" for n in range(400)]
    new = old[100:] + old[:100]
    assert cost(opcodes(old, new)) == 200


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (b"", b"a\nb\n", (2, 0)),
        (b"a\nb", b"", (0, 2)),
        (b"a\nb\n", b"a\nb\n", (0, 0)),
        (b"a\nb\n", b"a\nb", (1, 1)),
        (b"a\nb\nc\n", b"a\nx\ny\nc\n", (2, 1)),
        (b"a\ra\ra", b"a\rb\ra", (1, 1)),
        (b"a\r\nb\r\n", b"a\nb\n", (2, 2)),
        (b"a\na\n", b"a\na\na\n", (1, 0)),
        (b"ab", b"b", (1, 1)),
        (b"x\nb\rc", b"y\nb\rc", (1, 1)),
    ],
)
def test_counts(before: bytes, after: bytes, expected: tuple[int, int]) -> None:
    assert counts(before, after) == expected


@given(texts, texts)
@settings(max_examples=150, deadline=None)
def test_counts_are_those_of_the_diff(before: str, after: str) -> None:
    shown = unified("f", "f", before, after)[2:]
    told = (sum(line.startswith("+") for line in shown), sum(line.startswith("-") for line in shown))
    if ("\n" in before) == ("\n" in after) and "\ufeff" not in before + after:
        assert counts(before.encode(), after.encode()) == told


def test_hunk_headers_and_context() -> None:
    before = "".join(f"{n}\n" for n in range(1, 21))
    after = before.replace("3\n", "three\n", 1).replace("19\n", "", 1)
    assert unified("f", "f", before, after) == [
        "--- a/f", "+++ b/f",
        "@@ -1,6 +1,6 @@", " 1", " 2", "-3", "+three", " 4", " 5", " 6",
        "@@ -16,5 +16,4 @@", " 16", " 17", " 18", "-19", " 20",
    ]  # fmt: skip


def test_new_and_deleted_files() -> None:
    assert unified("f", "f", None, "a\n") == ["--- /dev/null", "+++ b/f", "@@ -0,0 +1 @@", "+a"]
    assert unified("f", "f", "a\nb\n", None) == ["--- a/f", "+++ /dev/null", "@@ -1,2 +0,0 @@", "-a", "-b"]
    assert unified("f", "f", None, "") == ["--- /dev/null", "+++ b/f"]
    assert unified("f", "f", "a", "a") == []


def test_a_missing_final_line_end_is_said() -> None:
    assert unified("f", "f", "a\nb", "a\nb\n")[2:] == [
        "@@ -1,2 +1,2 @@", " a", "-b", "\\ No newline at end of file", "+b",
    ]  # fmt: skip


def test_carriage_returns_are_marked_only_where_they_differ() -> None:
    assert unified("f", "f", "a\r\nb\r\n", "a\r\nc\r\n")[3:] == [" a", "-b", "+c"]
    assert unified("f", "f", "a\r\nb\r\n", "a\r\nb\n")[3:] == [" a", "-b␍", "+b"]
    assert unified("f", "f", "a\nb\n", "a\nx\r\nb\n")[3:] == [" a", "+x␍", " b"]


def test_a_byte_order_mark_is_shown_where_it_differs() -> None:
    assert unified("f", "f", "\ufeffa\n", "a\n")[3:] == ["-<BOM>a", "+a"]
    assert unified("f", "f", "\ufeffa\n", "\ufeffb\n")[3:] == ["-a", "+b"]


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
@given(st.lists(st.sampled_from("abc"), max_size=30), st.lists(st.sampled_from("abc"), max_size=30), st.booleans())
@settings(max_examples=25, deadline=None)
def test_git_reads_the_diff(
    tmp_path_factory: pytest.TempPathFactory, old: list[str], new: list[str], end: bool
) -> None:
    before, after = "\n".join(old) + "\n" * end, "\n".join(new) + "\n" * (not end)
    if before == after or not before or not after:
        return
    folder: Path = tmp_path_factory.mktemp("git")
    (folder / "f").write_text(before)
    patch = "\n".join(unified("f", "f", before, after)) + "\n"
    done = subprocess.run(["git", "apply", "-"], cwd=folder, input=patch, text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr + patch
    assert (folder / "f").read_text() == after

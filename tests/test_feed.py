"""An answer while it is being written: any way to cut the stream gives the same parts, and the whole answer's result."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anypatch
from anypatch import Feed, Part, feed
from anypatch.answer import blocks
from support.cases import Case, load

BEFORE = {"a.py": "one = 1\n", "b.py": "two = 2\n"}
BLOCK = "{}\n<<<<<<< SEARCH\n{}\n=======\n{}\n>>>>>>> REPLACE\n"
ANSWER = f"First:\n\n{BLOCK.format('a.py', 'one = 1', 'one = 10')}\nThen:\n\n{BLOCK.format('b.py', 'two = 2', 'two = 20')}\nDone.\n"
CASES = [case for case in load() if isinstance(case.patch, str)]


def fed(answer: str, before: dict[str, str], cuts: list[int]) -> tuple[list[Part], anypatch.Result]:
    """The parts of an answer that comes in pieces, and what becomes of it."""
    stream, parts, start = Feed(before), [], 0
    for end in [*sorted(cuts), len(answer)]:
        parts += stream.feed(answer[start:end])
        start = end
    return parts, stream.finish()


def test_a_block_is_planned_as_soon_as_a_line_follows_it() -> None:
    stream = Feed(BEFORE)
    told = [(line, part) for line in ANSWER.splitlines(keepends=True) for part in stream.feed(line)]
    assert [(line, part.first, part.last) for line, part in told] == [("Then:\n", 1, 8), ("Done.\n", 9, 17)]
    assert [part.result.changes[0].after for _, part in told] == ["one = 10\n", "two = 20\n"]
    assert all(part.result.ok and part.result.dry_run for _, part in told)
    assert stream.finish().files == {"a.py": "one = 10\n", "b.py": "two = 20\n"}


def test_a_part_is_planned_on_what_the_parts_before_leave() -> None:
    answer = f"{BLOCK.format('a.py', 'one = 1', 'one = 3')}Again:\n{BLOCK.format('a.py', 'one = 3', 'one = 4')}Done.\n"
    parts, result = fed(answer, BEFORE, [])
    assert [part.result.changes[0].after for part in parts] == ["one = 3\n", "one = 4\n"]
    assert result.files["a.py"] == "one = 4\n"


def test_a_block_without_a_path_is_for_the_file_of_the_part_before() -> None:
    second = BLOCK.format("", "one = 3", "one = 4")
    parts, result = fed(f"{BLOCK.format('a.py', 'one = 1', 'one = 3')}And then:\n{second}Done.\n", BEFORE, [])
    assert [part.result.ok for part in parts] == [True, True] and result.ok


def test_nothing_is_written_before_the_end(tmp_path: Path) -> None:
    for name, text in BEFORE.items():
        (tmp_path / name).write_text(text)
    stream = Feed(tmp_path)
    assert [part.result.ok for part in stream.feed(ANSWER)] == [True, True]
    assert (tmp_path / "a.py").read_text() == BEFORE["a.py"] and not (tmp_path / ".anypatch").exists()
    assert stream.finish().written and (tmp_path / "b.py").read_text() == "two = 20\n"
    assert anypatch.undo(tmp_path).ok


def test_what_a_model_thinks_is_no_part() -> None:
    draft = BLOCK.format("a.py", "one = 1", "one = 5")
    parts, _ = fed(f"<think>\nPerhaps:\n{draft}No.\n</think>\n{ANSWER}", BEFORE, [])
    assert [part.result.changes[0].after for part in parts] == ["one = 10\n", "two = 20\n"]


def test_a_block_that_is_cut_off_is_told_at_the_end() -> None:
    parts, result = fed(ANSWER.replace("=======\none = 10\n>>>>>>> REPLACE\n", ""), BEFORE, [])
    assert parts == [] and not result.ok and result.problems


def test_a_finished_answer_takes_no_more() -> None:
    stream = Feed(BEFORE)
    stream.finish()
    with pytest.raises(ValueError, match="finished"):
        stream.feed("x")


@settings(max_examples=60, deadline=None)
@given(case=st.sampled_from(CASES), data=st.data())
def test_any_split_gives_the_same(case: Case, data: st.DataObject) -> None:
    places = st.integers(0, len(case.patch))
    parts, result = fed(case.patch, case.before, data.draw(st.lists(places, max_size=30)))
    whole, _ = fed(case.patch, case.before, [])
    assert [part[:3] for part in parts] == [part[:3] for part in whole]
    assert [part.result.changes for part in parts] == [part.result.changes for part in whole]
    assert result == anypatch.apply_to(case.patch, dict(case.before))


def test_parts_follow_each_other_and_cut_no_block() -> None:
    for case in CASES:
        parts, result = fed(case.patch, case.before, [])
        assert all(above.last < below.first for above, below in pairwise(parts))
        others = [block for block in result.blocks if block.read_as != "thinking"]
        for part in parts:
            own = [block for block in others if block.first <= part.last and block.last >= part.first]
            assert all(part.first <= block.first and block.last <= part.last for block in own), case.name


def test_each_line_is_looked_at_a_bounded_number_of_times(monkeypatch: pytest.MonkeyPatch) -> None:
    looked, first_whole = 0, blocks.first_whole

    def counted(lines: list[str]) -> int:
        nonlocal looked
        looked += len(lines)
        return first_whole(lines)

    monkeypatch.setattr(feed, "first_whole", counted)
    answer = "page.md\n````md\n" + "```\na\n```\n\n" * 5000 + "````\nDone.\n"
    fed(answer, BEFORE, [])
    assert looked <= 17 * answer.count("\n") + 1000

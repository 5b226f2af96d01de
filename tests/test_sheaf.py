"""Edits that are gathered and made at once make what they make one by one."""

from __future__ import annotations

import random
from unittest.mock import patch as replaced

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anypatch import plan as planning
from anypatch.engine import read
from anypatch.locate import swap as swapping
from anypatch.locate.page import Page
from anypatch.locate.sheaf import Sheaf
from anypatch.memory import MemoryTree
from anypatch.model import TOLERANT, Edit, Hunk, Patch, Plan, Rules, Swap, Where
from anypatch.text import Sheet

CHUNK = Rules(("blank lines", "comments"), "marker", "majority", "python", one_result=False)
EXACT = Rules(("exact",), "as-is", "majority", one_result=False)
WORDS = ("a", "b", "}", "", "  ", "x = 1", "\ty", "  z", "/* c", "c */", "// d", '"""', "# e \\", "f(a, b)", "...")
PATHS = ("a.txt", "a.py", "a.cpp", "a.js")


def planned(text: bytes, path: str, ops: list[Edit], gather: bool) -> Plan:
    with replaced.object(planning, "INDEX_PAYS", 0 if gather else 1 << 40):
        return planning.plan(Patch("", tuple(ops)), MemoryTree({path: text}))


def some_lines(draw: random.Random, count: int) -> list[str]:
    """Lines of which about half are there once."""
    return [
        draw.choice(WORDS) + (f" n{draw.randrange(90)}" if draw.random() < 0.6 else "")
        for _ in range(draw.randrange(count))
    ]


def a_hunk(draw: random.Random, lines: list[str], rules: Rules) -> Hunk:
    first = draw.randrange(len(lines))
    shown = lines[first : first + draw.randrange(1, 6)]
    tagged: list[tuple[str, str]] = []
    tags = draw.choice(["-+", " -+", " - +", " +", "-", " -+ "])
    for line in shown:
        tag = draw.choice(tags)
        if tag == "+":
            tagged.append(("+", draw.choice([draw.choice(WORDS), f"new {draw.randrange(99)}", draw.choice(lines)])))
        tagged.append((" " if tag == "+" else tag, line))
    tagged += [("+", line) for line in some_lines(draw, 3)] if draw.random() < 0.6 else []
    if rules is not TOLERANT:
        tagged = [one for one in tagged if one[0] == "-"] + [one for one in tagged if one[0] == "+"]
    if rules is CHUNK and draw.random() < 0.5:
        tagged = [("-", shown[0].strip() or "b"), ("+", draw.choice([*WORDS, "new 7", "new /* 8"]))]
    if all(tag == "+" for tag, _ in tagged):
        tagged = [("-", shown[0]), *tagged]
    claimed = draw.choice([0, 0, first + 1, first + 2])
    where = Where(line=claimed)
    if rules is CHUNK and draw.random() < 0.5:
        size = sum(tag == "-" for tag, _ in tagged)
        above, below = lines[max(first - draw.randrange(3), 0) : first], lines[first + size :][: draw.randrange(3)]
        where = Where(before=tuple(map(str.strip, above)), after=tuple(map(str.strip, below)))
    return Hunk(tuple(tagged), where, rules, draw.randrange(9))


def a_swap(draw: random.Random, text: str) -> Swap:
    start = draw.randrange(max(len(text), 1))
    old = text[start : start + draw.randrange(1, 30)]
    new = draw.choice(["", "x", old + "\nmore", "new\n", old.replace("n", "m"), "q " + old, old + old])
    return Swap(old or "a", new, TOLERANT)


def edits(draw: random.Random, lines: list[str], path: str) -> list[Edit]:
    ops = []
    kind = draw.choice(["many", "hunks", "chunks", "swaps", "all"])
    for _ in range(draw.randrange(1, 9)):
        if kind == "many":
            ops.append(Edit(path, tuple(a_hunk(draw, lines, TOLERANT) for _ in range(draw.randrange(1, 5)))))
        elif kind == "swaps" or (kind == "all" and draw.random() < 0.4):
            ops.append(Edit(path, (a_swap(draw, "\n".join([*lines, ""])),)))
        else:
            rules = draw.choice([CHUNK, EXACT]) if kind == "chunks" else TOLERANT
            ops.append(Edit(path, (a_hunk(draw, lines, rules),)))
    return ops


@settings(max_examples=300, deadline=None)
@given(seed=st.integers(0, 1 << 32))
def test_gathered_or_one_by_one_a_patch_makes_the_same(seed: int) -> None:
    draw = random.Random(seed)
    lines, path = [*some_lines(draw, 30), "end"], draw.choice(PATHS)
    text = ("\n".join(lines) + draw.choice(["", "\n", "\n"])).encode()
    ops = edits(draw, lines, path)
    one, all_at_once = planned(text, path, ops, False), planned(text, path, ops, True)
    assert all_at_once.changes == one.changes
    assert all_at_once.outcomes == one.outcomes


def numbered(count: int) -> list[str]:
    return [f"line {number}" for number in range(count)]


@pytest.mark.parametrize("format", ["unified", "search-replace", "chunk-v2", "json-edits"])
def test_what_many_hunks_say_is_gathered(format: str) -> None:
    lines = numbered(400)
    said = {
        "unified": ("--- a/a.txt\n+++ b/a.txt\n", "@@ -{at},2 +{at},3 @@\n {above}\n-{old}\n+{old} new\n+more {at}\n", ""),
        "search-replace": ("", "a.txt\n<<<<<<< SEARCH\n{above}\n{old}\n=======\n{above}\n{old} new\nmore {at}\n>>>>>>> REPLACE\n", ""),
        "chunk-v2": ("", "=== file: a.txt ===\n--- replace-text\n{above}\n{old}\n---\n{above}\n{old} new\nmore {at}\n=END=\n", ""),
        "json-edits": (
            "[", '{{"file_path": "a.txt", "old_string": "{above}\\n{old}\\n", "new_string": "{above}\\n{old} new\\nmore {at}\\n"}},', "]",
        ),
    }[format]  # fmt: skip
    head, hunk, tail = said
    rows = range(2, 398, 4)
    text = head + "".join(hunk.format(at=row, above=lines[row - 1], old=lines[row]) for row in rows).rstrip(",") + tail
    gathered: list[object] = []
    gather = Sheaf.gather

    def counted(self: Sheaf, edit: Edit, elided: bool) -> object:
        done = gather(self, edit, elided)
        gathered.append(done)
        return done

    with replaced.object(Sheaf, "gather", counted):
        made = planning.plan(read(text), MemoryTree({"a.txt": "\n".join(lines) + "\n"}))
    assert not made.problems
    assert None not in gathered
    assert sum(len(done[0]) for done in gathered if isinstance(done, tuple)) == len(rows)
    expected = list(lines)
    for row in reversed(rows):
        expected[row : row + 1] = [lines[row] + " new", f"more {row}"]
    assert made.changes[0].after is not None
    assert made.changes[0].after.data.decode().splitlines() == expected
    alone = planning.plan(read(text), MemoryTree({"a.txt": "\n".join(lines) + "\n"}))
    with replaced.object(planning, "INDEX_PAYS", 1 << 40):
        assert planning.plan(read(text), MemoryTree({"a.txt": "\n".join(lines) + "\n"})).outcomes == alone.outcomes


def test_rows_of_what_came_before_are_counted() -> None:
    page = Page(Sheet("\n".join([*numbered(9), ""]).encode()), "a", 40)
    ops = [
        Edit("a", (Hunk((("-", f"line {at}"), ("+", "x"), ("+", f"y{at}")), Where(), EXACT),)) for at in (7, 2, 4)
    ]  # fmt: skip
    page.said = [hunk for op in ops for hunk in op.hunks]
    sheaf = Sheaf(page)
    found = [sheaf.gather(op, False) for op in ops]
    assert [done[0][0][:2] for done in found if done] == [(7, 8), (2, 3), (5, 6)]
    assert page.lines == numbered(9)
    sheaf.make()
    assert page.lines[2:7] == ["x", "y2", "line 3", "x", "y4"]


@settings(max_examples=200, deadline=None)
@given(seed=st.integers(0, 1 << 32))
def test_swaps_are_found_by_words_where_the_text_has_them(seed: int) -> None:
    draw = random.Random(seed)
    lines = [*some_lines(draw, 30), "end"]
    text = "\n".join(lines) + draw.choice(["", "\n"])
    ops = [Edit("a.txt", (a_swap(draw, text + "\n"),)) for _ in range(draw.randrange(1, 9))]
    made = []
    for pays in (0, 1 << 40):
        with replaced.object(swapping, "INDEX_PAYS", pays), replaced.object(planning, "INDEX_PAYS", 1 << 40):
            made.append(planning.plan(Patch("", tuple(ops)), MemoryTree({"a.txt": text.encode()})))
    assert made[0].changes == made[1].changes
    assert made[0].outcomes == made[1].outcomes


@settings(max_examples=200, deadline=None)
@given(seed=st.integers(0, 1 << 32))
def test_many_splices_at_once_are_those_one_by_one(seed: int) -> None:
    draw = random.Random(seed)
    lines = some_lines(draw, 20)
    data = ("\n".join(lines) + draw.choice(["", "\n"])).encode()
    once, each = Page(Sheet(data), "a.py", 40), Page(Sheet(data), "a.py", 40)
    edges = sorted(draw.randrange(len(each.lines) + 1) for _ in range(2 * draw.randrange(6)))
    cuts = [(start, end, tuple(some_lines(draw, 4))) for start, end in zip(edges[::2], edges[1::2], strict=True)]
    once.sheet.splice_all(cuts)
    for start, end, new in reversed(cuts):
        each.sheet.splice(start, end, new, ["\n"] * len(new))
    assert (once.lines, once.sheet.ends, once.data()) == (each.lines, each.sheet.ends, each.data())


def test_what_came_in_one_language_is_not_judged_in_another() -> None:
    lines = numbered(9)
    page = Page(Sheet("\n".join([*lines, ""]).encode()), "a", 40)
    told = Rules(("exact",), "as-is", "majority", "python", one_result=False)
    ops = [
        Edit("a", (Hunk((("-", f"line {at}"), ("+", new)), Where(), rules),))
        for at, new, rules in ((2, '"""', EXACT), (4, "x", EXACT), (6, "y", told))
    ]
    page.said = [hunk for op in ops for hunk in op.hunks]
    sheaf = Sheaf(page)
    assert [sheaf.gather(op, False) is not None for op in ops] == [True, True, False]

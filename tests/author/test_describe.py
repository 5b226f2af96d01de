"""Changes as operations: what a format can't express, and the plainest operation of those that have a choice."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

from anypatch import FormatName, PatchError, make
from anypatch.api import read
from anypatch.model import Edit, File, SymbolEdit
from support.authored import CART, NAMES, applied, can


@pytest.mark.parametrize("name", NAMES)
def test_a_format_refuses_what_it_cannot_express(name: FormatName) -> None:
    binary = make_refused({"x": b"\x7fELF\x00\x01"}, {"x": b"\x7fELF\x00\x02"}, name)
    assert binary == f"{name} can't express this change to x: it is binary data"
    for old, new, what in (({}, {"x": "new\n"}, "create"), ({"x": "old\n"}, {}, "delete")):
        if can(name, what):
            assert applied(make(old, new, name), old, name) == new
        else:
            assert (
                make_refused(old, new, name) == f"{name} can't express this change to x: the format can't {what} files"
            )
    link = make_refused({"x": File(b"a", 0o120000)}, {"x": File(b"b", 0o120000)}, name)
    assert "symbolic link" in link
    run = {"x": File(b"a\n", 0o755)}
    if name == "unified":
        assert "new file mode 100755" in make({}, run, name)
    elif can(name, "create"):
        assert make_refused({}, run, name) == f"{name} can't express this change to x: it is executable"


def make_refused(old: Mapping[str, str | bytes | File], new: Mapping[str, str | bytes | File], name: FormatName) -> str:
    with pytest.raises(PatchError) as caught:
        make(old, new, name)
    assert [problem.kind for problem in caught.value.problems] == ["cannot_say"]
    return caught.value.problems[0].detail


def test_a_unique_change_needs_no_context() -> None:
    old = {"a.py": CART}
    new = {"a.py": CART.replace("amount += item.price", "amount += item.cost")}
    assert make(old, new, "begin-patch").split("\n")[1:-2] == [
        "*** Update File: a.py", "@@", "-            amount += item.price", "+            amount += item.cost",
    ]  # fmt: skip
    assert json.loads(make(old, new, "json-edits")) == [
        {"file_path": "a.py", "old_string": "            amount += item.price\n",
         "new_string": "            amount += item.cost\n"}
    ]  # fmt: skip


def test_a_part_of_a_line_counts_as_an_occurrence() -> None:
    old, new = {"a": "max = 1\nx = 1\n"}, {"a": "max = 1\nx = 2\n"}
    text = make(old, new, "json-edits")
    assert applied(text, old, "json-edits") == new
    assert json.loads(text)[0]["old_string"] == "max = 1\nx = 1"


# ── CHUNK: the plainest operation ────────────────────────────────────────────────────────────────


def chunk_ops(old: str, new: str, path: str = "a.py") -> list[str]:
    text = make({path: old}, {path: new}, "chunk")
    assert applied(text, {path: old}, "chunk") == {path: new}
    return [line.split(": ")[1] for line in text.split("\n") if line.startswith("    op: ")]


@pytest.mark.parametrize(
    ("old", "new", "ops"),
    [
        (CART, CART.replace("        amount = 0\n", "        amount = 0\n        count = 0\n"), ["insert_after_text"]),
        (CART, CART.replace("        self.items.append(item)\n", ""), ["delete_text"]),
        (CART, CART.replace("return amount", "return amount or None"), ["replace_text"]),
        (CART, CART + "\n\nprint(Cart())\n", ["append_text"]),
        (CART, "import os\n\n\n" + CART, ["prepend_text"]),
        ("a\n\nb\n", "a\n\nx\n\nb\n", ["insert_before_text"]),
        ("a\n\nb\n\nc\n", "a\n\nc\n", ["replace_text"]),
    ],
)  # fmt: skip
def test_chunk_chooses_the_plainest_operation(old: str, new: str, ops: list[str]) -> None:
    assert chunk_ops(old, new) == ops


def test_chunk_tells_equal_lines_apart_by_their_neighbours() -> None:
    text = make({"a.ini": "[a]\nmax = 1\n[b]\nmax = 1\n"}, {"a.ini": "[a]\nmax = 1\n[b]\nmax = 2\n"}, "chunk")
    assert text == (
        "operations:\n  - path: a.ini\n    op: replace_text\n    before: |-\n      [b]\n    marker: |-\n"
        "      max = 1\n    payload: |-\n      max = 2\n"
    )


# ── symbol chunks: the innermost symbol ──────────────────────────────────────────────────────────


def insides(old: str, new: str, path: str = "a.py") -> list[SymbolEdit]:
    text = make({path: old}, {path: new}, "symbol-chunks")
    assert applied(text, {path: old}, "symbol-chunks") == {path: new}
    return [inside for op in read(text, "symbol-chunks").ops if isinstance(op, Edit) for inside in op.hunks if isinstance(inside, SymbolEdit)]  # fmt: skip


@pytest.mark.parametrize(
    ("old", "new", "symbols"),
    [
        ("amount += item.price", "amount += item.cost", ["Cart/total"]),
        ("return 0", "return None", ["Empty/total"]),
        ("        return self\n", "        return self\n\n    def clear(self):\n        self.items = []\n", ["Cart"]),
        ("class Empty:", "class Nothing:", ["Empty"]),
        ("\n\n\nclass", "\n\n\nX = 1\n\n\nclass", ["/"]),
    ],
)
def test_symbol_chunks_name_the_innermost_symbol(old: str, new: str, symbols: list[str]) -> None:
    assert [inside.symbol for inside in insides(CART, CART.replace(old, new))] == symbols


def test_a_name_that_ends_others_is_given_whole() -> None:
    text = "def run():\n    one()\n    two()\n\n\nclass A:\n    def run(self):\n        one()\n        two()\n"
    assert [
        inside.symbol for inside in insides(text, text.replace("    one()\n    two()\n\n", "    one()\n    2\n\n"))
    ] == ["/run"]


def test_files_without_a_grammar_are_edited_as_a_whole() -> None:
    assert [inside.symbol for inside in insides("a\nb\nc\n", "a\nB\nc\n", "a.txt")] == ["/"]

"""Patches written: what is made applies byte for byte, says no more than it must, converts and goes back."""

from __future__ import annotations

import json
import random
import subprocess
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path

import pytest

import anypatch
from anypatch import FormatName, PatchError, convert, invert, make, make_git
from anypatch.answer.marks import is_mark
from anypatch.api import format_given, formats, read
from anypatch.author.describe import Rows, least
from anypatch.author.make import differences, written
from anypatch.diff import opcodes
from anypatch.model import Edit, File, FileChange, Inside, Patch, Plan
from anypatch.plan import plan as planned
from anypatch.tree import MemoryTree, TreeAfter

TOP = Path(__file__).parent.parent.parent
NAMES = [format.name for format in formats()]

CART = """class Cart:
    def __init__(self):
        self.items = []

    def add(self, item):
        self.items.append(item)
        return self

    def total(self):
        amount = 0
        for item in self.items:
            amount += item.price
        return amount


class Empty:
    def total(self):
        return 0
"""


def applied(text: str, files: Mapping[str, str | bytes], format: FormatName) -> dict[str, str | bytes]:
    made = anypatch.apply_to(text, files, format=format_given(format))
    assert made.ok, (text, made.problems)
    return dict(made.files)


def can(name: str, what: str) -> bool:
    return what in anypatch.format_named(name).can


# ── make ─────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", NAMES)
def test_what_is_made_applies(name: FormatName) -> None:
    old: dict[str, str | bytes] = {"a.py": CART, "b.txt": b"one\r\ntwo\r\nthree\r\n", "same": "as it was\n"}
    new: dict[str, str | bytes] = {
        "a.py": CART.replace("item.price", "item.price * item.count").replace("return 0", "return None"),
        "b.txt": b"one\r\n2\r\nthree\r\nfour\r\n",
        "same": "as it was\n",
    }
    assert applied(make(old, new, name), old, name) == new
    assert make(old, old, name) == ""


@pytest.mark.parametrize("name", NAMES)
def test_what_a_format_cannot_say_is_refused_by_name(name: FormatName) -> None:
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


def test_folders_files_and_revisions(tmp_path: Path) -> None:
    for side, text in (("old", "one\ntwo\n"), ("new", "one\n2\n")):
        (tmp_path / side / "sub").mkdir(parents=True)
        (tmp_path / side / "sub" / "f.txt").write_text(text)
        (tmp_path / side / ".git").mkdir()
        (tmp_path / side / ".git" / "config").write_text(side)
    made = make(tmp_path / "old", tmp_path / "new", "search-replace")
    assert made == "sub/f.txt\n<<<<<<< SEARCH\ntwo\n=======\n2\n>>>>>>> REPLACE\n"
    old, new = (str(tmp_path / side / "sub" / "f.txt") for side in ("old", "new"))
    assert make(old, new, "search-replace") == made.replace("sub/", "")
    with pytest.raises(PatchError):
        make(tmp_path / "old", new, "unified")


def test_files_that_no_patch_may_touch_are_in_nobodys_way(tmp_path: Path) -> None:
    for side in ("old", "new"):
        (tmp_path / side / ".svn").mkdir(parents=True)
        (tmp_path / side / ".svn" / "entries").write_text("12\n")
        (tmp_path / side / "f.txt").write_text(f"{side}\n")
    assert applied(make(tmp_path / "old", tmp_path / "new", "unified"), {"f.txt": "old\n"}, "unified") == {
        "f.txt": "new\n"
    }


def test_git_revisions_and_the_working_tree(tmp_path: Path) -> None:
    def git(*arguments: str) -> None:
        subprocess.run(
            ["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments],
            cwd=tmp_path, check=True, capture_output=True,
        )  # fmt: skip

    git("init", "-q")
    (tmp_path / "a.txt").write_text("one\ntwo\n")
    git("add", "-A")
    git("commit", "-qm", "first")
    (tmp_path / "a.txt").write_text("one\n2\n")
    git("commit", "-qam", "second")
    assert applied(make_git(tmp_path, "chunk", "HEAD~1", "HEAD"), {"a.txt": "one\ntwo\n"}, "chunk") == {
        "a.txt": "one\n2\n"
    }
    (tmp_path / "a.txt").write_text("1\n2\n")
    (tmp_path / "new é.txt").write_text("new\n")
    text = make_git(tmp_path, "begin-patch")
    assert applied(text, {"a.txt": "one\n2\n"}, "begin-patch") == {"a.txt": "1\n2\n", "new é.txt": "new\n"}
    with pytest.raises(PatchError) as caught:
        make_git(tmp_path, "chunk", "nothing")
    assert caught.value.problems[0].kind == "unreadable"


def test_a_file_in_the_place_of_a_folder() -> None:
    old = {"a/b": "one\n", "c": "two\n"}
    new = {"a": "one\n", "c/d": "two\n"}
    for name in ("unified", "chunk", "begin-patch"):
        assert applied(make(old, new, name), old, name) == new
        assert applied(invert(make(old, new, name), old), new, name) == old


def test_escapes_in_a_file_are_not_read_as_what_they_stand_for() -> None:
    old = {"a.html": "<p>one</p>\n<p>two</p>\n"}
    new = {"a.html": "<p>one</p>\n<p>&lt;two&gt; &amp; three</p>\n"}
    for name in NAMES:
        assert applied(make(old, new, name), old, name) == new


# ── no more context than is needed ───────────────────────────────────────────────────────────────


def test_the_least_context_is_the_least() -> None:
    chance = random.Random(5)
    for _ in range(300):
        lines = [chance.choice("abc") for _ in range(chance.randrange(1, 25))]
        rows = Rows(lines)
        start = chance.randrange(len(lines) + 1)
        end = min(start + chance.randrange(3), len(lines))
        top, bottom = least(rows.alone, (start, end), (0, len(lines)))
        assert top <= start and end <= bottom
        whole = (top, bottom) == (0, len(lines))
        assert whole or places(lines, lines[top:bottom]) == 1
        needed = int(start == end)  # what only adds lines has one on both sides
        assert start - top >= min(needed, start) and bottom - end >= min(needed, len(lines) - end)
        if top < start - needed:
            assert places(lines, lines[top + 1 : bottom]) != 1
        if bottom > end + needed:
            assert places(lines, lines[top : bottom - 1]) != 1


def places(lines: list[str], run: list[str]) -> int:
    return sum(lines[at : at + len(run)] == run for at in range(len(lines) - len(run) + 1)) if run else 0


def test_blank_lines_alone_are_no_place() -> None:
    lines = [str(n) for n in range(40)] + [""]
    rows = Rows(lines)
    assert not rows.alone(40, 41)
    assert all(rows.alone(at, at + 1) for at in range(40))


@pytest.mark.parametrize("name", ["begin-patch", "search-replace", "json-edits", "symbol-chunks"])
def test_each_hunk_has_one_place_and_none_without_its_context(name: FormatName) -> None:
    """By the engine's own rules: leave out the outermost line of context, and the patch is refused."""
    block = "def f{0}():\n    setup()\n    run()\n    done()\n\n"
    old = "".join(block.format(n) for n in range(6))
    new = old.replace("def f3():\n    setup()\n    run()", "def f3():\n    setup()\n    walk()")
    text = make({"a.txt": old}, {"a.txt": new}, name)
    assert applied(text, {"a.txt": old}, name) == {"a.txt": new}
    assert "def f3" in text and "f2" not in text and "f4" not in text
    cut = {
        "begin-patch": (" def f3():\n", ""),
        "search-replace": ("def f3():\n", ""),
        "json-edits": ("def f3():\\n", ""),
        "symbol-chunks": ('["def f3():", "    setup()"]', '"    setup()"'),
    }[name]
    less = text.replace(*cut)
    assert less != text
    report = anypatch.apply_to(less, {"a.txt": old}, format=format_given(name))
    assert {problem.kind for problem in report.problems} == {"ambiguous"}, less


def test_a_change_that_is_unique_is_said_alone() -> None:
    old = {"a.py": CART}
    new = {"a.py": CART.replace("amount += item.price", "amount += item.cost")}
    assert make(old, new, "begin-patch").split("\n")[1:-2] == [
        "*** Update File: a.py", "@@", "-            amount += item.price", "+            amount += item.cost",
    ]  # fmt: skip
    assert json.loads(make(old, new, "json-edits")) == [
        {"file_path": "a.py", "old_string": "            amount += item.price\n",
         "new_string": "            amount += item.cost\n"}
    ]  # fmt: skip


def test_a_part_of_a_line_is_no_place_of_its_own() -> None:
    old, new = {"a": "max = 1\nx = 1\n"}, {"a": "max = 1\nx = 2\n"}
    text = make(old, new, "json-edits")
    assert applied(text, old, "json-edits") == new
    assert json.loads(text)[0]["old_string"] == "max = 1\nx = 1"


# ── CHUNK: the plainest operation ────────────────────────────────────────────────────────────────


def chunk_ops(old: str, new: str, path: str = "a.py") -> list[str]:
    text = make({path: old}, {path: new}, "chunk")
    assert applied(text, {path: old}, "chunk") == {path: new}
    return [line.split(": ")[1] for line in text.split("\n") if line.startswith("    op: ")]


LONG = (
    "def f(a):\n    one(a)\n    two(a)\n    three(a)\n    four(a)\n    five(a)\n    return a\n\n\ndef g():\n    pass\n"
)


@pytest.mark.parametrize(
    ("old", "new", "ops"),
    [
        (CART, CART.replace("        amount = 0\n", "        amount = 0\n        count = 0\n"), ["insert_after_text"]),
        (CART, CART.replace("        self.items.append(item)\n", ""), ["delete_text"]),
        (CART, CART.replace("return amount", "return amount or None"), ["replace_text"]),
        (CART, CART + "\n\nprint(Cart())\n", ["append_text"]),
        (CART, "import os\n\n\n" + CART, ["prepend_text"]),
        (LONG, "def f(a, b):\n    for x in (a, b):\n        each(x)\n" + LONG[LONG.index("\n\n") + 1 :], ["replace_py_block"]),
        ("a\n\nb\n", "a\n\nx\n\nb\n", ["insert_after_text"]),
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


def test_chunk_replaces_a_block_of_braces() -> None:
    old = "int f() {\n" + "".join(f"    step({n});\n" for n in range(8)) + "}\n\nint g() {\n    return 1;\n}\n"
    new = "int f() {\n    all();\n}\n\nint g() {\n    return 1;\n}\n"
    assert chunk_ops(old, new, "a.cpp") == ["replace_c_style_block"]


def test_lines_said_twice_are_not_lost() -> None:
    for name in NAMES:
        old, new = {"a": "x\nlet\nb\nc\n"}, {"a": "x\nlet\nb\nlet\nb\nc\n"}
        assert applied(make(old, new, name), old, name) == new


def test_patches_inside_a_chunk_document_are_text() -> None:
    """Also where only its looks tell the format."""
    inner = make({"x": "1\n"}, {"x": "2\n"}, "unified") + make({"x": "1\n"}, {"x": "3\n"}, "search-replace")
    old: dict[str, str | bytes] = {"a.md": "# a\n", "x": "1\n"}
    new = {**old, "a.md": f"# a\n\n```diff\n{inner}```\n"}
    done = anypatch.apply_to(make(old, new, "chunk"), old)
    assert done.ok and done.plan.patch.format == "chunk" and dict(done.files) == new


# ── symbol chunks: the innermost symbol ──────────────────────────────────────────────────────────


def insides(old: str, new: str, path: str = "a.py") -> list[Inside]:
    text = make({path: old}, {path: new}, "symbol-chunks")
    assert applied(text, {path: old}, "symbol-chunks") == {path: new}
    return [said for op in read(text, "symbol-chunks").ops if isinstance(op, Edit) for said in op.hunks if isinstance(said, Inside)]  # fmt: skip


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
    assert [said.symbol for said in insides(CART, CART.replace(old, new))] == symbols


def test_a_name_that_ends_others_is_given_whole() -> None:
    text = "def run():\n    one()\n    two()\n\n\nclass A:\n    def run(self):\n        one()\n        two()\n"
    assert [
        said.symbol for said in insides(text, text.replace("    one()\n    two()\n\n", "    one()\n    2\n\n"))
    ] == ["/run"]


def test_a_symbol_of_which_little_is_left_is_replaced() -> None:
    new = "def f(a):\n    return [step(a) for step in STEPS]\n" + LONG[LONG.index("\n\n") + 1 :]
    assert [(said.symbol, said.deed) for said in insides(LONG, new)] == [("f", "replace")]


def test_files_without_a_grammar_are_edited_as_a_whole() -> None:
    assert [said.symbol for said in insides("a\nb\nc\n", "a\nB\nc\n", "a.txt")] == ["/"]


# ── convert and invert ───────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", NAMES)
def test_every_pair_of_formats(name: FormatName) -> None:
    old: dict[str, str | bytes] = {"a.py": CART, "b.md": "# b\n\ntext\n"}
    new: dict[str, str | bytes] = {"a.py": CART.replace("item.price", "item.cost"), "b.md": "# b\n\nmore text\n"}
    text = make(old, new, name)
    for other in NAMES:
        assert applied(convert(text, other, old, format=name), old, other) == new
    assert applied(invert(text, old, format=name), new, name) == old
    assert applied(invert(text, old, format=name, to="unified"), new, "unified") == old


def test_the_tree_is_read_only_where_places_are_looked_up(tmp_path: Path) -> None:
    made = make({}, {"d/new.txt": "hello\nthere\n"}, "unified")
    for name in (name for name in NAMES if can(name, "create")):
        assert applied(convert(made, name), {}, name) == {"d/new.txt": "hello\nthere\n"}
    edit = make({"a": "1\n2\n"}, {"a": "1\n3\n"}, "unified")
    assert convert(edit, "unified") == edit
    with pytest.raises(PatchError) as caught:
        convert(edit, "chunk")
    assert caught.value.problems[0].kind == "bad_call"
    (tmp_path / "a").write_text("1\n2\n")
    assert applied(convert(edit, "chunk", tmp_path), {"a": "1\n2\n"}, "chunk") == {"a": "1\n3\n"}


def test_what_does_not_fit_is_not_converted() -> None:
    with pytest.raises(PatchError) as caught:
        convert(make({"a": "1\n2\n"}, {"a": "1\n3\n"}, "unified"), "chunk", {"a": "other\n"})
    assert {problem.kind for problem in caught.value.problems} == {"not_found"}
    with pytest.raises(PatchError) as caught:
        invert(make({}, {"a": "1\n"}, "search-replace"), {})
    assert (
        caught.value.problems[0].detail
        == "search-replace can't express this change to a: the format can't delete files"
    )


def test_moves_are_converted() -> None:
    patch = "*** Begin Patch\n*** Update File: a\n*** Move to: b\n@@\n-1\n+2\n*** End Patch\n"
    for name in (name for name in NAMES if can(name, "create") and can(name, "delete")):
        turned = convert(patch, name, {"a": "1\n"})
        assert applied(turned, {"a": "1\n"}, name) == {"b": "2\n"}
    assert applied(invert(patch, {"a": "1\n"}), {"b": "2\n"}, "begin-patch") == {"a": "1\n"}


# ── a small run of bench/roundtrip.py ────────────────────────────────────────────────────────────


def history(seed: int) -> list[dict[str, File]]:
    """Sources of this package, edited at random: lines changed, moved, doubled and dropped, files made and deleted.

    Nothing is defined twice: no format without line numbers says that a definition is wanted a second time.
    """
    chance = random.Random(seed)
    sources = {path.name: path.read_bytes() for path in sorted((TOP / "src" / "anypatch").glob("*.py"))}
    # A line of dots alone is taken for code left out, so that no file with one can be shown whole.
    shown = [name for name, data in sources.items() if not any(is_mark(x) for x in data.decode().split("\n"))]
    tree = {name: File(sources[name]) for name in shown[seed % 5 :: 7]}
    steps = [tree]
    for number in range(3):
        tree = dict(tree)
        for path in chance.sample(sorted(tree), 2):
            lines = tree[path].data.decode().split("\n")
            for _ in range(chance.randrange(1, 5)):
                at, to = chance.randrange(len(lines) - 1), chance.randrange(len(lines))
                size = chance.randrange(1, 4)
                kept = [] if chance.random() < 0.5 else lines[to : to + size]
                kept = [line for line in kept if not line.lstrip().startswith(("def ", "class "))]
                lines[at : min(at + chance.randrange(3), len(lines) - 1)] = [*kept, f"    edited = {number}"]
            tree[path] = File("\n".join(lines).encode())
        if number == 1:
            tree["made.txt"] = File(b"made\n")
        steps.append(tree)
    return steps


@pytest.mark.parametrize("seed", range(4))
def test_a_history_comes_back_in_every_format(seed: int) -> None:
    said = 0
    for before, after in pairwise(history(seed)):
        changes = differences(before, after)
        for name in NAMES:
            if any(change.before is None for change in changes) and not can(name, "create"):
                continue
            text = written(changes, name, MemoryTree(before))
            check(text, name, MemoryTree(before), changes)
            other = NAMES[(NAMES.index(name) + 1 + said) % len(NAMES)]
            said += 1
            back = tuple(change.inverse() for change in changes)
            after_it = TreeAfter(MemoryTree(before), Plan(Patch(name), changes))
            if can(other, "create") or all(change.before for change in changes):
                check(convert(text, other, before, format=name, overwrite=True), other, MemoryTree(before), changes)
            if can(name, "delete") or all(change.before for change in changes):
                check(invert(text, before, format=name, overwrite=True), name, after_it, back)
    assert said > 20


def check(text: str, name: FormatName, tree: MemoryTree | TreeAfter, changes: tuple[FileChange, ...]) -> None:
    plan = planned(read(text, name), tree, overwrite=True, answer=text)
    assert not plan.problems, (name, plan.problems)
    assert {(change.path, change.after) for change in plan.changes} == {(c.path, c.after) for c in changes}, name


def test_many_edits_in_a_repetitive_file() -> None:
    """Results, not times: no format shows more than a part of a file in which most lines stand many times."""
    chance = random.Random(2)
    lines = [chance.choice(["    }", "    {", "", f"    call_{chance.randrange(40)}();"]) for _ in range(3000)]
    new = list(lines)
    for number in range(0, 3000, 100):
        new[number] = f"    changed_{number}();"
    before, after = {"a.txt": "\n".join(lines) + "\n"}, {"a.txt": "\n".join(new) + "\n"}
    assert sum(end - start + high - low for start, end, low, high in opcodes(lines, new)) == 60
    for name in NAMES:
        text = make(before, after, name)
        assert applied(text, before, name) == after
        if name not in ("whole-file", "elided"):
            assert text.count("\n") < 600, name

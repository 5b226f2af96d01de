"""Patches that are made apply byte for byte, convert into every format, and invert."""

from __future__ import annotations

import random
from itertools import pairwise
from pathlib import Path

import pytest

import anypatch
from anypatch import FormatName, PatchError, convert, invert, make
from anypatch.answer.marks import is_mark
from anypatch.api import read
from anypatch.author.make import write_changes
from anypatch.author.sources import differences
from anypatch.diff import opcodes
from anypatch.model import File, FileChange, Patch, Plan
from anypatch.plan import plan as planned
from anypatch.tree import MemoryTree, TreeAfter
from support.authored import CART, NAMES, applied, can

TOP = Path(__file__).parent.parent.parent


@pytest.mark.parametrize("name", NAMES)
def test_a_patch_that_is_made_applies(name: FormatName) -> None:
    old: dict[str, str | bytes] = {"a.py": CART, "b.txt": b"one\r\ntwo\r\nthree\r\n", "same": "as it was\n"}
    new: dict[str, str | bytes] = {
        "a.py": CART.replace("item.price", "item.price * item.count").replace("return 0", "return None"),
        "b.txt": b"one\r\n2\r\nthree\r\nfour\r\n",
        "same": "as it was\n",
    }
    assert applied(make(old, new, name), old, name) == new
    assert make(old, old, name) == ""


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


def test_repeated_lines_are_not_lost() -> None:
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


@pytest.mark.parametrize("name", NAMES)
def test_every_pair_of_formats(name: FormatName) -> None:
    old: dict[str, str | bytes] = {"a.py": CART, "b.md": "# b\n\ntext\n"}
    new: dict[str, str | bytes] = {"a.py": CART.replace("item.price", "item.cost"), "b.md": "# b\n\nmore text\n"}
    text = make(old, new, name)
    for other in NAMES:
        assert applied(convert(text, other, old, format=name), old, other) == new
    assert applied(invert(text, old, format=name), new, name) == old
    assert applied(invert(text, old, format=name, to="unified"), new, "unified") == old


def test_the_tree_is_read_only_if_places_must_be_found(tmp_path: Path) -> None:
    patch = make({}, {"d/new.txt": "hello\nthere\n"}, "unified")
    for name in (name for name in NAMES if can(name, "create")):
        assert applied(convert(patch, name), {}, name) == {"d/new.txt": "hello\nthere\n"}
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
    """Sources of this package, edited at random: lines changed, moved, doubled and dropped, files created and deleted.

    Nothing is defined twice: no format without line numbers says that a definition is wanted a second time.
    """
    chance = random.Random(seed)
    sources = {path.name: path.read_bytes() for path in sorted((TOP / "src" / "anypatch").glob("*.py"))}
    # A line of dots alone is read as code left out, so a file with one can't be shown whole.
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
def test_a_history_is_written_in_every_format_and_back(seed: int) -> None:
    written = 0
    for before, after in pairwise(history(seed)):
        changes = differences(before, after)
        for name in NAMES:
            if any(change.before is None for change in changes) and not can(name, "create"):
                continue
            text = write_changes(changes, name, MemoryTree(before))
            check(text, name, MemoryTree(before), changes)
            other = NAMES[(NAMES.index(name) + 1 + written) % len(NAMES)]
            written += 1
            back = tuple(change.inverse() for change in changes)
            after_it = TreeAfter(MemoryTree(before), Plan(Patch(name), changes))
            if can(other, "create") or all(change.before for change in changes):
                check(convert(text, other, before, format=name, overwrite=True), other, MemoryTree(before), changes)
            if can(name, "delete") or all(change.before for change in changes):
                check(invert(text, before, format=name, overwrite=True), name, after_it, back)
    assert written > 20


def check(text: str, name: FormatName, tree: MemoryTree | TreeAfter, changes: tuple[FileChange, ...]) -> None:
    plan = planned(read(text, name), tree, overwrite=True, answer=text)
    assert not plan.problems, (name, plan.problems)
    assert {(change.path, change.after) for change in plan.changes} == {(c.path, c.after) for c in changes}, name


def test_many_edits_in_a_repetitive_file() -> None:
    """Results, not times: no format shows more than a part of a file in which most lines occur many times."""
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

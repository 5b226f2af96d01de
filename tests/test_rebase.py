"""Plans that were made on files as a model saw them, merged into the files as they are now."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

import anypatch
from anypatch import PatchError, Result
from anypatch.model import File
from anypatch.rebase import only_inserts
from support.cases import NOT_DURABLE
from support.texts import edited

BASE = "".join(f"line {number}\n" for number in range(1, 21))


def block(old: str, new: str, path: str = "a.txt") -> str:
    return f"{path}\n<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n"


def put(root: Path, **files: str) -> Path:
    for name, text in files.items():
        (root / name.replace("_", ".")).write_text(text)
    return root


class Before:
    """A whole tree of the caller's: a file that it doesn't have didn't exist."""

    def __init__(self, **files: str) -> None:
        self.files = {name.replace("_", "."): text for name, text in files.items()}

    def read(self, path: str) -> str | None:
        return self.files.get(path)

    def list(self) -> list[str]:
        return [*self.files]


def kinds(result: Result) -> list[str]:
    return [*result.kinds]


# ── laws ─────────────────────────────────────────────────────────────────────────────────────────


def as_edit(before: str, after: str) -> str:
    """Write the change as a diff, if one can say it."""
    try:
        return anypatch.make({"a.txt": before}, {"a.txt": after}, "unified")
    except PatchError:
        reject()


@settings(max_examples=100, deadline=None)
@given(pair=edited())
def test_a_base_that_is_the_tree_changes_nothing(pair: tuple[str, str]) -> None:
    before, after = pair
    patch = as_edit(before, after)
    plain = anypatch.apply_to(patch, {"a.txt": before})
    assert anypatch.apply_to(patch, {"a.txt": before}, base={"a.txt": before}) == plain
    assert anypatch.apply_to(patch, {"a.txt": before}, base={"other.txt": before}) == plain


@settings(max_examples=100, deadline=None)
@given(pair=edited(), more=st.text("xyz\n", max_size=9))
def test_a_merge_with_an_unchanged_file_is_the_plain_result(pair: tuple[str, str], more: str) -> None:
    """The file that is edited is as it was; another one of the base isn't."""
    before, after = pair
    patch = as_edit(before, after)
    now = {"a.txt": before, "b.txt": more}
    merged = anypatch.apply_to(patch, now, base={"a.txt": before, "b.txt": "old\n"})
    plain = anypatch.apply_to(patch, now)
    assert (merged.ok, merged.files, merged.notes) == (plain.ok, plain.files, plain.notes)


@settings(max_examples=100, deadline=None)
@given(rows=st.lists(st.integers(1, 20), min_size=2, max_size=6, unique=True), new=st.text("ab \n", max_size=5))
def test_the_order_of_disjoint_edits_makes_no_difference(rows: list[int], new: str) -> None:
    rows.sort()
    middle = len(rows) // 2
    lines = BASE.splitlines()
    sides = []
    for chosen in (rows[:middle], rows[middle:]):
        changed = [f"{line}!{new}" if number in chosen else line for number, line in enumerate(lines, 1)]
        sides.append(as_edit(BASE, "".join(f"{line}\n" for line in changed)))
    results = []
    for one, other in (sides, sides[::-1]):
        first = anypatch.apply_to(one, {"a.txt": BASE})
        second = anypatch.apply_to(other, first.files, base={"a.txt": BASE})
        assert second.ok or kinds(second) == ["merge_conflict"]
        results.append(dict(second.files) if second.ok else None)
    assert results[0] == results[1]
    apart = rows[middle] - rows[middle - 1] > 1
    assert (results[0] is not None) == apart


def test_applied_twice_an_edit_is_made_once() -> None:
    edit = block("line 5", "line five\nline five and a half")
    once = anypatch.apply_to(edit, {"a.txt": BASE})
    twice = anypatch.apply_to(edit, once.files, base={"a.txt": BASE})
    assert twice.ok and twice.files == once.files and not twice.changes


# ── files ────────────────────────────────────────────────────────────────────────────────────────


def test_places_are_reported_in_the_file_as_it_is_now() -> None:
    now = "new\n" * 3 + BASE
    result = anypatch.apply_to(block("line 5", "line five"), {"a.txt": now}, base={"a.txt": BASE})
    assert result.ok and dict(result.files)["a.txt"] == now.replace("line 5\n", "line five\n")
    (operation,) = result.to_dict()["operations"]
    assert (operation["start"], operation["end"]) == (8, 8)


def test_a_file_that_was_moved_is_edited_where_it_is_now() -> None:
    before = Before(a_txt=BASE, c_txt="c\n")
    now = {"b.txt": BASE, "c.txt": "c\n"}
    result = anypatch.apply_to(block("line 5", "line five"), now, base=before)
    assert result.ok and dict(result.files) == {"b.txt": BASE.replace("line 5\n", "line five\n"), "c.txt": "c\n"}
    assert "moved to b.txt" in result.notes[0].text
    for others in ({"b.txt": BASE, "d.txt": BASE}, {"b.txt": BASE + "more\n"}, {"c.txt": "c\n"}):
        refused = anypatch.apply_to(block("line 5", "line five"), others, base=before)
        assert kinds(refused) == ["merge_conflict"] and "a.txt was deleted" in refused.problems[0].detail


def test_a_copy_that_the_base_had_is_no_move() -> None:
    before = Before(a_txt=BASE, b_txt=BASE)
    assert not anypatch.apply_to(block("line 5", "x"), {"b.txt": BASE}, base=before).ok


@pytest.mark.parametrize(("now", "fine"), [("x = 1\n", True), ("x = 2\n", False), ("", False)])
def test_a_file_that_both_sides_created(now: str, fine: bool) -> None:
    patch = "*** Begin Patch\n*** Add File: n.py\n+x = 1\n*** End Patch\n"
    for overwrite in (None, True):
        result = anypatch.apply_to(patch, {"n.py": now}, base=Before(a_txt=BASE), overwrite=overwrite)
        assert result.ok is fine or (overwrite is None and kinds(result) == ["file_exists"])
        assert dict(result.files) == {"n.py": now}
        if not fine and overwrite:
            assert kinds(result) == ["merge_conflict"] and result.problems[0].near


def test_a_moved_file_is_gone_or_its_new_name_is_taken() -> None:
    patch = "*** Begin Patch\n*** Update File: a.txt\n*** Move to: b.txt\n@@\n-line 5\n+line five\n*** End Patch\n"
    assert kinds(anypatch.apply_to(patch, {"c.txt": ""}, base=Before(a_txt=BASE))) == ["merge_conflict"]
    taken = {"a.txt": BASE, "b.txt": "mine\n"}
    result = anypatch.apply_to(patch, taken, base={"a.txt": BASE})
    assert not result.ok and dict(result.files) == taken
    edited = anypatch.apply_to(patch, {"a.txt": BASE.replace("line 5\n", "line V\n")}, base={"a.txt": BASE})
    assert kinds(edited) == ["merge_conflict"]


def test_a_copy_takes_later_edits_along() -> None:
    patch = "diff --git a/a.txt b/b.txt\nsimilarity index 100%\ncopy from a.txt\ncopy to b.txt\n"
    result = anypatch.apply_to(patch, {"a.txt": BASE + "more\n"}, base={"a.txt": BASE})
    assert result.ok and dict(result.files) == {"a.txt": BASE + "more\n", "b.txt": BASE + "more\n"}


def test_permissions_stay_as_they_are_now_unless_the_answer_changes_them(tmp_path: Path) -> None:
    put(tmp_path, a_txt=BASE + "more\n").joinpath("a.txt").chmod(0o750)
    edit = block("line 5", "line five")
    assert anypatch.apply(edit, tmp_path, base={"a.txt": BASE}, settings=NOT_DURABLE).ok
    assert (tmp_path / "a.txt").stat().st_mode & 0o777 == 0o750
    mode = "diff --git a/a.txt b/a.txt\nold mode 100644\nnew mode 100755\n"
    result = anypatch.apply(mode, tmp_path, base={"a.txt": BASE}, settings=NOT_DURABLE)
    assert result.ok and (tmp_path / "a.txt").stat().st_mode & 0o777 == 0o755
    assert (tmp_path / "a.txt").read_text() == BASE.replace("line 5\n", "line five\n") + "more\n"


def test_a_name_that_has_become_a_folder_or_a_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.txt").mkdir()
    (tmp_path / "a.txt" / "b").write_text("x\n")
    result = anypatch.apply(block("line 5", "line five"), tmp_path, base=Before(a_txt=BASE))
    assert not result.ok and (tmp_path / "a.txt" / "b").read_text() == "x\n"
    (tmp_path / "n.py").symlink_to("elsewhere")
    patch = "*** Begin Patch\n*** Add File: n.py\n+x = 1\n*** End Patch\n"
    assert not anypatch.apply(patch, tmp_path, base=Before(a_txt=BASE)).ok
    assert (tmp_path / "n.py").is_symlink() and not (tmp_path / "elsewhere").exists()


def test_a_link_outside_is_no_way_out(tmp_path: Path) -> None:
    """The base has a file where there is a link out of the tree now."""
    root = tmp_path / "root"
    root.mkdir()
    put(tmp_path, secret_txt=BASE)
    (root / "a.txt").symlink_to("../secret.txt")
    assert not anypatch.apply(block("line 5", "line five"), root, base=Before(a_txt=BASE)).ok
    assert (tmp_path / "secret.txt").read_text() == BASE


def test_binary_files_are_not_merged() -> None:
    data = "\0\1\2" * 100
    patch = "*** Begin Patch\n*** Delete File: a.bin\n*** End Patch\n"
    assert anypatch.apply_to(patch, {"a.bin": data}, base={"a.bin": data}).ok
    assert kinds(anypatch.apply_to(patch, {"a.bin": data + "\0"}, base={"a.bin": data})) == ["merge_conflict"]
    turned = anypatch.apply_to(block("line 5", "line five"), {"a.txt": data}, base={"a.txt": BASE})
    assert kinds(turned) == ["merge_conflict"] and "isn't text" in turned.problems[0].detail


def test_utf_16_is_merged_as_text() -> None:
    before, now = (text.encode("utf-16") for text in (BASE, BASE + "more\n"))
    result = anypatch.apply_to(block("line 5", "line fünf"), {"a.txt": now}, base={"a.txt": before})
    assert result.ok
    assert dict(result.files)["a.txt"] == (BASE.replace("line 5\n", "line fünf\n") + "more\n").encode("utf-16")


@pytest.mark.parametrize(
    ("result", "base", "ours", "theirs", "fine"),
    [
        ("axyb", "ab", "axb", "ayb", True),
        ("ayxb", "ab", "axb", "ayb", True),
        ("axb", "ab", "axb", "ayb", False),  # theirs is lost
        ("ayxxb", "ab", "axb", "ayb", False),
        ("axYc", "abc", "axbc", "aYc", True),
        ("axc", "abc", "axbc", "ac", True),
        ("aYxc", "abc", "axbc", "aYc", False),  # above `b`, not below it
        ("aYc", "abc", "aBc", "aYc", False),
        ("axyb", "ab", "Axb", "ayb", False),
    ],
)
def test_only_inserts(result: str, base: str, ours: str, theirs: str, fine: bool) -> None:
    assert only_inserts(*("\n".join(text) for text in (result, base, ours, theirs))) is fine


# ── with the rest of the engine ──────────────────────────────────────────────────────────────────


def test_the_syntax_of_the_merged_file_is_checked() -> None:
    """Both sides are fine, and together they aren't."""
    before = "def f(a):\n    x = 1\n    y = 2\n    return a\n"
    now = before.replace("def f(a):", "def f(a, b):")
    answer = block("    return a", "    def g(a, a):\n        return 1\n    return a", "a.py")
    result = anypatch.apply_to(answer, {"a.py": now}, base={"a.py": before}, syntax="refuse")
    assert kinds(result) == ["syntax"]


def test_partial_leaves_out_what_has_no_place_and_no_conflict() -> None:
    answer = block("line 5", "line five") + block("gone", "x")
    now = {"a.txt": BASE + "more\n"}
    part = anypatch.apply_to(answer, now, base={"a.txt": BASE}, partial=True)
    assert part.status == "partial" and "gone" in part.rest
    assert dict(part.files)["a.txt"] == BASE.replace("line 5\n", "line five\n") + "more\n"
    conflict = {"a.txt": BASE.replace("line 5\n", "line V\n")}
    whole = anypatch.apply_to(answer, conflict, base={"a.txt": BASE}, partial=True)
    assert whole.status == "refused" and dict(whole.files) == conflict


def test_proposals_are_merged_as_well() -> None:
    before = "def f():\n    return 1\n\n\ndef g():\n    return 2\n"
    now = before.replace("return 2", "return 22")
    answer = "Change a.py:\n\n```python\ndef f():\n    return 10\n```\n"
    shown = anypatch.apply_to(answer, {"a.py": now}, base={"a.py": before})
    assert shown.status == "proposed"
    taken = anypatch.apply_to(answer, {"a.py": now}, base={"a.py": before}, accept="all")
    assert taken.ok and dict(taken.files) == {"a.py": now.replace("return 1\n", "return 10\n")}


def test_all_conflicts_are_shown_with_both_sides() -> None:
    edits = block("line 5", "line five") + block("line 15", "line fifteen")
    now = BASE.replace("line 5\n", "line V\n").replace("line 15\n", "line XV\n")
    result = anypatch.apply_to(edits, {"a.txt": now}, base={"a.txt": BASE})
    assert [problem.line for problem in result.problems] == [5, 15]
    first = result.problems[0]
    assert [near.note for near in first.near] == ["as it is now", "as the answer would have it"]
    assert "line V" in first.near[0].lines and "line five" in first.near[1].lines
    assert "<<<<<<<" not in str(result) and "line V" in result.for_model()


def test_a_file_that_is_written_while_it_is_planned_is_planned_again(tmp_path: Path) -> None:
    put(tmp_path, a_txt=BASE)
    texts = [BASE + "one\n", BASE + "one\ntwo\n"]

    def write(step: str, _: str) -> None:
        if step == "write" and texts:
            (tmp_path / "a.txt").write_text(texts.pop(0))

    settings = NOT_DURABLE._replace(watch=write)
    result = anypatch.apply(block("line 5", "line five"), tmp_path, base={"a.txt": BASE}, settings=settings)
    assert result.ok, result
    assert (tmp_path / "a.txt").read_text() == BASE.replace("line 5\n", "line five\n") + "one\ntwo\n"
    assert anypatch.undo(tmp_path).ok and (tmp_path / "a.txt").read_text() == BASE + "one\ntwo\n"


def test_files_compare_by_contents() -> None:
    assert File(b"x") == File.of_text("x")

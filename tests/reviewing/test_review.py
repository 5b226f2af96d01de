"""A review shows an answer hunk by hunk, and applies what is kept of it."""

from __future__ import annotations

from pathlib import Path

import pytest

import anypatch
from anypatch import PatchError, review
from reviewing.examples import CART, MIXED, STATED, WRONG, text
from support.reviews import SECOND


def test_what_is_kept_is_applied_and_can_be_undone(root: Path) -> None:
    result = review(MIXED, root).drop("2.1").apply()
    assert result.ok and result.written
    assert "list()" in text(root) and "In cents" in text(root) and "0.19" in text(root)
    assert anypatch.undo(root).ok
    assert text(root) == CART


def test_all_kept_is_what_apply_does(root: Path) -> None:
    wanted = anypatch.apply_to(MIXED, {"app/cart.py": CART}, accept="all").files["app/cart.py"]
    assert review(MIXED, root).apply().ok
    assert text(root) == wanted


def test_dropping_and_keeping_again_gives_the_same(root: Path) -> None:
    first = review(MIXED, root)
    again = first.drop(2, "block 1", "3.1").keep("2", 1, "3.1")
    assert again.plan().changes == first.plan().changes
    assert not first.drop(1, 2, 3).apply().written


def test_a_hunk_is_written_otherwise(root: Path) -> None:
    changed = review(STATED, root).edit("1.1", "        self.items = deque()\n")
    assert [line.text.strip() for line in changed.hunks[0].lines if line.sign == "+"] == ["self.items = deque()"]
    assert changed.apply().ok
    assert text(root) == CART.replace("[]", "deque()")


def test_an_edit_that_fails_can_be_left_out(root: Path) -> None:
    result = review(WRONG, root).drop(2).apply()
    assert result.ok and text(root) == CART.replace("[]", "list()")


def test_a_tree_that_changed_is_noticed(root: Path) -> None:
    looked_at = review(STATED, root)
    (root / "app/cart.py").write_text("# mine\n" + CART)
    result = looked_at.apply()
    assert [problem.kind for problem in result.problems] == ["stale"]
    assert text(root) == "# mine\n" + CART
    assert looked_at.refresh().apply().ok
    assert text(root) == "# mine\n" + CART.replace("[]", "list()")


def test_a_warning_is_given_once_and_only_for_what_is_kept(root: Path) -> None:
    broken = STATED + SECOND.replace("    return price * 0.21", "    return price * (0.21")
    looked_at = review(broken, root)
    assert [note.kind for note in looked_at.apply().notes] == ["syntax"]
    assert anypatch.undo(root).ok
    assert [note.kind for note in looked_at.drop(2).apply().notes] == ["review"]


def test_decisions_outlive_a_new_plan(root: Path) -> None:
    looked_at = review(MIXED, root).drop("2.1").edit("1.1", "        self.items = set()\n")
    (root / "app/cart.py").write_text(CART + "\n# mine\n")
    assert looked_at.refresh().apply().ok
    assert "set()" in text(root) and "0.19" in text(root)


def test_decisions_follow_their_hunk_to_other_lines(root: Path) -> None:
    (root / "app/cart.py").write_text("a = 1\nb\nb\nb\nb\na = 1\n")
    answer = "--- a/app/cart.py\n+++ b/app/cart.py\n@@ -1,2 +1,2 @@\n-a = 1\n+a = 2\n b\n@@ -5,2 +5,2 @@\n b\n-a = 1\n+a = 2\n"
    looked_at = review(answer, root).drop("1.2")
    (root / "app/cart.py").write_text("# mine\na = 1\nb\nb\nb\nb\na = 1\n")
    assert looked_at.stale() and not review(answer, root).stale()
    assert looked_at.refresh().apply().ok
    assert text(root) == "# mine\na = 2\nb\nb\nb\nb\na = 1\n"


def test_an_answer_without_edits_is_refused_with_its_reasons(root: Path) -> None:
    with pytest.raises(PatchError):
        review("Only prose.", root)
    looked_at = review("```sh\nmake\n```\n", root)
    assert [problem.kind for problem in looked_at.problems] == ["no_patch"]


@pytest.mark.parametrize("call", [lambda r: r.drop("9.9"), lambda r: r.keep("7"), lambda r: r.choose("edit 9", 1)])
def test_what_is_not_there_is_refused(root: Path, call: object) -> None:
    with pytest.raises(PatchError, match="there is no"):
        call(review(MIXED, root))  # type: ignore[operator]

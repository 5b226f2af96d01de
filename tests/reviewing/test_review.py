"""A review shows every block and hunk of an answer, and applies what is kept of it."""

from __future__ import annotations

from pathlib import Path

import pytest

import anypatch
from anypatch import PatchError, review

CART = """\
class Cart:
    def __init__(self):
        self.items = []

    def total(self):
        return sum(self.items)

    def is_empty(self):
        return not self.items


def tax(price):
    return price * 0.19
"""
STATED = "app/cart.py\n<<<<<<< SEARCH\n        self.items = []\n=======\n        self.items = list()\n>>>>>>> REPLACE\n"
MIXED = (
    f"{STATED}\nIn `app/cart.py`:\n\n```python\ndef tax(price):\n    return price * 0.21\n```\n\n"
    '```python\ndef total(self):\n    """In cents."""\n    return sum(self.items)\n```\n\n```sh\nmake test\n```\n'
)
OPTIONS = (
    "app/cart.py\n\n```python\ndef tax(price):\n    return 1\n```\nor\n```python\ndef tax(price):\n    return 2\n```\n"
)
WRONG = STATED + (
    "app/cart.py\n<<<<<<< SEARCH\n    def is_empty(self):\n        return not self.itemz\n=======\n"
    "    def is_empty(self):\n        return len(self.items) == 0\n>>>>>>> REPLACE\n"
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "app").mkdir()
    (tmp_path / "app/cart.py").write_text(CART)
    return tmp_path


def text(root: Path) -> str:
    return (root / "app/cart.py").read_text()


def test_every_block_has_its_edits_and_every_hunk_its_edit(root: Path) -> None:
    looked_at = review(MIXED, root)
    assert [(block.read_as, block.state, block.edits) for block in looked_at.blocks] == [
        ("search-replace", "kept", (1,)), ("sketch", "kept", (2,)), ("sketch", "kept", (3,)), ("sketch", "unused", ()),
    ]  # fmt: skip
    assert [(edit.number, edit.rule, edit.hunks) for edit in looked_at.edits] == [
        (1, "", ("1.1",)), (2, "symbol", ("2.1",)), (3, "symbol", ("3.1",)),
    ]  # fmt: skip
    assert not looked_at.is_sure
    assert text(root) == CART


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


def test_alternatives_are_a_choice(root: Path) -> None:
    looked_at = review(OPTIONS, root)
    (choice,) = looked_at.choices
    assert [option.line for option in choice.options] == [3, 8]
    assert {problem.kind for problem in looked_at.problems} == {"alternatives"}
    assert not looked_at.apply().ok and text(root) == CART
    second = looked_at.choose(choice.id, 2)
    assert second.choices[0].chosen == 2
    assert [edit.state for edit in second.edits] == ["dropped", "kept"]
    assert [edit.state for edit in second.choose(choice.id, 1).edits] == ["kept", "dropped"]
    assert not second.choose(choice.id, 0).plan().changes
    assert second.apply().ok
    assert text(root) == CART.replace("price * 0.19", "2")


def test_a_correction_is_a_choice(root: Path) -> None:
    looked_at = review(WRONG, root)
    assert [problem.kind for problem in looked_at.problems] == ["not_found"]
    assert not looked_at.apply().written
    corrected = looked_at.choose_number(1)
    assert not corrected.problems and corrected.choices[0].chosen == 1
    assert corrected.apply().ok
    assert "len(self.items) == 0" in text(root)


def test_an_edit_that_fails_can_be_left_out(root: Path) -> None:
    result = review(WRONG, root).drop(2).apply()
    assert result.ok and text(root) == CART.replace("[]", "list()")


def test_two_places_are_a_choice(root: Path) -> None:
    (root / "app/cart.py").write_text("a = 1\nlimit = 2\nb = 3\nlimit = 2\nc = 4\n")
    answer = "app/cart.py\n<<<<<<< SEARCH\nlimit = 2\n=======\nlimit = 5\n>>>>>>> REPLACE\n"
    (choice,) = review(answer, root).choices
    assert [option.line for option in choice.options] == [2, 4]
    assert review(answer, root).choose(choice.id, 2).apply().ok
    assert text(root) == "a = 1\nlimit = 2\nb = 3\nlimit = 5\nc = 4\n"


def test_a_path_can_be_corrected(root: Path) -> None:
    answer = STATED.replace("app/cart.py", "shop/basket.py")
    assert [problem.kind for problem in review(answer, root).problems] == ["file_missing"]
    assert review(answer, root).use_path("shop/basket.py", "app/cart.py").apply().ok
    assert text(root) == CART.replace("[]", "list()")


def test_a_tree_that_changed_is_noticed(root: Path) -> None:
    looked_at = review(STATED, root)
    (root / "app/cart.py").write_text("# mine\n" + CART)
    result = looked_at.apply()
    assert [problem.kind for problem in result.problems] == ["stale"]
    assert text(root) == "# mine\n" + CART
    assert looked_at.refresh().apply().ok
    assert text(root) == "# mine\n" + CART.replace("[]", "list()")


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

"""Choices between places, versions and paths, and corrected edits."""

from __future__ import annotations

from pathlib import Path

from anypatch import Review, review
from reviewing.examples import CART, OPTIONS, STATED, WRONG, text
from support.reviews import SECOND


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


def test_a_path_that_is_nearly_right_is_a_choice(root: Path) -> None:
    """One choice for all edits of that path; the first has no place in any file, so there is no corrected edit."""
    answer = STATED.replace("self.items = []", "self.things = []") + SECOND
    answer = answer.replace("app/cart.py", "shop/cart.py")
    looked_at = review(answer, root)
    (choice,) = looked_at.choices
    assert (choice.kind, choice.edits, choice.question) == (
        "file", (1, 2), "shop/cart.py doesn't exist. Which file is it?",
    )  # fmt: skip
    assert [option.path for option in choice.options] == ["app/cart.py"]
    chosen = looked_at.choose(choice.id, 1)
    assert [problem.kind for problem in chosen.problems] == ["not_found"]
    assert chosen.drop(1).apply().ok and text(root) == CART.replace("0.19", "0.21")
    assert [edit.state for edit in looked_at.choose(choice.id, 0).edits] == ["dropped", "dropped"]


def test_several_files_with_the_end_of_a_path_are_a_choice(root: Path) -> None:
    (root / "old").mkdir()
    (root / "old/cart.py").write_text(CART)
    (choice,) = review(STATED.replace("app/cart.py", "cart.py"), root).choices
    assert [option.path for option in choice.options] == ["app/cart.py", "old/cart.py"]
    assert review(STATED.replace("app/cart.py", "cart.py"), root).choose(choice.id, 2).apply().ok
    assert text(root) == CART and (root / "old/cart.py").read_text() == CART.replace("[]", "list()")


def test_a_corrected_path_is_called_by_its_name(root: Path) -> None:
    (choice,) = review(STATED.replace("app/cart.py", "app/cort.py"), root).choices
    assert (choice.kind, [option.label for option in choice.options]) == ("corrected", ["app/cart.py"])


LINES = "".join(f"line {number}\n" for number in range(1, 21))
NOW = LINES.replace("line 5\n", "line V\n").replace("line 15\n", "line XV\n")


def review_of_conflicts(root: Path) -> Review:
    """Return the review of three edits, of lines 5, 15 and 10; lines 5 and 15 have changed since."""
    (root / "a.txt").write_text(NOW)
    answer = "".join(
        f"a.txt\n<<<<<<< SEARCH\nline {number}\n=======\nnew {number}\n>>>>>>> REPLACE\n" for number in (5, 15, 10)
    )
    return review(answer, root, base={"a.txt": LINES})


def test_a_conflict_is_a_choice_between_both_sides(root: Path) -> None:
    looked_at = review_of_conflicts(root)
    assert [(one.id, one.kind, one.edits) for one in looked_at.choices] == [
        ("conflict a.txt, line 5", "conflict", (1,)), ("conflict a.txt, line 15", "conflict", (2,)),
    ]  # fmt: skip
    texts = [option.text for option in looked_at.choices[0].options]
    assert texts == [" line 4\n line V\n line 6", " line 4\n-line V\n+new 5\n line 6"]
    assert {problem.kind for problem in looked_at.problems} == {"merge_conflict"} and not looked_at.apply().ok
    half = looked_at.choose_number(2)
    assert (
        [one.chosen for one in half.choices] == [2, None]
        and not half.apply().ok
        and (root / "a.txt").read_text() == NOW
    )
    assert half.choose_number(3).apply().ok
    assert (root / "a.txt").read_text() == NOW.replace("line V\n", "new 5\n").replace("line 10\n", "new 10\n")


def test_an_edit_with_a_conflict_can_be_left_out(root: Path) -> None:
    looked_at = review_of_conflicts(root).drop(1).choose("conflict a.txt, line 15", 0)
    assert [one.id for one in looked_at.choices] == ["conflict a.txt, line 15"] and looked_at.apply().ok
    assert (root / "a.txt").read_text() == NOW.replace("line 10\n", "new 10\n")

"""--only, --reverse, and paths from a subfolder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.program import anypatch
from support.trees import ADD, CART, DIFF, TWO, cart


def test_a_path_that_means_two_files_is_refused(tree: Path) -> None:
    (tree / "cart.py").write_text(CART)
    done = anypatch("apply", cwd=tree / "shop", stdin=ADD.replace("shop/", ""))
    assert done.returncode == 1 and b"at the root of the tree" in done.stderr and cart(tree) == CART
    explained = anypatch("explain", cwd=tree / "shop", stdin=ADD.replace("shop/", ""))
    assert explained.returncode == 1 and b"at the root of the tree" in explained.stdout, "as apply would have it"
    assert anypatch("apply", "-C", ".", cwd=tree / "shop", stdin=ADD.replace("shop/", "")).returncode == 0


def test_one_of_several_edits(tree: Path) -> None:
    done = anypatch("apply", "--only", "2", cwd=tree, stdin=TWO)
    assert done.returncode == 0 and cart(tree) == CART and (tree / "shop/tax.py").exists()
    refused = anypatch("apply", "--only", "3", cwd=tree, stdin=TWO)
    assert refused.returncode == 2 and b"the answer has 2 edits" in refused.stderr
    assert anypatch("apply", "--only", "two", cwd=tree, stdin=TWO).returncode == 2


@pytest.mark.parametrize("answer", [ADD, DIFF, TWO])
def test_the_inverse(tree: Path, answer: str) -> None:
    assert anypatch("apply", "-p1", cwd=tree, stdin=answer).returncode == 0
    done = anypatch("apply", "-R", cwd=tree, stdin=answer)
    assert done.returncode == 0, done.stderr
    assert cart(tree) == CART and not (tree / "shop/tax.py").exists()
    again = anypatch("apply", "-R", cwd=tree, stdin=answer)
    assert again.returncode == 1 or b"nothing to change" in again.stdout, "there is nothing left to undo"


def test_what_does_not_say_what_stood_there_has_no_inverse(tree: Path) -> None:
    whole = f"shop/cart.py\n```python\n{CART}```\n"
    done = anypatch("apply", "-R", "--json", "--format", "whole-file", cwd=tree, stdin=whole)
    assert done.returncode == 1 and json.loads(done.stdout)["problems"][0]["kind"] == "cannot_say"


OPTIONS = "shop/cart.py\n```python\n    def count(self):\n        return 5\n```\nor\n```python\n    def count(self):\n        return 6\n```\n"


@pytest.mark.parametrize("options", [["--only", "2"], ["--fix=2"]])
def test_one_of_two_versions(tree: Path, options: list[str]) -> None:
    refused = anypatch("apply", "--accept", "all", cwd=tree, stdin=OPTIONS)
    assert refused.returncode == 1 and b"  correction 2:\n" in refused.stderr
    done = anypatch("apply", "--accept", "all", *options, cwd=tree, stdin=OPTIONS)
    assert done.returncode == 0 and cart(tree) == CART.replace("return 1", "return 6"), done.stderr


def test_a_path_of_the_answer_is_read_as_another(tree: Path) -> None:
    answer = ADD.replace("shop/cart.py", "store/basket.py")
    assert anypatch("apply", cwd=tree, stdin=answer).returncode == 1
    done = anypatch("apply", "--file", "store/basket.py=shop/cart.py", cwd=tree, stdin=answer)
    assert done.returncode == 0 and cart(tree) != CART, done.stderr
    assert anypatch("apply", "--file", "=cart.py", cwd=tree, stdin=answer).returncode == 2


def test_a_similar_path_is_taken_by_its_number_or_by_name(tree: Path) -> None:
    """Never by --fix alone: nothing but its name speaks for it."""
    answer = "*** Begin Patch\n*** Delete File: store/cart.py\n*** End Patch\n"
    refused = anypatch("apply", cwd=tree, stdin=answer)
    assert refused.returncode == 1 and b"--file store/cart.py=shop/cart.py reads it as that." in refused.stderr
    assert anypatch("apply", "--fix", cwd=tree, stdin=answer).returncode == 1
    looked_at = json.loads(anypatch("check", "--json", cwd=tree, stdin=answer).stdout)["review"]["choices"]
    assert [(one["kind"], [option["path"] for option in one["options"]]) for one in looked_at] == [
        ("file", ["shop/cart.py"])
    ]
    assert anypatch("apply", "--fix=1", cwd=tree, stdin=answer).returncode == 0
    assert not (tree / "shop/cart.py").exists()


def test_a_fence_for_one_of_two_files_is_read_as_either(tree: Path) -> None:
    answer = f"cart.py\n```python\n{CART.replace('return 1', 'return 7')}```\n"
    assert anypatch("apply", "--accept", "all", cwd=tree, stdin=answer).returncode == 1
    done = anypatch("apply", "--accept", "all", "--file", "cart.py=shop/cart.py", cwd=tree, stdin=answer)
    assert done.returncode == 0 and cart(tree) == CART.replace("return 1", "return 7"), done.stderr


def test_only_and_reverse_are_about_edits_not_about_sketches(tree: Path) -> None:
    answer = f"{ADD}\nIn `shop/cart.py`:\n\n```python\n    def count(self):\n        return 3\n```\n"
    assert anypatch("apply", "-q", cwd=tree, stdin=answer).returncode == 1
    assert anypatch("apply", "-q", "--only", "1", cwd=tree, stdin=answer).returncode == 0
    assert "return 3" not in cart(tree) and cart(tree) != CART
    assert anypatch("apply", "-q", "-R", cwd=tree, stdin=answer).returncode == 0
    assert cart(tree) == CART

"""Planning: which file an operation is about, and what a refusal says of the others."""

from __future__ import annotations

import pytest

import anypatch
from anypatch.formats import named
from anypatch.plan import plan
from anypatch.tree import MemoryTree

BLOCK = "{}\n<<<<<<< SEARCH\n{}\n=======\n{}\n>>>>>>> REPLACE\n"
CART = {"shop/cart.py": "total = 1\n", "shop/tax.py": "rate = 2\n"}


def test_a_plan_has_every_change_and_every_problem_and_writes_nothing() -> None:
    files = dict(CART)
    patch = named("search-replace").parse(
        BLOCK.format("shop/cart.py", "total = 1", "total = 3") + BLOCK.format("shop/tax.py", "no = 1", "no = 2")
    )
    planned = plan(patch, MemoryTree(files))
    assert [(change.path, change.after and change.after.text) for change in planned.changes] == [
        ("shop/cart.py", "total = 3\n")
    ]
    assert [(problem.kind, problem.path, problem.op) for problem in planned.problems] == [
        ("not_found", "shop/tax.py", 2)
    ]
    assert files == CART


@pytest.mark.parametrize(
    ("path", "changed"),
    [("shop/cart.py", "shop/cart.py"), ("cart.py", "shop/cart.py"), ("./shop//cart.py", "shop/cart.py")],
)
def test_the_file_that_a_path_means(path: str, changed: str) -> None:
    result = anypatch.apply_to(BLOCK.format(path, "total = 1", "total = 3"), CART)
    assert result.ok and [change.path for change in result.changes] == [changed]


def test_old_text_that_another_file_has_names_that_file() -> None:
    files = {"shop/cart.py": "def total(items):\n    return sum(items)\n", "shop/tax.py": "rate = 2\n"}
    old = files["shop/cart.py"].removesuffix("\n")
    (problem,) = anypatch.apply_to(BLOCK.format("shop/tax.py", old, "pass"), files).problems
    assert problem.kind == "not_found" and "shop/cart.py" in problem.advice and problem.hint == problem.advice


def test_of_an_edit_after_a_failed_one_that_may_be_the_cause() -> None:
    answer = BLOCK.format("shop/cart.py", "gone", "x") + BLOCK.format("shop/cart.py", "x", "y")
    first, second = anypatch.apply_to(answer, CART).problems
    assert "an earlier edit" not in first.detail and "an earlier edit of this file failed" in second.detail


def test_a_failed_operation_leaves_no_trace_for_the_next() -> None:
    two = (
        "*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n@@\n-no\n+z\n*** Update File: a\n@@\n-x\n+w\n*** End Patch\n"
    )
    assert anypatch.apply_to(two, {"a": "x\n"}).kinds == ("not_found",), "the second finds its line as it was"


@pytest.mark.parametrize(("path", "kind"), [("a.py#g", "symbol_not_found"), ("b.py#f", "file_missing"), ("a.py#f", "")])
def test_a_path_with_a_symbol(path: str, kind: str) -> None:
    result = anypatch.apply_to(
        f"{path}\n```python\ndef f():\n    return 2\n```\n", {"a.py": "def f():\n    return 1\n"}, format="whole-file"
    )
    assert [problem.kind for problem in result.problems] == ([kind] if kind else [])

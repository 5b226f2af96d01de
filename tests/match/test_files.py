"""Which file a path means."""

from __future__ import annotations

from pathlib import Path

import pytest

import anypatch
from support.disk_trees import (
    put,
    snapshot,
)


def test_the_prefix_a_is_dropped_only_if_there_is_no_such_folder(tmp_path: Path) -> None:
    put(tmp_path, "config.py", b"x\n")
    put(tmp_path, "b/other.py", b"y\n")
    for path, kind in (("b/config.py", ["file_missing"]), ("a/config.py", [])):
        report = anypatch.apply(f"*** Begin Patch\n*** Delete File: {path}\n*** End Patch\n", tmp_path)
        assert [p.kind for p in report.problems] == kind
    assert sorted(snapshot(tmp_path)) == ["b", "b/other.py"]


@pytest.mark.parametrize(
    ("path", "kind"),
    [("shop/cart.py", "not_found"), ("root.py", "not_found"), ("shop/prices/costs.py", "file_missing")],
)
def test_a_refusal_names_the_file_that_holds_the_old_lines(tmp_path: Path, path: str, kind: str) -> None:
    old = "def shipping_cost(weight):\n    return weight * 3\n"
    put(tmp_path, "shop/prices/cost.py", old.encode())
    put(tmp_path, "shop/cart.py", b"def total():\n    return 0\n")
    put(tmp_path, "root.py", b"x = 1\n")
    before = snapshot(tmp_path)
    patch = f"{path}\n<<<<<<< SEARCH\n{old}=======\n{old.replace('3', '4')}>>>>>>> REPLACE\n"
    (problem,) = anypatch.apply(patch, tmp_path).problems
    assert problem.kind == kind and "shop/prices/cost.py" in problem.advice
    assert snapshot(tmp_path) == before

"""The trees of the command line's tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.trees import BEFORE, CART


@pytest.fixture
def root(tmp_path: Path) -> Path:
    tree = tmp_path / "tree"
    for path, data in BEFORE.items():
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        (tree / path).write_bytes(data)
    return tree


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "tree/shop").mkdir(parents=True)
    (tmp_path / "tree/.git").mkdir()
    (tmp_path / "tree/shop/cart.py").write_text(CART)
    return tmp_path / "tree"

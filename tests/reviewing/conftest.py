"""The tree that the tests of reviews share."""

from __future__ import annotations

from pathlib import Path

import pytest

from reviewing.examples import CART


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "app").mkdir()
    (tmp_path / "app/cart.py").write_text(CART)
    return tmp_path

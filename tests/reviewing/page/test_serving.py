"""The server listens on loopback only, at an address that can't be guessed."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

pytest.importorskip("starlette")
pytest.importorskip("jinja2")

from support.reviews import CART, FIRST, served, tree


def test_each_address_is_another_one_and_on_loopback(tmp_path: Path) -> None:
    root = tree(tmp_path / "shop")
    with served(FIRST, root) as one, served(FIRST, root) as other:
        assert one.port != other.port and one.token != other.token and len(one.token) >= 32
        assert one.service.socket.getsockname()[0] == "127.0.0.1"
        with pytest.raises(OSError):
            socket.create_connection(("127.0.0.2", one.port), timeout=1)


def test_it_serves_again_what_was_decided_until_it_ends(tmp_path: Path) -> None:
    root = tree(tmp_path / "shop")
    with served(FIRST, root) as page:
        page.do("apply")
    assert page.service.session.result is not None
    assert (root / "app/cart.py").read_text() == CART.replace("[]", "list()")
    with pytest.raises(OSError):
        socket.create_connection(("127.0.0.1", page.port), timeout=1)

"""Which folder a call works in: what the server serves, what the client names, what the call wants."""

from __future__ import annotations

from pathlib import Path

import pytest

from anypatch.mcp.roots import Bounds, available_roots, choose_root
from anypatch.problems import Refused


def test_roots_have_names_of_their_own(tmp_path: Path) -> None:
    one, two = tmp_path / "x" / "app", tmp_path / "y" / "app"
    for folder in (one / "inner", two):
        folder.mkdir(parents=True)
    (tmp_path / "x" / "link").symlink_to(two)
    client = [(one.as_uri(), ""), (two.as_uri(), ""), ("https://example.org/a", ""), ((tmp_path / "gone").as_uri(), "")]
    both = available_roots(Bounds(), client)
    assert [root.name for root in both] == [str(one), str(two)], "two of one name go by their paths"
    assert choose_root(both, two.as_uri(), "").path == choose_root(both, str(two), "").path == str(two)
    assert choose_root(both, "", str(one / "inner" / "new.py")).path == str(one)
    nested = available_roots(Bounds(), [(one.as_uri(), "outer"), ((one / "inner").as_uri(), "")])
    assert choose_root(nested, "", str(one / "inner" / "new.py")).name == "inner"
    served = Bounds((str(tmp_path / "x"),))
    assert [root.path for root in available_roots(served, client)] == [str(one)]
    assert [root.path for root in available_roots(served, [(tmp_path.as_uri(), "")])] == [str(tmp_path / "x")]
    assert [root.path for root in available_roots(served, None)] == [str(tmp_path / "x")]
    for nowhere in ([(two.as_uri(), "")], [((tmp_path / "x" / "link").as_uri(), "")], [("file:///%00", "")]):
        with pytest.raises(Refused):
            available_roots(served, nowhere)
    for sent in (None, [("file:///nowhere/at/all", "")]):
        with pytest.raises(Refused):
            available_roots(Bounds(here=str(one) if sent else ""), sent)
    assert [root.path for root in available_roots(Bounds(here=str(one)), [])] == [str(one)]
    for wanted, path in (("", "a.py"), ("none", ""), ("", "/a.py")):
        with pytest.raises(Refused):
            choose_root(both, wanted, path)

"""Every block and edit of an answer is listed."""

from __future__ import annotations

from pathlib import Path

from anypatch import review
from reviewing.examples import CART, MIXED, text


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

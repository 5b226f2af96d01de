"""Files after a call that went through, by the client's own rule."""

from __future__ import annotations

from anypatch.replay.client_rules import contents_after
from anypatch.replay.events import Contents, EditCall, Origin
from support.replays import CART, FROM_ONE, PATH, edit


def test_the_transcript_comes_first() -> None:
    assert contents_after(edit("a", "b", after={PATH: "x"}), {PATH: CART}) == {PATH: "x"}


def test_a_text_is_replaced_where_it_is_exactly_once() -> None:
    assert contents_after(edit("amount = 0", "amount = 1"), {PATH: CART}) == {PATH: FROM_ONE}
    assert contents_after(edit("self", "you"), {PATH: CART}) == {}  # three places: the client did something else
    assert contents_after(edit("amount = 0", "amount = 1"), {}) == {}


def test_a_patch_is_applied_as_codex_does() -> None:
    patch = (
        "*** Begin Patch\n*** Update File: a.py\n@@\n-x\n+y\n*** Delete File: b.py\n"
        "*** Add File: c.py\n+z\n*** End Patch"
    )
    files = {name: f"/work/{name}" for name in ("a.py", "b.py", "c.py")}
    call = EditCall(Origin("codex", "", "", "1", "apply_patch"), patch, files, "", {}, {})
    before: Contents = {"/work/a.py": "x\n", "/work/b.py": "\n", "/work/c.py": None}
    assert contents_after(call, before) == {"/work/a.py": "y\n", "/work/b.py": None, "/work/c.py": "z\n"}
    assert contents_after(call, {"/work/a.py": "other\n"}) == {}

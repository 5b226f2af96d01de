"""The fences of one file are laid over it one after the other."""

from __future__ import annotations

from sketches import STORE, changed, fence, outcome, rules

LOAD = "def load(path):\n    return {}"
SAVE = "def save(path, data):\n    pass"


def test_fences_for_different_lines_are_joined() -> None:
    answer = f"In `store.py`:\n{fence(LOAD)}\nand\n{fence(SAVE)}"
    assert rules(outcome(answer, {"store.py": STORE})) == ["symbol", "symbol"]
    text = changed(answer, {"store.py": STORE})["store.py"]
    assert "return {}" in text and "    pass\n" in text


def test_a_fence_that_says_the_same_again_is_not_used() -> None:
    answer = f"In `store.py`:\n{fence(LOAD)}\nSo, once more:\n{fence(LOAD)}"
    assert rules(outcome(answer, {"store.py": STORE})) == ["symbol", ""]


def test_two_versions_of_a_new_file_are_alternatives() -> None:
    new, more = fence("def f():\n    return 1"), fence("def f():\n    return 2")
    answer = f"src/new.py\n{new}\nor\n\nsrc/new.py\n{more}"
    assert rules(outcome(answer, {"store.py": STORE})) == ["file?", "file?"]


def test_a_quote_changes_nothing() -> None:
    quoted = 'class Cart:\n    """A shopping cart."""'
    assert rules(outcome(f"In `store.py` there is\n{fence(quoted)}", {"store.py": STORE})) == [""]

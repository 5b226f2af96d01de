"""Which lines are marks for left-out code."""

from __future__ import annotations

import pytest

from anypatch.propose import find_marks, is_mark


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("# ... existing code ...", True),
        ("    // rest of the file remains the same", True),
        ("/* ... */", True),
        ("{/* … */}", True),
        ("<!-- rest unchanged -->", True),
        ("# (restlicher Code unverändert)", True),
        ("# 省略", True),
        ("# ... other methods", True),
        ("# try another host, then wait...", False),
        ("# existing users keep their rights", False),
        ("// ... but only if the regex has no word boundaries that it would have to look at.", False),
        ("args(...rest)", False),
        ("return ...", False),
    ],
)
def test_marks(line: str, expected: bool) -> None:
    assert is_mark(line) == expected


def test_what_the_file_has_is_not_a_mark() -> None:
    assert find_marks(["a", "# ...", "b"], ["a", "# ...", "c"]) == frozenset()
    assert find_marks(["b", "# ...", "a"], ["a", "# ...", "c"]) == {1}


def test_the_body_of_a_new_python_function_is_not_a_mark() -> None:
    body = ["def close(self) -> None:", "    ..."]
    assert find_marks(body, ["def open(self):", "    pass"]) == frozenset()
    assert find_marks(body, ["def close(self):", "    pass"]) == {1}

"""Which commands only read, and what they show."""

from __future__ import annotations

import pytest

from anypatch.replay.shell import Shown, may_change, only_reads, shown


@pytest.mark.parametrize(
    "command",
    [
        "ls -la", "cat a.py | head -5", "rg -n 'def total' src && git diff --stat", "sed -n '1,200p' a.py", "wc -l a.py 2>/dev/null",
        "grep -r x . 2>&1 | sort | tail -3", "find . -name '*.py'", "git log --oneline -3; git status",
    ],
)  # fmt: skip
def test_these_only_read(command: str) -> None:
    assert only_reads(command)


@pytest.mark.parametrize(
    "command",
    [
        "", "ruff format .", "cat a > b", "sed -i s/a/b/ a.py", "sed -n 'w b' a.py", "find . -delete", "find . -exec rm {} +",
        "git checkout .", "git", "git diff --output=a.py", "cat a.py; make", "echo $(make)", "cat `make`", "ls &", "cat 'a",
        "sort -o a.py a.py", "cat <<EOF\nmake\nEOF", "ls\nmake", "(make)", "&& ls",
    ],
)  # fmt: skip
def test_these_may_change_files(command: str) -> None:
    assert not only_reads(command)


def test_a_tool_without_a_command_may_change_files() -> None:
    assert may_change({}) and may_change({"command": ["ls"]}) and not may_change({"command": "ls"})


def test_commands_that_show_lines() -> None:
    assert shown("cat shop/cart.py") == Shown("shop/cart.py")
    assert shown("sed -n '1,200p' a.py") == Shown("a.py", 1, 200)
    assert shown("sed -n 5p 'a b.py'") == Shown("a b.py", 5, 5)
    assert shown("nl -ba a.py") == Shown("a.py", numbered=True)
    assert shown("nl -ba a.py | sed -n '10,20p'") == Shown("a.py", 10, 20, True)
    for other in ("cat a.py b.py", "cat -A a.py", "head a.py", "cat a.py | head", "cat a.py; ls", "sed -n '/a/p' a.py"):
        assert shown(other) is None

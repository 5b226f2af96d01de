"""A small project, and the calls of an agent that edits it, for the tests of hooks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

SOURCE = '''import os


def one(a):
    """One."""
    x = a + 1
    return x


def two(b):
    y = b * 2
    return y


def three(c):
    for i in range(c):
        print(i)
    return c
'''
MISINDENTED = ("  y = b * 2\n  return y", "  return b * 2")
FIXED = {"old_string": "    y = b * 2\n    return y\n", "new_string": "    return b * 2\n"}
PATCH = "*** Begin Patch\n*** Update File: a.py\n@@\n{}\n*** End Patch"


def project(root: Path) -> Path:
    (root / "a.py").write_text(SOURCE)
    return root


def edit(root: Path, old: str, new: str, **more: Any) -> dict[str, Any]:
    return {"file_path": str(root / "a.py"), "old_string": old, "new_string": new, **more}


def event(root: Path, tool: str, input: dict[str, Any], **more: Any) -> dict[str, Any]:
    """The event that Claude Code sends its hooks, or with other fields another client's."""
    return {"hook_event_name": "PreToolUse", "cwd": str(root), "tool_name": tool, "tool_input": input} | more

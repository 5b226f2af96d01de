"""Small edits in several formats, and what becomes of them."""

from __future__ import annotations

import json
from collections.abc import Mapping

import anypatch
from anypatch.problems import Problem


def block(old: str, new: str, path: str = "a.py") -> str:
    """A SEARCH/REPLACE block; both texts are whole lines."""
    return f"{path}\n<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n"


def update(*hunks: str, path: str = "a.py") -> str:
    """A Begin Patch that updates one file; each hunk begins with its `@@` line."""
    return f"*** Begin Patch\n*** Update File: {path}\n{''.join(hunks)}*** End Patch\n"


def diff(*hunks: str, path: str = "a.py") -> str:
    """A unified diff of one file; each hunk begins with its `@@` line."""
    return f"--- a/{path}\n+++ b/{path}\n{''.join(hunks)}"


def call(old: str, new: str, path: str = "a.py", **more: object) -> str:
    """A call that replaces text."""
    return json.dumps({"file_path": path, "old_string": old, "new_string": new, **more})


def chunk(marker: str, payload: str, path: str = "a.py", op: str = "replace_text", language: str = "python") -> str:
    """A CHUNK operation; both texts are lines without the last line ending."""
    texts = {"marker": marker, "payload": payload}
    shown = "".join(f"    {name}: |-\n{_indented(text)}" for name, text in texts.items() if text or name == "marker")
    return f"language: {language}\noperations:\n  - path: {path}\n    op: {op}\n{shown}"


def _indented(text: str) -> str:
    return "".join(f"      {line}\n" for line in text.split("\n"))


def changed(answer: str, before: str, path: str = "a.py") -> str:
    """The file afterwards; the answer must be applied."""
    result = anypatch.apply_to(answer, {path: before})
    assert result.ok, result.problems
    after = result.files[path]
    assert isinstance(after, str)
    return after


def refusal(answer: str, before: str | Mapping[str, str], path: str = "a.py") -> Problem:
    """The first problem; the answer must be refused, and nothing be touched."""
    files = {path: before} if isinstance(before, str) else dict(before)
    result = anypatch.apply_to(answer, files)
    assert not result.ok
    assert result.files == files
    return result.problems[0]

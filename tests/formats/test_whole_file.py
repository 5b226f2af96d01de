"""Whole files in an answer: what parses to what, what is refused with which kind, what isn't a file at all."""

from __future__ import annotations

import pytest

import anypatch
from anypatch.diff import rewritten
from anypatch.formats.whole_file.read import parse
from anypatch.model import Write

NAMED = {
    "path above": "a/b.py\n```python\nx\n```\n",
    "blank line between": "a/b.py\n\n```python\nx\n```\n",
    "heading": "### Updated file: `a/b.py`\n```python\nx\n```\n",
    "label": "File: a/b.py\n```\nx\n```\n",
    "bold": "**a/b.py**\n```\nx\n```\n",
    "title": "Look:\n```py title=a/b.py\nx\n```\n",
    "quoted title": '```py filename="a/b.py"\nx\n```\n',
    "path as language": "```a/b.py\nx\n```\n",
    "language and path": "```python:a/b.py\nx\n```\n",
    "tildes": "a/b.py\n~~~\nx\n~~~\n",
    "element": '<file path="a/b.py">\nx\n</file>\n',
    "element with a fence": '<file path="a/b.py">\n```py\nx\n```\n</file>\n',
    "indented in a list": "1. `a/b.py`\n   ```py\n   x\n   ```\n",
    "crlf": "a/b.py\r\n```python\r\nx\r\n```\r\n",
}


@pytest.mark.parametrize("text", NAMED.values(), ids=NAMED)
def test_named(text: str) -> None:
    patch = parse(text)
    assert not patch.problems
    (op,) = patch.ops
    assert isinstance(op, Write)
    assert (op.path, op.text, op.overwrite, op.keep_line_endings) == ("a/b.py", "x\n", True, True)


def test_several_files_with_illustrations_between() -> None:
    text = (
        "I changed two files.\n\n`a.py`\n```py\n1\n\n```\n\nRun it:\n\n```bash\nls a.py\n```\n\n"
        "Makefile:\n```make\nall:\n\ttrue\n```\n\nb.md\n````md\n# B\n```\nx\n```\n````\nempty.txt\n```\n```\n"
    )
    patch = parse(text)
    assert not patch.problems
    assert [(op.path, op.text) for op in patch.ops if isinstance(op, Write)] == [
        ("a.py", "1\n\n"),
        ("Makefile", "all:\n\ttrue\n"),
        ("b.md", "# B\n```\nx\n```\n"),
        ("empty.txt", ""),
    ]
    assert [op.patch_line for op in patch.ops] == [3, 15, 21, 28]


NO_FILE = {
    "illustration": "Use it so:\n\n```python\nimport a\n```\n",
    "command": "Run `scripts/a.sh` like this:\n\n```bash\nscripts/a.sh\n```\n",
    "citation": "```12:15:src/a.py\nx\n```\n",
    "diff": "a.py\n```diff\n-x\n+y\n```\n",
    "diff by its looks": "a.py\n```\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x\n+y\n```\n",
    "search block": "a.py\n```\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n```\n",
    "begin patch": "a.py\n```\n*** Begin Patch\n*** End Patch\n```\n",
    "tool call": 'a.py\n```json\n{"path": "a.py", "old_str": "x", "new_str": "y"}\n```\n',
    "prose": "Nothing here.\n",
    "path within an illustration": "Like this:\n```\nsome text\na.py\n```\nmore\n",
}


@pytest.mark.parametrize("text", NO_FILE.values(), ids=NO_FILE)
def test_no_file(text: str) -> None:
    patch = parse(text)
    assert not patch.ops
    assert [p.kind for p in patch.problems] == ["bad_patch"]


REFUSED = {
    "not closed": ("a.py\n```python\nx\n", "truncated", 2),
    "element not closed": ('<file path="a.py">\nx\n', "truncated", 1),
    "element closed twice": ('<file path="a.xml">\n</file>\nx\n</file>\n', "bad_patch", 1),
    "left out": ("a.py\n```python\nx\n# ... existing code ...\n```\n", "elision", 4),
    "inner fence": ("a.md\n```md\n# T\n```\nls\n```\nmore\n```\n", "bad_patch", 2),
    "inner fence in code": ('a.py\n```py\n"""\n```\nls\n```\n"""\n```\n', "bad_patch", 2),
}


@pytest.mark.parametrize(("text", "kind", "line"), REFUSED.values(), ids=REFUSED)
def test_refused(text: str, kind: str, line: int) -> None:
    patch = parse(text)
    assert not patch.ops
    (problem,) = patch.problems
    assert (problem.kind, problem.patch_line) == (kind, line)


def test_dots_that_are_code() -> None:
    for path, body in (("a.pyi", "def f():\n    ..."), ("a.yml", "a: 1\n..."), ("a.js", "f(\n  ...rest,\n)")):
        assert not parse(f"{path}\n```\n{body}\n```\n").problems
    assert parse("a.js\n```\nf()\n...\n```\n").problems[0].kind == "elision"


def test_what_cannot_be_shown_stays() -> None:
    rows = [
        (b"a\r\nb\r\n", "a\nc\n", b"a\r\nc\r\n"),
        (b"a\nb", "a\nb\nc\n", b"a\nb\nc"),
        (b"\xef\xbb\xbfa\n", "b\n", b"\xef\xbb\xbfb\n"),
        (b"a\r\nb\nc\r\n", "a\nb\nx\n", b"a\r\nb\nx\r\n"),
        (b"", "a\n", b"a\n"),
        (b"a\n", "", b""),
        (b"a\n", "\n", b"\n"),
    ]
    for before, text, after in rows:
        assert rewritten(before, text.split("\n")[:-1]) == after


def test_long_answers_are_read_in_time() -> None:
    file = "a.md\n```md\nx\n```\n"
    for line in ("```\n", "a.py\n```\n", file, "```\n" + file, '<file path="a">\n', "`" * 40 + "\n"):
        parse(line * 4_000)


LONG = "".join(f"line {n}\n" for n in range(40))
CHANGED = LONG.replace("line 7\n", "line seven\n")


def test_a_much_shorter_file_is_refused_and_noted_where_it_is_asked_for() -> None:
    short, note = "x.py\n```\nline 1\nline 2\n```\n", "its 40 lines become 2: was something left out?"
    refused = anypatch.apply_to(short, {"x.py": LONG}, format="whole-file")
    assert [(p.kind, p.detail) for p in refused.problems] == [
        ("would_shrink", "x.py would keep 2 of its 40 lines: only part of it may be shown")
    ]
    assert any(
        note in n.text for n in anypatch.apply_to(short, {"x.py": LONG}, overwrite=True, format="whole-file").notes
    )
    changed = anypatch.apply_to(f"x.py\n```\n{CHANGED}```\n", {"x.py": LONG}, format="whole-file")
    assert changed.ok and not any("left out" in note.text for note in changed.notes)


ESCAPES = {
    "intended, beside signs": ("a.js", "x = '<b>';\ny = 1;\n", "a.js\n```\nx = '<b>&lt;';\ny = 1;\n```\n", "x = '<b>&lt;';\ny = 1;\n"),
    "intended, as in the file": ("a.txt", "a &lt; b\nc\nd\n", "a.txt\n```\na &lt; b\nc\ne\n```\n", "a &lt; b\nc\ne\n"),
}  # fmt: skip


@pytest.mark.parametrize(("path", "before", "patch", "after"), ESCAPES.values(), ids=ESCAPES)
def test_escapes_in_shown_files(path: str, before: str, patch: str, after: str) -> None:
    result = anypatch.apply_to(patch, {path: before}, format="whole-file")
    assert (result.ok, result.files[path]) == (bool(after), after or before)

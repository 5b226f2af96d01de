"""Which lines stand for code left out, and which are meant."""

from __future__ import annotations

import pytest

from anypatch.parsing.elision import dots_may_be_meant, is_mark, may_hold_marks, reads_as_mark

MARKS = [
    "// ... existing code ...", "# ... existing code ...", "-- ... rest of the query", "/* ... */", "# ...", "// …",
    "<!-- ... existing code ... -->", "{/* ... existing code ... */}", "% ... unchanged ...", "' ... existing code ...",
    "REM ... existing code ...", "; ... the rest stays the same", "{# ... rest of the template ... #}", "(* ... *)",
    "# rest of the file unchanged", "# ... rest of code unchanged ...", "// rest of code ...", "# [...]",
    "// (...rest of implementations)", "# existing code", "// The rest of the class remains the same", "// ... rest",
    "# same as before", "... existing code ...", "[... rest of file unchanged ...]", "... # existing code",
    "# ... остальной код ...", "// 其余代码保持不变", "# ... restlicher Code ...", "// ... code existant ...",
    "// unchanged", "# (code omitted for brevity)", "    # ... other methods ...", "rest of the code ...",
    "(rest of the methods ...)", "// ... your existing logic ...", "... # unchanged", "<!-- unchanged -->", "# 省略", "// ... keep existing code ...", "# --- existing code ---",
    "// ...existing code...", "# Rest of the implementation", "\t// ... more tests",
]  # fmt: skip

MEANT = [
    "", "   ", "x = 1", "...", "    ...", "…", "# Loading existing files...", "...rest,", "{...props}", "[...a, ...b]",
    "# the rest of the arguments are passed through", "# Same as above", "# other functions", "# remaining fields",
    "def rest():", "- ...", "print('...')", "...args", "# see foo for details", "the_rest = 1", "rest = parse(rest)",
    "# keep going until done...", "    pass  # unchanged", "existing code paths are tested by x", "<rest>",
    "rest of the code unchanged", "The rest of the file remains unchanged.", "{...rest}", "{ ...rest }", "[...existing]",
    "{...rest as any}", "(...args)", "unchanged = []", "# unchanged = []", "--unchanged;", "#unchanged;", "#omitted,",
    "% unchanged", "! unchanged", "/* a */ f(); /* unchanged */", "{...}", "(...)", "...  # pragma: no cover", "args...",
    "...  # implemented below", "// ... your image logic, etc. ...", "# ... add more here ...", "… and so on …", "// ... and then it calls the other one", "... rest", "// 处理省略的参数",
    "assert x is unchanged", "No changes were made.", "# " + "existing code " * 20, "#", "//", "# TODO: ...",
]  # fmt: skip


@pytest.mark.parametrize("line", MARKS)
def test_stands_for_code_left_out(line: str) -> None:
    assert is_mark(line)
    assert may_hold_marks(f"a\n{line}\nb")


@pytest.mark.parametrize("line", MEANT)
def test_is_meant(line: str) -> None:
    assert not is_mark(line)


def test_dots_alone_count_where_the_caller_says_so() -> None:
    assert is_mark("...", bare=True)
    assert is_mark("  …", bare=True)
    assert is_mark("[...]", bare=True)
    assert not is_mark("..", bare=True)
    assert not is_mark("x", bare=True)


@pytest.mark.parametrize("line", ["# Unchanged", "## Existing code", "# ...", "The rest stays the same...", "..."])
def test_text_for_people_is_meant(line: str) -> None:
    assert not is_mark(line, bare=True, prose=True)


@pytest.mark.parametrize(
    "line", ["<!-- ... -->", "... rest of the list ...", "<!-- rest unchanged -->", "# ... rest ..."]
)
def test_text_for_people_may_leave_out(line: str) -> None:
    assert is_mark(line, prose=True)


def test_words_alone_are_never_expanded_but_seen() -> None:
    assert reads_as_mark("(rest of the file unchanged)") and reads_as_mark("The rest of the code remains the same.")
    assert not any(map(reads_as_mark, ["unchanged", "rest of", "rest = parse(rest)", "no changes were made"]))


DOTS = {
    "a stub's body": ("a.py", "def f():\n    ...", True),
    "below a docstring": ("a.py", 'def f():\n    """One.\n\n    Two.\n    """\n    ...', True),
    "below a comment": ("a.py", "def f():\n    # later\n    ...", True),
    "between statements": ("a.py", "def f():\n    x = 1\n    ...", False),
    "at the top": ("a.py", "import os\n...", False),
    "in brackets": ("a.py", "X = Tuple[\n    int,\n    ...", True),
    "behind closed brackets": ("a.py", "x = f(1, (2, 3))\n...", False),
    "an argument in C": ("a.c", "int f(\n    int a,\n    ...", True),
    "a statement in C": ("a.c", "int f(int a) {\n    g(a);\n    ...", False),
    "an argument in R": ("a.R", "f(x,\n  ...", True),
    "an argument in JavaScript": ("a.js", "f(x,\n  ...", False),
    "a Perl statement": ("a.pl", "sub f {\n    ...", True),
    "the end of a document": ("a.yaml", "a: 1\n...", True),
    "inside a document": ("a.yaml", "a:\n  ...", False),
    "text": ("a.md", "one\n...", True),
}


@pytest.mark.parametrize(("path", "text", "meant"), DOTS.values(), ids=DOTS)
def test_dots_that_may_be_meant(path: str, text: str, meant: bool) -> None:
    lines = text.split("\n")
    assert dots_may_be_meant(path, lines, len(lines) - 1) == meant


def test_dots_amid_a_yaml_document_end_nothing() -> None:
    assert not dots_may_be_meant("a.yml", ["a: 1", "...", "b: 2"], 1)
    assert dots_may_be_meant("a.yml", ["a: 1", "...", "---", "b: 2"], 1)


def test_a_text_without_marks_is_told_cheaply() -> None:
    assert not may_hold_marks("def f():\n    return 1\n" * 1000)

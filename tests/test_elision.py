"""Which lines stand for code left out, and which are meant."""

from __future__ import annotations

import pytest

from anypatch.elision import is_mark, may_hold_marks

MARKS = [
    "// ... existing code ...", "# ... existing code ...", "-- ... rest of the query", "/* ... */", "# ...", "// …",
    "<!-- ... existing code ... -->", "{/* ... existing code ... */}", "% ... unchanged ...", "' ... existing code ...",
    "REM ... existing code ...", "; ... the rest stays the same", "{# ... rest of the template ... #}", "(* ... *)",
    "# rest of the file unchanged", "# ... rest of code unchanged ...", "// rest of code ...", "# [...]",
    "// (...rest of implementations)", "# existing code", "// The rest of the class remains the same", "// ... rest",
    "# same as before", "... existing code ...", "[... rest of file unchanged ...]", "... # existing code",
    "# ... остальной код ...", "// 其余代码保持不变", "# ... restlicher Code ...", "// ... code existant ...",
    "// unchanged", "# (code omitted for brevity)", "    # ... other methods ...", "rest of the code unchanged",
    "The rest of the file remains unchanged.", "// ... keep existing code ...", "# --- existing code ---",
    "// ...existing code...", "# Rest of the implementation", "\t// ... more tests",
]  # fmt: skip

MEANT = [
    "", "   ", "x = 1", "...", "    ...", "…", "# Loading existing files...", "...rest,", "{...props}", "[...a, ...b]",
    "# the rest of the arguments are passed through", "# Same as above", "# other functions", "# remaining fields",
    "def rest():", "- ...", "print('...')", "...args", "# see foo for details", "the_rest = 1", "rest = parse(rest)",
    "# keep going until done...", "    pass  # unchanged", "existing code paths are tested by x", "<rest>",
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


def test_a_text_without_marks_is_told_cheaply() -> None:
    assert not may_hold_marks("def f():\n    return 1\n" * 1000)

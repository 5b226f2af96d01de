"""Operations written again, in their own format or another; tests/test_partial.py does so for every case."""

from __future__ import annotations

import pytest

from anypatch import format_named
from anypatch.api import read
from anypatch.author.resend import holds_ops, resend, write_ops

DIFF = "--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n a = 1\n-b = 2\n+b = 3\n"
BLOCK = "b.py\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n"
MOVE = "*** Begin Patch\n*** Update File: a\n*** Move to: b\n@@\n-1\n+2\n*** End Patch\n"


@pytest.mark.parametrize(("text", "format"), [(DIFF, "unified"), (BLOCK, "search-replace"), (MOVE, "begin-patch")])
def test_the_same_format_again(text: str, format: str) -> None:
    patch = read(text, format)
    again = resend(patch.ops, format)
    assert holds_ops(read(again, format), patch.ops)


def test_another_format_if_the_own_one_is_unknown_or_cannot_express_it() -> None:
    ops = read(MOVE, "begin-patch").ops
    assert write_ops(ops, format_named("search-replace")) == ""
    assert holds_ops(read(resend(ops, "search-replace"), ""), ops)
    assert resend((), "unified") == ""


def test_an_answer_in_two_formats() -> None:
    patch = read(f"{DIFF}\n{BLOCK}", "")
    assert patch.format == "unified + search-replace"
    again = resend(patch.ops, patch.format)
    assert holds_ops(read(again, ""), patch.ops) and "@@" in again and "SEARCH" in again


def test_lines_of_the_patch_and_wrong_counts_do_not_matter() -> None:
    ops = read(DIFF, "unified").ops
    assert holds_ops(read("Some words first.\n\n" + DIFF.replace("-1,2 +1,2", "-1,9 +1,9"), ""), ops)
    assert not holds_ops(read(DIFF.replace("b = 3", "b = 4"), "unified"), ops)

"""A whole answer as one patch."""

from __future__ import annotations

import pytest

from anypatch.answer.read import read
from anypatch.problems import Refused

BLOCK = "a.py\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n"
DIFF = "--- a/b.py\n+++ b/b.py\n@@ -1 +1 @@\n-x\n+y\n"


def test_formats_are_mixed_in_the_order_of_the_answer() -> None:
    patch = read(f"First:\n\n{DIFF}\nThen:\n\n{BLOCK}\n")
    assert [op.path for op in patch.ops] == ["b.py", "a.py"]
    assert patch.notes[0].text == "the answer mixes formats: unified, search-replace"


def test_fences_without_marks_are_sketches_with_the_lines_above() -> None:
    patch = read(f"{BLOCK}\nSee `c.py`:\n```python\nz = 1\n```\n")
    (sketch,) = patch.sketches
    assert sketch.body == ("z = 1",) and "See `c.py`:" in sketch.above and sketch.previous == "a.py"


def test_thinking_is_not_read() -> None:
    patch = read(f"<think>\n{BLOCK}</think>\n{DIFF}")
    assert [op.path for op in patch.ops] == ["b.py"] and patch.blocks[0].read_as == "thinking"
    with pytest.raises(Refused, match="ends inside `<think>`"):
        read(f"<think>\n{BLOCK}")


@pytest.mark.parametrize("text", ["", "  \n", "Just words.\n"])
def test_an_answer_without_edits_is_refused(text: str) -> None:
    with pytest.raises(Refused, match="no_patch"):
        read(text)


def test_an_element_of_no_format_is_named_in_the_refusal() -> None:
    with pytest.raises(Refused, match="<insert_content>"):
        read("<insert_content>\n<path>a.py</path>\n<content>\nx\n</content>\n</insert_content>\n")


def test_the_file_that_the_caller_names() -> None:
    patch = read(BLOCK.partition("\n")[2], file="given.py")
    assert [op.path for op in patch.ops] == ["given.py"]

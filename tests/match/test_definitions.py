"""Definitions that an edit adds although the file has them."""

from __future__ import annotations

import anypatch

FILE = "import os\n\n\ndef total(items):\n    return sum(item.price for item in items)\n"
ADDED = "import os\n\n\ndef total(items):\n    return len(items)\n"


def test_another_version_of_a_function_is_added_with_a_warning() -> None:
    edit = {"path": "a.py", "old_string": "import os\n", "new_string": ADDED}
    result = anypatch.apply_to(edit, {"a.py": FILE})
    assert result.ok
    assert [note.text for note in result.notes] == ["`total` is now defined twice, at lines 4 and 8"]
    assert "warning: a.py: `total` is now defined twice" in str(result)
    assert "defined twice" in result.for_model()


def test_a_file_that_no_grammar_reads_is_left_alone() -> None:
    edit = {"path": "a.txt", "old_string": "import os\n", "new_string": ADDED}
    result = anypatch.apply_to(edit, {"a.txt": FILE})
    assert result.ok
    assert not result.notes

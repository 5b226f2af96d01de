"""Files that are written, deleted and moved as a whole."""

from __future__ import annotations

import json

import anypatch
from support.edits import refusal


def test_a_file_is_deleted_only_if_its_lines_are_those_shown() -> None:
    patch = "diff --git a/a b/a\ndeleted file mode 100644\n--- a/a\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n"
    assert anypatch.apply_to(patch, {"a": "one\n"}).files == {}
    assert refusal(patch, {"a": "two\n"}).kind == "not_found"


# ── creating over a file ─────────────────────────────────────────────────────────────────────────


def test_a_file_is_not_created_over_another() -> None:
    patch = "*** Begin Patch\n*** Add File: a\n+new\n*** End Patch\n"
    assert refusal(patch, {"a": "old\n"}).kind == "file_exists"
    assert anypatch.apply_to(patch, {"a": "new\n"}).files == {"a": "new\n"}  # nothing to do
    assert anypatch.apply_to(patch, {"a": "old\n"}, overwrite=True).files == {"a": "new\n"}
    write = json.dumps({"name": "Write", "input": {"file_path": "a", "content": "new\n"}})
    assert anypatch.apply_to(write, {"a": "old\n"}).files == {"a": "new\n"}  # whoever calls it says that it overwrites


def test_a_file_that_would_lose_most_of_itself_is_not_rewritten() -> None:
    before = "".join(f"line {n}\n" for n in range(40))
    short = anypatch.apply_to("a.txt\n```\nline 1\nline 2\n```\n", {"a.txt": before}, format="whole-file")
    assert short.kinds == ("would_shrink",)
    longer = anypatch.apply_to(f"a.txt\n```\n{before}more\n```\n", {"a.txt": before}, format="whole-file")
    assert longer.files["a.txt"] == before + "more\n"


def test_a_move_takes_the_earlier_edits_with_it() -> None:
    edit = "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x = 1\n+x = 2\n"
    move = "diff --git a/a.py b/b.py\nrename from a.py\nrename to b.py\n"
    assert anypatch.apply_to(edit + move, {"a.py": "x = 1\n"}).files == {"b.py": "x = 2\n"}
    assert refusal(move, {"a.py": "x = 1\n", "b.py": ""}).kind == "file_exists"


def test_new_contents_keep_the_byte_order_mark_and_the_line_endings() -> None:
    write = json.dumps({"name": "Write", "input": {"file_path": "a", "content": "one\ntwo\nthree\n"}})
    result = anypatch.apply_to(write, {"a": "\ufeffone\r\ntwo\r\n"})
    assert result.files == {"a": "\ufeffone\r\ntwo\r\nthree\r\n"}

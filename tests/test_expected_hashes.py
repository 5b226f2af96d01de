"""Plans for files that changed since they were read."""

from __future__ import annotations

from pathlib import Path

import anypatch
from anypatch.text import hash_of

TEXT = "def f():\n    return 1\n\n\ndef g():\n    return 2\n"
EDIT = "a.py\n<<<<<<< SEARCH\n    return 1\n=======\n    return 10\n>>>>>>> REPLACE\n"


def test_a_file_as_it_was_read_is_edited(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(TEXT)
    given = hash_of(TEXT)
    assert anypatch.preview(EDIT, tmp_path, expected={"a.py": given}).ok
    assert anypatch.preview(EDIT, tmp_path, expected={"a.py": given.removeprefix("sha256:").upper()}).ok
    assert anypatch.preview(
        EDIT, tmp_path, expected={"a.py#f": anypatch.find(TEXT, path="a.py", name_path="f").hash}
    ).ok


def test_another_hash_is_refused_with_the_place_as_it_is_now(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(TEXT)
    for key in ("a.py", "a.py#f"):
        result = anypatch.apply(EDIT, tmp_path, expected={key: "0" * 64})
        (problem,) = result.problems
        assert problem.kind == "stale" and not result.changes and "    return 1" in problem.near[0].lines
    assert (tmp_path / "a.py").read_text() == TEXT


def test_what_no_longer_exists_is_stale(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(TEXT)
    for key in ("b.py", "a.py#h"):
        assert [p.kind for p in anypatch.preview(EDIT, tmp_path, expected={key: "0" * 64}).problems] == ["stale"]

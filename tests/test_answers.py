"""Answers as models write them: several patches in one, wrapped in prose, pages and fences; paths as they misspell them."""

from __future__ import annotations

from pathlib import Path

import pytest

import anypatch
from anypatch import api
from anypatch.paths import check_new_name, is_denied, normalize_path
from anypatch.problems import Refused

# ── answers ──────────────────────────────────────────────────────────────────────────────────────

CHUNK = "operations:\n  - path: a.txt\n    op: replace_text\n    marker: one\n    payload: 1\n"
DIFF = "--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-two\n+2\n"
BLOCK = "c.txt\n```\n<<<<<<< SEARCH\nthree\n=======\n3\n>>>>>>> REPLACE\n```\n"
FILES = {"a.txt": "one\n", "b.txt": "two\n", "c.txt": "three\n"}


def test_several_formats_in_one_answer_are_one_transaction() -> None:
    answer = f"First this:\n\n```yaml\n{CHUNK}```\n\nthen\n\n```diff\n{DIFF}```\n\nand\n\n{BLOCK}\nDone.\n"
    result = anypatch.apply_to(answer, FILES)
    assert result.files == {"a.txt": "1\n", "b.txt": "2\n", "c.txt": "3\n"}, result.problems
    broken = anypatch.apply_to(answer.replace("-two", "-zwei"), FILES)
    assert not broken.ok and broken.files == FILES


@pytest.mark.parametrize("patch", [CHUNK, DIFF, BLOCK], ids=["chunk", "unified", "search-replace"])
def test_what_an_answer_is_wrapped_in_is_seen_through(patch: str) -> None:
    plain = dict(anypatch.apply_to(patch, FILES).files)
    assert plain != FILES
    escaped = patch.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    dressed = {
        "prose": f"Sure! Here is the patch:\n\n```\n{patch}```\nAnything else?\n",
        "crlf": patch.replace("\n", "\r\n"),
        "bom": "\ufeff" + patch,
        "indented": "".join(f"    {line}\n" for line in patch.split("\n")[:-1]),
        "escaped": escaped,
    }
    for name, answer in dressed.items():
        result = anypatch.apply_to(answer, FILES)
        assert dict(result.files) == plain, (name, result.problems)


@pytest.mark.parametrize("text", ["", "   \n", "\ufeff", "Hello, how are you?\n", "```py\nprint(1)\n```\n"])
def test_an_answer_without_a_patch(text: str) -> None:
    report = anypatch.apply_to(text, FILES)
    assert [problem.kind for problem in report.problems] == ["no_patch"]
    assert "Send" in report.for_model() or "Write" in report.for_model()


def test_an_unknown_format_names_the_nearest() -> None:
    with pytest.raises(Refused) as refused:
        api.format_named("chunks")
    assert "chunk" in refused.value.problems[0].advice


# ── paths ────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "path", ["src/lib/f.py", "./src/lib/f.py", "a/src/lib/f.py", "`src/lib/f.py`", "src\\lib\\f.py", "lib/f.py", "f.py"]
)
def test_a_path_as_models_misspell_it(path: str) -> None:
    patch = f"*** Begin Patch\n*** Update File: {path}\n@@\n-x\n+y\n*** End Patch\n"
    assert anypatch.apply_to(patch, {"src/lib/f.py": "x\n", "src/g.py": "x\n"}).files["src/lib/f.py"] == "y\n"


def test_a_lost_prefix_that_fits_two_files_is_ambiguous() -> None:
    patch = "*** Begin Patch\n*** Update File: f.py\n@@\n-x\n+y\n*** End Patch\n"
    report = anypatch.apply_to(patch, {"a/f.py": "x\n", "b/f.py": "x\n"})
    assert [problem.kind for problem in report.problems] == ["ambiguous"]
    assert "a/f.py" in report.problems[0].detail and "b/f.py" in report.problems[0].detail


def test_another_case_is_only_suggested(tmp_path: Path) -> None:
    (tmp_path / "Readme.md").write_text("x\n")
    report = anypatch.apply("*** Begin Patch\n*** Update File: README.md\n@@\n-x\n+y\n*** End Patch\n", tmp_path)
    assert [problem.kind for problem in report.problems] == ["file_missing"]
    assert "Readme.md" in report.problems[0].advice


@pytest.mark.parametrize(
    "path",
    ["../x", "/x", "a/../../x", "", " ", "a\0b", ".git/x", "a/.GIT/x", "C:/x", "~/x", "x/" * 70 + "y", "n" * 300],
)
def test_paths_that_are_refused(path: str) -> None:
    with pytest.raises(anypatch.PatchError) as refused:
        normalize_path(path)
    assert refused.value.problems[0].kind == "unsafe_path"


def test_paths_that_are_made_plain() -> None:
    assert [normalize_path(p) for p in ("./a//b", "a/./b/../c", "a/b/")] == ["a/b", "a/c", "a/b"]
    assert [name for name in (".git", ".Git", "git~1", ".g\u200cit", ".hg ", ".anypatch") if not is_denied(name)] == []
    assert [name for name in (".gitignore", "git", "x.git", "anypatch") if is_denied(name)] == []
    for name in ("a\x1bb", "a\u202eb", "a\\b"):
        with pytest.raises(anypatch.PatchError):
            check_new_name(name)

"""A report as a row: its diff is what git applies."""

from __future__ import annotations

import subprocess
from pathlib import Path

import anypatch
from anypatch.batch import Apply


def test_diffs_are_what_git_applies(tmp_path: Path) -> None:
    """Whatever the line endings, with and without a last one, new, deleted, and with odd names."""
    before = {"a": "1\n2\r\n3", "b c.txt": "x\n", "d/ü.txt": "".join(f"{n}\n" for n in range(40)), "gone": "g\n"}
    calls = [
        {"path": "a", "old_str": "3", "new_str": "three"},
        {"path": "a", "old_str": "1\n", "new_str": "one\n"},
        {"path": "b c.txt", "old_str": "x\n", "new_str": "x\ny"},
        {"path": "d/ü.txt", "old_str": "\n5\n", "new_str": "\nfive\n"},
        {"path": "d/ü.txt", "old_str": "\n30\n", "new_str": "\n"},
    ]
    tail = "--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-g\n--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+n\n\\ No newline at end of file\n"
    for answer in (calls, tail):
        after = anypatch.apply_to(answer, before)
        assert after.ok, after.problems
        result = Apply()({"answer": answer, "files": before})
        root = tmp_path / str(len(answer))
        for path, text in before.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_bytes(text.encode())
        subprocess.run(["git", "apply", "-"], input=result["diff"].encode(), cwd=root, check=True)
        by_git = {str(path.relative_to(root)): path.read_bytes().decode() for path in root.rglob("*") if path.is_file()}
        assert by_git == after.files

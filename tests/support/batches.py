"""Rows of answers, the command that applies them, and a folder of repositories, for the tests of batches."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from .program import anypatch

FILES = {"a.py": "a = 1\nb = 2\nc = 3\n"}
DIFF = "--- a/a.py\n+++ b/a.py\n@@ -1,3 +1,3 @@\n a = 1\n-b = 2\n+b = 3\n c = 3\n"
BLOCK = "a.py\n<<<<<<< SEARCH\nb = 2\n=======\nb = 3\n>>>>>>> REPLACE\n"
ROWS: list[dict[str, Any]] = [
    {"id": "diff", "answer": DIFF, "files": FILES},
    {"id": "block", "completion": BLOCK, "files": [{"path": "a.py", "content": FILES["a.py"]}]},
    {"id": "call", "answer": {"path": "a.py", "old_str": "b = 2", "new_str": "b = 3"}, "files": json.dumps(FILES)},
    {
        "id": "chat",
        "messages": [{"role": "user", "content": "?"}, {"role": "assistant", "content": DIFF}],
        "files": FILES,
    },
    {"id": "gone", "answer": BLOCK.replace("b = 2", "b = 22"), "files": FILES},
]
SAME = ("diff", "block", "call", "chat")


def batch(*arguments: str | Path, stdin: bytes = b"", code: int = 0) -> subprocess.CompletedProcess[bytes]:
    done = anypatch("batch", *map(str, arguments), stdin=stdin)
    assert done.returncode == code, done.stderr
    return done


def lines(rows: list[Any]) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def untimed(data: bytes) -> list[dict[str, Any]]:
    rows = [json.loads(line) for line in data.splitlines()]
    return [{name: value for name, value in row.items() if name != "ms"} for row in rows]


def results_of(tmp_path: Path, rows: list[Any], *arguments: str | Path) -> list[dict[str, Any]]:
    (tmp_path / "in.jsonl").write_bytes(lines(rows))
    (tmp_path / "out.jsonl").unlink(missing_ok=True)
    batch(tmp_path / "in.jsonl", "--out", tmp_path / "out.jsonl", *arguments)
    return [json.loads(line) for line in (tmp_path / "out.jsonl").read_bytes().splitlines()]


def edit(path: str, old: str = "b = 2", new: str = "b = 3") -> str:
    return f"{path}\n<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n"


def git(root: Path, *arguments: str) -> str:
    identity = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")
    done = subprocess.run(["git", *identity, "-C", str(root), *arguments], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def make_repositories(top: Path, work: Path) -> list[str]:
    """Make a bare repository `shop/cart` with two commits, and `broken`, which isn't one; return the commits."""
    git(work, "init", "-q", "-b", "main")
    (work / "pkg/deep").mkdir(parents=True)
    (work / "pkg/a.py").write_text(FILES["a.py"])
    (work / "pkg/deep/run.sh").write_text("echo 1\n")
    (work / "pkg/deep/run.sh").chmod(0o755)
    (work / "link.py").symlink_to("pkg/a.py")
    (work / "folder").symlink_to("pkg/deep")
    (work / "out").symlink_to("../../etc/passwd")
    (work / "loop").symlink_to("loop")
    git(work, "add", "-A")
    git(work, "commit", "-qm", "one")
    (work / "pkg/a.py").write_text("a = 1\nb = 20\nc = 3\n")
    git(work, "commit", "-qam", "two")
    (top / "shop").mkdir()
    subprocess.run(["git", "clone", "-q", "--bare", str(work), str(top / "shop/cart.git")], check=True)
    (top / "broken").mkdir()
    (top / "broken/HEAD").write_text("x")
    return [git(work, "rev-parse", "HEAD~1"), git(work, "rev-parse", "HEAD")]

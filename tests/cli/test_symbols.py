"""The commands outline and read; rename needs a server, see tests/lsp."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from anypatch.text import hash_of
from support.program import anypatch_text as run

SHOP = "import os\n\n\n# a cart\nclass Cart:\n    # adds\n    def add(self, item):\n        return self\n\n    def total(self):\n        return 0\n"


def whole(name: str, op: str, **more: object) -> str:
    return json.dumps({"relative_path": "s.py", "name_path": name, "op": op, **more})


def test_outline_and_read(tmp_path: Path) -> None:
    (tmp_path / "s.py").write_text(SHOP)
    (tmp_path / "d" / ".hidden").mkdir(parents=True)
    (tmp_path / "d" / "a.go").write_text("package a\n\nfunc f() {}\n")
    (tmp_path / "d" / "a.txt").write_text("text")
    (tmp_path / "d" / ".hidden" / "b.go").write_text("package a\n\nfunc g() {}\n")
    done = run("outline", "s.py", "d", cwd=tmp_path)
    assert done.stdout.split("\n") == [
        "s.py", "  class Cart  lines 5-11", "    method Cart/add  lines 7-8", "    method Cart/total  lines 10-11",
        "d/a.go", "  function f  line 3", "",
    ]  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    value = json.loads(run("outline", "s.py", "--json", "--kind", "method", cwd=tmp_path).stdout)
    assert [symbol["name_path"] for symbol in value["files"][0]["symbols"]] == ["Cart/add", "Cart/total"]
    done = run("read", "s.py", "Cart/add", cwd=tmp_path)
    body = "    def add(self, item):\n        return self"
    assert done.stdout == f"s.py#Cart/add  lines 7-8  {hash_of(body)}\n{body}\n"
    value = json.loads(run("read", "s.py", "Cart/add", "--json", "--lead", cwd=tmp_path).stdout)
    assert (value["text"], value["hash"], value["start"]) == ("    # adds\n" + body, hash_of(body), 7)


def test_the_hash_that_read_prints_is_the_one_that_edits_expect(tmp_path: Path) -> None:
    (tmp_path / "s.py").write_text(SHOP)
    value = json.loads(run("read", "s.py", "Cart/add", "--json", cwd=tmp_path).stdout)
    (tmp_path / "p.json").write_text(whole("Cart/add", "delete", expected_hash=value["hash"]))
    assert run("apply", "p.json", cwd=tmp_path).returncode == 0
    (tmp_path / "p.json").write_text(whole("Cart/total", "delete", expected_hash=value["hash"]))
    assert json.loads(run("apply", "p.json", "--json", cwd=tmp_path).stdout)["problems"][0]["kind"] == "stale"


@pytest.mark.parametrize(
    ("arguments", "code", "error"),
    [
        (["outline"], 2, "required: FILE"),
        (["read", "s.py"], 2, "required: NAME_PATH"),
        (["read", "s.py", "a", "b"], 2, "there is also 'b'"),
        (["outline", "nowhere.py"], 2, "nowhere.py"),
        (["outline", "s.txt"], 1, "s.txt"),
        (["read", "s.py", "nothing"], 1, "no symbol matches"),
        (["read", "nowhere.py", "x"], 2, "can't be read"),
    ],
)
def test_failures_are_explained(arguments: list[str], code: int, error: str, tmp_path: Path) -> None:
    (tmp_path / "s.py").write_text(SHOP)
    (tmp_path / "s.txt").write_text("text\n")
    done = run(*arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (code, "")
    assert error in done.stderr

"""Each tool, without a process: results, refusals, hashes, files that only the user may touch."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import anypatch
from anypatch import Settings
from anypatch.lsp import plan_rename
from anypatch.mcp.calls import ADVICE, Invocation, prepare, run_tool
from anypatch.mcp.memory import ToolResult
from anypatch.mcp.protocol import Service
from anypatch.mcp.roots import Bounds
from anypatch.mcp.tools import TOOLS_BY_NAME, check_arguments
from anypatch.problems import KINDS, Refused
from anypatch.storage.logs import Caller
from anypatch.text import hash_of, writable
from support.agents import BLOCK, CART, tree

PATCH = BLOCK.format(path="shop/cart.py")
OBEYED = "*** Begin Patch\n*** Add File: .vscode/settings.json\n+{}\n*** End Patch\n"
TWO = "def f():\n    return 1\n\n\ndef g():\n    return 2\n"


RENAMING: dict[str, Any] = {"relative_path": "shop/cart.py", "name_path": "Cart/total", "new_name": "sum"}


def run(root: Path, tool: str, settings: Settings | None = None, **arguments: Any) -> ToolResult:
    checked = check_arguments(TOOLS_BY_NAME[tool], arguments)
    settings = settings or Settings(allow_sensitive=False)
    return run_tool(Invocation(tool, checked, str(root), settings, plan_rename=plan_rename))


def kinds(result: ToolResult) -> list[str]:
    assert result.failed is not result.value["ok"]
    return [problem["kind"] for problem in result.value["problems"]]


def test_files_that_programs_follow_need_the_option(tmp_path: Path) -> None:
    root = tree(tmp_path / "root")
    refused = run(root, "apply_patch", patch=OBEYED)
    assert kinds(refused) == ["unsafe_path"]
    assert "--allow-sensitive" in refused.text
    assert not (root / ".vscode").exists()
    assert anypatch.apply(OBEYED, root).ok
    assert kinds(run(root, "undo")) == ["unsafe_path"]
    assert (root / ".vscode" / "settings.json").exists()
    assert kinds(run(root, "undo", Settings())) == []
    assert not (root / ".vscode" / "settings.json").exists()


def test_a_file_that_changed_since_it_was_read_is_refused(tmp_path: Path) -> None:
    root = tree(tmp_path / "root")
    cart = root / "shop" / "cart.py"
    whole = run(root, "read_symbol", relative_path="shop/cart.py", name_path="/").value["hash"]
    assert (
        whole == hash_of(CART.encode()) == run(root, "outline", relative_path="shop/cart.py").value["files"][0]["hash"]
    )
    total = run(root, "read_symbol", relative_path="shop/cart.py", name_path="Cart/total").value["hash"]
    cart.write_text(CART.replace("append", "extend"))
    stale = run(root, "apply_patch", patch=PATCH, expected_hashes={"shop/cart.py": whole})
    assert kinds(stale) == ["stale"]
    assert "amount = 0" in stale.value["problems"][0]["near"][0]["text"]
    assert "    def total(self):" in stale.text
    assert kinds(run(root, "apply_patch", patch=PATCH, expected_hashes={"gone.py": whole})) == ["stale"]
    fine = run(root, "apply_patch", patch=PATCH, expected_hashes={"shop/cart.py#Cart/total": total})
    assert kinds(fine) == []
    assert fine.value["hashes"] == {"shop/cart.py": hash_of(cart.read_bytes())}
    late = PATCH.replace("amount = 0", "amount = 1").replace("amount = 1\n>", "amount = 2\n>")
    stale = run(root, "apply_patch", patch=late, expected_hashes={"shop/cart.py#Cart/total": total})
    assert kinds(stale) == ["stale"]
    assert "amount = 1" in stale.value["problems"][0]["near"][0]["text"]
    lost = run(root, "apply_patch", patch=PATCH.replace("= 0", "= 9"), expected_hashes={"shop/cart.py": whole})
    assert kinds(lost) == ["stale"], "also where the patch no longer fits"


def test_a_refusal_of_edit_symbol_is_about_its_arguments(tmp_path: Path) -> None:
    root = tree(tmp_path / "root")
    for arguments in ({}, {"op": "delete"}, {"op": "delete", "line": 1}, {"name_path": "Cart", "chunks": []}):
        assert kinds(run(root, "edit_symbol", relative_path="shop/cart.py", **arguments)) == ["bad_call"]
    lost = {"context_before": ["x"], "old_lines": ["y"], "new_lines": [], "context_after": []}
    result = run(root, "edit_symbol", relative_path="shop/cart.py", name_path="Cart/total", chunks=[lost])
    assert kinds(result) == ["not_found"]
    assert "patch line" not in result.text
    outside = run(root, "apply_patch", patch=BLOCK.format(path="../a.py"))
    assert kinds(outside) == ["unsafe_path"]
    assert "--" not in outside.text, "no option would help"


def test_partial_is_an_error_with_the_rest(tmp_path: Path) -> None:
    root = tree(tmp_path / "root")
    result = run(root, "apply_patch", patch=PATCH + PATCH.replace("= 0", "= 7"), partial=True)
    assert result.failed
    assert result.value["partial"]
    assert "amount = 7" in result.value["rest"]
    assert "amount = 1" in (root / "shop" / "cart.py").read_text()


def test_overwriting_by_the_server(tmp_path: Path) -> None:
    """`overwrite`: left out as the format says, true always, false never."""
    part, whole = (f"a.py\n```python\n{text}```\n" for text in ("print(1)\n", TWO.replace("1", "11")))
    (tmp_path / "a.py").write_text(TWO)

    def kinds(patch: str, **arguments: Any) -> list[str]:
        result = run(tmp_path, "apply_patch", patch=patch, dry_run=True, **arguments)
        assert "--overwrite" not in result.text
        return [problem["kind"] for problem in result.value.get("problems", [])]

    assert kinds(part, format="whole-file") == ["would_shrink"]
    assert kinds(part, format="whole-file", overwrite=True) == []
    assert kinds(part, format="whole-file", overwrite=False) == ["file_exists"]
    assert kinds(part) == ["no_patch"] and kinds(whole) == ["proposed"]
    assert kinds(whole, format="whole-file") == []
    assert kinds(whole, format="whole-file", overwrite=False) == ["file_exists"]


def test_bytes_that_are_not_utf_8_are_escaped(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(b"def f():\n    return 'caf\xe9'\n")
    result = run(tmp_path, "read_symbol", relative_path="a.py", name_path="f")
    assert json.dumps(writable(result.value), ensure_ascii=False).encode()
    assert "caf\\udce9" in writable(result.text)


def test_advice_names_tools_not_commands() -> None:
    for kind in KINDS.values():
        advice = ADVICE.get(kind.id, kind.advice)
        assert "`anypatch" not in advice, kind.id
        assert "--" not in advice.replace("--allow-sensitive", "").replace("--root", ""), kind.id
    assert set(ADVICE) <= set(KINDS)


def test_a_folder_is_outlined(tmp_path: Path) -> None:
    root = tree(tmp_path / "root")
    (root / "shop" / "deep").mkdir()
    (root / "shop" / "deep" / "b.py").write_text("def b():\n    def inner():\n        pass\n")
    everything = "shop/cart.py\n  class Cart  lines 1-7\nshop/deep/b.py\n  function b  lines 1-3"
    for folder in (".", "shop/"):
        assert run(root, "outline", relative_path=folder).text == everything
    assert run(root, "outline", relative_path="shop/deep", depth=2).text.endswith("function b/inner  lines 2-3")


def test_only_a_refused_edit_says_that_nothing_was_changed(tmp_path: Path) -> None:
    root = tree(tmp_path / "root")
    for tool, path in (("outline", "shop/cort.py"), ("outline", "shap"), ("read_symbol", "shop/cart.py")):
        more = {"name_path": "Cart/totl"} if tool == "read_symbol" else {}
        failed = run(root, tool, None, relative_path=path, **more)
        assert failed.failed and failed.text and "changed" not in failed.text
    assert "shop/cart.py" in run(root, "outline", relative_path="shop/cort.py").text
    edit = run(root, "edit_symbol", relative_path="shop/cart.py", name_path="x", op="delete")
    assert "nothing was changed" in edit.text


def test_renaming_needs_a_name_and_a_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tree(tmp_path / "root")
    with pytest.raises(Refused, match="started without language servers"):
        prepare(Service(Bounds(), Settings()), TOOLS_BY_NAME["rename_symbol"], RENAMING, None)
    assert "needs name_path" in run(root, "rename_symbol", relative_path="shop/cart.py", new_name="sum").text
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr("sys.executable", "/nowhere/python")
    refused = run(root, "rename_symbol", **RENAMING)
    assert refused.failed and "no_server" in refused.text and (root / "shop" / "cart.py").read_text() == CART


def test_the_undo_of_a_turn_concerns_its_own_session(tmp_path: Path) -> None:
    service = Service(Bounds((str(tmp_path),)), Settings())

    def call(tool: str, who: tuple[str, str], **arguments: Any) -> ToolResult:
        return run_tool(prepare(service, TOOLS_BY_NAME[tool], arguments, None, Caller(*who)))

    for name, who in (("a", ("s", "1")), ("b", ("s", "2")), ("c", ("other", "2")), ("d", ("s", "2"))):
        patch = f"*** Begin Patch\n*** Add File: {name}.txt\n+x\n*** End Patch\n"
        assert not call("apply_patch", who, patch=patch).failed
    undone = call("undo", ("s", "2"), turn=True)
    assert undone.text.startswith("Undone: 2 changes, deleted d.txt -1, deleted b.txt -1; receipt ")
    assert sorted(path.name for path in tmp_path.glob("*.txt")) == ["a.txt", "c.txt"]
    assert not call("undo", ("s", "2"), all=True).failed
    assert [path.name for path in tmp_path.glob("*.txt")] == ["c.txt"]
    assert kinds(call("undo", ("s", "2"), since="1h")) == ["no_receipt"]
    assert kinds(call("undo", ("s", "2"), since="1h", all=True)) == ["bad_call"]


def test_a_success_is_one_line(tmp_path: Path) -> None:
    root = tree(tmp_path / "root")
    patch = (
        "*** Begin Patch\n*** Update File: shop/cart.py\n@@\n-        amount = 0\n+        amount = 1\n+        rate = 2\n"
        "*** Add File: new.txt\n+x\n*** Delete File: notes.txt\n*** End Patch\n"
    )
    done = run(root, "apply_patch", patch=patch)
    id = done.value["receipt"]
    assert done.text == f"Applied: shop/cart.py +2 -1, new new.txt +1, deleted notes.txt -2; receipt {id}."
    assert run(root, "undo").text.startswith("Undone: shop/cart.py +1 -2, ")
    same = BLOCK.format(path="shop/cart.py").replace("amount = 1", "amount = 0")
    assert run(root, "apply_patch", patch=same).text.startswith("Nothing to change: ")
    broken = run(root, "apply_patch", patch=BLOCK.format(path="shop/cart.py").replace("amount = 1", "amount = (1"))
    first, *notes = broken.text.split("\n")
    assert (
        first.startswith("Applied: shop/cart.py +1 -1; receipt ") and len(notes) == 1 and "no longer does" in notes[0]
    )


def test_a_line_of_a_symbol_needs_no_context(tmp_path: Path) -> None:
    root = tree(tmp_path / "root")
    bare = {
        "context_before": [],
        "old_lines": ["        amount = 0"],
        "new_lines": ["        amount = 2"],
        "context_after": [],
    }
    done = run(root, "edit_symbol", relative_path="shop/cart.py", name_path="Cart/total", chunks=[bare])
    assert not done.failed and "amount = 2" in (root / "shop" / "cart.py").read_text()

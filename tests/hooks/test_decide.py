"""Which calls are fixed, denied or left alone."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path
from typing import Any

import pytest

import anypatch
from anypatch.hooks import SeenText, ToolCall, Verdict, decide
from anypatch.hooks.decide import Replacement, TargetFile, replace_exactly, unique_replacement
from support.hooked import FIXED, MISINDENTED, PATCH, SOURCE, edit, project

ELIDED = "import os\n\n# ... existing code ...\n\ndef two(b):\n    return b * 3\n\n# ... rest of code ...\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return project(tmp_path)


def verdict_on(root: Path, tool: str, input: dict[str, Any]) -> Verdict | None:
    return decide(ToolCall("claude", tool, input, str(root)))


def fixed_input(root: Path, tool: str, input: dict[str, Any]) -> dict[str, Any]:
    verdict = verdict_on(root, tool, input)
    assert verdict and verdict.action == "fixed" and verdict.input, verdict
    return verdict.input


def denial(root: Path, tool: str, input: dict[str, Any]) -> str:
    verdict = verdict_on(root, tool, input)
    assert verdict and verdict.action == "denied", verdict
    return verdict.why


# ── edits ────────────────────────────────────────────────────────────────────────────────────────


def test_a_wrong_indentation_is_fixed(root: Path) -> None:
    call = edit(root, *MISINDENTED)
    assert fixed_input(root, "Edit", call) == call | FIXED
    parts = [{"old_string": call["old_string"], "new_string": call["new_string"]}]
    assert fixed_input(root, "MultiEdit", {"file_path": call["file_path"], "edits": parts})["edits"] == [FIXED]
    (root / "a.py").write_bytes(SOURCE.replace("\n", "\r\n").encode())
    assert fixed_input(root, "Edit", call)["old_string"] == FIXED["old_string"]


@pytest.mark.parametrize(
    ("old", "new", "more"),
    [
        ("    y = b * 2\n", "    y = b * 3\n", {}),  # in the file, once
        ("return", "yield", {}),  # in the file three times: the client refuses that itself
        ("return", "yield", {"replace_all": True}),
        ("    z = b * 2\n    return w", "    return b * 2", {}),  # not in the file
        ("", "x", {}),
        ("  y = b * 2\n  return y", "  return (b * 2", {}),  # fixed, the file would no longer parse
    ],
)
def test_an_edit_that_needs_no_fix_or_has_none(root: Path, old: str, new: str, more: dict[str, Any]) -> None:
    assert verdict_on(root, "Edit", edit(root, old, new, **more)) is None


def test_a_file_that_is_missing(root: Path) -> None:
    (root / "a.py").unlink()
    assert verdict_on(root, "Edit", edit(root, *MISINDENTED)) is None


def test_text_that_leaves_code_out_is_denied(root: Path) -> None:
    old = "def three(c):\n    for i in range(c):\n        print(i)\n"
    why = denial(root, "Edit", edit(root, old, "def three(c):\n    # ... existing code ...\n"))
    assert "instead of the code it stands for" in why


def test_a_fix_gives_what_the_plan_gives() -> None:
    """A law, over functions of our own source with a wrong indentation: the client's rule writes exactly our result."""
    fixed = 0
    draw = random.Random(7)
    for path in sorted((Path(anypatch.__file__).parent / "match").glob("*.py")):
        text = path.read_text(encoding="utf-8")
        lines = text.split("\n")
        if len(lines) < 20:
            continue
        for _ in range(6):
            first = draw.randrange(len(lines) - 8)
            old_lines = lines[first : first + draw.randrange(2, 6)]
            if not all(line.startswith("    ") for line in old_lines):
                continue
            old = "\n".join(line[2:] for line in old_lines)
            new = old + "  # changed"
            call = {"file_path": str(path), "old_string": old, "new_string": new}
            verdict = decide(ToolCall("claude", "Edit", call, "."))
            answer = {"name": "Edit", "input": call | {"file_path": path.name}}
            result = anypatch.apply_to(answer, {path.name: text}, syntax="refuse")
            if verdict is None:
                assert not result.ok or replace_exactly(text, [Replacement(old, new)]) is not None
                continue
            assert verdict.input
            fixed += 1
            replacement = Replacement(verdict.input["old_string"], verdict.input["new_string"])
            assert replace_exactly(text, [replacement]) == result.files[path.name]
    assert fixed > 20


def test_the_lines_that_differ_grow_until_they_are_unique() -> None:
    assert unique_replacement("a\nx\nb\nx\n", "a\nx\nb\ny\n") == ("b\nx\n", "b\ny\n", False)
    assert unique_replacement("", "new\n") == ("", "new\n", False)


# ── whole files and cells ────────────────────────────────────────────────────────────────────────


def test_a_file_overwritten_by_a_part_is_filled_in_or_denied(root: Path) -> None:
    write = {"file_path": str(root / "a.py")}
    filled = fixed_input(root, "Write", write | {"content": ELIDED})["content"]
    assert filled == SOURCE.replace("    y = b * 2\n    return y", "    return b * 3")
    for part in ("def two(b):\n    return b * 3\n", SOURCE.split("def two", maxsplit=1)[0]):
        assert "make exactly the same call again" in denial(root, "Write", write | {"content": part})
    for whole in (
        SOURCE + "\n\nprint(1)\n",
        SOURCE.replace("x = a + 1", "x = a + 5"),
        "import sys\n\n\ndef main():\n" + "    print(1)\n" * 12,
    ):
        assert verdict_on(root, "Write", write | {"content": whole}) is None
    assert verdict_on(root, "Write", {"file_path": str(root / "new.py"), "content": ELIDED}) is None


def test_cells_of_notebooks(root: Path) -> None:
    cells: list[dict[str, Any]] = [
        {"cell_type": "code", "id": name, "metadata": {}, "outputs": [], "source": [f"{name} = 1\n", "print(1)"]}
        for name in ("aa", "bb")
    ]
    notebook = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (root / "n.ipynb").write_text(json.dumps(notebook, indent=1))
    call = {"notebook_path": str(root / "n.ipynb"), "cell_id": "bb", "new_source": "print(2)"}
    assert verdict_on(root, "NotebookEdit", call) is None
    assert verdict_on(root, "NotebookEdit", call | {"cell_id": "zz"}) is None
    elided = call | {"new_source": "# ... existing code ...\nprint(2)"}
    assert "instead of the code it stands for" in denial(root, "NotebookEdit", elided)


# ── patches ──────────────────────────────────────────────────────────────────────────────────────


def test_patches_for_codex(root: Path) -> None:
    """Codex takes the first place that fits, and new lines as they are."""

    def patch(body: str) -> dict[str, str]:
        return {"command": PATCH.format(body)}

    fixed = fixed_input(root, "apply_patch", patch("-  y = b * 2\n-  return y\n+  return b * 2"))
    assert fixed == patch("-    y = b * 2\n-    return y\n+    return b * 2")
    assert verdict_on(root, "apply_patch", patch("-    y = b * 2\n+    y = b * 3")) is None
    assert verdict_on(root, "apply_patch", patch("-    z = 1\n+    z = 2")) is None
    (root / "a.py").write_text(SOURCE.replace("x = a + 1", "y = b * 2"))
    assert "line" in denial(root, "apply_patch", patch("-    y = b * 2\n+    y = b * 3"))
    denial(root, "apply_patch", {"command": "*** Begin Patch\n*** Add File: a.py\n+x = 1\n*** End Patch"})
    (root / "a.py").write_bytes(SOURCE.replace("\n", "\r\n").encode())
    assert verdict_on(root, "apply_patch", patch("-  y = b * 2\n+  y = b * 3")) is None


# ── the file that a call names ────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("data", [b"\xff\xfe", b"a\r\nb\n", b"a\rb\n", b"\x00\n"])
def test_text_on_which_clients_disagree(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "a.py").write_bytes(data + SOURCE.encode())
    assert TargetFile.read("a.py", str(tmp_path)) is None


def test_what_is_no_file(tmp_path: Path) -> None:
    assert TargetFile.read("a.py", str(tmp_path)) is None
    os.mkfifo(tmp_path / "a.py")
    assert TargetFile.read("a.py", str(tmp_path)) is None
    assert TargetFile.read(str(tmp_path), ".") is None


def test_crlf_becomes_lf_and_comes_back(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(b"a = 1\r\nb = 2\r\n")
    file = TargetFile.read("a.py", str(tmp_path))
    assert file and (file.name, file.text, file.crlf) == ("a.py", "a = 1\nb = 2\n", True)
    diff = "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-a = 1\n+a = 3\n"
    assert file.after(anypatch.apply_to(diff, {"a.py": file.data})) == "a = 3\nb = 2\n"
    assert file.after(anypatch.apply_to("no edit", {"a.py": file.data})) is None


# ── files that have changed since the model read them ──

CHANGED = SOURCE.replace("    y = b * 2\n", "    y = b * 20\n")
SHOWN = ("def two(b):\n    y = b * 2\n", "def two(b, c):\n    y = b * 2\n")  # the second line has changed


def verdict_on_changed(
    root: Path, tool: str, input: dict[str, Any], now: str = CHANGED, *, seen: str = SOURCE, is_current: bool = True
) -> Verdict | None:
    """Return the verdict on a call whose model saw the file as it was."""
    (root / "a.py").write_text(now)
    return decide(
        ToolCall("gemini", tool, input, str(root)),
        lambda path: SeenText(seen, is_current) if path == str(root / "a.py") else None,
    )


@pytest.mark.parametrize("seen", [SOURCE, SOURCE.rstrip("\n")])
@pytest.mark.parametrize("is_current", [True, False])
def test_an_edit_of_the_file_as_it_was_read_is_merged(root: Path, seen: str, is_current: bool) -> None:
    call = edit(root, *SHOWN)
    verdict = verdict_on_changed(root, "replace", call, seen=seen, is_current=is_current)
    assert verdict and verdict.action == "denied" and "y = b * 20" in verdict.why  # no line between
    apart = edit(root, SOURCE, SOURCE.replace("def one(a):", "def one(a, c):"))
    verdict = verdict_on_changed(root, "replace", apart, seen=seen, is_current=is_current)
    assert verdict and verdict.action == "fixed" and verdict.input and "merged" in verdict.why
    replacement = Replacement(verdict.input["old_string"], verdict.input["new_string"])
    assert replace_exactly(CHANGED, [replacement]) == CHANGED.replace("def one(a):", "def one(a, c):")
    assert decide(ToolCall("gemini", "replace", apart, str(root))) is None  # nobody knows what it has read


def test_an_edit_that_fits_is_left_alone_whatever_was_read(root: Path) -> None:
    call = edit(root, "def one(a):", "def one(a, c):")
    assert verdict_on_changed(root, "replace", call) is None


def test_a_file_that_is_written_keeps_what_has_changed_since(root: Path) -> None:
    content = SOURCE.replace("def one(a):", "def one(a, c):")
    write = {"file_path": str(root / "a.py"), "content": content}
    verdict = verdict_on_changed(root, "write_file", write)
    assert verdict and verdict.input == write | {"content": CHANGED.replace("def one(a):", "def one(a, c):")}
    assert (
        verdict_on_changed(root, "write_file", write, is_current=False) is None
    )  # its own commands may have done that
    assert verdict_on_changed(root, "write_file", write | {"content": CHANGED}) is None
    assert verdict_on_changed(root, "write_file", write, SOURCE) is None
    conflict = write | {"content": SOURCE.replace("y = b * 2", "y = b * 3")}
    verdict = verdict_on_changed(root, "write_file", conflict)
    assert verdict and verdict.action == "denied" and verdict.once and "y = b * 20" in verdict.why


def test_a_patch_of_the_file_as_it_was_read_is_merged(root: Path) -> None:
    hunk = "\n".join(
        f" {line}".replace(" def one(a):", "-def one(a):\n+def one(a, c):") for line in SOURCE.splitlines()
    )
    verdict = verdict_on_changed(root, "apply_patch", {"command": PATCH.format(hunk)})
    assert verdict and verdict.action == "fixed" and verdict.input and "merged" in verdict.why
    after = anypatch.apply_to(verdict.input["command"], {"a.py": CHANGED}).files
    assert after == {"a.py": CHANGED.replace("def one(a):", "def one(a, c):")}
    conflict = PATCH.format("\n".join([" def two(b):", "-    y = b * 2", "+    y = b * 3", "     return y"]))
    verdict = verdict_on_changed(root, "apply_patch", {"command": conflict})
    assert verdict and verdict.action == "denied" and "y = b * 20" in verdict.why
    assert verdict_on_changed(root, "apply_patch", {"command": PATCH.format(" gone\n-gone\n+x")}) is None

"""Hooks: what agents are answered before their own tools run. Each through the program, as an agent calls it."""

from __future__ import annotations

import json
import os
import random
import subprocess
from pathlib import Path
from typing import Any

import pytest

import anypatch
from anypatch.hooks import Request, codex_applied, exact, judged
from support.agents import PROGRAM

SOURCE = '''import os


def one(a):
    """One."""
    x = a + 1
    return x


def two(b):
    y = b * 2
    return y


def three(c):
    for i in range(c):
        print(i)
    return c
'''
ELIDED = "import os\n\n# ... existing code ...\n\ndef two(b):\n    return b * 3\n\n# ... rest of code ...\n"


def hooked(root: Path, tool: str, said: dict[str, Any], **event: Any) -> Any:
    """What the program answers to Claude Code's event, or another's; None where it says nothing."""
    told = {"hook_event_name": "PreToolUse", "cwd": str(root), "tool_name": tool, "tool_input": said} | event
    done = subprocess.run([PROGRAM, "hook"], input=json.dumps(told).encode(), capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b""), done.stderr
    return json.loads(done.stdout) if done.stdout else None


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "a.py").write_text(SOURCE)
    return tmp_path


def edit(root: Path, old: str, new: str, **more: Any) -> dict[str, Any]:
    return {"file_path": str(root / "a.py"), "old_string": old, "new_string": new, **more}


MISINDENTED = ("  y = b * 2\n  return y", "  return b * 2")
FIXED = {"old_string": "    y = b * 2\n    return y\n", "new_string": "    return b * 2\n"}


def test_each_client_gets_the_mended_call_in_its_own_words(root: Path) -> None:
    said = edit(root, *MISINDENTED)
    mended = said | FIXED
    pre = {"hookEventName": "PreToolUse"}
    assert hooked(root, "Edit", said) == {"hookSpecificOutput": pre | {"updatedInput": mended}}
    gemini = hooked(root, "replace", said | {"instruction": "x"}, hook_event_name="BeforeTool")
    assert gemini["hookSpecificOutput"] == {"hookEventName": "BeforeTool", "tool_input": mended | {"instruction": "x"}}
    cursor = hooked(root, "StrReplace", said, hook_event_name="preToolUse")
    assert cursor == {"permission": "allow", "updated_input": mended}
    qwen = hooked(root, "edit", said)["hookSpecificOutput"]
    assert qwen["permissionDecision"] == "deny" and json.dumps(FIXED)[1:-1] in qwen["permissionDecisionReason"]
    args = {"path": str(root / "a.py"), "old_str": said["old_string"], "new_str": said["new_string"]}
    copilot = {"toolName": "edit", "toolArgs": json.dumps(args), "cwd": str(root)}
    done = subprocess.run([PROGRAM, "hook"], input=json.dumps(copilot).encode(), capture_output=True, check=True)
    wanted = args | {"old_str": FIXED["old_string"], "new_str": FIXED["new_string"]}
    assert json.loads(done.stdout) == {"modifiedArgs": wanted}
    many = {
        "file_path": said["file_path"],
        "edits": [{"old_string": said["old_string"], "new_string": said["new_string"]}],
    }
    assert hooked(root, "MultiEdit", many)["hookSpecificOutput"]["updatedInput"]["edits"] == [FIXED]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    y = b * 2\n", "    y = b * 3\n"),  # stands there, once
        ("return", "yield"),  # stands there three times: the client says so itself
        ("    z = b * 2\n    return w", "    return b * 2"),  # stands nowhere
        ("", "x"),
        ("  y = b * 2\n  return y", "  return (b * 2"),  # mended, the file would not parse any more
    ],
)
def test_what_needs_no_mending_or_can_t_be_is_left_alone(root: Path, old: str, new: str) -> None:
    assert hooked(root, "Edit", edit(root, old, new)) is None
    assert hooked(root, "StrReplace", edit(root, old, new), hook_event_name="preToolUse") == {}


@pytest.mark.parametrize("data", [b"\xff\xfe", b"a\r\nb\n", b"a\rb\n", b"\x00\n"])
def test_files_on_whose_text_clients_differ_are_left_alone(root: Path, data: bytes) -> None:
    (root / "a.py").write_bytes(data + SOURCE.encode())
    assert hooked(root, "Edit", edit(root, *MISINDENTED)) is None


def test_what_is_no_file_is_left_alone(root: Path) -> None:
    (root / "a.py").unlink()
    assert hooked(root, "Edit", edit(root, *MISINDENTED)) is None
    os.mkfifo(root / "a.py")
    assert hooked(root, "Edit", edit(root, *MISINDENTED)) is None
    (root / "a.py").unlink()
    (root / "a.py").mkdir()
    assert hooked(root, "Edit", edit(root, *MISINDENTED)) is None


def test_line_ends_and_replace_all(root: Path) -> None:
    (root / "a.py").write_bytes(SOURCE.replace("\n", "\r\n").encode())
    assert (
        hooked(root, "Edit", edit(root, *MISINDENTED))["hookSpecificOutput"]["updatedInput"]["old_string"]
        == FIXED["old_string"]
    )
    assert hooked(root, "Edit", edit(root, "return", "yield", replace_all=True)) is None


def test_text_that_leaves_code_out_is_denied(root: Path) -> None:
    said = edit(
        root,
        "def three(c):\n    for i in range(c):\n        print(i)\n",
        "def three(c):\n    # ... existing code ...\n",
    )
    told = hooked(root, "Edit", said)["hookSpecificOutput"]
    assert (
        told["permissionDecision"] == "deny" and "instead of the code it stands for" in told["permissionDecisionReason"]
    )
    gemini = hooked(root, "replace", said, hook_event_name="BeforeTool")
    assert gemini["decision"] == "deny" and "instead of the code it stands for" in gemini["reason"]


def test_a_file_overwritten_by_a_part_is_filled_in_or_denied_once(root: Path) -> None:
    whole = {"file_path": str(root / "a.py")}
    filled = hooked(root, "Write", whole | {"content": ELIDED})["hookSpecificOutput"]["updatedInput"]["content"]
    assert filled == SOURCE.replace("    y = b * 2\n    return y", "    return b * 3")
    for part in ("def two(b):\n    return b * 3\n", SOURCE.split("def two", maxsplit=1)[0]):
        told = hooked(root, "Write", whole | {"content": part})["hookSpecificOutput"]
        assert (
            told["permissionDecision"] == "deny"
            and "make exactly the same call again" in told["permissionDecisionReason"]
        )
        assert hooked(root, "Write", whole | {"content": part}) is None
    for meant in (
        SOURCE + "\n\nprint(1)\n",
        SOURCE.replace("x = a + 1", "x = a + 5"),
        "import sys\n\n\ndef main():\n" + "    print(1)\n" * 12,
    ):
        assert hooked(root, "Write", whole | {"content": meant}) is None
    assert hooked(root, "Write", {"file_path": str(root / "new.py"), "content": ELIDED}) is None


def test_cells_of_notebooks(root: Path) -> None:
    cells: list[dict[str, Any]] = [
        {"cell_type": "code", "id": name, "metadata": {}, "outputs": [], "source": [f"{name} = 1\n", "print(1)"]}
        for name in ("aa", "bb")
    ]
    (root / "n.ipynb").write_text(
        json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1)
    )
    said = {"notebook_path": str(root / "n.ipynb"), "cell_id": "bb", "new_source": "print(2)"}
    assert hooked(root, "NotebookEdit", said) is None
    elided = hooked(root, "NotebookEdit", said | {"new_source": "# ... existing code ...\nprint(2)"})[
        "hookSpecificOutput"
    ]
    assert (
        elided["permissionDecision"] == "deny"
        and "instead of the code it stands for" in elided["permissionDecisionReason"]
    )
    numbered = {"notebook_path": said["notebook_path"], "cell_number": 1, "new_source": "print(2)"}
    assert hooked(root, "NotebookEdit", numbered)["hookSpecificOutput"]["updatedInput"] == numbered | {"cell_id": "bb"}
    assert hooked(root, "NotebookEdit", said | {"cell_id": "zz"}) is None


PATCH = "*** Begin Patch\n*** Update File: a.py\n@@\n{}\n*** End Patch"


def codex(root: Path, body: str) -> Any:
    told = hooked(root, "apply_patch", {"command": PATCH.format(body)})
    return told and told["hookSpecificOutput"]


def test_patches_of_codex(root: Path) -> None:
    """Which takes the first place that fits, and new lines as they are."""
    mended = codex(root, "-  y = b * 2\n-  return y\n+  return b * 2")
    assert mended["permissionDecision"] == "allow"
    assert mended["updatedInput"]["command"] == PATCH.format("-    y = b * 2\n-    return y\n+    return b * 2")
    assert codex(root, "-    y = b * 2\n+    y = b * 3") is None
    assert codex(root, "-    z = 1\n+    z = 2") is None
    (root / "a.py").write_text(SOURCE.replace("x = a + 1", "y = b * 2"))
    twice = codex(root, "-    y = b * 2\n+    y = b * 3")
    assert twice["permissionDecision"] == "deny" and "line" in twice["permissionDecisionReason"]
    made = "*** Begin Patch\n*** Add File: a.py\n+x = 1\n*** End Patch"
    assert hooked(root, "apply_patch", {"command": made})["hookSpecificOutput"]["permissionDecision"] == "deny"


def test_the_rule_of_codex() -> None:
    files = {"a.py": SOURCE}
    assert codex_applied(PATCH.format("-  y = b * 2\n+  y = 3"), files) == {
        "a.py": SOURCE.replace("    y = b * 2", "  y = 3")
    }
    assert codex_applied(PATCH.format(" def three(c):\n-    return c\n+    return 1"), files) is None
    assert codex_applied(PATCH.replace("@@\n", "@@ def three(c):\n").format("-    return c\n+    return 1"), files) == {
        "a.py": SOURCE.replace("    return c", "    return 1")
    }
    moved = "*** Begin Patch\n*** Update File: a.py\n*** Move to: b.py\n@@\n-import os\n+import sys\n*** Delete File: c\n*** End Patch"
    assert codex_applied(moved, files | {"c": "x\n"}) == {"b.py": SOURCE.replace("import os", "import sys")}
    assert codex_applied(moved, files) is None
    at_end = PATCH.format("-    return c\n+    return 1\n*** End of File")
    assert codex_applied(at_end, files) == {"a.py": SOURCE.replace("    return c", "    return 1")}
    assert codex_applied("*** Begin Patch\n*** Update File: a.py\n*** End Patch", files) is None
    assert codex_applied("nothing", files) is None


def test_whatever_is_mended_is_what_the_plan_says() -> None:
    """A law, over functions of our own source, indented wrongly: the client's rule gives to the letter what we would."""
    mended = 0
    draw = random.Random(7)
    for path in sorted((Path(anypatch.__file__).parent / "match").glob("*.py")):
        text = path.read_text(encoding="utf-8")
        lines = text.split("\n")
        if len(lines) < 20:
            continue
        for _ in range(6):
            first = draw.randrange(len(lines) - 8)
            old = lines[first : first + draw.randrange(2, 6)]
            if not all(line.startswith("    ") for line in old):
                continue
            old = [line[2:] for line in old]
            new = [*old[:-1], old[-1] + "  # changed"]
            said = {"file_path": str(path), "old_string": "\n".join(old), "new_string": "\n".join(new)}
            verdict = judged(Request("claude", "Edit", said, "."))
            call = {"name": "Edit", "input": said | {"file_path": path.name}}
            result = anypatch.apply_to(call, {path.name: text}, syntax="refuse")
            if verdict is None:
                assert not result.ok or exact(text, [("\n".join(old), "\n".join(new), False)]) is not None
                continue
            assert verdict.input
            mended += 1
            assert (
                exact(text, [(verdict.input["old_string"], verdict.input["new_string"], False)])
                == result.files[path.name]
            )
    assert mended > 20


def test_its_own_failures_never_stop_an_edit(root: Path) -> None:
    for said in (
        b"",
        b"no JSON",
        b"[]",
        b'{"tool_name": "Edit"}',
        b'{"tool_name": "Edit", "tool_input": {"file_path": 1}}',
        b"[" * 100_000,
    ):
        done = subprocess.run([PROGRAM, "hook"], input=said, capture_output=True, check=False)
        assert done.returncode == 0 and done.stdout == b"" and done.stderr.count(b"\n") <= 1
    done = subprocess.run([PROGRAM, "hook", "--nonsense"], input=b"{}", capture_output=True, check=False)
    assert done.returncode == 0 and b"no option" in done.stderr
    (root / ".anypatch").write_text("in the way")
    event = {
        "hook_event_name": "PreToolUse",
        "cwd": str(root),
        "tool_name": "Edit",
        "tool_input": edit(root, *MISINDENTED),
    }
    done = subprocess.run([PROGRAM, "hook"], input=json.dumps(event).encode(), capture_output=True, check=False)
    assert (
        done.returncode == 0 and json.loads(done.stdout) and done.stderr == b"anypatch hook: the log can't be written\n"
    )


def program(*arguments: str, cwd: Path | None = None) -> Any:
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, check=False, cwd=cwd)


def test_the_log_shows_what_was_mended_and_denied(root: Path) -> None:
    hooked(root, "Edit", edit(root, *MISINDENTED))
    hooked(root, "Write", {"file_path": str(root / "a.py"), "content": "def two(b):\n    return b * 3\n"})
    denied, mended = program("log", "--root", str(root)).stdout.splitlines()
    assert "denied: claude Write" in denied and "fixed: claude Edit" in mended and "found by indentation" in mended
    told = json.loads(program("log", "--root", str(root), "--json", "-n", "1").stdout)
    assert [one["did"] for one in told["hooks"]] == ["denied"]
    with (root / ".anypatch" / "hooks").open("a") as file:
        file.write("no JSON\n[]\n" + '{"did": "x"}\n' * 90_000)
    hooked(root, "Edit", edit(root, *MISINDENTED))
    assert (root / ".anypatch" / "hooks.old").exists() and program("log", "--root", str(root)).returncode == 0


@pytest.mark.parametrize("client", ["claude", "gemini", "codex", "qwen", "cursor", "copilot"])
def test_settings_are_shown_then_written_then_taken_back(root: Path, client: str) -> None:
    from anypatch.cli.hook import CLIENTS

    path = root / CLIENTS[client].settings
    path.parent.mkdir(parents=True)
    before = json.dumps({"theirs": 1, "hooks": {"Stop": [], CLIENTS[client].event: [{"matcher": "X"}]}})
    path.write_text(before)
    shown = program("hook", "install", client, "--root", str(root))
    assert shown.returncode == 0 and "anypatch hook" in shown.stdout and path.read_text() == before
    assert program("hook", "install", client, "--root", str(root), "--write").returncode == 0
    told = json.loads(path.read_text())
    assert told["theirs"] == 1 and told["hooks"]["Stop"] == []
    assert [len(told["hooks"][CLIENTS[client].event]), "anypatch hook" in path.read_text()] == [2, True]
    assert "already" in program("hook", "install", client, "--root", str(root), "--write").stdout
    assert program("undo", "--root", str(root)).returncode == 0 and path.read_text() == before


def test_settings_are_written_at_the_root_from_a_subfolder(root: Path) -> None:
    (root / ".git").mkdir()
    (root / "src" / "deep").mkdir(parents=True)
    assert program("hook", "install", "claude", "--write", cwd=root / "src" / "deep").returncode == 0
    assert (root / ".claude" / "settings.json").exists() and not (root / "src" / "deep" / ".claude").exists()


def test_settings_that_can_t_be_added_to(root: Path) -> None:
    path = root / ".claude" / "settings.json"
    path.parent.mkdir()
    for text in ("// comment\n{}", "[]", '{"hooks": []}', '{"hooks": {"PreToolUse": {}}}'):
        path.write_text(text)
        done = program("hook", "install", "claude", "--root", str(root), "--write")
        assert (done.returncode, path.read_text()) == (2, text) and "by hand" in done.stderr
    assert "one of claude" in program("hook", "install", "nobody").stderr

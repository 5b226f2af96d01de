"""Output on streams: colours, harmless text, odd bytes, nothing wider than the terminal."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from anypatch import apply_to
from anypatch.cli import terminal
from anypatch.report.models import for_model
from support.program import anypatch, environment
from support.trees import PATCH, WRONG, on_terminal


@pytest.mark.parametrize(
    ("is_terminal", "when", "env", "colored"),
    [
        (True, "auto", {}, True),
        (False, "auto", {}, False),
        (True, "auto", {"TERM": "dumb"}, False),
        (True, "auto", {"NO_COLOR": "1"}, False),
        (True, "auto", {"NO_COLOR": ""}, True),
        (False, "auto", {"FORCE_COLOR": "1"}, True),
        (False, "auto", {"FORCE_COLOR": "0"}, False),
        (False, "auto", {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        (False, "always", {"NO_COLOR": "1"}, True),
        (True, "never", {"FORCE_COLOR": "1"}, False),
    ],
)
def test_when_there_is_colour(is_terminal: bool, when: str, env: dict[str, str], colored: bool) -> None:
    assert terminal.wants_color(is_terminal, when, env) is colored


def test_terminals_are_shown_nothing_that_rewrites_them() -> None:
    assert terminal.harmless("a\tä\x1b[2J\r\x07\x9b\u202e\udcff") == "a\tä\\x1b[2J\\r\\x07\\x9b\\u202e\\xff"


def test_characters_without_width_are_shown() -> None:
    assert terminal.harmless("x\u200b = \u202e2") == "x\\u200b = \\u202e2"
    assert terminal.harmless("a\U000e0041\u061c\ufff9") == "a\\U000e0041\\u061c\\ufff9"
    report = apply_to("*** Begin Patch\n*** Delete File: a\u200b.py\n*** End Patch\n", {"a.py": "x\n"})
    assert not report.ok and "a\\u200b.py doesn't exist" in for_model(report)


def test_colour_and_harmless_text_on_a_terminal(root: Path, tmp_path: Path) -> None:
    (root / "src/a.py").write_bytes(b"# \x1b[2J\ndef f():\n    return 1\n")
    patch = tmp_path / "patch.yaml"
    patch.write_text(PATCH)
    main, side = pty.openpty()
    running = subprocess.Popen(
        [sys.executable, "-m", "anypatch", "check", str(patch), "--root", str(root)],
        stdout=side, stderr=side, env=environment(TERM="xterm"),
    )  # fmt: skip
    os.close(side)
    shown = b""
    try:
        while part := os.read(main, 65536):
            shown += part
    except OSError:
        pass  # how Linux says that the other side is closed
    os.close(main)
    assert running.wait(20) == 0
    assert b"\x1b[31m-    return 1\x1b[0m" in shown
    assert b"# \\x1b[2J" in shown
    assert b"\x1b[2J" not in shown


def test_nothing_is_wider_than_the_terminal(tree: Path, tmp_path: Path) -> None:
    (tmp_path / "wrong.md").write_text(WRONG)
    _, shown = on_terminal(tree, ["check", str(tmp_path / "wrong.md")], b"", columns=40)
    words = [line for line in shown.split("\n") if not line.startswith("    ")]
    assert max(map(len, words)) <= 40, shown


def test_names_rewrite_no_terminal_even_through_a_pipe(root: Path) -> None:
    patch = 'operations:\n  - path: "e\\e[2Jx"\n    op: create_file\n    payload: x\n'
    done = anypatch("apply", "--root", str(root), stdin=patch)
    assert done.returncode == 1
    assert b"e\\x1b[2Jx" in done.stderr
    assert b"\x1b" not in done.stderr


def test_odd_bytes_are_printed_as_they_are(root: Path) -> None:
    (root / "src/a.py").write_bytes(b"# caf\xe9\ndef f():\n    return 1\n")
    for name in ("C", "C.UTF-8"):
        done = anypatch("check", "--root", str(root), stdin=PATCH, env=environment(LC_ALL=name, PYTHONUTF8="0"))
        assert done.returncode == 0
        assert b" # caf\xe9\n" in done.stdout

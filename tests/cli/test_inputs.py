"""Where the answer and the root come from."""

from __future__ import annotations

import os
from pathlib import Path

from support.program import anypatch, environment
from support.trees import AFTER, PATCH, TWO, cart, contents, on_terminal


def test_a_patch_in_utf_16(root: Path) -> None:
    for encoding in ("utf-16", "utf-16-be"):
        mark = b"\xfe\xff" if encoding == "utf-16-be" else b""
        assert anypatch("check", "--root", str(root), stdin=mark + PATCH.encode(encoding)).returncode == 0


def test_from_a_file_and_from_the_clipboard(root: Path, tmp_path: Path) -> None:
    patch = tmp_path / "patch.yaml"
    patch.write_text(PATCH)
    assert anypatch("check", str(patch), cwd=root).returncode == 0
    tools = tmp_path / "bin"
    tools.mkdir()
    (tools / "xclip").write_text(f"#!/bin/sh\ncat '{patch}'\n")
    (tools / "xclip").chmod(0o755)
    where = environment(PATH=f"{tools}{os.pathsep}{os.environ['PATH']}", WAYLAND_DISPLAY="", DISPLAY=":0")
    assert anypatch("apply", "--paste", cwd=root, env=where).returncode == 0
    assert contents(root) == AFTER


def test_the_root_is_found_upwards_and_paths_work_from_a_subfolder(tree: Path) -> None:
    done = anypatch("apply", cwd=tree / "shop", stdin=TWO)
    assert done.returncode == 0 and (tree / "shop/tax.py").exists(), done.stderr
    assert anypatch("undo", cwd=tree / "shop").returncode == 0
    short = TWO.replace("shop/", "")
    done = anypatch("apply", cwd=tree / "shop", stdin=short)
    assert done.returncode == 0 and "return 2" in cart(tree) and (tree / "shop/tax.py").exists(), "new ones beside it"
    assert not (tree / "shop/.anypatch").exists() and (tree / ".anypatch").is_dir()


def test_a_line_that_the_terminal_cut_is_no_answer(tree: Path) -> None:
    code, shown = on_terminal(tree, ["apply"], b"x" * 5000 + b"\n\x04")
    assert code == 2 and "cuts lines off at 4095" in " ".join(shown.split())

"""Reading and filling the clipboard, with small programs in the place of xclip and its kind."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from anypatch.cli import clipboard
from anypatch.problems import Refused
from support.program import anypatch, environment
from support.trees import WRONG


def test_the_clipboard_is_read_by_the_first_tool_that_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for tool in ("wl-paste", "xsel", "xclip"):
        (tmp_path / tool).write_text("#!/bin/sh\nprintf 'from %s' \"$0\"\n")
        (tmp_path / tool).chmod(0o755)
    (tmp_path / "xclip").chmod(0o644)
    for name in ("WAYLAND_DISPLAY", "DISPLAY", "SSH_CONNECTION", "SSH_TTY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(Refused, match="no clipboard without a desktop"):
        clipboard.paste()
    monkeypatch.setenv("SSH_CONNECTION", "1.2.3.4")
    with pytest.raises(Refused, match="there is no clipboard over ssh"):
        clipboard.paste()
    monkeypatch.delenv("SSH_CONNECTION")
    monkeypatch.setenv("DISPLAY", ":0")
    with pytest.raises(Refused, match="no clipboard tool was found"):
        clipboard.paste()
    monkeypatch.setenv("PATH", f"/nowhere{os.pathsep}{tmp_path}")
    assert clipboard.paste() == b"from " + os.fsencode(tmp_path / "xsel")
    (tmp_path / "xsel").write_text("#!/bin/sh\necho broken >&2\nexit 1\n")
    with pytest.raises(Refused, match="broken"):
        clipboard.paste()
    monkeypatch.setenv("SSH_TTY", "/dev/pts/1")
    with pytest.raises(Refused, match="over ssh"):
        clipboard.paste()
    monkeypatch.setenv("WAYLAND_DISPLAY", "w")
    assert clipboard.paste() == b"from " + os.fsencode(tmp_path / "wl-paste")


def test_no_clipboard_tool_is_a_sentence() -> None:
    done = anypatch("apply", "--paste", env=environment(PATH="/nowhere", DISPLAY=":0"))
    assert done.returncode == 2
    assert b"Install" in done.stderr


def test_the_report_for_the_model_goes_to_the_clipboard(tree: Path, tmp_path: Path) -> None:
    tool = tmp_path / "bin" / "xclip"
    tool.parent.mkdir()
    tool.write_text(f"#!/bin/sh\ncat > {tmp_path}/clip\n")
    tool.chmod(0o755)
    where = environment(PATH=f"{tool.parent}{os.pathsep}{os.environ['PATH']}", DISPLAY=":0", WAYLAND_DISPLAY="")
    done = anypatch("apply", "--copy", cwd=tree, stdin=WRONG, env=where)
    assert done.returncode == 1 and b"is on the clipboard" in done.stderr
    assert (tmp_path / "clip").read_text().startswith("Refused, nothing was changed.")

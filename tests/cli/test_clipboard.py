"""Reading and filling the clipboard, with small programs in the place of xclip and its kind."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from anypatch.cli import clipboard
from anypatch.problems import Refused
from support.program import PROGRAM, anypatch, environment
from support.trees import ADD, CART, WRONG, cart, on_terminal


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


def with_tool(folder: Path, script: str) -> dict[str, str]:
    """Return an environment whose xclip is a small program."""
    tool = folder / "bin" / "xclip"
    tool.parent.mkdir()
    tool.write_text(f"#!/bin/sh\n{script}\n")
    tool.chmod(0o755)
    return environment(PATH=f"{tool.parent}{os.pathsep}{os.environ['PATH']}", DISPLAY=":0", WAYLAND_DISPLAY="")


def run_program(tree: Path, answer: str, env: dict[str, str]) -> subprocess.CompletedProcess[bytes]:
    """Run the program in a process of its own, which restricts itself before it writes."""
    return subprocess.run(
        [PROGRAM, "apply", "-y", "--copy"], cwd=tree, input=answer.encode(), env=env, capture_output=True, check=False
    )


@pytest.mark.parametrize(("answer", "report"), [(ADD, "Applied"), (WRONG, "Refused, nothing was changed.")])
def test_the_report_for_the_model_goes_to_the_clipboard(tree: Path, tmp_path: Path, answer: str, report: str) -> None:
    done = run_program(tree, answer, with_tool(tmp_path, f"cat > {tmp_path}/clip"))
    assert b"is on the clipboard" in done.stdout + done.stderr
    assert done.returncode == (report != "Applied") and (tmp_path / "clip").read_text().startswith(report)


@pytest.mark.skipif(not (shutil.which("xclip") and shutil.which("Xvfb")), reason="xclip and Xvfb are not installed")
def test_a_real_desktop_gets_the_report(tree: Path) -> None:
    read_end, write_end = os.pipe()
    with subprocess.Popen(
        ["Xvfb", "-displayfd", str(write_end)], pass_fds=[write_end], stderr=subprocess.DEVNULL
    ) as screen:
        os.close(write_end)
        with open(read_end, encoding="ascii") as numbers:
            env = environment(
                DISPLAY=f":{numbers.readline().strip()}", WAYLAND_DISPLAY="", SSH_CONNECTION="", SSH_TTY=""
            )
        assert run_program(tree, ADD, env).returncode == 0
        shown = subprocess.run(["xclip", "-out", "-selection", "clipboard"], env=env, capture_output=True, check=True)
        screen.terminate()
    assert shown.stdout.startswith(b"Applied")


def test_a_tool_that_fails_is_a_warning_and_the_change_is_made(tree: Path, tmp_path: Path) -> None:
    done = run_program(tree, ADD, with_tool(tmp_path, "exit 1"))
    assert done.returncode == 0 and b"could not fill the clipboard" in done.stdout and cart(tree) != CART


def test_without_a_report_the_clipboard_stays(tree: Path, tmp_path: Path) -> None:
    where = with_tool(tmp_path, f"cat > {tmp_path}/clip.new && mv {tmp_path}/clip.new {tmp_path}/clip")
    (tree / "a.md").write_text(ADD)
    code, _ = on_terminal(tree, ["a.md", "--copy"], [b"n\n"], 80, **where)
    assert code == 1 and not (tmp_path / "clip").exists()
    (tree / "a.md").write_text(WRONG)
    code, shown = on_terminal(tree, ["a.md", "--copy"], [b"n\n"], 80, **where)
    assert code == 1 and "is on the clipboard" in shown, "but that of a refusal goes there"
    assert (tmp_path / "clip").read_text().startswith("Refused")

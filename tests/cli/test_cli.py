"""The command line: its table, its help, its exit codes, and whole runs of the real program."""

from __future__ import annotations

import json
import os
import pty
import shutil
import signal
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from anypatch.cli import _HOMES, terminal
from anypatch.cli.completions import script
from anypatch.cli.options import COMMANDS, BadCall, Call, command_help, parse, program_help
from anypatch.problems import Refused
from support.program import anypatch, environment

PATCH = """\
description: "Say more"
language: python
operations:
  - path: src/a.py
    op: replace_text
    marker: |-
      return 1
    payload: |-
      value = 1
      return value
  - path: new.txt
    op: create_file
    payload: |-
      hello
  - path: old.txt
    op: delete_file
"""
BEFORE = {"src/a.py": b"def f():\n    return 1\n", "old.txt": b"old\n"}
AFTER = {"src/a.py": b"def f():\n    value = 1\n    return value\n", "new.txt": b"hello\n"}
MISSING = PATCH.replace("return 1", "return 3")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    tree = tmp_path / "tree"
    for path, data in BEFORE.items():
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        (tree / path).write_bytes(data)
    return tree


def contents(root: Path) -> dict[str, bytes]:
    files = (path for path in root.rglob("*") if path.is_file() and ".anypatch" not in path.parts)
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in files}


# ── reading arguments ────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("arguments", "call"),
    [
        (["apply"], Call("apply", None, {})),
        (["apply", "p.txt", "--root", "d"], Call("apply", "p.txt", {"root": "d"})),
        (["apply", "--root=d=e", "-"], Call("apply", "-", {"root": "d=e"})),
        (["apply", "-", "--stdin"], Call("apply", "-", {"stdin": ""})),
        (["apply", "--", "--json"], Call("apply", "--json", {})),
        (["apply", "--dry-ran", "--quite"], Call("apply", None, {"dry-run": "", "quiet": ""})),
        (["apply", "-q", "--dry-run"], Call("apply", None, {"dry-run": "", "quiet": ""})),
        (["--color", "never", "check", "p"], Call("check", "p", {"color": "never"})),
        (["log", "-n", "3"], Call("log", None, {"number": "3"})),
        (["log", "-n3"], Call("log", None, {"number": "3"})),
        (["log", "--number=3"], Call("log", None, {"number": "3"})),
        (["apply", "p", "q", "--help"], Call("help", "apply", {"help": ""})),
        (["-V"], Call("version", None, {"version": ""})),
        (["-h"], Call("help", None, {"help": ""})),
        ([], Call("usage", None, {})),
        (["completions", "fish"], Call("completions", "fish", {})),
    ],
)
def test_arguments_are_read(arguments: list[str], call: Call) -> None:
    assert parse(arguments) == call


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["aply"], "no command 'aply'; did you mean 'apply'"),
        (["apply", "--dry-rnu"], "did you mean '--dry-run'"),
        (["apply", "--qiuet"], "did you mean '--quiet'"),
        (["apply", "--over"], "did you mean '--overwrite'"),
        (["apply", "--zzz"], "apply has no option '--zzz'"),
        (["undo", "--format=x"], "undo has no option '--format'"),
        (["apply", "a", "b"], "there is also 'b'"),
        (["log", "a"], "log takes no argument"),
        (["apply", "--root"], "--root needs a value"),
        (["apply", "--root", "--json"], "--root needs a value"),
        (["apply", "--root="], "needs a value"),
        (["apply", "--json=yes"], "--json takes no value"),
        (["apply", "p", "--paste"], "a file and --paste can't be used together"),
        (["apply", "p", "--stdin"], "a file and --stdin can't be used together"),
        (["apply", "-", "--paste"], "--stdin and --paste can't be used together"),
        (["apply", "--overwrite", "--no-overwrite"], "can't be used together"),
        (["apply", "--color=pink"], "one of auto, always, never"),
        (["log", "-n", "many"], "whole number"),
        (["log", "-n", "9" * 5000], "whole number"),
        (["log", "-n", "0"], "whole number, at least 1"),
        (["apply", "--max-report-lines=x"], "--max-report-lines needs a whole number"),
        (["--json", "apply"], "--json goes after the command"),
        (["prompt"], "prompt needs FORMAT: see anypatch formats"),
        (["completions"], "completions needs SHELL: one of bash, zsh, fish"),
        (["completions", "tcsh"], "one of bash, zsh, fish"),
        (["-x", "apply"], "anypatch has no option '-x'"),
    ],
)
def test_what_cannot_be_understood_is_said(arguments: list[str], said: str) -> None:
    with pytest.raises(BadCall) as caught:
        parse(arguments)
    assert said in str(caught.value)


def test_only_what_is_near_is_suggested() -> None:
    with pytest.raises(BadCall) as caught:
        parse(["apply", "--completely-else"])
    assert "did you mean" not in str(caught.value)


def test_help_names_every_command_and_option() -> None:
    program = "\n".join(program_help())
    page = (Path(__file__).parent.parent.parent / "docs/commands.md").read_text()
    for command in COMMANDS:
        assert f"  {command.name} " in program
        assert f"## {command.name}\n" in page
        told = "\n".join(command_help(command))
        for option in command.options:
            assert all(name in told and name in page for name in option.names)
            assert not any(name in told for name in option.also)


def test_help_keeps_to_the_width() -> None:
    for width in (40, 60, 100):
        assert max(map(len, program_help(width)[2:-1])) <= width
        # But for lines that are to be copied.
        helps = [command_help(c._replace(more=()), width) for c in COMMANDS]
        assert all(len(line) <= width for told in helps for line in told[4:] if "/" not in line)


# ── terminals ────────────────────────────────────────────────────────────────────────────────────


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


def test_the_clipboard_is_read_by_the_first_tool_that_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for tool in ("wl-paste", "xsel", "xclip"):
        (tmp_path / tool).write_text("#!/bin/sh\nprintf 'from %s' \"$0\"\n")
        (tmp_path / tool).chmod(0o755)
    (tmp_path / "xclip").chmod(0o644)
    for name in ("WAYLAND_DISPLAY", "DISPLAY", "SSH_CONNECTION", "SSH_TTY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(Refused, match="no clipboard without a desktop"):
        terminal.paste()
    monkeypatch.setenv("SSH_CONNECTION", "1.2.3.4")
    with pytest.raises(Refused, match="there is no clipboard over ssh"):
        terminal.paste()
    monkeypatch.delenv("SSH_CONNECTION")
    monkeypatch.setenv("DISPLAY", ":0")
    with pytest.raises(Refused, match="no clipboard tool was found"):
        terminal.paste()
    monkeypatch.setenv("PATH", f"/nowhere{os.pathsep}{tmp_path}")
    assert terminal.paste() == b"from " + os.fsencode(tmp_path / "xsel")
    (tmp_path / "xsel").write_text("#!/bin/sh\necho broken >&2\nexit 1\n")
    with pytest.raises(Refused, match="broken"):
        terminal.paste()
    monkeypatch.setenv("SSH_TTY", "/dev/pts/1")
    with pytest.raises(Refused, match="over ssh"):
        terminal.paste()
    monkeypatch.setenv("WAYLAND_DISPLAY", "w")
    assert terminal.paste() == b"from " + os.fsencode(tmp_path / "wl-paste")


def test_every_command_has_its_function() -> None:
    homes = {name: module for module, names in _HOMES.items() for name in names.split()}
    assert homes.keys() == {command.name for command in COMMANDS} | {"version", "usage"}
    for name, module in homes.items():
        assert callable(getattr(import_module(f"anypatch.cli.{module}"), f"run_{name}"))


# ── completions ──────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completions_are_sound(shell: str, tmp_path: Path) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    path = tmp_path / "completion"
    path.write_text(script(shell))
    done = subprocess.run([shell, "-n", str(path)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completions_know_every_command_and_option(shell: str) -> None:
    made = script(shell)
    assert "chunk-v2" in made
    for command in COMMANDS:
        assert command.name in made
        for option in command.options:
            assert option.key in made


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["anypatch", "un"], ["undo"]),
        (["anypatch", "apply", "--dr"], ["--dry-run"]),
        (["anypatch", "apply", "--format", "chunk-"], ["chunk-v2"]),
        (["anypatch", "apply", "--format", "=", "chunk-"], ["chunk-v2"]),
        (["anypatch", "prompt", "chunk-"], ["chunk-v2"]),
        (["anypatch", "completions", "z"], ["zsh"]),
        (["anypatch", "apply", ""], []),
    ],
)
def test_bash_completes(words: list[str], expected: list[str], tmp_path: Path) -> None:
    path = tmp_path / "completion"
    path.write_text(script("bash"))
    typed = " ".join(f"'{word}'" for word in words)
    ask = f"source {path}; COMP_WORDS=({typed}); COMP_CWORD={len(words) - 1}; _anypatch"
    shown = "printf '%s\\n' \"${COMPREPLY[@]}\""
    done = subprocess.run(["bash", "-c", f"{ask}; {shown}"], capture_output=True, text=True, check=True)
    assert done.stdout.split() == expected


# ── whole runs that need no engine ───────────────────────────────────────────────────────────────


def test_the_start_is_light() -> None:
    heavy = ["json", "argparse", "dataclasses", "pathlib", "subprocess", "difflib", "tempfile", "hashlib", "ctypes"]
    ours = [f"anypatch.{name}" for name in ("report", "api", "diff", "model", "storage")]
    code = f"import sys, anypatch.cli; print([m for m in {heavy + ours} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True, check=False,
                          env=environment(PYTHONPATH=str(Path(__file__).parent.parent.parent / "src")))  # fmt: skip
    assert done.stdout == "[]\n", done.stderr


def test_version_and_help() -> None:
    from anypatch import __version__

    assert anypatch("--version").stdout.decode() == f"anypatch {__version__}\n"
    assert anypatch("--help").stdout.decode().split("\n")[0].startswith("usage: anypatch")
    assert anypatch("help", "apply").stdout == anypatch("apply", "-h").stdout
    main, side = pty.openpty()
    bare = subprocess.run([sys.executable, "-m", "anypatch"], stdin=side, capture_output=True, check=False)
    os.close(main)
    os.close(side)
    assert (bare.returncode, bare.stdout) == (2, b"")
    assert bare.stderr.startswith(b"usage: anypatch")


@pytest.mark.parametrize(
    "arguments",
    [
        ["aply"],
        ["apply", "--bogus"],
        ["apply", "a", "b"],
        ["help", "nothing"],
        ["apply", "no/such/file"],
        ["apply", "/"],
    ],
)
def test_a_bad_call_is_an_error_with_a_hint_and_exit_2(arguments: list[str]) -> None:
    done = anypatch(*arguments)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"error: ")
    assert done.stderr.count(b"\n") <= 2 and (done.stderr.count(b"\n") == 1 or b"\nhint: " in done.stderr)


def test_a_bad_call_after_json_is_json() -> None:
    for arguments in (["apply", "--json", "--bogus"], ["apply", "no/such/file", "--json"], ["--json"]):
        done = anypatch(*arguments)
        value = json.loads(done.stdout)
        assert (done.returncode, done.stderr, value["ok"]) == (2, b"", False)
        assert value["problems"][0]["kind"] in ("bad_call", "unreadable", "no_patch")


def test_undecodable_arguments_are_said_as_they_are() -> None:
    done = subprocess.run(
        [sys.executable.encode(), b"-m", b"anypatch", b"apply", b"no-\xff-file"], capture_output=True, check=False
    )
    assert done.returncode == 2
    assert done.stderr.startswith(b"error: the file ")


def test_no_clipboard_tool_is_a_sentence() -> None:
    done = anypatch("apply", "--paste", env=environment(PATH="/nowhere", DISPLAY=":0"))
    assert done.returncode == 2
    assert b"Install" in done.stderr


@pytest.mark.parametrize("way", ["-m anypatch", "-c 'from anypatch.cli import program; program()'"])
def test_closed_streams_are_no_crash(way: str) -> None:
    """The module and the console script begin and end differently."""
    for arguments, code in (("apply <&-", 2), ("--version >&-", 0), ("aply 2>&-", 2), ("aply <&- >&- 2>&-", 2)):
        line = f"{sys.executable} {way} {arguments}"
        done = subprocess.run(["sh", "-c", line], capture_output=True, check=False, env=environment())
        assert done.returncode == code
        assert b"Traceback" not in done.stderr


def test_a_reader_that_leaves_is_no_crash() -> None:
    line = f"{{ {sys.executable} -m anypatch --help; echo code $? >&2; }} | true"
    for _ in range(3):
        done = subprocess.run(["sh", "-c", line], capture_output=True, check=False, env=environment())
        assert done.stderr == b"code 0\n"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
def test_a_full_disk_is_told() -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "anypatch", "--version"], stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert done.returncode == 3
    assert done.stderr.startswith(b"anypatch: the report could not be written")


def test_interrupted_while_waiting_for_the_patch() -> None:
    """On a terminal it says that it waits: the sign to interrupt it."""
    main, side = pty.openpty()
    running = subprocess.Popen(
        [sys.executable, "-m", "anypatch", "apply"],
        stdin=side, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(),
    )  # fmt: skip
    assert running.stderr is not None
    assert b"Paste the answer" in running.stderr.readline()
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=60)
    os.close(main)
    os.close(side)
    assert (running.returncode, out) == (130, b"")
    assert err == b"anypatch: interrupted. Nothing was changed.\n"


# ── whole runs ───────────────────────────────────────────────────────────────────────────────────


def test_apply_then_undo(root: Path) -> None:
    done = anypatch("apply", "--root", str(root), stdin=PATCH)
    lines = done.stdout.decode().split("\n")
    assert (done.returncode, done.stderr) == (0, b"")
    assert contents(root) == AFTER
    assert lines[:4] == ["M src/a.py  +2 -1", "A new.txt   +1", "D old.txt   -1", "applied: 3 files, +3 -2"]
    assert lines[4] == f"undo: anypatch undo -C {root}"
    identity = anypatch("log", "--root", str(root)).stdout.decode().split()[0]
    undone = anypatch("undo", identity, "--root", str(root))
    assert (undone.returncode, undone.stderr) == (0, b"")
    assert undone.stdout.decode().split("\n")[-2] == "undone: 3 files, +2 -3"
    assert contents(root) == BEFORE
    again = anypatch("undo", "--root", str(root))
    assert again.returncode == 1
    assert again.stderr.startswith(b"error: there is nothing to undo\n")


def test_the_hint_to_undo_can_be_typed(root: Path) -> None:
    odd = root.rename(root.parent / "it's a tree")
    line = anypatch("apply", f"--root={odd}", stdin=PATCH).stdout.decode().split("\n")[-2]
    command = line.partition(": anypatch ")[2]
    subprocess.run(["sh", "-c", f"{sys.executable} -m anypatch {command}"], check=True, capture_output=True)
    assert contents(odd) == BEFORE


@pytest.mark.parametrize("arguments", [["check"], ["apply", "--dry-run"], ["apply", "--dry-ran"]])
def test_looking_first(root: Path, arguments: list[str]) -> None:
    done = anypatch(*arguments, "--root", str(root), stdin=PATCH)
    shown = done.stdout.decode()
    assert done.returncode == 0
    assert contents(root) == BEFORE
    assert "--- a/src/a.py\n+++ b/src/a.py\n@@ -1,2 +1,3 @@\n def f():\n-    return 1\n+    value = 1\n" in shown
    assert "--- /dev/null\n+++ b/new.txt\n" in shown
    assert "nothing was written" in shown
    assert "\x1b" not in shown


def test_a_refusal_goes_to_standard_error_and_is_true(root: Path) -> None:
    for command, quiet in (("apply", []), ("check", []), ("apply", ["--quiet"])):
        done = anypatch(command, "--root", str(root), *quiet, stdin=MISSING)
        told = done.stderr.decode()
        assert (done.returncode, done.stdout) == (1, b"")
        assert told.startswith("error: ") and "src/a.py" in told
        assert told.splitlines()[-1].startswith("refused, nothing was changed")
        assert contents(root) == BEFORE


def test_the_report_for_a_model_is_the_result(root: Path) -> None:
    where = ["--root", str(root), "--for-model"]
    missing = PATCH.replace("      return 1", "      def f():\n          return 3")
    refused = anypatch("apply", *where, stdin=missing)
    lines = refused.stdout.decode().split("\n")
    assert (refused.returncode, refused.stderr) == (1, b"")
    assert lines[0] == "Refused, nothing was changed."
    assert lines[1].startswith("Edits 2, 3 fit")
    assert lines[2].startswith("1. not_found: ")
    assert " > 2 |     return 1" in lines
    short = anypatch("apply", *where, "--max-report-lines", "3", stdin=missing)
    assert short.stdout.count(b"\n") == 3
    value = json.loads(anypatch("check", *where, "--json", stdin=missing).stdout)
    assert value["for_model"] == refused.stdout.decode().rstrip("\n")
    assert value["problems"][0]["difference"] == {"line": 2, "file": "    return 1", "patch": "    return 3"}
    unread = anypatch("check", *where, stdin="no patch at all")
    assert (unread.returncode, unread.stderr) == (2, b"")
    assert unread.stdout.split(b"\n")[1].startswith(b"1. no_patch")
    assert anypatch("check", *where, stdin=PATCH).stdout.startswith(b"It fits; nothing was written.\n")
    assert contents(root) == BEFORE
    assert anypatch("apply", *where, stdin=PATCH).stdout.startswith(b"Applied; receipt ")


def test_people_can_bound_the_report(root: Path) -> None:
    refused = anypatch("apply", "--root", str(root), "--max-report-lines=2", stdin=MISSING)
    assert refused.stderr.count(b"\n") == 2
    assert refused.stderr.endswith(b"more lines left out\n")


def test_a_second_time_is_an_error_and_a_hint(root: Path) -> None:
    assert anypatch("apply", "--root", str(root), stdin=PATCH).returncode == 0
    done = anypatch("apply", "--root", str(root), stdin=PATCH)
    assert (done.returncode, done.stderr.count(b"\n")) == (1, 2)
    assert done.stderr.startswith(b"error: the patch has already been applied: receipt ")
    create = "operations:\n  - path: more.txt\n    op: append_text\n    payload: x\n"
    (root / "more.txt").write_text("y\n")
    for arguments in (["apply"], ["explain", "--again"], ["check", "--again"]):
        assert anypatch(*arguments, "--root", str(root), stdin=create).returncode == 0
    assert anypatch("explain", "--root", str(root), stdin=create).returncode == 1


def test_names_rewrite_no_terminal_even_through_a_pipe(root: Path) -> None:
    patch = 'operations:\n  - path: "e\\e[2Jx"\n    op: create_file\n    payload: x\n'
    done = anypatch("apply", "--root", str(root), stdin=patch)
    assert done.returncode == 1
    assert b"e\\x1b[2Jx" in done.stderr
    assert b"\x1b" not in done.stderr


def test_a_patch_in_utf_16(root: Path) -> None:
    for encoding in ("utf-16", "utf-16-be"):
        mark = b"\xfe\xff" if encoding == "utf-16-be" else b""
        assert anypatch("check", "--root", str(root), stdin=mark + PATCH.encode(encoding)).returncode == 0


def test_quiet_says_nothing(root: Path) -> None:
    done = anypatch("apply", "--quite", "--root", str(root), stdin=PATCH)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert contents(root) == AFTER
    done = anypatch("undo", "-q", "--root", str(root))
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_json_of_each_command(root: Path) -> None:
    where = ["--root", str(root), "--json"]
    checked = json.loads(anypatch("check", *where, stdin=PATCH).stdout)
    assert (checked["ok"], checked["dry_run"], checked["receipt"]) == (True, True, None)
    applied = json.loads(anypatch("apply", *where, stdin=PATCH).stdout)
    assert (applied["ok"], applied["dry_run"], applied["format"]) == (True, False, "chunk")
    assert applied["description"] == "Say more"
    assert {(c["path"], c["action"], c["added"], c["removed"]) for c in applied["changes"]} == {
        ("src/a.py", "update", 2, 1), ("new.txt", "create", 1, 0), ("old.txt", "delete", 0, 1),
    }  # fmt: skip
    first = applied["operations"][0]
    assert (first["path"], first["start"], first["end"], first["ok"]) == ("src/a.py", 2, 2, True)
    log = json.loads(anypatch("log", *where).stdout)
    assert [receipt["id"] for receipt in log["receipts"]] == [applied["receipt"]]
    undone = json.loads(anypatch("undo", *where).stdout)
    assert undone["ok"] is True
    refused = anypatch("apply", *where, stdin=MISSING)
    value = json.loads(refused.stdout)
    assert (refused.returncode, refused.stderr, value["ok"]) == (1, b"", False)
    assert [(p["kind"], p["path"]) for p in value["problems"]] == [("not_found", "src/a.py")]
    explained = json.loads(anypatch("explain", *where, stdin=PATCH).stdout)
    assert max(explained["scores"], key=explained["scores"].get) == "chunk"
    assert explained["parsed"][0]["path"] == "src/a.py"


def test_exit_codes_of_calls_that_cannot_work(root: Path, tmp_path: Path) -> None:
    patch = tmp_path / "patch.yaml"
    patch.write_text(PATCH)
    for arguments, kind in (
        (["apply", str(patch), "--root", str(tmp_path / "nowhere")], "bad_root"),
        (["apply", str(patch), "--root", str(patch)], "bad_root"),
        (["apply", str(patch), "--root", str(root), "--format", "chnk"], "unknown_format"),
        (["log", "--root", str(tmp_path / "nowhere")], "bad_root"),
        (["apply", "--root", str(root)], "no_patch"),
    ):
        told = anypatch(*arguments)
        assert (told.returncode, told.stdout, told.stderr.count(b"\n")) == (2, b"", 2)
        value = json.loads(anypatch(*arguments, "--json").stdout)
        assert [problem["kind"] for problem in value["problems"]] == [kind]
    assert contents(root) == BEFORE


def test_a_patch_that_cannot_be_read_is_exit_2(root: Path) -> None:
    done = anypatch("apply", "--root", str(root), stdin=PATCH.replace("op: delete_file", "op: explode"))
    assert done.returncode == 2
    assert b"\nrefused, nothing was changed" in done.stderr
    assert contents(root) == BEFORE


def test_overwriting_is_the_callers_choice(root: Path) -> None:
    (root / "new.txt").write_bytes(b"mine\n")
    refused = anypatch("apply", "--no-overwrite", "--json", "--root", str(root), stdin=PATCH)
    assert refused.returncode == 1
    assert [problem["kind"] for problem in json.loads(refused.stdout)["problems"]] == ["file_exists"]
    done = anypatch("apply", "--overwrite", "-v", "--root", str(root), stdin=PATCH)
    assert done.returncode == 0
    assert b"  overwritten, 1 line\n" in done.stdout


def test_a_part_is_not_taken_for_the_file(root: Path) -> None:
    old = "def f():\n    return 1\n\n\ndef g():\n    return 2\n"
    (root / "a.py").write_text(old)
    part = "a.py\n```python\nprint(10)\n```\n"
    assert anypatch("apply", "--root", str(root), stdin=part).returncode == 2
    whole = ("--format", "whole-file", "--root", str(root))
    refused = anypatch("apply", *whole, stdin=part)
    assert refused.returncode == 1 and (root / "a.py").read_text() == old
    assert b"would keep 1 of its 4 lines" in refused.stderr and b"--overwrite" in refused.stderr
    for command in ("convert", "invert"):
        said = (command, "--to", "unified", *whole)
        assert anypatch(*said, stdin=part).returncode == 1
        assert b"g():" in anypatch(*said, "--overwrite", stdin=part).stdout
    assert anypatch("apply", "--overwrite", *whole, stdin=part).returncode == 0
    assert (root / "a.py").read_text() == "print(10)\n"


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


def test_an_apply_stays_when_its_reader_leaves(root: Path, tmp_path: Path) -> None:
    patch = tmp_path / "patch.yaml"
    patch.write_text(PATCH)
    line = f"{{ {sys.executable} -m anypatch apply {patch} --root {root}; echo code $? >&2; }} | true"
    done = subprocess.run(["sh", "-c", line], capture_output=True, check=False, env=environment())
    assert done.stderr == b"code 0\n"
    assert contents(root) == AFTER


def test_odd_bytes_are_printed_as_they_are(root: Path) -> None:
    (root / "src/a.py").write_bytes(b"# caf\xe9\ndef f():\n    return 1\n")
    for name in ("C", "C.UTF-8"):
        done = anypatch("check", "--root", str(root), stdin=PATCH, env=environment(LC_ALL=name, PYTHONUTF8="0"))
        assert done.returncode == 0
        assert b" # caf\xe9\n" in done.stdout


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


def test_formats_and_their_prompts() -> None:
    listed = json.loads(anypatch("formats", "--json").stdout)["formats"]
    assert {"chunk", "chunk-v2"} <= {known["name"] for known in listed}
    plain = anypatch("formats").stdout.decode()
    for known in listed:
        assert known["name"] in plain
        assert len(anypatch("prompt", known["name"]).stdout) > 200
    unknown = anypatch("prompt", "chunkk")
    assert unknown.returncode == 2
    assert b"chunk" in unknown.stderr


def test_explain_names_the_rung(root: Path) -> None:
    done = anypatch("explain", "--root", str(root), stdin=PATCH)
    told = done.stdout.decode()
    assert done.returncode == 0
    for part in (
        "sniffed\n",
        "parsed as chunk, 3 edits\n",
        "located\n",
        "replaced line 2 with 2 lines (",
        "it fits\n",
    ):
        assert part in told
    failed = anypatch("explain", "--root", str(root), stdin=MISSING)
    assert (failed.returncode, failed.stderr) == (1, b"")
    assert b"not placed: not_found" in failed.stdout


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_bash_completes_receipts(root: Path, tmp_path: Path) -> None:
    receipts = []
    for number in (1, 2):
        patch = f"operations:\n  - path: f{number}\n    op: create_file\n    payload: x\n"
        receipts.append(json.loads(anypatch("apply", "--json", "--root", str(root), stdin=patch).stdout)["receipt"])
    anypatch("undo", receipts.pop(), "--root", str(root))
    program = tmp_path / "anypatch"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m anypatch "$@"\n')
    program.chmod(0o755)
    (tmp_path / "completion").write_text(script("bash"))
    ask = f"source {tmp_path}/completion; COMP_WORDS=({program} undo --root = {root} ''); COMP_CWORD=5; _anypatch"
    done = subprocess.run(
        ["bash", "-c", f'{ask}; echo "${{COMPREPLY[@]}}"'], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == receipts


ASKED = {
    "fish": ("-c", "source {}; complete -C 'anypatch undo 2'"),
    "zsh": (
        "-fc",
        "compdef() {{ }}; typeset -A opt_args; compadd() {{ print -l -- $known }}; source {}; _anypatch_receipts",
    ),
}


@pytest.mark.parametrize("shell", ASKED)
def test_other_shells_complete_receipts(root: Path, tmp_path: Path, shell: str) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    id = json.loads(anypatch("apply", "--json", "--root", str(root), stdin=PATCH).stdout)["receipt"]
    (tmp_path / "anypatch").write_text(f'#!/bin/sh\nexec {sys.executable} -m anypatch "$@"\n')
    (tmp_path / "anypatch").chmod(0o755)
    (tmp_path / "completion").write_text(script(shell))
    option, ask = ASKED[shell]
    where = environment(PATH=f"{tmp_path}{os.pathsep}{os.environ['PATH']}", HOME=str(tmp_path))
    command = [shell, option, ask.format(tmp_path / "completion")]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=root, env=where)
    assert done.stdout.split() == [id]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completions_offer_the_formats(shell: str) -> None:
    assert b"chunk-v2" in anypatch("completions", shell).stdout


def test_log_is_newest_first_and_bounded(root: Path) -> None:
    empty = anypatch("log", "--root", str(root))
    assert (empty.returncode, empty.stdout, empty.stderr) == (0, b"", b"anypatch: nothing has been applied here\n")
    receipts = []
    for number in (1, 2, 3):
        patch = f"operations:\n  - path: f{number}\n    op: create_file\n    payload: x\n"
        receipts.append(json.loads(anypatch("apply", "--json", "--root", str(root), stdin=patch).stdout)["receipt"])
    lines = anypatch("log", "--root", str(root), "-n", "2").stdout.decode().split("\n")
    assert [line.split()[0] for line in lines[:-1]] == receipts[:0:-1]
    assert lines[0].endswith("  f3")  # without a description the files tell


# ── what was written, and what can be taken back ─────────────────────────────────────────────────


def test_without_a_key_no_undo_is_offered_and_the_receipt_is_named(root: Path) -> None:
    keyless = environment(XDG_STATE_HOME="/proc/nowhere")
    done = anypatch("apply", "--root", str(root), stdin=PATCH, env=keyless)
    assert done.returncode == 0 and contents(root) == AFTER
    assert b"undo: " not in done.stdout
    assert b"can't be undone: set XDG_STATE_HOME" in done.stdout
    undone = anypatch("undo", "--root", str(root), env=keyless)
    assert undone.returncode == 1 and contents(root) == AFTER
    assert b"not signed by this user's key" in undone.stderr
    id = json.loads(anypatch("log", "--root", str(root), "--json", env=keyless).stdout)["not_ours"][0]
    assert id.encode() in undone.stderr
    assert id.encode() in anypatch("undo", "--root", str(root), id[:12]).stderr
    listed = anypatch("log", "--root", str(root), env=keyless)
    assert b"nothing was applied" not in listed.stderr and id.encode() in listed.stderr
    again = PATCH.replace("value = 1", "value = 2").split("  - path: new.txt")[0].replace("return 1", "return value")
    told = anypatch("apply", "--root", str(root), "--for-model", stdin=again, env=keyless).stdout.decode()
    assert told.startswith("Applied.\n"), "the id of a receipt would be an offer to undo it"
    value = json.loads(anypatch("check", "--root", str(root), "--json", stdin=again, env=keyless).stdout)
    assert value["dry_run"] is True and value["receipt"] is None


def test_a_description_is_no_word_on_how_much_was_applied(root: Path) -> None:
    patch = PATCH.replace("Say more", "in part, the tax")
    assert anypatch("apply", "--root", str(root), stdin=patch).returncode == 0
    (receipt,) = json.loads(anypatch("log", "--root", str(root), "--json").stdout)["receipts"]
    assert (receipt["description"], receipt["partial"]) == ("in part, the tax", False)
    again = anypatch("apply", "--root", str(root), stdin=patch)
    assert again.returncode == 1 and b"is for this patch" in again.stderr and b"for a part" not in again.stderr

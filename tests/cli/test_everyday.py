"""The command as a person uses it: by a paste, from a subfolder, on a terminal that asks."""

from __future__ import annotations

import json
import os
import pty
import select
import subprocess
import sys
import time
from pathlib import Path

import pytest

from anypatch.cli.options import implied
from support.program import anypatch, environment

CART = (
    "class Cart:\n    def add(self, item):\n        self.items.append(item)\n\n    def count(self):\n        return 1\n"
)
ADD = "Sure:\n\nshop/cart.py\n```\n<<<<<<< SEARCH\n    def count(self):\n        return 1\n=======\n    def count(self):\n        return 2\n>>>>>>> REPLACE\n```\n"
TWO = ADD + "\nshop/tax.py\n```\n<<<<<<< SEARCH\n=======\nRATE = 0.19\n>>>>>>> REPLACE\n```\n"
WRONG = ADD.replace("        return 1\n", "        return 7\n")
DIFF = "--- a/shop/cart.py\n+++ b/shop/cart.py\n@@ -5,2 +5,2 @@\n     def count(self):\n-        return 1\n+        return 2\n"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "tree/shop").mkdir(parents=True)
    (tmp_path / "tree/.git").mkdir()
    (tmp_path / "tree/shop/cart.py").write_text(CART)
    return tmp_path / "tree"


def cart(tree: Path) -> str:
    return (tree / "shop/cart.py").read_text()


# ── what goes without saying ─────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("arguments", "piped", "meant"),
    [
        ([], True, ["apply"]),
        ([], False, []),
        (["answer.md"], False, ["apply", "answer.md"]),
        (["-"], True, ["apply", "-"]),
        (["--paste"], False, ["apply", "--paste"]),
        (["-n", "a.md"], False, ["apply", "-n", "a.md"]),
        (["--format=diff"], True, ["apply", "--format=diff"]),
        (["-C", "d", "undo"], False, ["undo", "-C", "d"]),
        (["-Cd", "a.md"], False, ["apply", "-Cd", "a.md"]),
        (["--root=d"], True, ["apply", "--root=d"]),
        (["undo"], True, ["undo"]),
        (["--version"], True, ["--version"]),
        (["aply"], False, ["aply"]),
        (["--color=never", "log"], True, ["--color=never", "log"]),
    ],
)
def test_the_command_that_goes_without_saying(arguments: list[str], piped: bool, meant: list[str]) -> None:
    assert implied(arguments, piped=piped) == meant


def test_an_answer_from_a_pipe_or_a_file_is_applied(tree: Path, tmp_path: Path) -> None:
    (tmp_path / "answer.md").write_text(TWO)
    done = anypatch(str(tmp_path / "answer.md"), cwd=tree)
    assert (done.returncode, done.stdout.decode().splitlines()) == (
        0, ["M shop/cart.py  +1 -1", "A shop/tax.py   +1", "applied: 2 files, +2 -1", "undo: anypatch undo"],
    )  # fmt: skip
    assert anypatch("undo", cwd=tree).returncode == 0 and cart(tree) == CART
    assert anypatch(cwd=tree, stdin=TWO).returncode == 0 and cart(tree) != CART


# ── where ────────────────────────────────────────────────────────────────────────────────────────


def test_the_root_is_found_upwards_and_paths_work_from_a_subfolder(tree: Path) -> None:
    done = anypatch("apply", cwd=tree / "shop", stdin=TWO)
    assert done.returncode == 0 and (tree / "shop/tax.py").exists(), done.stderr
    assert anypatch("undo", cwd=tree / "shop").returncode == 0
    short = TWO.replace("shop/", "")
    done = anypatch("apply", cwd=tree / "shop", stdin=short)
    assert done.returncode == 0 and "return 2" in cart(tree) and (tree / "shop/tax.py").exists(), "new ones beside it"
    assert not (tree / "shop/.anypatch").exists() and (tree / ".anypatch").is_dir()


def test_a_path_that_means_two_files_is_refused(tree: Path) -> None:
    (tree / "cart.py").write_text(CART)
    done = anypatch("apply", cwd=tree / "shop", stdin=ADD.replace("shop/", ""))
    assert done.returncode == 1 and b"at the root of the tree" in done.stderr and cart(tree) == CART
    explained = anypatch("explain", cwd=tree / "shop", stdin=ADD.replace("shop/", ""))
    assert explained.returncode == 1 and b"at the root of the tree" in explained.stdout, "as apply would have it"
    assert anypatch("apply", "-C", ".", cwd=tree / "shop", stdin=ADD.replace("shop/", "")).returncode == 0


def test_a_fence_without_a_name_belongs_to_the_file_given(tree: Path) -> None:
    fence = "```python\n    def count(self):\n        return 3\n```\n"
    shown = anypatch("apply", "--file", "cart.py", cwd=tree / "shop", stdin=fence)
    assert shown.returncode == 1 and b"--accept symbol" in shown.stderr and cart(tree) == CART
    done = anypatch("apply", "--file", "cart.py", "--accept", "symbol", cwd=tree / "shop", stdin=fence)
    assert done.returncode == 0 and "return 3" in cart(tree), done.stderr


@pytest.mark.parametrize(
    "edit",
    [
        "@@ -2,2 +2,2 @@\n     def count(self):\n-        return 1\n+        return 3\n",
        "3c3\n<         return 1\n---\n>         return 3\n",
        "So:\n\n```diff\n-        return 1\n+        return 3\n```\n",
        "<<<<<<< SEARCH\n        return 1\n=======\n        return 3\n>>>>>>> REPLACE\n",
        '{"old_string": "return 1", "new_string": "return 3"}',
    ],
)
def test_an_edit_without_a_name_is_of_the_file_given(tree: Path, edit: str) -> None:
    refused = anypatch("apply", cwd=tree / "shop", stdin=edit)
    assert refused.returncode == 2 and cart(tree) == CART
    done = anypatch("apply", "--file", "cart.py", cwd=tree / "shop", stdin=edit)
    assert done.returncode == 0 and "return 3" in cart(tree), done.stderr


# ── parts, corrections, the inverse ──────────────────────────────────────────────────────────────


def test_one_of_several_edits(tree: Path) -> None:
    done = anypatch("apply", "--only", "2", cwd=tree, stdin=TWO)
    assert done.returncode == 0 and cart(tree) == CART and (tree / "shop/tax.py").exists()
    refused = anypatch("apply", "--only", "3", cwd=tree, stdin=TWO)
    assert refused.returncode == 2 and b"the answer has 2 edits" in refused.stderr
    assert anypatch("apply", "--only", "two", cwd=tree, stdin=TWO).returncode == 2


def test_corrections_are_taken_where_they_are_asked_for(tree: Path) -> None:
    refused = anypatch("apply", cwd=tree, stdin=WRONG)
    told = refused.stderr.decode()
    assert (
        refused.returncode == 1
        and "--fix takes it" in told
        and "-        return 7" in told
        and "+        return 1" in told
    )
    assert cart(tree) == CART
    done = anypatch("apply", "--fix", cwd=tree, stdin=WRONG)
    assert done.returncode == 0 and cart(tree) == CART.replace("return 1", "return 2")
    nowhere = ADD.replace("def count", "def nothing_like_it").replace("return 1", "yield from elsewhere")
    assert anypatch("apply", "--fix", cwd=tree, stdin=nowhere).returncode == 1


@pytest.mark.parametrize("answer", [ADD, DIFF, TWO])
def test_the_inverse(tree: Path, answer: str) -> None:
    assert anypatch("apply", "-p1", cwd=tree, stdin=answer).returncode == 0
    done = anypatch("apply", "-R", cwd=tree, stdin=answer)
    assert done.returncode == 0, done.stderr
    assert cart(tree) == CART and not (tree / "shop/tax.py").exists()
    again = anypatch("apply", "-R", cwd=tree, stdin=answer)
    assert again.returncode == 1 or b"nothing to change" in again.stdout, "there is nothing to take back any more"


def test_what_does_not_say_what_stood_there_has_no_inverse(tree: Path) -> None:
    whole = f"shop/cart.py\n```python\n{CART}```\n"
    done = anypatch("apply", "-R", "--json", "--format", "whole-file", cwd=tree, stdin=whole)
    assert done.returncode == 1 and json.loads(done.stdout)["problems"][0]["kind"] == "cannot_say"


def test_diff_prints_the_diff_and_writes_nothing(tree: Path) -> None:
    done = anypatch("diff", cwd=tree, stdin=ADD)
    assert done.returncode == 0 and cart(tree) == CART
    assert done.stdout.decode().startswith("--- a/shop/cart.py\n+++ b/shop/cart.py\n@@ ")
    assert anypatch("apply", "--format", "diff", cwd=tree, stdin=done.stdout).returncode == 0


def test_show_tells_a_change_even_if_the_file_was_edited_since(tree: Path) -> None:
    none = anypatch("show", cwd=tree)
    assert none.returncode == 1 and none.stderr.startswith(b"error: there is nothing to show\n")
    id = json.loads(anypatch("apply", "--json", cwd=tree, stdin=TWO).stdout)["receipt"]
    (tree / "shop/cart.py").write_text(cart(tree) + "# mine\n")
    for arguments in (["show"], ["show", id[:18]]):
        shown = anypatch(*arguments, cwd=tree).stdout.decode()
        assert "-        return 1\n+        return 2\n" in shown and "mine" not in shown and "A shop/tax.py" in shown
    value = json.loads(anypatch("show", "--json", cwd=tree).stdout)
    assert value["id"] == id and "+RATE = 0.19" in value["diff"]
    assert anypatch("show", "nothing", cwd=tree).returncode == 1


def test_odd_words_of_a_diff_are_told_only_if_asked_for(tree: Path) -> None:
    wrong = DIFF.replace("-5,2 +5,2", "-5,9 +5,9")
    plain, told = (anypatch("check", *more, cwd=tree, stdin=wrong).stdout.decode() for more in ([], ["-v"]))
    assert "header" not in plain and "header" in told and "replaced line 6" in told


# ── on a terminal ────────────────────────────────────────────────────────────────────────────────


def on_terminal(tree: Path, arguments: list[str], keys: bytes, columns: int = 80) -> tuple[int, str]:
    """Run it on a terminal of its own; the keys are pressed once it waits for them."""
    import fcntl
    import struct
    import termios

    pid, main = pty.fork()
    if not pid:
        os.chdir(tree)
        os.environ.update(TERM="dumb", COLUMNS="")
        os.execv(sys.executable, [sys.executable, "-m", "anypatch", *arguments])
    fcntl.ioctl(main, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    shown, end = b"", time.monotonic() + 30
    while time.monotonic() < end:
        if not select.select([main], [], [], 0.2)[0]:
            continue
        try:
            part = os.read(main, 65536)
        except OSError:
            break
        if not part:
            break
        shown += part
        if keys and (b"[Y/n] " in shown or b"Ctrl-D" in shown):
            os.write(main, keys)
            keys = b""
    os.close(main)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), shown.decode().replace("\r\n", "\n")


@pytest.mark.parametrize(("keys", "code"), [(b"\n", 0), (b"y\n", 0), (b"n\n", 1), (b"\x03", 130), (b"\x04", 1)])
def test_a_terminal_is_shown_the_change_and_asked(tree: Path, tmp_path: Path, keys: bytes, code: int) -> None:
    (tmp_path / "a.md").write_text(ADD)
    done, shown = on_terminal(tree, [str(tmp_path / "a.md")], keys)
    assert done == code and "-        return 1\n+        return 2\n" in shown
    assert (cart(tree) != CART) == (code == 0)
    assert ("applied: 1 file, +1 -1\nundo: anypatch undo\n" in shown) == (code == 0)
    assert code == 0 or "othing was changed" in shown


def test_a_terminal_is_not_asked_with_yes_or_of_a_refusal(tree: Path, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(ADD)
    (tmp_path / "wrong.md").write_text(WRONG)
    assert on_terminal(tree, [str(tmp_path / "wrong.md")], b"")[0] == 1
    done, shown = on_terminal(tree, ["-y", str(tmp_path / "a.md")], b"")
    assert done == 0 and "[Y/n]" not in shown and cart(tree) != CART


def test_nothing_is_wider_than_the_terminal(tree: Path, tmp_path: Path) -> None:
    (tmp_path / "wrong.md").write_text(WRONG)
    _, shown = on_terminal(tree, ["check", str(tmp_path / "wrong.md")], b"", columns=40)
    words = [line for line in shown.split("\n") if not line.startswith("    ")]
    assert max(map(len, words)) <= 40, shown


def test_a_line_that_the_terminal_cut_is_no_answer(tree: Path) -> None:
    code, shown = on_terminal(tree, ["apply"], b"x" * 5000 + b"\n\x04")
    assert code == 2 and "cuts lines off at 4095" in " ".join(shown.split())


def test_the_report_for_the_model_goes_to_the_clipboard(tree: Path, tmp_path: Path) -> None:
    tool = tmp_path / "bin" / "xclip"
    tool.parent.mkdir()
    tool.write_text(f"#!/bin/sh\ncat > {tmp_path}/clip\n")
    tool.chmod(0o755)
    where = environment(PATH=f"{tool.parent}{os.pathsep}{os.environ['PATH']}", DISPLAY=":0", WAYLAND_DISPLAY="")
    done = anypatch("apply", "--copy", cwd=tree, stdin=WRONG, env=where)
    assert done.returncode == 1 and b"is on the clipboard" in done.stderr
    assert (tmp_path / "clip").read_text().startswith("Refused, nothing was changed.")


def test_what_was_shown_is_what_is_made(tree: Path) -> None:
    """Between the question and its answer somebody writes: nothing is made of what was shown."""
    (tree / "a.md").write_text(ADD)
    script = (
        "import sys, anypatch.cli.terminal as t\n"
        "t.can_ask = lambda: True\n"
        "def ask(question):\n"
        f"    open({str(tree / 'shop/cart.py')!r}, 'a').write('# later\\n')\n"
        "    return True\n"
        "t.ask = ask\n"
        "sys.argv = ['anypatch', 'apply', 'a.md']\n"
        "from anypatch.cli import main\nsys.exit(main())"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=tree, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "changed" in done.stderr and cart(tree) == CART + "# later\n", done.stderr


def test_only_and_reverse_are_about_edits_not_about_sketches(tree: Path) -> None:
    answer = f"{ADD}\nIn `shop/cart.py`:\n\n```python\n    def count(self):\n        return 3\n```\n"
    assert anypatch("apply", "-q", cwd=tree, stdin=answer).returncode == 1
    assert anypatch("apply", "-q", "--only", "1", cwd=tree, stdin=answer).returncode == 0
    assert "return 3" not in cart(tree) and cart(tree) != CART
    assert anypatch("apply", "-q", "-R", cwd=tree, stdin=answer).returncode == 0
    assert cart(tree) == CART

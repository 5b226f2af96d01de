"""The shims as a shell calls them: installed, on PATH, each in a process of its own."""

from __future__ import annotations

import os
import shlex
import subprocess
from pathlib import Path

import pytest

import anypatch
from support.program import anypatch_text, environment

CART = "class Cart:\n    def total(self):\n        amount = 0\n        return amount\n"
PATCH = "*** Begin Patch\n*** Update File: {}\n@@\n-        amount = 0\n+        amount = 1\n*** End Patch\n"


class Shell:
    """A shell in a repository, with the shims on PATH."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "repo"
        (self.root / ".git").mkdir(parents=True)
        (self.root / "shop").mkdir()
        (self.root / "shop" / "cart.py").write_text(CART)
        self.env = environment(
            PATH=f"{folder}/bin{os.pathsep}{os.environ['PATH']}", XDG_STATE_HOME=str(folder / "state")
        )
        assert anypatch_text("shims", "install", "--dir", str(folder / "bin"), env=self.env).returncode == 0

    @property
    def cart(self) -> str:
        return (self.root / "shop" / "cart.py").read_text()

    def run(self, command: str, cwd: str = ".") -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            ["sh", "-c", command], cwd=self.root / cwd, env=self.env, capture_output=True, text=True, check=False,
            timeout=60,
        )  # fmt: skip
        assert "Traceback" not in done.stderr
        return done

    def refused(self, command: str, cwd: str = ".") -> str:
        done = self.run(command, cwd)
        assert (done.returncode, done.stdout) == (1, ""), done
        return done.stderr

    def told(self, command: str, cwd: str = ".") -> str:
        done = self.run(command, cwd)
        assert (done.returncode, done.stderr) == (0, ""), done
        return done.stdout


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


# ── apply_patch ──────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", ["apply_patch", "applypatch"])
@pytest.mark.parametrize("how", ["{} <<'EOF'\n{}EOF\n", "{} {}", "printf %s {1} | {0}"])
def test_a_patch_comes_as_a_heredoc_an_argument_or_through_a_pipe(shell: Shell, name: str, how: str) -> None:
    text = PATCH.format("shop/cart.py")
    done = shell.told(how.format(name, text if "EOF" in how else shlex.quote(text)))
    assert done == "Success. Updated the following files: M shop/cart.py\n"
    assert shell.cart == CART.replace("= 0", "= 1")
    assert anypatch_text("undo", cwd=shell.root, env=shell.env).returncode == 0
    assert shell.cart == CART


def test_paths_are_those_of_the_current_folder(shell: Shell) -> None:
    (shell.root / "cart.py").write_text(CART)
    assert shell.told(f"apply_patch {shlex.quote(PATCH.format('cart.py'))}", "shop").endswith(": M shop/cart.py\n")
    assert (shell.root / "cart.py").read_text() == CART
    up = PATCH.format("../cart.py")
    assert shell.told(f"apply_patch {shlex.quote(up)}", "shop").endswith(": M cart.py\n")
    absolute = PATCH.format(shell.root / "shop" / "cart.py").replace("= 1", "= 2").replace("= 0", "= 1")
    assert shell.told(f"apply_patch {shlex.quote(absolute)}").endswith(": M shop/cart.py\n")
    assert not (shell.root / "shop" / ".anypatch").exists()


def test_what_does_not_fit_is_refused_with_the_reason(shell: Shell) -> None:
    lost = shell.refused(f"apply_patch {shlex.quote(PATCH.format('shop/cart.py').replace('= 0', '= 7'))}")
    assert lost.startswith("Refused, nothing was changed.\n1. not_found") and "amount = 0" in lost
    outside = shell.refused(f"apply_patch {shlex.quote(PATCH.format('../../out.py'))}")
    assert "unsafe_path" in outside
    assert shell.cart == CART and not anypatch.log(shell.root)


def test_a_warning_goes_to_standard_error(shell: Shell) -> None:
    done = shell.run(f"apply_patch {shlex.quote(PATCH.format('shop/cart.py').replace('= 1', '= (1'))}")
    assert done.returncode == 0 and done.stdout.count("\n") == 1 and "no longer does" in done.stderr


@pytest.mark.parametrize("call", ["apply_patch </dev/null", "apply_patch one two", "apply_patch ''"])
def test_a_wrong_call_says_how(shell: Shell, call: str) -> None:
    done = shell.run(call)
    assert done.returncode == 2 and done.stdout == "" and "PATCH" in done.stderr


# ── str_replace_editor ───────────────────────────────────────────────────────────────────────────


def test_every_command_of_the_editor(shell: Shell) -> None:
    path = shell.root / "shop" / "cart.py"
    editor = "str_replace_editor"
    shown = shell.told(f"{editor} view {path} --view_range 2 -1")
    assert shown.startswith(f"Here's the result of running `cat -n` on {path}:\n     2\t    def total(self):\n")
    assert shell.told(f"{editor} view {path} --view_range '[1, 2]'").count("\n") == 3
    assert shell.told(f"{editor} view .").endswith("\nshop/\nshop/cart.py\n")
    edited = shell.told(f"{editor} str_replace {path} --old_str 'amount = 0' --new_str 'amount = 1'")
    assert edited == f"The file {path} has been edited.\n" and shell.cart == CART.replace("= 0", "= 1")
    shell.told(f"{editor} insert shop/cart.py --insert_line 2 --new_str '        # - sum'")
    assert shell.cart.splitlines()[2] == "        # - sum"
    created = shell.told(f"{editor} create {shell.root}/new/tax.py --file_text 'VAT = 19\n'")
    assert created == f"File created successfully at: {shell.root}/new/tax.py\n"
    assert (shell.root / "new" / "tax.py").read_text() == "VAT = 19\n"
    for left in (CART.replace("= 0", "= 1"), CART):
        assert shell.told(f"{editor} undo_edit {path}") == f"Last edit to {path} undone successfully.\n"
        assert shell.cart == left
    assert "No edit history found" in shell.refused(f"{editor} undo_edit {path}")
    assert (shell.root / "new" / "tax.py").exists(), "another file's edit stays"


def test_command_and_path_may_be_options(shell: Shell) -> None:
    call = "str_replace_editor --command str_replace --path cart.py --old_str 'amount = 0' --new_str 'amount = 1'"
    assert shell.told(call, "shop") == "The file cart.py has been edited.\n"
    assert shell.cart == CART.replace("= 0", "= 1")


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        ("create shop/cart.py --file_text x", "file_exists"),
        ("str_replace shop/cart.py --old_str nowhere --new_str x", "not_found"),
        ("str_replace shop/cart.py --old_str amount --new_str x", "ambiguous"),
        ("view shop/none.py", "file_missing"),
        ("view /etc/passwd", "unsafe_path"),
        ("view shop/cart.py --view_range 3 99", "bad_call"),
    ],
)
def test_the_editor_refuses(shell: Shell, call: str, kind: str) -> None:
    assert f"1. {kind}" in shell.refused(f"str_replace_editor {call}")
    assert shell.cart == CART


@pytest.mark.parametrize("call", ["", "view", "delete shop/cart.py", "str_replace shop/cart.py", "view a b c"])
def test_a_wrong_call_of_the_editor_says_how(shell: Shell, call: str) -> None:
    done = shell.run(f"str_replace_editor {call}")
    assert done.returncode == 2 and done.stdout == "" and done.stderr


def test_nothing_is_imported_from_the_current_folder(shell: Shell) -> None:
    (shell.root / "argparse.py").write_text("raise SystemExit('imported')\n")
    assert "1\tclass Cart" in shell.told("str_replace_editor view shop/cart.py")

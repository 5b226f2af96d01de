"""The commands apply, check, diff and explain, as a person uses them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from support.program import anypatch
from support.trees import ADD, AFTER, BEFORE, CART, DIFF, MISSING, PATCH, TWO, WRONG, cart, contents, on_terminal


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
    assert undone.stdout.decode().split("\n")[-3] == "undone: 3 files, +2 -3"
    assert contents(root) == BEFORE
    again = anypatch("undo", "--root", str(root))
    assert again.returncode == 1
    assert again.stderr.startswith(b"error: there is nothing to undo\n")


@pytest.mark.parametrize("arguments", [["check"], ["apply", "--dry-run"]])
def test_looking_first(root: Path, arguments: list[str]) -> None:
    done = anypatch(*arguments, "--root", str(root), stdin=PATCH)
    shown = done.stdout.decode()
    assert done.returncode == 0
    assert contents(root) == BEFORE
    assert "--- a/src/a.py\n+++ b/src/a.py\n@@ -1,2 +1,3 @@\n def f():\n-    return 1\n+    value = 1\n" in shown
    assert "--- /dev/null\n+++ b/new.txt\n" in shown
    assert "nothing was written" in shown
    assert "\x1b" not in shown


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


def test_an_answer_from_a_pipe_or_a_file_is_applied(tree: Path, tmp_path: Path) -> None:
    (tmp_path / "answer.md").write_text(TWO)
    done = anypatch(str(tmp_path / "answer.md"), cwd=tree)
    assert (done.returncode, done.stdout.decode().splitlines()) == (
        0, ["M shop/cart.py  +1 -1", "A shop/tax.py   +1", "applied: 2 files, +2 -1", "undo: anypatch undo"],
    )  # fmt: skip
    assert anypatch("undo", cwd=tree).returncode == 0 and cart(tree) == CART
    assert anypatch(cwd=tree, stdin=TWO).returncode == 0 and cart(tree) != CART


def test_corrections_are_taken_where_they_are_asked_for(tree: Path) -> None:
    refused = anypatch("apply", cwd=tree, stdin=WRONG)
    told = refused.stderr.decode()
    assert (
        refused.returncode == 1
        and "--fix does that" in told
        and "-        return 7" in told
        and "+        return 1" in told
    )
    assert cart(tree) == CART
    done = anypatch("apply", "--fix", cwd=tree, stdin=WRONG)
    assert done.returncode == 0 and cart(tree) == CART.replace("return 1", "return 2")
    nowhere = ADD.replace("def count", "def nothing_like_it").replace("return 1", "yield from elsewhere")
    assert anypatch("apply", "--fix", cwd=tree, stdin=nowhere).returncode == 1


def test_diff_prints_the_diff_and_writes_nothing(tree: Path) -> None:
    done = anypatch("diff", cwd=tree, stdin=ADD)
    assert done.returncode == 0 and cart(tree) == CART
    assert done.stdout.decode().startswith("--- a/shop/cart.py\n+++ b/shop/cart.py\n@@ ")
    assert anypatch("apply", "--format", "diff", cwd=tree, stdin=done.stdout).returncode == 0


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
    (tmp_path / "wrong.md").write_text(ADD.replace("count", "nothing_like_it").replace("return 1", "yield elsewhere"))
    assert on_terminal(tree, [str(tmp_path / "wrong.md")], b"")[0] == 1
    done, shown = on_terminal(tree, ["-y", str(tmp_path / "a.md")], b"")
    assert done == 0 and "Apply this?" not in shown and cart(tree) != CART


def test_what_was_shown_is_what_is_made(tree: Path) -> None:
    """Between the question and its answer somebody writes: nothing is made of what was shown."""
    (tree / "a.md").write_text(ADD)
    script = (
        "import sys, anypatch.cli.terminal as t\n"
        "t.can_ask = lambda: True\n"
        "def reply(question):\n"
        f"    open({str(tree / 'shop/cart.py')!r}, 'a').write('# later\\n')\n"
        "    return 'y'\n"
        "t.reply = reply\n"
        "sys.argv = ['anypatch', 'apply', 'a.md']\n"
        "from anypatch.cli import main\nsys.exit(main())"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=tree, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "changed" in done.stderr and cart(tree) == CART + "# later\n", done.stderr


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


def test_check_as_json_has_every_hunk(tree: Path) -> None:
    done = anypatch("check", "--json", cwd=tree, stdin=ADD)
    value = json.loads(done.stdout)
    assert [hunk["id"] for file in value["review"]["files"] for hunk in file["hunks"]] == ["1.1"]
    assert "review" not in json.loads(anypatch("apply", "--json", cwd=tree, stdin=ADD).stdout)


ALTERNATIVES = "In `a.py`, either:\n\n```python\ndef f(x):\n    return x + 1\n```\n\nor:\n\n```python\ndef f(x):\n    return x + 2\n```\n"


def test_the_options_that_a_refusal_names_do_what_it_says(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import os\nimport sys\n\n\ndef f(x):\n    return x\n")
    refused = anypatch("apply", "-C", str(tmp_path), stdin=ALTERNATIVES)
    assert refused.returncode == 1 and b"--fix=N --accept symbol takes the one with that number" in refused.stderr
    taken = anypatch("apply", "-C", str(tmp_path), "--fix=2", "--accept", "symbol", stdin=ALTERNATIVES)
    assert taken.returncode == 0 and (tmp_path / "a.py").read_text().endswith("    return x + 2\n")
    other = "src/gone.py\n<<<<<<< SEARCH\nimport os\n=======\nimport re\n>>>>>>> REPLACE\n"
    missing = anypatch("apply", "-C", str(tmp_path), stdin=other)
    assert missing.returncode == 1 and b"--file src/gone.py=OTHER reads it as another file" in missing.stderr
    assert anypatch("apply", "-C", str(tmp_path), "--file", "src/gone.py=a.py", stdin=other).returncode == 0


# ── options that change the patch ──


def test_a_path_that_means_two_files_is_refused(tree: Path) -> None:
    (tree / "cart.py").write_text(CART)
    done = anypatch("apply", cwd=tree / "shop", stdin=ADD.replace("shop/", ""))
    assert done.returncode == 1 and b"at the root of the tree" in done.stderr and cart(tree) == CART
    explained = anypatch("explain", cwd=tree / "shop", stdin=ADD.replace("shop/", ""))
    assert explained.returncode == 1 and b"at the root of the tree" in explained.stdout, "as apply would have it"
    assert anypatch("apply", "-C", ".", cwd=tree / "shop", stdin=ADD.replace("shop/", "")).returncode == 0


def test_one_of_several_edits(tree: Path) -> None:
    done = anypatch("apply", "--only", "2", cwd=tree, stdin=TWO)
    assert done.returncode == 0 and cart(tree) == CART and (tree / "shop/tax.py").exists()
    refused = anypatch("apply", "--only", "3", cwd=tree, stdin=TWO)
    assert refused.returncode == 2 and b"the answer has 2 edits" in refused.stderr
    assert anypatch("apply", "--only", "two", cwd=tree, stdin=TWO).returncode == 2


@pytest.mark.parametrize("answer", [ADD, DIFF, TWO])
def test_the_inverse(tree: Path, answer: str) -> None:
    assert anypatch("apply", "-p1", cwd=tree, stdin=answer).returncode == 0
    done = anypatch("apply", "-R", cwd=tree, stdin=answer)
    assert done.returncode == 0, done.stderr
    assert cart(tree) == CART and not (tree / "shop/tax.py").exists()
    again = anypatch("apply", "-R", cwd=tree, stdin=answer)
    assert again.returncode == 1 or b"nothing to change" in again.stdout, "there is nothing left to undo"


def test_what_does_not_say_what_stood_there_has_no_inverse(tree: Path) -> None:
    whole = f"shop/cart.py\n```python\n{CART}```\n"
    done = anypatch("apply", "-R", "--json", "--format", "whole-file", cwd=tree, stdin=whole)
    assert done.returncode == 1 and json.loads(done.stdout)["problems"][0]["kind"] == "cannot_say"


OPTIONS = "shop/cart.py\n```python\n    def count(self):\n        return 5\n```\nor\n```python\n    def count(self):\n        return 6\n```\n"


@pytest.mark.parametrize("options", [["--only", "2"], ["--fix=2"]])
def test_one_of_two_versions(tree: Path, options: list[str]) -> None:
    refused = anypatch("apply", "--accept", "all", cwd=tree, stdin=OPTIONS)
    assert refused.returncode == 1 and b"  correction 2:\n" in refused.stderr
    done = anypatch("apply", "--accept", "all", *options, cwd=tree, stdin=OPTIONS)
    assert done.returncode == 0 and cart(tree) == CART.replace("return 1", "return 6"), done.stderr


def test_a_path_of_the_answer_is_read_as_another(tree: Path) -> None:
    answer = ADD.replace("shop/cart.py", "store/basket.py")
    assert anypatch("apply", cwd=tree, stdin=answer).returncode == 1
    done = anypatch("apply", "--file", "store/basket.py=shop/cart.py", cwd=tree, stdin=answer)
    assert done.returncode == 0 and cart(tree) != CART, done.stderr
    assert anypatch("apply", "--file", "=cart.py", cwd=tree, stdin=answer).returncode == 2


def test_a_similar_path_is_taken_by_its_number_or_by_name(tree: Path) -> None:
    """Never by --fix alone: nothing but its name speaks for it."""
    answer = "*** Begin Patch\n*** Delete File: store/cart.py\n*** End Patch\n"
    refused = anypatch("apply", cwd=tree, stdin=answer)
    assert refused.returncode == 1 and b"--file store/cart.py=shop/cart.py reads it as that." in refused.stderr
    assert anypatch("apply", "--fix", cwd=tree, stdin=answer).returncode == 1
    looked_at = json.loads(anypatch("check", "--json", cwd=tree, stdin=answer).stdout)["review"]["choices"]
    assert [(one["kind"], [option["path"] for option in one["options"]]) for one in looked_at] == [
        ("file", ["shop/cart.py"])
    ]
    assert anypatch("apply", "--fix=1", cwd=tree, stdin=answer).returncode == 0
    assert not (tree / "shop/cart.py").exists()


def test_a_fence_for_one_of_two_files_is_read_as_either(tree: Path) -> None:
    answer = f"cart.py\n```python\n{CART.replace('return 1', 'return 7')}```\n"
    assert anypatch("apply", "--accept", "all", cwd=tree, stdin=answer).returncode == 1
    done = anypatch("apply", "--accept", "all", "--file", "cart.py=shop/cart.py", cwd=tree, stdin=answer)
    assert done.returncode == 0 and cart(tree) == CART.replace("return 1", "return 7"), done.stderr


def test_only_and_reverse_are_about_edits_not_about_sketches(tree: Path) -> None:
    answer = f"{ADD}\nIn `shop/cart.py`:\n\n```python\n    def count(self):\n        return 3\n```\n"
    assert anypatch("apply", "-q", cwd=tree, stdin=answer).returncode == 1
    assert anypatch("apply", "-q", "--only", "1", cwd=tree, stdin=answer).returncode == 0
    assert "return 3" not in cart(tree) and cart(tree) != CART
    assert anypatch("apply", "-q", "-R", cwd=tree, stdin=answer).returncode == 0
    assert cart(tree) == CART

"""The commands log, show and undo."""

from __future__ import annotations

import json
from pathlib import Path

from support.program import anypatch, environment
from support.trees import AFTER, PATCH, TWO, cart, contents


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

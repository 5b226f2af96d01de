"""The commands log, show and undo."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import anypatch as patcher
from anypatch import Settings
from anypatch.cli import terminal
from support.program import anypatch, environment
from support.trees import AFTER, PATCH, TWO, cart, contents, on_terminal


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


SESSION, TURN = "ff4e7c26-e8b0-4b8b-9dc7-3a313dd4c136", "b17e9838-29d1-4fcc-aa9e-efeba04f939f"
LINES = "".join(f"line {number}\n" for number in range(9))


@pytest.fixture
def turns(tmp_path: Path) -> Path:
    """A tree with a change by a person, and two of one turn of an agent."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "f.txt").write_text(LINES)
    for number, settings in (
        (1, Settings()),
        (4, Settings(session=SESSION, turn=TURN)),
        (7, Settings(session=SESSION, turn=TURN)),
    ):
        edit = f"f.txt\n<<<<<<< SEARCH\nline {number}\n=======\nnew {number}\n>>>>>>> REPLACE\n"
        assert patcher.apply(edit, tmp_path, settings=settings).ok
    return tmp_path


def without_ids(text: str) -> list[str]:
    text = re.sub(r"\d{8}-\d{6}-[0-9a-f]{4}", "ID", text)
    return re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d", "TIME", text).split("\n")[:-1]


def test_log_shows_session_and_turn(turns: Path) -> None:
    whole = without_ids(anypatch("log", cwd=turns).stdout.decode())
    assert whole == ["ID  TIME  search-replace  1 file  …d4c136/…4f939f  f.txt"] * 2 + [
        "ID  TIME  search-replace  1 file  f.txt"
    ]
    code, shown = on_terminal(turns, ["log"], b"", columns=80)
    assert code == 0 and max(map(len, shown.split("\n"))) <= 80
    assert without_ids(shown)[:2] == ["ID  TIME  search-replace  1 file  …d4c136/…4f939f", "  f.txt"]
    code, shown = on_terminal(turns, ["log"], b"", columns=40)
    assert code == 0 and max(map(len, shown.split("\n"))) <= 40
    assert without_ids(shown)[:3] == ["ID  TIME", "  search-replace  1 file", "  …d4c136/…4f939f  f.txt"]
    value = json.loads(anypatch("log", "--json", cwd=turns).stdout)["receipts"]
    assert [(row["session"], row["turn"]) for row in value] == [(SESSION, TURN)] * 2 + [(None, None)]


@pytest.mark.parametrize("answer", ["y", "n"])
def test_a_turn_is_shown_then_undone_as_one(turns: Path, answer: str) -> None:
    code, shown = on_terminal(turns, ["undo", "--turn"], f"{answer}\n".encode())
    assert without_ids(shown)[:4] == ["ID  TIME  search-replace  1 file  …d4c136/…4f939f", "  f.txt"] * 2
    assert "-new 4\n+line 4\n" in shown and "Undo these 2 changes? [Y/n]" in shown
    if answer == "n":
        assert code == 1 and "nothing was changed" in shown and "new 7" in (turns / "f.txt").read_text()
        return
    assert code == 0 and shown.endswith("M f.txt  +2 -2\nundone: 2 changes, 1 file, +2 -2\nredo: anypatch redo\n")
    assert (turns / "f.txt").read_text() == LINES.replace("line 1", "new 1")
    listed = without_ids(anypatch("log", cwd=turns).stdout.decode())
    assert listed[0] == "ID  TIME  undo  1 file  of 2 changes: ID, ID"
    assert listed[1] == "ID  TIME  search-replace  1 file  (undone)  …d4c136/…4f939f  f.txt"
    redone = anypatch("redo", cwd=turns).stdout.decode()
    id = json.loads(anypatch("undo", "--all", "--json", "-n", cwd=turns).stdout)["receipt"]
    assert id is None and redone.startswith("M f.txt  +2 -2\nredone: 2 changes, 1 file, +2 -2\nundo: anypatch undo 2")
    assert anypatch(*redone.split("anypatch ")[1].split(), cwd=turns).returncode == 0
    assert (turns / "f.txt").read_text() == LINES.replace("line 1", "new 1")


def test_undo_of_all_by_a_script(turns: Path) -> None:
    first = json.loads(anypatch("log", "--json", cwd=turns).stdout)["receipts"][2]["id"]
    looked = anypatch("undo", "--since", first, "--dry-run", cwd=turns)
    assert (
        b"would change 1 file, +3 -3; nothing was written\n" in looked.stdout and "new" in (turns / "f.txt").read_text()
    )
    done = anypatch("undo", "--since", "5m", cwd=turns)
    assert done.stdout == b"M f.txt  +3 -3\nundone: 3 changes, 1 file, +3 -3\nredo: anypatch redo\n"
    none = anypatch("undo", "--all", cwd=turns)
    assert none.returncode == 1 and none.stderr.startswith(b"error: there is nothing to undo\n")
    assert anypatch("redo", cwd=turns).returncode == 0
    (turns / "f.txt").write_text(LINES)
    again = anypatch("undo", "--all", cwd=turns).stdout.decode().split("\n")
    assert again[:2] == [
        "note: f.txt: it was already as it was before",
        "undone: 3 changes, the files already are as before",
    ]


def test_undo_takes_one_choice(turns: Path) -> None:
    for arguments in (["--turn", "--all"], ["2026", "--turn"], ["--since", "2026", "--all"], ["2026", "--since", "1m"]):
        done = anypatch("undo", *arguments, cwd=turns)
        assert done.returncode == 2, arguments
    assert b"is neither an ID nor a time" in anypatch("undo", "--since", "nix", cwd=turns).stderr


def test_what_was_named_is_named_in_the_way_back(turns: Path) -> None:
    ids = [receipt["id"] for receipt in json.loads(anypatch("log", "--json", cwd=turns).stdout)["receipts"]]
    undone = anypatch("undo", ids[0], cwd=turns).stdout.decode()
    assert undone.endswith(f"\nredo: anypatch redo {ids[0]}\n")
    assert anypatch("redo", cwd=turns).stdout.decode().endswith("\nundo: anypatch undo\n")


def test_a_preview_that_is_no_longer_true_is_not_carried_out(turns: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def edit_meanwhile(question: str, *, default: bool) -> bool:
        (turns / "f.txt").write_text((turns / "f.txt").read_text() + "by hand\n")
        return True

    monkeypatch.setattr(terminal, "can_ask", lambda: True)
    monkeypatch.setattr(terminal, "ask", edit_meanwhile)
    done = anypatch("undo", "--all", cwd=turns)
    assert done.returncode == 1 and b"it has changed since the undo was shown" in done.stderr
    assert "new 7" in (turns / "f.txt").read_text()

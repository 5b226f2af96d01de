"""A person is shown what would change and asked, before anything is written."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from support.trees import ADD, CART, WRONG, cart, on_terminal

LONG = "".join(f"line {number}\n" for number in range(60))
THREE = "".join(
    f"a.txt\n<<<<<<< SEARCH\nline {number}\n=======\nLINE {number}\n>>>>>>> REPLACE\n\n" for number in (5, 25, 45)
)
NOWHERE = ADD.replace("count", "nothing_like_it").replace("return 1", "yield elsewhere")
OPTIONS = "shop/cart.py\n```python\n    def count(self):\n        return {}\n```\n"


@pytest.fixture
def long(tree: Path) -> Path:
    (tree / "a.txt").write_text(LONG)
    (tree / "three.md").write_text(THREE)
    return tree


def changed(tree: Path) -> list[int]:
    lines = (tree / "a.txt").read_text().split("\n")
    return [number for number in (5, 25, 45) if lines[number].isupper()]


@pytest.mark.parametrize(
    ("keys", "kept"),
    [
        ([b"y\n", b"n\n", b"y\n"], [5, 45]),
        ([b"a\n"], [5, 25, 45]),
        ([b"y\n", b"d\n"], [5]),
        ([b"n\n", b"q\n"], []),
        ([b"j\n", b"y\n", b"k\n", b"n\n", b"y\n"], [25, 45]),
        ([b"?\n", b"what\n", b"y\n", b"y\n", b"n\n"], [5, 25]),
    ],
)
def test_hunk_by_hunk(long: Path, keys: list[bytes], kept: list[int]) -> None:
    done, shown = on_terminal(long, ["three.md"], [b"s\n", *keys, b"y\n"])
    assert changed(long) == kept, shown
    assert done == (0 if kept else 1) and "(1/3) Keep this? [y,n,a,d,e,j,k,q,?]" in shown


def test_new_lines_are_edited(long: Path) -> None:
    editor = long / "editor.sh"
    editor.write_text('#!/bin/sh\nsed -i s/LINE/edited/ "$1"\n')
    editor.chmod(0o755)
    keys = [b"s\n", b"e\n", b"n\n", b"n\n", b"y\n"]
    done, shown = on_terminal(long, ["three.md"], keys, VISUAL="", EDITOR=str(editor))
    assert done == 0 and (long / "a.txt").read_text() == LONG.replace("line 5\n", "edited 5\n"), shown


def test_one_of_two_versions(tree: Path) -> None:
    (tree / "a.md").write_text(OPTIONS.format(5) + "or\n" + OPTIONS.format(6))
    done, shown = on_terminal(tree, ["a.md"], [b"s\n", b"2\n", b"y\n", b"y\n"])
    assert done == 0 and cart(tree) == CART.replace("return 1", "return 6"), shown
    assert "Which? [1,2, n for none of them]" in shown


def test_a_correction_is_offered(tree: Path) -> None:
    (tree / "a.md").write_text(WRONG)
    assert on_terminal(tree, ["a.md"], [b"\n"])[0] == 1
    done, shown = on_terminal(tree, ["a.md"], [b"s\n", b"1\n", b"y\n", b"y\n"])
    assert done == 0 and cart(tree) == CART.replace("return 1", "return 2"), shown


def test_an_edit_without_a_place_is_left_out(tree: Path) -> None:
    (tree / "a.md").write_text(f"{ADD}\n{NOWHERE}")
    done, shown = on_terminal(tree, ["a.md"], [b"s\n", b"y\n", b"y\n", b"y\n"])
    assert done == 0 and cart(tree) == CART.replace("return 1", "return 2"), shown


def test_a_proposal_is_not_the_default(tree: Path) -> None:
    (tree / "a.md").write_text(OPTIONS.format(5))
    done, shown = on_terminal(tree, ["a.md"], [b"\n"])
    assert done == 1 and cart(tree) == CART and "[y]es, [N]o" in shown
    assert on_terminal(tree, ["a.md"], [b"y\n"])[0] == 0 and cart(tree) != CART


@pytest.mark.parametrize(("options", "typed"), [(["--accept", "none"], [b"\n"]), ([], [b"s\n", b"n\n", b"y\n", b"\n"])])
def test_what_is_stated_is_the_default_without_the_proposals(
    tree: Path, options: list[str], typed: list[bytes]
) -> None:
    other = "shop/cart.py\n```python\n    def add(self, item):\n        self.items += [item]\n```\n"
    (tree / "a.md").write_text(f"{ADD}\n{other}")
    done, shown = on_terminal(tree, [*options, "a.md"], typed)
    assert done == 0 and cart(tree) == CART.replace("return 1", "return 2"), shown
    assert "[Y]es" in shown and ("1 proposal" in shown) == (not options), shown


@pytest.fixture
def pager(long: Path) -> str:
    script = long / "pager.sh"
    script.write_text(f"#!/bin/sh\necho PAGED; cat > {long}/seen\n")
    script.chmod(0o755)
    return str(script)


def test_a_long_diff_goes_through_the_pager(long: Path, pager: str) -> None:
    done, shown = on_terminal(long, ["three.md"], [b"y\n"], GIT_PAGER=pager, TERM="xterm")
    assert done == 0 and "PAGED" in shown and "LINE 45" in (long / "seen").read_text()
    assert "LINE 45" not in shown
    (long / "seen").unlink()
    done, shown = on_terminal(long, ["undo", "--all"], [b"n\n"], GIT_PAGER=pager, TERM="xterm")
    assert done == 1 and "+line 45" in (long / "seen").read_text()


def test_the_pager_is_that_of_git(long: Path, pager: str) -> None:
    """Not one that the tree configures, which may come from anywhere."""
    (long / "home").mkdir()
    (long / "home/.gitconfig").write_text(f"[core]\n\tpager = {pager} --side-by-side\n")
    home: Any = {"HOME": str(long / "home"), "XDG_CONFIG_HOME": "", "TERM": "xterm"}
    assert "PAGED" in on_terminal(long, ["three.md"], [b"n\n"], PAGER="false", **home)[1]
    subprocess.run(["git", "init", "-q"], cwd=long, check=True)
    subprocess.run(["git", "config", "core.pager", pager], cwd=long, check=True)
    (long / "home/.gitconfig").unlink()
    _, shown = on_terminal(long, ["three.md"], [b"n\n"], PAGER="cat", **home)
    assert "PAGED" not in shown and "LINE 45" in shown


def test_a_pager_that_fails_hides_nothing(long: Path) -> None:
    _, shown = on_terminal(long, ["three.md"], [b"n\n"], GIT_PAGER="exit 3", TERM="xterm")
    assert "+LINE 5" in shown and "+LINE 45" in shown


def test_a_hunk_has_the_header_of_a_diff(long: Path) -> None:
    _, shown = on_terminal(long, ["three.md"], [b"s\n", b"q\n", b"n\n"])
    assert "@@ -3,7 +3,7 @@\n line 2\n" in shown


@pytest.mark.parametrize("options", [[], ["--partial"]])
def test_enter_applies_only_what_fits_on_the_screen(long: Path, options: list[str]) -> None:
    lines = "".join(f"+line {number}\n" for number in range(60))
    (long / "many.md").write_text(f"*** Begin Patch\n*** Add File: many.txt\n{lines}*** End Patch\n")
    done, shown = on_terminal(long, ["apply", *options, "many.md"], [b"\n"], PAGER="cat")
    assert done == 1 and not (long / "many.txt").exists() and re.search(r"\[y\]es, \[N\]o|\[y/N\]", shown)
    assert "+line 59" in shown, "nothing is cut off"
    assert on_terminal(long, ["apply", *options, "many.md"], [b"y\n"], PAGER="cat")[0] == 0
    (long / "few.md").write_text("*** Begin Patch\n*** Add File: few.txt\n+line\n*** End Patch\n")
    assert on_terminal(long, ["apply", *options, "few.md"], [b"\n"], PAGER="cat")[0] == 0


@pytest.mark.parametrize("columns", [80, 40])
@pytest.mark.parametrize(
    ("answer", "keys"),
    [
        (THREE, [b"s\n", b"?\n", b"q\n"]),
        (OPTIONS.format(5) + "or\n" + OPTIONS.format(6), [b"s\n", b"n\n"]),
        (ADD + NOWHERE + NOWHERE.replace("shop/", "shelf/"), [b"?\n", b"s\n", b"1\n", b"n\n", b"n\n", b"y\n", b"n\n"]),
    ],
)
def test_nothing_is_wider_than_the_terminal(long: Path, columns: int, answer: str, keys: list[bytes]) -> None:
    (long / "a.md").write_text(answer)
    _, shown = on_terminal(long, ["a.md"], keys, columns=columns)
    assert max(map(len, shown.split("\n"))) <= columns, shown


def test_what_is_wrong_comes_between_the_summary_and_the_diff(tree: Path) -> None:
    """And before the question: the person isn't told that it was refused, and then asked."""
    (tree / "a.md").write_text(ADD + NOWHERE)
    done, shown = on_terminal(tree, ["a.md"], [b"n\n"])
    places = [shown.index(part) for part in ("1 file, 1 hunk", "error: the text", "+++ b/shop", "Decide?")]
    assert done == 1 and places == sorted(places) and "refused" not in shown, shown
    done, shown = on_terminal(tree, ["--partial", "a.md"], [b"n\n"])
    places = [shown.index(part) for part in ("M shop/cart.py", "error: the text", "+++ b/shop", "Apply this part?")]
    assert done == 1 and places == sorted(places), shown

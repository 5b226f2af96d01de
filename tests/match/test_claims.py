"""Claims of a patch about a place: a header, a neighbour, a symbol, the order of the hunks, the line number last."""

from __future__ import annotations

import pytest

from support.edits import block, call, changed, diff, refusal, update

CART = """class Cart:
    def total(self):
        return 0

    def count(self):
        return 0


class Basket:
    def total(self):
        return 0
"""


def edited(row: int) -> str:
    """Return the file with 7 for 0 at a line."""
    lines = CART.split("\n")
    lines[row - 1] = lines[row - 1].replace("0", "7")
    return "\n".join(lines)


OLD, NEW = "        return 0\n", "        return 7\n"


# ── headers ──────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("headers", "row"),
    [
        ("@@ def count(self):\n", 6),
        ("@@ class Basket:\n", 11),
        ("@@ class Cart:\n@@ def total(self):\n", 3),  # each inside the one before it
        ("@@ def count\n", 6),  # its beginning, up to the end of a word
        ("@@ def  count(self) :\n@@ def count(self):\n", 0),
    ],
)
def test_a_header_of_a_begin_patch_chooses(headers: str, row: int) -> None:
    patch = update(f"{headers}-{OLD}+{NEW}")
    if row:
        assert changed(patch, CART) == edited(row)
    else:
        assert refusal(patch, CART).kind == "not_found"


@pytest.mark.parametrize(
    ("header", "kind"),
    [
        ("@@ class Cart:\n", "ambiguous"),  # twice in its block
        ("@@ def total(self):\n", "ambiguous"),  # the header is there twice
        ("@@ def nowhere(self):\n", "not_found"),
        ("@@ def coun\n", "not_found"),  # a part of a word
        ("", "ambiguous"),
    ],
)
def test_a_header_that_leaves_several_places_or_none(header: str, kind: str) -> None:
    assert refusal(update(f"{header or '@@'}\n".replace("\n\n", "\n") + f"-{OLD}+{NEW}"), CART).kind == kind


def test_a_place_outside_of_its_header_must_be_the_only_one() -> None:
    one = "class A:\n    x = 1\n\n\nclass B:\n    y = 1\n"
    assert changed(update("@@ class A:\n-    y = 1\n+    y = 2\n"), one) == one.replace("y = 1", "y = 2")
    assert (
        refusal(update("@@ class A:\n-    y = 1\n+    y = 2\n"), one + "\n\nclass C:\n    y = 1\n").kind == "not_found"
    )
    sections = "[a]\nx = 1\n[b]\ny = 1\n"
    patch = update("@@ [a]\n-y = 1\n+y = 2\n", path="a.ini")
    assert refusal(patch, sections, "a.ini").kind == "not_found"  # never across sections


def test_a_heading_of_a_diff_only_chooses() -> None:
    patch = diff(f"@@ -90,1 +90,1 @@ def count(self):\n-{OLD}+{NEW}")
    assert changed(patch, CART) == edited(6)
    nowhere = diff("@@ -90,1 +90,1 @@ def nowhere():\n-class Basket:\n+class Bag:\n")
    assert changed(nowhere, CART) == CART.replace("Basket", "Bag")


# ── neighbours, ends of the file ─────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("before", "row"), [("def count(self):", 6), ("class Basket:\n      def total(self):", 11)])
def test_a_neighbour_of_a_chunk_must_be_there(before: str, row: int) -> None:
    patch = (
        "operations:\n  - path: a.py\n    op: replace_text\n    before: |-\n      "
        f"{before}\n    marker: return 0\n    payload: return 7\n"
    )
    assert changed(patch, CART) == edited(row)
    assert refusal(patch.replace(before.split("\n", maxsplit=1)[0], "def other():"), CART).kind == "not_found"


def test_the_end_of_the_file() -> None:
    before = "a\nend\nb\nend\n\n"
    patch = update("@@\n-end\n+done\n*** End of File\n", path="t")
    assert changed(patch, before, "t") == "a\nend\nb\ndone\n\n"
    assert refusal(patch, before + "more\n", "t").kind == "not_found"


# ── symbols that the answer names ────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("words", "row"),
    [
        ("Let `count` return 7.", 6),
        ("Change count() as follows.", 6),
        ("### `Basket.total`", 11),
        ("In `Basket`, `total` is wrong.", 11),
        ("`Basket::total` is wrong.", 11),
        ("Die Funktion `count` liefert 0.", 6),  # in any language
    ],
)
@pytest.mark.parametrize("edit", [block(OLD, NEW), diff(f"@@ @@\n-{OLD}+{NEW}"), call(OLD[:-1], NEW[:-1])])
def test_a_symbol_that_is_named_chooses(edit: str, words: str, row: int) -> None:
    assert changed(f"{words}\n\n{edit}", CART) == edited(row)


@pytest.mark.parametrize(
    "words",
    [
        "Return 7.",
        "The total is wrong.",  # no name, a word
        "`total` is wrong.",  # two of them
        "`Cart` is wrong.",
        "`Cart` and `Basket` are wrong.",
        "`nothing` is wrong.",
    ],
)
def test_names_that_tell_no_place(words: str) -> None:
    assert refusal(f"{words}\n\n{block(OLD, NEW)}", CART).kind == "ambiguous"


def test_a_name_moves_no_edit_that_has_one_place() -> None:
    edit = block("    def count(self):\n", "    def size(self):\n")
    assert changed(f"In `Basket`:\n\n{edit}", CART) == CART.replace("count", "size")


def test_words_beside_another_block_are_not_heard_if_the_nearer_ones_name_something() -> None:
    first = block("    def count(self):\n", '    def count(self):\n        """How many."""\n')
    answer = f"In `count`, add a docstring.\n\n{first}\nIn `Basket`, too. And in `Cart`.\n\n{block(OLD, NEW)}"
    assert refusal(answer, CART).kind == "ambiguous"


# ── order, equal hunks ───────────────────────────────────────────────────────────────────────────


def test_hunks_in_order_are_in_order_in_the_file() -> None:
    hunks = (
        "@@\n-    def count(self):\n+    def size(self):\n",
        f"@@\n-{OLD}+{NEW}",
        "@@\n-class Basket:\n+class Bag:\n",
    )
    assert changed(update(*hunks), CART) == edited(6).replace("count", "size").replace("Basket", "Bag")


def test_hunks_that_fit_in_no_order_are_placed_one_by_one() -> None:
    hunks = ("@@\n-class Basket:\n+class Bag:\n", "@@\n-class Cart:\n+class Trolley:\n")
    assert changed(update(*hunks), CART) == CART.replace("Basket", "Bag").replace("Cart", "Trolley")


def test_as_many_equal_hunks_as_places() -> None:
    hunk = f"@@\n-{OLD}+{NEW}"
    assert changed(update(hunk, hunk, hunk), CART) == CART.replace("0", "7")
    assert refusal(update(hunk, hunk), CART).kind == "ambiguous"


# ── line numbers ─────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("row", [3, 6, 11])
def test_a_line_number_chooses_between_equal_places(row: int) -> None:
    assert changed(diff(f"@@ -{row},1 +{row},1 @@\n-{OLD}+{NEW}"), CART) == edited(row)


def test_a_line_number_that_is_off_chooses_nothing() -> None:
    assert refusal(diff(f"@@ -5,1 +5,1 @@\n-{OLD}+{NEW}"), CART).kind == "ambiguous"


def test_a_line_number_is_off_by_as_much_as_those_before_it() -> None:
    hunks = ("@@ -1,1 +1,1 @@\n-    def count(self):\n+    def size(self):\n", f"@@ -2,1 +2,1 @@\n-{OLD}+{NEW}")
    assert changed(diff(*hunks), CART) == edited(6).replace("count", "size")  # 4 lines further down, both


def test_a_wrong_line_number_moves_no_edit_that_has_one_place() -> None:
    assert changed(diff("@@ -1,1 +1,1 @@\n-class Basket:\n+class Bag:\n"), CART) == CART.replace("Basket", "Bag")


def test_the_order_of_the_hunks_is_heard_before_their_numbers() -> None:
    """The first hunk is two lines further down, so the second one is, too: line 32, as with git and patch."""
    rows = {12: "five = 5", 40: "five = 5", 30: "value = 1", 32: "value = 1"}
    before = "".join(f"{rows.get(n, f'row {n}')}\n" for n in range(1, 61))
    hunks = ("@@ -10,1 +10,1 @@\n-five = 5\n+five = 6\n", "@@ -30,1 +30,1 @@\n-value = 1\n+value = 2\n")
    lines = before.split("\n")
    lines[11], lines[31] = "five = 6", "value = 2"
    assert changed(diff(*hunks, path="t"), before, "t") == "\n".join(lines)


# ── places that make no difference ───────────────────────────────────────────────────────────────


def test_places_that_give_the_same_text_are_one() -> None:
    assert changed(update("@@\n-x\n"), "a\nx\nx\nb\n") == "a\nx\nb\n"
    assert refusal(update("@@\n-x\n"), "a\nx\nb\nx\n").kind == "ambiguous"

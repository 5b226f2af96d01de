"""`path#Class/method` in every format, and `symbol:` in CHUNK: a hunk is looked for in that symbol only."""

from __future__ import annotations

import json

import pytest

import anypatch
from anypatch.api import format_given

CART = """class Cart:
    def add(self, item):
        amount = 0
        self.items.append(item)

    def total(self):
        amount = 0
        for item in self.items:
            amount += item
        return amount


def total(items):
    amount = 0
    return amount
"""
AFTER = CART.replace("        amount = 0\n        for", "        amount = 0.0\n        for")
PATCHES = {
    "begin-patch": "*** Begin Patch\n*** Update File: cart.py#Cart/total\n@@\n-        amount = 0\n+        amount = 0.0\n*** End Patch\n",
    "search-replace": "cart.py#Cart/total\n```\n<<<<<<< SEARCH\n        amount = 0\n=======\n        amount = 0.0\n>>>>>>> REPLACE\n```\n",
    "unified": "--- a/cart.py#Cart/total\n+++ b/cart.py#Cart/total\n@@ @@\n-        amount = 0\n+        amount = 0.0\n",
    "json-edits": json.dumps({"file_path": "cart.py#Cart/total", "old_string": "amount = 0", "new_string": "amount = 0.0"}),
    "chunk": "operations:\n  - path: cart.py\n    symbol: Cart/total\n    op: replace_text\n    marker: amount = 0\n    payload: amount = 0.0\n",
    "chunk-v2": "=== file: cart.py#Cart/total ===\n--- replace-text\n        amount = 0\n---\n        amount = 0.0\n=END=\n",
}  # fmt: skip


@pytest.mark.parametrize("format", list(PATCHES))
@pytest.mark.parametrize("eol", ["\n", "\r\n"])
def test_one_line_is_enough_inside_a_symbol(format: str, eol: str) -> None:
    result = anypatch.apply_to(PATCHES[format], {"cart.py": CART.replace("\n", eol)}, format=format_given(format))
    assert result.ok, result.problems
    assert result.files["cart.py"] == AFTER.replace("\n", eol)
    assert [s.start for outcome in result.plan.outcomes for s in outcome.splices] == [6]


def test_without_the_symbol_it_is_ambiguous() -> None:
    patch = PATCHES["begin-patch"].replace("#Cart/total", "")
    report = anypatch.apply_to(patch, {"cart.py": CART})
    assert [problem.kind for problem in report.problems] == ["ambiguous"]


def test_what_stands_outside_is_not_found_and_no_proof_of_an_earlier_run() -> None:
    patch = PATCHES["begin-patch"].replace(
        "-        amount = 0\n+        amount = 0.0", "-        self.items.append(item)\n+        pass"
    )
    report = anypatch.apply_to(patch, {"cart.py": CART})
    assert [problem.kind for problem in report.problems] == ["not_found"]
    assert "only in `Cart/total`" in report.problems[0].detail
    done = CART.replace("        amount = 0\n        self", "        amount = 0.0\n        self")
    result = anypatch.apply_to(PATCHES["begin-patch"], {"cart.py": done})
    assert result.files["cart.py"] == done.replace(
        "        amount = 0\n        for", "        amount = 0.0\n        for"
    )


@pytest.mark.parametrize(
    ("name", "kind"), [("Cart/totl", "symbol_not_found"), ("total", "ambiguous"), ("/total", ""), ("Cart.total", "")]
)
def test_the_name_is_resolved_like_any_other(name: str, kind: str) -> None:
    patch = PATCHES["json-edits"].replace("#Cart/total", f"#{name}")
    report = anypatch.apply_to(patch, {"cart.py": CART})
    assert [problem.kind for problem in report.problems] == ([kind] if kind else [])


def test_lines_of_a_refusal_are_those_of_the_file() -> None:
    patch = PATCHES["begin-patch"].replace("-        amount = 0\n", "-        for item in self.itemz:\n")
    problem = anypatch.apply_to(patch, {"cart.py": CART}).problems[0]
    shown = [line for near in problem.near for line in near.lines]
    assert shown
    first = problem.near[0].line - 1
    assert CART.split("\n")[first : first + len(problem.near[0].lines)] == list(problem.near[0].lines)


def test_a_whole_file_under_a_symbols_name_is_the_symbol() -> None:
    body = "    def add(self, item):\n        pass\n"
    result = anypatch.apply_to(f"cart.py#Cart/add\n```python\n{body}```\n", {"cart.py": CART}, format="whole-file")
    assert result.ok, result.problems
    assert result.files["cart.py"] == CART.replace(
        "        amount = 0\n        self.items.append(item)\n", "        pass\n"
    )


def test_a_file_with_that_sign_in_its_name_is_itself() -> None:
    patch = json.dumps({"file_path": "a.py#b", "old_string": "x = 1", "new_string": "x = 2"})
    result = anypatch.apply_to(patch, {"a.py#b": "x = 1\n", "a.py": "def b():\n    x = 1\n"})
    assert result.files == {"a.py#b": "x = 2\n", "a.py": "def b():\n    x = 1\n"}


def test_no_file_is_made_under_a_symbols_name() -> None:
    report = anypatch.apply_to("d/b.py#f\n```python\nx = 1\n```\n", {"a.py": "x\n"}, format="whole-file")
    assert [problem.kind for problem in report.problems] == ["file_missing"]
    patch = "operations:\n  - path: a.py\n    symbol: f\n    op: delete_file\n"
    report = anypatch.apply_to(patch, {"a.py": "x\n"}, format="chunk")
    assert [problem.kind for problem in report.problems] == ["bad_patch"]


def test_a_file_without_grammar_says_so() -> None:
    patch = json.dumps({"file_path": "a.txt#f", "old_string": "x = 1", "new_string": "x = 2"})
    report = anypatch.apply_to(patch, {"a.txt": "x = 1\n"})
    assert [problem.kind for problem in report.problems] == ["no_grammar"]


def test_two_edits_in_one_file_see_each_other() -> None:
    edits = [
        {"file_path": "cart.py#Cart/add", "old_string": "amount = 0", "new_string": "amount = 1\n        more = 2"},
        {"file_path": "cart.py#Cart/total", "old_string": "amount = 0", "new_string": "amount = 3"},
    ]
    result = anypatch.apply_to(json.dumps(edits), {"cart.py": CART})
    assert result.ok, result.problems
    after = CART.replace("amount = 0\n        self", "amount = 1\n        more = 2\n        self")
    assert result.files["cart.py"] == after.replace("amount = 0\n        for", "amount = 3\n        for")


# ── whole symbols ────────────────────────────────────────────────────────────────────────────────

SHOP = "import os\n\n\n# a cart\nclass Cart:\n    # adds\n    def add(self, item):\n        return self\n\n    def total(self):\n        return 0\n"


def whole(name: str, op: str, **more: object) -> str:
    return json.dumps({"relative_path": "s.py", "name_path": name, "op": op, **more})


@pytest.mark.parametrize("eol", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(
    ("patch", "old", "new"),
    [
        (whole("Cart/add", "replace", text="    def add(self):\n        pass\n"),
         "    def add(self, item):\n        return self\n", "    def add(self):\n        pass\n"),
        (whole("Cart/add", "replace", text=["    def add(self):", "        pass"]),
         "    def add(self, item):\n        return self\n", "    def add(self):\n        pass\n"),
        (whole("Cart/add", "delete"), "    def add(self, item):\n        return self\n", ""),
        (whole("Cart/add", "delete", with_lead=True), "    # adds\n    def add(self, item):\n        return self\n", ""),
        (whole("Cart/add", "insert_before", text=["    def x(self): pass", ""]),
         "    # adds\n", "    def x(self): pass\n\n    # adds\n"),
        (whole("Cart/total", "insert_after", text=["", "    def x(self): pass"]),
         "        return 0\n", "        return 0\n\n    def x(self): pass\n"),
        (whole("/Cart", "insert_before", text=["x = 1"]), "# a cart\n", "x = 1\n# a cart\n"),
    ],
)  # fmt: skip
def test_whole_symbols(patch: str, old: str, new: str, eol: str) -> None:
    if eol != "\n":
        said = json.loads(patch)
        if isinstance(said.get("text"), str):
            said["text"] = said["text"].replace("\n", eol)
        patch = json.dumps(said)
    result = anypatch.apply_to(patch, {"s.py": SHOP.replace("\n", eol)}, format="symbol-chunks")
    assert result.ok, result.problems
    assert result.files["s.py"] == SHOP.replace(old, new, 1).replace("\n", eol)


@pytest.mark.parametrize(
    ("patch", "kind"),
    [
        (whole("Cart/add", "replace"), "bad_patch"),
        (whole("Cart/add", "replace", text=""), "bad_patch"),
        (whole("Cart/add", "rename", text="x"), "bad_patch"),
        (whole("Cart/add", "replace", text="a\r\nb\r\n"), "line_ending"),
        (whole("Cart/add", "delete", expected_hash="sha256:00"), "stale"),
        (whole("Cart/ad", "delete"), "symbol_not_found"),
        ('{"relative_path": "s.py", "op": "delete", "line": 4}', "bad_patch"),
        ('{"relative_path": "s.py", "op": "delete", "line": -1, "column": 2}', "bad_patch"),
        ('{"relative_path": "s.py", "name_path": "Cart", "chunks": []}', "bad_patch"),
        ('{"relative_path": "s.py", "name_path": "Cart", "chunks": [1]}', "bad_patch"),
        ('{"relative_path": 1, "name_path": "Cart", "chunks": [1]}', "bad_patch"),
        ('{"relative_path": "s.py", "name_path": "Cart", "chunks": [{"context_before": 1', "truncated"),
        ('{"relative_path": "t.py", "name_path": "Cart", "op": "delete"}', "file_missing"),
        ('{"relative_path": "../s.py", "name_path": "Cart", "op": "delete"}', "unsafe_path"),
    ],
)  # fmt: skip
def test_whole_symbols_refused(patch: str, kind: str) -> None:
    result = anypatch.apply_to(patch, {"s.py": SHOP}, format="symbol-chunks")
    assert {problem.kind for problem in result.problems} == {kind}
    assert result.files == {"s.py": SHOP}


def test_a_symbol_that_shares_its_line_is_not_cut_out() -> None:
    text = "struct A { int x; int y; };\nint a, b;\n"
    for name in ("A/x", "a"):
        patch = json.dumps({"relative_path": "s.c", "name_path": name, "op": "delete"})
        report = anypatch.apply_to(patch, {"s.c": text})
        assert [problem.kind for problem in report.problems] == ["overlap"]
    chunk = {"context_before": [], "old_lines": ["int a, b;"], "new_lines": ["int a;"], "context_after": []}
    patch = json.dumps({"relative_path": "s.c", "name_path": "a", "chunks": [chunk]})
    assert [p.kind for p in anypatch.apply_to(patch, {"s.c": text}).problems] == ["overlap"]


def test_edits_of_one_file_are_placed_in_the_file_as_it_was() -> None:
    edits = [
        json.loads(whole("Cart/add", "replace", text="    def total(self): pass")),
        json.loads(whole("Cart/total", "delete")),
    ]
    result = anypatch.apply_to(json.dumps(edits), {"s.py": SHOP})
    assert result.files["s.py"].endswith("    # adds\n    def total(self): pass\n\n")
    edits = [json.loads(whole("Cart", "delete")), json.loads(whole("Cart/total", "delete"))]
    assert [p.kind for p in anypatch.apply_to(json.dumps(edits), {"s.py": SHOP}).problems] == ["overlap"]


def test_code_left_out_is_refused() -> None:
    patch = whole("Cart/add", "replace", text="    def add(self):\n        # ... rest unchanged ...\n")
    assert [p.kind for p in anypatch.apply_to(patch, {"s.py": SHOP}).problems] == ["elision"]


# ── chunks without context ───────────────────────────────────────────────────────────────────────


def bare(old: str, new: str, symbol: str = "Cart/total") -> str:
    chunk = {"context_before": [], "old_lines": [old], "new_lines": [new], "context_after": []}
    return json.dumps([{"relative_path": "cart.py", "name_path": symbol, "chunks": [chunk]}])


def test_a_line_that_is_there_once_needs_no_context() -> None:
    result = anypatch.apply_to(bare("        amount = 0", "        amount = 0.0"), {"cart.py": CART})
    assert result.files["cart.py"] == AFTER


@pytest.mark.parametrize(
    ("old", "symbol", "kind"),
    [
        ("        amount = 0", "Cart", "ambiguous"), ("        amount = 0 ", "Cart/total", "not_found"),
        ("amount = 0", "Cart/total", "not_found"), ("        self.items.append(item)", "Cart/total", "not_found"),
    ],
)  # fmt: skip
def test_without_context_it_must_be_exactly_one_line_of_the_symbol(old: str, symbol: str, kind: str) -> None:
    assert anypatch.apply_to(bare(old, "        pass", symbol), {"cart.py": CART}).kinds == (kind,)

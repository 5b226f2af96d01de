"""CHUNK's own rules: a marker's whole range gives way to the payload (`../shared/formats/chunk.md`)."""

from __future__ import annotations

import pytest

import anypatch
from support.edits import changed, chunk, refusal

CART = """class Cart:
    def total(self):
        rate = 1  # percent

        # Sum them up.
        return sum(self.items) * rate
"""


# ── what is looked past ──────────────────────────────────────────────────────────────────────────


TAKEN = {
    "indentation and blank lines": "rate = 1  # percent\n# Sum them up.\nreturn sum(self.items) * rate",
    "comments that the marker leaves out": "rate = 1\nreturn sum(self.items) * rate",
    "comments that only the marker has": "rate = 1  # new\n# Other.\nreturn sum(self.items) * rate",
}


@pytest.mark.parametrize("marker", TAKEN.values(), ids=TAKEN)
def test_taken(marker: str) -> None:
    assert changed(chunk(marker, "return 0"), CART) == "class Cart:\n    def total(self):\n        return 0\n"


@pytest.mark.parametrize("marker", ["rate=1", "Rate = 1", "rate = 1\nreturn sum(self.items)", "# Other.", "return"])
def test_not_taken(marker: str) -> None:
    assert refusal(chunk(marker, "return 0"), CART).kind == "not_found"


def test_a_docstring_is_looked_past_only_if_nothing_else_fits() -> None:
    before = 'def f():\n    """Do."""\n    g()\n'
    assert changed(chunk("def f():\n    g()", "def f():\n    h()"), before) == "def f():\n    h()\n"


def test_comments_count_without_a_language() -> None:
    patch = chunk("rate = 1\nreturn sum(self.items) * rate", "return 0").removeprefix("language: python\n")
    assert refusal(patch, CART).kind == "not_found"


def test_a_place_in_a_string_counts_only_if_it_is_the_only_one() -> None:
    quoted = 'TEXT = """\ngo()\n"""\n'
    assert changed(chunk("go()", "stop()"), f"{quoted}go()\n") == f"{quoted}stop()\n"
    assert changed(chunk("go()", "stop()"), quoted) == quoted.replace("go", "stop")


def test_of_several_places_the_one_with_the_very_comments_counts() -> None:
    before = "f()  # one\nf()  # two\n"
    assert changed(chunk("f()  # two", "g()"), before) == "f()  # one\ng()\n"
    assert refusal(chunk("f()", "g()"), before).kind == "ambiguous"


def test_white_space_breaks_no_tie() -> None:
    assert refusal(chunk("go()", "stop()"), "go()\nif x:\n    go()\n").kind == "ambiguous"


# ── the payload ──────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("op", "payload", "after"),
    [
        ("replace_text", "if x:\n    b()", "def f():\n    if x:\n        b()\n    c()\n"),
        ("insert_after_text", "b()", "def f():\n    a()\n    b()\n    c()\n"),
        ("insert_before_text", "b()", "def f():\n    b()\n    a()\n    c()\n"),
        ("delete_text", "", "def f():\n    c()\n"),
    ],
)
def test_it_is_indented_as_the_marker_is_in_the_file(op: str, payload: str, after: str) -> None:
    assert changed(chunk("a()", payload, op=op), "def f():\n    a()\n    c()\n") == after


def test_an_echo_of_the_marker_is_dropped() -> None:
    after = changed(chunk("a()", "a()\nb()", op="insert_after_text"), "a()\nc()\n")
    assert after == "a()\nb()\nc()\n"
    assert changed(chunk("a()", "a()", op="insert_after_text"), "a()\nc()\n") == "a()\na()\nc()\n"


def test_a_repeated_line_keeps_the_bytes_that_do_not_count() -> None:
    assert changed(chunk("a = 1\nb = 2", "a = 1\nb = 3"), "a = 1  \nb = 2\n") == "a = 1  \nb = 3\n"


def test_a_payload_is_typed_as_the_file_is_and_that_is_told() -> None:
    result = anypatch.apply_to(chunk("say(“hi”)", "say(“bye”)"), {"a.py": 'say("hi")\n'})
    assert result.files == {"a.py": 'say("bye")\n'}


def test_blank_lines_at_both_edges_are_the_files() -> None:
    patch = (
        "operations:\n  - path: a.txt\n    op: replace_text\n    marker: |-\n\n      b\n    payload: |-\n\n      x\n"
    )
    assert changed(patch, "a\n\nb\n", "a.txt") == "a\n\nx\n"


# ── blocks and comments of several lines ─────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("path", "op", "marker", "payload", "before", "after"),
    [
        ("a.py", "replace_py_block", "def f():", "def f():\n    return 2", "def f():\n    return 1\n\nx = 1\n", "def f():\n    return 2\n\nx = 1\n"),
        ("a.cpp", "replace_c_style_block", "int f() {", "int f() {\n  return 2;\n}", "int f() {\n  // }\n  return 1;\n}\nint x;\n",
         "int f() {\n  return 2;\n}\nint x;\n"),
        ("a.xml", "replace_xml_block", "<p>", "<p>\n  y\n</p>", "<r>\n  <p>\n    x\n  </p>\n</r>\n", "<r>\n  <p>\n    y\n  </p>\n</r>\n"),
    ],
)  # fmt: skip
def test_a_block_is_replaced_up_to_its_end(
    path: str, op: str, marker: str, payload: str, before: str, after: str
) -> None:
    assert changed(chunk(marker, payload, path, op), before, path) == after


def test_a_block_without_an_end_is_refused() -> None:
    patch = chunk("int f() {", "int f() {\n}", "a.cpp", "replace_c_style_block")
    assert refusal(patch, "int f() {\n  return 1;\n", "a.cpp").kind == "no_block"


def test_a_comment_is_never_torn() -> None:
    for marker in ("a();", "a(); /* one", "b();"):
        patch = chunk(marker, "c();", "a.cpp", language="c++")
        assert refusal(patch, "a(); /* one\n two */ b();\n", "a.cpp").kind == "torn"

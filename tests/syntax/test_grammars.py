"""Grammars: which packages are used, and texts that would take too long to parse."""

from __future__ import annotations

import json

import pytest

import anypatch
from anypatch.syntax import grammars
from anypatch.syntax.languages import grammar_of


def test_a_package_that_is_not_installed_is_no_grammar() -> None:
    assert grammars.parser_of("no_such_language_of_ours") is None
    assert grammars.package_of("c_sharp") == "tree-sitter-c-sharp"


@pytest.mark.parametrize(
    "path",
    [
        "a.py",
        "a.js",
        "a.ts",
        "a.tsx",
        "a.java",
        "a.c",
        "a.cpp",
        "a.go",
        "a.rs",
        "a.cs",
        "a.rb",
        "a.php",
        "a.html",
        "a.xml",
    ],
)
def test_grammars_that_are_installed_with_anypatch(path: str) -> None:
    assert grammars.parser_of(grammar_of(path)) is not None


def test_errors_are_listed_in_order() -> None:
    tree = grammars.parsed("java", b"class A { int f( { }\n int g() { return 1 } }\n")
    assert tree is not None
    errors = grammars.errors_in(tree.root_node)
    assert errors
    assert errors == sorted(errors, key=lambda node: node.start_byte)


@pytest.mark.parametrize(("grammar", "piece"), [("xml", b"a<"), ("go", b"("), ("javascript", b"[{")])
def test_a_text_that_would_take_too_long_is_not_parsed(grammar: str, piece: bytes) -> None:
    assert grammars.parsed(grammar, piece * 30_000) is None


def test_brackets_in_strings_are_not_open() -> None:
    """A test of what a terminal shows, as rich has them, had no functions to its name."""
    shown = "def f():\n    return '" + "\\x1b[1mbold\\x1b[0m" * 2_000 + "'\n"
    tree = grammars.parsed("python", shown.encode())
    assert tree is not None
    assert not tree.root_node.has_error


def test_a_file_of_comments_that_never_end_is_read() -> None:
    """Grammars look for the end of each: a few thousand would take minutes."""
    for path in ("a.c", "a.cpp", "a.go", "a.cs"):
        text = "int a;\n" + "/* " * 20_000
        patch = json.dumps({"file_path": path, "old_string": "int a;", "new_string": "int b;"})
        assert anypatch.apply_to(patch, {path: text}).ok
        anypatch.outline(text, path=path)

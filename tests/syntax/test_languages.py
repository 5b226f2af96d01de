"""Which language a file is in."""

from __future__ import annotations

import pytest

from anypatch.syntax.languages import comment_text, grammar_named, grammar_of, language_of


@pytest.mark.parametrize(
    ("path", "fallback", "name"),
    [
        ("a/b.h", "", "c++"),
        ("a.PY", "c++", "python"),
        ("a.md", "python", None),
        ("poetry.lock", "python", None),
        ("a.json", "c++", None),
        ("a.txt", "Python", "python"),
        ("Makefile", "CXX", None),
        ("a.yaml", "CXX", None),
        ("a.sh", "CXX", None),
        ("NOTES", "CXX", "c++"),
        ("a.unknown", "C#", "c#"),
        ("a.unknown", "klingon", None),
        ("a.unknown", "", None),
        ("dir.py/name", "", None),
        ("a.vue", "", "html"),
        ("a.svg", "", "xml"),
    ],
)
def test_language(path: str, fallback: str, name: str | None) -> None:
    language = language_of(path, fallback)
    assert (language.name if language else None) == name


@pytest.mark.parametrize(
    ("path", "grammar"), [("a.h", "cpp"), ("a/B.TSX", "tsx"), ("a.pyx", ""), ("a.vue", ""), ("a.txt", ""), ("py", "")]
)
def test_grammar_of_a_file(path: str, grammar: str) -> None:
    assert grammar_of(path) == grammar


@pytest.mark.parametrize(
    ("language", "grammar"), [("C++", "cpp"), ("C-Sharp", "c_sharp"), (" golang ", "go"), ("rs", "rust"), ("less", "")]
)
def test_grammar_by_name(language: str, grammar: str) -> None:
    assert grammar_named(language) == grammar


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("# a.py", "a.py"), ("  // a.ts", "a.ts"), ("/* a.c */", "a.c"), ("{/* a.tsx */}", "a.tsx"),
        ("<!-- a.html -->", "a.html"), ("-- a.sql", "a.sql"), ("/** the end **/", "the end"), ("#", ""),
        ("x = 1  # a.py", None), ("", None),
    ],
)  # fmt: skip
def test_what_a_comment_on_a_line_of_its_own_says(line: str, text: str | None) -> None:
    assert comment_text(line) == text

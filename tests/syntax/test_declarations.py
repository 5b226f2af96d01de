"""The declarations of texts in every language: names, kinds and lines; Python's own `ast` as a judge."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import anypatch
from anypatch.syntax.declarations import escape_name, file_header_end
from anypatch.syntax.symbols import split_index
from anypatch.text import hash_of
from support.damage import rows_of
from support.outlines import flat

# path, text, "name_path kind first-last" of every symbol
OUTLINES = [
    ("a.py", "@d\nclass A:\n    x: int = 1\n\n    @p\n    async def f(self):\n        y = 1\n\n        def g():\n            pass\n\n\nif B:\n    def h(): pass\nK = 2\n",
     "A class 2-11|A/x variable 4-4|A/f method 6-11|A/f/g function 10-11|h function 15-15|K variable 16-16"),
    ("a.ts", "@Dec()\nexport class A {\n  @x() f = 1;\n  @y()\n  k() {}\n  m(a: string): void;\n  m(a: any) { const z = 1; }\n}\nexport const g = () => {\n  const w = 1;\n};\ninterface I { p: string; q(): void }\nnamespace N { export enum E { X, Y } }\ntype T = string;\n",
     "A class 2-9|A/f field 4-4|A/k method 5-6|A/m[0] method 7-7|A/m[1] method 8-8|g function 10-12|I interface 13-13|I/p field 13-13|I/q method 13-13|N namespace 14-14|N/E enum 14-14|T type 15-15"),
    ("a.tsx", "export default function App() {\n  return <div>{x}</div>;\n}\n", "App function 2-4"),
    ("a.js", "class A {\n  #p = 1;\n  static s() {}\n}\nfoo(() => { const x = 1; });\nfunction* g() {}\n",
     "A class 2-5|A/#p field 3-3|A/s method 4-4|g function 7-7"),
    ("A.java", "@Ann\npublic class A<T> {\n  private int a = 1, b;\n  A() {}\n  @Override\n  public int of(int i) { return 1; }\n  enum E { F, G { void q() {} }; int c() { return 2; } }\n  record R(int a) { R { } }\n}\n",
     "A class 2-10|A/a field 4-4|A/b field 4-4|A/A constructor 5-5|A/of method 6-7|A/E enum 8-8|A/E/F member 8-8|A/E/G member 8-8|A/E/G/q method 8-8|A/E/c method 8-8|A/R record 9-9|A/R/R constructor 9-9"),
    ("a.c", "#define N 1\nstruct S { int x; };\ntypedef struct { int y; } T;\nint *f(void)\n{\n  int local;\n}\nint g(int);\nstatic int v, w;\n",
     "N macro 2-2|S struct 3-3|S/x field 3-3|T type 4-4|T/y field 4-4|f function 5-8|g function 9-9|v variable 10-10|w variable 10-10"),
    ("a.cpp", "namespace n::m {\ntemplate <class T>\nclass Box : B {\n public:\n  Box();\n  ~Box();\n  int w_, h_;\n  int f() const { return 1; }\n};\n}\nn::m::Box::~Box() {}\nbool operator==(const B& a, const B& b) { return 1; }\nB& B::operator/(int) { return *this; }\n",
     "n/m namespace 2-11|n/m/Box class 3-10|n/m/Box/Box method 6-6|n/m/Box/~Box[0] method 7-7|n/m/Box/w_ field 8-8|n/m/Box/h_ field 8-8|n/m/Box/f method 9-9|n/m/Box/~Box[1] method 12-12|operator== function 13-13|B/operator~1 method 14-14"),
    ("a.go", "package a\n\ntype Foo struct {\n\ta int\n}\n\nfunc (f *Foo) M() {}\n\nfunc g() {\n\tvar x int\n}\n\nconst C = 1\n",
     "Foo type 4-6|Foo/a field 5-5|Foo/M method 8-8|g function 10-12|C constant 14-14"),
    ("a.rs", "#[derive(Debug)]\npub struct A<T> { x: T }\n\nimpl<T> Tr for A<T> {\n    fn m(&self) {}\n}\n\nmod k { pub fn f() {} }\nenum E { V }\n",
     "A struct 2-3|A/x field 3-3|impl Tr for A<T> impl 5-7|A/m method 6-6|k module 9-9|k/f function 9-9|E enum 10-10|E/V member 10-10"),
    ("a.cs", "namespace N {\n[X]\nclass A {\n  int a;\n  int P { get; set; }\n  A() {}\n  ~A() {}\n  void M() { void L() {} }\n}\nenum E { X1 }\n}\n",
     "N namespace 2-12|N/A class 3-10|N/A/a field 5-5|N/A/P property 6-6|N/A/A constructor 7-7|N/A/~A constructor 8-8|N/A/M method 9-9|N/A/M/L function 9-9|N/E enum 11-11|N/E/X1 member 11-11"),
    ("a.rb", "module M\n  class A < B\n    X = 1\n    def f\n      y = 1\n    end\n    def self.g; end\n  end\nend\n",
     "M module 2-10|M/A class 3-9|M/A/X constant 4-4|M/A/f method 5-7|M/A/g method 8-8"),
    ("a.php", "<?php\n#[At]\nclass C {\n  public $a;\n  const K = 1;\n  function f() {}\n}\nenum E { case X; }\nfunction g() {}\n",
     "C class 3-8|C/$a field 5-5|C/K constant 6-6|C/f method 7-7|E enum 9-9|E/X member 9-9|g function 10-10"),
    ("a.html", '<div id="main">\n  <p>t</p>\n</div>\n', "div#main element 2-4|div#main/p element 3-3"),
    ("a.xml", "<a>\n  <b/>\n  <b>\n  </b>\n</a>\n", "a element 2-6|a/b[0] element 3-3|a/b[1] element 4-5"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "text", "wanted"), OUTLINES, ids=[row[0] for row in OUTLINES])
def test_outlines(path: str, text: str, wanted: str) -> None:
    """A BOM and other line endings change nothing."""
    text = "\n" + text
    for variant in (text, text.replace("\n", "\r\n"), "\ufeff" + text, text.replace("\n", "\r")):
        summary = [
            f"{s.name_path} {s.kind} {s.range.start.line + 1}-{s.range.end.line + 1}"
            for s in flat(anypatch.outline(variant, path=path))
        ]
        assert "|".join(summary) == wanted


@pytest.mark.parametrize(("path", "text", "wanted"), OUTLINES, ids=[row[0] for row in OUTLINES])
def test_every_symbol_is_found_by_its_path_and_by_its_position(path: str, text: str, wanted: str) -> None:
    lines = text.split("\n")
    for symbol in flat(anypatch.outline(text, path=path)):
        assert anypatch.find(text, path=path, name_path="/" + symbol.name_path) == symbol
        assert anypatch.find(text, path=path, at=symbol.name_pos) == symbol
        named = lines[symbol.name_pos.line][symbol.name_pos.column :]
        assert (
            symbol.kind in ("impl", "namespace")
            or named.startswith(symbol.name.split("#")[0].lstrip("~"))
            or "~" in symbol.name
        )
        body = "\n".join(lines[symbol.range.start.line : symbol.range.end.line + 1])
        assert anypatch.read(symbol) == (body, hash_of(body), "\n")


def test_agrees_with_ast_on_real_files() -> None:
    """Name, first and last line of every class and function of this package."""
    for file in sorted((Path(__file__).parent.parent.parent / "src").rglob("*.py")):
        text = file.read_text()
        ours = {
            (s.row + 1, s.name, s.first + 1, s.last + 1)
            for s in rows_of("a.py", text)
            if s.kind in ("class", "function", "method")
        }
        theirs = set()
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
                theirs.add((node.lineno, node.name, first, node.end_lineno))
        assert ours == theirs, file


@pytest.mark.parametrize("name", ["a/b", "~Box", "~0", "~1", "a~1/b~0", "operator/", "x"])
def test_escaped_names(name: str) -> None:
    assert split_index(escape_name(name))[0] == name
    assert "/" not in escape_name(name)


@pytest.mark.parametrize("text", ["<a\r/>", "<a>\r<b/>\r</a>", "<a><b\r/></a>"])
def test_a_carriage_return_in_a_file_of_one_line_ends_no_line(text: str) -> None:
    """Otherwise outlines of such a file have more rows than the file."""
    changed = anypatch.apply_to({"file_path": "a.svg", "old_string": "<a", "new_string": "<c"}, {"a.svg": text})
    assert changed.files == {"a.svg": text.replace("<a", "<c")}, changed.problems
    assert (
        anypatch.apply_to(
            f"a.svg\n```\n{text.replace('<a', '<c', 1)}\n```\n", {"a.svg": text}, format="whole-file"
        ).problems
        == ()
    )


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("#!/bin/sh\n# Adds.\nadd() {", 1),
        ("#!/usr/bin/python\n# -*- coding: utf-8 -*-\n# Adds.\ndef f():", 2),
        ("// Copyright X\n// All of it.\n\n// Adds.\nfunction f() {", 2),
        ("/*\n * SPDX-License-Identifier: MIT\n */\n/** Adds. */\nfunction f() {", 3),
        ("# Adds.\n# frozen_string_literal: true\n# Subtracts.\ndef f", 2),
        ("<?php\n// Adds.\nfunction f() {", 1),
        ("// Adds.\nfunction f() {}\n// Copyright X", 0),
        ("", 0),
    ],
)
def test_comments_that_belong_to_the_file(text: str, rows: int) -> None:
    assert file_header_end(text.split("\n")) == rows

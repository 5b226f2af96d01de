"""Outlines and single symbols for users of the library."""

from __future__ import annotations

import json

import pytest

import anypatch
from anypatch.syntax import grammars
from support.outlines import flat

TWO_CLASSES = """class A:
    def f(self): pass


class B:
    def g(self): pass


def h(): pass
"""


def test_depth_kinds_language_and_lead() -> None:
    assert [s.name for s in flat(anypatch.outline(TWO_CLASSES, path="a.py", depth=1))] == ["A", "B", "h"]
    assert [s.name for s in anypatch.outline(TWO_CLASSES, path="a.py", kinds={"method"})] == ["f", "g"]
    assert [s.name for s in anypatch.outline("int x;\n", language="C++")] == ["x"]
    text = "// far\n\n// one\n// two\nint f() { return 1; }\nint g; // not its own\nint h;\n"
    symbols = {s.name: s for s in anypatch.outline(text, path="a.cpp")}
    assert anypatch.read(symbols["f"], lead=True).text == "// one\n// two\nint f() { return 1; }"
    assert anypatch.read(symbols["f"]).text == "int f() { return 1; }"
    assert symbols["h"].lead is None
    assert symbols["f"].inner == ((4, 8), (4, 21))


def test_without_a_grammar() -> None:
    for given in ({"path": "a.txt"}, {"language": "klingon"}, {}):
        with pytest.raises(anypatch.PatchError) as caught:
            anypatch.outline("x", **given)  # type: ignore[arg-type]
        assert caught.value.problems[0].kind == "no_grammar"


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(grammars._parsers, "go", None)
    with pytest.raises(anypatch.PatchError) as caught:
        anypatch.outline("package a\n", path="a.go")
    assert "tree-sitter-go" in caught.value.problems[0].hint
    patch = json.dumps([{"relative_path": "a.go", "name_path": "f", "op": "delete"}])
    problem = anypatch.apply_to(patch, {"a.go": "package a\n"}).problems[0]
    assert (problem.kind, "tree-sitter-go" in problem.hint) == ("no_grammar", True)

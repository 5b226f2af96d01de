"""Find the declaration that a name path or a position refers to."""

from __future__ import annotations

import pytest

import anypatch
from anypatch.symbols import Pos

NAMES = """class A:
    def f(self): pass
    def f(self, x): pass
    class B:
        def f(self): pass


class B:
    def g(self): pass


def f(): pass
"""


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("A/f[0]", 2), ("A/f[1]", 3), ("A/B/f", 5), ("/f", 12), ("A.B.f", 5), ("A::B::f", 5), ("B/g", 9), ("g", 9),
        ("/B", 8), ("A/B", 4), ("/A/B/f", 5),
    ],
)  # fmt: skip
def test_name_paths(name: str, line: int) -> None:
    assert anypatch.find(NAMES, path="a.py", name_path=name).range.start.line + 1 == line


@pytest.mark.parametrize(
    ("name", "kind", "words"),
    [
        ("f", "ambiguous", "4 symbols"), ("A/f", "ambiguous", "A/f[0]"), ("B", "ambiguous", "2 symbols"),
        ("/g", "symbol_not_found", "B/g"), ("A/f[2]", "symbol_not_found", ""), ("ff", "symbol_not_found", ""),
        ("A/ff", "symbol_not_found", "A/f[0]"), ("C/f", "symbol_not_found", ""),
    ],
)  # fmt: skip
def test_names_of_no_symbol_or_several(name: str, kind: str, words: str) -> None:
    with pytest.raises(anypatch.PatchError) as caught:
        anypatch.find(NAMES, path="a.py", name_path=name)
    problem = caught.value.problems[0]
    assert problem.kind == kind
    assert words in problem.detail + problem.advice


def test_a_position_breaks_a_tie_and_must_be_exact() -> None:
    assert anypatch.find(NAMES, path="a.py", name_path="A/f", at=(2, 8)).name_path == "A/f[1]"
    text = "@d\nclass Äöü𝒳:\n    x = '😀'; y = 1\n"
    assert anypatch.find(text, path="a.py", at=(1, 6)).name == "Äöü𝒳"
    assert anypatch.find(text, path="a.py", at=(1, 10)).name == "Äöü𝒳"
    assert anypatch.find(text, path="a.py", at=(0, 0)).name == "Äöü𝒳"
    assert anypatch.find(text, path="a.py", name_path="y").name_pos == Pos(2, 14)  # 😀 counts as two
    for place in ((1, 5), (1, 11), (0, 1), (2, 0), (9, 9)):
        with pytest.raises(anypatch.PatchError) as caught:
            anypatch.find(text, path="a.py", at=place)
        assert caught.value.problems[0].kind == "symbol_not_found"

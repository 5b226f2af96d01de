"""What a splice may tear is told without reading the file only where a reading of it says the same."""

from __future__ import annotations

import random

import pytest

from anypatch.match.levels import Lexed
from anypatch.match.search import Page
from anypatch.match.splices import _is_whole, _leave_alike
from anypatch.model import Splice
from anypatch.syntax.languages import Language, language_of
from anypatch.text import Text

PIECES = {
    "a.py": ['"""', "'''", '"', "'", "#", "x", " ", 'f"{', "}", 'r"', "doc", '""'],
    "A.java": ["/*", "*/", "//", '"', "'", '"""', "x", " ", "*"],
    "a.go": ["/*", "*/", "//", '"', "`", "x", " "],
}


def lines(draw: random.Random, path: str, most: int) -> list[str]:
    sizes = [draw.choice([0, 1, 1, 2, 3, 4]) for _ in range(draw.randrange(most))]
    return ["".join(draw.choice(PIECES[path]) for _ in range(size)) for size in sizes]


@pytest.mark.parametrize("path", PIECES)
def test_what_is_told_from_the_lines_alone_is_what_the_file_tells(path: str) -> None:
    language = language_of(path)
    assert isinstance(language, Language)
    told = torn = 0
    for seed in range(4000):
        draw = random.Random(seed)
        above, old, new, below = (lines(draw, path, most) for most in (5, 4, 4, 3))
        page = Page(Text.read("".join(f"{line}\n" for line in (*above, *old, *below)).encode()), path)
        splice = Splice(len(above), len(above) + len(old), tuple(new), "exact")
        whole = _is_whole(Lexed(page.lines, language), language, splice)
        alike = _leave_alike(page, old, new, language)
        assert whole or not alike, (above, old, new)
        told, torn = told + alike, torn + (not whole)
    assert torn > 200
    assert told > 1000 or path == "a.go"  # a string in backquotes is not looked at

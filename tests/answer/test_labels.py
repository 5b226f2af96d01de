"""Paths as labels: what is one by its shape, and what isn't."""

from __future__ import annotations

import pytest

from anypatch.answer.labels import is_tag, looks_like_path, path_in, path_in_tag, path_in_title, path_line, path_on

ON_A_LINE = {
    "pkg/__init__.py": "pkg/__init__.py",
    "__main__.py:": "__main__.py",
    "**src/a.py**:": "src/a.py",
    "#### File 3: `a.py`": "a.py",
    "### 2. src/a.py": "src/a.py",
    "# src/a.py": "src/a.py",
    "<!-- src/a.html -->": "src/a.html",
    ".env": ".env",
    "Makefile": "Makefile",
    "app/[id]/page.tsx": "app/[id]/page.tsx",
    '<file path="a b.py">': "a b.py",
    "<path>a b</path>": "a b",
    "src/cart.py#Cart.total": "src/cart.py#Cart.total",
    "Datei：`src/a.py`": "src/a.py",
    "Run `scripts/a.sh` like this:": "",
    "Here you are:": "",
    "x = 1": "",
    "import foo.bar": "",
    "--- a/x.py": "",
    "`x`": "",
    "`npm run build`": "",
    "## License": "",
    "and so on": "",
    "*** Update File: a.py": "",
    "": "",
    "a" * 400 + ".py": "",
    "https://x.org/a.py": "",
}


@pytest.mark.parametrize("line", ON_A_LINE)
def test_a_path_alone_on_a_line(line: str) -> None:
    assert path_on(line) == ON_A_LINE[line]


def test_a_word_alone_may_be_a_file() -> None:
    word = path_line("pytest")
    assert word is not None and word.path == "pytest" and not word.sure
    assert path_line("Output:") is None and path_line("That's all.") is None


def test_a_path_in_an_info_string() -> None:
    paths = {
        "python": "", "py title=src/a.py": "src/a.py", "src/a.py": "src/a.py", "python:src/a.py": "src/a.py",
        'py filename="a.py"': "a.py", "12:15:src/a.py": "", "c++": "", '{.py title="b c.py"}': "b c.py", "js {1,3}": "",
    }  # fmt: skip
    assert {info: path_in_title(info) for info in paths} == paths


def test_a_path_in_a_tag() -> None:
    assert path_in_tag('<edit file="src/a.py">') == path_in_tag("<path>src/a.py</path>") == "src/a.py"
    assert path_in_tag("<b>src/a.py</b>") == ""
    assert is_tag("<diff>") and is_tag("</diff>") and not is_tag('<a href="x">') and not is_tag("<T> x")


def test_the_only_path_of_a_sentence() -> None:
    assert path_in("In `src/x.py`, do this.") == "src/x.py"
    assert path_in("change src/x.py and y.py") == path_in("nothing here") == ""


def test_shapes() -> None:
    assert all(map(looks_like_path, ("a.py", "src/cart", "dockerfile", "C\\a.cs")))
    assert not any(map(looks_like_path, ("total", "a b.py", "a//b.py", "f(x)", "src/a.py:4-5")))

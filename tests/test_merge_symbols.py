"""Imports and members side by side: merged by symbols, where lines can't be parted; or left a conflict."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anypatch.merge import merge
from anypatch.merge_symbols import merge_by_symbols


def merged(path: str, base: str, ours: str, theirs: str) -> str | None:
    sides = [text.split("\n") for text in (base, ours, theirs)]
    result = merge_by_symbols(path, *sides)
    return "\n".join(result.lines) if result else None


def conflicts(base: str, ours: str, theirs: str) -> bool:
    return bool(merge(base.split("\n"), ours.split("\n"), theirs.split("\n")).conflicts)


CLASS = "class Cart:\n    size = 1\n    name = 2\n\n    def a(self):\n        return 1\n\n    def b(self):\n        return 2\n"
NEW = "\n    def new(self):\n        return 3\n"
OTHER = "\n    def other(self):\n        return 4\n"


@pytest.mark.parametrize(
    ("path", "base", "ours", "theirs", "wanted"),
    [
        ("a.py", "import os\n", "import os\nimport sys\n", "import os\nimport re\n", "import os\nimport re\nimport sys\n"),
        ("a.py", "import os\n", "import os\nimport re\n", "import os\nimport re\nimport sys\n", "import os\nimport re\nimport sys\n"),
        ("a.py", "import os\nimport re\n", "import os\n", "import os\nimport re\nimport sys\n", "import os\nimport sys\n"),
        ("a.py", "from a import b\n", "from a import b\nfrom c import d\n", "from a import b, e\n", "from a import b, e\nfrom c import d\n"),
        ("a.py", CLASS, CLASS + NEW, CLASS + OTHER, CLASS + OTHER + NEW),
        ("a.py", CLASS, CLASS.replace("= 1", "= 10"), CLASS.replace("= 2", "= 20"), CLASS.replace("= 1", "= 10").replace("= 2", "= 20")),
        ("a.ts", "interface A {\n  a: x;\n  b: y;\n}\n", "interface A {\n  a: z;\n  b: y;\n}\n", "interface A {\n  a: x;\n  b: z;\n}\n", "interface A {\n  a: z;\n  b: z;\n}\n"),
        ("a.go", "package a\n\nfunc a() {\n}\n", "package a\n\nfunc a() {\n}\n\nfunc b() {\n}\n", "package a\n\nfunc a() {\n}\n\n// Does c.\nfunc c() {\n}\n", "package a\n\nfunc a() {\n}\n\n// Does c.\nfunc c() {\n}\n\nfunc b() {\n}\n"),
        ("a.c", "#include <a.h>\n\nint x;\n", "#include <a.h>\n#include <c.h>\n\nint x;\n", "#include <a.h>\n#include <b.h>\n\nint x;\n", "#include <a.h>\n#include <b.h>\n#include <c.h>\n\nint x;\n"),
    ],
)  # fmt: skip
def test_symbols_side_by_side(path: str, base: str, ours: str, theirs: str, wanted: str) -> None:
    assert merged(path, base, ours, theirs) == wanted
    assert conflicts(base, ours, theirs)


@pytest.mark.parametrize(
    ("path", "base", "ours", "theirs"),
    [
        ("a.py", CLASS, CLASS + NEW, CLASS + NEW.replace("3", "4")),  # one name, two bodies
        ("a.py", CLASS, CLASS.replace("return 1", "return 3"), CLASS.replace("return 1", "return 4")),
        ("a.py", "x\n", "x\nimport os\n", "x\nprint()\n"),  # other lines
        ("a.py", "", "from a import b\n", "from c import b\n"),  # both bind one name
        ("a.py", "", "import b as a\n", "a = 1\nimport a\n"),
        ("a.py", "import os\n", "import os\nimport re\n\nx = 1\n", "import re\nimport os\nimport sys\n"),  # re twice
        ("a.rs", "use a::b;\nfn f() {}\n", "fn f() {}\nuse a::b;\n", "use a::{b, c};\nfn f() {}\n"),  # moved and changed
        ("a.py", "from a import b\n", "from a import b, c\n", "from a import b, d\n"),  # one statement
        ("a.py", CLASS, CLASS + NEW, CLASS + OTHER.replace(")", "")),  # no grammar for it
        ("a.py", "import os\n", "", "import re\n"),  # deleted, or replaced?
        ("a.py", "import os\n\n\nx = 1\n", "import os\nimport re\n\nx = 1\n", "import os\nx = 1\n"),  # blank lines, too
        ("a.html", "", "<p>a</p>\n<p>b</p>\n", "<p>c</p>\n"),  # without names of their own
        ("a.py", "x = 1\n", "x = 1\ndef f(): pass\n", "def f(): pass\nx = 1\ny = 2\n"),  # f would be there twice
        ("a.txt", "import os\n", "import os\nimport sys\n", "import os\nimport re\n"),
        ("a.ts", "enum A {\n  a\n}\n", "enum A {\n  a,\n  b\n}\n", "enum A {\n  a,\n  c\n}\n"),  # a comma would be missing
        ("a.py", "import os\n\nx = 1\n", "import os\nx = 1\n", "import os\n\n\n\nx = 1\n"),  # blank lines
        ("a.py", "a = 1\nb = 2\n", "b = 2\na = 1\n", "a = 3\nb = 2\n\nc = 3\n"),  # moved
    ],
)  # fmt: skip
def test_what_stays_a_conflict(path: str, base: str, ours: str, theirs: str) -> None:
    assert merged(path, base, ours, theirs) is None
    assert conflicts(base, ours, theirs)


BODIES = st.dictionaries(st.sampled_from("abcdefgh"), st.integers(0, 2), max_size=6)
SHAPES = st.sampled_from(
    ["{name} = {body}\n", "def {name}():\n    return {body}\n", "def {name}():\n    return {body}\n\n\n"]
)


@settings(max_examples=200, deadline=None)
@given(shape=SHAPES, base=BODIES, ours=BODIES, theirs=BODIES)
def test_nothing_is_lost_or_doubled(
    shape: str, base: dict[str, int], ours: dict[str, int], theirs: dict[str, int]
) -> None:
    texts = [
        "".join(shape.format(name=name, body=side[name]) for name in sorted(side)) for side in (base, ours, theirs)
    ]
    result = merged("a.py", *texts)
    if result is None:
        return
    wanted = {}
    for name in {*base, *ours, *theirs}:
        old, mine, yours = base.get(name), ours.get(name), theirs.get(name)
        assert mine in (old, yours) or yours == old
        if (body := yours if mine == old else mine) is not None:
            wanted[name] = body
    found = [block for block in result.replace("def ", "§def ").split("§") if block.strip()]
    lines = found if "def" in shape else result.splitlines()
    assert sorted(line.strip() for line in lines) == sorted(
        shape.format(name=name, body=body).strip() for name, body in wanted.items()
    )

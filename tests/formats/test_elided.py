"""Files shown in part: what parses to what, how parts are merged, where merging is refused."""

from __future__ import annotations

import pytest

from anypatch.formats.elided.read import parse
from anypatch.model import Edit, Merge, Write
from anypatch.problems import Problem
from anypatch.propose import Unplaced, lay_overlay


def merge_of(body: str, path: str = "a.js") -> Merge:
    patch = parse(f"{path}\n````\n{body}````\n")
    assert not patch.problems, patch.problems
    (op,) = patch.ops
    assert isinstance(op, Edit)
    (merge,) = op.hunks
    assert isinstance(merge, Merge)
    return merge


def merged(before: str, body: str, path: str = "a.js") -> str | Problem:
    lines = before.split("\n")[:-1]
    try:
        found = lay_overlay(path, merge_of(body, path).shown, lines)
    except Unplaced as reason:
        return Problem("not_found", str(reason))
    for edit in reversed(found):
        lines[edit.start : edit.stop] = edit.lines
    return "".join(line + "\n" for line in lines)


def test_cut_at_the_marks() -> None:
    merge = merge_of("// ... existing code ...\na\n\n  // ... rest ...\n\n// ...\nb\n")
    assert merge.marks == (0, 3, 5)
    assert [merge.shown[start:end] for start, end in merge.parts] == [("a", ""), ("b",)]
    merge = merge_of("a\n  // ... existing code ...\n")
    assert (merge.marks, merge.parts) == ((1,), [(0, 1)])


def test_a_file_without_marks_is_whole() -> None:
    patch = parse("a.py\n```\nx\n# ... existing code ...\n```\nb.py\n```\ny\n```\n")
    assert [type(op) for op in patch.ops] == [Edit, Write]
    assert [p.kind for p in parse("a.py\n```\n# ... existing code ...\n```\n").problems] == ["bad_patch"]
    assert [p.kind for p in parse("a.py\n```\n# ... existing code ...\n").problems] == ["truncated"]


JS = """import a from "a";
import b from "b";

function one(x) {
  const y = x + 1;
  return y;
}

function two(x) {
  const z = x * 2;
  return z;
}

export { one, two };
"""
PY = """import os


class Shop:
    def price(self, item):
        net = item.net
        return net

    def total(self, items):
        return sum(map(self.price, items))


def main():
    print(Shop())
"""
BECOMES = {
    "lines between two anchors": (
        JS,
        "// ... existing code ...\n  const y = x + 1;\n  log(y);\n  return y;\n// ... existing code ...\n",
        JS.replace("  return y;", "  log(y);\n  return y;"),
    ),
    "a block rewritten up to its closing brace": (
        JS,
        "// ... existing code ...\nfunction two(x) {\n  return x << 1;\n}\n// ... existing code ...\n",
        JS.replace("  const z = x * 2;\n  return z;", "  return x << 1;"),
    ),
    "a line after its only anchor": (
        JS,
        'import a from "a";\nimport b from "b";\nimport c from "c";\n\n// ... existing code ...\n',
        JS.replace('from "b";\n', 'from "b";\nimport c from "c";\n'),
    ),
    "a function after another": (
        JS,
        "// ... existing code ...\nfunction one(x) {\n  const y = x + 1;\n  return y;\n}\n\n"
        "function three() {\n  go();\n}\n// ... existing code ...\n",
        JS.replace("  return y;\n}\n", "  return y;\n}\n\nfunction three() {\n  go();\n}\n"),
    ),
    "a line before its only anchor": (
        JS,
        "// ... existing code ...\nmark();\nexport { one, two };\n",
        JS.replace("export", "mark();\nexport"),
    ),
    "a line deleted between anchors": (
        JS,
        '// ...\nimport a from "a";\n\nfunction one(x) {\n// ...\n',
        JS.replace('import b from "b";\n', ""),
    ),
    "the last block": (
        JS.replace("\nexport { one, two };\n", ""),
        "// ...\nfunction two(x) {\n  return 1;\n}\n",
        JS.replace("\nexport { one, two };\n", "").replace("  const z = x * 2;\n  return z;", "  return 1;"),
    ),
    "the end of the file": (
        JS,
        "// ... existing code ...\nexport { one, two };\n\none(2);\n",
        JS + "\none(2);\n",
    ),
    "nothing new": (JS, "// ... existing code ...\nfunction one(x) {\n// ... existing code ...\n", JS),
    "a statement at the start of a block": (
        PY,
        "# ... existing code ...\n    def price(self, item):\n        check(item)\n        # ... existing code ...\n",
        PY.replace("item):\n", "item):\n        check(item)\n"),
    ),
    "a method between two others": (
        PY,
        "# ...\n        return net\n\n    def tax(self):\n        pass\n\n    def total(self, items):\n    # ...\n",
        PY.replace("return net\n\n", "return net\n\n    def tax(self):\n        pass\n\n"),
    ),
    "outdented": (
        PY,
        "# ...\ndef price(self, item):\n    net = item.net * 2\n    return net\n# ...\n",
        PY.replace("item.net", "item.net * 2"),
    ),
    "indented too far": (
        PY,
        "# ...\n    def main():\n        go()\n        print(Shop())\n",
        PY.replace("    print(", "    go()\n    print("),
    ),
    "several parts": (
        PY,
        "import os\nimport sys\n\n# ...\n        net = item.net\n        log(net)\n        return net\n# ...\n"
        "def main():\n    sys.exit()\n    print(Shop())\n",
        PY.replace("import os\n", "import os\nimport sys\n")
        .replace("item.net\n", "item.net\n        log(net)\n")
        .replace("    print(", "    sys.exit()\n    print("),
    ),
    "a bracket right above a line that occurs once": (
        JS,
        "// ...\n}\n\nfunction three() {\n  go();\n}\n\nfunction two(x) {\n  const z = x * 2;\n// ...\n",
        JS.replace("function two", "function three() {\n  go();\n}\n\nfunction two"),
    ),
    "an end that occurs twice, right below": (
        "a = 1\nrun()\nb = 2\nrun()\nc = 3\n",
        "// ...\na = 1\nx()\nrun()\n// ...\n",
        "a = 1\nx()\nrun()\nb = 2\nrun()\nc = 3\n",
    ),
    "the rest of a block": (
        JS,
        "// ...\n  const z = x * 2;\n  log(z);\n  return 2 * z;\n}\n// ...\n",
        JS.replace("  return z;", "  log(z);\n  return 2 * z;"),
    ),
    "the head of a loop": (
        "a()\nfor (const x of items) {\n  one(x);\n  two(x);\n  three(x);\n}\n",
        "// ...\na()\nfor (const x of sorted(items)) {\n  one(x);\n  two(x);\n// ...\n",
        "a()\nfor (const x of sorted(items)) {\n  one(x);\n  two(x);\n  three(x);\n}\n",
    ),
    "a block wrapped in another": (
        PY,
        "# ...\n    def price(self, item):\n        if item:\n            net = item.net\n            return net\n\n"
        "    def total(self, items):\n# ...\n",
        PY.replace("        net = item.net\n        return net", "        if item:\n            net = item.net\n            return net"),
    ),
    "a condition gone, its body left deep": (
        "def f(x):\n    a(x)\n    if x:\n        b(x)\n        c(x)\n    d(x)\n",
        "# ...\n    a(x)\n        b(x)\n        c(x)\n# ...\n",
        "def f(x):\n    a(x)\n        b(x)\n        c(x)\n    d(x)\n",
    ),
    "the last line in another form": (
        JS,
        "// ...\n  return z;\n}\n\nexport { one, two, three };\n",
        JS.replace("one, two }", "one, two, three }"),
    ),
    "the first line in another form": (
        JS,
        'import a from "./a";\nimport b from "b";\n// ...\n',
        JS.replace('"a"', '"./a"'),
    ),
    "a new function that ends like the next one": (
        JS,
        "// ...\nfunction one(x) {\n  const y = x + 1;\n  return y;\n}\n\nfunction three(x) {\n  return z;\n}\n// ...\n",
        JS.replace("function two", "function three(x) {\n  return z;\n}\n\nfunction two"),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("before", "body", "after"), BECOMES.values(), ids=BECOMES)
def test_becomes(before: str, body: str, after: str) -> None:
    path = "a.py" if before is PY else "a.js"
    assert merged(before, body, path) == after
    again = merged(after, body, path)
    assert again == after or isinstance(again, Problem), "a second merge changes nothing"


TWINS = "a = 1\nrun()\nb = 2\nrun()\nc = 3\n"
REFUSED = {
    "anchor occurs twice": (TWINS, "// ...\nrun()\nx()\n// ...\n", "ambiguous"),
    "no anchor": (TWINS, "// ...\nfoo()\nbar()\n// ...\n", "elision"),
    "parts out of order": (JS, '// ...\nexport { one, two };\nx();\n// ...\nimport b from "b";\n// ...\n', "elision"),
}


@pytest.mark.parametrize(("before", "body", "kind"), REFUSED.values(), ids=REFUSED)
def test_refused(before: str, body: str, kind: str) -> None:
    found = merged(before, body, "a.py" if before.startswith(("def", "import os")) else "a.js")
    assert isinstance(found, Problem), found

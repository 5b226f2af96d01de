"""Files shown in part: what parses to what, how parts are merged, where merging is refused."""

from __future__ import annotations

import pytest

from anypatch.formats.elided import FORMAT
from anypatch.formats.elided.read import parse
from anypatch.model import Edit, Merge, Write
from anypatch.problems import Problem
from anypatch.shown.partial_file import lay_over


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
    found = lay_over(list(lines), merge_of(body, path), path)
    if isinstance(found, Problem):
        return found
    assert found == sorted(found, key=lambda splice: (splice.start, splice.end))
    for splice in reversed(found):
        lines[splice.start : splice.end] = splice.lines
    return "".join(line + "\n" for line in lines)


def test_cut_at_the_marks() -> None:
    merge = merge_of("// ... existing code ...\na\n\n  // ... rest ...\n\n// ...\nb\n")
    assert merge.marks == (0, 3, 5)
    assert [merge.shown[start:end] for start, end in merge.parts] == [("a", ""), ("b",)]
    merge = merge_of("a\n  // ... existing code ...\n")
    assert (merge.marks, merge.parts) == ((1,), [(0, 1)])


def test_sniffed_only_with_a_path_and_a_mark() -> None:
    assert FORMAT.sniff("a.py\n```\nx\n# ... existing code ...\n```\n") >= 50
    assert FORMAT.sniff("So:\n```\nx\n# ... existing code ...\n```\n") == 0
    assert FORMAT.sniff("a.py\n```\nx\n```\n") == 0


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
    "a line behind its only anchor": (
        JS,
        'import a from "a";\nimport b from "b";\nimport c from "c";\n\n// ... existing code ...\n',
        JS.replace('from "b";\n', 'from "b";\nimport c from "c";\n'),
    ),
    "a function behind another": (
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
    "the top of the file": (
        JS,
        "// licence\n// ... existing code ...\n",
        "// licence\n" + JS,
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
    "parts in another order": (
        JS,
        "// ...\n  const z = x * 2;\n  log(z);\n  return z;\n// ...\n  const y = x + 1;\n  log(y);\n  return y;\n// ...\n",
        JS.replace("  return y;", "  log(y);\n  return y;").replace("  return z;", "  log(z);\n  return z;"),
    ),
    "a bracket right above a line that stands once": (
        JS,
        "// ...\n}\n\nfunction three() {\n  go();\n}\n\nfunction two(x) {\n  const z = x * 2;\n// ...\n",
        JS.replace("function two", "function three() {\n  go();\n}\n\nfunction two"),
    ),
    "an end that stands twice, right below": (
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
    "blanks at line ends are kept": (
        "a()  \nb()\nc()  \nd()\ne()\n",
        "// ...\na()\nx()\nc()\ny()\ne()\n// ...\n",
        "a()  \nx()\nc()  \ny()\ne()\n",
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
    "anchor stands twice": (TWINS, "// ...\nrun()\nx()\n// ...\n", "ambiguous"),
    "end stands twice": ("a = 1\nold()\n" + TWINS[6:], "// ...\na = 1\nx()\nrun()\n// ...\n", "ambiguous"),
    "no anchor": (TWINS, "// ...\nfoo()\nbar()\n// ...\n", "elision"),
    "may replace or be added": (TWINS, "// ...\nb = 7\nc = 3\n", "elision"),
    "a new value beside the old one": ("x = 1\ny = 3\n", "// ...\nx = 2\ny = 3\n// ...\n", "elision"),
    "parts out of order": (JS, '// ...\nexport { one, two };\nx();\n// ...\nimport b from "b";\n// ...\n', "elision"),
    "no mark before": (JS, 'import b from "b";\nimport c from "c";\n// ...\n', "elision"),
    "no mark behind, and the file ends like the part": (
        JS.replace("\nexport { one, two };\n", ""),
        "// ...\nfunction one(x) {\n  return 1;\n}\n",
        "elision",
    ),
    "no mark behind": (JS, "// ...\nfunction one(x) {\n  return 1;\n}\n", "elision"),
    "body without its end": (PY, "# ...\ndef main():\n    go()\n# ...\n", "elision"),
    "end in another block": (
        "def f():\n    return 1\n\n\ndef g():\n    x = 2\n    return x\n",
        "# ...\ndef f():\n    y()\n    return x\n# ...\n",
        "ambiguous",
    ),
    "end in another block with braces": (
        "f() {\n  return 1;\n}\ng() {\n  return x;\n}\nh() {\n  return 3;\n}\n",
        "// ...\nf() {\n  y();\n// ...\n",
        "elision",
    ),
    "line stands elsewhere below": (JS, '// ...\nimport b from "b";\n  const z = x * 2;\nfoo()\n// ...\n', "ambiguous"),
    "a blank line as the only end": (
        "a()\nb()\nc()\n\nd()\n",
        "// ...\na()\nb()\n\n// ...\n",
        "elision",
    ),
    "a changed head before a comment that opens": (
        "// a\nf() {\n}\n\n/**\n * b\n */\ng() {\n}\n\n/**\n * c\n */\n",
        "// ...\n// a\nfoo() {\n}\n\n/**\n// ...\n",
        "ambiguous",
    ),
    "new lines up to a blank one": ("a()\nb()\n\nd()\n", "// ...\na()\nx()\n\n// ...\n", "elision"),
    "changed lines indented otherwise": (
        "if (a) {\n    b(1);\n}\nc();\n",
        "// ...\nif (a) {\n  b(12);\n}\nc();\n// ...\n",
        "elision",
    ),
    "tabs in a file of spaces": (JS, "// ...\nfunction one(x) {\n\tlog(x);\n  const y = x + 1;\n// ...\n", "elision"),
    "a bracket far above a line that stands once": (
        JS,
        "// ...\n}\n  return z;\n// ...\n",
        "ambiguous",
    ),
    "indentation without rule": (
        "if (a) {\n    b();\n      c();\n}\n",
        "// ...\n  b();\n  x();\n  c();\n// ...\n",
        "elision",
    ),
}


@pytest.mark.parametrize(("before", "body", "kind"), REFUSED.values(), ids=REFUSED)
def test_refused(before: str, body: str, kind: str) -> None:
    found = merged(before, body, "a.py" if before.startswith(("def", "import os")) else "a.js")
    assert isinstance(found, Problem), found
    assert found.kind == kind
    assert found.advice and found.patch_line > 2


def test_a_line_that_is_old_elsewhere_moves_no_anchor() -> None:
    """The first three lines stand in `two`, but the part is `one` with a line that `two` has."""
    before = "def one():\n    x = load()\n    use(x)\n\ndef two():\n    x = load()\n    check(x)\n    show(x)\n"
    body = "# ...\n    x = load()\n    check(x)\n    use(x)\n# ...\n"
    after = merged(before, body, "a.py")
    assert isinstance(after, Problem) or after == before.replace("    use(x)", "    check(x)\n    use(x)")
    turned = "def two():\n    x = load()\n    check(x)\n    show(x)\n\ndef one():\n    x = load()\n    use(x)\n"
    after = merged(turned, body, "a.py")
    assert isinstance(after, Problem) or after == turned.replace("    use(x)", "    check(x)\n    use(x)")


def test_problems_name_the_line_of_their_part() -> None:
    found = merged(JS, "// ...\nfunction one(x) {\n// ...\n\n\nfoo()\nbar()\n// ...\n")
    assert isinstance(found, Problem) and found.patch_line == 8


def test_lines_under_a_mark_stay() -> None:
    """Whatever two anchored parts say, every line that lies under a mark is there afterwards."""
    lines = [f"line {n};" for n in range(60)]
    before = "".join(line + "\n" for line in lines)
    for a in range(1, 20, 3):
        for b in range(a + 6, 50, 5):
            body = f"// ...\n{lines[a]}\nnew();\n{lines[a + 2]}\n// ...\n{lines[b]}\nnewer();\n{lines[b + 3]}\n// ...\n"
            after = merged(before, body)
            assert isinstance(after, str)
            kept = after.split("\n")
            assert kept[:a] == lines[:a]
            assert kept[a : a + 3] == [lines[a], "new();", lines[a + 2]]
            assert kept[-len(lines[b + 4 :]) - 1 : -1] == lines[b + 4 :]
            assert set(lines[a + 3 : b]) <= set(kept)


def test_big_files_are_merged_in_time() -> None:
    same = "x();\n" * 100_000
    assert isinstance(merged(same, "// ...\n" + "x();\n" * 2_000 + "y();\n" + "x();\n" * 2_000 + "// ...\n"), Problem)
    many = "".join(f"line {n};\n" for n in range(50_000))
    parts = "".join(f"// ...\nline {n};\nnew {n};\nline {n + 1};\n" for n in range(0, 2_000, 10))
    assert isinstance(merged(many, parts + "// ...\n"), str)


@pytest.mark.parametrize(
    "lines, part, want",
    [
        ("aa xx bb", "aa xx xx bb", [(2, 2, ("xx",))]),
        ("aa xx bb", "aa pp xx qq bb", [(1, 1, ("pp",)), (2, 2, ("qq",))]),
        ("aa xx yy bb", "aa pp bb", [(1, 3, ("pp",))]),
        ("aa xx bb cc", "aa cc", [(1, 3, ())]),
        ("aa xx bb", "aa xx bb", []),
        ("aa xx bb aa", "aa bb", [(1, 2, ())]),
        ("aa xx bb bb", "aa bb", "ambiguous"),
        ("aa bb() cc bb()", "aa bb(2) cc bb()", [(1, 2, ("bb(2)",))]),
        ("aa bb xx", "aa bb cc bb", [(2, 2, ("cc", "bb"))]),
        ("aa bb xx(1)", "aa bb xx(2) bb", "elision"),
        ("aa xx yy bb ~aa ~cc", "aa cc bb", "ambiguous"),
        ("~aa xx bb", "aa xx ~bb", "elision"),
        ("~aa bb", "aa ~aa bb", "elision"),
    ],
)
def test_where_each_end_stands_once(lines: str, part: str, want: list[tuple[int, int, tuple[str, ...]]] | str) -> None:
    file, shown = ([line.replace("~", "  ") for line in text.split(" ")] for text in (lines, part))
    said = Merge(("", *shown, ""), (0, len(shown) + 1), 1, 1)
    found = lay_over(file, said)
    assert want == (found.kind if isinstance(found, Problem) else [one[:3] for one in found])


def test_parts_in_another_order_may_not_meet() -> None:
    before = "".join(f"line {n};\n" for n in range(20))
    low, high = "line 12;\nnew();\nline 14;\n// ...\n", "line 2;\nnew();\nline 4;\n// ...\n"
    after = merged(before, "// ...\n" + low + high)
    assert after == before.replace("line 3;", "new();").replace("line 13;", "new();")
    for other in ("line 14;\nnewer();\nline 16;\n", "line 10;\nnewer();\nline 12;\n", "line 13;\nline 14;\n"):
        assert isinstance(merged(before, f"// ...\n{low}{high}{other}// ...\n"), Problem)

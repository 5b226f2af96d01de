"""The syntax check: a file that parsed before and no longer would is a warning, or a refusal where asked."""

from __future__ import annotations

import argparse
import ast
import dataclasses
import difflib
import json
import random
import shutil
import subprocess
import sys
import tarfile
import textwrap
from collections import Counter
from pathlib import Path

import pytest

import anypatch
from anypatch.problems import KINDS
from anypatch.syntax import check, grammars
from anypatch.syntax.macros import readings
from support.cost import at_most

# path, text, the old and the new text of an edit, the line of the first error
BROKEN = [
    ("a.py", "def f(a):\n    return (a + 1)\n", "return (a + 1)", "return (a + 1", 2),
    ("b.py", "def f(a):\n    return a\n", "    return a\n", "  x = 1\n    return a\n", 3),
    ("c.pyi", "class A:\n    x: int\n", "x: int", "x: = int", 2),
    ("d.py", "def f():\n    return 1\n\n\nf()\n", "f()\n", "return f()\n", 5),
    ("a.ts", "function f(a: number) {\n  return a;\n}\n", "return a;", "return a +;", 2),
    ("a.tsx", "const f = () => {\n  return <b>x</b>;\n}\n", "<b>x</b>", "<b>x", 2),
    ("a.js", "function f(a) {\n  return a;\n}\n", "return a;", "return a; }}", 2),
    ("A.java", "class A {\n  int f() {\n    return 1;\n  }\n}\n", "return 1;", "return 1", 3),
    ("a.c", "int f(void) {\n  return 1;\n}\n", "return 1;", "return 1 +;", 2),
    ("a.cpp", "namespace a {\nint f() {\n  return 1;\n}\n}\n", "return 1;", "return (1;", 3),
    ("a.go", "package a\n\nfunc f() int {\n\treturn 1\n}\n", "return 1", "return 1 +", 4),
    ("a.rs", "fn f() -> i32 {\n    let x = 1;\n    x\n}\n", "let x = 1;", "let x = ;", 2),
    ("a.cs", "class A {\n  int F() {\n    return 1;\n  }\n}\n", "return 1;", "return 1", 3),
    ("a.rb", "def f\n  x = 1\n  x\nend\n", "x = 1", "if x", 2),
    ("a.php", "<?php\nfunction f() {\n  return 1;\n}\n", "return 1;", "return 1 +;", 3),
    ("a.html", "<div>\n  <b>x</b>\n</div>\n", "<b>x</b>", "<b>x</i></b>", 2),
    ("a.xml", "<a>\n  <b>x</b>\n</a>\n", "<b>x</b>", "<b>x</c>", 2),
    ("e.xml", '<!DOCTYPE a [<!ENTITY e "f">]>\n<a>\n  <b>x</b>\n</a>\n', "<b>x</b>", "<b>x</c>", 3),
    ("a.json", '{\n  "a": 1\n}\n', '"a": 1', '"a": 1,', 2),
    ("b.json", "[\n  1\n]\n", "1", "1,", 2),
    ("c.json", '{\n  "a": 1\n}\n', '"a": 1', '"a" 1', 2),
    ("a.toml", "[a]\nx = 1\n", "x = 1", "x = ", 2),
]
IDS = [row[0] for row in BROKEN]


def call(path: str, old: str, new: str) -> str:
    return json.dumps({"command": "str_replace", "path": path, "old_str": old, "new_str": new})


def warned(report: anypatch.Result) -> list[tuple[str, int]]:
    return [(note.path, note.line) for note in report.notes if note.kind == "syntax"]


@pytest.mark.parametrize(("path", "text", "old", "new", "line"), BROKEN, ids=IDS)
def test_a_broken_edit_warns_with_its_line(path: str, text: str, old: str, new: str, line: int) -> None:
    result = anypatch.apply_to(call(path, old, new), {path: text})
    assert result.ok
    assert result.files[path] == text.replace(old, new)
    assert warned(result) == [(path, line)]


@pytest.mark.parametrize(("path", "text", "old", "new", "line"), BROKEN, ids=IDS)
def test_a_broken_edit_is_refused_if_asked(path: str, text: str, old: str, new: str, line: int) -> None:
    result = anypatch.apply_to(call(path, old, new), {path: text}, syntax="refuse")
    assert [(p.kind, p.path, p.line, p.op) for p in result.problems] == [("syntax", path, line, 1)]
    assert result.files == {path: text}
    assert f"{line} | " in result.for_model()


@pytest.mark.parametrize(("path", "text", "old", "new", "line"), BROKEN, ids=IDS)
def test_nothing_is_said_of_a_file_that_was_broken_before(path: str, text: str, old: str, new: str, line: int) -> None:
    broken = text.replace(old, new)
    for syntax in ("off", "warn", "refuse"):
        result = anypatch.apply_to(call(path, new, new + " "), {path: broken}, syntax=syntax)
        assert result.ok, result.problems
        assert not warned(result)


@pytest.mark.parametrize(("path", "text", "old", "new", "line"), BROKEN, ids=IDS)
def test_nothing_is_said_of_repairs_and_valid_edits(path: str, text: str, old: str, new: str, line: int) -> None:
    for before, after in ((new, old), (old, "\n" + old if path.endswith("l") else old + " ")):
        result = anypatch.apply_to(call(path, before, after), {path: text.replace(old, before)}, syntax="refuse")
        assert result.ok, result.problems
        assert not result.notes


def test_a_refused_edit_leaves_the_tree_on_disk(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    (tmp_path / "b.py").write_text("y = 1\n")
    text = json.dumps([json.loads(call("b.py", "y = 1", "y = 2")), json.loads(call("a.py", "x = 1", "x = = 1"))])
    (tmp_path / "patch.json").write_text(text)
    run = [sys.executable, "-m", "anypatch"]
    options = ["patch.json", "--json"]
    for command in ("check", "apply"):
        done = subprocess.run(
            [*run, command, *options, "--strict"], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode == 1
        report = json.loads(done.stdout)
        assert [(p["kind"], p["line"]) for p in report["problems"]] == [("syntax", 1)]
        assert report["problems"][0]["advice"] == KINDS["syntax"].advice
        assert (tmp_path / "a.py").read_text() + (tmp_path / "b.py").read_text() == "x = 1\ny = 1\n"
    done = subprocess.run([*run, "apply", *options], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["notes"] == [
        {"text": "it parsed before and no longer does: the first error is on line 1: invalid syntax", "path": "a.py",
         "patch_line": None, "kind": "syntax", "line": 1},
    ]  # fmt: skip
    assert (tmp_path / "a.py").read_text() == "x = = 1\n"


def test_models_get_the_warning(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    report = anypatch.preview(call("a.py", "x = 1", "x = = 1"), tmp_path)
    assert "warning: a.py: it parsed before and no longer does" in report.for_model()


def test_a_moved_file_is_checked_under_its_new_name() -> None:
    patch = "*** Begin Patch\n*** Update File: a.py\n*** Move to: b.py\n@@\n-x = 1\n+x = (1\n*** End Patch\n"
    result = anypatch.apply_to(patch, {"a.py": "x = 1\n"})
    assert result.files == {"b.py": "x = (1\n"}
    assert warned(result) == [("b.py", 1)]


def test_new_and_deleted_files_and_plain_text_are_not_checked() -> None:
    patch = "*** Begin Patch\n*** Add File: n.py\n+x = (\n*** Delete File: d.py\n*** End Patch\n"
    result = anypatch.apply_to(patch, {"d.py": "x = 1\n"}, syntax="refuse")
    assert result.ok
    assert not result.notes
    assert not anypatch.apply_to(call("a.txt", "x", "(("), {"a.txt": "x\n"}, syntax="refuse").notes


def test_a_file_without_a_grammar_passes_with_a_note_if_asked_to_refuse(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(grammars._parsers, "java", None)
    patch = call("A.java", "int f;", "int f")
    result = anypatch.apply_to(patch, {"A.java": "class A { int f; }\n"})
    assert result.ok
    assert not result.notes
    result = anypatch.apply_to(patch, {"A.java": "class A { int f; }\n"}, syntax="refuse")
    assert result.ok
    assert [(note.kind, note.path) for note in result.notes] == [("no_grammar", "A.java")]
    assert "tree-sitter-java" in result.notes[0].text


def test_large_files_are_not_checked_and_the_report_says_so() -> None:
    def unread(report: anypatch.Result) -> list[str]:
        return [note.path for note in report.notes if note.kind == "not_checked"]

    text = "x = 1\n" + "y = 2\n" * (check.WARN_LIMIT // 6)
    report = anypatch.apply_to(call("a.py", "x = 1", "x = (1"), {"a.py": text})
    assert report.ok and not warned(report)
    assert unread(report) == ["a.py"]
    assert "note: a.py: not checked whether it still parses: more than 64 KiB to check" in report.for_model()
    assert not anypatch.apply_to(call("a.py", "x = 1", "x = (1"), {"a.py": text}, syntax="refuse").ok
    assert not anypatch.apply_to(call("a.py", "x = 1", "x = (1"), {"a.py": text}, syntax="off").notes
    # several files count together
    half = "x = 1\n" + "y = 2\n" * (check.WARN_LIMIT // 11)
    calls = [json.loads(call(path, "x = 1", "x = (1")) for path in ("a.py", "b.py")]
    report = anypatch.apply_to(json.dumps(calls), {"a.py": half, "b.py": half})
    assert (warned(report), unread(report)) == ([("a.py", 1)], ["b.py"])
    # but one that is too large alone doesn't keep the small ones from being read
    report = anypatch.apply_to(json.dumps(calls), {"a.py": text, "b.py": half})
    assert (warned(report), unread(report)) == ([("b.py", 1)], ["a.py"])
    # nor does it count where the statements around the edit tell
    large = "def f():\n    x = 1\n\n\n" + "y = 2\n" * check.WARN_LIMIT
    report = anypatch.apply_to(call("a.py", "x = 1", "x = 2"), {"a.py": large})
    assert not report.notes


def test_an_unknown_mode_is_a_wrong_call() -> None:
    with pytest.raises(ValueError, match="off, warn, refuse"):
        anypatch.apply_to(call("a.py", "x", "y"), {"a.py": "x\n"}, syntax="strict")  # type: ignore[call-overload]


@pytest.mark.parametrize(
    "text", ["type X = int\n", "class A[T]: pass\n", 'x = f"{y["a"]}"\n', "try: a\nexcept A, B: b\n"]
)
def test_syntax_of_a_newer_python_is_no_error(text: str) -> None:
    assert check.first_new_error("a.py", b"x = 1\n", text.encode()) is None


@pytest.mark.parametrize("line", ["a <> b", 'raise E, "why"', "x = `a`"])
def test_syntax_of_python_2_is_an_error_though_the_grammar_reads_it(line: str) -> None:
    report = anypatch.apply_to(call("a.py", "x = 1\n", f"{line}\n"), {"a.py": "x = 1\ny = 2\n"})
    assert warned(report) == [("a.py", 1)]


@pytest.mark.parametrize(
    ("after", "line"),
    [(b"x = 1\n\x00\n", 2), (b"print 'x'\n", 1), (b"f() = 1\n", 1), (b"x = 1\ry = (\r", 2)],
)
def test_errors_of_python(after: bytes, line: int) -> None:
    fault = check.first_new_error("a.py", b"x = 1\n", after)
    assert fault is not None
    assert fault.line == line


def test_text_nested_too_deeply_for_the_parser_is_no_error() -> None:
    assert check.first_new_error("a.py", b"x = 1\n", b"x = " + b"-" * 100_000 + b"1\n") is None
    assert check.first_new_error("a.json", b"[]", b"[" * 200_000 + b"]" * 200_000) is None


@pytest.mark.parametrize(
    "line", ["x = " + "-" * 100_000 + "1", "x = " + "a." * 20_000 + "b", "x = " + "1+" * 30_000 + "1"]
)
def test_a_file_nested_too_deeply_for_the_parser_can_be_edited(line: str) -> None:
    before = f"class A:\n    def f(self):\n        if 1:\n            y = 1\n            z = 2\n\n{line}\n"
    old = "if 1:\n            y = 1\n            z = 2\n"
    new = old.replace("z = 2", "if y:\n                z = 3\n            z = 2")
    result = anypatch.apply_to(f"a.py\n<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n", {"a.py": before})
    assert result.ok and result.files["a.py"] == before.replace(old, new)


def test_no_warning_of_the_compiler_is_printed_or_raised() -> None:
    script = (
        "import warnings; warnings.simplefilter('error')\n"
        "from anypatch.syntax.check import first_new_error\n"
        "print(first_new_error('a.py', b'x = 1', b'x = \"\\\\d\"\\ny = 1if x else 2\\nassert (x, 1)\\nx is 1\\n'))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("None\n", "")


def test_macros_and_both_branches_of_a_condition_are_no_errors() -> None:
    before = b"int a;\n"
    macros = b"MY_NAMESPACE_BEGIN\nclass MY_API A { void f() MY_NOEXCEPT; };\nMY_NAMESPACE_END\n"
    branches = b"#ifdef A\nint f(int a) {\n#else\nint f(long a) {\n#endif\n  return 1;\n}\n"
    for text in (macros, branches):
        assert check.first_new_error("a.cpp", before, text) is None, text
        assert check.first_new_error("a.cpp", text, text + b"int f( {\n") == check.Fault(text.count(b"\n") + 1)
        less = next(readings(text))
        assert len(less) == len(text)
        assert less.count(b"\n") == text.count(b"\n")


def test_python_is_checked_without_a_grammar() -> None:
    script = (
        "import sys, json, anypatch\n"
        "call = json.dumps({'command': 'str_replace', 'path': 'a.py', 'old_str': 'x = 1', 'new_str': 'x = 2'})\n"
        "assert anypatch.apply_to(call, {'a.py': 'x = 1\\n'}).ok\n"
        "print([name for name in sys.modules if 'tree_sitter' in name])\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_finally_blocks_are_not_unfolded_without_limit() -> None:
    """`compile` repeats a `finally` block for every `return` in its `try`: this took 24 s."""
    text = "def f():\n try:\n" + "  if a: return 1\n" * 3000 + " finally:\n" + "  x()\n" * 3000
    with at_most(seconds=3):
        assert check.first_new_error("a.py", text.encode(), f"{text}(\n".encode()) is not None


def test_a_plan_with_problems_is_not_checked() -> None:
    text = json.dumps([json.loads(call("a.py", "x = 1", "x = (1")), json.loads(call("a.py", "nowhere", "y"))])
    report = anypatch.apply_to(text, {"a.py": "x = 1\n"}, syntax="refuse")
    assert [problem.kind for problem in report.problems] == ["not_found"]
    assert check.check_syntax(report.plan, "refuse") == report.plan


# ── the part of a Python file that is compiled ───────────────────────────────────────────────────────

CART = (
    '"""A shop."""\nimport os\n\n\nclass Cart:\n    def add(self, item):\n        """Add\n\ndef no(): header\n        """\n'
    "        self.items.append(item)\n        return item\n\n    def total(self):\n        return sum(self.items)\n\n\n"
    "@cached\ndef f(a):\n    if a:\n        return 1\n    return (\n        2\n    )\n\n\nif os:\n    x = 1\nelse:\n    x = 2\n"
)


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("        return item\n", "        return self\n", 0),
        (
            "        return item\n",
            "        return self\n\n    def has(self, item):\n        return item in self.items\n",
            0,
        ),
        ("def no(): header\n", "def no(: header\n", 0),  # inside a docstring
        ("        return item\n", "        return (item\n", 12),
        ("        return item\n", '        return item\n        """\n', 13),  # opens a string that runs on
        ("        return item\n", "        return item\n      x = 1\n", 13),
        ("        return item\n", "        yield\n        nonlocal y\n", 13),
        ("        return item\n", "    return item\n", 12),  # in the class, outside of the function
        ("        2\n", "        2,\n", 0),
        ("        2\n", "        2)\n", 24),
        ("@cached\ndef f(a):\n", "@cached\nx = 1\ndef f(a):\n", 19),
        ("if os:\n    x = 1\n", "x = 1\n", 28),  # the `else` below has lost its `if`
        ("import os\n", "import os\nfrom __future__ import annotations\n", 3),
        ("import os\n", "import os\nimport sys\n", 0),
        ('"""A shop."""\nimport os\n', '"""A shop."""\nfrom __future__ import annotations\nimport os\n', 0),
        ("    x = 2\n", "    x = 2\n    global x\n", 31),
    ],
)
def test_statements_around_an_edit(old: str, new: str, line: int) -> None:
    result = anypatch.apply_to(call("a.py", old, new), {"a.py": CART}, syntax="refuse")
    assert [problem.line for problem in result.problems if problem.kind == "syntax"] == ([line] if line else [])
    assert line or result.ok


def test_an_edit_above_a_future_import_is_checked_with_it() -> None:
    text = '"""Text."""\n\nfrom __future__ import annotations\n\nimport os\n' + "x = 1\n" * 40
    result = anypatch.apply_to(call("a.py", '"""Text."""\n', '"""Text."""\ny = 2\n'), {"a.py": text}, syntax="refuse")
    assert [problem.line for problem in result.problems] == [4]


def test_checking_statements_around_an_edit_agrees_with_checking_the_file() -> None:
    """A law: on real files with random damage, a file is refused if and only if reading all of it finds a new error."""
    rng = random.Random(7)
    sources = [Path(module.__file__ or "") for module in (argparse, ast, dataclasses, shutil, tarfile, textwrap)]
    texts = [source.read_text().split("\n") for source in sources]
    pieces = [
        '"',
        "'",
        '"""',
        "(",
        ")",
        ":",
        "#",
        "\\",
        "    ",
        "else:",
        "    return x",
        "x = 1",
        "@dec",
        "yield",
        "pass",
    ]
    seen = Counter[bool]()
    while sum(seen.values()) < 120:
        before = rng.choice(texts)
        after, row = before[:], rng.randrange(len(before))
        match rng.randrange(5):
            case 0:
                at = rng.randrange(len(after[row]) + 1)
                after[row] = after[row][:at] + rng.choice(pieces) + after[row][at:]
            case 1:
                del after[row : row + rng.randint(1, 3)]
            case 2:
                after.insert(row, rng.choice(("", "    ", "        ")) + rng.choice(pieces))
            case 3:
                after[row] = after[row][4:] if rng.random() < 0.5 else "    " + after[row]
            case _:
                start, count = rng.randrange(len(before)), rng.randint(1, 10)
                after[row : row + rng.randrange(count)] = before[start : start + count]
        old, new = "\n".join(before), "\n".join(after)
        patch = "\n".join(difflib.unified_diff(before, after, "a/a.py", "b/a.py", lineterm=""))
        if old == new or anypatch.apply_to(patch + "\n", {"a.py": old}, syntax="off").files.get("a.py") != new:
            continue
        report = anypatch.apply_to(patch + "\n", {"a.py": old}, syntax="refuse")
        fault = check.first_new_error("a.py", old.encode(), new.encode())
        assert [problem.line for problem in report.problems] == ([fault.line] if fault else []), patch
        seen[report.ok] += 1
    assert min(seen.values()) > 20

"""Where blocks end: tables of hard cases, and laws on random text."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anypatch
from anypatch.problems import Problem
from anypatch.syntax.blocks import BlockEnd, block_end, join_rest
from anypatch.syntax.languages import C_STYLE, PYTHON, XML, language_of
from support.cost import at_most
from support.languages import NASTY, SUFFIXES, language_with

KINDS = {"py": "py", "xml": "xml", "html": "xml"}


def replaced(suffix: str, text: str, marker: str, payload: str) -> str:
    """The text with the block replaced, or the kind of the refusal. The marker must be there line by line, trimmed."""
    kind = KINDS.get(suffix, "c_style")
    lines, wanted = text.split("\n"), [line.strip() for line in marker.split("\n")]
    first = next(i for i in range(len(lines)) if [line.strip() for line in lines[i : i + len(wanted)]] == wanted)
    end = block_end(kind, text, language_of(f"x.{suffix}"), first, first + len(wanted) - 1, payload)
    if isinstance(end, Problem):
        return end.kind
    new = join_rest(
        kind, payload.split("\n") if payload else [], lines[end.line][end.column :], language_of(f"x.{suffix}")
    )
    if isinstance(new, Problem):
        return new.kind
    return "\n".join([*lines[:first], *new, *lines[end.line + 1 :]])


# suffix, text, marker, payload, the text afterwards or the kind of the refusal
BLOCKS: list[tuple[str, str, str, str, str]] = [
    # which brace
    ("cpp", "void f(int a) // note {\n{\n}\nz", "void f(int a) // note {\n{", "f {}", "f {}\nz"),
    ("cpp", "K::K(V v = {}) : a{1}, b{2}\n{\n go();\n}\nz", "K::K(V v = {}) : a{1}, b{2}\n{", "K {}", "K {}\nz"),
    ("cpp", "void f() {\n if (a) {\n }\n c();\n}\nz", "void f() {\n if (a) {\n }\n c();\n}", "f {}", "f {}\nz"),
    ("cpp", "void f() {\n if (a) {\n }\n c();\n}\nz", "void f() {\n if (a) {\n }", "f {}", "f {}\nz"),
    ("cpp", "int f();\nint g() {\n}\n", "int f();", "int f() {}", "no_block"),
    ("cpp", "int f()\n\n/* { */\n{\n}\nz", "int f()", "int f() {}", "int f() {}\nz"),
    ("cpp", "int f() { return 1; }\nz", "int f() { return 1; }", "int f() { return 2; }", "int f() { return 2; }\nz"),
    ("cpp", "K() : a{1}\n{\n}\nz", "K() : a{1}", "K() {}", "ambiguous"),
    ("cpp", "class A {\n void f() {\n }\n};\nz", "class A {\n void f() {", "class A {\n};", "class A {\n};\nz"),
    ("cpp", "class A {\n void f() {\n }\n};\nz", "class A {\n void f() {", "class A {\n g() {\n }", "class A {\n g() {\n }\n};\nz"),
    ("cpp", "class A {\n void f() {\n }\n};\nz", "class A {\n void f() {", "void f() {\n}", "ambiguous"),
    ("cpp", "class A {\n void f() {\n }\n};\nz", "class A {\n void f() {", "", "ambiguous"),
    ("cpp", "f() {\n}\nz", "f() {", "f() {\n if (x) {\n}", "bad_patch"),
    ("cpp", "f() {\n}\nz", "f() {", "f() {\n}\n}", "bad_patch"),
    ("cpp", "if (a) {\n} else {\n b;\n}\nz", "} else {", "} else {\n c;\n}", "if (a) {\n} else {\n c;\n}\nz"),
    ("cpp", "if (a) {\n} else {\n b;\n}\nz", "} else {", "else {\n c;\n}", "bad_patch"),
    ("cpp", "f() {\n}\nint y;\nz", "f() {\n}\nint y;", "f() {}", "no_block"),
    ("cpp", "f() {\n a();\n", "f() {", "f() {}", "no_block"),
    # braces that do not count
    ("cpp", "f() {\n s = R\"x( \" } )x\";\n a();\n}\nz", "f() {", "f {}", "f {}\nz"),
    ("cpp", "f() {\n int a = 1'000;\n}\ng() {\n int b = 1'000;\n}\n", "f() {", "f {}", "f {}\ng() {\n int b = 1'000;\n}\n"),
    ("cpp", "f() {\n#error don't\n c = '}'; // }\n s = \"}\\\"}\"; /* } */\n}\nz", "f() {", "f {}", "f {}\nz"),
    ("rs", "fn f<'a>(x: &'a str) {\n let c = '}'; let s = r#\"}\"#; /* } /* } */ } */\n}\nz", "fn f<'a>(x: &'a str) {", "f {}", "f {}\nz"),
    ("js", "function f() {\n const s = `}${g({a: `}`})}`;\n const r = /[/}]}/;\n}\nz", "function f() {", "f {}", "f {}\nz"),
    ("js", "function f() {\n return <p>don't</p>;\n}\nz", "function f() {", "f {}", "f {}\nz"),
    ("go", "func f() {\n s := `}\\`\n r := '}'\n}\nz", "func f() {", "f {}", "f {}\nz"),
    ("cs", 'void F() {\n var s = @"}\\" + $"{d["}"]}" + """}""";\n}\nz', "void F() {", "f {}", "f {}\nz"),
    ("java", 'void f() {\n s = """\n } " }\n """;\n}\nz', "void f() {", "f {}", "f {}\nz"),
    ("php", "function f() {\n $s = <<<X\n } '\n X;\n # }\n #[A]\n if (a) { ?> it's } <?php }\n}\nz", "function f() {", "f {}", "f {}\nz"),
    ("kt", 'fun f() {\n val s = "${m["}"]}"\n val t = """}"""\n}\nz', "fun f() {", "f {}", "f {}\nz"),
    ("css", "a {\n b: '}'; /* } */\n}\nz", "a {", "a {}", "a {}\nz"),
    ("txt", "f() {\n s = \"}\";\n}\nz", "f() {", "f {}", "f {}\nz"),
    # branches
    ("cpp", "f() {\n#ifdef A\n if (x) {\n#else\n if (y) {\n#endif\n }\n}\nz", "f() {", "f {}", "f {}\nz"),
    ("cpp", "f() {\n#if A\n {\n#endif\n b;\n#if A\n }\n#endif\n}\nz", "f() {", "f {}", "f {}\nz"),
    ("cpp", "#if A\nf() {\n#else\ng() {\n#endif\n}\nz", "f() {", "f() {}", "no_block"),
    ("cpp", "#if A\nf() {\n#else\ng() {\n#endif\n}\nz", "f() {", "f() {\n#else\nh() {\n#endif\n}", "#if A\nf() {\n#else\nh() {\n#endif\n}\nz"),
    ("cpp", "#if A\nf() {\n a;\n}\n#else\nf() {\n b;\n}\n#endif\n", "f() {\n b;", "f {}", "#if A\nf() {\n a;\n}\n#else\nf {}\n#endif\n"),
    ("cpp", "f() {\n#if A\n a; }\n#else\n b; }\n#endif\nz", "f() {", "f {}", "no_block"),
    ("cpp", "f() {\n#if A\n if (x) {\n#else\n y;\n#endif\n }\n}\n", "f() {", "f {}", "f {}\n"),
    # what follows the closing brace
    ("cpp", "if (a) {\n} else {\n}\nz", "if (a) {", "if (b) {\n}", "if (b) {\n} else {\n}\nz"),
    ("cpp", "if (a) {\n} else {\n}\nz", "if (a) {", "if (b) {\n} // end", "if (b) {\n} else { // end\n}\nz"),
    ("cpp", "if (a) {\n} else {\n}\nz", "if (a) {", "if (b) {\n} else {\n c;\n}", "ambiguous"),
    ("cpp", "if (a) {\n}\nelse {\n}\nz", "if (a) {", "if (b) {\n} else {\n c;\n}", "ambiguous"),
    ("cpp", "if (a) {\n}\nelse {\n}\nz", "if (a) {", "if (b) {\n}", "if (b) {\n}\nelse {\n}\nz"),
    ("cpp", "if (a) {\n} else {\n}\nz", "if (a) {", "if (b) {\n};", "ambiguous"),
    ("cpp", "do {\n} while (x);\nz", "do {", "do {\n a;\n}", "do {\n a;\n} while (x);\nz"),
    ("cpp", "do {\n} while (x); // c\nz", "do {", "do {\n} while (y);", "do {\n} while (y); // c\nz"),
    ("cpp", "f() {\n a(); } int g;\nz", "f() {", "f() {\n}", "f() {\n} int g;\nz"),
    ("cpp", "class K {\n};\nz", "class K {", "class K {\n}", "class K {\n};\nz"),
    ("cpp", "class K {\n}; // k\nz", "class K {", "class K {\n};", "class K {\n}; // k\nz"),
    ("cpp", "class K {\n}\nz", "class K {", "class K {\n};", "class K {\n};\nz"),
    ("cpp", "class K {\n};\nz", "class K {", "class K;", "class K;\nz"),
    ("cpp", "typedef struct {\n} a;\nz", "typedef struct {", "typedef struct {\n} b;", "typedef struct {\n} b;\nz"),
    ("cpp", "typedef struct {\n} a;\nz", "typedef struct {", "typedef struct {\n};", "ambiguous"),
    ("cpp", "f() {\n} // f\nz", "f() {", "f() {\n a;\n}", "f() {\n a;\n} // f\nz"),
    ("cpp", "f() {\n} /* a\n b */ z", "f() {", "f() {\n} // c", "f() {\n} /* a // c\n b */ z"),
    ("js", "g(function () {\n});\nz", "g(function () {", "g(function () {\n a;\n});", "g(function () {\n a;\n});\nz"),
    ("cpp", "class K {\n};\nz", "class K {", "", "z"),
    ("cpp", "f() {\n} int g;\nz", "f() {", "", "int g;\nz"),
    ("cpp", "if (a) {\n} else {\n}\nz", "if (a) {", "", "no_block"),
    ("js", "g(function () {\n});\nz", "g(function () {", "", "no_block"),
    ("cpp", "if (a) {\n} else {\n}\nz", "} else {", "", "bad_patch"),
    # Python
    ("py", "def f():\n    a()\n\n\n    b()\n\n\nx", "def f():", "N", "N\n\n\nx"),
    ("py", "@d\ndef f(\n    a: int = {1: 2}[1],\n) -> None:\n    b()\nx", "@d\ndef f(\n a: int = {1: 2}[1],\n) -> None:", "N", "N\nx"),
    ("py", "def f(\n    a,\n) -> None:\n    b()\nx", ") -> None:", "N", "no_block"),
    ("py", "def f(\n    a,\n):\n    b()\nx", "def f(", "N", "no_block"),
    ("py", "x: int = 1\ny", "x: int = 1", "N", "no_block"),
    ("py", "f = lambda: 1\n", "f = lambda: 1", "N", "no_block"),
    ("py", "if lambda: 1:\n    a\nx", "if lambda: 1:", "N", "N\nx"),
    ("py", "if (n := f()) and d[1:2] == 'a: #':\n    a\nx", "if (n := f()) and d[1:2] == 'a: #':", "N", "N\nx"),
    ("py", "def f():\n    s = '''\nlow\n'''\n    g(\n1)\n    h = 1 + \\\n2\n# low\n    i()\nx", "def f():", "N", "N\nx"),
    ("py", "def f():\n    a()\n    # in\n\n    # in too\n\n# out\nx", "def f():", "N", "N\n\n# out\nx"),
    ("py", "if a:\n    b\nelse:\n    c\nx", "if a:", "N", "N\nelse:\n    c\nx"),
    ("py", "if a: b(); c(\n1)\nx", "if a: b(); c(\n1)", "N", "N\nx"),
    ("py", "if a:  # c\n\tb\n        c\nx", "if a:  # c", "N", "N\nx"),
    ("py", "# head\nasync def f():\n    a()", "# head\nasync def f():", "N", "N"),
    ("py", "class A:\n    def f(self):\n        a()\n    x = 1\ny", "class A:\n    def f(self):", "N", "N\ny"),
    ("py", "x = 1\ndef f():\n    a()\ny", "x = 1\ndef f():", "N", "N\ny"),
    ("py", "def f():\n    a()\ny = 1\nz", "def f():\n    a()\ny = 1", "N", "no_block"),
    ("py", "def f():\n", "def f():", "N", "no_block"),
    ("py", "def f():\nx\n", "def f():", "N", "no_block"),
    ("py", "s = '''\ndef f():\n    a\n'''\n", "def f():", "N", "no_block"),
    ("py", "match x:\n    case 1:\n        a\n    case {'b': 2}: b\ny", "match x:", "N", "N\ny"),
    ("py", "match x:\n    case 1:\n        a\n    case _: b\ny", "case 1:", "N", "match x:\nN\n    case _: b\ny"),
    ("py", "match: int = 1\n", "match: int = 1", "N", "no_block"),
    ("py", "match[x]: int\n", "match[x]: int", "N", "no_block"),
    ("py", "x = (\ndef f():\n    a()\ny", "def f():", "N", "x = (\nN\ny"),
    ("py", "for i in x:\n    f\"{a[\"}\"]}\"\n    b\ny", "for i in x:", "N", "N\ny"),
    # XML and HTML
    ("xml", '<r>\n<pic\n s="a>"\n/>\n<pic/>\n</r>', '<pic\n s="a>"\n/>', "N", "<r>\nN\n<pic/>\n</r>"),
    ("xml", "<r>\n<p>\n<p/><p a=''>\n</p>\n</p><q/>\n</r>", "<p>", "N", "<r>\nN<q/>\n</r>"),
    ("xml", "<r>\n<row>\n<rows>\n</rows><a:row></a:row>\n</row >\n</r>", "<row>", "N", "<r>\nN\n</r>"),
    ("xml", "<p>\n<![CDATA[ </p> ]]><!-- </p> --><?x </p> ?><b t='</p>'/>\n</p>\nz", "<p>", "N", "N\nz"),
    ("xml", "<!DOCTYPE r [ <!ENTITY e \"]> <q>\"> <!-- it's ] --> ]>\n<q>\n</q>\nz", "<q>", "N", '<!DOCTYPE r [ <!ENTITY e "]> <q>"> <!-- it\'s ] --> ]>\nN\nz'),
    ("xml", "<größe>\n<größer/>\n</größe>\nz", "<größe>", "N", "N\nz"),
    ("xml", "<!-- <z> -->\n<a>\n</a>\n", "<!-- <z> -->\n<a>", "N", "N\n"),
    ("xml", "<!-- <z> -->\n<a>\n</a>\n", "<!-- <z> -->", "N", "no_block"),
    ("xml", "<r>\n<p>\nt\n</r>\n<s></p></s>", "<p>", "N", "no_block"),
    ("xml", "<r>\nhello\n<p/>\n</r>", "hello", "N", "no_block"),
    ("xml", "<r>\n</r>\n", "</r>", "N", "no_block"),
    ("xml", "<a/>\n<b/>\n", "<a/>\n<b/>", "N", "no_block"),
    ("xml", "<a>1</a> t\n", "<a>1</a> t", "", "t\n"),
    ("html", "<DIV>\n<script>if (a < b) '</div>'</script><br>\n<input>\n</div>\nz", "<DIV>", "N", "N\nz"),
    ("html", "<br>\n", "<br>", "N", "no_block"),
    ("html", "<br />\nz", "<br />", "N", "N\nz"),
    ("html", "<ul>\n<li>a\n<li>b\n</ul>", "<li>a", "N", "no_block"),
]  # fmt: skip


@pytest.mark.parametrize(("suffix", "text", "marker", "payload", "wanted"), BLOCKS)
def test_block(suffix: str, text: str, marker: str, payload: str, wanted: str) -> None:
    assert replaced(suffix, text, marker, payload) == wanted


def test_refusals_name_lines() -> None:
    text = "class A {\n void f() {\n }\n};\n"
    problem = block_end("c_style", text, None, 0, 1, "void f() {\n}")
    assert isinstance(problem, Problem)
    assert "line 4 or 3" in problem.detail
    problem = block_end("c_style", "\nf() {\n}\n", None, 1, 1, "f() {\n if (x) {\n")
    assert isinstance(problem, Problem)
    assert (problem.kind, problem.line) == ("bad_patch", 2)
    problem = block_end("py", "\nx: int = 1", None, 1, 1, "")
    assert isinstance(problem, Problem)
    assert problem.line == 2
    assert problem.advice


def test_another_family_falls_back_to_the_kind() -> None:
    assert block_end("c_style", "f() {\n}\n", PYTHON, 0, 0, "f() {}") == BlockEnd(1, 1)
    assert block_end("py", "if a:\n  b\n", XML, 0, 0, "") == BlockEnd(1, 3)
    assert block_end("xml", "<a\n>b</a> c\n", C_STYLE, 0, 1, "") == BlockEnd(1, 6)


def test_blocks_and_comments_that_are_never_closed() -> None:
    block = "operations:\n  - path: f.py\n    op: replace_py_block\n    marker: 'def f():'\n    payload: |-\n      def f():\n          return 0\n"
    result = anypatch.apply_to(block, {"f.py": "def f():\n    s = g(\n1,"})
    assert [problem.kind for problem in result.problems] == ["no_block"]
    line = (
        "language: c++\noperations:\n  - path: m.cpp\n    op: replace_text\n    marker: int x;\n    payload: int z;\n"
    )
    assert anypatch.apply_to(line, {"m.cpp": "\n  c2 */\n\nint y;\nint x; /* c1"}).plan.patch.ops


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(["c_style", "py", "xml"]), st.sampled_from(SUFFIXES), NASTY, NASTY, st.integers(0, 3))
def test_blocks_never_raise(kind: str, suffix: str, text: str, payload: str, first: int) -> None:
    lines = text.split("\n")
    first = min(first, len(lines) - 1)
    end = block_end(kind, text, language_of(f"x.{suffix}"), first, min(first + 1, len(lines) - 1), payload)
    if isinstance(end, BlockEnd):
        assert first <= end.line < len(lines)
        assert 0 < end.column <= len(lines[end.line])
        joined = join_rest(kind, payload.split("\n"), lines[end.line][end.column :], language_with(suffix))
        assert isinstance(joined, Problem | list)
    else:
        assert end.kind in ("no_block", "ambiguous", "bad_patch")
        assert end.line >= 1
        assert end.detail


@pytest.mark.parametrize(
    ("suffix", "unit"),
    [
        *((suffix, unit) for suffix in ("cpp", "php", "rs") for unit in ("'\\'", '"\\"', "/*/", 'r#"', "{", "#if\n")),
        *(("py", unit) for unit in ("f'{", "f'''{'", "\\", "(", "if:\n")),
        *((suffix, unit) for suffix in ("html", "xml") for unit in ("<a '", "<script '", '<!A["', "<!--", "<a>", "</")),
    ],
)
def test_cost_is_linear(suffix: str, unit: str) -> None:
    with at_most(seconds=1):
        block_end(KINDS.get(suffix, "c_style"), unit * (30_000 // len(unit)), language_with(suffix), 0, 0, "x")

"""Comments, strings and blocks: tables of hard cases, laws on random text, and Python's own tokenizer as a judge."""

from __future__ import annotations

import glob
import io
import os
import tokenize

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anypatch
from anypatch.problems import Problem
from anypatch.syntax.blocks import BlockEnd, block_end, close
from anypatch.syntax.languages import C_STYLE, PYTHON, XML, Language, language_of
from anypatch.syntax.lexer import COMMENT, STRING, docstrings, mask, tokens
from support.cost import at_most

SUFFIXES = [
    "c",
    "cpp",
    "java",
    "js",
    "tsx",
    "go",
    "rs",
    "cs",
    "php",
    "kt",
    "scala",
    "swift",
    "dart",
    "groovy",
    "d",
    "proto",
    "css",
    "scss",
    "py",
    "xml",
    "html",
]


def spoken(suffix: str) -> Language:
    language = language_of(f"x.{suffix}")
    assert language is not None
    return language


# ── languages ────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("path", "fallback", "name"),
    [
        ("a/b.h", "", "c++"),
        ("a.PY", "c++", "python"),
        ("a.md", "python", None),
        ("poetry.lock", "python", None),
        ("a.json", "c++", None),
        ("a.txt", "Python", "python"),
        ("Makefile", "CXX", "make"),
        ("NOTES", "CXX", "c++"),
        ("a.unknown", "C#", "c#"),
        ("a.unknown", "klingon", None),
        ("a.unknown", "", None),
        ("dir.py/name", "", None),
        ("a.vue", "", "html"),
        ("a.svg", "", "xml"),
    ],
)
def test_language(path: str, fallback: str, name: str | None) -> None:
    language = language_of(path, fallback)
    assert (language.name if language else None) == name


# ── tokens ───────────────────────────────────────────────────────────────────────────────────────

# suffix, text, the comments in it, the strings in it
TOKENS: list[tuple[str, str, list[str], list[str]]] = [
    ("cpp", 'a("http://x"); // y', ["// y"], ['"http://x"']),
    ("cpp", 'g = "src/*"; int n;', [], ['"src/*"']),
    ("cpp", "char q = '\"'; // a quote", ["// a quote"], ["'\"'"]),
    ("cpp", 'R"x( " } )" )x" // c', ["// c"], ['"x( " } )" )x"']),
    ("cpp", 'u8R"(\n// no\n)" LR"(")" // c', ["// c"], ['"(\n// no\n)"', '"(")"']),
    ("cpp", 'FOOR"(a)" // c', ["// c"], ['"(a)"']),
    ("cpp", 'R"(never closed " // x\n', [], ['"(never closed " // x\n']),
    ("cpp", "int a = 1'000'000; // c", ["// c"], []),
    ("cpp", "x = 0xA'B + u8'c' + L'd' + 'e';", [], ["'c'", "'d'", "'e'"]),
    ("cpp", "#error don't // c\nx = 'a';", ["// c"], ["'a'"]),
    ("cpp", '"a\\\nb" "open\n/* c */', ["/* c */"], ['"a\\\nb"']),
    ("cpp", "// a \\\n still\ncode", ["// a \\\n still"], []),
    ("cpp", "/* a * b **/ c /* open *", ["/* a * b **/", "/* open *"], []),
    ("cpp", "'\\'\\'\\' // c", ["// c"], []),
    ("cpp", '#define X "a//b" // c', ["// c"], ['"a//b"']),
    ("rs", "fn f<'a>(x: &'a str) -> char { '{' } // c", ["// c"], ["'{'"]),
    ("rs", "let c = '\\''; let d = '\\u{7f}'; let e = b'x';", [], ["'\\''", "'\\u{7f}'", "'x'"]),
    ("rs", 'r#" " // "# br##"x"# "## r"\\" // c', ["// c"], ['" " // "#', '"x"# "##', '"\\"']),
    ("rs", '"two\nlines // " /* a /* b */ c */ d', ["/* a /* b */ c */"], ['"two\nlines // "']),
    ("rs", "/* /* */ open", ["/* /* */ open"], []),
    ("kt", '/* a /* b */ c */ "${m["k"]}" // d', ["/* a /* b */ c */", "// d"], ['"${m["k"]}"']),
    ("kt", '"""raw \\""" // c', ["// c"], ['"""raw \\"""']),
    ("kt", '"${" // c', ["// c"], ['"${"']),
    ("kt", "`it's` // c", ["// c"], ["`it's`"]),
    ("scala", 's"${a("b")}" + "${" // c', ["// c"], ['"${a("b")}"', '"${"']),
    ("swift", '"a \\(f("b", (1))) c" // d', ["// d"], ['"a \\(f("b", (1))) c"']),
    ("swift", '#"a " \\b"# // d', ["// d"], ['"a " \\b"#']),
    ("swift", '"""\n " \\("x") // no\n""" // d', ["// d"], ['"""\n " \\("x") // no\n"""']),
    ("js", "x = `a ${b(`c ${'}'} /* */`)} d`; // e", ["// e"], ["`a ${b(`c ${'}'} /* */`)} d`"]),
    ("js", "`never ${ closed // x\n", [], ["`never ${ closed // x\n"]),
    ("js", "a = /[/\"'`]{/.test(b) / 2 // c", ["// c"], ["/[/\"'`]{/"]),
    ("js", "return /'/g; x = a / b / c; // d", ["// d"], ["/'/g"]),
    ("js", "(/* q */ /'/) // d", ["/* q */", "// d"], ["/'/"]),
    ("js", "x = y /* z */ / 'a' / 2", ["/* z */"], ["'a'"]),
    ("js", "<p>don't {f('x')} won't <br/> it</p> // c", ["// c"], ["'x'"]),
    ("js", "case'a': return'b'", [], ["'a'", "'b'"]),
    ("js", "x = 1 / 2; // half", ["// half"], []),
    ("tsx", "<a>see https://x.y</a>", [], []),
    ("go", "a := `raw \\` + `// \n` // c", ["// c"], ["`raw \\`", "`// \n`"]),
    ("go", "r := '\\'' + '\"' // c", ["// c"], ["'\\''", "'\"'"]),
    ("cs", '@"c:\\" + @"a""b" // c', ["// c"], ['"c:\\"', '"a""b"']),
    ("cs", '$@"x\n// no""" // c', ["// c"], ['"x\n// no"""']),
    ("cs", '$"{d["k"]} {{" + """a "" b""" // c', ["// c"], ['"{d["k"]} {{"', '"""a "" b"""']),
    ("cs", '""""\n""" // no\n"""" // c', ["// c"], ['""""\n""" // no\n""""']),
    ("java", 's = """\n  "x" \\""" // no\n  """; // c', ["// c"], ['"""\n  "x" \\""" // no\n  """']),
    ("java", "c = '\"'; // c", ["// c"], ["'\"'"]),
    ("php", "# a\n#[Attr]\n// b ?> <b>don't</b> <?php $x = 'c';", ["# a", "// b "], ["?> <b>don't</b> <?php", "'c'"]),
    ("php", "$a = <<<EOT\n  } // ' \n  EOT; // c", ["// c"], ["<<<EOT\n  } // ' \n  EOT"]),
    ("php", "$a = <<<'X'\nXY\nX; // c", ["// c"], ["<<<'X'\nXY\nX"]),
    ("php", '"{$a["x"]} \n" // c', ["// c"], ['"{$a["x"]} \n"']),
    ("dart", "r'\\' '${a['b']}' // c", ["// c"], ["'\\'", "'${a['b']}'"]),
    ("d", "/+ a /+ b +/ c +/ x", ["/+ a /+ b +/ c +/"], []),
    ("css", "a { b: url(//x); } /* c */", ["/* c */"], []),
    ("scss", "a { b: url(http://x); } // c", ["// c"], []),
    (
        "xml",
        "<a><!-- b - -- c --><![CDATA[ <!-- ]] ]]><!-- open",
        ["<!-- b - -- c -->", "<!-- open"],
        ["<![CDATA[ <!-- ]] ]]>"],
    ),
    ("html", "<SCRIPT a='>'>x<!-- y </p></script><!-- z -->", ["<!-- z -->"], ["x<!-- y </p>"]),
    ("html", "<script/><scripts> <style>a</style>", [], ["a"]),
    ("py", "x = '#' # c", ["# c"], ["'#'"]),
    ("py", 'd = \'"""\'\ny = 1 # c', ["# c"], ['\'"""\'']),
    ("py", 'x = """a # b\n"c" \\""" """ # d', ["# d"], ['"""a # b\n"c" \\""" """']),
    ("py", 'x = \'it\\\'s\' + """"a""" # c', ["# c"], ["'it\\'s'", '""""a"""']),
    ("py", 'f"{a["b # c"]}" # d', ["# d"], ['"{a["b # c"]}"']),
    ("py", "f'{f'{f'{1}'}'}' # d", ["# d"], ["'{f'{f'{1}'}'}'"]),
    ("py", 'f"{x:\'>10}" f"{\'}\'}" f"{{\'" # d', ["# d"], ['"{x:\'>10}"', "\"{'}'}\"", '"{{\'"']),
    ("py", 'f"{\'}\' + "a"}" # d', ["# d"], ['"{\'}\' + "a"}"']),
    ("py", "f'{x' # d", ["# d"], ["'{x'"]),
    ("py", "f'''{\na # '''\n}''' # d", ["# d"], ["'''{\na # '''\n}'''"]),
    ("py", "rf'\\{x!r}' b'a' # d", ["# d"], ["'\\{x!r}'", "'a'"]),
    ("py", 'x = \'open # c\ny = """open', ["# c"], ['"""open']),
]


@pytest.mark.parametrize(("suffix", "text", "comments", "strings"), TOKENS)
def test_tokens(suffix: str, text: str, comments: list[str], strings: list[str]) -> None:
    found = tokens(text, spoken(suffix))
    assert [text[a:b] for a, b, kind in found if kind == COMMENT] == comments
    assert [text[a:b] for a, b, kind in found if kind == STRING] == strings


def test_mask() -> None:
    text = 'a = "b\\\nc"; /* d\ne */ f'
    assert mask(text, tokens(text, C_STYLE)) == "a = ___\n__;     \n     f"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (
            "\"\"\"m\"\"\"\nclass A:\n    r'''Docs\n    go on.'''  # c\n    x = 1\n",
            ['"""m"""', "r'''Docs\n    go on.'''"],
        ),
        ('x = """a"""\nf("""b""")\ny = [\n    "c",\n    "d"\n]\n', []),
        ('"a" "b"\n"c" + d\n"e"', ['"a" "b"', '"e"']),
        ('_\n"a" \\\n  "b"\n', ['"a" \\\n  "b"']),
    ],
)
def test_docstrings(text: str, wanted: list[str]) -> None:
    assert [text[a:b] for a, b in docstrings(text, tokens(text, PYTHON))] == wanted


# ── laws ─────────────────────────────────────────────────────────────────────────────────────────

FRAGMENTS = [
    *"\"'`/\\#{}()[]<>$@*!?:;-+_.,|&=x1 \t\n",
    *("//", "/*", "*/", '"""', "'''", "\\\n", '\\"', 'R"(', ')"', 'r#"', '"#', "${", "\\(", "{$", "f'", 'f"', "rf'''"),
    *("<!--", "-->", "<![CDATA[", "]]>", "<script>", "</script>", "<?php", "?>", "<<<A\n", "\nA;", "@", '$"', '$@"'),
    *(
        "u8'",
        "L'",
        "don't",
        "1'0",
        "return ",
        "/+",
        "+/",
        "é",
        "\ud800",
        "\x01",
        "<style a='",
        "{{",
        "}}",
        "\\N{",
        "lambda",
    ),
]
NASTY = st.lists(st.sampled_from(FRAGMENTS), max_size=30).map("".join)


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(SUFFIXES), NASTY)
def test_tokens_are_sorted_disjoint_and_inside(suffix: str, text: str) -> None:
    found = tokens(text, spoken(suffix))
    edges = [edge for start, end, _ in found for edge in (start, end)]
    assert edges == sorted(edges)
    assert all(0 <= start < end <= len(text) and kind in (COMMENT, STRING) for start, end, kind in found)
    masked = mask(text, found)
    assert len(masked) == len(text)
    assert [i for i, sign in enumerate(masked) if sign == "\n"] == [i for i, sign in enumerate(text) if sign == "\n"]
    assert all(0 <= a < b <= len(text) for a, b in docstrings(text, found))


CLOSED = {
    "c": ["int a;", "/* } */", "// {", '"a\\"b"', "f('x');", "x = {};", "#error don't", "1'0"],
    "js": ["a;", "`${`}`}`", "/* ` */", "// `", "'\"';", "x = /'/;"],
    "rs": ["fn f<'a>() {}", "/* /* */ */", 'r#"""#;', "'{'"],
    "py": ["x = 1", "# '", "'#'", '"""a\n\'"""', "f'{a['b']}'", "f(", "{'a': 1}"],
    "html": ["<p>", "<!-- a\n -->", "<script>'</p></script>", "<![CDATA[ ]]>"],
    "cs": ['@"\\"', '"""a"b"""', '$"{a["b"]}"', "/* */", "// '"],
    "kt": ["/* /* */ */", '"""\\"""', '"${a["b"]}"'],
}


@settings(max_examples=200, deadline=None)
@given(st.data(), st.sampled_from(sorted(CLOSED)))
def test_what_is_closed_is_independent_of_what_follows(data: st.DataObject, suffix: str) -> None:
    closed = "\n".join(data.draw(st.lists(st.sampled_from(CLOSED[suffix]), max_size=5)))
    # a slash or an apostrophe at the very start of JavaScript depends on what stands before it
    tail = ";" + data.draw(NASTY)
    head, both = tokens(closed, spoken(suffix)), tokens(f"{closed}\n{tail}", spoken(suffix))
    shift = len(closed) + 1
    assert both == head + [(start + shift, end + shift, kind) for start, end, kind in tokens(tail, spoken(suffix))]


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(["c_style", "py", "xml"]), st.sampled_from(SUFFIXES), NASTY, NASTY, st.integers(0, 3))
def test_blocks_never_raise(kind: str, suffix: str, text: str, payload: str, first: int) -> None:
    lines = text.split("\n")
    first = min(first, len(lines) - 1)
    end = block_end(kind, text, language_of(f"x.{suffix}"), first, min(first + 1, len(lines) - 1), payload)
    if isinstance(end, BlockEnd):
        assert first <= end.line < len(lines)
        assert 0 < end.column <= len(lines[end.line])
        joined = close(kind, payload.split("\n"), lines[end.line][end.column :], spoken(suffix))
        assert isinstance(joined, Problem | list)
    else:
        assert end.kind in ("no_block", "ambiguous", "bad_patch")
        assert end.line >= 1
        assert end.detail


@pytest.mark.parametrize(
    ("suffix", "unit"),
    [
        *(
            (suffix, unit)
            for suffix in ("cpp", "php", "rs", "py")
            for unit in ("'\\'", '"\\"', "'\"", "/*/", "#'\n", 'r#"')
        ),
        *(
            (suffix, unit)
            for suffix in ("js", "kt", "swift", "cs")
            for unit in ('"${', "`${", '#" ', "(/[", '$"{', '"\\(', "/ ")
        ),
        *((suffix, unit) for suffix in ("py",) for unit in ("f'{", 'f"{"', "f'''{'", "\\", "(", "f'{a:{'")),
        *(
            (suffix, unit)
            for suffix in ("html", "xml")
            for unit in ("<a '", "<script '", '<!A["', "<!--", "<a <", "</", "<![CDATA[")
        ),
    ],
)
def test_cost_is_linear(suffix: str, unit: str) -> None:
    text = unit * (30_000 // len(unit))
    kind = {"py": "py", "html": "xml", "xml": "xml"}.get(suffix, "c_style")
    with at_most(seconds=1):
        tokens(text, spoken(suffix))
        block_end(kind, text, spoken(suffix), 0, 0, "x")


def test_python_agrees_with_tokenize() -> None:
    checked = 0
    for path in sorted(glob.glob(os.path.dirname(os.__file__) + "/*.py")):
        with open(path, encoding="utf-8", newline="") as file:
            text = file.read().replace("\r\n", "\n")
        try:
            wanted = [t for t in tokenize.generate_tokens(io.StringIO(text).readline) if t.type == tokenize.COMMENT]
        except (tokenize.TokenError, SyntaxError):
            continue
        starts = [0]
        for line in text.split("\n"):
            starts.append(starts[-1] + len(line) + 1)
        spans = [(starts[t.start[0] - 1] + t.start[1], starts[t.end[0] - 1] + t.end[1]) for t in wanted]
        assert [(a, b) for a, b, kind in tokens(text, PYTHON) if kind == COMMENT] == spans, path
        checked += len(spans)
    assert checked > 1000


# ── blocks ───────────────────────────────────────────────────────────────────────────────────────

KINDS = {"py": "py", "xml": "xml", "html": "xml"}


def replaced(suffix: str, text: str, marker: str, payload: str) -> str:
    """The text with the block replaced, or the kind of the refusal. The marker must stand there line by line, trimmed."""
    kind = KINDS.get(suffix, "c_style")
    lines, wanted = text.split("\n"), [line.strip() for line in marker.split("\n")]
    first = next(i for i in range(len(lines)) if [line.strip() for line in lines[i : i + len(wanted)]] == wanted)
    end = block_end(kind, text, language_of(f"x.{suffix}"), first, first + len(wanted) - 1, payload)
    if isinstance(end, Problem):
        return end.kind
    new = close(kind, payload.split("\n") if payload else [], lines[end.line][end.column :], language_of(f"x.{suffix}"))
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
    # what does not count
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
    ("cpp", "f() {\n#if 0\n {{{ don't\n#endif\n}\nz", "f() {", "f {}", "f {}\nz"),
    ("cpp", "f() {\n#if A\n {\n#endif\n b;\n#if A\n }\n#endif\n}\nz", "f() {", "f {}", "f {}\nz"),
    ("cpp", "#if A\nf() {\n#else\ng() {\n#endif\n}\nz", "f() {", "f() {}", "no_block"),
    ("cpp", "#if A\nf() {\n#else\ng() {\n#endif\n}\nz", "f() {", "f() {\n#else\nh() {\n#endif\n}", "#if A\nf() {\n#else\nh() {\n#endif\n}\nz"),
    ("cpp", "#if A\nf() {\n a;\n}\n#else\nf() {\n b;\n}\n#endif\n", "f() {\n b;", "f {}", "#if A\nf() {\n a;\n}\n#else\nf {}\n#endif\n"),
    ("cpp", "f() {\n#if A\n a; }\n#else\n b; }\n#endif\nz", "f() {", "f {}", "ambiguous"),
    ("cpp", "f() {\n#if A\n if (x) {\n#else\n y;\n#endif\n }\n}\n", "f() {", "f {}", "ambiguous"),
    # what stands behind the closing brace
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
    ("cpp", "if (a) {\n} else {\n}\nz", "} else {", "", "no_block"),
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


def test_refusals_say_where() -> None:
    text = "class A {\n void f() {\n }\n};\n"
    problem = block_end("c_style", text, None, 0, 1, "void f() {\n}")
    assert isinstance(problem, Problem)
    assert "line 4 or 3" in problem.detail
    problem = block_end("c_style", "\nf() {\n}\n", None, 1, 1, "f() {\n if (x) {\n")
    assert isinstance(problem, Problem)
    assert (problem.kind, problem.line) == ("bad_patch", 2)
    assert "line 2 of the payload" in problem.detail
    problem = block_end("py", "\nx: int = 1", None, 1, 1, "")
    assert isinstance(problem, Problem)
    assert problem.line == 2
    assert problem.advice


def test_another_family_falls_back_to_the_kind() -> None:
    assert block_end("c_style", "f() {\n}\n", PYTHON, 0, 0, "f() {}") == BlockEnd(1, 1)
    assert block_end("py", "if a:\n  b\n", XML, 0, 0, "") == BlockEnd(1, 3)
    assert block_end("xml", "<a\n>b</a> c\n", C_STYLE, 0, 1, "") == BlockEnd(1, 6)


def test_what_never_closes_is_no_block_and_no_crash() -> None:
    block = "operations:\n  - path: f.py\n    op: replace_py_block\n    marker: 'def f():'\n    payload: |-\n      def f():\n          return 0\n"
    result = anypatch.apply_to(block, {"f.py": "def f():\n    s = g(\n1,"})
    assert [problem.kind for problem in result.problems] == ["no_block"]
    line = (
        "language: c++\noperations:\n  - path: m.cpp\n    op: replace_text\n    marker: int x;\n    payload: int z;\n"
    )
    assert anypatch.apply_to(line, {"m.cpp": "\n  c2 */\n\nint y;\nint x; /* c1"}).plan.patch.ops

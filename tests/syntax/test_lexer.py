"""Comments and strings: tables of hard cases, laws on random text, and Python's own tokenizer as a judge."""

from __future__ import annotations

import glob
import io
import os
import tokenize

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anypatch.syntax.languages import C_STYLE, COMMENT, PYTHON, STRING
from anypatch.syntax.lexer import Lexed, docstrings, mask, tokens
from support.cost import at_most
from support.languages import NASTY, SUFFIXES, language_with

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
    ("py", 'f"{\'}\'}" f"{{\'" # d', ["# d"], ["\"{'}'}\"", '"{{\'"']),
    ("py", 'f"{\'}\' + "a"}" # d', ["# d"], ['"{\'}\' + "a"}"']),
    ("py", "f'{x' # d", ["# d"], ["'{x'"]),
    ("py", "f'''{\na # '''\n}''' # d", ["# d"], ["'''{\na # '''\n}'''"]),
    ("py", "rf'\\{x!r}' b'a' # d", ["# d"], ["'\\{x!r}'", "'a'"]),
    ("py", 'x = \'open # c\ny = """open', ["# c"], ['"""open']),
]


@pytest.mark.parametrize(("suffix", "text", "comments", "strings"), TOKENS)
def test_tokens(suffix: str, text: str, comments: list[str], strings: list[str]) -> None:
    result = tokens(text, language_with(suffix))
    assert [text[a:b] for a, b, kind in result if kind == COMMENT] == comments
    assert [text[a:b] for a, b, kind in result if kind == STRING] == strings


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


def test_lines_without_comments_and_docstrings() -> None:
    lines = ["def f():  # one", '    """Do', '    it."""', "    return 'a # b'  # two", "    # three"]
    lexed = Lexed(lines, PYTHON)
    assert lexed.code == ["def f():", '"""Do', 'it."""', "return 'a # b'", ""]
    assert lexed.statements == ["def f():", "", "", "return 'a # b'", ""]
    assert list(lexed.inside) == [0, 0, STRING, 0, 0, 0]


def test_white_space_around_comments() -> None:
    lexed = Lexed(["a /* b", " c */ d", "e /* f */ g /* h */ i", "j /*"], C_STYLE)
    assert lexed.code == ["a", "d", "e g i", "j"]
    assert list(lexed.inside) == [0, COMMENT, 0, 0, COMMENT]


# ── laws ─────────────────────────────────────────────────────────────────────────────────────────


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(SUFFIXES), NASTY)
def test_tokens_are_sorted_disjoint_and_inside(suffix: str, text: str) -> None:
    result = tokens(text, language_with(suffix))
    edges = [edge for start, end, _ in result for edge in (start, end)]
    assert edges == sorted(edges)
    assert all(0 <= start < end <= len(text) and kind in (COMMENT, STRING) for start, end, kind in result)
    masked = mask(text, result)
    assert len(masked) == len(text)
    assert [i for i, sign in enumerate(masked) if sign == "\n"] == [i for i, sign in enumerate(text) if sign == "\n"]
    assert all(0 <= a < b <= len(text) for a, b in docstrings(text, result))


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
def test_tokens_of_closed_text_do_not_depend_on_what_follows(data: st.DataObject, suffix: str) -> None:
    closed = "\n".join(data.draw(st.lists(st.sampled_from(CLOSED[suffix]), max_size=5)))
    # a slash or an apostrophe at the very start of JavaScript depends on what is before it
    tail = ";" + data.draw(NASTY)
    head, both = tokens(closed, language_with(suffix)), tokens(f"{closed}\n{tail}", language_with(suffix))
    shift = len(closed) + 1
    assert both == head + [
        (start + shift, end + shift, kind) for start, end, kind in tokens(tail, language_with(suffix))
    ]


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
    with at_most(seconds=1):
        tokens(unit * (30_000 // len(unit)), language_with(suffix))


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

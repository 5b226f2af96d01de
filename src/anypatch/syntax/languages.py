"""The one table of languages: files, lexical forms and grammar of each. No code per language."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

# The two sorts of tokens a lexer tells apart from code.
COMMENT, STRING = 1, 2


class Language(NamedTuple):
    """A language. `suffixes`: those of its files; `loose`: of files that only its lexer reads; `aliases`: other names.

    grammar: tree-sitter's name of it, "" where there is none. family: what its blocks look like; "script": nobody tells
    them, nor its strings, only its comments (scripts.py); "": not even those.
    forms: the comments and strings, in the order they are tried, as keys of `FORMS` in lexer.py.
    woven: those of them that can hold code, `hole` opens such code, `lead` is what must stand before such a string, a
    regular expression.
    directives: `#if … #else … #endif` choose between pieces of code. html: raw text and void elements exist.
    """

    name: str
    suffixes: str
    grammar: str = ""
    family: str = ""
    forms: tuple[str, ...] = ()
    aliases: str = ""
    loose: str = ""
    woven: tuple[str, ...] = ()
    hole: str = ""
    lead: str = ""
    directives: bool = False
    html: bool = False


_C = ("line_spliced", "block", "raw_cpp", "quote", "c_char")
_JS = ("line_url", "block", "regex", "quote", "js_apostrophe", "template")
_QUOTES = ("triple", "triple_apostrophe", "quote", "apostrophe")
_DART_RAW = ("raw_triple", "raw_triple_apostrophe", "raw_quote", "raw_apostrophe")

# fmt: off
_TABLE = (
    Language("python", "py pyi pyw", "python", "python", ("hash", *_QUOTES), aliases="python3", loose="pyx pxd",
             woven=_QUOTES, hole="{", lead=r"(?<!\w)[rR]?[fFtT]"),
    Language("javascript", "js mjs cjs jsx", "javascript", "c", _JS, aliases="node", woven=("template",), hole="${"),
    Language("typescript", "ts mts cts", "typescript", "c", _JS, woven=("template",), hole="${"),
    Language("tsx", "tsx", "tsx", "c", _JS, woven=("template",), hole="${"),
    Language("java", "java", "java", "c", ("line", "block", "triple", "quote", "char")),
    Language("c", "c", "c", "c", _C, directives=True),
    Language("c++", "h cc cpp cxx c++ hpp hh hxx h++ inl ipp tpp ino cu cuh", "cpp", "c", _C, loose="glsl hlsl",
             directives=True),
    Language("objective-c", "m mm", "", "c", _C, aliases="objc objectivec", directives=True),
    Language("go", "go", "go", "c", ("line", "block", "backquote", "quote", "char"), aliases="golang"),
    Language("rust", "rs", "rust", "c", ("line", "nested", "raw_rust", "quote_lines", "char")),
    Language("c#", "cs", "c_sharp", "c", ("line", "block", "verbatim", "raw_quotes", "quote", "char"),
             aliases="csharp c_sharp", woven=("quote",), hole="{", lead=r"\$", directives=True),
    Language("ruby", "rb rake gemspec", "ruby"),
    Language("php", "php phtml", "php", "c",
             ("line_php", "block", "hash_php", "heredoc", "outside_php", "quote_lines", "apostrophe_lines"),
             woven=("quote_lines",), hole="{$"),
    Language("html", "html htm xhtml", "html", "xml", ("markup_comment", "cdata", "raw_element"), loose="vue svelte",
             html=True),
    Language("xml", "xml svg xsd xsl xslt xaml axaml plist rss csproj vbproj fsproj props targets resx wsdl fxml ui",
             "xml", "xml", ("markup_comment", "cdata")),
    # the grammars up to here come with anypatch, the others are used where their package is installed
    Language("kotlin", "kt kts", "kotlin", "c", ("line", "nested", "triple_plain", "quote", "char", "ticked"),
             woven=("triple_plain", "quote"), hole="${"),
    Language("scala", "scala sc", "scala", "c", ("line", "nested", "triple_plain", "quote", "char", "ticked"),
             woven=("triple_plain", "quote"), hole="${", lead=r"\w"),
    Language("swift", "swift", "swift", "c", ("line", "nested", "hashed", "triple", "quote", "ticked"),
             woven=("triple", "quote"), hole="\\(", directives=True),
    Language("dart", "dart", "", "c", ("line", "nested", *_DART_RAW, *_QUOTES), woven=_QUOTES, hole="${"),
    Language("groovy", "groovy gradle", "groovy", "c", ("line", "block", *_QUOTES), woven=("triple", "quote"),
             hole="${"),
    Language("d", "d", "", "c", ("line", "block", "nested_plus", "backquote", "quote_lines", "char")),
    Language("protobuf", "proto", "", "c", ("line", "block", "quote", "apostrophe")),
    Language("css", "css", "css", "c", ("block", "quote", "apostrophe")),
    Language("scss", "scss", "scss", "c", ("line_url", "block", "quote", "apostrophe"), loose="less"),
    Language("bash", "sh bash", "bash", "script", aliases="shell", loose="ksh bashrc bash_profile"),
    Language("yaml", "yaml yml", "", "script"), Language("toml", "toml", "", "script"),
    Language("ini", "ini cfg", "", "script"), Language("make", "mk mak", "", "script", aliases="makefile"),
    Language("lua", "lua", "lua"), Language("zig", "zig", "zig"),
    Language("julia", "jl", "julia"), Language("haskell", "hs", "haskell"), Language("ocaml", "ml", "ocaml"),
    Language("elixir", "ex exs", "elixir"),
)
# fmt: on
_WITHOUT_COMMENTS = ("md", "markdown", "rst", "json", "csv", "tsv", "lock", "ipynb")
_BY_SUFFIX = {suffix: row for row in _TABLE for suffix in f"{row.suffixes} {row.loose}".split()}
_BY_NAME = _BY_SUFFIX | {name: row for row in _TABLE for name in (row.name, *row.aliases.split())}

C_STYLE, PYTHON, XML = _BY_NAME["c++"], _BY_NAME["python"], _BY_NAME["xml"]


@lru_cache(maxsize=256)
def language_of(path: str, fallback: str = "") -> Language | None:
    """The language of a file, if it has a lexer: its suffix decides, then the patch's own word for it."""
    suffix = suffix_of(path)
    row = _BY_SUFFIX.get(suffix)
    if row is None or not row.family:
        if suffix in _WITHOUT_COMMENTS:
            return None
        is_make = path[path.rfind("/") + 1 :].lower() in ("makefile", "gnumakefile")
        row = _BY_NAME["make"] if is_make else _BY_NAME.get(fallback.strip().lower())
    return row if row and row.family else None


def grammar_of(path: str) -> str:
    """The name of the grammar that a file's suffix asks for; "" where none is known."""
    suffix = suffix_of(path)
    row = _BY_SUFFIX.get(suffix)
    return row.grammar if row and suffix in row.suffixes.split() else ""


def grammar_named(language: str) -> str:
    """The grammar of a language by its name: as the grammar is called, as people do, or a suffix."""
    name = language.strip().lower().replace("-", "_")
    row = _BY_NAME.get(name)
    return row.grammar if row and name not in row.loose.split() else ""


def suffix_of(path: str) -> str:
    """What stands behind the last dot of a file's name, in small letters; "" without a dot."""
    name = path[path.rfind("/") + 1 :]
    return name[name.rfind(".") + 1 :].lower() if "." in name else ""

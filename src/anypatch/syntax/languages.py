"""The table of languages: their file suffixes, comments, strings and grammars. Data only, no code per language."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

# The two kinds of tokens that the lexer finds; everything else is code.
COMMENT, STRING = 1, 2


class Language(NamedTuple):
    """A language.

    suffixes: of its files; lexer_suffixes: of files that its lexer can read but its grammar can't.
    grammar: tree-sitter's name for it, "" if it has none.
    family: what its blocks look like ("c", "python", "xml"), "" if there is no lexer for it.
    forms: its comments and strings, keys of `FORMS` in lexer.py, in the order in which they are tried.
    interpolated: those of the forms that can hold code; hole: what opens the code; prefix: a regular expression that
    must match before such a string.
    directives: `#if … #else … #endif` choose between pieces of code. html: there are raw text and void elements.
    """

    name: str
    suffixes: str
    grammar: str = ""
    family: str = ""
    forms: tuple[str, ...] = ()
    aliases: str = ""
    lexer_suffixes: str = ""
    interpolated: tuple[str, ...] = ()
    hole: str = ""
    prefix: str = ""
    directives: bool = False
    html: bool = False


_C = ("line_spliced", "block", "raw_cpp", "quote", "c_char")
_JS = ("line_url", "block", "regex", "quote", "js_apostrophe", "template")
_QUOTES = ("triple", "triple_apostrophe", "quote", "apostrophe")

# fmt: off
_TABLE = (
    Language("python", "py pyi pyw", "python", "python", ("hash", *_QUOTES), aliases="python3",
             lexer_suffixes="pyx pxd", interpolated=_QUOTES, hole="{", prefix=r"(?<!\w)[rR]?[fFtT]"),
    Language("javascript", "js mjs cjs jsx", "javascript", "c", _JS, aliases="node", interpolated=("template",),
             hole="${"),
    Language("typescript", "ts mts cts", "typescript", "c", _JS, interpolated=("template",), hole="${"),
    Language("tsx", "tsx", "tsx", "c", _JS, interpolated=("template",), hole="${"),
    Language("java", "java", "java", "c", ("line", "block", "triple", "quote", "char")),
    Language("c", "c", "c", "c", _C, directives=True),
    Language("c++", "h cc cpp cxx c++ hpp hh hxx h++ inl ipp tpp ino cu cuh", "cpp", "c", _C,
             lexer_suffixes="glsl hlsl", directives=True),
    Language("objective-c", "m mm", "", "c", _C, aliases="objc objectivec", directives=True),
    Language("go", "go", "go", "c", ("line", "block", "backquote", "quote", "char"), aliases="golang"),
    Language("rust", "rs", "rust", "c", ("line", "nested", "raw_rust", "quote_lines", "char")),
    Language("c#", "cs", "c_sharp", "c", ("line", "block", "verbatim", "raw_quotes", "quote", "char"),
             aliases="csharp c_sharp", interpolated=("quote",), hole="{", prefix=r"\$", directives=True),
    Language("ruby", "rb rake gemspec", "ruby"),
    Language("php", "php phtml", "php", "c",
             ("line_php", "block", "hash_php", "heredoc", "outside_php", "quote_lines", "apostrophe_lines"),
             interpolated=("quote_lines",), hole="{$"),
    Language("html", "html htm xhtml", "html", "xml", ("markup_comment", "cdata", "raw_element"),
             lexer_suffixes="vue svelte", html=True),
    Language("xml", "xml svg xsd xsl xslt xaml axaml plist rss csproj vbproj fsproj props targets resx wsdl fxml ui",
             "xml", "xml", ("markup_comment", "cdata")),
    # The grammars above are installed with anypatch; those below are used if their package is installed.
    Language("kotlin", "kt kts", "kotlin", "c", ("line", "nested", "triple_plain", "quote", "char", "ticked"),
             interpolated=("triple_plain", "quote"), hole="${"),
    Language("scala", "scala sc", "scala", "c", ("line", "nested", "triple_plain", "quote", "char", "ticked"),
             interpolated=("triple_plain", "quote"), hole="${", prefix=r"\w"),
    Language("swift", "swift", "swift", "c", ("line", "nested", "triple", "quote", "ticked"), directives=True),
    Language("dart", "dart", "", "c", ("line", "nested", *_QUOTES), interpolated=_QUOTES, hole="${"),
    Language("groovy", "groovy gradle", "groovy", "c", ("line", "block", *_QUOTES), interpolated=("triple", "quote"),
             hole="${"),
    Language("protobuf", "proto", "", "c", ("line", "block", "quote", "apostrophe")),
    Language("css", "css", "css", "c", ("block", "quote", "apostrophe")),
    Language("scss", "scss", "scss", "c", ("line_url", "block", "quote", "apostrophe"), lexer_suffixes="less"),
    Language("bash", "sh bash", "bash", aliases="shell"),
    Language("lua", "lua", "lua"), Language("zig", "zig", "zig"),
    Language("julia", "jl", "julia"), Language("haskell", "hs", "haskell"), Language("ocaml", "ml", "ocaml"),
    Language("elixir", "ex exs", "elixir"),
)
# fmt: on
_NOT_CODE = "md markdown rst json ipynb csv tsv lock yaml yml toml ini cfg mk mak makefile gnumakefile"
_BY_SUFFIX = {suffix: row for row in _TABLE for suffix in f"{row.suffixes} {row.lexer_suffixes}".split()}
_BY_NAME = _BY_SUFFIX | {name: row for row in _TABLE for name in (row.name, *row.aliases.split())}

# How a function or class of Python begins: the one list of what begins a declaration without a grammar. In languages
# with braces the words below name a type, and any name with parameters before a brace a function.
PYTHON_DEFINITION = r"(?:async[ \t]+)?(?P<word>def|class)[ \t]+(?P<name>\w+)"
TYPE_WORDS = ("class", "struct", "interface", "enum", "union", "namespace", "trait", "record")

# How a comment on a line of its own begins, in any language: the one list for where the language isn't known.
_COMMENT_LINE = re.compile(r"\s*(?:#+|//+|--|;+|%|/\*+|<!--|\{/\*)")
_COMMENT_ENDS = ("*/}", "*/", "-->")

C_STYLE, PYTHON, XML = _BY_NAME["c++"], _BY_NAME["python"], _BY_NAME["xml"]


def comment_text(line: str) -> str | None:
    """Return what a line says that is a comment in some language: `// a.py`, `/* a.py */`; None if it isn't one."""
    sign = _COMMENT_LINE.match(line)
    if sign is None:
        return None
    text = line[sign.end() :].rstrip()
    end = next((end for end in _COMMENT_ENDS if text.endswith(end)), "")
    return text.removesuffix(end).rstrip("*" if end else None).strip()


@lru_cache(maxsize=256)
def language_of(path: str, fallback: str = "") -> Language | None:
    """Return the language of a file if there is a lexer for it.

    The suffix decides. For one that is in no table it is `fallback`, the language that the patch names.
    """
    suffix = suffix_of(path) or path.rpartition("/")[2].lower()
    row = None if suffix in _NOT_CODE.split() else _BY_SUFFIX.get(suffix) or _BY_NAME.get(fallback.strip().lower())
    return row if row and row.family else None


def grammar_of(path: str) -> str:
    """Return the name of the grammar for a file, by its suffix; "" if there is none."""
    suffix = suffix_of(path)
    row = _BY_SUFFIX.get(suffix)
    return row.grammar if row and suffix in row.suffixes.split() else ""


def grammar_named(language: str) -> str:
    """Return the grammar of a language that is given by its name, by an alias or by a suffix; "" if there is none."""
    name = language.strip().lower().replace("-", "_")
    row = _BY_NAME.get(name)
    return row.grammar if row and name not in row.lexer_suffixes.split() else ""


def suffix_of(path: str) -> str:
    """Return what follows the last dot of a file's name, in lower case; "" without a dot."""
    name = path.rpartition("/")[2]
    return name.rpartition(".")[2].lower() if "." in name else ""

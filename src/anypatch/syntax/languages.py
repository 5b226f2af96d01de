"""The one table of languages: which lexical forms each has, which file is written in which. No code per language."""

from __future__ import annotations

from ..record import NamedTuple

# The two sorts of tokens a lexer tells apart from code.
COMMENT, STRING = 1, 2


class Language(NamedTuple):
    """A language as its lexer needs it. The names in `forms` and `woven` are keys of `FORMS` in lexer.py.

    forms: the comments and strings, in the order they are tried; woven: those of them that can hold code,
    `hole` opens such code, `lead` are the signs one of which must stand before such a string ("" for none).
    odd: signs that make a string behind them need a second look.
    directives: `#if … #else … #endif` choose between pieces of code. html: raw text and void elements exist.
    """

    name: str
    family: str
    forms: tuple[str, ...]
    woven: tuple[str, ...] = ()
    hole: str = ""
    lead: str = ""
    odd: str = ""
    directives: bool = False
    html: bool = False


_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
_C = ("line_spliced", "block", "raw_cpp", "quote", "c_char")
_JS = ("line_url", "block", "regex", "quote", "js_apostrophe", "template")
_QUOTES = ("triple", "triple_apostrophe", "quote", "apostrophe")
_DART_RAW = ("raw_triple", "raw_triple_apostrophe", "raw_quote", "raw_apostrophe")

# fmt: off
_TABLE = (
    Language("c", "c", _C, odd="R", directives=True),
    Language("c++", "c", _C, odd="R", directives=True),
    Language("objective-c", "c", _C, odd="R", directives=True),
    Language("java", "c", ("line", "block", "triple", "quote", "char")),
    Language("javascript", "c", _JS, woven=("template",), hole="${"),
    Language("typescript", "c", _JS, woven=("template",), hole="${"),
    Language("go", "c", ("line", "block", "backquote", "quote", "char")),
    Language("rust", "c", ("line", "nested", "raw_rust", "quote_lines", "char")),
    Language("c#", "c", ("line", "block", "verbatim", "raw_quotes", "quote", "char"),
             woven=("quote",), hole="{", lead="$", directives=True),
    Language("php", "c", ("line_php", "block", "hash_php", "heredoc", "outside_php", "quote_lines", "apostrophe_lines"),
             woven=("quote_lines",), hole="{$"),
    Language("kotlin", "c", ("line", "nested", "triple_plain", "quote", "char", "ticked"),
             woven=("triple_plain", "quote"), hole="${"),
    Language("scala", "c", ("line", "nested", "triple_plain", "quote", "char", "ticked"),
             woven=("triple_plain", "quote"), hole="${", lead=_LETTERS),
    Language("swift", "c", ("line", "nested", "hashed", "triple", "quote", "ticked"),
             woven=("triple", "quote"), hole="\\(", directives=True),
    Language("dart", "c", ("line", "nested", *_DART_RAW, *_QUOTES), woven=_QUOTES, hole="${"),
    Language("groovy", "c", ("line", "block", *_QUOTES), woven=("triple", "quote"), hole="${"),
    Language("d", "c", ("line", "block", "nested_plus", "backquote", "quote_lines", "char")),
    Language("protobuf", "c", ("line", "block", "quote", "apostrophe")),
    Language("css", "c", ("block", "quote", "apostrophe")),
    Language("scss", "c", ("line_url", "block", "quote", "apostrophe")),
    Language("python", "python", ("hash", *_QUOTES), odd="fFtT"),
    Language("xml", "xml", ("markup_comment", "cdata")),
    Language("html", "xml", ("markup_comment", "cdata", "raw_element"), html=True),
)
_SUFFIXES = {
    "c": "c", "c++": "h cc cpp cxx c++ hpp hh hxx h++ inl ipp tpp ino cu cuh glsl hlsl", "objective-c": "m mm",
    "java": "java", "javascript": "js mjs cjs jsx", "typescript": "ts mts cts tsx", "go": "go", "rust": "rs",
    "c#": "cs", "php": "php phtml", "kotlin": "kt kts", "swift": "swift", "scala": "scala sc", "dart": "dart",
    "groovy": "groovy gradle", "d": "d", "protobuf": "proto", "css": "css", "scss": "scss less",
    "python": "py pyi pyw pyx pxd", "html": "html htm xhtml vue svelte",
    "xml": "xml svg xsd xsl xslt xaml axaml plist rss csproj vbproj fsproj props targets resx wsdl fxml ui",
}
_ALIASES = {
    "c++": "cpp cxx", "python": "py python3", "javascript": "js jsx node", "typescript": "ts tsx", "go": "golang",
    "rust": "rs", "c#": "cs csharp", "kotlin": "kt", "objective-c": "objc objectivec", "protobuf": "proto",
    "scss": "less",    "html": "htm xhtml vue", "xml": "svg",
}
# fmt: on
_WITHOUT_COMMENTS = ("md", "markdown", "rst", "json", "csv", "tsv", "lock", "ipynb")
_BY_NAME = {language.name: language for language in _TABLE}

C_STYLE, PYTHON, XML = _BY_NAME["c++"], _BY_NAME["python"], _BY_NAME["xml"]


def language_of(path: str, fallback: str = "") -> Language | None:
    """The language of a file: its suffix decides, then the patch's own word for it."""
    suffix = suffix_of(path)
    if suffix in _WITHOUT_COMMENTS:
        return None
    return _by(suffix, _SUFFIXES) or _named(fallback.strip().lower())


def suffix_of(path: str) -> str:
    """What stands behind the last dot of a file's name, in small letters; "" without a dot."""
    name = path[path.rfind("/") + 1 :]
    return name[name.rfind(".") + 1 :].lower() if "." in name else ""


def _named(word: str) -> Language | None:
    return _BY_NAME.get(word) or _by(word, _ALIASES)


def _by(word: str, table: dict[str, str]) -> Language | None:
    for name, words in table.items():
        if word and word in words.split():
            return _BY_NAME[name]
    return None

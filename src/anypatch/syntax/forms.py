"""The lexical forms of all languages, as regular expressions. Only data and the joining of it; reads no text.

Every form begins with a literal character, so that the engine skips to the next candidate by a set of characters;
what must stand before it is asked behind that character. Loops are possessive: no form can blow up.
A quote behind a backslash begins no string: thus one line costs at most one failed reading for each kind of quote.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from re import Pattern

    from .languages import Language

_BODY = r"[^{q}\\{n}]*+(?:\\.[^{q}\\{n}]*+)*+{q}"
_TRIPLE = r"{q}{q}{q}[^{q}\\]*+(?:(?:\\.|{q}(?!{q}{q}))[^{q}\\]*+)*+(?:{q}{q}{q})?"
_RAW_TRIPLE = r"{q}(?<=\br{q}){q}{q}[^{q}]*+(?:{q}(?!{q}{q})[^{q}]*+)*+(?:{q}{q}{q})?"
_TO_PHP_END = r"[^\n?]*+(?:\?(?!>)[^\n?]*+)*+"
_BEFORE_APOSTROPHE = (
    "return case typeof in of import from else do void delete throw new instanceof yield await default as"
)


def _strings(form: str, newline: str = "") -> tuple[str, str]:
    """A form for the double and for the single quote."""
    return form.replace("{q}", '"').replace("{n}", newline), form.replace("{q}", "'").replace("{n}", newline)


_QUOTE, _APOSTROPHE = _strings(_BODY, r"\n")
_QUOTE_LINES, _APOSTROPHE_LINES = _strings(_BODY)
_FRESH, _FRESH_APOSTROPHE = _strings(r"{q}(?<!\\{q})")

FORMS = {
    # comments
    "line": r"//[^\n]*+",
    "line_spliced": r"//[^\\\n]*+(?:\\.?[^\\\n]*+)*+",
    "line_url": r"/(?<!https:/)(?<!http:/)/[^\n]*+",
    "line_php": "//" + _TO_PHP_END,
    "hash": r"#[^\n]*+",
    "hash_php": r"#(?!\[)" + _TO_PHP_END,
    "block": r"/\*[^*]*+(?:\*(?!/)[^*]*+)*+(?:\*/)?",
    "nested": r"/\*",
    "nested_plus": r"/\+",
    "markup_comment": r"<!--[^-]*+(?:-(?!->)[^-]*+)*+(?:-->)?",
    # strings of one line
    "quote": _FRESH + _QUOTE,
    "apostrophe": _FRESH_APOSTROPHE + _APOSTROPHE,
    "c_char": _FRESH_APOSTROPHE + r"(?:(?<!\w')|(?<=\b[uUL]')|(?<=\bu8'))" + _APOSTROPHE,
    # text between tags has apostrophes too: behind a letter one is a quote only if the letters are a keyword
    "js_apostrophe": _FRESH_APOSTROPHE
    + r"(?:(?<![\w$]')|"
    + "|".join(rf"(?<=\b{word}')" for word in _BEFORE_APOSTROPHE.split())
    + ")"
    + _APOSTROPHE,
    "char": r"'(?:\\[^\n][^'\\\n]{0,10}|[^'\\\n])'",
    "ticked": r"`[^`\n]*+`",
    "raw_quote": r'"(?<=\br")[^"\n]*+"',
    "raw_apostrophe": r"'(?<=\br')[^'\n]*+'",
    # strings of several lines; those without an end run to the end of the text
    "quote_lines": _FRESH + _QUOTE_LINES,
    "apostrophe_lines": _FRESH_APOSTROPHE + _APOSTROPHE_LINES,
    "triple": _strings(_TRIPLE)[0],
    "triple_apostrophe": _strings(_TRIPLE)[1],
    "raw_triple": _strings(_RAW_TRIPLE)[0],
    "raw_triple_apostrophe": _strings(_RAW_TRIPLE)[1],
    "triple_plain": r'"""[^"]*+(?:"(?!"")[^"]*+)*+(?:"{3,})?',
    "backquote": r"`[^`]*+`?",
    "verbatim": r'"(?:(?<=@")|(?<=@\$"))[^"]*+(?:""[^"]*+)*+"?',
    "cdata": r"<!\[CDATA\[[^\]]*+(?:\](?!\]>)[^\]]*+)*+(?:\]\]>)?",
    "outside_php": r"\?>[^<]*+(?:<(?!\?)[^<]*+)*+(?:<\?(?:php\b|=)?)?",
    # only the beginning; special.py finds the end
    "raw_cpp": r'"(?:(?<=\bR")|(?<=\b[uUL]R")|(?<=\bu8R"))[^()\\\s"]{0,16}\(',
    "raw_rust": r'"(?:(?<=r")|(?<=#"))',
    "raw_quotes": r'"""+',
    "hashed": r'"(?<=#")(?:"")?',
    "heredoc": r"<<<[ \t]*(?:\"[^\W\d]\w*\"|'[^\W\d]\w*'|[^\W\d]\w*)\n",
    "template": "`",
    "regex": "/(?![/*>])",
    "raw_element": r"<(?:[sS][cC][rR][iI][pP][tT]|[sS][tT][yY][lL][eE])(?=[\s/>])",
}
COMMENTS = frozenset(name for name in FORMS if name.startswith(("line", "hash_", "block", "nested", "markup"))) | {
    "hash"
}

_compiled: dict[tuple[str, ...], Pattern[str]] = {}


def whole(language: Language) -> Pattern[str]:
    """All forms of a language in one group, for splitting a text at them."""
    return _pattern(("split", *language.forms))


def numbered(language: Language, *more: str) -> Pattern[str]:
    """All forms, each ending in an empty group of its own: `lastindex` tells which one was found. `more` come last."""
    return _pattern(("number", *language.forms, *more))


def form(name: str) -> Pattern[str]:
    """One form alone."""
    return _pattern(("alone", name))


def pattern(source: str) -> Pattern[str]:
    """A pattern that is no form, compiled once."""
    return _pattern(("source", source))


def _pattern(key: tuple[str, ...]) -> Pattern[str]:
    if key not in _compiled:
        import re

        sources = [FORMS.get(name, name) for name in key[1:]]
        joined = "|".join(source + "()" for source in sources) if key[0] == "number" else "|".join(sources)
        _compiled[key] = re.compile(f"({joined})" if key[0] == "split" else joined, re.DOTALL)
    return _compiled[key]

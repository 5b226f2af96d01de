"""Comments and strings of all languages, found by one alternation of regular expressions a language. Parses nothing.

Every form begins with a literal character, so that the engine skips to the next candidate by a set of characters;
what must stand before it is asked behind that character. Loops are possessive: no form can blow up.
A quote behind a backslash begins no string: thus one line costs at most one failed reading for each kind of quote.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

from ..text import end_of_line, pattern
from .languages import COMMENT, STRING, Language

if TYPE_CHECKING:
    from re import Pattern

    Span = tuple[int, int]
    Tokens = list[tuple[int, int, int]]

__all__ = [
    "ATTRIBUTES", "COMMENT", "FORMS", "STRING", "blotted", "covered", "docstrings", "flat",
    "logical_lines", "mask", "pattern", "raw_end", "switch_in", "tokens",
]  # fmt: skip

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
    # only the beginning; `_ENDS` has what finds the end
    "raw_cpp": r'"(?:(?<=\bR")|(?<=\b[uUL]R")|(?<=\bu8R"))[^()\\\s"]{0,16}\(',
    "raw_rust": r'"(?:(?<=r")|(?<=#"))',
    "raw_quotes": r'"""+',
    "hashed": r'"(?<=#")(?:"")?',
    "heredoc": r"<<<[ \t]*(?:\"[^\W\d]\w*\"|'[^\W\d]\w*'|[^\W\d]\w*)\n",
    "template": "`",
    "regex": "/(?![/*>])",
    "raw_element": r"<(?:[sS][cC][rR][iI][pP][tT]|[sS][tT][yY][lL][eE])(?=[\s/>])",
}
_COMMENTS = frozenset(takewhile(lambda name: name != "quote", FORMS))


def tokens(text: str, language: Language) -> Tokens:
    """(start, end, kind) of every comment and string, from a normal state at the beginning of the text.

    One token after the other; where a form alone cannot tell the end, `_reread` does, and the search starts anew.
    """
    if language.family == "script":
        from .scripts import comments

        return comments(text, language.name)
    if language.family == "xml" and "<!" not in text and not language.html:
        return []
    scan, kinds, looks = _reading(language)
    found: Tokens = []
    # what readings that come to nothing may cost together: not more than two readings of the text
    state = _Scan(text, language, found, [2 * len(text) + 10_000])
    start, position = 0, -1
    while position != start:
        position = start
        for match in scan.finditer(text, position):
            begin, end = match.span()
            index = match.lastindex or 0
            name = looks[index]
            if name and (name in _ENDS or text.find(language.hole, begin, end) >= 0):
                begin, start = _reread(state, (begin, end), name)
                if begin < start:
                    found.append((begin, start, kinds[index]))
                if start != end:
                    break
            else:
                found.append((begin, end, kinds[index]))
        else:
            break
    return found


@cache
def _reading(language: Language) -> tuple[Pattern[str], list[int], list[str]]:
    """All forms in one pattern; for each of its groups the kind of token, and its form where it needs a second look."""
    kinds = [0] + [COMMENT if name in _COMMENTS else STRING for name in language.forms]
    looks = [""] + [name if name in _ENDS or name in language.woven else "" for name in language.forms]
    return _numbered(language), kinds, looks


def mask(text: str, found: Tokens) -> str:
    """The text with comments as spaces and strings as "_": same length, same newlines."""
    return covered(text, found, lambda piece, kind: blotted(piece, " " if kind == COMMENT else "_"))


def covered(text: str, spans: Iterable[tuple[int, int, int]], cover: Callable[[str, int], str]) -> str:
    """The text with some spans, sorted, put otherwise; they may lie inside one another."""
    pieces = []
    at = 0
    for start, end, kind in spans:
        if end > at:
            begin = max(start, at)
            pieces += [text[at:begin], cover(text[begin:end], kind)]
            at = end
    return "".join([*pieces, text[at:]])


def docstrings(text: str, found: Tokens) -> list[tuple[int, int]]:
    """Python: the spans of statements that are nothing but a string."""
    plain = flat(text, found)
    only_strings = pattern("(?:[rRbBuUfFtT]{0,2}\x01+[ \t]*+)++")
    spans = []
    for start, end in logical_lines(plain):
        if "\x01" in plain[start : start + 3] and only_strings.fullmatch(plain, start, end):
            spans.append((start, start + len(plain[start:end].rstrip(" \t"))))
    return spans


def blotted(piece: str, sign: str) -> str:
    """A piece of text with nothing left of it but its newlines."""
    if "\n" not in piece:
        return sign * len(piece)
    return "\n".join([sign * len(line) for line in piece.split("\n")])


def _numbered(language: Language, *more: str) -> Pattern[str]:
    """All forms, each ending in an empty group of its own: `lastindex` tells which one was found. `more` come last."""
    return pattern("|".join([f"{source}()" for source in (*(FORMS[name] for name in language.forms), *more)]))


# ── logical lines of Python ────────────────────────────────────────────────────────────────────────


# words that begin a statement and can never begin a line inside brackets: an unclosed bracket above ends there
_STATEMENT = (
    "(?:def|class|while|with|try|except|finally|return|raise|import|del|pass|break|continue|global|nonlocal|assert"
    r"|async[ \t]+(?:def|with))"
)
_EVENTS = rf"\n(?=[ \t]*{_STATEMENT}\b)()|\n()|[(\[{{]()|[)\]}}]()"


def flat(text: str, found: list[tuple[int, int, int]]) -> str:
    """The text with comments as spaces, strings as \\x01 with their newlines, continued lines joined; same length."""
    plain = covered(text, found, lambda piece, kind: (" " if kind == COMMENT else "\x01") * len(piece))
    return plain.replace("\\\n", "  ")


def logical_lines(plain: str) -> Iterator[tuple[int, int]]:
    """(start, end) of every logical line that holds code: from its first sign to its newline, both of the flat text."""
    begin = depth = 0
    blanks = pattern(r"[ \t\f\r]*+")
    for match in pattern(_EVENTS).finditer(plain):
        event = match.lastindex
        if event == 3:
            depth += 1
        elif event == 4:
            depth = max(depth - 1, 0)
        elif event == 1 or not depth:
            first = _skip(blanks, plain, begin)
            if first < match.start():
                yield first, match.start()
            begin, depth = match.end(), 0
    first = _skip(blanks, plain, begin)
    if first < len(plain):
        yield first, len(plain)


def _skip(blanks: Pattern[str], plain: str, begin: int) -> int:
    match = blanks.match(plain, begin)
    return match.end() if match else begin


# ── tokens whose end a form alone cannot tell ──────────────────────────────────────────────────────


_REGEX = r"/(?:[^/\\\[\n]|\\[^\n]|\[[^\]\\\n]*+(?:\\[^\n][^\]\\\n]*+)*+\])++/\w*+"
_BEFORE_REGEX = "return typeof case in of delete void throw new else do instanceof yield await default extends"
ATTRIBUTES = r"""[^<>"']*+(?:(?:"[^"]*+"|'[^']*+')[^<>"']*+)*+"""


class _Scan(NamedTuple):
    """One reading of a text: what was found so far, and in budget[0] the cost that failed readings may still have."""

    text: str
    language: Language
    found: Tokens
    budget: list[int]


def _reread(scan: _Scan, span: Span, name: str) -> Span:
    """The true span of what form `name` found. An empty one: no token, go on at its end."""
    if name in _ENDS:
        return _ENDS[name](scan, span)
    return (span[0], max(_woven(scan, span[0], name), span[1])) if _holds_code(scan, span, name) else span


# ── ends that a plain search finds ───────────────────────────────────────────────────────────────


def _nested(scan: _Scan, span: Span) -> Span:
    text = scan.text
    opener = text[span[0] : span[1]]
    depth = 1
    for match in pattern(r"/\*|\*/" if opener == "/*" else r"/\+|\+/").finditer(text, span[1]):
        depth += 1 if match.group() == opener else -1
        if not depth:
            return span[0], match.end()
    return span[0], len(text)


def _until(text: str, begin: int, closer: str, position: int) -> Span:
    at = text.find(closer, position)
    return begin, at + len(closer) if at >= 0 else len(text)


def _raw_cpp(scan: _Scan, span: Span) -> Span:
    text = scan.text
    return _until(text, span[0], ")" + text[span[0] + 1 : span[1] - 1] + '"', span[1])


def _hashes(text: str, begin: int) -> int:
    count = 0
    while count < begin and text[begin - count - 1] == "#":
        count += 1
    return count


def _raw_rust(scan: _Scan, span: Span) -> Span:
    text = scan.text
    hashes = _hashes(text, span[0])
    before = text[max(span[0] - hashes - 3, 0) : span[0] - hashes]
    if pattern(r"(?:.*\W)?[bc]?r").fullmatch(before):
        return _until(text, span[0], '"' + "#" * hashes, span[1])
    match = pattern(FORMS["quote_lines"]).match(text, span[0])
    return (span[0], match.end()) if match else (span[1], span[1])


def _raw_quotes(scan: _Scan, span: Span) -> Span:
    text = scan.text
    return _until(text, span[0], text[span[0] : span[1]], span[1])


def _hashed(scan: _Scan, span: Span) -> Span:
    text, budget = scan.text, scan.budget
    closer = text[span[0] : span[1]] + "#" * _hashes(text, span[0])
    if closer.startswith('"""'):
        return _until(text, span[0], closer, span[1])
    stop = end_of_line(text, span[1]) if budget[0] > 0 else span[1]
    at = text.find(closer, span[1], stop)
    if at < 0:
        budget[0] -= stop - span[1]
        return span[1], span[1]
    return span[0], at + len(closer)


def _heredoc(scan: _Scan, span: Span) -> Span:
    text = scan.text
    label = text[span[0] : span[1]].strip("< \t\n\"'")
    match = re.compile(rf"\n[ \t]*+{label}\b").search(text, span[1] - 1)
    return span[0], match.end() if match else len(text)


def _raw_element(scan: _Scan, span: Span) -> Span:
    text = scan.text
    match = pattern(ATTRIBUTES).match(text, span[1])
    end = match.end() if match else span[1]
    if text[end : end + 1] != ">" or text[end - 1] == "/":
        return end, end
    return end + 1, raw_end(text, text[span[0] + 1 : span[1]].lower(), end)


def raw_end(text: str, name: str, position: int) -> int:
    """Where the closing tag of an element begins whose contents are no markup, or the text ends."""
    closer = pattern("</" + "".join(f"[{sign}{sign.upper()}]" for sign in name) + r"(?=[\s/>])")
    match = closer.search(text, position)
    return match.start() if match else len(text)


# ── JavaScript's regular expressions ─────────────────────────────────────────────────────────────


def _regex(scan: _Scan, span: Span) -> Span:
    """A slash begins a regular expression only where a value may begin, and only if it ends on its line."""
    text, budget = scan.text, scan.budget
    begin = span[0]
    if budget[0] <= 0 or not _value_begins(text, begin, scan.found):
        return span[1], span[1]
    match = pattern(_REGEX).match(text, begin)
    if match:
        return begin, match.end()
    budget[0] -= end_of_line(text, begin) - begin
    return span[1], span[1]


def _value_begins(text: str, position: int, found: Tokens) -> bool:
    new_line = False
    index = len(found) - 1
    while position:
        if index >= 0 and found[index][1] == position:
            if found[index][2] != COMMENT:
                return False
            position = found[index][0]
            index -= 1
        elif text[position - 1] in " \t\r\n":
            new_line = new_line or text[position - 1] == "\n"
            position -= 1
        else:
            return _value_follows(text, position, new_line)
    return True


def _value_follows(text: str, end: int, new_line: bool) -> bool:
    sign = text[end - 1]
    if sign == "}":
        return new_line
    if sign.isalnum() or sign in "_$":
        word = pattern(r"(?<![\w$.])[a-z]+\Z").search(text, max(end - 12, 0), end)
        return word is not None and word.group() in _BEFORE_REGEX.split()
    return sign not in ")]\"'`<./" and text[end - 2 : end] not in ("++", "--")


# ── strings that hold code ───────────────────────────────────────────────────────────────────────


def _template(scan: _Scan, span: Span) -> Span:
    end = _woven(scan, span[0], "template")
    return span[0], end if end >= 0 else len(scan.text)


def _holds_code(scan: _Scan, span: Span, name: str) -> bool:
    """Whether a string of form `name` can hold code, and has a hole for it."""
    language, (begin, end) = scan.language, span
    if name not in language.woven or (name != "template" and scan.text.find(language.hole, begin, end) < 0):
        return False
    return not language.lead or pattern(rf"{language.lead}\Z").search(scan.text, max(begin - 3, 0), begin) is not None


def _woven(scan: _Scan, begin: int, name: str) -> int:
    """The end of a string with code inside, itself with such strings, to any depth; -1 if it does not close."""
    text, language, _, budget = scan
    inner = scan._replace(found=[])
    limit = end_of_line(text, begin) if name in ("quote", "apostrophe") else len(text)
    code = _numbered(language, *_HOLES.get(language.hole, _HOLE)[:2], ":")
    names = ["", *language.forms, "open", "close", "colon"]
    frames = [(name, "text", 0)]  # strings, what is read of each, and the brackets that are open in its code
    position = begin + len(_QUOTES[name])
    while frames and budget[0] > 0:
        string, mode, depth = frames[-1]
        match = (code if mode == "code" else _inside(string, mode, language)).search(text, position, limit)
        if match is None or (mode == "format" and match.lastindex == 1):
            break
        position = match.end()
        if mode != "code":
            if match.lastindex == 2:
                frames.append((string, "code", 0))
            elif match.lastindex:
                frames.pop()
            continue
        part = names[match.lastindex or 0]
        if part == "open":
            frames[-1] = (string, mode, depth + 1)
        elif part == "close":
            frames[-1:] = [(string, mode, depth - 1)] if depth else []
        elif part == "colon" and not depth and language.hole == "{":
            frames[-1] = (string, "format", 0)
        elif _holds_code(scan, match.span(), part):
            frames.append((part, "text", 0))
            position = match.start() + len(_QUOTES[part])
        elif part in _ENDS:
            position = max(_ENDS[part](inner, match.span())[1], match.start() + 1)
    if not frames:
        return position
    budget[0] -= limit - begin
    return -1


def _inside(name: str, mode: str, language: Language) -> Pattern[str]:
    """What matters inside a string: group 1 closes it, group 2 opens a hole, group 3 closes one behind its format."""
    quote = _QUOTES[name]
    if mode == "format":
        return pattern(rf"\\[^{{}}]|{quote}()|\{{()|\}}()")
    if name == "triple_plain":
        return pattern(f"{quote}+()|{re.escape(language.hole)}()")
    escaped = _HOLES.get(language.hole, _HOLE)[2]
    return pattern(f"{escaped}|{quote}()|{re.escape(language.hole)}()")


_QUOTES = {
    "quote": '"', "apostrophe": "'", "quote_lines": '"', "triple": '"""', "triple_apostrophe": "'''",
    "triple_plain": '"""', "template": "`",
}  # fmt: skip
# By what opens a hole: the brackets that count in its code, and what in the string neither opens one nor ends it.
_HOLE = (r"\{", r"\}", r"\\.")
_HOLES = {
    "{": (r"[(\[{]", r"[)\]}]", r"\\N\{[^}\n]*\}|\\[^{}]|\{\{"),  # a colon outside of brackets ends the code, too
    "\\(": (r"\(", r"\)", r"\\[^(]"),
}


_ENDS: dict[str, Callable[[_Scan, Span], Span]] = {
    "nested": _nested,
    "nested_plus": _nested,
    "raw_cpp": _raw_cpp,
    "raw_rust": _raw_rust,
    "raw_quotes": _raw_quotes,
    "hashed": _hashed,
    "heredoc": _heredoc,
    "template": _template,
    "regex": _regex,
    "raw_element": _raw_element,
}


# ── comments that programs obey ────────────────────────────────────────────────────────────────────


# What a comment begins with; behind it, one of the words below.
_OPENS = r"(?:#|//|/\*|<!--|\*)[#/*!\-\s]*"
_WORDS = (
    # Python
    r"type:\s*ignore|type:\s*[\w\[]|noqa|pylint:|pragma:|fmt:|yapf:|isort:|ruff:|mypy:|pyright:|flake8:|nosec|nopep8",
    r"doctest:|cython:|distutils:|///\s*script|[^\s#]*coding[:=]\s*[-\w.]+|-\*-|vim?:",
    # JavaScript, TypeScript, pages, styles
    r"@ts-|@flow|\$Flow|@jsx|@vite-ignore|[@#]__\w+__|webpack\w+:|(?:eslint|tslint|jshint|jslint|stylelint|oxlint)\b",
    r"(?:istanbul|c8|v8)\s+ignore|[#@]\s*source(?:Mapping)?URL=|<reference\b|deno-|\[if\b|<!\[endif\]",
    # Go, C, C++, Java, C#, Kotlin, Swift, Dart
    r"go:\w|\+build\b|nolint|line\s+\S+:\d+|IWYU\b|clang-format\b|clang-tidy\b|fall[\s-]?thr|LCOV_|GCOV|coverity\b",
    r"cppcheck-|noinspection\b|CHECKSTYLE|@formatter:|NOPMD|NOSONAR|\$NON-NLS|ReSharper\b|ktlint-|swiftlint:",
    r"swiftformat:|ignore(?:_for_file)?:|@dart\s*=|scala(?:style|fix|fmt):",
    # the rest
    r"shellcheck\b|rubocop:|frozen_string_literal:|typed:|:nocov:|no critic|@phpstan-|@psalm-|phpcs:",
    r"@codeCoverageIgnore|luacheck:|yamllint\b|yaml-language-server:|hadolint\b|syntax=|escape=|tfsec:|tflint-|checkov:|credo:",
    r"markdownlint-|nosemgrep|gitleaks:|cspell:|codespell:|prettier-|biome-|SPDX-|spotless:|\w+-(?:ignore|disable|enable|suppress)\b",
)
_OBEYED = rf"(?i)\A(#!)|(?<=//)(export)\s+\w+\s*\Z|{_OPENS}({'|'.join(_WORDS)})"


def switch_in(line: str, code: str = "") -> str:
    """The word by which a program obeys a comment of a line; "" where none does. `code`: the line without comments."""
    found = pattern(_OBEYED).search(line)
    if found is None or pattern(_OBEYED).search(code):
        return ""
    return "".join(found[found.lastindex or 0].lower().split())

"""Find the comments and strings of a text, in any language of the table; list its lines without them. Parses nothing.

All forms of a language are one alternation of regular expressions. Each form begins with a literal character, so that
the engine skips to the next candidate quickly; what must come before is checked after that character. Loops are
possessive, and a quote after a backslash begins no string: no input takes more than linear time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import takewhile
from typing import NamedTuple

from ..text import BLANK, end_of_line, pattern, stripped
from .languages import COMMENT, STRING, Language

Span = tuple[int, int]
Tokens = list[tuple[int, int, int]]  # start, end, COMMENT or STRING

_BODY = r"[^{q}\\{n}]*+(?:\\.[^{q}\\{n}]*+)*+{q}"
_TRIPLE = r"{q}{q}{q}[^{q}\\]*+(?:(?:\\.|{q}(?!{q}{q}))[^{q}\\]*+)*+(?:{q}{q}{q})?"
_RAW_TRIPLE = r"{q}(?<=\br{q}){q}{q}[^{q}]*+(?:{q}(?!{q}{q})[^{q}]*+)*+(?:{q}{q}{q})?"
_TO_PHP_END = r"[^\n?]*+(?:\?(?!>)[^\n?]*+)*+"
_BEFORE_APOSTROPHE = (
    "return case typeof in of import from else do void delete throw new instanceof yield await default as"
)


def _for_both_quotes(form: str, newline: str = "") -> tuple[str, str]:
    return form.replace("{q}", '"').replace("{n}", newline), form.replace("{q}", "'").replace("{n}", newline)


_QUOTE, _APOSTROPHE = _for_both_quotes(_BODY, r"\n")
_QUOTE_LINES, _APOSTROPHE_LINES = _for_both_quotes(_BODY)
_UNESCAPED, _UNESCAPED_APOSTROPHE = _for_both_quotes(r"{q}(?<!\\{q})")

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
    "quote": _UNESCAPED + _QUOTE,
    "apostrophe": _UNESCAPED_APOSTROPHE + _APOSTROPHE,
    "c_char": _UNESCAPED_APOSTROPHE + r"(?:(?<!\w')|(?<=\b[uUL]')|(?<=\bu8'))" + _APOSTROPHE,
    # Text between JSX tags has apostrophes, too: after a letter one is a quote only if the letters are a keyword.
    "js_apostrophe": _UNESCAPED_APOSTROPHE
    + r"(?:(?<![\w$]')|"
    + "|".join(rf"(?<=\b{word}')" for word in _BEFORE_APOSTROPHE.split())
    + ")"
    + _APOSTROPHE,
    "char": r"'(?:\\[^\n][^'\\\n]{0,10}|[^'\\\n])'",
    "ticked": r"`[^`\n]*+`",
    "raw_quote": r'"(?<=\br")[^"\n]*+"',
    "raw_apostrophe": r"'(?<=\br')[^'\n]*+'",
    # strings of several lines; those that aren't closed run to the end of the text
    "quote_lines": _UNESCAPED + _QUOTE_LINES,
    "apostrophe_lines": _UNESCAPED_APOSTROPHE + _APOSTROPHE_LINES,
    "triple": _for_both_quotes(_TRIPLE)[0],
    "triple_apostrophe": _for_both_quotes(_TRIPLE)[1],
    "raw_triple": _for_both_quotes(_RAW_TRIPLE)[0],
    "raw_triple_apostrophe": _for_both_quotes(_RAW_TRIPLE)[1],
    "triple_plain": r'"""[^"]*+(?:"(?!"")[^"]*+)*+(?:"{3,})?',
    "backquote": r"`[^`]*+`?",
    "verbatim": r'"(?:(?<=@")|(?<=@\$"))[^"]*+(?:""[^"]*+)*+"?',
    "cdata": r"<!\[CDATA\[[^\]]*+(?:\](?!\]>)[^\]]*+)*+(?:\]\]>)?",
    "outside_php": r"\?>[^<]*+(?:<(?!\?)[^<]*+)*+(?:<\?(?:php\b|=)?)?",
    # only how they begin; the functions in `_SCANNERS` find their ends
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
    """Return (start, end, kind) of every comment and string. The text must not begin inside one."""
    if language.family == "xml" and "<!" not in text and not language.html:
        return []
    alternation, kinds, rescanned = _compiled(language)
    found: Tokens = []
    # What failed attempts may cost together: as much as reading the text twice.
    scan = _Scan(text, language, found, [2 * len(text) + 10_000])
    position = 0
    while True:
        for match in alternation.finditer(text, position):
            start, end = match.span()
            index = match.lastindex or 0
            name = rescanned[index]
            if not name or (name not in _SCANNERS and text.find(language.hole, start, end) < 0):
                found.append((start, end, kinds[index]))
                continue
            start, position = _rescan(scan, (start, end), name)
            if start < position:
                found.append((start, position, kinds[index]))
            if position != end:
                break
        else:
            return found


@cache
def _compiled(language: Language) -> tuple[re.Pattern[str], list[int], list[str]]:
    """Return the alternation of all forms; for each of its groups the kind, and the form if it has to be rescanned."""
    kinds = [0] + [COMMENT if name in _COMMENTS else STRING for name in language.forms]
    rescanned = [name if name in _SCANNERS or name in language.interpolated else "" for name in language.forms]
    return _alternation(language), kinds, ["", *rescanned]


def _alternation(language: Language, *more: str) -> re.Pattern[str]:
    """Join all forms; each ends in an empty group of its own, so that `lastindex` says which one matched."""
    return pattern("|".join(f"{source}()" for source in (*(FORMS[name] for name in language.forms), *more)))


def mask(text: str, found: Tokens) -> str:
    """Return the text with comments as spaces and strings as "_"; of the same length, with the same newlines."""
    return replace_spans(text, found, lambda piece, kind: blank_out(piece, " " if kind == COMMENT else "_"))


def replace_spans(text: str, spans: Iterable[tuple[int, int, int]], replace: Callable[[str, int], str]) -> str:
    """Return the text with each span replaced. Spans are sorted, and may lie inside one another."""
    pieces = []
    at = 0
    for start, end, kind in spans:
        if end > at:
            begin = max(start, at)
            pieces += [text[at:begin], replace(text[begin:end], kind)]
            at = end
    return "".join([*pieces, text[at:]])


def blank_out(piece: str, sign: str) -> str:
    """Return a text of nothing but `sign`, with the newlines of `piece`."""
    if "\n" not in piece:
        return sign * len(piece)
    return "\n".join([sign * len(line) for line in piece.split("\n")])


# ── tokens whose end a regular expression can't find ───────────────────────────────────────────────


_REGEX = r"/(?:[^/\\\[\n]|\\[^\n]|\[[^\]\\\n]*+(?:\\[^\n][^\]\\\n]*+)*+\])++/\w*+"
_BEFORE_REGEX = "return typeof case in of delete void throw new else do instanceof yield await default extends"
ATTRIBUTES = r"""[^<>"']*+(?:(?:"[^"]*+"|'[^']*+')[^<>"']*+)*+"""


class _Scan(NamedTuple):
    """One reading of a text: the tokens found so far, and in budget[0] what failed attempts may still cost."""

    text: str
    language: Language
    found: Tokens
    budget: list[int]


def _rescan(scan: _Scan, span: Span, name: str) -> Span:
    """Return the true span of what the form `name` matched. An empty one isn't a token."""
    if name in _SCANNERS:
        return _SCANNERS[name](scan, span)
    return (span[0], max(_interpolated_end(scan, span[0], name), span[1])) if _holds_code(scan, span, name) else span


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


def _count_hashes(text: str, end: int) -> int:
    count = 0
    while count < end and text[end - count - 1] == "#":
        count += 1
    return count


def _raw_rust(scan: _Scan, span: Span) -> Span:
    text = scan.text
    hashes = _count_hashes(text, span[0])
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
    closer = text[span[0] : span[1]] + "#" * _count_hashes(text, span[0])
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
    return end + 1, raw_text_end(text, text[span[0] + 1 : span[1]].lower(), end)


def raw_text_end(text: str, name: str, position: int) -> int:
    """Return where the closing tag of a `<script>` or `<style>` begins, or the end of the text."""
    closer = pattern("</" + "".join(f"[{sign}{sign.upper()}]" for sign in name) + r"(?=[\s/>])")
    match = closer.search(text, position)
    return match.start() if match else len(text)


def _regex(scan: _Scan, span: Span) -> Span:
    """A slash begins a regular expression in JavaScript if a value may begin there, and if it ends on its line."""
    text, budget = scan.text, scan.budget
    start = span[0]
    if budget[0] <= 0 or not _value_begins(text, start, scan.found):
        return span[1], span[1]
    match = pattern(_REGEX).match(text, start)
    if match:
        return start, match.end()
    budget[0] -= end_of_line(text, start) - start
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


_QUOTES = {
    "quote": '"', "apostrophe": "'", "quote_lines": '"', "triple": '"""', "triple_apostrophe": "'''",
    "triple_plain": '"""', "template": "`",
}  # fmt: skip
# By what opens a hole: the brackets that count in its code, and what neither opens a hole nor ends the string.
_HOLE = (r"\{", r"\}", r"\\.")
_HOLES = {
    "{": (r"[(\[{]", r"[)\]}]", r"\\N\{[^}\n]*\}|\\[^{}]|\{\{"),  # a colon outside of brackets also ends the code
    "\\(": (r"\(", r"\)", r"\\[^(]"),
}


class _Frame(NamedTuple):
    """An open string: its form, what is being read of it ("text", "code", "format"), and open brackets in its code."""

    form: str
    mode: str = "text"
    depth: int = 0


def _template(scan: _Scan, span: Span) -> Span:
    end = _interpolated_end(scan, span[0], "template")
    return span[0], end if end >= 0 else len(scan.text)


def _holds_code(scan: _Scan, span: Span, name: str) -> bool:
    """Return True if a string of the form `name` can hold code, and has a hole for it."""
    language, (start, end) = scan.language, span
    if name not in language.interpolated or (name != "template" and scan.text.find(language.hole, start, end) < 0):
        return False
    if not language.prefix:
        return True
    return pattern(rf"{language.prefix}\Z").search(scan.text, max(start - 3, 0), start) is not None


def _interpolated_end(scan: _Scan, start: int, name: str) -> int:
    """Return the end of a string with code in it, which may hold such strings to any depth; -1 if it isn't closed."""
    text, language, _, budget = scan
    limit = end_of_line(text, start) if name in ("quote", "apostrophe") else len(text)
    code = _alternation(language, *_HOLES.get(language.hole, _HOLE)[:2], ":")
    frames = [_Frame(name)]
    position = start + len(_QUOTES[name])
    while frames and budget[0] > 0:
        form, mode, _ = frames[-1]
        match = (code if mode == "code" else _text_pattern(form, mode, language)).search(text, position, limit)
        if match is None or (mode == "format" and match.lastindex == 1):
            break
        position = match.end()
        if mode == "code":
            position = _read_code(scan, frames, match)
        elif match.lastindex == 2:
            frames.append(_Frame(form, "code"))
        elif match.lastindex:
            frames.pop()
    if not frames:
        return position
    budget[0] -= limit - start
    return -1


def _read_code(scan: _Scan, frames: list[_Frame], match: re.Match[str]) -> int:
    """Take the next token of the code in a string into account; return where to go on."""
    language, frame = scan.language, frames[-1]
    part = ("", *language.forms, "open", "close", "colon")[match.lastindex or 0]
    if part == "open":
        frames[-1] = frame._replace(depth=frame.depth + 1)
    elif part == "close":
        frames[-1:] = [frame._replace(depth=frame.depth - 1)] if frame.depth else []
    elif part == "colon":
        if not frame.depth and language.hole == "{":
            frames[-1] = _Frame(frame.form, "format")
    elif _holds_code(scan, match.span(), part):
        frames.append(_Frame(part))
        return match.start() + len(_QUOTES[part])
    elif part in _SCANNERS:
        return max(_SCANNERS[part](scan._replace(found=[]), match.span())[1], match.start() + 1)
    return match.end()


def _text_pattern(name: str, mode: str, language: Language) -> re.Pattern[str]:
    """Return what matters in a string: group 1 closes it, 2 opens a hole, 3 closes a hole after its format."""
    quote = _QUOTES[name]
    if mode == "format":
        return pattern(rf"\\[^{{}}]|{quote}()|\{{()|\}}()")
    if name == "triple_plain":
        return pattern(f"{quote}+()|{re.escape(language.hole)}()")
    escaped = _HOLES.get(language.hole, _HOLE)[2]
    return pattern(f"{escaped}|{quote}()|{re.escape(language.hole)}()")


_SCANNERS: dict[str, Callable[[_Scan, Span], Span]] = {
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


# ── logical lines of Python ────────────────────────────────────────────────────────────────────────


# A line inside brackets can't begin with one of these: a bracket that is still open there was never closed.
_STATEMENT = (
    "(?:def|class|while|with|try|except|finally|return|raise|import|del|pass|break|continue|global|nonlocal|assert"
    r"|async[ \t]+(?:def|with))"
)
_EVENTS = rf"\n(?=[ \t]*{_STATEMENT}\b)()|\n()|[(\[{{]()|[)\]}}]()"


def flatten(text: str, found: Tokens) -> str:
    """Return the text with comments as spaces, strings as \\x01 (newlines included), and continued lines joined."""
    flat = replace_spans(text, found, lambda piece, kind: (" " if kind == COMMENT else "\x01") * len(piece))
    return flat.replace("\\\n", "  ")


def logical_lines(flat: str) -> Iterator[Span]:
    """Yield (start, end) of every logical line of a flattened text that holds code, without its indentation."""
    begin = depth = 0
    for match in pattern(_EVENTS).finditer(flat + "\n"):
        event = match.lastindex
        if event == 3:
            depth += 1
        elif event == 4:
            depth = max(depth - 1, 0)
        elif event == 1 or not depth or match.end() > len(flat):
            line = flat[begin : match.start()]
            start = begin + len(line) - len(line.lstrip(" \t\f\r"))
            if start < match.start():
                yield start, match.start()
            begin, depth = match.end(), 0


def docstrings(text: str, found: Tokens) -> list[Span]:
    """Return the spans of the Python statements that are nothing but a string."""
    flat = flatten(text, found)
    only_strings = pattern("(?:[rRbBuUfFtT]{0,2}\x01+[ \t]*+)++")
    spans = []
    for start, end in logical_lines(flat):
        if "\x01" in flat[start : start + 3] and only_strings.fullmatch(flat, start, end):
            spans.append((start, start + len(flat[start:end].rstrip(" \t"))))
    return spans


# ── lines without comments ───────────────────────────────────────────────────────────────────────


class Lexed:
    """Lines as the lexer sees them. The first must not begin inside a comment or string.

    `inside[i]` is what line i begins within: 0, COMMENT or STRING. There is one entry more than there are lines, for
    what is still open at the end.
    """

    __slots__ = ("_code", "_statements", "_tokens", "inside", "language", "lines")

    def __init__(self, lines: list[str], language: Language) -> None:
        self.lines = lines
        self.language = language
        self.inside = bytearray(len(lines) + 1)
        self._code: list[str] | None = None
        self._statements: list[str] | None = None
        self._tokens: Tokens = []
        text = "\n".join([*lines, ""])  # with a final newline, so that `inside` shows what runs on after it
        if _may_have_comments(text, language):
            self._tokens = tokens(text, language)
            _mark_inside(text, self._tokens, self.inside)

    @property
    def code(self) -> list[str]:
        """Every line without comments, trimmed. Made when it is first asked for: most callers only need `inside`."""
        if self._code is None:
            comments = [token for token in self._tokens if token[2] == COMMENT]
            self._code = _cut(self.lines, "\n".join([*self.lines, ""]), comments)
        return self._code

    def statements(self) -> list[str]:
        """Every line without comments and, in Python, without docstrings, trimmed."""
        if self._statements is None:
            self._statements = self.code
            if self.language.family == "python":
                text = "\n".join(self.lines)
                found = tokens(text, self.language)
                spans = [(start, end, COMMENT) for start, end in docstrings(text, found)]
                spans += [token for token in found if token[2] == COMMENT]
                self._statements = _cut(self.lines, text, sorted(spans))
        return self._statements


def code_lines(lines: Iterable[str], language: Language) -> list[str]:
    """Return the lines without comments, trimmed."""
    return Lexed(list(lines), language).code


# What a text must contain to have a comment, or a string of several lines: first a character, which is searched for
# much faster than a word, then words that begin or end with it.
_MARKS = {
    "c": (
        ("/", ("/*", "//", "/+")),
        ("`", ("`",)),
        ('"', ('"""', '"(', 'R"', '@"')),
        ("'", ("'''",)),
        ("\\", ("\\\n",)),
    ),
    "python": (("#", ("#",)), ('"', ('"""',)), ("'", ("'''",)), ("\\", ("\\\n",))),
    "xml": (("<", ("<!", "<s", "<S", "<t", "<T")),),
}


def _may_have_comments(text: str, language: Language) -> bool:
    """Return False only if the text surely has no comment and no string of several lines."""
    for char, marks in _MARKS[language.family]:
        if char in text and any(map(text.__contains__, marks)):
            return True
    return "quote_lines" in language.forms


def _mark_inside(text: str, found: Tokens, inside: bytearray) -> None:
    row = position = 0
    for start, end, kind in found:
        newlines = text.count("\n", start, end)
        if newlines:
            row += text.count("\n", position, start)
            position = start
            inside[row + 1 : row + newlines + 1] = bytes((kind,)) * newlines


def _cut(lines: list[str], text: str, spans: Tokens) -> list[str]:
    """Return the lines of a text without some spans, trimmed."""
    code = stripped(lines)
    cuts: dict[int, list[Span]] = {}
    row = position = 0
    for start, end, _ in spans:
        newline = text.find("\n", start, end)
        row += text.count("\n", position, start)
        position = start
        if newline < 0 and row < len(code) and row not in cuts and text[end : end + 1] in ("\n", ""):
            # By far the most common: a comment to the end of its line.
            code[row] = text[text.rfind("\n", 0, start) + 1 : start].strip(BLANK)
            continue
        for line, span in enumerate(_split_at_newlines(text, start, end, newline), row):
            cuts.setdefault(line, []).append(span)
    cuts.pop(len(code), None)
    for row, parts in cuts.items():
        code[row] = _without(text, parts).strip(BLANK)
    return code


def _split_at_newlines(text: str, start: int, end: int, newline: int) -> list[Span]:
    spans = []
    while newline >= 0:
        spans.append((start, newline))
        start = newline + 1
        newline = text.find("\n", start, end)
    return [*spans, (start, end)]


def _without(text: str, spans: list[Span]) -> str:
    """Return the line that holds some spans without them. Of the blanks on both sides of one, a single space stays."""
    start = text.rfind("\n", 0, spans[0][0]) + 1
    line = ""
    for begin, end in [*spans, (end_of_line(text, spans[-1][1]), 0)]:
        piece = text[start:begin]
        if line[-1:] in (" ", "\t") and piece[:1] in (" ", "\t"):
            line, piece = line.rstrip(" \t") + " ", piece.lstrip(" \t")
        line += piece
        start = end
    return line

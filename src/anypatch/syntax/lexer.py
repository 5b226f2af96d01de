"""Find the comments and strings of a text, in any language of the table; list its lines without them. Parses nothing.

All forms of a language are one alternation of regular expressions. Each form begins with a literal character, so that
the engine skips to the next candidate quickly; what must come before is checked after that character. Loops are
possessive, and a quote after a backslash begins no string: no input takes more than linear time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache, cached_property
from itertools import takewhile
from typing import NamedTuple

from ..text import end_of_line, pattern, stripped
from .languages import COMMENT, STRING, Language

Span = tuple[int, int]
Tokens = list[tuple[int, int, int]]  # start, end, COMMENT or STRING

_BODY = r"[^{q}\\{n}]*+(?:\\.[^{q}\\{n}]*+)*+{q}"
_TRIPLE = r"{q}{q}{q}[^{q}\\]*+(?:(?:\\.|{q}(?!{q}{q}))[^{q}\\]*+)*+(?:{q}{q}{q})?"
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
    # strings of several lines; those that aren't closed run to the end of the text
    "quote_lines": _UNESCAPED + _QUOTE_LINES,
    "apostrophe_lines": _UNESCAPED_APOSTROPHE + _APOSTROPHE_LINES,
    "triple": _for_both_quotes(_TRIPLE)[0],
    "triple_apostrophe": _for_both_quotes(_TRIPLE)[1],
    "triple_plain": r'"""[^"]*+(?:"(?!"")[^"]*+)*+(?:"{3,})?',
    "backquote": r"`[^`]*+`?",
    "verbatim": r'"(?:(?<=@")|(?<=@\$"))[^"]*+(?:""[^"]*+)*+"?',
    "cdata": r"<!\[CDATA\[[^\]]*+(?:\](?!\]>)[^\]]*+)*+(?:\]\]>)?",
    "outside_php": r"\?>[^<]*+(?:<(?!\?)[^<]*+)*+(?:<\?(?:php\b|=)?)?",
    # only how they begin; the functions in `_SCANNERS` find their ends
    "raw_cpp": r'"(?:(?<=\bR")|(?<=\b[uUL]R")|(?<=\bu8R"))[^()\\\s"]{0,16}\(',
    "raw_rust": r'"(?:(?<=r")|(?<=#"))',
    "raw_quotes": r'"""+',
    "heredoc": r"<<<[ \t]*(?:\"[^\W\d]\w*\"|'[^\W\d]\w*'|[^\W\d]\w*)\n",
    "template": "`",
    "regex": "/(?![/*>])",
    "raw_element": r"<(?:[sS][cC][rR][iI][pP][tT]|[sS][tT][yY][lL][eE])(?=[\s/>])",
}
_COMMENTS = frozenset(takewhile(lambda name: name != "quote", FORMS))


def tokens(text: str, language: Language) -> Tokens:
    """Return (start, end, kind) of every comment and string. The text must not begin inside one."""
    alternation, kinds, rescanned = _compiled(language)
    result: Tokens = []
    scan = _Scan(text, language, result, [2 * len(text) + 10_000])
    position = 0
    while True:
        for match in alternation.finditer(text, position):
            start, end = match.span()
            index = match.lastindex or 0
            name = rescanned[index]
            if not name or (name not in _SCANNERS and text.find(language.hole, start, end) < 0):
                result.append((start, end, kinds[index]))
                continue
            start, position = _rescan(scan, (start, end), name)
            if start < position:
                result.append((start, position, kinds[index]))
            if position != end:
                break
        else:
            return result


@cache
def _compiled(language: Language) -> tuple[re.Pattern[str], list[int], list[str]]:
    """Return the alternation of all forms; for each of its groups the kind, and the form if it has to be rescanned."""
    kinds = [0] + [COMMENT if name in _COMMENTS else STRING for name in language.forms]
    rescanned = [name if name in _SCANNERS or name in language.interpolated else "" for name in language.forms]
    return _alternation(language), kinds, ["", *rescanned]


def _alternation(language: Language, *more: str) -> re.Pattern[str]:
    """Join all forms; each ends in an empty group of its own, so that `lastindex` says which one matched."""
    return pattern("|".join(f"{source}()" for source in (*(FORMS[name] for name in language.forms), *more)))


def mask(text: str, spans: Tokens) -> str:
    """Return the text with comments as spaces and strings as "_"; of the same length, with the same newlines."""
    return replace_spans(text, spans, lambda piece, kind: blank_out(piece, " " if kind == COMMENT else "_"))


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
    """One reading of a text. `earlier`: the tokens so far. `budget[0]`: how many characters failed attempts may read.

    The budget keeps the cost linear: all failed attempts together may read the text twice.
    """

    text: str
    language: Language
    earlier: Tokens
    budget: list[int]


def _rescan(scan: _Scan, span: Span, name: str) -> Span:
    """Return the true span of what the form `name` matched. An empty one isn't a token."""
    if name in _SCANNERS:
        return _SCANNERS[name](scan, span)
    return (span[0], max(_interpolated_end(scan, span[0], name), span[1])) if _holds_code(scan, span, name) else span


def _nested(scan: _Scan, span: Span) -> Span:
    depth = 1
    for match in pattern(r"/\*|\*/").finditer(scan.text, span[1]):
        depth += 1 if match.group() == "/*" else -1
        if not depth:
            return span[0], match.end()
    return span[0], len(scan.text)


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
    if budget[0] <= 0 or not _value_begins(text, start, scan.earlier):
        return span[1], span[1]
    match = pattern(_REGEX).match(text, start)
    if match:
        return start, match.end()
    budget[0] -= end_of_line(text, start) - start
    return span[1], span[1]


def _value_begins(text: str, position: int, earlier: Tokens) -> bool:
    new_line = False
    index = len(earlier) - 1
    while position:
        if index >= 0 and earlier[index][1] == position:
            if earlier[index][2] != COMMENT:
                return False
            position = earlier[index][0]
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


class _Frame(NamedTuple):
    """An open string, or if `is_code` a hole in one, with as many open brackets as `depth`."""

    form: str
    is_code: bool = False
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
    code = _alternation(language, *((r"[(\[{]", r"[)\]}]") if language.hole == "{" else (r"\{", r"\}")))
    frames = [_Frame(name)]
    position = start + len(_QUOTES[name])
    while frames and budget[0] > 0:
        form, is_code, _ = frames[-1]
        match = (code if is_code else _text_pattern(form, language)).search(text, position, limit)
        if match is None:
            break
        position = match.end()
        if is_code:
            position = _read_code(scan, frames, match)
        elif match.lastindex == 2:
            frames.append(_Frame(form, is_code=True))
        elif match.lastindex:
            frames.pop()
    if not frames:
        return position
    budget[0] -= limit - start
    return -1


def _read_code(scan: _Scan, frames: list[_Frame], match: re.Match[str]) -> int:
    """Take the next token of the code in a string into account; return where to go on."""
    frame = frames[-1]
    part = ("", *scan.language.forms, "open", "close")[match.lastindex or 0]
    if part == "open":
        frames[-1] = frame._replace(depth=frame.depth + 1)
    elif part == "close":
        frames[-1:] = [frame._replace(depth=frame.depth - 1)] if frame.depth else []
    elif _holds_code(scan, match.span(), part):
        frames.append(_Frame(part))
        return match.start() + len(_QUOTES[part])
    elif part in _SCANNERS:
        return max(_SCANNERS[part](scan._replace(earlier=[]), match.span())[1], match.start() + 1)
    return match.end()


def _text_pattern(name: str, language: Language) -> re.Pattern[str]:
    """Return a pattern for what matters in the text of a string: group 1 closes it, group 2 opens a hole."""
    quote = _QUOTES[name]
    if name == "triple_plain":
        return pattern(f"{quote}+()|{re.escape(language.hole)}()")
    escaped = r"\\N\{[^}\n]*\}|\\[^{}]|\{\{" if language.hole == "{" else r"\\."
    return pattern(f"{escaped}|{quote}()|{re.escape(language.hole)}()")


_SCANNERS: dict[str, Callable[[_Scan, Span], Span]] = {
    "nested": _nested,
    "raw_cpp": _raw_cpp,
    "raw_rust": _raw_rust,
    "raw_quotes": _raw_quotes,
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


def flatten(text: str, spans: Tokens) -> str:
    """Return the text with comments as spaces, strings as \\x01 (newlines included), and continued lines joined."""
    flat = replace_spans(text, spans, lambda piece, kind: (" " if kind == COMMENT else "\x01") * len(piece))
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


def docstrings(text: str, text_tokens: Tokens) -> list[Span]:
    """Return the spans of the Python statements that are nothing but a string."""
    flat = flatten(text, text_tokens)
    only_strings = pattern("(?:[rRbBuUfFtT]{0,2}\x01+[ \t]*+)++")
    spans = []
    for start, end in logical_lines(flat):
        if "\x01" in flat[start : start + 3] and only_strings.fullmatch(flat, start, end):
            spans.append((start, start + len(flat[start:end].rstrip(" \t"))))
    return spans


# ── lines without comments ───────────────────────────────────────────────────────────────────────


class Lexed:
    """Lines as the lexer sees them. The first must not begin inside a comment or string.

    `inside[i]` says what line i begins within: 0, COMMENT or STRING. There is one entry more than there are lines, for
    what is still open at the end.
    """

    def __init__(self, lines: list[str], language: Language) -> None:
        self.lines = lines
        self.language = language
        self.inside = bytearray(len(lines) + 1)
        text = "\n".join([*lines, ""])  # with a final newline, so that `inside` shows what runs on after it
        self._tokens = tokens(text, language)
        _mark_inside(text, self._tokens, self.inside)

    @cached_property
    def code(self) -> list[str]:
        """Every line without comments, trimmed. Computed when first needed: most callers only need `inside`."""
        return _without("\n".join(self.lines), [token for token in self._tokens if token[2] == COMMENT])

    @cached_property
    def statements(self) -> list[str]:
        """Every line without comments and, in Python, without docstrings, trimmed."""
        if self.language.family != "python":
            return self.code
        text = "\n".join(self.lines)
        text_tokens = tokens(text, self.language)
        spans = [(start, end, COMMENT) for start, end in docstrings(text, text_tokens)]
        return _without(text, sorted([*spans, *(token for token in text_tokens if token[2] == COMMENT)]))


def code_lines(lines: Iterable[str], language: Language) -> list[str]:
    """Return the lines without comments, trimmed."""
    return Lexed(list(lines), language).code


def _mark_inside(text: str, text_tokens: Tokens, inside: bytearray) -> None:
    row = position = 0
    for start, end, kind in text_tokens:
        newlines = text.count("\n", start, end)
        if newlines:
            row += text.count("\n", position, start)
            position = start
            inside[row + 1 : row + newlines + 1] = bytes((kind,)) * newlines


_CUT = "\udfff"  # is in no text that was decoded


def _without(text: str, spans: Tokens) -> list[str]:
    """Return the lines of a text without some spans, trimmed. White space on both sides of one becomes one space."""
    if not spans:
        return stripped(text.split("\n"))
    cut = replace_spans(text, spans, lambda piece, _: blank_out(piece, _CUT))
    joined = pattern(rf"(?<![ \t])[ \t]++(?:{_CUT}++[ \t]++)++").sub(" ", cut)
    return stripped(joined.replace(_CUT, "").split("\n"))

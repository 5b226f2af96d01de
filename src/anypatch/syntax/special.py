"""The ends of strings and comments that no regular expression finds in linear time. Reads forward from one place."""

from __future__ import annotations

from ..record import NamedTuple
from .forms import form, numbered, pattern
from .languages import Language

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from re import Pattern

    Span = tuple[int, int]
    Tokens = list[tuple[int, int, int]]

_REGEX = r"/(?:[^/\\\[\n]|\\[^\n]|\[[^\]\\\n]*+(?:\\[^\n][^\]\\\n]*+)*+\])++/\w*+"
_BEFORE_REGEX = "return typeof case in of delete void throw new else do instanceof yield await default extends"
_ATTRIBUTES = r"""[^<>"']*+(?:(?:"[^"]*+"|'[^']*+')[^<>"']*+)*+"""


class Scan(NamedTuple):
    """One reading of a text: what was found so far, and in budget[0] the cost that failed readings may still have."""

    text: str
    language: Language
    found: Tokens
    budget: list[int]


def reread(scan: Scan, span: Span, name: str) -> Span:
    """The true span of what form `name` found. An empty one: no token, go on at its end."""
    begin, end = span
    language = scan.language
    if language.family == "python":
        return begin, _f_string(scan.text, begin, end, scan.budget)
    if name in ENDS:
        return ENDS[name](scan, span)
    if name in language.woven and scan.text.find(language.hole, begin, end) >= 0:
        lead = scan.text[begin - 1 : begin] if begin else ""
        if not language.lead or (lead and lead in language.lead):
            return begin, max(_woven(scan, begin, name), end)
    return span


# ── ends that a plain search finds ───────────────────────────────────────────────────────────────


def _nested(scan: Scan, span: Span) -> Span:
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


def _raw_cpp(scan: Scan, span: Span) -> Span:
    text = scan.text
    return _until(text, span[0], ")" + text[span[0] + 1 : span[1] - 1] + '"', span[1])


def _hashes(text: str, begin: int) -> int:
    count = 0
    while count < begin and text[begin - count - 1] == "#":
        count += 1
    return count


def _raw_rust(scan: Scan, span: Span) -> Span:
    text = scan.text
    hashes = _hashes(text, span[0])
    before = text[max(span[0] - hashes - 3, 0) : span[0] - hashes]
    if pattern(r"(?:.*\W)?[bc]?r").fullmatch(before):
        return _until(text, span[0], '"' + "#" * hashes, span[1])
    match = form("quote_lines").match(text, span[0])
    return (span[0], match.end()) if match else (span[1], span[1])


def _raw_quotes(scan: Scan, span: Span) -> Span:
    text = scan.text
    return _until(text, span[0], text[span[0] : span[1]], span[1])


def _hashed(scan: Scan, span: Span) -> Span:
    text, budget = scan.text, scan.budget
    closer = text[span[0] : span[1]] + "#" * _hashes(text, span[0])
    if closer.startswith('"""'):
        return _until(text, span[0], closer, span[1])
    stop = _line_end(text, span[1]) if budget[0] > 0 else span[1]
    at = text.find(closer, span[1], stop)
    if at < 0:
        budget[0] -= stop - span[1]
        return span[1], span[1]
    return span[0], at + len(closer)


def _heredoc(scan: Scan, span: Span) -> Span:
    text = scan.text
    import re

    label = text[span[0] : span[1]].strip("< \t\n\"'")
    match = re.compile(rf"\n[ \t]*+{label}\b").search(text, span[1] - 1)
    return span[0], match.end() if match else len(text)


def _raw_element(scan: Scan, span: Span) -> Span:
    text = scan.text
    match = pattern(_ATTRIBUTES).match(text, span[1])
    end = match.end() if match else span[1]
    if text[end : end + 1] != ">" or text[end - 1] == "/":
        return end, end
    name = text[span[0] + 1 : span[1]].lower()
    closer = pattern("</" + "".join(f"[{sign}{sign.upper()}]" for sign in name) + r"(?=[\s/>])").search(text, end)
    return end + 1, closer.start() if closer else len(text)


# ── JavaScript's regular expressions ─────────────────────────────────────────────────────────────


def _regex(scan: Scan, span: Span) -> Span:
    """A slash begins a regular expression only where a value may begin, and only if it ends on its line."""
    text, budget = scan.text, scan.budget
    begin = span[0]
    if budget[0] <= 0 or not _value_begins(text, begin, scan.found):
        return span[1], span[1]
    match = pattern(_REGEX).match(text, begin)
    if match:
        return begin, match.end()
    budget[0] -= _line_end(text, begin) - begin
    return span[1], span[1]


def _value_begins(text: str, position: int, found: Tokens) -> bool:
    new_line = False
    index = len(found) - 1
    while position:
        if index >= 0 and found[index][1] == position:
            if found[index][2] != 1:
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

_INSIDES = {
    "quote": (r'\\.|"()', True),
    "apostrophe": (r"\\.|'()", True),
    "quote_lines": (r'\\.|"()', False),
    "triple": (r'\\.|"""()', False),
    "triple_apostrophe": (r"\\.|'''()", False),
    "triple_plain": (r'"""+()', False),
    "template": (r"\\.|`()", False),
}


def _template(scan: Scan, span: Span) -> Span:
    end = _woven(scan, span[0], "template")
    return span[0], end if end >= 0 else len(scan.text)


def _woven(scan: Scan, begin: int, name: str) -> int:
    """The end of a string with code inside, itself with such strings, to any depth; -1 if it does not close."""
    text, language, _, budget = scan
    inner = scan._replace(found=[])
    limit = _line_end(text, begin) if _INSIDES[name][1] else len(text)
    bracket = "{}" if "{" in language.hole else "()"
    code = numbered(language, "\\" + bracket[0], "\\" + bracket[1])
    names = ["", *language.forms, "open", "close"]
    open_strings, depths = [_inside(name, language)], [-1]
    position = begin + _delimiter(name)
    while budget[0] > 0:
        inside = depths[-1] < 0
        match = (open_strings[-1] if inside else code).search(text, position, limit)
        if match is None:
            break
        position = match.end()
        if inside:
            if match.lastindex == 1:
                open_strings.pop()
                depths.pop()
                if not depths:
                    return position
            elif match.lastindex == 2:
                depths.append(0)
            continue
        part = names[match.lastindex or 0]
        if part == "open":
            depths[-1] += 1
        elif part == "close":
            depths[-1] -= 1
            if depths[-1] < 0:
                depths.pop()
        elif part in language.woven and (part == "template" or language.hole in match.group()):
            open_strings.append(_inside(part, language))
            depths.append(-1)
            position = match.start() + _delimiter(part)
        elif part in ENDS:
            position = max(ENDS[part](inner, match.span())[1], match.start() + 1)
    budget[0] -= limit - begin
    return -1


def _inside(name: str, language: Language) -> Pattern[str]:
    """What matters inside a string: group 1 closes it, group 2 opens a hole."""
    import re

    hole = re.escape(language.hole)
    doubled = r"\{\{|" if language.hole == "{" else ""
    # Swift's hole begins like an escape, so it must be tried before one: group numbers are fixed by name here
    closer = _INSIDES[name][0]
    if language.hole.startswith("\\"):
        return pattern(rf"\\[^(]|{closer.split('|')[-1]}|{hole}()")
    return pattern(f"{doubled}{closer}|{hole}()")


def _delimiter(name: str) -> int:
    return 3 if name.startswith("triple") else 1


def _line_end(text: str, position: int) -> int:
    at = text.find("\n", position)
    return at if at >= 0 else len(text)


# ── Python's f-strings ───────────────────────────────────────────────────────────────────────────


def _f_string(text: str, begin: int, end: int, budget: list[int]) -> int:
    """The end of an f-string, where its fields may hold its own quotes; the old reading where that does not close."""
    quote = text[begin : begin + 3] if text.startswith(('"""', "'''"), begin) else text[begin]
    body = text[begin + len(quote) : end - len(quote)]
    if budget[0] <= 0 or "{" not in body or (body.count("{") == body.count("}") and not _has_quote(body)):
        return end
    prefix = pattern(r"(?<!\w)(?:[rR]?[fFtT]|[fFtT][rR])\Z").search(text, max(begin - 3, 0), begin)
    limit = _line_end(text, begin) if len(quote) == 1 else len(text)
    close = _fields(text, begin + len(quote), quote, limit) if prefix else end
    if close < 0:
        budget[0] -= limit - begin
    return max(close, end) if close >= 0 else end


def _has_quote(body: str) -> bool:
    return "'" in body or '"' in body


def _fields(text: str, position: int, quote: str, limit: int) -> int:
    """From inside an f-string to behind its end; -1 if it does not close. Frames: (quote, what is read, brackets)."""
    frames = [(quote, "text", 0)]
    while frames:
        step = _field_step if frames[-1][1] == "code" else _text_step
        position = step(text, position, limit, frames)
        if position < 0:
            break
    return position


def _text_step(text: str, position: int, limit: int, frames: list[tuple[str, str, int]]) -> int:
    quote, mode, _ = frames[-1]
    signs = r"\\N\{[^}\n]*\}|\\[^{}]|\{\{|\}\}" if mode == "text" else r"\\[^{}]"
    match = pattern(rf"{signs}|\{{()|\}}()|{quote}()").search(text, position, limit)
    if match is None or (match.lastindex == 3 and mode == "format"):
        return -1
    if match.lastindex == 1:
        frames.append((quote, "code", 0))
    elif match.lastindex == 3 or (match.lastindex == 2 and mode == "format"):
        frames.pop()
    return match.end()


def _field_step(text: str, position: int, limit: int, frames: list[tuple[str, str, int]]) -> int:
    quote, _, depth = frames[-1]
    match = pattern(r"""[(\[{]()|[)\]}]()|:()|\#()|\"\"\"()|'''()|"()|'()|!=""").search(text, position, limit)
    if match is None or (match.lastindex == 4 and len(frames[0][0]) == 1):
        return -1
    if match.lastindex == 1:
        frames[-1] = (quote, "code", depth + 1)
    elif match.lastindex == 2:
        frames[-1] = (quote, "code", depth - 1)
        if not depth:
            frames.pop()
    elif match.lastindex == 3 and not depth:
        frames[-1] = (quote, "format", 0)
    elif match.lastindex == 4:
        return _line_end(text, match.end())
    elif match.lastindex and match.lastindex >= 5:
        return _inner_string(text, match.span(), limit, frames)
    return match.end()


def _inner_string(text: str, span: Span, limit: int, frames: list[tuple[str, str, int]]) -> int:
    quote = text[span[0] : span[1]]
    before = text[max(span[0] - 2, 0) : span[0]]
    if before[-1:] in tuple("fFtT") or (before[-1:] in ("r", "R") and before[:1] in tuple("fFtT")):
        frames.append((quote, "text", 0))
        return span[1]
    name = ("triple" if len(quote) == 3 else "quote") if quote[0] == '"' else "apostrophe"
    match = form("triple_apostrophe" if quote == "'''" else name).match(text, span[0], limit)
    return match.end() if match else -1


ENDS: dict[str, Callable[[Scan, Span], Span]] = {
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

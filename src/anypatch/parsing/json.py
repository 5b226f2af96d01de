"""Reads one JSON value at a place in a text, with the slips models make. Linear; knows no edit and no tool.

    value   = object | array | text | number | true | false | null
    slips   : trailing commas, comments, single quotes, keys without quotes, Python's True, False and None,
              line breaks and tabs inside a text, escapes that can only mean themselves

A slip is recorded, not hidden. What is left open at the end is "truncated", all else that is wrong "bad_patch".
"""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import lru_cache

from ..model import Note
from ..problems import Problem
from ..record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    Value: TypeAlias = "str | float | list[Value] | Fields | None"


DEPTH = 32
_GAPS = " \t\n\r\f\xa0\ufeff/#"
_WORDS: dict[str, bool | None] = {"true": True, "false": False, "null": None}
_PYTHON: dict[str, bool | None] = {"True": True, "False": False, "None": None}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "/": "/", "\\": "\\", '"': '"'}
# An escape JSON doesn't know but that regular expressions do has one sensible reading: the two characters themselves.
_THEMSELVES = frozenset("acdeghijklmopqsvwyzABCDEFGHIJKLMOPQRSTVWXYZ()[]{}.*+?|^-")


class Fields(NamedTuple):
    """An object: the line it begins at, its values, and the lines of those values that stand in raw text."""

    line: int
    values: dict[str, Value]
    lines: dict[str, int]


class Source(NamedTuple):
    """A text and the line of the answer it begins at; a text from inside a string is all on that line."""

    text: str
    first: int
    breaks: list[int]

    def line(self, at: int) -> int:
        """The line of the answer that a place is on."""
        return self.first + bisect_left(self.breaks, at)


class Fault(NamedTuple):
    """Why a value can't be read."""

    kind: str
    detail: str
    advice: str
    line: int


class Read(NamedTuple):
    """What was read, where it ends (or what stopped it), the slips with their lines, and every key seen."""

    value: Value
    end: int
    slips: dict[str, int]
    keys: set[str]
    fault: Fault | None = None


class _Broken(Exception):
    """Ends the reading of one value; never leaves this module."""


class _Scan:
    """A reading in progress."""

    __slots__ = ("at", "fault", "keys", "patterns", "quick", "slips", "source", "text")

    def __init__(self, source: Source, start: int) -> None:
        self.source, self.text, self.at = source, source.text, start
        self.slips: dict[str, int] = {}
        self.keys: set[str] = set()
        self.fault: Fault | None = None
        self.patterns, self.quick = _patterns(), _quick_ones(source.text)


def source(text: str, first: int = 1, flat: bool = False) -> Source:
    """A text with its lines counted; `flat`: all of it stands on one line of the answer."""
    return Source(text, first, [] if flat else [found.start() for found in re.finditer("\n", text)])


def read(source: Source, start: int = 0) -> Read:
    """The value that begins there."""
    scan = _Scan(source, start)
    try:
        value = _value(scan, 0)
    except _Broken:
        return Read(None, scan.at, scan.slips, scan.keys, scan.fault)
    return Read(value, scan.at, scan.slips, scan.keys)


# ── structure ────────────────────────────────────────────────────────────────────────────────────


class _Patterns(NamedTuple):
    gap: re.Pattern[str]
    double: re.Pattern[str]
    single: re.Pattern[str]
    word: re.Pattern[str]
    pair: re.Pattern[str]
    escape: re.Pattern[str]
    decode: Callable[[str], str]


class _Quick(NamedTuple):
    """What reads objects of nothing but texts at once: their outline, the way to the next one in a list, the reader."""

    flat: re.Pattern[str]
    more: re.Pattern[str]
    read: Callable[[str, int], tuple[list[tuple[str, str]], int]]


_compiled: list[_Patterns] = []
_quick: list[_Quick] = []
_LONG = 50_000  # signs from which on compiling what is quicker pays
_BLANKS = r"[ \t\n\r]*+"
_QUOTED = r'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_TWO = f"{_BLANKS}{_QUOTED}{_BLANKS}:{_BLANKS}{_QUOTED}{_BLANKS}"


def _patterns() -> _Patterns:
    """The tokens, compiled at their first use."""
    if not _compiled:
        from json import JSONDecoder

        decode = JSONDecoder(strict=False).raw_decode

        _compiled.append(
            _Patterns(
                re.compile(r"(?:[ \t\n\r\f\xa0\ufeff]++|//[^\n]*+|#[^\n]*+|/\*(?:[^*]++|\*(?!/))*+\*/)*+"),
                re.compile(_QUOTED, re.DOTALL),
                re.compile(r"'[^'\\\n]*+(?:\\.[^'\\\n]*+)*+'"),
                re.compile(r"-?[0-9]++(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?|[A-Za-z_$][\w$]*+"),
                re.compile(rf'{_BLANKS}"([^"\\\n\t]*+)"{_BLANKS}:{_BLANKS}({_QUOTED}){_BLANKS}([,}}])', re.DOTALL),
                re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL),
                lambda token: decode(token)[0],
            )
        )
    return _compiled[0]


def _quick_ones(text: str) -> _Quick | None:
    """The same for long texts."""
    if len(text) < _LONG:
        return None
    if not _quick:
        from json import JSONDecoder

        flat = re.compile(rf"\{{{_TWO}(?:,{_TWO})*+\}}", re.DOTALL)
        more = re.compile(rf"{_BLANKS},{_BLANKS}(?=\{{)")
        _quick.append(_Quick(flat, more, JSONDecoder(object_pairs_hook=list).raw_decode))
    return _quick[0]


def _value(scan: _Scan, depth: int) -> Value:
    char = _next(scan)
    if char in ("{", "["):
        if depth == DEPTH:
            raise _broken(scan, f"it is nested deeper than {DEPTH} levels", "Write a plain list of edits.")
        return _fields(scan, depth + 1) if char == "{" else _list(scan, depth + 1)
    if char in ('"', "'"):
        return _text(scan, char)
    return _word(scan)


def _next(scan: _Scan) -> str:
    """The next character that is no blank and no comment; "" at the end."""
    char = scan.text[scan.at : scan.at + 1]
    if char and char not in _GAPS:
        return char
    match = scan.patterns.gap.match(scan.text, scan.at)
    if match is not None and match.end() > scan.at:
        if "/" in match[0] or "#" in match[0]:
            _slip(scan, "there are comments in the JSON")
        scan.at = match.end()
    if scan.text.startswith("/*", scan.at):  # a comment that never closes is the rest, and is paid for as such
        scan.at = len(scan.text)
    return scan.text[scan.at : scan.at + 1]


def _fields(scan: _Scan, depth: int) -> Fields:
    line = scan.source.line(scan.at)
    values: dict[str, Value] = {}
    if _texts(scan, values):
        return Fields(line, values, {})
    scan.at += 1
    if _pairs(scan, values):
        return Fields(line, values, {})
    while (char := _next(scan)) != "}":
        at = scan.at
        key = _key(scan, char)
        if key in values:
            scan.at = at
            raise _broken(scan, f'the key "{key}" stands twice in one object', "Give each edit an object of its own.")
        if _next(scan) != ":":
            raise _broken(scan, f'there is no `:` behind the key "{key}"', 'Write `"key": value`.')
        scan.at += 1
        scan.keys.add(key)
        values[key] = _value(scan, depth)
        _separate(scan, "}")
    scan.at += 1
    return Fields(line, values, {})


def _texts(scan: _Scan, values: dict[str, Value]) -> bool:
    """Read an object of nothing but texts at once, where there is no slip in it; whether that was so."""
    if scan.quick is None or scan.quick.flat.match(scan.text, scan.at) is None:
        return False
    try:
        pairs, end = scan.quick.read(scan.text, scan.at)
    except ValueError:
        return False
    found = dict(pairs)
    if len(found) < len(pairs):
        return False
    values.update(found)
    scan.keys.update(found)
    scan.at = end
    return True


def _pairs(scan: _Scan, values: dict[str, Value]) -> bool:
    """Read the pairs that are nothing but two texts, by one look each; whether the object ended with them."""
    while (match := scan.patterns.pair.match(scan.text, scan.at)) is not None and match[1] not in values:
        key, token, behind = match.groups()
        scan.at = match.start(2)
        scan.keys.add(key)
        values[key] = _said(scan, token)
        scan.at = match.end()
        if behind == "}":
            return True
    if values and _next(scan) == "}":
        _slip(scan, "there is a comma before a closing bracket")
    return False


def _list(scan: _Scan, depth: int) -> list[Value]:
    values: list[Value] = []
    scan.at += 1
    while _next(scan) != "]":
        values.append(_value(scan, depth))
        if scan.quick is not None and depth < DEPTH:
            while match := scan.quick.more.match(scan.text, scan.at):
                scan.at = match.end()
                values.append(_fields(scan, depth + 1))
        _separate(scan, "]")
    scan.at += 1
    return values


def _separate(scan: _Scan, closer: str) -> None:
    """The comma behind a value, or the closing bracket."""
    char = _next(scan)
    if char == ",":
        scan.at += 1
        if _next(scan) == closer:
            _slip(scan, "there is a comma before a closing bracket")
    elif char != closer:
        advice = f'Write `,` or `{closer}` there; inside a text, write `"` as `\\"` and a line break as `\\n`.'
        raise _broken(scan, f"{_seen(scan)} stands where `,` or `{closer}` belongs", advice)


def _key(scan: _Scan, char: str) -> str:
    if char in ('"', "'"):
        return _text(scan, char)
    match = scan.patterns.word.match(scan.text, scan.at)
    if match is None:
        raise _broken(scan, f"{_seen(scan)} stands where a key belongs", "Write keys in double quotes.")
    _slip(scan, "keys stand without quotes")
    scan.at = match.end()
    return match[0]


def _word(scan: _Scan) -> Value:
    match = scan.patterns.word.match(scan.text, scan.at)
    word = match[0] if match else ""
    if word in _PYTHON:
        _slip(scan, "True, False or None stand for true, false or null")
    elif word not in _WORDS and (not word or word[0] not in "-0123456789"):
        raise _broken(scan, f"{_seen(scan)} is no value", "Write texts in double quotes.")
    scan.at += len(word)
    if word in _WORDS or word in _PYTHON:
        return {**_WORDS, **_PYTHON}[word]
    # A number too long for a line or a count is only a number: no digit limit is met, no time is lost.
    return int(word) if len(word) < 19 and word.lstrip("-").isdigit() else float(word)


# ── texts ────────────────────────────────────────────────────────────────────────────────────────


def _text(scan: _Scan, quote: str) -> str:
    pattern = scan.patterns.double if quote == '"' else scan.patterns.single
    match = pattern.match(scan.text, scan.at)
    if match is None:
        line = scan.source.line(scan.at)
        scan.at = len(scan.text) if quote == '"' else scan.at + 1
        kind = "truncated" if quote == '"' else "bad_patch"
        scan.fault = Fault(
            kind, "a text is opened by a quote and never closed", "Send it whole, up to its last `]`.", line
        )
        raise _Broken
    if quote == "'":
        _slip(scan, "texts stand in single quotes")
    text = _said(scan, match[0])
    scan.at = match.end()
    return text


def _said(scan: _Scan, token: str) -> str:
    """What a text in its quotes says."""
    body = token[1:-1]
    if "\n" in body or "\t" in body:
        _slip(scan, "line breaks or tabs stand unescaped in a text")
    return body if "\\" not in body else _unescaped(scan, token)


def _unescaped(scan: _Scan, token: str) -> str:
    if token[0] == '"':
        try:
            return scan.patterns.decode(token)
        except ValueError:
            pass
    quote = token[0]
    text = scan.patterns.escape.sub(lambda match: _escape(scan, match, quote), token[1:-1])
    if scan.fault is not None:
        raise _Broken
    # A pair of surrogate escapes is one character.
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def _escape(scan: _Scan, match: re.Match[str], quote: str) -> str:
    said = match[1]
    if said in _ESCAPES:
        return _ESCAPES[said]
    if len(said) == 5:
        return chr(int(said[1:], 16))
    if said == quote:
        return quote
    if said in _THEMSELVES:
        _slip(scan, "a backslash that begins no escape of JSON was read as itself")
    elif scan.fault is None:
        line = scan.source.line(scan.at + 1 + match.start())
        shown = repr(said) if said.isspace() else said
        advice = f"Write `\\\\{shown}` for a backslash, or leave the backslash out."
        scan.fault = Fault("bad_patch", f"`\\{shown}` is no escape of JSON and has two readings", advice, line)
    return match[0]


# ── findings ─────────────────────────────────────────────────────────────────────────────────────


def _slip(scan: _Scan, what: str) -> None:
    if what not in scan.slips:
        scan.slips[what] = scan.source.line(scan.at)


def _seen(scan: _Scan) -> str:
    piece = scan.text[scan.at : scan.at + 20].split("\n")[0]
    return f"`{piece}`" if piece else "the end"


def _broken(scan: _Scan, detail: str, advice: str) -> _Broken:
    """The end of a reading. Where the text, its fence or its tag ends, the rest is missing."""
    if scan.at >= len(scan.text) or scan.text.startswith(("```", "~~~", "</"), scan.at):
        detail, advice = "the JSON ends before its brackets are closed", "Send it whole, up to its last bracket."
        scan.fault = Fault("truncated", detail, advice, scan.source.line(scan.at))
    else:
        scan.fault = Fault("bad_patch", detail, advice, scan.source.line(scan.at))
    return _Broken()


# ── json find ───────────────────────────────────────────────────────────────────────────────────────


_PREFIX = r"(?:\w{1,20}:)?"
_OPENING = (
    r"""\{\s*+(?:["']|//|/\*|\#|[A-Za-z_$][\w$]*+\s*+:)"""
    r"""|\[\s*+(?:[{\[]|//|/\*|\#)"""
    r"""|<""" + _PREFIX + r"""invoke\s++name\s?=\s?["']?([^"'<>]{1,200})["']?\s?>"""
    r"""|<function=([^<>\s]{1,200})>"""
)
_PARAMETER = (
    r"""<""" + _PREFIX + r"""parameter(?:\s++name\s?=\s?["']?([^"'<>]{1,200})["']?[^<>]{0,80}|=([^<>\s]{1,200}))>"""
)
_CLOSER = (
    r"</" + _PREFIX + r"parameter>(?=\s*+<(?:" + _PREFIX + r"parameter[\s=]|/" + _PREFIX + r"(?:invoke|function)>))"
)
_CALL_END = r"\s*+</" + _PREFIX + r"(?:invoke|function)>"
# What a broken value must hold to be taken for an edit rather than for code in the prose.
_TELLING = (
    "oldstring", "newstring", "oldstr", "newstr", "oldtext", "newtext", "filetext", "filepath", "edits", "operation",
    "toolcalls", "arguments", "insertline", "replaceall", "relativepath", "namepath", "contextbefore",
    "codeedit",
)  # fmt: skip
_PAIRS = (("search", "replace"), ("find", "replace"), ("path", "content"), ("path", "command"), ("path", "diff"))


class Found(NamedTuple):
    """The values of an answer in order, and what is wrong or odd about their writing."""

    values: list[Value]
    problems: list[Problem]
    notes: list[Note]


@lru_cache(maxsize=256)
def plain(key: str) -> str:
    """A key as all dialects spell it: file_path, filePath and file-path are one."""
    return key.strip().replace("_", "").replace("-", "").lower()


def find(source: Source) -> Found:
    """Every value of the answer."""
    found = Found([], [], [])
    opening = re.compile(_OPENING)
    # Code in the prose is tried and given up at each bracket; a bound on that keeps the whole linear.
    budget = 8 * len(source.text) + 10_000
    at = 0
    while match := opening.search(source.text, at):
        start = match.start()
        if match[0][0] == "<":
            at = _call(source, match, found)
            continue
        one = read(source, start)
        if one.fault is None:
            found.values.append(one.value)
            at = one.end
            if tells(one.keys):
                found.notes.extend(slips(one))
        elif tells(one.keys):
            found.problems.append(fault(one))
            at = resume(source.text, max(one.end, start + 1))
        else:
            budget -= one.end - start
            at = start + 1 if budget > 0 else max(one.end, start + 1)
    return found


def tells(keys: set[str]) -> bool:
    """Whether keys are those of an edit."""
    names = {plain(key) for key in keys}
    return not names.isdisjoint(_TELLING) or any(one in names and two in names for one, two in _PAIRS)


def slips(one: Read) -> list[Note]:
    """The slips of a reading as notes."""
    return [Note(what, patch_line=line) for what, line in one.slips.items()]


def fault(one: Read) -> Problem:
    """What stopped a reading as a problem."""
    assert one.fault is not None
    return Problem(one.fault.kind, one.fault.detail, patch_line=one.fault.line, advice=one.fault.advice)


def opens(text: str, at: int = 0) -> bool:
    """Whether an object, a list or a call may begin at a place."""
    return re.compile(_OPENING).match(text, at) is not None


def call_end(source: Source, at: int) -> int:
    """The place behind the call as tags that begins at another one."""
    opening = re.compile(_OPENING).match(source.text, at)
    return _call(source, opening, Found([], [], [])) if opening is not None else at


def resume(text: str, at: int) -> int:
    """Where to go on behind a broken value: the next line that begins with a bracket, a fence or a tag."""
    match = re.compile(r"^(?=[{\[`~<])", re.MULTILINE).search(text, at)
    return match.start() if match else len(text)


# ── calls as tags ────────────────────────────────────────────────────────────────────────────────


def _call(source: Source, opening: re.Match[str], found: Found) -> int:
    """One call as tags; gives the place behind it."""
    text, line = source.text, source.line(opening.start())
    name = opening[1] or opening[2]
    given = Fields(line, {}, {})
    parameter, closer, call_end = re.compile(rf"\s*+{_PARAMETER}"), re.compile(_CLOSER), re.compile(_CALL_END)
    at = opening.end()
    while match := parameter.match(text, at):
        end = closer.search(text, match.end())
        if end is None:
            found.problems.append(_open(source.line(match.end()), "</parameter>"))
            return len(text)
        key, value, at = match[1] or match[2], text[match.end() : end.start()], end.end()
        if key in given.values:
            detail, advice = f"the parameter `{key}` stands twice in one call", "Give each edit a call of its own."
            found.problems.append(Problem("bad_patch", detail, patch_line=source.line(match.end()), advice=advice))
        given.lines[key] = source.line(match.end())
        given.values[key] = value
        if match[2]:  # in this dialect a text stands on lines of its own
            given.lines[key] += value[:1] == "\n"
            given.values[key] = value.removeprefix("\n").removesuffix("\n")
    ended = call_end.match(text, at)
    if ended is None:
        found.problems.append(_open(source.line(at), "</invoke>" if opening[1] else "</function>"))
        return resume(text, at)
    found.values.append(Fields(line, {"name": name, "input": given}, {}))
    return ended.end()


def _open(line: int, tag: str) -> Problem:
    detail = f"a tool call is opened and its `{tag}` is missing"
    return Problem("truncated", detail, patch_line=line, advice=f"Send the call whole, up to `{tag}`.")

"""JSON as models write it: the value at a place of an answer. Linear; knows no edit and no tool.

The standard library reads it. Where that fails, these slips are corrected, recorded as notes, and it tries once more:
trailing commas, comments, single quotes, keys without quotes, Python's True, False and None, backslashes that begin no
escape but can only stand for themselves. Line breaks in strings are allowed.

A value that is still open where the text, its fence or its tag ends is "truncated", all else that is wrong "bad_patch".
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from json import JSONDecodeError, JSONDecoder
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from ..model import Note
from ..problems import Problem
from ..text import pattern

if TYPE_CHECKING:
    from ..hints import ProblemKind

Value: TypeAlias = "str | float | list[Value] | Fields | None"

_DEEPEST = 32
_STRING = r'"[^"\\]*+(?:\\(?s:.)[^"\\]*+)*+"'
_COMMENT = r"//[^\n]*+|\#[^\n]*+|/\*(?:[^*]++|\*(?!/))*+\*/"
_TOKEN = (
    rf"(?P<string>{_STRING})|(?P<single>'[^'\\\n]*+(?:\\[^\n][^'\\\n]*+)*+')|(?P<comment>{_COMMENT})"
    rf"|(?P<comma>,(?=(?:\s++|{_COMMENT})*+[]}}]))|(?P<bracket>[][{{}}])|(?P<word>[A-Za-z_$][\w$]*+)"
    r"|(?P<other>[:,]|[\s\xa0\ufeff]+|-?[0-9]++(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?(?!\w))"
)
_PYTHON = {"True": "true", "False": "false", "None": "null"}
_WORDS = ("true", "false", "null", *_PYTHON)
# An escape that JSON doesn't know but regular expressions do can only stand for the two characters themselves.
_THEMSELVES = frozenset("acdeghijklmopqsvwyzABCDEFGHIJKLMOPQRSTVWXYZ()[]{}.*+?|^-")
_ESCAPE = r"\\(u[0-9a-fA-F]{4}|(?s:.))"
_ESCAPES = tuple('"\\/bfnrt')


class Fields(NamedTuple):
    """An object: the line it begins at, its values, and the lines of those values that are raw text of the answer."""

    line: int
    values: dict[str, Value]
    lines: dict[str, int]


class Source(NamedTuple):
    """A text and the line of the answer it begins at; a text from inside a string is all on that line."""

    text: str
    first: int
    breaks: list[int]

    def line(self, at: int) -> int:
        """Return the line of the answer that an offset is on."""
        return self.first + bisect_left(self.breaks, at)


class Read(NamedTuple):
    """A value, where it ends (or what stopped it), the slips with their lines, and every key seen."""

    value: Value
    end: int
    slips: dict[str, int]
    keys: set[str]
    fault: Problem | None = None

    @property
    def notes(self) -> list[Note]:
        """The slips as notes."""
        return [Note(what, patch_line=line) for what, line in self.slips.items()]


class _Broken(Exception):
    """Ends the reading of a value; carries what is wrong."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.detail)
        self.problem = problem


def source(text: str, first: int = 1, flat: bool = False) -> Source:
    """Return a text with its lines counted; `flat`: all of it is on one line of the answer."""
    return Source(text, first, [] if flat else [match.start() for match in re.finditer("\n", text)])


def read(source: Source, start: int = 0) -> Read:
    """Read the value that begins at an offset."""
    keys: set[str] = set()
    try:
        value, end = _decode(source.text, start, source.line(start), not source.breaks, keys, True)
    except (ValueError, RecursionError, _Broken):
        return _Correction(source, start).read()
    if source.text.count("[", start, end) + source.text.count("{", start, end) > _DEEPEST and _is_too_deep(value):
        return Read(None, start + 1, {}, keys, _too_deep(source.line(start)))
    return Read(value, end, {}, keys)


def whole_number(value: Value) -> int | None:
    """Return a whole number that a line, a column or a count can be; None for other values."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not -1e10 < value < 1e10 or value != int(value):
        return None
    return int(value)


def resume(text: str, at: int) -> int:
    """Return where to go on after a broken value: at the next line that begins with a bracket, a fence or a tag."""
    match = re.compile(r"^(?=[{\[`~<])", re.MULTILINE).search(text, at)
    return match.start() if match else len(text)


def _decode(text: str, start: int, line: int, flat: bool, keys: set[str], strict: bool) -> tuple[Value, int]:
    """Return the JSON value that begins at an offset, and where it ends; raise ValueError or _Broken if it isn't JSON.

    The decoder completes objects in the order of their closing braces, which gives their lines.
    """
    lines = None if flat else _object_lines(text, start, line)

    def fields(pairs: list[tuple[str, Value]]) -> Fields:
        values = dict(pairs)
        keys.update(values)
        first = line if lines is None else next(lines)
        if len(values) < len(pairs):
            names = [key for key, _ in pairs]
            repeated = next(key for key in names if names.count(key) > 1)
            detail, advice = f'the key "{repeated}" appears twice in one object', "Write an object for each edit."
            raise _Broken(Problem("bad_patch", detail, patch_line=first, advice=advice))
        return Fields(first, values, {})

    decoder = JSONDecoder(object_pairs_hook=fields, parse_int=_number, parse_constant=_no_constant, strict=strict)
    value: Value
    value, end = decoder.raw_decode(text, start)
    return value, end


def _object_lines(text: str, start: int, line: int) -> Iterator[int]:
    """Yield the line of each object's opening brace, in the order of the closing ones."""
    opened: list[int] = []
    at = start
    for match in pattern(rf"{_STRING}|[{{}}]").finditer(text, start):
        if match[0] == "{":
            line += text.count("\n", at, match.start())
            at = match.start()
            opened.append(line)
        elif match[0] == "}":
            yield opened.pop()


def _number(word: str) -> float:
    """Read a number. One too long for a line or a count needn't be exact, and may have more digits than `int` takes."""
    return int(word) if len(word) < 19 else float(word)


def _no_constant(word: str) -> None:
    raise ValueError(f"{word} is not JSON")


def _is_too_deep(value: Value) -> bool:
    level = [value]
    for _ in range(_DEEPEST):
        held = [
            one.values.values() if isinstance(one, Fields) else one for one in level if isinstance(one, Fields | list)
        ]
        level = [inner for values in held for inner in values]
        if not level:
            return False
    return any(isinstance(one, Fields | list) for one in level)


def _too_deep(line: int) -> Problem:
    detail, advice = f"the JSON is nested deeper than {_DEEPEST} levels", "Write a plain list of edits."
    return Problem("bad_patch", detail, patch_line=line, advice=advice)


# ── slips ────────────────────────────────────────────────────────────────────────────────────────


class _Correction:
    """A value with its slips corrected, token by token; line breaks stay where they are."""

    def __init__(self, source: Source, start: int) -> None:
        self.source, self.start, self.at = source, start, start
        self.slips: dict[str, int] = {}
        self.keys: set[str] = set()

    def read(self) -> Read:
        """Return the value, or the problem with it."""
        try:
            text = self.corrected()
            line, flat = self.source.line(self.start), not self.source.breaks
            value, _ = _decode(text, 0, line, flat, self.keys, False)
        except _Broken as broken:
            return Read(None, self.at, self.slips, self.keys, broken.problem)
        except JSONDecodeError as error:
            line += 0 if flat else error.lineno - 1
            advice = 'Inside a string, write `"` as `\\"` and a line break as `\\n`.'
            problem = Problem("bad_patch", f"the JSON is broken: {error.msg}", patch_line=line, advice=advice)
            return Read(None, self.at, self.slips, self.keys, problem)
        return Read(value, self.at, self.slips, self.keys)

    def corrected(self) -> str:
        """Return the text of the value, up to the bracket that closes it."""
        depth, pieces = 0, list[str]()
        while not pieces or depth:
            match = pattern(_TOKEN).match(self.source.text, self.at)
            if match is None:
                raise self.broken()
            kind, text = str(match.lastgroup), match[0]
            if kind == "bracket":
                depth += 1 if text in "[{" else -1
            if depth > _DEEPEST:
                raise _Broken(_too_deep(self.source.line(self.start)))
            pieces.append(self.token(kind, text, match.end()) if kind not in ("bracket", "other") else text)
            self.at = match.end()
        return "".join(pieces)

    def token(self, kind: str, token: str, end: int) -> str:
        """Return a token as JSON has it."""
        if kind == "comment":
            self.slip("there are comments in the JSON")
            return "\n" * token.count("\n")
        if kind == "comma":
            self.slip("there is a comma before a closing bracket")
            return ""
        is_key = pattern(r"\s*+:").match(self.source.text, end) is not None
        if kind == "word" and is_key:
            self.slip("keys have no quotes")
            token = f'"{token}"'
        elif kind == "word":
            if token not in _WORDS:
                raise self.broken()
            if token in _PYTHON:
                self.slip("True, False or None is used for true, false or null")
            return _PYTHON.get(token, token)
        if kind == "single":
            self.slip("strings are in single quotes")
            token = '"' + re.sub(r"\\'|\"", lambda sign: "'" if sign[0] == "\\'" else '\\"', token[1:-1]) + '"'
        if "\n" in token or "\t" in token:
            self.slip("line breaks or tabs are not escaped in a string")
        if is_key:
            self.keys.add(token[1:-1])
        return pattern(_ESCAPE).sub(self.escape, token) if "\\" in token else token

    def escape(self, match: re.Match[str]) -> str:
        """Return an escape as JSON has it."""
        if match[1] in _ESCAPES or len(match[1]) == 5:
            return match[0]
        if match[1] not in _THEMSELVES:
            shown = repr(match[1]) if match[1].isspace() else match[1]
            detail = f"`\\{shown}` is not a JSON escape and could mean two things"
            advice = f"Write `\\\\{shown}` for a backslash, or leave the backslash out."
            raise _Broken(Problem("bad_patch", detail, patch_line=self.source.line(self.at), advice=advice))
        self.slip("a backslash that doesn't begin a JSON escape was kept")
        return f"\\{match[0]}"

    def slip(self, what: str) -> None:
        self.slips.setdefault(what, self.source.line(self.at))

    def broken(self) -> _Broken:
        """Return the problem where no token fits: cut off at the end of the text, its fence or its tag, else broken."""
        text, at = self.source.text, self.at
        kind: ProblemKind = "bad_patch"
        detail, advice = (
            f"`{text[at : at + 20].split(chr(10))[0]}` is not a JSON value",
            "Write strings in double quotes.",
        )
        if text[at : at + 1] == '"' or text.startswith("/*", at):
            self.at = len(text)  # a string or a comment that never closes is all of the rest
        if at == len(text) or self.at == len(text) or text.startswith(("```", "~~~", "</"), at):
            kind, detail = "truncated", "the JSON ends before its strings and brackets are closed"
            advice = ""
        return _Broken(Problem(kind, detail, patch_line=self.source.line(at), advice=advice))

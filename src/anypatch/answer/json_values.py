"""JSON as models write it: the value at a place of an answer. Linear; knows no edit and no tool.

The standard library reads it; in strings, line breaks are allowed. A value that is still open where the text, its fence
or its tag ends is "truncated", all else that is wrong "bad_patch".
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from json import JSONDecodeError, JSONDecoder
from typing import NamedTuple, TypeAlias

from ..problems import Problem, Refused
from ..text import pattern

Value: TypeAlias = "str | float | list[Value] | Fields | None"

_DEEPEST = 32
_KEYS_READ = 400  # characters in which keys in single quotes are looked for: a call that can't be read is refused
_BRACKET = r'"[^"\\]*+(?:\\(?s:.)[^"\\]*+)*+"|([][{}])'
_KEY = r"""["']([^"'\\\n]{1,100}+)["']\s*+:"""


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
    """A value, where it ends (or what stopped it), and every key seen."""

    value: Value
    end: int
    keys: set[str]
    fault: Problem | None = None


def source(text: str, first: int = 1, flat: bool = False) -> Source:
    """Return a text with its lines counted; `flat`: all of it is on one line of the answer."""
    return Source(text, first, [] if flat else [match.start() for match in re.finditer("\n", text)])


def read(source: Source, start: int = 0) -> Read:
    """Read the value that begins at an offset."""
    keys: set[str] = set()
    text, lines = source.text, _object_lines(source, start)

    def fields(pairs: list[tuple[str, Value]]) -> Fields:
        values = dict(pairs)
        keys.update(values)
        first = next(lines)
        if len(values) < len(pairs):
            names = [key for key, _ in pairs]
            repeated = next(key for key in names if names.count(key) > 1)
            detail, advice = f'the key "{repeated}" appears twice in one object', "Write an object for each edit."
            raise Refused(Problem("bad_patch", detail, patch_line=first, advice=advice))
        return Fields(first, values, {})

    try:
        # A number that is too long for a line or a count may have more digits than `int` takes.
        value, end = JSONDecoder(object_pairs_hook=fields, parse_int=_number, strict=False).raw_decode(text, start)
        for _ in lines:  # lists may still be too deep
            pass
    except JSONDecodeError as error:
        stop, fault = error.pos + _KEYS_READ * text.startswith("'", error.pos), _fault(source, error)
    except Refused as refused:
        stop, fault = start + 1, refused.problems[0]
    except RecursionError:
        detail, advice = f"the JSON is nested deeper than {_DEEPEST} levels", "Write a plain list of edits."
        stop, fault = len(text), Problem("bad_patch", detail, patch_line=source.line(start), advice=advice)
    else:
        return Read(value, end, keys)
    keys.update(match[1] for match in pattern(_KEY).finditer(text, start, stop))
    return Read(None, stop, keys, fault)


def whole_number(value: Value) -> int | None:
    """Return a whole number that a line, a column or a count can be; None for other values."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not -1e10 < value < 1e10 or value != int(value):
        return None
    return int(value)


def resume(text: str, at: int) -> int:
    """Return where to go on after a broken value: at the next line that begins with a bracket, a fence or a tag."""
    match = re.compile(r"^(?=[{\[`~<])", re.MULTILINE).search(text, at)
    return match.start() if match else len(text)


def _object_lines(source: Source, start: int) -> Iterator[int]:
    """Yield the line of each object's opening brace, in the order of the closing ones: so the decoder completes them.

    Raise RecursionError where a value is nested too deeply.
    """
    opened: list[int] = []
    for match in pattern(_BRACKET).finditer(source.text, start):
        if match[1] in ("{", "["):
            opened.append(match.start())
            if len(opened) > _DEEPEST:
                raise RecursionError
        elif match[1]:
            at = opened.pop()
            if match[1] == "}":
                yield source.line(at)
            if not opened:
                return


def _number(word: str) -> float:
    return int(word) if len(word) < 19 else float(word)


def _fault(source: Source, error: JSONDecodeError) -> Problem:
    """Return why a value can't be read: it is cut off at the end of the text, its fence or its tag, or it is broken."""
    rest = pattern(r"\s*+(```|~~~|</|\Z)?").match(source.text, error.pos)
    line = source.line(rest.end() if rest else error.pos)
    if error.msg.startswith("Unterminated") or (rest and rest[1] is not None):
        return Problem("truncated", "the JSON ends before its strings and brackets are closed", patch_line=line)
    detail = f"the JSON is broken: {error.msg[:1].lower()}{error.msg[1:]}"
    advice = 'Inside a string, write `"` as `\\"`, a backslash as `\\\\` and a line break as `\\n`.'
    return Problem("bad_patch", detail, patch_line=line, advice=advice)

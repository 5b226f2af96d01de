"""JSON as models write it: every value of an answer, and calls written as tags. Linear; knows no edit and no tool.

    value   = object | array | text | number | true | false | null
    slips   : trailing commas, comments, single quotes, keys without quotes, Python's True, False and None,
              line breaks and tabs inside a text, escapes that can only mean themselves
    call    = <invoke name="…"> (<parameter name="…"> text </parameter>)* </invoke>
            | <function=…> (<parameter=…> text </parameter>)* </function>
            | <tool_call>… (<arg_key> key </arg_key> <arg_value> text </arg_value>)* </tool_call>
            | <tool key="text" …> (text | (<key> text </key>)*) </tool>      for the `elements` of a dialect
            | <tool key="text" … />
            | <file path="…" action="…"> (<change> <search> text </search> <content> text </content> </change>)* </file>
            | the tool's name in marks of the model's own, then its arguments as an object: `_NAMED` lists them

A slip is recorded, not hidden. What is left open at the end is "truncated", all else that is wrong "bad_patch".
The standard library reads each text that has no slip; it can't read the rest, for it tells no object's line.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from ..model import Note
from ..problems import Problem
from ..text import pattern
from .dialects import all_keys, elements, keys_of, plain, tells, verb_of, with_path
from .fences import contents

if TYPE_CHECKING:
    from types import ModuleType
    from typing import TypeAlias

    from ..hints import ProblemKind

    Value: TypeAlias = "str | float | list[Value] | Fields | None"

__all__ = ["ARGUMENTS", "Fields", "Source", "call_end", "collected", "find", "has_call", "opens", "opens_call"]
__all__ += ["read", "resume", "slips", "source", "tells"]

ARGUMENTS = ("input", "arguments", "args", "parameters", "params", "toolinput", "actioninput", "actionargs")
_TEXTS = ("old", "new", "content", "code")  # fields that are text of a file
_PAGES = (".md", ".mdx", ".markdown", ".rst", ".txt", ".adoc")  # files that may be a fence from end to end
_DEEPEST = 32
_IN_TAGS = 5  # groups of `_TAG` that are of calls as tags; each of those behind is the name of a call in `_NAMED`
_WORDS: dict[str, bool | None] = {"true": True, "false": False, "null": None}
_PYTHON: dict[str, bool | None] = {"True": True, "False": False, "None": None}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "/": "/", "\\": "\\", '"': '"'}
# An escape JSON doesn't know but that regular expressions do has one sensible reading: the two characters themselves.
_THEMSELVES = frozenset("acdeghijklmopqsvwyzABCDEFGHIJKLMOPQRSTVWXYZ()[]{}.*+?|^-")

_GAP = r"(?:[ \t\n\r\f\xa0\ufeff]++|//[^\n]*+|#[^\n]*+|/\*(?:[^*]++|\*(?!/))*+\*/)*+"
_GAPS = " \t\n\r\f\xa0\ufeff/#"
_TEXT = {'"': r'"[^"\\]*+(?:\\.[^"\\]*+)*+"', "'": r"'[^'\\\n]*+(?:\\[^\n][^'\\\n]*+)*+'"}
_ESCAPE = r"\\(u[0-9a-fA-F]{4}|.)"
_WORD = r"-?[0-9]++(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?|[A-Za-z_$][\w$]*+"
_PREFIX = r"(?:\w{1,20}:|｜DSML｜)?"
# What stands before the name of a tool, and between it and the arguments, where an object of them alone follows.
_MARK = r"<[|｜]tool[_▁]%s[|｜]>"
_CALLS_BEGIN, _CALL_BEGINS = _MARK % "calls[_▁](?:section[_▁])?begin", _MARK % "call[_▁]begin"
_NAMED = (
    # <|tool_call_begin|>functions.edit:0<|tool_call_argument_begin|>{…}, with ｜ and ▁ in DeepSeek's
    (rf"(?:{_CALLS_BEGIN}\s*+)?{_CALL_BEGINS}\s*+(?:function{_MARK % 'sep'})?",
     rf"(?::\d{{1,4}})?\s*+(?:{_MARK % '(?:sep|call[_▁]argument[_▁]begin)'}|```json)\s*+"),
    # <|channel|>commentary to=functions.edit <|constrain|>json<|message|>{…}
    (r"(?:<\|(?:start|channel)\|>[a-z ]{0,30}){1,3}to=", r"(?:[ a-z]|<\|(?:channel|constrain)\|>){0,60}<\|message\|>"),
    (r"\[TOOL_CALLS\]\s*+", r"(?:\[CALL_ID\]\w{1,40})?\[ARGS\]\s*+"),
    # Action: edit, and below it Action Input: {…}; @edit(call-1): {…}
    (r"(?m:^)Action:[ \t]*+", r"[ \t]*+\nAction Input:\s*+(?:```(?:json)?\s*+)?"),
    (r"(?m:^)@", r"\([\w-]{0,60}\):\s*+"),
    (r"<function=", r">\s*+"),
    (r"<tool_call>\s*+", r"[ \t]*+\n\s*+"),
    (r"""<tool(?:_call|_use)?\s++name\s?=\s?["']""", r"""["']\s?>\s*+"""),
    (r"<(?:use_mcp_tool|tool_use|tool_call|function_call|invoke)>\s*+(?:<server_name>[^<>]*+</server_name>\s*+)?"
     r"<(?:tool_)?name>\s*+", r"\s*+</(?:tool_)?name>\s*+<(?:arguments|parameters|input)>\s*+(?:```(?:json)?\s*+)?"),
)  # fmt: skip
# What closes them: tags, marks, a fence.
_NAMED_END = r"(?:\s*+(?:```|</\w{1,30}>|<[|｜][^<>|｜]{1,40}[|｜]>))*+"
_TAG = (
    r"""<""" + _PREFIX + r"""invoke\s++name\s?=\s?["']?([^"'<>]{1,200})["']?\s?(?:>|\Z)"""
    r"""|<function=([^<>\s]{1,200})>(?!\s*+\{)"""
    r"""|<tool_call>\s*+([\w.:-]{1,200})\s*+(?=<arg_key>)"""
    r"""|(?m:^)[ \t]*+<("""
    + "|".join(elements())
    + r""")((?:\s++[\w-]{1,40}\s?=\s?(?:"[^"<>]*+"|'[^'<>]*+'))*+)\s*+/?>"""
    + "".join(rf"|{before}([\w.:/-]{{1,100}}?){between}(?=\{{)" for before, between in _NAMED)
)
_OPENING = r"""\{\s*+(?:["']|//|/\*|\#|[A-Za-z_$][\w$]*+\s*+:)|\[\s*+(?:[{\[]|//|/\*|\#|"apply_?patch")|""" + _TAG
# How each kind of call writes a value, what closes the value and what the call; the value may hold the first by itself.
_PARAMETER = (
    r"""<""" + _PREFIX + r"""parameter(?:\s++name\s?=\s?["']?([^"'<>]{1,200})["']?[^<>]{0,80}|=([^<>\s]{1,200}))>"""
)
_CLOSER = (
    r"</" + _PREFIX + r"parameter>(?=\s*+<(?:" + _PREFIX + r"parameter[\s=]|/" + _PREFIX + r"(?:invoke|function)>))"
)
_CALL_END = r"\s*+</" + _PREFIX + r"(?:invoke|function)>"
_ARGUMENT = r"<arg_key>()\s*+([^<>]{1,200}?)\s*+</arg_key>\s*+<arg_value>"
_ARGUMENT_CLOSER = r"</arg_value>(?=\s*+</?(?:arg_key|tool_call)>)"


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


class Read(NamedTuple):
    """What was read, where it ends (or what stopped it), the slips with their lines, and every key seen."""

    value: Value
    end: int
    slips: dict[str, int]
    keys: set[str]
    fault: Problem | None = None


class Found(NamedTuple):
    """The values of an answer in order, and what is wrong or odd about their writing."""

    values: list[Value]
    problems: list[Problem]
    notes: list[Note]


def find(source: Source) -> Found:
    """Every value of the answer."""
    found = Found([], [], [])
    opening = pattern(_OPENING)
    # Code in the prose is tried and given up at each bracket; a bound on that keeps the whole linear.
    budget = 8 * len(source.text) + 10_000
    at = 0
    while match := opening.search(source.text, at):
        start = match.start()
        if match.lastindex:
            at = _call(source, match, found)
            continue
        one = read(source, start)
        if one.fault is None:
            found.values.append(one.value)
            at = one.end
            if tells(one.keys):
                found.notes.extend(slips(one))
        elif tells(one.keys):
            found.problems.append(one.fault)
            at = resume(source.text, max(one.end, start + 1))
        else:
            budget -= one.end - start
            at = start + 1 if budget > 0 else max(one.end, start + 1)
    return found


def collected(value: Value, is_wanted: Callable[[Fields], bool], depth: int = 0) -> list[Fields]:
    """The objects that are wanted, out of lists, calls and arguments that are a string of JSON."""
    if isinstance(value, list):
        return [fields for item in value for fields in collected(item, is_wanted, depth)]
    if not isinstance(value, Fields):
        return []
    if is_wanted(value):
        return [value]
    return collected(_wrapped(value), is_wanted, depth + 1) if depth < 8 else []


def _wrapped(fields: Fields) -> list[Value]:
    """What an object may wrap: objects, lists, and arguments that are JSON in a string. Never a file's contents."""
    keys = {plain(key) for key in fields.values}
    if not keys.isdisjoint(keys_of("path")) and any(not keys.isdisjoint(keys_of(text)) for text in _TEXTS):
        return []
    inside: list[Value] = []
    for key, value in fields.values.items():
        if isinstance(value, Fields | list):
            inside.append(value)
        elif isinstance(value, str) and plain(key) in (*ARGUMENTS, "edit", "result") and value.lstrip()[:1] in "{[":
            inner = read(source(value, 1, flat=True))
            inside += [inner.value] if inner.fault is None else []
    return inside


def slips(one: Read) -> list[Note]:
    """The slips of a reading as notes."""
    return [Note(what, patch_line=line) for what, line in one.slips.items()]


def opens(text: str, at: int = 0) -> bool:
    """Whether an object, a list or a call may begin at a place."""
    return pattern(_OPENING).match(text, at) is not None


def opens_call(text: str) -> bool:
    """Whether a call as tags, or one whose name stands before its arguments, begins a text."""
    return pattern(_TAG).match(text) is not None


def has_call(text: str) -> bool:
    """Whether a call as tags may stand in a text."""
    signs = ("<", "[ARGS]", "Action Input:", "): {")
    return any(sign in text for sign in signs) and pattern(_TAG).search(text) is not None


def call_end(source: Source, at: int) -> int:
    """The place behind the call as tags that begins at another one. Some tags must be the first of their line."""
    line = source.text.rfind("\n", 0, at) + 1
    opening = pattern(_OPENING).match(source.text, at) or pattern(_OPENING).match(source.text, line)
    return _call(source, opening, Found([], [], [])) if opening is not None else at


def resume(text: str, at: int) -> int:
    """Where to go on behind a broken value: the next line that begins with a bracket, a fence or a tag."""
    match = re.compile(r"^(?=[{\[`~<])", re.MULTILINE).search(text, at)
    return match.start() if match else len(text)


# ── one value ────────────────────────────────────────────────────────────────────────────────────


def source(text: str, first: int = 1, flat: bool = False) -> Source:
    """A text with its lines counted; `flat`: all of it stands on one line of the answer."""
    return Source(text, first, [] if flat else [match.start() for match in re.finditer("\n", text)])


def read(source: Source, start: int = 0) -> Read:
    """The value that begins there: by the standard library if it is JSON on one line, otherwise by our own reader,
    which knows the lines of objects and forgives what models write."""
    if source.text[start : start + 1] in ("{", "["):
        plain_json = _on_one_line(source, start)
        if plain_json is not None:
            return plain_json
    reader = _Reader(source, start)
    try:
        value = reader.value(0)
    except _Broken:
        return Read(None, reader.at, reader.slips, reader.keys, reader.fault)
    return Read(value, reader.at, reader.slips, reader.keys)


def _on_one_line(source: Source, start: int) -> Read | None:
    """A value of plain JSON that takes one line of the answer; None for any other."""
    line, keys = source.line(start), set[str]()

    def fields(pairs: list[tuple[str, Value]]) -> Fields:
        values = dict(pairs)
        if len(values) < len(pairs):
            raise ValueError("a key appears twice")
        keys.update(values)
        return Fields(line, values, {})

    newline = source.text.find("\n", start)
    text = source.text[start:] if newline < 0 else source.text[start:newline]
    if text.count("{") + text.count("[") > _DEEPEST:
        return None  # our own reader counts how deep it goes
    try:
        value, end = _json().JSONDecoder(object_pairs_hook=fields, parse_constant=_no_constant).raw_decode(text)
    except (ValueError, RecursionError):
        return None
    return Read(value, start + end, {}, keys)


def _no_constant(word: str) -> None:
    raise ValueError(f"{word} is not JSON")


@cache
def _json() -> ModuleType:
    """The standard library's module, which takes its time to load."""
    import json

    return json


@cache
def _decoder() -> Callable[[str, int], tuple[str, int]]:
    """The standard library's reading of a text, line breaks allowed in it."""
    from json import JSONDecoder

    return JSONDecoder(strict=False).raw_decode


class _Broken(Exception):
    """Ends the reading of one value; never leaves this module."""


class _Reader:
    """The reading of one value, which has come to the place `at`."""

    def __init__(self, source: Source, start: int) -> None:
        self.source, self.text, self.at = source, source.text, start
        self.slips: dict[str, int] = {}
        self.keys: set[str] = set()
        self.fault: Problem | None = None

    def value(self, depth: int) -> Value:
        """Any value."""
        char = self.next()
        if char in ("{", "["):
            if depth == _DEEPEST:
                raise self.broken(f"it is nested deeper than {_DEEPEST} levels", "Write a plain list of edits.")
            return self.fields(depth + 1) if char == "{" else self.list(depth + 1)
        return self.quoted(char) if char in ('"', "'") else self.word()

    def next(self) -> str:
        """The next character that is no blank and no comment; "" at the end."""
        char = self.text[self.at : self.at + 1]
        if not char or char not in _GAPS:
            return char
        match = pattern(_GAP).match(self.text, self.at)
        if match and match[0]:
            if "/" in match[0] or "#" in match[0]:
                self.slip("there are comments in the JSON")
            self.at = match.end()
        if self.text.startswith("/*", self.at):  # a comment that never closes is the rest, and is paid for as such
            self.at = len(self.text)
        return self.text[self.at : self.at + 1]

    def fields(self, depth: int) -> Fields:
        """An object."""
        line = self.source.line(self.at)
        values: dict[str, Value] = {}
        self.at += 1
        while (char := self.next()) != "}":
            at = self.at
            key = self.quoted(char) if char in ('"', "'") else self.bare_key()
            if key in values:
                self.at = at
                raise self.broken(
                    f'the key "{key}" appears twice in one object', "Write a separate object for each edit."
                )
            if self.next() != ":":
                raise self.broken(f'there is no `:` after the key "{key}"', 'Write `"key": value`.')
            self.at += 1
            self.keys.add(key)
            values[key] = self.value(depth)
            self.separate("}")
        self.at += 1
        return Fields(line, values, {})

    def list(self, depth: int) -> list[Value]:
        """An array."""
        values: list[Value] = []
        self.at += 1
        while self.next() != "]":
            values.append(self.value(depth))
            self.separate("]")
        self.at += 1
        return values

    def separate(self, closer: str) -> None:
        """The comma behind a value, or the closing bracket."""
        char = self.next()
        if char == ",":
            self.at += 1
            if self.next() == closer:
                self.slip("there is a comma before a closing bracket")
        elif char != closer:
            advice = f'Write `,` or `{closer}` there; inside a string, write `"` as `\\"` and a line break as `\\n`.'
            raise self.broken(f"{self.seen()} is where `,` or `{closer}` should be", advice)

    def bare_key(self) -> str:
        """A key without quotes."""
        match = pattern(_WORD).match(self.text, self.at)
        if match is None:
            raise self.broken(f"{self.seen()} is where a key should be", "Write keys in double quotes.")
        self.slip("keys have no quotes")
        self.at = match.end()
        return match[0]

    def word(self) -> Value:
        """A number, or one of the words that stand for a value."""
        match = pattern(_WORD).match(self.text, self.at)
        word = match[0] if match else ""
        if word in _PYTHON:
            self.slip("True, False or None is used for true, false or null")
        elif word not in _WORDS and (not word or word[0] not in "-0123456789"):
            raise self.broken(f"{self.seen()} is not a JSON value", "Write strings in double quotes.")
        self.at += len(word)
        if word in _WORDS or word in _PYTHON:
            return {**_WORDS, **_PYTHON}[word]
        # A number too long for a line or a count is only a number: no digit limit is met, no time is lost.
        return int(word) if len(word) < 19 and word.lstrip("-").isdigit() else float(word)

    def quoted(self, quote: str) -> str:
        """A text in quotes."""
        start = self.at
        try:
            text, end = _decoder()(self.text, start) if quote == '"' else ("", -1)
        except ValueError:
            end = -1
        if end < 0:
            text, end = self.lenient(quote)
        raw = self.text[start:end]
        if "\n" in raw or "\t" in raw:
            self.slip("line breaks or tabs are not escaped in a string")
        self.at = end
        return text

    def lenient(self, quote: str) -> tuple[str, int]:
        """A text in single quotes or with escapes that JSON doesn't know, and the place behind it."""
        match = pattern(_TEXT[quote]).match(self.text, self.at)
        if match is None:
            line = self.source.line(self.at)
            self.at = len(self.text) if quote == '"' else self.at + 1
            kind: ProblemKind = "truncated" if quote == '"' else "bad_patch"
            detail, advice = "a string is never closed", "Send all of it, up to the last `]`."
            self.fault = Problem(kind, detail, patch_line=line, advice=advice)
            raise _Broken
        if quote == "'":
            self.slip("strings are in single quotes")
        text = pattern(_ESCAPE).sub(lambda escape: self.unescaped(escape, quote), match[0][1:-1])
        if self.fault is not None:
            raise _Broken
        if "\\u" in match[0]:  # a pair of surrogate escapes is one character
            text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
        return text, match.end()

    def unescaped(self, escape: re.Match[str], quote: str) -> str:
        """What an escape stands for."""
        sign = escape[1]
        if sign in _ESCAPES:
            return _ESCAPES[sign]
        if len(sign) == 5:
            return chr(int(sign[1:], 16))
        if sign == quote:
            return quote
        if sign in _THEMSELVES:
            self.slip("a backslash that doesn't begin a JSON escape was kept")
        elif self.fault is None:
            line = self.source.line(self.at + 1 + escape.start())
            shown = repr(sign) if sign.isspace() else sign
            advice = f"Write `\\\\{shown}` for a backslash, or leave the backslash out."
            detail = f"`\\{shown}` is not a JSON escape and could mean two things"
            self.fault = Problem("bad_patch", detail, patch_line=line, advice=advice)
        return escape[0]

    def slip(self, what: str) -> None:
        """Record a slip, each once."""
        self.slips.setdefault(what, self.source.line(self.at))

    def seen(self) -> str:
        """What stands here, for a message."""
        piece = self.text[self.at : self.at + 20].split("\n")[0]
        return f"`{piece}`" if piece else "the end"

    def broken(self, detail: str, advice: str) -> _Broken:
        """The end of a reading. Where the text, its fence or its tag ends, the rest is missing."""
        kind: ProblemKind = "bad_patch"
        if self.at >= len(self.text) or self.text.startswith(("```", "~~~", "</"), self.at):
            kind, detail = "truncated", "the JSON ends before its brackets are closed"
            advice = "Send all of it, up to the last bracket."
        self.fault = Problem(kind, detail, patch_line=self.source.line(self.at), advice=advice)
        return _Broken()


# ── calls as tags ────────────────────────────────────────────────────────────────────────────────


def _call(source: Source, opening: re.Match[str], found: Found) -> int:
    """One call as tags; gives the place behind it."""
    text, line = source.text, source.line(opening.start())
    name = next(filter(None, opening.groups()))
    if opening.lastindex is not None and opening.lastindex > _IN_TAGS:
        return _named(source, opening, name, found)
    given = Fields(line, {}, {})
    parameter, closer, call_end, tag = _PARAMETER, _CLOSER, _CALL_END, "</invoke>" if opening[1] else "</function>"
    if opening[3]:
        parameter, closer, call_end, tag = _ARGUMENT, _ARGUMENT_CLOSER, r"\s*+</tool_call>", "</tool_call>"
    elif opening[4]:
        given.values.update((key, one or other) for key, one, other in re.findall(_ATTRIBUTE, opening[5]))
        if name == "file" and "action" in given.values:
            return _changes(source, opening, given, found)
        # The text of a file that is named already may begin with `<script>` or `<title>`.
        is_named = "path" in with_path({plain(key) for key in given.values})
        texts = _TEXTS if is_named and verb_of(name) not in ("", "edit") else ()
        keys = "|".join(all_keys(*texts))
        parameter, tag = rf"<()({keys})>", f"</{name}>"
        closer = rf"</KEY>(?=\s*+(?:{tag}|<(?:{keys})>))"
        call_end = rf"\s*+{tag}"
        if verb_of(name):
            kind = given.values.pop("type", "file")
            name = name if kind == "file" else f"{name}_{kind}"
        else:
            name = ""  # `<change>`, `<file>`: what they hold tells what is done
        if opening[0].endswith("/>"):
            found.values.append(_tool_call(line, name, given))
            return opening.end()
    at = opening.end()
    if opening[4] and text.find(tag, at) < 0:  # all that follows is inside
        found.problems.append(_open(source.line(at), tag))
        return len(text)
    while match := pattern(rf"\s*+{parameter}").match(text, at):
        key = match[1] or match[2]
        end = pattern(closer.replace("KEY", key)).search(text, match.end())
        if end is None and opening[4]:
            break  # an element of the file's own
        if end is None:
            found.problems.append(_open(source.line(match.end()), "</arg_value>" if opening[3] else "</parameter>"))
            return len(text)
        value, at = text[match.end() : end.start()], end.end()
        if _opens_more(parameter, key, value):
            found.problems.append(_unsure_end(f"`{key}` holds tags of a call", source.line(match.end())))
        if key in given.values:
            detail, advice = f"the parameter `{key}` appears twice in one call", "Make a separate call for each edit."
            found.problems.append(Problem("bad_patch", detail, patch_line=source.line(match.end()), advice=advice))
        given.lines[key] = source.line(match.end())
        # In these two a text stands on lines of its own; the last line of a file keeps its line end in an element.
        if opening[2] or opening[4]:
            ends = plain(key) not in keys_of("content") or opening[2]
            given.lines[key] += value[:1] == "\n"
            value = value.removeprefix("\n").removesuffix("\n" if ends else "")
        given.values[key] = _without_cdata(value)
    ended = pattern(call_end).match(text, at)
    if ended is None and opening[4] and at == opening.end():  # no element for a value: all of it is the file's text
        ended = pattern(r"(?m:^[ \t]*+)?" + tag).search(text, at)
        if ended is not None:
            value = text[at : ended.start()].removeprefix("\n")
            if pattern(rf"(?m:^)[ \t]*+<{tag[2:-1]}[\s>]").search(value):
                found.problems.append(_unsure_end(f"the text holds `<{tag[2:]}` itself", line))
            path = next((str(given.values[key]) for key in all_keys("path") if key in given.values), "")
            value = _without_cdata(value)
            given.values["content"] = value if path.lower().endswith(_PAGES) else _without_fence(value)
            given.lines["content"] = source.line(at) + (text[at] == "\n")
    if ended is None:
        found.problems.append(_open(source.line(at), tag))
        return resume(text, at)
    found.values.append(_tool_call(line, name, given))
    return ended.end()


def _changes(source: Source, opening: re.Match[str], given: Fields, found: Found) -> int:
    """The changes of one file, each an element with the text to find and the new one; gives the place behind them.

    `action`: create, rewrite, modify, delete, rename; what else is done is shown in part.
    """
    text, at = source.text, opening.end()
    action = str(given.values["action"]).lower()
    own = {key: value for key, value in given.values.items() if key != "action"}
    renamed = pattern(r"""\s*+<new\s++path\s?=\s?["']([^"'<>]+)["']\s*+/>""").match(text, at)
    if renamed is not None:
        found.values.append(given._replace(values={**given.values, "destination": renamed[1]}))
        at = renamed.end()
    while change := pattern(_CHANGE).match(text, at):
        line, at = source.line(change.start(1)), change.end()
        texts = {key: _delimited(value) for key, value in re.findall(_CHANGED, change[1])}
        said: dict[str, Value] = {"code_edit": texts.get("content", "")}
        if change[1].count("<search>") > 1 or change[1].count("<content>") > 1:
            found.problems.append(_unsure_end("a `<change>` holds tags of a change", line))
        elif "search" in texts:
            old, new = texts["search"], texts.get("content", "")
            said = {"old_string": old if new else f"{old}\n", "new_string": new}
        elif action == "delete":
            said = {"action": action, **({"content": texts["content"]} if texts.get("content") else {})}
        elif action in ("create", "rewrite"):
            said = {"content": f"{texts.get('content', '')}\n", **({"action": action} if action == "create" else {})}
        elif action == "modify":
            detail, advice = "a `<change>` has no `<search>` with the old lines", "Add it, or rewrite the whole file."
            found.problems.append(Problem("bad_patch", detail, patch_line=line, advice=advice))
        found.values.append(Fields(line, {**own, **said}, {}))
    ended = pattern(r"\s*+</file>").match(text, at)
    if ended is None:
        found.problems.append(_open(source.line(at), "</file>"))
        last = text.find("</file>", at)
        return last if last >= 0 else len(text)
    return ended.end()


def _delimited(value: str) -> str:
    """The text between two lines `===`, or in a fence; else all of it."""
    lines = value.strip("\n").split("\n")
    is_between = len(lines) > 1 and lines[0].strip() == lines[-1].strip() == "==="
    return "\n".join(lines[1:-1]) if is_between else _without_fence("\n".join(lines)).removesuffix("\n")


def _tool_call(line: int, name: str, given: Fields) -> Fields:
    """A call as an object; without a name, its arguments."""
    return Fields(line, {"name": name, "input": given}, {}) if name else given


def _named(source: Source, opening: re.Match[str], name: str, found: Found) -> int:
    """One call whose name stands before the object of its arguments; gives the place behind it."""
    one = read(source, opening.end())
    if one.fault is not None:
        found.problems.append(one.fault)
        return resume(source.text, max(one.end, opening.end() + 1))
    found.values.append(Fields(source.line(opening.start()), {"name": name, "input": one.value}, {}))
    found.notes.extend(slips(one))
    end = pattern(_NAMED_END).match(source.text, one.end)
    return end.end() if end else one.end


def _unsure_end(why: str, line: int) -> Problem:
    detail, advice = f"{why}, and may not end where it seems to", "Send the call as JSON."
    return Problem("bad_patch", detail, patch_line=line, advice=advice)


def _opens_more(parameter: str, key: str, value: str) -> bool:
    """Whether a value opens more of its own kind than it closes: the page on a tool shows a call of it."""
    if "<" not in value:
        return False
    opened = [match for match in pattern(parameter).finditer(value) if "<()" not in parameter or match[2] == key]
    return len(opened) > len(re.findall(r"</(?:\w{1,20}:)?(?:parameter|arg_value|" + re.escape(key) + ")>", value))


def _without_cdata(value: str) -> str:
    """A value without the section of XML that all of it stands in."""
    bare = value.strip()
    if not (bare.startswith("<![CDATA[") and bare.endswith("]]>")) or bare.count("]]>") > 1:
        return value
    return bare[len("<![CDATA[") : -len("]]>")].removeprefix("\n")


def _without_fence(value: str) -> str:
    """A file's text without the fence that all of it stands in."""
    lines = value.strip("\n").split("\n")
    region = contents(lines, 0) if len(lines) > 1 else None
    return "\n".join([*region.body, ""]) if region and region.closed and region.end == len(lines) - 1 else value


_CHANGE = r"\s*+<change>((?s:.*?))</change>(?=\s*+(?:<change>|</file>))"
_CHANGED = r"<(search|content)>\n?((?s:.*?))[ \t]*</\1>"
_ATTRIBUTE = r"""([\w-]{1,40})\s?=\s?(?:"([^"<>]*+)"|'([^'<>]*+)')"""


def _open(line: int, tag: str) -> Problem:
    detail = f"a tool call's `{tag}` is missing"
    return Problem("truncated", detail, patch_line=line, advice=f"Send the whole call, up to `{tag}`.")

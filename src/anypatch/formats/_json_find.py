"""Finds the JSON objects, lists and tool calls written as tags in a model's answer. Cuts only; knows no edit.

Whatever is in prose, fences, JSON lines or `<tool_call>` tags is found by its opening bracket. Calls as tags are
`<invoke name="Tool"><parameter name="key">raw text</parameter></invoke>`, with or without a prefix, and
`<function=Tool><parameter=key>raw text</parameter></function>`.
"""

from __future__ import annotations

import re
from functools import lru_cache

from ..errors import Problem
from ..model import Note
from ..record import NamedTuple
from ._json_read import Fields, Read, read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._json_read import Source, Value

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

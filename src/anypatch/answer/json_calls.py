"""Every call of an answer: values of JSON, and calls written as tags. Linear; knows no edit.

call  = <invoke name="…"> (<parameter name="…"> text </parameter>)* </invoke>
      | <function=…> (<parameter=…> text </parameter>)* </function>
      | <tool_call>… (<arg_key> key </arg_key> <arg_value> text </arg_value>)* </tool_call>
      | <tool key="text" …> (text | (<key> text </key>)*) </tool>      for the `elements` of a dialect
      | <tool key="text" … />
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from ..problems import Problem
from ..text import pattern
from .dialects import all_keys, elements, keys_of, plain, tells, verb_of, with_path
from .fences import unwrapped
from .json_values import Fields, Source, Value, read, resume, source

ARGUMENTS = ("input", "arguments", "args", "parameters", "params", "toolinput", "actioninput", "actionargs")
_TEXTS = ("old", "new", "content", "code")  # fields that are text of a file

_PREFIX = r"(?:\w{1,20}:|｜DSML｜)?"
_ATTRIBUTE = r"""([\w-]{1,40})\s?=\s?(?:"([^"<>]*+)"|'([^'<>]*+)')"""
# The groups are names: of a tool that is invoked, of a function, of a tool with keys and values, of an element.
_TAG = (
    r"""<""" + _PREFIX + r"""invoke\s++name\s?=\s?["']?([^"'<>]{1,200})["']?\s?(?:>|\Z)"""
    r"""|<function=([^<>\s]{1,200})>(?!\s*+\{)"""
    r"""|<tool_call>\s*+([\w.:-]{1,200})\s*+(?=<arg_key>)"""
    r"""|(?m:^)[ \t]*+<("""
    + "|".join(elements())
    + r""")((?:\s++[\w-]{1,40}\s?=\s?(?:"[^"<>]*+"|'[^'<>]*+'))*+)\s*+/?>"""
)
_OPENING = r"""\{\s*+["']|\[\s*+(?:[{\[]|"apply_?patch")|""" + _TAG


class _Style(NamedTuple):
    """How calls of a kind are written: what opens a value, what closes it and the call. The value may hold its closer.

    `own_lines`: a value is on lines of its own, whose first and last line break aren't part of it.
    """

    parameter: str
    closer: str
    end: str
    own_lines: bool = False


_CLOSED_BY = rf"(?=\s*+<(?:{_PREFIX}parameter[\s=]|/{_PREFIX}(?:invoke|function)>))"
_INVOKE = _Style(
    rf"""<{_PREFIX}parameter(?:\s++name\s?=\s?["']?([^"'<>]{{1,200}})["']?[^<>]{{0,80}}|=([^<>\s]{{1,200}}))>""",
    rf"</{_PREFIX}parameter>{_CLOSED_BY}",
    rf"</{_PREFIX}(?:invoke|function)>",
)
_WITH_KEYS = _Style(
    r"<arg_key>()\s*+([^<>]{1,200}?)\s*+</arg_key>\s*+<arg_value>",
    r"</arg_value>(?=\s*+</?(?:arg_key|tool_call)>)",
    "</tool_call>",
)


class Found(NamedTuple):
    """The values of an answer in order, and what is wrong with how they are written."""

    values: list[Value]
    problems: list[Problem]


def find(source: Source) -> Found:
    """Find every value of the answer."""
    found = Found([], [])
    opening = pattern(_OPENING)
    # Code in the prose is tried and given up at each bracket; a bound on that keeps the whole linear.
    budget = 8 * len(source.text) + 10_000
    at = 0
    while match := opening.search(source.text, at):
        start = match.start()
        if match.lastindex:
            at = _call(source, match, found)
            continue
        value = read(source, start)
        if value.fault is None:
            found.values.append(value.value)
            at = value.end
        elif tells(value.keys):
            found.problems.append(value.fault)
            at = resume(source.text, max(value.end, start + 1))
        else:
            budget -= value.end - start
            at = start + 1 if budget > 0 else max(value.end, start + 1)
    return found


def collected(value: Value, is_wanted: Callable[[Fields], bool], depth: int = 0) -> list[Fields]:
    """Return the wanted objects in lists, calls and arguments that are a string of JSON."""
    if isinstance(value, list):
        return [fields for item in value for fields in collected(item, is_wanted, depth)]
    if not isinstance(value, Fields):
        return []
    if is_wanted(value):
        return [value]
    return collected(_wrapped(value), is_wanted, depth + 1) if depth < 8 else []


def _wrapped(fields: Fields) -> list[Value]:
    """Return the values that an object may wrap: objects, lists, arguments as a string of JSON; never file contents."""
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


def opens(text: str, at: int = 0) -> bool:
    """Return True if an object, a list or a call may begin at an offset."""
    return pattern(_OPENING).match(text, at) is not None


def has_call(text: str) -> bool:
    """Return True if a text may hold a call written as tags."""
    return "<" in text and pattern(_TAG).search(text) is not None


def call_end(source: Source, at: int) -> int:
    """Return the offset after the call as tags that begins at an offset. Some tags must be the first of their line."""
    line = source.text.rfind("\n", 0, at) + 1
    opening = pattern(_OPENING).match(source.text, at) or pattern(_OPENING).match(source.text, line)
    return _call(source, opening, Found([], [])) if opening is not None else at


# ── calls as tags ────────────────────────────────────────────────────────────────────────────────


def _call(source: Source, opening: re.Match[str], found: Found) -> int:
    """Add one call as tags; return the offset after it."""
    if opening[4]:
        return _element(source, opening, found)
    style = _WITH_KEYS if opening[3] else _INVOKE._replace(own_lines=bool(opening[2]))
    given = Fields(source.line(opening.start()), {}, {})
    at = _parameters(source, opening.end(), style, given, found)
    return _ended(source, at, style, next(filter(None, opening.groups())), given, found)


def _element(source: Source, opening: re.Match[str], found: Found) -> int:
    """Add one call that is an element named like its tool; return the offset after it."""
    text, name, at = source.text, opening[4], opening.end()
    attributes = {key: one or other for key, one, other in re.findall(_ATTRIBUTE, opening[5])}
    given = Fields(source.line(opening.start()), dict[str, Value](attributes), {})
    # The text of a file that is named already may begin with `<script>` or `<title>`.
    is_named = "path" in with_path({plain(key) for key in attributes}) and verb_of(name) != "edit"
    keys = "|".join(all_keys(*_TEXTS) if is_named else all_keys())
    style = _Style(rf"<()({keys})>", rf"</KEY>(?=\s*+(?:</{name}>|<(?:{keys})>))", f"</{name}>", True)
    kind = str(given.values.pop("type", "file"))
    tool = name if kind == "file" else f"{name}_{kind}"
    if opening[0].endswith("/>"):
        found.values.append(_tool_call(tool, given))
        return at
    if text.find(style.end, at) < 0:  # all that follows is inside
        found.problems.append(_open(source.line(at)))
        return len(text)
    end = _parameters(source, at, style, given, found)
    if end == at and not pattern(rf"\s*+{style.end}").match(text, at):  # no element for a value: all of it is text
        closing = pattern(rf"(?m:^[ \t]*+)?{style.end}").search(text, at)
        end = closing.start() if closing else at
        _check_end(opening[0], text[at:end], given.line, found)
        content = text[at:end].removeprefix("\n")
        region = unwrapped(content.strip("\n").split("\n"))  # v0 and others put the file in a fence
        given.values["content"] = "\n".join([*region.body, ""]) if region is not None else content
        given.lines["content"] = source.line(at) + (text[at] == "\n")
    return _ended(source, end, style, tool, given, found)


def _parameters(source: Source, at: int, style: _Style, given: Fields, found: Found) -> int:
    """Add the values of a call that begin at an offset; return the offset after the last."""
    text = source.text
    while match := pattern(rf"\s*+{style.parameter}").match(text, at):
        key, line = match[1] or match[2], source.line(match.end())
        end = pattern(style.closer.replace("KEY", key)).search(text, match.end())
        if end is None:
            return at
        value, at = text[match.end() : end.start()], end.end()
        _check_end(match[0], value, line, found)
        if key in given.values:
            detail, advice = f"the parameter `{key}` appears twice in one call", "Make a separate call for each edit."
            found.problems.append(Problem("bad_patch", detail, patch_line=line, advice=advice))
        if style.own_lines:
            line += value[:1] == "\n"
            # In an element, the last line of a file keeps its line break.
            keeps = plain(key) in keys_of("content") and "KEY" in style.closer
            value = value.removeprefix("\n").removesuffix("" if keeps else "\n")
        given.values[key], given.lines[key] = value, line
    return at


def _ended(source: Source, at: int, style: _Style, tool: str, given: Fields, found: Found) -> int:
    """Add a call whose values end at an offset, if its closing tag is there; return the offset after it."""
    end = pattern(rf"\s*+{style.end}").match(source.text, at)
    if end is None:
        found.problems.append(_open(source.line(at)))
        is_inside_value = pattern(rf"\s*+{style.parameter}").match(source.text, at)
        return len(source.text) if is_inside_value else resume(source.text, at)
    found.values.append(_tool_call(tool, given))
    return end.end()


def _check_end(tag: str, value: str, line: int, found: Found) -> None:
    """Refuse a value that holds the tag that opens it, unclosed: it may have ended too early."""
    name = tag.strip(" \t\n<").split(">")[0].split()[0]
    if value.count(f"<{name}") > value.count(f"</{name}"):
        detail, advice = "a text holds the tag that opens it, so its end is unclear", "Send the call as JSON."
        hint = "Ask the model for the call as JSON."
        found.problems.append(Problem("bad_patch", detail, patch_line=line, advice=advice, hint=hint))


def _tool_call(tool: str, given: Fields) -> Fields:
    """Return a call as an object."""
    return Fields(given.line, {"name": tool, "input": given}, {})


def _open(line: int) -> Problem:
    return Problem("truncated", "a tool call's closing tag is missing", patch_line=line)

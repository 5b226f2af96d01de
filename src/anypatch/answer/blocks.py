"""The blocks of an answer, by structure alone: fences, marked blocks of the formats, calls, elements with a path.

The outermost construct wins. A patch in the contents of a file, in a payload, in a longer fence or in a JSON string is
content, and a fence inside a SEARCH block is a line of the file. No sentence is read.

    ```diff                 a fence whose first or last line is a mark of a format holds blocks of that format
    --- a/src/a.py
    ```
    ```python               any other fence is a sketch: the tree tells what becomes of it (`propose/`)
    ```
    {"file_path": …}        a call
    <file path="a.py">      a file in an element
"""

from __future__ import annotations

import re
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

from .. import formats
from ..formats import CALLS, FOUND, block_end, closing, opening
from ..text import indent_of, pattern
from .fences import Fence, Region, contents, fence_of, unwrapped
from .hashline import is_document as is_hashline
from .hashline import sections_end
from .json_calls import Source, call_end, opens_call, read, resume, source, tells
from .json_calls import opens as opens_json
from .labels import is_tag, path_on
from .shown_files import element_path, label_of, shown_in_element

if TYPE_CHECKING:
    from .shown_files import Shown

JSON, FILE, SKETCH = "json", "file", "sketch"
_CODE_ONLY = frozenset(("", "json", "json5", "jsonc", "jsonl", "javascript", "js", "text", "txt", "xml", "tool_code"))
_DIFFS = frozenset(("diff", "patch", "udiff"))
# Files that may hold a patch, or JSON, as their contents.
_PATCH_FILES = (".patch", ".diff", ".txt", ".md", ".mdx", ".rst", ".adoc", ".yaml", ".yml", ".out", ".log")
_DIFF_FILES = (".patch", ".diff", ".txt", ".out", ".log")
_JSON_FILES = (".json", ".jsonc", ".json5", ".jsonl", ".ndjson", ".ipynb", ".geojson", ".map")
# What may be on a line before JSON that is a call (a tag, a label, the sign of a list), and behind it.
_CALL_LEAD = r"[ \t]*(?:<[^<>\s]{1,60}>|\[[A-Z_ /]{2,20}\]|[A-Za-z_ ]{1,24}:|[-*+]|\d{1,3}[.)])[ \t]*"
_CALL_TAIL = r"[ \t,;]*(?:</?[^<>\s]{1,60}>|\[/?[A-Z_]{2,20}\])*[ \t]*"
_CALL_NEXT = r"(?:[ \t]*</?[^<>\s]{1,60}>){1,4}[ \t]*(?=\{)"  # between two calls on one line
_CALL_HEAD = 6  # lines of a call as tags that may come before its arguments
_MAIL = ("From ", "From: ", "Subject: ", "Date: ", "$ git ", "$ diff ", "%YAML")
_COMMENTS = ("#", "//", "/*", "<!--", "--", ";", "%")
_UNCLOSED = 50
_HEAD = 40  # lines at the top of a fence among which its first mark must be


class Block(NamedTuple):
    """Rows start..end of an answer (0-based, half open) that belong together, with their fence and label.

    `kind`: the name of a format; "conflict": git's own markers; "json": calls, whose keys tell the format; "file": an
    element with what it has `shown`; "sketch": a fence without any mark, whose contents are the rows of `region`.
    """

    start: int
    end: int
    kind: str
    region: Region | None = None
    shown: Shown | None = None


def blocks_of(lines: list[str]) -> list[Block]:
    """Every block that no other one holds."""
    region = unwrapped(lines)
    if region is not None and _is_wrapper(region):
        # The whole answer is in one fence: what counts is inside.
        inner = [*[""] * region.start, *region.body, *[""] * (len(lines) - region.end)]
        return blocks_of(inner)
    return _Scan(lines).run()


def _is_wrapper(region: Region) -> bool:
    """Whether a fence around all of an answer is no more than that: it holds fences, and is no longer than they are."""
    fence = fence_of(region.lines[region.start - 1])
    if fence is None or fence.language not in ("", "markdown", "md", "text", "txt", "plaintext"):
        return False
    inner = [one.run for line in region.body if (one := fence_of(line))]
    return bool(inner) and min(map(len, inner)) >= len(fence.run) and _kind_of_fence(region.body, fence) == ""


class _Scan:
    """A walk over the lines of an answer."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.blocks: list[Block] = []
        self.unclosed = 0  # fences that don't close if lines like "```bash" inside open others
        self._source: Source | None = None

    def run(self) -> list[Block]:
        row = 0
        while row < len(self.lines):
            row = max(self._step(row, len(self.lines), False), row + 1)
        return self.blocks

    def _step(self, row: int, limit: int, fenced: bool) -> int:
        """Take in what begins at a row; the row behind it."""
        line = self.lines[row]
        bare = line.lstrip(" \t")
        sign = bare[:1]
        if not sign:
            return row + 1
        if sign in "`~" and not fenced and (fence := fence_of(line)) is not None:
            return self._fence(row, fence)
        if sign == "<" != bare[1:2] and (end := self._element(row)):
            return end
        if line[:1] in ("@", "A", "[") and opens_call("\n".join(self.lines[row : row + 3])):
            return self._call(row)
        if line[:1] == "[" and is_hashline(line):
            return self._add(Block(row, sections_end(self.lines, row), JSON))
        if sign in "{[":
            is_call = opens_json("\n".join(self.lines[row : row + _CALL_HEAD]).lstrip())
            return self._json(row, len(indent_of(line))) if is_call else row + 1
        kind = opening(self.lines, row)
        if kind:
            end = block_end(kind, self.lines, row, max(limit, row + 1), fenced)
            return self._add(Block(row, end, kind)) if end > row else end
        lead = re.match(_CALL_LEAD, line) if "{" in line else None
        if lead and opens_json("\n".join(self.lines[row : row + 3]), lead.end()):
            return self._json(row, lead.end())
        return row + 1

    def _add(self, block: Block) -> int:
        self.blocks.append(block)
        return block.end

    # ── fences ───────────────────────────────────────────────────────────────────────────────────

    def _fence(self, row: int, fence: Fence) -> int:
        region = self._contents(row)
        if len(region.body) == 1 and path_on(region.body[0]):
            return region.end + 1  # a label of what is below it
        if not region.closed and not fence.info and not any(map(str.strip, region.body)):
            return region.end  # one fence too many at the end
        end, body = region.end + region.closed, region.body
        kind = _kind_of_fence(body, fence)
        if not kind or self._is_content(row, fence, kind, body):
            return self._add(Block(row, end, SKETCH, region))
        if kind == JSON:
            return self._add(Block(row, end, JSON))
        first = len(self.blocks)
        at = region.start
        while at < region.end:
            at = max(self._step(at, region.end, True), at + 1)
        if len(self.blocks) == first:
            self._add(Block(row, end, kind))
        # The fence's own lines belong to the first and to the last block in it.
        self.blocks[first] = self.blocks[first]._replace(start=row)
        self.blocks[-1] = self.blocks[-1]._replace(end=max(end, self.blocks[-1].end))
        return self.blocks[-1].end

    def _is_content(self, row: int, fence: Fence, kind: str, body: list[str]) -> bool:
        """Whether the edits in a fence are the contents of the file that the fence is labelled with: `fix.patch`."""
        if kind == JSON and not _may_be_call("\n".join(body)):
            return True
        inner = ""
        if formats.format_of(kind) == "search-replace":
            lead = takewhile(lambda line: not _opening([line], 0), body[:_HEAD])
            inner = next(filter(None, map(path_on, lead)), "")
            if not inner:
                return False
        label = label_of(self.lines, row, fence)
        if label is None or not label.sure:
            return False
        path = label.path
        if inner:
            return not inner.endswith(path) and not path.endswith(inner)
        if kind == JSON:
            return path.lower().endswith(_JSON_FILES)
        name = path.replace("\\", "/").rpartition("/")[2]
        may_hold = _DIFF_FILES if fence.language in _DIFFS else _PATCH_FILES
        return path.lower().endswith(may_hold) and not any(name in line for line in body)

    def _contents(self, row: int) -> Region:
        """What a fence holds. Each look for the end of one that never closes goes through all lines: few are made."""
        region = nested(self.lines, row) if self.unclosed < _UNCLOSED else None
        self.unclosed += region is None
        return region or contents(self.lines, row) or Region(self.lines, row + 1, len(self.lines), True, False)

    # ── calls and elements ───────────────────────────────────────────────────────────────────────

    def _element(self, row: int) -> int:
        """Take in a call as tags, or a file in an element; the row behind it, 0 if there is none."""
        if opens_json("\n".join(self.lines[row : row + _CALL_HEAD]).lstrip(" \t")):
            return self._call(row)
        element = shown_in_element(self.lines, row) if element_path(self.lines[row]) else None
        if element is None:
            return 0
        shown, end = element
        if shown.problem is None and _holds_blocks(shown.body):
            return row + 1  # the element only names the file of the blocks in it
        return self._add(Block(row, end, FILE, shown=shown))

    def _at(self, row: int) -> tuple[Source, int]:
        """The whole text, and the place where a row begins."""
        if self._source is None:
            self._source = source("\n".join(self.lines))
        return self._source, self._source.breaks[row - 1] + 1 if row else 0

    def _json(self, row: int, lead: int) -> int:
        """A value that begins a line, behind `lead` characters, and ends one: within a sentence it is an example."""
        source, start = self._at(row)
        value = read(source, start + lead)
        while value.fault is None and (tags := pattern(_CALL_NEXT).match(source.text, value.end)):
            value = read(source, tags.end())
        if value.fault is not None:
            if not tells(value.keys):
                return row + 1
            end = max(source.line(resume(source.text, max(value.end, start + lead + 1))) - 1, row + 1)
        else:
            end = source.line(value.end)
            rest = source.text[value.end :].partition("\n")[0]
            if rest.strip(" \t,;") and not re.fullmatch(_CALL_TAIL, rest):
                return end
        return self._add(Block(row, end, JSON))

    def _call(self, row: int) -> int:
        """A tool call as tags."""
        source, start = self._at(row)
        end = max(source.line(call_end(source, start + len(indent_of(self.lines[row])))), row + 1)
        return self._add(Block(row, end, JSON))


# ── fences ───────────────────────────────────────────────────────────────────────────────────────


def nested(lines: list[str], row: int) -> Region | None:
    """What the fence that a row opens holds, fences of its own included; None if it doesn't close that way.

    A page has fences of its own, often with as many backticks as the one around it: a line like "```bash" inside opens
    an inner fence, which the next bare line closes.
    """
    opener = fence_of(lines[row])
    assert opener is not None
    depth = 1
    for at in range(row + 1, len(lines)):
        fence = fence_of(lines[at]) if opener.run[:3] in lines[at] else None
        if fence is None or not fence.run.startswith(opener.run) or fence.indent > opener.indent:
            continue
        depth += 1 if fence.info else -1
        if not depth:
            return Region(lines, row + 1, at, True)
    return None


def _kind_of_fence(body: list[str], fence: Fence) -> str:
    """The kind of block that the first or the last line of a fence is a mark of; "" for a fence of code."""
    first, kind = -1, ""
    for at in range(min(len(body), _HEAD)):
        if body[at].strip():
            kind = _opening(body, at)
            if kind or not _is_preamble(body[at]):
                first = at
                break
    if not kind:
        last = next((line for line in reversed(body) if line.strip() and not is_tag(line.replace("</", "<"))), "")
        kind = closing(last)
    if not kind and is_hashline("\n".join(body[:3])):
        return JSON
    if kind == JSON and fence.language not in _CODE_ONLY:
        return ""  # `{` alone on a line begins a block of code
    if not kind and "====" in body and formats.named("search-replace").reader.has_short_signs(body):
        return "search-replace"
    if not kind and fence.language in _DIFFS and not any(fence_of(line) for line in body):
        return "unified" if any(line[:1] in ("+", "-", "@") for line in body) else ""
    if not kind and first >= 0 and "apply_patch" in body[first]:
        # apply_patch <<'EOF'
        return next((inner for at, line in enumerate(body) if "***" in line and (inner := opening(body, at))), "")
    return kind


def _opening(lines: list[str], row: int) -> str:
    """The kind of block that a line opens: a format's, or JSON; "" for none."""
    if lines[row].lstrip(" \t")[:1] in ("{", "["):
        return JSON if opens_json("\n".join(lines[row : row + _CALL_HEAD]).lstrip()) else ""
    return opening(lines, row)


def _is_preamble(line: str) -> bool:
    """Whether a line may be above a block and part of nothing: a path, a comment, a tag, a mail header."""
    bare = line.strip()
    if bare == "---" or is_tag(bare) or bare.startswith(_MAIL):
        return True
    if bare.startswith(("--- ", "#!", "#if", "#include", "#define")):
        return False
    if (bare.startswith("/*") and "*/" not in bare) or (bare.startswith("<!--") and "-->" not in bare):
        return False  # what follows is in the comment
    return bool(path_on(bare)) or bare.startswith(_COMMENTS)


def _holds_blocks(body: list[str]) -> bool:
    """Whether the contents of an element are SEARCH/REPLACE blocks."""
    first = next((row for row, line in enumerate(body) if line.strip()), -1)
    return first >= 0 and opening(body, first) == "search-replace"


def _may_be_call(text: str) -> bool:
    """Whether JSON looks like a call of any format."""
    return any(formats.score(name, text) >= FOUND for name in CALLS) or '"operations"' in text

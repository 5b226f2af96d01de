"""Cut an answer into blocks by structure alone: fences, marked blocks of the formats, calls, elements with a path.

The outermost construct wins. A patch in the contents of a file, in a payload, in a longer fence or in a JSON string is
content, and a fence inside a SEARCH block is a line of the file. No sentence is read.

    ```diff                 a fence whose first or last line is a mark of a format holds blocks of that format
    --- a/src/a.py
    ```
    ```python               any other fence is a sketch: the tree decides what becomes of it (`propose/`)
    ```
    {"file_path": …}        a call
    <file path="a.py">      a file in an element
    <Remove path="a.py" />  an element that no format has: reported, never dropped
"""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

from .. import formats
from ..formats import CALLS, FOUND, block_end, closing, opening
from ..syntax.languages import comment_text
from ..text import indent_of, pattern
from .dialects import tells
from .fences import Fence, Region, fence_of
from .hashline import is_document as is_hashline
from .hashline import sections_end
from .json_calls import call_end
from .json_calls import opens as opens_json
from .json_values import Source, read, resume, source
from .labels import is_tag, path_in_tag, path_on
from .shown_files import element_path, label_of, shown_in_element

if TYPE_CHECKING:
    from .shown_files import Shown

JSON, FILE, SKETCH, LABEL, ELEMENT = "json", "file", "sketch", "fence", "element"
_CODE_ONLY = frozenset(("", "json", "json5", "jsonc", "jsonl", "javascript", "js", "text", "txt", "xml", "tool_code"))
_DIFFS = frozenset(("diff", "patch", "udiff"))
# Files that may hold a patch, or JSON, as their contents.
_PATCH_FILES = (".patch", ".diff", ".txt", ".md", ".mdx", ".rst", ".adoc", ".yaml", ".yml", ".out", ".log")
_DIFF_FILES = (".patch", ".diff", ".txt", ".out", ".log")
_JSON_FILES = (".json", ".jsonc", ".json5", ".jsonl", ".ndjson", ".ipynb", ".geojson", ".map")
# Text that may be on a line before a call in JSON (a tag, `[TOOL_CALLS]edit[ARGS]`, a label, a bullet), and after it.
_CALL_LEAD = r"[ \t]*(?:<[^<>\s]{1,60}>|(?:\[[A-Z_ /]{2,20}\]\w*)+|[A-Za-z_ ]{1,24}:|[-*+]|\d{1,3}[.)])?[ \t]*"
_CALL_TAIL = r"[ \t,;]*(?:</?[^<>\s]{1,60}>|\[/?[A-Z_]{2,20}\])*[ \t]*"
_CALL_NEXT = r"(?:[ \t]*(?:</?[^<>\s]{1,60}>|\[[A-Z_]{2,20}\]\w*)){1,4}[ \t]*(?=\{)"  # between two calls on one line
_CALL_HEAD = 6  # lines of a call as tags that may come before its arguments
_MAIL = ("From ", "From: ", "Subject: ", "Date: ", "$ git ", "$ diff ", "%YAML")
_HEAD = 40  # lines at the top of a fence among which its first mark must be
_CLOSING_TAG = re.compile(r"</([A-Za-z][\w.:-]*)>")
_OPENING_TAG = re.compile(r"<([A-Za-z][\w.:-]*)(?:\s[^<>]*)?>")


class Block(NamedTuple):
    """Rows `start` up to `end` of an answer (0-based) that belong together.

    `kind` is the name of a format; "json" for calls, whose keys tell the format; "file" for an element, with the file
    `shown` in it; "sketch" for a fence without any mark, with its `region`; "fence" and "element" for what holds no
    edit that is known, and `why` says the reason.
    """

    start: int
    end: int
    kind: str
    region: Region | None = None
    shown: Shown | None = None
    why: str = ""


def blocks_of(lines: list[str]) -> list[Block]:
    """Return every block that isn't inside another one, in order."""
    return _Scan(lines).run()


def first_whole(lines: list[str]) -> int:
    """Return the row after the first block, or fence of blocks, that further lines can't change; 0 if none is.

    A block is whole if a line follows it that isn't blank: until then a diff or a fence may go on.
    """
    scan, row = _Scan(lines), 0
    while row < len(lines):
        row = max(scan._step(row, len(lines), False), row + 1)
        if scan.blocks and scan.blocks[-1].kind != LABEL:
            return row if any(map(str.strip, lines[row:])) else 0
    return 0


class _Scan:
    """One walk along the lines of an answer. Methods that read a block return the row after it."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.blocks: list[Block] = []
        self.unknown: list[Block] = []  # elements of no format that name a path
        self._source: Source | None = None
        self._closing_tags: dict[str, list[int]] | None = None

    def run(self) -> list[Block]:
        row = 0
        while row < len(self.lines):
            row = max(self._step(row, len(self.lines), False), row + 1)
        return self._with_unknown_elements() if self.unknown else self.blocks

    def _with_unknown_elements(self) -> list[Block]:
        """Return all blocks, with those elements of no format that hold no block and aren't held by one."""
        result: list[Block] = []
        for block in sorted([*self.blocks, *self.unknown], key=lambda block: (block.start, -block.end)):
            while result and result[-1].kind == ELEMENT != block.kind and block.start < result[-1].end:
                result.pop()  # the element only wraps this block
            if not (result and block.kind == ELEMENT and block.start < result[-1].end):
                result.append(block)
        return result

    def _step(self, row: int, limit: int, fenced: bool) -> int:
        """Read the block that begins at a row, if any."""
        line = self.lines[row]
        sign = line.lstrip(" \t")[:1]
        if sign == "":
            return row + 1
        if sign in "`~" and not fenced and (fence := fence_of(line)) is not None:
            return self._fence(row, fence)
        if sign == "<" and (end := self._element(row)):
            return end
        if line[:1] == "[" and is_hashline(line):
            return self._add(Block(row, sections_end(self.lines, row), JSON))
        if kind := opening(self.lines, row):
            end = block_end(kind, self.lines, row, max(limit, row + 1), fenced)
            return self._add(Block(row, end, kind)) if end > row else end
        return self._json(row) if sign == "[" or "{" in line else row + 1

    def _add(self, block: Block) -> int:
        self.blocks.append(block)
        return block.end

    # ── fences ───────────────────────────────────────────────────────────────────────────────────

    def _fence(self, row: int, fence: Fence) -> int:
        if self._is_label(row):
            return self._add(Block(row, row + 2, LABEL, why="It names the file of the block below."))
        region = nested(self.lines, row) or Region(self.lines, row + 1, len(self.lines), True, False)
        end, body = region.end + region.closed, region.body
        kind = _kind_of_fence(body, fence)
        if not (region.closed or fence.info or kind) and self._is_surplus(row, body):
            return self._add(Block(row, row + 1, LABEL, why="There is one fence too many."))
        if not kind or self._is_content(row, fence, kind, body):
            return self._add(Block(row, end, SKETCH, region))
        if kind == JSON:
            return self._add(Block(row, end, JSON))
        first = len(self.blocks)
        at, stop = region.start, region.end
        while at < stop:
            at = max(self._step(at, stop, True), at + 1)
            if at > stop:
                stop = end = self._end_below(fence, stop, at)
        if len(self.blocks) == first:
            self._add(Block(row, end, kind))
        # The fence's own lines belong to the first and to the last block in it.
        self.blocks[first] = self.blocks[first]._replace(start=row)
        self.blocks[-1] = self.blocks[-1]._replace(end=max(end, self.blocks[-1].end))
        return self.blocks[-1].end

    def _is_surplus(self, row: int, body: list[str]) -> bool:
        """Return True if a bare fence line that is never closed is at the end, or right below another one."""
        return not any(map(str.strip, body)) or (row > 0 and fence_of(self.lines[row - 1]) is not None)

    def _end_below(self, opener: Fence, inner: int, row: int) -> int:
        """Return the row after a fence, given that the line at row `inner` doesn't close it: a block goes on to `row`.

        The block of a README has fences of its own. But if their number is odd, one of them closes the fence.
        """
        fences = [fence for line in self.lines[inner:row] if (fence := fence_of(line))]
        below = next((at for at in range(row, len(self.lines)) if fence_of(self.lines[at])), -1)
        closer = fence_of(self.lines[below]) if below >= 0 and len(fences) % 2 == 0 else None
        return below + 1 if closer is not None and closer.closes(opener) else row

    def _is_label(self, row: int) -> bool:
        """Return True if a fence holds only the path of a block. The next fence line opens the fence of that block.

        ```python
        src/a.py
        ```python
        <<<<<<< SEARCH
        """
        lines = self.lines[row : row + 4]
        return len(lines) == 4 and bool(path_on(lines[1]) and fence_of(lines[2]) and _opening(self.lines, row + 3))

    def _is_content(self, row: int, fence: Fence, kind: str, body: list[str]) -> bool:
        """Return True if the edits in a fence are the contents of the file that labels the fence: `fix.patch`."""
        if kind == JSON and not _may_be_call("\n".join(body)):
            return True
        inner = ""
        if kind == "search-replace":
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

    # ── calls and elements ───────────────────────────────────────────────────────────────────────

    def _element(self, row: int) -> int:
        """Read a call written as tags, or a file in an element; return 0 if it is neither."""
        if opens_json("\n".join(self.lines[row : row + _CALL_HEAD]).lstrip(" \t")):
            return self._call(row)
        element = shown_in_element(self.lines, row) if element_path(self.lines[row]) else None
        if element is None:
            return self._unknown_element(row)
        shown, end = element
        if shown.problem is None and _holds_blocks(shown.body):
            return row + 1  # the element only names the file of the blocks in it
        return self._add(Block(row, end, FILE, shown=shown))

    def _unknown_element(self, row: int) -> int:
        """Remember an element that names a path, though no format has it: `<RemoveFile path="a.py" />`."""
        opener = _OPENING_TAG.fullmatch(self.lines[row].strip())
        if opener is None:
            return 0
        if opener[0].endswith("/>"):
            end = row + 1
        else:
            if self._closing_tags is None:
                self._closing_tags = _closing_tags(self.lines)
            rows = self._closing_tags.get(opener[1], [])
            at = bisect_right(rows, row)
            if at == len(rows):
                return 0
            end = rows[at] + 1
        if any(path_in_tag(line) for line in self.lines[row : min(end, row + _CALL_HEAD)]):
            why = f"No format that is known has the element `<{opener[1]}>`."
            self.unknown.append(Block(row, end, ELEMENT, why=why))
        return 0

    def _at(self, row: int) -> tuple[Source, int]:
        """Return the whole text, and the offset at which a row begins."""
        if self._source is None:
            self._source = source("\n".join(self.lines))
        return self._source, self._source.breaks[row - 1] + 1 if row else 0

    def _json(self, row: int) -> int:
        """Read a JSON value that begins a line and ends one: no example in a sentence."""
        lead = re.match(_CALL_LEAD, self.lines[row])
        if lead is None or not opens_json("\n".join(self.lines[row : row + _CALL_HEAD]), lead.end()):
            return row + 1
        source, start = self._at(row)
        value = read(source, start + lead.end())
        while value.fault is None and (tags := pattern(_CALL_NEXT).match(source.text, value.end)):
            value = read(source, tags.end())
        if value.fault is not None:
            if not tells(value.keys):
                return row + 1
            end = max(source.line(resume(source.text, max(value.end, start + lead.end() + 1))) - 1, row + 1)
        else:
            end = source.line(value.end)
            rest = source.text[value.end :].partition("\n")[0]
            if rest.strip(" \t,;") and not re.fullmatch(_CALL_TAIL, rest):
                return end
        return self._add(Block(row, end, JSON))

    def _call(self, row: int) -> int:
        """Read a tool call written as tags."""
        source, start = self._at(row)
        end = max(source.line(call_end(source, start + len(indent_of(self.lines[row])))), row + 1)
        return self._add(Block(row, end, JSON))


# ── fences ───────────────────────────────────────────────────────────────────────────────────────


def nested(lines: list[str], row: int) -> Region | None:
    """Return what the fence at a row holds, inner fences included; None if it doesn't close that way.

    A Markdown page has fences of its own, often with as many backticks as the one around it: a line like "```bash"
    opens an inner fence, which the next bare line closes.
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
    """Return the kind of block whose mark is the first or the last line of a fence; "" for a fence of code."""
    first = _first_row(body)
    kind = (_opening(body, first) if first >= 0 else "") or closing(_last_line(body))
    if not kind and is_hashline("\n".join(body[:3])):
        return JSON
    if kind == JSON and fence.language not in _CODE_ONLY:
        return ""  # `{` alone on a line begins a block of code
    return kind or _kind_without_mark(body, fence, body[first] if first >= 0 else "")


def _kind_without_mark(body: list[str], fence: Fence, first: str) -> str:
    """Return the kind of block that a fence holds though neither its first nor its last line is a mark."""
    if "====" in body and formats.named("search-replace").reader.holds_block(body):
        return "search-replace"
    if fence.language in _DIFFS and not any(fence_of(line) for line in body):
        return "unified" if any(line[:1] in ("+", "-", "@") for line in body) else ""
    if "apply_patch" in first:  # apply_patch <<'EOF'
        return next((kind for at, line in enumerate(body) if "***" in line and (kind := opening(body, at))), "")
    return ""


def _first_row(body: list[str]) -> int:
    """Return the first row of a fence that is a mark or code, after lines that may precede a block; -1 if none is."""
    for row in range(min(len(body), _HEAD)):
        if body[row].strip() and (_opening(body, row) or not _is_preamble(body[row])):
            return row
    return -1


def _last_line(body: list[str]) -> str:
    return next((line for line in reversed(body) if line.strip() and not is_tag(line)), "")


def _opening(lines: list[str], row: int) -> str:
    """Return the kind of block that a line opens: a format's, or JSON; "" for none."""
    if lines[row].lstrip(" \t")[:1] in ("{", "["):
        return JSON if opens_json("\n".join(lines[row : row + _CALL_HEAD]).lstrip()) else ""
    return opening(lines, row)


def _is_preamble(line: str) -> bool:
    """Return True for lines that may precede a block in its fence: a path, a comment, a tag, a mail header."""
    bare = line.strip()
    if bare == "---" or is_tag(bare) or bare.startswith(_MAIL):
        return True
    if bare.startswith(("--- ", "#!", "#if", "#include", "#define")):
        return False
    if (bare.startswith("/*") and "*/" not in bare) or (bare.startswith("<!--") and "-->" not in bare):
        return False  # the next lines are in the comment
    return bool(path_on(bare)) or comment_text(bare) is not None


def _holds_blocks(body: list[str]) -> bool:
    """Return True if an element holds SEARCH/REPLACE blocks."""
    first = next((row for row, line in enumerate(body) if line.strip()), -1)
    return first >= 0 and opening(body, first) == "search-replace"


def _may_be_call(text: str) -> bool:
    """Return True if JSON looks like a call of any format."""
    return any(formats.score(name, text) >= FOUND for name in CALLS) or '"operations"' in text


def _closing_tags(lines: list[str]) -> dict[str, list[int]]:
    """Index the rows that are nothing but a closing tag, by its name."""
    rows: dict[str, list[int]] = {}
    for row, line in enumerate(lines):
        if "</" in line and (name := _CLOSING_TAG.fullmatch(line.strip())):
            rows.setdefault(name[1], []).append(row)
    return rows

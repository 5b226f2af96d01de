"""The outermost constructs of an answer, in order: fences, elements, patches with marks of their own, JSON; and what of
them is meant.

What stands inside one of them is its content: a patch in a README that is shown under its path is a line of that
README, a fence inside a SEARCH block is a line of the file. Nothing here decides what a format says; each format reads
the answer with the constructs of others blanked out.

    src/a.py            a file: a path, then a fence or an element with its contents
    ```python
    …
    ```
    ```diff             a patch in a fence of its own; the fence is open to what its first or last line says
    --- a/src/a.py
    ```
    ```                 a wrapper: a fence without path around prose and fences; counts where nothing outside does
    ```bash             a quote: any other fence

Which lines open and close the blocks of a format, and how far they go, its own reader says.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from functools import lru_cache
from itertools import accumulate, takewhile

from . import formats
from .formats import CALLS, CONFLICT, FOUND, SHOWN, block_end, closing, format_of, opening, scores
from .model import Delete, Move, Note, Patch, paths_of
from .parsing import cut_before_block, is_cut_marker
from .parsing.dialects import puts_beside, withholds
from .parsing.elision import marks_in
from .parsing.fences import PAGE_WORDS, Fence, Region, are_whole, contents, fence_of, prose, signs_in
from .parsing.hashline import is_document as is_hashline
from .parsing.hashline import sections_end
from .parsing.json import Source, call_end, opens_call, read, resume, source, tells
from .parsing.json import opens as opens_json
from .parsing.meant import is_forbidden, is_mentioned, is_optional, is_taken_back
from .parsing.paths import is_tag, looks_like_path, path_on, paths_in
from .parsing.quotes import (
    are_edits,
    contradicts,
    defines,
    family,
    is_command,
    is_example,
    is_example_label,
    is_of_language,
    is_output,
    is_sample,
    is_shell,
    says_old,
)
from .parsing.shell import is_script
from .parsing.shown import (
    PAGES,
    Label,
    Shown,
    body_of,
    element_path,
    label_of,
    page_of,
    path_in_comment,
    quoted,
    shown_in,
    shown_in_element,
)
from .parsing.spoken import (
    addition,
    asks_for_change,
    created,
    is_defined,
    is_new_label,
    is_old_label,
    is_unwanted,
    lead_of,
    leads_on,
    line_edits,
    lines_named,
    named_above,
    names_another,
    offers_another,
    only_path,
    says_file,
    told_of,
    undone,
    words_above,
)
from .record import NamedTuple
from .syntax.languages import language_of
from .text import BOM, indent_of, patch_lines, pattern, stripped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Literal

    from .hints import ProblemKind
    from .limits import Tally
    from .model import Meant, Op
    from .parsing.spoken import Addition

JSON, FILE, QUOTE, UNCLEAR, WRAPPER = "json", "file", "quote", "unclear", "wrapper"
# What a fence may hold that no format reads: a block in marks of another tool, and one whose marks are escaped.
_FOREIGN, _ESCAPED = "foreign", "escaped"
_DOUBTED = "it may be an edit or only be mentioned"
_FORBIDDEN = "the text next to it says that it isn't wanted"
_MENTIONED = "the text above it only mentions it"
_SAY_WHICH = (
    "Create a file by a create call or `*** Add File:`; write a patch below no path, or below the path it edits."
)
_LEAVE_OUT = "Leave out what is shown for comparison, or was done before; say of the rest that it is to be done."
_WRAPPING = frozenset(("", "text", "txt", "plaintext", "plain", "markdown", "md", "diff", "patch", "xml", "none"))
_SHELLS = frozenset(("bash", "sh", "shell", "zsh", "console", "terminal"))
_DIFFS = frozenset(("diff", "patch", "udiff"))
_PATCHES = (".patch", ".diff", ".txt", ".md", ".mdx", ".rst", ".adoc", ".yaml", ".yml", ".out", ".log")
_DIFF_FILES = (".patch", ".diff", ".txt", ".out", ".log")
_JSON_FILES = (".json", ".jsonc", ".json5", ".jsonl", ".ndjson", ".ipynb", ".geojson")
_MARKUP = (".xml", ".html", ".htm", ".svg", ".vue", ".svelte", ".xsd", ".xsl")
# What may stand on a line before JSON that is a call: a tag, a label, the sign of a list; and behind it.
_CALL_LEAD = r"[ \t]*(?:<[^<>\s]{1,60}>|\[[A-Z_ /]{2,20}\]|[A-Za-z_ ]{1,24}:|[-*+]|\d{1,3}[.)])[ \t]*"
_CALL_TAIL = r"[ \t,;]*(?:</?[^<>\s]{1,60}>|\[/?[A-Z_]{2,20}\])*[ \t]*"
_CALL_NEXT = r"(?:[ \t]*</?[^<>\s]{1,60}>){1,4}[ \t]*(?=\{)"  # between two calls on one line
_FOREIGN_TAG = (
    r"</?(?:original|patched|search|replace|replacement|old|new|old_code|new_code|before|after|modified|edit)>\s*$"
)
# Elements of a transcript that hold what others said, or show how calls are written; and comments of several lines.
_ASIDE = re.compile(
    r"(?:<(?P<tag>(?:function|tool)_(?:results?|response|output)|observation|examples?|user|human|system)>"
    r"|<!--(?!.*-->)|/\*(?!.*\*/))"
)
_FAILED = re.compile(r"<error>|[<\"]is_error[>\"]:? ?true")
_FAILED_CALL = re.compile(r"(?i)Observation:\W*(?:\w*error|failed|failure|exception|traceback|invalid)\b")
_TURNS = ("Thought:", "Action:", "Final Answer:")  # what follows an observation
# `<RemoveFile path="a.py" />`, `<insert_content>` above `<path>a.py</path>`
_CHANGES_FILE = re.compile(
    r"[ \t]*<(?=[\w-]{0,24}(?:insert|delete|remove|rename|move|write|create|edit|replace|append|prepend|modify|update))"
    r"([A-Za-z][\w-]{2,40})(?:\s[^<>]{0,200}?\b(?:file_?)?path\s?=|\s[^<>]{0,200}?\bfile\s?=|>\s*<(?:path|file_path|uri|file)>)",
    re.IGNORECASE,
)
_FIELD = re.compile(r"[ \t]*<(\w{2,24})>([^<>]{2,24})</\1>[ \t]*$")
_MAIL = ("From ", "From: ", "Subject: ", "Date: ", "$ git ", "$ diff ", "%YAML")
_COMMENTS = ("#", "//", "/*", "<!--", "--", ";", "%")
_HEAD = 40  # lines at the top of a fence among which its first words must be
_FEW, _LONG = 6, 5  # words above a fence, one of them a path, that may be its label; lines that may be all of a file
_ONE_FORMAT = "Send only what is meant, all of it in one format."
_MOST_FENCES = 100  # that are looked at
_DEEPEST = 20  # fences inside of fences: 10,000 that never close took 25 s
_LONGER = "Open and close a fence with more backticks than any line inside begins with."
_SIGN_ALL = "Begin every unchanged line of a hunk with one extra space, and put the diff in a fence."
_LOOSE, _QUOTED, _WRAPPED, _EXAMPLE = 1, 2, 3, 20  # how surely a construct is meant
# A line that may say of a patch below it that it isn't meant: "Alternatively:", "### Option 2", "**Rollback**", "or".
_LEAD = r"(?m)^(?:(?:#{1,6}|\d{1,2}[.)]) .*|\*\*.*\*\*:?|(?:[(>❌] ?)?[^\Wa-z_].*[:：]\W{0,3}|or\W{0,3})$"
_CALL_HEAD = 6  # lines of a call as tags that may come before its arguments
_REACH = 200  # lines of an element that are looked at
_CITED = 120  # characters of a sentence that is cited
_WORDS = 60  # characters of the words above a block that are cited


class Block(NamedTuple):
    """One construct: its rows (0-based, half open) with path and fence, and what it is.

    `kind`: the name of a format; "json": calls, whose keys tell the format; "file", with what is `shown`; "quote";
    "conflict": markers as git writes them; "unclear": it has two readings, `why` says which, `advice` what to do,
    `problem` is the kind of that problem
    (of a quote `why` says that it isn't wanted, or with what is `shown` that it may be);
    "wrapper": a fence around others, of which only the first and the last line are its own.
    `depth`: how many wrappers it stands in. `example`: the words above it say that it is one.
    `loose`: JSON that stands among prose, in no fence. `option`: words above it that leave it to the reader.
    """

    start: int
    end: int
    kind: str
    depth: int = 0
    shown: Shown | None = None
    why: str = ""
    loose: bool = False
    example: bool = False
    advice: str = ""
    option: str = ""
    problem: ProblemKind = "bad_patch"


class _Open(NamedTuple):
    """A fence that is open: its line, where its block begins, where it ends by its looks, the kind it is for.

    `kind` is "" for one that may be a wrapper. `first`: the number of blocks before it. `option`: as of a block.
    """

    fence: Fence
    start: int
    end: int
    kind: str
    first: int
    example: bool = False
    option: str = ""


@lru_cache(maxsize=1)
def outline(text: str, file: str = "") -> tuple[Block, ...]:
    """Every construct that no other one holds. `file`: the path of fences for which the answer names none."""
    return tuple(_Scan(patch_lines(text), file).run())


def files_in(text: str) -> list[Block]:
    """The files that an answer shows, and what isn't clear about them."""
    files = [block for block in outline(text) if block.kind in (FILE, UNCLEAR)]
    depth = min((block.depth for block in files), default=0)
    return [block for block in files if block.depth == depth]


class _Scan:
    """A walk over the lines."""

    __slots__ = ("_source", "blocks", "closers", "file", "headings", "lines", "prose", "stack")

    def __init__(self, lines: list[str], file: str) -> None:
        self.lines = lines
        self.file = file
        self.prose: list[int] = []  # rows that aren't blank and in no construct
        self.headings: list[str] = []  # of the sections that the walk is in
        self.blocks: list[Block] = []
        self.closers: dict[str, list[int]] = {}  # the rows with what closes an element or a comment
        self.stack: list[_Open] = []
        self._source: Source | None = None

    def run(self) -> list[Block]:
        row = 0
        while row < len(self.lines):
            row = max(self._step(row), row + 1)
        while self.stack:
            self._close(len(self.lines))
        return self.blocks

    def _step(self, row: int) -> int:
        """Take in what begins at a row; the row behind it."""
        line = self.lines[row]
        bare = line.lstrip(" \t")
        if not bare.strip():
            return row + 1
        fence = fence_of(line)
        if fence is not None:
            if self.stack and fence.closes(self.stack[-1].fence):
                self._close(row + 1)
                return row + 1
            return self._fence(row, fence)
        if bare[:1] in ("<", "/") and (aside := self._aside(row)):
            self._add(aside)
            return aside.end
        if bare[:1] == "<" != bare[1:2]:
            is_call = opens_json("\n".join(self.lines[row : row + _CALL_HEAD]).lstrip(" \t"))
            element = shown_in_element(self.lines, row) if not is_call and element_path(line) else None
            if element is not None and element[0].problem is None and _holds_blocks(element[0].body):
                return row + 1  # the element only names the file of the blocks in it
            if element is not None:
                self._add(Block(row, element[1], FILE, shown=element[0]))
                return element[1]
            if is_call:
                return self._call(row)
        if line[:1] in ("@", "A", "[") and opens_call("\n".join(self.lines[row : row + 3])):
            return self._call(row)
        if line.startswith("Observation:") and self.blocks and _is_action(self.lines, self.blocks[-1]):
            return self._observation(row)
        if line[:1] == "[" and is_hashline(line):
            end = sections_end(self.lines, row)
            self._add(Block(row, end, JSON))
            return end
        kind = _opening(self.lines, row)
        if not kind and bare[:1] == "<" and (unread := self._unread(row)):
            self._add(unread)
            return unread.end
        if not kind:
            lead = re.match(_CALL_LEAD, line) if "{" in line else None
            if lead and opens_json("\n".join(self.lines[row : row + 3]), lead.end()) and not is_example_label(lead[0]):
                return self._json(row, lead.end())
            self._prose(row, line)
            return row + 1
        if kind == JSON:
            return self._json(row, len(indent_of(line)))
        limit = max(self.stack[-1].end if self.stack else len(self.lines), row + 1)
        end = block_end(kind, self.lines, row, limit, bool(self.stack))
        if end > row:
            self._add(Block(row, end, kind))
        return end

    def _aside(self, row: int) -> Block | None:
        """What begins at a row and isn't said by the answer itself, or says of a call that it isn't to be made."""
        line = self.lines[row]
        field = _FIELD.match(line)
        if field and (withholds(field[1], field[2]) or puts_beside(field[1], field[2])):
            why = f"`{line.strip()}` means that the call isn't to be made, or not as an edit of text for text"
            return Block(row, row + 1, UNCLEAR, why=why, advice="Leave the call out, or that line.")
        opened = _ASIDE.match(line)
        if opened is None:
            return None
        close = f"</{opened['tag']}>" if opened["tag"] else "-->" if "<" in line else "*/"
        if close not in self.closers:
            self.closers[close] = [at for at, one in enumerate(self.lines) if close in one]
        closers = self.closers[close]
        end = closers[at] if (at := bisect_left(closers, row)) < len(closers) else -1
        if end < 0:
            return None
        if self.blocks and _FAILED.search("\n".join(self.lines[row : end + 1])):
            return _failed(row, end + 1)
        return Block(row, end + 1, QUOTE)

    def _unread(self, row: int) -> Block | None:
        """An element that seems to change a file in a way that isn't read: left out, half of the answer is done."""
        told = _CHANGES_FILE.match("\n".join(self.lines[row : row + 2]))
        if told is None:
            return None
        rest = range(row, min(row + _REACH, len(self.lines)))
        end = next((at for at in rest if f"</{told[1]}>" in self.lines[at]), row)
        # `<replace_in_file>` is only around blocks, which have a format; an object may be code of the file.
        if any(fence_of(self.lines[at]) or _opening(self.lines, at) not in ("", JSON) for at in range(row + 1, end)):
            return None
        why = f"`<{told[1]}>` at line {row + 1} seems to change a file, but isn't a call that is known"
        advice = "Send it as a diff, as SEARCH/REPLACE blocks or as an edit in JSON."
        return Block(row, end + 1, UNCLEAR, why=why, advice=advice)

    def _observation(self, row: int) -> int:
        """What a tool answered in a transcript of thoughts and actions; where it failed, nothing may be applied."""
        rest = range(row + 1, len(self.lines))
        end = next((at for at in rest if self.lines[at].startswith(_TURNS)), len(self.lines))
        if _FAILED_CALL.match("\n".join(self.lines[row:end])):
            self._add(_failed(row, end))
        else:
            self._add(Block(row, end, QUOTE))
        return end

    def _add(self, block: Block) -> None:
        depth = sum(not open.kind for open in self.stack)
        bare = not self.stack or not self.stack[-1].kind
        example = any(open.example for open in self.stack) or (bare and is_example(self.lines, block.start))
        if bare and block.kind not in (QUOTE, WRAPPER, UNCLEAR) and not (block.shown and block.shown.quote):
            words = lead_of(self.lines, self.prose, block.start)
            block = self._unmeant(block, words) or block._replace(option=self._option(words))
        self.blocks.append(block._replace(depth=depth, example=example) if depth or example else block)

    def _unmeant(self, block: Block, words: str) -> Block | None:
        """What a block is whose change isn't wanted, as the words right above or below it say, or is only spoken of."""
        start, end = block.start, block.end
        goes_on = self._goes_on(words) and self.blocks[-1].why == _FORBIDDEN
        if goes_on or is_forbidden(words) or is_taken_back(self.lines, end):
            return Block(start, end, QUOTE, why=_FORBIDDEN)
        said = next((said for said in (words, *self.headings) if said and is_mentioned(said)), "")
        if not said:
            return None
        if block.kind == CONFLICT:
            return Block(start, end, QUOTE, why=_MENTIONED)
        if block.shown:  # it stands in the file, or is refused
            return block._replace(shown=block.shown._replace(only="quote"))
        why = f"the edit at line {start + 1} may only be mentioned: `{said[-_WORDS:].strip()}`"
        return Block(start, end, UNCLEAR, why=why, advice=_LEAVE_OUT)

    def _goes_on(self, words: str) -> bool:
        """Whether nothing but paths is between a block and the one before: what is said of that counts for it, too."""
        if words or not self.blocks:
            return False
        between = takewhile(lambda row: row >= self.blocks[-1].end, reversed(self.prose))
        return all(path_on(self.lines[row]) for row in between)

    def _option(self, words: str) -> str:
        """The words right above a block that leave it to the reader whether it is wanted; "" for others."""
        if self._goes_on(words):
            return self.blocks[-1].option
        return next((said[-_WORDS:].strip() for said in (words, *self.headings) if said and is_optional(said)), "")

    # ── fences ───────────────────────────────────────────────────────────────────────────────────

    def _fence(self, row: int, fence: Fence) -> int:
        if len(self.stack) >= _DEEPEST:
            return row + 1
        lines = self.lines
        region = contents(lines, row)
        assert region is not None
        label = label_of(lines, row, fence)
        if label is not None and label.sure and label.path.lower().endswith(PAGES) and not self.stack:
            region = page_of(region)
        end, body = region.end, region.body
        pair = self._pair(row, region, label)
        if pair is not None:
            return pair
        if fence.info.partition(":")[0].isdigit():  # `12:15:src/a.py` cites lines of a file
            self._add(Block(row, end + 1, QUOTE))
            return end + 1
        if not region.closed and self.blocks and (fence.info or label) and is_cut_marker("".join(body).strip()):
            cut = cut_before_block(row + 1)
            self._add(Block(row, end + 1, UNCLEAR, why=cut.detail, advice=cut.advice, problem=cut.kind))
            return end + 1
        if label is not None and not label.sure and any(fence_of(line) or _opening([line], 0) for line in body):
            label = None
        if label is not None and not label.sure and is_defined(label.path, body):
            label = None  # "`total`:" above `def total():` is no file
        start = min(row, label.row) if label else row
        kind = _kind_of_fence(body, fence, label.path if label else "")
        holds_calls = not kind and label is None and _holds_calls(body, fence)
        if kind == JSON and label and (label.path.lower().endswith(_JSON_FILES) or marks_in(label.path, body)):
            kind = ""  # marks leave out code of a file, not of a call
        elif kind == JSON and not _may_be_call("\n".join(body)):
            kind = ""  # "In `package.json`, bump the version:" and all of it; or a file `app.js.map`
        elif holds_calls and is_unwanted(words_above(lines, self.prose, row)):
            self._add(Block(row, end + 1, QUOTE, why=_FORBIDDEN))
            return end + 1
        elif kind == JSON or holds_calls:
            self._add(Block(start, end + 1, JSON, loose=holds_calls and fence.language in _SHELLS))
            return end + 1
        why = _unclear(kind, body, label, fence.language in _DIFFS)
        if why:
            self._add(Block(start, end + 1, UNCLEAR, why=why, advice=_SAY_WHICH))
            return end + 1
        foreign = kind in (_FOREIGN, _ESCAPED)
        if foreign:
            kind, label = "", None
        if kind:
            words = lead_of(lines, self.prose, start)
            unmeant = self._unmeant(Block(start, end + 1, kind), words)
            if unmeant is not None:
                self._add(unmeant)
                return end + 1
            example = is_example(lines, start)
            self.stack.append(_Open(fence, start, end, kind, len(self.blocks), example, self._option(words)))
            return row + 1
        if label is not None:
            shown = shown_in(region, label, sum(not open.kind for open in self.stack))
            shown = shown._replace(told=told_of(lead_of(lines, self.prose, start), shown.body))
            self._add(Block(start, end + 1, FILE, shown=shown))
            return end + 1
        spoken = self._spoken(row, region) if region.closed and not foreign else None
        if spoken is not None:
            self._add(spoken)
            return end + 1
        if fence.language in _WRAPPING:
            example = is_example(lines, row) or self._is_page(row, body, fence)
            self.stack.append(_Open(fence, row, end, "", len(self.blocks), example))
            return row + 1
        if not region.closed:
            return row + 1
        self._add(Block(row, end + 1, QUOTE))
        return end + 1

    def _spoken(self, row: int, region: Region) -> Block | None:
        """A part of a file that only the prose around a fence names, or the fence's first comment; or None."""
        lines, body = self.lines, body_of(region)
        info = lines[row].strip().lstrip("`~").strip()
        words = words_above(lines, self.prose, row)
        if any(map(fence_of, body)) or any(
            opening(body, at) for at, line in enumerate(body) if line[:1] in tuple("<*=d-")
        ):
            page = self._mentioned(words, "", info, body)  # "Put this in `README.md`:" and a page with fences
            if not page.lower().endswith(PAGES):
                return None
            shown = Shown(page, row + 1, row + 2, body, only="part")
            return Block(row, region.end + 1, QUOTE, shown=shown, why=_DOUBTED)
        made = created(words)
        if made and not contradicts(info, made, body):
            shown = Shown(made, row + 1, row + 2, body, told=told_of(words, body))
            return Block(row, region.end + 1, FILE, shown=shown)
        added = addition(words)
        asked = (added is not None or asks_for_change(words)) and not offers_another(lines, region.end + 1)
        path, first = path_in_comment(body)
        kind = FILE
        only: Meant = "part"
        if not path:
            first = 0
            named = named_above(lines, self.prose, row)
            if named is None and asked:
                named = only_path(lines, self.prose)
            if named is not None and (asked or named.alone):
                path, only = named.path, "part" if asked else "maybe"
                only = "" if says_file(words, path) and added is None else only
            elif self.file:
                path, only = self.file, ""
            else:
                path, kind = self._mentioned(words, named.path if named else "", info, body), QUOTE
                if not path and defines(body):
                    path = self._led_on(body)
                    kind, only = (FILE, "part") if path else (QUOTE, "aside")
        is_script = is_shell(info) and not is_of_language(info, path)
        quoted = says_old(words) or is_unwanted(words) or is_example(lines, row) or is_script
        quoted = quoted and (added is None or is_script)
        if only == "aside" and not quoted and (not info or info not in _WRAPPING):
            return Block(row, region.end + 1, QUOTE, shown=Shown("", row + 1, row + 2, body, only=only))
        if not path or contradicts(info, path, body) or is_output(path, body) or is_command(path, "sh", body):
            return None
        if quoted:
            skipped = Block(row, region.end + 1, QUOTE, why=_FORBIDDEN)
            return skipped if kind == FILE and is_unwanted(words) and not is_script else None
        told = told_of(words, body)
        if only == "part" and kind == FILE and "line" in words.lower():
            told = told._replace(lines=lines_named(words))
        shown = Shown(path, row + 1, row + 2 + first, body[first:], only=only, told=told)
        if added is not None and asked and only == "part" and added.path in ("", path):
            shown = _as_addition(shown, added)
        return Block(row, region.end + 1, kind, shown=shown, why=_DOUBTED if kind == QUOTE else "")

    def _led_on(self, body: list[str]) -> str:
        """The file of the fence before, where what stands between them only leads on to the next: "and `g`:"."""
        last = self.blocks[-1] if self.blocks else None
        if last is None or last.kind != FILE or last.shown is None or last.shown.quote or last.shown.changes_nothing:
            return ""
        between = " ".join(self.lines[row].strip() for row in self.prose if row >= last.end)
        return last.shown.path if leads_on(between, body) else ""

    def _mentioned(self, words: str, path: str, info: str, body: list[str]) -> str:
        """The file that words above a fence only mention, where they may be its label; "" where they aren't.

        "So `a.py`:" and all of it, "`f` in `a.py` can be shorter:" and a function; not "Use it in `a.py`:" and a line.
        """
        if path and paths_in(words) and is_of_language(info, path) and defines(body):
            return path
        tokens = [word.lstrip("([*\"'`").rstrip(".,:;!?)]*\"'`") for word in words.split()]
        is_label = len(tokens) <= _FEW and sum(bool(line.strip()) for line in body) >= _LONG
        named = {word for word in tokens if looks_like_path(word)} if is_label else set()
        return named.pop() if len(named) == 1 else ""

    def _pair(self, row: int, region: Region, label: Label | None) -> int | None:
        """Take in two fences, of which the second replaces the first: "Before" and "After"; the row behind them."""
        if label is not None and label.sure:
            return None
        lines = self.lines
        above = words_above(lines, self.prose, row)
        if not is_old_label(above):
            return None
        named = named_above(lines, self.prose, row)
        is_page = _holds_page(lines[row], named.path if named else "") and not self.stack
        if is_page or not (self.stack or _leads_on(lines, region.end + 1)):
            # Comments of Rust are pages, too: the fence in them isn't the end, where "After:" stands below another one.
            longer = _old_page(region)
            is_page, region = is_page or longer.end > region.end, longer
        if _may_hold_end(region) and any(map(is_new_label, lines[region.end + 1 : region.end + 8])):
            why = f"it isn't clear which fence ends the old text at line {row + 1}"
            self._add(Block(row, region.end + 1, UNCLEAR, why=why, advice=_LONGER))
            return region.end + 1
        after = next((at for at in range(region.end + 1, min(region.end + 8, len(lines))) if fence_of(lines[at])), -1)
        other = contents(lines, after) if after >= 0 else None
        other = _new_page(other, region) if other and is_page else other
        between = [at for at in range(region.end + 1, after) if lines[at].strip()]
        below = words_above(lines, between, after)
        if other is None or not other.closed or not is_new_label(below) or names_another(above, below):
            return None
        old, new = body_of(region), body_of(other)
        named = named or named_above(lines, between, after) or only_path(lines, self.prose)
        path, first = path_in_comment(old)
        if path:
            old, new = old[first:], new[path_in_comment(new)[1] :] if path_in_comment(new)[0] == path else new
        path = path or (named.path if named else self.file)
        if not path:
            return None
        if not any(map(str.strip, old)):
            why = f"the old text at line {row + 1} is empty, or a fence inside of it ended it"
            self._add(Block(row, other.end + 1, UNCLEAR, why=why, advice=_LONGER))
            return other.end + 1
        if (is_page and not other.certain) or _may_hold_end(other):
            why = f"it isn't clear which fence ends the new text at line {after + 1}"
            self._add(Block(row, other.end + 1, UNCLEAR, why=why, advice=_LONGER))
            return other.end + 1
        shown = Shown(path, row + 1, after + 2, new, old=tuple(old))
        self._add(Block(row, other.end + 1, FILE, shown=shown))
        return other.end + 1

    def _prose(self, row: int, line: str) -> None:
        """Take in a line of prose, which may be an edit of one line."""
        if any(open.kind for open in self.stack):
            return
        self.prose.append(row)
        if line[:1] == "#" and line.lstrip("#")[:1] == " ":
            depth = len(line) - len(line.lstrip("#"))
            self.headings = [one for one in self.headings if len(one) - len(one.lstrip("#")) < depth] + [line]
        for told in line_edits(line) if not self.stack else ():
            named = named_above(self.lines, self.prose, row) or only_path(self.lines, self.prose)
            path = told.path or (named.path if named else self.file)
            if path:
                way: Literal["", "inline"] = "" if told.number else "inline"
                shown = Shown(path, row + 1, row + 1, [told.new], old=(told.old,), at=told.number, way=way)
                self._add(Block(row, row + 1, FILE, shown=shown))

    def _is_page(self, row: int, body: list[str], fence: Fence) -> bool:
        """Whether a fence shows a page below a sentence ("The README may say:"): what the page shows is not meant."""
        head = next((line for line in body if line.strip()), "")
        above = any(line.strip() for line in self.lines[:row])
        return fence.language in ("markdown", "md") and head.startswith("# ") and above

    def _close(self, end: int) -> None:
        """Close the innermost fence: what stands in a fence of its own has its lines, too."""
        top = self.stack.pop()
        inner = self.blocks[top.first :]
        if not top.kind:
            self._add(Block(top.start, end, WRAPPER if inner else QUOTE))
        elif inner:
            if any(block.option != top.option for block in inner):
                self.blocks[top.first :] = [block._replace(option=top.option) for block in inner]
            self.blocks[top.first] = self.blocks[top.first]._replace(start=top.start)
            self.blocks[-1] = self.blocks[-1]._replace(end=end)
        else:
            self._add(Block(top.start, end, top.kind))

    # ── JSON and calls ───────────────────────────────────────────────────────────────────────────

    def _at(self, row: int) -> tuple[Source, int]:
        """The whole text, and the place where a row begins."""
        if self._source is None:
            self._source = source("\n".join(self.lines))
        return self._source, self._source.breaks[row - 1] + 1 if row else 0

    def _json(self, row: int, lead: int) -> int:
        """A value that begins a line, behind `lead` signs, and ends one: within a sentence it is but an example."""
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
        told = lead == len(indent_of(self.lines[row])) or self.lines[row].lstrip()[:1] not in "<["
        self._add(Block(row, end, JSON, loose=told and not self.stack and not self._is_called(row)))
        return end

    def _is_called(self, row: int) -> bool:
        """Whether the line above is the tag of a tool call."""
        above = next((line.strip() for line in reversed(self.lines[max(row - 2, 0) : row]) if line.strip()), "")
        return above[:1] in ("<", "[") and re.fullmatch(_CALL_LEAD, above) is not None

    def _call(self, row: int) -> int:
        """A tool call as tags."""
        source, start = self._at(row)
        end = max(source.line(call_end(source, start + len(indent_of(self.lines[row])))), row + 1)
        self._add(Block(row, end, JSON))
        return end


def _is_action(lines: list[str], block: Block) -> bool:
    """Whether a block is the action of a transcript: `Action: edit`, and below it `Action Input: {…}`."""
    return block.kind == JSON and lines[block.start].startswith("Action:")


def _failed(row: int, end: int) -> Block:
    """The result of a call that failed."""
    why = f"the result at line {row + 1} says that a call failed"
    return Block(row, end, UNCLEAR, why=why, advice="Send only the calls that are to be made.")


# ── what a line, or a fence, is for ──────────────────────────────────────────────────────────────


def _opening(lines: list[str], row: int) -> str:
    """The kind of block that a line opens: a format's, or JSON; "" for none."""
    if lines[row].lstrip(" \t")[:1] in ("{", "["):
        return JSON if opens_json("\n".join(lines[row : row + 6]).lstrip()) else ""
    return opening(lines, row)


def _kind_of_fence(body: list[str], fence: Fence, path: str) -> str:
    """The kind of block that the outermost lines of a fence open or close: such a fence is no file."""
    first, kind = -1, ""
    for at in range(min(len(body), _HEAD)):
        if body[at].strip():
            kind = _opening(body, at)
            if kind or not _is_preamble(body[at], path.lower().endswith(PAGES)):
                first = at
                break
    kind = kind or (_foreign(body, first, path) if first >= 0 else "")
    if not kind:
        last = next((line for line in reversed(body) if line.strip() and not is_tag(line.replace("</", "<"))), "")
        kind = closing(last) or _foreign_end(last.strip(), path)
    if kind == JSON and family(fence.language) not in ("", "json", "javascript"):
        return ""  # `{` alone on a line begins a block of code
    if not kind and fence.language in _DIFFS and not any(fence_of(line) for line in body):
        return "unified" if any(line[:1] in ("+", "-", "@") for line in body) else _FOREIGN
    told = first >= 0 and (not path or "apply_patch" in body[first])  # `text = <<~EOF` is a line of a file
    if not kind and told and ("<<" in body[first] or body[first].startswith("cd ")):
        return next((inner for at, line in enumerate(body) if "***" in line and (inner := opening(body, at))), "")
    return kind


def _holds_calls(body: list[str], fence: Fence) -> bool:
    """Whether a fence holds edits by hash, or commands that write files and do nothing else."""
    if fence.language in _SHELLS:
        return is_script("\n".join(body))
    return is_hashline("\n".join(body[:3]))


def _holds_blocks(body: list[str]) -> bool:
    """Whether the contents of an element are SEARCH blocks."""
    first = next((row for row, line in enumerate(body) if line.strip()), -1)
    return first >= 0 and opening(body, first) == "search-replace" and are_edits("\n".join(body))


def _may_be_call(text: str) -> bool:
    """Whether JSON looks like a call of any format."""
    return any(formats.score(name, text) >= FOUND for name in CALLS) or '"operations"' in text


def _is_preamble(line: str, page: bool) -> bool:
    """Whether a line may stand above a block and be part of nothing: a path, a comment, a tag, a mail header."""
    bare = line.strip()
    if bare == "---" or is_tag(bare) or bare.startswith(_MAIL):
        return True
    if _opening([line], 0) or bare.startswith(("--- ", "#!", "#if", "#include", "#define")):
        return False
    if (bare.startswith("/*") and "*/" not in bare) or (bare.startswith("<!--") and "-->" not in bare):
        return False  # what follows stands in the comment
    return bool(path_on(bare)) or (not page and bare.startswith(_COMMENTS))


def _foreign(body: list[str], first: int, path: str) -> str:
    """Whether a block that no format of ours has begins there, or one whose markers are escaped."""
    line = body[first].strip()
    if line.startswith("&lt;" * 5):
        return _ESCAPED
    if "====" in body and formats.named("search-replace").reader.has_short_signs(body):
        return "search-replace"
    if path.lower().endswith(_MARKUP):
        return ""
    named = re.match(r"<(?:file|path|filename)>[^<>]*</\w+>$", line)
    tags = body if named else [line]
    return _FOREIGN if any(re.match(_FOREIGN_TAG, tag.strip()) for tag in tags) else ""


def _foreign_end(last: str, path: str) -> str:
    """Whether a block that no format of ours has ends there."""
    tagged = last.startswith("</") and not path.lower().endswith(_MARKUP) and re.match(_FOREIGN_TAG, last)
    return _FOREIGN if last == ">>>>" or tagged else ""


def _may_hold_end(region: Region) -> bool:
    """Whether a line of a fence's contents may have been meant to end it: a fence as long as its own."""
    fence = None if region.certain else fence_of(region.lines[region.start - 1])
    return fence is not None and any(inner.run.startswith(fence.run) for inner in map(fence_of, region.body) if inner)


def _holds_page(opener: str, path: str) -> bool:
    """Whether a fence shows a page, which may hold fences itself."""
    fence = fence_of(opener)
    return path.lower().endswith(PAGES) or (fence is not None and fence.language in PAGE_WORDS)


def _leads_on(lines: list[str], row: int) -> bool:
    """Whether the next words say that what follows takes the place of what came before."""
    return is_new_label(next((line for line in lines[row : row + 8] if line.strip()), ""))


def _old_page(region: Region) -> Region:
    """Lines of a page that are to be replaced, up to the fence right above "with:": what is between is no prose."""
    lines, opener = region.lines, fence_of(region.lines[region.start - 1])
    assert opener is not None
    end = -1  # of a fence, where nothing but blank lines is behind it so far
    for row in range(region.start, len(lines)):
        fence = fence_of(lines[row])
        if fence is not None:
            end = row if fence.closes(opener) else -1
        elif lines[row].strip() and end >= 0:
            if is_new_label(lines[row]):
                return region._replace(end=end, closed=True, certain=True)
            if is_old_label(lines[row]):
                return region
            end = -1
    return region


def _new_page(region: Region, old: Region) -> Region:
    """Lines that take the place of some of a page, up to where alone they can end: else the region stays as it is.

    That is behind whole fences, and those behind it must be whole; where the old lines begin or end inside of a fence
    of the page, behind the same fences that they have.
    """
    lines = region.lines
    stop = next((row for row in range(region.end, len(lines)) if is_old_label(lines[row])), len(lines))
    signs, there = signs_in(region, stop), signs_in(old, old.end)
    if len(signs) > _MOST_FENCES:
        return region
    words, known, size = [sign.fence.info for sign in signs], [sign.fence.info for sign in there], len(there)
    ends = {size} if words == [*known, ""] else set()
    if are_whole(there):
        ends |= {
            at for at in range(0, len(signs), 2) if are_whole(signs[:at]) and are_whole(signs[at + 1 :], signs[at])
        }
    ends = {at for at in ends if not words[at]}
    return region._replace(end=signs[ends.pop()].row, closed=True, certain=True) if len(ends) == 1 else region


def _as_addition(shown: Shown, added: Addition) -> Shown:
    """New lines for the end of a file, or below a line of it, which is indented as they are, unless they show it."""
    if not added.below:
        return shown._replace(only="end")
    if any(line.strip() == added.below for line in shown.body):
        return shown
    line = indent_of(next((line for line in shown.body if line.strip()), "")) + added.below
    return shown._replace(way="below", old=(line,), body=[line, *shown.body])


# ── doubts ───────────────────────────────────────────────────────────────────────────────────────


def _unclear(kind: str, body: list[str], label: Label | None, is_diff: bool) -> str:
    """Why a fence under a path has two readings; "" where it has one. `is_diff`: it is called a diff."""
    if label is None or not label.sure or kind in (_ESCAPED, JSON):
        return ""
    path = label.path
    if kind == _FOREIGN:
        return f"the fence below {path} is an edit in an unknown format"
    if not kind:
        if _speaks_in_code(path, body):
            return f"the contents of {path} contain patch markers outside of strings and comments"
        return ""
    if format_of(kind) == "search-replace":
        lead = takewhile(lambda line: not _opening([line], 0), body)
        inner = next((inner for line in lead if (inner := path_on(line))), path)
        other = not inner.endswith(path) and not path.endswith(inner)
    else:
        name = path.replace("\\", "/").rpartition("/")[2]
        may_hold = _DIFF_FILES if is_diff else _PATCHES  # a diff is no README
        other = path.lower().endswith(may_hold) and not any(name in line for line in body)
    if other:
        return f"it isn't clear whether the patch below {path} is to be applied or written to that file"
    return ""


def _speaks_in_code(path: str, body: list[str]) -> bool:
    """Whether the marks of a patch stand in the code itself; in strings and comments they are content."""
    rows = [row for row, line in enumerate(body) if line[:1] in "<*=d-" and opening(body, row) not in ("", "chunk")]
    if not rows:
        return False
    from .syntax.lexer import tokens

    language = language_of(path)
    if language is None or language.family in ("xml", "script"):
        return False
    held = tokens("\n".join(body), language)
    ends = [end for _, end, _ in held]
    starts = list(accumulate((len(line) + 1 for line in body), initial=0))
    for row in rows:
        token = bisect_right(ends, starts[row])
        if token == len(held) or held[token][0] > starts[row]:
            return True
    return False


# ── what of it is meant, and what it says ────────────────────────────────────────────────────────


def read_constructs(text: str, tally: Tally | None, quotes: list[Note], file: str) -> Patch | None:
    """What an answer says; None where it holds no patch, with notes on what it only quotes."""
    name = _only_format(text)
    if name:
        return formats.named(name).parse(text, tally, file)
    blocks, lines = outline(text, file), patch_lines(text)
    parts = _parts(lines, blocks)
    if not parts.formats and not parts.files:
        quotes += parts.notes
        # What no construct shows may still be a patch that is broken; its format says how. JSON in a sentence is none.
        rest = _without(text, blocks)
        broken = [name for name, score in scores(rest) if score >= FOUND and name not in (*CALLS, *SHOWN)]
        return formats.named(broken[0]).parse(rest, tally, file) if broken and not parts.notes else None
    alone = {name: _alone(text, lines, blocks, name, own) for name, own in parts.formats.items()}
    patches = [formats.named(name).parse(said, tally, file) for name, said in alone.items()]
    parts.notes.extend(_undone(lines, blocks))
    if parts.files:
        shown = _files(parts, [op for patch in patches for op in patch.ops])
        patches.append(shown._replace(prose=prose(lines)))
    return patches[0] if len(patches) == 1 and not parts.notes else _joined(patches, parts.notes)


def _only_format(text: str) -> str:
    """The format of a text that looks like no other, and can't hold it inside of anything else; "" for other texts."""
    first = text.lstrip(f"{BOM} \t\r\n")[:3]
    is_call = first[:1] in ("{", "[") and (text.rstrip()[-1:] in ("}", "]") or is_hashline(text))
    is_call = is_call or (first[:1].isalpha() and is_script(text))
    is_held = any(sign in text for sign in ("```", "~~~", "<file ", "<document "))
    if is_held and not is_call:
        return ""
    asides = (_ASIDE, _FIELD, _CHANGES_FILE)
    if any(aside.match(line) for line in re.findall(r"(?m)^[ \t]*(?:<[\w!]|/\*).*", text) for aside in asides):
        return ""
    if any(is_forbidden(lead) or is_mentioned(lead) or is_optional(lead) for lead in re.findall(_LEAD, text)):
        return ""
    if re.search(r"` (?:to|with|by|into) `", text) and any(map(line_edits, patch_lines(text))):
        return ""
    names = [name for name, score in scores(text) if score >= FOUND]
    # Lines of a diff may speak of `operations:`, so that CHUNK is never plain; nor is a `*** Begin Patch` that isn't
    # one block: it may stand in the diff of a file that holds it.
    if len(names) != 1 or names[0] in ("chunk", "begin-patch"):
        return ""
    is_plain = is_call if names[0] in CALLS else not is_held
    return names[0] if is_plain else ""


class Parts(NamedTuple):
    """The constructs that count: blocks of each format with marks of its own, files shown; notes on the others."""

    formats: dict[str, list[Block]]
    files: list[Block]
    notes: list[Note]


def _parts(lines: list[str], blocks: tuple[Block, ...]) -> Parts:
    """What of an answer is meant. What is wrapped, or said to be an example, counts only where nothing else does.

    What is both never does: a fence around "Here is an example of a patch:" and its diff quotes an answer.
    """
    blocks = _without_told(lines, blocks)
    parts = Parts({}, [], [])
    ranked = []
    shows_files = all(block.kind in (FILE, QUOTE, UNCLEAR, WRAPPER) for block in blocks)
    for block in blocks:
        name = _format(lines, block)
        if name and block.depth and block.example:
            parts.notes.append(_example(block, name, "it is inside another fence"))
        elif name:
            ranked.append((block, name, _rank(block, shows_files)))
    best = min((rank for _, _, rank in ranked), default=0)
    surest = [(block, name) for block, name, rank in ranked if rank == best]
    calls = {block.kind == JSON for block, name in surest if name not in SHOWN}
    only_files = not calls and any(block.kind == FILE for block, _ in surest)
    options = {block.option for block, _ in surest}
    for block, name, rank in ranked:
        doubt = ""
        is_sample_call = False
        if best < _EXAMPLE <= rank and not block.depth and block.kind not in (FILE, JSON):
            doubt = "is called an example, but there is a patch next to it"
        elif best < rank <= _QUOTED and block.kind != FILE and only_files:
            doubt = "may be an edit or only be mentioned: the answer also shows files"
        elif block.kind == JSON and not best and rank <= _LOOSE and _may_be_no_call(lines, block, calls):
            is_sample_call = is_sample(lines, block.start)
            doubt = "" if is_sample_call else "may be a call or only an illustration: there is a patch next to it"
        if block.option and rank == best and len(options) > 1:
            why = f"`{block.option}`, line {block.start + 1}"
            parts.files.append(block._replace(kind=UNCLEAR, shown=None, why=why, problem="alternatives"))
        elif doubt:
            why = f"the {name} block at line {block.start + 1} {doubt}"
            parts.files.append(block._replace(kind=UNCLEAR, shown=None, why=why, advice=_ONE_FORMAT))
        elif rank > best or is_sample_call:
            parts.notes.append(_example(block, name, "there is a patch next to it"))
        elif name in SHOWN:
            parts.files.append(block)
        else:
            parts.formats.setdefault(name, []).append(block)
    edited = {shown.path for one in parts.files if (shown := one.shown) and not shown.quote}
    for block in blocks:
        if block.kind == QUOTE and block.shown and block.shown.only == "aside":
            # `def g():` in a fence that nothing is said of, beside a part of a file that has `g`: the plan tells.
            info = lines[block.start].strip().strip("`~").strip()
            paths = sorted(path for path in edited if is_of_language(info or path.rpartition(".")[2], path))
            parts.files.extend(block._replace(kind=FILE, shown=block.shown._replace(path=path)) for path in paths)
        elif block.kind == QUOTE and block.shown and (parts.formats or any(one.kind == FILE for one in parts.files)):
            # "In `a.py`, `f` can be shorter:" and a fence, beside another that is surely meant: a quotation, or both?
            parts.files.append(block._replace(kind=FILE, shown=block.shown._replace(only="quote")))
        elif block.kind == QUOTE and "unified" in parts.formats and _is_in_hunk(lines, block):
            why = f"the fence at line {block.start + 1} may be a line of the diff above it, with more of it inside"
            parts.files.append(block._replace(kind=UNCLEAR, shown=None, why=why, advice=_SIGN_ALL))
        elif block.kind == QUOTE and (note := _passed_over(lines, block)):
            parts.notes.append(note)
    return parts


def _without_told(lines: list[str], blocks: tuple[Block, ...]) -> tuple[Block, ...]:
    """The constructs without sentences ("change `a = 1` to `a = 2`") that tell of what another one shows."""
    inline = [block for block in blocks if block.shown and block.shown.way == "inline"]
    if not inline:
        return blocks
    shown = "\n".join(line for block in blocks if block not in inline for line in lines[block.start : block.end])
    told = [block for block in inline if block.shown and (block.shown.old[0] in shown or block.shown.body[0] in shown)]
    return tuple(block for block in blocks if block not in told)


def _is_in_hunk(lines: list[str], block: Block) -> bool:
    """Whether a fence may be a line of a hunk that lost its sign: it is below such lines, and hunks are inside it.

    @@ -1,3 +1,3 @@         the diff of a page
    -Example: a
    +Example: b
    ```js
    @@ -7,3 +7,3 @@
    """
    above = next((line for line in reversed(lines[: block.start]) if line.strip()), "")
    inside = (line.lstrip(" \t") for line in lines[block.start + 1 : block.end])
    return above.lstrip("\t")[:1] in ("+", "-", " ", "@") and any(line.startswith("@@ ") for line in inside)


def _may_be_no_call(lines: list[str], block: Block, calls: set[bool]) -> bool:
    """Whether JSON may be no call: in a fence beside a patch with marks of its own, or among prose beside a call.

    `calls`: whether the patches that surely count are calls, or have marks, or there are both.
    """
    if block.loose:
        return calls == {True}
    closed = block.end <= len(lines)  # a fence that is cut off has no last line
    return False in calls and closed and fence_of(lines[block.end - 1]) is not None


def _rank(block: Block, shows_files: bool) -> int:
    """How surely a construct is meant; beside surer ones JSON among prose, conflicts and examples are but spoken of.

    `shows_files`: the answer has nothing but files. Then a name like any other word (CHANGES) is one if it is there.
    """
    if block.example:
        return _EXAMPLE
    if block.depth:
        return _WRAPPED + min(block.depth, 8)
    if block.kind == CONFLICT:
        return _QUOTED
    if block.kind == FILE and block.shown and (block.shown.quote or not (shows_files or _names_file(block.shown))):
        return _QUOTED
    return _LOOSE if block.loose else 0


def _names_file(shown: Shown) -> bool:
    """Whether what stands above a fence may be a path: `### Vagrantfile`, not `### Build`."""
    return shown.only != "there" or "/" in shown.path or looks_like_path(shown.path)


def _format(lines: list[str], block: Block) -> str:
    """The format of a construct; "" for a quote."""
    if block.kind in (FILE, UNCLEAR):
        return "whole-file"
    if block.kind != JSON:
        return "" if block.kind in (QUOTE, WRAPPER) else formats.format_of(block.kind)
    text = "\n".join(lines[block.start : block.end])
    names = [name for name, score in scores(text) if score >= FOUND and name in CALLS]
    if len(names) > 1:
        # Keys of another format may stand in the texts of a call: only its own reader knows.
        names = [name for name in names if formats.named(name).parse(text).ops] or names
    if not names and '"operations"' in text and formats.score("chunk", text) >= FOUND:
        return "chunk"
    return names[0] if names else ""


def _example(block: Block, name: str, why: str) -> Note:
    text = f"the {name} block was taken as an example: {why}"
    return Note(text, patch_line=block.start + 1, kind="quote")


def _passed_over(lines: list[str], block: Block) -> Note | None:
    """The note on a fence that seems to change a file in a way that isn't read; None for other quotes."""
    body = [line for line in lines[block.start + 1 : block.end - 1] if line.strip()]
    if block.why:
        why = block.why
    elif body and {"+", "-"} <= {line[0] for line in body} <= {"+", "-", " "}:
        why = "it has `+` and `-` lines but names no file"
    elif any(line.lstrip("$ ").startswith(("sed -i", "perl -pi")) or (">" in line and "<<" in line) for line in body):
        why = "commands are not run"
    else:
        return None
    return Note(f"a fence was skipped: {why}", patch_line=block.start + 1, kind="quote")


def _undone(lines: list[str], blocks: tuple[Block, ...]) -> list[Note]:
    """Notes on what the prose asks for and no construct shows: "Then delete `old.py`." below a diff of another file."""
    held = {row for block in blocks if block.kind != WRAPPER for row in range(block.start, block.end)}
    names = {row: name for row, line in enumerate(lines) if row not in held and (name := undone(line))}
    # A fence that never closes ends behind the last line.
    shown = "\n".join(line for row, line in enumerate(lines) if row in held) if names else ""
    return [
        Note(f"skipped, as no edit shows it: {lines[row].strip()[:_CITED]}", patch_line=row + 1, kind="quote")
        for row, name in names.items()
        if not re.search(rf"(?<!\w){re.escape(name.removesuffix('()'))}(?!\w)", shown)
    ]


def _joined(patches: list[Patch], quotes: list[Note]) -> Patch:
    """What several formats read, as one patch; the operations are taken in the order of the answer."""
    patches = [patch for patch in patches if patch.format]
    ops = _in_turn(patches)
    names = [patch.format for patch in patches if patch.ops or patch.problems]
    notes = [note for patch in patches for note in patch.notes] + quotes
    if len(names) > 1:
        notes.insert(0, Note(f"the answer mixes formats: {', '.join(names)}", patch_line=1))
    problems = [problem for patch in patches for problem in patch.problems]
    return Patch(
        " + ".join(names),
        tuple(ops),
        next((patch.description for patch in patches if patch.description), ""),
        tuple(sorted(problems, key=lambda p: p.patch_line)),
        tuple(notes),
        any(patch.exact for patch in patches),
        prose=next((patch.prose for patch in patches if patch.prose), ""),
    )


def _in_turn(patches: list[Patch]) -> list[Op]:
    """All operations by their lines, those of each patch in its own order: a diff's copies are made first."""
    placed: list[tuple[int, Op]] = []
    for patch in patches:
        lines = [op.patch_line for op in patch.ops]
        placed += zip(reversed(list(accumulate(reversed(lines), min))), patch.ops, strict=True)
    return [op for _, op in sorted(placed, key=lambda one: one[0])]


def _alone(text: str, lines: list[str], blocks: tuple[Block, ...], name: str, own: list[Block]) -> str:
    """The text as one format is to read it: without what belongs to others, or is quoted and looks like its own."""
    if name in CALLS:
        kept = [""] * len(lines)
        for block in own:
            kept[block.start : block.end] = lines[block.start : block.end]
        return "\n".join(kept)
    mine = {(block.start, block.kind) for block in own}
    others = [
        block
        for block in blocks
        if (block.start, block.kind) not in mine
        and (block.kind != QUOTE or _looks_like(name, lines[block.start : block.end]))
    ]
    return _without(text, others)


def _looks_like(name: str, lines: list[str]) -> bool:
    """Whether a reader may find something of its own in a quote: of a diff, hunks of any other patch, too.

    Other quotes stay: what looks like one may be lines of a hunk that lost their signs.
    """
    hunks = name == "unified" and any(line.startswith("@@") for line in lines)
    return hunks or formats.score(name, "\n".join(lines)) > 0


def _without(text: str, blocks: Collection[Block]) -> str:
    """The text with some constructs blanked out."""
    if not blocks:
        return text
    lines = text.removeprefix(BOM).split("\n")
    for block in blocks:
        rows = range(block.start, min(block.end, len(lines)))
        for row in rows if block.kind != WRAPPER else (rows[0], rows[-1]):
            if block.kind != WRAPPER or fence_of(lines[row]):
                lines[row] = ""
    # Blank lines at the end of a YAML text may count: what follows is cut off, where it is blanked altogether.
    end = len(lines)
    for block in sorted(blocks, key=lambda block: -block.start):
        if any(map(str.strip, lines[block.start : end])):
            break
        end = block.start
    return "\n".join(lines if end == len(lines) else [*lines[:end], ""])


def _is_left_out(shown: Shown, touched: set[str]) -> bool:
    """Whether a text beside a patch is an edit of its own: of a file that the patch doesn't touch, or of indentation.

    That it is alone in changing: a text that quotes the result may be indented otherwise, and wouldn't be missed.
    """
    if shown.quote or not (shown.only == "part" or shown.old):
        return False
    is_moved = bool(shown.old) and stripped(shown.old) == stripped(shown.body) and list(shown.old) != shown.body
    return is_moved or _plain(shown.path) not in touched


def _files(parts: Parts, ops: list[Op]) -> Patch:
    """The files that an answer shows. Beside a patch they are new files, or quote what is there: the plan tells."""
    partial = {number for number, block in enumerate(parts.files) if _is_partial(block)}
    reader = formats.named("elided" if partial else "whole-file").reader
    touched = {_plain(path) for op in ops for path in paths_of(op) if path}
    # `<DeleteFile file="old.py" />` beside files that are shown says nothing of those.
    are_apart = touched.isdisjoint(_plain(block.shown.path) for block in parts.files if block.shown)
    if not parts.formats or (ops and are_apart and all(isinstance(op, Delete | Move) for op in ops)):
        files: Patch = reader.read(parts.files)
        return files
    notes: list[Note] = []
    kept: list[Block] = []
    for number, block in enumerate(parts.files):
        shown = block.shown
        if shown is not None and _is_left_out(shown, touched):
            # "In `a.py`, change `f` to:" and a fence, beside a diff of another file: left out, half of it is done.
            why = f"the fence at line {block.start + 1} may be an edit of {shown.path}, but there is a patch next to it"
            kept.append(block._replace(kind=UNCLEAR, shown=None, why=why, advice=_ONE_FORMAT))
            continue
        if shown is not None and shown.only == "aside":
            kept.append(block)
        elif shown is not None and (shown.quote or shown.only == "maybe"):
            notes.append(quoted(shown.path, shown.line, shown.quote or "there is a patch next to it"))
        elif shown is not None and (_plain(shown.path) in touched or shown.only in ("there", "quote") or shown.old):
            kept.append(block._replace(shown=shown._replace(only="quote")))
        elif shown is None or number in partial:
            kept.append(block)
        else:
            kept.append(block._replace(shown=shown._replace(only="new")))
    if not kept:
        return Patch("whole-file", notes=tuple(notes))
    files = reader.read(kept)
    return files._replace(notes=(*notes, *files.notes))


def _is_partial(block: Block) -> bool:
    shown = block.shown
    return shown is not None and not shown.old and bool(marks_in(shown.path, shown.body))


def _plain(path: str) -> str:
    """A path without what is often put before it."""
    slashed = path.replace("\\", "/").removeprefix("./")
    return slashed[2:] if slashed[:2] in ("a/", "b/") else slashed

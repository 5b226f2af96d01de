"""The outermost constructs of an answer, in order: fences, elements, patches with marks of their own, JSON. Only cuts.

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
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from functools import lru_cache
from itertools import islice, takewhile

from ..record import NamedTuple
from ..text import indent_of, patch_lines
from .fences import Fence, Named, Shown, cut_element, element_path, end_of, fence_of, path_of, shown_in
from .json import opens
from .markers import END, is_command
from .paths import is_tag, path_on
from .quotes import claimed, is_example, is_example_label

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .json import Source
    from .markers import Mark


JSON, FILE, QUOTE, UNCLEAR, CONFLICT, WRAPPER = "json", "file", "quote", "unclear", "conflict", "wrapper"
_LEADS = frozenset("`~<*=-+d@IBGoDl{[&\"'")
_WRAPPING = frozenset(("", "text", "txt", "plaintext", "plain", "markdown", "md", "diff", "patch", "xml", "none"))
_DIFFS = frozenset(("diff", "patch", "udiff"))
_PATCHES = (".patch", ".diff", ".txt", ".md", ".mdx", ".rst", ".adoc", ".yaml", ".yml", ".out", ".log")
_JSON_FILES = (".json", ".jsonc", ".json5", ".jsonl", ".ndjson", ".ipynb", ".geojson")
_DIFF_LINES = (
    " ", "+", "-", "@@", "\\", "diff ", "index ", "new file", "deleted file", "old mode", "new mode", "rename ",
    "similarity ", "dissimilarity ", "copy ", "Binary ", "GIT binary", "Index: ", "=====",
)  # fmt: skip
_DIFF_STARTS = ("diff --git ", "diff --cc ", "diff --combined ", "diff -", "Index: ")
_ROOTS = ("operations", "description", "language", "comment")
_CALL = r"<(?:\w{1,20}:)?(?:invoke\s+name|function=)"
# What may stand on a line before JSON that is a call: a tag, a label, the sign of a list; and behind it.
_CALL_LEAD = r"[ \t]*(?:<[^<>\s]{1,60}>|\[[A-Z_ /]{2,20}\]|[A-Za-z_ ]{1,24}:|[-*+]|\d{1,3}[.)])[ \t]*"
_CALL_TAIL = r"[ \t,;]*(?:</?[^<>\s]{1,60}>|\[/?[A-Z_]{2,20}\])*[ \t]*"
_FOREIGN = (
    r"</?(?:original|patched|search|replace|replacement|old|new|old_code|new_code|before|after|modified|edit)>\s*$"
)
_MAIL = ("From ", "From: ", "Subject: ", "Date: ", "$ git ", "$ diff ", "%YAML")
_COMMENTS = ("#", "//", "/*", "<!--", "--", ";", "%")
_SPOKEN = (
    "<<<<<<<",
    "*** Begin Patch",
    "*** Update File:",
    "*** Add File:",
    "=== file:",
    "diff --git ",
    "------- SEARCH",
)
_HEAD = 40  # lines at the top of a fence among which its first words must be


class Block(NamedTuple):
    """One construct: its rows (0-based, half open) with path and fence, and what it is.

    `kind`: the name of a format; "json": calls, whose keys tell the format; "file", with what is `shown`; "quote";
    "conflict": markers as git writes them; "unclear": it has two readings, `why` says which, `advice` what to do;
    "wrapper": a fence around others, of which only the first and the last line are its own.
    `depth`: how many wrappers it stands in. `example`: the words above it say that it is one.
    `loose`: JSON that stands among prose, in no fence. `claim`: the file that a sentence says a quote to be.
    """

    start: int
    end: int
    kind: str
    depth: int = 0
    shown: Shown | None = None
    why: str = ""
    loose: bool = False
    claim: str = ""
    example: bool = False
    advice: str = ""


class _Open(NamedTuple):
    """A fence that is open: its line, where its block begins, where it ends by its looks, the format it is for."""

    fence: Fence
    start: int
    end: int
    format: str
    first: int
    example: bool = False


@lru_cache(maxsize=1)
def outline(text: str) -> tuple[Block, ...]:
    """Every construct that no other one holds."""
    return tuple(_Scan(patch_lines(text)).run())


def files_in(text: str) -> list[Block]:
    """The files that an answer shows, and what isn't clear about them."""
    found = [block for block in outline(text) if block.kind in (FILE, UNCLEAR)]
    depth = min((block.depth for block in found), default=0)
    return [block for block in found if block.depth == depth]


class _Scan:
    """A walk over the lines."""

    __slots__ = ("_marks", "_rows", "_source", "blocks", "lines", "stack")

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.blocks: list[Block] = []
        self.stack: list[_Open] = []
        self._marks: list[Mark] | None = None
        self._rows: list[int] = []
        self._source: Source | None = None

    def run(self) -> list[Block]:
        row, lines = 0, self.lines
        while row < len(lines):
            line = lines[row]
            lead = line.lstrip(" \t")[:1]
            row = max(self._step(row, lead), row + 1) if (lead and lead in _LEADS) or "{" in line else row + 1
        while self.stack:
            self._pop(len(lines))
        return self.blocks

    def _step(self, row: int, lead: str) -> int:
        line = self.lines[row]
        if lead in "`~":
            fence = fence_of(line)
            if fence is None:
                return row + 1
            return self._close(row) if self.stack and _closes(fence, self.stack[-1].fence) else self._fence(row, fence)
        if lead == "<":
            element = cut_element(self.lines, row) if element_path(line) else None
            if element is not None:
                self._add(Block(row, element.end + 1, FILE, shown=element.shown))
                return element.end + 1
            if re.match(_CALL, line.lstrip()):
                return self._call(row)
        format = opener(self.lines, row)
        if not format:
            told = re.match(_CALL_LEAD, line) if "{" in line else None
            if told and opens("\n".join(self.lines[row : row + 3]), told.end()) and not is_example_label(told[0]):
                return self._json(row, told.end())
            return row + 1
        if format == JSON:
            return self._json(row, len(indent_of(line)))
        limit = self.stack[-1].end if self.stack else len(self.lines)
        return self._construct(row, format, max(limit, row + 1))

    def _construct(self, row: int, format: str, limit: int) -> int:
        """What begins at a row with the marks of a format; the row behind it."""
        ends: dict[str, Callable[[int, int], int]] = {
            "search-replace": self._block_end, CONFLICT: self._conflict_end, "begin-patch": self._envelope_end,
            "chunk-v2": self._section_end, "chunk": self._document_end, "unified": self._diff_end,
        }  # fmt: skip
        end = ends[format](row, limit)
        if end < 0:
            return row + 1
        self._add(Block(row, end, format))
        return end

    def _add(self, block: Block) -> None:
        depth = sum(not open.format for open in self.stack)
        bare = not self.stack or not self.stack[-1].format
        example = any(open.example for open in self.stack) or (bare and is_example(self.lines, block.start))
        self.blocks.append(block._replace(depth=depth, example=example))

    # ── fences ───────────────────────────────────────────────────────────────────────────────────

    def _fence(self, row: int, fence: Fence) -> int:
        lines = self.lines
        end = end_of(lines, row, fence)
        body = lines[row + 1 : end]
        named = path_of(lines, row, fence)
        if fence.info.partition(":")[0].isdigit():  # `12:15:src/a.py` cites lines of a file
            self._add(Block(row, end + 1, QUOTE))
            return end + 1
        if named is not None and not named.sure and any(fence_of(line) or opener([line], 0) for line in body):
            named = None
        start = min(row, named.row) if named else row
        format = opened(body, fence.info, named.path if named else "")
        if format == JSON and named and named.path.lower().endswith(_JSON_FILES):
            format = ""
        elif format == JSON:
            self._add(Block(start, end + 1, JSON))
            return end + 1
        why = _unclear(format, body, named)
        if why:
            self._add(Block(start, end + 1, UNCLEAR, why=why))
            return end + 1
        if format in ("foreign", "escaped"):
            format = ""
            named = None
        if format:
            self.stack.append(_Open(fence, start, end, format, len(self.blocks), is_example(lines, start)))
            return row + 1
        if named is not None:
            shown = shown_in(lines, row, end, named, sum(not open.format for open in self.stack))
            self._add(Block(start, end + 1, FILE, shown=shown))
            return end + 1
        if _word(fence.info) in _WRAPPING:
            example = is_example(lines, row) or self._is_page(row, end, fence)
            self.stack.append(_Open(fence, row, end, "", len(self.blocks), example))
            return row + 1
        if end == len(lines):
            return row + 1
        self._add(Block(row, end + 1, QUOTE, claim=claimed(lines, row)))
        return end + 1

    def _is_page(self, row: int, end: int, fence: Fence) -> bool:
        """Whether a fence shows a page below a sentence ("The README may say:"): what the page shows is not meant."""
        head = next((line for line in self.lines[row + 1 : end] if line.strip()), "")
        above = any(line.strip() for line in self.lines[:row])
        return _word(fence.info) in ("markdown", "md") and head.startswith("# ") and above

    def _close(self, row: int) -> int:
        self._pop(row + 1)
        return row + 1

    def _pop(self, end: int) -> None:
        """Close the innermost fence: what stands in a fence of its own has its lines, too."""
        top = self.stack.pop()
        inner = self.blocks[top.first :]
        if not top.format:
            kind = WRAPPER if inner else QUOTE
            self._add(Block(top.start, end, kind, claim="" if inner else claimed(self.lines, top.start)))
            return
        if not inner:
            self.stack.append(top)
            self._add(Block(top.start, end, top.format))
            self.stack.pop()
            return
        self.blocks[top.first] = inner[0]._replace(start=top.start)
        self.blocks[-1] = self.blocks[-1]._replace(end=end)

    # ── where constructs end ─────────────────────────────────────────────────────────────────────

    def _block_end(self, row: int, limit: int) -> int:
        """Behind the first closing marker that a divider comes before; one that never closes goes on to the limit."""
        from .markers import BARE_CLOSE, CLOSE, DIVIDE, OPEN

        divided = False
        for mark in self._marks_from(row + 1):
            if mark.kind == OPEN:
                return mark.row if mark.row < limit else limit
            divided = divided or mark.kind == DIVIDE
            if mark.kind == CLOSE or (mark.kind == BARE_CLOSE and divided):
                return mark.row + 1
        return limit

    def _conflict_end(self, row: int, limit: int) -> int:
        from .markers import CLOSE, DIVIDE, OPEN
        from .markers import CONFLICT as AGAIN
        from .markers import CONFLICT_END as END

        divided = False
        for mark in self._marks_from(row + 1):
            if mark.kind in (OPEN, CLOSE, AGAIN):
                return -1
            divided = divided or mark.kind == DIVIDE
            if mark.kind == END and divided:
                return mark.row + 1
        return -1

    def _marks_from(self, row: int) -> Iterator[Mark]:
        if self._marks is None:
            from .markers import marks_of

            self._marks = marks_of(self.lines)
            self._rows = [mark.row for mark in self._marks]
        return islice(self._marks, bisect_left(self._rows, row), None)

    def _envelope_end(self, row: int, limit: int) -> int:
        from .markers import mark

        explicit = _star(self.lines[row]) == "begin"
        for at in range(row + 1, len(self.lines) if explicit else limit):
            if "***" in self.lines[at]:
                found = mark(self.lines[at].lstrip(" \t"))
                if found is not None and found.word == "end":
                    return at + 1
                if found is not None and found.word == "begin":
                    return at
        return limit if self.stack else self._while(row, lambda line: line[:1] in " +-@*\\" or not line)

    def _section_end(self, row: int, limit: int) -> int:
        return next((at + 1 for at in range(row + 1, len(self.lines)) if self.lines[at].rstrip() == END), limit)

    def _document_end(self, row: int, limit: int) -> int:
        if self.stack:
            return limit
        depth = len(indent_of(self.lines[row]))
        keys = (*(f"{root}:" for root in _ROOTS), "- ", "}", "]")
        return self._while(
            row, lambda line: len(indent_of(line)) > depth or not line.strip() or line.lstrip().startswith(keys)
        )

    def _diff_end(self, row: int, limit: int) -> int:
        if self.stack:
            return limit
        return self._while(row, lambda line: not line.strip() or line.startswith(_DIFF_LINES))

    def _while(self, row: int, belongs: Callable[[str], bool]) -> int:
        """The row behind the lines that belong to what begins at a row, without blank ones at the end."""
        end = at = row + 1
        while at < len(self.lines) and belongs(self.lines[at]):
            at += 1
            end = at if self.lines[at - 1].strip() else end
        return end

    # ── JSON and calls ───────────────────────────────────────────────────────────────────────────

    def _at(self, row: int) -> tuple[Source, int]:
        """The whole text, and the place where a row begins."""
        from .json import source

        if self._source is None:
            self._source = source("\n".join(self.lines))
        return self._source, self._source.breaks[row - 1] + 1 if row else 0

    def _json(self, row: int, lead: int) -> int:
        """A value that begins a line, behind `lead` signs, and ends one: within a sentence it is but an example."""
        from .json import read, resume, tells

        source, start = self._at(row)
        one = read(source, start + lead)
        if one.fault is not None:
            if not tells(one.keys):
                return row + 1
            end = max(source.line(resume(source.text, max(one.end, start + lead + 1))) - 1, row + 1)
        else:
            end = source.line(one.end)
            rest = source.text[one.end :].partition("\n")[0] if end == len(self.lines) else ""
            rest = (
                rest or source.text[one.end : source.breaks[end - 1] if end <= len(source.breaks) else len(source.text)]
            )
            if rest.strip(" \t,;") and not re.fullmatch(_CALL_TAIL, rest):
                return end
        told = lead == len(indent_of(self.lines[row])) or self.lines[row].lstrip()[:1] not in "<["
        self._add(Block(row, end, JSON, loose=told and not self.stack and not self._is_called(row)))
        return end

    def _is_called(self, row: int) -> bool:
        """Whether the line above is the tag of a tool call."""
        above = next(
            (self.lines[at].strip() for at in range(row - 1, max(row - 3, -1), -1) if self.lines[at].strip()), ""
        )
        return above[:1] in ("<", "[") and re.fullmatch(_CALL_LEAD, above) is not None

    def _call(self, row: int) -> int:
        """A tool call as tags."""
        from .json import call_end

        source, start = self._at(row)
        end = source.line(call_end(source, start + len(indent_of(self.lines[row]))))
        end = end if end > row + 1 else row + 1
        self._add(Block(row, end, JSON))
        return end


# ── what a line, or a fence, opens ───────────────────────────────────────────────────────────────


def opener(lines: list[str], row: int) -> str:
    """The format whose block a line opens; "" for none."""
    line = lines[row]
    bare = line.lstrip(" \t")
    lead = bare[:1]
    below = next((lines[at] for at in range(row + 1, min(row + 3, len(lines))) if lines[at].strip()), "")
    if lead in "<-" and bare[:3] in ("<<<", "---"):
        from .markers import CONFLICT as GIT
        from .markers import OPEN, kind_of

        kind = kind_of(line)
        if kind in (OPEN, GIT):
            return "search-replace" if kind == OPEN else CONFLICT
    if lead == "*":
        if line.startswith("*** ") and below.startswith("--- "):
            return "unified"
        return "begin-patch" if _star(line) in ("begin", "update", "add", "delete") else ""
    if bare.startswith("=== file:") or (bare.startswith("--- ") and _is_command(bare)):
        return "chunk-v2"
    if _opens_diff(bare, below.lstrip(" \t")):
        return "unified"
    if lead in "{[":
        return JSON if opens("\n".join(lines[row : row + 6]).lstrip()) else ""
    return "chunk" if _opens_document(lines, row, bare) else ""


def opened(body: list[str], info: str, path: str) -> str:
    """The format whose block the outermost lines of a fence open or close: such a fence is no file.

    "foreign": a block of nobody's; "escaped": one whose markers are escaped, in a page.
    """
    prose = path.lower().endswith((".md", ".mdx", ".markdown", ".rst"))
    rows = [at for at in range(min(len(body), _HEAD)) if body[at].strip()]
    first = next((at for at in rows if not _is_preamble(body[at], prose) or opener(body, at)), -1)
    found = opener(body, first) if first >= 0 else ""
    if found == "chunk" and not _is_chunk(body):
        found = ""
    if not found and first >= 0:
        found = _odd(body, first, path)
    last = next((line for line in reversed(body) if line.strip() and not is_tag(line.replace("</", "<"))), "")
    found = found or _closer(last, path)
    if not found and _word(info) in _DIFFS and not any(fence_of(line) for line in body):
        return "unified" if any(line[:1] in ("+", "-", "@") for line in body) else "foreign"
    told = first >= 0 and (not path or "apply_patch" in body[first])  # `text = <<~EOF` is a line of a file
    if not found and told and ("<<" in body[first] or body[first].startswith("cd ")):
        return "begin-patch" if any(_star(line) == "begin" for line in body) else ""
    return found


def _is_preamble(line: str, prose: bool) -> bool:
    """Whether a line may stand above a block and be part of nothing: a path, a comment, a tag, a mail header."""
    bare = line.strip()
    if bare == "---" or is_tag(bare) or bare.startswith(_MAIL):
        return True
    if opener([line], 0) or bare.startswith(("--- ", "#!", "#if", "#include", "#define")):
        return False
    if (bare.startswith("/*") and "*/" not in bare) or (bare.startswith("<!--") and "-->" not in bare):
        return False  # what follows stands in the comment
    return bool(path_on(bare)) or (not prose and bare.startswith(_COMMENTS))


def _odd(body: list[str], first: int, path: str) -> str:
    """Blocks that no format of ours has, or whose markers are escaped."""
    line = body[first].strip()
    if line.startswith("&lt;" * 5):
        return "escaped"
    if "<<<<" in body and "====" in body and ">>>>" in body:
        return "foreign"  # markers of four signs
    markup = path.lower().endswith((".xml", ".html", ".htm", ".svg", ".vue", ".svelte", ".xsd", ".xsl"))
    if not markup and re.match(_FOREIGN, line):
        return "foreign"
    if not markup and re.match(r"<(?:file|path|filename)>[^<>]*</\w+>$", line):
        return "foreign" if any(re.match(_FOREIGN, other.strip()) for other in body) else ""
    return ""


def _closer(line: str, path: str) -> str:
    """The format whose block the last line of a fence closes."""
    bare = line.strip()
    if bare.startswith((">>>>", "++++")):
        from .markers import CLOSE, CONFLICT_END, kind_of

        kind = kind_of(bare)
        if kind in (CLOSE, CONFLICT_END):
            return "search-replace" if kind == CLOSE else CONFLICT
        return "foreign" if bare == ">>>>" else ""
    if bare == "=END=":
        return "chunk-v2"
    if bare.startswith("***") and _star(bare) == "end":
        return "begin-patch"
    markup = path.lower().endswith((".xml", ".html", ".htm", ".svg", ".vue", ".svelte", ".xsd", ".xsl"))
    return "foreign" if not markup and bare.startswith("</") and re.match(_FOREIGN, bare) else ""


def _is_command(bare: str) -> bool:
    return is_command(bare)


def _opens_diff(bare: str, below: str) -> bool:
    if bare.startswith("--- "):
        return below.startswith(("+++ ", "@@"))
    if bare.startswith("+++ "):
        return below.startswith("@@")
    if is_bare_hunk(bare, below):
        return True
    return bare.startswith(_DIFF_STARTS[:3]) or (bare.startswith("@@ -") and bare[4:5].isdigit()) or (
        bare.startswith(_DIFF_STARTS) and below.startswith(("=====", "--- ", "diff ", "index "))
    )  # fmt: skip


def is_bare_hunk(line: str, below: str) -> bool:
    """Whether a line is the head of a hunk without numbers, `@@` or `@@ def f(): @@`, by it and the line below."""
    bare = line.rstrip()
    headed = bare == "@@" or (bare.startswith("@@ ") and bare.endswith("@@"))
    return headed and below[:1] in ("+", "-") and not below.startswith(("--- ", "+++ "))


def _opens_document(lines: list[str], row: int, bare: str) -> bool:
    """Whether a CHUNK document begins: by its root keys, or by the list of its operations alone."""
    key = bare.split(":", 1)[0].strip() if ":" in bare[:40] else ""
    key = key[1:-1] if key[:1] in ("'", '"') and key[-1:] == key[:1] else key  # not `"""operations:` of a docstring
    if key == "operations":
        return _is_chunk(lines[row : row + 400])
    if key in _ROOTS:
        return any(line.lstrip(" \t\"'").startswith("operations") for line in lines[row + 1 : row + 12])
    if bare.startswith(("- path:", "- op:", "- path :", "- {")):
        keys = {line.strip(" \t-").split(":", 1)[0] for line in lines[row : row + 6]}
        return {"op", "path"} <= keys
    return False


def _is_chunk(lines: list[str]) -> bool:
    """Whether lines are a list of CHUNK operations: code may speak of those, too."""
    bare = [line.strip(" \t-{") for line in lines[:400]]
    return any(line.startswith(("op:", '"op":', "'op':")) or '"op":' in line or " op:" in line for line in bare)


def _star(line: str) -> str:
    from .markers import mark

    found = mark(line.lstrip(" \t")) if "***" in line else None
    return found.word if found is not None else ""


# ── doubts ───────────────────────────────────────────────────────────────────────────────────────


def _unclear(format: str, body: list[str], named: Named | None) -> str:
    """Why a fence under a path has two readings; "" where it has one."""
    if named is None or not named.sure:
        return ""
    path = named.path
    if format == "foreign":
        return f"the fence below {path} holds an edit in a form that isn't known"
    if format and format not in ("escaped", JSON):
        name = path.replace("\\", "/").rpartition("/")[2]
        if format in ("search-replace", CONFLICT):
            lead = takewhile(lambda line: not opener([line], 0), body)
            inner = next((said for line in lead if (said := path_on(line))), path)
            other = not inner.endswith(path) and not path.endswith(inner)
        else:
            other = path.lower().endswith(_PATCHES) and not any(name in line for line in body)
        if other:
            return f"it isn't clear whether the patch below {path} is to be carried out or written to that file"
        return ""
    if not format and _speaks_in_code(path, body):
        return f"the contents of {path} hold the marks of a patch outside of any text or comment"
    return ""


def _speaks_in_code(path: str, body: list[str]) -> bool:
    """Whether the marks of a patch stand in the code itself; in strings and comments they are content."""
    rows = [row for row, line in enumerate(body) if line[:1] in "<*=d-" and line.startswith(_SPOKEN)]
    if not rows:
        return False
    from ..syntax.languages import language_of
    from ..syntax.lexer import tokens

    language = language_of(path)
    if language is None or language.family == "xml":
        return False
    found = tokens("\n".join(body), language)
    ends = [end for _, end, _ in found]
    at, starts = 0, []
    for line in body:
        starts.append(at)
        at += len(line) + 1
    for row in rows:
        token = bisect_right(ends, starts[row])
        if token == len(found) or found[token][0] > starts[row]:
            return True
    return False


def _closes(fence: Fence, opener: Fence) -> bool:
    return fence.run.startswith(opener.run) and not fence.info and fence.indent <= opener.indent


def _word(info: str) -> str:
    return info.strip().partition(" ")[0].lower()

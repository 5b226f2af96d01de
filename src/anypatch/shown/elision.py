"""New text that leaves code out: a mark, or dots, where code stood. Seen before it is written. Pure."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import groupby

from ..diff import tagged
from ..parsing.elision import (
    begins_with_dots,
    dots_may_be_meant,
    is_dots,
    is_dotted,
    is_mark,
    is_prose,
    may_be_marks,
    may_hold_marks,
    outside_examples,
    reads_as_mark,
    resumes,
)
from ..problems import Problem
from ..syntax.languages import language_of
from ..text import depth_of, is_blank, stripped

TYPE_CHECKING = False

if TYPE_CHECKING:
    from ..match.symbol_edits import FileText
    from ..model import Merge

_FAR = 200  # lines above dots that may hold the header of their block
_LONG_LINE, _BEGINNING, _CUT = 100, 20, 15  # signs of a line that may be cut short, of what is left, of what is lost
_DEFINES = ("def ", "async def ", "class ")
_QUOTES = ('"""', "'''")


def _in_place_of_code(lines: Sequence[tuple[str, str]]) -> list[str]:
    """New comments that begin with dots where more lines of the file go than others come: they stand for these.

    -    rate = self.rate()         whatever the words are, and in whatever language
    -    return 2 * rate
    +    # ... прочий код
    """
    found: list[str] = []
    for kept, run in groupby(((tag, text) for tag, text in lines if text.strip()), lambda line: line[0] == " "):
        changed = [] if kept else list(run)
        dotted = [text.strip() for tag, text in changed if tag == "+" and begins_with_dots(text)]
        gone = sum(tag == "-" for tag, _ in changed)
        if dotted and gone > len(changed) - gone - len(dotted):
            found += dotted
    return found


def marks_in_file(page: FileText, merge: Merge) -> Problem | None:
    """A problem where a mark stands in the file itself: it may be meant as that line; and where a line is cut short.

    Between the lines that it has beside it in the file it is one either way: nothing else can be left out there.
    """
    for row in _shortened(page.lines, merge.shown):
        cut = merge.shown[row].strip()[:80]
        detail = f"`{cut}` would be written to the file instead of the line it stands for"
        return Problem("elision", detail, patch_line=merge.line_of(row), cited=cut)
    there = {line.strip(): row for row, line in enumerate(page.lines)} if merge.marks else {}
    own = [mark for row in merge.marks if (mark := merge.shown[row].strip()) in there]
    known = set(_beside(page.lines, own)) if own else set()
    mark = next((one[1] for one in _beside(merge.shown, own) if one not in known), "")
    if not mark:
        return None
    detail = f"`{mark[:80]}` is also a line of the file, and may mean that line or code that was left out"
    advice = "Use another marker for the code that is left out, or another format."
    line = there[mark] + 1
    return Problem("elision", detail, patch_line=merge.patch_line, line=line, advice=advice, cited=mark[:80])


def _beside(lines: Sequence[str], marks: list[str]) -> list[tuple[str, ...]]:
    """Lines that may be marks, each between its neighbours that aren't blank."""
    filled = ["", *filter(None, map(str.strip, lines)), ""]
    return [one for one in zip(filled, filled[1:], filled[2:], strict=False) if one[1] in marks]


def mark_in_whole(path: str, old: Sequence[str], new: Sequence[str], shown: bool = False) -> str:
    """The first line of a file's new text that leaves code out and that the old text doesn't hold; "" for none.

    `old`: empty for a new file, which may hold any mark in a string or in an example in text for people; and comments
    of dots alone, unless it is only `shown` in a fence: then a part of a file elsewhere may be meant.
    """
    text = "\n".join(new)
    if not may_hold_marks(text):
        return ""
    prose = is_prose(path)
    rows = [row for row, line in enumerate(new) if is_mark(line, prose=prose) or (not prose and resumes(line))]
    if prose and not old:
        rows = [row for row in outside_examples(new, rows, path) if new[row][:1] not in (" ", "\t")]
    if not old:
        rows = _outside_strings(path, text, [row for row in rows if shown or any(map(str.isalnum, new[row]))])
    else:
        rows += _doubtful_dots(path, old, new) + _shortened(old, new)
        if prose:
            rows += outside_examples(new, _doubtful_in_prose(old, new), path)
        if not prose and language_of(path):
            rows += [row for row in may_be_marks(new) if reads_as_mark(new[row])]
        if not prose and any(map(begins_with_dots, new)):
            dotted = _in_place_of_code(tagged(old, new))
            rows += [row for row, line in enumerate(new) if line.strip() in dotted]
    return _more_often([new[row].strip() for row in sorted(rows)], new, old)


def _shortened(old: Sequence[str], new: Sequence[str]) -> list[int]:
    """The rows of new lines that are long old ones, cut short by dots: `logo: data:image/png;base64,iVBORw0KGgo...`.

    What stands before the dots begins the old line, what stands behind them ends it.
    """
    known = set(stripped(new))
    gone = [line for line in stripped(old) if len(line) >= _LONG_LINE and line not in known]
    if not gone:
        return []
    there = set(stripped(old))
    rows: list[int] = []
    for row, line in enumerate(stripped(new)):
        dots = re.search(r"\s*(?:\.{3,}|…)[\s\])]*(?:[(\[<]?\w*truncated[)\]>]?)?", line) if line not in there else None
        if dots is None or dots.start() < _BEGINNING:
            continue
        head, tail = line[: dots.start()], line[dots.end() :]
        if any(one.startswith(head) and one.endswith(tail) and len(one) >= len(line) + _CUT for one in gone):
            rows.append(row)
    return rows


def _doubtful_in_prose(old: Sequence[str], new: Sequence[str]) -> list[int]:
    """The rows of a page's new text that in code would leave something out, where something does go.

    -For each, explain.         An example may hold such lines, too, but is mostly indented.
    -- TBD
    +# ...
    +- Foo is gone
    +// rest unchanged
    """
    known = set(stripped(new))
    if all(line in known for line in stripped(old) if line):
        return []
    return [row for row in may_be_marks(new) if _may_leave_out(new[row])]


def _may_leave_out(line: str) -> bool:
    """Whether a line of a page, read as code, leaves something out, and is neither a heading nor part of an example."""
    text = line.strip()
    worded = any(map(str.isalnum, text))
    if (text[0] == "#" and worded and not is_dotted(text)) or (line[0] in " \t" and not worded):
        return False
    return is_mark(text, bare=True) or (text[0] in "([<*_%." and reads_as_mark(text))


def _doubtful_dots(path: str, old: Sequence[str], new: Sequence[str]) -> list[int]:
    """The rows of dots alone, in a file's new text, that aren't code or text for sure."""
    rows = [row for row, line in enumerate(new) if is_dots(line)]
    if not rows:
        return rows
    if is_prose(path):
        return outside_examples(new, rows, path)
    if path.endswith((".yaml", ".yml")) and _written(new) < _written(old):
        return rows  # they may end the document, or leave the rest out
    return [row for row in rows if not dots_may_be_meant(path, new, row)]


def _written(lines: Sequence[str]) -> int:
    """How many lines aren't blank."""
    return sum(not is_blank(line) for line in lines)


def _outside_strings(path: str, text: str, rows: list[int]) -> list[int]:
    """Of some rows of a text those that begin outside of every string: a prompt in a program may hold a mark."""
    language = language_of(path) if rows else None
    if language is None:
        return rows
    from ..syntax.lexer import STRING, tokens

    spans = [(start, end) for start, end, kind in tokens(text, language) if kind == STRING]
    lines, found, offset, at = text.split("\n"), [], 0, 0
    for row in rows:
        offset += sum(len(line) + 1 for line in lines[at:row])
        at = row
        before = bisect_right(spans, (offset, len(text)))
        if not before or spans[before - 1][1] <= offset:
            found.append(row)
    return found


def _more_often(marks: list[str], new: Sequence[str], old: Sequence[str]) -> str:
    """The first of some lines that is in the new text more often than in the old; "" for none."""
    if not marks:
        return ""
    more = dict.fromkeys(marks, 0)
    for lines, by in ((new, 1), (old, -1)):
        for line in stripped(lines):
            if line in more:
                more[line] += by
    return next((mark for mark in marks if more[mark] > 0), "")


def emptied(path: str, old: Sequence[str], new: Sequence[str]) -> str:
    """The header of a function whose code in the old text is only dots in the new one, which may leave it out; or "".

    Not where such bodies are usual: stubs, protocols, abstract and overloaded methods.
    """
    if not old or not path.endswith((".py", ".pyw", ".pyx")):
        return ""
    rows = [row for row, line in enumerate(new) if is_dots(line)]
    rows = _outside_strings(path, "\n".join(new), rows)
    written: dict[str, bool] = {}
    for at, line in enumerate(old) if rows else ():
        if line.lstrip().startswith(_DEFINES):
            name = _name(line)
            written[name] = written.get(name, False) or not _is_stub(_body(old, at))
    dotted = any(map(is_dots, old))
    for row in rows:
        head = _header(new, row)
        if head < 0 or _is_abstract(new, head):
            continue
        if written.get(_name(new[head])) or (not dotted and _body(new, head) != ["..."]):
            return new[head].strip()
    return ""


def _name(header: str) -> str:
    return re.split(r"[(:\[]", header.strip(), maxsplit=1)[0].rstrip()


def _header(lines: Sequence[str], row: int) -> int:
    """The row of the `def` or `class` whose block a line stands in; -1 without one."""
    deep = depth_of(lines[row])
    for at in () if not deep else range(row - 1, max(row - _FAR, 0) - 1, -1):
        bare = lines[at].strip()
        if bare and depth_of(lines[at]) < deep and bare[0] not in ")#":
            if bare.startswith(_DEFINES):
                return at
            if not bare.endswith((",", "(", "[")):
                return -1
    return -1


def _body(lines: Sequence[str], head: int) -> list[str]:
    """The statements below a header, without its docstring, comments and blank lines."""
    deep, quoted, found = depth_of(lines[head]), "", list[str]()
    first = head
    while first < len(lines) - 1 and not lines[first].partition("  #")[0].rstrip().endswith(":"):
        first += 1
    for row in range(first + 1, len(lines)):
        line, bare = lines[row], lines[row].strip()
        if quoted:
            quoted = "" if bare.endswith(quoted) else quoted
        elif not bare or bare[0] == "#":
            continue
        elif depth_of(line) <= deep:
            break
        elif not found and bare.lstrip("rRuU")[:3] in _QUOTES:
            sign = bare.lstrip("rRuU")[:3]
            quoted = "" if bare.endswith(sign) and len(bare.lstrip("rRuU")) > 5 else sign
        elif found or bare[0] not in "\"'":
            found.append(bare)
            if len(found) > 1:
                break
    return found


def _is_stub(body: list[str]) -> bool:
    """Whether statements do nothing."""
    return not body or (len(body) == 1 and body[0].startswith(("pass", "...", "raise NotImplemented")))


def _is_abstract(lines: Sequence[str], head: int) -> bool:
    """Whether a function is declared only: decorated so, or in a class for that."""
    at = head - 1
    while at >= 0 and lines[at].strip().startswith("@"):
        if "overload" in lines[at] or "abstract" in lines[at]:
            return True
        at -= 1
    outer = _header(lines, head)
    return any(
        "Protocol" in lines[row] or "(ABC" in lines[row] or "Interface" in lines[row]
        for row in (head, outer)
        if row >= 0
    )

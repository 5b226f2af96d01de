"""A patch inside a model's answer: fences and the prose around them. Only cuts; understands no format."""

from __future__ import annotations

from functools import lru_cache
from itertools import accumulate

from ..model import Note
from ..problems import Problem
from ..record import NamedTuple
from ..text import indent_of
from .elision import dots_may_be_meant, is_dots, is_mark, is_prose, may_be_marks, may_hold_marks, outside_examples
from .paths import path_in_title, path_line, path_on
from .quotes import contradicts, is_command, is_labelled_old, is_of_language, is_output, is_shell

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..syntax.languages import Language


class Body(NamedTuple):
    """Some lines of an answer; `first` is the 1-based line of the answer that they begin with.

    `cut`: they stand in a fence that never closes.
    """

    first: int
    lines: list[str]
    fenced: bool = False
    cut: bool = False


def fences(lines: list[str]) -> list[Body]:
    """The contents of all code fences. One that never closes runs to the end."""
    found: list[Body] = []
    opened: tuple[int, str, int] | None = None
    for number, line in enumerate(lines):
        if "```" not in line and "~~~" not in line:
            continue
        mark, indent = _fence(line)
        if opened is None:
            if mark:
                opened = (number, mark, indent)
            continue
        start, opener, depth = opened
        if mark.startswith(opener) and indent <= depth and not line.strip().strip(opener[0]):
            found.append(Body(start + 2, lines[start + 1 : number], True))
            opened = None
    if opened is not None:
        found.append(Body(opened[0] + 2, lines[opened[0] + 1 :], True, True))
    return found


def prose(lines: list[str]) -> str:
    """What the answer says outside of all fences."""
    rest = list(lines)
    for body in fences(lines):
        rest[body.first - 2 : body.first + len(body.lines)] = [""] * (len(body.lines) + 2)
    return "\n".join(rest)


def bodies(text: str, lines: list[str], belongs: Callable[[str], bool]) -> list[Body]:
    """Where the lines of a text that belong to a format are: in fences, or from the first such line on."""
    fenced = fences(lines) if "```" in text or "~~~" in text else []
    inside = [body for body in fenced if any(belongs(line) for line in body.lines)]
    if inside:
        first = next(i for i, line in enumerate(lines) if belongs(line))
        if first + 1 >= inside[0].first:
            return inside
    for number, line in enumerate(lines):
        if belongs(line):
            return [Body(number + 1, lines[number:])]
    return []


def _fence(line: str) -> tuple[str, int]:
    """The run of fence characters a line begins with, and its indentation; "" for other lines."""
    bare = line.lstrip(" \t")
    for char in "`~":
        if bare.startswith(char * 3):
            return char * (len(bare) - len(bare.lstrip(char))), len(line) - len(bare)
    return "", 0


# ── fenced ──────────────────────────────────────────────────────────────────────────────────────────


_LONGER = "Put more backticks around the contents than any line in them begins with."
_TEXTS = (".txt", ".md", ".mdx", ".markdown", ".rst", ".adoc", ".csv")


class Shown(NamedTuple):
    """A file as shown: its path, where that stands and where the contents begin (1-based), what is wrong with it.

    `quote`: why it only quotes the file; `only`: as in `Write`.
    """

    path: str
    line: int
    first: int
    body: list[str]
    problem: Problem | None = None
    quote: str = ""
    only: str = ""


class Fence(NamedTuple):
    """A line that opens or closes a fence: its run of signs, its indentation, what stands behind."""

    run: str
    indent: int
    info: str


class Named(NamedTuple):
    """The path of a fence and its row; `sure`, `heading`: as on a path's line."""

    path: str
    row: int
    sure: bool
    heading: bool


class Element(NamedTuple):
    """A file in an element, and the row of its end."""

    shown: Shown
    end: int


def fence_of(line: str) -> Fence | None:
    """What a line says as a fence; None where it is none."""
    return _fence_at(line) if line.lstrip(" \t")[:3] in ("```", "~~~") else None


@lru_cache(maxsize=256)
def _fence_at(line: str) -> Fence | None:
    bare = line.lstrip(" \t")
    run = bare[: len(bare) - len(bare.lstrip(bare[0]))]
    info = bare[len(run) :].strip()
    return None if "`" in info else Fence(run, len(line) - len(bare), info)


def marks_in(path: str, body: list[str]) -> list[int]:
    """The rows of the body that stand for code left out.

    Dots alone aren't among them where they may be code, nor what stands in an example in text for people.
    """
    rows = list(_marks(path, body))
    return outside_examples(body, rows) if rows and is_prose(path) else rows


def has_marks(path: str, body: list[str]) -> bool:
    """Whether there are any."""
    return bool(marks_in(path, body)) if is_prose(path) else next(_marks(path, body), -1) >= 0


def _marks(path: str, body: list[str]) -> Iterator[int]:
    if not may_hold_marks("\n".join(body)):
        return
    prose = is_prose(path)
    known: dict[str, bool] = {}
    rows = []
    for row in may_be_marks(body):
        line = body[row]
        found = known.get(line)
        if found is None:
            found = known[line] = is_mark(line, bare=True, prose=prose)
        if found and not (is_dots(line) and dots_may_be_meant(path, body, row)):
            rows.append(row)
    content = _content_rows(path, body, rows) if rows else frozenset[int]()
    yield from (row for row in rows if row not in content)


def _content_rows(path: str, body: list[str], marks: list[int]) -> frozenset[int]:
    """The rows that begin within a text of code, or in a fence of a page: what looks like a mark there is content."""
    if path.lower().endswith((".md", ".mdx", ".markdown")):
        return frozenset(marks).difference(outside_examples(body, marks))
    from ..syntax.languages import language_of

    language = language_of(path)
    if language is None or language.family == "xml":
        return frozenset()
    return frozenset(_in_strings(body, marks, language))


def _in_strings(body: list[str], marks: list[int], language: Language) -> Iterator[int]:
    """Of rows that may be marks those inside of strings, as the text is read from the last mark on.

    # ... existing code ...          What follows a mark may begin within a string: these quotes close one,
        More of a docstring.         and the next mark isn't in it.
        "" "
        run()
    # ... existing code ...
    """
    text = "\n".join(body)
    starts = [0, *accumulate(len(line) + 1 for line in body)]
    begin, certain = 0, True  # from where it is read, and whether that is surely outside of any string
    for row in marks:
        if starts[row] < begin:
            yield row
            continue
        opened = _open_string(text, begin, starts[row], language)
        if opened and not certain and _closes(text, begin, *opened):
            begin, certain = sum(opened), True
            opened = _open_string(text, begin, starts[row], language)
        quotes = text[opened[0] : sum(opened)].lstrip(_LETTERS) if opened else ""
        end = text.find(quotes, sum(opened)) if opened else -1
        # A docstring may be left out from its second line on; then the next quotes open another one.
        if end >= 0 and _closes(text, begin, end, len(quotes)):
            begin, certain = end + len(quotes), True
            yield row
        else:
            begin, certain = starts[row + 1], False


def _open_string(text: str, begin: int, end: int, language: Language) -> tuple[int, int] | None:
    """Where a string opens that isn't closed before `end`, and how long its opening quotes are."""
    from ..syntax.lexer import STRING, tokens

    stretch = text[begin:end]
    last = next(iter(tokens(stretch, language)[-1:]), None)
    if last is None or last[2] != STRING or last[1] < len(stretch) or "\n" not in stretch[last[0] :]:
        return None
    start = begin + last[0]
    size = 1
    while text[start + size - 1].isalpha():
        size += 1
    quote = text[start + size - 1]
    return start, size + 2 * (text[start + size - 1 : start + size + 2] == 3 * quote)


def _closes(text: str, begin: int, start: int, size: int) -> bool:
    """Whether quotes that seem to open a string rather close one: nothing but brackets stands behind them."""
    line_start = max(begin, text.rfind("\n", begin, start) + 1)
    before, behind = text[line_start:start].strip(), text[start + size :].partition("\n")[0]
    above = before or text[begin:line_start].rstrip()
    return not any(map(str.isalnum, behind)) and not above.endswith((":", "(", "=", ",", "[", "{", "+", "return"))


_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def settled(files: list[Shown], problems: list[Problem], notes: list[Note]) -> list[Shown]:
    """The files without those that only quote one. Two different whole texts for one path are a problem."""
    kept: list[Shown] = []
    for shown in files:
        if shown.quote:
            notes.append(quoted(shown, shown.quote))
            continue
        other = next((one for one in kept if one.path == shown.path), None) if shown.problem is None else None
        parts = [has_marks(one.path, one.body) for one in (other, shown)] if other is not None else []
        if other is not None and not all(parts):
            if other.body != shown.body:
                detail = f"{shown.path} is shown with two different texts, in lines {other.line} and {shown.line}"
                advice = "Send the one that is meant, or edits of it."
                problems.append(Problem("bad_patch", detail, shown.path, shown.line, advice=advice))
            continue
        kept.append(shown)
    return kept


def quoted(shown: Shown, why: str) -> Note:
    """The note on a fence that was not taken for the file."""
    return Note(f"what stands below {shown.path} was read as a quote: {why}", shown.path, shown.line, kind="quote")


# ── fences ───────────────────────────────────────────────────────────────────────────────────────


def path_of(lines: list[str], row: int, fence: Fence) -> Named | None:
    """The path of a fence: in the title, or alone on the line above, with a blank one between at most."""
    title = path_in_title(fence.info) if fence.info else ""
    if title:
        return Named(title, row, True, False)
    for above in (row - 1, row - 2):
        if above >= 0 and lines[above].strip():
            found = None if fence_of(lines[above]) else path_line(lines[above])
            if found is None or (not found.sure and above and lines[above - 1].strip()):
                return None  # a word below other words is the end of a sentence
            return Named(found.path, above, found.sure, found.heading)
    return None


def end_of(lines: list[str], row: int, fence: Fence) -> int:
    """The row of the closing fence; the number of lines where there is none."""
    for end in range(row + 1, len(lines)):
        if fence.run[:3] in lines[end]:
            other = fence_of(lines[end])
            if other and other.run.startswith(fence.run) and not other.info and other.indent <= fence.indent:
                return end
    return len(lines)


def shown_in(lines: list[str], row: int, end: int, named: Named, wrappers: int) -> Shown:
    """The file whose contents stand in the fence of rows row..end."""
    path = named.path
    fence = fence_of(lines[row])
    body = _outdented(lines[row + 1 : end], indent_of(lines[row]))
    quote, only = _standing(lines, row, named, fence.info if fence else "", body)
    problem = None
    if end == len(lines):
        detail = f"the fence with the contents of {path} is opened but never closed"
        problem = Problem("truncated", detail, path, row + 1)
    elif _is_doubtful(lines, row, end, path, wrappers):
        detail = f"it isn't clear which fence ends the contents of {path}"
        problem = Problem("bad_patch", detail, path, row + 1, advice=_LONGER)
    return Shown(path, named.row + 1, row + 2, body, problem, quote, only)


def _standing(lines: list[str], row: int, named: Named, info: str, body: list[str]) -> tuple[str, str]:
    """Why a fence below a path only quotes the file, and whether it counts only for a new file, or for one there."""
    path = named.path
    if is_output(path, body):
        return "it shows what a program printed", ""
    if is_command(path, info, body):
        return "it shows commands, not contents", ""
    if is_labelled_old(lines, row, named.row):
        return "it is labelled as what is there already", ""
    word = info.partition(" ")[0]
    if contradicts(info, path, body):
        if is_shell(info) or named.heading or not named.sure:
            return f"a fence of {word} can't be {path}", ""
        return "", "new"
    if not named.sure:
        return "", "there"
    if named.heading and not is_of_language(info, path) and not _is_plain_path(path):
        return "", "there"
    return "", ""


def _is_plain_path(path: str) -> bool:
    """Whether a path under a heading needs no fence of its language: text has none, and no heading has folders."""
    name = path.rpartition("/")[2]
    return path.lower().endswith(_TEXTS) or ("/" in path and "." in name)


def _outdented(body: list[str], indent: str) -> list[str]:
    """The contents without the indentation of a fence inside a list or an indented block."""
    if indent and all(line.startswith(indent) for line in body if line.strip()):
        return [line[len(indent) :] for line in body]
    return body


def _is_doubtful(lines: list[str], row: int, end: int, path: str, wrappers: int) -> bool:
    """Whether fences in the contents may have ended them too early: the rest would be lost."""
    opener = fence_of(lines[row])
    assert opener is not None
    for line in lines[row + 1 : end]:
        inner = fence_of(line) if opener.run[:3] in line else None
        if inner and inner.info and inner.run.startswith(opener.run) and inner.indent <= opener.indent:
            return True
    behind = lines[end + 1].strip() if end + 1 < len(lines) else ""
    is_prose = not behind or fence_of(behind) is not None or path_on(behind) != ""
    if is_prose and not path.lower().endswith((".md", ".mdx", ".markdown", ".rst", ".txt")):
        return False
    return _fences_behind(lines, end) > wrappers


def _fences_behind(lines: list[str], end: int) -> int:
    """How many fences follow before the next file is shown."""
    count = 0
    for row in range(end + 1, len(lines)):
        fence = fence_of(lines[row]) if "```" in lines[row] or "~~~" in lines[row] else None
        if fence is not None:
            named = path_of(lines, row, fence)
            if named is not None and named.sure:
                break
            count += 1
    return count


# ── elements ─────────────────────────────────────────────────────────────────────────────────────


def element_path(line: str) -> str:
    """The path of an element that holds a file; "" for other lines."""
    bare = line.strip()
    return path_on(bare) if bare.startswith(("<file ", "<document ")) and bare.endswith(">") else ""


def cut_element(lines: list[str], row: int) -> Element | None:
    """A file in `<file path="…">` and `</file>`, each alone on its line."""
    path = element_path(lines[row])
    if not path or "</" in lines[row] or lines[row].rstrip().endswith("/>"):
        return None
    closing = f"</{lines[row].strip()[1:].partition(' ')[0]}>"
    stop = next((at for at in range(row + 1, len(lines)) if "<" in lines[at] and element_path(lines[at])), len(lines))
    ends = [at for at in range(row + 1, stop) if lines[at].strip() == closing]
    if not ends:
        problem = Problem("truncated", f"the contents of {path} are not closed by {closing}", path, row + 1)
        return Element(Shown(path, row + 1, row + 2, lines[row + 1 : stop], problem), stop - 1)
    body, first = lines[row + 1 : ends[0]], row + 2
    inner = fence_of(body[0]) if len(body) > 1 else None
    if inner is not None and end_of(body, 0, inner) == len(body) - 1:
        body, first = body[1:-1], first + 1
    doubt = None
    if len(ends) > 1:
        detail = f"the contents of {path} hold {closing} themselves"
        doubt = Problem("bad_patch", detail, path, row + 1, advice="Show the file in a fence instead.")
    return Element(Shown(path, row + 1, first, body, doubt), ends[-1])

"""Files shown in an answer: a path, then their contents in a fence or an element. Only cuts; touches no file."""

from __future__ import annotations

from functools import lru_cache
from itertools import islice, pairwise

from ..elision import dots_may_be_meant, is_dots, is_mark, is_prose, may_be_marks, may_hold_marks, outside_examples
from ..errors import Problem
from ..record import NamedTuple
from ..text import indent_of
from ._path_line import path_in_title, path_on

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_LONGER = "Put more backticks around the contents than any line in them begins with."
_OTHER_LANGUAGES = frozenset(("diff", "patch", "udiff", "apply_patch", "search-replace", "console", "shell-session"))
_WRAPPING = ("", "text", "txt", "plaintext", "markdown", "md", "diff", "patch")
_OTHER_MARKS = (
    "<<<<<<<",
    "*** Begin Patch",
    "*** Update File:",
    "*** Add File:",
    "=== file:",
    "diff --git ",
    "------- SEARCH",
)
_OTHER_LEADS = frozenset("<*=d-")
_CALL_KEYS = (
    "old_str",
    "old_string",
    "oldText",
    "new_string",
    "apply_patch_call",
    "file_text",
    "file_path",
    "relative_path",
    "documentChanges",
    "newText",
)


class Shown(NamedTuple):
    """A file as shown: its path, where that stands and where the contents begin (1-based), what is wrong with it."""

    path: str
    line: int
    first: int
    body: list[str]
    problem: Problem | None = None


class Fence(NamedTuple):
    """A line that opens or closes a fence: its run of signs, its indentation, what stands behind."""

    run: str
    indent: int
    info: str


def shown_files(lines: list[str]) -> Iterator[Shown]:
    """Every file that the answer shows, in order."""
    row, wrappers = 0, 0
    while row < len(lines):
        line = lines[row]
        if "```" not in line and "~~~" not in line and "<" not in line:
            row += 1
            continue
        fence = fence_of(line)
        if fence is None:
            element = _element(lines, row)
            if element is not None:
                yield element[0]
                row = element[1]
            row += 1
            continue
        path, at = _path_of(lines, row, fence)
        if path:
            end = _end(lines, row, fence)
            yield _shown(lines, row, end, (path, at, wrappers))
            row = end + 1
        elif _is_wrapper(lines, row, fence):
            wrappers += 1
            row += 1
        else:
            row = _end(lines, row, fence) + 1


def fence_of(line: str) -> Fence | None:
    """What a line says as a fence; None where it is none."""
    return _fence(line) if line.lstrip(" \t")[:3] in ("```", "~~~") else None


@lru_cache(maxsize=256)
def _fence(line: str) -> Fence | None:
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
    for row in may_be_marks(body):
        line = body[row]
        found = known.get(line)
        if found is None:
            found = known[line] = is_mark(line, bare=True, prose=prose)
        if found and not (is_dots(line) and dots_may_be_meant(path, body, row)):
            yield row


def is_other_format(body: list[str], info: str) -> bool:
    """Whether the contents of a fence are a patch in some other format, not a file."""
    if info.partition(" ")[0].lower() in _OTHER_LANGUAGES:
        return True
    if any(line.startswith(_OTHER_MARKS) for line in body if line[:1] in _OTHER_LEADS):
        return True
    head = [line for line in body[:40] if line.strip()]
    if any(a.startswith("--- ") and b.startswith("+++ ") for a, b in pairwise(head)):
        return True
    first = head[0] if head else ""
    if first.startswith("@@ "):
        return True
    text = "\n".join(body[:400])
    if "operations" in text and _is_chunk([line.strip(" \t-{") for line in body[:400]]):
        return True
    return first[:1] in ("{", "[") and any(f'"{key}"' in text for key in _CALL_KEYS)


def _is_chunk(lines: list[str]) -> bool:
    """Whether lines without their indentation are a list of CHUNK operations: code may speak of those, too."""
    return any(line.startswith(("operations:", '"operations":')) for line in lines) and any(
        line.startswith(("op: ", '"op":')) or '"op":' in line for line in lines
    )


# ── fences ───────────────────────────────────────────────────────────────────────────────────────


def _path_of(lines: list[str], row: int, fence: Fence) -> tuple[str, int]:
    """The path of a fence and its line: in the title, or alone on the line above, with a blank one between at most."""
    head = fence.info.partition(":")[0]
    if head.isdigit():
        # `12:15:src/a.py` cites lines of a file.
        return "", 0
    title = path_in_title(fence.info) if fence.info else ""
    if title:
        return title, row + 1
    for above in (row - 1, row - 2):
        if above >= 0 and lines[above].strip():
            path = "" if fence_of(lines[above]) else path_on(lines[above])
            return path, above + 1
    return "", 0


def _end(lines: list[str], row: int, fence: Fence) -> int:
    """The row of the closing fence; the number of lines where there is none."""
    for end in range(row + 1, len(lines)):
        if fence.run[:3] in lines[end]:
            other = fence_of(lines[end])
            if other and other.run.startswith(fence.run) and not other.info and other.indent <= fence.indent:
                return end
    return len(lines)


def _is_wrapper(lines: list[str], row: int, outer: Fence) -> bool:
    """Whether a fence without a path only wraps the answer: a path and a fence of its own come first in it."""
    if outer.info.lower() not in _WRAPPING or lines[row + 1 : row + 2] == [outer.run]:
        return False
    below = (at for at in range(row + 1, min(row + 12, len(lines))) if lines[at].strip())
    for number, at in enumerate(islice(below, 4)):
        inner = fence_of(lines[at])
        if _element_path(lines[at]):
            return True
        if inner is not None:
            if not inner.info and inner.run.startswith(outer.run):
                return False  # without a language and with as many signs it closes the outer one
            path, named = _path_of(lines, at, inner)
            return bool(path) and named > row + 1 and (number < 2 or _is_longer(outer, inner))
    return False


def _is_longer(outer: Fence, inner: Fence) -> bool:
    return outer.run[0] != inner.run[0] or len(outer.run) > len(inner.run)


def _shown(lines: list[str], row: int, end: int, named: tuple[str, int, int]) -> Shown:
    path, line, wrappers = named
    body = _outdented(lines[row + 1 : end], indent_of(lines[row]))
    problem = None
    if end == len(lines):
        detail = f"the fence with the contents of {path} is opened but never closed"
        problem = Problem("truncated", detail, path, row + 1)
    elif _is_doubtful(lines, row, end, path, wrappers):
        detail = f"it isn't clear which fence ends the contents of {path}"
        problem = Problem("bad_patch", detail, path, row + 1, advice=_LONGER)
    return Shown(path, line, row + 2, body, problem)


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
            if _path_of(lines, row, fence)[0]:
                break
            count += 1
    return count


# ── elements ─────────────────────────────────────────────────────────────────────────────────────


def _element_path(line: str) -> str:
    bare = line.strip()
    return path_on(bare) if bare.startswith(("<file ", "<document ")) and bare.endswith(">") else ""


def _element(lines: list[str], row: int) -> tuple[Shown, int] | None:
    """A file in `<file path="…">` and `</file>`, each alone on its line, and the row where it ends."""
    path = _element_path(lines[row]) if "<" in lines[row] else ""
    if not path or "</" in lines[row] or lines[row].rstrip().endswith("/>"):
        return None
    closing = f"</{lines[row].strip()[1:].partition(' ')[0]}>"
    stop = next((at for at in range(row + 1, len(lines)) if _element_path(lines[at])), len(lines))
    ends = [at for at in range(row + 1, stop) if lines[at].strip() == closing]
    if not ends:
        problem = Problem("truncated", f"the contents of {path} are not closed by {closing}", path, row + 1)
        return Shown(path, row + 1, row + 2, lines[row + 1 : stop], problem), stop - 1
    body, first = lines[row + 1 : ends[0]], row + 2
    inner = fence_of(body[0]) if len(body) > 1 else None
    if inner is not None and _end(body, 0, inner) == len(body) - 1:
        body, first = body[1:-1], first + 1
    doubt = None
    if len(ends) > 1:
        detail = f"the contents of {path} hold {closing} themselves"
        doubt = Problem("bad_patch", detail, path, row + 1, advice="Show the file in a fence instead.")
    return Shown(path, row + 1, first, body, doubt), ends[-1]

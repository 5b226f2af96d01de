"""What becomes of an edit that an agent is about to make with a tool of its own: mended, denied, or left alone.

Only the files that the call names are read, and nothing is written. A call is mended only if the client's own rule,
which is carried out here first, makes of the mended call what the plan says, to the letter.

    Edit old_string="  x = 1\\n  return x"      the file has four blanks: the client would not find it
    → the same call with the lines as they stand in the file, and the new ones indented alike
"""

from __future__ import annotations

import os
from stat import S_ISREG
from typing import TYPE_CHECKING, NamedTuple

from .answer.dialects import keys_of, plain, verb_by_keys, verb_of
from .answer.marks import marks_in, may_hold_marks
from .diff import trimmed
from .limits import Limits
from .match.guards import loses_most
from .model import paths_of
from .problems import Problem, Refused

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from .result import Result

FIXED, DENIED = "fixed", "denied"
_MOST = Limits().file_bytes
# What would be lost without a word, or go to one of several places unasked.
_HARM = ("elision", "would_shrink", "ambiguous", "file_exists")
_TWICE = "To overwrite the file anyway, make exactly the same call again."


class Request(NamedTuple):
    """A call that is about to be made. `client`: whose it is, by the words of its event."""

    client: str
    tool: str
    input: dict[str, Any]
    cwd: str

    def key(self, field: str) -> str:
        """The key under which a field stands, "" where it isn't there."""
        known = keys_of(field)
        return next((key for key, value in self.input.items() if plain(key) in known and value is not None), "")

    def text(self, field: str) -> str:
        """A field that is a text; "" where it is none."""
        value = self.input.get(self.key(field))
        return value if isinstance(value, str) else ""


class Verdict(NamedTuple):
    """What is done about a call: `input` is the mended one; `why` goes to the model, or into the log.

    `insisting`: made once more, the call is let through.
    """

    did: str
    path: str
    why: str
    input: dict[str, Any] | None = None
    insisting: bool = False


def judged(request: Request) -> Verdict | None:
    """The verdict on a call; None where it is left alone."""
    verb = verb_of(request.tool) or verb_by_keys({plain(key) for key in request.input})
    judge = _JUDGES.get(verb)
    try:
        return judge(request) if judge else None
    except Refused:  # a path that no patch may touch: the client's own permissions are asked
        return None


# ── text for text ────────────────────────────────────────────────────────────────────────────────


def exact(text: str, edits: list[tuple[str, str, bool]]) -> str | None:
    """What tools that replace text to the letter make of it, edit by edit; None where they would refuse."""
    for old, new, everywhere in edits:
        count = text.count(old) if old else 0
        if not count or old == new or (count > 1 and not everywhere):
            return None
        text = text.replace(old, new)
    return text


def replacement(before: str, after: str) -> tuple[str, str]:
    """The one stretch of whole lines in which two texts differ, with as many lines around it as make it unique."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    first, last, _, _ = trimmed(old, new)
    while True:
        stretch = "".join(old[first:last])
        if (stretch and before.count(stretch) == 1) or (first == 0 and last == len(old)):
            return stretch, "".join(new[first : len(new) - len(old) + last])
        first, last = max(first - 1, 0), min(last + 1, len(old))


def _edit(request: Request) -> Verdict | None:
    path = request.text("path")
    file = _Text.read(request)
    listed = request.input.get(request.key("edits")) if request.key("edits") else [request.input]
    calls = [request._replace(input=one) for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    edits = [(c.text("old"), c.text("new"), bool(c.input.get(c.key("all")))) for c in calls]
    if file is None or not edits or not all(old and old != new for old, new, _ in edits):
        return None
    plainly = exact(file.flat, [(_flat(old), _flat(new), everywhere) for old, new, everywhere in edits])
    if plainly is not None and not any(may_hold_marks(new) for _, new, _ in edits):
        return None
    said = [{"old_string": old, "new_string": new, "replace_all": everywhere} for old, new, everywhere in edits]
    report = _planned({"name": "MultiEdit", "input": {"file_path": file.name, "edits": said}}, {file.name: file})
    if plainly is not None:
        return _denied(path, report) if _kinds(report) & {"elision"} else None
    after = file.after(report)
    if after is None:
        return None
    old, new = replacement(file.flat, after)
    # Without its last line end a text that goes takes the next line end with it in some clients; and a mark at the
    # very beginning of the file is a character of the text to some, not to others.
    if exact(file.flat, [(old, new, False)]) != after or not (new or old.endswith("\n")) or old.startswith("\ufeff"):
        return None
    mended: dict[str, Any] = dict(request.input)
    if edits_key := request.key("edits"):
        mended[edits_key] = [{calls[0].key("old"): old, calls[0].key("new"): new}]
    else:
        mended |= {request.key("old"): old, request.key("new"): new}
        mended = {key: value for key, value in mended.items() if key != request.key("all") or value is False}
    return Verdict(FIXED, path, _how(report), mended)


class _Text(NamedTuple):
    """The file that a call names: its bytes, its text with all line ends as LF, and whether they were CRLF."""

    name: str
    data: bytes
    flat: str
    crlf: bool

    @classmethod
    def read(cls, request: Request) -> _Text | None:
        """The file; None where there is none, or clients don't agree on what its text is."""
        path = os.path.join(request.cwd, os.path.expanduser(request.text("path")))
        try:
            fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)  # a pipe would keep the agent waiting
            with open(fd, "rb") as file:
                if not S_ISREG(os.fstat(fd).st_mode):
                    return None
                data = file.read(_MOST + 1)
            text = data.decode("utf-8")
        except (OSError, ValueError):
            return None
        flat = _flat(text)
        crlf = "\r" in text
        if len(data) > _MOST or "\r" in flat or "\0" in flat or (crlf and flat.replace("\n", "\r\n") != text):
            return None
        return cls(os.path.basename(path), data, flat, crlf)

    def after(self, report: Result) -> str | None:
        """The text that a plan gives; None where it gives none, or one that a client would write otherwise."""
        if not report.ok or len(report.plan.changes) != 1 or report.plan.changes[0].after is None:
            return None
        data = report.plan.changes[0].after.data
        flat = _flat(data.decode("utf-8", "surrogateescape"))
        again = flat.replace("\n", "\r\n") if self.crlf else flat
        return flat if again.encode("utf-8", "surrogateescape") == data and flat != self.flat else None


def _flat(text: str) -> str:
    return text.replace("\r\n", "\n")


# ── whole files ──────────────────────────────────────────────────────────────────────────────────


def _write(request: Request) -> Verdict | None:
    """A whole file: one that stands for a part of the file that is there is made whole, or denied."""
    path, content = request.text("path"), request.text("content")
    file = _Text.read(request)
    if file is None or not content.strip() or not file.flat.strip() or _flat(content) == file.flat:
        return None
    if may_hold_marks(content):
        said = {"name": "Write", "input": {"file_path": file.name, "content": content}}
        if "elision" in _kinds(_planned(said, {file.name: file})):
            return _filled_in(request, file, content)
    elif content.count("\n") >= file.flat.count("\n"):
        return None  # a part has fewer lines
    if not loses_most(file.flat, content):
        return None
    counts = file.flat.count("\n"), content.count("\n")
    detail = f"{file.name} has {counts[0]} lines and would have {counts[1]}: is only part of it shown?"
    return _denied(path, Problem("would_shrink", detail, file.name), insisting=True)


def _filled_in(request: Request, file: _Text, content: str) -> Verdict:
    """A text with marks for what it leaves out: with that filled in, where it has one place, else denied."""
    from .formats.whole_file.write import fenced

    body = fenced(content.removesuffix("\n").split("\n"))
    report = _planned(f"{file.name}\n{body}", {file.name: file}, "elided")
    after = file.after(report)
    if after is not None:
        filled = request.input | {request.key("content"): after}
        return Verdict(FIXED, request.text("path"), "the code that its marks leave out was filled in", filled)
    part = Problem("would_shrink", f"the new text is only part of {file.name}")
    return _denied(request.text("path"), report if _kinds(report) & {*_HARM} else part, insisting=True)


def _notebook(request: Request) -> Verdict | None:
    """A cell: one that is told by its number gets the name that the client knows it by."""
    from json import loads

    file, path, source = _Text.read(request), request.text("path"), request.text("source")
    if file is None:
        return None
    lines = source.split("\n")
    marks = marks_in("cell.py", lines)
    if marks:
        detail = f"`{lines[marks[0]].strip()}` would be written to the cell instead of the code it stands for"
        return _denied(path, Problem("elision", detail, file.name))
    said = {"name": "NotebookEdit", "input": request.input | {request.key("path"): file.name}}
    after = file.after(_planned(said, {file.name: file}))
    if after is None or request.key("cell"):
        return None
    cells, changed = loads(file.flat)["cells"], loads(after)["cells"]
    rows = [row for row, (one, other) in enumerate(zip(cells, changed, strict=False)) if one != other]
    if len(rows) != 1 or len(cells) != len(changed):
        return None
    name = str(cells[rows[0]].get("id", f"cell-{rows[0]}"))
    return Verdict(FIXED, path, "the cell by its name", request.input | {"cell_id": name})


# ── patches ──────────────────────────────────────────────────────────────────────────────────────


def _patch(request: Request) -> Verdict | None:
    """A patch as Codex applies it: to the first place that fits, if need be only without its indentation."""
    from .api import read
    from .author.make import make

    key = request.key("command") or request.key("diff")
    text = request.input.get(key)
    if not isinstance(text, str):
        return None
    files = {}
    for op in read(text, "begin-patch").ops:
        for path in paths_of(op):
            file = _Text.read(request._replace(input={"path": path})) if path else None
            if file is not None:
                files[path] = file
    flat = {path: file.flat for path, file in files.items()}
    plainly = codex_applied(text, flat)
    report = _planned(text, files, "begin-patch")
    listed = ", ".join(files)
    if not report.ok:
        return _denied(listed, report) if plainly is not None and _kinds(report) <= {*_HARM} else None
    if any(file.crlf for file in files.values()):
        return None
    after: dict[str, str] = dict(flat)
    for change in report.plan.changes:
        if change.after is None:
            del after[change.path]
        else:
            after[change.path] = change.after.data.decode("utf-8", "surrogateescape")
    if after in (plainly, flat):
        return None
    mended = make(flat, after, "begin-patch").removesuffix("\n")
    if codex_applied(mended, flat) != after:
        return None
    return Verdict(FIXED, listed, _how(report), request.input | {key: mended})


# ── the rule by which Codex applies a patch, as its own source has it ────────────────────────────

# Each chunk is looked for below the one before it, first to the letter, then without white space at line ends, then
# without any at both ends, then with plain quotes and dashes; the first place is taken, whatever else fits. Lines that
# are kept stay as the file has them. The program itself is compared in tests/clients.

_PLAIN = str.maketrans(
    {**dict.fromkeys("‐‑‒–—―−", "-"), **dict.fromkeys("‘’‚‛", "'"), **dict.fromkeys("“”„‟", '"')}
    | dict.fromkeys("\u00a0\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000", " ")
)
_RULES = (str, str.rstrip, str.strip, lambda line: line.strip().translate(_PLAIN))
_ADD, _DELETE, _UPDATE, _MOVE = "*** Add File: ", "*** Delete File: ", "*** Update File: ", "*** Move to: "


class _Chunk(NamedTuple):
    context: str
    lines: list[tuple[str, str]]
    at_end: bool

    @property
    def old(self) -> list[str]:
        """The lines that are looked for."""
        return [text for sign, text in self.lines if sign != "+"]


def codex_applied(patch: str, files: Mapping[str, str]) -> dict[str, str] | None:
    """The files after a patch; None where Codex would refuse it."""
    lines = [line.removesuffix("\r") for line in patch.strip().split("\n")]
    if lines[0].strip() != "*** Begin Patch" or lines[-1].strip() != "*** End Patch":
        return None
    after, row = dict(files), 1
    while row < len(lines) - 1:
        head, row = lines[row].strip(), row + 1
        if head.startswith(_ADD):
            added = []
            while row < len(lines) - 1 and lines[row].startswith("+"):
                added.append(lines[row][1:] + "\n")
                row += 1
            after[head.removeprefix(_ADD)] = "".join(added)
        elif head.startswith(_DELETE):
            if after.pop(head.removeprefix(_DELETE), None) is None:
                return None
        elif head.startswith(_UPDATE):
            path = to = head.removeprefix(_UPDATE)
            if lines[row].startswith(_MOVE):
                to, row = lines[row].removeprefix(_MOVE).strip(), row + 1
            chunks, row = _chunks(lines, row)
            text = _updated(after.pop(path), chunks) if chunks and path in after else None
            if text is None:
                return None
            after[to] = text
        else:
            return None
    return after


def _chunks(lines: list[str], row: int) -> tuple[list[_Chunk], int]:
    """The chunks of an update, none where one can't be read, and the row behind them."""
    found: list[_Chunk] = []
    while row < len(lines) - 1 and not lines[row].startswith("*"):
        if not lines[row].strip():
            row += 1
            continue
        context, tagged, at_end = "", [], False
        if lines[row].rstrip() == "@@" or lines[row].startswith("@@ "):
            context, row = lines[row][3:], row + 1
        elif found:
            return [], row
        begin = row
        while row < len(lines) - 1 and not at_end:
            line = lines[row]
            if line == "*** End of File" and row > begin:
                at_end = True
            elif not line or line[0] in " -+":
                tagged.append((line[0], line[1:]) if line else (" ", ""))
            elif row == begin:
                return [], row
            else:
                break
            row += 1
        if row == begin:
            return [], row
        found.append(_Chunk(context, tagged, at_end))
    return found, row


def _updated(text: str, chunks: list[_Chunk]) -> str | None:
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    places: list[tuple[int, int, list[str]]] = []
    begin = 0
    for chunk in chunks:
        if chunk.context:
            at = _sought(lines, [chunk.context], begin, False)
            if at is None:
                return None
            begin = at + 1
        if not chunk.old:
            places.append((len(lines), 0, [text for _, text in chunk.lines]))
            continue
        at = _sought(lines, chunk.old, begin, chunk.at_end)
        if at is None and chunk.old[-1] == "":
            chunk = chunk._replace(lines=_without_last(chunk.lines))  # noqa: PLW2901
            at = _sought(lines, chunk.old, begin, chunk.at_end)
        if at is None:
            return None
        places.append((at, len(chunk.old), _new(lines, at, chunk.lines)))
        begin = at + len(chunk.old)
    for at, count, new in sorted(places, key=lambda place: place[0], reverse=True):
        lines[at : at + count] = new
    return "\n".join(lines if lines and lines[-1] == "" else [*lines, ""])


def _without_last(tagged: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """The lines of a chunk without the blank one that its old, and if need be its new lines end with."""
    last = max(row for row, (sign, _) in enumerate(tagged) if sign != "+")
    gone = {last} if tagged[last][0] == " " else {last, *([len(tagged) - 1] if tagged[-1] == ("+", "") else [])}
    return [one for row, one in enumerate(tagged) if row not in gone]


def _new(lines: list[str], at: int, tagged: list[tuple[str, str]]) -> list[str]:
    """What comes in the place of a chunk's old lines: what is kept, as the file has it."""
    new = []
    for sign, text in tagged:
        if sign == "+":
            new.append(text)
            continue
        new += [lines[at]] if sign == " " else []
        at += 1
    return new


def _sought(lines: list[str], wanted: list[str], begin: int, at_end: bool) -> int | None:
    if not wanted:
        return begin
    first = len(lines) - len(wanted) if at_end and len(lines) >= len(wanted) else begin
    for rule in _RULES:
        asked, there = [rule(line) for line in wanted], [rule(line) for line in lines]
        for at in range(first, len(lines) - len(wanted) + 1):
            if there[at : at + len(wanted)] == asked:
                return at
    return None


# ── planning ─────────────────────────────────────────────────────────────────────────────────────


def _planned(call: dict[str, Any] | str, files: Mapping[str, _Text], format: str = "json-edits") -> Result:
    """The report on a call for some files alone. What would not parse any more isn't worth mending."""
    from .api import Wish, planned_report
    from .tree import MemoryTree

    tree = MemoryTree({path: file.data for path, file in files.items()})
    return planned_report(call, tree, Wish(syntax="refuse", corrections=False), format)


def _kinds(report: Result) -> set[str]:
    return {problem.kind for problem in report.problems}


def _denied(path: str, why: Result | Problem, *, insisting: bool = False) -> Verdict:
    from .report import for_model
    from .result import no_plan

    told = for_model(no_plan(why) if isinstance(why, Problem) else why, 60)
    return Verdict(DENIED, path, f"{told}\n{_TWICE}" if insisting else told, insisting=insisting)


def _how(report: Result) -> str:
    """By which leniencies the places were found."""
    how = dict.fromkeys(splice.how for outcome in report.plan.outcomes for splice in outcome.splices)
    return f"found by {', '.join(one for one in how if one)}" if any(how) else "found"


_JUDGES: dict[str, Callable[[Request], Verdict | None]] = {
    "edit": _edit,
    "write": _write,
    "create": _write,
    "notebook": _notebook,
    "diff": _patch,
    "patch": _patch,
    "shell": lambda request: _patch(request) if request.tool == "apply_patch" else None,
}

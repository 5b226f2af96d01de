"""Decide what to do about a tool call: plan the same edit, and compare with what the client's own rule would do.

A call is fixed only if the client's rule, carried out here first, turns the fixed call into exactly the planned text:

    Edit old_string="  x = 1\\n  return x"      the file has four spaces, so the client would not find it
    → the same call with the file's own lines, and the new lines indented to match

A call may also be for the file as the model has read it, while somebody has changed it since. Then it is planned on
that text, and merged. Only the files that the call names are read; nothing is written.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import partial
from stat import S_ISREG
from typing import Any, NamedTuple

from ..answer.dialects import plain, verb_by_keys, verb_of
from ..answer.marks import marks_in, may_hold_marks
from ..answer.read import read
from ..answer.unwrap import as_text
from ..author.make import make
from ..diff import trimmed
from ..formats.whole_file.write import fenced
from ..limits import Limits
from ..match.guards import loses_most
from ..model import paths_of
from ..pipeline import ApplyOptions, read_and_apply
from ..problems import Problem, Refused
from ..report.models import for_model
from ..result import Result, no_plan
from ..tree import MemoryTree, TreeBefore
from .clients import DENIED, FIXED, ToolCall, Verdict
from .codex import apply_like_codex

# Code would be lost without a word, or an edit would go to one of several places.
_HARM = {"elision", "would_shrink", "ambiguous", "file_exists"}
_MAX_BYTES = Limits().file_bytes
_MERGED = "merged with what has changed in the file since it was read"
_REPEAT = "To overwrite the file anyway, make exactly the same call again."


class SeenText(NamedTuple):
    """The text of a file as the model knew it last. `is_current`: nothing that the model knows of changed it since."""

    text: str
    is_current: bool


LastSeen = Callable[[str], SeenText | None]  # given an absolute path


def decide(call: ToolCall, last_seen: LastSeen = lambda _: None) -> Verdict | None:
    """Return the verdict on a call, or None to leave it alone. `last_seen` is asked if the file may have changed."""
    verb = verb_of(call.tool) or verb_by_keys({plain(key) for key in call.input})
    rule = _RULES.get(verb)
    try:
        return rule(call, last_seen) if rule else None
    except Refused:  # a path that no patch may touch: leave it to the client's own permissions
        return None


# ── the file that a call names ────────────────────────────────────────────────────────────────────


class TargetFile(NamedTuple):
    """The file that a call names. `text` has LF line endings; `crlf`: in the file they are all CRLF."""

    path: str
    data: bytes
    text: str
    crlf: bool

    @property
    def name(self) -> str:
        """Its name without folders."""
        return os.path.basename(self.path)

    @classmethod
    def read(cls, path: str, cwd: str) -> TargetFile | None:
        """Read a file. Return None if there is none, or if clients disagree on what its text is."""
        path = os.path.join(cwd, os.path.expanduser(path))
        try:
            fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)  # don't wait for the writer of a pipe
            with open(fd, "rb") as file:
                if not S_ISREG(os.fstat(fd).st_mode):
                    return None
                data = file.read(_MAX_BYTES + 1)
            raw = data.decode("utf-8")
        except (OSError, ValueError):
            return None
        text = without_cr(raw)
        crlf = "\r" in raw
        if len(data) > _MAX_BYTES or "\r" in text or "\0" in text or (crlf and text.replace("\n", "\r\n") != raw):
            return None
        return cls(os.path.normpath(path), data, text, crlf)

    def after(self, report: Result) -> str | None:
        """Return the text that a plan gives this file, or None if it gives none or a client would write other bytes."""
        if not report.ok or len(report.plan.changes) != 1 or report.plan.changes[0].after is None:
            return None
        data = report.plan.changes[0].after.data
        text = without_cr(data.decode("utf-8", "surrogateescape"))
        written = text.replace("\n", "\r\n") if self.crlf else text
        return text if written.encode("utf-8", "surrogateescape") == data and text != self.text else None


def _text_seen(file: TargetFile, last_seen: LastSeen, *, only_current: bool = False) -> str | None:
    """Return the file's text as the model saw it last; None if that isn't known, or is the same."""
    seen = last_seen(file.path)
    if seen is None or (only_current and not seen.is_current):
        return None
    text = without_cr(seen.text)
    if file.text.endswith("\n") and not text.endswith("\n"):  # some transcripts don't tell
        text += "\n"
    return None if text == file.text else text


def without_cr(text: str) -> str:
    """Return the text with LF in place of CRLF."""
    return text.replace("\r\n", "\n")


# ── text replaced by text ────────────────────────────────────────────────────────────────────────


class Replacement(NamedTuple):
    """One replacement of a string: the only occurrence, or all of them if `everywhere`."""

    old: str
    new: str
    everywhere: bool = False


def replace_exactly(text: str, edits: list[Replacement]) -> str | None:
    """Return what tools that search for exact text make of it, edit by edit, or None if they would refuse."""
    for old, new, everywhere in edits:
        count = text.count(old) if old else 0
        if not count or old == new or (count > 1 and not everywhere):
            return None
        text = text.replace(old, new)
    return text


def _decide_edit(call: ToolCall, last_seen: LastSeen) -> Verdict | None:
    path, edits = call.text("path"), replacements(call)
    file = TargetFile.read(path, call.cwd)
    if file is None or not edits:
        return None
    lf_edits = [Replacement(without_cr(old), without_cr(new), everywhere) for old, new, everywhere in edits]
    client_accepts = replace_exactly(file.text, lf_edits) is not None
    if client_accepts and not any(may_hold_marks(edit.new) for edit in edits):
        return None
    strings = [{"old_string": old, "new_string": new, "replace_all": everywhere} for old, new, everywhere in edits]
    answer, files = {"name": "MultiEdit", "input": {"file_path": file.name, "edits": strings}}, {file.name: file}
    if client_accepts:
        report = _plan(answer, files)
        return _deny(path, report) if "elision" in report.kinds else None
    seen = _text_seen(file, last_seen)
    reports = (
        [_plan(answer, files)] if seen is None else [_plan(answer, files, seen={file.name: seen}), _plan(answer, files)]
    )
    for report in reports:
        if fixed := _fixed_edit(file, report):
            why = _how_found(report) if report is reports[-1] else _MERGED
            return Verdict(FIXED, path, why, _with_replacement(call, fixed))
    return _deny(path, reports[0]) if "merge_conflict" in reports[0].kinds else None


def replacements(call: ToolCall) -> list[Replacement]:
    """Return the edits of a call, or [] if one of them changes nothing."""
    edits = [
        Replacement(part.text("old"), part.text("new"), bool(part.input.get(part.key("all"))))
        for part in _edit_parts(call)
    ]
    return edits if all(edit.old and edit.old != edit.new for edit in edits) else []


def _edit_parts(call: ToolCall) -> list[ToolCall]:
    """Return the edits of a call that holds a list of them, each as a call of its own; else the call itself."""
    if not call.key("edits"):
        return [call]
    listed = call.input[call.key("edits")]
    return [call._replace(input=part) for part in listed if isinstance(part, dict)] if isinstance(listed, list) else []


def _with_replacement(call: ToolCall, fixed: Replacement) -> dict[str, Any]:
    """Return the input of a call with this one edit in place of its own."""
    part = _edit_parts(call)[0]
    old_new = {part.key("old"): fixed.old, part.key("new"): fixed.new}
    if edits_key := call.key("edits"):
        return call.input | {edits_key: [old_new]}
    everywhere_key = call.key("all")
    return {key: value for key, value in call.input.items() if key != everywhere_key or value is False} | old_new


def _fixed_edit(file: TargetFile, report: Result) -> Replacement | None:
    """Return the one replacement that makes the planned text by the client's rule, or None if there is none."""
    after = file.after(report)
    if after is None:
        return None
    fixed = unique_replacement(file.text, after)
    if replace_exactly(file.text, [fixed]) != after:
        return None
    # Some clients delete the newline after a deleted text; to some a BOM is part of the text, to others it isn't.
    unclear = not (fixed.new or fixed.old.endswith("\n")) or fixed.old.startswith("\ufeff")
    return None if unclear else fixed


def unique_replacement(before: str, after: str) -> Replacement:
    """Return the lines in which two texts differ, with as many lines around them as make the old ones unique."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    first, last, _, _ = trimmed(old, new)
    while True:
        lines = "".join(old[first:last])
        if (lines and before.count(lines) == 1) or (first == 0 and last == len(old)):
            return Replacement(lines, "".join(new[first : len(new) - len(old) + last]))
        first, last = max(first - 1, 0), min(last + 1, len(old))


# ── whole files ──────────────────────────────────────────────────────────────────────────────────


def _decide_write(call: ToolCall, last_seen: LastSeen) -> Verdict | None:
    """Complete or deny a new text that is only a part of the existing file, or would undo what it has since."""
    path, content = call.text("path"), call.text("content")
    file = TargetFile.read(path, call.cwd)
    if file is None or not content.strip() or not file.text.strip() or without_cr(content) == file.text:
        return None
    if may_hold_marks(content):
        write = {"name": "Write", "input": {"file_path": file.name, "content": content}}
        if "elision" in _plan(write, {file.name: file}).kinds:
            return _fill_in(call, file, content)
    if (seen := _text_seen(file, last_seen, only_current=True)) is not None:
        return _merge_write(call, file, content, seen)
    if content.count("\n") >= file.text.count("\n") or not loses_most(file.text, content):
        return None  # a part has fewer lines
    counts = file.text.count("\n"), content.count("\n")
    detail = f"{file.name} has {counts[0]} lines and would have {counts[1]}: is only part of it shown?"
    return _deny(path, Problem("would_shrink", detail, file.name), once=True)


def _merge_write(call: ToolCall, file: TargetFile, content: str, seen: str) -> Verdict | None:
    """Keep what somebody has changed in a file since the model saw it; deny the call once if that conflicts."""
    write = {"name": "Write", "input": {"file_path": file.name, "content": content}}
    report = _plan(write, {file.name: file}, seen={file.name: seen})
    if "merge_conflict" in report.kinds:
        return _deny(call.text("path"), report, once=True)
    after = file.after(report)
    if after is None or after == without_cr(content):
        return None
    return Verdict(FIXED, call.text("path"), _MERGED, call.input | {call.key("content"): after})


def _fill_in(call: ToolCall, file: TargetFile, content: str) -> Verdict:
    """Replace the marks for left-out code with that code if its place is clear; else deny the call."""
    body = fenced(content.removesuffix("\n").split("\n"))
    report = _plan(f"{file.name}\n{body}", {file.name: file}, "elided")
    after = file.after(report)
    if after is not None:
        filled = call.input | {call.key("content"): after}
        return Verdict(FIXED, call.text("path"), "the code that its marks leave out was filled in", filled)
    is_part = Problem("would_shrink", f"the new text is only part of {file.name}")
    return _deny(call.text("path"), report if _HARM & {*report.kinds} else is_part, once=True)


def _decide_notebook(call: ToolCall, _: LastSeen) -> Verdict | None:
    """Deny a cell that has a mark for left-out code."""
    path, lines = call.text("path"), call.text("source").split("\n")
    marks = marks_in("cell.py", lines)
    if not marks:
        return None
    detail = f"`{lines[marks[0]].strip()}` would be written to the cell instead of the code it stands for"
    return _deny(path, Problem("elision", detail, os.path.basename(path)))


# ── patches ──────────────────────────────────────────────────────────────────────────────────────


def _decide_patch(call: ToolCall, last_seen: LastSeen) -> Verdict | None:
    """Fix or deny a patch for Codex, which takes the first place that fits and adds new lines as they are."""
    key = call.key("command") or call.key("diff")
    text = call.input.get(key)
    if not isinstance(text, str):
        return None
    files = _files_of_patch(text, call.cwd)
    before = {path: file.text for path, file in files.items()}
    as_codex = apply_like_codex(text, before)
    report, why = _plan_patch(text, files, last_seen, is_taken=as_codex is not None)
    listed = ", ".join(files)
    if not report.ok:
        is_harm = as_codex is not None and {*report.kinds} <= _HARM
        return _deny(listed, report) if is_harm or "merge_conflict" in report.kinds else None
    after = _texts_after(before, report)
    if any(file.crlf for file in files.values()) or after in (as_codex, before):
        return None
    fixed = make(before, after, "begin-patch").removesuffix("\n")
    if apply_like_codex(fixed, before) != after:
        return None
    return Verdict(FIXED, listed, why or _how_found(report), call.input | {key: fixed})


def _plan_patch(
    text: str, files: Mapping[str, TargetFile], last_seen: LastSeen, *, is_taken: bool
) -> tuple[Result, str]:
    """Plan a patch; if nobody takes it, on the files as the model saw them. Return what to say of a merge."""
    report = _plan(text, files, "begin-patch")
    if report.ok or is_taken:
        return report, ""
    seen = {path: old for path, file in files.items() if (old := _text_seen(file, last_seen)) is not None}
    merged = _plan(text, files, "begin-patch", seen) if seen else report
    return (merged, _MERGED) if merged.ok or "merge_conflict" in merged.kinds else (report, "")


def _files_of_patch(text: str, cwd: str) -> dict[str, TargetFile]:
    paths = dict.fromkeys(path for op in read(text, "begin-patch").ops for path in paths_of(op) if path)
    return {path: file for path in paths if (file := TargetFile.read(path, cwd)) is not None}


def _texts_after(before: Mapping[str, str], report: Result) -> dict[str, str]:
    after = dict(before)
    for change in report.plan.changes:
        if change.after is None:
            del after[change.path]
        else:
            after[change.path] = change.after.data.decode("utf-8", "surrogateescape")
    return after


_RULES: dict[str, Callable[[ToolCall, LastSeen], Verdict | None]] = {
    "edit": _decide_edit,
    "write": _decide_write,
    "create": _decide_write,
    "notebook": _decide_notebook,
    "diff": _decide_patch,
    "patch": _decide_patch,
    "shell": lambda call, last_seen: _decide_patch(call, last_seen) if call.tool == "apply_patch" else None,
}


# ── planning ─────────────────────────────────────────────────────────────────────────────────────


def _plan(
    answer: dict[str, Any] | str,
    files: Mapping[str, TargetFile],
    format: str = "json-edits",
    seen: Mapping[str, str] | None = None,
) -> Result:
    """Plan an edit of these files alone, as they were `seen`. A result that no longer parses isn't worth a fix."""
    tree = MemoryTree({path: file.data for path, file in files.items()})
    base = partial(TreeBefore, before=MemoryTree(seen)) if seen else None
    return read_and_apply(as_text(answer), tree, ApplyOptions(syntax="refuse", corrections=False, base=base), format)


def _deny(path: str, why: Result | Problem, *, once: bool = False) -> Verdict:
    words = for_model(no_plan(why) if isinstance(why, Problem) else why, 60)
    return Verdict(DENIED, path, f"{words}\n{_REPEAT}" if once else words, once=once)


def _how_found(report: Result) -> str:
    """Return the leniencies that found the places."""
    levels = dict.fromkeys(splice.how for outcome in report.plan.outcomes for splice in outcome.splices)
    return f"found by {', '.join(level for level in levels if level)}" if any(levels) else "found"

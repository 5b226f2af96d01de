"""A report as a row of results: plain values, the diff as git applies it, a hash of the changed files."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from io import StringIO
from typing import Any

from ..diff import NO_FINAL_EOL, hunks
from ..formats.unified.names import written
from ..model import File, FileChange
from ..problems import Problem
from ..report.json import action, problem_json
from ..result import Result
from ..text import decode, looks_binary

ResultRow = dict[str, Any]


def result_row(report: Result) -> ResultRow:
    """Return a report as a row, without its ID and time."""
    done = report.ok or report.partial
    changes = sorted(change for change in report.plan.changes if change.before != change.after) if done else []
    diffs = [_file_diff(change) for change in changes]
    return {
        "ok": report.ok,
        "status": report.status,
        "partial": report.partial,
        "format": report.plan.patch.format or None,
        "levels": _levels(report) if done else [],
        "problems": [_problem(problem) for problem in report.problems],
        "changed": [_changed(change, lines) for change, lines in zip(changes, diffs, strict=True)],
        "diff": "".join(f"{line}\n" for lines in diffs for line in lines) if done else None,
        "hash": result_hash(changes) if done else None,
        "corrected": _corrected(report.problems),
    }


def _levels(report: Result) -> list[str]:
    levels = dict.fromkeys(splice.how for outcome in report.plan.outcomes for splice in outcome.splices)
    return [level for level in levels if level]


def _problem(problem: Problem) -> dict[str, object]:
    return {
        key: value
        for key, value in problem_json(problem).items()
        if key in ("kind", "path", "patch_line", "line", "message")
    }


def _corrected(problems: Sequence[Problem]) -> str | None:
    """Return the edits that would fit, if each problem has exactly one."""
    corrections = [problem.corrected for problem in problems]
    if not corrections or any(len(choices) != 1 for choices in corrections):
        return None
    return "\n\n".join(dict.fromkeys(choices[0].text for choices in corrections))


def _changed(change: FileChange, diff: list[str]) -> dict[str, object]:
    hunk_lines = next((diff[row:] for row, line in enumerate(diff) if line.startswith("@@")), [])
    added, removed = (sum(line.startswith(sign) for line in hunk_lines) for sign in "+-")
    return {"path": change.path, "action": action(change), "added": added, "removed": removed}


def result_hash(changes: Sequence[FileChange]) -> str:
    """Return a hash of the changed files as they are now: the same for all answers that do the same."""
    total = sha256()
    for path, _, after in changes:
        content = f"{after.mode:o} {sha256(after.data).hexdigest()}" if after else "gone"
        total.update(f"{path}\0{content}\n".encode("utf-8", "surrogateescape"))
    return f"sha256:{total.hexdigest()}"


# ── diffs ────────────────────────────────────────────────────────────────────────────────────────


def _file_diff(change: FileChange) -> list[str]:
    """Return a change as `git apply` takes it, byte for byte, whatever format the answer was in."""
    path, before, after = change
    old, new = written(f"a/{path}"), written(f"b/{path}")
    lines = [f"diff --git {old} {new}"]
    if before and after:
        if _mode(before) != _mode(after):
            lines += [f"old mode {_mode(before)}", f"new mode {_mode(after)}"]
    elif file := before or after:
        lines.append(f"{'deleted' if before else 'new'} file mode {_mode(file)}")
    if _data(before) == _data(after):
        return lines
    # git writes a tab after a name with spaces, so that other tools know where the name ends.
    names = [f"{name}{chr(9) * (' ' in name)}" if file else "/dev/null" for name, file in ((old, before), (new, after))]
    if looks_binary(_data(before)) or looks_binary(_data(after)):
        return [*lines, f"Binary files {names[0]} and {names[1]} differ"]
    return [*lines, f"--- {names[0]}", f"+++ {names[1]}", *_hunks(_data(before), _data(after))]


def _hunks(before: bytes, after: bytes) -> list[str]:
    """Return the hunks. Lines end in LF alone, as for git."""
    old, new = (list(StringIO(decode(data), newline="\n")) for data in (before, after))
    shown: list[str] = []
    for header, changes in hunks(old, new):
        shown.append(header)
        for kept, (start, end, new_start, new_end) in changes:
            for sign, lines in ((" ", old[kept:start]), ("-", old[start:end]), ("+", new[new_start:new_end])):
                for line in lines:
                    shown += [sign + line[:-1]] if line.endswith("\n") else [sign + line, NO_FINAL_EOL]
    return shown


def _mode(file: File) -> str:
    return "120000" if file.is_link else "100755" if file.mode & 0o100 else "100644"


def _data(file: File | None) -> bytes:
    return file.data if file else b""

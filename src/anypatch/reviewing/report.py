"""A review as plain values for JSON, and in words for the model that wrote the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..report.json import action, problem_json
from ..report.words import line_counts, many, quoted, span

if TYPE_CHECKING:
    from .hunks import Hunk, ReviewedFile
    from .parts import ReviewedEdit
    from .review import Review

_SHOWN = 40  # lines of a dropped hunk that a model is shown


def as_json(review: Review) -> dict[str, object]:
    """Return a review as plain values: numbers of lines from 1, 0 where a side has none."""
    return {
        "ok": not review.problems,
        "blocks": [block._asdict() | {"edits": list(block.edits)} for block in review.blocks],
        "edits": [
            edit._asdict() | {"hunks": list(edit.hunks), "problems": [problem_json(one) for one in edit.problems]}
            for edit in review.edits
        ],
        "files": [_file_json(file) for file in review.files],
        "choices": [
            choice._asdict() | {"edits": list(choice.edits), "options": [option._asdict() for option in choice.options]}
            for choice in review.choices
        ],
        "problems": [problem_json(problem) for problem in review.problems],
        "notes": [note.text for note in review.notes],
    }


def _file_json(file: ReviewedFile) -> dict[str, object]:
    added, removed = line_counts(file.change)
    return {
        "path": file.path, "action": action(file.change, file.origin), "from": file.origin or None,
        "added": added, "removed": removed, "hunks": [hunk_json(hunk) for hunk in file.hunks],
    }  # fmt: skip


def hunk_json(hunk: Hunk) -> dict[str, object]:
    """Return a hunk as plain values."""
    return {
        "id": hunk.id, "edit": hunk.edit, "kind": hunk.kind, "kept": hunk.kept, "edited": hunk.text is not None,
        "old": [hunk.old[0] + 1, hunk.old[1]], "new": [hunk.new[0] + 1, hunk.new[1]],
        "lines": [
            line._asdict() | {"changed": [list(changed) for changed in line.changed]} for line in hunk.lines
        ],
    }  # fmt: skip


# ── for the model ────────────────────────────────────────────────────────────────────────────────


def for_model(review: Review) -> str:
    """Say what somebody kept of an answer, what they left out or wrote otherwise, and what could not be applied."""
    hunks = review.hunks
    kept = sum(hunk.kept for hunk in hunks)
    lines = [f"Somebody reviewed your answer and kept {kept} of {many(len(hunks), 'change')}."]
    for edit in review.edits:
        if edit.problems:
            lines += _refused(edit)
        elif edit.state == "dropped" and not edit.hunks:
            lines += ["", f"Edit {edit.number} ({edit.path or 'no file'}) was left out."]
    for hunk in hunks:
        if not hunk.kept:
            lines += ["", f"Left out, {_place(hunk)}:", *_shown(hunk)]
        elif hunk.text is not None:
            lines += ["", f"Applied with other new lines, {_place(hunk)}:", *_shown(hunk)]
    lines += [
        f"\nThe block at line {block.first} was not used: {block.reason}"
        for block in review.blocks
        if block.state == "unused" and block.reason
    ]
    if kept < len(hunks):
        lines += ["", "Don't send again what was left out, unless you are asked to."]
    return "\n".join(lines) + "\n"


def _refused(edit: ReviewedEdit) -> list[str]:
    lines = []
    for problem in edit.problems:
        where = f"line {problem.patch_line} of your answer, {problem.path}" if problem.patch_line else problem.path
        lines += ["", f"Not applied, {where}: {problem.message}", quoted(problem.advice)]
    return lines


def _place(hunk: Hunk) -> str:
    if hunk.kind != "lines":
        return f"{hunk.path} ({hunk.kind})"
    start, stop = hunk.old
    return f"{hunk.path}, " + (span(start + 1, stop) if start < stop else f"after line {start}")


def _shown(hunk: Hunk) -> list[str]:
    changed = [f"    {line.sign}{line.text}" for line in hunk.lines if line.sign != " "]
    more = len(changed) - _SHOWN
    return [*changed[:_SHOWN], *([f"    … {many(more, 'more line')}"] if more > 0 else [])]

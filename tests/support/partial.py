"""The laws of `partial`: what is applied and what is left are the patch, and nothing else happens."""

from __future__ import annotations

from typing import Any

import anypatch
from anypatch import api
from anypatch.author.resend import holds_ops
from anypatch.model import Edit, Hunk, Op, Patch
from anypatch.plan import plan
from anypatch.result import Result
from anypatch.tree import MemoryTree


def left(result: Result) -> tuple[Op, ...]:
    """Return the parts that failed."""
    return tuple(outcome.rest for outcome in result.plan.outcomes if outcome.rest is not None)


def applied(result: Result) -> tuple[Op, ...]:
    """Return the patch without the parts that failed."""
    kept: list[Op] = []
    for outcome in result.plan.outcomes:
        op, rest = outcome.op, outcome.rest
        if rest is None:
            kept.append(op)
        elif isinstance(op, Edit) and isinstance(rest, Edit) and len(rest.hunks) < len(op.hunks):
            failed = [(hunk.lines, hunk.patch_line) for hunk in rest.hunks]
            hunks = tuple(hunk for hunk in op.hunks if (hunk.lines, hunk.patch_line) not in failed)
            kept.append(op._replace(hunks=hunks))
    return tuple(kept)


def without_line_numbers(op: Op) -> Op:
    if not isinstance(op, Edit):
        return op
    hunks = [
        hunk._replace(claims=hunk.claims._replace(line=0, last=0)) if isinstance(hunk, Hunk) else hunk
        for hunk in op.hunks
    ]
    return op._replace(hunks=tuple(hunks))


def apply_in_part(patch: str, files: dict[str, str], **options: Any) -> Result:
    """Apply a patch with `partial`, check every law, and return the result."""
    whole = anypatch.apply_to(patch, files, **options)
    result = anypatch.apply_to(patch, files, **options, partial=True)
    if whole.ok:
        assert result == whole
        assert result.files == whole.files
        return result
    assert not result.ok
    assert result.problems
    if result.partial:
        check_parts(result, files)
    else:
        assert dict(result.files) == files
        assert result.rest == ""
        assert not result.plan.changes
    return result


def check_parts(result: Result, files: dict[str, str]) -> None:
    """Check that the rest is what failed, and that the other parts alone have the same effect."""
    format = result.plan.patch.format
    assert left(result)
    rest = api.read(result.rest, format if " + " not in format else "")
    assert holds_ops(rest, left(result)), result.rest
    alone = plan(Patch(format, applied(result)), MemoryTree(files))
    if alone.problems:  # after a part that failed, line numbers don't count
        alone = plan(Patch(format, tuple(map(without_line_numbers, applied(result)))), MemoryTree(files))
    assert not alone.problems
    changes = {(change.path, change.after) for change in result.plan.changes}
    assert {(change.path, change.after) for change in alone.changes} == changes

"""The `explain` command: each stage's values for one patch. Prints nothing."""

from __future__ import annotations

import os
import sys

from .. import engine
from .. import report as words
from ..errors import exit_code
from ..model import Edit, Where
from . import terminal
from .commands import Result, color, overwrite, patch_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model import Op
    from .options import Call


def explained(call: Call, root: str) -> Result:
    """What was sniffed, parsed, located and by which rung, in words or as JSON."""
    text = patch_text(call)
    format_name = call.given.get("format", "")
    patch = engine.read(text, format_name)
    report = engine.check(text, root, format=format_name, overwrite=overwrite(call), again=call.has("again"))
    scores = engine.scores(text)
    code = 0 if report.ok else max(exit_code(report.problems), 1)
    if call.has("json"):
        value = words.as_json(report)
        value["scores"] = dict(scores)
        value["parsed"] = [_op_json(op) for op in patch.ops]
        return Result(code, [words.json_text(value)], [])
    return Result(code, words.explain(patch, report, scores, terminal.painter(sys.stdout, color(call), os.environ)), [])


def _op_json(op: Op) -> dict[str, object]:
    """What the patch says, before anything is located. Claims that were not made are left out."""
    value: dict[str, object] = {"label": op.label, "path": op.path, "patch_line": op.patch_line or None}
    if isinstance(op, Edit):
        value["hunks"] = [
            {
                "patch_line": hunk.patch_line or None,
                "lines": [tag + text for tag, text in hunk.lines],
                "where": {name: claim for name, claim in zip(Where._fields, hunk.where, strict=True) if claim},
                "rungs": hunk.rules.rungs,
            }
            for hunk in op.hunks
        ]
    return value

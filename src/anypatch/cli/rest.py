"""A patch applied in part: the report on standard error, the rest of the patch on standard output or in a file."""

from __future__ import annotations

import os
import sys

from . import terminal
from .commands import Result, as_asked, for_people

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model import Report
    from .options import Call

APPLIED_IN_PART = 4


def told_in_part(call: Call, report: Report) -> Result:
    """What a run ends with that applied a part."""
    lost = _keep(call.given["rest"], report.rest) if call.has("rest") else []
    if call.has("json") or call.has("for-model"):
        return Result(APPLIED_IN_PART, as_asked(call, report), lost, not report.dry_run)
    paint = terminal.painter(sys.stderr, call.given.get("color", "auto"), os.environ)
    told = for_people(call, report, paint)
    printed = [] if call.has("rest") and not lost else report.rest.split("\n")[:-1]
    if terminal.is_terminal(sys.stdout):
        printed = [terminal.harmless(line) for line in printed]
    return Result(APPLIED_IN_PART, printed, [*told, *lost], not report.dry_run)


def _keep(path: str, rest: str) -> list[str]:
    """Write the rest; what to say where that fails: by then the tree is changed, so it is printed instead."""
    try:
        with open(path, "wb") as file:
            file.write(rest.encode("utf-8", "surrogateescape"))
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        return [f"anypatch: the rest could not be written to {terminal.harmless(path)}: {why}"]
    return []

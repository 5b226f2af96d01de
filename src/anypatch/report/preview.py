"""What a plan changes, as a diff for the eye. Pure; prints nothing."""

from __future__ import annotations

from .words import modes, paired, plain, quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model import Report
    from .words import Paint

_STYLES = {"+": "add", "-": "remove", "@": "hunk", "\\": "dim"}


def diff_of(report: Report, paint: Paint = plain) -> list[str]:
    """What the plan changes, as a unified diff, file by file; permissions are told in a line above it."""
    from ..diff import unified
    from ..text import decode, looks_binary

    lines: list[str] = []
    for change, origin, source in paired(report):
        old, new = source.before if source else change.before, change.after
        names = (quoted(origin or change.path), quoted(change.path))
        bits = modes(change, source)
        if bits:
            was = f"{bits[0]:o} to " if bits[0] else ""
            lines.append(paint("dim", f"permissions {was}{bits[1]:o}: {names[1]}"))
        if any(side and looks_binary(side.data) for side in (old, new)):
            lines.append(paint("dim", f"binary contents differ: {names[1]}"))
            continue
        shown = unified(*names, decode(old.data) if old else None, decode(new.data) if new else None)
        lines += [paint("strong", line) for line in shown[:2]]
        lines += [paint(_STYLES.get(line[:1], ""), line) for line in shown[2:]]
    return lines

"""Writes git diffs with three lines of context, which other readers ask for; line numbers make them unique.

Touches no file; refuses what would not come back byte for byte.

Lines are written without CR: a kept or replaced line keeps its line end in the file, added ones take the usual one.
"""

from __future__ import annotations

from ...author.describe import Lines, lines_of, refuse, unsayable
from ...diff import NO_FINAL_EOL, compact, opcodes
from ...model import Delete, Edit, File, FileChange, Hunk, Move, Op, Write
from ...text import decode, join, looks_binary, majority
from .read import NOWHERE, written

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Hashable

    Range = tuple[int, int, int, int]


_NAME = "unified"
_CONTEXT = 3
_WIDE = 12  # where three lines were not enough


def render(changes: tuple[FileChange, ...], wide: Collection[str] = ()) -> str:
    """The changes as one diff."""
    told = [change for change in changes if change.before != change.after]
    return "".join(
        line + "\n" for change in told for line in _section(change, _WIDE if change.path in wide else _CONTEXT)
    )


def _section(change: FileChange, context: int) -> list[str]:
    for file in (change.before, change.after):
        if file is not None and looks_binary(file.data):
            raise refuse(change, _NAME, "it is binary data")
    head = f"diff --git {written('a/' + change.path)} {written('b/' + change.path)}"
    if change.before is None:
        return [head, *_created(change)]
    if change.after is None:
        return [head, *_deleted(change)]
    made = [head, *_mode_lines(change)]
    if change.before.data == change.after.data:
        return made
    before, after = lines_of(change.before.data), lines_of(change.after.data)
    ranges = _ranges(change, before, after, context)
    made += _names(change)
    for group in _grouped(ranges, context):
        made += _hunk(before, after, group, context)
    return made


# ── headers ──────────────────────────────────────────────────────────────────────────────────────


def _names(change: FileChange) -> list[str]:
    old = NOWHERE if change.before is None else written(f"a/{change.path}")
    new = NOWHERE if change.after is None else written(f"b/{change.path}")
    # A tab behind a name with spaces, as git writes it, tells other tools where the name ends.
    return [f"--- {old}" + "\t" * (" " in old), f"+++ {new}" + "\t" * (" " in new)]


def _git_mode(change: FileChange, file: File) -> str:
    """git knows two sorts of files: those that can be run, and the others."""
    if file.mode & ~0o777:
        raise refuse(change, _NAME, "its permissions are special ones")
    return "100755" if file.mode & 0o100 else "100644"


def _mode_lines(change: FileChange) -> list[str]:
    assert change.before is not None and change.after is not None
    if change.before.mode == change.after.mode:
        return []
    old, new = (_git_mode(change, file) for file in (change.before, change.after))
    if change.after.mode not in (0o644, 0o755):
        raise refuse(change, _NAME, "its permissions become others than 644 or 755")
    return [f"old mode {old}", f"new mode {new}"]


def _created(change: FileChange) -> list[str]:
    assert change.after is not None
    mode = f"new file mode {_git_mode(change, change.after)}"
    text = decode(change.after.data)
    if not text:
        return [mode]
    lines = text.split("\n")
    ended = lines[-1] == ""
    count = len(lines) - ended
    body = [f"+{line}" for line in lines[:count]] + [NO_FINAL_EOL] * (not ended)
    return [mode, *_names(change), f"@@ -0,0 +{_span(0, count)} @@", *body]


def _deleted(change: FileChange) -> list[str]:
    assert change.before is not None
    mode = f"deleted file mode {_git_mode(change, change.before)}"
    lines, ends, _ = lines_of(change.before.data)
    if not lines or any(line.endswith("\r") for line in lines):
        return [mode]  # lines that couldn't be read back as they are need not be told
    body = [f"-{line}" for line in lines] + [NO_FINAL_EOL] * (not ends[-1])
    return [mode, *_names(change), f"@@ -{_span(0, len(lines))} +0,0 @@", *body]


# ── hunks ────────────────────────────────────────────────────────────────────────────────────────


def _ranges(change: FileChange, before: Lines, after: Lines, context: int) -> list[Range]:
    """What differs, if applying it gives the very bytes; a last line without line end equals none with one."""
    if before.bom != after.bom:
        raise refuse(change, _NAME, "a byte order mark comes or goes")
    ranges = opcodes(_keys(before), _keys(after))
    if len({*before.ends, *after.ends} - {""}) <= 1:
        ranges = compact(ranges, _keys(before), _keys(after))
    if not ranges:
        raise refuse(change, _NAME, "only line ends differ")
    eol = majority(before.ends)
    ends = list(before.ends)
    for start, end, new_start, new_end in reversed(ranges):
        own = [found or eol for found in before.ends[start:end]]
        told = before.lines[start:end] + after.lines[new_start:new_end]
        if len({eol, *own}) > 1 and len(set(told)) < len(told):
            raise refuse(change, _NAME, "lines that repeat have different line ends")
        ends[start:end] = (own + [eol] * (new_end - new_start))[: new_end - new_start]
    ends = [found or eol for found in ends]
    if after.ends and not after.ends[-1]:
        ends[-1] = ""
    elif ends and before.ends and not before.ends[-1]:
        ends[-1] = eol  # a final line end that is made is the usual one
    if join(after.lines, ends) != join(after.lines, after.ends):
        raise refuse(change, _NAME, "line ends change, or new lines have other ones than the file")
    _check_crs(change, before, after, _grouped(ranges, context), context)
    return ranges


def _keys(side: Lines) -> list[Hashable]:
    keys: list[Hashable] = [*side.lines]
    if keys and not side.ends[-1]:
        keys[-1] = (keys[-1],)
    return keys


def _check_crs(change: FileChange, before: Lines, after: Lines, groups: list[list[Range]], context: int) -> None:
    """A CR at the end of a line is read as part of the patch's line end."""
    for group in groups:
        shown = before.lines[max(group[0][0] - context, 0) : group[-1][1] + context]
        shown += [line for part in group for line in after.lines[part[2] : part[3]]]
        if any(line.endswith("\r") for line in shown):
            raise refuse(change, _NAME, "a line ends in a lone CR")


def _grouped(ranges: list[Range], context: int) -> list[list[Range]]:
    """Ranges whose context would touch make one hunk."""
    groups: list[list[Range]] = []
    for one in ranges:
        if groups and one[0] - groups[-1][-1][1] <= 2 * context:
            groups[-1].append(one)
        else:
            groups.append([one])
    return groups


def _hunk(before: Lines, after: Lines, group: list[Range], context: int) -> list[str]:
    start, end = max(group[0][0] - context, 0), min(group[-1][1] + context, len(before.lines))
    new_start = group[0][2] - (group[0][0] - start)
    new_end = group[-1][3] + (end - group[-1][1])
    made = [f"@@ -{_span(start, end)} +{_span(new_start, new_end)} @@"]
    at = start
    for old_start, old_end, added_start, added_end in group:
        made += _tagged(" ", before, at, old_start)
        made += _tagged("-", before, old_start, old_end)
        made += _tagged("+", after, added_start, added_end)
        at = old_end
    return made + _tagged(" ", before, at, end)


def _tagged(tag: str, side: Lines, start: int, end: int) -> list[str]:
    made = [tag + line for line in side.lines[start:end]]
    if end > start and end == len(side.lines) and not side.ends[-1]:
        made.append(NO_FINAL_EOL)
    return made


def _span(start: int, end: int) -> str:
    """A range as hunk headers count: from 1, the length left out where it is 1, the line above where it is 0."""
    count = end - start
    return str(start + 1) if count == 1 else f"{start + 1 if count else start},{count}"


# ── unified resend ──────────────────────────────────────────────────────────────────────────────────


def write(ops: tuple[Op, ...]) -> str:
    """The operations as one diff."""
    return "".join(line + "\n" for op in ops for line in _written_section(op))


def _written_section(op: Op) -> list[str]:
    old, new = written(f"a/{op.path}"), written(f"b/{op.to if isinstance(op, Move) else op.path}")
    head = f"diff --git {old} {new}"
    if isinstance(op, Move):
        return [head, f"rename from {written(op.path)}", f"rename to {written(op.to)}"]
    if isinstance(op, Write):
        return [head, f"new file mode {_mode(op.mode)}", *_written_creation(op, new)]
    if isinstance(op, Delete):
        body = [*_written_names(old, NOWHERE), f"@@ -1,{len(op.old)} +0,0 @@", *(f"-{line}" for line in op.old)]
        return [head, "deleted file mode 100644", *(body if op.old else [])]
    mode = [f"old mode {_mode(0o755 ^ op.mode ^ 0o644)}", f"new mode {_mode(op.mode)}"] if op.mode else []
    hunks = [line for hunk in op.hunks for line in _written_hunk(hunk, op)]
    return [head, *mode, *(_written_names(old, new) if hunks else []), *hunks]


def _mode(mode: int) -> str:
    return "100755" if mode == 0o755 else "100644"


def _written_names(old: str, new: str) -> list[str]:
    return [f"--- {old}" + "\t" * (" " in old), f"+++ {new}" + "\t" * (" " in new)]


def _written_creation(op: Write, new: str) -> list[str]:
    *lines, last = op.text.split("\n")
    body = [f"+{line}" for line in lines] + ([f"+{last}", NO_FINAL_EOL] if last else [])
    count = len(lines) + bool(last)
    return [*_written_names(NOWHERE, new), f"@@ -0,0 +1,{count} @@", *body] if body else []


def _written_hunk(hunk: object, op: Edit) -> list[str]:
    if not isinstance(hunk, Hunk):
        raise unsayable(op, _NAME)
    where, old, new = hunk.where, len(hunk.old), len(hunk.new)
    said = "..."
    if where.line:
        said = f"-{where.line},{old} +{where.line},{new}" if old else f"-{where.last},0 +{where.line},{new}"
    lines: list[str] = []
    bare = _bare_rows(hunk)
    for at, (tag, text) in enumerate(hunk.lines):
        lines += [tag + text] + [NO_FINAL_EOL] * (at in bare)
    return [f"@@ {said} @@ {where.heading}".rstrip(), *lines]


def _bare_rows(hunk: Hunk) -> set[int]:
    """The lines behind which the mark for a missing line end stands: the last ones of the sides that have none."""
    sides = {"made": "-", "lost": "+"}.get(hunk.where.final, "-+" if hunk.where.at_end else "")
    tags = [tag for tag, _ in hunk.lines]
    return {max((at for at, tag in enumerate(tags) if tag in (side, " ")), default=-1) for side in sides}

"""Lines named by number and hash ("hashline"), as oh-my-pi and similar tools write them. Looks for no place in a file.

    section = "[" PATH "#" TAG "]" { hunk }          TAG: the hash of the file as it was read, four hex digits
    hunk    = "PUT" ( N ".=" M | N ) ":" { "+" line }     replaces lines N to M
            | "PUT" ( "<" N | ">" N | ">$" ) ":" { "+" line }     before N, after N, at the end
            | "CUT" ( N ".=" M | N ) | "REM" | "MV" PATH
    anchor  = N ":" HASH | N "#" ID                   of JSON calls: two hex digits, or two letters
SWAP, DEL, INS.PRE, INS.POST, INS.HEAD and INS.TAIL are older names. Blocks (`N*`) and registers (`@r`) are refused.
"""

from __future__ import annotations

import re

from ..model import Claims, Delete, Edit, Hunk, MatchPolicy, Move, Op, join_lines
from ..problems import Problem
from .fences import run_end

HEADER = r"\[([^\[\]#\n]+)#([0-9A-Fa-f]{4})\][ \t]*$"
_ANCHOR = r"(\d{1,9})(?::|(?=#))([0-9a-f]{2}|#[ZPMQVRWSNKTXJBYH]{2})"
_OPERATION = r"(PUT|CUT|SWAP|DEL|INS\.PRE|INS\.POST|INS\.HEAD|INS\.TAIL|REM|MV)(?:[ \t]+(.+?))?[ \t]*(:?)[ \t]*$"
_RANGE = r"([<>]?)(\d{1,9}|\$)(?:\.=(\d{1,9}))?"
_POLICY = MatchPolicy(("exact",))
_ENVELOPE = ("*** Begin Patch", "*** End Patch")


def is_document(text: str) -> bool:
    """Return True if a text begins with the header of a section."""
    lines = [line for line in text.strip().split("\n")[:3] if line.strip() not in _ENVELOPE]
    return bool(lines) and re.match(HEADER, lines[0]) is not None


def sections_end(lines: list[str], row: int) -> int:
    """Return the row after the sections that begin at a row, without blank lines at their end."""
    forms = re.compile(rf"{HEADER}|{_OPERATION}|\+|\s*$")
    return run_end(lines, row, lambda line: forms.match(line) is not None)


class _Bad(Exception):
    """A line that can't be read."""

    def __init__(self, row: int, detail: str) -> None:
        super().__init__(detail)
        advice = "Write `PUT N.=M:` and the new lines below it, each with `+` before it, or `CUT N.=M`."
        self.problem = Problem("bad_patch", detail, patch_line=row, advice=advice)


def operations(text: str) -> tuple[list[Op], list[Problem]]:
    """Return the operations of the sections, or their problem. The hunks of a section are placed together."""
    ops: list[Op] = []
    lines = text.replace("\r\n", "\n").rstrip("\n").split("\n")
    row = 0
    try:
        while row < len(lines):
            row = _read_line(lines, row, ops)
    except _Bad as bad:
        return [], [bad.problem]
    return ops, []


def _read_line(lines: list[str], row: int, ops: list[Op]) -> int:
    """Read the header or operation at a row; return the row after it."""
    line, above, row = lines[row], ops[-1] if ops else None, row + 1
    operation = re.match(_OPERATION, line)
    if header := re.match(HEADER, line):
        # A hunk that changes nothing: the hash is compared, whatever else is done with the file.
        check = Hunk("", "", _POLICY, Claims(line=1, last=0, hashes=((0, header[2]),)), row)
        ops.append(Edit(header[1].strip(), (check,), row))
    elif operation is None or above is None:
        if line.strip() and line.strip() not in _ENVELOPE:
            raise _Bad(row, f"`{line.strip()[:40]}` is not an operation on lines")
    elif operation[1] == "REM":
        ops.append(Delete(above.path, row))
    elif operation[1] == "MV" and operation[2]:
        ops.append(Move(above.path, operation[2].strip(), False, row))
    else:
        start = row
        while row < len(lines) and lines[row].startswith("+"):
            row += 1
        ops[-1] = _with_hunk(above, operation, [text[1:] for text in lines[start:row]], start)
    return row


def _with_hunk(op: Op, operation: re.Match[str], body: list[str], row: int) -> Edit:
    """Return the edit of a section with one more hunk."""
    if not isinstance(op, Edit):
        raise _Bad(row, "lines are changed after REM or MV")
    tag = op.hunks[0].claims.hashes[0][1]
    only_checks_hash = op.hunks[0].patch_line == op.patch_line
    return op._replace(hunks=(*op.hunks[only_checks_hash:], _hunk(operation, body, tag, row)))


def _hunk(operation: re.Match[str], body: list[str], tag: str, row: int) -> Hunk:
    """Return the hunk of an operation."""
    name, place, colon = operation.groups()
    side = {"INS.PRE": "<", "INS.POST": ">", "INS.HEAD": "<", "INS.TAIL": ">"}.get(name, "")
    place = {"INS.HEAD": "1", "INS.TAIL": "$"}.get(name, place or "")
    lines = re.fullmatch(_RANGE, place)
    removes = name in ("CUT", "DEL")
    if lines is None or removes == bool(colon) or removes == bool(body):
        raise _Bad(row, f"`{operation[0].strip()[:40]}` isn't understood")
    side = side or lines[1]
    if side and (lines[3] or removes):
        raise _Bad(row, f"`{operation[0].strip()[:40]}` isn't understood")
    if lines[2] == "$":
        claims = Claims(at_end=True)
    elif side:
        line = int(lines[2]) + (side == ">")
        claims = Claims(line=line, last=line - 1)
    else:
        claims = Claims(line=int(lines[2]), last=int(lines[3] or lines[2]))
    return Hunk("", join_lines(body), _POLICY, claims._replace(hashes=((0, tag),)), row)


def anchored(verb: str, anchors: tuple[str, str], text: list[str], line: int) -> Hunk | None:
    """Return the hunk of a call that names lines by `12:a3` or `12#VK`; None if it doesn't.

    `verb`: replace, append or prepend.
    """
    first = re.fullmatch(_ANCHOR, anchors[0])
    last = re.fullmatch(_ANCHOR, anchors[1]) if anchors[1] else first
    if first is None or last is None:
        return None
    hashes = ((int(first[1]), first[2]), (int(last[1]), last[2]))
    if verb == "replace":
        claims = Claims(line=int(first[1]), last=int(last[1]), hashes=hashes)
    else:
        number = int(first[1]) + (verb == "append")
        claims = Claims(line=number, last=number - 1, hashes=hashes)
    return Hunk("", join_lines(text), _POLICY, claims, line)


def section(path: str, hunks: list[Hunk]) -> str:
    """Write hunks of a file that is named by its hash, as `operations` reads them."""
    lines = [f"[{path}#{hunks[0].claims.hashes[0][1]}]"]
    for hunk in hunks:
        claims, body = hunk.claims, [f"+{text}" for _, text in hunk.lines]
        if claims.at_end:
            lines += ["PUT >$:", *body]
        elif claims.last < claims.line:
            lines += [f"PUT <{claims.line}:", *body] if body else []
        else:
            lines += [f"PUT {claims.line}.={claims.last}:", *body] if body else [f"CUT {claims.line}.={claims.last}"]
    return "\n".join(lines)


def anchors(hunk: Hunk) -> dict[str, object]:
    """Write a hunk whose lines are named by their hashes, as `anchored` reads it."""
    first, last = (f"{line}{'' if hash[0] == '#' else ':'}{hash}" for line, hash in hunk.claims.hashes)
    lines = [text for _, text in hunk.lines]
    if hunk.claims.last >= hunk.claims.line:
        return {"op": "replace", "pos": first, "end": last, "lines": lines}
    verb = "append" if hunk.claims.line > hunk.claims.hashes[0][0] else "prepend"
    return {"op": verb, "pos": first, "lines": lines}

"""Writes JSON edits: a call for each operation, in the words of the tool that can say it. Touches no file."""

from __future__ import annotations

import re

from ...answer.hashline import anchors, section
from ...model import Delete, Edit, Hunk, Inside, Merge, Move, Op, Write

# What JSON may hold as it is but what doesn't survive every way a patch is carried.
_FRAGILE = r"[\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff]"


def write(ops: tuple[Op, ...]) -> str:
    """The operations as one list of calls."""
    return rows([_call(op) for op in ops])


def rows(objects: list[dict[str, object]]) -> str:
    """Calls as one list, a line each."""
    from json import dumps

    told = [re.sub(_FRAGILE, lambda sign: f"\\u{ord(sign[0]):04x}", dumps(one, ensure_ascii=False)) for one in objects]
    return "[\n" + ",\n".join(f"  {row}" for row in told) + "\n]\n"


def _call(op: Op) -> dict[str, object]:
    if isinstance(op, Write) and not op.keep and not op.mode:
        if op.overwrite:
            return {"file_path": op.path, "content": op.text}
        return {"command": "create", "path": op.path, "file_text": op.text}
    if isinstance(op, Write) and op.keep and op.overwrite and not op.mode:
        return {"target_file": op.path, "code_edit": op.text}
    if isinstance(op, Move):
        return {"name": "move_file", "arguments": {"source": op.path, "destination": op.to}}
    if isinstance(op, Delete) and not op.old:
        return {"type": "apply_patch_call", "operation": {"type": "delete_file", "path": op.path}}
    if isinstance(op, Edit) and any(isinstance(hunk, Hunk) and hunk.where.hashes for hunk in op.hunks):
        return _by_hashes(op)
    said = _edited(op) if isinstance(op, Edit) and len(op.hunks) == 1 and not op.mode else None
    return said or _diff(op) or _envelope(op)


def _by_hashes(op: Edit) -> dict[str, object]:
    """Lines that are named by their hashes, or by that of the file."""
    hunks = [hunk for hunk in op.hunks if isinstance(hunk, Hunk)]
    if hunks[0].where.hashes[0][0] == 0:
        return {"input": section(op.path, hunks)}
    return {"path": op.path, "edits": [anchors(hunk) for hunk in hunks]}


def _edited(op: Edit) -> dict[str, object] | None:
    """A swap of texts, or lines below a numbered one; None for other hunks."""
    hunk = op.hunks[0]
    if isinstance(hunk, Hunk) and hunk.inline:
        said: dict[str, object] = {"file_path": op.path, "old_string": hunk.old, "new_string": hunk.new}
        if hunk.times == 0:
            said["replace_all"] = True
        return said | {"expected_replacements": hunk.times} if hunk.times > 1 else said
    if isinstance(hunk, Inside):
        return _symbol(op.path, hunk)
    if isinstance(hunk, Merge):
        return {"target_file": op.path, "code_edit": "".join(line + "\n" for line in hunk.shown)}
    where = hunk.where
    if hunk.lines and all(tag == "+" for tag, _ in hunk.lines) and where.line == where.last + 1:
        text = "".join(line + "\n" for _, line in hunk.lines)
        return {"command": "insert", "path": op.path, "insert_line": where.last, "insert_text": text}
    return None


def _symbol(path: str, said: Inside) -> dict[str, object] | None:
    """A whole symbol, in Serena's words, or a cell of a notebook; None for lines inside of one."""
    if said.chunks or said.at is not None or said.lead or said.hash or said.deed == "rename":
        return None
    body = "\n".join(said.text)
    if path.endswith(".ipynb"):
        mode, _, kind = said.deed.partition("_")
        cell = {"notebook_path": path, "cell_id": said.symbol, "new_source": body, "edit_mode": mode}
        return {"name": "NotebookEdit", "input": cell | ({"cell_type": kind} if kind else {})}
    name = {"replace": "replace_symbol_body", "delete": "safe_delete_symbol"}.get(said.deed, f"{said.deed}_symbol")
    symbol = {"name_path": said.symbol, "relative_path": path}
    return {"name": name, "arguments": symbol | ({"body": body} if said.text else {})}


def _diff(op: Op) -> dict[str, object] | None:
    """Hunks without numbers, as the diff of one file; None for other operations."""
    hunks = op.hunks if isinstance(op, Edit) and not op.mode else ()
    if hunks and all(isinstance(hunk, Hunk) and hunk.old and not hunk.signed for hunk in hunks):
        from ..search_replace.write import block

        return {"name": "replace_in_file", "arguments": {"path": op.path, "diff": block(op)}}
    lines: list[str] = []
    for hunk in hunks:
        if not isinstance(hunk, Hunk) or hunk.where.line or hunk.where.final:
            return None
        lines += [f"@@ {text}" for text in hunk.where.under] or ["@@"]
        lines += [tag + text for tag, text in hunk.lines]
        lines += ["*** End of File"] * hunk.where.at_end
    if not hunks:
        return None
    diff = "\n".join([*lines, ""])
    return {"type": "apply_patch_call", "operation": {"type": "update_file", "path": op.path, "diff": diff}}


def _envelope(op: Op) -> dict[str, object]:
    """What no call has words for, as a patch inside one."""
    from ..begin_patch.write import write as patch

    return {"name": "apply_patch", "arguments": {"input": patch((op,))}}

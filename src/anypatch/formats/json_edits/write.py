"""Writes JSON edits: a call for each operation, of a tool that can express it. Touches no file."""

from __future__ import annotations

import re
from json import dumps

from ...answer.hashline import anchors, section
from ...model import Delete, Edit, Hunk, Merge, Move, Op, SymbolEdit, Write

# Characters that JSON may hold as they are, but that don't survive every way a patch is carried.
_FRAGILE = r"[\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff]"


def write(ops: tuple[Op, ...]) -> str:
    """The operations as one list of calls."""
    return rows([_call(op) for op in ops])


def rows(objects: list[dict[str, object]]) -> str:
    """Calls as one list, a line each."""
    lines = [dumps(one, ensure_ascii=False) for one in objects]
    lines = [re.sub(_FRAGILE, lambda sign: f"\\u{ord(sign[0]):04x}", line) for line in lines]
    return "[\n" + ",\n".join(f"  {line}" for line in lines) + "\n]\n"


def _call(op: Op) -> dict[str, object]:
    """The call for an operation; a patch inside a call if no tool can express it."""
    if isinstance(op, Move):
        return {"name": "move_file", "arguments": {"source": op.path, "destination": op.to}}
    if isinstance(op, Delete):
        call = _delete_file(op)
    elif isinstance(op, Write):
        call = _write_file(op)
    else:
        call = _edit(op) if not op.mode else None
    if call is not None:
        return call
    from ..begin_patch.write import write as patch

    return {"name": "apply_patch", "arguments": {"input": patch((op,))}}


def _delete_file(op: Delete) -> dict[str, object] | None:
    if op.old:
        return None
    return {"type": "apply_patch_call", "operation": {"type": "delete_file", "path": op.path}}


def _write_file(op: Write) -> dict[str, object] | None:
    if op.mode or (op.keep_line_endings and not op.overwrite):
        return None
    if op.keep_line_endings:
        return {"target_file": op.path, "code_edit": op.text}
    if op.overwrite:
        return {"file_path": op.path, "content": op.text}
    return {"command": "create", "path": op.path, "file_text": op.text}


def _edit(op: Edit) -> dict[str, object] | None:
    hunks = [hunk for hunk in op.hunks if isinstance(hunk, Hunk)]
    if hunks and hunks[0].claims.hashes:
        # Lines are named by their hashes, or by that of the file.
        if hunks[0].claims.hashes[0][0] == 0:
            return {"input": section(op.path, hunks)}
        return {"path": op.path, "edits": [anchors(hunk) for hunk in hunks]}
    call = _single(op.path, op.hunks[0]) if len(op.hunks) == 1 else None
    if call is not None or not hunks or len(hunks) < len(op.hunks):
        return call
    if all(hunk.old and not hunk.signed for hunk in hunks):
        from ..search_replace.write import block

        return {"name": "replace_in_file", "arguments": {"path": op.path, "diff": block(op)}}
    return _diff(op.path, hunks)


def _single(path: str, hunk: object) -> dict[str, object] | None:
    """The call for an edit of one hunk: texts, lines below a numbered one, a symbol, a file shown in part."""
    if isinstance(hunk, SymbolEdit):
        return _symbol(path, hunk)
    if isinstance(hunk, Merge):
        return {"target_file": path, "code_edit": "".join(line + "\n" for line in hunk.shown)}
    if not isinstance(hunk, Hunk):
        return None
    if hunk.inline:
        call: dict[str, object] = {"file_path": path, "old_string": hunk.old, "new_string": hunk.new}
        if hunk.times == 0:
            return call | {"replace_all": True}
        return call | {"expected_replacements": hunk.times} if hunk.times > 1 else call
    if hunk.new and not hunk.old and hunk.claims.line == hunk.claims.last + 1:
        return {"command": "insert", "path": path, "insert_line": hunk.claims.last, "insert_text": hunk.new}
    return None


def _symbol(path: str, inside: SymbolEdit) -> dict[str, object] | None:
    """The call of Serena for a whole symbol, or for a cell of a notebook; None for lines inside of a symbol."""
    if inside.chunks or inside.at is not None or inside.lead or inside.hash or inside.action == "rename":
        return None
    body = "\n".join(inside.text)
    if path.endswith(".ipynb"):
        mode, _, kind = inside.action.partition("_")
        cell = {"notebook_path": path, "cell_id": inside.symbol, "new_source": body, "edit_mode": mode}
        return {"name": "NotebookEdit", "input": cell | ({"cell_type": kind} if kind else {})}
    names = {"replace": "replace_symbol_body", "delete": "safe_delete_symbol"}
    symbol = {"name_path": inside.symbol, "relative_path": path}
    name = names.get(inside.action, f"{inside.action}_symbol")
    return {"name": name, "arguments": symbol | ({"body": body} if inside.text else {})}


def _diff(path: str, hunks: list[Hunk]) -> dict[str, object] | None:
    """Hunks without numbers, as the diff of one file."""
    lines: list[str] = []
    for hunk in hunks:
        if hunk.claims.line or hunk.claims.final_newline:
            return None
        lines += [f"@@ {text}" for text in hunk.claims.headers] or ["@@"]
        lines += [tag + text for tag, text in hunk.lines]
        lines += ["*** End of File"] * hunk.claims.at_end
    diff = "\n".join([*lines, ""])
    return {"type": "apply_patch_call", "operation": {"type": "update_file", "path": path, "diff": diff}}

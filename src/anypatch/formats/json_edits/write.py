"""Writes JSON edits: a call for each operation, of a tool that can express it. Touches no file."""

from __future__ import annotations

import re
from json import dumps

from ...answer.hashline import anchors, section
from ...model import Delete, Edit, Hunk, Merge, Move, Op, SymbolEdit, Write, join_lines

# Characters that JSON may hold as they are, but that don't survive every way a patch is carried.
_FRAGILE = r"[\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff]"


def write(ops: tuple[Op, ...]) -> str:
    """Return the operations as one list of calls."""
    return rows([_call(op) for op in ops])


def rows(objects: list[dict[str, object]]) -> str:
    """Return calls as one list, a line each."""
    lines = [dumps(one, ensure_ascii=False) for one in objects]
    lines = [re.sub(_FRAGILE, lambda sign: f"\\u{ord(sign[0]):04x}", line) for line in lines]
    return "[\n" + ",\n".join(f"  {line}" for line in lines) + "\n]\n"


def _call(op: Op) -> dict[str, object]:
    """Return the call for an operation; a patch inside a call if no tool can express it."""
    call: dict[str, object] | None = None
    if isinstance(op, Move):
        call = {"name": "move_file", "arguments": {"source": op.path, "destination": op.to}}
    elif isinstance(op, Delete) and not op.old:
        call = {"type": "apply_patch_call", "operation": {"type": "delete_file", "path": op.path}}
    elif isinstance(op, Write) and not op.mode:
        call = _write_file(op)
    elif isinstance(op, Edit) and not op.mode:
        call = _edit(op)
    if call is not None:
        return call
    from ..begin_patch.write import write as patch

    return {"name": "apply_patch", "arguments": {"input": patch((op,))}}


def _write_file(op: Write) -> dict[str, object] | None:
    if op.keep_line_endings:
        return {"target_file": op.path, "code_edit": op.text} if op.overwrite else None
    if op.overwrite:
        return {"file_path": op.path, "content": op.text}
    return {"command": "create", "path": op.path, "file_text": op.text}


def _edit(op: Edit) -> dict[str, object] | None:
    """Return the call for an edit by hashes, or of one hunk: texts, lines below a numbered one, a symbol, parts."""
    path, hunk = op.path, op.hunks[0]
    hunks = [hunk for hunk in op.hunks if isinstance(hunk, Hunk)]
    if hunks and hunk.claims.hashes:  # lines are named by their hashes, or by that of the file
        if hunk.claims.hashes[0][0] == 0:
            return {"input": section(path, hunks)}
        return {"path": path, "edits": [anchors(hunk) for hunk in hunks]}
    if len(op.hunks) > 1:
        return None
    if isinstance(hunk, SymbolEdit):
        return _symbol(path, hunk)
    if isinstance(hunk, Merge):
        return {"target_file": path, "code_edit": join_lines(hunk.shown)}
    return _texts(path, hunk) if isinstance(hunk, Hunk) else None


def _texts(path: str, hunk: Hunk) -> dict[str, object] | None:
    """Return the call that replaces a text, or inserts lines below a numbered one."""
    if hunk.inline:
        call: dict[str, object] = {"file_path": path, "old_string": hunk.old, "new_string": hunk.new}
        if hunk.times == 0:
            return call | {"replace_all": True}
        return call | {"expected_replacements": hunk.times} if hunk.times > 1 else call
    if hunk.new and not hunk.old and hunk.claims.line == hunk.claims.last + 1:
        return {"command": "insert", "path": path, "insert_line": hunk.claims.last, "insert_text": hunk.new}
    return None


def _symbol(path: str, edit: SymbolEdit) -> dict[str, object] | None:
    """Return the call of Serena for a whole symbol, or for a cell of a notebook; None for lines inside of a symbol."""
    if edit.chunks or edit.at is not None or edit.lead or edit.hash or edit.action == "rename":
        return None
    body = "\n".join(edit.text)
    if path.endswith(".ipynb"):
        mode, _, kind = edit.action.partition("_")
        cell = {"notebook_path": path, "cell_id": edit.symbol, "new_source": body, "edit_mode": mode}
        return {"name": "NotebookEdit", "input": cell | ({"cell_type": kind} if kind else {})}
    names = {"replace": "replace_symbol_body", "delete": "safe_delete_symbol"}
    symbol = {"name_path": edit.symbol, "relative_path": path}
    name = names.get(edit.action, f"{edit.action}_symbol")
    return {"name": name, "arguments": symbol | ({"body": body} if edit.text else {})}

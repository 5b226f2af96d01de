"""Writes operations back as CHUNK YAML, as they were read. Touches no file."""

from __future__ import annotations

from ..model import Delete, Edit, Hunk, Op, Write
from ._chunk_write import field, path_field
from ._say import unsayable

_NAME = "chunk"


def document(ops: tuple[Op, ...]) -> str:
    """The operations as one document."""
    languages = [said for op in ops if (said := _language(op))]
    lines = [f"language: {languages[0]}"] if languages else []
    return "\n".join([*lines, "operations:", *(line for op in ops for line in _operation(op)), ""])


def _language(op: Op) -> str:
    """The language that the document names; blocks of XML have theirs by themselves."""
    hunk = op.hunks[0] if isinstance(op, Edit) and op.hunks else None
    if not isinstance(hunk, Hunk) or (hunk.where.block == "xml" and hunk.rules.language == "xml"):
        return ""
    return hunk.rules.language


def _operation(op: Op) -> list[str]:
    made = [path_field(op.path)]
    if isinstance(op, Delete):
        return [*made, "    op: delete_file"]
    if isinstance(op, Write):
        if op.text[-1:] not in ("", "\n"):
            raise unsayable(op, _NAME)
        return [*made, "    op: create_file", *field("payload", op.text.split("\n")[:-1])]
    hunk = op.hunks[0] if isinstance(op, Edit) and len(op.hunks) == 1 else None
    if not isinstance(hunk, Hunk):
        raise unsayable(op, _NAME)
    made += [f"    op: {op.label}"]
    marker, payload = list(hunk.old), [text for tag, text in hunk.lines if tag == "+"]
    for key, lines in (("marker", marker), ("before", hunk.where.before), ("after", hunk.where.after)):
        made += field(key, list(lines)) if lines else []
    made += field("payload", payload) if op.label != "delete_text" else []
    return [*made, "    options:", "      indent: none"] if hunk.rules.indent == "as-is" else made

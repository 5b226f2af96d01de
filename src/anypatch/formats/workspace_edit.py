"""WorkspaceEdit: what language servers answer to a rename or a code action, as JSON. Finds no place, touches no file.

    edit   = {changes: {uri: [text edit, …]}} | {documentChanges: [document edit | file operation, …]}
    text   = {range: {start: {line, character}, end: {line, character}}, newText}
    file   = {kind: create | delete, uri, options?} | {kind: rename, oldUri, newUri, options?}

Lines and columns count from 0, columns UTF-16 units unless `positionEncoding` says otherwise. A URI is a file's, in the
root, or a path relative to it. All text edits of a document speak of the text as it was; operations go in order.
`hashes` ({uri: sha256}) is ours: what a document must still hash to.
"""

from __future__ import annotations

import re

from ..errors import Problem
from ..model import Format, Op, Patch
from ..text import patch_lines
from ._json_calls import wrapped
from ._json_find import find
from ._json_read import Fields, source
from ._workspace_edit_read import is_edit, understood
from ._workspace_edit_teach import EXAMPLES, PROMPT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from ..model import FileChange
    from ._json_read import Value

_NAME = "workspace-edit"


def parse(text: str) -> Patch:
    """What the edits in an answer say."""
    found = find(source("\n".join(patch_lines(text))))
    problems, notes = list(found.problems), list(found.notes)
    edits: list[Fields] = []
    for value in found.values:
        _collect(value, edits, 0)
    ops: list[Op] = []
    for fields in edits[:1]:
        ops += understood(fields, problems, notes)
    if not edits and not problems:
        advice = 'Write an object like {"changes": {"src/a.py": [{"range": …, "newText": …}]}}.'
        problems.append(Problem("bad_patch", "there is no WorkspaceEdit in it", patch_line=1, advice=advice))
    if len(edits) > 1:
        detail = "there is more than one WorkspaceEdit, and the positions of each speak of the text before it"
        problems.append(Problem("bad_patch", detail, patch_line=edits[1].line, advice="Send them one by one."))
    ordered = tuple(sorted(problems, key=lambda problem: problem.patch_line))
    return Patch(_NAME, tuple(ops), "", ordered, tuple(notes), exact=True, literal=True)


def _collect(value: Value, edits: list[Fields], depth: int) -> None:
    """The edits of a value: also as the answer of a server, in a code action, as a string of JSON."""
    if isinstance(value, list):
        for item in value:
            _collect(item, edits, depth)
    elif isinstance(value, Fields):
        if is_edit(value):
            edits.append(value)
        elif depth < 8:
            for item in wrapped(value):
                _collect(item, edits, depth + 1)


def sniff(text: str) -> int:
    """How much a text looks like a WorkspaceEdit: by the keys that no other format has together."""
    if not any(f"{key}{quote}" in text for key in ("changes", "documentChanges") for quote in ('"', "'")):
        return 0
    said = all(re.search(rf"""\\?["']{key}\\?["']\s*+:""", text) for key in ("range", "newText"))
    moved = '"documentChanges"' in text and re.search(r'"kind"\s*+:\s*+"(?:create|rename|delete)"', text)
    return 95 if said or moved else 0


def render(changes: tuple[FileChange, ...], wide: Collection[str] = ()) -> str:
    """The changes as document changes, which have no context; Refused where the format has no words for one."""
    from ._workspace_edit_write import document

    return document(changes)


def write(ops: tuple[Op, ...]) -> str:
    """Operations back into the format."""
    from ._workspace_edit_write import listed

    return listed(ops)


FORMAT = Format(
    _NAME,
    "WorkspaceEdit: the edits of language servers, by line and column; files made, renamed and deleted",
    sniff,
    parse,
    render,
    frozenset(("create", "delete", "move", "overwrite", "final_newline", "blank_lines")),
    PROMPT,
    EXAMPLES,
    write,
)

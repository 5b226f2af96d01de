"""A WorkspaceEdit, read from its JSON object. Reads no document.

    edit   = {"changes": {uri: [span, …]}} | {"documentChanges": [{"textDocument": {"uri": …}, "edits": [span, …]}
             | {"kind": "create" | "delete", "uri": …} | {"kind": "rename", "oldUri": …, "newUri": …}, …]}
    span   = {"range": {"start": place, "end": place}, "newText": …}       place = {"line": n, "character": n}
    ours   : "positionEncoding", utf-16 by default; "hashes", the hash of each document's text by its URI

All of the shape is checked here, before any place is searched for.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ...answer.json_calls import collected, find
from ...answer.json_values import Fields, source, whole_number
from ...model import UNITS, Delete, Edit, Move, Note, Op, Patch, Span, Spans, Write
from ...paths import path_from_uri
from ...problems import Problem, Refused
from ...text import patch_lines

if TYPE_CHECKING:
    from ...answer.json_values import Value


def sniff(text: str) -> int:
    """How much a text looks like a WorkspaceEdit: by the keys that no other format has together."""
    if not any(f"{key}{quote}" in text for key in ("changes", "documentChanges") for quote in ('"', "'")):
        return 0
    has_span = all(re.search(rf"""\\?["']{key}\\?["']\s*+:""", text) for key in ("range", "newText"))
    moved = '"documentChanges"' in text and re.search(r'"kind"\s*+:\s*+"(?:create|rename|delete)"', text)
    return 95 if has_span or moved else 0


def parse(text: str) -> Patch:
    """The operations of the WorkspaceEdit in an answer."""
    answer = find(source("\n".join(patch_lines(text))))
    problems, notes = list(answer.problems), list[Note]()
    edits = collected(answer.values, _is_edit)
    ops: list[Op] = []
    for fields in edits[:1]:
        ops += _operations(fields, problems, notes)
    if not edits and not problems:
        advice = 'Write an object like {"changes": {"src/a.py": [{"range": …, "newText": …}]}}.'
        problems.append(Problem("bad_patch", "there is no WorkspaceEdit", patch_line=1, advice=advice))
    if len(edits) > 1:
        detail = "there is more than one WorkspaceEdit, each with positions in the text as it was before that edit"
        advice, hint = "Send them one by one.", "Apply them one by one."
        problems.append(Problem("bad_patch", detail, patch_line=edits[1].line, advice=advice, hint=hint))
    ordered = tuple(sorted(problems, key=lambda problem: problem.patch_line))
    return Patch("workspace-edit", tuple(ops), "", ordered, tuple(notes), exact=True, literal=True)


def _is_edit(fields: Fields) -> bool:
    """True if an object is a WorkspaceEdit."""
    values = fields.values
    return isinstance(values.get("changes"), Fields) or isinstance(values.get("documentChanges"), list)


def _operations(fields: Fields, problems: list[Problem], notes: list[Note]) -> list[Op]:
    """The operations of an edit, in order; its problems are added to the others."""
    unit = fields.values.get("positionEncoding", "utf-16")
    if unit not in UNITS:
        detail = f"positionEncoding must be one of {', '.join(UNITS)}"
        problems.append(Problem("bad_patch", detail, patch_line=fields.line))
        return []
    reading = _WorkspaceReading(fields, str(unit))
    for part in _parts(fields, notes):
        try:
            reading.add(part)
        except Refused as refused:
            line = part.line if isinstance(part, Fields) else fields.line
            problems += [problem._replace(patch_line=line) for problem in refused.problems]
    notes += _confirmations(fields)
    return reading.ops


def _parts(fields: Fields, notes: list[Note]) -> list[Value]:
    """The members of documentChanges, or the entries of changes as such."""
    documents, by_uri = fields.values.get("documentChanges"), fields.values.get("changes")
    entries = by_uri.values if isinstance(by_uri, Fields) else {}
    if isinstance(documents, list):
        if entries:
            text = "there are both changes and documentChanges; documentChanges were used"
            notes.append(Note(text, patch_line=fields.line))
        return documents
    line = by_uri.line if isinstance(by_uri, Fields) else fields.line
    return [
        Fields(line, {"textDocument": Fields(line, {"uri": uri}, {}), "edits": edits}, {})
        for uri, edits in entries.items()
    ]


def _confirmations(fields: Fields) -> list[Note]:
    """Return notes on what the server wants a person to confirm."""
    annotations = fields.values.get("changeAnnotations")
    listed = annotations.values.values() if isinstance(annotations, Fields) else ()
    return [
        Note(f"the server asks to confirm: {one.values.get('label')}", patch_line=one.line)
        for one in listed
        if isinstance(one, Fields) and one.values.get("needsConfirmation") is True
    ]


class _WorkspaceReading:
    """The operations so far. The text edits of one document are one operation, up to the next file operation."""

    def __init__(self, fields: Fields, unit: str) -> None:
        self.ops: list[Op] = []
        self.documents: dict[str, tuple[int, tuple[Span, ...]]] = {}  # index of the operation, its spans so far
        self.versions: dict[str, Value] = {}
        self.unit = unit
        hashes = fields.values.get("hashes")
        self.hashes = hashes.values if isinstance(hashes, Fields) else {}

    def add(self, part: Value) -> None:
        """Add one member of documentChanges."""
        if not isinstance(part, Fields):
            raise _wrong("documentChanges contains something other than an object")
        if "kind" in part.values:
            self.documents.clear()
            self.ops.append(_file_operation(part))
        else:
            self._add_text_edits(part)

    def _add_text_edits(self, part: Fields) -> None:
        document, edits = part.values.get("textDocument"), part.values.get("edits")
        if not isinstance(document, Fields) or not isinstance(document.values.get("uri"), str):
            raise _wrong("an edit doesn't say which document: textDocument with its uri")
        if not isinstance(edits, list):
            raise _wrong("the edits of a document must be a list")
        uri, version = str(document.values["uri"]), document.values.get("version")
        if version is not None and (isinstance(version, bool) or not isinstance(version, int)):
            raise _wrong("the version of a document must be a whole number or null")
        path = path_from_uri(uri)
        if self.versions.setdefault(path, version) != version and path in self.documents:
            raise _wrong(f"{path} is named in versions {self.versions[path]} and {version}: they must be the same")
        self.versions[path] = version
        spans = tuple(_span(edit) for edit in edits)
        if not spans:
            return
        at, before = self.documents.get(path, (len(self.ops), ()))
        self.documents[path] = (at, before + spans)
        expected = self.hashes.get(uri)
        hunk = Spans(before + spans, self.unit, expected if isinstance(expected, str) else "", part.line)
        self.ops[at : at + 1] = [Edit(path, (hunk,), part.line)]


def _wrong(detail: str) -> Refused:
    return Refused(Problem("bad_patch", detail))


def _span(value: Value) -> Span:
    if not isinstance(value, Fields):
        raise _wrong("a text edit must be an object with range and newText")
    values = value.values
    if "snippet" in values or values.get("insertTextFormat") == 2:
        raise _wrong("it contains a snippet, whose placeholders are not text")
    text, span = values.get("newText"), values.get("range")
    if not isinstance(text, str) or not isinstance(span, Fields):
        raise _wrong("a text edit needs a range and newText")
    return Span(_place(span.values.get("start")), _place(span.values.get("end")), text)


def _place(value: Value) -> tuple[int, int]:
    values = value.values if isinstance(value, Fields) else {}
    line, character = whole_number(values.get("line")), whole_number(values.get("character"))
    if line is None or character is None or line < 0 or character < 0:
        raise _wrong("start and end of a range need line and character, whole numbers counted from 0")
    return line, character


def _file_operation(part: Fields) -> Op:
    values = part.values
    options = values.get("options")
    flags = {key for key, value in options.values.items() if value is True} if isinstance(options, Fields) else set()
    keys = ("oldUri", "newUri") if values.get("kind") == "rename" else ("uri",)
    uris = [values.get(key) for key in keys]
    if values.get("kind") not in ("create", "rename", "delete") or not all(isinstance(uri, str) for uri in uris):
        raise _wrong("a file operation must be create or delete (with uri), or rename (with oldUri and newUri)")
    paths = [path_from_uri(str(uri)) for uri in uris]
    overwrite = "overwrite" in flags
    if values["kind"] == "create":
        return Write(paths[0], "", overwrite, part.line, skip_if_exists="ignoreIfExists" in flags and not overwrite)
    if values["kind"] == "delete":
        return Delete(paths[0], part.line, skip_if_missing="ignoreIfNotExists" in flags)
    # With ignoreIfExists both files would stay, and what follows would edit the wrong one: the rename is refused then.
    return Move(paths[0], paths[1], overwrite, part.line)

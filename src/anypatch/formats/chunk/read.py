"""CHUNK: a list of operations in YAML, each with the text it looks for and the new text. Finds no place.

    operations:
      - path: shop/cart.py
        symbol: Cart/total            # optional: look only inside of it
        op: replace_text              # or another of `OPERATIONS`
        before: |-                    # optional: the lines directly above the marker, or `after`: directly below
        marker: |-                    # lines of the file
        payload: |-                   # the lines that replace them, or are inserted before or after them
        options: {indent: none}       # optional: write the payload as it is

YAML is read leniently, see `yaml.py`. Unknown fields are noted and skipped.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from ...answer.fences import Body, bodies, run_end
from ...model import NO_CLAIMS, Claims, Delete, Edit, MatchPolicy, Note, Op, Patch, Write, signed_hunk
from ...problems import Problem, bad
from ...similarity import close_names
from ...text import BLANK, indent_of, patch_lines, pattern
from .yaml import Mapping, Node, Scalar, Sequence, read

if TYPE_CHECKING:
    from ...limits import Tally

_INDENTS = {"from-marker": "marker", "marker": "marker", "auto": "marker", "none": "as-is", "as-is": "as-is"}
_ROOT_KEYS = ("operations", "description", "language", "comment")
_KEYS = frozenset(("path", "symbol", "op", "marker", "before", "after", "payload", "comment", "options"))


class OperationKind(NamedTuple):
    """The needs of an operation. `tags`: the signs of the lines of marker and payload, in their order in the result."""

    tags: str = ""
    payload: bool = True
    block: str = ""


OPERATIONS = {
    "create_file": OperationKind(),
    "delete_file": OperationKind(payload=False),
    "replace_text": OperationKind("-+"),
    "insert_after_text": OperationKind(" +"),
    "insert_before_text": OperationKind("+ "),
    "delete_text": OperationKind("-", payload=False),
    "prepend_text": OperationKind("+"),
    "append_text": OperationKind("+"),
    "replace_c_style_block": OperationKind("-+", block="c_style"),
    "replace_py_block": OperationKind("-+", block="py"),
    "replace_xml_block": OperationKind("-+", block="xml"),
}
_SYNONYMS = {"insert_text_after": "insert_after_text", "insert_text_before": "insert_before_text"}
_REMOVED = {
    "replace_cpp_class": "replace_c_style_block", "replace_cpp_method": "replace_c_style_block",
    "replace_cpp_function": "replace_c_style_block", "replace_py_class": "replace_py_block",
    "replace_py_method": "replace_py_block",
}  # fmt: skip


_POLICY = MatchPolicy(
    ("marker", "marker without comments", "marker without docstrings", "marker in plain punctuation"),
    indents="marker",
    replaces_range=True,
    no_op=True,
)


class ChunkReading(NamedTuple):
    """The state of reading a document: its language and description, and what was noticed."""

    language: str
    problems: list[Problem]
    notes: list[Note]
    descriptions: list[str]

    def refuse(self, line: int, detail: str, advice: str) -> None:
        """Record what is wrong with a line."""
        self.problems.append(bad(line, detail, advice))

    def note(self, line: int, text: str, path: str = "") -> None:
        """Record what was skipped."""
        self.notes.append(Note(text, path, line))


def sniff(text: str) -> int:
    """How much a text looks like CHUNK YAML."""
    if "op" not in text or "path" not in text:
        return 0
    keyed = any(mark in text for mark in ("op: ", "op:\t", '"op":', '"op" :', "'op':"))
    if "operations" in text and ("operations:" in text or '"operations"' in text):
        return 90 if keyed else 50
    return 60 if keyed and ("- path:" in text or "- op:" in text) else 0


def parse(text: str, tally: Tally | None = None) -> Patch:
    """The operations of the CHUNK documents in a text."""
    reading = ChunkReading("", [], [], [])
    ops: list[Op] = []
    documents = _documents(text, reading)
    if not documents:
        advice = "Begin the document with `operations:` and list the operations below it."
        reading.refuse(1, "there is no `operations:`", advice)
    for body in documents:
        if tally is not None:
            _look_ahead(body, tally)
        ops += _document(body, reading)
        if body.cut:
            detail = "the document is in a fence that is never closed, so its end may be missing"
            reading.problems.append(Problem("truncated", detail, patch_line=body.first - 1))
    description = next(filter(None, reading.descriptions), "")
    return Patch("chunk", tuple(ops), description, tuple(reading.problems), tuple(reading.notes))


# ── documents ────────────────────────────────────────────────────────────────────────────────────


def _documents(text: str, reading: ChunkReading) -> list[Body]:
    """The lines of each document: those of fences, or one document with prose above and below it."""
    lines = patch_lines(text)
    documents = bodies(text, lines, _may_begin)
    if documents and documents[0].first > (2 if documents[0].fenced else 1):
        reading.note(1, "text before the patch was skipped")
    if not documents or documents[0].fenced:
        return documents
    first = documents[0].first - 1
    if first and lines[first - 1].strip() in ("{", "---"):
        first -= 1
    end = block_end(lines, first, len(lines), False)
    rest = [row for row in range(end, len(lines)) if lines[row].strip()]
    if not rest or any(_may_begin(lines[row]) for row in rest):
        return [Body(first + 1, lines[first:])]  # blank lines may be part of a text; YAML allows no second list
    reading.note(rest[0] + 1, "text after the patch was skipped")
    return [Body(first + 1, lines[first:end])]


def _may_begin(line: str) -> bool:
    """True if a document can begin with a line."""
    bare = line.strip()
    key = bare.split(":", 1)[0].strip("\"' {") if ":" in bare else ""
    return key in _ROOT_KEYS or (bare[:1] == "-" and key[1:].strip(" {\"'") in _KEYS)


def _look_ahead(body: Body, tally: Tally) -> None:
    """Show the tally the first operations of a document that may have too many. The last may be cut off: skip it."""
    rows = [row for row, line in enumerate(body.lines) if "- path:" in line]
    last = tally.end([body.lines[row] for row in rows])
    if 0 <= last < len(rows) - 2:
        head = body._replace(lines=body.lines[: rows[last + 2]])
        tally(_document(head, ChunkReading("", [], [], []))[:-1], now=True)


def _document(body: Body, reading: ChunkReading) -> list[Op]:
    # The newline before a closing fence is part of the document.
    root, problems, notes = read([*body.lines, ""] if body.fenced else body.lines, body.first)
    reading.problems.extend(problems)
    reading.notes.extend(notes)
    operations: Node | None = root
    if isinstance(root, Mapping):
        operations = root.get("operations")
        reading = _with_root_fields(root, reading)
    elif isinstance(root, Sequence):
        reading.note(root.line, "the list of operations has no `operations:` above it")
    if isinstance(operations, Sequence) and operations.items:
        return [op for item in operations.items if (op := _operation(item, reading)) is not None]
    if not problems:
        advice = "List each operation below `operations:`, beginning with `- path: …`."
        line = operations.line if operations is not None else body.first
        detail = "`operations` is missing" if operations is None else "`operations` is not a list of operations"
        reading.refuse(line, detail, advice)
    return []


def _with_root_fields(root: Mapping, reading: ChunkReading) -> ChunkReading:
    """The reading with the language and the description of a document."""
    fields = {key: value for key, _, value in root.items}
    reading.descriptions.append(_text(fields, "description").strip())
    for key, line, value in root.items:
        if key not in _ROOT_KEYS and isinstance(value, Sequence):
            advice = "Put all operations in one list below `operations:`."
            reading.refuse(line, f"the list `{key}` is outside `operations:`", advice)
        elif key not in _ROOT_KEYS:
            reading.note(line, f"the unknown field `{key}` was skipped")
    return reading._replace(language=_text(fields, "language").strip())


# ── one operation ────────────────────────────────────────────────────────────────────────────────


def _operation(node: Node, reading: ChunkReading) -> Op | None:
    """One operation, or None with its problems recorded."""
    if not isinstance(node, Mapping):
        reading.refuse(node.line, "an operation must be a mapping of fields", "Write `- path: …`.")
        return None
    count = len(reading.problems)
    values = {}
    for key, line, value in node.items:
        values[key] = value
        if key not in _KEYS:
            reading.note(line, f"the unknown field `{key}` was skipped")
        elif type(value) is not Scalar and key != "options":
            reading.refuse(line, f"`{key}` must be text", f"Write `{key}: |-` and the text below it.")
    are_texts = len(reading.problems) == count
    name = _name(_text(values, "op").strip(), node.line, reading)
    path = _text(values, "path").strip()
    if not path:
        reading.refuse(node.line, "the operation has no `path`", "Add `path:` with the file's path.")
    if name and are_texts:
        _check(name, values, node.line, reading)
    indents = _indents(values["options"], reading) if "options" in values else "marker"
    if len(reading.problems) > count:
        return None
    if name == "delete_file":
        return Delete(path, node.line, name, no_file="bad_patch")
    if name == "create_file":
        payload = _lines(values, "payload")
        return Write(path, "\n".join(payload) + "\n" if payload else "", True, node.line, name)
    return _edit(name, values, indents, node.line, reading)


def _edit(name: str, values: dict[str, Node], indents: str, line: int, reading: ChunkReading) -> Edit:
    path, symbol = _text(values, "path").strip(), _text(values, "symbol").strip()
    path = f"{path}#{symbol}" if symbol else path
    kind = OPERATIONS[name]
    payload = _lines(values, "payload") or []
    if "\r" in "".join(payload):
        payload = [text.rstrip("\r") for text in payload]
    if kind.tags == "+":
        marker, claims = [], Claims(at_start=name == "prepend_text", at_end=name == "append_text")
    else:
        marker, claims = _lines(values, "marker") or [], _where(kind.block, values)
    if " " in kind.tags and (rest := _without_echo(name == "insert_after_text", marker, payload)) != payload:
        reading.note(line, "the payload repeats the marker; the repetition was dropped", path)
        payload = rest
    tagged = [(tag, text) for tag in kind.tags for text in (payload if tag == "+" else marker)]
    policy = _policy(indents, reading.language or ("xml" if kind.block == "xml" else ""))
    return Edit(path, (signed_hunk(tagged, policy, claims, line),), line, name)


def _where(block: str, values: dict[str, Node]) -> Claims:
    before, after = (tuple(_lines(values, key) or ()) for key in ("before", "after"))
    return Claims(block=block, before=before, after=after) if block or before or after else NO_CLAIMS


def _name(written: str, line: int, reading: ChunkReading) -> str:
    """The name of an operation; "" with the problem recorded if there is none of that name."""
    name = written.replace("-", "_")
    name = _SYNONYMS.get(name, name)
    if name in OPERATIONS:
        return name
    near = close_names(name.lower(), OPERATIONS)
    advice = f"Did you mean `{near[0]}`?" if near else f"The operations are: {', '.join(OPERATIONS)}."
    advice = f"Use `{_REMOVED[name]}`." if name in _REMOVED else advice
    detail = f"`{written}` is not a CHUNK operation" if written else "the operation has no `op`"
    reading.refuse(line, detail, advice)
    return ""


def _check(name: str, values: dict[str, Node], line: int, reading: ChunkReading) -> None:
    """Record which fields an operation lacks, or has without effect."""
    kind = OPERATIONS[name]
    needs_marker = "-" in kind.tags or " " in kind.tags
    if needs_marker and not "".join(_lines(values, "marker") or []).strip(BLANK):
        reading.refuse(line, f"`{name}` has no `marker`", "Add `marker: |-` with lines from the file.")
    # Only a new file may be empty because nothing follows `payload:`.
    is_empty_file = name == "create_file" and values.get("payload") is not None
    if kind.payload and _lines(values, "payload") is None and not is_empty_file:
        advice = 'Add `payload: |-` with the new text; `payload: ""` if it is to be empty.'
        reading.refuse(line, f"`{name}` has no `payload`", advice)
    if not kind.tags and "symbol" in values:
        reading.refuse(line, f"`{name}` applies to a file, not to a `symbol`", "Leave `symbol` out.")
    skipped = () if kind.payload else ("payload",)
    skipped = skipped if needs_marker else (*skipped, "marker", "before", "after")
    for key in skipped:
        if key in values:
            reading.note(line, f"`{name}` takes no {key}; it was skipped", _text(values, "path"))


def _indents(options: Node, reading: ChunkReading) -> str:
    """Return how `options` asks for the payload to be indented."""
    if isinstance(options, Scalar) and options.style == "empty":
        return "marker"
    if not isinstance(options, Mapping):
        reading.refuse(options.line, "`options` must be a mapping", "Write `options:` and `indent: none`.")
        return "marker"
    mode = "marker"
    for key, line, value in options.items:
        if key != "indent":
            reading.note(line, f"the unknown field `options.{key}` was skipped")
            continue
        mode = value.text.strip() if isinstance(value, Scalar) else ""
        if mode not in _INDENTS:
            advice = f"Use one of: {', '.join(_INDENTS)}."
            reading.refuse(line, f"`{mode}` is not a mode of `options.indent`", advice)
    return _INDENTS.get(mode, "marker")


def _text(fields: dict[str, Node], key: str) -> str:
    value = fields.get(key)
    return value.text if isinstance(value, Scalar) else ""


def _lines(values: dict[str, Node], key: str) -> list[str] | None:
    """The lines of a field; None if the field is missing or nothing follows its colon."""
    value = values.get(key)
    if not isinstance(value, Scalar) or value.style == "empty":
        return None
    lines = value.text.split("\n")
    if not lines[-1]:
        lines.pop()
    return lines


@cache
def _policy(indents: str, language: str) -> MatchPolicy:
    return _POLICY._replace(indents=indents, language=language)


def _without_echo(ahead: bool, marker: list[str], payload: list[str]) -> list[str]:
    """The payload of an insertion without the marker, if it repeats that and more; `ahead`: at its beginning."""
    wanted = [bare for line in marker if (bare := line.strip(BLANK))]
    texts = [(row, bare) for row, line in enumerate(payload) if (bare := line.strip(BLANK))]
    echo = texts[: len(wanted)] if ahead else texts[-len(wanted) :]
    if len(texts) <= len(wanted) or [bare for _, bare in echo] != wanted:
        return payload
    return payload[echo[-1][0] + 1 :] if ahead else payload[: echo[0][0]]


# ── documents in an answer ───────────────────────────────────────────────────────────────────────

_ROOT = r"""(["']?)(operations|description|language)\1[ \t]*:"""
_KEY = r"""(?m)(?:^[ \t-]*|[{,][ \t]*)["']?%s["']?[ \t]*:"""


def opens(lines: list[str], row: int) -> bool:
    """Return True if a document begins at a row: with a root key or an item, and an operation below."""
    bare = lines[row].lstrip(" \t")
    root = pattern(_ROOT).match(bare)
    if root is None and not bare.startswith("- "):
        return False
    keys, height = (("op",), 400) if root else (("op", "path"), 6)
    if root and root[2] != "operations":
        keys, height = ("operations",), 12
    below = "\n".join(lines[row : row + height])
    return all(pattern(_KEY % key).search(below) for key in keys)


def block_end(lines: list[str], row: int, limit: int, fenced: bool) -> int:
    """The row after the document that begins at a row, without blank lines at its end."""
    depth = len(indent_of(lines[row]))
    keys = (*(f"{key}:" for key in _ROOT_KEYS), "- ", "---", "}", "]")

    def belongs(line: str) -> bool:
        return len(indent_of(line)) > depth or not line.strip() or line.lstrip().startswith(keys)

    return limit if fenced else run_end(lines, row, belongs)

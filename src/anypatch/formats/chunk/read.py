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
from ...model import NO_CLAIMS, Claims, Delete, Edit, MatchPolicy, Op, Patch, Write, signed_hunk
from ...problems import Problem
from ...similarity import close_names
from ...text import BLANK, indent_of, patch_lines, pattern
from ..findings import Findings
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


def sniff(text: str) -> int:
    """Rate from 0 to 100 how much a text looks like CHUNK YAML."""
    if "op" not in text or "path" not in text:
        return 0
    has_op = any(mark in text for mark in ("op: ", "op:\t", '"op":', '"op" :', "'op':"))
    if "operations:" in text or '"operations"' in text:
        return 90 if has_op else 50
    return 60 if has_op and ("- path:" in text or "- op:" in text) else 0


def parse(text: str, tally: Tally | None = None) -> Patch:
    """Read the CHUNK documents in a text."""
    findings = Findings()
    ops: list[Op] = []
    descriptions: list[str] = []
    documents = _documents(text, findings)
    if not documents:
        advice = "Begin the document with `operations:` and list the operations below it."
        findings.refuse(1, "there is no `operations:`", advice)
    for body in documents:
        if tally is not None:
            _look_ahead(body, tally)
        description, operations = _document(body, findings)
        descriptions.append(description)
        ops += operations
        if body.cut:
            detail = "the document is in a fence that is never closed, so its end may be missing"
            findings.problems.append(Problem("truncated", detail, patch_line=body.first - 1))
    return findings.patch("chunk", ops, next(filter(None, descriptions), ""))


# ── documents ────────────────────────────────────────────────────────────────────────────────────


def _documents(text: str, findings: Findings) -> list[Body]:
    """Return the lines of each document: those of fences, or one document with prose above and below it."""
    lines = patch_lines(text)
    documents = bodies(text, lines, _may_begin)
    if documents and documents[0].first > (2 if documents[0].fenced else 1):
        findings.note(1, "text before the patch was skipped")
    if not documents or documents[0].fenced:
        return documents
    first = documents[0].first - 1
    if first and lines[first - 1].strip() in ("{", "---"):
        first -= 1
    end = block_end(lines, first, len(lines), False)
    rest = [row for row in range(end, len(lines)) if lines[row].strip()]
    if not rest or any(_may_begin(lines[row]) for row in rest):
        return [Body(first + 1, lines[first:])]  # blank lines may be part of a text; YAML allows no second list
    findings.note(rest[0] + 1, "text after the patch was skipped")
    return [Body(first + 1, lines[first:end])]


def _may_begin(line: str) -> bool:
    """Return True if a document can begin with a line."""
    bare = line.strip()
    key = bare.split(":", 1)[0].strip("\"' {") if ":" in bare else ""
    return key in _ROOT_KEYS or (bare[:1] == "-" and key[1:].strip(" {\"'") in _KEYS)


def _look_ahead(body: Body, tally: Tally) -> None:
    """Show the tally the first operations of a document that may have too many. The last may be cut off: skip it."""
    rows = [row for row, line in enumerate(body.lines) if "- path:" in line]
    last = tally.end([body.lines[row] for row in rows])
    if 0 <= last < len(rows) - 2:
        head = body._replace(lines=body.lines[: rows[last + 2]])
        tally(_document(head, Findings())[1][:-1], now=True)


def _document(body: Body, findings: Findings) -> tuple[str, list[Op]]:
    """Read a document; return its description and its operations."""
    # The newline before a closing fence is part of the document.
    root, problems, notes = read([*body.lines, ""] if body.fenced else body.lines, body.first)
    findings.problems += problems
    findings.notes += notes
    fields: dict[str, Node] = {}
    operations: Node | None = root
    if isinstance(root, Mapping):
        fields, operations = root.items, root.items.get("operations")
        _check_root(fields, findings)
    elif isinstance(root, Sequence):
        findings.note(root.line, "the list of operations has no `operations:` above it")
    ops: list[Op | None] = []
    if isinstance(operations, Sequence) and operations.items:
        language = _text(fields, "language").strip()
        ops = [_operation(item, language, findings) for item in operations.items]
    elif not problems:
        advice = "List each operation below `operations:`, beginning with `- path: …`."
        if operations is None:
            findings.refuse(body.first, "`operations` is missing", advice)
        else:
            findings.refuse(operations.line, "`operations` is not a list of operations", advice)
    return _text(fields, "description").strip(), [op for op in ops if op is not None]


def _check_root(fields: dict[str, Node], findings: Findings) -> None:
    """Refuse a second list of operations; note other unknown fields."""
    for key, value in fields.items():
        if key not in _ROOT_KEYS and isinstance(value, Sequence):
            advice = "Put all operations in one list below `operations:`."
            findings.refuse(value.line, f"the list `{key}` is outside `operations:`", advice)
        elif key not in _ROOT_KEYS:
            findings.note(value.line, f"the unknown field `{key}` was skipped")


# ── one operation ────────────────────────────────────────────────────────────────────────────────


def _operation(node: Node, language: str, findings: Findings) -> Op | None:
    """Return one operation, or None with its problems recorded."""
    line, count = node.line, len(findings.problems)
    if not isinstance(node, Mapping):
        findings.refuse(line, "an operation must be a mapping of fields", "Write `- path: …`.")
        return None
    fields = node.items
    _check_texts(fields, findings)
    are_texts = len(findings.problems) == count
    name = _name(_text(fields, "op").strip(), line, findings)
    path = _text(fields, "path").strip()
    if not path:
        findings.refuse(line, "the operation has no `path`", "Add `path:` with the file's path.")
    if name and are_texts:
        _check(name, fields, line, findings)
    indents = _indents(fields["options"], findings) if "options" in fields else "marker"
    if len(findings.problems) > count:
        return None
    if name == "delete_file":
        return Delete(path, line, name, no_file="bad_patch")
    if name == "create_file":
        payload = _lines(fields, "payload")
        return Write(path, "\n".join(payload) + "\n" if payload else "", True, line, name)
    language = language or ("xml" if name == "replace_xml_block" else "")
    return _edit(name, path, node, _policy(indents, language), findings)


def _check_texts(fields: dict[str, Node], findings: Findings) -> None:
    """Refuse fields that aren't text; note those that aren't known."""
    for key, value in fields.items():
        if key not in _KEYS:
            findings.note(value.line, f"the unknown field `{key}` was skipped")
        elif type(value) is not Scalar and key != "options":
            findings.refuse(value.line, f"`{key}` must be text", f"Write `{key}: |-` and the text below it.")


def _edit(name: str, path: str, node: Mapping, policy: MatchPolicy, findings: Findings) -> Edit:
    """Return the edit of an operation on text."""
    fields, line = node
    kind, symbol = OPERATIONS[name], _text(fields, "symbol").strip()
    path = f"{path}#{symbol}" if symbol else path
    marker, payload, before, after = (_lines(fields, key) or [] for key in ("marker", "payload", "before", "after"))
    payload = [text.rstrip("\r") for text in payload]
    claims = NO_CLAIMS
    if kind.tags == "+":
        marker, claims = [], Claims(at_start=name == "prepend_text", at_end=name == "append_text")
    elif kind.block or before or after:
        claims = Claims(block=kind.block, before=tuple(before), after=tuple(after))
    if " " in kind.tags and (rest := _without_echo(name == "insert_after_text", marker, payload)) != payload:
        findings.note(line, "the payload repeats the marker; the repetition was dropped", path)
        payload = rest
    tagged = [(tag, text) for tag in kind.tags for text in (payload if tag == "+" else marker)]
    return Edit(path, (signed_hunk(tagged, policy, claims, line),), line, name)


def _name(written: str, line: int, findings: Findings) -> str:
    """Return the name of an operation; "" with the problem recorded if there is none of that name."""
    name = written.replace("-", "_")
    name = _SYNONYMS.get(name, name)
    if name in OPERATIONS:
        return name
    near = close_names(name.lower(), OPERATIONS)
    advice = f"Did you mean `{near[0]}`?" if near else f"The operations are: {', '.join(OPERATIONS)}."
    advice = f"Use `{_REMOVED[name]}`." if name in _REMOVED else advice
    detail = f"`{written}` is not a CHUNK operation" if written else "the operation has no `op`"
    findings.refuse(line, detail, advice)
    return ""


def _check(name: str, fields: dict[str, Node], line: int, findings: Findings) -> None:
    """Record which fields an operation lacks, or has without effect."""
    kind = OPERATIONS[name]
    has_marker = "-" in kind.tags or " " in kind.tags
    if has_marker and not "".join(_lines(fields, "marker") or []).strip(BLANK):
        findings.refuse(line, f"`{name}` has no `marker`", "Add `marker: |-` with lines from the file.")
    # Only a new file may be empty because nothing follows `payload:`.
    is_empty_file = name == "create_file" and "payload" in fields
    if kind.payload and _lines(fields, "payload") is None and not is_empty_file:
        advice = 'Add `payload: |-` with the new text; `payload: ""` if it is to be empty.'
        findings.refuse(line, f"`{name}` has no `payload`", advice)
    if not kind.tags and "symbol" in fields:
        findings.refuse(line, f"`{name}` applies to a file, not to a `symbol`", "Leave `symbol` out.")
    skipped = [*([] if kind.payload else ["payload"]), *([] if has_marker else ["marker", "before", "after"])]
    for key in filter(fields.__contains__, skipped):
        findings.note(line, f"`{name}` takes no {key}; it was skipped", _text(fields, "path"))


def _indents(options: Node, findings: Findings) -> str:
    """Return how `options` asks for the payload to be indented."""
    if isinstance(options, Scalar) and options.style == "empty":
        return "marker"
    if not isinstance(options, Mapping):
        findings.refuse(options.line, "`options` must be a mapping", "Write `options:` and `indent: none`.")
        return "marker"
    for key, value in options.items.items():
        if key != "indent":
            findings.note(value.line, f"the unknown field `options.{key}` was skipped")
    mode = _text(options.items, "indent").strip() if "indent" in options.items else "marker"
    if mode not in _INDENTS:
        advice = f"Use one of: {', '.join(_INDENTS)}."
        findings.refuse(options.items["indent"].line, f"`{mode}` is not a mode of `options.indent`", advice)
    return _INDENTS.get(mode, "marker")


def _text(fields: dict[str, Node], key: str) -> str:
    value = fields.get(key)
    return value.text if isinstance(value, Scalar) else ""


def _lines(fields: dict[str, Node], key: str) -> list[str] | None:
    """Return the lines of a field; None if the field is missing or nothing follows its colon."""
    value = fields.get(key)
    if not isinstance(value, Scalar) or value.style == "empty":
        return None
    return value.text.removesuffix("\n").split("\n") if value.text else []


@cache
def _policy(indents: str, language: str) -> MatchPolicy:
    return _POLICY._replace(indents=indents, language=language)


def _without_echo(is_above: bool, marker: list[str], payload: list[str]) -> list[str]:
    """Return the payload of an insertion without the marker, if it begins (`is_above`) or ends with that."""
    wanted = [bare for line in marker if (bare := line.strip(BLANK))]
    texts = [(row, bare) for row, line in enumerate(payload) if (bare := line.strip(BLANK))]
    echo = texts[: len(wanted)] if is_above else texts[-len(wanted) :]
    if len(texts) <= len(wanted) or [bare for _, bare in echo] != wanted:
        return payload
    return payload[echo[-1][0] + 1 :] if is_above else payload[: echo[0][0]]


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
    """Return the row after the document that begins at a row, without blank lines at its end."""
    depth = len(indent_of(lines[row]))
    keys = (*(f"{key}:" for key in _ROOT_KEYS), "- ", "---", "}", "]")

    def belongs(line: str) -> bool:
        return len(indent_of(line)) > depth or not line.strip() or line.lstrip().startswith(keys)

    return limit if fenced else run_end(lines, row, belongs)

"""CHUNK: a list of operations in YAML, each with the text it looks for and the text that comes. Finds no place.

    operations:
      - path: shop/cart.py
        symbol: Cart/total            # optional: only inside of it
        op: replace_text              # or another of `OPERATIONS`
        before: |-                    # optional: lines that stand right above the marker, or `after`: right below
        marker: |-                    # lines of the file
        payload: |-                   # what takes their place, or is put before or behind them
        options: {indent: none}       # optional: the payload is written as it is

YAML is read leniently, see `parsing/yaml.py`.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from ...answer.dialects import POSITION, keys_of, plain, puts_beside, withholds
from ...answer.fences import Body, bodies, run_end
from ...answer.repeats import said_once
from ...model import ANYWHERE, Delete, Edit, MatchPolicy, Note, Op, Patch, Where, Write, signed_hunk
from ...problems import Problem, bad
from ...similarity import close_names
from ...text import BLANK, indent_of, patch_lines
from .yaml import Mapping, Node, Scalar, Sequence, read

if TYPE_CHECKING:
    from ...limits import Tally

_INDENTS = {"from-marker": "marker", "marker": "marker", "auto": "marker", "none": "as-is", "as-is": "as-is"}
_TEXTS = (".md", ".markdown", ".mdx", ".rst", ".txt", ".adoc", ".tex")
_ROOT_KEYS = ("operations", "description", "language", "comment")
_KEYS = frozenset(("path", "symbol", "op", "marker", "before", "after", "payload", "comment", "options"))


class Kind(NamedTuple):
    """What an operation needs. `tags`: how marker and payload become tagged lines, in that order."""

    tags: str = ""
    payload: bool = True
    block: str = ""


OPERATIONS = {
    "create_file": Kind(),
    "delete_file": Kind(payload=False),
    "replace_text": Kind("-+"),
    "insert_after_text": Kind(" +"),
    "insert_before_text": Kind("+ "),
    "delete_text": Kind("-", payload=False),
    "prepend_text": Kind("+"),
    "append_text": Kind("+"),
    "replace_c_style_block": Kind("-+", block="c_style"),
    "replace_py_block": Kind("-+", block="py"),
    "replace_xml_block": Kind("-+", block="xml"),
}
_SYNONYMS = {"insert_text_after": "insert_after_text", "insert_text_before": "insert_before_text"}
_REMOVED = {
    "replace_cpp_class": "replace_c_style_block", "replace_cpp_method": "replace_c_style_block",
    "replace_cpp_function": "replace_c_style_block", "replace_py_class": "replace_py_block",
    "replace_py_method": "replace_py_block", "replace_py_function": "replace_py_block",
}  # fmt: skip


_POLICY = MatchPolicy(
    ("marker", "marker without comments", "marker without docstrings", "marker in plain punctuation"),
    indents="marker",
    replaces_range=True,
    no_op=True,
    prefers_code=True,
)


class Reading(NamedTuple):
    """What is known while a document is read: the patch's language, and where findings go."""

    language: str
    problems: list[Problem]
    notes: list[Note]
    about: list[str]

    def refuse(self, line: int, detail: str, advice: str) -> None:
        """Add what is wrong with a line."""
        self.problems.append(bad(line, detail, advice))


def sniff(text: str) -> int:
    """How much a text looks like CHUNK YAML."""
    if "op" not in text or "path" not in text:
        return 0
    keyed = any(mark in text for mark in ("op: ", "op:\t", '"op":', '"op" :', "'op':"))
    if "operations" in text and ("operations:" in text or '"operations"' in text):
        return 90 if keyed else 50
    return 60 if keyed and ("- path:" in text or "- op:" in text) else 0


def parse(text: str, tally: Tally | None = None) -> Patch:
    """What a CHUNK document says."""
    reading = Reading("", [], [], [])
    ops: list[Op] = []
    lines = patch_lines(text)
    documents = [_without_tail(body, lines, reading) for body in bodies(text, lines, _belongs)]
    if not documents:
        advice = "Begin the document with `operations:` and list the operations below it."
        reading.refuse(1, "there is no `operations:`", advice)
    for body in documents:
        if tally is not None:
            _look_ahead(body, tally)
        ops += _document(_with_opener(body, lines), reading)
        if body.cut:
            detail = "the document is in a fence that is never closed, so its end may be missing"
            advice = "Send the whole document again, with its closing fence; none of it was applied."
            reading.problems.append(Problem("truncated", detail, patch_line=body.first - 1, advice=advice))
    for row, line in enumerate(lines[: documents[0].first - 1] if documents else (), 1):
        key, _, said = line.partition(":")
        if withholds(key, said.strip()):
            reading.refuse(row, f"`{line.strip()}` changes what is meant", "Leave it or the operations out.")
    if documents and documents[0].first > (2 if documents[0].fenced else 1):
        reading.notes.append(Note("text before the patch was skipped", patch_line=1))
    description = next(filter(None, reading.about), "")
    ops = said_once(ops, reading.notes)
    return Patch("chunk", tuple(ops), description, tuple(reading.problems), tuple(reading.notes))


# ── the document ─────────────────────────────────────────────────────────────────────────────────


def _belongs(line: str) -> bool:
    """Whether a line can begin a CHUNK document."""
    bare = line.strip()
    key = bare.split(":", 1)[0].strip("\"' {") if ":" in bare else ""
    return key in _ROOT_KEYS or (bare[:1] == "-" and key[1:].strip(" {\"'") in _KEYS)


def _with_opener(body: Body, lines: list[str]) -> Body:
    """The body with a brace or a document mark that stands alone on the line above it."""
    above = body.first - 2
    if not body.fenced and above >= 0 and lines[above].strip() in ("{", "---"):
        return Body(body.first - 1, lines[above:])
    return body


def _without_tail(body: Body, lines: list[str], reading: Reading) -> Body:
    """The body without the prose that follows it: sentences after a blank line, no deeper than the document's first.

    Not where a text was written last: there they may be its lines, which lost their indentation. A tag that opens
    above the document closes behind it. What indents all of the document is no part of it.
    """
    if body.fenced:
        return body
    pad = indent_of(body.lines[0])
    start = _tail(body.lines, len(pad), lines[: body.first - 1])
    paths = [line.partition(":")[2] for line in body.lines[:start] if line.strip("- \t").startswith("path:")]
    rest = body.lines[start:]
    if not paths or any(_belongs(line) for line in rest) or paths[-1].strip(" \"'").endswith(_TEXTS):
        return body
    if any(len(indent_of(line)) > len(pad) and line.strip()[:2] not in ("- ", "* ") for line in rest if line.strip()):
        return body
    reading.notes.append(Note("text after the patch was skipped", patch_line=body.first + start))
    kept = [*body.lines[:start], *([""] if rest[0].strip()[:2] == "</" else [])]
    if pad and all(line.startswith(pad) for line in kept if line.strip()):
        kept = [line[len(pad) :] for line in kept]
    return body._replace(lines=kept)


def _tail(lines: list[str], depth: int, above: list[str]) -> int:
    """The number of the line where what isn't the document begins; 0 where all is."""
    tags = {bare.replace("<", "</", 1) for bare in map(str.strip, above) if bare[:1] == "<" and bare[-1:] == ">"}
    for number, line in enumerate(lines):
        if number and line[: depth + 1].strip(" \t"):  # neither deeper nor blank
            bare = line.strip()
            if bare in tags or (_has_no_key(bare) and not lines[number - 1].strip()):
                return number
    return 0


def _has_no_key(line: str) -> bool:
    """Whether a line is words, the first of them no key: a document holds such lines only in its texts, deeper."""
    words = line.split()
    return len(words) > 1 and line[0].isalpha() and not words[0].endswith(":") and words[1].isascii()


def _look_ahead(body: Body, tally: Tally) -> None:
    """Show the first operations of a document that may hold too many. The last of them may be cut: it doesn't count."""
    rows = [row for row, line in enumerate(body.lines) if "- path:" in line]
    last = tally.end([body.lines[row] for row in rows])
    if 0 <= last < len(rows) - 2:
        head = body._replace(lines=body.lines[: rows[last + 2]])
        tally(_document(head, Reading("", [], [], []))[:-1], now=True)


def _document(body: Body, reading: Reading) -> list[Op]:
    # The line end before a closing fence is part of the document.
    document = read([*body.lines, ""] if body.fenced else body.lines, body.first)
    reading.problems.extend(document.problems)
    reading.notes.extend(document.notes)
    notes = reading.notes
    root = document.root
    operations: Node | None = root
    if isinstance(root, Mapping):
        fields = {key: value for key, _, value in root.items}
        reading = reading._replace(language=_text(fields, "language").strip())
        operations = fields.get("operations")
        reading.about.append(_text(fields, "description").strip())
        for key, line, value in root.items:
            items = value.items if isinstance(value, Sequence) else ()
            if key not in _ROOT_KEYS and any(isinstance(item, Mapping) and item.get("op") for item in items):
                detail = f"there are operations below `{key}`, outside `operations:`"
                advice = "Put all operations in one list below `operations:`."
                reading.problems.append(Problem("bad_patch", detail, patch_line=line, advice=advice))
            elif key not in _ROOT_KEYS:
                _pass_over(key, line, value, reading)
    elif isinstance(root, Sequence):
        notes.append(Note("the list of operations has no `operations:` above it", patch_line=root.line))
    if isinstance(operations, Sequence) and operations.items:
        return [op for item in operations.items if (op := _operation(item, reading)) is not None]
    if not document.problems:
        advice = "List each operation below `operations:`, beginning with `- path: …`."
        line = operations.line if operations is not None else body.first
        detail = "`operations` is missing" if operations is None else "`operations` is not a list of operations"
        reading.refuse(line, detail, advice)
    return []


def _pass_over(key: str, line: int, value: Node, reading: Reading) -> None:
    """Note an unknown field, or refuse one without which the operation isn't what is meant: `dry_run: true`."""
    said = value.text.strip() if isinstance(value, Scalar) else ""
    is_pattern = plain(key) in keys_of("mode") and said in ("true", "regex")
    if is_pattern or withholds(key, said) or puts_beside(key, said):
        reading.refuse(
            line, f"`{key}: {said}` is not known, and changes what is meant", "Leave it or the operation out."
        )
    else:
        reading.notes.append(_unknown(key, line))


def _unknown(key: str, line: int) -> Note:
    return Note(f"the unknown field `{key}` was skipped", patch_line=line)


# ── one operation ────────────────────────────────────────────────────────────────────────────────


class Fields(NamedTuple):
    """An operation's fields as text, None where a field isn't there."""

    line: int
    name: str
    path: str
    marker: list[str] | None
    before: list[str]
    after: list[str]
    payload: list[str] | None
    indent: str


def _operation(node: Node, reading: Reading) -> Op | None:
    """One operation, or None with the problems recorded."""
    if not isinstance(node, Mapping):
        reading.refuse(node.line, "an operation must be a mapping of fields", "Write `- path: …`.")
        return None
    count = len(reading.problems)
    values = {}
    for key, line, value in node.items:
        values[key] = value
        if key not in _KEYS:
            _pass_over(key, line, value, reading)
        elif type(value) is not Scalar and key != "options":
            reading.refuse(line, f"`{key}` must be text", f"Write `{key}: |-` and the text below it.")
    op = _text(values, "op")
    name = op if op in OPERATIONS else _name(node, op, reading)
    path = _text(values, "path").strip()
    if not path:
        reading.refuse(node.line, "the operation has no `path`", "Add `path:` with the file's path.")
    if name is None or len(reading.problems) > count:
        return None
    symbol = _text(values, "symbol").strip()
    part = next((key for key in values if POSITION.fullmatch(plain(key))), "")
    if part and name in ("create_file", "delete_file"):
        reading.refuse(node.line, f"`{name}` applies to a file, not to `{part}` of it", f"Leave `{part}` out.")
    if symbol and name in ("create_file", "delete_file"):
        reading.refuse(node.line, f"`{name}` applies to a file, not to a `symbol`", "Leave `symbol` out.")
    fields = Fields(
        node.line, name, f"{path}#{symbol}" if symbol else path, _lines(values, "marker"),
        _lines(values, "before") or [], _lines(values, "after") or [], _lines(values, "payload"),
        _indent(values["options"], reading) if "options" in values else "marker",
    )  # fmt: skip
    _require(values, fields, reading)
    return None if len(reading.problems) > count else _built(fields, reading)


def _name(node: Mapping, op: str, reading: Reading) -> str | None:
    written = op.strip()
    name = written.replace("-", "_")
    name = _SYNONYMS.get(name, name)
    if name in OPERATIONS:
        return name
    if not written:
        reading.refuse(node.line, "the operation has no `op`", f"Add one of: {', '.join(OPERATIONS)}.")
    elif name in _REMOVED:
        reading.refuse(node.line, f"`{written}` is no longer an operation", f"Use `{_REMOVED[name]}`.")
    else:
        near = close_names(name.lower(), OPERATIONS)
        advice = f"Did you mean `{near[0]}`?" if near else f"The operations are: {', '.join(OPERATIONS)}."
        reading.refuse(node.line, f"`{written}` is not a CHUNK operation", advice)
    return None


def _require(values: dict[str, Node], fields: Fields, reading: Reading) -> None:
    """Record what the operation lacks."""
    kind = OPERATIONS[fields.name]
    needs_marker = "-" in kind.tags or " " in kind.tags
    if needs_marker and not (fields.marker and "".join(fields.marker).strip(BLANK)):
        lack = "has no `marker`" if fields.marker is None else "has a blank `marker`"
        reading.refuse(fields.line, f"`{fields.name}` {lack}", "Add `marker: |-` with lines from the file.")
    if kind.payload and fields.payload is None:
        advice = 'Add `payload: |-` with the new text; `payload: ""` if it is to be empty.'
        reading.refuse(fields.line, f"`{fields.name}` has no `payload`", advice)
    if not kind.payload and "payload" in values:
        reading.notes.append(Note(f"`{fields.name}` takes no payload; it was skipped", fields.path, fields.line))
    if not needs_marker and not values.keys().isdisjoint(("marker", "before", "after")):
        reading.notes.append(Note(f"`{fields.name}` takes no marker; it was skipped", fields.path, fields.line))


def _indent(options: Node, reading: Reading) -> str:
    if isinstance(options, Scalar) and options.style == "empty":
        return "marker"
    if not isinstance(options, Mapping):
        reading.refuse(options.line, "`options` must be a mapping", "Write `options:` and `indent: none`.")
        return "marker"
    reading.notes.extend(_unknown(f"options.{key}", line) for key, line, _ in options.items if key != "indent")
    value = options.get("indent")
    if value is None:
        return "marker"
    mode = value.text.strip() if isinstance(value, Scalar) else ""
    if mode not in _INDENTS:
        reading.refuse(value.line, f"`{mode}` is not a mode of `options.indent`", f"Use one of: {', '.join(_INDENTS)}.")
    return _INDENTS.get(mode, "marker")


def _text(fields: dict[str, Node], key: str) -> str:
    value = fields.get(key)
    return value.text if isinstance(value, Scalar) else ""


def _lines(values: dict[str, Node], key: str) -> list[str] | None:
    """A field's text as lines, without the line end of the last; None where the field isn't there or says nothing."""
    value = values.get(key)
    if not isinstance(value, Scalar):
        return None
    text, _, style = value
    # Only a new file may be empty by saying nothing.
    makes = key == "payload" and _text(values, "op").strip().replace("-", "_") == "create_file"
    if style == "empty" and not makes:
        return None
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return lines


def _built(fields: Fields, reading: Reading) -> Op:
    kind = OPERATIONS[fields.name]
    if fields.name == "delete_file":
        return Delete(fields.path, fields.line, fields.name, no_file="bad_patch")
    payload = fields.payload or []
    if fields.name == "create_file":
        text = "\n".join(payload) + "\n" if payload else ""
        return Write(fields.path, text, True, fields.line, fields.name)
    if "\r" in "".join(payload):
        payload = [line.rstrip("\r") for line in payload]
    marker = [] if kind.tags == "+" else fields.marker or []
    if " " in kind.tags:
        payload = _without_echo(fields, marker, payload, reading)
    language = reading.language or ("xml" if kind.block == "xml" else "")
    where = Where(
        at_start=fields.name == "prepend_text", at_end=fields.name == "append_text", block=kind.block,
        before=tuple(fields.before) if marker else (), after=tuple(fields.after) if marker else (),
    )  # fmt: skip
    tagged = tuple([(tag, line) for tag in kind.tags for line in (payload if tag == "+" else marker)])
    policy = _policy(fields.indent == "marker", language)
    hunk = signed_hunk(tagged, policy, where if where != ANYWHERE else ANYWHERE, fields.line)
    return Edit(fields.path, (hunk,), fields.line, fields.name)


@cache
def _policy(aligns: bool, language: str) -> MatchPolicy:
    return _POLICY._replace(indents="marker" if aligns else "as-is", language=language)


def _without_echo(fields: Fields, marker: list[str], payload: list[str], reading: Reading) -> list[str]:
    """An insertion's payload without the marker it repeats, if anything is left then."""
    ahead = fields.name == "insert_after_text"
    wanted = [bare for line in marker if (bare := line.strip(BLANK))]
    texts = [(row, bare) for row, line in enumerate(payload) if (bare := line.strip(BLANK))]
    echo = texts[: len(wanted)] if ahead else texts[-len(wanted) :]
    if len(texts) <= len(wanted) or [bare for _, bare in echo] != wanted:
        return payload
    reading.notes.append(Note("the payload repeats the marker; the repetition was dropped", fields.path, fields.line))
    return payload[echo[-1][0] + 1 :] if ahead else payload[: echo[0][0]]


def opens(lines: list[str], row: int) -> str:
    """Whether a document begins at a row, by its root keys or by a list of operations: its format's name."""
    bare = lines[row].lstrip(" \t")
    key = bare.split(":", 1)[0].strip() if ":" in bare[:40] else ""
    key = key[1:-1] if key[:1] in ("'", '"') and key[-1:] == key[:1] else key  # not `"""operations:` of a docstring
    if key == "operations":  # with such a list below: code may speak of operations, too
        below = (line.strip(" \t-{") for line in lines[row : row + 400])
        begins = any(line.startswith(("op:", "'op':")) or '"op":' in line or " op:" in line for line in below)
    elif key in _ROOT_KEYS:
        begins = any(line.lstrip(" \t\"'").startswith("operations") for line in lines[row + 1 : row + 12])
    else:
        keys = {line.strip(" \t-").split(":", 1)[0] for line in lines[row : row + 6]}
        begins = bare.startswith("- ") and {"op", "path"} <= keys
    return "chunk" if begins else ""


def block_end(lines: list[str], row: int, limit: int, fenced: bool) -> int:
    """The row behind the document that begins at a row, without blank lines at its end."""
    depth = len(indent_of(lines[row]))
    keys = (*(f"{key}:" for key in _ROOT_KEYS), "- ", "}", "]")

    def belongs(line: str) -> bool:
        return len(indent_of(line)) > depth or not line.strip() or line.lstrip().startswith(keys)

    return limit if fenced else run_end(lines, row, belongs)

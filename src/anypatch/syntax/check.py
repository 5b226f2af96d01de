"""Check that files which could be parsed still can be after an edit. Pure: a plan in, the plan with notes out.

Python, JSON, TOML and XML are checked by their own parsers, other languages by tree-sitter's grammars. Of a Python file
only the functions or statements around the edit are parsed if that is certain to give the same answer.
"""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple
from xml.parsers.expat import ExpatError, ParserCreate

from ..diff import opcodes, trimmed
from ..model import Move, Note, Outcome, Plan
from ..problems import Near, Problem
from ..text import Text
from .grammars import errors_in, package_of, parsed, parser_of, takes_long
from .languages import PYTHON_DEFINITION, grammar_of, suffix_of

# In "warn" mode no more than this is parsed of all files together: a KiB takes 0.1 to 0.4 ms, and a warning shouldn't
# take much longer than the edit. Python files that are decided by a part of them don't count.
WARN_LIMIT = 64 * 1024
MODES = ("off", "warn", "refuse")
_SHOWN = 3  # lines of the result above and below the error


class Fault(NamedTuple):
    """The first place where a text can't be parsed: its line (1-based), and the parser's message if it has one."""

    line: int
    message: str = ""


def check_syntax(plan: Plan, mode: str, *, partial: bool = False) -> Plan:
    """Return the plan with a note, or a problem if `mode` is "refuse", for each file that would no longer parse.

    It is added to the last operation on the file. A plan with problems is only checked if it is applied in part.
    """
    if mode == "off" or (plan.problems and not partial):
        return plan
    outcomes = list(plan.outcomes)
    left = WARN_LIMIT
    unread = []
    for path, before, after in _changed_files(plan):
        if not _parsers_for(path) or _parses_around_changes(path, before, after):
            continue
        size = max(len(before), len(after))
        if size > left and mode != "refuse":
            unread.append(path)
            continue
        left -= size
        fault = first_new_error(path, before, after)
        package = missing_grammar(path) if mode == "refuse" and not fault else ""
        if fault:
            _add(outcomes, _describe(path, after, fault, mode))
        elif package:
            text = f"not checked whether it parses: that needs the grammar {package}"
            _add(outcomes, Note(text, path, kind="no_grammar"))
    if unread:
        text = f"not checked whether {'it still parses' if len(unread) == 1 else f'{len(unread)} files still parse'}"
        _add(outcomes, Note(f"{text}: more than {WARN_LIMIT // 1024} KiB to check", unread[0], kind="not_checked"))
    return plan._replace(outcomes=tuple(outcomes))


def _changed_files(plan: Plan) -> Iterator[tuple[str, bytes, bytes]]:
    """Yield (path, before, after) of every file that is changed and existed before, maybe under another name."""
    deleted = {change.path: change.before for change in plan.changes if change.after is None}
    origins: dict[str, str] = {}
    for outcome in plan.outcomes:
        if isinstance(outcome.op, Move):
            origins[outcome.op.to] = origins.get(outcome.path, outcome.path)
    for change in plan.changes:
        before, after = change.before or deleted.get(origins.get(change.path, "")), change.after
        if before and after and not before.is_link and not after.is_link and before.data != after.data:
            yield change.path, before.data, after.data


def _describe(path: str, after: bytes, fault: Fault, mode: str) -> Note | Problem:
    detail = f"the first error is on line {fault.line}" + (f": {fault.message}" if fault.message else "")
    if mode == "warn":
        return Note(f"it parsed before and no longer does: {detail}", path, line=fault.line, kind="syntax")
    first = max(fault.line - 1 - _SHOWN, 0)
    near = Near(first + 1, tuple(Text.read(after).lines[first : fault.line + _SHOWN]), "the result would be")
    return Problem("syntax", detail, path, line=fault.line, near=(near,))


def _add(outcomes: list[Outcome], finding: Note | Problem) -> None:
    """Add a note or problem to the last operation on its file; every changed file has one."""
    at = max((at for at, outcome in enumerate(outcomes) if finding.path in _paths_of(outcome)), default=-1)
    outcome = outcomes[at]
    if isinstance(finding, Note):
        outcomes[at] = outcome._replace(notes=(*outcome.notes, finding))
    else:
        problem = finding._replace(patch_line=outcome.op.patch_line, op=outcome.number)
        outcomes[at] = outcome._replace(problems=(*outcome.problems, problem))


def _paths_of(outcome: Outcome) -> tuple[str, ...]:
    return (outcome.path, outcome.op.to) if isinstance(outcome.op, Move) else (outcome.path,)


# ── verdicts ─────────────────────────────────────────────────────────────────────────────────────


_OWN_PARSERS = {"py": "python", "pyi": "python", "pyw": "python", "json": "json", "ipynb": "json", "toml": "toml"}


def first_new_error(path: str, before: bytes, after: bytes) -> Fault | None:
    """Return the first error of a text that had none before; None if there is none, or if nobody can tell."""
    start, _, _, end = trimmed(before, after)
    for parser in _parsers_for(path):
        try:
            if parser not in _PARSERS and _is_slow(parser, after[start:end]):
                continue
            fault = _verdict(parser, after)
            if fault is None:
                return None
            if _verdict(parser, before) is None:
                changed = _line_of(after, start)  # the lines above were parsed without an error
                return fault if fault.message else fault._replace(line=max(fault.line, changed))
        except Exception:  # noqa: S112 - parsers raise anything: expat a ValueError for encoding="GB2312", tomllib one
            continue  # for a number of 5,000 digits, Python's a MemoryError for 100,000 signs in a row
    return None


def missing_grammar(path: str) -> str:
    """Return the package that would be needed to check a file; "" if it is installed, or if none is known."""
    grammar = grammar_of(path)
    return "" if grammar in ("", "python", "xml") or parser_of(grammar) else package_of(grammar)


def _parsers_for(path: str) -> list[str]:
    """Return who parses a file, the strictest first; the next one is asked if the old text doesn't pass."""
    grammar = grammar_of(path)
    own = "xml" if grammar == "xml" else _OWN_PARSERS.get(suffix_of(path), "")
    return [parser for parser in (own, f"{grammar} grammar" if grammar else "") if parser]


def _is_slow(parser: str, changed: bytes) -> bool:
    """Return True if the part of a text that changed takes far too long to parse."""
    tree_parser = parser_of(parser.removesuffix(" grammar"))
    return tree_parser is not None and takes_long(tree_parser, changed)


_LARGE = 1 << 20  # bytes


def _verdict(parser: str, data: bytes) -> Fault | None:
    return _kept_verdict(parser, data) if len(data) <= _LARGE else _new_verdict(parser, data)


def _new_verdict(parser: str, data: bytes) -> Fault | None:
    return _PARSERS[parser](data) if parser in _PARSERS else _tree_fault(parser.removesuffix(" grammar"), data)


# Agents check what they then apply, and edit what they have just edited.
_kept_verdict = lru_cache(maxsize=16)(_new_verdict)


# ── parsers ──────────────────────────────────────────────────────────────────────────────────────


# A line that may need a newer Python than this one: `type A = int`, `def f[T](x):`, `t"…"`, `except A, B:`. Only for
# such lines the grammar is asked: it also accepts `a <> b`, `raise E, "why"`, `def f(a, (b, c)):`.
_NEWER_PYTHON = (
    rb"[ \t]*(?:type[ \t]+\w+[ \t]*[=\[]|" + PYTHON_DEFINITION.encode() + rb"[ \t]*\[)"
    rb"""|.*(?<!\w)(?:[tT][rR]?|[rR][tT])["']|[ \t]*except\b[^:\n]*,[^:\n]*:(?!.*\bas\b)"""
)
# `compile` repeats a `finally` block for each way that leads into it: 69 KB of `return` inside `try` take 24 s. If they
# may become more bytes than this, only the parser runs, which doesn't notice a `return` outside a function.
_MOST_UNFOLDED = 1 << 26
# The time that tomllib takes grows with the square of the names in a key: 20,000 take 6 s.
_KEY = rb"""(?:[\w-]++|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')"""
_LONG_KEY = rb"(?<![\w-])%s(?:[ \t]*+\.[ \t]*+%s){100}" % (_KEY, _KEY)


def _python_fault(data: bytes) -> Fault | None:
    error = _python_error(data)
    if error is None or (_may_be_newer(data, error) and parser_of("python") and _tree_fault("python", data) is None):
        return None
    return Fault(error.lineno or _line_of(data, data.find(b"\0")), error.msg or "invalid syntax")


def _python_error(data: bytes) -> SyntaxError | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if _unfolds(data):
                from symtable import symtable

                symtable(data, "<text>", "exec")  # type: ignore[arg-type]  # it takes bytes, too
            else:
                compile(data, "<text>", "exec", dont_inherit=True)
    except SyntaxError as error:
        return error
    except ValueError:
        if b"\0" not in data:
            raise
        return SyntaxError("null bytes")
    return None


def _may_be_newer(data: bytes, error: SyntaxError) -> bool:
    """Return True if a newer Python may accept the line with the error; f-strings can hold more since 3.12."""
    if type(error) is not SyntaxError or "f-string" in (error.msg or ""):
        return type(error) is SyntaxError
    line = data.split(b"\n")[max((error.lineno or 1) - 1, 0) :][:1]
    return bool(line and re.match(_NEWER_PYTHON, line[0]))


def _unfolds(data: bytes) -> bool:
    """Return True if the `finally` blocks of a text may become far too much code, however they are nested."""
    blocks = min(data.count(b"finally"), 30)
    ways = sum(data.count(word) for word in (b"return", b"break", b"continue")) + 2
    return blocks > 0 and len(data) * ways << (blocks - 1) > _MOST_UNFOLDED


def _json_fault(data: bytes) -> Fault | None:
    try:
        json.loads(data)
    except json.JSONDecodeError as error:
        # {"a": 1,⏎}: up to Python 3.12 the bracket is blamed, later the comma before it.
        before, closing = error.doc[: error.pos].rstrip(), error.doc[error.pos : error.pos + 1]
        if before.endswith(",") and closing in ("}", "]"):
            container = "object" if closing == "}" else "array"
            return Fault(before.count("\n") + 1, f"Illegal trailing comma before end of {container}")
        return Fault(error.lineno, error.msg)
    except UnicodeDecodeError as error:
        return Fault(_line_of(data, error.start), error.reason)
    return None


def _toml_fault(data: bytes) -> Fault | None:
    from tomllib import TOMLDecodeError, loads

    if data.count(b".") > 100 and re.search(_LONG_KEY, data):
        return None
    try:
        loads(data.decode().replace("\r\n", "\n"))
    except TOMLDecodeError as error:
        message, _, place = str(error).partition(" (at line ")
        number = place.split(",")[0]
        return Fault(int(number) if number.isdigit() else data.count(b"\n") + 1, message)
    except UnicodeDecodeError as error:
        return Fault(_line_of(data, error.start), error.reason)
    return None


def _xml_fault(data: bytes) -> Fault | None:
    if b"<!ENTITY" in data.replace(b"\0", b""):  # entities may unfold without end; the text may be UTF-16
        return _tree_fault("xml", data)
    parser = ParserCreate()
    try:
        parser.Parse(data, True)
    except ExpatError as error:
        return Fault(error.lineno, str(error).partition(":")[0])
    return None


def _tree_fault(grammar: str, data: bytes) -> Fault | None:
    """Return the first error of a tree. C and C++ pass if they have none without their macros."""
    data = data if b"\n" in data else data.replace(b"\r", b"\n")
    tree = parsed(grammar, data)
    if tree is None:
        return None
    also_errors = ("erroneous_end_tag",) if grammar == "html" else ()
    errors = errors_in(tree.root_node, also=also_errors) if tree.root_node.has_error or also_errors else []
    if errors and grammar in ("c", "cpp"):
        from .declarations import best_tree

        root = best_tree(grammar, data)[0]
        errors = errors if root is not None and root.has_error else []
    return Fault(min(node.start_point[0] for node in errors) + 1) if errors else None


def _line_of(data: bytes, at: int) -> int:
    return data[: max(at, 0)].count(b"\n") + 1


_PARSERS = {"python": _python_fault, "json": _json_fault, "toml": _toml_fault, "xml": _xml_fault}


# ── the part of a Python file that an edit can make unreadable ───────────────────────────────────

# Lines that begin a statement wherever brackets and strings are closed, and that can't be inside a bracket.
_HEADER = PYTHON_DEFINITION.encode()
_STATEMENT = _HEADER + rb"|(?:import|with|while)[ \t]|from[ \t]+[\w.]+[ \t]+import[ \t]"
# A text in which every string is closed.
_CLOSED = (
    rb"""(?:[^#'"\\]++|\\.|#[^\n]*+|"(?!"")[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"|'(?!'')[^'\\\n]*+(?:\\.[^'\\\n]*+)*+'"""
    rb"""|\"\"\"[^"\\]*+(?:(?:\\.|"(?!""))[^"\\]*+)*+\"\"\"|'''[^'\\]*+(?:(?:\\.|'(?!''))[^'\\]*+)*+''')*+"""
)
_DEEPEST = 20  # columns; Python allows a hundred levels of indentation
_MOST_CHANGES = 20  # that are looked at one by one


def _parses_around_changes(path: str, before: bytes, after: bytes) -> bool:
    """Return True if the Python statements around every change can be parsed alone: then there is no new error.

    False says nothing about the file.
    """
    if grammar_of(path) != "python" or _is_unusual(before) or _is_unusual(after):
        return False
    try:
        parts = _parts_around(before, after)
        return parts is not None and not any(map(_python_error, parts))
    except Exception:  # see `first_new_error`
        return False


def _is_unusual(data: bytes) -> bool:
    """Return True if a text has lines that end with CR alone, or names its encoding."""
    return data.count(b"\r") != data.count(b"\r\n") or b"coding" in data[:400]


def _parts_around(before: bytes, after: bytes) -> Iterable[bytes] | None:
    """Return what surrounds each change, as it was and as it is; None if that isn't certain, or as long as the file.

    One change after another is made: if none of them brings an error into a text without any, all of them don't.
    """
    text, begins, parts = before, list[int](), dict[bytes, None]()
    for step in _steps(before, after):
        part = _part(text, step)
        if part is None:
            return None
        begins.append(part[0])
        parts.update(dict.fromkeys(part[1:]))
        if sum(map(len, parts)) > len(after):
            return None
        text = step
    begins.sort()  # what is above a part is as it was before: the changes below were made first
    is_closed = re.compile(_CLOSED, re.DOTALL).fullmatch
    if text != after or not all(is_closed(before, start, end) for start, end in pairwise([0, *begins])):
        return None
    return parts


def _steps(before: bytes, after: bytes) -> Iterator[bytes]:
    """Yield the texts on the way from one to the other, a change at a time, the last change first; none if too many."""
    first, last, _, _ = trimmed(before, after)
    start = before.rfind(b"\n", 0, first) + 1
    end = before.find(b"\n", last) + 1 or len(before)
    tail = before[end:]
    old, new = (text[start : len(text) - len(tail)].splitlines(keepends=True) for text in (before, after))
    changes = opcodes(old, new)
    for first, last, new_first, new_last in reversed(changes if len(changes) <= _MOST_CHANGES else []):
        old[first:last] = new[new_first:new_last]
        yield before[:start] + b"".join(old) + tail


def _part(before: bytes, after: bytes) -> tuple[int, bytes, bytes] | None:
    """Return where the part around one change begins, as it was, and as it is; None if it can't be parsed alone.

    If both can be parsed, and no string is open above, the change brings no error.

        class Cart:
            def add(self, x):        ← the part begins: the nearest header that is less indented than all that changed
                self.x = x
        -       return x
        +       return self
                                     ← and ends before the first line that isn't deeper than the header
            def total(self): …

    All around it is the same, byte for byte. Above it no bracket is open, since none can hold a header. Both parts,
    which are whole statements by themselves, end in the same state, so that what follows is parsed as before.
    """
    start, _, _, stop = trimmed(before, after)
    row, shift = after.rfind(b"\n", 0, start) + 1, len(before) - len(after)
    if any(at and text[at - 1] != 10 for text, at in ((after, stop), (before, stop + shift))):
        stop = after.find(b"\n", stop) + 1 or len(after)
    changed = [*before[row : stop + shift].split(b"\n"), *after[row:stop].split(b"\n")]
    begin, depth = _part_begin(after, row, min([_depth(line) for line in changed if _is_code(line)], default=1 << 30))
    end = _part_end(after, stop, depth)
    if len(after[begin:end]) > len(after) // 2 or not _stands_alone(before, after, (begin, end), depth):
        return None
    frame = b"from __future__ import annotations\n" if after.find(b"__future__", 0, begin) >= 0 else b""
    frame += b"if 1:\n" if depth > 0 else b""
    return begin, frame + before[begin : end + shift], frame + after[begin:end]


def _stands_alone(before: bytes, after: bytes, span: tuple[int, int], depth: int) -> bool:
    """Return False if what is around a part may decide whether it can be parsed."""
    begin, end = span
    part = after[begin:end]
    if max(before.rfind(b"__future__"), after.rfind(b"__future__")) >= begin:  # such imports must come first
        return False
    # The scopes around decide if a name may be nonlocal, global or assigned by `:=`.
    if (depth > 0 and (b"nonlocal" in part or b":=" in part)) or (b"global" in after and (depth < 0 or b":=" in part)):
        return False
    continues = after[max(begin - 3, 0) : begin].rstrip(b"\r\n").endswith(b"\\")
    return depth <= _DEEPEST and not continues


def _part_begin(text: bytes, row: int, least: int) -> tuple[int, int]:
    """Return where the nearest header above that is less indented than `least` and all between begins, and its depth.

    If there is none: the nearest line that surely is a statement, and the depth -1.
    """
    at = row
    while at and least:
        at = text.rfind(b"\n", 0, at - 1) + 1
        line = text[at : at + 400].partition(b"\n")[0]
        if _is_code(line) and (depth := _depth(line)) < least:
            least = depth
            if re.match(_HEADER, line.lstrip(b" \t")):
                return at, depth
    statement = re.compile(_STATEMENT)
    while at and not statement.match(text, at):
        at = text.rfind(b"\n", 0, at - 1) + 1
    return at, -1


def _part_end(text: bytes, stop: int, depth: int) -> int:
    """Return where the next statement begins that isn't deeper, a clause, the end of a bracket, or decorated."""
    above = text[max(stop - 400, 0) : stop].rstrip().rpartition(b"\n")[2].lstrip()
    while stop < len(text):
        line = text[stop : stop + 400].partition(b"\n")[0]
        if _is_code(line):
            bare = line.lstrip()
            goes_on = bare[:1] in b")]}" or above[:1] == b"@" or (above[:1] == b")" and bare[:1] in b"@dca")
            is_clause = depth < 0 and line.startswith((b"el", b"except", b"finally"))
            if _depth(line) <= max(depth, 0) and not is_clause and not goes_on:
                break
            above = bare
        stop = text.find(b"\n", stop) + 1 or len(text)
    return stop


def _is_code(line: bytes) -> bool:
    bare = line.strip()
    return bool(bare) and not bare.startswith(b"#")


def _depth(line: bytes) -> int:
    return len(line[: len(line) - len(line.lstrip(b" \t"))].expandtabs(8))

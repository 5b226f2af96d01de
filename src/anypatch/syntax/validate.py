"""Does a file that could be read as its language still do so after an edit? Pure: a plan in, a plan with notes out.

Python, JSON, TOML and XML are asked of the readers that decide on them; the others of tree-sitter's grammars. Of YAML
only the indentation is looked at. Of Python only the function or statements around the edit are read where that is
certain to tell the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import NamedTuple

from ..diff import opcodes, trimmed
from ..model import Move, Note, Outcome, Plan
from ..problems import Near, Problem
from ..text import Text
from .languages import grammar_of, suffix_of

# "warn" reads no more than this of all files together: a KiB costs 0.1 to 0.4 ms, and a warning may not cost much more
# than the edit. What needs no whole reading doesn't count.
USUAL = 64 * 1024
MODES = ("off", "warn", "refuse")
_SHOWN = 3  # lines of the result above and below the error


def validated(made: Plan, syntax: str, *, partial: bool = False) -> Plan:
    """The plan with what was found at the last operation on each file: a note, or a problem where `syntax` is "refuse".

    A plan that comes to nothing passes. What "warn" leaves out is told.
    """
    if syntax == "off" or (made.problems and not partial):
        return made
    pairs = _pairs(made)
    outcomes = list(made.outcomes)
    left = USUAL
    unread = []
    for path, before, after in pairs:
        if not _readers(path) or _reads_around(path, before, after):
            continue
        left -= max(len(before), len(after))
        if left < 0 and syntax != "refuse":
            left += max(len(before), len(after))
            unread.append(path)
            continue
        fault = _new_error(path, before, after)
        package = missing_grammar(path) if syntax == "refuse" and not fault else ""
        if fault:
            _add(outcomes, _told(path, after, fault, syntax))
        elif package:
            told = f"not checked whether it parses: that needs the grammar {package}"
            _add(outcomes, Note(told, path, kind="no_grammar"))
    if unread:
        told = f"not checked whether {'it still parses' if len(unread) == 1 else f'{len(unread)} files still parse'}"
        _add(outcomes, Note(f"{told}: more than {USUAL // 1024} KiB to check", unread[0], kind="not_checked"))
    return made._replace(outcomes=tuple(outcomes))


def _pairs(made: Plan) -> list[tuple[str, bytes, bytes]]:
    """(path, before, after) of every file that is changed and was there before, be it under another name."""
    gone = {change.path: change.before for change in made.changes if change.after is None}
    origins: dict[str, str] = {}
    for outcome in made.outcomes:
        if isinstance(outcome.op, Move):
            origins[outcome.op.to] = origins.get(outcome.path, outcome.path)
    found = []
    for change in made.changes:
        before = change.before or gone.get(origins.get(change.path, ""))
        if not before or not change.after or before.is_link or change.after.is_link:
            continue
        if before.data != change.after.data:
            found.append((change.path, before.data, change.after.data))
    return found


def _told(path: str, after: bytes, fault: Fault, syntax: str) -> Note | Problem:
    """What is said of an error."""
    detail = f"the first error is on line {fault.line}" + (f": {fault.words}" if fault.words else "")
    if syntax == "warn":
        return Note(f"it parsed before and no longer does: {detail}", path, line=fault.line, kind="syntax")
    first = max(fault.line - 1 - _SHOWN, 0)
    near = Near(first + 1, tuple(Text.read(after).lines[first : fault.line + _SHOWN]), "the result would be")
    return Problem("syntax", detail, path, line=fault.line, near=(near,))


def _add(outcomes: list[Outcome], said: Note | Problem) -> None:
    """Say something at the last operation on a file; every changed file has one."""
    on = [at for at, one in enumerate(outcomes) if said.path in (one.path, isinstance(one.op, Move) and one.op.to)]
    at = on[-1] if on else -1
    one = outcomes[at]
    if isinstance(said, Note):
        outcomes[at] = one._replace(notes=(*one.notes, said))
    else:
        problem = said._replace(patch_line=one.op.patch_line, op=one.number)
        outcomes[at] = one._replace(problems=(*one.problems, problem))


# ── verdicts ─────────────────────────────────────────────────────────────────────────────────────


# A line that may be of a newer Python than this one: `type A = int`, `def f[T](x):`, `t"…"`, `except A, B:`. A grammar
# that knows them is asked then, and of no other line: it also reads `a <> b`, `raise E, "why"`, `def f(a, (b, c)):`.
_NEWER = (
    rb"""[ \t]*type[ \t]+\w+[ \t]*[=\[]|[ \t]*(?:async[ \t]+)?(?:def|class)[ \t]+\w+[ \t]*\["""
    rb"""|.*(?<!\w)(?:[tT][rR]?|[rR][tT])["']|[ \t]*except\b[^:\n]*,[^:\n]*:(?!.*\bas\b)"""
)

# Only `compile` tells whether these stand where they may.
_PLACED = (b"return", b"break", b"continue", b"yield", b"await", b"async", b"__future__", b"nonlocal", b"*")
# `compile` writes a `finally` block out again for every way that leads into it, and blocks inside blocks each time:
# twenty of them inside one another are a million. From so many bytes on only the parser is asked.
_UNFOLDED = 1 << 24
_FINALLY = rb"(?m)^([ \t]*)finally\b.*\n?((?:\1[ \t].*\n?|[ \t]*\n)*)"
# tomllib's time grows with the square of a key's names: 20,000 take 6 s.
_NAME = rb"""(?:[\w-]++|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')"""
_LONG_KEY = rb"(?<![\w-])%s(?:[ \t]*+\.[ \t]*+%s){100}" % (_NAME, _NAME)


class Fault(NamedTuple):
    """The first place where a text can't be read: its line (1-based) and the reader's own words."""

    line: int
    words: str = ""


def first_new_error(path: str, before: bytes, after: bytes) -> Fault | None:
    """The first error of a text that had none before; None where there is none, or where nobody can tell."""
    return None if _reads_around(path, before, after) else _new_error(path, before, after)


def breaks(path: str, before: bytes, after: bytes) -> bool:
    """Whether a text has a new error. One in a function that could be read by itself counts in any text."""
    reads = _reads_around(path, before, after)
    return _new_error(path, before, after) is not None if reads is None else not reads


def _new_error(path: str, before: bytes, after: bytes) -> Fault | None:
    start, _, _, end = trimmed(before, after)
    for reader in _readers(path, after[start:end]):
        try:
            fault = reader(after)
            if fault is None:
                return None
            if reader(before) is None:
                first = _line_of(after, start)  # what stands above was read without an error
                return fault if fault.words else fault._replace(line=max(fault.line, first))
        except Exception:  # noqa: S112 - readers raise what they like: expat a ValueError for encoding="GB2312",
            continue  # tomllib one for a number of 5,000 digits; to them the text is then one that nobody can tell of
    return None


def readable(path: str, before: bytes, afters: list[bytes]) -> list[bool]:
    """Whether each of some texts can be read, by the strictest reader; [] where that doesn't read the text before.

    Of Python that is Python itself: its grammar also reads lines without their indentation, and headers without a body.
    """
    readers = _readers(path, strict=True)
    try:
        if not readers or readers[0](before) is not None:
            return []
        return [_reads_around(path, before, after) or readers[0](after) is None for after in afters]
    except Exception:  # as above: Python's parser raises a MemoryError for a row of 100,000 signs
        return []


def missing_grammar(path: str) -> str:
    """The package without which a file can't be read; "" where none is missing or none is known."""
    from .grammars import package_of

    grammar = grammar_of(path)
    return "" if grammar in ("", "python", "xml") or _has_grammar(grammar) else package_of(grammar)


def _readers(path: str, new: bytes = b"", *, strict: bool = False) -> list[Callable[[bytes], Fault | None]]:
    """Who reads a file, the strictest first; the next one is asked where the file as it was doesn't pass.

    `new`: the part of it that changed. `strict`: nothing that this Python doesn't know passes.
    """
    grammar = grammar_of(path)
    name = {"json": "json", "ipynb": "json", "toml": "toml"}.get(suffix_of(path), grammar)
    if suffix_of(path) in ("yaml", "yml") and not strict:
        name = "yaml"  # of depths alone, which is no proof that it can be read
    own = {"json": _json, "toml": _toml, "python": _python, "xml": _xml, "yaml": _yaml}.get(name)
    if name == "python" and strict:
        name, own = "python alone", lambda data: _python(data, strict=True)
    readers = [lambda data: _kept(name, own, data)] if own else []
    if grammar:
        readers.append(lambda data: _kept(f"{grammar} tree", lambda it: _tree(grammar, it, new), data))
    return readers


_verdicts: dict[tuple[str, bytes], Fault | None] = {}
_KEPT, _LARGE = 16, 1 << 20  # texts, and the bytes of one


def _kept(name: str, reader: Callable[[bytes], Fault | None], data: bytes) -> Fault | None:
    """A verdict, kept for the next time: an agent checks what it then applies, and edits what it has just edited."""
    key = (name, data)
    if key not in _verdicts:
        fault = reader(data)
        if len(data) > _LARGE:
            return fault
        if len(_verdicts) >= _KEPT:
            _verdicts.clear()
        _verdicts[key] = fault
    return _verdicts[key]


# ── the part of a Python file that an edit can make unreadable ───────────────────────────────────

# Lines that begin a statement wherever brackets and strings are closed, and that no bracket can hold.
_HEADER = rb"([ \t]*)(?:(?:async[ \t]+)?def|class)[ \t]"
_STATEMENT = rb"(?:(?:async[ \t]+)?def|class|import|with|while)[ \t]|from[ \t]+[\w.]+[ \t]+import[ \t]"
# A text in which every string is closed.
_CLOSED = (
    rb"""(?:[^#'"\\]++|\\.|#[^\n]*+|"(?!"")[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"|'(?!'')[^'\\\n]*+(?:\\.[^'\\\n]*+)*+'"""
    rb"""|\"\"\"[^"\\]*+(?:(?:\\.|"(?!""))[^"\\]*+)*+\"\"\"|'''[^'\\]*+(?:(?:\\.|'(?!''))[^'\\]*+)*+''')*+"""
)
_DEEP = 20  # columns; Python allows a hundred levels of indentation
_CHANGES = 20  # that are looked at one by one


def _reads_around(path: str, before: bytes, after: bytes) -> bool | None:
    """Whether what surrounds each change can still be read, where it can be read by itself; None where nobody can tell.

    Then a file has no new error. One change after another: if none brings an error into a text without any, all of
    them don't. That it has one is told of a single change only, as a second may mend what the first breaks.
    """
    lone_cr = any(b"\r" in text and text.count(b"\r") != text.count(b"\r\n") for text in (before, after))
    if grammar_of(path) != "python" or lone_cr or b"coding" in before[:400] or b"coding" in after[:400]:
        return None
    closed = re.compile(_CLOSED, re.DOTALL)
    text, begins, parts = before, list[int](), dict[bytes, None]()
    for step in _steps(before, after):
        part = _part(text, step)
        if part is None:
            return None
        begins.append(part[0])
        parts.update(dict.fromkeys(part[1:]))
        if sum(map(len, parts)) > len(after):  # reading all would be less
            return None
        text = step
    begins.sort()  # what stands above a part is as it was before: the changes below were made first
    if not all(closed.fullmatch(before, start, end) for start, end in pairwise([0, *begins])):
        return None
    try:
        faults = [_python(part, strict=True) for part in parts]
        if len(faults) == 2 and not faults[0] and faults[1]:
            return False if _python([*parts][1]) else None
    except Exception:
        return None
    return True if text == after and not any(faults) else None


def differing(one: bytes, two: bytes) -> tuple[bytes, bytes]:
    """Of two Python texts that can be read, the statements around all that differs; else the texts themselves."""
    part = _part(one, two)
    if part is None or not re.compile(_CLOSED, re.DOTALL).fullmatch(one, 0, part[0]):
        return one, two
    return part[1:]


def _steps(before: bytes, after: bytes) -> Iterator[bytes]:
    """The texts on the way from one to the other, a change at a time, the last change first; none if they are many."""
    first, last, _, _ = trimmed(before, after)
    start = before.rfind(b"\n", 0, first) + 1
    end = before.find(b"\n", last) + 1 or len(before)
    tail = before[end:]
    old, new = (text[start : len(text) - len(tail)].splitlines(keepends=True) for text in (before, after))
    changes = opcodes(old, new)
    for first, last, new_first, new_last in reversed(changes if len(changes) <= _CHANGES else []):
        old[first:last] = new[new_first:new_last]
        yield before[:start] + b"".join(old) + tail


def _part(before: bytes, after: bytes) -> tuple[int, bytes, bytes] | None:
    """What surrounds one change, as it was and as it is, and where it begins; None: nobody can tell.

    If both read alone, and no string is open above, the change brings no error.

        class Cart:
            def add(self, x):        ← the part begins: the nearest header that is less indented than all that changed
                self.x = x
        -       return x
        +       return self
                                     ← and ends before the first line that isn't deeper than the header
            def total(self): …

    All around it is the same, byte for byte. Above it no bracket is open, since none holds a header. Both parts, which
    are whole statements by themselves, end in the same state, so that what follows is read as before.
    """
    start, _, _, stop = trimmed(before, after)
    row, shift = after.rfind(b"\n", 0, start) + 1, len(before) - len(after)
    if any(at and text[at - 1] != 10 for text, at in ((after, stop), (before, stop + shift))):
        stop = after.find(b"\n", stop) + 1 or len(after)
    changed = [*before[row : stop + shift].split(b"\n"), *after[row:stop].split(b"\n")]
    begin, depth = _part_begin(after, row, min([_depth(line) for line in changed if _is_code(line)], default=1 << 30))
    end = _part_end(after, stop, depth)
    old, new = before[begin : end + shift], after[begin:end]
    if len(new) > len(after) // 2 or depth > _DEEP:
        return None
    if max(before.rfind(b"__future__"), after.rfind(b"__future__")) >= begin:  # such an import stands above all others
        return None
    if after[max(begin - 3, 0) : begin].rstrip(b"\r\n").endswith(b"\\"):
        return None
    # what a name may be in a part can hang on the scopes around it
    if (depth > 0 and (b"nonlocal" in new or b":=" in new)) or (b"global" in after and (depth < 0 or b":=" in new)):
        return None
    frame = b"from __future__ import annotations\n" if after.find(b"__future__", 0, begin) >= 0 else b""
    frame += b"if 1:\n" if depth > 0 else b""
    return begin, frame + old, frame + new


def _part_begin(text: bytes, row: int, least: int) -> tuple[int, int]:
    """Where the nearest header above a row begins that is less indented than `least` and all between, and its depth.

    Where there is none, the nearest statement that is surely one; its depth is then -1.
    """
    header, statement = re.compile(_HEADER), re.compile(_STATEMENT)
    at = row
    while at and least:
        at = text.rfind(b"\n", 0, at - 1) + 1
        line = text[at : at + 400].partition(b"\n")[0]
        if _is_code(line) and (depth := _depth(line)) < least:
            least = depth
            if header.match(line):
                return at, depth
    while at and not statement.match(text, at):
        at = text.rfind(b"\n", 0, at - 1) + 1
    return at, -1


def _part_end(text: bytes, stop: int, depth: int) -> int:
    """Where the first statement behind a place begins that is no deeper: no clause, no bracket, nothing decorated."""
    above = text[max(stop - 400, 0) : stop].rstrip().rpartition(b"\n")[2].lstrip()
    while stop < len(text):
        line = text[stop : stop + 400].partition(b"\n")[0]
        if _is_code(line):
            bare = line.lstrip()
            goes_on = bare[:1] in b")]}" or above[:1] == b"@" or (above[:1] == b")" and bare[:1] in b"@dca")
            clause = depth < 0 and line.startswith((b"el", b"except", b"finally"))
            if _depth(line) <= max(depth, 0) and not clause and not goes_on:
                break
            above = bare
        stop = text.find(b"\n", stop) + 1 or len(text)
    return stop


def _is_code(line: bytes) -> bool:
    bare = line.strip()
    return bool(bare) and bare[0] != 35


def _depth(line: bytes) -> int:
    return len(line[: len(line) - len(line.lstrip(b" \t"))].expandtabs(8))


# ── the readers ──────────────────────────────────────────────────────────────────────────────────


def _python(data: bytes, *, strict: bool = False) -> Fault | None:
    import warnings
    from _symtable import symtable  # type: ignore[import-not-found]  # the public module loads much more

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if any(word in data for word in _PLACED) and not _unfolds(data):
                compile(data, "<text>", "exec", 0, True)
            else:
                # The parser alone; `compile` would first make every class of `ast`, a tenth of a whole run.
                symtable(data, "<text>", "exec")
    except SyntaxError as error:
        if not strict and _may_be_newer(data, error) and _tree("python", data) is None and _has_grammar("python"):
            return None
        return Fault(error.lineno or _line_of(data, data.find(b"\0")), error.msg or "invalid syntax")
    except ValueError:
        if b"\0" not in data:
            raise
        return Fault(_line_of(data, data.find(b"\0")), "null bytes")
    return None


def _may_be_newer(data: bytes, error: SyntaxError) -> bool:
    """Whether it may be only this Python that doesn't know what it complains of; f-strings hold more since 3.12."""
    if type(error) is not SyntaxError or "f-string" in (error.msg or ""):
        return type(error) is SyntaxError
    line = data.split(b"\n")[max((error.lineno or 1) - 1, 0) :][:1]
    return bool(line and re.match(_NEWER, line[0]))


def _unfolds(data: bytes) -> bool:
    """Whether the `finally` blocks of a text may become far too much code."""
    if b"finally" not in data:
        return False
    ways = sum(data.count(word) for word in (b"return", b"break", b"continue")) + 2
    size = 0
    for block in re.finditer(_FINALLY, data):
        depth = len(set(re.findall(rb"(?m)^([ \t]*)finally\b", block[2])))
        size += len(block[0]) * ways << depth
    return size > _UNFOLDED


def _json(data: bytes) -> Fault | None:
    from json import JSONDecodeError, loads

    try:
        loads(data)
    except JSONDecodeError as error:
        # {"a": 1,⏎}: up to Python 3.12 the bracket is blamed, later the comma in front of it.
        before, closing = error.doc[: error.pos].rstrip(), error.doc[error.pos : error.pos + 1]
        if before.endswith(",") and closing in ("}", "]"):
            what = "object" if closing == "}" else "array"
            return Fault(before.count("\n") + 1, f"Illegal trailing comma before end of {what}")
        return Fault(error.lineno, error.msg)
    except UnicodeDecodeError as error:
        return Fault(_line_of(data, error.start), error.reason)
    return None


def _toml(data: bytes) -> Fault | None:
    from tomllib import TOMLDecodeError, loads

    if data.count(b".") > 100 and re.search(_LONG_KEY, data):
        return None
    try:
        loads(data.decode().replace("\r\n", "\n"))
    except TOMLDecodeError as error:
        words, _, place = str(error).partition(" (at line ")
        number = place.split(",")[0]
        return Fault(int(number) if number.isdigit() else data.count(b"\n") + 1, words)
    except UnicodeDecodeError as error:
        return Fault(_line_of(data, error.start), error.reason)
    return None


def _yaml(data: bytes) -> Fault | None:
    from .yaml_depth import misplaced

    line = misplaced(data.decode().replace("\r\n", "\n"))
    return Fault(line, "its indentation fits nothing above it") if line else None


def _xml(data: bytes) -> Fault | None:
    """Expat, but not for texts with entities of their own, which may unfold without end."""
    if b"<!ENTITY" in data.replace(b"\0", b""):  # it may be UTF-16
        return _tree("xml", data)
    from pyexpat import ExpatError, ParserCreate

    parser = ParserCreate()
    try:
        parser.Parse(data, True)
    except ExpatError as error:
        return Fault(error.lineno, str(error).partition(":")[0])
    return None


def _tree(grammar: str, data: bytes, new: bytes = b"") -> Fault | None:
    """The first error of a tree, without words. C and C++ also count as read where they are without their macros.

    `new`: a part that nobody has read before, and that may take far too long. Where nothing but CR ends lines, it does.
    """
    from .grammars import errors_in, parsed, parser_of, takes_long

    parser = parser_of(grammar)
    if parser is None or takes_long(parser, new):
        return None
    data = data if b"\n" in data else data.replace(b"\r", b"\n")
    tree = parsed(grammar, data)
    odd = ("erroneous_end_tag",) if grammar == "html" else ()
    found = errors_in(tree.root_node, odd=odd) if tree and (tree.root_node.has_error or odd) else []
    if not found:
        return None
    if grammar in ("c", "cpp"):
        from .preprocess import read_well

        root = read_well(grammar, data)[0]
        if root is None or not root.has_error:
            return None
    return Fault(min(node.start_point[0] for node in found) + 1)


def _has_grammar(grammar: str) -> bool:
    from .grammars import parser_of

    return parser_of(grammar) is not None


def _line_of(data: bytes, at: int) -> int:
    return data[: max(at, 0)].count(b"\n") + 1

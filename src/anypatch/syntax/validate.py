"""Does a file that could be read as its language still do so after an edit? Pure: bytes in, the first new error out.

Python, JSON, TOML and XML are asked of the readers that decide on them; the others of tree-sitter's grammars.
"""

from __future__ import annotations

from ..record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


# Without --strict larger files aren't read, nor several that are larger together: a KiB costs 0.1 to 0.4 ms.
USUAL = 64 * 1024
# What an older Python says of syntax that a newer one has; a grammar that knows both is asked then.
_MAY_BE_NEWER = ("invalid syntax", "expected '('", "f-string", "multiple exception types")

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
    for reader in _readers(path, _changed(before, after)):
        try:
            fault = reader(after)
            if fault is None:
                return None
            if reader(before) is None:
                return fault if fault.words else fault._replace(line=max(fault.line, _first_changed(before, after)))
        except Exception:  # noqa: S112 - readers raise what they like: expat a ValueError for encoding="GB2312",
            continue  # tomllib one for a number of 5,000 digits; to them the text is then one that nobody can tell of
    return None


def readable(path: str, before: bytes, afters: list[bytes]) -> list[bool]:
    """Whether each of some texts can be read, by the first reader that reads the text before; [] where none does."""
    for reader in _readers(path):
        try:
            if reader(before) is None:
                return [reader(after) is None for after in afters]
        except Exception:  # noqa: S112 - as above: Python's parser a MemoryError for a row of 100,000 signs
            continue
    return []


def is_source(path: str) -> bool:
    """Whether the gate knows what is written in a file of this name."""
    return next(iter(_readers(path)), None) is not None


def missing_grammar(path: str) -> str:
    """The package without which a file can't be read; "" where none is missing or none is known."""
    from .grammars import package_of
    from .languages import grammar_of

    grammar = grammar_of(path)
    return "" if grammar in ("", "python", "xml") or _has_grammar(grammar) else package_of(grammar)


def _readers(path: str, new: bytes = b"") -> list[Callable[[bytes], Fault | None]]:
    """Who reads a file, the strictest first; the next one is asked where the file as it was doesn't pass.

    `new`: the part of it that changed.
    """
    from .languages import grammar_of

    name = path.lower()
    if name.endswith((".json", ".ipynb")):
        return [_json]
    if name.endswith(".toml"):
        return [_toml]
    grammar = grammar_of(path)
    if not grammar:
        return []
    first = {"python": _python, "xml": _xml}.get(grammar)
    return [*([first] if first else []), lambda data: _tree(grammar, data, new)]


def _python(data: bytes) -> Fault | None:
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
        newer = type(error) is SyntaxError and any(sign in (error.msg or "") for sign in _MAY_BE_NEWER)
        if newer and _tree("python", data) is None and _has_grammar("python"):
            return None
        return Fault(error.lineno or _line_of(data, data.find(b"\0")), error.msg or "invalid syntax")
    except ValueError:
        if b"\0" not in data:
            raise
        return Fault(_line_of(data, data.find(b"\0")), "null bytes")
    return None


def _unfolds(data: bytes) -> bool:
    """Whether the `finally` blocks of a text may become far too much code."""
    if b"finally" not in data:
        return False
    import re

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
        return Fault(error.lineno, error.msg)
    except UnicodeDecodeError as error:
        return Fault(_line_of(data, error.start), error.reason)
    return None


def _toml(data: bytes) -> Fault | None:
    import re
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

    `new`: a part that nobody has read before, and that may take far too long.
    """
    from .grammars import errors_in, parsed, parser_of, takes_long

    parser = parser_of(grammar)
    if parser is None or takes_long(parser, new):
        return None
    tree = parsed(grammar, data)
    odd = ("erroneous_end_tag",) if grammar == "html" else ()
    found = errors_in(tree.root_node, odd=odd) if tree and (tree.root_node.has_error or odd) else []
    if not found:
        return None
    if grammar in ("c", "cpp"):
        from .preprocess import masked

        for less in masked(data):
            tree = parsed(grammar, less)
            if tree and not tree.root_node.has_error:
                return None
    return Fault(min(node.start_point[0] for node in found) + 1)


def _has_grammar(grammar: str) -> bool:
    from .grammars import parser_of

    return parser_of(grammar) is not None


def _changed(before: bytes, after: bytes) -> bytes:
    """What is new in a text: all between what stands in both at the start and at the end."""
    start = _alike(before, after)
    stop = len(after) - _alike(before[start:][::-1], after[start:][::-1])
    return after[start:stop]


def _first_changed(before: bytes, after: bytes) -> int:
    """The first line in which two texts differ: what stands above it was read without an error."""
    return _line_of(after, _alike(before, after))


def _alike(one: bytes, two: bytes) -> int:
    """How many bytes are the same from the first on."""
    low, high = 0, min(len(one), len(two))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[low:middle] == two[low:middle] else (low, middle - 1)
    return low


def _line_of(data: bytes, at: int) -> int:
    return data[: max(at, 0)].count(b"\n") + 1

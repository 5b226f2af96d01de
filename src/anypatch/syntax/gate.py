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


class Fault(NamedTuple):
    """The first place where a text can't be read: its line (1-based) and the reader's own words."""

    line: int
    words: str = ""


def first_new_error(path: str, before: bytes, after: bytes) -> Fault | None:
    """The first error of a text that had none before; None where there is none, or where nobody can tell."""
    for reader in _readers(path):
        fault = reader(after)
        if fault is None:
            return None
        if reader(before) is None:
            return fault if fault.words else fault._replace(line=max(fault.line, _first_changed(before, after)))
    return None


def is_source(path: str) -> bool:
    """Whether the gate knows what is written in a file of this name."""
    return next(iter(_readers(path)), None) is not None


def missing_grammar(path: str) -> str:
    """The package without which a file can't be read; "" where none is missing or none is known."""
    from .grammars import grammar_of, package_of

    grammar = grammar_of(path)
    return "" if grammar in ("", "python", "xml") or _has_grammar(grammar) else package_of(grammar)


def _readers(path: str) -> list[Callable[[bytes], Fault | None]]:
    """Who reads a file, the strictest first; the next one is asked where the file as it was doesn't pass."""
    from .grammars import grammar_of

    name = path.lower()
    if name.endswith((".json", ".ipynb")):
        return [_json]
    if name.endswith(".toml"):
        return [_toml]
    grammar = grammar_of(path)
    if not grammar:
        return []
    first = {"python": _python, "xml": _xml}.get(grammar)
    return [*([first] if first else []), lambda data: _tree(grammar, data)]


def _python(data: bytes) -> Fault | None:
    import warnings
    from _symtable import symtable  # type: ignore[import-not-found]  # the public module loads much more

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            # The parser alone; `compile` would first make every class of `ast`, a tenth of a whole run.
            symtable(data, "<text>", "exec")
            if any(word in data for word in _PLACED):
                compile(data, "<text>", "exec", 0, True)
    except SyntaxError as error:
        newer = type(error) is SyntaxError and any(sign in (error.msg or "") for sign in _MAY_BE_NEWER)
        if newer and _tree("python", data) is None and _has_grammar("python"):
            return None
        return Fault(error.lineno or _line_of(data, data.find(b"\0")), error.msg or "invalid syntax")
    except ValueError:  # a NUL, in older versions
        return Fault(_line_of(data, data.find(b"\0")), "null bytes")
    except (RecursionError, MemoryError):
        return None
    return None


def _json(data: bytes) -> Fault | None:
    from json import JSONDecodeError, loads

    try:
        loads(data)
    except JSONDecodeError as error:
        return Fault(error.lineno, error.msg)
    except UnicodeDecodeError as error:
        return Fault(_line_of(data, error.start), error.reason)
    except RecursionError:
        return None
    return None


def _toml(data: bytes) -> Fault | None:
    from tomllib import TOMLDecodeError, loads

    try:
        loads(data.decode().replace("\r\n", "\n"))
    except TOMLDecodeError as error:
        words, _, place = str(error).partition(" (at line ")
        number = place.split(",")[0]
        return Fault(int(number) if number.isdigit() else data.count(b"\n") + 1, words)
    except UnicodeDecodeError as error:
        return Fault(_line_of(data, error.start), error.reason)
    except RecursionError:
        return None
    return None


def _xml(data: bytes) -> Fault | None:
    """Expat, but not for texts with entities of their own, which may unfold without end."""
    if b"<!ENTITY" in data:
        return _tree("xml", data)
    from pyexpat import ExpatError, ParserCreate

    parser = ParserCreate()
    try:
        parser.Parse(data, True)
    except ExpatError as error:
        return Fault(error.lineno, str(error).partition(":")[0])
    return None


def _tree(grammar: str, data: bytes) -> Fault | None:
    """The first error of a tree, without words. C and C++ also count as read where they are without their macros."""
    from .grammars import errors_in, parsed

    tree = parsed(grammar, data)
    odd = ("erroneous_end_tag",) if grammar == "html" else ()
    found = errors_in(tree.root_node, odd=odd) if tree and (tree.root_node.has_error or odd) else []
    if not found:
        return None
    if grammar in ("c", "cpp"):
        from .masking import masked

        for less in masked(data):
            tree = parsed(grammar, less)
            if tree and not tree.root_node.has_error:
                return None
    return Fault(min(node.start_point[0] for node in found) + 1)


def _has_grammar(grammar: str) -> bool:
    from .grammars import parser_of

    return parser_of(grammar) is not None


def _first_changed(before: bytes, after: bytes) -> int:
    """The first line in which two texts differ: what stands above it was read without an error."""
    low, high = 0, min(len(before), len(after))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if before[:middle] == after[:middle] else (low, middle - 1)
    return _line_of(after, low)


def _line_of(data: bytes, at: int) -> int:
    return data[: max(at, 0)].count(b"\n") + 1

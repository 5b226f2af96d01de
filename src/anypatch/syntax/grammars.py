"""The grammars, loaded when first asked for. Parses bytes; knows no symbol and no file.

A grammar's package is not imported as a whole: its `__init__` draws in importlib.resources, and tree-sitter's own draws
in typing, which together cost more than twice the bare interpreter's start. The compiled part alone is taken.
"""

from __future__ import annotations

from functools import cache
from threading import RLock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType

    from tree_sitter import Node, Parser, Tree

# language: the package's function that gives the grammar, where it isn't plain `language` of `tree_sitter_<language>`
_HOMES = {
    "typescript": ("tree_sitter_typescript", "language_typescript"),
    "tsx": ("tree_sitter_typescript", "language_tsx"),
    "php": ("tree_sitter_php", "language_php"),
    "xml": ("tree_sitter_xml", "language_xml"),
}
_SLOW_COMMENTS = ("c", "cpp", "go", "c_sharp")
_MANY_COMMENTS = 20
# Where a text is full of errors, reading it takes a time that grows with the square of their number: 60 KB of `a<` take
# XML's grammar 17 s. So some of a long text is read first, and not the rest if that takes ten times as long as usual.
_SHORT, _PATIENCE, _PER_BYTE = 16384, 0.02, 4e-6
# Brackets that are open at once: at the end of the text the parser goes back through all of them, again and again.
_DEEP = 1000
_parsers: dict[str, Parser | None] = {}
_one_at_a_time = RLock()  # a parser is no two threads' at once


def package_of(grammar: str) -> str:
    """What to install for a grammar."""
    return _HOMES.get(grammar, (f"tree_sitter_{grammar}",))[0].replace("_", "-")


def parser_of(grammar: str) -> Parser | None:
    """The parser of a grammar; None where its package isn't installed or doesn't fit."""
    if grammar not in _parsers:
        package, function = _HOMES.get(grammar, (f"tree_sitter_{grammar}", "language"))
        with _one_at_a_time:
            try:
                core, binding = _binding("tree_sitter"), _binding(package)
                _parsers[grammar] = core.Parser(core.Language(getattr(binding, function)()))
            except (ImportError, AttributeError, ValueError):
                _parsers[grammar] = None
    return _parsers[grammar]


def parsed(grammar: str, data: bytes) -> Tree | None:
    """The tree of some bytes; None without a grammar, or where it would take too long."""
    parser = parser_of(grammar)
    if parser is None:
        return None
    if grammar in _SLOW_COMMENTS:
        data = _one_open_comment(data)
    if takes_long(parser, data):
        return None
    with _one_at_a_time:
        return parser.parse(data)


def takes_long(parser: Parser, data: bytes) -> bool:
    """Whether some bytes, of which a part is tried, take far longer to parse than code does."""
    from time import thread_time

    if len(data) < _SHORT:
        return False
    for size in (len(data) // 16, len(data) // 4):
        with _one_at_a_time:
            start = thread_time()
            parser.parse(data[:size])
            if thread_time() - start > _PATIENCE + _PER_BYTE * size:
                return True
    return _is_deep(data)


def _is_deep(data: bytes) -> bool:
    """Whether very many brackets of a kind are open somewhere, be it in comments. `<` is mostly none, `<<` never."""
    for opening, closing, most in ((b"(", b")", 0), (b"[", b"]", 0), (b"{", b"}", 0), (b"<", b">", len(data) // 8)):
        depth = 0
        for at in range(0, len(data), 4096):
            piece = data[at : at + 4096].replace(b"<<", b"")
            depth += piece.count(opening) - piece.count(closing)
            if depth > most + _DEEP:
                return True
    return False


def _one_open_comment(data: bytes) -> bytes:
    """The bytes, where a comment that is never closed holds many beginnings of others, without those, byte for byte.

    Some grammars look for the end of each, which takes minutes.
    """
    rest = data.rfind(b"*/") + 2 if b"*/" in data else 0
    if data.count(b"/*", rest) < _MANY_COMMENTS:
        return data
    first = data.index(b"/*", rest) + 2
    return data[:first] + data[first:].replace(b"/*", b"/ ")


def errors_in(root: Node, *, odd: tuple[str, ...] = ()) -> list[Node]:
    """The nodes where the text doesn't follow the grammar, in order; `odd`: types that stand for an error too."""
    found: list[Node] = []
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.is_error or node.is_missing or node.type in odd:
            found.append(node)
        if node.has_error or odd:
            waiting += reversed(node.children)
    return found


@cache
def _binding(package: str) -> ModuleType:
    """The compiled part of a package, without running the rest of it where that can be helped."""
    from importlib.machinery import PathFinder

    home = PathFinder.find_spec(package)
    inner = PathFinder.find_spec(f"{package}._binding", home.submodule_search_locations) if home else None
    if inner is None or inner.loader is None:
        from importlib import import_module

        return import_module(package)
    module = inner.loader.create_module(inner)
    assert module is not None
    inner.loader.exec_module(module)
    return module

"""Load tree-sitter's grammars when they are first needed, and parse bytes with them. Knows no symbols and no files."""

from __future__ import annotations

import re
from importlib import import_module
from threading import RLock
from time import thread_time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node, Parser, Tree

# Grammars that aren't the function `language` of the package `tree_sitter_<grammar>`: their package and function.
_PACKAGES = {
    "typescript": ("tree_sitter_typescript", "language_typescript"),
    "tsx": ("tree_sitter_typescript", "language_tsx"),
    "php": ("tree_sitter_php", "language_php"),
    "xml": ("tree_sitter_xml", "language_xml"),
}
_SLOW_COMMENTS = ("c", "cpp", "go", "c_sharp")
_MANY_COMMENTS = 20
# In a text full of errors the time grows with the square of their number: 60 KB of `a<` take XML's grammar 17 s. So a
# part of a long text is parsed first, and the rest isn't if that takes ten times as long as usual.
_SHORT, _PATIENCE, _PER_BYTE = 16384, 0.02, 4e-6
# Brackets that are open at once: at the end of the text the parser goes back through all of them, again and again.
_DEEP = 1000
_STRING = re.compile(rb"""\\.|"[^"\\\n]*(?:\\.[^"\\\n]*)*"|'[^'\\\n]*(?:\\.[^'\\\n]*)*'""")
_parsers: dict[str, Parser | None] = {}
_lock = RLock()  # a parser can't be used by two threads at once


def package_of(grammar: str) -> str:
    """Return the name of the package to install for a grammar."""
    return _PACKAGES.get(grammar, (f"tree_sitter_{grammar}",))[0].replace("_", "-")


def parser_of(grammar: str) -> Parser | None:
    """Return the parser of a grammar; None if its package isn't installed or is of a version that doesn't fit."""
    if grammar not in _parsers:
        package, function = _PACKAGES.get(grammar, (f"tree_sitter_{grammar}", "language"))
        with _lock:
            try:
                core, binding = import_module("tree_sitter"), import_module(package)
                _parsers[grammar] = core.Parser(core.Language(getattr(binding, function)()))
            except (ImportError, AttributeError, ValueError):
                _parsers[grammar] = None
    return _parsers[grammar]


def parsed(grammar: str, data: bytes) -> Tree | None:
    """Parse a text; None without a grammar, or if it would take too long."""
    parser = parser_of(grammar)
    if parser is None:
        return None
    if grammar in _SLOW_COMMENTS:
        data = _without_open_comments(data)
    if takes_long(parser, data):
        return None
    with _lock:
        return parser.parse(data)


def takes_long(parser: Parser, data: bytes) -> bool:
    """Return True if a text takes far longer to parse than code does, judging by its beginning and its brackets."""
    if len(data) < _SHORT:
        return False
    for size in (len(data) // 16, len(data) // 4):
        with _lock:
            start = thread_time()
            parser.parse(data[:size])
            if thread_time() - start > _PATIENCE + _PER_BYTE * size:
                return True
    return _is_deep(data)


def _is_deep(data: bytes) -> bool:
    """Return True if very many brackets of a kind are open somewhere. Most `<` aren't brackets, `<<` never is.

    Those in strings don't count: a terminal's colours are as many `\\x1b[`, which are never closed.
    """
    return _opens_many(data) and _opens_many(_STRING.sub(b"", data))


def _opens_many(data: bytes) -> bool:
    for opening, closing, most in ((b"(", b")", 0), (b"[", b"]", 0), (b"{", b"}", 0), (b"<", b">", len(data) // 8)):
        depth = 0
        for at in range(0, len(data), 4096):
            piece = data[at : at + 4096].replace(b"<<", b"")
            depth += piece.count(opening) - piece.count(closing)
            if depth > most + _DEEP:
                return True
    return False


def _without_open_comments(data: bytes) -> bytes:
    """Return a text with one `/*` left of many that are never closed, of the same length.

    Some grammars search for the end of each of them, which takes minutes.
    """
    rest = data.rfind(b"*/") + 2 if b"*/" in data else 0
    if data.count(b"/*", rest) < _MANY_COMMENTS:
        return data
    first = data.index(b"/*", rest) + 2
    return data[:first] + data[first:].replace(b"/*", b"/ ")


def errors_in(root: Node, *, also: tuple[str, ...] = ()) -> list[Node]:
    """Return the nodes where the text doesn't follow the grammar, in order; `also`: types that are errors, too."""
    errors: list[Node] = []
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.is_error or node.is_missing or node.type in also:
            errors.append(node)
        if node.has_error or also:
            waiting += reversed(node.children)
    return errors

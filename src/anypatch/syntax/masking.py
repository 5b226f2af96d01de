"""C and C++ made readable for a grammar that runs no preprocessor: text blanked, byte for byte. Pure.

Macros in capitals stand where no word may stand (`API_EXPORT void f();`, `BEGIN_NAMESPACE`), and the branches of
`#if … #else` may open one brace twice. Blanking keeps every offset and every line.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from re import Match


def masked(data: bytes) -> Iterator[bytes]:
    """The bytes with less and less left in them: macros in capitals blanked, then the `#else` branches as well."""
    first = _without_macros(data)
    if first != data:
        yield first
    second = _without_else(first)
    if second != first:
        yield second


def _without_macros(data: bytes) -> bytes:
    import re

    words = re.compile(
        rb'//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"|^[ \t]*#(?:[^\n\\]|\\\r?\n|\\.)*|\b[A-Z][A-Z0-9]*_[A-Z0-9_]*\b',
        re.M | re.S,
    )
    return words.sub(_blank_word, data)


def _blank_word(found: Match[bytes]) -> bytes:
    """Comments, strings and directives stay; a macro goes."""
    text = found[0]
    return b" " * len(text) if text[:1].isalpha() else text


def _without_else(data: bytes) -> bytes:
    """Of every `#if` the first branch stays, without the directives around it."""
    lines = data.split(b"\n")
    open_ifs: list[bool] = []
    for at, line in enumerate(lines):
        word = line.lstrip()[1:].lstrip() if line.lstrip()[:1] == b"#" else b""
        if word.startswith(b"if"):
            open_ifs.append(False)
        elif word.startswith((b"else", b"elif")) and open_ifs:
            open_ifs[-1] = True
        elif word.startswith(b"endif") and open_ifs:
            open_ifs.pop()
        if word.startswith((b"if", b"endif")) or any(open_ifs):
            lines[at] = b" " * len(line)
    return b"\n".join(lines)

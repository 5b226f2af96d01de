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

    return re.compile(_PIECES, re.M | re.S).sub(_blank_word, data)


# Comments, strings and directives are passed over. A word in capitals (with what it is given) is a macro that says
# nothing to the grammar if it stands alone on its line, before another word, or between a closing bracket or a word
# and what ends the head of a declaration; not where it is the name of what is declared. Behind `if` only the word goes.
# Pointers to members are no more than pointers to the grammar.
_WORD = rb"\b_*[A-Z][A-Z0-9_]{2,}\b"
_GIVEN = rb"(?:[ \t]*+\((?:[^()]{0,400}+(?:\((?:[^()]{0,400}+(?:\([^()]{0,400}+\))?+){0,20}+\))?+){0,20}+\))?+"
_CAPITALS = rb"(?:" + _WORD + _GIVEN + rb")"
_NO_NAME = rb"(?<!\bstruct )(?<!\bclass )(?<!\benum )(?<!\bunion )(?<!\bnamespace )"
_PIECES = (
    rb"//[^\n]*+|/\*.*?\*/|\"(?:[^\"\\\n]|\\.)*+\"|^[ \t]*+#(?:[^\n\\]|\\\r?\n|\\.)*+"
    rb"|(?<=\bif )" + _WORD + rb"(?=[ \t]*+\()"
    rb"|^[ \t]*+" + _CAPITALS + rb"(?=[ \t\r]*+(?:$|//|;|[{:](?!:)))"
    rb"|" + _NO_NAME + _CAPITALS + rb"(?=\s++[A-Za-z_~])"
    rb"|" + _NO_NAME + rb"(?<=[\w)>][ \t\n])" + _CAPITALS + rb"(?=\s*+[{:](?!:))"
    rb"|(?:(?<=\)[ \t\n])|(?<=\bconst[ \t\n])|(?<=\boverride[ \t\n]))" + _CAPITALS + rb"(?=\s*+[;=])"
    rb"|->\*|\b\w++::(?=\*)"
    # whatever can't begin any of these is passed over in one go
    rb"|((?:[a-z0-9]\w*+(?!::\*)|_++[a-z0-9]\w*+(?!::\*)|(?!^)[ \t(){};,.&*=<>+!?\[\]|~^%:']++|^[ \t]++(?![ \t#_A-Z])"
    rb"|\n(?=\n))++)"
)


def _blank_word(found: Match[bytes]) -> bytes:
    """Comments, strings and directives stay; a macro goes, but for its line ends."""
    text = found[0]
    if found[1] is not None:
        return text
    if text == b"->*":
        return b"-> "
    if not text.lstrip(b" \t_")[:1].isalpha():
        return text
    return b"\n".join(b" " * len(line) for line in text.split(b"\n"))


def _without_else(data: bytes) -> bytes:
    """Of every `#if` the first branch stays, without the directives around it."""
    lines = data.split(b"\n")
    open_ifs: list[bool] = []
    goes_on = False
    for at, line in enumerate(lines):
        word = line.lstrip()[1:].lstrip() if line.lstrip()[:1] == b"#" else b""
        if word.startswith(b"if"):
            open_ifs.append(False)
        elif word.startswith((b"else", b"elif")) and open_ifs:
            open_ifs[-1] = True
        elif word.startswith(b"endif") and open_ifs:
            open_ifs.pop()
        goes_on = goes_on and not word  # the condition of an `#if` may be on several lines
        if goes_on or word.startswith((b"if", b"endif")) or any(open_ifs):
            goes_on = line.rstrip().endswith(b"\\")
            lines[at] = b" " * len(line)
    return b"\n".join(lines)

"""C and C++ made readable for a grammar that runs no preprocessor: text blanked, byte for byte. Pure.

Macros in capitals stand where no word may stand (`API_EXPORT void f();`, `BEGIN_NAMESPACE`), and the branches of
`#if … #else` may open one brace twice. Blanking keeps every offset and every line; what may be a type or a name stays.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise

from .grammars import errors_in, parsed
from .macros import code_before, is_macro

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tree_sitter import Node

# Comments, strings, directives and words in capitals, told apart by their first sign
_TOKENS = (
    rb"[/\"'#A-Z_](?:(?<=/)(?:/[^\n]*+|\*.*?(?:\*/|\Z))|(?<=\")(?:[^\"\\\n]|\\.)*+\"?|(?<=')(?:[^'\\\n]|\\[^\n][^'\n]{0,8})'"
    rb"|(?<=#)(?:[^\n\\]|\\\r?\n|\\.)*+|(?<=[A-Z_])(?<![A-Za-z0-9_][A-Z_])(?:[A-Z0-9_]{2,}+(?![a-z])"
    rb"|(?<=_)_[a-z](?!ypeof|ecltype|nderlying|ttribute|eclspec|xtension|sm)\w++(?=[ \t]?\()))"
)
_AROUND = 5  # lines around an error in which a directive may be its cause
_NEAR = 50_000  # bytes; longer branches are taken for whole


def read_well(grammar: str, data: bytes) -> tuple[Node | None, bytes]:
    """The root of the tree with the fewest errors, and the bytes it is of."""
    _macros.cache_clear()
    seen = readable(data)
    tree = parsed(grammar, seen)
    if tree is None or not tree.root_node.has_error:
        return tree.root_node if tree else None, seen
    errors = errors_in(tree.root_node)
    less = without_else(seen)
    if less != seen and _concerns(seen, less, errors):
        other = parsed(grammar, less)
        if other and len(errors_in(other.root_node)) < len(errors):
            return other.root_node, less
    return tree.root_node, seen


def _concerns(seen: bytes, less: bytes, errors: list[Node]) -> bool:
    """Whether some of the errors are near a difference of two texts."""
    lines, others = seen.split(b"\n"), less.split(b"\n")
    for node in errors:
        first, last = max(node.start_point[0] - _AROUND, 0), node.end_point[0] + _AROUND
        if lines[first:last] != others[first:last]:
            return True
    return False


def masked(data: bytes) -> Iterator[bytes]:
    """The bytes with less and less left in them: macros blanked, then all `#else` branches as well."""
    first = readable(data)
    if first != data:
        yield first
    second = without_else(first)
    if second != first:
        yield second


def readable(data: bytes, *, whole: bool = False) -> bytes:
    """The bytes without macros that say nothing to the grammar, and with one branch of conditionals that tear code.

    `whole`: with all branches, and with what it doesn't know, for those who only look for braces.
    """
    gone, directives, skipped = _macros(data)
    if whole:
        return _blanked(data, gone)
    gone = gone + _branches(data, directives, lambda turns: _tears(data, turns, skipped))
    return _smoothed(_blanked(data, sorted(gone)) if gone else data)


def _smoothed(data: bytes) -> bytes:
    """What the grammar doesn't know, as it knows it: pointers to members, operators called by name, instances."""
    result = bytearray(data)
    for found in re.finditer(rb"->\*|::\*", data):
        start, end = found.span()
        if data[start] == 58:  # `A::*p` is a pointer `*p`
            while data[start - 1 : start].isalnum() or data[start - 1 : start] == b"_":
                start -= 1
            result[start : end - 1] = b" " * (end - 1 - start)
        else:
            result[end - 1] = 32
    for found in re.finditer(rb"operator[-+*/%=<>!&|^~]++", data):
        if data[found.start() - 2 : found.start()].endswith((b"->", b".")):
            result[found.start() + 8 : found.end()] = b"_" * (len(found[0]) - 8)
    for found in re.finditer(rb"extern template [^;{}]*+;", data):  # nothing that would have a symbol
        result[found.start() : found.end()] = _spaces(found[0])
    return bytes(result)


@lru_cache(maxsize=1)  # a file with errors is read twice
def _macros(data: bytes) -> tuple[list[tuple[int, int]], list[tuple[int, int]], dict[int, int]]:
    """Where macros stand that can go, where directives stand, and what is no code: its end to its beginning."""
    gone: list[tuple[int, int]] = []
    directives: list[tuple[int, int]] = []
    skipped: dict[int, int] = {}
    behind = 0
    for token in re.compile(_TOKENS, re.DOTALL).finditer(data):
        start, end = token.span()
        if start < behind:
            continue
        sign = data[start]
        if sign == 35:  # #
            directives.append((start, end))
            skipped[end] = start
        elif sign == 47:  # /
            skipped[end] = start
        elif sign not in b"\"'":
            end = is_macro(data, start, end, skipped)
            if end:
                gone.append((start, end))
                skipped[end] = start
                behind = end
    return gone, directives, skipped


def _branches(
    data: bytes, directives: list[tuple[int, int]], goes: Callable[[list[tuple[int, int]]], bool]
) -> list[tuple[int, int]]:
    """The directives and all but the first branch of those conditionals that are to go."""
    gone: list[tuple[int, int]] = []
    open_ifs: list[list[tuple[int, int]]] = []
    for start, end in directives:
        word = data[start:end].lstrip(b" \t#")[:5]
        if word.startswith(b"if"):
            open_ifs.append([(start, end)])
        elif open_ifs and word.startswith(b"el"):
            open_ifs[-1].append((start, end))
        elif open_ifs and word.startswith(b"endif"):
            turns = [*open_ifs.pop(), (start, end)]
            if goes(turns):
                gone += [turns[0], (turns[1][0], end)]
    return gone


def _tears(data: bytes, turns: list[tuple[int, int]], skipped: dict[int, int]) -> bool:
    """Whether a conditional begins or a branch of it ends inside a statement, or a branch leaves braces open."""
    back = code_before(data, turns[0][0], skipped)
    last = data[back - 1 : back]
    if last not in (b"", b";", b"{", b"}", b":", b",") or (last == b"," and _in_list(data, back)):
        return True
    for (_, begin), (stop, _) in pairwise(turns):
        if stop - begin < _NEAR and data.count(b"{", begin, stop) != data.count(b"}", begin, stop):
            return True
        end = code_before(data, stop, skipped)
        sign = data[end - 1 : end]
        named = last in (b",", b"{") and (sign.isalnum() or sign in (b"_", b")"))  # the last name of an enum
        if end > begin and sign not in (b";", b"{", b"}", b":", b",") and not named:
            return True
        if re.compile(rb"(?:\s|//[^\n]*+|/\*.*?(?:\*/|\Z))*+(?:else\b|catch\b|[,.?|&)<+])", re.DOTALL).match(
            data, begin, stop
        ):
            return True
    return False


def _in_list(data: bytes, at: int) -> bool:
    """Whether a place is inside round brackets."""
    depth = 0
    for sign in reversed(re.findall(rb"[(){};]", data[max(at - 3000, 0) : at])):
        depth += 1 if sign == b"(" else -1 if sign == b")" else 0
        if depth > 0 or sign in b"{};":
            break
    return depth > 0


def _blanked(data: bytes, spans: list[tuple[int, int]]) -> bytes:
    """Spans may lie inside others."""
    pieces = []
    at = 0
    for start, end in spans:
        if end > at:
            begin = max(start, at)
            pieces += [data[at:begin], _spaces(data[begin:end])]
            at = end
    return b"".join([*pieces, data[at:]])


def _spaces(text: bytes) -> bytes:
    return b"\n".join([b" " * len(line) for line in text.split(b"\n")])


def without_else(data: bytes) -> bytes:
    """Of every `#if` the first branch stays, without the directives around it."""
    found = re.finditer(rb"^[ \t]*+#[ \t]*+(?:if|el|endif)(?:[^\n\\]|\\\r?\n|\\.)*+", data, re.MULTILINE)
    return _blanked(data, sorted(_branches(data, [one.span() for one in found], lambda _: True)))

"""C and C++ as a grammar can read them: without macros that say nothing to it and branches that tear code. Pure.

    class API Name {        API goes: `Name` has its type
    Q_SIGNALS:              goes
    #if A                   the first branch stays, where a branch begins or ends inside a statement
    f(a,
    #else
    f(
    #endif

What is blanked becomes spaces, so that every offset stays. A macro that may be a type or a name stays as well.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from .grammars import errors_in, parsed
from .lexer import blank_out, replace_spans

if TYPE_CHECKING:
    from tree_sitter import Node

# Comments, strings, directives and words in capitals, told apart by their first sign
_TOKENS = (
    rb"[/\"'#A-Z_](?:(?<=/)(?:/[^\n]*+|\*.*?(?:\*/|\Z))|(?<=\")(?:[^\"\\\n]|\\.)*+\"?|(?<=')(?:[^'\\\n]|\\[^\n][^'\n]{0,8})'"
    rb"|(?<=#)(?:[^\n\\]|\\\r?\n|\\.)*+|(?<=[A-Z_])(?<![A-Za-z0-9_][A-Z_])(?:[A-Z0-9_]{2,}+(?![a-z])"
    rb"|(?<=_)_[a-z](?!ypeof|ecltype|nderlying|ttribute|eclspec|xtension|sm)\w++(?=[ \t]?\()))"
)
_NEAR = 50_000  # bytes; longer branches are taken for whole


def read_well(grammar: str, data: bytes) -> tuple[Node | None, bytes]:
    """The root of the tree with the fewest errors, and the bytes it is of."""
    _macros.cache_clear()
    seen = readable(data)
    tree = parsed(grammar, seen)
    if tree is None or not tree.root_node.has_error:
        return tree.root_node if tree else None, seen
    errors = errors_in(tree.root_node)
    less = _without_else(seen)
    if less != seen:
        other = parsed(grammar, less)
        if other and len(errors_in(other.root_node)) < len(errors):
            return other.root_node, less
    return tree.root_node, seen


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
    """What the grammar doesn't know, as it knows it: operators called by name, pointers to members, instances."""
    if b"operator" in data:
        called = rb"((?:->|\.)operator)([-+*/%=<>!&|^~]++)"
        data = re.sub(called, lambda found: found[1] + b"_" * len(found[2]), data)
    if b"::*" in data:  # `A::*p` is a pointer `*p`
        data = re.sub(rb"\b\w*+::\*|::\*", lambda found: b" " * (len(found[0]) - 1) + b"*", data)
    if b"extern template" in data:  # nothing that would have a symbol
        data = re.sub(rb"extern template [^;{}]*+;", lambda found: _blanked(found[0], [(0, len(found[0]))]), data)
    return data.replace(b"->*", b"-> ")


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
            end = _is_macro(data, start, end, skipped)
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
    back = _code_before(data, turns[0][0], skipped)
    last = data[back - 1 : back]
    if last not in (b"", b";", b"{", b"}", b":", b",") or (last == b"," and _in_list(data, back)):
        return True
    for (_, begin), (stop, _) in pairwise(turns):
        if stop - begin < _NEAR and data.count(b"{", begin, stop) != data.count(b"}", begin, stop):
            return True
        end = _code_before(data, stop, skipped)
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
    """The bytes with spaces in the place of some, line by line; spans, sorted, may lie inside others."""
    gone = ((start, end, 0) for start, end in spans)
    return replace_spans(data.decode("latin-1"), gone, lambda piece, _: blank_out(piece, " ")).encode("latin-1")


def _without_else(data: bytes) -> bytes:
    """Of every `#if` the first branch stays, without the directives around it."""
    found = re.finditer(rb"^[ \t]*+#[ \t]*+(?:if|el|endif)(?:[^\n\\]|\\\r?\n|\\.)*+", data, re.MULTILINE)
    return _blanked(data, sorted(_branches(data, [one.span() for one in found], lambda _: True)))


# ── which words are macros that can go ───────────────────────────────────────────────────────────


_GIVEN = re.compile(
    rb"[ \t]*+\((?:[^()]{0,400}+(?:\((?:[^()]{0,400}+(?:\([^()]{0,400}+\))?+){0,20}+\))?+){0,20}+\)", re.DOTALL
)
_GAP = re.compile(rb"(?:\s|//[^\n]*+|/\*.*?(?:\*/|\Z))*+", re.DOTALL)
_WORD = re.compile(rb"~?[A-Za-z_]\w*+")
_LAST_WORD = re.compile(rb"[A-Za-z_]\w*+\Z")
_CAPITALS = re.compile(rb"_*+[A-Z][A-Z0-9_]{2,}+\Z")
_QUALIFIED = re.compile(rb"(?:\w++\s*+(?:<[^;{}()]{0,300}?>\s*+)?::\s*+)++(~?\w++)")
_TYPES = tuple(b"class struct union enum namespace".split())
_OPERATORS = tuple(b"and or xor not_eq bitand bitor and_eq or_eq".split())
_BEHIND = tuple(b"const volatile noexcept override final try requires throw".split())  # the parameters of a head
_ACCESS = tuple(b"public private protected".split())
_VALUES = (*b"""return case goto new delete throw sizeof typename operator else using co_return co_yield defined typedef
    """.split(), *_TYPES)  # fmt: skip
_SPECIFIERS = b"""static inline virtual explicit extern constexpr consteval constinit friend typedef typename mutable
    register thread_local""".split()
# words that begin a declaration or a part of its type, and name nothing; words that are no type
_NO_NAMES = frozenset(
    b"""template class struct enum union unsigned signed long short int char bool float double void auto using
    namespace wchar_t size_t if for while do switch return public private protected""".split()
    + _SPECIFIERS
)
_NO_TYPES = frozenset([*_SPECIFIERS, b"const", b"volatile", b"else", b"do", b"try"])


def _is_macro(data: bytes, start: int, end: int, skipped: dict[int, int]) -> int:
    """The end of a macro with what it is given; 0 for a word that stays. `skipped`: ends of what is no code above."""
    own = not _CAPITALS.match(data, start, end)  # `__word(`, a name of the library's own
    back = _code_before(data, start, skipped)
    last = data[back - 1 : back]
    word = (_LAST_WORD.search(data, max(back - 40, 0), back) or _NONE)[0] if last.isalnum() or last == b"_" else b""
    if word in (b"if", b"while", b"switch", b"for"):
        return end if _sign(data, end) == b"(" else 0
    given = _GIVEN.match(data, end)
    if own and not given:
        return 0
    stop = given.end() if given else end
    next_at = _after(data, stop)
    follows = data[next_at : next_at + 1]
    begins = last in (b"", b";", b"}", b"{") or (last == b":" and _is_access(data, back))
    if own:
        goes = begins and (follows.isalpha() or follows in (b"_", b"~", b"}", b"#", b""))
    elif follows.isalpha() or follows in (b"_", b"~"):
        goes = _before_word(data, next_at, word, last, bool(given))
    elif follows == b"{":
        goes = _before_body(data, back, last, word, bool(given)) or (begins and not given)
    elif _is_colon(data, next_at):
        goes = last == b")" or word in _ACCESS
        if begins and not given and not goes:
            return next_at + 1  # `Q_SIGNALS:`, or the label of a jump
    elif follows in (b";", b"="):
        goes = (
            word in _BEHIND or (last == b")" and _is_head(data, back)) or (begins and last != b"}" and follows == b";")
        )
    elif (last == b">" and follows == b"#") or (last == b"," and follows == b"}" and given):
        goes = True
    else:  # a line of its own
        alone = begins and follows in (b"", b"}", b"#", b"[")
        goes = alone and (bool(given) or last != b"{" or b"BEGIN" in data[start:end])
    return stop if goes else 0


_NONE = (b"",)


def _code_before(data: bytes, at: int, skipped: dict[int, int]) -> int:
    """Behind the code that ends before a place; what lies between is passed over at once the next time."""
    passed = [at]
    while at:
        if at in skipped:
            passed.append(at)
            at = skipped[at]
        elif data[at - 1] in b" \t\r\n\f":
            at -= 1
        else:
            break
    skipped.update((place, at) for place in passed if at < place)
    return at


def _after(data: bytes, at: int) -> int:
    gap = _GAP.match(data, at)
    return gap.end() if gap else at


def _sign(data: bytes, at: int) -> bytes:
    """The first sign of the code behind a place."""
    at = _after(data, at)
    return data[at : at + 1]


def _is_access(data: bytes, back: int) -> bool:
    """Whether a colon ends `public:` and the like."""
    return re.search(rb"\b(?:public|private|protected|default)\s*+:\Z", data[max(back - 20, 0) : back]) is not None


def _before_word(data: bytes, at: int, word: bytes, last: bytes, given: bool) -> bool:
    """A macro before another word: not if it can be the type of what that word names."""
    found = _WORD.match(data, at)
    second = found[0] if found else b""
    if not found or second in _OPERATORS:
        return False
    behind = _after(data, found.end())
    sign = data[behind : behind + 1]
    if word in _TYPES:  # `class API Name {`
        return sign == b"{" or _is_colon(data, behind) or data.startswith(b"final", behind)
    if word in _VALUES and word != b"else":
        return False
    if second in _BEHIND[2:] or (second in _BEHIND and last == b")"):
        return last == b")" or word in _BEHIND
    typed = last in (b"*", b"&") or bool(word and word not in _NO_TYPES and not _CAPITALS.match(word))
    if given and (typed or last == b":") and (second in _BEHIND or _CAPITALS.match(second)):
        return False  # the name of a function
    if given or second in _NO_NAMES or second[:1] == b"~":
        return True
    if second in (b"const", b"volatile"):
        third = _WORD.match(data, behind)
        return third is not None and _sign(data, third.end()) not in (b"(", b"=", b";", b",", b")", b"[")
    if second == b"operator":
        return (sign.isalpha() or sign == b"_") and not data.startswith((b"new", b"delete"), behind)
    if typed:  # its type stands before
        return not _CAPITALS.match(second) or sign not in (b";", b"=", b",", b")", b"[")
    if (last in (b"(", b",") and sign in (b",", b")", b"[")) or sign in (b".", b"-"):
        return True  # a parameter, which is one without its type as well, or a value
    return _needs_no_type(data, at, behind, second)


def _needs_no_type(data: bytes, at: int, behind: int, second: bytes) -> bool:
    """Whether the word at a place, with what follows `behind` it, is whole without a type before it."""
    sign = data[behind : behind + 1]
    if sign == b"(":
        return _is_constructor(data, behind) or (bool(_CAPITALS.match(second)) and _goes_on(data, behind))
    if sign == b":" and data[behind + 1 : behind + 2] == b":":
        return _is_type_or_constructor(data, at)
    if sign.isalpha() or sign == b"_":
        third = _WORD.match(data, behind)
        odd = third is not None and _CAPITALS.match(third[0]) and not _CAPITALS.match(second)
        return not (odd and third and _sign(data, third.end()) in (b";", b"=", b",", b")"))
    return sign in (b"<", b"*", b"&", b"#", b"}", b"")


def _is_constructor(data: bytes, at: int) -> bool:
    """Whether values for members follow the list that begins there."""
    given = _GIVEN.match(data, at)
    behind = _after(data, given.end()) if given else at
    while (word := _WORD.match(data, behind)) and (word[0] in _BEHIND or _CAPITALS.match(word[0])):
        given = _GIVEN.match(data, word.end())
        behind = _after(data, given.end() if given else word.end())
    return _is_colon(data, behind)


def _is_colon(data: bytes, at: int) -> bool:
    """Whether a colon stands there that is no part of `::`."""
    return data[at : at + 1] == b":" != data[at + 1 : at + 2]


def _goes_on(data: bytes, at: int) -> bool:
    """Whether a word follows what a macro is given there."""
    given = _GIVEN.match(data, at)
    return given is not None and _WORD.match(data, _after(data, given.end())) is not None


def _is_type_or_constructor(data: bytes, at: int) -> bool:
    """Whether `A::B` is a type with a name behind it, or the constructor `A::A`: neither needs a type before it."""
    found = _QUALIFIED.match(data, at)
    if not found:
        return False
    name = found[1]
    behind = _after(data, found.end())
    if data[behind : behind + 1] != b"(":
        return name != b"operator" and data[behind : behind + 1] not in (b";", b"=", b"[", b"{")
    scope = re.split(rb"\s*+(?:<.*>\s*+)?::\s*+", found[0], flags=re.DOTALL)[-2:-1]
    return name[:1] == b"~" or scope == [name]


def _before_body(data: bytes, back: int, last: bytes, word: bytes, given: bool) -> bool:
    """A macro between a head and its brace."""
    head = re.split(rb"[;{}]", data[max(back - 300, 0) : back])[-1]
    if last == b")":
        return re.search(rb"\b(?:class|struct|union|enum)\s++(?:alignas|__attribute__|__declspec)\b", head) is None
    if word in _BEHIND:
        return not given or b")" in head
    named = word not in (b"", *_VALUES, *_ACCESS, b"virtual")
    return named and re.search(rb"\b(?:class|struct|union|namespace)\b", head) is not None


def _is_head(data: bytes, back: int) -> bool:
    """Whether the bracket that closes there is that of parameters: a name stands before it; no cast, no condition."""
    depth = 0
    for at in range(back - 1, max(back - 1000, -1), -1):
        sign = data[at]
        if sign == 41:
            depth += 1
        elif sign == 40:
            depth -= 1
            if not depth:
                before = _LAST_WORD.search(data[max(at - 60, 0) : at].rstrip())
                return before is not None and before[0] not in b"if while for switch return sizeof".split()
        elif sign in b";{}":
            return False
    return False

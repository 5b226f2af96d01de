"""The symbols of a text: what is declared, under which name, from which line to which. Pure; no parser of ours.

A symbol spans its decorators, annotations, attributes, `export`, `template<>` and the semicolon behind it; comments
above it are its lead. Rows are 0-based, columns count UTF-16 units, as language servers do.
"""

from __future__ import annotations

from ..record import NamedTuple
from ..text import encode
from . import kinds
from .grammars import parsed
from .nodes import Found, Walk, is_local, is_unread, lead, span, walked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node


class Symbol(NamedTuple):
    """One symbol. `parts` are the names on the way to it, its own last; `number` counts those of the same path.

    `row`, `column`, `width`: its identifier. `first`..`last`: its rows, both inclusive; `start`, `stop`: the columns
    where it begins and behind which it ends.
    `lead`: the first row of the comments and macros right above (else `first`). `shared`: its statement holds others.
    `damaged`: the text inside doesn't follow the grammar. `engine`: who found it. `depth`: how many enclose it.
    `inner`: its body, as row, column, row and column behind it. `other`: the last row that a second engine tells.
    """

    parts: tuple[str, ...]
    kind: str
    row: int
    column: int
    width: int
    first: int
    last: int
    start: int
    stop: int
    lead: int
    number: int = 0
    many: bool = False
    shared: bool = False
    damaged: bool = False
    depth: int = 0
    engine: str = "tree-sitter"
    inner: tuple[int, int, int, int] | None = None
    other: int = -1

    @property
    def name(self) -> str:
        """Its own name."""
        return self.parts[-1]

    @property
    def name_path(self) -> str:
        """The path that finds it again: `/` between names, `[i]` where several share it."""
        path = "/".join(escaped(part) for part in self.parts)
        return f"{path}[{self.number}]" if self.many else path


def escaped(name: str) -> str:
    """A name as it stands in a path: a slash of its own is `~1`, and what looks like such an escape is escaped."""
    return name.replace("~0", "~00").replace("~1", "~01").replace("/", "~1")


class Source(NamedTuple):
    """What symbols are made from: the nodes, those that belong to what they hold, the bytes and their lines.

    `seen`: the lines as the grammar saw them.
    """

    walk: Walk
    wrappers: tuple[str, ...]
    data: bytes
    lines: list[bytes]
    seen: list[bytes]


class Symbols(NamedTuple):
    """The symbols of a text in its order, outer before inner; `errors`: the text doesn't follow its grammar."""

    rows: list[Symbol]
    errors: bool


def symbols_of(grammar: str, path: str, text: str) -> Symbols | None:
    """All symbols, in a damaged file also those that only a header tells; None without a grammar.

    Only LF ends a line here. `path` tells the language that such headers are read in.
    """
    data = encode(text)
    tree, seen = best_tree(grammar, data)
    if tree is None:
        return None
    rows = _rows(grammar, tree, data, seen)
    unseen = _unseen(data, seen) if seen is not data and not tree.has_error else set()
    if not tree.has_error and not unseen:
        return Symbols(numbered(rows), False)
    from .damage import completed

    return Symbols(completed(path, text, rows, unseen), tree.has_error)


def _unseen(data: bytes, seen: bytes) -> set[int]:
    """The rows that the grammar hasn't seen, if there may be symbols in them: they could be namesakes of others."""
    lines = enumerate(zip(data.split(b"\n"), seen.split(b"\n"), strict=True))
    rows = {row: line for row, (line, read) in lines if line != read and not read.strip()}
    return set(rows) if any(b"{" in line for line in rows.values()) else set()


def _rows(grammar: str, tree: Node, data: bytes, seen: bytes) -> list[Symbol]:
    symbols: list[Symbol] = []
    above: list[tuple[int, tuple[str, ...], str]] = []
    wrappers = tuple(kinds.WRAPPERS.get(grammar, "").split())
    walk = walked(grammar, tree)
    lines = data.split(b"\n")
    source = Source(walk, wrappers, data, lines, lines if seen is data else seen.split(b"\n"))
    for found in walk.found:
        end = found.node.end_byte
        while above and above[-1][0] < end:
            above.pop()
        outer = above[-1] if above else (0, (), "")
        kind = found.kind
        # inside code, what C declares with brackets is a variable and its value
        local = kind in kinds.LOCAL or found.node.type == "declaration"
        if local and (outer[2] in kinds.CODE or is_local(found.node)):
            continue
        parts, inner = _parts(grammar, found, outer[1], data)
        if kind == "function" and (outer[2] in kinds.TYPES or len(parts) > len(outer[1]) + 1):
            kind = "method"
        symbols.append(_symbol(source, found, kind, parts, len(above)))
        if kind not in kinds.LEAVES:
            above.append((end, inner, kind))
    return symbols


def numbered(symbols: list[Symbol]) -> list[Symbol]:
    """The symbols with their index among those of the same path."""
    counts: dict[tuple[str, ...], int] = {}
    for symbol in symbols:
        counts[symbol.parts] = counts.get(symbol.parts, 0) + 1
    seen: dict[tuple[str, ...], int] = {}
    result = []
    for symbol in symbols:
        at = seen.get(symbol.parts, 0)
        seen[symbol.parts] = at + 1
        result.append(symbol._replace(number=at, many=True) if counts[symbol.parts] > 1 else symbol)
    return result


def best_tree(grammar: str, data: bytes) -> tuple[Node | None, bytes]:
    """The root of the tree, and the bytes it is of: C and C++ are read without macros that stand in the way."""
    if grammar in ("c", "cpp"):
        from .masking import read_well

        return read_well(grammar, data)
    tree = parsed(grammar, data)
    return tree.root_node if tree else None, data


# ── symbols ──────────────────────────────────────────────────────────────────────────────────────


def _parts(grammar: str, found: Found, outer: tuple[str, ...], data: bytes) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names on the way to a symbol, and those on the way to what is inside it."""
    name = _text(found.name, data)
    node = found.node
    if found.kind == "impl":
        about = (*outer, _last_word(name))
        trait = node.child_by_field_name("trait")
        return (*outer, f"impl {_text(trait, data)} for {name}" if trait else f"impl {name}"), about
    if grammar == "go" and (receiver := node.child_by_field_name("receiver")) is not None:
        outer = (*outer, *_received(receiver, data))
    if found.kind in kinds.NAMESPACE and found.name.type != "string":
        own = tuple(name.replace("::", ".").replace("\\", ".").split("."))
    elif found.kind == "element":
        own = (name + _identity(node, data),)
    else:
        tilde = "~" if node.type == "destructor_declaration" else ""
        # scopes that stand before a name: `A::B::f` is declared outside of A::B
        scopes = [_text(scope, data).partition("<")[0].strip() for scope in found.scopes]
        own = (*scopes, tilde + " ".join(name.split()))
    return outer + own, outer + own


def _received(receiver: Node, data: bytes) -> tuple[str, ...]:
    """The type that a method of Go is about: `Stack` of `(s *Stack[K, V])`, none of `()`."""
    types = [kind for given in receiver.named_children if (kind := given.child_by_field_name("type")) is not None]
    name = _last_word(_text(types[0], data).strip("()* ")) if types else ""
    return (name,) if name else ()


def _last_word(name: str) -> str:
    """`a::B<T>` is about B."""
    return name.partition("<")[0].partition("[")[0].replace("::", ".").rsplit(".", 1)[-1].strip("& ")


def _identity(node: Node, data: bytes) -> str:
    """`#id` of an element that has one."""
    for attribute in node.named_children[0].named_children[1:]:
        name, _, value = _text(attribute, data).partition("=")
        if name.strip() == "id":
            return "#" + value.strip().strip("\"'")
    return ""


def _text(node: Node, data: bytes) -> str:
    return data[node.start_byte : node.end_byte].decode("utf-8", "surrogateescape")


def _symbol(source: Source, found: Found, kind: str, parts: tuple[str, ...], depth: int) -> Symbol:
    lines = source.lines
    first, last, shared = span(source.walk, found, source.wrappers, source.data)
    (row, column), name_end = found.name.start_point, found.name.end_point
    begin, end = _begin(source, first.start_point), last.end_point
    last_row = end[0] - 1 if end[1] == 0 and end[0] > begin[0] else end[0]
    start = units(lines[row], column)
    width = units(lines[row], name_end[1]) - start if name_end[0] == row else 0
    return Symbol(
        parts, kind, row, start, width, begin[0], last_row, units(lines[begin[0]], begin[1]),
        units(lines[last_row], end[1] if last_row == end[0] else len(lines[last_row])),
        lead(first, begin, lines, source.seen), 0, False, shared, found.node.has_error, depth, "tree-sitter",
        _body(found.node, lines),
    )  # fmt: skip


def _begin(source: Source, place: tuple[int, int]) -> tuple[int, int]:
    """Where a symbol begins: macros before it on its line, which the grammar hasn't seen, belong to it."""
    row, column = place
    if source.seen is source.lines or source.seen[row][:column].strip():
        return place
    line = source.lines[row]
    return row, len(line) - len(line.lstrip(b" \t"))


def _body(node: Node, lines: list[bytes]) -> tuple[int, int, int, int] | None:
    body = node.child_by_field_name("body")
    if body is None:
        return None
    (first, start), (last, stop) = body.start_point, body.end_point
    return first, units(lines[first], start), last, units(lines[last], stop) if last < len(lines) else 0


def units(line: bytes, column: int) -> int:
    """A column in bytes as one in UTF-16 units."""
    head = line[:column]
    return column if head.isascii() else len(head.decode("utf-8", "replace").encode("utf-16-le")) // 2


def macro_above(symbol: Symbol, line: str) -> bool:
    """Whether the line right above a symbol, `line`, is a macro that may belong to it."""
    return symbol.lead < symbol.first and is_unread(encode(line))


def whole(count: int) -> Symbol:
    """The whole of a file with so many lines, as if it were a symbol."""
    return Symbol(("",), "file", 0, 0, 0, 0, count - 1, 0, 1 << 30, 0)

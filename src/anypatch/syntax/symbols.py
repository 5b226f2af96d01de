"""The symbols of a text: what is declared, under which name, from which line to which. Pure; no parser of ours.

A symbol spans its decorators, annotations, attributes, `export`, `template<>` and the semicolon behind it; comments
above it are its lead. Rows are 0-based, columns count UTF-16 units, as language servers do.
"""

from __future__ import annotations

from ..record import NamedTuple
from ..text import encode
from . import kinds
from .grammars import parsed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node


class Symbol(NamedTuple):
    """One symbol. `parts` are the names on the way to it, its own last; `number` counts those of the same path.

    `row`, `column`, `width`: its identifier. `first`..`last`: its rows, both inclusive; `start`, `stop`: the columns
    where it begins and behind which it ends.
    `lead`: the first row of the comments right above (else `first`). `shared`: others stand in the same statement.
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


class Found(NamedTuple):
    """A node on its way to a symbol: what it spans, and the node of its name."""

    kind: str
    node: Node
    name: Node
    span: tuple[Node, Node]
    shared: bool


class Symbols(NamedTuple):
    """The symbols of a text in its order, outer before inner; `errors`: the text doesn't follow its grammar."""

    rows: list[Symbol]
    errors: bool


def symbols_of(grammar: str, path: str, text: str) -> Symbols | None:
    """All symbols, in a damaged file also those that only a header tells; None without a grammar.

    Only LF ends a line here. `path` tells the language that such headers are read in.
    """
    data = encode(text)
    tree = best_tree(grammar, data)
    if tree is None:
        return None
    rows = _rows(grammar, tree, data.split(b"\n"))
    if not tree.has_error:
        return Symbols(numbered(rows), False)
    from .damage import completed

    return Symbols(completed(path, text, rows), True)


def _rows(grammar: str, tree: Node, lines: list[bytes]) -> list[Symbol]:
    symbols: list[Symbol] = []
    above: list[tuple[int, tuple[str, ...], str]] = []
    wrappers = tuple(kinds.WRAPPERS.get(grammar, "").split())
    for found in _found(grammar, tree):
        while above and above[-1][0] < found.node.end_byte:
            above.pop()
        outer = above[-1] if above else (0, (), "")
        # inside code, what C declares with brackets is a variable and its value
        local = found.kind in kinds.LOCAL or found.node.type == "declaration"
        if local and (outer[2] in kinds.CODE or _is_local(found.node)):
            continue
        parts, inner = _parts(grammar, found, outer[1])
        kind = found.kind
        if kind == "function" and (outer[2] in kinds.TYPES or len(parts) > len(outer[1]) + 1):
            kind = "method"
        span, shared = _span(found.node, () if found.shared else wrappers)
        made = found._replace(kind=kind, span=span, shared=found.shared or shared)
        symbols.append(_symbol(made, parts, lines, len(above)))
        if kind not in kinds.LEAVES:
            above.append((found.node.end_byte, inner, kind))
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


def best_tree(grammar: str, data: bytes) -> Node | None:
    """The root of the tree; for C and C++ of the text without macros where that has fewer errors."""
    tree = parsed(grammar, data)
    if tree is None:
        return None
    root = tree.root_node
    if not root.has_error or grammar not in ("c", "cpp"):
        return root
    from .grammars import errors_in
    from .masking import masked

    fewest = len(errors_in(root))
    for less in masked(data):
        other = parsed(grammar, less)
        count = len(errors_in(other.root_node)) if other else fewest
        if other and count < fewest:
            root, fewest = other.root_node, count
        if not fewest:
            break
    return root


# ── nodes ────────────────────────────────────────────────────────────────────────────────────────


def _found(grammar: str, root: Node) -> list[Found]:
    from .grammars import nodes_of

    rules = kinds.rules(grammar)
    nodes = sorted(nodes_of(grammar, rules, root), key=lambda node: (node.start_byte, -node.end_byte))
    found: list[Found] = []
    for node in nodes:
        kind, how = rules.get(node.type) or (next((word for word in kinds.WORDS if word in node.type), ""), "name")
        names = _names(node, how) if kind else []
        for name in names:
            own = node if len(names) == 1 else _child_with(node, name)
            found.append(Found(_kind(kind, node, name), own, name, (own, own), len(names) > 1))
    return found


def _kind(kind: str, node: Node, name: Node) -> str:
    """A variable that holds a function is one; so is what C declares with parameters."""
    if kind in ("variable", "field"):
        value = node.child_by_field_name("value")
        if value is not None and value.type in kinds.FUNCTIONS:
            return "function"
        up = name.parent
        while up is not None and up.id != node.id and up.type in ("qualified_identifier", "template_function"):
            up = up.parent
        if up is not None and up.type == "function_declarator":
            return "function"
    return kind


def _is_local(node: Node) -> bool:
    """Whether a variable stands inside code that has no name: a callback, a loop."""
    up = node.parent
    while up is not None:
        if up.type in kinds.TYPE_BODIES:
            return False
        if up.type in kinds.BODIES:
            return True
        up = up.parent
    return False


def _names(node: Node, how: str) -> list[Node]:
    """The nodes of the names that a node declares."""
    if how == "element":
        tag = node.named_children[0] if node.named_children else None
        return [child for child in (tag.named_children if tag else ())[:1] if child.type in ("tag_name", "Name")]
    if how == "declarator":
        ends = [_declared(child) for child in node.children_by_field_name("declarator")]
        return [end for end in ends if end is not None]
    if node.type in ("struct_specifier", "class_specifier", "union_specifier", "enum_specifier") and not (
        node.child_by_field_name("body")
    ):
        return []
    if node.type == "const_element" and node.named_children:
        return node.named_children[:1]
    names = node.children_by_field_name(how)
    if how == "left":
        inner = [name.named_children[0] if name.type == "type" and name.named_children else name for name in names]
        return [name for name in inner if name.type in ("identifier", "constant")]
    if names and names[0].type == "qualified_identifier":
        return [last for last in map(_declared, names) if last is not None]
    return names


def _declared(node: Node) -> Node | None:
    """The name at the end of a declarator."""
    while node.type not in kinds.NAMES:
        inner = node.child_by_field_name("declarator") or node.child_by_field_name("name")
        if inner is None:
            named = node.named_children
            if not named or node.type not in (
                "reference_declarator",
                "parenthesized_declarator",
                "attributed_declarator",
            ):
                return None
            inner = named[-1]
        node = inner
    while node.type in ("qualified_identifier", "template_function", "template_method"):
        inner = node.child_by_field_name("name")
        if inner is None:
            return None
        node = inner
    return node


def _child_with(node: Node, name: Node) -> Node:
    return next((c for c in node.named_children if c.start_byte <= name.start_byte < c.end_byte), name)


def _span(node: Node, wrappers: tuple[str, ...]) -> tuple[tuple[Node, Node], bool]:
    """The first and the last node of what belongs to a symbol, and whether it shares its statement with others."""
    shared = False
    parent = node.parent
    while parent is not None and parent.type in wrappers:
        if sum(child.type == node.type for child in parent.children) > 1:
            shared = True
            break
        node, parent = parent, parent.parent
    first = last = node
    if shared:
        return (first, last), True
    while (before := first.prev_sibling) is not None and before.type in kinds.BEFORE:
        first = before
    after = last.next_sibling
    if after is not None and after.type == ";" and after.start_point[0] == last.end_point[0]:
        last = after
    return (first, last), shared


# ── symbols ──────────────────────────────────────────────────────────────────────────────────────


def _parts(grammar: str, found: Found, outer: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names on the way to a symbol, and those on the way to what is inside it."""
    name = _text(found.name)
    node = found.node
    if found.kind == "impl":
        about = (*outer, _last_word(name))
        trait = node.child_by_field_name("trait")
        return (*outer, f"impl {_text(trait)} for {name}" if trait else f"impl {name}"), about
    if grammar == "go" and (receiver := node.child_by_field_name("receiver")) is not None:
        outer = (*outer, _last_word(_text(receiver).strip("() ").split()[-1].lstrip("*")))
    if found.kind in kinds.NAMESPACE and found.name.type != "string":
        own = tuple(name.replace("::", ".").replace("\\", ".").split("."))
    elif found.kind == "element":
        own = (name + _identity(node),)
    else:
        tilde = "~" if node.type == "destructor_declaration" else ""
        own = (*_qualified(found.name), tilde + " ".join(name.split()))
    return outer + own, outer + own


def _qualified(name: Node) -> tuple[str, ...]:
    """The scopes that stand before a name: `A::B::f` is declared outside of A::B."""
    scopes: list[str] = []
    node = name.parent
    while node is not None and node.type in ("qualified_identifier", "template_function", "template_method"):
        scope = node.child_by_field_name("scope")
        if scope is not None:
            scopes.insert(0, _text(scope).partition("<")[0].strip())
        node = node.parent
    return tuple(scopes)


def _last_word(name: str) -> str:
    """`a::B<T>` is about B."""
    return name.partition("<")[0].partition("[")[0].replace("::", ".").rsplit(".", 1)[-1].strip("& ")


def _identity(node: Node) -> str:
    """`#id` of an element that has one."""
    for attribute in node.named_children[0].named_children[1:]:
        name, _, value = _text(attribute).partition("=")
        if name.strip() == "id":
            return "#" + value.strip().strip("\"'")
    return ""


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "surrogateescape")


def _symbol(found: Found, parts: tuple[str, ...], lines: list[bytes], depth: int) -> Symbol:
    first, last = found.span
    row, column = found.name.start_point
    begin, end = first.start_point, last.end_point
    last_row = end[0] - 1 if end[1] == 0 and end[0] > begin[0] else end[0]
    width = found.name.end_point[1] - column if found.name.end_point[0] == row else 0
    return Symbol(
        parts, found.kind, row, units(lines[row], column),
        units(lines[row], column + width) - units(lines[row], column),
        begin[0], last_row, units(lines[begin[0]], begin[1]),
        units(lines[last_row], end[1] if last_row == end[0] else len(lines[last_row])), _lead(first),
        shared=found.shared, damaged=found.node.has_error, depth=depth, inner=_body(found.node, lines),
    )  # fmt: skip


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


def _lead(first: Node) -> int:
    """The row where the comments right above a node begin."""
    row = first.start_point[0]
    outer = first
    while outer.prev_sibling is None and outer.parent is not None and outer.parent.start_byte == first.start_byte:
        outer = outer.parent  # the first statement of a block: its comments stand before the block
    node = outer.prev_sibling
    while node is not None and node.type in kinds.COMMENTS:
        end_row, end_column = node.end_point
        if row - (end_row - (end_column == 0)) != 1:
            break
        before = node.prev_sibling
        if before is not None and before.end_point[0] == node.start_point[0] and before.end_point[1] > 0:
            break  # it ends a line of code
        row, node = node.start_point[0], before
    return row


def whole(count: int) -> Symbol:
    """The whole of a file with so many lines, as if it were a symbol."""
    return Symbol(("",), "file", 0, 0, 0, 0, count - 1, 0, 1 << 30, 0)

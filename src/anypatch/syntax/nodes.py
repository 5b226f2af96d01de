"""The nodes of a tree that are symbols, with their names and all that belongs to them. Pure.

A node finds its parent and its neighbours by a search from the root on, so they are asked for only where they matter.
"""

from __future__ import annotations

from ..record import NamedTuple
from . import kinds
from .grammars import parser_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

_SPECIFIERS = ("struct_specifier", "class_specifier", "union_specifier", "enum_specifier")
_QUALIFIED = ("qualified_identifier", "template_function", "template_method")
_DECLARATORS = ("reference_declarator", "parenthesized_declarator", "attributed_declarator")


class Found(NamedTuple):
    """A symbol's node. `name`: the node of its name, `scopes`: of those before it, as in `A::B::f`."""

    kind: str
    node: Node
    name: Node
    scopes: tuple[Node, ...]
    shared: bool


class Walk(NamedTuple):
    """What a tree holds: symbols in the order of the text, outer before inner, and what belongs to those behind it.

    `before`: the byte where a node ends that belongs to the symbol behind it, to that node. `twins`: for a node, the
    types of which it has several children.
    """

    found: list[Found]
    before: dict[int, Node]
    twins: dict[int, set[str]]


def walked(grammar: str, root: Node) -> Walk:
    """The symbols below a root."""
    rules, before = _by_id(grammar)
    walk = Walk([], {}, {})
    nodes: list[tuple[int, int, int, Node]] = []
    for node in _inner_nodes(root, rules.keys() | before if rules else set()):
        if node.kind_id in before:
            walk.before[node.end_byte] = node
        else:
            nodes.append((node.start_byte, -node.end_byte, -len(nodes), node))
    for *_, node in sorted(nodes):
        kind, how = rules[node.kind_id] if rules else _guessed(node)
        if kind:
            walk.found.extend(_symbols(node, kind, how))
    return walk


def _inner_nodes(root: Node, wanted: set[int]) -> list[Node]:
    """The nodes of some types that have others below them, inner ones first; without any type, all of these."""
    found: list[Node] = []
    cursor = root.walk()
    down, side, up = cursor.goto_first_child, cursor.goto_next_sibling, cursor.goto_parent
    while True:
        if down():
            continue
        while not side():
            if not up():
                return found
            node = cursor.node
            if node is not None and (node.kind_id in wanted or not wanted):
                found.append(node)


def _by_id(grammar: str) -> tuple[dict[int, tuple[str, str]], set[int]]:
    """The tables of symbols and of what belongs to those behind it, by the numbers of this grammar."""
    parser = parser_of(grammar)
    assert parser is not None and parser.language is not None
    number = parser.language.id_for_node_kind
    rules = {number(name, True) or 0: rule for name, rule in kinds.rules(grammar).items()}
    rules.pop(0, None)
    return rules, {number(name, True) or 0 for name in kinds.BEFORE} - {0}


def _guessed(node: Node) -> tuple[str, str]:
    """The kind of a node of a grammar that no table knows."""
    return next((word for word in kinds.WORDS if word in node.type), ""), "name"


def _symbols(node: Node, kind: str, how: str) -> list[Found]:
    """The symbols that a node declares."""
    names = _names(node, how)
    found = []
    for name, scopes, is_function in names:
        own = node if len(names) == 1 else _child_with(node, name)
        told = kind
        if kind in ("variable", "field"):  # one that holds a function is one; so is what C declares with parameters
            value = None if is_function else node.child_by_field_name("value")
            if is_function or (value is not None and value.type in kinds.FUNCTIONS):
                told = "function"
        found.append(Found(told, own, name, scopes, len(names) > 1))
    return found


def is_local(node: Node) -> bool:
    """Whether a variable stands inside code that has no name: a callback, a loop."""
    up = node.parent
    while up is not None:
        kind = up.type
        if kind in kinds.TYPE_BODIES:
            return False
        if kind in kinds.BODIES:
            return True
        up = up.parent
    return False


# ── names ────────────────────────────────────────────────────────────────────────────────────────


Name = tuple["Node", tuple["Node", ...], bool]  # the node, those of its scopes, whether parameters follow


def _names(node: Node, how: str) -> list[Name]:
    """The names that a node declares."""
    if how == "element":
        tag = node.named_children[0] if node.named_children else None
        names = [child for child in (tag.named_children if tag else ())[:1] if child.type in ("tag_name", "Name")]
    elif how == "declarator":
        return _declared_all(node.children_by_field_name("declarator"))
    elif node.type in _SPECIFIERS and not node.child_by_field_name("body"):
        return []
    elif node.type == "const_element" and node.named_children:
        names = node.named_children[:1]
    else:
        names = node.children_by_field_name(how)
        if how == "left":
            names = [name.named_children[0] if name.type == "type" and name.named_children else name for name in names]
            names = [name for name in names if name.type in ("identifier", "constant")]
        if names and names[0].type == "qualified_identifier":
            return _declared_all(names)
    return [(name, (), False) for name in names]


def _declared_all(nodes: list[Node]) -> list[Name]:
    return [name for name in map(_declared, nodes) if name is not None]


def _declared(node: Node) -> Name | None:
    """The name at the end of a declarator."""
    around = ""
    while node.type not in kinds.NAMES:
        around = node.type
        inner = node.child_by_field_name("declarator") or node.child_by_field_name("name")
        if inner is None:
            named = node.named_children
            if not named or around not in _DECLARATORS:
                return None
            inner = named[-1]
        node = inner
    scopes: list[Node] = []
    while node.type in _QUALIFIED:
        scope, inner = node.child_by_field_name("scope"), node.child_by_field_name("name")
        if inner is None:
            return None
        scopes += [scope] if scope is not None else []
        node = inner
    return node, tuple(scopes), around == "function_declarator"


def _child_with(node: Node, name: Node) -> Node:
    return next((c for c in node.named_children if c.start_byte <= name.start_byte < c.end_byte), name)


# ── spans ────────────────────────────────────────────────────────────────────────────────────────


def span(walk: Walk, found: Found, wrappers: tuple[str, ...], data: bytes) -> tuple[Node, Node, bool]:
    """The first and the last node of what belongs to a symbol, and whether it shares its statement with others."""
    node = found.node
    up = node.parent if wrappers and not found.shared else None
    while up is not None and up.type in wrappers:
        if node.type in _twins(walk.twins, up):
            return node, node, True
        node, up = up, up.parent
    first = last = node
    while walk.before:
        end = first.start_byte
        while end and data[end - 1] in b" \t\r\n\f":
            end -= 1
        if end not in walk.before:
            break
        first = walk.before[end]
    if data[last.end_byte : last.end_byte + 1] in b"; \t":
        after = last.next_sibling
        if after is not None and after.type == ";" and after.start_point[0] == last.end_point[0]:
            last = after
    return first, last, found.shared


def _twins(known: dict[int, set[str]], node: Node) -> set[str]:
    """The types of which a node has several children."""
    if node.id not in known:
        seen: set[str] = set()
        twice: set[str] = set()
        for child in node.children:
            (twice if child.type in seen else seen).add(child.type)
        known[node.id] = twice
    return known[node.id]


def lead(node: Node, place: tuple[int, int], lines: list[bytes], seen: list[bytes]) -> int:
    """The row where the comments right above a node begin; neither it nor they may stand behind code on their line.

    `seen`: the lines as the grammar saw them. Macros on lines of their own, which may be the node's, count as comments.
    """
    row, column = place
    if not row or lines[row][:column].strip() or not lines[row - 1].strip():
        return row
    outer = node
    while outer.prev_sibling is None and (up := outer.parent) is not None and up.start_byte == node.start_byte:
        outer = up  # the first statement of a block: its comments stand before the block
    row = _above_macros(row, lines, seen)
    before = outer.prev_sibling
    while before is not None and before.type in kinds.COMMENTS:
        end_row, end_column = before.end_point
        start, column = before.start_point
        if row - (end_row - (end_column == 0)) != 1 or lines[start][:column].strip():
            break
        row, before = _above_macros(start, lines, seen), before.prev_sibling
    return row


def _above_macros(row: int, lines: list[bytes], seen: list[bytes]) -> int:
    while row and seen is not lines and not seen[row - 1].strip() and is_unread(lines[row - 1]):
        row -= 1
    return row


def is_unread(line: bytes) -> bool:
    """Whether a line is nothing but words in capitals, the last with or without what it is given."""
    words, _, given = line.strip().partition(b"(")
    names = words.decode("utf-8", "replace").split()
    return bool(names) and all(name.isidentifier() and name.isupper() for name in names) and given[-1:] in (b"", b")")

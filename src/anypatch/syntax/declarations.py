"""List the declarations of a text by its grammar: their names, their kinds and the lines they span.

A table says which types of nodes declare something. For a language without a row, words in the types of nodes do.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ..text import decode, units
from .grammars import parsed, parser_of
from .languages import comment_text

if TYPE_CHECKING:
    from tree_sitter import Node


class Declaration(NamedTuple):
    """A declaration. Rows and columns count from 0, columns in UTF-16 units.

    parts: the names of the declarations around it, outermost first, and its own.
    row, column, width: where its identifier is.
    first, last: its rows, both inclusive; start and stop: the columns where it begins and after which it ends.
    lead: the first row of the comments and macros right above it, `first` if there are none.
    number: its index among the declarations with the same path, if there are several (is_numbered).
    shared: its statement declares others, too. damaged: the text inside doesn't follow the grammar.
    depth: how many declarations are around it. engine: the one that listed it.
    inner: the row and column where its body begins, and those after its end.
    other_last: the last row according to a second engine, if it differs.
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
    is_numbered: bool = False
    shared: bool = False
    damaged: bool = False
    depth: int = 0
    engine: str = "tree-sitter"
    inner: tuple[int, int, int, int] | None = None
    other_last: int = -1

    @property
    def name(self) -> str:
        """Its own name."""
        return self.parts[-1]

    @property
    def name_path(self) -> str:
        """Its path, which `resolve` finds again: `/` between names, `[i]` if several share it."""
        path = "/".join(escape_name(part) for part in self.parts)
        return f"{path}[{self.number}]" if self.is_numbered else path


def escape_name(name: str) -> str:
    """Return a name as it is written in a path: `/` as `~1`, and what looks like such an escape escaped itself."""
    return name.replace("~0", "~00").replace("~1", "~01").replace("/", "~1")


def numbered(declarations: Iterable[Declaration]) -> list[Declaration]:
    """Return the declarations with their index among those of the same path, if there are several."""
    declarations = list(declarations)
    counts = Counter(declaration.parts for declaration in declarations)
    seen: Counter[tuple[str, ...]] = Counter()
    result = []
    for declaration in declarations:
        parts = declaration.parts
        several = counts[parts] > 1
        result.append(declaration._replace(number=seen[parts], is_numbered=True) if several else declaration)
        seen[parts] += 1
    return result


# ── kinds of nodes, a table for each grammar ───────────────────────────────────────────────────────


# Kinds whose inside is code: variables in it aren't listed.
CODE_KINDS = ("function", "method", "constructor", "accessor")
VALUE_KINDS = ("field", "variable", "constant", "member", "macro", "property")
_LEAF_KINDS = ("field", "variable", "constant", "macro", "property")  # nothing is declared inside them
_NAMESPACE_KINDS = ("namespace", "module", "package")
# Kinds whose functions are methods.
_TYPE_KINDS = (
    "class", "struct", "union", "interface", "trait", "impl", "enum", "record", "object", "protocol", "member",
)  # fmt: skip

# By grammar: the types of nodes that declare something of a kind. After a colon: the field that holds the name, if it
# isn't `name`, "declarator" for the name inside a C declarator, "element" for that of a tag.
_SCRIPT = {
    "class": "class_declaration abstract_class_declaration class",
    "function": "function_declaration generator_function_declaration function_signature",
    "method": "method_definition method_signature abstract_method_signature",
    "interface": "interface_declaration", "type": "type_alias_declaration", "enum": "enum_declaration",
    "namespace": "internal_module module",
    "field": "public_field_definition field_definition:property property_signature", "variable": "variable_declarator",
}  # fmt: skip
_C = {
    "function": "function_definition:declarator", "struct": "struct_specifier", "union": "union_specifier",
    "enum": "enum_specifier", "type": "type_definition:declarator", "member": "enumerator",
    "field": "field_declaration:declarator", "variable": "declaration:declarator",
    "macro": "preproc_def preproc_function_def",
}  # fmt: skip

_TABLE: Mapping[str, Mapping[str, str]] = {
    "python": {"class": "class_definition", "function": "function_definition", "type": "type_alias_statement:left",
               "variable": "assignment:left"},
    "javascript": _SCRIPT, "typescript": _SCRIPT, "tsx": _SCRIPT,
    "java": {
        "class": "class_declaration", "interface": "interface_declaration annotation_type_declaration",
        "enum": "enum_declaration", "record": "record_declaration",
        "method": "method_declaration annotation_type_element_declaration",
        "constructor": "constructor_declaration compact_constructor_declaration",
        "field": "field_declaration:declarator", "constant": "constant_declaration:declarator",
        "member": "enum_constant",
    },
    "c": _C,
    "cpp": _C | {"class": "class_specifier", "namespace": "namespace_definition", "concept": "concept_definition",
                 "type": "type_definition:declarator alias_declaration"},
    "go": {
        "function": "function_declaration", "method": "method_declaration method_elem", "type": "type_spec type_alias",
        "field": "field_declaration", "constant": "const_spec", "variable": "var_spec",
    },
    "rust": {
        "function": "function_item function_signature_item", "struct": "struct_item", "enum": "enum_item",
        "union": "union_item", "trait": "trait_item", "impl": "impl_item:type", "module": "mod_item",
        "type": "type_item associated_type", "macro": "macro_definition", "constant": "const_item",
        "variable": "static_item", "member": "enum_variant", "field": "field_declaration",
    },
    "c_sharp": {
        "class": "class_declaration", "struct": "struct_declaration", "interface": "interface_declaration",
        "enum": "enum_declaration", "record": "record_declaration record_struct_declaration",
        "namespace": "namespace_declaration file_scoped_namespace_declaration",
        "method": "method_declaration", "function": "local_function_statement",
        "constructor": "constructor_declaration destructor_declaration",
        "property": "property_declaration event_declaration",
        "type": "delegate_declaration", "member": "enum_member_declaration", "field": "variable_declarator",
    },
    "ruby": {"class": "class", "module": "module", "method": "method singleton_method", "constant": "assignment:left"},
    "php": {
        "class": "class_declaration", "interface": "interface_declaration", "trait": "trait_declaration",
        "enum": "enum_declaration", "function": "function_definition", "method": "method_declaration",
        "namespace": "namespace_definition", "field": "property_element", "constant": "const_element",
        "member": "enum_case",
    },
    "html": {"element": "element:element script_element:element style_element:element"},
    "xml": {"element": "element:element"},
}  # fmt: skip
# In a grammar without a row: a node with a name declares what its type has one of these words for.
_WORDS = (
    "function", "method", "class", "struct", "interface", "enum", "trait", "module", "namespace", "object", "protocol",
)  # fmt: skip
_SCRIPT_WRAPPERS = "export_statement lexical_declaration variable_declaration ambient_declaration expression_statement"
# By grammar: the nodes that belong to the declaration in them.
_WRAPPERS: Mapping[str, str] = {
    "python": "decorated_definition expression_statement",
    "javascript": _SCRIPT_WRAPPERS, "typescript": _SCRIPT_WRAPPERS, "tsx": _SCRIPT_WRAPPERS,
    "c": "linkage_specification", "cpp": "template_declaration linkage_specification friend_declaration",
    "go": "type_declaration const_declaration var_declaration",
    "c_sharp": "variable_declaration field_declaration event_field_declaration global_statement",
    "php": "property_declaration const_declaration",
}  # fmt: skip
_FUNCTIONS = ("arrow_function", "function_expression", "function", "generator_function")  # values of variables
# Nodes without a name in which variables are local; bodies of types, in which they aren't.
_BODIES = (
    "statement_block", "compound_statement", "block_statement", "arguments", "for_statement", "for_in_statement",
    "for_range_loop", "lambda", "func_literal", "parameter_list",
)  # fmt: skip
_TYPE_BODIES = (
    "class_body", "field_declaration_list", "declaration_list", "enum_body", "interface_body", "object_type",
)  # fmt: skip
_PREFIXES = ("attribute_item", "decorator", "attribute_declaration")  # belong to the declaration after them
_COMMENTS = ("comment", "line_comment", "block_comment", "Comment")
# Types of nodes that hold the name in a declarator of C.
_NAMES = (
    "identifier", "field_identifier", "type_identifier", "qualified_identifier", "destructor_name", "operator_name",
    "operator_cast", "primitive_type", "template_function", "template_method",
)  # fmt: skip
_SPECIFIERS = ("struct_specifier", "class_specifier", "union_specifier", "enum_specifier")
_QUALIFIED = ("qualified_identifier", "template_function", "template_method")
_DECLARATORS = ("reference_declarator", "parenthesized_declarator", "attributed_declarator")


# ── from the nodes of a tree to declarations ───────────────────────────────────────────────────────


class _Source(NamedTuple):
    """A text, its lines, and the lines as the grammar read them (`seen`).

    wrappers: types of nodes that belong to the declaration inside them. prefixes: nodes that belong to the declaration
    after them, by the byte where they end. repeated: by the id of a node, the types that several of its children have.
    """

    data: bytes
    lines: list[bytes]
    seen: list[bytes]
    wrappers: tuple[str, ...]
    prefixes: dict[int, Node]
    repeated: dict[int, set[str]]


class _Named(NamedTuple):
    """A node that declares something, the node of its name, and those of the scopes before it, as in `A::B::f`."""

    kind: str
    node: Node
    name: Node
    scopes: tuple[Node, ...]
    shared: bool


class _Outer(NamedTuple):
    """A declaration that may enclose the next ones: where it ends, its path as they see it, and its kind."""

    end: int
    parts: tuple[str, ...]
    kind: str


def best_tree(grammar: str, data: bytes) -> tuple[Node | None, bytes]:
    """Return the root of the tree, and the bytes that it is of: C and C++ without macros that confuse the grammar."""
    texts: Iterable[bytes] = (data,)
    if grammar in ("c", "cpp"):
        from .macros import readings

        texts = readings(data)
    best: tuple[Node | None, bytes] = None, data
    for text in texts:
        tree = parsed(grammar, text)
        if tree is None or not tree.root_node.has_error:
            return tree.root_node if tree else None, text
        best = best if best[0] else (tree.root_node, text)
    return best


def declarations_in(grammar: str, root: Node, data: bytes, seen: bytes) -> list[Declaration]:
    """List what a text declares, in order, outer before inner. `seen`: the text as the grammar saw it."""
    declarations: list[Declaration] = []
    outers: list[_Outer] = []
    lines = data.split(b"\n")
    wrappers = tuple(_WRAPPERS.get(grammar, "").split())
    source = _Source(data, lines, lines if seen is data else seen.split(b"\n"), wrappers, {}, {})
    for named in _named_nodes(grammar, root, source.prefixes):
        end = named.node.end_byte
        while outers and outers[-1].end < end:
            outers.pop()
        outer = outers[-1] if outers else _Outer(0, (), "")
        kind = named.kind
        # Inside code, C++ reads `T a(b);` as a variable with its value.
        is_value = kind in VALUE_KINDS or named.node.type == "declaration"
        if is_value and (outer.kind in CODE_KINDS or _is_local(named.node)):
            continue
        parts, inner_parts = _parts(grammar, named, outer.parts, data)
        if kind == "function" and (outer.kind in _TYPE_KINDS or len(parts) > len(outer.parts) + 1):
            kind = "method"
        declarations.append(_declaration(source, named, kind, parts, len(outers)))
        if kind not in _LEAF_KINDS:
            outers.append(_Outer(end, inner_parts, kind))
    return declarations


def _named_nodes(grammar: str, root: Node, prefixes: dict[int, Node]) -> list[_Named]:
    """List the nodes that declare something, in order, outer before inner; note the nodes that belong to the next."""
    rules, prefix_ids = _rules_by_id(grammar)
    nodes: list[tuple[int, int, int, Node]] = []
    for node in _inner_nodes(root, rules.keys() | prefix_ids if rules else set()):
        if node.kind_id in prefix_ids:
            prefixes[node.end_byte] = node
        else:
            nodes.append((node.start_byte, -node.end_byte, -len(nodes), node))
    named: list[_Named] = []
    for *_, node in sorted(nodes):
        guessed = next((word for word in _WORDS if word in node.type), "") if not rules else ""
        kind, how = rules[node.kind_id] if rules else (guessed, "name")
        if kind:
            named += _declared_by(node, kind, how)
    return named


def _inner_nodes(root: Node, wanted: set[int]) -> list[Node]:
    """List the nodes of some types that have children, inner ones first; of all types if none is given."""
    nodes: list[Node] = []
    cursor = root.walk()
    down, side, up = cursor.goto_first_child, cursor.goto_next_sibling, cursor.goto_parent
    while True:
        if down():
            continue
        while not side():
            if not up():
                return nodes
            node = cursor.node
            if node is not None and (node.kind_id in wanted or not wanted):
                nodes.append(node)


def _rules_by_id(grammar: str) -> tuple[dict[int, tuple[str, str]], set[int]]:
    """Return (kind, how its name is found) by the grammar's number of a type; and the numbers of the prefixes."""
    parser = parser_of(grammar)
    assert parser is not None and parser.language is not None
    number = parser.language.id_for_node_kind
    rules: dict[int, tuple[str, str]] = {}
    for kind, types in _TABLE.get(grammar, {}).items():
        for node_type, _, how in (entry.partition(":") for entry in types.split()):
            rules[number(node_type, True) or 0] = (kind, how or "name")
    rules.pop(0, None)
    return rules, {number(name, True) or 0 for name in _PREFIXES} - {0}


def _declared_by(node: Node, kind: str, how: str) -> list[_Named]:
    names = _names(node, how)
    named = []
    for name, scopes, has_parameters in names:
        holding = (child for child in node.named_children if child.start_byte <= name.start_byte < child.end_byte)
        own = node if len(names) == 1 else next(holding, name)
        own_kind = kind
        if kind in ("variable", "field"):  # with a function as its value, or with parameters in C, it is a function
            value = None if has_parameters else node.child_by_field_name("value")
            if has_parameters or (value is not None and value.type in _FUNCTIONS):
                own_kind = "function"
        named.append(_Named(own_kind, own, name, scopes, len(names) > 1))
    return named


def _is_local(node: Node) -> bool:
    """Return True if a variable is inside code without a name: a callback, a loop."""
    up = node.parent
    while up is not None:
        if up.type in _TYPE_BODIES:
            return False
        if up.type in _BODIES:
            return True
        up = up.parent
    return False


def _declaration(source: _Source, named: _Named, kind: str, parts: tuple[str, ...], depth: int) -> Declaration:
    lines = source.lines
    first, last, shared = _span(source, named)
    (row, column), name_end = named.name.start_point, named.name.end_point
    begin, end = _begin(source, first.start_point), last.end_point
    last_row = end[0] - 1 if end[1] == 0 and end[0] > begin[0] else end[0]
    start = _units(lines[row], column)
    width = _units(lines[row], name_end[1]) - start if name_end[0] == row else 0
    return Declaration(
        parts, kind, row, start, width, begin[0], last_row, _units(lines[begin[0]], begin[1]),
        _units(lines[last_row], end[1] if last_row == end[0] else len(lines[last_row])),
        _lead(first, begin, lines, source.seen), shared=shared, damaged=named.node.has_error, depth=depth,
        inner=_body(named.node, lines),
    )  # fmt: skip


def _begin(source: _Source, place: tuple[int, int]) -> tuple[int, int]:
    """Return where a declaration begins: macros before it on its line, which the grammar hasn't seen, belong to it."""
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
    return first, _units(lines[first], start), last, _units(lines[last], stop) if last < len(lines) else 0


def _units(line: bytes, column: int) -> int:
    """Return a column in bytes as one in UTF-16 units."""
    return units(decode(line[:column]))


# ── names ──────────────────────────────────────────────────────────────────────────────────────────


Name = tuple["Node", tuple["Node", ...], bool]  # the node, those of its scopes, whether it has parameters


def _names(node: Node, how: str) -> list[Name]:
    """Return the names that a node declares."""
    if how == "declarator":
        return _declarator_names(node.children_by_field_name("declarator"))
    if node.type in _SPECIFIERS and not node.child_by_field_name("body"):
        return []
    if how == "element":
        names = _tag_names(node)
    elif node.type == "const_element":
        names = node.named_children[:1]
    else:
        names = node.children_by_field_name(how)
        if how == "left":
            names = _assigned_names(names)
        if names and names[0].type == "qualified_identifier":
            return _declarator_names(names)
    return [(name, (), False) for name in names]


def _tag_names(element: Node) -> list[Node]:
    tag = element.named_children[0] if element.named_children else None
    return [child for child in (tag.named_children if tag else ())[:1] if child.type in ("tag_name", "Name")]


def _assigned_names(targets: list[Node]) -> list[Node]:
    names = [node.named_children[0] if node.type == "type" and node.named_children else node for node in targets]
    return [name for name in names if name.type in ("identifier", "constant")]


def _declarator_names(nodes: list[Node]) -> list[Name]:
    return [name for name in map(_declarator_name, nodes) if name is not None]


def _declarator_name(node: Node) -> Name | None:
    """Return the name that a C declarator ends in."""
    around = ""
    while node.type not in _NAMES:
        around = node.type
        inner = node.child_by_field_name("declarator") or node.child_by_field_name("name")
        if inner is None:
            if not node.named_children or around not in _DECLARATORS:
                return None
            inner = node.named_children[-1]
        node = inner
    scopes: list[Node] = []
    while node.type in _QUALIFIED:
        scope, inner = node.child_by_field_name("scope"), node.child_by_field_name("name")
        if inner is None:
            return None
        scopes += [scope] if scope is not None else []
        node = inner
    return node, tuple(scopes), around == "function_declarator"


def _parts(grammar: str, named: _Named, outer: tuple[str, ...], data: bytes) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the path of a declaration, and the path that declarations inside it begin with."""
    name = _text(named.name, data)
    node = named.node
    if named.kind == "impl":  # Rust: the block is transparent, a method in `impl A` is `A/m`
        trait = node.child_by_field_name("trait")
        title = f"impl {_text(trait, data)} for {name}" if trait else f"impl {name}"
        return (*outer, title), (*outer, _type_name(name))
    if grammar == "go" and (receiver := node.child_by_field_name("receiver")) is not None:
        outer = (*outer, *_receiver_type(receiver, data))
    if named.kind in _NAMESPACE_KINDS and named.name.type != "string":
        own = tuple(name.replace("::", ".").replace("\\", ".").split("."))
    elif named.kind == "element":
        own = (name + _element_id(node, data),)
    else:
        tilde = "~" if node.type == "destructor_declaration" else ""
        scopes = [_text(scope, data).partition("<")[0].strip() for scope in named.scopes]
        own = (*scopes, tilde + " ".join(name.split()))
    return outer + own, outer + own


def _receiver_type(receiver: Node, data: bytes) -> tuple[str, ...]:
    """Return the type that a method of Go belongs to: `Stack` for `(s *Stack[K, V])`, none for `()`."""
    types = [kind for given in receiver.named_children if (kind := given.child_by_field_name("type")) is not None]
    name = _type_name(_text(types[0], data).strip("()* ")) if types else ""
    return (name,) if name else ()


def _type_name(name: str) -> str:
    """Return `B` for `a::B<T>`."""
    return name.partition("<")[0].partition("[")[0].replace("::", ".").rsplit(".", 1)[-1].strip("& ")


def _element_id(node: Node, data: bytes) -> str:
    """Return `#id` of an element that has one, else ""."""
    for attribute in node.named_children[0].named_children[1:]:
        name, _, value = _text(attribute, data).partition("=")
        if name.strip() == "id":
            return "#" + value.strip().strip("\"'")
    return ""


def _text(node: Node, data: bytes) -> str:
    return data[node.start_byte : node.end_byte].decode("utf-8", "surrogateescape")


# ── the lines that belong to a node ────────────────────────────────────────────────────────────────


def _span(source: _Source, named: _Named) -> tuple[Node, Node, bool]:
    """Return the first and the last node of a declaration, and True if it shares its statement with others."""
    node, data = named.node, source.data
    up = node.parent if source.wrappers and not named.shared else None
    while up is not None and up.type in source.wrappers:
        if node.type in _repeated_types(source.repeated, up):
            return node, node, True
        node, up = up, up.parent
    first = last = node
    while source.prefixes:
        end = first.start_byte
        while end and data[end - 1] in b" \t\r\n\f":
            end -= 1
        if end not in source.prefixes:
            break
        first = source.prefixes[end]
    if data[last.end_byte : last.end_byte + 1] in b"; \t":
        after = last.next_sibling
        if after is not None and after.type == ";" and after.start_point[0] == last.end_point[0]:
            last = after
    return first, last, named.shared


def _repeated_types(known: dict[int, set[str]], node: Node) -> set[str]:
    """Return the types that several children of a node have."""
    if node.id not in known:
        known[node.id] = {kind for kind, count in Counter(child.type for child in node.children).items() if count > 1}
    return known[node.id]


def _lead(node: Node, place: tuple[int, int], lines: list[bytes], seen: list[bytes]) -> int:
    """Return the row where the comments right above a node begin. Neither it nor they may follow code on their line.

    Macros on lines of their own, which the grammar hasn't seen and which may be the node's, count as comments.
    """
    row, column = place
    if not row or lines[row][:column].strip() or not lines[row - 1].strip():
        return row
    outer = node
    while outer.prev_sibling is None and (up := outer.parent) is not None and up.start_byte == node.start_byte:
        outer = up  # the first statement of a block: its comments are before the block
    row = _above_macros(row, lines, seen)
    before = outer.prev_sibling
    while before is not None and before.type in _COMMENTS:
        end_row, end_column = before.end_point
        start, column = before.start_point
        if row - (end_row - (end_column == 0)) != 1 or lines[start][:column].strip():
            break
        row, before = _above_macros(start, lines, seen), before.prev_sibling
    return row


def _above_macros(row: int, lines: list[bytes], seen: list[bytes]) -> int:
    while row and seen is not lines and not seen[row - 1].strip() and _is_macro_line(lines[row - 1]):
        row -= 1
    return row


def _is_macro_line(line: bytes) -> bool:
    """Return True if a line is nothing but words in capitals, the last with or without arguments."""
    words, _, arguments = line.strip().partition(b"(")
    names = words.decode("utf-8", "replace").split()
    is_upper = all(name.isidentifier() and name.isupper() for name in names)
    return bool(names) and is_upper and arguments[-1:] in (b"", b")")


_LICENCE = re.compile(r"copyright|licen[cs]e|spdx", re.IGNORECASE)
_FOR_A_PROGRAM = re.compile(r"#!|<\?|.*?(?:coding[:=]|frozen_string_literal:|eslint-disable)")


def file_header_end(lines: Sequence[str]) -> int:
    """Return the row after the comments at the top of a file that belong to the file, not to the symbol below them.

    #!/usr/bin/env python       for a program
    # Copyright 2024 X          a licence, to the end of its comment
    # All rights reserved
    def main():
    """
    end = 0
    is_licence = in_block = False
    for row, line in enumerate(lines, 1):
        bare = line.strip()
        if not bare and not in_block:
            is_licence = False
            continue
        if not in_block and comment_text(bare) is None and not bare.startswith(("*", "<?")):
            break
        in_block = (in_block or bare.startswith(("/*", "<!--"))) and not bare.endswith(("*/", "-->"))
        is_licence = is_licence or bool(_LICENCE.search(bare))
        if is_licence or _FOR_A_PROGRAM.match(bare):
            end = row
        is_licence = is_licence and not bare.endswith(("*/", "-->"))
    return end

"""Symbols: the declarations of a text with their names and lines, by its grammar; in a damaged file also by headers.

    symbols_of   all symbols of a text        told      the same, with what a second engine says, where one is in place
    declared     the same by a file's name, where it is certain
    resolve      the one that is meant        settled   the same with its end, in a damaged file where all agree on it

A symbol's name path has `/` between names, and `[i]` where several share it: `Cart/total`, `Cart/add[1]`. In a damaged
file nothing is trusted alone: a lost brace makes error-free nodes that end too early, and the scanner agrees with them;
the indentation of the braces inside doesn't.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from ..problems import Near, Problem
from ..similarity import close_names
from ..text import decode, depth_of, encode, indent_of, units
from .blocks import block_end
from .grammars import parsed, parser_of
from .languages import Language, grammar_of, language_of
from .lexer import mask, tokens

if TYPE_CHECKING:
    from tree_sitter import Node

    Engine = Callable[[str, str, "Symbols | None"], "Symbols | None"]


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


class Symbols(NamedTuple):
    """The symbols of a text in its order, outer before inner; `errors`: the text doesn't follow its grammar."""

    rows: list[Symbol]
    errors: bool


@lru_cache(maxsize=8)
def symbols_of(grammar: str, path: str, text: str) -> Symbols | None:
    """All symbols, in a damaged file also those that only a header tells; None without a grammar.

    Only LF ends a line here. `path` tells the language that such headers are read in. The last few are kept: to prove
    what a refusal shows, one file is planned on again and again, which took a third of the time of slow refusals.
    """
    data = encode(text)
    tree, seen = best_tree(grammar, data)
    if tree is None:
        return None
    rows = _rows(grammar, tree, data, seen)
    unseen = _unseen(data, seen) if seen is not data and not tree.has_error else set()
    if not tree.has_error and not unseen:
        return Symbols(numbered(rows), False)

    return Symbols(_completed(path, text, rows, unseen), tree.has_error)


def declared(path: str, text: str, *, damaged: bool = False) -> list[Symbol]:
    """What a file of that name declares; nothing without a grammar, or in a damaged file, unless that is wanted."""
    grammar = grammar_of(path)
    found = symbols_of(grammar, path, text) if grammar else None
    return found.rows if found is not None and (damaged or not found.errors) else []


def _unseen(data: bytes, seen: bytes) -> set[int]:
    """The rows that the grammar hasn't seen, if there may be symbols in them: they could be namesakes of others."""
    lines = enumerate(zip(data.split(b"\n"), seen.split(b"\n"), strict=True))
    rows = {row: line for row, (line, read) in lines if line != read and not read.strip()}
    return set(rows) if any(b"{" in line for line in rows.values()) else set()


def _rows(grammar: str, tree: Node, data: bytes, seen: bytes) -> list[Symbol]:
    symbols: list[Symbol] = []
    above: list[tuple[int, tuple[str, ...], str]] = []
    wrappers = tuple(_WRAPPERS.get(grammar, "").split())
    lines = data.split(b"\n")
    source = _Source(data, lines, lines if seen is data else seen.split(b"\n"), wrappers, {}, {})
    for declaration in _declarations(grammar, tree, source.before):
        end = declaration.node.end_byte
        while above and above[-1][0] < end:
            above.pop()
        outer = above[-1] if above else (0, (), "")
        kind = declaration.kind
        # inside code, what C declares with brackets is a variable and its value
        local = kind in _LOCAL or declaration.node.type == "declaration"
        if local and (outer[2] in CODE or _is_local(declaration.node)):
            continue
        parts, inner = _parts(grammar, declaration, outer[1], data)
        if kind == "function" and (outer[2] in TYPES or len(parts) > len(outer[1]) + 1):
            kind = "method"
        symbols.append(_symbol(source, declaration, kind, parts, len(above)))
        if kind not in _LEAVES:
            above.append((end, inner, kind))
    return symbols


def numbered(symbols: list[Symbol]) -> list[Symbol]:
    """The symbols with their index among those of the same path."""
    counts = Counter(symbol.parts for symbol in symbols)
    seen: Counter[tuple[str, ...]] = Counter()
    result = []
    for symbol in symbols:
        many = counts[symbol.parts] > 1
        result.append(symbol._replace(number=seen[symbol.parts], many=True) if many else symbol)
        seen[symbol.parts] += 1
    return result


def macro_above(symbol: Symbol, line: str) -> bool:
    """Whether the line right above a symbol, `line`, is a macro that may belong to it."""
    return symbol.lead < symbol.first and _is_unread(encode(line))


def whole(count: int) -> Symbol:
    """The whole of a file with so many lines, as if it were a symbol."""
    return Symbol(("",), "file", 0, 0, 0, 0, count - 1, 0, 1 << 30, 0)


# ── a second engine beside the grammars ────────────────────────────────────────────────────────────


# While it is set, this engine is asked too; what both tell must agree, see `Symbol.other`.
second_engine: ContextVar[Engine | None] = ContextVar("second_engine", default=None)


def told(grammar: str, path: str, text: str) -> Symbols | None:
    """The symbols of a text by all engines in place; None where none knows its language."""
    found = symbols_of(grammar, path, text) if grammar else None
    engine = second_engine.get()
    return engine(path, text, found) if engine else found


# ── name paths ─────────────────────────────────────────────────────────────────────────────────────


_LISTED = 5
Step = tuple[str, int]  # one name of a path and its number, -1 where none is given


def resolve(
    symbols: Sequence[Symbol], name_path: str, at: tuple[int, int] | None, *, suggest: bool = True
) -> Symbol | Problem:
    """The one symbol that is meant. With both, the path decides and the position only breaks a tie.

    `suggest`: others are looked for where there is none, which takes long.
    """
    hits = by_path(symbols, name_path) if name_path else _by_position(symbols, at or (0, 0))
    if len(hits) > 1 and name_path and at:
        there = set(_by_position(symbols, at))
        hits = [hit for hit in hits if hit in there] or hits
    if len(hits) == 1:
        return hits[0]
    asked = f"`{name_path}`" if name_path else f"line {at[0]}, column {at[1]} (counted from 0)" if at else "nothing"
    if hits:
        near = tuple(
            Near(hit.first + 1, (), f"`{hit.name_path}`, {hit.kind}, line {hit.first + 1}") for hit in hits[:_LISTED]
        )
        advice = f"Give the full name of one of them: {', '.join('/' + hit.name_path for hit in hits[:_LISTED])}."
        return Problem("ambiguous", f"{asked} matches {len(hits)} symbols", advice=advice, near=near)
    return _unknown(symbols if suggest else (), name_path, at, asked)


def by_path(symbols: Sequence[Symbol], name_path: str) -> list[Symbol]:
    """Those that a path names. Several names that are a whole path mean that one."""
    for steps in _readings(name_path.removeprefix("/")):
        names = tuple(name for name, _ in steps)
        hits = [symbol for symbol in symbols if symbol.parts[-len(names) :] == names]
        whole = [hit for hit in hits if len(hit.parts) == len(steps)]
        if name_path.startswith("/") or (whole and len(steps) > 1):
            hits = whole
        hits = _indexed(symbols, hits, steps)
        if hits:
            return hits
    return []


def last_names(name_path: str) -> list[str]:
    """The names that the symbol which a path means may have."""
    return list(dict.fromkeys(steps[-1][0] for steps in _readings(name_path.removeprefix("/")) if steps))


def _by_position(symbols: Sequence[Symbol], at: tuple[int, int]) -> list[Symbol]:
    """The symbol whose identifier holds a position; else the outermost one that begins there."""
    line, column = at
    hits = [s for s in symbols if s.row == line and s.column <= column <= s.column + max(s.width - 1, 0)]
    return hits or [s for s in symbols if (s.first, s.start) == (line, column)][:1]


def _readings(path: str) -> list[list[Step]]:
    """A path as steps: cut at slashes; then also at what other languages put between names."""
    cut = [_step(part) for part in path.split("/")]
    pieces = [piece for part in path.split("/") for piece in re.split(r"::|\.", part)]
    other = [_step(piece) for piece in pieces if piece]
    return [cut, other] if other != cut else [cut]


def _step(part: str) -> Step:
    found = re.fullmatch(r"(.+)\[(\d{1,6})\]", part, re.DOTALL)
    name, index = (found[1], int(found[2])) if found else (part, -1)
    return name.replace("~1", "/").replace("~0", "~"), index


def _indexed(symbols: Sequence[Symbol], hits: list[Symbol], steps: list[Step]) -> list[Symbol]:
    """Those that also have the index given for their own name, or stand inside an outer symbol that has its."""
    for back, (_, number) in enumerate(reversed(steps)):
        if number >= 0 and not back:
            hits = [hit for hit in hits if hit.number == number]
        elif number >= 0:
            outers = [outer for outer in symbols if outer.number == number]
            hits = [hit for hit in hits if any(_holds(outer, hit, hit.parts[:-back]) for outer in outers)]
    return hits


def _holds(outer: Symbol, inner: Symbol, parts: tuple[str, ...]) -> bool:
    return outer.parts == parts and outer.first <= inner.first <= inner.last <= outer.last


def _unknown(symbols: Sequence[Symbol], name_path: str, at: tuple[int, int] | None, asked: str) -> Problem:
    if name_path:
        own = name_path.rsplit("/", 1)[-1].partition("[")[0]
        names = close_names(own, (symbol.name for symbol in symbols), 3)
        near = [symbol for name in names for symbol in symbols if symbol.name == name][:_LISTED]
    else:
        line = at[0] if at else 0
        near = sorted(symbols, key=lambda symbol: abs(symbol.row - line))[:3]
    # A call that names a place by numbers counts them from 0.
    shown = ", ".join(
        f"`{s.name_path}` (line {s.row + 1})" if name_path else f"`{s.name_path}` ({s.row}, {s.column}, counted from 0)"
        for s in near
    )
    return Problem(
        "symbol_not_found", f"no symbol matches {asked}", line=near[0].row + 1 if near else 0,
        advice=f"Did you mean {shown}?" if near else "",
        command="`anypatch outline FILE` lists all names." if near else "",
    )  # fmt: skip


# ── from the nodes of a tree to symbols ────────────────────────────────────────────────────────────


class _Source(NamedTuple):
    """What symbols are made from: the bytes, their lines, and these as the grammar saw them.

    `wrappers`: types of nodes that belong to what they hold. `before`: the byte where a node ends that belongs to the
    symbol behind it, to that node. `repeated`: for a node, the types of which it has several children.
    """

    data: bytes
    lines: list[bytes]
    seen: list[bytes]
    wrappers: tuple[str, ...]
    before: dict[int, Node]
    repeated: dict[int, set[str]]


def best_tree(grammar: str, data: bytes) -> tuple[Node | None, bytes]:
    """The root of the tree, and the bytes it is of: C and C++ are read without macros that stand in the way."""
    if grammar in ("c", "cpp"):
        from .preprocess import read_well

        return read_well(grammar, data)
    tree = parsed(grammar, data)
    return tree.root_node if tree else None, data


def _parts(
    grammar: str, declaration: _Declaration, outer: tuple[str, ...], data: bytes
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names on the way to a symbol, and those on the way to what is inside it."""
    name = _text(declaration.name, data)
    node = declaration.node
    if declaration.kind == "impl":
        about = (*outer, _last_word(name))
        trait = node.child_by_field_name("trait")
        return (*outer, f"impl {_text(trait, data)} for {name}" if trait else f"impl {name}"), about
    if grammar == "go" and (receiver := node.child_by_field_name("receiver")) is not None:
        outer = (*outer, *_received(receiver, data))
    if declaration.kind in NAMESPACE and declaration.name.type != "string":
        own = tuple(name.replace("::", ".").replace("\\", ".").split("."))
    elif declaration.kind == "element":
        own = (name + _identity(node, data),)
    else:
        tilde = "~" if node.type == "destructor_declaration" else ""
        # scopes that stand before a name: `A::B::f` is declared outside of A::B
        scopes = [_text(scope, data).partition("<")[0].strip() for scope in declaration.scopes]
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


def _symbol(source: _Source, declaration: _Declaration, kind: str, parts: tuple[str, ...], depth: int) -> Symbol:
    lines = source.lines
    first, last, shared = _span(source, declaration)
    (row, column), name_end = declaration.name.start_point, declaration.name.end_point
    begin, end = _begin(source, first.start_point), last.end_point
    last_row = end[0] - 1 if end[1] == 0 and end[0] > begin[0] else end[0]
    start = _units(lines[row], column)
    width = _units(lines[row], name_end[1]) - start if name_end[0] == row else 0
    return Symbol(
        parts, kind, row, start, width, begin[0], last_row, _units(lines[begin[0]], begin[1]),
        _units(lines[last_row], end[1] if last_row == end[0] else len(lines[last_row])),
        _lead(first, begin, lines, source.seen), 0, False, shared, declaration.node.has_error, depth, "tree-sitter",
        _body(declaration.node, lines),
    )  # fmt: skip


def _begin(source: _Source, place: tuple[int, int]) -> tuple[int, int]:
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
    return first, _units(lines[first], start), last, _units(lines[last], stop) if last < len(lines) else 0


def _units(line: bytes, column: int) -> int:
    """A column in bytes as one in UTF-16 units."""
    return units(decode(line[:column]))


# ── kinds of nodes, a table a grammar ──────────────────────────────────────────────────────────────


# Kinds whose inside is code: variables there are nobody's symbols.
CODE = ("function", "method", "constructor", "accessor")
_LOCAL = ("field", "variable", "constant", "member", "macro", "property")
# Kinds that nothing stands below; kinds whose functions are methods.
_LEAVES = ("field", "variable", "constant", "macro", "property")
TYPES = ("class", "struct", "union", "interface", "trait", "impl", "enum", "record", "object", "protocol", "member")
NAMESPACE = ("namespace", "module", "package")

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
# For a grammar without a row: any node with a name whose type holds one of these words.
_WORDS = ("function", "method", "class", "struct", "interface", "enum", "trait", "module", "namespace", "object",
          "protocol")  # fmt: skip
_SCRIPT_WRAPPERS = "export_statement lexical_declaration variable_declaration ambient_declaration expression_statement"
_WRAPPERS: Mapping[str, str] = {
    "python": "decorated_definition expression_statement",
    "javascript": _SCRIPT_WRAPPERS, "typescript": _SCRIPT_WRAPPERS, "tsx": _SCRIPT_WRAPPERS,
    "c": "linkage_specification", "cpp": "template_declaration linkage_specification friend_declaration",
    "go": "type_declaration const_declaration var_declaration",
    "c_sharp": "variable_declaration field_declaration event_field_declaration global_statement",
    "php": "property_declaration const_declaration",
}  # fmt: skip
# Values that make a variable a function; bodies without a name whose variables are local; bodies of types.
_FUNCTIONS = ("arrow_function", "function_expression", "function", "generator_function")
_BODIES = ("statement_block", "compound_statement", "block_statement", "arguments", "for_statement", "for_in_statement",
          "for_range_loop", "lambda", "func_literal", "parameter_list")  # fmt: skip
_TYPE_BODIES = ("class_body", "field_declaration_list", "declaration_list", "enum_body", "interface_body",
                "object_type")  # fmt: skip
_BEFORE = ("attribute_item", "decorator", "attribute_declaration")
_COMMENTS = ("comment", "line_comment", "block_comment", "Comment")
# What a declarator may be at its end.
_NAMES = (
    "identifier", "field_identifier", "type_identifier", "qualified_identifier", "destructor_name", "operator_name",
    "operator_cast", "primitive_type", "template_function", "template_method",
)  # fmt: skip


# ── nodes that declare something ───────────────────────────────────────────────────────────────────


_SPECIFIERS = ("struct_specifier", "class_specifier", "union_specifier", "enum_specifier")
_QUALIFIED = ("qualified_identifier", "template_function", "template_method")
_DECLARATORS = ("reference_declarator", "parenthesized_declarator", "attributed_declarator")


class _Declaration(NamedTuple):
    """A symbol's node. `name`: the node of its name, `scopes`: of those before it, as in `A::B::f`."""

    kind: str
    node: Node
    name: Node
    scopes: tuple[Node, ...]
    shared: bool


def _declarations(grammar: str, root: Node, before: dict[int, Node]) -> list[_Declaration]:
    """The symbols below a root in the order of the text, outer before inner; what belongs to those behind it is noted.

    `before`: see `_Source`.
    """
    rules, leading = _by_id(grammar)
    declarations: list[_Declaration] = []
    nodes: list[tuple[int, int, int, Node]] = []
    for node in _inner_nodes(root, rules.keys() | leading if rules else set()):
        if node.kind_id in leading:
            before[node.end_byte] = node
        else:
            nodes.append((node.start_byte, -node.end_byte, -len(nodes), node))
    for *_, node in sorted(nodes):
        # of a grammar that no table knows, a word in the node's type tells
        guessed = next((word for word in _WORDS if word in node.type), "") if not rules else ""
        kind, how = rules[node.kind_id] if rules else (guessed, "name")
        if kind:
            declarations += _symbols(node, kind, how)
    return declarations


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
    """(kind, how its name is found) of a node, and what belongs to the symbol behind it, by this grammar's numbers."""
    parser = parser_of(grammar)
    assert parser is not None and parser.language is not None
    number = parser.language.id_for_node_kind
    by_id: dict[int, tuple[str, str]] = {}
    for kind, types in _TABLE.get(grammar, {}).items():
        for node_type, _, how in (entry.partition(":") for entry in types.split()):
            by_id[number(node_type, True) or 0] = (kind, how or "name")
    by_id.pop(0, None)
    return by_id, {number(name, True) or 0 for name in _BEFORE} - {0}


def _symbols(node: Node, kind: str, how: str) -> list[_Declaration]:
    """The symbols that a node declares."""
    names = _names(node, how)
    declarations = []
    for name, scopes, is_function in names:
        holding = (c for c in node.named_children if c.start_byte <= name.start_byte < c.end_byte)
        own = node if len(names) == 1 else next(holding, name)
        own_kind = kind
        if kind in ("variable", "field"):  # one that holds a function is one; so is what C declares with parameters
            value = None if is_function else node.child_by_field_name("value")
            if is_function or (value is not None and value.type in _FUNCTIONS):
                own_kind = "function"
        declarations.append(_Declaration(own_kind, own, name, scopes, len(names) > 1))
    return declarations


def _is_local(node: Node) -> bool:
    """Whether a variable stands inside code that has no name: a callback, a loop."""
    up = node.parent
    while up is not None:
        kind = up.type
        if kind in _TYPE_BODIES:
            return False
        if kind in _BODIES:
            return True
        up = up.parent
    return False


# ── the names that a node declares ─────────────────────────────────────────────────────────────────


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
    while node.type not in _NAMES:
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


# ── the lines that belong to a node ────────────────────────────────────────────────────────────────


def _span(source: _Source, declaration: _Declaration) -> tuple[Node, Node, bool]:
    """The first and the last node of what belongs to a symbol, and whether it shares its statement with others."""
    node, data = declaration.node, source.data
    up = node.parent if source.wrappers and not declaration.shared else None
    while up is not None and up.type in source.wrappers:
        if node.type in _repeated_types(source.repeated, up):
            return node, node, True
        node, up = up, up.parent
    first = last = node
    while source.before:
        end = first.start_byte
        while end and data[end - 1] in b" \t\r\n\f":
            end -= 1
        if end not in source.before:
            break
        first = source.before[end]
    if data[last.end_byte : last.end_byte + 1] in b"; \t":
        after = last.next_sibling
        if after is not None and after.type == ";" and after.start_point[0] == last.end_point[0]:
            last = after
    return first, last, declaration.shared


def _repeated_types(known: dict[int, set[str]], node: Node) -> set[str]:
    """The types of which a node has several children."""
    if node.id not in known:
        seen: set[str] = set()
        twice: set[str] = set()
        for child in node.children:
            (twice if child.type in seen else seen).add(child.type)
        known[node.id] = twice
    return known[node.id]


def _lead(node: Node, place: tuple[int, int], lines: list[bytes], seen: list[bytes]) -> int:
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
    while before is not None and before.type in _COMMENTS:
        end_row, end_column = before.end_point
        start, column = before.start_point
        if row - (end_row - (end_column == 0)) != 1 or lines[start][:column].strip():
            break
        row, before = _above_macros(start, lines, seen), before.prev_sibling
    return row


def _above_macros(row: int, lines: list[bytes], seen: list[bytes]) -> int:
    while row and seen is not lines and not seen[row - 1].strip() and _is_unread(lines[row - 1]):
        row -= 1
    return row


def _is_unread(line: bytes) -> bool:
    """Whether a line is nothing but words in capitals, the last with or without what it is given."""
    words, _, given = line.strip().partition(b"(")
    names = words.decode("utf-8", "replace").split()
    return bool(names) and all(name.isidentifier() and name.isupper() for name in names) and given[-1:] in (b"", b")")


# ── damaged files ──────────────────────────────────────────────────────────────────────────────────


_BELOW = 200  # lines in which the next code is looked for
_MARKED = ("c", "c++", "objective-c", "java", "c#")  # a semicolon or a brace ends every statement
_KINDS = {"c": "c_style", "python": "py", "xml": "xml"}


def _completed(path: str, text: str, symbols: list[Symbol], rows: set[int]) -> list[Symbol]:
    """The symbols of a file with errors, with those that only their headers tell; `rows`: only in these, if any."""
    by_row: dict[int, list[Symbol]] = {}
    for symbol in symbols:
        by_row.setdefault(symbol.row, []).append(symbol)
    lost: list[Symbol] = []
    doubted: set[Symbol] = set()
    # rows that a symbol holds: another branch of its head may stand there
    code = [symbol for symbol in symbols if rows and symbol.kind in CODE]
    heads = {(symbol.name, row) for symbol in code for row in range(symbol.first, symbol.last + 1) if row in rows}
    for header in _headers(path, text, rows):
        if (header.name, header.row) in heads:
            continue
        stop = header.column + header.width
        same = [
            symbol
            for symbol in by_row.get(header.row, ())
            if symbol.column < stop and header.column < symbol.column + max(symbol.width, 1)
        ]
        if not same:
            lost.append(header)
        doubted.update(symbol for symbol in same if symbol.inner is None)  # its block has been cut off
    known = [symbol._replace(damaged=True) if symbol in doubted else symbol for symbol in symbols]
    return numbered(sorted([*known, *lost], key=lambda symbol: (symbol.row, symbol.column)))


def settled(path: str, text: str, symbol: Symbol, errors: bool) -> Symbol | Problem:
    """The symbol with its end, unless that can't be told; `errors`: the file has some."""
    scanned = symbol.engine == "scanner"
    if symbol.other >= 0 and not scanned:
        name, last = symbol.name_path, symbol.last + 1
        return Problem(
            "ambiguous", f"`{name}` ends on line {last} by grammar, {symbol.other + 1} by {symbol.engine}",
            line=symbol.first + 1, advice="Edit the file by its text.", command="Or leave out --symbols lsp.",
        )  # fmt: skip
    if (not errors and not scanned) or symbol.kind == "file":
        return symbol
    language = language_of(path)
    kind = _KINDS.get(language.family) if language else None
    if language is None or kind is None:
        return _untold(symbol, "where it ends can't be told") if symbol.damaged else symbol
    lines = _as_read(text, language).split("\n")
    bare = symbol.inner is None and not scanned
    if bare and not symbol.damaged and not (kind == "c_style" and "{" in lines[symbol.last][symbol.stop :]):
        return symbol if _begins_there(lines, symbol) else _untold(symbol, "where it begins can't be told")
    below = lines[symbol.first :]
    row = symbol.row - symbol.first
    braces = (at for at in range(row, min(row + 60, len(below))) if "{" in below[at])
    stop = next(braces, row) if kind == "c_style" else row  # the row of the brace that opens its body
    if kind == "c_style" and symbol.inner and "{" in lines[symbol.inner[0]]:
        stop = max(stop, symbol.inner[0] - symbol.first)  # braces of parameters come before that of the body
    end = block_end(kind, "\n".join(below), language, row, stop, "")
    if isinstance(end, Problem):
        return _untold(symbol, "where it ends can't be told")
    last = end.line + symbol.first
    known = symbol.other if scanned else symbol.last
    if known not in (-1, last):
        return _untold(symbol, f"it ends on line {known + 1} or {last + 1}")
    if not _looks_whole(kind, lines, symbol._replace(last=last), language):
        return _untold(symbol, "its lines are not indented as its brackets are")
    return symbol._replace(last=last, stop=units(text.split("\n")[last])) if scanned else symbol


def _begins_there(lines: list[str], symbol: Symbol) -> bool:
    """Whether nothing that could belong to a symbol without a body stands before it on its line."""
    before = lines[symbol.first][: symbol.start].rstrip()
    return symbol.shared or not before or before[-1] in ";,{}()[>:" or before.endswith("*/")


def _untold(symbol: Symbol, why: str) -> Problem:
    detail = f"the file has syntax errors or inactive branches around `{symbol.name_path}`, and {why}"
    advice = "Fix the file first, or edit it by its text."
    return Problem("ambiguous", detail, line=symbol.first + 1, advice=advice)


# ── does the indentation tell the same lines? ──────────────────────────────────────────────────────


def _looks_whole(kind: str, lines: list[str], symbol: Symbol, language: Language) -> bool:
    """Whether indentation tells the same lines."""
    if kind == "py":
        below = next((line.strip() for line in lines[symbol.last + 1 :] if line.strip()), "")
        return below[:1] not in tuple("([{'\")]}") or not below
    if kind == "xml":
        return indent_of(lines[symbol.last]) == indent_of(lines[symbol.first]) or symbol.first == symbol.last
    text = "\n".join(lines[symbol.first : symbol.last + 1])
    body = mask(text, tokens(text, language)).split("\n")
    if _goes_deeper(lines, symbol) or (symbol.engine == "scanner" and not _ended_above(lines, symbol, language)):
        return False
    return _begins(lines[max(symbol.first - 1, 0) : symbol.first], body[: symbol.row - symbol.first]) and _is_even(body)


def _goes_deeper(lines: list[str], symbol: Symbol) -> bool:
    """Whether the code below a symbol is indented as if it were inside."""
    for line in lines[symbol.last + 1 : symbol.last + 1 + _BELOW]:
        bare = line.strip()
        if bare and bare[0] not in "#/*":
            return depth_of(line) > depth_of(lines[symbol.first])
    return False


def _ended_above(lines: list[str], symbol: Symbol, language: Language) -> bool:
    """Whether the code above a head that only the scanner tells has come to an end, where languages mark ends."""
    for line in reversed(lines[max(symbol.first - _BELOW, 0) : symbol.first] if language.name in _MARKED else ()):
        bare = line.partition("//")[0].strip()
        if bare and not bare.startswith(("*", "/*")) and not bare.endswith("*/"):
            return not _goes_on(bare)
    return True


def _begins(above: list[str], head: list[str]) -> bool:
    """Whether a head is whole: no line right above goes on into it, and no other code stands in it."""
    last = above[-1].partition("//")[0].strip() if above else ""
    ended = not last or last.endswith(("*/", ",")) or last.startswith(("*", "/*")) or not _goes_on(last)
    # the end of a comment whose beginning is lost stands below words that only look like code
    other = any(sign in line for line in head for sign in (";", "{", "}", "*/")) or any(
        line.rstrip().endswith(":") and not line.rstrip().endswith("::") for line in head
    )
    return ended and not other


def _is_even(body: list[str]) -> bool:
    """Whether every brace that begins a line is indented as a line of the statement that opened it."""
    opened: list[int] = []
    for row, line in enumerate(body):
        bare = line.lstrip()
        for at, sign in enumerate(bare):
            if sign == "{":
                opened.append(row)
            elif sign == "}":
                if not opened:
                    return False
                start = opened.pop()
                if at == 0 and start < row and indent_of(line) not in _indents(body, start):
                    return False
    return not opened


def _indents(body: list[str], row: int) -> set[str]:
    """The indentations of a statement that ends on a row."""
    found = {indent_of(body[row])}
    while row and (above := body[row - 1].strip()) and _goes_on(above):
        row -= 1
        found.add(indent_of(body[row]))
    return found


# ── headers, read without a grammar ────────────────────────────────────────────────────────────────


_PYTHON = r"^([ \t]*+)(?:async[ \t]++)?(def|class)[ \t]++(\w++)[ \t]*+(?=[(:\[])"
_TYPES = r"\b(class|struct|interface|enum|union|namespace|trait|record)\s++(\w++)"
_CALLS = r"(~?[A-Za-z_$][\w$]*+)[ \t]*+\("
_NO_NAMES = (
    "if", "for", "while", "switch", "catch", "return", "else", "do", "try", "throw", "new", "case", "using", "lock",
    "synchronized", "await", "yield", "typeof", "sizeof", "delete", "super", "this", "assert", "with", "foreach",
    "fixed", "function", "func", "fn",
)  # fmt: skip
_NEAR = 2000  # characters in which a head must come to its brace


def _headers(path: str, text: str, rows: set[int]) -> list[Symbol]:
    """The headers of a text in order, each as a symbol of one line; only those in some rows, if any."""
    language = language_of(path)
    if language is None or language.family not in ("python", "c"):
        return []
    text = _as_read(text, language)
    masked = text if language.family == "python" else mask(text, tokens(text, language))
    lines, masked_lines = text.split("\n"), masked.split("\n")
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    found: list[Symbol] = []
    above: list[tuple[int, str]] = []
    find = _python if language.family == "python" else _braces
    if rows:
        masked = "\n".join([line if row in rows else " " * len(line) for row, line in enumerate(masked_lines)])
    for kind, name, at in sorted(find(masked), key=lambda one: one[2]):
        row = bisect_right(starts, at) - 1
        depth = depth_of(lines[row])
        while above and above[-1][0] >= depth:
            above.pop()
        column = units(lines[row][: at - starts[row]])
        parts = (*(outer for _, outer in above), name)
        first = _first(masked_lines, row, language.family == "python")
        begin = len(indent_of(lines[first]))
        found.append(
            Symbol(parts, kind, row, column, len(name), first, row, begin, len(lines[row]), first,
                   damaged=True, depth=len(above), engine="scanner")
        )  # fmt: skip
        above.append((depth, name))
    return found


def _as_read(text: str, language: Language) -> str:
    """The text as a grammar reads it: C and C++ without macros that say nothing to it."""
    if language.name not in ("c", "c++"):
        return text
    from .preprocess import readable

    return readable(encode(text), whole=True).decode("utf-8", "surrogateescape")


def _python(masked: str) -> Iterator[tuple[str, str, int]]:
    for match in re.finditer(_PYTHON, masked, re.MULTILINE):
        yield ("class" if match[2] == "class" else "function"), match[3], match.start(3)


def _braces(masked: str) -> Iterator[tuple[str, str, int]]:
    """Types by their word; functions by a name and a list in brackets before the brace."""
    types, calls = re.compile(_TYPES), re.compile(_CALLS)
    start = 0
    for sign in re.finditer("[;{}]", masked):
        start, end, begin = sign.end(), sign.start(), max(start, sign.start() - _NEAR)
        if sign[0] != "{":
            continue
        for match in types.finditer(masked, begin, end):
            if masked[begin : match.start()].rstrip()[-1:] not in ("<", ","):  # those are parameters of a template
                yield match[1], match[2], match.start(2)
        for match in calls.finditer(masked, begin, end):
            if _is_head(masked, match, end):
                yield "function", match[1], match.start(1)


def _is_head(masked: str, call: re.Match[str], end: int) -> bool:
    """Whether a name with a bracket behind it is that of a function whose body begins at `end`."""
    if call[1] in _NO_NAMES:
        return False
    before = masked[masked.rfind("\n", 0, call.start()) + 1 : call.start()]
    if before.rstrip()[-1:] in (".", "=", ",", "(", "!", "?", "|", "+", "-", "/") or "=" in before:
        return False
    if before.rstrip().endswith(":") and not before.rstrip().endswith("::"):  # a member gets its value
        return False
    word = before.split()[-1] if before.split() else ""
    if word in ("return", "new", "throw", "else", "await", "case") or ("(" in before and "func" not in before):
        return False
    depth = 1
    for place in range(call.end(), end):
        sign = masked[place]
        depth += (sign == "(") - (sign == ")")
        if not depth:
            return "=" not in masked[place:end]
    return False


def _first(lines: list[str], row: int, python: bool) -> int:
    """The row where what belongs to a header begins above it: decorators, a template, a return type of its own line."""
    while row:
        above = lines[row - 1].strip()
        if not (above.startswith("@") if python else above and _goes_on(above)):
            return row
        row -= 1
    return row


def _goes_on(line: str) -> bool:
    """Whether a line above a head is part of it."""
    return (line[-1] not in ";{}:" or line.endswith("::")) and (line[0] != "#" or line[1:2] == "[")

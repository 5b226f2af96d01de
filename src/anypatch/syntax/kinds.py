"""The one table of what counts as a symbol: node types of each grammar, and where their names stand. Data only.

A row is `kind: node types`; a type may be followed by `:` and how its name is found: a field ("name" if nothing is
said), `declarator` (down the declarators of C), `element` (the tag of XML and HTML). What is below `LOCAL` counts
only outside functions: fields, variables, constants. `WRAPPERS`: nodes that belong to the only symbol they hold.
`BEFORE`: siblings right before a symbol that belong to it.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

# Kinds whose inside is code: variables there are nobody's symbols.
CODE = ("function", "method", "constructor", "accessor")
LOCAL = ("field", "variable", "constant", "member", "macro", "property")
# Kinds that nothing stands below; kinds whose functions are methods.
LEAVES = ("field", "variable", "constant", "macro", "property")
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

TABLE: Mapping[str, Mapping[str, str]] = {
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
WORDS = (
    "function",
    "method",
    "class",
    "struct",
    "interface",
    "enum",
    "trait",
    "module",
    "namespace",
    "object",
    "protocol",
)
_SCRIPT_WRAPPERS = "export_statement lexical_declaration variable_declaration ambient_declaration expression_statement"
WRAPPERS: Mapping[str, str] = {
    "python": "decorated_definition expression_statement",
    "javascript": _SCRIPT_WRAPPERS, "typescript": _SCRIPT_WRAPPERS, "tsx": _SCRIPT_WRAPPERS,
    "c": "linkage_specification", "cpp": "template_declaration linkage_specification friend_declaration",
    "go": "type_declaration const_declaration var_declaration",
    "c_sharp": "variable_declaration field_declaration event_field_declaration global_statement",
    "php": "property_declaration const_declaration",
}  # fmt: skip
# Values that make a variable a function; bodies without a name whose variables are local; bodies of types.
FUNCTIONS = ("arrow_function", "function_expression", "function", "generator_function")
BODIES = ("statement_block", "compound_statement", "block_statement", "arguments", "for_statement", "for_in_statement",
          "for_range_loop", "lambda", "func_literal", "parameter_list")  # fmt: skip
TYPE_BODIES = ("class_body", "field_declaration_list", "declaration_list", "enum_body", "interface_body", "object_type")
BEFORE = ("attribute_item", "decorator", "attribute_declaration")
COMMENTS = ("comment", "line_comment", "block_comment", "Comment")
# What a declarator may be at its end.
NAMES = (
    "identifier", "field_identifier", "type_identifier", "qualified_identifier", "destructor_name", "operator_name",
    "operator_cast", "primitive_type", "template_function", "template_method",
)  # fmt: skip


def rules(grammar: str) -> dict[str, tuple[str, str]]:
    """Node type to (kind, how its name is found)."""
    found = {}
    for kind, types in TABLE.get(grammar, {}).items():
        for entry in types.split():
            node_type, _, how = entry.partition(":")
            found[node_type] = (kind, how or "name")
    return found

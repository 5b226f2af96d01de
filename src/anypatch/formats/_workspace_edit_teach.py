"""What teaches WorkspaceEdit to a model: the words and the examples they are built from. Data only."""

from __future__ import annotations

from ..model import Example

_CART = """def total(items):
    return sum(items)
"""
_BILL = """from cart import total

print(total([1, 2]))
"""
_RENAMED = """{
  "changes": {
    "shop/cart.py": [
      {"range": {"start": {"line": 0, "character": 4}, "end": {"line": 0, "character": 9}}, "newText": "amount"}
    ],
    "shop/bill.py": [
      {"range": {"start": {"line": 0, "character": 17}, "end": {"line": 0, "character": 22}}, "newText": "amount"},
      {"range": {"start": {"line": 2, "character": 6}, "end": {"line": 2, "character": 11}}, "newText": "amount"}
    ]
  }
}
"""
_FILES = """{
  "documentChanges": [
    {"kind": "rename", "oldUri": "shop/bill.py", "newUri": "shop/invoice.py"},
    {"kind": "create", "uri": "shop/tax.py"},
    {"textDocument": {"uri": "shop/tax.py", "version": null}, "edits": [
      {"range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}, "newText": "RATE = 19\\n"}
    ]},
    {"kind": "delete", "uri": "shop/old.py"}
  ]
}
"""

EXAMPLES = (
    Example(
        "a name in two files",
        {"shop/cart.py": _CART, "shop/bill.py": _BILL},
        _RENAMED,
        {"shop/cart.py": _CART.replace("total", "amount"), "shop/bill.py": _BILL.replace("total", "amount")},
    ),
    Example(
        "files renamed, made and deleted",
        {"shop/bill.py": _BILL, "shop/old.py": "x = 1\n"},
        _FILES,
        {"shop/invoice.py": _BILL, "shop/tax.py": "RATE = 19\n"},
    ),
)

PROMPT = f"""Answer with one WorkspaceEdit of the Language Server Protocol, as JSON.

`changes` maps each file, by its path relative to the root, to text edits: a `range` from `start` up to but not with
`end`, and the `newText` that takes its place. Lines and characters count from 0, characters in UTF-16 units; all ranges
speak of the file as it is now, and none may overlap another.

{EXAMPLES[0].patch}
`documentChanges` is a list of such edits and of file operations, carried out in order:

{EXAMPLES[1].patch}"""

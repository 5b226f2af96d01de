"""What teaches symbol chunks to a model: the words and the examples they are built from. Data only."""

from __future__ import annotations

from ..model import Example

_CART = """class Cart:
    def add(self, item):
        self.items.append(item)
        return self

    def total(self):
        amount = 0
        for item in self.items:
            amount += item.price
        return amount
"""
_INSIDE = """[
  {
    "relative_path": "shop/cart.py",
    "name_path": "Cart/total",
    "chunks": [
      {
        "context_before": "        for item in self.items:",
        "old_lines": ["            amount += item.price"],
        "new_lines": ["            amount += item.price * item.count"],
        "context_after": "        return amount"
      }
    ]
  }
]
"""
_WHOLE = """[
  {
    "relative_path": "shop/cart.py",
    "name_path": "Cart/add",
    "op": "replace",
    "text": "    def add(self, item, count=1):\\n        self.items.append((item, count))\\n        return self\\n"
  },
  {
    "relative_path": "shop/cart.py",
    "name_path": "Cart/total",
    "op": "insert_before",
    "text": ["    def clear(self):", "        self.items = []", ""]
  }
]
"""

EXAMPLES = (
    Example(
        "one line inside a method",
        {"shop/cart.py": _CART},
        _INSIDE,
        {"shop/cart.py": _CART.replace("item.price\n", "item.price * item.count\n")},
    ),
    Example(
        "whole symbols",
        {"shop/cart.py": _CART},
        _WHOLE,
        {
            "shop/cart.py": """class Cart:
    def add(self, item, count=1):
        self.items.append((item, count))
        return self

    def clear(self):
        self.items = []

    def total(self):
        amount = 0
        for item in self.items:
            amount += item.price
        return amount
"""
        },
    ),
)

PROMPT = f"""Change functions, methods and classes by naming them. Answer with a JSON list of edits.

Each edit names the file (`relative_path`) and the symbol: `name_path` is `Class/method` (with a leading `/` the whole
path; `[0]`, `[1]`, … where several have the same name), or `line` and `column` of its identifier, counted from 0.

`chunks` change lines inside the symbol. Each has four keys, a text or a list of lines without line ends:
- `context_before`, `context_after`: the lines right before and after, copied exactly, as many as make the place unique.
  [] means the first or the last line of the symbol.
- `old_lines`: the lines to be replaced, copied exactly with their indentation; [] to insert.
- `new_lines`: what comes instead; [] to delete.

{EXAMPLES[0].patch}
A symbol as a whole: `op` is `replace`, `insert_before`, `insert_after` or `delete`, with the new `text`.

{EXAMPLES[1].patch}"""

"""What teaches CHUNK YAML: examples that are tests and documentation, and the prompt built from them."""

from __future__ import annotations

from ..model import Example

_REPLACE = Example(
    "replace, insert and delete by marker",
    {
        "src/stack.h": """#include "debug.h"
class Stack {
public:
    int size() const;
    void clear();
};
"""
    },
    """description: "Report the size without throwing, offer a test for emptiness"
language: c++
operations:
  - path: src/stack.h
    op: replace_text
    marker: |-
      int size() const;
    payload: |-
      int size() const noexcept;
  - path: src/stack.h
    op: insert_after_text
    marker: |-
      void clear();
    payload: |-
      bool empty() const noexcept;
  - path: src/stack.h
    op: delete_text
    marker: |-
      #include "debug.h"
""",
    {
        "src/stack.h": """class Stack {
public:
    int size() const noexcept;
    void clear();
    bool empty() const noexcept;
};
"""
    },
)

_BLOCK = Example(
    "replace a whole block by its header, make and delete files",
    {
        "app/cart.py": """class Cart:
    def total(self):
        # prices are in cents
        return sum(self.items)

    def clear(self):
        self.items = []
""",
        "app/old.py": "pass\n",
    },
    """language: python
operations:
  - path: app/cart.py
    op: replace_py_block
    marker: |-
      def total(self):
    payload: |-
      def total(self):
          return sum(item.price for item in self.items)
  - path: app/item.py
    op: create_file
    payload: |-
      class Item:
          price = 0
  - path: app/old.py
    op: delete_file
""",
    {
        "app/cart.py": """class Cart:
    def total(self):
        return sum(item.price for item in self.items)

    def clear(self):
        self.items = []
""",
        "app/item.py": "class Item:\n    price = 0\n",
    },
)

_CONTEXT = Example(
    "tell equal places apart by their neighbours",
    {"limits.ini": "[disk]\nmax = 10\n[net]\nmax = 10\n"},
    """operations:
  - path: limits.ini
    op: replace_text
    before: |-
      [net]
    marker: |-
      max = 10
    payload: |-
      max = 20
""",
    {"limits.ini": "[disk]\nmax = 10\n[net]\nmax = 20\n"},
)

EXAMPLES = (_REPLACE, _BLOCK, _CONTEXT)

PROMPT = f"""Write your edits as one CHUNK document (YAML) in a ```yaml fence:

```yaml
{_REPLACE.patch}```

Each operation has `path` and `op`; they are applied in order, each to the result of the former, all or none.
- `replace_text`: `marker`, `payload`. `insert_after_text`, `insert_before_text`: the same. `delete_text`: `marker`.
- `prepend_text`, `append_text`: `payload`, at the start or end of the file. `create_file`: `payload`. `delete_file`.
- `replace_c_style_block` (`marker`: the header down to its `{{`), `replace_py_block` (down to its `:`),
  `replace_xml_block` (the opening tag): the whole block gives way to `payload`.

Rules:
- `marker` is one or more whole lines copied from the file. Indentation, blank lines and, with `language`, comments
  don't count; everything else does. It must fit exactly one place: add lines, or `before:` / `after:` with the lines
  directly above or below it.
- `symbol: Class/method` beside `path` looks in that function or class only, so that one line of it is enough.
- Write `marker` and `payload` as block scalars (`|-`). `payload` begins at column 0 of the block: it is indented like
  the marker's first line by itself (`options: {{indent: none}}` turns that off).

Blocks, new and deleted files:

```yaml
{_BLOCK.patch}```

Equal lines, told apart:

```yaml
{_CONTEXT.patch}```
"""

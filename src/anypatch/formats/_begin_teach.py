"""What teaches "*** Begin Patch": examples that are tests and documentation, and the prompt built from them."""

from __future__ import annotations

from ..model import Example

_CHANGE = Example(
    "change, add and delete",
    {
        "shop/cart.py": """class Cart:
    def __init__(self):
        self.items = []
        self.debug = True
    def total(self):
        return sum(self.items)
""",
        "shop/old.py": "pass\n",
    },
    """*** Begin Patch
*** Update File: shop/cart.py
@@
     def __init__(self):
         self.items = []
-        self.debug = True
     def total(self):
-        return sum(self.items)
+        return sum(item.price for item in self.items)
*** Add File: shop/item.py
+class Item:
+    price = 0
*** Delete File: shop/old.py
*** End Patch
""",
    {
        "shop/cart.py": """class Cart:
    def __init__(self):
        self.items = []
    def total(self):
        return sum(item.price for item in self.items)
""",
        "shop/item.py": "class Item:\n    price = 0\n",
    },
)

_HEADERS = Example(
    "tell equal places apart by what encloses them",
    {
        "pets.py": """class Cat:
    legs = 4
    def speak(self):
        return "noise"

class Dog:
    legs = 4
    def speak(self):
        return "noise"
"""
    },
    """*** Begin Patch
*** Update File: pets.py
@@ class Dog:
@@ def speak(self):
-        return "noise"
+        return "woof"
*** End Patch
""",
    {
        "pets.py": """class Cat:
    legs = 4
    def speak(self):
        return "noise"

class Dog:
    legs = 4
    def speak(self):
        return "woof"
"""
    },
)

_TAIL = Example(
    "add at the end of the file, and move it",
    {"notes/todo.md": "- buy milk\n- call home\n"},
    """*** Begin Patch
*** Update File: notes/todo.md
*** Move to: notes/tasks.md
@@
 - call home
+- water the plants
*** End of File
*** End Patch
""",
    {"notes/tasks.md": "- buy milk\n- call home\n- water the plants\n"},
)

EXAMPLES = (_CHANGE, _HEADERS, _TAIL)

PROMPT = f"""Write your edits as one patch in this format:

```text
{_CHANGE.patch}```

- The patch begins with `*** Begin Patch` and ends with `*** End Patch`. Each file has a section: `*** Update File:`,
  `*** Add File:` or `*** Delete File:` with its path relative to the root.
- Under `*** Update File:`, each change is a hunk that begins with `@@`. Every line of a hunk has one sign before it:
  a space (the line stays), `-` (it goes), `+` (it comes). Behind the sign the line stands exactly as in the file,
  with its whole indentation. There are no line numbers.
- Give about three lines that stay above and below each change, so that the hunk fits one place only. Never leave
  lines out inside a hunk; begin another hunk instead, further down in the file.
- Under `*** Add File:`, every line of the new file begins with `+`.

Where lines repeat, name what encloses the place behind `@@`, the outermost first:

```text
{_HEADERS.patch}```

`*** End of File` below a hunk pins it to the end of the file; `*** Move to:` gives the file another name:

```text
{_TAIL.patch}```
"""

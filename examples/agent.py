"""A whole agent loop with the library: ask a model, apply its answer, send back what was refused. No network is needed:
the model here is a script, which answers as models do. Put a real one in the place of `scripted_model`.

python examples/agent.py [DIR]
"""

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anypatch

TASK = "Cart.total must multiply by the quantity, and add must take it."

SHOP = """class Cart:
    def __init__(self):
        self.items = []

    def add(self, name, cents):
        self.items.append((name, cents))

    def total(self):
        return sum(cents for _, cents in self.items)
"""

# The first answer quotes a line that isn't there, the second forgets half of the task, the third is right.
ANSWERS = [
    """Sure! Here is the change:

```
cart.py
<<<<<<< SEARCH
    def total(self):
        return sum(price for _, price in self.items)
=======
    def total(self):
        return sum(cents * count for _, cents, count in self.items)
>>>>>>> REPLACE
```
""",
    """```
cart.py
<<<<<<< SEARCH
        return sum(cents for _, cents in self.items)
=======
        return sum(cents * count for _, cents, count in self.items)
>>>>>>> REPLACE
```
""",
    """--- a/cart.py
+++ b/cart.py
@@ -5,2 +5,2 @@
-    def add(self, name, cents):
-        self.items.append((name, cents))
+    def add(self, name, cents, count=1):
+        self.items.append((name, cents, count))
""",
]


def scripted_model(messages: list[dict[str, str]]) -> str:
    """A model: takes the conversation, gives an answer. This one has its answers ready."""
    return ANSWERS[sum(message["role"] == "assistant" for message in messages)]


def tests_pass(root: Path) -> bool:
    """What decides that the task is done."""
    space: dict[str, Any] = {}
    exec((root / "cart.py").read_text(), space)  # noqa: S102 - it is our own example
    try:
        cart = space["Cart"]()
        cart.add("tea", 250, 2)
        return bool(cart.total() == 500)
    except (TypeError, ValueError):
        return False


def run(root: Path, model: Callable[[list[dict[str, str]]], str], most: int = 6) -> int:
    """Until the tests pass: an answer, applied whole or refused; the report is the next message."""
    rules = anypatch.format_named("search-replace").prompt
    messages = [{"role": "system", "content": rules}, {"role": "user", "content": f"{TASK}\n\n{SHOP}"}]
    for number in range(1, most + 1):
        answer = model(messages)
        messages.append({"role": "assistant", "content": answer})
        report = anypatch.apply(answer, root)
        told = report.for_model()
        print(f"answer {number}: {'applied' if report.ok else 'refused'}\n{told}\n")
        if report.ok and tests_pass(root):
            return number
        messages.append({"role": "user", "content": told if not report.ok else told + "\nThe tests still fail."})
    return 0


def main() -> int:
    """Make the tree, run the loop, say how it went."""
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(tempfile.mkdtemp())
    (root / "cart.py").write_text(SHOP)
    answers = run(root, scripted_model)
    print(f"done after {answers} answers" if answers else "not done")
    return 0 if answers else 1


if __name__ == "__main__":
    sys.exit(main())

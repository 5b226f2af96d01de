"""A small tree and answers for it, which the tests of reviews share."""

from __future__ import annotations

from pathlib import Path

CART = """\
class Cart:
    def __init__(self):
        self.items = []

    def total(self):
        return sum(self.items)

    def is_empty(self):
        return not self.items


def tax(price):
    return price * 0.19
"""
STATED = "app/cart.py\n<<<<<<< SEARCH\n        self.items = []\n=======\n        self.items = list()\n>>>>>>> REPLACE\n"
MIXED = (
    f"{STATED}\nIn `app/cart.py`:\n\n```python\ndef tax(price):\n    return price * 0.21\n```\n\n"
    '```python\ndef total(self):\n    """In cents."""\n    return sum(self.items)\n```\n\n```sh\nmake test\n```\n'
)
OPTIONS = (
    "app/cart.py\n\n```python\ndef tax(price):\n    return 1\n```\nor\n```python\ndef tax(price):\n    return 2\n```\n"
)
WRONG = STATED + (
    "app/cart.py\n<<<<<<< SEARCH\n    def is_empty(self):\n        return not self.itemz\n=======\n"
    "    def is_empty(self):\n        return len(self.items) == 0\n>>>>>>> REPLACE\n"
)


def text(root: Path) -> str:
    return (root / "app/cart.py").read_text()

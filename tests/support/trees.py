"""Small trees and the answers for them, which the tests of the command line share."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import sys
import termios
import time
from pathlib import Path

PATCH = """\
description: "Say more"
language: python
operations:
  - path: src/a.py
    op: replace_text
    marker: |-
      return 1
    payload: |-
      value = 1
      return value
  - path: new.txt
    op: create_file
    payload: |-
      hello
  - path: old.txt
    op: delete_file
"""
BEFORE = {"src/a.py": b"def f():\n    return 1\n", "old.txt": b"old\n"}
AFTER = {"src/a.py": b"def f():\n    value = 1\n    return value\n", "new.txt": b"hello\n"}
MISSING = PATCH.replace("return 1", "return 3")
CART = (
    "class Cart:\n    def add(self, item):\n        self.items.append(item)\n\n    def count(self):\n        return 1\n"
)
ADD = "Sure:\n\nshop/cart.py\n```\n<<<<<<< SEARCH\n    def count(self):\n        return 1\n=======\n    def count(self):\n        return 2\n>>>>>>> REPLACE\n```\n"
TWO = ADD + "\nshop/tax.py\n```\n<<<<<<< SEARCH\n=======\nRATE = 0.19\n>>>>>>> REPLACE\n```\n"
WRONG = ADD.replace("        return 1\n", "        return 7\n")
DIFF = "--- a/shop/cart.py\n+++ b/shop/cart.py\n@@ -5,2 +5,2 @@\n     def count(self):\n-        return 1\n+        return 2\n"


def contents(root: Path) -> dict[str, bytes]:
    files = (path for path in root.rglob("*") if path.is_file() and ".anypatch" not in path.parts)
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in files}


def cart(tree: Path) -> str:
    return (tree / "shop/cart.py").read_text()


PROMPT = re.compile(rb"(?:\] |Ctrl-D[^\n]*\r\n)$")


def on_terminal(
    tree: Path, arguments: list[str], keys: bytes | list[bytes], columns: int = 80, **variables: str
) -> tuple[int, str]:
    """Run it on a terminal of its own; keys are pressed each time it waits for them."""
    waiting = [keys] if isinstance(keys, bytes) else list(keys)
    pid, main = pty.fork()
    if not pid:
        os.chdir(tree)
        os.environ.update({"TERM": "dumb", "COLUMNS": "", **variables})
        os.execv(sys.executable, [sys.executable, "-m", "anypatch", *arguments])
    fcntl.ioctl(main, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    shown, end = b"", time.monotonic() + 30
    while time.monotonic() < end:
        if not select.select([main], [], [], 0.2)[0]:
            continue
        try:
            part = os.read(main, 65536)
        except OSError:
            break
        if not part:
            break
        shown += part
        if waiting and PROMPT.search(shown):
            os.write(main, waiting.pop(0))
    os.close(main)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), shown.decode().replace("\r\n", "\n")

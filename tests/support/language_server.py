"""The small language server of tests/lsp/server.py, installed on PATH, and a tree for it."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from anypatch.lsp import catalog

SERVER = Path(__file__).parent.parent / "lsp" / "server.py"
CART = "@dec\nclass Cart:\n    def total(self, s='😀'): return 'ä' + self.total()\n\n    def add(self):\n        pass\n"
BILL = "from cart import Cart\nprint('é', Cart().total())  # é total\n"


class ServerOnPath:
    """Puts a server on PATH that behaves as its mode says. `root`: a tree of Python files."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.root, self._home, self._monkeypatch = folder / "tree", folder / "home", monkeypatch

    def install(self, mode: str) -> Path:
        self._home.mkdir(exist_ok=True)
        script = self._home / "ty"
        script.write_text(f"#!/bin/sh\nexec '{sys.executable}' '{SERVER}' {mode} '{self._home}'\n")
        script.chmod(0o755)
        self._monkeypatch.setenv("PATH", f"{self._home}{os.pathsep}{os.environ['PATH']}")
        # Another server for Python, such as pyright beside the interpreter, would be asked where this one fails.
        self._monkeypatch.setattr(catalog, "SERVERS", tuple(s for s in catalog.SERVERS if s.name != "pyright"))
        (self.root / "shop").mkdir(parents=True, exist_ok=True)
        (self.root / "cart.py").write_text(CART)
        (self.root / "shop" / "bill.py").write_text(BILL)
        return self.root

    @property
    def starts(self) -> int:
        return int((self._home / "starts").read_text())

    def has_ended(self) -> bool:
        pid = int((self._home / "pid").read_text())
        for _ in range(100):
            try:
                os.kill(pid, 0)
            except ProcessLookupError:
                return True
            time.sleep(0.02)
        return False

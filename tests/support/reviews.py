"""A tree and answers to review, and a page that is served for them."""

from __future__ import annotations

import http.client
import json
import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from anypatch import review
from anypatch.reviewing.page.app import Life, Service
from reviewing.examples import CART as CART


def block(old: str, new: str, path: str = "app/cart.py") -> str:
    """A SEARCH/REPLACE block."""
    return f"{path}\n<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n"


FIRST = block("        self.items = []", "        self.items = list()")
SECOND = block("    return price * 0.19", "    return price * 0.21")
MISSPELT = block(
    "    def is_empty(self):\n        return not self.itemz",
    "    def is_empty(self):\n        return len(self.items) == 0",
)
OPTIONS = (
    "app/cart.py\n\n```python\ndef tax(price):\n    return 1\n```\nor\n```python\ndef tax(price):\n    return 2\n```\n"
)


def tree(folder: Path) -> Path:
    (folder / "app").mkdir(parents=True)
    (folder / "app/cart.py").write_text(CART)
    return folder


class Page:
    """A page that is served, and requests to it as a browser would make them."""

    def __init__(self, service: Service, thread: threading.Thread) -> None:
        self.service = service
        self.thread = thread
        parts = urlsplit(service.address)
        self.path = parts.path
        self.port = service.port
        self.token = parts.path.strip("/")
        self.origin = f"http://127.0.0.1:{service.port}"

    def request(
        self, method: str, path: str, body: str | None = None, headers: Mapping[str, str] | None = None
    ) -> tuple[int, str, Mapping[str, str]]:
        """Return status, text and headers of the answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        connection.request(method, path, body, dict(headers or {}))
        response = connection.getresponse()
        text = response.read().decode()
        connection.close()
        return response.status, text, {name.lower(): value for name, value in response.getheaders()}

    def get(self, name: str = "") -> str:
        status, text, _ = self.request("GET", self.path + name)
        assert status == 200, text
        return text

    @property
    def version(self) -> int:
        match = re.search(r'data-version="(\d+)"', self.get())
        assert match
        return int(match[1])

    def do(self, action: str, **given: Any) -> dict[str, Any]:
        headers = {"Origin": self.origin, "X-Anypatch-Token": self.token, "Content-Type": "application/json"}
        given = {"version": self.version} | given
        status, text, _ = self.request("POST", f"{self.path}do/{action}", json.dumps(given), headers)
        assert status == 200, text
        value: dict[str, Any] = json.loads(text)
        return value


@contextmanager
def served(answer: str, root: Path, *, grace: float = 60.0, longest: float = 60.0) -> Iterator[Page]:
    """Serve the page of an answer in a thread."""
    service = Service(review(answer, root), root.name, Life(grace, longest))
    thread = threading.Thread(target=service.run)
    thread.start()
    try:
        yield Page(service, thread)
    finally:
        service.life.longest = -1.0
        thread.join(20)
        assert not thread.is_alive()

"""Take the pictures of docs/review.md and docs/replay.md: `make pictures`, which installs Playwright and Chromium."""

from __future__ import annotations

import shutil
import sys
import tempfile
import threading
from pathlib import Path

from playwright.sync_api import Browser, Page, expect, sync_playwright

from anypatch import review
from anypatch.replay import replay
from anypatch.reviewing.page.app import Service

TOP = Path(__file__).parent.parent
ASSETS = TOP / "docs/assets"
ANSWER = """\
Both loops can go. In `app/cart.py`, change `total` to:

```python
def total(self):
    \"\"\"In cents.\"\"\"
    return sum(cents for _, cents in self.items)
```

In `src/price.cpp`, replace `Price::total` with:

```cpp
long Price::total(int count) const
{
    return cents_ * count;
}
```

Then run the tests:

```sh
make test
```
"""
OPTIONS = """\
Either round down:

app/cart.py

```python
def total(self):
    return sum(cents for _, cents in self.items) // 5 * 5
```

or up:

```python
def total(self):
    return -(-sum(cents for _, cents in self.items) // 5) * 5
```
"""
FLAGS = "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-sync"


def keys(tab: Page) -> None:
    """Leave the second change out, by the keyboard."""
    expect(tab.locator(".hunk")).to_have_count(2)
    for key in ("j", "j", "x"):
        tab.keyboard.press(key)
    expect(tab.locator("#summary")).to_contain_text("1 of 2")


def wait(tab: Page) -> None:
    """Wait until the decision is drawn."""
    expect(tab.locator(".card")).to_have_count(1)


def replay_page(browser: Browser, folder: Path) -> None:
    """Take the first two charts of the page that `anypatch replay --html` writes."""
    page = folder / "replay.html"
    page.write_text(replay([str(TOP / "tests/replay/transcripts")]).page())
    tab = browser.new_page(viewport={"width": 820, "height": 600}, color_scheme="light")
    tab.goto(page.as_uri())
    below = tab.locator("section").nth(2).bounding_box()
    assert below
    tab.set_viewport_size({"width": 820, "height": int(below["y"]) - 16})
    tab.screenshot(path=ASSETS / "replay.png")
    tab.close()


def main() -> int:
    """Write the pictures."""
    program = shutil.which("chromium")
    if not program:
        sys.stderr.write("Chromium is not installed\n")
        return 1
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        tree = Path(shutil.copytree(TOP / "examples/shop", Path(folder) / "shop"))
        browser = playwright.chromium.launch(executable_path=program, args=FLAGS.split())
        for name, answer, width, height, scheme, act in (
            ("light", ANSWER, 1180, 740, "light", keys),
            ("dark", ANSWER, 1180, 740, "dark", keys),
            ("choice", OPTIONS, 1180, 520, "light", wait),
            ("phone", ANSWER, 390, 780, "light", keys),
        ):
            service = Service(review(answer, tree), "shop")
            thread = threading.Thread(target=service.run)
            thread.start()
            context = browser.new_context(
                viewport={"width": width, "height": height}, color_scheme=scheme, reduced_motion="reduce"
            )
            tab = context.new_page()
            tab.goto(service.address)
            act(tab)
            tab.screenshot(path=str(ASSETS / f"review-{name}.png"))
            context.close()
            service.life.longest = -1.0
            thread.join()
        replay_page(browser, Path(folder))
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""The review page in a real browser: `make test-review` installs Playwright, Chromium and axe-core and runs this.

Whatever can't be had is skipped, and the reason printed.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("playwright", reason="Playwright is not installed")
pytest.importorskip("starlette")

from playwright.sync_api import Browser, Dialog, Error, expect, sync_playwright
from playwright.sync_api import Page as Tab

from support.reviews import CART, FIRST, MISSPELT, OPTIONS, SECOND, block, served, tree

TOP = Path(__file__).parents[2]
AXE = TOP / ".review/axe/node_modules/axe-core/axe.min.js"
FLAGS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update "
    "--disable-sync"
)
expect.set_options(timeout=5_000)
PHONE = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if not program:
        pytest.skip("Chromium is not installed")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=program, args=FLAGS.split())
        yield started
        started.close()


@pytest.fixture
def tab(browser: Browser) -> Iterator[Tab]:
    yield from _tab(browser)


@pytest.fixture
def phone(browser: Browser) -> Iterator[Tab]:
    yield from _tab(browser, **PHONE)


def _tab(browser: Browser, **options: Any) -> Iterator[Tab]:
    """A tab in a fresh profile; the test fails if its console has an error, or a request goes elsewhere."""
    context = browser.new_context(**{"viewport": {"width": 1440, "height": 900}} | options)
    context.set_default_timeout(8_000)
    tab = context.new_page()
    faults: list[str] = []
    tab.on("console", lambda message: faults.append(message.text) if message.type in ("error", "warning") else None)
    tab.on("pageerror", lambda error: faults.append(str(error)))
    tab.on("request", lambda request: None if "//127.0.0.1:" in request.url else faults.append(request.url))
    yield tab
    context.close()
    assert not faults


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tree(tmp_path / "shop")


def text(root: Path) -> str:
    return (root / "app/cart.py").read_text()


def click(tab: Tab, name: str, within: str = "body") -> None:
    tab.locator(within).get_by_role("button", name=name, exact=True).click()


def apply(tab: Tab, count: str) -> None:
    click(tab, f"Apply {count}")
    expect(tab.locator("#banner")).to_contain_text("Applied:")


# ── everyday ──


def test_apply_all_and_undo(tab: Tab, root: Path) -> None:
    with served(FIRST + SECOND, root) as page:
        tab.goto(page.service.address)
        expect(tab.locator(".hunk")).to_have_count(2)
        apply(tab, "2 changes")
        assert text(root) == CART.replace("[]", "list()").replace("19", "21")
        click(tab, "Undo")
        expect(tab.locator("#banner")).to_contain_text("Undone:")
        assert text(root) == CART
        apply(tab, "2 changes")


def test_drop_one(tab: Tab, root: Path) -> None:
    with served(FIRST + SECOND, root) as page:
        tab.goto(page.service.address)
        click(tab, "Leave out", "#h2\\.1")
        expect(tab.locator("#b2 .state")).to_have_text("left out")
        expect(tab.locator("#summary")).to_have_text("1 of 2 changes kept, in 1 file")
        apply(tab, "1 change")
        assert text(root) == CART.replace("[]", "list()")


def test_choose(tab: Tab, root: Path) -> None:
    with served(OPTIONS, root) as page:
        tab.goto(page.service.address)
        expect(tab.locator("#apply")).to_have_attribute("aria-disabled", "true")
        tab.locator("#apply").click(force=True)
        expect(tab.locator(".card")).to_be_focused()
        tab.get_by_role("button", name="Take this").nth(1).click()
        expect(tab.locator(".hunk")).to_contain_text("return 2")
        apply(tab, "1 change")
        assert text(root) == CART.replace("price * 0.19", "2")


def test_take_a_correction(tab: Tab, root: Path) -> None:
    with served(MISSPELT, root) as page:
        tab.goto(page.service.address)
        tab.get_by_role("button", name="Take this").click()
        apply(tab, "1 change")
        assert "len(self.items) == 0" in text(root)


def test_correct_a_path(tab: Tab, root: Path) -> None:
    with served(FIRST.replace("app/cart.py", "shop/basket.py"), root) as page:
        tab.goto(page.service.address)
        tab.get_by_label("The file is").fill("app/cart.py")
        click(tab, "Use it")
        apply(tab, "1 change")
        assert text(root) == CART.replace("[]", "list()")


def test_choose_a_path(tab: Tab, root: Path) -> None:
    """One decision for both edits of a path that is nearly right, none of which was corrected by itself."""
    answer = (FIRST.replace("self.items = []", "connect(database)", 1) + SECOND).replace("app/cart.py", "shop/cart.py")
    with served(answer, root) as page:
        tab.goto(page.service.address)
        expect(tab.locator(".card")).to_have_count(1)
        expect(tab.locator(".card")).to_contain_text("shop/cart.py doesn't exist. Which file is it?")
        click(tab, "Take this: app/cart.py")
        expect(tab.locator(".card[data-state=open]")).to_contain_text("The text is not in the file")
        click(tab, "Leave it out", ".card[data-state=open]")
        apply(tab, "1 change")
        assert text(root) == CART.replace("0.19", "0.21")


def test_edit(tab: Tab, root: Path) -> None:
    with served(FIRST + SECOND, root) as page:
        tab.goto(page.service.address)
        click(tab, "Edit", "#h1\\.1")
        area = tab.get_by_label("New lines of change 1.1")
        expect(area).to_have_value("        self.items = list()\n")
        area.fill("        self.items = set()\n")
        click(tab, "Save", "#h1\\.1")
        expect(tab.locator("#h1\\.1 .a")).to_contain_text("set()")
        apply(tab, "2 changes")
        assert "set()" in text(root)


def test_block_and_change_show_each_other(tab: Tab, root: Path) -> None:
    with served(FIRST + SECOND, root) as page:
        tab.goto(page.service.address)
        click(tab, "Block 2", "#b2")
        expect(tab.locator("#h2\\.1")).to_have_class("hunk current")
        tab.locator("#h1\\.1 .a").click()
        expect(tab.locator("#b1")).to_have_class("block linked")


def test_copy_the_report(tab: Tab, root: Path) -> None:
    with served(FIRST + SECOND, root) as page:
        tab.context.grant_permissions(["clipboard-read", "clipboard-write"])
        tab.goto(page.service.address)
        click(tab, "Leave out", "#h2\\.1")
        click(tab, "Copy report")
        expect(tab.get_by_role("button", name="Copied")).to_be_visible()
        assert "kept 1 of 2 changes" in tab.evaluate("navigator.clipboard.readText()")


def test_a_stale_tree(tab: Tab, root: Path) -> None:
    with served(FIRST + SECOND, root) as page:
        tab.goto(page.service.address)
        click(tab, "Leave out", "#h2\\.1")
        (root / "app/cart.py").write_text("# mine\n" + CART)
        click(tab, "Apply 1 change")
        expect(tab.locator("#banner")).to_contain_text("changed since this was planned")
        assert text(root) == "# mine\n" + CART
        click(tab, "Plan again with your decisions")
        expect(tab.locator("#summary")).to_have_text("1 of 2 changes kept, in 1 file")
        apply(tab, "1 change")
        assert text(root) == "# mine\n" + CART.replace("[]", "list()")


def test_an_undo_that_is_refused(tab: Tab, root: Path) -> None:
    with served(FIRST + SECOND, root) as page:
        tab.goto(page.service.address)
        apply(tab, "2 changes")
        expect(tab.locator("#h1\\.1").get_by_role("button", name="Leave out")).to_be_hidden()
        tab.keyboard.press("j")
        tab.keyboard.press("x")
        expect(tab.locator("#live")).to_contain_text("undo it first")
        (root / "app/cart.py").write_text("mine\n")
        click(tab, "Undo")
        expect(tab.locator("#banner")).to_contain_text("It could not be undone.")
        assert text(root) == "mine\n"
        (root / "app/cart.py").write_text(CART.replace("[]", "list()").replace("19", "21"))
        click(tab, "Try again")
        expect(tab.locator("#banner")).to_contain_text("Undone:")
        assert text(root) == CART


def test_it_stops_when_the_tab_is_closed_and_says_so_when_it_stops(browser: Browser, root: Path) -> None:
    context = browser.new_context()
    with served(FIRST, root, grace=1.5) as page:
        tab = context.new_page()
        tab.goto(page.service.address)
        tab.reload()
        time.sleep(2.5)
        assert page.thread.is_alive()
        tab.close()
        page.thread.join(10)
        assert not page.thread.is_alive()
    with served(FIRST, root) as page:
        tab = context.new_page()
        tab.goto(page.service.address)
        expect(tab.locator(".hunk")).to_have_count(1)
    expect(tab.locator("#banner")).to_contain_text("anypatch has stopped", timeout=15_000)
    context.close()


# ── without a mouse ──


def test_keyboard_only(tab: Tab, root: Path) -> None:
    with served(FIRST + SECOND, root) as page:
        tab.goto(page.service.address)
        expect(tab.locator(".hunk")).to_have_count(2)
        keys = tab.keyboard
        keys.press("j")
        expect(tab.locator("#h1\\.1")).to_be_focused()
        keys.press("x")
        expect(tab.locator("#h2\\.1")).to_be_focused()
        expect(tab.locator("#h1\\.1")).to_have_attribute("data-state", "dropped")
        keys.press("u")
        expect(tab.locator("#h1\\.1")).to_have_attribute("data-state", "kept")
        keys.press("k")
        keys.press("x")
        expect(tab.locator("#h2\\.1")).to_be_focused()
        keys.press("e")
        area = tab.get_by_label("New lines of change 2.1")
        expect(area).to_be_focused()
        keys.press("Control+a")
        keys.type("    return price")
        keys.press("Control+Enter")
        expect(tab.locator("#h2\\.1")).to_have_attribute("data-state", "edited")
        expect(tab.locator("#h2\\.1")).to_be_focused()
        keys.press("?")
        expect(tab.get_by_role("dialog")).to_be_visible()
        keys.press("Escape")
        keys.press("a")
        expect(tab.locator("#apply")).to_be_focused()
        expect(tab.locator("#live")).to_contain_text("Press Enter")
        keys.press("Enter")
        expect(tab.locator("#banner")).to_contain_text("Applied:")
        assert text(root) == CART.replace("    return price * 0.19", "    return price")
        keys.press("u")
        expect(tab.locator("#banner")).to_contain_text("Undone:")
        assert text(root) == CART


def test_keys_may_be_faster_than_the_page(tab: Tab, root: Path) -> None:
    with served(large(root, 30, 2), root) as page:
        tab.goto(page.service.address)
        for key in "jxnxp":
            tab.keyboard.press(key)
        expect(tab.locator("#h1\\.1")).to_be_focused()
        expect(tab.locator("#summary")).to_have_text("58 of 60 changes kept, in 30 files")
        expect(tab.locator("#h3\\.1")).to_have_attribute("data-state", "dropped")


def test_single_keys_can_be_turned_off(tab: Tab, root: Path) -> None:
    with served(FIRST, root) as page:
        tab.goto(page.service.address)
        tab.keyboard.press("?")
        tab.get_by_label("Single keys work").uncheck()
        click(tab, "Close", "#help")
        tab.keyboard.press("j")
        expect(tab.locator(".current")).to_have_count(0)


def test_a_phone_shows_one_half_at_a_time(phone: Tab, root: Path) -> None:
    with served(FIRST + SECOND, root) as page:
        phone.goto(page.service.address)
        expect(phone.locator(".hunk")).to_have_count(2)
        assert phone.evaluate("document.documentElement.scrollWidth") <= 390
        expect(phone.locator("#answer")).to_be_hidden()
        phone.get_by_role("button", name="Answer", exact=True).tap()
        expect(phone.locator("#answer")).to_be_visible()
        expect(phone.locator("#changes")).to_be_hidden()
        assert phone.evaluate("document.documentElement.scrollWidth") <= 390
        phone.get_by_role("button", name="Block 2", exact=True).tap()
        expect(phone.locator("#h2\\.1")).to_be_visible()


# ── hostile answers, foreign pages ──


def test_hostile_text(tab: Tab, root: Path) -> None:
    attack = "</script></style></textarea><img src=x onerror=alert(1)><script>alert(2)</script>"
    answer = (
        f"{attack}\n{'y' * 10_000_000}\n"
        + block("        self.items = []", f"        self.items = []  # {attack} \u202etxt\u2066")
        + block("    return price * 0.19", f"    return '{'x' * 10_000_000}'")
    )
    alerts: list[Dialog] = []
    tab.on("dialog", lambda dialog: alerts.append(dialog))  # noqa: PLW0108 - playwright looks at its signature
    with served(answer, root) as page:
        tab.goto(page.service.address)
        expect(tab.locator(".hunk")).to_have_count(2)
        assert tab.locator("img").count() == 0 and tab.locator("script").count() == 1
        assert "\u202e" not in tab.locator("body").inner_text()
        expect(tab.locator("#h1\\.1 .a .esc")).to_have_text(["\\u202e", "\\u2066"])
        expect(tab.locator("#h2\\.1 .a .cut")).to_contain_text("10,000,013 characters")
        click(tab, "Edit", "#h1\\.1")
        assert attack in tab.locator("#h1\\.1 textarea").input_value()
        click(tab, "Cancel", "#h1\\.1")
        apply(tab, "2 changes")
        assert attack in text(root) and "\u202e" in text(root) and "x" * 10_000_000 in text(root)
    assert not alerts


def test_inline_scripts_and_styles_do_not_run(browser: Browser, root: Path) -> None:
    context = browser.new_context()
    with served(FIRST, root) as page:
        tab = context.new_page()
        tab.goto(page.service.address)
        tab.evaluate(
            "const s = document.createElement('script'); s.textContent = 'window.ran = 1'; document.body.append(s);"
            "const p = document.createElement('style'); p.textContent = 'body { opacity: 0 }'; document.body.append(p);"
        )
        assert tab.evaluate("window.ran") is None
        assert tab.evaluate("getComputedStyle(document.body).opacity") == "1"
    context.close()


def test_another_page_can_neither_frame_it_nor_post_to_it(browser: Browser, root: Path) -> None:
    """Even one that knows the address."""
    context = browser.new_context()
    with served(FIRST, root) as page, served(SECOND, root) as other:
        tab = context.new_page()
        tab.goto(other.service.address)
        send = """async ([url, headers]) => {
            try { const r = await fetch(url, {method: "POST", headers, body: '{"version": 1}'}); return r.status; }
            catch { return "blocked"; }
        }"""
        for headers in ({}, {"Content-Type": "text/plain"}, {"X-Anypatch-Token": page.token}):
            assert tab.evaluate(send, [f"{page.service.address}do/apply", headers]) in ("blocked", 403)
        framed = context.new_page()
        framed.set_content(f'<iframe src="{page.service.address}"></iframe>')
        framed.wait_for_timeout(700)
        for frame in framed.frames[1:]:
            try:
                assert "anypatch" not in frame.content()
            except Error:
                pass
    assert text(root) == CART
    context.close()


# ── large answers, accessibility ──


def large(root: Path, files: int, hunks: int) -> str:
    """Return an answer with this many files, each with this many hunks."""
    (root / "many").mkdir()
    answer = []
    for number in range(files):
        lines = [f"value_{at} = {at}" for at in range(hunks * 12)]
        (root / f"many/file_{number:03}.py").write_text("\n".join(lines) + "\n")
        for at in range(hunks):
            old = lines[at * 12 + 5]
            answer.append(block(old, f"{old} + {number}", f"many/file_{number:03}.py"))
    return "\n".join(answer)


def until(tab: Tab, condition: str) -> None:
    """Wait for something in the page. The policy of the page forbids what Playwright would do for that."""
    end = time.monotonic() + 20
    while not tab.evaluate(condition):
        assert time.monotonic() < end, condition
        time.sleep(0.02)


def test_two_thousand_hunks_stay_usable(tab: Tab, root: Path) -> None:
    """Measured in the page: Playwright's own locators take seconds for so many elements."""
    start = time.monotonic()
    with served(large(root, 200, 10), root) as page:
        planned = time.monotonic()
        tab.goto(page.service.address)
        until(tab, "document.querySelectorAll('.file').length === 200")
        shown = time.monotonic()
        assert tab.evaluate("document.querySelectorAll('.hunk').length") <= 100
        tab.keyboard.press("j")
        until(tab, "document.activeElement.id === 'h1.1'")
        moved = time.monotonic()
        tab.keyboard.press("x")
        until(tab, "document.getElementById('summary').textContent.startsWith('1999 of 2000 changes kept')")
        dropped = time.monotonic()
        tab.evaluate("document.querySelector('[data-call=fold]').click()")
        tab.evaluate("document.getElementById('f150').scrollIntoView()")
        until(tab, "document.querySelectorAll('#f150 .hunk').length === 10")
        unfolded = time.monotonic()
        assert tab.evaluate("document.querySelectorAll('.hunk').length") <= 300
        tab.evaluate("document.getElementById('apply').click()")
        until(tab, "document.getElementById('banner').textContent.includes('Applied:')")
        end = time.monotonic()
    print(
        f"\n2,000 hunks in 200 files, seconds: planned {planned - start:.1f}, shown {shown - planned:.1f}, first change "
        f"{moved - shown:.2f}, left out {dropped - moved:.2f}, unfolded and drawn {unfolded - dropped:.2f}, "
        f"applied {end - unfolded:.1f}"
    )
    assert shown - planned < 15 and dropped - moved < 5 and unfolded - dropped < 15


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [(1440, 900), (390, 844)])
def test_axe_finds_no_serious_fault(browser: Browser, root: Path, scheme: str, size: tuple[int, int]) -> None:
    if not AXE.exists():
        pytest.skip("axe-core is not installed")
    context = browser.new_context(color_scheme=scheme, viewport={"width": size[0], "height": size[1]})
    tab = context.new_page()
    answer = FIRST + SECOND + "\n```sh\nmake\n```\n" + block("nowhere = 1", "x = 2", "app/none.py")
    with served(answer, root) as page, served(OPTIONS, root) as choices:
        for address in (page.service.address, choices.service.address):
            tab.goto(address)
            tab.wait_for_selector(".hunk, .card")
            for step in ("", "x", "e", "?"):
                if step:
                    tab.keyboard.press("j")
                    tab.keyboard.press(step)
                    tab.wait_for_timeout(250)
                tab.evaluate(AXE.read_text())
                found = tab.evaluate("axe.run().then((result) => result.violations)")
                serious = [
                    (one["id"], [node["html"][:200] for node in one["nodes"]][:3])
                    for one in found
                    if one["impact"] in ("serious", "critical")
                ]
                assert not serious, (address, step)
    context.close()

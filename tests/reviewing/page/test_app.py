"""The page's server decides, applies and undoes for its own page, and refuses every other request."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("starlette")
pytest.importorskip("jinja2")

from support.reviews import CART, FIRST, MISSPELT, OPTIONS, SECOND, Page, served, tree


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tree(tmp_path / "shop")


@pytest.fixture
def page(root: Path) -> Iterator[Page]:
    with served(FIRST + SECOND, root) as page:
        yield page


def text(root: Path) -> str:
    return (root / "app/cart.py").read_text()


# ── decisions ──


def test_what_is_kept_is_applied_and_undone(page: Page, root: Path) -> None:
    reply = page.do("drop", id="2.1")
    assert reply["states"]["h2.1"] == "dropped" and reply["states"]["f0"] == "partly 1"
    assert reply["bar"]["summary"] == "1 of 2 changes kept, in 1 file"
    reply = page.do("apply")
    assert reply["done"] and "Applied" in reply["banner"]
    assert text(root) == CART.replace("[]", "list()")
    assert "Applied" in page.get()  # also after a reload
    reply = page.do("undo")
    assert not reply["done"] and "Undone" in reply["banner"]
    assert text(root) == CART
    assert reply["bar"]["summary"] == "1 of 2 changes kept, in 1 file"


def test_a_decision_is_undone(page: Page) -> None:
    page.do("drop", id="2.1")
    page.do("edit", id="1.1", text="        self.items = set()\n")
    reply = page.do("undo")
    assert ">list</span>" in reply["hunks"]["1.1"]
    assert page.do("undo")["states"]["h2.1"] == "kept"
    assert page.do("undo")["say"] == "There is nothing to undo."


def test_files_and_everything_are_decided_at_once(page: Page, root: Path) -> None:
    assert page.do("drop", id="file 1")["states"]["f0"] == "dropped 0"
    assert page.do("keep", id="all")["states"]["f0"] == "kept 2"
    reply = page.do("drop", id="all")
    assert not reply["bar"]["ready"]
    page.do("keep", id="file 1")
    assert page.do("apply")["done"]
    assert text(root) == CART.replace("[]", "list()").replace("19", "21")


def test_a_hunk_is_edited(page: Page, root: Path) -> None:
    assert json.loads(page.get("text/1.1")) == {"text": "        self.items = list()\n"}
    reply = page.do("edit", id="1.1", text="        self.items = set()\n")
    assert reply["states"]["h1.1"] == "edited" and "set" in reply["hunks"]["1.1"]
    page.do("apply")
    assert "set()" in text(root)


def test_a_choice_is_made(root: Path) -> None:
    with served(OPTIONS, root) as page:
        assert "1 decision to make" in page.get()
        assert "Nothing was changed" in page.do("apply")["banner"]
        reply = page.do("choose", choice="block 1", option=2)
        assert "main" in reply and reply["bar"]["ready"]
        assert page.do("apply")["done"]
    assert text(root) == CART.replace("price * 0.19", "2")


def test_an_edit_that_fits_nowhere_is_left_out(root: Path) -> None:
    with served(FIRST + MISSPELT, root) as page:
        assert page.do("drop", id="2")["bar"]["ready"]
        assert page.do("apply")["done"]
    assert text(root) == CART.replace("[]", "list()")


def test_a_path_is_corrected(root: Path) -> None:
    with served(FIRST.replace("app/cart.py", "shop/basket.py"), root) as page:
        assert 'data-written="shop/basket.py"' in page.get()
        assert page.do("use-path", written="shop/basket.py", path="app/cart.py")["bar"]["ready"]
        assert page.do("apply")["done"]
    assert text(root) == CART.replace("[]", "list()")


def test_a_tree_that_changed_is_shown_before_anything_is_written(page: Page, root: Path) -> None:
    page.do("drop", id="2.1")
    assert page.do("look")["banner"] is None
    (root / "app/cart.py").write_text("# mine\n" + CART)
    assert "Plan again" in page.do("look")["banner"]
    reply = page.do("apply")
    assert not reply["done"] and "Plan again" in reply["banner"]
    assert text(root) == "# mine\n" + CART
    reply = page.do("refresh")
    assert reply["bar"]["summary"] == "1 of 2 changes kept, in 1 file"
    assert page.do("apply")["done"]
    assert text(root) == "# mine\n" + CART.replace("[]", "list()")


def test_a_page_that_is_out_of_date_decides_nothing(page: Page, root: Path) -> None:
    """As another tab of the same review would be."""
    page.do("drop", id="2.1")
    reply = page.do("apply", version=1)
    assert "main" in reply and not reply["done"]
    assert text(root) == CART


@pytest.mark.parametrize(
    ("action", "given"),
    [
        ("fly", {}), ("drop", {"id": "9.9"}), ("drop", {}), ("drop", {"id": 3}), ("drop", {"id": "file 7"}),
        ("choose", {"choice": "x", "option": "1"}), ("choose", {"choice": "x", "option": 1}), ("edit", {"id": "1.1"}),
    ],
)  # fmt: skip
def test_bad_calls_are_refused(page: Page, action: str, given: dict[str, object]) -> None:
    assert "Nothing was changed" in page.do(action, **given)["banner"]
    assert page.version == 1


def test_nothing_is_decided_after_it_was_applied(page: Page) -> None:
    """The banner with the Undo button stays as it is."""
    page.do("apply")
    for action, said in (("drop", "undo it first"), ("apply", "applied already")):
        reply = page.do(action, id="1.1")
        assert said in reply["say"] and reply["banner"] is None and reply["done"]


def test_the_report_is_for_the_model(page: Page) -> None:
    page.do("drop", id="2.1")
    assert "kept 1 of 2 changes" in json.loads(page.get("report"))["text"]


# ── requests that the page didn't make ──


def test_every_answer_has_the_headers(page: Page) -> None:
    for path in (page.path, page.path + "page.js", page.path + "nothing", "/wrong/"):
        headers = page.request("GET", path)[2]
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy and "unsafe" not in policy
        assert headers["cache-control"] == "no-store" and headers["x-frame-options"] == "DENY"
        assert headers["x-content-type-options"] == "nosniff" and "set-cookie" not in headers
        assert "access-control-allow-origin" not in headers


def test_a_wrong_secret_opens_nothing(page: Page) -> None:
    for path in ("/", "//", "/wrong/", f"/{page.token[:-1]}/", f"/{page.token}x/", "/%ff/", f"/x/{page.token}/"):
        status, body, _ = page.request("GET", path)
        assert status == 403 and body in ("wrong address", "foreign host"), path


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "127.0.0.1:1", "localhost.evil.example", ""])
def test_a_foreign_host_is_refused(page: Page, host: str) -> None:
    """A name that somebody else makes point to 127.0.0.1."""
    assert page.request("GET", page.path, headers={"Host": host})[0] in (400, 403)
    assert page.request("GET", page.path, headers={"Host": f"localhost:{page.port}"})[0] == 200


@pytest.mark.parametrize(
    "changed",
    [
        {"Origin": "http://evil.example"}, {"Origin": "null"}, {"Origin": "http://127.0.0.1"}, {"Origin": ""},
        {"X-Anypatch-Token": "wrong"}, {"X-Anypatch-Token": ""}, {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)  # fmt: skip
def test_another_page_can_apply_nothing(page: Page, root: Path, changed: dict[str, str]) -> None:
    headers = {"Origin": page.origin, "X-Anypatch-Token": page.token, "Content-Type": "application/json"} | changed
    headers = {name: value for name, value in headers.items() if value}
    status, _, _ = page.request("POST", f"{page.path}do/apply", '{"version": 1}', headers)
    assert status == 403
    assert text(root) == CART


def test_what_changes_something_is_a_post_of_json(page: Page, root: Path) -> None:
    ours = {"Origin": page.origin, "X-Anypatch-Token": page.token}
    json_type = {"Content-Type": "application/json"}
    assert page.request("GET", f"{page.path}do/apply")[0] == 405
    assert page.request("POST", f"{page.path}do/apply", '{"version": 1}', ours)[0] == 415
    assert page.request("POST", f"{page.path}do/apply", "{", ours | json_type)[0] == 400
    assert page.request("POST", f"{page.path}do/apply", "[1]", ours | json_type)[0] == 400
    assert page.request("DELETE", page.path, None, ours)[0] == 405
    assert page.request("POST", page.path, "", ours)[0] == 405
    assert text(root) == CART


def test_only_the_page_s_own_files_are_served(page: Page) -> None:
    for name in ("app.py", "../app.py", "%2e%2e/app.py", "templates/page.html", "page.css/../app.py"):
        assert page.request("GET", page.path + name)[0] == 404
    assert "container" in page.get("page.css")


# ── the server ──


def test_each_address_is_another_one_and_on_loopback(root: Path) -> None:
    with served(FIRST, root) as one, served(FIRST, root) as other:
        assert one.port != other.port and one.token != other.token and len(one.token) >= 32
        assert one.service.socket.getsockname()[0] == "127.0.0.1"
        with pytest.raises(OSError):
            socket.create_connection(("127.0.0.2", one.port), timeout=1)


def test_it_serves_again_what_was_decided_until_it_ends(root: Path) -> None:
    with served(FIRST, root) as page:
        page.do("apply")
    assert page.service.session.result is not None
    assert (root / "app/cart.py").read_text() == CART.replace("[]", "list()")
    with pytest.raises(OSError):
        socket.create_connection(("127.0.0.1", page.port), timeout=1)


# ── life ──


def listen(page: Page) -> object:
    import http.client

    connection = http.client.HTTPConnection("127.0.0.1", page.port, timeout=20)
    connection.request("GET", f"{page.path}alive")
    assert connection.getresponse().readline() == b": here\n"
    return connection


def test_it_stops_when_the_page_is_closed(root: Path) -> None:
    with served(FIRST, root, grace=0.8) as page:
        first = listen(page)
        time.sleep(1.2)
        assert page.thread.is_alive()
        first.close()  # type: ignore[attr-defined]
        again = listen(page)  # as after a reload
        time.sleep(1.5)
        assert page.thread.is_alive()
        again.close()  # type: ignore[attr-defined]
        page.thread.join(10)
        assert not page.thread.is_alive()


def test_it_stops_when_nobody_uses_it(root: Path) -> None:
    with served(FIRST, root, longest=0.5) as page:
        listen(page)
        page.thread.join(10)
        assert not page.thread.is_alive()

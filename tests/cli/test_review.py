"""`anypatch review` serves the page until it is closed, restricted to the tree; or writes it to a file."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

pytest.importorskip("starlette")
pytest.importorskip("jinja2")

from support.reviews import CART, FIRST, tree
from support.spy import kernel_has_landlock, seen, watched


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "answer.md").write_text(FIRST)
    return tree(tmp_path / "shop")


def start(root: Path, *options: str, **environment: str) -> subprocess.Popen[str]:
    env = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")}
    return subprocess.Popen(
        [sys.executable, "-m", "anypatch", "review", "-C", str(root), "../answer.md", *options],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=root, env=env | environment,
    )  # fmt: skip


def address(run: subprocess.Popen[str]) -> str:
    assert run.stderr and run.stderr.readline() == "The review is at\n"
    match = re.search(r"http://127\.0\.0\.1:\d+/[\w-]+/", run.stderr.readline())
    assert match
    return match[0]


def finish(run: subprocess.Popen[str]) -> tuple[str, str]:
    """Wait for the end; return what is left of standard output and error."""
    with run:
        assert run.stdout and run.stderr
        return run.stdout.read(), run.stderr.read()


def post(url: str, action: str) -> dict[str, object]:
    token = url.split("/")[3]
    headers = {"Origin": url.removesuffix(f"/{token}/"), "X-Anypatch-Token": token, "Content-Type": "application/json"}
    request = urllib.request.Request(f"{url}do/{action}", b'{"version": 1}', headers)
    value: dict[str, object] = json.load(urllib.request.urlopen(request, timeout=20))
    return value


def close(url: str) -> None:
    """Open the page's stream, and close it, as a browser does with its tab."""
    with urllib.request.urlopen(f"{url}alive", timeout=20) as stream:
        stream.readline()


def test_what_was_applied_is_reported_when_the_page_is_closed(root: Path) -> None:
    run = start(root)
    url = address(run)
    assert b"Apply 1 change" in urllib.request.urlopen(url, timeout=20).read()
    assert post(url, "apply")["done"]
    close(url)
    out, _ = finish(run)
    assert run.returncode == 0 and "M app/cart.py" in out and "undo: anypatch undo" in out
    assert (root / "app/cart.py").read_text() == CART.replace("[]", "list()")


def test_closing_the_page_changes_nothing(root: Path) -> None:
    run = start(root, "--no-open")
    close(address(run))
    _, err = finish(run)
    assert run.returncode == 1 and "nothing was changed" in err
    assert (root / "app/cart.py").read_text() == CART


def test_an_interrupt_ends_it(root: Path) -> None:
    run = start(root)
    urllib.request.urlopen(address(run), timeout=20).close()
    run.send_signal(2)
    assert "nothing was changed" in finish(run)[1] and run.returncode == 1


def test_the_browser_is_started_with_the_address_before_the_process_is_restricted(root: Path, tmp_path: Path) -> None:
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\nprintf %s "$1" > "{tmp_path}/opened"\n')
    browser.chmod(0o755)
    run = start(root, BROWSER=f"{browser} %s")
    url = address(run)
    close(url)
    finish(run)
    assert (tmp_path / "opened").read_text() == url


@pytest.mark.skipif(not kernel_has_landlock(), reason="the kernel has no Landlock")
def test_nothing_can_be_run_while_the_page_applies_and_undoes(root: Path, tmp_path: Path) -> None:
    run = start(root, BROWSER="true %s", **watched(tmp_path))
    url = address(run)
    assert post(url, "apply")["done"]
    assert (root / "app/cart.py").read_text() != CART
    assert post(url, "undo")["done"] is False
    assert (root / "app/cart.py").read_text() == CART
    close(url)
    finish(run)
    assert seen(tmp_path) == ["runs a program", "renames restricted"]


def test_no_open_starts_no_browser(root: Path, tmp_path: Path) -> None:
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\ntouch "{tmp_path}/opened"\n')
    browser.chmod(0o755)
    run = start(root, "--no-open", BROWSER=f"{browser} %s")
    close(address(run))
    finish(run)
    assert not (tmp_path / "opened").exists()


def test_over_ssh_it_says_how_to_forward_it(root: Path) -> None:
    run = start(root, SSH_CONNECTION="192.0.2.1 50000 192.0.2.2 22")
    url = address(run)
    close(url)
    port = url.split(":")[2].split("/")[0]
    assert f"@192.0.2.2 -L {port}:127.0.0.1:{port}\n" in finish(run)[1]
    run = start(root, SSH_CONNECTION="192.0.2.1 50000 192.0.2.2 2200")
    close(address(run))
    assert " -p 2200\n" in finish(run)[1]


def test_html_writes_a_page_to_look_at(root: Path, tmp_path: Path) -> None:
    run = start(root, "--html", str(tmp_path / "page.html"))
    out, _ = finish(run)
    assert run.returncode == 0 and out.startswith("written: ")
    page = (tmp_path / "page.html").read_text()
    assert "<script" not in page and "<button" not in page and "app/cart.py" in page
    assert start(root, "--html", str(tmp_path / "no/page.html")).wait(30) == 3


def test_without_the_extra_it_says_what_to_install(root: Path, tmp_path: Path) -> None:
    (tmp_path / "jinja2.py").write_text("raise ModuleNotFoundError(name='jinja2')\n")
    path = os.pathsep.join([str(tmp_path), *sys.path])
    run = start(root, PYTHONPATH=path)
    _, err = finish(run)
    assert run.returncode != 0 and "needs the package jinja2" in err and "pip install" in err


def test_an_answer_that_cannot_be_read_serves_nothing(root: Path) -> None:
    (root.parent / "answer.md").write_text("Only prose.\n")
    run = start(root)
    assert "no edits" in finish(run)[1] or run.returncode

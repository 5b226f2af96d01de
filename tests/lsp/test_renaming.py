"""Renames by a server: all files or none, and only if the server's answer can be trusted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import anypatch
from support.language_server import BILL, CART, ServerOnPath


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ServerOnPath:
    return ServerOnPath(tmp_path, monkeypatch)


@pytest.mark.parametrize("mode", ["plain", "once"])
def test_a_rename_is_one_change_over_all_files(server: ServerOnPath, mode: str) -> None:
    root = server.install(mode)
    (root / "crlf.py").write_bytes(b"from cart import Cart\r\nCart().total()")
    report = anypatch.rename(root, "cart.py", "Cart/total", "amount")
    assert report.ok, report.problems
    assert (root / "cart.py").read_text() == CART.replace("total", "amount")
    assert (root / "shop" / "bill.py").read_text() == BILL.replace("total", "amount")
    assert (root / "crlf.py").read_bytes() == b"from cart import Cart\r\nCart().amount()"
    assert anypatch.undo(root).ok
    assert (root / "cart.py").read_text() == CART and (root / "shop" / "bill.py").read_text() == BILL


@pytest.mark.parametrize(
    ("mode", "kind", "why"),
    [
        ("refuses", "not_renamed", "that is a builtin"), ("nothing", "not_renamed", "no edit"),
        ("outside", "unsafe_path", "/etc/hosts"), ("elsewhere", "not_renamed", "there is no `total`"),
        ("late", "stale", "while the language server was working"), ("dead", "no_server", "has died"),
        ("slow", "no_server", "in time"),
    ],
)  # fmt: skip
def test_a_rename_that_is_refused_changes_nothing(server: ServerOnPath, mode: str, kind: str, why: str) -> None:
    root = server.install(mode)
    report = anypatch.rename(root, "cart.py", "Cart/total", "amount", seconds=1 if mode == "slow" else 10)
    assert [problem.kind for problem in report.problems] == [kind]
    assert why in report.problems[0].detail
    assert (root / "cart.py").read_text() == CART
    assert (root / "shop" / "bill.py").read_text().endswith(BILL)


@pytest.mark.parametrize(
    ("name", "new", "kind"),
    [
        ("Cart/total", "a b", "bad_call"), ("Cart/total", "", "bad_call"), ("Cart/total", "a/b", "bad_call"),
        ("Cart/total", "total", "not_renamed"), ("Cart/totl", "x", "symbol_not_found"), ("Cart/total", "class", "syntax"),
    ],
)  # fmt: skip
def test_new_names_that_are_refused(server: ServerOnPath, name: str, new: str, kind: str) -> None:
    root = server.install("plain")
    report = anypatch.rename(root, "cart.py", name, new)
    assert {problem.kind for problem in report.problems} == {kind}
    assert (root / "cart.py").read_text() == CART


def test_files_that_the_server_does_not_change_are_noted(server: ServerOnPath) -> None:
    root = server.install("plain")
    (root / "data.pyi").write_text("def total() -> int: ...\n")
    report = anypatch.rename(root, "cart.py", "Cart/total", "amount", dry_run=True)
    assert report.ok and any("data.pyi" in note.text for note in report.notes)
    assert (root / "cart.py").read_text() == CART


def test_absolute_uris_in_the_root_are_files_of_it(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "real" / "a b.py").write_text("x\n")
    span = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 1}}
    for at, root in enumerate((tmp_path / "real", tmp_path / "link")):
        uri = f"file://{root}/a%20b.py"
        report = anypatch.apply(json.dumps({"changes": {uri: [{"range": span, "newText": str(at)}]}}), root)
        assert report.ok, report.problems
        assert (tmp_path / "real" / "a b.py").read_text() == f"{at}\n"
    (tmp_path / "out.py").write_text("x\n")
    uri = f"file://{tmp_path}/out.py"
    report = anypatch.apply(json.dumps({"changes": {uri: [{"range": span, "newText": "y"}]}}), tmp_path / "real")
    assert [problem.kind for problem in report.problems] == ["unsafe_path"]
    assert (tmp_path / "out.py").read_text() == "x\n"

"""Language servers: a small real one over real pipes, and every way in which a server fails. Others: tests/lsp/real.py."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import anypatch
from anypatch.cli.commands import run_apply
from anypatch.cli.options import Call
from anypatch.lsp import Servers, merged
from anypatch.text import characters, units

SERVER = Path(__file__).parent.parent / "lsp" / "server.py"
CART = "@dec\nclass Cart:\n    def total(self, s='😀'): return 'ä' + self.total()\n\n    def add(self):\n        pass\n"
BILL = "from cart import Cart\nprint('é', Cart().total())  # é total\n"


@pytest.fixture
def speak(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """Puts a server that behaves as told on PATH, and gives a tree."""

    def put(mode: str) -> Path:
        home = tmp_path / "home"
        home.mkdir(exist_ok=True)
        script = home / "ty"
        script.write_text(f"#!/bin/sh\nexec '{sys.executable}' '{SERVER}' {mode} '{home}'\n")
        script.chmod(0o755)
        monkeypatch.setenv("PATH", f"{home}{os.pathsep}{os.environ['PATH']}")
        root = tmp_path / "tree"
        (root / "shop").mkdir(parents=True, exist_ok=True)
        (root / "cart.py").write_text(CART)
        (root / "shop" / "bill.py").write_text(BILL)
        return root

    return put


def starts(root: Path) -> int:
    return int((root.parent / "home" / "starts").read_text())


def gone(root: Path) -> bool:
    """Whether the server's process has ended."""
    pid = int((root.parent / "home" / "pid").read_text())
    for _ in range(100):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.02)
    return False


def command(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "anypatch", *arguments], capture_output=True, text=True, check=False, cwd=root
    )


@pytest.mark.parametrize("mode", ["plain", "noise"])
def test_symbols_are_those_of_both(speak: Callable[[str], Path], mode: str) -> None:
    """The span is ours (decorators in), the engine the server's; what only the grammar knows stays."""
    root = speak(mode)
    text = CART + "K = 1\n"
    with Servers(str(root)) as servers:
        found = {symbol.name_path: symbol for symbol in anypatch.outline(text, path="cart.py")}
        assert found["Cart"].range.start.line == 0 and found["Cart"].range.end.line == 5
        assert [child.engine for child in found["Cart"].children] == ["ty", "ty"]
        assert found["K"].engine == "tree-sitter"
        assert anypatch.find(text, path="cart.py", name_path="total").name_pos == (2, 8)
    assert servers.notes == []
    assert {symbol.engine for symbol in anypatch.outline(text, path="cart.py")} == {"tree-sitter"}
    assert gone(root)


@pytest.mark.parametrize(
    ("mode", "said", "count"),
    [
        ("dead", "has died (7): stack trace: out of luck", 2), ("garbage", "wrote something that is not a message", 2),
        ("slow", "did not answer in time", 1), ("silent", "did not answer in time", 1),
        ("no-start", "cannot load libserver.so", 2), ("utf-8", "counts columns in utf-8", 2),
    ],
)  # fmt: skip
def test_a_server_that_fails_leaves_it_to_the_grammar(
    speak: Callable[[str], Path], mode: str, said: str, count: int
) -> None:
    root = speak(mode)
    with Servers(str(root), seconds=1 if count == 1 else 10) as servers:
        for _ in range(3):
            assert anypatch.find(CART, path="cart.py", name_path="Cart/total").engine == "tree-sitter"
    assert [note.kind for note in servers.notes] == ["no_server"]
    assert said in servers.notes[0].text and "grammar" in servers.notes[0].text
    assert starts(root) == count
    assert gone(root)


def test_a_server_that_died_is_started_again(speak: Callable[[str], Path]) -> None:
    root = speak("once")
    with Servers(str(root)) as servers:
        assert anypatch.find(CART, path="cart.py", name_path="Cart/total").engine == "ty"
        session = servers.session("python")
        assert session is not None
        os.kill(session.process_id, 9)
        assert anypatch.find(CART, path="cart.py", name_path="Cart/total").engine == "ty"
    assert servers.notes == []
    assert starts(root) == 3


def test_an_end_on_which_both_differ_is_refused(speak: Callable[[str], Path]) -> None:
    root = speak("wrong-end")
    with Servers(str(root)), pytest.raises(anypatch.PatchError) as caught:
        anypatch.find(CART, path="cart.py", name_path="Cart/add")
    assert caught.value.problems[0].kind == "ambiguous"
    assert "line 6 by grammar, 5 by ty" in caught.value.problems[0].detail


def test_without_a_server_and_without_a_known_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("anypatch.lsp.installed", lambda grammar: [])
    (tmp_path / "a.py").write_text("def f(): pass\n")
    (tmp_path / "a.rb").write_text("def f; end\n")
    report = anypatch.rename(tmp_path, "a.py", "f", "g")
    assert [problem.kind for problem in report.problems] == ["no_server"]
    assert "the package ty" in report.problems[0].advice
    report = anypatch.rename(tmp_path, "a.rb", "f", "g")
    assert "no language server is known" in report.problems[0].detail
    with Servers(str(tmp_path)) as servers:
        assert anypatch.find("def f(): pass\n", path="a.py", name_path="f").engine == "tree-sitter"
    assert "is installed" in servers.notes[0].text


# ── rename ───────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("mode", ["plain", "once"])
def test_a_rename_is_one_change_over_all_files(speak: Callable[[str], Path], mode: str) -> None:
    root = speak(mode)
    (root / "crlf.py").write_bytes(b"from cart import Cart\r\nCart().total()")
    report = anypatch.rename(root, "cart.py", "Cart/total", "amount")
    assert report.ok, report.problems
    assert (root / "cart.py").read_text() == CART.replace("total", "amount")
    assert (root / "shop" / "bill.py").read_text() == BILL.replace("total", "amount")
    assert (root / "crlf.py").read_bytes() == b"from cart import Cart\r\nCart().amount()"
    assert anypatch.undo(root).ok
    assert (root / "cart.py").read_text() == CART and (root / "shop" / "bill.py").read_text() == BILL


@pytest.mark.parametrize(
    ("mode", "kind", "said"),
    [
        ("refuses", "not_renamed", "that is a builtin"), ("nothing", "not_renamed", "no edit"),
        ("outside", "unsafe_path", "/etc/hosts"), ("elsewhere", "not_renamed", "there is no `total`"),
        ("late", "stale", "while the language server was working"), ("dead", "no_server", "has died"),
        ("slow", "no_server", "in time"),
    ],
)  # fmt: skip
def test_a_rename_that_is_refused_changes_nothing(
    speak: Callable[[str], Path], mode: str, kind: str, said: str
) -> None:
    root = speak(mode)
    report = anypatch.rename(root, "cart.py", "Cart/total", "amount", seconds=1 if mode == "slow" else 10)
    assert [problem.kind for problem in report.problems] == [kind]
    assert said in report.problems[0].detail
    assert (root / "cart.py").read_text() == CART
    assert (root / "shop" / "bill.py").read_text().endswith(BILL)


@pytest.mark.parametrize(
    ("name", "new", "kind"),
    [
        ("Cart/total", "a b", "bad_call"), ("Cart/total", "", "bad_call"), ("Cart/total", "a/b", "bad_call"),
        ("Cart/total", "total", "not_renamed"), ("Cart/totl", "x", "symbol_not_found"), ("Cart/total", "class", "syntax"),
    ],
)  # fmt: skip
def test_names_that_are_none(speak: Callable[[str], Path], name: str, new: str, kind: str) -> None:
    root = speak("plain")
    report = anypatch.rename(root, "cart.py", name, new)
    assert {problem.kind for problem in report.problems} == {kind}
    assert (root / "cart.py").read_text() == CART


def test_files_that_the_server_leaves_are_named(speak: Callable[[str], Path]) -> None:
    root = speak("plain")
    (root / "data.pyi").write_text("def total() -> int: ...\n")
    report = anypatch.rename(root, "cart.py", "Cart/total", "amount", dry_run=True)
    assert report.ok and any("data.pyi" in note.text for note in report.notes)
    assert (root / "cart.py").read_text() == CART


# ── commands ─────────────────────────────────────────────────────────────────────────────────────


def test_rename_as_a_command(speak: Callable[[str], Path]) -> None:
    root = speak("plain")
    done = command(root, "rename", "cart.py", "Cart/total", "amount", "--json")
    assert done.returncode == 0, done.stderr
    assert sorted(change["path"] for change in json.loads(done.stdout)["changes"]) == ["cart.py", "shop/bill.py"]
    undone = command(root, "undo")
    assert undone.returncode == 0 and (root / "cart.py").read_text() == CART
    again = command(root.parent, "rename", "--root=tree", "cart.py", "Cart/add", "put", "-q")
    assert (again.returncode, again.stdout) == (0, "")
    assert "def put" in (root / "cart.py").read_text()


def test_outline_and_read_with_a_server(speak: Callable[[str], Path]) -> None:
    root = speak("plain")
    done = command(root, "outline", "cart.py", "--symbols", "lsp", "--json")
    assert json.loads(done.stdout)["files"][0]["symbols"][0]["engine"] == "ty"
    done = command(root, "read", "cart.py", "Cart/add", "--symbols=lsp")
    assert done.returncode == 0 and done.stdout.endswith("    def add(self):\n        pass\n")
    speak("dead")
    done = command(root, "read", "cart.py", "Cart/add", "--symbols=lsp")
    assert done.returncode == 0 and "has died" in done.stderr
    speak("slow")
    done = command(root, "outline", "cart.py", "--symbols=lsp", "--lsp-timeout=0.5")
    assert done.returncode == 0 and "in time" in done.stderr


def test_edits_of_symbols_with_a_server(speak: Callable[[str], Path]) -> None:
    """Chunks, a scope and a rename; the last only with a server, and only alone."""
    root = speak("plain")
    chunk = {
        "context_before": "    def add(self):",
        "old_lines": ["        pass"],
        "new_lines": ["        return 1"],
        "context_after": [],
    }
    (root / "p.json").write_text(json.dumps([{"relative_path": "cart.py", "name_path": "Cart/add", "chunks": [chunk]}]))
    done = command(root, "apply", "p.json", "--symbols=lsp")
    assert done.returncode == 0, done.stderr
    assert "return 1" in (root / "cart.py").read_text()
    renaming = {"relative_path": "cart.py", "name_path": "Cart/add", "op": "rename", "new_name": "put"}
    (root / "r.json").write_text(json.dumps([renaming]))
    refused = command(root, "apply", "r.json")
    assert refused.returncode == 2 and "--symbols lsp" in refused.stderr
    done = command(root, "apply", "r.json", "--symbols=lsp")
    assert done.returncode == 0, done.stderr
    assert "def put" in (root / "cart.py").read_text()
    assert command(root, "undo").returncode == 0
    (root / "r.json").write_text(json.dumps([renaming, renaming | {"name_path": "Cart/total"}]))
    assert command(root, "apply", "r.json", "--symbols=lsp").returncode == 2


def test_servers_have_ended_before_the_fence_goes_up(
    speak: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is written is written behind the fence, by what the server had said; it is started once."""
    root = speak("plain")
    cart = root / "cart.py"
    up: list[bool] = []
    monkeypatch.setattr(
        "anypatch.cli.commands.fence", lambda call: up.append(gone(root) and "pass" in cart.read_text())
    )
    patch = root / "p.json"
    patch.write_text(json.dumps([{"relative_path": "cart.py", "name_path": "Cart/add", "op": "delete"}]))
    call = Call("apply", str(patch), {"root": str(root), "symbols": "lsp", "json": ""})
    done = run_apply(call)
    assert (done.code, up, starts(root), json.loads(done.out[0])["notes"]) == (0, [True], 1, [])
    assert "def add" not in cart.read_text()
    assert run_apply(call._replace(command="check")).code == 1 and len(up) == 1


def test_options_that_change_the_patch_count_with_a_server_too(speak: Callable[[str], Path]) -> None:
    """-R applied the patch forwards, and --only all of it."""
    root = speak("plain")
    block = "cart.py\n<<<<<<< SEARCH\n        {}\n=======\n        {}\n>>>>>>> REPLACE\n"
    (root / "p.md").write_text(block.format("pass", "return 1"))
    done = command(root, "apply", "p.md", "--symbols=lsp", "-R")
    assert done.returncode == 1 and "pass" in (root / "cart.py").read_text()
    assert command(root, "apply", "p.md", "--symbols=lsp", "--only", "2").returncode == 2
    assert command(root, "apply", "p.md", "--symbols=lsp").returncode == 0
    assert command(root, "apply", "p.md", "--symbols=lsp", "-R").returncode == 0
    assert "pass" in (root / "cart.py").read_text()


def test_a_server_that_has_ended_is_not_started_for_a_file_that_changed(speak: Callable[[str], Path]) -> None:
    root = speak("plain")
    with Servers(str(root)) as servers:
        assert anypatch.find(CART, path="cart.py", name_path="Cart").engine == "ty"
        servers.finish()
        assert anypatch.find(CART, path="cart.py", name_path="Cart").engine == "ty"
        assert anypatch.find(CART + "\n", path="cart.py", name_path="Cart").engine == "tree-sitter"
    assert [note.kind for note in servers.notes] == ["no_server"]
    assert "has changed since" in servers.notes[0].text
    assert starts(root) == 1


# ── pure parts ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("column", "at"), [(0, 0), (2, 1), (3, 2), (99, 3)])
def test_columns(column: int, at: int) -> None:
    line = "😀äx"
    assert characters(line, column) == at
    assert units(line[:at]) == min(column, 4)


@pytest.mark.parametrize(
    ("text", "name", "kind", "at", "span", "wanted"),
    [
        # a comment that the server counts in is none of it; what stands before it on its lines is
        ("/// doc\n#[a]\npub fn f() {\n}\n", "f", 12, (2, 7), (0, 0, 3, 1), "f function 1-3"),
        ("@A\nint over(int a) {\n}\n", "over(int)", 6, (1, 4), (1, 0, 2, 1), "over method 0-2"),
        ("export const x = () => {\n};\n", "x", 12, (0, 13), (0, 13, 1, 1), "x function 0-1"),
        ("func (f *Foo) M() {\n}\n", "(*Foo).M", 6, (0, 14), (0, 0, 1, 1), "Foo/M method 0-1"),
        ("template <class T>\nclass B {\n};\n", "B<T>", 5, (1, 6), (1, 0, 2, 1), "B class 0-2"),
        ("a => 1;\n", "map() callback", 12, (0, 0), (0, 0, 0, 6), ""),
    ],
)  # fmt: skip
def test_symbols_that_only_a_server_knows(
    text: str, name: str, kind: int, at: tuple[int, int], span: tuple[int, int, int, int], wanted: str
) -> None:
    def place(line: int, character: int) -> dict[str, int]:
        return {"line": line, "character": character}

    said = {
        "name": name, "kind": kind, "range": {"start": place(*span[:2]), "end": place(*span[2:])},
        "selectionRange": {"start": place(*at), "end": place(at[0], at[1] + 1)},
    }  # fmt: skip
    found = merged([said, {"name": "broken"}, "odd"], text, None, "x")
    told = [f"{row.name_path} {row.kind} {row.first}-{row.last}" for row in found.rows]
    assert told == ([wanted] if wanted else [])


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

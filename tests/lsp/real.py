"""Real language servers beside the grammars: same symbols on real files, edits, renames, killed servers. `make test-lsp`.

A server that isn't installed is a skip with its reason; `-rs` prints it. Not part of `make test`.
"""

from __future__ import annotations

import ast
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from corpus import FILES, FLAGS

import anypatch
from anypatch.lsp import Servers, catalog
from anypatch.lsp.catalog import installed
from anypatch.symbols import declarations_of
from anypatch.syntax.declarations import Declaration

SERVERS = Path(__file__).parent.parent.parent / ".servers" / "bin"
LANGUAGES = ("python", "typescript", "cpp", "java")
NAMES = {"python": "ty", "typescript": "TypeScript 7", "cpp": "clangd", "java": "jdtls"}

# grammar: files of a small tree, the file with the symbol that is renamed, and an edit of it
TREES = {
    "python": (
        {"cart.py": "class Cart:\n    def total(self):\n        s = '😀ä'; return 1\n",
         "bill.py": "from cart import Cart\n\nprint('é', Cart().total())  # total\n"},
        "cart.py", "    def total(self):", "        s = '😀ä'; return 1", "        return 2", []),
    "typescript": (
        {"cart.ts": "export class Cart {\n  total(): number {\n    return 1;\n  }\n}\n",
         "bill.ts": "import { Cart } from './cart';\nconsole.log('é😀', new Cart().total()); // total\n", "tsconfig.json": "{}\n"},
        "cart.ts", "  total(): number {", "    return 1;", "    return 2;", "  }"),
    "cpp": (
        {"cart.hpp": "#pragma once\nstruct Cart {\n  int total() const;\n};\n",
         "cart.cpp": '#include "cart.hpp"\nint Cart::total() const {\n  return 1;\n}\n',
         "bill.cpp": '#include "cart.hpp"\nconst char* s = "é😀"; int bill() { return Cart().total(); } // total\n'},
        "cart.cpp", "int Cart::total() const {", "  return 1;", "  return 2;", "}"),
    "java": (
        {"Cart.java": "public class Cart {\n  int total() {\n    return 1;\n  }\n}\n",
         "Bill.java": 'class Bill {\n  String s = "é😀"; int f() { return new Cart().total(); } // total\n}\n'},
        "Cart.java", "  int total() {", "    return 1;", "    return 2;", "  }"),
    "go": (
        {"cart.go": "package shop\n\ntype Cart struct{}\n\nfunc (c *Cart) total() int {\n\treturn 1\n}\n",
         "bill.go": 'package shop\n\nvar s = "é😀"\n\nfunc f() int { return (&Cart{}).total() } // total\n',
         "go.mod": "module shop\n\ngo 1.19\n"},
        "cart.go", "func (c *Cart) total() int {", "\treturn 1", "\treturn 2", "}"),
    "rust": (
        {"lib.rs": "mod bill;\npub struct Cart;\nimpl Cart {\n    pub fn total(&self) -> i32 {\n        1\n    }\n}\n",
         "bill.rs": 'pub fn f() -> i32 { let _s = "é😀"; crate::Cart.total() } // total\n',
         "Cargo.toml": '[package]\nname = "shop"\nversion = "0.1.0"\n[lib]\npath = "lib.rs"\n'},
        "lib.rs", "    pub fn total(&self) -> i32 {", "        1", "        2", "    }"),
}  # fmt: skip
OTHERS = {
    "pyright": "python",
    "typescript-language-server": "typescript",
    "gopls": "go",
    "rust-analyzer": "rust",
}


@pytest.fixture(autouse=True)
def on_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{SERVERS}{os.pathsep}{os.environ['PATH']}")


@pytest.fixture(params=LANGUAGES)
def language(request: pytest.FixtureRequest, on_path: None) -> str:
    chosen = os.environ.get("ANYPATCH_SERVERS", " ".join(LANGUAGES)).split()
    if request.param not in chosen:
        pytest.skip(f"{NAMES[request.param]}: not asked for here; `make test-lsp` asks for all")
    if NAMES[request.param] not in [server.name for server in installed(request.param)]:
        pytest.skip(f"{NAMES[request.param]}: isn't installed")
    if not FILES[request.param] and "agree" in request.node.name:
        pytest.skip(f"{request.param}: no real files are installed")
    return str(request.param)


def tree(language: str, root: Path) -> str:
    """Write a small tree; return the file that holds the symbol."""
    files, path = TREES[language][:2]
    for name, text in files.items():
        (root / name).write_text(text)
    if language == "cpp":
        rows = [
            {"directory": str(root), "file": name, "command": f"c++ -c {name}"} for name in files if name[-1] == "p"
        ]
        (root / "compile_commands.json").write_text(json.dumps([row for row in rows if ".cpp" in row["file"]]))
    return path


def rows(text: str, path: str) -> list[Declaration]:
    return declarations_of(text, path)[1].rows


def by_server(rows: list[Declaration]) -> Iterator[Declaration]:
    return (row for row in rows if row.engine not in ("tree-sitter", "scanner"))


def test_symbols_of_real_files_agree(language: str, tmp_path: Path) -> None:
    """Symbols of the server are where the grammar says, and end on the same line."""
    seen = differ = only = 0
    if language == "cpp":
        (tmp_path / "compile_flags.txt").write_text(FLAGS)
    for file in FILES[language][: 1 if language == "java" else 2]:
        text = file.read_text(errors="surrogateescape")
        (tmp_path / file.name).write_text(text)
        ours = {(row.row, row.column): row for row in rows(text, file.name)}
        with Servers(str(tmp_path), 90) as servers:
            from_server = list(by_server(rows(text, file.name)))
        assert servers.notes == []
        seen += len(from_server)
        differ += sum(row.other_last >= 0 for row in from_server)
        only += sum((row.row, row.column) not in ours for row in from_server)
    print(f"{language}: {seen} symbols of {NAMES[language]}, {differ} end elsewhere, {only} the grammar doesn't list")
    assert seen > 100
    assert differ <= seen * 0.005
    # clangd also lists what a macro declares: 7 of 17 in two headers of Node.
    most = {"typescript": 0.25, "cpp": 0.015}.get(language, 0.01)
    assert only <= seen * most


def edit(language: str, root: Path) -> None:
    path = tree(language, root)
    before, old, new, after = TREES[language][2:]
    chunk = {"context_before": before, "old_lines": [old], "new_lines": [new], "context_after": after}
    edit = {"relative_path": path, "name_path": "Cart/total", "chunks": [chunk]}
    text = (root / path).read_text()
    with Servers(str(root), 90) as servers:
        report = anypatch.apply(json.dumps([edit]), root)
    assert report.ok, report.problems
    assert servers.notes == []
    assert (root / path).read_text() == text.replace(str(old), str(new))


def rename(language: str, root: Path) -> None:
    path = tree(language, root)
    files = {name: text for name, text in TREES[language][0].items() if "total" in text}
    report = anypatch.rename(root, path, "Cart/total", "amount", seconds=90)
    assert report.ok, report.problems
    for name, text in files.items():
        assert (root / name).read_text() == text.replace("total(", "amount(").replace("# amount(", "# total("), name
    new = {path.name for path in root.iterdir()} - set(TREES[language][0]) - {"compile_commands.json", "Cargo.lock"}
    assert new <= {".anypatch"}, "the server leaves nothing in the tree"
    assert anypatch.undo(root).ok
    for name, text in files.items():
        assert (root / name).read_text() == text


def test_an_edit_of_a_symbol_applies(language: str, tmp_path: Path) -> None:
    edit(language, tmp_path)


def test_a_rename_reaches_every_file_and_is_undone(language: str, tmp_path: Path) -> None:
    rename(language, tmp_path)


@pytest.mark.parametrize("name", OTHERS)
def test_other_servers_edit_and_rename_too(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Servers that are tried only if the first of a language isn't installed, or that no package index has."""
    if "ANYPATCH_SERVERS" in os.environ:
        pytest.skip(f"{name}: not asked for here; `make test-lsp` asks for all")
    monkeypatch.setattr(catalog, "SERVERS", tuple(server for server in catalog.SERVERS if server.name == name))
    if not catalog.installed(OTHERS[name]):
        pytest.skip(f"{name}: isn't installed")
    for deed in (edit, rename):
        (tmp_path / deed.__name__).mkdir()
        deed(OTHERS[name], tmp_path / deed.__name__)


def test_a_killed_server_is_survived(language: str, tmp_path: Path) -> None:
    path = tree(language, tmp_path)
    text = (tmp_path / path).read_text()
    with Servers(str(tmp_path), 90) as servers:
        assert anypatch.find(text, path=path, name_path="Cart/total").engine == NAMES[language]
        session = servers.session(language)
        assert session is not None
        os.killpg(session.process_id, 9)
        assert anypatch.find(text, path=path, name_path="Cart/total").engine == NAMES[language]
    assert servers.notes == []


@pytest.mark.parametrize("language", ["python"], indirect=True)
def test_positions_are_where_the_language_itself_says(language: str, tmp_path: Path) -> None:
    """Python's own parser as the referee of both, on a line with characters beyond UTF-16's first plane."""
    text = "x = '😀😀ä'; 𝒻 = 1\nclass Ä𝒳: 𝓎 = 2; é = '😀'; z = 3\n"
    with Servers(str(tmp_path), 90):
        from_server = {row.name: (row.row, row.column) for row in by_server(rows(text, "a.py"))}
    lines = text.split("\n")
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            column = len(lines[node.lineno - 1].encode()[: node.col_offset].decode().encode("utf-16-le")) // 2
            raw = lines[node.lineno - 1].encode()[node.col_offset : node.end_col_offset].decode()
            assert from_server[raw] == (node.lineno - 1, column)

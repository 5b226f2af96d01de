"""The rules of the house as tests: imports point one way, every module says what it is, the start stays light."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "anypatch"
MODULES = sorted(SOURCE.rglob("*.py"))

# layer: the layers it may import from, besides itself
MAY_SEE = {
    "record": set(),
    "errors": {"record"},
    "text": {"record"},
    "model": {"record", "errors"},
    "spans": {"record", "model"},
    "uris": {"errors", "text"},
    "rooting": {"model", "uris"},
    "diff": {"record", "text"},
    "syntax": {"record", "errors", "text"},
    "twice": {"model"},
    "formats": {"elision", "twice", "record", "errors", "text", "model", "diff", "syntax", "spans", "uris"},
    "locate": {"elision", "record", "errors", "text", "model", "diff", "syntax", "spans"},
    "elision": {"record"},
    "limits": {"record", "errors", "model"},
    "tally": {"errors", "model", "limits", "twice"},
    "memory": {"text", "model", "locate"},
    "naming": {"record", "errors", "model", "locate"},
    "scoping": {"record", "errors", "text", "model", "naming", "locate", "plan", "rounds"},
    "gating": {"record", "errors", "text", "model", "syntax"},
    "encoding": {"errors", "text"},
    "rounds": {"model", "locate"},
    "plan": {
        "rounds",
        "elision",
        "encoding",
        "naming",
        "record",
        "errors",
        "text",
        "model",
        "locate",
        "scoping",
        "fileops",
        "shrinking",
    },
    "fileops": {
        "elision",
        "encoding",
        "naming",
        "record",
        "errors",
        "text",
        "model",
        "diff",
        "locate",
        "plan",
        "shrinking",
    },
    "shrinking": {"errors", "text", "model", "syntax"},
    "contain": {"record", "errors", "text", "model", "locate"},
    "commit": {"record", "errors", "model", "contain", "limits"},
    "disk": {"record", "errors", "text", "model", "locate", "contain", "commit", "limits"},
    "report": {"record", "errors", "text", "model", "diff"},
    "answer": {"record", "errors", "text", "model", "registry", "formats"},
    "registry": {"errors", "model", "formats"},
    "resend": {"errors", "model", "registry", "answer", "twice"},
    "partial": {"errors", "model", "naming", "locate", "plan"},
    "alternatives": {"errors", "text", "model", "plan"},
    "correct": {
        "record",
        "errors",
        "text",
        "model",
        "diff",
        "locate",
        "naming",
        "plan",
        "registry",
        "resend",
        "gating",
        "memory",
    },
    "writing": {"errors", "text", "model", "registry", "naming", "locate", "engine", "trees", "resend", "disk"},
    "trees": {"errors", "model"},
    "tools": {"errors", "registry"},
    "tokens": {"record", "errors", "text", "registry", "writing"},
    "engine": {
        "alternatives",
        "rooting",
        "correct",
        "partial",
        "resend",
        "record",
        "errors",
        "text",
        "model",
        "answer",
        "registry",
        "diff",
        "naming",
        "locate",
        "plan",
        "gating",
        "disk",
        "limits",
        "tally",
        "memory",
        "fresh",
    },
    "symbols": {"record", "errors", "text", "syntax"},
    "fresh": {"errors", "text", "symbols"},
    "mcp": {
        "record",
        "errors",
        "text",
        "model",
        "engine",
        "report",
        "symbols",
        "fresh",
        "naming",
        "plan",
        "locate",
        "disk",
    },
    "lsp": {"record", "errors", "model", "syntax", "uris"},
    "renaming": {
        "record",
        "errors",
        "text",
        "model",
        "spans",
        "uris",
        "syntax",
        "symbols",
        "lsp",
        "registry",
        "engine",
    },
    "cli": {
        "record",
        "errors",
        "text",
        "model",
        "engine",
        "report",
        "diff",
        "symbols",
        "commit",
        "lsp",
        "renaming",
        "mcp",
        "disk",
        "writing",
        "trees",
        "tools",
        "tokens",
        "limits",
    },
    "__main__": {"cli"},
    "__init__": {"engine", "errors", "limits", "model", "report", "symbols", "lsp", "renaming", "tools", "writing"},
}
PURE = {
    "record",
    "errors",
    "text",
    "model",
    "diff",
    "syntax",
    "formats",
    "locate",
    "plan",
    "gating",
    "symbols",
    "report",
    "naming",
    "elision",
    "partial",
    "resend",
    "alternatives",
    "correct",
    "limits",
    "twice",
    "spans",
    "uris",
    "tools",
    "tokens",
    "writing",
}
OUTSIDE = {"os", "io", "pathlib", "shutil", "subprocess", "socket", "tempfile", "sys"}


def layer_of(module: Path) -> str:
    return module.relative_to(SOURCE).parts[0].removesuffix(".py")


def imports(module: Path) -> set[tuple[int, str]]:
    """(level, dotted name) of every import in a module, wherever it stands, but for those only types need."""
    found = set()
    tree = ast.parse(module.read_text(encoding="utf-8"))
    typed = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        for branch in node.body
        for inner in ast.walk(branch)
    }
    for node in ast.walk(tree):
        if id(node) in typed:
            continue
        if isinstance(node, ast.Import):
            found |= {(0, alias.name) for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names = [node.module] if node.module else [alias.name for alias in node.names]
            found |= {(node.level, name) for name in names}
    return found


@pytest.mark.parametrize("module", MODULES, ids=lambda m: m.relative_to(SOURCE).as_posix())
def test_imports_point_one_way(module: Path) -> None:
    layer = layer_of(module)
    depth = len(module.relative_to(SOURCE).parts)
    for level, name in imports(module):
        if level == depth:
            other = name.split(".")[0]
            assert other in {layer, "__version__", *MAY_SEE[layer]}, f"{layer} may not see {other}"
        elif level == 0:
            assert not name.startswith("anypatch"), "imports inside the package are relative"


@pytest.mark.parametrize("module", [m for m in MODULES if layer_of(m) in PURE], ids=lambda m: m.stem)
def test_pure_layers_touch_nothing(module: Path) -> None:
    names = {name.split(".")[0] for level, name in imports(module) if level == 0}
    assert not names & OUTSIDE
    calls = [
        n.func.id
        for n in ast.walk(ast.parse(module.read_text()))
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)
    ]
    assert not {"open", "print", "input"} & set(calls)


@pytest.mark.parametrize("module", MODULES, ids=lambda m: m.relative_to(SOURCE).as_posix())
def test_described(module: Path) -> None:
    assert ast.get_docstring(ast.parse(module.read_text(encoding="utf-8"))), (
        "a module says in its first line what it is"
    )


def test_the_start_is_light() -> None:
    """Applying a patch loads none of the modules that would each cost a good part of the budget."""
    heavy = (
        "typing dataclasses argparse pathlib tempfile difflib subprocess ctypes asyncio inspect logging random shutil"
    )
    script = (
        "import sys, anypatch\n"
        "files = anypatch.apply_to('operations:\\n  - path: a\\n    op: append_text\\n    payload: x\\n', {'a': 'y\\n'})\n"
        "assert files == {'a': 'y\\nx\\n'}, files.report\n"
        "import anypatch.cli\n"
        f"print(sorted(set('{heavy}'.split()) & set(sys.modules)))"
    )
    run = subprocess.run(
        [sys.executable, "-S", "-c", f"import sys; sys.path.insert(0, {str(SOURCE.parent)!r})\n{script}"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.stdout == "[]\n", run.stdout + run.stderr

"""The rules of the house as tests: imports point one way, every module says what it is, the start stays light."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import house  # tools/house.py
import pytest

TOP = Path(__file__).parent.parent
SOURCE = TOP / "src" / "anypatch"
MODULES = {house.name_of(path, SOURCE): path for path in sorted(SOURCE.rglob("*.py"))}
IMPORTS = {name: house.imported(name, path.read_text(encoding="utf-8"), MODULES) for name, path in MODULES.items()}

# A module may import from the tiers above its own in this list, and from its own folder. "x.*" is what is in a folder
# beside its front door.
TIERS = (
    "hints",
    "problems",
    "text similarity",
    "diff",
    "merge",
    "model",
    "paths",
    "syntax",
    "answer answer.*",
    "limits tree symbols",
    "author.line_changes",
    "author.context",
    "author.describe",
    "formats.table",
    "formats",
    "answer.blocks",
    "formats.*",
    "answer.read",
    "propose",
    "match",
    "plan",
    "author.resend",
    "merge_symbols",
    "partial repair rebase",
    "storage report git",
    "result",
    "expected_hashes bases",
    "pipeline",
    "api",
    "feed reviewing",
    "author",
    "adapters batch hooks lsp mcp",  # of which none sees another
    "replay",
    "cli",
    "__main__",
)
# Modules that may import less than their place in the list allows.
ONLY = {
    "match": "problems text similarity model diff paths syntax answer.* propose match",
    "propose": "hints problems text similarity model diff syntax answer.* formats match propose",
    "plan": "problems text similarity model diff paths syntax answer.* tree limits formats match propose plan",
    "storage": "hints problems text similarity model diff merge paths limits storage",
    "report": "hints problems text model diff report",
    "mcp": "hints problems text similarity model paths symbols formats rebase result bases api report storage match mcp",
}
PURE = {
    "problems", "text", "similarity", "model", "diff", "merge", "paths", "syntax", "limits", "symbols", "match", "propose",
    "formats.*",
    "answer.read", "plan", "partial", "rebase", "merge_symbols", "repair", "report", "author.line_changes", "author.context", "author.describe", "author.resend", "answer.*", "answer.blocks",
}  # fmt: skip
OUTSIDE = {"os", "io", "pathlib", "shutil", "subprocess", "socket", "tempfile", "sys"}


def layer_of(name: str) -> str:
    """The tier's word for a module: its own name, its folder, or its folder's inside."""
    known = " ".join(TIERS).split()
    folder = name.split(".", maxsplit=1)[0]
    for word in (name, f"{folder}.*" if "." in name else folder, folder):
        if word in known:
            return word
    raise AssertionError(f"{name} is in no tier")


RANK = {word: rank for rank, tier in enumerate(TIERS) for word in tier.split()}


@pytest.mark.parametrize("name", [name for name in MODULES if name])
def test_imports_point_one_way(name: str) -> None:
    layer = layer_of(name)
    for other in IMPORTS[name] - {""}:
        seen = layer_of(other)
        if other.split(".")[0] == name.split(".", maxsplit=1)[0] and layer == seen:
            continue
        assert RANK[seen] < RANK[layer], f"{name} may not see {other}"
        if layer in ONLY:
            assert seen in ONLY[layer].split(), f"{name} may not see {other}"


def test_no_import_goes_in_a_circle() -> None:
    """Wherever it is: an import inside a function is for what is optional or heavy."""
    assert [group for group in house.strongly_connected(IMPORTS) if len(group) > 1] == []


@pytest.mark.parametrize("name", [name for name in MODULES if name and layer_of(name) in PURE])
def test_pure_layers_touch_nothing(name: str) -> None:
    tree = ast.parse(MODULES[name].read_text(encoding="utf-8"))
    absolute = [alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
    absolute += [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and not node.level]
    assert not {one.split(".")[0] for one in absolute} & (OUTSIDE | {"anypatch"})
    calls = {node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    assert not {"open", "print", "input"} & calls


@pytest.mark.parametrize("name", MODULES)
def test_described(name: str) -> None:
    assert ast.get_docstring(ast.parse(MODULES[name].read_text(encoding="utf-8"))), (
        "a module says in its first line what it is"
    )


def test_the_start_is_light(tmp_path: Path) -> None:
    """A small `anypatch apply` loads no module that would cost a good part of its budget of eight bare starts."""
    heavy = (
        "asyncio dataclasses difflib email inspect pathlib random shtab shutil socket subprocess tempfile tree_sitter"
    )
    heavy += " anypatch.author anypatch.replay anypatch.batch anypatch.hooks anypatch.lsp anypatch.mcp anypatch.repair"
    (tmp_path / "a.py").write_text("x = 1\n")
    (tmp_path / "a.diff").write_text("--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x = 1\n+x = 2\n")
    script = (
        f"import sys; sys.path.insert(0, {str(SOURCE.parent)!r})\n"
        "sys.argv = ['anypatch', 'apply', '--root', '.', '--quiet', 'a.diff']\n"
        "from anypatch.cli import main\n"
        f"assert main() == 0\nprint(sorted(set('{heavy}'.split()) & set(sys.modules)))"
    )
    run = subprocess.run(
        [sys.executable, "-S", "-c", script], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert run.stdout == "[]\n", run.stdout + run.stderr
    assert (tmp_path / "a.py").read_text() == "x = 2\n"


def test_no_module_hides_a_public_name() -> None:
    """Importing `anypatch.outline` as a module would put that in the place of the function `anypatch.outline`."""
    import anypatch

    assert {name for name in MODULES if "." not in name} & set(anypatch.__all__) <= {"Symbol"}

"""How large the house is, and how far one walks in it: modules, lines, functions, importers, cycles, the way to a Plan.

    python tools/house.py [--source src/anypatch] [--walk] [--list]

Lines of code are those that hold a token of a statement: no blank lines, comments or docstrings. Functions are counted
with methods and inner functions, without lambdas. Every import counts, wherever it stands: in a function too, but not
under TYPE_CHECKING. `--walk` runs two small patches through the library of this environment and counts the files and
functions that run until the plan is made; modules are imported before, so that only what works is counted. `--list`
names the modules with one importer and the files walked. A short way kept beside a long one is marked
`# second way: <what was measured>` in the source; those marks are counted.
"""

from __future__ import annotations

import argparse
import ast
import io
import sys
import tokenize
from collections import defaultdict
from pathlib import Path
from types import CodeType

PATCHES = {
    "a one-hunk diff": (
        "--- a/cart.py\n+++ b/cart.py\n@@ -1,3 +1,3 @@\n def total(items):\n-    return 0\n+    return sum(items)\n \n"
    ),
    "a CHUNK patch": (
        "operations:\n  - path: cart.py\n    op: replace_text\n    marker: |\n      return 0\n"
        "    payload: |\n      return sum(items)\n"
    ),
}
FILES = {"cart.py": "def total(items):\n    return 0\n\n\ndef empty(items):\n    return not items\n"}


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--source", type=Path, default=Path(__file__).parent.parent / "src" / "anypatch")
    arguments.add_argument("--walk", action="store_true")
    arguments.add_argument("--list", action="store_true")
    options = arguments.parse_args()
    modules = {name_of(path, options.source): path for path in sorted(options.source.rglob("*.py"))}
    texts = {name: path.read_text(encoding="utf-8") for name, path in modules.items()}
    imports = {name: imported(name, texts[name], modules) for name in modules}
    importers: dict[str, set[str]] = defaultdict(set)
    for name, targets in imports.items():
        for target in targets:
            importers[target].add(name)
    # A package's __init__ stands for its folder: a room that one file of another folder enters is no smell. Nor are the
    # reader and the writer of a format, which `formats` itself loads by their names.
    single = sorted(
        name
        for name in modules
        if len(importers[name]) == 1 and not is_package(modules[name]) and not name.startswith("formats.")
    )
    cycles = [group for group in strongly_connected(imports) if len(group) > 1]
    second_ways = [(name, line) for name, text in texts.items() for line in text.split("\n") if "# second way:" in line]
    print(f"modules                      {len(modules)}")
    print(f"lines                        {sum(text.count(chr(10)) for text in texts.values())}")
    print(f"lines of code                {sum(map(lines_of_code, texts.values()))}")
    print(f"functions                    {sum(map(functions, texts.values()))}")
    print(f"modules with one importer    {len(single)}")
    print(f"import cycles                {len(cycles)}")
    for group in cycles:
        print(f"    {' '.join(sorted(group))}")
    print(f"short ways beside long ones  {len(second_ways)} (marked)")
    for name, line in second_ways:
        print(f"    {name}: {line.strip()}")
    if options.list:
        print("one importer:\n    " + "\n    ".join(f"{name}  ◀ {next(iter(importers[name]))}" for name in single))
    if options.walk:
        for title, patch in PATCHES.items():
            walked = walk(patch, options.source)
            files = sorted({code.co_filename for code in walked})
            print(f"{title:28} {len(files)} files, {len(walked)} functions run from text to Plan")
            if options.list:
                print("    " + "\n    ".join(str(Path(file).relative_to(options.source)) for file in files))


def name_of(path: Path, source: Path) -> str:
    """`formats/unified/read.py` → `formats.unified.read`; a folder's `__init__.py` is the folder."""
    parts = list(path.relative_to(source).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def is_package(path: Path) -> bool:
    return path.name == "__init__.py"


def lines_of_code(text: str) -> int:
    """The lines of a module without those that hold nothing but blanks, a comment or a docstring."""
    layout = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
    rows: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in layout:
            rows.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            rows.difference_update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return len(rows)


def functions(text: str) -> int:
    return sum(isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) for node in ast.walk(ast.parse(text)))


def imported(name: str, text: str, modules: dict[str, Path]) -> set[str]:
    """The modules of ours that a module imports, at the top or in a function."""
    package = name.split(".") if is_package(modules[name]) else name.split(".")[:-1]
    found = set()
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            node.body = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.ImportFrom) or not node.level:
            continue
        base = package[: len(package) - node.level + 1] + (node.module.split(".") if node.module else [])
        for alias in node.names:
            inner = ".".join([*base, alias.name])
            found.add(inner if inner in modules else ".".join(base))
    return found & set(modules) - {name}


def strongly_connected(graph: dict[str, set[str]]) -> list[set[str]]:
    """Groups of modules each of which reaches each other (Tarjan's algorithm)."""
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    groups: list[set[str]] = []

    def visit(node: str) -> None:
        order[node] = low[node] = len(order)
        stack.append(node)
        for target in graph[node]:
            if target not in order:
                visit(target)
                low[node] = min(low[node], low[target])
            elif target in stack:
                low[node] = min(low[node], order[target])
        if low[node] == order[node]:
            group = set()
            while True:
                group.add(stack.pop())
                if node in group:
                    break
            groups.append(group)

    sys.setrecursionlimit(10_000)
    for node in graph:
        if node not in order:
            visit(node)
    return groups


def walk(patch: str, source: Path) -> set[CodeType]:
    """The functions of ours that run while a patch is read and planned."""
    import anypatch

    anypatch.apply_to(patch, FILES)  # once before, so that imports are done
    seen: set[CodeType] = set()
    root = str(source)

    def trace(frame: object, event: str, argument: object) -> None:
        code = frame.f_code  # type: ignore[attr-defined]
        if event == "call" and code.co_filename.startswith(root):
            seen.add(code)

    sys.setprofile(trace)
    try:
        result = anypatch.apply_to(patch, FILES)
    finally:
        sys.setprofile(None)
    assert dict(result.files) != FILES, "the patch must apply"
    return seen


if __name__ == "__main__":
    main()

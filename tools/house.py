"""Measure the code base: its size, its complexity, its imports, its English, its tests, and the way to a plan.

    python tools/house.py [--source src/anypatch] [--walk] [--list]

Lines of code are those that hold a token of a statement: no blank lines, comments or docstrings. Functions are counted
with methods and inner functions. Complexity is McCabe's, with one more for each boolean operator, comprehension and
assertion, as radon counts it. Every import counts, also inside a function, but not under TYPE_CHECKING. Odd words are
those of tools/words.py. `--walk` applies three small patches and counts the files and functions that run until the
plan is made. `--list` names what is counted.
"""

from __future__ import annotations

import argparse
import ast
import io
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path
from types import CodeType

import words  # tools/words.py

TOP = Path(__file__).parent.parent
COMPLEX = 15  # a function above that is hard to read
PATCHES = {
    "a one-hunk diff": (
        "--- a/cart.py\n+++ b/cart.py\n@@ -1,3 +1,3 @@\n def total(items):\n-    return 0\n+    return sum(items)\n \n"
    ),
    "a CHUNK patch": (
        "operations:\n  - path: cart.py\n    op: replace_text\n    marker: |\n      return 0\n"
        "    payload: |\n      return sum(items)\n"
    ),
    "a chat answer": (
        "Sum them up, in `cart.py`:\n\n```python\ndef total(items):\n    return sum(items)\n```\n\nThat's all.\n"
    ),
}
FILES = {"cart.py": "def total(items):\n    return 0\n\n\ndef empty(items):\n    return not items\n"}
_BRANCHES = (ast.If, ast.IfExp, ast.For, ast.AsyncFor, ast.While, ast.ExceptHandler, ast.Assert, ast.comprehension)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--source", type=Path, default=TOP / "src" / "anypatch")
    arguments.add_argument("--walk", action="store_true", help="count what runs from text to plan")
    arguments.add_argument("--list", action="store_true", help="name what is counted")
    options = arguments.parse_args()
    modules = {name_of(path, options.source): path for path in sorted(options.source.rglob("*.py"))}
    texts = {name: path.read_text(encoding="utf-8") for name, path in modules.items()}
    imports = {name: imported(name, texts[name], modules) for name in modules}
    complexities = {f"{name}.{key}": value for name in modules for key, value in complexity(texts[name]).items()}
    complex_ones = sorted((f"{value:3} {key}" for key, value in complexities.items() if value > COMPLEX), reverse=True)
    share = 100 * len(complex_ones) / len(complexities)
    odd = [f"{name}:{line}: {text}" for name in modules for line, text in words.in_source(texts[name])]
    untested = without_test(modules, texts)
    importers = {name: sorted(other for other in modules if name in imports[other]) for name in modules}
    single = [f"{name}  ◀ {users[0]}" for name, users in importers.items() if len(users) == 1]
    cycles = [" ".join(sorted(group)) for group in strongly_connected(imports) if len(group) > 1]
    print(f"modules                      {len(modules)}")
    print(f"lines                        {sum(text.count(chr(10)) for text in texts.values())}")
    print(f"lines of code                {sum(map(lines_of_code, texts.values()))}")
    print(f"classes                      {sum(map(classes, texts.values()))}")
    print(f"functions                    {len(complexities)}")
    counted = {
        f"complexity above {COMPLEX}": complex_ones,
        "modules with one importer": single,
        "import cycles": cycles,
        "odd words": odd,
        "modules without their test": untested,
    }
    for title, names in counted.items():
        print(f"{title:28} {len(names)}" + (f" ({share:.1f} %)" if names is complex_ones else ""))
        if options.list:
            print("".join(f"    {name}\n" for name in names), end="")
    for title, patch in PATCHES.items() if options.walk else ():
        walked = walk(patch, options.source)
        files = sorted({code.co_filename for code in walked})
        print(f"{title:28} {len(files)} files, {len(walked)} functions run from text to plan")
        if options.list:
            print("".join(f"    {Path(file).relative_to(options.source)}\n" for file in files), end="")


def name_of(path: Path, source: Path) -> str:
    """`formats/unified/read.py` → `formats.unified.read`; a folder's `__init__.py` is the folder."""
    parts = list(path.relative_to(source).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def is_package(path: Path) -> bool:
    return path.name == "__init__.py"


def lines_of_code(text: str) -> int:
    """Count the lines of a module that hold more than white space, a comment or a docstring."""
    layout = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
    rows: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in layout:
            rows.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            rows.difference_update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return len(rows)


def classes(text: str) -> int:
    return sum(isinstance(node, ast.ClassDef) for node in ast.walk(ast.parse(text)))


def complexity(text: str) -> dict[str, int]:
    """Return the complexity of each function of a module, by its name; methods as `Class.name`."""
    found: dict[str, int] = {}

    def visit(node: ast.AST, name: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                own = f"{name}.{child.name}".strip(".")
                found[own] = 1 + sum(map(_weight, _own_nodes(child)))
                visit(child, own)
            else:
                visit(child, f"{name}.{child.name}".strip(".") if isinstance(child, ast.ClassDef) else name)

    visit(ast.parse(text), "")
    return found


def _own_nodes(function: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a function without those of functions inside it."""
    for child in ast.iter_child_nodes(function):
        if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield child
            yield from _own_nodes(child)


def _weight(node: ast.AST) -> int:
    if isinstance(node, ast.BoolOp):
        return len(node.values) - 1
    if isinstance(node, ast.comprehension):
        return 1 + len(node.ifs)
    if isinstance(node, ast.For | ast.AsyncFor | ast.While | ast.Try):
        return bool(node.orelse) + (not isinstance(node, ast.Try))
    return isinstance(node, _BRANCHES) or (isinstance(node, ast.match_case) and not _is_default(node))


def _is_default(case: ast.match_case) -> bool:
    return isinstance(case.pattern, ast.MatchAs) and case.pattern.pattern is None


def without_test(modules: dict[str, Path], texts: dict[str, str]) -> list[str]:
    """Return the modules with functions that have no test file of their name: `match/ladder.py`, `test_ladder.py`.

    A format is tested as a whole, and so is a folder's `__init__.py`: `formats/unified/read.py`, `test_unified.py`. The
    package itself has `test_library.py`.
    """
    tests = {path.relative_to(TOP / "tests") for path in (TOP / "tests").rglob("test_*.py")}
    missing = []
    for name in modules:
        parts = (name or "library").split(".")
        candidates = {Path(*parts[:-1], f"test_{parts[-1]}.py"), Path(*parts, f"test_{parts[-1]}.py")}
        if parts[0] == "formats" and len(parts) > 2:
            candidates |= {Path("formats", f"test_{parts[1]}.py")}
        if complexity(texts[name]) and not candidates & tests:
            missing.append(name)
    return missing


def imported(name: str, text: str, modules: dict[str, Path]) -> set[str]:
    """Return the modules of ours that a module imports, at the top or in a function."""
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
    """Return the groups of modules that reach each other (Tarjan's algorithm)."""
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
    """Return the functions of ours that run while a patch is read and planned."""
    import anypatch

    anypatch.apply_to(patch, FILES, accept="all")  # so that imports are done
    seen: set[CodeType] = set()
    root = str(source)

    def trace(frame: object, event: str, argument: object) -> None:
        code = frame.f_code  # type: ignore[attr-defined]
        if event == "call" and code.co_filename.startswith(root):
            seen.add(code)

    sys.setprofile(trace)
    try:
        result = anypatch.apply_to(patch, FILES, accept="all")
    finally:
        sys.setprofile(None)
    assert dict(result.files) != FILES, "the patch must apply"
    return seen


if __name__ == "__main__":
    main()

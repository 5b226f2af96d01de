"""Break the code that writes, recovers, undoes and contains in one place at a time: the tests must notice.

    python tests/mutants.py [--sample 100] [--seed 1]

A sample of all places: a comparison turned, a condition negated, `and` for `or`, a number one more, a flag turned, a call
left out, a refusal swallowed, nothing returned. Prints what lived, so that a test can be written, and the share that did
not. Exits with 1 below 90 %.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

HERE = Path(__file__).parent
SOURCE = HERE.parent / "src"
BROKEN = (
    *(f"commit/{name}.py" for name in ("apart", "access", "history", "kernel", "manifest", "stage", "state", "steps", "work")),
    "contain.py", "disk.py", "limits.py", "locate/paths.py",
)  # fmt: skip
# The quickest first: most mutants die early.
TESTS = ("commit_edges", "disk", "undo", "contain", "ways", "promises", "disk_faults", "races")
ENOUGH = 90

TURNED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
Mutation = Callable[[], str]


def mutations(tree: ast.Module) -> Iterator[tuple[int, Mutation]]:
    """Every place that can be broken: its line, and what breaks it and says how. Each is for a tree of its own."""
    for node in ast.walk(tree):
        for made in _of(node):
            yield getattr(node, "lineno", 0), made
    for holder in ast.walk(tree):
        found = [getattr(holder, field, None) for field in ("body", "orelse", "finalbody")]
        blocks: list[list[ast.stmt]] = [block for block in found if isinstance(block, list)]
        for block in blocks if not isinstance(holder, ast.Module) else ():
            for at, one in enumerate(block):
                if isinstance(one, ast.Raise) or (isinstance(one, ast.Expr) and isinstance(one.value, ast.Call)):
                    yield one.lineno, _left_out(block, at)


def _of(node: ast.AST) -> Iterator[Mutation]:
    if isinstance(node, ast.Compare) and type(node.ops[0]) in TURNED:
        yield lambda: _set(node, "ops", [TURNED[type(node.ops[0])](), *node.ops[1:]], "comparison turned")
    elif isinstance(node, ast.BoolOp):
        yield lambda: _set(node, "op", ast.Or() if isinstance(node.op, ast.And) else ast.And(), "and for or")
    elif isinstance(node, ast.If | ast.While | ast.IfExp):
        yield lambda: _set(node, "test", ast.UnaryOp(ast.Not(), node.test), "condition negated")
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield lambda: _set(node, "value", not node.value, "flag turned")
    elif isinstance(node, ast.Constant) and isinstance(node.value, int):
        yield lambda: _set(node, "value", int(str(node.value)) + 1, "one more")
    elif isinstance(node, ast.Return) and node.value is not None and not isinstance(node.value, ast.Constant):
        yield lambda: _set(node, "value", ast.Constant(None), "nothing returned")


def _set(node: ast.AST, field: str, value: object, how: str) -> str:
    setattr(node, field, value)
    return how


def _left_out(block: list[ast.stmt], at: int) -> Mutation:
    def leave_out() -> str:
        block[at] = ast.copy_location(ast.Pass(), block[at])
        return "left out"

    return leave_out


def places() -> list[tuple[str, int]]:
    found = []
    for name in BROKEN:
        tree = ast.parse((SOURCE / "anypatch" / name).read_text())
        skipped = _unbreakable(tree)
        found += [(name, at) for at, (line, _) in enumerate(mutations(tree)) if line not in skipped]
    return found


def _unbreakable(tree: ast.Module) -> set[int]:
    """The lines that are for the type checker only."""
    lines = set()
    for node in tree.body:
        named = ast.unparse(node.test if isinstance(node, ast.If) else node)
        if named.startswith("TYPE_CHECKING"):
            lines |= set(range(node.lineno, (node.end_lineno or 0) + 1))
    return lines


def mutated(name: str, at: int) -> tuple[str, str]:
    """A module with one place broken, and what was done where."""
    tree = ast.parse((SOURCE / "anypatch" / name).read_text())
    line, made = list(mutations(tree))[at]
    how = made()
    return ast.unparse(ast.fix_missing_locations(tree)), f"{name}:{line}: {how}"


def complaint(work: Path) -> str:
    """What the tests say where they fail; one that never ends has failed too."""
    base = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=base) as folder:
        command = [sys.executable, "-m", "pytest", "-xq", "-p", "no:cacheprovider", f"--basetemp={folder}/t"]
        command += [str(HERE / f"test_{name}.py") for name in TESTS]
        environment = {**os.environ, "PYTHONPATH": str(work), "PYTHONDONTWRITEBYTECODE": "1", "CI": "1"}
        try:
            done = subprocess.run(command, env=environment, check=False, capture_output=True, timeout=600)
        except subprocess.TimeoutExpired:
            return "it never ends"
    return done.stdout.decode()[-2000:] if done.returncode else ""


def main() -> int:
    options = argparse.ArgumentParser()
    options.add_argument("--sample", type=int, default=100)
    options.add_argument("--seed", type=int, default=1)
    chosen = options.parse_args()
    known = places()
    sample = random.Random(chosen.seed).sample(known, min(chosen.sample, len(known)))
    lived = []
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder, "src")
        shutil.copytree(SOURCE, work, ignore=shutil.ignore_patterns("__pycache__"))
        if told := complaint(work):
            sys.exit(f"the tests fail without any change: {told}")
        for name, at in sample:
            text, what = mutated(name, at)
            (work / "anypatch" / name).write_text(text)
            if not complaint(work):
                lived.append(what)
                print(f"lives: {what}", flush=True)
            shutil.copy(SOURCE / "anypatch" / name, work / "anypatch" / name)
    share = 100 * (len(sample) - len(lived)) / len(sample)
    print(f"{len(sample)} of {len(known)} places broken, {len(lived)} not noticed: {share:.0f} % noticed")
    return 1 if share < ENOUGH else 0


if __name__ == "__main__":
    sys.exit(main())

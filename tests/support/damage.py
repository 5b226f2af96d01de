"""Real files with one mistake: whether the lines of a symbol that is whole are still told rightly, or refused.

For test_symbols.py and bench/symbols.py.
"""

from __future__ import annotations

import ast
import random
from pathlib import Path

import anypatch
from anypatch.syntax.languages import grammar_of
from anypatch.syntax.symbols import Symbol, symbols_of

BODIES = ("class", "function", "method", "constructor", "struct", "interface", "enum", "namespace", "record")


def damaged(files: list[Path], trials: int, rng: random.Random) -> dict[str, int]:
    """How the end of a symbol is told in files with one mistake."""
    counts = {"right": 0, "refused": 0, "wrong": 0}
    texts = [(file, file.read_text(errors="surrogateescape")) for file in files]
    known = [(file.name, text, bodies(file.name, text)) for file, text in texts]
    known = [one for one in known if one[2]]
    while known and sum(counts.values()) < trials:
        path, text, symbols = rng.choice(known)
        hurt, row, gone = hurt_text(text, rng)
        after = [s for s in symbols if s.first > row][:5]
        target = rng.choice(after if after and rng.random() < 0.5 else symbols)
        counts[judged(path, hurt, target, row, gone)] += judged_at_all(target, row)
    return counts


def bodies(path: str, text: str) -> list[Symbol]:
    """The symbols of a file whose end is worth asking for; none of a file that isn't whole."""
    found = rows_of(path, text)
    return [s for s in found if s.kind in BODIES and s.last > s.first and s.inner and not s.damaged]


def judged_at_all(target: Symbol, row: int) -> bool:
    """What has lost its own head or end has no right answer."""
    assert target.inner is not None
    return not (target.lead <= row <= target.inner[0] or row == target.last)


def judged(path: str, text: str, target: Symbol, row: int, gone: int) -> str:
    shift = -gone if target.row > row else 0
    last = target.last - (gone if target.last > row else 0)
    try:
        found = anypatch.find(text, path=path, at=(target.row + shift, target.column))
    except anypatch.PatchError:
        return "refused"
    lines = found.range.start.line, found.range.end.line
    return "right" if lines == (target.first + shift, last) or python_says(path, text, lines) else "wrong"


def python_says(path: str, text: str, lines: tuple[int, int]) -> bool:
    """Whether Python itself reads a definition on these lines: without the head below it, one goes on, and is whole."""
    try:
        tree = ast.parse(text if path.endswith(".py") else "")
    except (SyntaxError, ValueError):
        return False
    return any(
        (min([node.lineno, *(one.lineno for one in node.decorator_list)]) - 1, (node.end_lineno or 0) - 1) == lines
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    )


def hurt_text(text: str, rng: random.Random) -> tuple[str, int, int]:
    """The text with one mistake, the row of it, and how many lines went."""
    while True:
        deed = rng.choice(("drop", "drop", "put", "line"))
        if deed == "line":
            lines = text.split("\n")
            row = rng.randrange(len(lines))
            if lines[row].strip():
                return "\n".join(lines[:row] + lines[row + 1 :]), row, 1
        at = rng.randrange(len(text))
        if deed == "put":
            return text[:at] + rng.choice("\"'(){}") + text[at:], text.count("\n", 0, at), 0
        sign = rng.choice("{}()\"'")
        at = text.find(sign, at)
        if at >= 0:
            return text[:at] + text[at + 1 :], text.count("\n", 0, at), 0


def rows_of(path: str, text: str) -> list[Symbol]:
    found = symbols_of(grammar_of(path), path, text)
    return found.rows if found else []

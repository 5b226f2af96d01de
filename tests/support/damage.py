"""Damage real files in one place, and check that the lines of undamaged symbols are found, or refused.

For test_symbols.py and bench/symbols.py.
"""

from __future__ import annotations

import ast
import random
from pathlib import Path

import anypatch
from anypatch.syntax.declarations import Declaration
from anypatch.syntax.languages import grammar_of
from anypatch.syntax.symbols import outline_of

BODIES = ("class", "function", "method", "constructor", "struct", "interface", "enum", "namespace", "record")


def damaged(files: list[Path], trials: int, rng: random.Random) -> dict[str, int]:
    """Count how often the lines of a symbol are right, refused or wrong in damaged files."""
    counts = {"right": 0, "refused": 0, "wrong": 0}
    texts = [(file, file.read_text(errors="surrogateescape")) for file in files]
    known = [(file.name, text, bodies(file.name, text)) for file, text in texts]
    known = [entry for entry in known if entry[2]]
    while known and sum(counts.values()) < trials:
        path, text, symbols = rng.choice(known)
        hurt, row, gone = hurt_text(text, rng)
        after = [s for s in symbols if s.first > row][:5]
        target = rng.choice(after if after and rng.random() < 0.5 else symbols)
        counts[judged(path, hurt, target, row, gone)] += judged_at_all(target, row)
    return counts


def bodies(path: str, text: str) -> list[Declaration]:
    """Return the symbols of a file that have a body and aren't damaged."""
    return [s for s in rows_of(path, text) if s.kind in BODIES and s.last > s.first and s.inner and not s.damaged]


def judged_at_all(target: Declaration, row: int) -> bool:
    """Return False for a symbol that has lost its own first or last line: no answer is right."""
    assert target.inner is not None
    return not (target.lead <= row <= target.inner[0] or row == target.last)


def judged(path: str, text: str, target: Declaration, row: int, gone: int) -> str:
    shift = -gone if target.row > row else 0
    last = target.last - (gone if target.last > row else 0)
    try:
        symbol = anypatch.find(text, path=path, at=(target.row + shift, target.column))
    except anypatch.PatchError:
        return "refused"
    lines = symbol.range.start.line, symbol.range.end.line
    return "right" if lines == (target.first + shift, last) or python_says(path, text, lines) else "wrong"


def python_says(path: str, text: str, lines: tuple[int, int]) -> bool:
    """Return True if Python reads a definition on these lines: without the header below, it is longer."""
    try:
        tree = ast.parse(text if path.endswith(".py") else "")
    except (SyntaxError, ValueError):
        return False
    return any(
        (min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)]) - 1, (node.end_lineno or 0) - 1)
        == lines
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    )


def hurt_text(text: str, rng: random.Random) -> tuple[str, int, int]:
    """Return the text with one mistake, its row, and how many lines were removed."""
    while True:
        how = rng.choice(("drop", "drop", "put", "line"))
        if how == "line":
            lines = text.split("\n")
            row = rng.randrange(len(lines))
            if lines[row].strip():
                return "\n".join(lines[:row] + lines[row + 1 :]), row, 1
        at = rng.randrange(len(text))
        if how == "put":
            return text[:at] + rng.choice("\"'(){}") + text[at:], text.count("\n", 0, at), 0
        sign = rng.choice("{}()\"'")
        at = text.find(sign, at)
        if at >= 0:
            return text[:at] + text[at + 1 :], text.count("\n", 0, at), 0


def rows_of(path: str, text: str) -> list[Declaration]:
    symbols = outline_of(grammar_of(path), path, text)
    return symbols.rows if symbols else []

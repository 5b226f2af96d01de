"""Import statements: those of a sketch, and which of them a file lacks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from ..syntax.languages import comment_text
from .edits import LineEdit, has_word

_IMPORT = re.compile(
    r"^(?:import\b|from\s+\S+\s+import\b|#\s*include\b|use\s+[\w\\:{]|using\s+[\w.]+|require(?:_once|_relative)?\b"
    r"|(?:const|let|var)\s+[\w{}\s,:]+=\s*require\(|@import\b|@use\b)"
)
_LONGEST = 1000  # characters of a statement in which its module is looked for


class Import(NamedTuple):
    """An import statement at `start`, with its words, and the module if it lists names of one."""

    start: int
    lines: list[str]
    words: frozenset[str]
    module: str


def read_import(lines: Sequence[str], row: int) -> Import | None:
    """Read the import statement that begins at a row."""
    if not _IMPORT.match(lines[row][:_LONGEST]):
        return None
    statement = list(lines[row : _statement_end(lines, row)])
    text = " ".join(statement)
    beginning = text[:_LONGEST]
    module = re.match(r"from\s+(\S+)\s+import", beginning) or re.search(r"\{.*\bfrom\s+(['\"].+['\"])", beginning)
    return Import(row, statement, frozenset(re.findall(r"\w+", text)), module[1] if module else "")


def _statement_end(lines: Sequence[str], row: int) -> int:
    """Return the row after a statement: where its brackets are closed again, a hundred lines on at most."""
    depth = 0
    for at in range(row, min(len(lines), row + 100)):
        depth += sum(lines[at].count(sign) for sign in "({[") - sum(lines[at].count(sign) for sign in ")}]")
        if depth <= 0:
            return at + 1
    return row + 1


def split_imports(body: Sequence[str], covered: set[int]) -> tuple[list[Import], list[str]]:
    """Return the import statements of a sketch, and its other lines outside the rows that are `covered`."""
    imports: list[Import] = []
    others = []
    row = 0
    while row < len(body):
        statement = None if row in covered else read_import(body, row)
        if statement:
            imports.append(statement)
            row += len(statement.lines)
            continue
        if row not in covered and has_word(body[row]):
            others.append(body[row])
        row += 1
    return imports, others


class Imports:
    """The import statements of a file."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        statements = (read_import(lines, row) for row in range(len(lines)))
        self._own = [statement for statement in statements if statement]
        self._by_word: dict[str, list[Import]] = {}
        for statement in self._own:
            for word in statement.words:
                self._by_word.setdefault(word, []).append(statement)

    def add(self, imports: Sequence[Import]) -> list[LineEdit]:
        """Return the edits for the imports that the file lacks.

        A statement that takes fewer names from the same module is replaced; others go below the last one.
        """
        edits: list[LineEdit] = []
        missing: list[str] = []
        for statement in imports:
            rarest = min((self._by_word.get(word, []) for word in statement.words), key=len, default=[])
            if any(statement.words <= known.words for known in rarest):
                continue
            same = [known for known in self._of_module(statement.module) if known.words <= statement.words]
            if len(same) == 1:
                edits.append(LineEdit(same[0].start, same[0].start + len(same[0].lines), statement.lines))
            else:
                missing += statement.lines
        if missing and self._own:
            after = self._own[-1].start + len(self._own[-1].lines)
            edits.append(LineEdit(after, after, missing))
        elif missing:
            top = self._top_row()
            edits.append(LineEdit(top, top, [*missing, ""]))
        return edits

    def _of_module(self, module: str) -> list[Import]:
        words = re.findall(r"\w+", module)
        return [known for known in self._by_word.get(words[-1], []) if known.module == module] if words else []

    def _top_row(self) -> int:
        """Return the first row below the comments or the docstring at the top."""
        quotes = ""
        for row, line in enumerate(self._lines):
            if quotes:
                quotes = "" if quotes in line else quotes
            elif line.startswith(('"""', "'''")):
                quotes = line[:3] if line.count(line[:3]) == 1 else ""
            elif line.strip() and comment_text(line) is None and not line.startswith((" *", "<?php")):
                return row
        return len(self._lines)

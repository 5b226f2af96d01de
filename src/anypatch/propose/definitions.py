"""The functions, classes and variables that a text defines, by its tree-sitter grammar."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ..syntax.declarations import CODE_KINDS, VALUE_KINDS
from ..syntax.symbols import declared
from .edits import common_indent, shifted


class Definition(NamedTuple):
    """A definition: the names around it and its own, and its rows.

    `lead` is the first row of the comments right above it, `first` its own first row (decorators included), `header`
    the row with its name, `body` the first row below its header, and `last` its last row.
    """

    parts: tuple[str, ...]
    kind: str
    lead: int
    first: int
    header: int
    body: int
    last: int

    @property
    def name(self) -> str:
        """Its own name."""
        return self.parts[-1]

    @property
    def is_code(self) -> bool:
        """True for a function or a method."""
        return self.kind in CODE_KINDS

    @property
    def is_value(self) -> bool:
        """True for a variable, a constant or a field."""
        return self.kind in VALUE_KINDS

    @property
    def is_class(self) -> bool:
        """True for a class or anything else that has members."""
        return not self.is_code and not self.is_value


def parse(path: str, lines: Sequence[str], *, damaged: bool = True) -> list[Definition]:
    """List all definitions in order, outer before inner; none in a language without a grammar.

    Without `damaged`, there are none either if the text doesn't follow its grammar.
    """
    if not any(line.strip() for line in lines):
        return []
    symbols = declared(path, "\n".join(lines) + "\n", damaged=damaged)
    return [
        Definition(s.parts, s.kind, s.lead, s.first, s.row, max(s.row + 1, s.inner[0] if s.inner else 0), s.last)
        for s in symbols
        if s.kind != "element"
    ]


def parse_sketch(path: str, code: Sequence[str]) -> list[Definition]:
    """List the definitions of a sketch. In most languages a method alone only parses inside a class."""
    code = shifted(code, common_indent(code), "")
    definitions = parse(path, code, damaged=False)
    if not definitions:
        wrapped = parse(path, ["class Wrapper {", *code, "}"], damaged=False)
        definitions = [_unwrapped(part) for part in wrapped if part.parts[0] == "Wrapper" and len(part.parts) > 1]
    return definitions or parse(path, code)


def _unwrapped(part: Definition) -> Definition:
    """Return a definition without the class and the line around it."""
    rows = (row - 1 for row in (part.lead, part.first, part.header, part.body, part.last))
    return Definition(part.parts[1:], part.kind, *rows)


def outermost(definitions: Iterable[Definition]) -> list[Definition]:
    """Return the definitions that aren't inside another one."""
    result: list[Definition] = []
    for definition in definitions:
        if not result or definition.first > result[-1].last:
            result.append(definition)
    return result


def namesakes(part: Definition, named: Sequence[Definition]) -> list[Definition]:
    """Return those of a file's definitions with the name of `part` that are of its kind, and of its owner if any is."""
    same = [known for known in named if known.is_value == part.is_value]
    same = [known for known in same if known.is_code == part.is_code] or same
    same = [known for known in same if known.kind == part.kind] or same
    if len(part.parts) > 1:
        same = [known for known in same if known.parts[-2:] == part.parts[-2:]] or same
    return same

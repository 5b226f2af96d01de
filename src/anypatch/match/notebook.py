"""Notebooks: read the source of each cell as lines, and write it back; the other bytes of the file stay. Pure.

{
 "cell_type": "code",
 "id": "a1",
 "source": [
  "x = 1\\n",           each line of the file is one line of the source, as Jupyter writes it;
  "print(x)"            a notebook that is laid out in another way has no cells that can be edited
 ]
},
"""

from __future__ import annotations

import json
import re
from itertools import takewhile
from typing import NamedTuple

from ..diff import tagged, trimmed
from ..model import LineSplice, SymbolEdit
from ..problems import Problem
from ..text import indent_of

_SOURCE = re.compile(r'\s*"source": \[(?P<empty>\],?)?$')
_ITEM = re.compile(r'\s*(".*"),?$')


class Cell(NamedTuple):
    """A cell: its name, the lines of its source and their rows in the file, and the rows of the whole cell.

    The rows of an empty source are `range(row, row)`, `row` being that of `"source": []`.
    """

    name: str
    source: list[str]
    source_rows: range
    rows: range


class Notebook(NamedTuple):
    """The lines of a notebook's file, and its cells. `ascii_only`: other characters are written as `\\u00e9`."""

    lines: list[str]
    cells: list[Cell]
    ascii_only: bool


def read_notebook(lines: list[str]) -> Notebook | None:
    """Read a notebook; None if it isn't one, or the source of a cell isn't written line by line."""
    try:
        book = json.loads("\n".join(lines))
        sources = [(str(cell.get("id", "")), cell["source"]) for cell in book["cells"]]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    cells: list[Cell] = []
    row = 0
    for number, (name, items) in enumerate(sources):
        rows = _source_rows(lines, row, items)
        if rows is None:
            return None
        if any("\n" in item[:-1] for item in items) or not all(item.endswith("\n") for item in items[:-1]):
            return None
        source = "".join(items).split("\n") if items else []
        cells.append(Cell(name or f"cell-{number}", source, rows, _cell_rows(lines, rows)))
        row = rows.stop
    ascii_only = all(map(str.isascii, lines)) and any("\\u" in line for line in lines)
    return Notebook(lines, cells, ascii_only) if cells else None


def is_json(text: str) -> bool:
    """Return True if a text is JSON."""
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _source_rows(lines: list[str], row: int, items: object) -> range | None:
    """Find the rows, from one on, that hold these items of a source."""
    for start in range(row, len(lines)):
        source = _SOURCE.match(lines[start])
        if source is None:
            continue
        if source["empty"]:
            strings, rows = [], range(start, start)
        else:
            matches = takewhile(bool, map(_ITEM.match, lines[start + 1 :]))
            strings = [json.loads(match[1]) for match in matches if match]
            rows = range(start + 1, start + 1 + len(strings))
        if strings == items and (strings or source["empty"]):
            return rows
    return None


def _cell_rows(lines: list[str], source_rows: range) -> range:
    """Return the rows of the cell that a source is in, from its `{` to its `}`, by their indentation."""
    key = source_rows.start if _SOURCE.match(lines[source_rows.start]) else source_rows.start - 1
    depth = len(indent_of(lines[key]))
    above = range(key, -1, -1)
    first = next((at for at in above if lines[at].strip() == "{" and len(indent_of(lines[at])) < depth), 0)
    closing = (indent_of(lines[first]) + "}", indent_of(lines[first]) + "},")
    last = next((at for at in range(source_rows.stop, len(lines)) if lines[at].rstrip() in closing), len(lines) - 1)
    return range(first, last + 1)


# ── edits ────────────────────────────────────────────────────────────────────────────────────────


def edit_cell(book: Notebook, edit: SymbolEdit) -> LineSplice | Problem:
    """Give a cell another source, delete it, or insert a new one below it."""
    is_new = edit.action.startswith("insert_")
    cell = _cell_named(book, edit.symbol) if edit.symbol or not is_new else None
    if isinstance(cell, Problem):
        return cell
    source = edit.text[0].removesuffix("\n").split("\n") if edit.text else []
    if is_new:
        return _inserted(book, cell, source, edit.action.removeprefix("insert_"))
    if edit.action == "replace" and cell is not None:
        return with_source(book, cell, source)
    if edit.action == "delete" and cell is not None and len(book.cells) > 1:
        return _deleted(book, cell)
    advice = "Replace its source, or insert a cell below it."
    return Problem("bad_patch", "a cell can't be edited that way", advice=advice)


def _cell_named(book: Notebook, name: str) -> Cell | Problem:
    """Return the cell with an id; without ids, `cell-N` is the cell at N."""
    cells = [cell for cell in book.cells if cell.name == name]
    number = re.fullmatch(r"cell-(\d{1,6})", name)
    if not cells and number and int(number[1]) < len(book.cells):
        return book.cells[int(number[1])]
    if len(cells) == 1:
        return cells[0]
    names = ", ".join(cell.name for cell in book.cells[:20])
    advice = "Name a cell by its id, or by `cell-N`, counted from 0."
    return Problem("symbol_not_found", f"no cell is named {name}; the cells are {names}", advice=advice)


def with_source(book: Notebook, cell: Cell, source: list[str]) -> LineSplice:
    """Replace the rows of a cell's source that change; lines that stay keep their bytes."""
    lines, rows = book.lines, cell.source_rows
    if not rows or not source:
        outer = range(rows.start - bool(rows), rows.stop + 1)  # with `"source": [` and its bracket
        return LineSplice(outer.start, outer.stop, _source_lines(book, cell, outer, source), "exact")
    items: list[str] = []
    row = rows.start
    for tag, text in tagged(cell.source, source):
        is_last = len(items) == len(source) - 1
        if tag == " " and (row == rows.stop - 1) == is_last:
            items.append(lines[row])
        elif tag != "-":
            items.append(_item(book, text, indent_of(lines[rows.start]), is_last=is_last))
        row += tag != "+"
    low, high, first, last = trimmed(lines[rows.start : rows.stop], items)
    return LineSplice(rows.start + low, rows.start + high, tuple(items[first:last]), "exact")


def _source_lines(book: Notebook, cell: Cell, rows: range, source: list[str]) -> tuple[str, ...]:
    indent = indent_of(book.lines[rows.start])
    unit = indent.removeprefix(indent_of(book.lines[cell.rows.start])) or " "
    comma = "," * book.lines[rows.stop - 1].rstrip().endswith(",")
    if not source:
        return (f'{indent}"source": []{comma}',)
    return (f'{indent}"source": [', *_items(book, source, indent + unit), f"{indent}]{comma}")


def _items(book: Notebook, source: list[str], indent: str) -> list[str]:
    """Return the lines of a source as lines of the file."""
    return [_item(book, text, indent, is_last=at == len(source) - 1) for at, text in enumerate(source)]


def _item(book: Notebook, text: str, indent: str, *, is_last: bool) -> str:
    if is_last:
        return indent + json.dumps(text, ensure_ascii=book.ascii_only)
    return indent + json.dumps(f"{text}\n", ensure_ascii=book.ascii_only) + ","


def _deleted(book: Notebook, cell: Cell) -> LineSplice:
    if cell != book.cells[-1]:
        return LineSplice(cell.rows.start, cell.rows.stop, (), "exact")
    above = book.cells[-2].rows.stop - 1  # its `},` becomes the last, without a comma
    return LineSplice(above, cell.rows.stop, (book.lines[above].rstrip().removesuffix(","),), "exact")


def _inserted(book: Notebook, cell: Cell | None, source: list[str], kind: str) -> LineSplice:
    """Insert a cell below another, or at the top, laid out like the first one of the notebook."""
    model = book.lines[book.cells[0].rows.start : book.cells[0].rows.stop]
    indent, inner = indent_of(model[0]), indent_of(model[1])
    unit = inner[len(indent) :] or " "
    names = {cell.name for cell in book.cells}
    name = next(name for number in range(len(names), 2 * len(names) + 1) if (name := f"cell-{number}") not in names)
    keys = {"cell_type": f'"{kind}"', "metadata": "{}"}
    keys |= {"id": f'"{name}"'} if any('"id":' in line for line in model) else {}
    keys |= {"execution_count": "null", "outputs": "[]"} if kind == "code" else {}
    lines = [f"{indent}{{", *(f'{inner}"{key}": {keys[key]},' for key in sorted(keys))]
    lines += [f'{inner}"source": [', *_items(book, source, inner + unit), f"{inner}]"]
    if cell == book.cells[-1]:
        return LineSplice(cell.rows.stop - 1, cell.rows.stop, (f"{indent}}},", *lines, f"{indent}}}"), "exact")
    row = book.cells[0].rows.start if cell is None else cell.rows.stop
    return LineSplice(row, row, (*lines, f"{indent}}},"), "exact")

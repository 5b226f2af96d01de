"""Notebooks: the source of each cell as lines, and back into the file, whose other bytes stay. Pure.

{
 "cell_type": "code",
 "id": "a1",
 "source": [
  "x = 1\\n",           one line of the file is one line of the source, as Jupyter writes it;
  "print(x)"            in a notebook that is written otherwise no cell is found
 ]
},
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ..diff import tagged, trimmed
from ..model import LineSplice, SymbolEdit
from ..problems import Problem

_HEAD = r'(\s*)"source": \[$'
_ITEM = r'\s*(".*"),?$'
_ADVICE = "Name a cell by its id, or by `cell-N`, counted from 0."


class Cell(NamedTuple):
    """A cell: its name, the lines of its source, their rows in the file, and the rows of all of it (half open).

    `indent`: of a line of source.
    """

    name: str
    lines: list[str]
    start: int
    end: int
    first: int
    last: int
    indent: str


def cells(lines: list[str]) -> list[Cell]:
    """The cells whose source is written line by line; none where one of them isn't."""
    from json import loads

    try:
        book = loads("\n".join(lines))
        sources = [cell["source"] for cell in book["cells"]]
        names = [str(cell.get("id", "")) for cell in book["cells"]]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return []
    found: list[Cell] = []
    row = 0
    while row < len(lines):
        head = re.match(_HEAD, lines[row])
        empty = re.match(r'(\s*)"source": \[\],?$', lines[row])
        end = row + 1
        items: list[str] = []
        while head and end < len(lines) and (item := re.match(_ITEM, lines[end])):
            items.append(loads(item[1]))
            end += 1
        if (head or empty) and len(found) < len(sources) and items == sources[len(found)]:
            outer = (at for at in range(row, -1, -1) if _indent(lines[at]) < _indent(lines[row]))
            first = next((at for at in outer if lines[at].strip() == "{"), 0)
            level = (at for at in range(end, len(lines)) if _indent(lines[at]) == _indent(lines[first]))
            last = next((at for at in level if lines[at].strip().rstrip(",") == "}"), len(lines) - 1)
            name = names[len(found)] or f"cell-{len(found)}"
            indent = lines[row + 1][: _indent(lines[row + 1])] if items else ""
            source = "".join(items).split("\n") if items else []
            found.append(Cell(name, source, row + 1 if head else row, end if head else row, first, last + 1, indent))
        row = end
    whole = all("".join(one) == "\n".join(cell.lines) for one, cell in zip(sources, found, strict=False))
    return found if whole and len(found) == len(sources) else []


def is_json(text: str) -> bool:
    """Whether a text is JSON."""
    from json import loads

    try:
        loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def named(found: list[Cell], name: str) -> Cell | Problem:
    """The cell of an id; `cell-N` is the one that stands at N."""
    same = [cell for cell in found if cell.name == name]
    number = re.fullmatch(r"cell-(\d{1,6})", name)
    if not same and number and int(number[1]) < len(found):
        return found[int(number[1])]
    if len(same) == 1:
        return same[0]
    listed = ", ".join(cell.name for cell in found[:20])
    return Problem("symbol_not_found", f"no cell is named {name}; the cells are {listed}", advice=_ADVICE)


def replaced(file: list[str], cell: Cell, source: list[str]) -> LineSplice:
    """The rows of a cell that change, and what takes their place: those of lines that stay keep their bytes."""
    if cell.start == cell.end and cell.lines == []:
        return _filled(file, cell, source)
    new: list[str] = []
    row = cell.start
    for tag, text in tagged(cell.lines, source):
        if tag != "-":
            is_last = len(new) == len(source) - 1
            stays = tag == " " and (row == cell.end - 1) == is_last
            new.append(file[row] if stays else _item(file, text, cell.indent, is_last))
        row += tag != "+"
    low, high, first, last = trimmed(file[cell.start : cell.end], new)
    return LineSplice(cell.start + low, cell.start + high, tuple(new[first:last]), "exact")


def _filled(file: list[str], cell: Cell, source: list[str]) -> LineSplice:
    """The line of an empty source with lines in it."""
    head = file[cell.start][: _indent(file[cell.start])]
    items = [_item(file, text, f"{head} ", at == len(source) - 1) for at, text in enumerate(source)]
    comma = "," * file[cell.start].rstrip().endswith(",")
    return LineSplice(cell.start, cell.start + 1, (f'{head}"source": [', *items, f"{head}]{comma}"), "exact")


def _item(file: list[str], text: str, indent: str, is_last: bool) -> str:
    """A line of source as a line of the file."""
    from json import dumps

    is_escaped = any("\\u" in line for line in file) and all(map(str.isascii, file))
    literal = dumps(text if is_last else f"{text}\n", ensure_ascii=is_escaped)
    return f"{indent}{literal}{'' if is_last else ','}"


def whole(file: list[str], found: list[Cell], said: SymbolEdit) -> LineSplice | Problem:
    """What becomes of a cell as a whole: another source, none, or a new cell below it."""
    is_new = said.action.startswith("insert_")
    cell = named(found, said.symbol) if said.symbol or not is_new else None
    if isinstance(cell, Problem):
        return cell
    source = said.text[0].removesuffix("\n").split("\n") if said.text else []
    if said.action == "replace" and cell is not None:
        return replaced(file, cell, source)
    if said.action == "delete" and cell is not None and len(found) > 1:
        if cell != found[-1]:
            return LineSplice(cell.first, cell.last, (), "exact")
        above = found[-2].last - 1
        return LineSplice(above, cell.last, (file[above].rstrip().removesuffix(","),), "exact")
    if is_new:
        return _inserted(file, found, cell, source, said.action.removeprefix("insert_"))
    return Problem(
        "bad_patch", "a cell can't be edited that way", advice="Replace its source, or insert a cell below it."
    )


def _inserted(file: list[str], found: list[Cell], cell: Cell | None, source: list[str], kind: str) -> LineSplice:
    """A new cell below another, or at the top; laid out like the first one there is."""
    model = found[0]
    brace = file[model.first][: _indent(file[model.first])]
    key = next(line[: _indent(line)] for line in file[model.first + 1 :] if line.strip())
    taken = {one.name for one in found}
    name = next(name for number in range(len(found), len(found) * 2 + 1) if (name := f"cell-{number}") not in taken)
    keys = {"cell_type": f'"{kind}"'}
    if any('"id":' in line for line in file[model.first : model.last]):
        keys["id"] = f'"{name}"'
    keys["metadata"] = "{}"
    if kind == "code":
        keys |= {"execution_count": "null", "outputs": "[]"}
    unit = key[len(brace) :] or " "
    items = [_item(file, text, f"{key}{unit}", at == len(source) - 1) for at, text in enumerate(source)]
    body = [f'{key}"{name}": {value},' for name, value in sorted(keys.items())]
    lines = [f"{brace}{{", *body, f'{key}"source": [', *items, f"{key}]"]
    if cell == found[-1]:
        return LineSplice(cell.last - 1, cell.last, (f"{brace}}},", *lines, f"{brace}}}"), "exact")
    at = model.first if cell is None else cell.last
    return LineSplice(at, at, (*lines, f"{brace}}},"), "exact")

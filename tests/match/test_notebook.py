"""Notebooks: cells by id or number, and by the text that they hold; everything else in the file stays as it is."""

from __future__ import annotations

import json
from typing import Any

import pytest

import anypatch
from anypatch.match.notebook import read_notebook
from support.edits import call


def cell(id: str, *source: str, kind: str = "code") -> dict[str, Any]:
    value: dict[str, Any] = {"cell_type": kind, "id": id, "metadata": {}, "source": list(source)}
    return value | ({"execution_count": None, "outputs": []} if kind == "code" else {})


def written(*cells: dict[str, Any], indent: int = 1, ensure_ascii: bool = False) -> str:
    book = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(book, indent=indent, ensure_ascii=ensure_ascii, sort_keys=True) + "\n"


def edit(**fields: object) -> str:
    return json.dumps({"name": "NotebookEdit", "input": {"notebook_path": "n.ipynb", **fields}})


def sources(text: str) -> list[str]:
    return ["".join(cell["source"]) for cell in json.loads(text)["cells"]]


BOOK = (cell("a", "# Title\n", "text", kind="markdown"), cell("b", "x = 1\n", "y = 2"), cell("c"))


@pytest.mark.parametrize("indent", [1, 4])
@pytest.mark.parametrize(
    ("patch", "after"),
    [
        (edit(cell_id="b", new_source="x = 1\ny = 3\nz()"), ["# Title\ntext", "x = 1\ny = 3\nz()", ""]),
        (edit(cell_id="b", new_source=""), ["# Title\ntext", "", ""]),
        (edit(cell_id="c", new_source="z()"), ["# Title\ntext", "x = 1\ny = 2", "z()"]),
        (edit(cell_id="c", edit_mode="delete"), ["# Title\ntext", "x = 1\ny = 2"]),
        (edit(cell_id="a", edit_mode="delete"), ["x = 1\ny = 2", ""]),
        (edit(cell_id="a", edit_mode="insert", new_source="new"), ["# Title\ntext", "new", "x = 1\ny = 2", ""]),
        (edit(cell_id="c", edit_mode="insert", new_source="new"), ["# Title\ntext", "x = 1\ny = 2", "", "new"]),
        (call("x = 1\ny = 2", "z()", "n.ipynb"), ["# Title\ntext", "z()", ""]),
    ],
)
def test_a_cell_is_edited_and_the_file_stays_as_jupyter_writes_it(patch: str, after: list[str], indent: int) -> None:
    before = written(*BOOK, indent=indent)
    result = anypatch.apply_to(patch, {"n.ipynb": before})
    assert result.ok, result.problems
    text = str(result.files["n.ipynb"])
    assert sources(text) == after
    assert text == json.dumps(json.loads(text), indent=indent, sort_keys=True) + "\n"


def test_lines_that_stay_keep_their_bytes() -> None:
    before = written(cell("a", "é = 1\n", "x = 2")).replace("é", "\\u00e9")
    after = str(anypatch.apply_to(edit(cell_id="a", new_source="é = 1\nü = 3"), {"n.ipynb": before}).files["n.ipynb"])
    assert after == before.replace("x = 2", "\\u00fc = 3")


def test_a_cell_without_an_id_has_its_number() -> None:
    before = written(*[{key: value for key, value in cell.items() if key != "id"} for cell in BOOK])
    result = anypatch.apply_to(edit(cell_number=1, new_source="z()"), {"n.ipynb": before})
    assert sources(str(result.files["n.ipynb"])) == ["# Title\ntext", "z()", ""]


@pytest.mark.parametrize(
    ("patch", "kind"),
    [
        (edit(cell_id="z", new_source="x"), "symbol_not_found"),
        (call("x = 9", "x = 2", "n.ipynb"), "not_found"),
        (call('"nbformat": 4', '"nbformat" 4', "n.ipynb"), "syntax"),
    ],
)
def test_refused(patch: str, kind: str) -> None:
    result = anypatch.apply_to(patch, {"n.ipynb": written(*BOOK)})
    assert result.kinds == (kind,) and sources(str(result.files["n.ipynb"])) == sources(written(*BOOK))


def test_text_in_two_cells_is_ambiguous() -> None:
    twins = written(cell("a", "x = 1"), cell("b", "x = 1"))
    assert anypatch.apply_to(call("x = 1", "x = 2", "n.ipynb"), {"n.ipynb": twins}).kinds == ("ambiguous",)


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"cells": BOOK}),  # on one line
        written(cell("a", "x = 1\ny = 2")),  # two lines in one string
        written(cell("a", "x = 1", "y = 2")),  # half a line in a string
        written(cell("a") | {"source": "x = 1"}),
        '{"cells": 1}',
        "x = 1",
    ],
)
def test_a_notebook_that_is_laid_out_in_another_way_is_text(text: str) -> None:
    assert read_notebook(text.split("\n")) is None


def test_a_source_in_the_output_of_a_cell_is_no_cell() -> None:
    output = {"data": {"application/json": {"source": ["x = 1"]}}, "output_type": "display_data"}
    book = read_notebook(written(cell("a", "y = 2") | {"outputs": [output]}, cell("b", "x = 1")).split("\n"))
    assert book is not None
    assert [cell.source for cell in book.cells] == [["y = 2"], ["x = 1"]]

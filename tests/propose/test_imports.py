"""Import statements of a sketch."""

from __future__ import annotations

import pytest

from anypatch.propose.imports import read_import, split_imports


@pytest.mark.parametrize(
    ("line", "module"),
    [
        ("import os", ""), ("from a.b import c, d", "a.b"), ('import { x } from "./y"', '"./y"'), ("#include <map>", ""),
        ("use std::fmt;", ""), ("using System.Text;", ""), ('const fs = require("fs")', ""), ("require 'json'", ""),
    ],
)  # fmt: skip
def test_imports_of_many_languages(line: str, module: str) -> None:
    statement = read_import([line], 0)
    assert statement is not None and statement.module == module


@pytest.mark.parametrize("line", ["important = 1", "x = import_module('a')", "user = 1", "    import os"])
def test_other_lines(line: str) -> None:
    assert read_import([line], 0) is None


def test_a_statement_goes_on_to_its_closing_bracket() -> None:
    statement = read_import(["from a import (", "    b,", "    c,", ")", "x = 1"], 0)
    assert statement is not None and len(statement.lines) == 4 and {"a", "b", "c"} <= statement.words


def test_imports_are_parted_from_other_lines() -> None:
    imports, others = split_imports(["import os", "", "x = 1", "def f():", "    pass"], {3, 4})
    assert [statement.lines for statement in imports] == [["import os"]] and others == ["x = 1"]

"""The dialects: every row uses known words, and its example is read."""

from __future__ import annotations

import json

import pytest

import anypatch
from anypatch.answer.dialects import (
    DIALECTS,
    TAGGED,
    Dialect,
    Tagged,
    elements,
    keys_of,
    plain,
    tells,
    verb_by_keys,
    verb_of,
)

VERBS = {
    "edit", "write", "create", "insert", "append", "sketch", "diff", "patch", "delete", "move", "shell", "view", "undo",
    "notebook", "replace_symbol", "insert_before_symbol", "insert_after_symbol", "delete_symbol", "calls",
}  # fmt: skip
VALUES = {
    "path", "old", "new", "content", "code", "diff", "edits", "line", "lines", "all", "times", "from", "to", "dry_run",
    "symbol", "body", "overwrite", "mode", "command", "none", "cell", "source", "cell_mode", "calls",
}  # fmt: skip
WRAPPING = {"command", "name", "tool", "type", "operation", "input", "arguments", "cb_tool_name", "command_name"}


@pytest.mark.parametrize("row", DIALECTS, ids=lambda row: row.vendor)
def test_a_row_of_the_table_uses_words_that_are_known(row: Dialect) -> None:
    assert row.tools.keys() | row.shapes.keys() | row.weak.keys() <= VERBS | {""}
    assert row.keys.keys() <= VALUES
    keys = {key for other in DIALECTS for listed in other.keys.values() for key in listed.split()}
    shapes = ",".join((*row.shapes.values(), *row.weak.values())).replace("?", "").replace(",", " ")
    assert set(shapes.split()) <= keys | WRAPPING


@pytest.mark.parametrize("row", [*DIALECTS, *TAGGED], ids=lambda row: row.vendor)
def test_the_example_of_a_row_is_read(row: Dialect | Tagged) -> None:
    path, before = "greet.py", 'def greet():\n    return "Hello"\n'
    if "ipynb" in row.example:
        cell = {"cell_type": "code", "metadata": {}, "source": ['print("Hello")']}
        path, before = "greet.ipynb", json.dumps({"cells": [cell]}, indent=1) + "\n"
    after = anypatch.apply_to(row.example, {path: before})
    assert after.problems == ()
    (changed,) = after.files.values()
    assert changed in (before, before.replace("Hello", "Hi"), f'{before}\n\ndef part():\n    return "Bye"\n')
    assert dict(after.files) != {path: before}


@pytest.mark.parametrize("key", ["file_path", "filePath", "file-path", " FILE_PATH "])
def test_all_spellings_of_a_key_are_one(key: str) -> None:
    assert plain(key) in keys_of("path")


@pytest.mark.parametrize(
    ("keys", "verb"),
    [
        ({"oldstring", "newstring", "filepath"}, "edit"),
        ({"path", "content"}, "write"),
        ({"path", "content", "old"}, "edit"),
        ({"path", "diff"}, "diff"),
        ({"targetfile", "codeedit"}, "sketch"),
        ({"path"}, ""),
        ({"name", "version"}, ""),
    ],
)
def test_keys_tell_what_a_call_does(keys: set[str], verb: str) -> None:
    assert verb_by_keys(keys) == verb


def test_names_tell_what_a_call_does() -> None:
    assert [verb_of(name) for name in ("str_replace", "Write", "delete-file", "frobnicate")] == [
        "edit",
        "write",
        "delete",
        "",
    ]


def test_common_keys_alone_tell_nothing() -> None:
    assert not tells({"path"}) and not tells({"name", "id"})
    assert tells({"old_string"}) and tells({"path", "command"})


def test_elements_of_common_names_need_a_key() -> None:
    assert r"delete[_-]file(?=[^<>]*\spath\s?=)" in elements()

"""The registry of formats: names, scores, the lines that open and close blocks, formats as tools."""

from __future__ import annotations

from typing import Any

import pytest

from anypatch import formats
from anypatch.formats import block_end, checked_name, closing, grammar, known, named, opening, schema, scores
from anypatch.problems import Refused


@pytest.mark.parametrize("name", ["search-replace", "search_replace", " Search-Replace "])
def test_names_may_be_spelled_otherwise(name: str) -> None:
    assert named(name).name == checked_name(name) == "search-replace"
    assert named("diff").name == "unified"


def test_an_unknown_name_is_refused_with_the_closest_one() -> None:
    with pytest.raises(Refused) as refused:
        named("unifed")
    assert "unified" in refused.value.problems[0].advice
    with pytest.raises(ValueError, match="unified"):
        checked_name("unifed")
    with pytest.raises(TypeError):
        checked_name(1)  # type: ignore[arg-type]


def test_scores_are_sorted() -> None:
    listed = scores("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n")
    assert listed[0][0] == "unified"
    assert [score for _, score in listed] == sorted((score for _, score in listed), reverse=True)


@pytest.mark.parametrize(
    ("text", "format", "end"),
    [
        ("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n\nDone", "unified", 5),
        ("*** Begin Patch\n*** Delete File: a\n*** End Patch\nDone", "begin-patch", 3),
        ("=== file: a ===\n--- delete 1:1\n=END=\nDone", "chunk-v2", 3),
        ("operations:\n  - path: a\n    op: delete_file\nDone", "chunk", 3),
        ("Just text", "", 0),
    ],
)
def test_blocks(text: str, format: str, end: int) -> None:
    lines = text.split("\n")
    assert opening(lines, 0) == format
    assert not format or block_end(format, lines, 0, len(lines), False) == end


@pytest.mark.parametrize(("line", "format"), [("*** End Patch", "begin-patch"), ("=END=", "chunk-v2"), ("end", "")])
def test_closing_lines(line: str, format: str) -> None:
    assert closing(line) == format


@pytest.mark.parametrize("format", [format for format in known() if format.tool], ids=lambda format: format.name)
def test_tools_for_each_vendor(format: formats.Format) -> None:
    openai: Any = schema(format.name, "openai")
    assert openai["function"]["parameters"] == schema(format.name, "anthropic")["input_schema"]
    assert schema(format.name)["inputSchema"] == openai["function"]["parameters"]
    assert "{prompt}" not in str(openai)


def test_what_is_not_a_tool_or_has_no_grammar_is_refused() -> None:
    with pytest.raises(Refused):
        schema("whole-file")
    with pytest.raises(ValueError, match="vendor"):
        schema("json-edits", "other")  # type: ignore[arg-type]
    with pytest.raises(Refused):
        grammar("json-edits")
    assert "start" in grammar("begin-patch")

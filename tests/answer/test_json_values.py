"""JSON as models write it: what is read, where objects are, what is refused."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anypatch.answer.json_values import Fields, Read, Value, read, source
from support.cost import at_most


def tree(value: Value) -> object:
    if isinstance(value, Fields):
        return {key: tree(inner) for key, inner in value.values.items()}
    return [tree(inner) for inner in value] if isinstance(value, list) else value


def reading(text: str) -> Read:
    return read(source(text))


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-999, 999) | st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=10,
)


@settings(max_examples=80, deadline=None)
@given(
    st.dictionaries(st.text(st.characters(exclude_categories=["Cs"]), max_size=5), VALUES, max_size=4),
    st.sampled_from([None, 2]),
)
def test_reads_json_as_the_standard_library_does(value: object, indent: int | None) -> None:
    text = json.dumps(value, indent=indent)
    one = reading(text + " and more")
    assert (tree(one.value), one.end, one.fault) == (value, len(text), None)


def test_line_breaks_and_tabs_in_strings_are_read() -> None:
    text = '{"a": "b\n\tc"}'
    one = reading(f"{text} and more")
    assert (tree(one.value), one.end, one.fault) == ({"a": "b\n\tc"}, len(text), None)


@pytest.mark.parametrize(
    ("text", "kind", "line", "detail"),
    [
        ('{"a": "b', "truncated", 1, "ends before"),
        ('{\n"a": [1,\n', "truncated", 3, "ends before"),
        ('{"a": [1,\n```\nDone.', "truncated", 2, "ends before"),
        ('{"a": {"b": 1}\n</tool_call>', "truncated", 2, "ends before"),
        ('{"a": "print("x")"}', "bad_patch", 1, "delimiter"),
        ('{"a": "b" "c": "d"}', "bad_patch", 1, "delimiter"),
        ('{\n"a": x}', "bad_patch", 2, "expecting value"),
        ("{'a': 'b'}", "bad_patch", 1, "double quotes"),
        ('{\n"a": 1,\n"a": 2}', "bad_patch", 1, "appears twice"),
        ('{"a": "\\w+"}', "bad_patch", 1, "escape"),
        ('{"a": ' + "[" * 33 + "]" * 33 + "}", "bad_patch", 1, "nested deeper than 32"),
    ],
)
def test_refuses(text: str, kind: str, line: int, detail: str) -> None:
    one = reading(text)
    assert one.fault is not None
    assert (one.value, one.fault.kind, one.fault.patch_line) == (None, kind, line)
    assert detail in one.fault.detail
    assert "a" in one.keys


@pytest.mark.parametrize("word", ["$0", "_1", "x2", "$", "--1", "1x", "-", "\u0661"])
def test_a_word_is_not_a_value(word: str) -> None:
    fault = reading(f'{{"line": {word}}}').fault
    assert fault is not None and fault.kind == "bad_patch"


def test_a_number_of_thousands_of_digits_is_a_number() -> None:
    assert isinstance(tree(reading(f"[{'1' * 5000}]").value), list)


def test_objects_know_their_lines() -> None:
    text = '[\n{"a": "}",\n "b": {"c":\n1}},\n\n{}]'
    value = read(source(f"\n\n{text}"), 2).value
    assert isinstance(value, list)
    first, last = value
    assert isinstance(first, Fields) and isinstance(last, Fields)
    inner = first.values["b"]
    assert isinstance(inner, Fields)
    assert [one.line for one in (first, inner, last)] == [4, 5, 8]


def test_a_text_from_inside_a_string_is_on_one_line() -> None:
    value = read(source('[\n{"a": 1}]', 7, flat=True)).value
    assert isinstance(value, list) and isinstance(value[0], Fields)
    assert value[0].line == 7


@settings(max_examples=200, deadline=None)
@given(st.text("{}[],:\"'\\ab1 \n/*#", max_size=30))
def test_nothing_raises(text: str) -> None:
    one = reading("{" + text)
    assert one.fault is None or one.fault.patch_line <= text.count("\n") + 1


@pytest.mark.parametrize("text", ['{"a": "' + "\\n" * 200_000, "[" * 200_000, "{/*" * 100_000, '{a:"",' * 50_000])
def test_cost_is_linear(text: str) -> None:
    with at_most(seconds=1):
        reading(text)

"""JSON as models write it: what is read, which slips are corrected, where objects are, what is refused."""

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
    assert (tree(one.value), one.end, one.slips, one.fault) == (value, len(text), {}, None)


# What is written, what it is read as, a word of the note.
SLIPS = [
    ('{"a": "b",}', {"a": "b"}, "comma"),
    ('[{"a": "b"}, // c\n]', [{"a": "b"}], "comma"),
    ("{'a': 'it\\'s \"b\"'}", {"a": 'it\'s "b"'}, "single quotes"),
    ('{a: "b", $c_1: 2}', {"a": "b", "$c_1": 2}, "no quotes"),
    ('{"a": [True, False, None]}', {"a": [True, False, None]}, "True, False"),
    ('{"a": /* c\n */ "b" // d\n}', {"a": "b"}, "comments"),
    ('{"a": "b\n\tc"}', {"a": "b\n\tc"}, "line breaks"),
    ('{"a": "\\w+\\d"}', {"a": "\\w+\\d"}, "backslash"),
    ('{"a": "\\ud83d\\ude00", b: 1}', {"a": "\U0001f600", "b": 1}, "no quotes"),
]


@pytest.mark.parametrize(("text", "value", "note"), SLIPS)
def test_slips_are_corrected_and_noted(text: str, value: object, note: str) -> None:
    one = reading(f"{text} and more")
    assert (tree(one.value), one.end, one.fault) == (value, len(text), None)
    assert any(note in slip.text for slip in one.notes)


@pytest.mark.parametrize(
    ("text", "kind", "line", "detail"),
    [
        ('{"a": "b', "truncated", 1, "ends before"),
        ('{\n"a": [1,\n', "truncated", 3, "ends before"),
        ('{"a": [1,\n```\nDone.', "truncated", 2, "ends before"),
        ('{"a": {"b": 1}\n</tool_call>', "truncated", 2, "ends before"),
        ('{"a": /* b', "truncated", 1, "ends before"),
        ('{"a": "print("x")"}', "bad_patch", 1, "x"),
        ('{"a": "b" "c": "d"}', "bad_patch", 1, "delimiter"),
        ('{\n"a": x}', "bad_patch", 2, "`x}`"),
        ('{\n"a": 1,\n"a": 2}', "bad_patch", 1, "appears twice"),
        ('{"a": "it\\\'s"}', "bad_patch", 1, "two things"),
        ('{"a": "\\u12"}', "bad_patch", 1, "two things"),
        ('{"a": ' + "[" * 33 + "]" * 33 + "}", "bad_patch", 1, "nested deeper than 32"),
        ('{"a": NaN}', "bad_patch", 1, "NaN"),
    ],
)
def test_refuses(text: str, kind: str, line: int, detail: str) -> None:
    one = reading(text)
    assert one.fault is not None
    assert (one.value, one.fault.kind, one.fault.patch_line) == (None, kind, line)
    assert detail in one.fault.detail
    assert one.fault.advice
    assert "a" in one.keys


@pytest.mark.parametrize("word", ["$0", "_1", "x2", "$", "--1", "1x", "-", "\u0661"])
def test_a_word_is_not_a_value(word: str) -> None:
    fault = reading(f'{{"line": {word}}}').fault
    assert fault is not None and fault.kind == "bad_patch"


def test_a_number_of_thousands_of_digits_is_a_number() -> None:
    assert isinstance(tree(reading(f"[{'1' * 5000}]").value), list)


@pytest.mark.parametrize("slip", ["", ","])
def test_objects_know_their_lines(slip: str) -> None:
    text = f'[\n{{"a": "}}",\n "b": {{"c":\n1}}}},\n\n{{}}{slip}]'
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

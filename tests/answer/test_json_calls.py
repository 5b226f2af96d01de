"""Every call of an answer: as JSON in prose, as tags of three kinds, as elements."""

from __future__ import annotations

import pytest

import anypatch
from anypatch.answer.json_calls import call_end, collected, find, has_call, opens
from anypatch.answer.json_values import Fields, Value, source


def tree(value: Value) -> object:
    if isinstance(value, Fields):
        return {key: tree(inner) for key, inner in value.values.items()}
    return [tree(inner) for inner in value] if isinstance(value, list) else value


EDIT = {"name": "edit", "input": {"path": "a", "old_str": "x\ny", "new_str": ""}}
CALLS = {
    "invoke": (
        '<invoke name="edit">\n<parameter name="path">a</parameter>\n<parameter name="old_str">x\ny</parameter>\n'
        '<parameter name="new_str"></parameter>\n</invoke>',
        EDIT,
    ),
    "invoke with a prefix": (
        '<f:invoke name="edit">\n<f:parameter name="path">a</f:parameter>\n<f:parameter name="old_str">x\ny'
        '</f:parameter>\n<f:parameter name="new_str"></f:parameter>\n</f:invoke>',
        EDIT,
    ),
    "function": (
        "<function=edit>\n<parameter=path>\na\n</parameter>\n<parameter=old_str>\nx\ny\n</parameter>\n"
        "<parameter=new_str>\n</parameter>\n</function>",
        EDIT,
    ),
    "keys and values": (
        "<tool_call>edit\n<arg_key>path</arg_key>\n<arg_value>a</arg_value>\n<arg_key>old_str</arg_key>\n"
        "<arg_value>x\ny</arg_value>\n<arg_key>new_str</arg_key>\n<arg_value></arg_value>\n</tool_call>",
        EDIT,
    ),
    "element": (
        '<str_replace path="a">\n<old_str>x\ny</old_str>\n<new_str>\n</new_str>\n</str_replace>',
        {"name": "str_replace", "input": {"path": "a", "old_str": "x\ny", "new_str": ""}},
    ),
    "element with text": (
        '<boltAction type="file" filePath="a">\nx\n</boltAction>',
        {"name": "boltAction", "input": {"filePath": "a", "content": "x\n"}},
    ),
    "element of another type": (
        '<boltAction type="shell">ls</boltAction>',
        {"name": "boltAction_shell", "input": {"content": "ls"}},
    ),
    "element with a fence": (
        '<dyad-write path="a">\n```python\nx\n```\n</dyad-write>',
        {"name": "dyad-write", "input": {"path": "a", "content": "x\n"}},
    ),
    "element without contents": (
        '<MoveFile from="a" to="b" />', {"name": "MoveFile", "input": {"from": "a", "to": "b"}}
    ),
    "a value with its own closing tag": (
        '<invoke name="write">\n<parameter name="content">a</parameter>\nb</parameter>\n</invoke>',
        {"name": "write", "input": {"content": "a</parameter>\nb"}},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_a_call_as_tags_becomes_an_object(name: str) -> None:
    text, call = CALLS[name]
    answer = f"Do this:\n{text}\nDone."
    found = find(source(answer))
    assert ([tree(value) for value in found.values], found.problems) == ([call], [])
    assert opens(text) and has_call(answer)
    assert call_end(source(text), 0) == len(text)


def test_values_know_their_lines() -> None:
    text = '\n<invoke name="e">\n<parameter name="a">x</parameter>\n<parameter name="b">\ny</parameter>\n</invoke>'
    (call,) = find(source(text)).values
    assert isinstance(call, Fields)
    given = call.values["input"]
    assert isinstance(given, Fields)
    assert (call.line, given.lines) == (2, {"a": 3, "b": 4})


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ('<invoke name="edit">\n<parameter name="path">a', "truncated"),
        ('<invoke name="edit">\n<parameter name="path">a</parameter>', "truncated"),
        ("<tool_call>edit\n<arg_key>path</arg_key>\n<arg_value>a", "truncated"),
        ('<dyad-write path="a">\nx', "truncated"),
        ('<invoke name="e"><parameter name="a">1</parameter><parameter name="a">2</parameter></invoke>', "bad_patch"),
        ('<dyad-write path="a.md">\nUse\n<dyad-write path="b">\n</dyad-write>\n</dyad-write>', "bad_patch"),
        ('{"old_string": "x", "new_string": "y"', "truncated"),
        ('{"old_string": "x" "new_string": "y"}', "bad_patch"),
    ],
)
def test_what_is_wrong_is_said(text: str, kind: str) -> None:
    assert [problem.kind for problem in find(source(text)).problems] == [kind]


def test_values_in_prose() -> None:
    text = 'Look: `if (a) { b["x"] }`, { path: here }.\n[{"a": 1}] and {"k": {"path": "p"}}'
    found = find(source(text))
    assert ([tree(value) for value in found.values], found.problems) == ([[{"a": 1}], {"k": {"path": "p"}}], [])


def test_collects_wanted_objects_however_they_are_wrapped() -> None:
    text = '{"calls": [{"arguments": "{\\"wanted\\": 1}"}, {"x": [{"wanted": 2}]}]}'
    found = collected(find(source(text)).values, lambda fields: "wanted" in fields.values)
    assert [fields.values["wanted"] for fields in found] == [1, 2]


def test_a_file_that_a_call_writes_is_not_searched() -> None:
    text = '{"path": "a.json", "content": {"wanted": 1}}'
    assert collected(find(source(text)).values, lambda fields: "wanted" in fields.values) == []


@pytest.mark.parametrize("tag", ['<dyad-write path="a">', "<delete_file>\n<path>"])
def test_elements_that_never_close_are_read_once(tag: str) -> None:
    """5,000 of them took twenty seconds: each was looked through to the end for what closes it."""
    result = anypatch.apply_to(f"{tag}\n" * 5000, {"a": "x\n"})
    assert [problem.kind for problem in result.problems] == ["truncated"]

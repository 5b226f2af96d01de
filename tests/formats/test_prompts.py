"""The material that teaches models: prompts that are short and true, tools whose arguments are patches, what each format costs."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest

import anypatch
from anypatch import FormatName, PatchError
from anypatch.api import formats
from anypatch.author.costs import costs, default_measure
from anypatch.author.sources import differences
from anypatch.formats import VENDORS, schema
from anypatch.model import File
from anypatch.tree import MemoryTree
from support.examples import examples_of

FORMATS = [pytest.param(format, id=format.name) for format in formats()]
TOOLS: list[FormatName] = ["begin-patch", "json-edits", "symbol-chunks"]


# ── prompts ──────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("format", FORMATS)
def test_prompts_are_short(format: Any) -> None:
    measure = default_measure()
    assert measure.unit == "tokens", "the test environment has the tokenizer"
    assert measure.count(format.prompt) <= 610


@pytest.mark.parametrize("format", FORMATS)
def test_the_examples_of_a_prompt_apply(format: Any) -> None:
    """As a model sees them: cut out of the prompt, fences and all."""
    for example in examples_of(format.name):
        assert format.prompt.count(example.patch) == 1
        done = anypatch.apply_to(example.patch, example.before, format=format.name)
        assert done.ok and dict(done.files) == dict(example.after)


# ── tools ────────────────────────────────────────────────────────────────────────────────────────


def test_vendors_want_the_same_in_other_words() -> None:
    for name in TOOLS:
        openai, anthropic, mcp = (schema(name, vendor) for vendor in VENDORS)
        assert openai["type"] == "function"
        function: Any = openai["function"]
        assert function["parameters"] == anthropic["input_schema"] == mcp["inputSchema"]
        assert function["name"] == anthropic["name"] == mcp["name"]
        assert function["description"] == anthropic["description"] == mcp["description"]


def test_formats_that_are_no_tools_say_so() -> None:
    with pytest.raises(PatchError) as caught:
        schema("unified")
    problem = caught.value.problems[0]
    assert problem.kind == "bad_call" and "json-edits" in problem.advice
    with pytest.raises(ValueError, match="openai, anthropic, mcp, not 'nobody'"):
        schema("json-edits", "nobody")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="Did you mean json-edits"):
        schema("json-edit")  # type: ignore[arg-type]


def obeys(value: object, rule: Any, at: str = "") -> list[str]:
    """What is wrong with a value by a JSON schema, as far as ours go."""
    sorts = {"object": dict, "array": list, "string": str, "boolean": bool}
    if not isinstance(value, sorts[rule["type"]]):
        return [f"{at} is no {rule['type']}"]
    wrong = []
    if isinstance(value, dict):
        wrong += [f"{at} lacks {key}" for key in rule["required"] if key not in value]
        wrong += [f"{at} has {key}" for key in value if key not in rule["properties"]]
        for key in value.keys() & rule["properties"].keys():
            wrong += obeys(value[key], rule["properties"][key], f"{at}.{key}")
    if isinstance(value, list):
        wrong += [f"{at} is empty"] * (len(value) < rule.get("minItems", 0))
        wrong += [one for item in value for one in obeys(item, rule["items"], f"{at}[]")]
    if "enum" in rule and value not in rule["enum"]:
        wrong.append(f"{at} is {value!r}")
    return wrong


def arguments(name: str, patch: str) -> dict[str, object]:
    """A patch as the arguments of the format's tool."""
    if name == "begin-patch":
        return {"input": patch}
    edits = json.loads(patch)
    for edit in edits:
        if isinstance(edit.get("text"), str):
            edit["text"] = edit["text"].removesuffix("\n").split("\n")
        for chunk in edit.get("chunks", ()):
            chunk.update({key: [text] for key, text in chunk.items() if isinstance(text, str)})
    return {"edits": edits}


@pytest.mark.parametrize("name", TOOLS)
def test_arguments_by_the_schema_are_patches(name: FormatName) -> None:
    """Both the arguments alone and the whole call, as it is logged, are read."""
    rules: Any = schema(name)
    tried = 0
    for example in examples_of(name):
        if name == "json-edits" and "delete_file" in example.patch:
            continue  # the tool deletes nothing
        given = arguments(name, example.patch)
        assert obeys(given, rules["inputSchema"]) == []
        call = {"type": "tool_use", "name": rules["name"], "input": given}
        texts = [json.dumps(call), json.dumps(given)]
        texts += [str(given["input"])] if name == "begin-patch" else []
        for text in texts:
            done = anypatch.apply_to(text, example.before)
            assert done.ok, done.problems
            assert dict(done.files) == dict(example.after)
        tried += 1
    assert tried


def test_the_schema_tells_right_from_wrong() -> None:
    rules: Any = schema("json-edits")["inputSchema"]
    assert obeys({"edits": []}, rules) == [".edits is empty"]
    assert obeys({"edits": [{"old_string": "a"}]}, rules) == [".edits[] lacks file_path"]
    assert obeys({"edits": [{"file_path": "a", "what": "b"}]}, rules) == [".edits[] has what"]


# ── what a change costs ──────────────────────────────────────────────────────────────────────────


def test_costs_are_those_of_the_texts() -> None:
    before = {"a.txt": File(b"".join(b"line %d\n" % n for n in range(200)))}
    after = {"a.txt": File(before["a.txt"].data.replace(b"line 77\n", b"line seventy-seven\n"))}
    measure = default_measure()
    found = costs(differences(before, after), MemoryTree(before), measure)
    sizes = {cost.format: cost.size for cost in found}
    assert list(sizes.values()) == sorted(sizes.values())
    assert sizes["whole-file"] > 10 * sizes["search-replace"]
    assert measure.count("hello world") == 2
    made = costs(differences({}, before), MemoryTree({}), measure)
    assert made[-1].format == "symbol-chunks" and made[-1].size == -1 and "can't create" in made[-1].why


def test_without_the_tokenizer_characters_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "splintr", None)
    assert default_measure()[0] == "characters"
    assert default_measure().count("héllo") == 5

"""The types of the public calls: closed sets, and the JSON schema of a result."""

from __future__ import annotations

import json
import typing
from pathlib import Path
from typing import Any, NotRequired, TypedDict, get_args

import jsonschema
import pytest

import anypatch
from anypatch import formats, hints
from anypatch.problems import KINDS

TOP = Path(__file__).parent.parent
FILES = {"a.py": "a = 1\nb = 2\nc = 3\n", "pkg/b.py": "x = 1\n"}
BLOCK = "a.py\n<<<<<<< SEARCH\nb = 2\n=======\nb = 3\n>>>>>>> REPLACE\n"
GONE = BLOCK.replace("b = 2", "b = 7")
MOVE = "*** Begin Patch\n*** Update File: a.py\n*** Move to: z.py\n@@\n-b = 2\n+b = 3\n*** Delete File: pkg/b.py\n*** End Patch\n"


def test_closed_sets_are_what_they_say() -> None:
    assert set(get_args(hints.FormatName)) == {*formats.names(), "diff"}
    assert set(get_args(hints.ProblemKind)) == set(KINDS)


class Inner(TypedDict):
    """An inner value. More of it isn't shown."""

    name: str
    lines: NotRequired[list[int]]


class Outer(TypedDict):
    """An outer value."""

    inner: Inner | None
    action: hints.Action


def test_a_schema_has_optional_keys_nullable_values_and_closed_sets() -> None:
    schema = hints.json_schema(Outer)
    assert schema["required"] == ["action", "inner"]
    assert schema["properties"]["action"] == {"type": "string", "enum": ["create", "update", "delete", "move"]}
    inner, nothing = schema["properties"]["inner"]["anyOf"]
    assert inner["description"] == "An inner value. More of it isn't shown." and nothing == {"type": "null"}
    assert inner["required"] == ["name"]
    assert inner["properties"]["lines"] == {"type": "array", "items": {"type": "integer"}}


@pytest.mark.parametrize(
    "patch", [BLOCK, GONE, MOVE, BLOCK + GONE, "nothing", "*** Begin Patch\n*** Update File: a.py\n"]
)
@pytest.mark.parametrize("partial", [False, True])
def test_plain_values_keep_to_the_published_schema(patch: str, partial: bool) -> None:
    schema = json.loads((TOP / "docs" / "result.schema.json").read_text())
    assert schema == anypatch.Result.json_schema()
    value = anypatch.apply_to(patch, FILES, partial=partial).to_dict()
    jsonschema.validate(json.loads(json.dumps(value)), schema)
    known = schema["properties"]
    assert value.keys() == known.keys()
    for name in ("changes", "operations", "problems", "notes"):
        for one in typing.cast(Any, value)[name]:
            assert one.keys() <= known[name]["items"]["properties"].keys()

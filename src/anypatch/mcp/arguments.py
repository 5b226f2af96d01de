"""Arguments as models send them, made to fit the table of tools, or refused in a sentence. Pure."""

from __future__ import annotations

import json

from ..errors import Problem, Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from .tools import Schema, Tool

_SAID = {
    "string": "a text", "boolean": "true or false", "integer": "a whole number", "array": "a list",
    "object": "an object",
}  # fmt: skip


def checked(tool: Tool, given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments given, each of its type; null counts as left out."""
    said = {name: value for name, value in given.items() if value is not None}
    for name in said:
        if name not in tool.arguments:
            raise _bad(f"{tool.name} has no argument {name!r}; it takes {', '.join(tool.arguments)}")
    for name in tool.required:
        if name not in said:
            raise _bad(f"{tool.name} needs {name!r}")
    return {name: _fitting(name, value, tool.arguments[name]) for name, value in said.items()}


def _fitting(name: str, value: Any, schema: Schema) -> Any:
    """The value, if it is of the type asked for; lists and objects also where they come as a text of JSON."""
    kind = schema["type"]
    if isinstance(value, str) and kind != "string":
        value = _parsed(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    fits = isinstance(value, _TYPES[kind]) and not (kind == "integer" and isinstance(value, bool))
    if not fits:
        raise _bad(f"{name!r} must be {_SAID[kind]}")
    if "enum" in schema and value not in schema["enum"]:
        raise _bad(f"{name!r} is one of {', '.join(schema['enum'])}")
    if kind == "integer" and not schema["minimum"] <= value < 1 << 31:
        raise _bad(f"{name!r} must be a whole number from {schema['minimum']} on")
    if "additionalProperties" in schema and not all(isinstance(one, str) for one in value.values()):
        raise _bad(f"{name!r} must hold nothing but texts")
    return value


_TYPES: dict[str, type] = {"string": str, "boolean": bool, "integer": int, "array": list, "object": dict}


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _bad(detail: str) -> Refused:
    return Refused(Problem("bad_call", detail))

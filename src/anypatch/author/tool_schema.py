"""What the schemas of tools share: objects, lists, texts with a word on each. Data only; knows no format."""

from __future__ import annotations

from .. import formats
from ..problems import Problem, Refused
from ..record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    Schema = dict[str, object]


class Tool(NamedTuple):
    """How a model calls a format: the tool's name, what it does, the JSON schema of its arguments."""

    name: str
    description: str
    parameters: Schema


def text(about: str) -> Schema:
    """A text."""
    return {"type": "string", "description": about}


def lines(about: str) -> Schema:
    """Lines, each without its line end."""
    return {"type": "array", "items": {"type": "string"}, "description": about}


def listed(about: str, item: Schema) -> Schema:
    """At least one of a sort."""
    return {"type": "array", "items": item, "minItems": 1, "description": about}


def fields(required: tuple[str, ...], **known: Schema) -> Schema:
    """An object with these fields and no others."""
    return {"type": "object", "properties": known, "required": list(required), "additionalProperties": False}


# ── tools ───────────────────────────────────────────────────────────────────────────────────────────


def grammar(format: str) -> str:
    """The grammar of a format in the notation of Lark, for constrained decoding. Refused for a format that is JSON."""
    known = formats.named(format)
    if not known.grammar:
        advice = f"Constrain it by its schema: `anypatch schema {known.name}`." if known.is_tool else ""
        raise Refused(Problem("bad_call", f"{known.name} is JSON and has no grammar of its own", advice=advice))
    return known.grammar


VENDORS = ("openai", "anthropic", "mcp")


def schema(format: str, vendor: str = "mcp") -> dict[str, object]:
    """The tool of a format: for OpenAI (a function of the chat API), Anthropic, or the Model Context Protocol.

    Its arguments, as JSON, are a patch for `apply`. Refused for a format that is no tool.
    """
    known = formats.named(format)
    if vendor not in VENDORS:
        raise Refused(Problem("bad_call", f"{vendor!r} is none of {', '.join(VENDORS)}"))
    if not known.is_tool:
        others = [name for name in formats.names() if formats.named(name).is_tool]
        advice = f"Those that are: {', '.join(others)}. Put its prompt into the instructions instead."
        raise Refused(Problem("bad_call", f"{known.name} is not called as a tool", advice=advice))
    name, description, parameters = known.tool()
    if vendor == "openai":
        function = {"name": name, "description": description, "parameters": dict(parameters)}
        return {"type": "function", "function": function}
    key = "input_schema" if vendor == "anthropic" else "inputSchema"
    return {"name": name, "description": description, key: dict(parameters)}

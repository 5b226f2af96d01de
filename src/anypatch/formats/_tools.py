"""What the schemas of tools share: objects, lists, texts with a word on each. Data only; knows no format."""

from __future__ import annotations

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

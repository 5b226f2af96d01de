"""The definitions of tools by which a model calls a format, as each vendor wants them. Pure."""

from __future__ import annotations

from . import registry
from .errors import Problem, Refused

VENDORS = ("openai", "anthropic", "mcp")


def schema(format: str, vendor: str = "mcp") -> dict[str, object]:
    """The tool of a format: for OpenAI (a function of the chat API), Anthropic, or the Model Context Protocol.

    Its arguments, as JSON, are a patch for `apply`; of begin-patch the text under `input` is. Refused for a format that
    is no tool.
    """
    known = registry.named(format)
    if vendor not in VENDORS:
        raise Refused(Problem("bad_call", f"{vendor!r} is none of {', '.join(VENDORS)}"))
    if known.tool is None:
        others = [name for name in registry.names() if registry.named(name).tool is not None]
        advice = (
            f"Those that are: {', '.join(others)}. Put `anypatch prompt {known.name}` into the instructions instead."
        )
        raise Refused(Problem("bad_call", f"{known.name} is not called as a tool", advice=advice))
    name, description, parameters = known.tool()
    if vendor == "openai":
        function = {"name": name, "description": description, "parameters": dict(parameters)}
        return {"type": "function", "function": function}
    key = "input_schema" if vendor == "anthropic" else "inputSchema"
    return {"name": name, "description": description, key: dict(parameters)}

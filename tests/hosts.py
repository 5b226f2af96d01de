"""`anypatch.apply`, as it is, taken as a tool by pydantic-ai, FastMCP and the OpenAI Agents SDK. Run by `make test-hosts`.

The packages live in an environment of their own, which can't always be had: `make test-hosts` says so and is content.
"""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

import anypatch

EDIT = "a.py\n<<<<<<< SEARCH\nb = 2\n=======\nb = 3\n>>>>>>> REPLACE\n"
TOOLS = [anypatch.apply, anypatch.preview, anypatch.undo, anypatch.view]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "a.py").write_text("a = 1\nb = 2\n")
    return tmp_path


def test_pydantic_ai(tree: Path) -> None:
    from pydantic_ai import Agent
    from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import FunctionModel

    def model(messages: Any, info: Any) -> ModelResponse:
        if len(messages) == 1:
            (tool,) = [one for one in info.function_tools if one.name == "apply"]
            assert tool.description.startswith("Apply an answer to a directory")
            assert tool.parameters_json_schema["properties"]["answer"]["description"].startswith("What the model wrote")
            return ModelResponse(parts=[ToolCallPart("apply", {"answer": EDIT, "root": str(tree)})])
        return ModelResponse(parts=[TextPart(messages[-1].parts[0].model_response_str())])

    told = json.loads(Agent(FunctionModel(model), tools=TOOLS).run_sync("edit it").output)
    assert told["ok"] and told["written"] and (tree / "a.py").read_text() == "a = 1\nb = 3\n"


def test_fastmcp(tree: Path) -> None:
    from fastmcp import Client, FastMCP

    server: Any = FastMCP("files")
    for tool in TOOLS:
        server.tool(tool)

    async def talk() -> Any:
        async with Client(server) as client:
            assert {tool.name for tool in await client.list_tools()} == {tool.__name__ for tool in TOOLS}
            return await client.call_tool("apply", {"answer": EDIT, "root": str(tree)})

    told = asyncio.run(talk()).structured_content
    assert told["ok"] and told["written"] and (tree / "a.py").read_text() == "a = 1\nb = 3\n"


def test_openai_agents(tree: Path) -> None:
    from agents import function_tool
    from agents.tool_context import ToolContext

    for one in TOOLS:
        assert function_tool(one).strict_json_schema
    tool = function_tool(anypatch.apply)
    given = {name: shape.get("default") for name, shape in tool.params_json_schema["properties"].items()}
    words = json.dumps(given | {"answer": EDIT, "root": str(tree)})
    context: Any = ToolContext(None, tool_name="apply", tool_call_id="1", tool_arguments=words)
    told = str(asyncio.run(tool.on_invoke_tool(context, words)))
    assert "a.py" in told and (tree / "a.py").read_text() == "a = 1\nb = 3\n"

"""Messages of the server, as JSON: versions, resources and prompts, results for each client."""

from __future__ import annotations

import pytest

from anypatch import Settings
from anypatch.formats import known
from anypatch.lsp import plan_rename
from anypatch.mcp import protocol
from anypatch.mcp.memory import ToolResult
from anypatch.mcp.protocol import Service, Unknown
from anypatch.mcp.roots import Bounds


def test_a_known_version_is_spoken_and_the_newest_otherwise() -> None:
    assert protocol.initialize("2025-03-26")["protocolVersion"] == "2025-03-26"
    assert protocol.initialize("1999-01-01")["protocolVersion"] == protocol.VERSIONS[-1]


def test_renaming_is_offered_only_with_language_servers() -> None:
    without = Service(Bounds(), Settings())
    names = [tool["name"] for tool in protocol.tools(without)["tools"]]
    assert "rename_symbol" not in names and "apply_patch" in names
    with_servers = without._replace(plan_rename=plan_rename, structured=True)
    tools = protocol.tools(with_servers)["tools"]
    assert [tool["name"] for tool in tools if tool["name"] not in names] == ["rename_symbol"]
    assert all("outputSchema" in tool for tool in tools)


def test_each_format_is_a_resource_and_a_prompt() -> None:
    for format in known():
        assert protocol.resource(f"anypatch://formats/{format.name}")["contents"][0]["text"] == format.prompt
        text = protocol.prompt(f"edit-with-{format.name}", "Make it so.")["messages"][0]["content"]["text"]
        assert text.startswith(format.prompt.rstrip()) and text.endswith("Make it so.")
    assert len(protocol.resources()["resources"]) == len(protocol.prompts()["prompts"]) == len(known())
    for uri in ("anypatch://formats/nothing", "file:///etc/passwd"):
        with pytest.raises(Unknown):
            protocol.resource(uri)
    with pytest.raises(Unknown, match="the formats are"):
        protocol.prompt("edit-with-nothing", "")


def test_structured_results_and_marked_errors_are_optional() -> None:
    refused = ToolResult({"ok": False, "hash": "", "receipt": "r"}, "Refused", True)
    plain = protocol.call_result(refused, False)
    assert plain.keys() == {"content", "isError", "_meta"} and plain["isError"]
    assert plain["_meta"] == {"anypatch/ok": False, "anypatch/receipt": "r"}
    assert protocol.call_result(refused, True)["structuredContent"] == refused.value
    assert not protocol.call_result(refused, False, marks_errors=False)["isError"]


def test_clients_that_hide_the_text_of_errors() -> None:
    assert protocol.shows_error_text({"name": "claude-code"}) and protocol.shows_error_text(None)
    assert not protocol.shows_error_text({"name": "gemini-cli-mcp-client"})


@pytest.mark.parametrize(
    ("meta", "who"),
    [
        (None, ("own", "")),
        ({"progressToken": 1}, ("own", "")),
        ({"anypatch/turn": "7"}, ("own", "7")),
        ({"anypatch/session": "s", "anypatch/turn": "7"}, ("s", "7")),
        ({"x-codex-turn-metadata": {"session_id": "01a1", "turn_id": "2e1e", "model": "gpt-5"}}, ("01a1", "2e1e")),
        ({"x-codex-turn-metadata": "01a1", "anypatch/turn": 7}, ("own", "")),
        ({"anypatch/session": "s" * 300}, ("s" * 200, "")),
    ],
)
def test_session_and_turn_as_clients_send_them(meta: object, who: tuple[str, str]) -> None:
    assert protocol.session_and_turn(meta, {}, "own") == who

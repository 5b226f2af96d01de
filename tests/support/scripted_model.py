"""A scripted model on loopback: speaks the APIs of Anthropic, OpenAI (responses, chat) and Gemini, and keeps what it is sent.

A script is a list of steps: `Call(tool, arguments)` or a text. The number of tool results in a request says which step
is next, so that requests for other purposes (titles, quotas, retries) don't disturb it.
"""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple


class Call(NamedTuple):
    """A call that the model makes. `text`: the input of a tool that takes a text and no JSON."""

    tool: str
    arguments: dict[str, Any]
    text: str = ""


Step = Call | str


class Model:
    """The model. `seen`: the bodies of all requests that offered tools; `results`: what the model read of each call."""

    def __init__(self, *script: Step) -> None:
        self.script = script
        self.seen: list[dict[str, Any]] = []
        self.results: list[str] = []
        self._lock = threading.Lock()
        model = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: object) -> None:
                pass

            def do_GET(self) -> None:
                self._send("application/json", b'{"data": [], "models": []}')

            do_HEAD = do_GET  # noqa: N815

            def do_POST(self) -> None:
                chunked = "chunked" in self.headers.get("Transfer-Encoding", "")
                data = self._chunks() if chunked else self.rfile.read(int(self.headers.get("Content-Length", 0)))
                path = self.path.split("?")[0]
                try:
                    asked = json.loads(data or b"{}")
                except ValueError:
                    asked = {}
                api = next((api for end, api in APIS.items() if path.endswith(end)), None)
                if api is None:
                    self._send("application/json", b'{"input_tokens": 10, "totalTokens": 10}')
                    return
                step = model.next_step(asked, api)
                streams = asked.get("stream") or path.endswith(":streamGenerateContent")
                kind, body = api.answer(step, bool(streams))
                self._send(kind, body)

            def _chunks(self) -> bytes:
                data = b""
                while size := int(self.rfile.readline().strip() or b"0", 16):
                    data += self.rfile.read(size)
                    self.rfile.readline()
                self.rfile.readline()
                return data

            def _send(self, kind: str, body: bytes) -> None:
                try:
                    self.send_response(200)
                    self.send_header("Content-Type", kind)
                    self.send_header("Content-Length", str(len(body)))
                    self.end_headers()
                    if self.command != "HEAD":
                        self.wfile.write(body)
                except OSError:
                    return  # the client has gone

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def next_step(self, asked: dict[str, Any], api: Api) -> Step:
        """Return the model's reply to a request."""
        continued = (asked.get("thread") or {}).get("type") == "continue"  # Anthropic: the server knows what was before
        if not asked.get("tools") and not continued:
            return "ok"
        results = [*(self.results if continued else ()), *api.results(asked)]
        with self._lock:
            self.seen.append(asked)
            if len(results) > len(self.results):
                self.results = results
        return self.script[len(results)] if len(results) < len(self.script) else "Done."

    def tools(self) -> dict[str, Any]:
        """The tools of the last request by their names, as the API has them."""
        tools = {}
        for tool in self.seen[-1]["tools"]:
            for declaration in tool.get("functionDeclarations") or tool.get("tools") or [tool]:
                inner = declaration.get("function", declaration)
                tools[inner.get("name", inner.get("type"))] = inner
        return tools

    def close(self) -> None:
        """Listen no longer."""
        self.server.shutdown()
        self.server.server_close()


def _events(*events: dict[str, Any], named: bool = True) -> bytes:
    lines = [(f"event: {event['type']}\n" if named else "") + f"data: {json.dumps(event)}\n\n" for event in events]
    return "".join(lines).encode()


def _text_of(content: Any) -> str:
    """The text of a result, as blocks, a list of blocks, or as it is."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(_text_of(one) for one in content)
    if isinstance(content, dict) and isinstance(content.get("text"), str):
        return str(content["text"])
    return json.dumps(content, ensure_ascii=False)


class Api:
    """How one vendor asks and is answered."""

    def results(self, asked: dict[str, Any]) -> list[str]:
        """The results of tools in a request, as the model reads them."""
        raise NotImplementedError

    def answer(self, step: Step, streams: bool) -> tuple[str, bytes]:
        """The body of the answer, and its type."""
        raise NotImplementedError


class Anthropic(Api):
    def results(self, asked: dict[str, Any]) -> list[str]:
        blocks = [
            one for message in asked["messages"] if isinstance(message["content"], list) for one in message["content"]
        ]
        return [_text_of(one.get("content", "")) for one in blocks if one.get("type") == "tool_result"]

    def answer(self, step: Step, streams: bool) -> tuple[str, bytes]:
        usage = {"input_tokens": 10, "output_tokens": 10}
        if isinstance(step, Call):
            block: dict[str, Any] = {
                "type": "tool_use",
                "id": f"toolu_{id(step)}",
                "name": step.tool,
                "input": step.arguments,
            }
        else:
            block = {"type": "text", "text": step}
        reason = "tool_use" if isinstance(step, Call) else "end_turn"
        message = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-sonnet-4-5", "usage": usage}
        if not streams:
            whole = message | {"content": [block], "stop_reason": reason, "stop_sequence": None}
            return "application/json", json.dumps(whole).encode()
        if isinstance(step, Call):
            begun, delta = (
                block | {"input": {}},
                {"type": "input_json_delta", "partial_json": json.dumps(step.arguments)},
            )
        else:
            begun, delta = block | {"text": ""}, {"type": "text_delta", "text": step}
        return "text/event-stream", _events(
            {"type": "message_start", "message": message | {"content": [], "stop_reason": None, "stop_sequence": None}},
            {"type": "content_block_start", "index": 0, "content_block": begun},
            {"type": "content_block_delta", "index": 0, "delta": delta},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None}, "usage": usage},
            {"type": "message_stop"},
        )


class Responses(Api):
    def results(self, asked: dict[str, Any]) -> list[str]:
        items = asked["input"] if isinstance(asked["input"], list) else []
        return [_text_of(one["output"]) for one in items if one.get("type", "").endswith("call_output")]

    def answer(self, step: Step, streams: bool) -> tuple[str, bytes]:
        if isinstance(step, Call) and step.tool == "apply_patch_call":
            item: dict[str, Any] = {
                "type": step.tool,
                "id": "apc_1",
                "call_id": f"call_{id(step)}",
                "status": "completed",
                "operation": step.arguments,
            }
        elif isinstance(step, Call) and step.text:
            item = {
                "type": "custom_tool_call",
                "id": "ctc_1",
                "call_id": f"call_{id(step)}",
                "name": step.tool,
                "input": step.text,
            }
        elif isinstance(step, Call):
            space, _, name = step.tool.rpartition("/")
            item = {
                "type": "function_call",
                "id": "fc_1",
                "call_id": f"call_{id(step)}",
                "name": name,
                "arguments": json.dumps(step.arguments),
            }
            item |= {"namespace": space} if space else {}
        else:
            content = [{"type": "output_text", "text": step, "annotations": []}]
            item = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": content}
        usage: dict[str, Any] = {"input_tokens": 10, "output_tokens": 10, "total_tokens": 20}
        usage |= {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
        whole = {
            "id": "resp_1",
            "object": "response",
            "model": "gpt-5",
            "status": "completed",
            "output": [item],
            "usage": usage,
            "created_at": 1,
        }
        whole |= {"parallel_tool_calls": False, "tool_choice": "auto", "tools": []}
        if not streams:
            return "application/json", json.dumps(whole).encode()
        return "text/event-stream", _events(
            {"type": "response.created", "response": whole | {"status": "in_progress", "output": []}},
            {"type": "response.output_item.added", "output_index": 0, "item": item},
            {"type": "response.output_item.done", "output_index": 0, "item": item},
            {"type": "response.completed", "response": whole},
        )


class Chat(Api):
    def results(self, asked: dict[str, Any]) -> list[str]:
        return [_text_of(message["content"]) for message in asked["messages"] if message["role"] == "tool"]

    def answer(self, step: Step, streams: bool) -> tuple[str, bytes]:
        if isinstance(step, Call):
            function = {"name": step.tool, "arguments": json.dumps(step.arguments)}
            message: dict[str, Any] = {
                "tool_calls": [{"index": 0, "id": f"call_{id(step)}", "type": "function", "function": function}]
            }
        else:
            message = {"content": step}
        message["role"] = "assistant"
        reason = "tool_calls" if isinstance(step, Call) else "stop"
        head = {"id": "chat_1", "created": 1, "model": "stub", "object": "chat.completion"}
        usage = {"prompt_tokens": 10, "completion_tokens": 10, "total_tokens": 20}
        if not streams:
            choice = {"index": 0, "message": {"content": None} | message, "finish_reason": reason}
            return "application/json", json.dumps(head | {"choices": [choice], "usage": usage}).encode()
        head["object"] = "chat.completion.chunk"
        return "text/event-stream", _events(
            head | {"choices": [{"index": 0, "delta": message, "finish_reason": None}]},
            head | {"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]},
            head | {"choices": [], "usage": usage},
            named=False,
        ) + b"data: [DONE]\n\n"


class Gemini(Api):
    def results(self, asked: dict[str, Any]) -> list[str]:
        parts = [part for content in asked["contents"] for part in content.get("parts", [])]
        responses = [part["functionResponse"]["response"] for part in parts if "functionResponse" in part]
        return [
            response["output"] if isinstance(response.get("output"), str) else _text_of(response)
            for response in responses
        ]

    def answer(self, step: Step, streams: bool) -> tuple[str, bytes]:
        part = (
            {"functionCall": {"name": step.tool, "args": step.arguments}} if isinstance(step, Call) else {"text": step}
        )
        usage = {"promptTokenCount": 10, "candidatesTokenCount": 10, "totalTokenCount": 20}
        candidate = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
        whole = {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "stub", "responseId": "1"}
        if streams:
            return "text/event-stream", _events(whole, named=False)
        return "application/json", json.dumps(whole).encode()


APIS: dict[str, Api] = {
    "/messages": Anthropic(),
    "/responses": Responses(),
    "/chat/completions": Chat(),
    ":streamGenerateContent": Gemini(),
    ":generateContent": Gemini(),
}

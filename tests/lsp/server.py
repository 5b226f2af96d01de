"""A small language server for Python, by `ast`: symbols and renames over stdio, and in other modes every way to fail.

    server.py MODE FOLDER      run as `ty server` by the tests; FOLDER keeps a count of starts

Modes: plain, utf-8, slow, silent (never answers initialize), dead (at the first question), once (dead at the first
start only), garbage, noise (floods and asks before it answers), refuses, nothing, outside, elsewhere (renames where the
name isn't), late (changes a file while it renames), wrong-end, no-start.
"""

from __future__ import annotations

import ast
import json
import os
import re
import sys
import time
from pathlib import Path
from typing import Any
from urllib.parse import unquote

MODE, FOLDER = sys.argv[1], Path(sys.argv[2])


def main() -> None:
    starts = FOLDER / "starts"
    count = int(starts.read_text()) + 1 if starts.exists() else 1
    starts.write_text(str(count))
    (FOLDER / "pid").write_text(str(os.getpid()))
    if MODE == "no-start":
        sys.exit("cannot load libserver.so")
    root, texts = "", {}
    while (message := receive()) is not None:
        method, params = message.get("method"), message.get("params") or {}
        if method == "initialize" and MODE != "silent":
            root = unquote(params["rootUri"].removeprefix("file://"))
            known = {"positionEncoding": "utf-8"} if MODE == "utf-8" else {}
            answer(message, {"capabilities": {"documentSymbolProvider": True, "renameProvider": True, **known}})
        elif method == "textDocument/didOpen":
            texts[params["textDocument"]["uri"]] = params["textDocument"]["text"]
        elif method in ("textDocument/documentSymbol", "textDocument/rename"):
            misbehave(count, method)
            uri = params["textDocument"]["uri"]
            if method.endswith("rename"):
                rename(message, root, uri, texts[uri])
            else:
                answer(message, symbols(texts[uri]))
        elif method == "exit":
            break


def misbehave(count: int, method: str) -> None:
    if MODE == "slow":
        time.sleep(60)
    if MODE == "dead" or (MODE == "once" and count == 1):
        print("stack trace: out of luck", file=sys.stderr, flush=True)
        os._exit(7)
    if MODE == "garbage":
        os.write(1, b"HTTP/1.1 200 OK\r\n\r\n")
    if MODE == "noise":
        for at in range(200):
            send({"method": "window/logMessage", "params": {"type": 4, "message": "x" * 2000}})
            send({"id": f"q{at}", "method": "workspace/configuration", "params": {"items": [{}, {}]}})
        answers = 0
        while answers < 200:
            got = receive()
            assert got is not None
            if str(got.get("id")).startswith("q"):
                assert got["result"] == [None, None]
                answers += 1
        send({"id": "z", "method": "made/up", "params": {}})
        got = receive()
        assert got is not None and got["error"]["code"] == -32601


def columns(line: str, at: int) -> int:
    """`ast` counts bytes."""
    return len(line.encode()[:at].decode().encode("utf-16-le")) // 2


def symbols(text: str) -> list[Any]:
    lines = text.split("\n")

    def place(line: int, column: int) -> dict[str, int]:
        return {"line": line - 1, "character": columns(lines[line - 1], column)}

    def of(body: list[ast.stmt]) -> list[Any]:
        nested = []
        for node in body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                name = len(lines[node.lineno - 1][: lines[node.lineno - 1].index(node.name, node.col_offset)].encode())
                first = min([node, *node.decorator_list], key=lambda one: one.lineno)
                last = (node.end_lineno or 1) - (MODE == "wrong-end")
                whole = {"start": place(first.lineno, first.col_offset), "end": place(last, node.end_col_offset or 0)}
                word = {"start": place(node.lineno, name), "end": place(node.lineno, name + len(node.name.encode()))}
                kind = 5 if isinstance(node, ast.ClassDef) else 12
                symbol = {"name": node.name, "kind": kind}
                nested.append(symbol | {"range": whole, "selectionRange": word, "children": of(node.body)})
        return nested

    return of(ast.parse(text).body)


def rename(message: dict[str, Any], root: str, uri: str, text: str) -> None:
    params = message["params"]
    if MODE == "refuses":
        send({"id": message["id"], "error": {"code": -32602, "message": "that is a builtin"}})
        return
    if MODE == "nothing":
        answer(message, None)
        return
    line = text.split("\n")[params["position"]["line"]]
    at = params["position"]["character"]
    name = re.match(r"\w+", line.encode("utf-16-le")[2 * at :].decode("utf-16-le"))
    assert name, (line, at)
    files = {f"file://{path}": path.read_text() for path in sorted(Path(root).rglob("*.py"))} | {uri: text}
    changes = {path: edits(text, name[0], params["newName"]) for path, text in files.items()}
    changes = {path: ranges for path, ranges in changes.items() if ranges}
    if MODE == "outside":
        changes["file:///etc/hosts"] = next(iter(changes.values()))
    if MODE == "late":
        time.sleep(0.1)
        other = next(Path(one.removeprefix("file://")) for one in changes if one != uri)
        other.write_text("# new\n" + other.read_text())
    answer(message, {"changes": changes})


def edits(text: str, name: str, new: str) -> list[Any]:
    changes = []
    for row, line in enumerate(text.split("\n")):
        for match in re.finditer(rf"\b{name}\b", line):
            start = columns(line, len(line[: match.start()].encode())) + 3 * (MODE == "elsewhere")
            span = {"start": {"line": row, "character": start}, "end": {"line": row, "character": start + len(name)}}
            changes.append({"range": span, "newText": new})
    return changes


def answer(message: dict[str, Any], result: object) -> None:
    send({"id": message["id"], "result": result})


def send(message: dict[str, Any]) -> None:
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    sys.stdout.buffer.flush()


def receive() -> dict[str, Any] | None:
    size = 0
    while (line := sys.stdin.buffer.readline()) != b"\r\n":
        if not line:
            return None
        if line.lower().startswith(b"content-length:"):
            size = int(line.split(b":")[1])
    message: dict[str, Any] = json.loads(sys.stdin.buffer.read(size))
    return message


main()

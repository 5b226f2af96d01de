"""The server over standard input: real clients, broken messages, cancelled calls, clients that crash."""

from __future__ import annotations

import fcntl
import io
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.client.client import Client

import anypatch
from anypatch.mcp.protocol import MAX_MESSAGE
from anypatch.mcp.stdio import read_lines
from anypatch.problems import Refused
from anypatch.storage import syscalls
from anypatch.text import hash_of
from support.agents import BLOCK, CART, PROGRAM, RawClient, called, connected, text_of, tree

TOP = Path(__file__).parent.parent.parent
TOOLS = ["apply_patch", "check_patch", "edit_symbol", "outline", "read_symbol", "undo", "history", "formats"]
PATCH = BLOCK.format(path="shop/cart.py")
OBEYED = "*** Begin Patch\n*** Add File: .vscode/settings.json\n+{}\n*** End Patch\n"
CHUNK = {
    "context_before": ["        amount = 0"], "old_lines": ["        return amount"],
    "new_lines": ["        return -amount"], "context_after": [],
}  # fmt: skip


def program(*arguments: str, text: str = "") -> Any:
    done = subprocess.run([PROGRAM, *arguments, "--json"], input=text, capture_output=True, text=True, check=False)
    return json.loads(done.stdout)


def test_every_tool_over_stdio(tmp_path: Path) -> None:
    root = tree(tmp_path / "root")
    anyio.run(_every_tool, root, "legacy")
    assert (root / "shop" / "cart.py").read_text() == CART


async def _every_tool(root: Path, mode: str) -> None:
    cart = root / "shop" / "cart.py"
    async with connected("--root", str(root), mode=mode) as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == TOOLS
        checked = await called(client, "check_patch", patch=PATCH)
        assert "+        amount = 1" in checked["diff"]
        more = {key: checked.pop(key) for key in ("hashes", "diff")}
        assert list(more["hashes"]) == ["shop/cart.py"]
        by_command = program("check", "--root", str(root), text=PATCH)
        del by_command["review"]  # only the command shows every hunk
        assert checked == by_command
        assert cart.read_text() == CART
        applied = await called(client, "apply_patch", patch=PATCH)
        assert applied["changes"] == checked["changes"]
        assert applied["receipt"]
        assert "amount = 1" in cart.read_text()
        listed = await called(client, "history")
        assert listed == program("log", "--root", str(root))
        again = await client.call_tool("apply_patch", {"patch": PATCH})
        assert again.is_error
        assert "already_applied" in text_of(again)
        assert (await called(client, "undo", receipt=applied["receipt"]))["receipt"] == applied["receipt"]
        assert cart.read_text() == CART
        await _symbols(client, cart)
        assert (await called(client, "undo"))["ok"]
        taught = await called(client, "formats", name="unified")
        assert taught["prompt"] == (await client.read_resource("anypatch://formats/unified")).contents[0].text  # type: ignore[union-attr]
        prompt = await client.get_prompt("edit-with-unified", {"task": "Make it so."})
        assert prompt.messages[0].content.text.startswith(taught["prompt"].rstrip())  # type: ignore[union-attr]
        assert prompt.messages[0].content.text.endswith("Make it so.")  # type: ignore[union-attr]
        names = {row["name"] for row in (await called(client, "formats"))["formats"]}
        assert {one.name for one in (await client.list_resources()).resources} == names
        assert {one.name for one in (await client.list_prompts()).prompts} == {f"edit-with-{name}" for name in names}


async def _symbols(client: Client, cart: Path) -> None:
    outline = await called(client, "outline", relative_path="shop/cart.py")
    (symbol,) = outline["files"][0]["symbols"]
    assert [child["name_path"] for child in symbol["children"]] == ["Cart/add", "Cart/total"]
    (counted_from_0,) = program("outline", str(cart))["files"][0]["symbols"]
    assert (symbol["line"], symbol["column"]) == (counted_from_0["line"] + 1, counted_from_0["column"] + 1)
    assert (symbol["start"], symbol["end"], symbol["hash"]) == tuple(
        counted_from_0[key] for key in ("start", "end", "hash")
    )
    total = await called(client, "read_symbol", relative_path="shop/cart.py", name_path="Cart/total")
    assert total["text"] == CART[CART.index("    def total") :].rstrip("\n")
    place = {"line": total["line"], "column": total["column"]}
    assert (await called(client, "read_symbol", relative_path="shop/cart.py", **place))["hash"] == total["hash"]
    edit: dict[str, Any] = {"relative_path": "shop/cart.py", "chunks": [CHUNK], "expected_hash": total["hash"]}
    assert (await called(client, "edit_symbol", **edit, **place, dry_run=True))["dry_run"]
    assert cart.read_text() == CART
    assert (await called(client, "edit_symbol", **edit, name_path="Cart/total"))["receipt"]
    assert cart.read_text() == CART.replace("return amount", "return -amount")
    edit["chunks"] = [CHUNK | {"new_lines": ["        return 0"]}]
    stale = await client.call_tool("edit_symbol", {**edit, "name_path": "Cart/total"})
    assert stale.structured_content["problems"][0]["kind"] == "merge_conflict"
    assert "return -amount" in stale.structured_content["problems"][0]["near"][0]["text"]
    assert "return -amount" in text_of(stale)


def test_a_call_that_is_repeated_under_its_key_is_done_once(tmp_path: Path) -> None:
    """With the SDK's client, over stdio: after a first result, and while the first call is still running."""
    anyio.run(_repeated, tree(tmp_path / "root"))
    assert (tmp_path / "root" / "log.txt").read_text() == "one\ntwo\n"


async def _repeated(root: Path) -> None:
    (root / "log.txt").write_text("")
    add = "*** Begin Patch\n*** Update File: log.txt\n@@\n+{}\n*** End of File\n*** End Patch\n"
    async with connected("--root", str(root)) as client:

        async def call(key: str, patch: str) -> Any:
            meta: Any = {"anypatch/idempotency-key": key}
            return await client.call_tool("apply_patch", {"patch": patch}, meta=meta)

        first = await call("k1", add.format("one"))
        again = await call("k1", add.format("one"))
        assert not first.is_error and text_of(again) == text_of(first) and again.meta == first.meta
        results: list[Any] = []

        async def collect() -> None:
            results.append(await call("k2", add.format("two")))

        async with anyio.create_task_group() as tasks:
            for _ in range(4):
                tasks.start_soon(collect)
        assert not results[0].is_error and len({text_of(result) for result in results}) == 1
        other = await call("k1", add.format("three"))
        assert other.is_error and "'k1' was used for a different call" in text_of(other)
        lost = await call("k3", BLOCK.format(path="nowhere.py"))
        assert lost.is_error, "it wrote nothing, so its key is free"
        (root / "nowhere.py").write_text("        amount = 0\n")
        assert not (await call("k3", BLOCK.format(path="nowhere.py"))).is_error


def test_what_the_hook_is_told_of_session_and_turn_is_in_the_receipts(tmp_path: Path) -> None:
    """Two turns of Claude Code, which sends the server nothing but the id of the call; both as processes."""
    root = tree(tmp_path / "root")
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    session = "c6418243-0d87-4a9b-87d4-718553a6ffca"
    server = RawClient("--root", str(root))

    def call(number: int, which: str, tool: str, **arguments: Any) -> str:
        id = f"toolu_{number}"
        event = {
            "session_id": session, "prompt_id": which, "cwd": str(folder), "hook_event_name": "PreToolUse",
            "tool_name": f"mcp__anypatch__{tool}", "tool_input": arguments, "tool_use_id": id,
        }  # fmt: skip
        if which:
            hook = subprocess.run(
                [PROGRAM, "hook"], input=json.dumps(event), capture_output=True, text=True, check=True
            )
            assert hook.stdout == hook.stderr == ""
        params = {"name": tool, "arguments": arguments, "_meta": {"claudecode/toolUseId": id}}
        server.send({"id": number, "method": "tools/call", "params": params})
        text: str = server.answer()["result"]["content"][0]["text"]
        return text

    def adding(name: str) -> str:
        return f"*** Begin Patch\n*** Add File: {name}\n+x\n*** End Patch\n"

    for number, (turn, name) in enumerate((("first-turn", "a"), ("second-turn", "b"), ("second-turn", "c")), 2):
        assert call(number, turn, "apply_patch", patch=adding(name)).startswith("Applied")
    assert call(5, "", "apply_patch", patch=adding("d")).startswith("Applied"), "the hook missed it"
    receipts = program("log", "--root", str(root))["receipts"]
    assert [(one["session"], one["turn"]) for one in receipts[1:]] == [
        (session, "second-turn"), (session, "second-turn"), (session, "first-turn"),
    ]  # fmt: skip
    assert receipts[0]["session"] not in ("", session) and not receipts[0]["turn"]
    shown = call(6, "", "history").splitlines()
    assert "…a6ffca/…d-turn" in shown[1] and "…a6ffca/…t-turn" in shown[3]
    assert not list(folder.iterdir())
    by_text = subprocess.run(
        [PROGRAM, "show", "--root", str(root), receipts[1]["id"]], capture_output=True, text=True, check=True
    )
    assert "…a6ffca/…d-turn" in by_text.stdout
    assert program("undo", "--root", str(root))["ok"]
    assert program("undo", "--turn", "--root", str(root))["ok"]
    assert sorted(path.name for path in root.iterdir() if len(path.name) == 1) == ["a"]
    assert call(7, "second-turn", "undo", turn=True).startswith("Undone")
    assert not (root / "a").exists()
    server.ended()


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_roots_of_the_client(tmp_path: Path, mode: str) -> None:
    """Several have names of their own, those outside --root don't count, and nothing leads out of the one chosen."""
    one, two, outside = (tree(tmp_path / name) for name in ("served/one", "served/two", "outside"))
    roots = [one, two, outside]

    async def run() -> None:
        async with connected("--root", str(tmp_path / "served"), mode=mode, roots=roots) as client:
            unclear = await called(client, "apply_patch", patch=PATCH)
            assert unclear["problems"][0]["kind"] == "bad_call"
            assert str(one) in unclear["problems"][0]["message"]
            assert str(outside) not in unclear["problems"][0]["message"]
            assert (await called(client, "apply_patch", patch=PATCH, root="two"))["ok"]
            assert (await called(client, "outline", relative_path=str(two / "shop" / "cart.py")))["ok"]
            for path in ("../one/notes.txt", str(outside / "notes.txt")):
                refused = await called(client, "read_symbol", relative_path=path, name_path="/", root="two")
                assert refused["problems"][0]["kind"] == "unsafe_path"
            assert not (await called(client, "history", root=str(outside)))["ok"]
            roots[:] = [one]  # they may change at any time
            assert (await called(client, "apply_patch", patch=PATCH))["ok"]
            roots[:] = [outside]
            assert (await called(client, "apply_patch", patch=PATCH))["problems"][0]["kind"] == "bad_root"

    anyio.run(run)
    assert "amount = 1" in (one / "shop" / "cart.py").read_text()
    assert "amount = 1" in (two / "shop" / "cart.py").read_text()
    assert (outside / "shop" / "cart.py").read_text() == CART


def test_several_roots_are_served(tmp_path: Path) -> None:
    one, two = tree(tmp_path / "one"), tree(tmp_path / "two")
    server = RawClient("--root", str(one), f"--root={two}")
    server.call(2, "history")
    refused = server.answer()["result"]["content"][0]["text"]
    assert f"one ({one}), two ({two})" in refused
    server.call(3, "history", root="two")
    assert not server.answer()["result"]["isError"]
    assert server.ended() == ""


# ── what a server must survive ───────────────────────────────────────────────────────────────────


@contextmanager
def locked(root: Path) -> Iterator[None]:
    """Somebody else is changing the tree."""
    with (root / ".anypatch" / "lock").open("r+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def test_broken_messages(tmp_path: Path) -> None:
    """Each has its answer or none, and the next call is served."""
    root = tree(tmp_path / "root")
    server = RawClient("--root", str(root), "--allow-sensitive")
    server.send(b"this is no JSON")
    server.send(b'{"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "formats"')
    server.send(b"[]")
    server.send(b'"\\ud800"')
    assert [server.answer()["error"]["code"] for _ in range(4)] == [-32700, -32700, -32600, -32600]
    for wrong in ("[]", '"x"', "7"):
        server.send(b'{"jsonrpc": "2.0", "id": "w", "method": "tools/call", "params": %s}' % wrong.encode())
        assert server.answer() == {
            "jsonrpc": "2.0",
            "id": "w",
            "error": {"code": -32602, "message": "params must be an object"},
        }
    server.send(b'{"jsonrpc": "2.0", "id": {}, "method": "ping"}')
    assert server.answer()["error"]["code"] == -32600
    server.send(b'{"jsonrpc": "2.0", "id": "s", "method": "prompts/get", "params": {"name": "\\udcff"}}')
    assert "\\udcff" in server.answer()["error"]["message"]
    server.send(b'[{"jsonrpc": "2.0", "id": 20, "method": "ping"}, {"jsonrpc": "2.0", "id": 21, "method": "ping"}]')
    assert [server.answer()["id"] for _ in range(2)] == [20, 21]
    server.send(b'{"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "formats", "x": "\xff"}}')
    assert "not UTF-8" in json.dumps(server.answer())
    large = b'{"method": "tools/call", "params": {"name": "apply_patch", "arguments": {"patch": "'
    server.send(large + b"x" * (17 << 20) + b'"}}, "jsonrpc": "2.0", "id": "four"}')
    turned_down = server.answer()
    assert turned_down["id"] == "four"
    assert turned_down["result"]["isError"]
    assert "16777216 are accepted" in turned_down["result"]["content"][0]["text"]
    server.send({"id": 5, "method": "tools/call", "params": {"name": "nothing"}})
    assert server.answer()["error"]["code"] == -32602
    server.send({"id": 6, "method": "nothing/at/all"})
    assert server.answer()["error"]["code"] == -32601
    server.call(7, "apply_patch", patch=PATCH, dry_run="maybe")
    assert "true or false" in server.answer()["result"]["content"][0]["text"]
    server.call(8, "apply_patch", patch=OBEYED)
    assert server.answer()["result"]["_meta"]["anypatch/ok"]
    _fenced(server.process.pid)
    assert server.ended() == ""
    assert (root / "shop" / "cart.py").read_text() == CART


def _fenced(pid: int) -> None:
    """Where the kernel has Landlock, the process has given up its privileges for it."""
    try:
        version = syscalls.call("syscall", 444, 0, 0, 1)
    except (OSError, ValueError):
        return
    if version >= 2 and sys.platform == "linux":
        assert "NoNewPrivs:\t1" in Path(f"/proc/{pid}/status").read_text()


def test_a_hash_of_committed_contents_is_found_by_a_restricted_server(tmp_path: Path) -> None:
    """It started git before it gave up running anything, and asks it again after each commit."""
    root = tmp_path / "root"
    root.mkdir()
    git = ["git", "-C", str(root), "-c", "user.name=A", "-c", "user.email=a@example.org"]
    subprocess.run([*git, "init", "-q"], check=True)
    lines = [f"line {number}\n" for number in range(9)]
    server = None
    for number in (2, 3):
        text = "".join(lines)
        (root / "a.txt").write_text(text)
        subprocess.run([*git, "add", "."], check=True)
        subprocess.run([*git, "commit", "-q", "-m", "more"], check=True)
        lines[8] = f"other {number}\n"
        (root / "a.txt").write_text("".join(lines))
        server = server or RawClient("--root", str(root))
        new = text.replace(lines[number], f"new {number}\n")
        lines[number] = f"new {number}\n"
        edit = f"a.txt\n<<<<<<< SEARCH\n{text}=======\n{new}>>>>>>> REPLACE\n"
        server.call(number, "apply_patch", patch=edit, expected_hashes={"a.txt": hash_of(text)})
        assert server.answer()["result"]["content"][0]["text"].startswith("Applied")
        assert (root / "a.txt").read_text() == "".join(lines)
        shutil.rmtree(root / ".anypatch")  # its receipts know the contents as well
    assert server is not None and server.ended() == ""


def test_what_the_model_reads_is_the_text(tmp_path: Path) -> None:
    """Clients show a structured result, or anything under an output schema, instead of the words."""
    server = RawClient("--root", str(tree(tmp_path / "root")))
    server.send({"id": 2, "method": "tools/list"})
    assert not any("outputSchema" in tool for tool in server.answer()["result"]["tools"])
    server.call(3, "outline", relative_path="shop/cart.py")
    outline = server.answer()["result"]
    assert outline.keys() == {"content", "isError", "_meta"}
    assert "Cart/total" in outline["content"][0]["text"] and outline["_meta"]["anypatch/ok"]
    server.call(4, "apply_patch", patch=PATCH)
    applied = server.answer()["result"]["_meta"]
    assert applied["anypatch/receipt"] and list(applied["anypatch/hashes"]) == ["shop/cart.py"]
    server.call(5, "read_symbol", relative_path="shop/cart.py", line=5, column=9)
    assert server.answer()["result"]["content"][0]["text"].startswith("shop/cart.py#Cart/total  lines 5-7")
    assert server.ended() == ""


def test_it_answers_without_the_sdk(tmp_path: Path) -> None:
    """`initialize` and `tools/list` load nothing that takes long: importing the SDK costs 75 bare interpreter starts."""
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}
    asked = [{"id": 1, "method": "initialize", "params": hello}, {"id": 2, "method": "tools/list"}]
    text = "".join(json.dumps({"jsonrpc": "2.0", **one}) + "\n" for one in asked)
    command = [sys.executable, "-X", "importtime", "-m", "anypatch", "mcp", "--root", str(tmp_path)]
    done = subprocess.run(command, input=text.encode(), capture_output=True, check=True, cwd=tmp_path)
    assert len(done.stdout.splitlines()) == 2
    loaded = {line.rpartition("|")[2].strip().partition(".")[0] for line in done.stderr.decode().splitlines()}
    assert "anypatch" in loaded
    assert loaded.isdisjoint({"mcp", "pydantic", "anyio", "asyncio", "httpx", "tree_sitter"})


def test_a_cancelled_call_writes_nothing(tmp_path: Path) -> None:
    """While a call waits, it reports progress and others are served; once cancelled, it never writes."""
    root = tree(tmp_path / "root")
    anypatch.apply("notes.txt\n<<<<<<< SEARCH\none\n=======\nONE\n>>>>>>> REPLACE\n", root)
    heard: list[str] = []

    async def run() -> None:
        async with connected("--root", str(root), mode="auto") as client:
            with locked(root):
                enough = anyio.Event()

                async def heed(progress: float, total: float | None, message: str | None) -> None:
                    heard.append(message or "")
                    if progress >= 2:
                        enough.set()

                async def wait() -> None:
                    await client.call_tool("apply_patch", {"patch": PATCH}, progress_callback=heed)

                async with anyio.create_task_group() as tasks:
                    tasks.start_soon(wait)
                    assert (await called(client, "outline", relative_path="shop/cart.py"))["ok"]
                    await enough.wait()
                    tasks.cancel_scope.cancel()
                assert (await called(client, "history"))["ok"]
            other = PATCH.replace("amount = 1", "amount = 2")
            assert (await called(client, "apply_patch", patch=other))["ok"]

    anyio.run(run)
    assert heard[0] == "waiting for its turn"
    assert (root / "shop" / "cart.py").read_text() == CART.replace("amount = 0", "amount = 2")


def test_a_client_that_crashes_in_the_middle(tmp_path: Path) -> None:
    root = tree(tmp_path / "root")
    server = RawClient("--root", str(root))
    server.call(2, "apply_patch", patch="notes.txt\n<<<<<<< SEARCH\none\n=======\nONE\n>>>>>>> REPLACE\n")
    assert server.answer()["result"]["_meta"]["anypatch/ok"]
    with locked(root):
        server.call(3, "apply_patch", patch=PATCH)
        server.call(4, "formats")
        assert server.answer()["id"] == 4
        server.input.close()
        server.output.close()
    assert server.ended() == ""
    assert (root / "shop" / "cart.py").read_text() in (CART, CART.replace("amount = 0", "amount = 1"))
    assert not [name for name in os.listdir(root / ".anypatch") if name.startswith("tx")]


def test_a_client_that_reads_no_more(tmp_path: Path) -> None:
    server = RawClient("--root", str(tree(tmp_path / "root")))
    server.output.close()
    server.call(2, "formats")
    assert server.ended() == ""


def test_long_lines_are_not_kept() -> None:
    call = b'{"jsonrpc": "2.0", "id": 7, "method": "tools/call"'
    long, named, after = read_lines(io.BytesIO(b"x" * 3 * MAX_MESSAGE + b"\n" + call + b" " * MAX_MESSAGE + b"}\n{}\n"))
    assert len(long.data) < 2000 and long.size == 3 * MAX_MESSAGE and long.id() is None
    assert named.id() == 7 and after.text() == "{}\n"
    with pytest.raises(Refused):
        named.text()


def test_refusals_aren_t_marked_for_clients_that_hide_their_words(tmp_path: Path) -> None:
    """Gemini CLI and Qwen Code show the model the JSON of a result that is marked as an error, not its text."""
    root = tree(tmp_path / "root")
    for client, marked in (
        ("claude-code", True),
        ("gemini-cli-mcp-client", False),
        ("qwen-cli-mcp-client-anypatch", False),
    ):
        server = RawClient("--root", str(root), client=client)
        server.call(2, "apply_patch", patch="nothing")
        refused = server.answer()["result"]
        assert (refused["isError"], refused["_meta"]["anypatch/ok"]) == (marked, False)
        assert refused["content"][0]["text"].startswith("Refused")
        assert server.ended() == ""


def test_a_small_soak() -> None:
    done = subprocess.run(
        [sys.executable, str(TOP / "bench" / "mcp_soak.py"), "--calls", "40"],
        capture_output=True,
        text=True,
        check=False,
    )
    print(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr

"""What an MCP server must live through: broken messages, cancelled calls, clients that crash; and what it must never touch."""

from __future__ import annotations

import fcntl
import io
import json
import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple

import anyio
import mcp_types as types
import pytest
from mcp.client.client import Client

import anypatch
from anypatch import Settings
from anypatch.cli.options import parse
from anypatch.mcp import session
from anypatch.mcp.protocol import NAMED, Bounds, Service, checked
from anypatch.mcp.server import made
from anypatch.mcp.session import ADVICE, Answer, Call, available, carried_out, chosen
from anypatch.mcp.stdio import MOST, lines
from anypatch.problems import KINDS, Refused
from anypatch.storage import syscalls
from anypatch.text import hash_of, writable
from support.agents import BLOCK, CART, PROGRAM, called, connected, text_of, tree

if TYPE_CHECKING:
    from collections.abc import Iterator

PATCH = BLOCK.format(path="shop/cart.py")
OBEYED = "*** Begin Patch\n*** Add File: .vscode/settings.json\n+{}\n*** End Patch\n"


class Raw:
    """A server in a process, spoken to in bytes."""

    def __init__(self, *options: str, client: str = "raw") -> None:
        self.process = subprocess.Popen(
            [PROGRAM, "mcp", *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        assert self.process.stdin
        assert self.process.stdout
        self.input: IO[bytes] = self.process.stdin
        self.output: IO[bytes] = self.process.stdout
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": client, "version": "1"}}
        self.send({"id": 1, "method": "initialize", "params": hello})
        assert self.answer()["result"]["serverInfo"]["name"] == "anypatch"
        self.send({"method": "notifications/initialized"})

    def send(self, message: dict[str, Any] | bytes) -> None:
        self.input.write(message if isinstance(message, bytes) else json.dumps({"jsonrpc": "2.0", **message}).encode())
        self.input.write(b"\n")
        self.input.flush()

    def call(self, id: int, tool: str, **said: Any) -> None:
        self.send({"id": id, "method": "tools/call", "params": {"name": tool, "arguments": said}})

    def answer(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.output.readline())
        return found

    def ended(self) -> str:
        """What it said last; it must have ended well."""
        for stream in (self.input, self.output):
            try:
                stream.close()
            except OSError:
                pass
        assert self.process.stderr
        assert self.process.wait(20) == 0
        with self.process.stderr as stream:
            return stream.read().decode()


@contextmanager
def locked(root: Path) -> Iterator[None]:
    """Somebody else is changing the tree."""
    with (root / ".anypatch" / "lock").open("r+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def test_broken_messages(tmp_path: Path) -> None:
    """Each has its answer or none, and the next call is served."""
    root = tree(tmp_path / "root")
    server = Raw("--root", str(root), "--allow-sensitive")
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


def test_what_the_model_reads_is_the_text(tmp_path: Path) -> None:
    """Clients show a structured result, or anything under an output schema, instead of the words."""
    server = Raw("--root", str(tree(tmp_path / "root")))
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
    """It tells how far it is while it waits, others are served meanwhile, and after it is cancelled it never writes."""
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
    server = Raw("--root", str(root))
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
    server = Raw("--root", str(tree(tmp_path / "root")))
    server.output.close()
    server.call(2, "formats")
    assert server.ended() == ""


# ── without a process ────────────────────────────────────────────────────────────────────────────


def answer(root: Path, tool: str, settings: Settings | None = None, **said: Any) -> Answer:
    return carried_out(Call(tool, checked(NAMED[tool], said), str(root), settings or Settings(allow_sensitive=False)))


def kinds(found: Answer) -> list[str]:
    assert found.failed is not found.value["ok"]
    return [problem["kind"] for problem in found.value["problems"]]


def test_files_that_are_obeyed_need_the_option(tmp_path: Path) -> None:
    root = tree(tmp_path / "root")
    refused = answer(root, "apply_patch", patch=OBEYED)
    assert kinds(refused) == ["unsafe_path"]
    assert "--allow-sensitive" in refused.text
    assert not (root / ".vscode").exists()
    assert anypatch.apply(OBEYED, root).ok
    assert kinds(answer(root, "undo")) == ["unsafe_path"]
    assert (root / ".vscode" / "settings.json").exists()
    assert kinds(answer(root, "undo", Settings())) == []
    assert not (root / ".vscode" / "settings.json").exists()


def test_what_was_read_is_still_so_or_it_is_refused(tmp_path: Path) -> None:
    root = tree(tmp_path / "root")
    cart = root / "shop" / "cart.py"
    whole = answer(root, "read_symbol", relative_path="shop/cart.py", name_path="/").value["hash"]
    assert (
        whole
        == hash_of(CART.encode())
        == answer(root, "outline", relative_path="shop/cart.py").value["files"][0]["hash"]
    )
    total = answer(root, "read_symbol", relative_path="shop/cart.py", name_path="Cart/total").value["hash"]
    cart.write_text(CART.replace("append", "extend"))
    stale = answer(root, "apply_patch", patch=PATCH, expected_hashes={"shop/cart.py": whole})
    assert kinds(stale) == ["stale"]
    assert "amount = 0" in stale.value["problems"][0]["near"][0]["text"]
    assert "    def total(self):" in stale.text
    assert kinds(answer(root, "apply_patch", patch=PATCH, expected_hashes={"gone.py": whole})) == ["stale"]
    fine = answer(root, "apply_patch", patch=PATCH, expected_hashes={"shop/cart.py#Cart/total": total})
    assert kinds(fine) == []
    assert fine.value["hashes"] == {"shop/cart.py": hash_of(cart.read_bytes())}
    late = PATCH.replace("amount = 0", "amount = 1").replace("amount = 1\n>", "amount = 2\n>")
    stale = answer(root, "apply_patch", patch=late, expected_hashes={"shop/cart.py#Cart/total": total})
    assert kinds(stale) == ["stale"]
    assert "amount = 1" in stale.value["problems"][0]["near"][0]["text"]
    lost = answer(root, "apply_patch", patch=PATCH.replace("= 0", "= 9"), expected_hashes={"shop/cart.py": whole})
    assert kinds(lost) == ["stale"], "also where the patch no longer fits"


def test_refusals_speak_of_what_was_sent(tmp_path: Path) -> None:
    root = tree(tmp_path / "root")
    for said in ({}, {"op": "delete"}, {"op": "delete", "line": 1}, {"name_path": "Cart", "chunks": []}):
        assert kinds(answer(root, "edit_symbol", relative_path="shop/cart.py", **said)) == ["bad_call"]
    lost = {"context_before": ["x"], "old_lines": ["y"], "new_lines": [], "context_after": []}
    found = answer(root, "edit_symbol", relative_path="shop/cart.py", name_path="Cart/total", chunks=[lost])
    assert kinds(found) == ["not_found"]
    assert "patch line" not in found.text
    outside = answer(root, "apply_patch", patch=BLOCK.format(path="../a.py"))
    assert kinds(outside) == ["unsafe_path"]
    assert "--" not in outside.text, "no option would help"


def test_partial_is_told_as_an_error_with_its_rest(tmp_path: Path) -> None:
    root = tree(tmp_path / "root")
    found = answer(root, "apply_patch", patch=PATCH + PATCH.replace("= 0", "= 7"), partial=True)
    assert found.failed
    assert found.value["partial"]
    assert "amount = 7" in found.value["rest"]
    assert "amount = 1" in (root / "shop" / "cart.py").read_text()


def test_odd_bytes_are_spelt_out(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(b"def f():\n    return 'caf\xe9'\n")
    found = answer(tmp_path, "read_symbol", relative_path="a.py", name_path="f")
    assert json.dumps(writable(found.value), ensure_ascii=False).encode()
    assert "caf\\udce9" in writable(found.text)


def test_advice_speaks_of_tools_not_of_commands() -> None:
    for kind in KINDS.values():
        told = ADVICE.get(kind.id, kind.advice)
        assert "`anypatch" not in told, kind.id
        assert "--" not in told.replace("--allow-sensitive", "").replace("--root", ""), kind.id
    assert set(ADVICE) <= set(KINDS)


def test_an_error_of_ours_is_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(call: Call) -> Answer:
        raise RuntimeError("out of luck")

    monkeypatch.setitem(session._DEEDS, "formats", broken)

    async def run() -> types.CallToolResult:
        async with Client(made(Service(Bounds(), Settings()))) as client:
            return await client.call_tool("formats", {})

    found = anyio.run(run)
    assert found.is_error
    assert "RuntimeError: out of luck" in text_of(found)


def test_arguments_as_models_send_them() -> None:
    tool = NAMED["edit_symbol"]
    said = checked(tool, {"relative_path": "a.py", "chunks": "[]", "line": 3.0, "column": "4", "root": None})
    assert said == {"relative_path": "a.py", "chunks": [], "line": 3, "column": 4}
    for wrong in ({}, {"relative_path": 1}, {"relative_path": "a", "line": 0}, {"relative_path": "a", "op": "x"},
                  {"relative_path": "a", "line": True}, {"relative_path": "a", "chunks": {}}, {"relative_path": "a", "no": 1},
                  {"relative_path": "a", "line": 1e300}, {"relative_path": "a", "line": float("nan")}):  # fmt: skip
        with pytest.raises(Refused):
            checked(tool, wrong)
    with pytest.raises(Refused):
        checked(NAMED["apply_patch"], {"patch": "", "expected_hashes": {"a": 1}})


def test_roots_are_told_apart(tmp_path: Path) -> None:
    one, two = tmp_path / "x" / "app", tmp_path / "y" / "app"
    for folder in (one / "inner", two):
        folder.mkdir(parents=True)
    (tmp_path / "x" / "link").symlink_to(two)
    told = [(one.as_uri(), ""), (two.as_uri(), ""), ("https://example.org/a", ""), ((tmp_path / "gone").as_uri(), "")]
    both = available(Bounds(), told)
    assert [root.name for root in both] == [str(one), str(two)], "two of one name go by their paths"
    assert chosen(both, two.as_uri(), "").path == chosen(both, str(two), "").path == str(two)
    assert chosen(both, "", str(one / "inner" / "new.py")).path == str(one)
    nested = available(Bounds(), [(one.as_uri(), "outer"), ((one / "inner").as_uri(), "")])
    assert chosen(nested, "", str(one / "inner" / "new.py")).name == "inner"
    served = Bounds((str(tmp_path / "x"),))
    assert [root.path for root in available(served, told)] == [str(one)]
    assert [root.path for root in available(served, [(tmp_path.as_uri(), "")])] == [str(tmp_path / "x")]
    assert [root.path for root in available(served, None)] == [str(tmp_path / "x")]
    for nowhere in ([(two.as_uri(), "")], [((tmp_path / "x" / "link").as_uri(), "")], [("file:///%00", "")]):
        with pytest.raises(Refused):
            available(served, nowhere)
    for sent in (None, [("file:///nowhere/at/all", "")]):
        with pytest.raises(Refused):
            available(Bounds(here=str(one) if sent else ""), sent)
    assert [root.path for root in available(Bounds(here=str(one)), [])] == [str(one)]
    assert parse(["mcp", "--root", "a", "--root=b"]).given["root"] == "a\0b"
    for wanted, path in (("", "a.py"), ("none", ""), ("", "/a.py")):
        with pytest.raises(Refused):
            chosen(both, wanted, path)


def test_long_lines_are_not_kept() -> None:
    call = b'{"jsonrpc": "2.0", "id": 7, "method": "tools/call"'
    long, named, after = lines(io.BytesIO(b"x" * 3 * MOST + b"\n" + call + b" " * MOST + b"}\n{}\n"))
    assert len(long.data) < 2000 and long.size == 3 * MOST and long.id() is None
    assert named.id() == 7 and after.text() == "{}\n"
    with pytest.raises(Refused):
        named.text()


def test_records_can_be_made_by_two_threads_at_first() -> None:
    """The second thread has looked up the way to make one, which the first has since replaced."""

    class Pair(NamedTuple):
        one: int
        two: int = 2

    looked_up = Pair.__new__
    assert Pair(1) == (1, 2)
    assert looked_up(Pair, 3, two=4) == (3, 4)


def told(root: Path, tool: str, **said: Any) -> Answer:
    return carried_out(Call(tool, checked(NAMED[tool], said), str(root), Settings()))


def test_folders_are_outlined_and_reads_that_fail_speak_of_no_change(tmp_path: Path) -> None:
    root = tree(tmp_path / "root")
    (root / "shop" / "deep").mkdir()
    (root / "shop" / "deep" / "b.py").write_text("def b():\n    def inner():\n        pass\n")
    everything = "shop/cart.py\n  class Cart  lines 1-7\nshop/deep/b.py\n  function b  lines 1-3"
    assert (
        told(root, "outline", relative_path=".").text == everything == told(root, "outline", relative_path="shop/").text
    )
    assert told(root, "outline", relative_path="shop/deep", depth=2).text.endswith("function b/inner  lines 2-3")
    for said in ({"tool": "outline", "relative_path": "shop/cort.py"}, {"tool": "outline", "relative_path": "shap"},
                 {"tool": "read_symbol", "relative_path": "shop/cart.py", "name_path": "Cart/totl"}):  # fmt: skip
        failed = told(root, **said)
        assert failed.failed and failed.text and "changed" not in failed.text
    assert "shop/cart.py" in told(root, "outline", relative_path="shop/cort.py").text
    assert (
        "nothing was changed"
        in told(root, "edit_symbol", relative_path="shop/cart.py", name_path="x", op="delete").text
    )


def test_names_that_are_nearly_right(tmp_path: Path) -> None:
    root = tree(tmp_path / "root")
    for tool, said, meant in (
        ("outline", {"relativepath": "x"}, "'relative_path'"),
        ("apply_patch", {"patch": "x", "format": "unifed"}, "'unified'"),
        ("formats", {"name": "search-and-replace"}, "'search-replace'"),
    ):
        with pytest.raises(Refused, match=f"did you mean {meant}"):
            checked(NAMED[tool], said)
    server = Raw("--root", str(root))
    server.call(2, "aply_patch")
    assert "did you mean 'apply_patch'?" in server.answer()["error"]["message"]
    assert server.ended() == ""


def test_renaming_needs_a_name_and_a_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tree(tmp_path / "root")
    server = Raw("--root", str(root))
    server.call(2, "rename_symbol", relative_path="shop/cart.py", name_path="Cart/total", new_name="sum")
    assert "start the server with --lsp" in server.answer()["result"]["content"][0]["text"]
    assert server.ended() == ""
    assert "needs name_path" in told(root, "rename_symbol", relative_path="shop/cart.py", new_name="sum").text
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr("sys.executable", "/nowhere/python")
    refused = told(root, "rename_symbol", relative_path="shop/cart.py", name_path="Cart/total", new_name="sum")
    assert refused.failed and "no_server" in refused.text and (root / "shop" / "cart.py").read_text() == CART


def test_refusals_aren_t_marked_for_clients_that_hide_their_words(tmp_path: Path) -> None:
    """Gemini CLI and Qwen Code show the model the JSON of a result that is marked as an error, not its text."""
    root = tree(tmp_path / "root")
    for client, marked in (
        ("claude-code", True),
        ("gemini-cli-mcp-client", False),
        ("qwen-cli-mcp-client-anypatch", False),
    ):
        server = Raw("--root", str(root), client=client)
        server.call(2, "apply_patch", patch="nothing")
        refused = server.answer()["result"]
        assert (refused["isError"], refused["_meta"]["anypatch/ok"]) == (marked, False)
        assert refused["content"][0]["text"].startswith("Refused")
        assert server.ended() == ""

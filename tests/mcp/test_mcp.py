"""The MCP server as agents meet it: the program in a process, the SDK's own client, over stdio and HTTP."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from anypatch import Settings
from anypatch.mcp.session import Call, carried_out
from support.agents import BLOCK, CART, PROGRAM, called, connected, over_http, telling, text_of, tree

TOP = Path(__file__).parent.parent.parent
TOOLS = [
    "apply_patch",
    "check_patch",
    "edit_symbol",
    "outline",
    "read_symbol",
    "undo",
    "history",
    "formats",
]
PATCH = BLOCK.format(path="shop/cart.py")
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
        assert checked == program("check", "--root", str(root), text=PATCH)
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
    assert stale.structured_content["problems"][0]["kind"] == "stale"
    assert "return -amount" in stale.structured_content["problems"][0]["near"][0]["text"]
    assert "return -amount" in text_of(stale)


def test_definitions_are_few_tokens_and_true_and_unknown_names_are_answered(tmp_path: Path) -> None:
    """Counted without a tokenizer, which would need the network: the greater of a token for four characters of the
    compact JSON, and one for each word of up to eight letters, number and run of up to three signs."""

    async def listed() -> list[Any]:
        async with connected("--lsp", mode="auto", roots=[tmp_path]) as client:
            for wrong in (
                client.call_tool("edit_everything", {}),
                client.get_prompt("edit-with-nothing"),
                client.read_resource("anypatch://formats/nothing"),
                client.read_resource("file:///etc/passwd"),
            ):
                with pytest.raises(MCPError):
                    await wrong
            assert (await called(client, "history"))["receipts"] == []
            return (await client.list_tools()).tools

    tools = anyio.run(listed)
    told = json.dumps([tool.model_dump(by_alias=True, exclude_none=True) for tool in tools], separators=(",", ":"))
    count = max(len(told) // 4, len(re.findall(r"[A-Za-z]{1,8}|[0-9]{1,3}|[^A-Za-z0-9\s]{1,3}", told)))
    print(f"{len(tools)} tool definitions: {len(told)} characters, about {count} tokens")
    assert count <= 2500
    for tool in tools:
        changes = tool.name in ("apply_patch", "edit_symbol", "rename_symbol", "undo")
        hints = tool.annotations
        assert (hints.read_only_hint, hints.destructive_hint) == (not changes, changes), tool.name
        assert hints.idempotent_hint is not changes
        assert hints.open_world_hint is False


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_roots_of_the_client(tmp_path: Path, mode: str) -> None:
    """Several are told apart, those outside --root don't count, and nothing leads out of the one chosen."""
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


def test_over_http(tmp_path: Path) -> None:
    """Two clients at once, one of either protocol, both with roots; others than this machine's are turned away."""
    root = tree(tmp_path / "root")
    more = [f"<<<<<<< SEARCH\n{line}\n=======\n{line}\nnew {line}\n>>>>>>> REPLACE\n" for line in ("one", "two")]

    async def client(url: str, mode: str, number: int) -> None:
        async with Client(streamable_http_client(url), mode=mode, list_roots_callback=telling([root])) as agent:
            assert [tool.name for tool in (await agent.list_tools()).tools] == TOOLS
            assert (await called(agent, "apply_patch", patch=f"notes.txt\n{more[number]}"))["ok"]

    async def run(url: str) -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(client, url, "legacy", 0)
            tasks.start_soon(client, url, "auto", 1)

    with over_http("--root", str(root)) as (url, _):
        anyio.run(run, url)
        assert (root / "notes.txt").read_text() == "one\nnew one\ntwo\nnew two\n"
        assert _status(url, {"Host": "example.org"}) == 421
        assert _status(url, {"Origin": "http://example.org"}) == 403
        assert _status(url, {"Content-Length": str(17 << 20)}) == 413
        assert _status(url, {}, body=b"{") == 400
        anyio.run(_listed, url)


async def _listed(url: str) -> None:
    async with Client(streamable_http_client(url), mode="legacy") as agent:
        assert len((await called(agent, "history"))["receipts"]) == 2


def _status(url: str, headers: dict[str, str], body: bytes = b"{}") -> int:
    told = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream", **headers}
    request = urllib.request.Request(url, body, told)
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        with error:
            return error.code


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--http", "0.0.0.0:0"], "--allow-remote"),
        (["--http", "nowhere"], "HOST:PORT"),
        (["--root", "missing"], "bad_root"),
        (["--http", "1:2:3"], "--allow-remote"),
    ],
)
def test_calls_that_are_refused(tmp_path: Path, options: list[str], said: str) -> None:
    done = subprocess.run(
        [PROGRAM, "mcp", *options], capture_output=True, text=True, check=False, cwd=tmp_path, input=""
    )
    assert (done.returncode, said in done.stderr or said == "bad_root") == (2, True), done.stderr
    assert "Traceback" not in done.stderr


def test_without_the_extra_it_says_what_to_install(tmp_path: Path) -> None:
    script = "import sys; sys.modules['mcp_types'] = None; sys.argv[1:] = ['mcp', '--http', '0']; from anypatch.cli import main; sys.exit(main())"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False, cwd=tmp_path, input=""
    )
    assert done.returncode == 2, done.stderr
    assert "python -m pip install 'mcp>=2.3,<3'" in " ".join(done.stderr.split())


def test_the_example_of_an_agent_runs(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(TOP / "examples" / "agent.py"), str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "refused" in done.stdout
    assert "done after 3 answers" in done.stdout


def test_a_small_soak() -> None:
    done = subprocess.run(
        [sys.executable, str(TOP / "bench" / "mcp_soak.py"), "--calls", "40"],
        capture_output=True,
        text=True,
        check=False,
    )
    print(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr


def test_overwriting_by_the_server(tmp_path: Path) -> None:
    """`overwrite`: left out as the format says, true always, false never."""
    part, whole = (f"a.py\n```python\n{text}```\n" for text in ("print(1)\n", TWO.replace("1", "11")))
    (tmp_path / "a.py").write_text(TWO)

    def kinds(patch: str, **said: bool | str) -> list[str]:
        call = Call("apply_patch", {"patch": patch, "dry_run": True, **said}, str(tmp_path), Settings())
        answer = carried_out(call)
        assert "--overwrite" not in answer.text
        return [problem["kind"] for problem in answer.value.get("problems", [])]

    assert kinds(part, format="whole-file") == ["would_shrink"]
    assert kinds(part, format="whole-file", overwrite=True) == []
    assert kinds(part, format="whole-file", overwrite=False) == ["file_exists"]
    assert kinds(part) == ["no_patch"] and kinds(whole) == ["proposed"]
    assert kinds(whole, format="whole-file") == []
    assert kinds(whole, format="whole-file", overwrite=False) == ["file_exists"]


TWO = "def f():\n    return 1\n\n\ndef g():\n    return 2\n"

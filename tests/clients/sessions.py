"""Real agents, each run against a scripted model on loopback: what the model reads, what hooks make of its edits, and
what `anypatch replay` reads of the transcripts that they leave.

`make test-clients` installs them from npm, in the versions below, into .clients; what can't be installed is skipped.
"""

from __future__ import annotations

import json
import os
import random
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from support.scripted_model import Call, Model

TOP = Path(__file__).parent.parent.parent
PROGRAM = os.environ.get("ANYPATCH", str(Path(sys.executable).with_name("anypatch")))
FOLDER = Path(os.environ.get("ANYPATCH_CLIENTS", TOP / ".clients"))
PACKAGES = {
    "claude": ("@anthropic-ai/claude-code", "2.1.325"),
    "codex": ("@openai/codex", "0.166.0"),
    "gemini": ("@google/gemini-cli", "0.61.0"),
    "qwen": ("@qwen-code/qwen-code", "0.24.4"),
    "opencode": ("opencode-ai", "1.18.33"),
}
CART = (
    "class Cart:\n    def add(self, item):\n        self.items.append(item)\n\n"
    "    def total(self):\n        amount = 0\n        return amount\n"
)
BLOCK = "shop/cart.py\n<<<<<<< SEARCH\n{}\n=======\n{}\n>>>>>>> REPLACE\n"
OUTLINE = {"relative_path": "shop/cart.py"}
REFUSED = {"patch": BLOCK.format("        amount = none", "        amount = 1")}
APPLIED = {"patch": BLOCK.format("    amount = 0", "    amount = 1")}
DONE = CART.replace("amount = 0", "amount = 1")


def program(client: str) -> str:
    """The client's program; the test is skipped where it could not be installed."""
    path = FOLDER / client / "node_modules" / ".bin" / client
    if not path.exists():
        pytest.skip(f"{' '.join(PACKAGES[client])} is not installed")
    return str(path)


class Run:
    """A home and a project of their own, in which one client runs against one scripted model."""

    def __init__(self, folder: Path, client: str, *script: Any) -> None:
        self.client, self.folder = client, folder
        self.home, self.root = folder / "home", folder / "project"
        (self.root / "shop").mkdir(parents=True)
        self.home.mkdir()
        self.cart = self.root / "shop" / "cart.py"
        self.cart.write_text(CART)
        self.model = Model(*script)

    def settings(self, path: str, value: Any) -> None:
        """Write settings of the client into its home or the project."""
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(value if isinstance(value, str) else json.dumps(value))

    def run(self, *, server: bool = True) -> list[str]:
        """Run the client, and give back what the model read of each of its calls."""
        command = {
            "claude": self._claude, "codex": self._codex, "gemini": self._gemini, "qwen": self._qwen, "opencode": self._opencode,
        }[self.client](server)  # fmt: skip
        env = {
            name: value for name, value in os.environ.items() if "proxy" not in name.lower() and "CLAUDE" not in name
        }
        env |= {
            "HOME": str(self.home),
            "PWD": str(self.root),
            "OPENCODE_DISABLE_MODELS_FETCH": "1",
            "XDG_CONFIG_HOME": "",
            "XDG_DATA_HOME": "",
            "XDG_STATE_HOME": "",
            "XDG_CACHE_HOME": "",
        }
        env = {name: value for name, value in env.items() if value}
        url = self.model.url
        env |= {
            # Where Claude Code has its models search for tools, it adds a hint of its own to errors of those not searched for.
            "ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "x", "ENABLE_TOOL_SEARCH": "false",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1", "CODEX_HOME": str(self.home / ".codex"), "STUB_KEY": "x",
            "GOOGLE_GEMINI_BASE_URL": url, "GEMINI_API_KEY": "x", "GEMINI_CLI_TRUST_WORKSPACE": "true",
            "OPENAI_BASE_URL": url + "/v1", "OPENAI_API_KEY": "x", "OPENAI_MODEL": "stub",
        }  # fmt: skip
        try:
            done = subprocess.run(
                [program(self.client), *command], cwd=self.root, env=env, stdin=subprocess.DEVNULL, capture_output=True,
                text=True, timeout=300, check=False,
            )  # fmt: skip
        finally:
            self.model.close()
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
        assert self.model.seen, done.stdout[-2000:] + done.stderr[-2000:]
        return self.model.results

    def _servers(self) -> dict[str, Any]:
        return {"anypatch": {"command": PROGRAM, "args": ["mcp", "--root", str(self.root)]}}

    def _claude(self, server: bool) -> list[str]:
        self.settings("mcp.json", {"mcpServers": self._servers() if server else {}})
        allowed = "mcp__anypatch Edit Write Read"
        return ["-p", "Go.", "--strict-mcp-config", "--mcp-config", str(self.folder / "mcp.json"), "--permission-mode",
                "acceptEdits", "--allowedTools", allowed]  # fmt: skip

    def _codex(self, server: bool) -> list[str]:
        # The larger models get a server's tools only when they search for them; this one gets them at once.
        model = "gpt-5" if server else "gpt-5.5"
        config = (
            f'model = "{model}"\nmodel_provider = "stub"\n[model_providers.stub]\nname = "stub"\nwire_api = "responses"\n'
            f'env_key = "STUB_KEY"\nbase_url = "{self.model.url}/v1"\n'
        )
        config += f'[projects."{self.root}"]\ntrust_level = "trusted"\n'
        if server:
            args = json.dumps(["mcp", "--root", str(self.root)])
            config += f'[mcp_servers.anypatch]\ncommand = "{PROGRAM}"\nargs = {args}\n'
        self.settings("home/.codex/config.toml", config)
        return [
            "exec",
            "--skip-git-repo-check",
            "--dangerously-bypass-approvals-and-sandbox",
            "--dangerously-bypass-hook-trust",
            "Go.",
        ]

    def _gemini(self, server: bool) -> list[str]:
        return [*self._as_gemini(server, "gemini-api-key"), "-m", "gemini-2.5-flash"]

    def _qwen(self, server: bool) -> list[str]:
        return self._as_gemini(server, "openai")

    def _as_gemini(self, server: bool, key: str) -> list[str]:
        settings = {
            "security": {"auth": {"selectedType": key}}, "privacy": {"usageStatisticsEnabled": False},
            "general": {"disableAutoUpdate": True}, "mcpServers": self._servers() if server else {},
        }  # fmt: skip
        self.settings(f"home/.{self.client}/settings.json", settings)
        return ["-p", "Go.", "--yolo"]

    def _opencode(self, server: bool) -> list[str]:
        local = {"type": "local", "command": [PROGRAM, "mcp", "--root", str(self.root)]}
        models = {"stub": {"name": "stub", "tool_call": True, "limit": {"context": 100000, "output": 8000}}}
        provider = {"npm": "@ai-sdk/openai-compatible", "name": "stub", "models": models}
        provider["options"] = {"baseURL": self.model.url + "/v1", "apiKey": "x"}
        settings = {
            "provider": {"stub": provider},
            "mcp": {"anypatch": local},
            "autoupdate": False,
            "share": "disabled",
        }
        self.settings("project/opencode.json", settings)
        return ["run", "-m", "stub/stub", "Go."]


# How each client names a tool of the server.
NAMED = {
    "claude": "mcp__anypatch__{}", "codex": "mcp__anypatch/{}", "gemini": "mcp_anypatch_{}", "qwen": "mcp__anypatch__{}",
    "opencode": "anypatch_{}",
}  # fmt: skip


def answers(root: Path, *calls: tuple[str, dict[str, Any]]) -> list[str]:
    """The texts that the server itself gives."""
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    with subprocess.Popen(
        [PROGRAM, "mcp", "--root", str(root)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdin
        assert server.stdout
        texts = []
        for number, (tool, arguments) in enumerate([("", {}), *calls]):
            params = {"name": tool, "arguments": arguments} if tool else hello
            request = {
                "jsonrpc": "2.0",
                "id": number,
                "method": "tools/call" if tool else "initialize",
                "params": params,
            }
            server.stdin.write(json.dumps(request) + "\n")
            server.stdin.flush()
            texts.append(json.loads(server.stdout.readline())["result"])
        server.stdin.close()
    return [one["content"][0]["text"] for one in texts[1:]]


def timeless(text: str) -> str:
    """A text without the id of a receipt."""
    return re.sub(r"\d{8}-\d{6}-[0-9a-f]{4}", "ID", text)


def as_read(client: str, text: str) -> str:
    """Return a text of the server's exactly as the client hands it on to the model."""
    if client == "codex":
        return re.escape("Wall time: X seconds\nOutput:\n").replace("X", r"[\d.]+") + re.escape(text)
    return re.escape(f"<untrusted_context>\n{text}\n</untrusted_context>" if client == "gemini" else text)


@pytest.mark.parametrize("client", PACKAGES)
def test_what_the_model_reads_of_the_server(tmp_path: Path, client: str) -> None:
    """An outline, a refusal, an edit: the model reads the server's words to the letter, and nothing of its JSON."""
    calls = [("outline", OUTLINE), ("apply_patch", REFUSED), ("apply_patch", APPLIED)]
    run = Run(
        tmp_path, client, *(Call(NAMED[client].format(tool), arguments) for tool, arguments in calls), "All done."
    )
    read = run.run()
    other = Run(tmp_path / "other", client)
    other.model.close()
    wanted = answers(other.root, *calls)
    print(json.dumps({"client": client, "read": read}, indent=1))
    assert run.cart.read_text() == DONE
    assert len(read) == 3
    for text, answer in zip(read, wanted, strict=True):
        assert re.fullmatch(as_read(client, timeless(answer)), timeless(text)), (
            f"{text}\n--- but the server says\n{answer}"
        )


# ── hooks ────────────────────────────────────────────────────────────────────────────────────────


def hooked(tmp_path: Path, client: str, *script: Any) -> tuple[Run, list[str]]:
    """A session without the server, with the hook that `hook install` writes."""
    run = Run(tmp_path, client, *script)
    installed = [PROGRAM, "hook", "install", client, "--root", str(run.root), "--write"]
    subprocess.run(installed, check=True, capture_output=True)
    return run, run.run(server=False)


def logged(run: Run) -> list[str]:
    """Return what hooks have done according to the log, newest first."""
    done = subprocess.run(
        [PROGRAM, "log", "--root", str(run.root), "--json"], check=True, capture_output=True, text=True
    )
    return [one["did"] for one in json.loads(done.stdout)["hooks"]]


ELIDED = "class Cart:\n    # ... existing code ...\n    def total(self):\n        amount = 1\n        return amount\n"
PART = "    def total(self):\n        return 1\n"
OLD, NEW = "    amount = 0\n    return amount", "    amount = 1\n    return amount"


def path_of(tmp_path: Path) -> str:
    return str(tmp_path / "project" / "shop" / "cart.py")


def test_claude_code_asks_the_hook(tmp_path: Path) -> None:
    """It refuses a text that isn't in the file itself, before any hook; this notices when that changes."""
    path = {"file_path": path_of(tmp_path)}
    run, read = hooked(
        tmp_path, "claude", Call("Read", path), Call("Edit", path | {"old_string": OLD, "new_string": NEW}),
        Call("Write", path | {"content": PART}), Call("Write", path | {"content": ELIDED}), "All done.",
    )  # fmt: skip
    assert "String to replace not found" in read[1]
    # Some sessions read "PreToolUse:Write hook error: " before it.
    assert "anypatch: Refused" in read[2] and "would_shrink" in read[2]
    assert logged(run) == ["fixed", "denied"] and run.cart.read_text() == DONE


def test_gemini_cli_asks_the_hook(tmp_path: Path) -> None:
    path = {"file_path": path_of(tmp_path)}
    # Its own search forgives indentation, but not the numbers of lines.
    edit = {"old_string": "6\t  amount = 0\n7\t  return amount", "new_string": "6\t  amount = 1\n7\t  return amount"}
    run, read = hooked(
        tmp_path, "gemini", Call("read_file", path), Call("write_file", path | {"content": PART}),
        Call("replace", path | edit | {"instruction": "Count from 1."}), "All done.",
    )  # fmt: skip
    assert "anypatch: Refused" in read[1] and "would_shrink" in read[1]
    assert "modified by a hook" in read[2]
    assert logged(run) == ["fixed", "denied"] and run.cart.read_text() == DONE


def test_codex_asks_the_hook(tmp_path: Path) -> None:
    patch = "*** Begin Patch\n*** Update File: shop/cart.py\n@@\n{}\n*** End Patch"
    twice = patch.format(" class Cart:\n-    amount = 9\n+    amount = 1")
    mended = patch.format("-    amount = 0\n-    return amount\n+    amount = 1\n+    return amount")
    run, read = hooked(tmp_path, "codex", Call("apply_patch", {}, twice), Call("apply_patch", {}, mended), "All done.")
    assert "anypatch" not in read[0] and "Success" in read[1]
    assert logged(run) == ["fixed"] and run.cart.read_text() == DONE


def test_qwen_code_asks_the_hook(tmp_path: Path) -> None:
    """It takes no other input from a hook: the model reads which call would fit, and makes it."""
    path = {"file_path": path_of(tmp_path)}
    fits = path | {"old_string": "        amount = 0\n", "new_string": "        amount = 1\n"}
    run, read = hooked(
        tmp_path, "qwen", Call("read_file", path), Call("edit", path | {"old_string": OLD + "\n", "new_string": NEW + "\n"}),
        Call("edit", fits), "All done.",
    )  # fmt: skip
    assert "anypatch: that text isn't in the file exactly as written. Send the same call with" in read[1]
    assert json.dumps({key: fits[key] for key in ("old_string", "new_string")}) in read[1]
    assert logged(run) == ["fixed"] and run.cart.read_text() == DONE


@pytest.mark.parametrize("client", ["claude", "gemini", "qwen", "codex"])
def test_receipts_have_the_session_and_the_turn(tmp_path: Path, client: str) -> None:
    """Codex tells the server; of the others the hook is told. Gemini CLI has no name for a turn."""
    run = Run(tmp_path, client, Call(NAMED[client].format("apply_patch"), APPLIED), "All done.")
    if client != "codex":
        installed = [PROGRAM, "hook", "install", client, "--root", str(run.root), "--write"]
        subprocess.run(installed, check=True, capture_output=True)
        (run.root / ".anypatch").rename(tmp_path / "installing")
    run.run()
    (receipt,) = receipts_of(run)
    assert run.cart.read_text() == DONE and len(receipt["session"]) == 36
    assert bool(receipt["turn"]) is (client != "gemini")


def receipts_of(run: Run) -> Any:
    """Return the receipts as `anypatch log` shows them to the user whose agent it was."""
    done = subprocess.run(
        [PROGRAM, "log", "--root", str(run.root), "--json"], check=True, capture_output=True, text=True,
        env=os.environ | {"HOME": str(run.home), "XDG_STATE_HOME": ""},
    )  # fmt: skip
    return json.loads(done.stdout)["receipts"]


# ── transcripts ──────────────────────────────────────────────────────────────────────────────────

CODEX_PATCH = "*** Begin Patch\n*** Update File: shop/cart.py\n@@{}\n*** End Patch"
FITS_CODEX = CODEX_PATCH.format("\n-        amount = 0\n+        amount = 1")


def scripts(path: str) -> dict[str, list[Any]]:
    """For each client a read, an edit that it refuses though anypatch wouldn't, the same edit sent again, and others."""
    shifted, fits = (OLD, NEW), ("        amount = 0", "        amount = 1")
    numbered = "6\t        amount = 0\n7\t        return amount", "6\t        amount = 1\n7\t        return amount"
    gap = "class Cart:\n    ...\n        amount = 0"  # Gemini CLI's fuzzy search finds anything nearer
    twice = ("self", "me")

    def claude(old: str, new: str) -> dict[str, Any]:
        return {"file_path": path, "old_string": old, "new_string": new}

    def opencode(old: str, new: str) -> dict[str, Any]:
        return {"filePath": path, "oldString": old, "newString": new}

    def gemini(old: str, new: str) -> dict[str, Any]:
        return claude(old, new) | {"instruction": "Count from 1."}

    return {
        "claude": [
            Call("Read", {"file_path": path}), Call("Edit", claude(*shifted)), Call("Edit", claude(*fits)),
            Call("Edit", claude(*twice)), Call("Edit", claude(*twice) | {"replace_all": True}),
        ],
        "codex": [
            Call("exec_command", {"cmd": "cat shop/cart.py"}),
            Call("apply_patch", {}, CODEX_PATCH.format("\n-6\t        amount = 0\n+6\t        amount = 1")),
            Call("apply_patch", {}, FITS_CODEX), Call("apply_patch", {}, FITS_CODEX),
            Call("exec_command", {"cmd": f"apply_patch <<'EOF'\n{FITS_CODEX.replace('0', '2').replace('= 1', '= 3')}\nEOF"}),
        ],
        "gemini": [
            Call("read_file", {"file_path": path}), Call("replace", gemini(gap, gap.replace("0", "1"))), Call("replace", gemini(*fits)),
            Call("replace", gemini(*twice)), Call("write_file", {"file_path": path + ".txt", "content": "x\n"}),
        ],
        "opencode": [
            Call("read", {"filePath": path}), Call("edit", opencode(*numbered)), Call("edit", opencode(*fits)),
            Call("edit", opencode(*twice)), Call("write", {"filePath": path + ".txt", "content": "x\n"}),
        ],
    }  # fmt: skip


@pytest.mark.parametrize("client", ["claude", "codex", "gemini", "opencode"])
def test_the_transcript_is_replayed(tmp_path: Path, client: str) -> None:
    run = Run(tmp_path, client, *scripts(path_of(tmp_path))[client], "All done.")
    run.run(server=False)
    env = {**os.environ, "HOME": str(run.home), "CODEX_HOME": "", "CLAUDE_CONFIG_DIR": "", "XDG_DATA_HOME": ""}
    done = subprocess.run([PROGRAM, "replay", "--json"], check=True, capture_output=True, text=True, env=env)
    value = json.loads(done.stdout)
    print(json.dumps(value, indent=1))
    failed = {"claude": 2, "codex": 3, "gemini": 2, "opencode": 2}[client]
    assert value["calls"] == 4 and value["unreadable_lines"] == 0
    assert value["failed"]["failed"] == value["failed"]["replayed"] == failed
    assert value["failed"]["same"] == 1, "the edit that was sent again"
    assert value["went_through"]["same"] == value["went_through"]["calls"] == 4 - failed


def test_the_rule_of_codex_is_that_of_codex(tmp_path: Path) -> None:
    """The program itself, called by the name of its patch tool, makes of 60 patches what `hooks.codex` says."""
    from anypatch.hooks import apply_like_codex

    wrapper = Path(program("codex")).resolve()
    native = [
        path
        for path in (FOLDER / "codex").resolve().rglob("codex")
        if path.is_file() and path.stat().st_size > 10 << 20
    ]
    assert native, wrapper
    draw = random.Random(3)
    source = CART + CART.replace("Cart", "Basket").replace("amount", "sum") + "  tail  \n"
    agreed = 0
    for number in range(60):
        lines = source.split("\n")[:-1]
        first = draw.randrange(len(lines) - 3)
        old = lines[first : first + draw.randrange(1, 4)]
        shift = draw.choice((0, 0, 2, -2))
        old = [" " * shift + line if shift > 0 else line[-shift:] if line[:2] == "  " else line for line in old]
        body = [f" {line}" for line in old[:-1]] + [f"-{old[-1]}", f"+{old[-1]}!"]
        head = draw.choice(("@@", "@@", f"@@ {lines[max(first - 1, 0)]}", "@@ nowhere"))
        end = ["*** End of File"] if draw.random() < 0.2 else []
        patch = "\n".join(["*** Begin Patch", "*** Update File: a.py", head, *body, *end, "*** End Patch"])
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "a.py").write_text(source)
        script = f'exec -a apply_patch {shlex.quote(str(native[0]))} "$1"'
        done = subprocess.run(
            ["bash", "-c", script, "x", patch], cwd=folder, capture_output=True, text=True, check=False
        )
        wanted = apply_like_codex(patch, {"a.py": source})
        assert (done.returncode == 0) == (wanted is not None), f"{patch}\n{done.stderr}"
        assert (folder / "a.py").read_text() == (wanted or {"a.py": source})["a.py"], patch
        agreed += wanted is not None
    assert agreed > 20

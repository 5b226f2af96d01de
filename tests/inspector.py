"""The MCP inspector's command-line mode lists and calls each tool of the server, over stdio and HTTP: `make test-inspector`.

python tests/inspector.py FOLDER    the folder that @modelcontextprotocol/inspector was installed in by npm
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from support.agents import BLOCK, CART, PROGRAM, over_http, tree

CHUNK = [
    {"context_before": ["        amount = 0"], "old_lines": ["        return amount"], "new_lines": ["        return 1"],
     "context_after": []},
]  # fmt: skip
CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("formats", {"name": "unified"}),
    ("outline", {"relative_path": "shop/cart.py"}),
    ("read_symbol", {"relative_path": "shop/cart.py", "name_path": "Cart/total"}),
    ("check_patch", {"patch": BLOCK.format(path="shop/cart.py")}),
    ("edit_symbol", {"relative_path": "shop/cart.py", "name_path": "Cart/total", "chunks": CHUNK}),
    ("undo", {}),
    ("rename_symbol", {"relative_path": "shop/cart.py", "name_path": "Cart/total", "new_name": "sum", "dry_run": True}),
    ("apply_patch", {"patch": BLOCK.format(path="shop/cart.py")}),
    ("history", {"limit": 5}),
)
# Those that need no tools, resources or prompts of the suite's own.
CONFORMANCE = ("server-initialize", "ping", "tools-list", "resources-list", "prompts-list", "dns-rebinding-protection")


def asked(inspector: Path, target: list[str], method: str, *more: str) -> Any:
    done = subprocess.run(
        [str(inspector), "--cli", *target, "--method", method, *more],
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


def main() -> int:
    inspector = Path(sys.argv[1]) / "node_modules" / ".bin" / "mcp-inspector"
    with tempfile.TemporaryDirectory() as folder:
        root = tree(Path(folder).resolve() / "root")
        target = [PROGRAM, "mcp", "--lsp", "--root", str(root)]
        names = [tool["name"] for tool in asked(inspector, target, "tools/list")["tools"]]
        assert sorted(names) == sorted(name for name, _ in CALLS)
        print(f"tools/list: {len(names)} tools")
        for tool, said in CALLS:
            given = [f"{key}={value if isinstance(value, str) else json.dumps(value)}" for key, value in said.items()]
            options = [part for one in given for part in ("--tool-arg", one)]
            result = asked(inspector, target, "tools/call", "--tool-name", tool, *options)
            no_server = "no_server" in result["content"][0]["text"]  # renaming needs one for the language
            assert result["_meta"]["anypatch/ok"] or no_server, result
            print(f"tools/call {tool}: {'no language server' if no_server else 'ok'}")
        assert (root / "shop" / "cart.py").read_text() == CART.replace("amount = 0", "amount = 1")
        for method, key in (("resources/list", "resources"), ("prompts/list", "prompts")):
            print(f"{method}: {len(asked(inspector, target, method)[key])}")
        with over_http("--lsp", "--root", str(root)) as (url, _):
            found = asked(inspector, [url, "--transport", "http"], "tools/list")["tools"]
            print(f"tools/list over HTTP: {len(found)} tools")
            for scenario in CONFORMANCE:
                command = [inspector.with_name("node"), inspector.with_name("conformance"), "server", "--url", url]
                done = subprocess.run(
                    [*map(str, command), "--scenario", scenario],
                    capture_output=True,
                    text=True,
                    check=False,
                    timeout=120,
                )
                assert re.search(r"Passed: (\d)/\1, 0 failed", done.stdout), done.stdout + done.stderr
                print(f"conformance {scenario}: ok")
    return 0


if __name__ == "__main__":
    sys.exit(main())

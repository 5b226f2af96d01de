"""The MCP inspector's command-line mode lists and calls each tool of the server, over stdio and HTTP: `make test-inspector`.

python tests/inspector.py FOLDER    the folder that @modelcontextprotocol/inspector was installed in by npm
"""

from __future__ import annotations

import json
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
        target = [PROGRAM, "mcp", "--root", str(root)]
        names = [tool["name"] for tool in asked(inspector, target, "tools/list")["tools"]]
        assert sorted(names) == sorted(name for name, _ in CALLS)
        print(f"tools/list: {len(names)} tools")
        for tool, said in CALLS:
            given = [f"{key}={value if isinstance(value, str) else json.dumps(value)}" for key, value in said.items()]
            options = [part for one in given for part in ("--tool-arg", one)]
            result = asked(inspector, target, "tools/call", "--tool-name", tool, *options)
            assert result["_meta"]["anypatch/ok"], result
            print(f"tools/call {tool}: ok")
        assert (root / "shop" / "cart.py").read_text() == CART.replace("amount = 0", "amount = 1")
        for method, key in (("resources/list", "resources"), ("prompts/list", "prompts")):
            print(f"{method}: {len(asked(inspector, target, method)[key])}")
        with over_http("--root", str(root)) as (url, _):
            found = asked(inspector, [url, "--transport", "http"], "tools/list")["tools"]
            print(f"tools/list over HTTP: {len(found)} tools")
    return 0


if __name__ == "__main__":
    sys.exit(main())

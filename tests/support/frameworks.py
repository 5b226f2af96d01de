"""The examples of docs/adapters.md, run with a framework against a scripted model on loopback.

Each model first sends an edit that has no place, then one with the wrong indentation: it must read why the first was
refused, and the second must be applied.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from support.scripted_model import Call, Model, Step

TOP = Path(__file__).parent.parent.parent
GREET = "def greet(name):\r\n    if name:\r\n        return 'Hello ' + name\r\n    return 'Hello'\r\n"
NOWHERE = "        return 'Goodbye'"
OLD, NEW = "  return 'Hello ' + name\n", "  return 'Hi ' + name\n"
DONE = GREET.replace("return 'Hello ' + name", "return 'Hi ' + name")
BLOCK = "greet.py\n<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n"
PATCHES: tuple[Step, ...] = (
    Call("apply_patch", {"patch": BLOCK.format(old=NOWHERE + "\n", new="x\n")}),
    Call("apply_patch", {"patch": BLOCK.format(old=OLD, new=NEW)}),
    "All done.",
)


def example(title: str) -> str:
    """The code of a section of docs/adapters.md."""
    page = (TOP / "docs" / "adapters.md").read_text(encoding="utf-8")
    section = page[page.index(f"## {title}") :]
    fence = re.search(r"```python\n(.*?)```", section, re.DOTALL)
    assert fence
    return fence[1]


def run_example(title: str, folder: Path, *script: Step) -> list[str]:
    """Run an example in a folder with greet.py; return what the model read of each of its calls."""
    (folder / "greet.py").write_bytes(GREET.encode())
    model = Model(*script)
    env = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()}
    env |= {
        "OPENAI_BASE_URL": model.url + "/v1", "ANTHROPIC_BASE_URL": model.url, "OPENAI_API_KEY": "x",
        "ANTHROPIC_API_KEY": "x", "OPENAI_AGENTS_DISABLE_TRACING": "1", "LANGSMITH_TRACING": "false",
        "INSPECT_LOG_DIR": str(folder / "logs"),
    }  # fmt: skip
    command = [sys.executable, "-c", example(title)]
    try:
        done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=120, check=False)
    finally:
        model.close()
    assert done.returncode == 0, done.stdout + done.stderr
    assert not script or done.stdout.strip().endswith("All done."), done.stdout + done.stderr
    return model.results


def check_refused_then_applied(results: list[str]) -> None:
    first, second = results
    assert "not_found" in first and "the text is not in the file" in first, first
    assert "Applied" in second, second

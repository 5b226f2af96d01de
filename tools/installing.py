"""Runs the lines of docs/install.md with pip, pipx and uv, each in a home of its own: `make test-install`."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

TOP = Path(__file__).parent.parent


def lines() -> list[str]:
    """The commands, without their remarks."""
    section = (TOP / "docs" / "install.md").read_text().split("\n## ")[0]
    fence = re.search(r"^```sh\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
    assert fence, "the page shows how to install it in a fence"
    told = fence[1].splitlines()
    others = re.findall(r"# or: (.+)", fence[1])
    return [re.sub(r"\s+#.*", "", line) for line in told] + others


def main() -> int:
    for line in lines():
        with tempfile.TemporaryDirectory() as home:
            subprocess.run([sys.executable, "-m", "venv", f"{home}/venv"], check=True)  # what pip installs into
            places = f"{home}/.local/bin", f"{home}/venv/bin", str(Path(sys.executable).parent)  # the last: pipx and uv
            programs = os.pathsep.join(places)
            environment = {**os.environ, "HOME": home, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
            told = [line] + (["anypatch --version"] if " install " in line else [])
            for command in told:
                print(f"$ {command}", flush=True)
                done = subprocess.run(command, shell=True, cwd=TOP, env=environment, check=False)
                if done.returncode:
                    print(f"FAILED with {done.returncode}: {line}")
                    return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

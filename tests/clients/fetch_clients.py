"""Installs the agents that `make test-clients` runs, each into a folder of its own below .clients; says what can't be had."""

from __future__ import annotations

import subprocess
import sys

from sessions import FOLDER, PACKAGES


def main() -> int:
    for client, (package, version) in PACKAGES.items():
        folder = FOLDER / client
        if (folder / "node_modules" / ".bin" / client).exists():
            continue
        folder.mkdir(parents=True, exist_ok=True)
        command = [
            "npm",
            "install",
            "--silent",
            "--no-audit",
            "--no-fund",
            "--prefix",
            str(folder),
            f"{package}@{version}",
        ]
        try:
            ok = subprocess.run(command, check=False, timeout=300).returncode == 0
        except (OSError, subprocess.TimeoutExpired):
            ok = False
        if not ok:
            print(f"SKIPPED: {package} {version} could not be installed")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Kill -9 at random moments while 1,000 files are patched, then recover: no tree is half patched.

python tests/faults/kill9.py [--kills 200] [--files 1000] [--durability none]
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PROGRAM = str(Path(sys.executable).with_name("anypatch"))


def make(root: Path, files: int) -> str:
    """The tree, and a patch of every sort of change."""
    parts = []
    for number in range(files):
        path = root / f"d{number % 20}" / f"f{number}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"first {number}\nold {number}\n" + "filler\n" * 100)
        name = path.relative_to(root)
        if number % 10 == 3:
            parts.append(f"*** Delete File: {name}\n*** Add File: made{number % 7}/f{number}\n+new {number}\n")
        else:
            parts.append(f"*** Update File: {name}\n@@\n first {number}\n-old {number}\n+new {number}\n")
    return "*** Begin Patch\n" + "".join(parts) + "*** End Patch\n"


def state(root: Path) -> dict[str, bytes]:
    return {
        str(p.relative_to(root)): p.read_bytes() for p in root.rglob("*") if p.is_file() and ".anypatch" not in p.parts
    }


def main() -> int:
    options = argparse.ArgumentParser()
    options.add_argument("--kills", type=int, default=200)
    options.add_argument("--files", type=int, default=1000)
    options.add_argument("--durability", default="none")
    chosen = options.parse_args()
    half = before = after = survived = 0
    with tempfile.TemporaryDirectory() as folder:
        os.environ.setdefault("XDG_STATE_HOME", f"{folder}/state")
        master, root, patch = Path(folder, "master"), Path(folder, "tree"), Path(folder, "patch")
        patch.write_text(make(master, chosen.files))
        command = [PROGRAM, "apply", str(patch), "--root", str(root), "-q", "--durability", chosen.durability]
        shutil.copytree(master, root)
        started = time.monotonic()
        subprocess.run(command, check=True)
        whole = time.monotonic() - started
        old, new = state(master), state(root)
        for _ in range(chosen.kills):
            shutil.rmtree(root)
            shutil.copytree(master, root)
            process = subprocess.Popen(command)
            time.sleep(random.uniform(0.5 * whole, 1.05 * whole))
            process.send_signal(signal.SIGKILL)
            survived += process.wait() == 0
            recovered = subprocess.run([PROGRAM, "recover", "--root", str(root), "-q"], check=False).returncode
            found = state(root)
            if recovered or found not in (old, new) or list(root.rglob(".anypatch-*")):
                half += 1
            before += found == old
            after += found == new
    print(f"{chosen.kills} kills: {half} half patched, {before} old, {after} new ({survived} came too late)")
    return 1 if half else 0


if __name__ == "__main__":
    sys.exit(main())

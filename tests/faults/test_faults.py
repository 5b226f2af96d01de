"""The quick part of the fault rig; `make test-faults` runs all of it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

RIG = Path(__file__).parent / "rig.py"
pytestmark = pytest.mark.skipif(not shutil.which("cc"), reason="needs a C compiler (cc), to build tests/faults/shim.c")


def test_the_tree_is_old_or_new_whichever_call_fails() -> None:
    done = subprocess.run([sys.executable, str(RIG), "--quick"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = [line.split() for line in done.stdout.split("\n") if line.startswith(("crash", "a failing"))]
    assert len(rows) == 19 and all(int(row[-2]) > 20 and row[-1] == "0" for row in rows), done.stdout


def test_the_rig_notices_a_protocol_that_is_broken() -> None:
    """Run it on a commit that writes no journal: it must find mixed trees."""
    script = (
        f"import sys; sys.argv = ['rig', '--quick']; sys.path.insert(0, {str(RIG.parent)!r})\n"
        "import rig, anypatch.storage.transaction as transaction\n"
        "transaction._write_journal = lambda storage, task, job: None\n"
        "rig.parts = lambda quick: {'update/none': [('x', lambda bench: rig.crash(bench, 'apply', rig.KILL))]}\n"
        "sys.exit(rig.run(True))\n"
    )
    folder = RIG.parent
    library = Path(os.environ["XDG_STATE_HOME"]) / "shim.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, folder / "shim.c", "-ldl"], check=True)
    environment = {**os.environ, "LD_PRELOAD": str(library), "SHIM": "1"}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "MIXED" in done.stdout, done.stdout + done.stderr

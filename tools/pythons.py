"""Runs the tests of the sdist against the wheel, on every Python that we support and this machine has.

    python tools/pythons.py DIST [PYTEST ARGUMENTS]      after `make dist`; `make test-pythons` does both

Interpreters are looked for as python3.11 … python3.14 on PATH and among pyenv's; PYTHONS="path path" names others.
A version that isn't found is named and left out. With no pytest arguments the whole suite runs.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

TOP = Path(__file__).parent.parent


def supported() -> list[str]:
    """The versions in the classifiers of the package: 3.11, 3.12, …"""
    return re.findall(r"Python :: (3\.\d+)", (TOP / "pyproject.toml").read_text())


def version(command: str) -> str:
    """3.12 for an interpreter that runs and is 3.12, else nothing."""
    code = "import sys; print('%d.%d' % sys.version_info[:2])"
    try:
        done = subprocess.run([command, "-c", code], capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def interpreters() -> dict[str, str]:
    """The first interpreter that runs for each version."""
    names = os.environ.get("PYTHONS", "").split()
    names += [sys.executable, *(shutil.which(f"python{one}") or "" for one in supported())]
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    names += [str(path) for path in sorted(pyenv.glob("3.*/bin/python"), reverse=True)]
    names += [str(path) for path in sorted(Path("/opt").glob("python3.*/bin/python3"))]
    found: dict[str, str] = {}
    for name in filter(None, names):
        found.setdefault(version(name), name)
    return {one: found[one] for one in supported() if one in found}


def run(python: str, dist: Path, arguments: list[str]) -> int:
    """Install the wheel and what its tests need into a new environment, and run the tests out of the sdist."""
    (wheel,), (sdist,) = dist.glob("*.whl"), dist.glob("*.tar.gz")
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([python, "-m", "venv", f"{folder}/venv"], check=True)
        ours = f"{folder}/venv/bin/python"
        pip = [ours, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "--upgrade", "pip"], check=True)
        subprocess.run([*pip, f"{wheel}[dev]"], check=True)
        with tarfile.open(sdist) as archive:
            archive.extractall(folder, filter="data")
        (tree,) = Path(folder).glob("anypatch-*")
        where = "import anypatch; assert 'site-packages' in anypatch.__file__, anypatch.__file__"
        subprocess.run([ours, "-P", "-c", where], cwd=tree, check=True)
        command = [ours, "-m", "pytest", "-p", "no:cacheprovider", *(arguments or ["-n", "auto"])]
        environment = {**os.environ, "PATH": f"{folder}/venv/bin{os.pathsep}{os.environ['PATH']}"}
        return subprocess.run(command, cwd=tree, env=environment, check=False).returncode


def main() -> int:
    dist, arguments = Path(sys.argv[1]).resolve(), sys.argv[2:]
    found = interpreters()
    ended = {}
    for one, python in found.items():
        print(f"Python {one}: {python}", flush=True)
        ended[one] = run(python, dist, arguments)
    for one in supported():
        told = "not found on this machine, not tested" if one not in ended else "FAILED" if ended[one] else "passed"
        print(f"Python {one}: {told}")
    return 1 if any(ended.values()) or not ended else 0


if __name__ == "__main__":
    sys.exit(main())

